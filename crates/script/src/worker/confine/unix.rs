//! What every Unix offers: closed descriptors and resource limits.

use crate::wire::{Confined, Limits};
use nix::sys::resource::{Resource, setrlimit};

/// Closes every descriptor but the three standard ones.
pub fn close_inherited(confined: &mut Confined) {
    let folder = if cfg!(target_os = "linux") { "/proc/self/fd" } else { "/dev/fd" };
    let open: Vec<i32> = match std::fs::read_dir(folder) {
        Ok(entries) => {
            entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
        }
        Err(e) => {
            confined.missing.push(format!("inherited descriptors: {folder}: {e}"));
            return;
        }
    };
    for descriptor in open.into_iter().filter(|descriptor| *descriptor > 2) {
        // The folder's own is closed already.
        let _closed = nix::unistd::close(descriptor);
    }
    confined.descriptors_closed = true;
}

/// Sets resource limits. `now` is the size of the address space, where the system tells it.
pub fn limit(confined: &mut Confined, limits: &Limits, now: Option<u64>) {
    // The memory of the process only grows from here, so the limit counts from here.
    let memory = now.map(|now| (Resource::RLIMIT_AS, now.saturating_add(limits.process_bytes)));
    let rest = [
        (Resource::RLIMIT_CORE, 0),
        (Resource::RLIMIT_CPU, limits.cpu_seconds),
        (Resource::RLIMIT_FSIZE, 0),
        // None beyond the three that are open.
        (Resource::RLIMIT_NOFILE, 3),
        (Resource::RLIMIT_NPROC, 0),
    ];
    if memory.is_none() {
        confined.missing.push("process memory: its size is not known here".to_owned());
    }
    let mut all = true;
    for (resource, most) in memory.into_iter().chain(rest) {
        if let Err(e) = setrlimit(resource, most, most) {
            confined.missing.push(format!("{resource:?}: {e}"));
            all = false;
        }
    }
    confined.rlimits = all;
}
