//! Images of scripts: of which kind and how large they are, from their bytes and not from what is said of them.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use truehand_base::proof::{self, Kind};

/// The kind and the size of an image, which must be whole.
///
/// # Errors
/// Why it is none.
pub(super) fn read(base64: &str) -> Result<(&'static str, u32, u32), String> {
    let bytes = STANDARD.decode(base64).map_err(|_| "it is no base64".to_owned())?;
    let kind = Kind::of_bytes(&bytes).ok_or("it is no PNG, JPEG, WebP or GIF")?;
    let mime = kind.mime().ok_or("a PDF can't be shown")?;
    proof::whole(kind, &bytes)?;
    let (width, height) = size(kind, &bytes).ok_or("its size can't be read")?;
    Ok((mime, width, height))
}

/// Width and height in pixels.
fn size(kind: Kind, bytes: &[u8]) -> Option<(u32, u32)> {
    let big = |at: usize| bytes.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes);
    let short = |at: usize| bytes.get(at..at + 2)?.try_into().ok().map(u16::from_le_bytes).map(u32::from);
    match kind {
        Kind::Png => Some((big(16)?, big(20)?)),
        Kind::Gif => Some((short(6)?, short(8)?)),
        Kind::Jpeg => jpeg_size(bytes),
        Kind::Webp => webp_size(bytes),
        Kind::Pdf => None,
    }
}

/// The size in the frame header, behind any number of other segments.
fn jpeg_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        let (&mark, &code) = (bytes.get(at)?, bytes.get(at + 1)?);
        if mark != 0xff {
            return None;
        }
        if code == 0xff {
            at += 1;
            continue;
        }
        let word = |at: usize| bytes.get(at..at + 2)?.try_into().ok().map(u16::from_be_bytes);
        let frame = matches!(code, 0xc0..=0xcf) && !matches!(code, 0xc4 | 0xc8 | 0xcc);
        if frame {
            return Some((u32::from(word(at + 7)?), u32::from(word(at + 5)?)));
        }
        at += 2 + usize::from(word(at + 2)?);
    }
}

fn webp_size(bytes: &[u8]) -> Option<(u32, u32)> {
    let at = |at: usize| bytes.get(at).copied().map(u32::from);
    match bytes.get(12..16)? {
        b"VP8X" => {
            Some((1 + (at(24)? | at(25)? << 8 | at(26)? << 16), 1 + (at(27)? | at(28)? << 8 | at(29)? << 16)))
        }
        b"VP8L" => {
            let bits = at(21)? | at(22)? << 8 | at(23)? << 16 | at(24)? << 24;
            Some(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
        }
        b"VP8 " => Some(((at(26)? | at(27)? << 8) & 0x3fff, (at(28)? | at(29)? << 8) & 0x3fff)),
        _ => None,
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A PNG of this size with nothing in it but the header and the end, in base64.
    pub(crate) fn png(width: u32, height: u32) -> String {
        STANDARD.encode(png_bytes(width, height))
    }

    pub(crate) fn png_bytes(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
        let mut chunk = |kind: &[u8], data: &[u8]| {
            let body = [kind, data].concat();
            bytes.extend_from_slice(&u32::try_from(data.len()).expect("short").to_be_bytes());
            bytes.extend_from_slice(&body);
            bytes.extend_from_slice(&proof::crc32(&body).to_be_bytes());
        };
        let header = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 2, 0, 0, 0]].concat();
        chunk(b"IHDR", &header);
        chunk(b"IDAT", b"x");
        chunk(b"IEND", b"");
        bytes
    }

    #[test]
    fn image_size_is_read_from_the_bytes() {
        assert_eq!(read(&png(640, 480)), Ok(("image/png", 640, 480)));
        let gif = b"GIF89a\x03\0\x02\0\0\0\0;";
        assert_eq!(read(&STANDARD.encode(gif)), Ok(("image/gif", 3, 2)));
        let jpeg = b"\xff\xd8\xff\xe0\0\x04ab\xff\xc0\0\x0b\x08\0\x02\0\x03\x01\x01\x11\0\xff\xd9";
        assert_eq!(read(&STANDARD.encode(jpeg)), Ok(("image/jpeg", 3, 2)));
        assert!(read("%%").is_err());
        assert!(read(&STANDARD.encode(b"%PDF-1.4\n%%EOF")).is_err());
    }

    #[test]
    fn image_that_is_cut_off_is_none() {
        let bytes = png_bytes(3, 2);
        assert!(read(&STANDARD.encode(&bytes[..bytes.len() - 3])).is_err());
    }
}
