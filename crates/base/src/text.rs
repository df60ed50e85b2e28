//! Text that is safe to send: no lone surrogates, bounded length, one line where one line is meant.

/// Cuts `text` to at most `max` characters, with an ellipsis when something was cut.
#[must_use]
pub fn clip(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(max.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// Folds all white space to single spaces.
#[must_use]
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A kind of characters that a tokenizer keeps together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Run {
    Lower,
    Upper,
    Digits,
    Marks,
    None,
}

/// About how many o200k tokens a text costs. It does not see the words, but tells those that may be some from letters without a
/// vowel, codes and rare scripts, which cost several times as much; a test compares it with the real tokenizer. The page
/// part that fills a budget counts in the same way.
#[must_use]
pub fn token_estimate(text: &str) -> usize {
    let mut sum = 1.0_f64;
    let (mut kind, mut length, mut vowels) = (Run::None, 0_u32, 0_u32);
    for c in text.chars().chain([' ']) {
        let next = match c {
            'a'..='z' => Run::Lower,
            'A'..='Z' => Run::Upper,
            '0'..='9' => Run::Digits,
            '\u{21}'..='\u{7e}' => Run::Marks,
            _ => Run::None,
        };
        // A capital and the small letters after it are one word.
        if next != kind && !(next == Run::Lower && kind == Run::Upper && length == 1) {
            sum += run_cost(kind, length, vowels);
            (length, vowels) = (0, 0);
        }
        kind = next;
        length += 1;
        vowels += u32::from("aeiouyAEIOUY".contains(c));
        if !c.is_ascii() {
            sum += wide_cost(c);
        }
    }
    // A text's tokens are far fewer than what a float counts exactly.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive number")]
    let tokens = sum.ceil() as usize;
    tokens
}

fn run_cost(kind: Run, length: u32, vowels: u32) -> f64 {
    let length_f = f64::from(length);
    match kind {
        Run::None => 0.0,
        Run::Lower | Run::Upper if vowels * 5 < length => (length_f / 1.7).max(1.0),
        Run::Lower => (length_f / 3.3).max(1.0),
        Run::Upper => (length_f / 2.0).max(1.0),
        Run::Digits => f64::from(length.div_ceil(3)),
        Run::Marks => (length_f / 1.6).max(1.0),
    }
}

fn wide_cost(c: char) -> f64 {
    match u32::from(c) {
        0x80..0x800 => 1.0,
        0x800..0x2000 => 0.9,
        0x2000..0x3040 => 1.3,
        0x3040..0xa000 => 1.6,
        0xac00..0xd7a4 => 1.3,
        0x1_0000.. => 4.0,
        _ => 3.0,
    }
}
