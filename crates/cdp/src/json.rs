//! Reading the browser's JSON, which may hold what JSON strings of Rust can't.

use serde::de::DeserializeOwned;
use std::borrow::Cow;

/// Reads a value. Halves of surrogate pairs, which pages may put into any string and Chromium passes on as
/// escapes, become U+FFFD instead of an error: otherwise a page could hide its events by printing one.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Result<T, serde_json::Error> {
    serde_json::from_str(text).or_else(|error| match mend_surrogates(text) {
        Cow::Borrowed(_) => Err(error),
        Cow::Owned(mended) => serde_json::from_str(&mended),
    })
}

/// Replaces escapes of lone surrogates by the replacement character's; borrowed when there are none.
fn mend_surrogates(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut mended = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(step) = bytes[at..].iter().position(|byte| *byte == b'\\') {
        at += step;
        match surrogate(bytes, at) {
            Some(0xD800..=0xDBFF) if matches!(surrogate(bytes, at + 6), Some(0xDC00..=0xDFFF)) => at += 12,
            Some(_) => {
                mended.push_str(&text[copied..at]);
                mended.push_str("\\ufffd");
                at += 6;
                copied = at;
            }
            // Two bytes: the backslash and what it escapes, which may be a backslash itself.
            None => at = (at + 2).min(bytes.len()),
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    mended.push_str(&text[copied..]);
    Cow::Owned(mended)
}

/// The surrogate whose escape begins at `at`.
fn surrogate(bytes: &[u8], at: usize) -> Option<u16> {
    let escape = bytes.get(at..at + 6)?;
    if !escape.starts_with(b"\\u") {
        return None;
    }
    let digits = std::str::from_utf8(&escape[2..]).ok()?;
    u16::from_str_radix(digits, 16).ok().filter(|unit| (0xD800..=0xDFFF).contains(unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_lone_surrogates_become_the_replacement_character() {
        for (json, expected) in [
            (r#""\ud800""#, "\u{fffd}"),
            (r#""a\udc00b""#, "a\u{fffd}b"),
            (r#""\ud83d\ude00""#, "\u{1f600}"),
            (r#""\ud800\ud83d\ude00é""#, "\u{fffd}\u{1f600}é"),
            (r#""\\ud800 \ud800""#, "\\ud800 \u{fffd}"),
            (r#""\ud800\\""#, "\u{fffd}\\"),
            (r#""\ud800\n""#, "\u{fffd}\n"),
        ] {
            assert_eq!(read::<String>(json).expect(json), expected, "{json}");
        }
    }

    #[test]
    fn read_broken_json_stays_an_error() {
        for json in [r#""\ud8"#, r#""\"#, r#"{"a":"\ud800""#, r#""\uzzzz""#, ""] {
            assert!(read::<serde_json::Value>(json).is_err(), "{json}");
        }
    }
}
