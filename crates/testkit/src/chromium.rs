//! The browser that tests drive. A machine without one fails the tests instead of skipping them.

use std::path::PathBuf;

const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// The Chromium to test with: `TRUEHAND_CHROMIUM`, then the usual names on the `PATH`, then `/usr/bin/chromium`.
///
/// # Panics
/// When none is found, with the command that installs one.
#[must_use]
pub fn chromium() -> PathBuf {
    if let Some(named) = std::env::var_os("TRUEHAND_CHROMIUM").map(PathBuf::from) {
        assert!(named.is_file(), "TRUEHAND_CHROMIUM names {}, which is no file", named.display());
        return named;
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).chain([PathBuf::from("/usr/bin")]).collect();
    let found = NAMES.iter().flat_map(|name| folders.iter().map(move |f| f.join(name))).find(|p| p.is_file());
    match found {
        Some(path) => path,
        None => panic!(
            "tests need a real Chromium: apt-get install chromium, or set TRUEHAND_CHROMIUM to its path"
        ),
    }
}
