//! What tests of processes ask: who is whose child, who still runs, and whether something comes in time.

use std::time::{Duration, Instant};

/// Waits until `done`, and fails with `what` when it does not come.
#[track_caller]
pub fn until(what: &str, mut done: impl FnMut() -> bool) {
    let end = Instant::now() + crate::DEADLINE;
    while !done() {
        assert!(Instant::now() < end, "{what} did not come");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The processes that are children, or children's children, of `pid`.
#[must_use]
pub fn family(pid: u32) -> Vec<u32> {
    let mut found = vec![pid];
    let mut at = 0;
    while let Some(parent) = found.get(at).copied() {
        let tasks = std::fs::read_dir(format!("/proc/{parent}/task"));
        for task in tasks.into_iter().flatten().flatten() {
            let children = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
            found.extend(children.split_whitespace().filter_map(|child| child.parse::<u32>().ok()));
        }
        at += 1;
    }
    found.split_off(1)
}

/// Whether a process runs; one that only waits to be reaped does not.
#[must_use]
pub fn alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().next());
    state.is_some_and(|state| state != "Z" && state != "X")
}
