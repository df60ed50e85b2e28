//! Names that are never given twice.

use crate::Timestamp;
use sha2::{Digest, Sha256};
use std::sync::atomic::{AtomicU64, Ordering};

/// Twelve hexadecimal digits. They are unlike those of another process or moment; they are no secret.
pub fn new(instance: &str, now: Timestamp) -> String {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    let seed = format!("{instance}/{}/{}/{count}", std::process::id(), now.0);
    Sha256::digest(seed.as_bytes()).iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

/// A name in small letters, digits and hyphens.
pub fn slug(name: &str, otherwise: &str) -> String {
    let mut slug = String::new();
    for c in name.chars().flat_map(char::to_lowercase) {
        if c.is_ascii_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(48);
    let slug = slug.trim_matches('-');
    if slug.is_empty() { otherwise.to_owned() } else { slug.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_differ_and_slugs_are_plain() {
        let (a, b) = (new("x", Timestamp(1)), new("x", Timestamp(1)));
        assert!(a != b && a.len() == 12, "{a} {b}");
        assert_eq!(slug("  Tax Year 2026 / Späti!", "project"), "tax-year-2026-sp-ti");
        assert_eq!(slug("../..", "project"), "project");
    }
}
