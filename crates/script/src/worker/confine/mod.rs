//! Takes from the worker process what it never needs, before it reads a line of anybody's code.
//!
//! In two steps, because threads must exist before system calls are limited: [`confine`] at the very start, and
//! [`Confinement::finish`] when all threads run. What the system does not offer is reported, not hidden.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(unix)]
mod unix;

use crate::wire::{Confined, Limits};

/// The first half is done.
#[derive(Debug)]
pub struct Confinement {
    confined: Confined,
    /// Read when all threads run, opened while files are still in reach.
    #[cfg(target_os = "linux")]
    size: Option<std::fs::File>,
}

/// Closes what was inherited, and gives up files and network. Threads that are started later are bound as well.
#[must_use]
pub fn confine() -> Confinement {
    let mut confined = Confined::default();
    if std::env::vars_os().next().is_some() {
        confined.missing.push("environment: the host left variables in it".to_owned());
    }
    #[cfg(unix)]
    unix::close_inherited(&mut confined);
    #[cfg(target_os = "linux")]
    let size = {
        let size = std::fs::File::open("/proc/self/statm").ok();
        linux::give_up_files(&mut confined);
        size
    };
    #[cfg(not(target_os = "linux"))]
    confined
        .missing
        .push(format!("files, network and system calls: not limited on {}", std::env::consts::OS));
    Confinement {
        confined,
        #[cfg(target_os = "linux")]
        size,
    }
}

impl Confinement {
    /// Sets limits, and limits system calls. Call it when all threads run.
    #[must_use]
    pub fn finish(mut self, limits: &Limits) -> Confined {
        #[cfg(target_os = "linux")]
        let now = self.size.take().and_then(linux::address_space);
        #[cfg(all(unix, not(target_os = "linux")))]
        let now = None;
        #[cfg(unix)]
        unix::limit(&mut self.confined, limits, now);
        #[cfg(target_os = "linux")]
        linux::limit_calls(&mut self.confined);
        #[cfg(not(unix))]
        let _unused = limits;
        self.confined
    }
}
