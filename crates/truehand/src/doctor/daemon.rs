//! Whether the daemon can be reached, and whether one was killed.

use super::Finding;
use crate::setup::{Setup, runtime};
use std::time::Duration;
use truehand_base::{CallCtx, ErrorCode};
use truehand_server::daemon::{self, VERSION};

/// How long a daemon may take to say how it is.
const LIMIT: Duration = Duration::from_secs(5);

pub(super) fn check(setup: &Setup) -> Vec<Finding> {
    let ctx = CallCtx::with_timeout(LIMIT);
    let status = runtime().and_then(|runtime| runtime.block_on(daemon::status(&ctx, &setup.run)));
    vec![match status {
        Err(error) => {
            Finding::problem("daemon", ErrorCode::DaemonUnavailable, error.message).next(error.next_step)
        }
        Ok(Some(status)) if status.version != VERSION => {
            let message = format!("the daemon is {} and this program is {VERSION}", status.version);
            Finding::problem("daemon", ErrorCode::DaemonVersion, message)
        }
        Ok(Some(status)) => {
            let message = format!(
                "the daemon runs, process {}, with {} browsers and {} clients",
                status.pid,
                status.browsers,
                status.clients.len()
            );
            Finding::ok("daemon", message)
        }
        Ok(None) if setup.run.is_locked() => {
            let message = "a daemon holds the lock and can't be reached";
            Finding::problem("daemon", ErrorCode::DaemonUnavailable, message).next(format!(
                "see {}; end process {}",
                setup.run.log_file().display(),
                pid(setup)
            ))
        }
        Ok(None) if setup.run.written_pid().is_some() => {
            let message = format!(
                "the daemon, process {}, ended without cleaning up: it was killed or crashed",
                pid(setup)
            );
            Finding::problem("daemon", ErrorCode::DaemonUnavailable, message).next(format!(
                "nothing to mend: the next call starts a new one; why it ended may be in {}",
                setup.run.log_file().display()
            ))
        }
        Ok(None) => Finding::ok("daemon", "no daemon runs; a command starts one when it needs it"),
    }]
}

fn pid(setup: &Setup) -> String {
    setup.run.written_pid().map_or_else(|| "unknown".to_owned(), |pid| pid.to_string())
}
