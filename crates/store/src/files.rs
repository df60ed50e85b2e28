//! Files that are either the old or the new whole.

use crate::failed;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use truehand_base::{ErrorBody, ErrorCode};

/// Writes a file so that after a crash there is the old or the new content and nothing between: a
/// temporary file beside it, fsync, rename, fsync of the folder. Only the owner can read it.
///
/// # Errors
/// `STORE_FAILED` with the path and the system's words; what is there then is still one of the two, and
/// the old one unless only the last step failed.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), ErrorBody> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(ErrorBody::new(
            ErrorCode::StoreFailed,
            format!("{} is not a file's path", path.display()),
        ));
    };
    let temporary = temporary_beside(folder, &name.to_string_lossy());
    let written = (|| {
        let mut file = step(|| new_private(&temporary))?;
        step(|| file.write_all(bytes))?;
        step(|| file.sync_all())?;
        step(|| fs::rename(&temporary, path))?;
        step(|| sync_folder(folder))
    })();
    written.map_err(|error| {
        let left = match fs::remove_file(&temporary) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                format!("; {} is left over", temporary.display())
            }
            _ => String::new(),
        };
        failed("write", path, &format!("{error}{left}"))
    })
}

/// One step of a write, which the tests of this crate can let fail.
fn step<T>(work: impl FnOnce() -> std::io::Result<T>) -> std::io::Result<T> {
    #[cfg(test)]
    faults::come()?;
    work()
}

/// A disk that fails at the step that a test names.
#[cfg(test)]
pub(crate) mod faults {
    use std::cell::Cell;
    use std::io::{Error, Result};

    thread_local! {
        static LEFT: Cell<Option<(u32, i32)>> = const { Cell::new(None) };
    }

    /// The step after `after` others fails with this error of the system, and those after it work.
    pub(crate) fn fail(after: u32, errno: i32) {
        LEFT.set(Some((after, errno)));
    }

    /// Takes the fault away; true when it had come.
    pub(crate) fn came() -> bool {
        LEFT.take().is_none()
    }

    pub(super) fn come() -> Result<()> {
        match LEFT.get() {
            None => Ok(()),
            Some((0, errno)) => {
                LEFT.set(None);
                Err(Error::from_raw_os_error(errno))
            }
            Some((after, errno)) => {
                LEFT.set(Some((after - 1, errno)));
                Ok(())
            }
        }
    }
}

/// Creates a file that must not exist yet and that only the owner can read.
pub(crate) fn new_private(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Creates a folder, and those above it, that only the owner can enter.
pub(crate) fn private_folder(path: &Path) -> Result<(), ErrorBody> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|error| failed("create the folder", path, &error))
}

fn temporary_beside(folder: &Path, name: &str) -> PathBuf {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    folder.join(format!(".{name}.{}.{count}.tmp", std::process::id()))
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> std::io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Windows has no handle of a folder to sync; the rename is journaled by the file system.
#[cfg(not(unix))]
fn sync_folder(_folder: &Path) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn write_whole_replaces_and_leaves_nothing_else() {
        let dir = tempfile::tempdir().expect("tempdir");
        let path = dir.path().join("a.txt");
        write_whole(&path, b"one").expect("writes");
        write_whole(&path, b"two").expect("replaces");
        assert_eq!(fs::read(&path).expect("reads"), b"two");
        assert_eq!(fs::read_dir(dir.path()).expect("lists").count(), 1);
    }

    /// `EIO`, `ENOSPC`, `EROFS`, `EDQUOT` of Linux; elsewhere they are just some errors.
    const ERRORS: [i32; 4] = [5, 28, 30, 122];

    #[test]
    fn disk_that_fails_at_any_step_of_a_write_leaves_the_old_or_the_new_file_and_nothing_else() {
        let dir = tempfile::tempdir().expect("tempdir");
        let path = dir.path().join("a.txt");
        for errno in ERRORS {
            let mut after = 0;
            loop {
                fs::write(&path, "old").expect("writes");
                faults::fail(after, errno);
                let written = write_whole(&path, b"new");
                if !faults::came() {
                    assert_eq!(written, Ok(()), "no step is left to fail");
                    break;
                }
                let error = written.expect_err("a failed step is told");
                assert_eq!(error.code, ErrorCode::StoreFailed);
                let there = fs::read(&path).expect("reads");
                assert!(there == b"old" || (there == b"new" && after == 4), "step {after}: {there:?}");
                assert_eq!(fs::read_dir(dir.path()).expect("lists").count(), 1, "step {after}");
                after += 1;
            }
            assert_eq!(after, 5, "create, write, sync, rename, sync of the folder");
        }
    }

    #[test]
    fn write_whole_that_fails_keeps_the_old_and_cleans_up() {
        let dir = tempfile::tempdir().expect("tempdir");
        let path = dir.path().join("folder");
        fs::create_dir(&path).expect("creates");
        fs::write(path.join("inside"), b"x").expect("writes");
        let error = write_whole(&path, b"two").expect_err("a folder is in the way");
        assert_eq!(error.code, ErrorCode::StoreFailed);
        assert!(path.join("inside").exists());
        assert_eq!(fs::read_dir(dir.path()).expect("lists").count(), 1);
    }
}
