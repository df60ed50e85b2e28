//! Names of files that are made: those that mislead people or mean something else on another system are refused.

use super::error::invalid;
use std::path::Path;
use truehand_base::ErrorBody;
use truehand_base::text::clip;

/// The longest name, in bytes.
const LONGEST: usize = 200;

/// Checks every part of a path that is made.
///
/// # Errors
/// `INVALID_ARGUMENTS` with the part and what is wrong.
pub fn check(rest: &Path) -> Result<(), ErrorBody> {
    for part in rest {
        let Some(name) = part.to_str() else { return Err(invalid("a name must be UTF-8")) };
        if let Some(why) = wrong(name) {
            return Err(invalid(format!("'{}' can't be the name of a file: {why}", clip(name, 80))));
        }
    }
    Ok(())
}

fn wrong(name: &str) -> Option<&'static str> {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_lowercase();
    let numbered = |prefix: &str| {
        stem.strip_prefix(prefix)
            .is_some_and(|rest| rest.len() == 1 && rest.chars().all(|c| c.is_ascii_digit()))
    };
    let device = matches!(stem.as_str(), "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt");
    if name.len() > LONGEST {
        Some("it is longer than 200 bytes")
    } else if name.chars().any(|c| c.is_control() || is_directing(c)) {
        Some("it holds characters that can't be seen")
    } else if name.contains('\\') || (cfg!(windows) && name.contains(':')) {
        Some("it holds a sign that separates paths elsewhere")
    } else if name.ends_with(['.', ' ']) {
        Some("it ends with a dot or a space")
    } else if device {
        Some("it is a device's name elsewhere")
    } else {
        None
    }
}

/// Characters that turn the direction of text, and those of no width.
fn is_directing(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}
