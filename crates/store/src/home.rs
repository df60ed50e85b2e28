//! The state folder and the places in it.

use crate::failed;
use crate::files::private_folder;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use truehand_base::{ErrorBody, ErrorCode};

/// The state folder. It and its folders are made for the owner alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    root: PathBuf,
}

impl Home {
    /// Where the state folder is: `TRUEHAND_HOME` when it is set and not empty, else `.truehand` in the
    /// user's own folder. The environment is read by the caller.
    ///
    /// # Errors
    /// `STORE_FAILED` when there is neither.
    pub fn root_from(variable: Option<OsString>, user_home: Option<PathBuf>) -> Result<PathBuf, ErrorBody> {
        if let Some(root) = variable.filter(|value| !value.is_empty()) {
            return Ok(PathBuf::from(root));
        }
        user_home.filter(|home| !home.as_os_str().is_empty()).map(|home| home.join(".truehand")).ok_or_else(
            || {
                ErrorBody::new(ErrorCode::StoreFailed, "there is no home folder to keep state in")
                    .next("set TRUEHAND_HOME to a folder that you own")
            },
        )
    }

    /// Opens the state folder and makes what is missing of it.
    ///
    /// # Errors
    /// `STORE_FAILED` when a folder can't be made.
    pub fn open(root: impl Into<PathBuf>) -> Result<Home, ErrorBody> {
        let root = root.into();
        let root = std::path::absolute(&root).map_err(|error| failed("find", &root, &error))?;
        let home = Home { root };
        private_folder(&home.root)?;
        for folder in [home.root.join("profiles"), home.traces(), home.artifacts(), home.run()] {
            private_folder(&folder)?;
            owner_only(&folder)?;
        }
        Ok(home)
    }

    /// The state folder itself.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// `config.toml`, which may be missing.
    #[must_use]
    pub fn config(&self) -> PathBuf {
        self.root.join("config.toml")
    }

    /// `policy.yaml`, which may be missing.
    #[must_use]
    pub fn policy(&self) -> PathBuf {
        self.root.join("policy.yaml")
    }

    /// The database.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.root.join("truehand.db")
    }

    /// The folder of traces.
    #[must_use]
    pub fn traces(&self) -> PathBuf {
        self.root.join("traces")
    }

    /// The folder of artifacts.
    #[must_use]
    pub fn artifacts(&self) -> PathBuf {
        self.root.join("artifacts")
    }

    /// The folder of sessions, which may be missing.
    #[must_use]
    pub fn sessions(&self) -> PathBuf {
        self.root.join("sessions")
    }

    /// The folder of routines, which may be missing.
    #[must_use]
    pub fn routines(&self) -> PathBuf {
        self.root.join("routines")
    }

    /// The folder of channels' tokens, which may be missing.
    #[must_use]
    pub fn channels(&self) -> PathBuf {
        self.root.join("channels")
    }

    /// The folder of sockets, locks and logs of the running daemon.
    #[must_use]
    pub fn run(&self) -> PathBuf {
        self.root.join("run")
    }

    /// The folder of a named browser profile, made when it is missing.
    ///
    /// # Errors
    /// `INVALID_ARGUMENTS` for a name that is no plain file name, `STORE_FAILED` when it can't be made.
    pub fn profile(&self, name: &str) -> Result<PathBuf, ErrorBody> {
        check_profile_name(name)?;
        let folder = self.root.join("profiles").join(name);
        private_folder(&folder)?;
        owner_only(&folder)?;
        Ok(folder)
    }
}

/// Letters, digits, `-`, `_` and inner dots, at most 64, and no name that Windows keeps for devices.
fn check_profile_name(name: &str) -> Result<(), ErrorBody> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let stem = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let numbered = |prefix: &str| {
        stem.strip_prefix(prefix)
            .is_some_and(|rest| rest.len() == 1 && rest.chars().all(|c| c.is_ascii_digit()))
    };
    let device = matches!(stem.as_str(), "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt");
    let fine = (1..=64).contains(&name.len())
        && name.chars().all(plain)
        && !name.starts_with('.')
        && !name.ends_with('.')
        && !device;
    if fine {
        return Ok(());
    }
    let shown = truehand_base::text::clip(name, 80);
    Err(ErrorBody::new(ErrorCode::InvalidArguments, format!("'{shown}' can't be the name of a profile"))
        .next("use letters, digits, - and _, at most 64"))
}

#[cfg(unix)]
fn owner_only(folder: &Path) -> Result<(), ErrorBody> {
    use std::os::unix::fs::PermissionsExt;
    let mode =
        std::fs::metadata(folder).map_err(|error| failed("look at", folder, &error))?.permissions().mode();
    if mode & 0o077 == 0 {
        return Ok(());
    }
    let private = std::fs::Permissions::from_mode(0o700);
    std::fs::set_permissions(folder, private).map_err(|error| failed("make private", folder, &error))
}

/// On Windows the user's own folder is private by inheritance.
#[cfg(not(unix))]
fn owner_only(_folder: &Path) -> Result<(), ErrorBody> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn home_root_prefers_the_variable() {
        let user = Some(PathBuf::from("/home/u"));
        assert_eq!(Home::root_from(Some("/x".into()), user.clone()).expect("set"), Path::new("/x"));
        assert_eq!(
            Home::root_from(Some("".into()), user.clone()).expect("empty"),
            Path::new("/home/u/.truehand")
        );
        assert_eq!(Home::root_from(None, user).expect("unset"), Path::new("/home/u/.truehand"));
        assert_eq!(Home::root_from(None, None).expect_err("nothing").code, ErrorCode::StoreFailed);
    }

    #[cfg(unix)]
    #[test]
    fn home_open_makes_folders_for_the_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().expect("tempdir");
        let root = dir.path().join("deep/state");
        std::fs::create_dir_all(root.join("traces")).expect("creates");
        std::fs::set_permissions(root.join("traces"), std::fs::Permissions::from_mode(0o755))
            .expect("opens up");
        let home = Home::open(&root).expect("opens");
        let profile = home.profile("work-1").expect("makes the profile");
        for folder in [home.traces(), home.artifacts(), home.run(), profile] {
            let mode = std::fs::metadata(&folder).expect("exists").permissions().mode();
            assert_eq!(mode & 0o777, 0o700, "{}", folder.display());
        }
    }

    #[test]
    fn home_profile_refuses_names_that_are_no_plain_names() {
        let dir = tempfile::tempdir().expect("tempdir");
        let home = Home::open(dir.path()).expect("opens");
        for name in [
            "",
            ".",
            "..",
            "../x",
            "a/b",
            "a\\b",
            ".hidden",
            "x.",
            "nul",
            "COM1",
            "a b",
            "a\0b",
            "é",
            &"x".repeat(65),
        ] {
            assert_eq!(home.profile(name).expect_err(name).code, ErrorCode::InvalidArguments, "{name}");
        }
        assert!(home.profile("default").is_ok());
        assert_eq!(std::fs::read_dir(dir.path().join("profiles")).expect("lists").count(), 1);
    }
}
