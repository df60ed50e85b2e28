//! What can be said before anything is started, for people who ask why it does not work. Nothing is
//! made, started or changed.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use truehand_base::{ErrorBody, ErrorCode};
use truehand_browser::{FindOptions, find_chromium};
use truehand_policy::Rules;
use truehand_store::Config;

/// The Chromium that would be started: `named`, or else as `config.toml` under `root` says, or else found.
///
/// # Errors
/// `BROWSER_NOT_FOUND` with the command that installs one.
pub fn browser(
    root: &Path,
    named: Option<PathBuf>,
    search_path: Option<OsString>,
) -> Result<PathBuf, ErrorBody> {
    let configured =
        || text(&root.join("config.toml")).ok()?.and_then(|text| Config::parse(&text).ok()?.browser.path);
    find_chromium(&FindOptions { named: named.or_else(configured), path: search_path })
}

/// What is wrong with the files that people edit, `config.toml` and `policy.yaml` under `root`.
#[must_use]
pub fn files(root: &Path) -> Vec<ErrorBody> {
    let config = match text(&root.join("config.toml")) {
        Ok(found) => found.and_then(|text| Config::parse(&text).err()).map(ErrorBody::from),
        Err(message) => Some(ErrorBody::new(ErrorCode::ConfigBroken, message)),
    };
    let policy = match text(&root.join("policy.yaml")) {
        Ok(found) => found.and_then(|text| Rules::parse(&text).err()).map(ErrorBody::from),
        Err(message) => Some(ErrorBody::new(ErrorCode::PolicyBroken, message)),
    };
    config.into_iter().chain(policy).collect()
}

/// A file's text; nothing when there is no such file.
fn text(path: &Path) -> Result<Option<String>, String> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("can't read {}: {error}", path.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_broken_are_named_and_missing_ones_are_fine() {
        let root = tempfile::tempdir().expect("tempdir");
        assert!(files(root.path()).is_empty());
        std::fs::write(root.path().join("config.toml"), "nonsense = [").expect("writes");
        std::fs::write(root.path().join("policy.yaml"), "rules: 5\n  - x").expect("writes");
        let codes: Vec<ErrorCode> = files(root.path()).into_iter().map(|error| error.code).collect();
        assert_eq!(codes, [ErrorCode::ConfigBroken, ErrorCode::PolicyBroken]);
    }
}
