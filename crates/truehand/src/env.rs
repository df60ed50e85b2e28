//! The environment, read in this one place.

use std::ffi::OsString;
use std::path::PathBuf;
use truehand_base::{ErrorBody, ErrorCode};

/// What the environment says.
#[derive(Debug, Clone)]
pub(crate) struct Env {
    home: Option<OsString>,
    /// Where programs are looked for.
    pub(crate) path: OsString,
    /// The browser's executable, from `TRUEHAND_CHROMIUM`.
    pub(crate) chromium: Option<PathBuf>,
    /// Whether calls are recorded, from `TRUEHAND_TRACE`.
    pub(crate) trace: Option<bool>,
    /// Whether colour is unwanted, from `NO_COLOR`.
    pub(crate) no_color: bool,
    /// What is logged, from `TRUEHAND_LOG`, for example `debug`.
    pub(crate) log: Option<String>,
}

impl Env {
    /// Reads it.
    pub(crate) fn read() -> Self {
        let text = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        Env {
            home: text("TRUEHAND_HOME"),
            path: std::env::var_os("PATH").unwrap_or_default(),
            chromium: text("TRUEHAND_CHROMIUM").map(PathBuf::from),
            trace: text("TRUEHAND_TRACE").map(|value| value != "0" && value != "false"),
            no_color: text("NO_COLOR").is_some(),
            log: text("TRUEHAND_LOG").and_then(|value| value.into_string().ok()),
        }
    }

    /// The state folder: the flag, the environment, or `.truehand` in the user's own folder.
    ///
    /// # Errors
    /// `STORE_FAILED` when the user has no folder.
    pub(crate) fn home(&self, flag: Option<&PathBuf>) -> Result<PathBuf, ErrorBody> {
        let named = flag.cloned().or_else(|| self.home.clone().map(PathBuf::from));
        let user = || directories::BaseDirs::new().map(|dirs| dirs.home_dir().join(".truehand"));
        let home = named.or_else(user).ok_or_else(|| {
            ErrorBody::new(ErrorCode::StoreFailed, "there is no home folder to keep state in")
                .next("set TRUEHAND_HOME to a folder that you own")
        })?;
        std::path::absolute(&home)
            .map_err(|error| ErrorBody::new(ErrorCode::StoreFailed, format!("{}: {error}", home.display())))
    }
}
