//! When a script must end: its own time, a client that gives up, and what follows when it does not.

use crate::wire::GRACE_MS;
use std::time::Duration;
use tokio::time::Instant;

/// How long a script that was interrupted may take to stop.
const STOPPING: Duration = Duration::from_millis(1_500);

/// How a call ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ending {
    /// When the worker is killed.
    pub(super) hard: Instant,
    /// Whether it was told to stop.
    pub(super) interrupted: bool,
}

impl Ending {
    /// Of a script that begins now.
    pub(super) fn after(limit: Duration) -> Ending {
        Ending { hard: Instant::now() + limit + Duration::from_millis(GRACE_MS), interrupted: false }
    }

    /// It is told to stop now.
    pub(super) fn interrupt(&mut self) {
        self.interrupted = true;
        self.hard = self.hard.min(Instant::now() + STOPPING);
    }
}
