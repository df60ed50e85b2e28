//! Proof that a file is what its name says, from its bytes: that it begins as one, is sound, and has its end.

/// A kind of file that is proved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A picture.
    Png,
    /// A photo.
    Jpeg,
    /// A picture that may move.
    Gif,
    /// A picture of either kind.
    Webp,
    /// A document.
    Pdf,
}

impl Kind {
    /// The kind that a file name says; nothing for others.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Kind> {
        let (_, extension) = name.rsplit_once('.')?;
        match extension.to_ascii_lowercase().as_str() {
            "png" => Some(Kind::Png),
            "jpg" | "jpeg" => Some(Kind::Jpeg),
            "gif" => Some(Kind::Gif),
            "webp" => Some(Kind::Webp),
            "pdf" => Some(Kind::Pdf),
            _ => None,
        }
    }

    /// The kind that the first bytes say.
    #[must_use]
    pub fn of_bytes(bytes: &[u8]) -> Option<Kind> {
        let starts = |head: &[u8]| bytes.starts_with(head);
        if starts(b"\x89PNG\r\n\x1a\n") {
            Some(Kind::Png)
        } else if starts(b"\xff\xd8\xff") {
            Some(Kind::Jpeg)
        } else if starts(b"GIF87a") || starts(b"GIF89a") {
            Some(Kind::Gif)
        } else if starts(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            Some(Kind::Webp)
        } else if starts(b"%PDF-") {
            Some(Kind::Pdf)
        } else {
            None
        }
    }

    /// What clients call it; nothing for what is no image.
    #[must_use]
    pub fn mime(self) -> Option<&'static str> {
        match self {
            Kind::Png => Some("image/png"),
            Kind::Jpeg => Some("image/jpeg"),
            Kind::Gif => Some("image/gif"),
            Kind::Webp => Some("image/webp"),
            Kind::Pdf => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Png => "PNG",
            Kind::Jpeg => "JPEG",
            Kind::Gif => "GIF",
            Kind::Webp => "WebP",
            Kind::Pdf => "PDF",
        }
    }
}

/// Whether bytes are a whole file of this kind.
///
/// # Errors
/// What is wrong with them.
pub fn whole(kind: Kind, bytes: &[u8]) -> Result<(), String> {
    let name = kind.name();
    match Kind::of_bytes(bytes) {
        Some(found) if found == kind => {}
        Some(found) => return Err(format!("it is a {} and no {name}", found.name())),
        None if bytes.is_empty() => return Err("it is empty".to_owned()),
        None => return Err(format!("it does not begin as a {name} does")),
    }
    let ended = match kind {
        Kind::Png => return png(bytes),
        Kind::Jpeg => bytes.ends_with(b"\xff\xd9"),
        Kind::Gif => bytes.last() == Some(&b';'),
        Kind::Webp => {
            let size = bytes.get(4..8).and_then(|size| size.try_into().ok()).map(u32::from_le_bytes);
            size.and_then(|size| usize::try_from(size).ok()).is_some_and(|size| bytes.len() >= size + 8)
        }
        Kind::Pdf => {
            let tail = &bytes[bytes.len().saturating_sub(1_024)..];
            tail.windows(5).any(|at| at == b"%%EOF")
        }
    };
    if ended { Ok(()) } else { Err(format!("the end of the {name} is missing")) }
}

/// Goes from chunk to chunk: each must be whole and sound, and the last must be the end.
fn png(bytes: &[u8]) -> Result<(), String> {
    let mut at = 8;
    loop {
        let Some(head) = bytes.get(at..at + 8) else {
            return Err("the end of the PNG is missing".to_owned());
        };
        let length = head[..4].try_into().map(u32::from_be_bytes).map_or(usize::MAX, |l| l as usize);
        let kind = &head[4..8];
        let body = length.checked_add(4).and_then(|l| bytes.get(at + 4..(at + 4).checked_add(l)?));
        let sum = length.checked_add(at + 8).and_then(|from| bytes.get(from..from.checked_add(4)?));
        let (Some(body), Some(sum)) = (body, sum) else {
            return Err("the PNG is cut off".to_owned());
        };
        if sum != crc32(body).to_be_bytes() {
            return Err("a part of the PNG is damaged".to_owned());
        }
        if kind == b"IEND" {
            return Ok(());
        }
        at += length + 12;
    }
}

/// What a byte does to the check sum.
const CRC: [u32; 256] = {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        let (mut sum, mut bit) = (at as u32, 0);
        while bit < 8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
            bit += 1;
        }
        table[at] = sum;
        at += 1;
    }
    table
};

/// The check sum of PNG.
#[must_use]
pub fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, byte| CRC[(sum as u8 ^ byte) as usize] ^ sum >> 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A PNG of 3 by 2 points with nothing in it but the header and the end.
    fn small_png() -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
        for body in [&b"IHDR\0\0\0\x03\0\0\0\x02\x08\x02\0\0\0"[..], b"IDATx", b"IEND"] {
            bytes.extend_from_slice(&u32::try_from(body.len() - 4).expect("short").to_be_bytes());
            bytes.extend_from_slice(body);
            bytes.extend_from_slice(&crc32(body).to_be_bytes());
        }
        bytes
    }

    #[test]
    fn proof_of_a_png_finds_what_is_cut_off_or_damaged() {
        let good = small_png();
        assert_eq!(whole(Kind::Png, &good), Ok(()));
        for length in 0..good.len() {
            assert!(whole(Kind::Png, &good[..length]).is_err(), "{length} of {} bytes", good.len());
        }
        let mut bad = good.clone();
        bad[20] ^= 1;
        assert_eq!(whole(Kind::Png, &bad), Err("a part of the PNG is damaged".to_owned()));
        assert_eq!(whole(Kind::Jpeg, &good), Err("it is a PNG and no JPEG".to_owned()));
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn proof_of_a_pdf_needs_its_end() {
        assert_eq!(whole(Kind::Pdf, b"%PDF-1.4\nx\n%%EOF\n"), Ok(()));
        assert!(whole(Kind::Pdf, b"%PDF-1.4\nx\n").is_err());
        assert!(whole(Kind::Pdf, b"hello").is_err());
    }

    #[test]
    fn proof_kind_of_a_name_is_its_extension() {
        assert_eq!(Kind::of_name("a/b.PNG"), Some(Kind::Png));
        assert_eq!(Kind::of_name("b.txt"), None);
        assert_eq!(Kind::of_name("png"), None);
    }
}
