//! How wide the signs of a font are: where a piece of text ends tells whether the next one is the same word.

use lopdf::{Dictionary, Document, Encoding, Object};
use std::collections::BTreeMap;

/// The most widths of a font that are kept.
const MOST: usize = 70_000;

/// What a sign is taken to be wide when the font does not say, in thousandths of its size.
const GUESS: f32 = 500.0;

/// A font as far as text needs it.
pub struct Font<'a> {
    /// What its codes mean.
    pub encoding: Encoding<'a>,
    widths: BTreeMap<u32, f32>,
    /// The width of all others; `None` when it is not known.
    other: Option<f32>,
    wide_codes: bool,
}

impl<'a> Font<'a> {
    /// Reads a font; `None` for one whose codes mean nothing known.
    pub fn of(font: &'a Dictionary, document: &'a Document, limit: usize) -> Option<Font<'a>> {
        let encoding = font.get_font_encoding_with_limit(document, limit).ok()?;
        let get = |from: &'a Dictionary, key: &[u8]| from.get_deref(key, document).ok();
        let number = |object: &Object| object.as_float().ok();
        let composite = get(font, b"Subtype").and_then(|kind| kind.as_name().ok()) == Some(b"Type0");
        if composite {
            let inner = get(font, b"DescendantFonts").and_then(|list| list.as_array().ok()?.first());
            let inner = inner.and_then(|inner| document.dereference(inner).ok()?.1.as_dict().ok());
            let mut widths = BTreeMap::new();
            if let Some(list) = inner.and_then(|inner| get(inner, b"W")?.as_array().ok()) {
                read_widths(list, document, &mut widths);
            }
            let other = inner.and_then(|inner| get(inner, b"DW")).and_then(number).unwrap_or(1_000.0);
            return Some(Font { encoding, widths, other: Some(other), wide_codes: true });
        }
        let first = get(font, b"FirstChar").and_then(|first| first.as_i64().ok()).unwrap_or(0);
        let list = get(font, b"Widths").and_then(|list| list.as_array().ok());
        let mut widths = BTreeMap::new();
        for (at, width) in list.into_iter().flatten().take(256).enumerate() {
            let code = u32::try_from(first).ok().and_then(|first| first.checked_add(u32::try_from(at).ok()?));
            let width = document.dereference(width).ok().and_then(|(_, width)| number(width));
            widths.extend(code.zip(width));
        }
        let other = (!widths.is_empty()).then(|| {
            let described = get(font, b"FontDescriptor").and_then(|about| about.as_dict().ok());
            described.and_then(|about| get(about, b"MissingWidth")).and_then(number).unwrap_or(0.0)
        });
        // A font of type 3 measures in units of its own.
        let own = get(font, b"FontMatrix").and_then(|matrix| number(matrix.as_array().ok()?.first()?));
        if let Some(unit) = own {
            widths.values_mut().for_each(|width| *width *= unit * 1_000.0);
        }
        Some(Font { encoding, widths, other, wide_codes: false })
    }

    /// Whether the widths are those of the font and no guess.
    pub fn measured(&self) -> bool {
        self.other.is_some()
    }

    /// The width of a text in thousandths of its size, the number of its signs, and how many of them are spaces of one byte.
    pub fn width(&self, bytes: &[u8]) -> (f32, usize, usize) {
        let mut sum = 0.0;
        let mut count = 0;
        let step = if self.wide_codes { 2 } else { 1 };
        for code in bytes.chunks(step) {
            let code = code.iter().fold(0u32, |code, byte| (code << 8) | u32::from(*byte));
            sum += self.widths.get(&code).copied().or(self.other).unwrap_or(GUESS);
            count += 1;
        }
        let spaces = if self.wide_codes { 0 } else { bytes.iter().filter(|byte| **byte == b' ').count() };
        (sum, count, spaces)
    }
}

/// `[ 3 [500 600] 10 20 700 ]`: a list from a code on, or one width for a range of codes.
fn read_widths(list: &[Object], document: &Document, widths: &mut BTreeMap<u32, f32>) {
    let plain = |object: &Object| document.dereference(object).ok().map(|(_, object)| object.clone());
    let mut items = list.iter().filter_map(plain);
    while let Some(first) = items.next() {
        let Some(first) = first.as_i64().ok().and_then(|code| u32::try_from(code).ok()) else { return };
        match items.next() {
            Some(Object::Array(row)) => {
                for (code, width) in (first..).zip(row.iter().filter_map(plain)) {
                    if widths.len() >= MOST {
                        return;
                    }
                    widths.extend(width.as_float().ok().map(|width| (code, width)));
                }
            }
            Some(last) => {
                let last = last.as_i64().ok().and_then(|code| u32::try_from(code).ok());
                let Some((last, width)) = last.zip(items.next().and_then(|width| width.as_float().ok()))
                else {
                    return;
                };
                for code in first..=last.min(first.saturating_add(65_535)) {
                    if widths.len() >= MOST {
                        return;
                    }
                    widths.insert(code, width);
                }
            }
            None => return,
        }
    }
}
