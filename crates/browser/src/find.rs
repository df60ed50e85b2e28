//! Where Chromium may be: the caller's word, the environment, the PATH, the standard places.

use std::path::{Path, PathBuf};
use truehand_base::{ErrorBody, ErrorCode};

/// Names that a Chromium has on the PATH, the plainest first.
const NAMES: &[&str] = &[
    "chromium",
    "chromium-browser",
    "google-chrome-stable",
    "google-chrome",
    "chrome",
    "microsoft-edge",
    "brave-browser",
];

/// Standard places on the three systems; those of other systems simply do not exist here.
const PLACES: &[&str] = &[
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome-stable",
    "/usr/bin/google-chrome",
    "/opt/google/chrome/chrome",
    "/snap/bin/chromium",
    "/var/lib/flatpak/exports/bin/org.chromium.Chromium",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
    "C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe",
    "C:\\Program Files\\Chromium\\Application\\chrome.exe",
    "C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe",
];

/// What the search may look at; the environment is read by the binary and handed in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FindOptions {
    /// A path that the user named, by flag, configuration or environment; nothing else is tried then.
    pub named: Option<PathBuf>,
    /// The PATH variable.
    pub path: Option<std::ffi::OsString>,
}

/// Finds a Chromium that can be started.
///
/// # Errors
/// `BROWSER_NOT_FOUND` with the places that were tried and how to install one.
pub fn find_chromium(options: &FindOptions) -> Result<PathBuf, ErrorBody> {
    if let Some(named) = &options.named {
        return if is_program(named) {
            Ok(named.clone())
        } else {
            Err(ErrorBody::new(
                ErrorCode::BrowserNotFound,
                format!("there is no program at {}, the path that was given for Chromium", named.display()),
            ))
        };
    }
    let on_path = options
        .path
        .iter()
        .flat_map(|path| std::env::split_paths(path).collect::<Vec<_>>())
        .flat_map(|folder| NAMES.iter().map(move |name| folder.join(program_name(name))));
    let standard = PLACES.iter().map(PathBuf::from);
    on_path.chain(standard).find(|candidate| is_program(candidate)).ok_or_else(|| {
        ErrorBody::new(ErrorCode::BrowserNotFound, "no Chromium, Chrome or Edge was found on this machine")
            .with(
                "tried",
                NAMES.iter().chain(PLACES).map(|p| (*p).into()).collect::<Vec<serde_json::Value>>(),
            )
    })
}

fn program_name(name: &str) -> String {
    if cfg!(windows) { format!("{name}.exe") } else { name.to_owned() }
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn find_prefers_the_named_path_and_tries_nothing_else() {
        let options = FindOptions { named: Some("/nonexistent/chrome".into()), path: None };
        let error = find_chromium(&options).expect_err("no such file");
        assert_eq!(error.code, ErrorCode::BrowserNotFound);
        assert!(error.message.contains("/nonexistent/chrome"));
    }

    #[test]
    fn find_looks_through_the_path_in_order() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let program = folder.path().join(program_name("google-chrome"));
        std::fs::write(&program, "#!/bin/sh\n").expect("written");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755))
                .expect("made executable");
        }
        let options = FindOptions { named: None, path: Some(folder.path().into()) };
        assert_eq!(find_chromium(&options).expect("found"), program);
    }
}
