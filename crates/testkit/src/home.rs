//! A `TRUEHAND_HOME` of a test's own, and the end of the daemon that was started in it.

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const GOODBYE: Duration = Duration::from_secs(5);

/// A fresh home folder. When it is dropped, the daemon whose pid its `run/daemon.pid` names is ended,
/// and no other process.
#[derive(Debug)]
pub struct Home {
    folder: TempDir,
}

impl Home {
    /// An empty home with a short path, because socket addresses have little room.
    ///
    /// # Panics
    /// When no temporary folder can be made.
    #[must_use]
    pub fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("th-").tempdir().expect("a temporary folder");
        Home { folder }
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A path inside.
    #[must_use]
    pub fn join(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.path().join(relative)
    }

    /// Writes a file inside, with the folders that it needs.
    ///
    /// # Panics
    /// When it can't be written.
    pub fn write(&self, relative: impl AsRef<Path>, text: &str) {
        let path = self.join(relative);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).expect("a folder in the test's home");
        }
        std::fs::write(&path, text).unwrap_or_else(|e| panic!("{} can't be written: {e}", path.display()));
    }

    /// The pid of the daemon of this home, when one has written it and still runs.
    #[must_use]
    pub fn daemon_pid(&self) -> Option<i32> {
        let text = std::fs::read_to_string(self.join("run/daemon.pid")).ok()?;
        let pid = text.split_whitespace().next()?.parse().ok()?;
        alive(pid).then_some(pid)
    }

    /// Waits until `done`, looking every few milliseconds; false when `limit` passed first.
    pub(crate) fn until(limit: Duration, mut done: impl FnMut() -> bool) -> bool {
        let end = Instant::now() + limit;
        while !done() {
            if Instant::now() > end {
                return false;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        true
    }
}

impl Default for Home {
    fn default() -> Self {
        Home::new()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let Some(pid) = self.daemon_pid() else { return };
        if !belongs_to(pid, self.path()) {
            return;
        }
        // Failing to signal means that it ended meanwhile, which is what we want.
        let _ = kill(Pid::from_raw(pid), Signal::SIGTERM);
        if !Home::until(GOODBYE, || !alive(pid)) {
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
            Home::until(GOODBYE, || !alive(pid));
        }
    }
}

/// Whether a process runs; one that only waits to be reaped does not.
pub(crate) fn alive(pid: i32) -> bool {
    if kill(Pid::from_raw(pid), None) == Err(Errno::ESRCH) {
        return false;
    }
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().next()) != Some("Z")
}

/// Guards against a number that another process got meanwhile: the daemon carries our home in its
/// environment. Where there is no `/proc`, the pid file is all there is.
fn belongs_to(pid: i32, home: &Path) -> bool {
    match std::fs::read(format!("/proc/{pid}/environ")) {
        Ok(environment) => String::from_utf8_lossy(&environment).contains(&*home.to_string_lossy()),
        Err(_) => !Path::new("/proc/self").exists(),
    }
}
