//! The mark that an MCP server is running, so that one which was killed can be told from a daemon that is
//! not there: the first looks to its client like an end of the stream and leaves no other trace.

use crate::daemon::RunDir;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

/// A mark on disk, held by a lock that ends with the process.
#[derive(Debug)]
pub struct Presence {
    held: Option<(PathBuf, File)>,
}

const PREFIX: &str = "mcp-";
const SUFFIX: &str = ".lock";

impl Presence {
    /// Leaves the mark, and removes those of servers that were killed: with a server that runs again they
    /// explain nothing. Without a mark everything works but the diagnosis, so a failure is only logged.
    #[must_use]
    pub fn announce(run: &RunDir) -> Self {
        let path = run.dir().join(format!("{PREFIX}{}{SUFFIX}", std::process::id()));
        let make = || -> Result<File, String> {
            run.prepare().map_err(|error| error.to_string())?;
            for pid in Presence::seen(run).1 {
                // One that can't be removed is seen again next time.
                drop(std::fs::remove_file(run.dir().join(format!("{PREFIX}{pid}{SUFFIX}"))));
            }
            let mut options = OpenOptions::new();
            options.create(true).truncate(true).write(true).mode(0o600);
            let file = options.open(&path).map_err(|error| error.to_string())?;
            file.try_lock().map_err(|error| error.to_string())?;
            Ok(file)
        };
        match make() {
            Ok(file) => Presence { held: Some((path, file)) },
            Err(error) => {
                tracing::debug!(error, path = %path.display(), "no mark was left");
                Presence { held: None }
            }
        }
    }

    /// Takes the mark away, at an orderly end.
    pub fn leave(self) {
        if let Some((path, _lock)) = self.held
            && let Err(error) = std::fs::remove_file(&path)
        {
            tracing::debug!(%error, path = %path.display(), "the mark was not removed");
        }
    }

    /// The processes that left a mark: those that run, and those that were killed.
    #[must_use]
    pub fn seen(run: &RunDir) -> (Vec<u32>, Vec<u32>) {
        let (mut running, mut killed) = (Vec::new(), Vec::new());
        // A folder that is not there has nothing in it.
        for entry in std::fs::read_dir(run.dir()).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let pid = name.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX));
            let Some(pid) = pid.and_then(|pid| pid.parse().ok()) else { continue };
            let Ok(file) = OpenOptions::new().write(true).open(entry.path()) else { continue };
            if file.try_lock().is_err() { running.push(pid) } else { killed.push(pid) }
        }
        running.sort_unstable();
        killed.sort_unstable();
        (running, killed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn killed_server_is_seen_until_one_runs_again() {
        let home = tempfile::tempdir().unwrap();
        let run = RunDir::of(home.path());
        run.prepare().unwrap();
        std::fs::write(run.dir().join("mcp-4000000.lock"), "").unwrap();
        assert_eq!(Presence::seen(&run), (vec![], vec![4_000_000]));
        let presence = Presence::announce(&run);
        assert_eq!(Presence::seen(&run), (vec![std::process::id()], vec![]));
        presence.leave();
        assert_eq!(Presence::seen(&run), (vec![], vec![]));
    }
}
