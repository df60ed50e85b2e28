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

/// A rough count of o200k tokens that errs upwards: about three ASCII characters, or less than one
/// other character, to a token. Used for budgets; a test compares it with the real tokenizer.
#[must_use]
pub fn token_estimate(text: &str) -> usize {
    let (ascii, other) =
        text.chars().fold((0usize, 0usize), |(a, o), c| if c.is_ascii() { (a + 1, o) } else { (a, o + 1) });
    ascii.div_ceil(3) + other + other / 4
}
