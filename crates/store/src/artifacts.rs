//! Files that calls leave for people: screenshots, downloads, reports.

use crate::files::private_folder;
use crate::{Home, Timestamp, failed, write_whole};
use std::path::{Path, PathBuf};
use truehand_base::{ErrorBody, ErrorCode};

/// The folder of artifacts.
#[derive(Debug, Clone)]
pub struct Artifacts {
    root: PathBuf,
}

/// One file in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Its name within the folder: `2026-11-30/shot.png`.
    pub name: String,
    /// Its whole path.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
}

impl Artifacts {
    /// The artifacts of a state folder.
    #[must_use]
    pub fn new(home: &Home) -> Self {
        Artifacts { root: home.artifacts() }
    }

    /// The folder of a day. Who writes into it makes it: a call that leaves no file must not need a disk
    /// that has room.
    #[must_use]
    pub fn folder(&self, now: Timestamp) -> PathBuf {
        self.root.join(now.date())
    }

    /// Saves bytes under the day's folder. Of the wished name only what is safe is kept, and a number is
    /// added when a file of that name is there: nothing is ever overwritten.
    ///
    /// # Errors
    /// `STORE_FAILED` when the file can't be written.
    pub fn save(&self, now: Timestamp, wished: &str, bytes: &[u8]) -> Result<Artifact, ErrorBody> {
        let folder = self.folder(now);
        private_folder(&folder)?;
        let name = safe_name(wished);
        let (stem, extension) = name.rsplit_once('.').map_or((name.as_str(), ""), |(s, e)| (s, e));
        let dot = if extension.is_empty() { "" } else { "." };
        for count in 1..10_000u32 {
            let number = if count == 1 { String::new() } else { format!("-{count}") };
            let path = folder.join(format!("{stem}{number}{dot}{extension}"));
            // Creating the empty file first claims the name against others who save at the same time.
            match crate::files::new_private(&path) {
                Ok(_) => {
                    if let Err(mut error) = write_whole(&path, bytes) {
                        // An empty file would be taken for what was to be saved.
                        if let Err(left) = std::fs::remove_file(&path) {
                            error.message = format!("{}; an empty file is left over: {left}", error.message);
                        }
                        return Err(error);
                    }
                    return Ok(self.artifact(&path, bytes.len() as u64));
                }
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed("write", &path, &error)),
            }
        }
        Err(ErrorBody::new(ErrorCode::StoreFailed, format!("too many files of the name {name} on one day")))
    }

    /// All artifacts, newest day first, then by name.
    ///
    /// # Errors
    /// `STORE_FAILED` when a folder can't be listed.
    pub fn list(&self) -> Result<Vec<Artifact>, ErrorBody> {
        let mut found = Vec::new();
        for day in entries(&self.root)?.into_iter().filter(|path| path.is_dir()) {
            for path in entries(&day)? {
                let file = path.symlink_metadata().map_err(|error| failed("look at", &path, &error))?;
                if file.is_file() && !name_of(&path).starts_with('.') {
                    found.push(self.artifact(&path, file.len()));
                }
            }
        }
        let day = |artifact: &Artifact| artifact.name.split('/').next().unwrap_or_default().to_owned();
        found.sort_by(|a, b| day(b).cmp(&day(a)).then_with(|| a.name.cmp(&b.name)));
        Ok(found)
    }

    /// Finds an artifact by the name that [`Artifacts::list`] gives it.
    ///
    /// # Errors
    /// `FILE_NOT_FOUND` when there is none; a name that leads out of the folder is one of those.
    pub fn find(&self, name: &str) -> Result<Artifact, ErrorBody> {
        self.list()?.into_iter().find(|artifact| artifact.name == name).ok_or_else(|| {
            let shown = truehand_base::text::clip(name, 120);
            ErrorBody::new(ErrorCode::FileNotFound, format!("there is no artifact of the name {shown}"))
        })
    }

    fn artifact(&self, path: &Path, bytes: u64) -> Artifact {
        let day = path.parent().map(name_of).unwrap_or_default();
        Artifact { name: format!("{day}/{}", name_of(path)), path: path.to_owned(), bytes }
    }
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, ErrorBody> {
    let list = std::fs::read_dir(folder).map_err(|error| failed("list", folder, &error))?;
    list.map(|entry| entry.map(|e| e.path()).map_err(|error| failed("list", folder, &error))).collect()
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The last part of a wished path with everything but letters, digits, `.`, `-` and `_` made `_`.
fn safe_name(wished: &str) -> String {
    let last = wished.rsplit(['/', '\\']).next().unwrap_or_default();
    let safe = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '_' };
    let name: String = last.chars().map(safe).collect();
    let name = name.trim_matches('.');
    let start = name.len().saturating_sub(100);
    let name = &name[start..];
    if name.is_empty() { "artifact".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::faults;

    #[test]
    fn artifact_that_can_not_be_written_leaves_no_empty_file_of_its_name() {
        let dir = tempfile::tempdir().expect("tempdir");
        let artifacts = Artifacts::new(&Home::open(dir.path()).expect("opens"));
        for after in 0..4 {
            faults::fail(after, 28);
            let error = artifacts.save(Timestamp(0), "shot.png", b"x").expect_err("the disk is full");
            assert!(faults::came() && error.code == ErrorCode::StoreFailed, "{error}");
            assert_eq!(artifacts.list().expect("lists"), [], "step {after}");
        }
        assert_eq!(
            artifacts.save(Timestamp(0), "shot.png", b"x").expect("saves").name,
            "1970-01-01/shot.png"
        );
    }

    #[test]
    fn artifacts_save_keeps_only_safe_names_and_overwrites_nothing() {
        let dir = tempfile::tempdir().expect("tempdir");
        let artifacts = Artifacts::new(&Home::open(dir.path()).expect("opens"));
        let now = Timestamp(1_796_072_709_123);
        let names = ["shot.png", "shot.png", "../../etc/pass wd", "..", "a\\b\\c.txt", "\u{202e}x"];
        let saved: Vec<String> =
            names.iter().map(|name| artifacts.save(now, name, name.as_bytes()).expect(name).name).collect();
        let expected = ["shot.png", "shot-2.png", "pass_wd", "artifact", "c.txt", "_x"];
        assert_eq!(saved, expected.map(|name| format!("2026-11-30/{name}")));
        assert_eq!(artifacts.list().expect("lists").len(), 6);
        let second = artifacts.find("2026-11-30/shot-2.png").expect("finds");
        assert_eq!(std::fs::read(second.path).expect("reads"), b"shot.png");
        assert_eq!(artifacts.find("../truehand.db").expect_err("outside").code, ErrorCode::FileNotFound);
    }
}
