//! Places in a text: line, column, and the line shown with a caret.

/// A place as people count: lines and columns (in characters) from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
}

impl Position {
    /// Of a byte in a text.
    #[must_use]
    pub fn of(text: &str, byte: usize) -> Self {
        let mut end = byte.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &text[..end];
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        Position { line, column: before[start..].chars().count() + 1 }
    }
}

/// How much of a long line is shown before and behind the place.
const AROUND: usize = 60;

/// The line of the place with a caret below it; nothing when there is no such line.
#[must_use]
pub fn caret(text: &str, at: Position) -> Option<String> {
    let line = text.lines().nth(at.line.checked_sub(1)?)?;
    let from = (at.column - 1).saturating_sub(AROUND);
    let shown: String =
        line.chars().skip(from).take(2 * AROUND).map(|c| if c == '\t' { ' ' } else { c }).collect();
    let dots = if from > 0 { "…" } else { "" };
    let number = format!("{:>4} | ", at.line);
    let spaces = " ".repeat(number.len() + dots.chars().count() + (at.column - 1 - from));
    Some(format!("{number}{dots}{shown}\n{spaces}^"))
}

/// The first place at or behind a byte where a character begins.
#[must_use]
pub fn ceil_boundary(text: &str, byte: usize) -> usize {
    (byte..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}
