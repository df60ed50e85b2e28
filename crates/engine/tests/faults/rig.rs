//! The processes that a test started, found by their parents, and a way to end them at a chosen moment.

use crate::hands::Hands;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::Command;
use std::time::{Duration, Instant};
use truehand_base::{ErrorCode, Outcome};

/// The longest that a test waits for something to become so.
const LIMIT: Duration = Duration::from_secs(30);

/// Waits until something is so.
#[track_caller]
pub fn until(what: &str, mut look: impl FnMut() -> bool) {
    let end = Instant::now() + LIMIT;
    while !look() {
        assert!(Instant::now() < end, "{what} did not come within {LIMIT:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The processes beneath this one, with their command lines.
pub fn descendants() -> BTreeMap<u32, String> {
    let mut parents = BTreeMap::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        // The name is in brackets and may hold anything.
        let mut rest = stat.rsplit(") ").next().unwrap_or_default().split(' ');
        let (state, parent) = (rest.next().unwrap_or_default(), rest.next());
        if state != "Z"
            && let Some(parent) = parent.and_then(|parent| parent.parse::<u32>().ok())
        {
            parents.insert(pid, parent);
        }
    }
    let own = std::process::id();
    let beneath = |pid: &u32| {
        let mut line = std::iter::successors(Some(*pid), |pid| parents.get(pid).copied());
        line.by_ref().skip(1).any(|above| above == own)
    };
    parents
        .keys()
        .filter(|pid| beneath(pid))
        .map(|pid| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            (*pid, String::from_utf8_lossy(&line).replace('\0', " "))
        })
        .collect()
}

/// The browser that the engine started.
pub fn browser() -> Option<u32> {
    let ours = |line: &String| line.contains("--remote-debugging-pipe") && !line.contains("--type=");
    descendants().into_iter().find(|(_, line)| ours(line)).map(|(pid, _)| pid)
}

/// How much processor time a process has used, in ticks.
fn used(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    let number = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
    number(11) + number(12)
}

/// The renderer of a client's page: the one that works when the page does. In a page of frames `script` says where.
pub fn renderer(h: &Hands, script: &str) -> u32 {
    let renderers = || descendants().into_iter().filter(|(_, line)| line.contains("--type=renderer"));
    let before: BTreeMap<u32, u64> = renderers().map(|(pid, _)| (pid, used(pid))).collect();
    h.js(script);
    let worked = |pid: &u32| used(*pid).saturating_sub(before.get(pid).copied().unwrap_or_default());
    renderers().map(|(pid, _)| pid).max_by_key(worked).unwrap()
}

/// Work for a page by which its renderer is known.
pub const WORK: &str = "for (const end = performance.now() + 400; performance.now() < end;); 1";

/// Ends a process as the system does when memory is short.
pub fn kill(pid: u32) {
    assert!(Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
}

/// Makes a call and gives how long it took.
pub fn timed(h: &Hands, tool: &str, arguments: Value) -> (Outcome, Duration) {
    let start = Instant::now();
    let outcome = h.approved(tool, arguments);
    (outcome, start.elapsed())
}

/// The code of a failure.
pub fn code(outcome: &Outcome) -> Option<ErrorCode> {
    outcome.error.as_ref().map(|error| error.code)
}

/// Calls that are under way for a while on `/faults/busy.html`, each in its own way.
pub fn long_calls() -> Vec<(&'static str, Value)> {
    vec![
        ("browser_execute_js", json!({ "script": "new Promise(() => {})" })),
        ("browser_wait_for", json!({ "text": "Zebra", "timeout_ms": 20_000 })),
        ("browser_wait_for_idle", json!({ "timeout_ms": 20_000 })),
        ("browser_click", json!({ "ref": "#slow" })),
    ]
}
