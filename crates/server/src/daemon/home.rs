//! The daemon's places on disk, with owner and mode checked before anything in them is trusted.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use truehand_base::{ErrorBody, ErrorCode};

/// A log is set aside when it is larger, in bytes.
const LOG_LIMIT: u64 = 5 * 1024 * 1024;

/// At most so much of its end is read, in bytes.
const LOG_TAIL: u64 = 1024 * 1024;

/// The longest path that a unix socket can have on every system that we run on, in bytes.
const SOCKET_PATH_LIMIT: usize = 103;

/// Where the daemon of one state folder lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunDir {
    home: PathBuf,
    dir: PathBuf,
}

impl RunDir {
    /// The places under the state folder `home`. Nothing is touched yet.
    #[must_use]
    pub fn of(home: &Path) -> Self {
        RunDir { home: home.to_owned(), dir: home.join("run") }
    }

    /// The state folder.
    #[must_use]
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The folder itself.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The socket.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        self.dir.join("daemon.sock")
    }

    /// The file with the daemon's process id.
    #[must_use]
    pub fn pid_file(&self) -> PathBuf {
        self.dir.join("daemon.pid")
    }

    /// The file that a living daemon holds a lock on.
    #[must_use]
    pub fn lock_file(&self) -> PathBuf {
        self.dir.join("daemon.lock")
    }

    /// The daemon's log.
    #[must_use]
    pub fn log_file(&self) -> PathBuf {
        self.dir.join("daemon.log")
    }

    /// Makes the folder when it is missing, and checks it.
    ///
    /// # Errors
    /// `STORE_FAILED` when it can't be made; `DAEMON_UNAVAILABLE` as in [`RunDir::check`], or when the
    /// path is too long for a socket.
    pub fn prepare(&self) -> Result<(), ErrorBody> {
        if self.socket().as_os_str().len() > SOCKET_PATH_LIMIT {
            let message = format!("the path {} is too long for a unix socket", self.socket().display());
            return Err(ErrorBody::new(ErrorCode::DaemonUnavailable, message)
                .next("set TRUEHAND_HOME to a shorter path, at most 90 characters"));
        }
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&self.dir);
        if let Err(error) = made {
            let message = format!("{} can't be made: {error}", self.dir.display());
            return Err(ErrorBody::new(ErrorCode::StoreFailed, message));
        }
        self.check()
    }

    /// Checks that the folder is ours and closed to others. One that others may only look into is
    /// closed; one that others may write to is refused, since what lies in it may not be ours.
    ///
    /// # Errors
    /// `DAEMON_UNAVAILABLE` with what is wrong.
    pub fn check(&self) -> Result<(), ErrorBody> {
        let shown = self.dir.display();
        let refuse = |message: String, next: &str| {
            Err(ErrorBody::new(ErrorCode::DaemonUnavailable, message).next(next.to_owned()))
        };
        let facts = match std::fs::symlink_metadata(&self.dir) {
            Ok(facts) => facts,
            Err(error) => {
                return refuse(format!("{shown} can't be looked at: {error}"), "run truehand daemon start");
            }
        };
        if !facts.is_dir() {
            return refuse(format!("{shown} is not a folder"), "remove it, then call again");
        }
        let us = nix::unistd::geteuid().as_raw();
        if facts.uid() != us {
            let message = format!("{shown} belongs to user {} and not to user {us}", facts.uid());
            return refuse(message, "set TRUEHAND_HOME to a folder of your own");
        }
        let mode = facts.mode() & 0o777;
        if mode & 0o022 != 0 {
            let message = format!("others may write to {shown} (mode {mode:03o})");
            return refuse(message, "look at what lies in it, remove it, then call again");
        }
        if mode != 0o700
            && let Err(error) = std::fs::set_permissions(&self.dir, std::fs::Permissions::from_mode(0o700))
        {
            return refuse(format!("{shown} can't be closed to others: {error}"), "chmod 700 the folder");
        }
        Ok(())
    }

    /// Checks that a file can be written here.
    ///
    /// # Errors
    /// `STORE_FAILED` with the system's words, such as that the disk is full.
    pub(crate) fn check_room(&self) -> Result<(), ErrorBody> {
        let path = self.dir.join(format!("room.{}", std::process::id()));
        let written = std::fs::write(&path, "room");
        let removed = remove(&path);
        written.and(removed).map_err(|error| {
            let message = format!("{} can't be written to: {error}", self.dir.display());
            ErrorBody::new(ErrorCode::StoreFailed, message)
        })
    }

    /// The process id that a daemon wrote, when there is one.
    #[must_use]
    pub fn written_pid(&self) -> Option<u32> {
        std::fs::read_to_string(self.pid_file()).ok()?.trim().parse().ok()
    }

    /// Opens the log for appending; an overlong one is set aside first.
    ///
    /// # Errors
    /// `STORE_FAILED` when it can't be opened.
    pub fn open_log(&self) -> Result<File, ErrorBody> {
        let path = self.log_file();
        let failed = |error: std::io::Error| {
            ErrorBody::new(ErrorCode::StoreFailed, format!("{} can't be opened: {error}", path.display()))
        };
        if std::fs::metadata(&path).is_ok_and(|facts| facts.len() > LOG_LIMIT) {
            std::fs::rename(&path, self.dir.join("daemon.log.1")).map_err(failed)?;
        }
        OpenOptions::new().create(true).append(true).mode(0o600).open(&path).map_err(failed)
    }

    /// The last lines of the log, for an error message or a person.
    #[must_use]
    pub fn log_tail(&self, lines: usize) -> Vec<String> {
        let text = end_of(&self.log_file()).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let all: Vec<&str> = text.lines().collect();
        all[all.len().saturating_sub(lines)..].iter().map(|line| (*line).to_owned()).collect()
    }

    /// Whether a daemon holds the lock now.
    #[must_use]
    pub fn is_locked(&self) -> bool {
        let Ok(file) = OpenOptions::new().write(true).open(self.lock_file()) else { return false };
        file.try_lock().is_err()
    }
}

/// The right to be the daemon of a state folder: a lock that the system takes back when the process ends,
/// however it ends.
#[derive(Debug)]
pub(crate) struct Seat {
    run: RunDir,
    lock: File,
}

impl Seat {
    /// Takes the seat, or says that another process has it.
    pub(crate) fn take(run: &RunDir) -> Result<Option<Self>, ErrorBody> {
        run.prepare()?;
        let failed = |what: &Path, error: std::io::Error| {
            ErrorBody::new(ErrorCode::StoreFailed, format!("{} can't be written: {error}", what.display()))
        };
        let path = run.lock_file();
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true).mode(0o600);
        let lock = options.open(&path).map_err(|error| failed(&path, error))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(std::fs::TryLockError::WouldBlock) => return Ok(None),
            Err(std::fs::TryLockError::Error(error)) => return Err(failed(&path, error)),
        }
        let seat = Seat { run: run.clone(), lock };
        // The socket of a daemon that was killed is still there; it is ours to remove, for we hold the lock.
        remove(&run.socket()).map_err(|error| failed(&run.socket(), error))?;
        let written = run.dir.join("daemon.pid.new");
        let write = || -> std::io::Result<()> {
            let mut file =
                OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&written)?;
            writeln!(file, "{}", std::process::id())?;
            file.sync_all()?;
            std::fs::rename(&written, run.pid_file())
        };
        write().map_err(|error| failed(&run.pid_file(), error))?;
        Ok(Some(seat))
    }

    /// Removes socket and pid file, then gives the seat back.
    pub(crate) fn leave(self) {
        for path in [self.run.socket(), self.run.pid_file()] {
            if let Err(error) = remove(&path) {
                tracing::warn!(%error, path = %path.display(), "not removed");
            }
        }
        drop(self.lock);
    }
}

/// The last bytes of a file, as many as are of use to a reader.
fn end_of(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(LOG_TAIL)))?;
    let mut bytes = Vec::new();
    file.take(LOG_TAIL).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn remove(path: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seat_is_given_once_and_again_after_it_was_left() {
        let home = tempfile::tempdir().unwrap();
        let run = RunDir::of(home.path());
        let seat = Seat::take(&run).unwrap().expect("free");
        assert!(run.is_locked());
        assert!(Seat::take(&run).unwrap().is_none());
        assert_eq!(run.written_pid(), Some(std::process::id()));
        seat.leave();
        assert!(!run.is_locked());
        assert_eq!(run.written_pid(), None);
        assert!(Seat::take(&run).unwrap().is_some());
    }

    #[test]
    fn leftovers_of_a_killed_daemon_do_not_keep_the_seat() {
        let home = tempfile::tempdir().unwrap();
        let run = RunDir::of(home.path());
        run.prepare().unwrap();
        for (path, text) in [(run.lock_file(), ""), (run.pid_file(), "999999\n"), (run.socket(), "")] {
            std::fs::write(path, text).unwrap();
        }
        assert!(Seat::take(&run).unwrap().is_some());
        assert!(!run.socket().exists());
        assert_eq!(run.written_pid(), Some(std::process::id()));
    }

    #[test]
    fn run_dir_open_to_others_is_closed_or_refused() {
        let home = tempfile::tempdir().unwrap();
        let run = RunDir::of(home.path());
        std::fs::create_dir(run.dir()).unwrap();
        let chmod =
            |mode| std::fs::set_permissions(run.dir(), std::fs::Permissions::from_mode(mode)).unwrap();
        chmod(0o755);
        run.prepare().unwrap();
        assert_eq!(std::fs::metadata(run.dir()).unwrap().mode() & 0o777, 0o700);
        chmod(0o777);
        let error = run.prepare().unwrap_err();
        assert_eq!(error.code, ErrorCode::DaemonUnavailable);
        assert!(error.message.contains("mode 777"), "{error}");
    }

    #[test]
    fn run_dir_that_is_a_link_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let run = RunDir::of(home.path());
        std::os::unix::fs::symlink(elsewhere.path(), run.dir()).unwrap();
        assert_eq!(run.prepare().unwrap_err().code, ErrorCode::DaemonUnavailable);
    }
}
