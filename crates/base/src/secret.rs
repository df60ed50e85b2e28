//! A value that may enter a page and nothing else.

use std::fmt;

/// A secret text. It has no `Debug` that shows it and no `Serialize`.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret.
    #[must_use]
    pub fn new(value: String) -> Self {
        Secret(value)
    }

    /// The text, for the one place that types it into a page.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(••••)")
    }
}
