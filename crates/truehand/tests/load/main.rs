//! Load: giant pages, pages that never rest, and a daemon that works for a long time. What is bounded must stay bounded.
//!
//! Every test says its own bounds. Two of them go on for longer when they are asked to, see CONTRIBUTING.md.

#![expect(clippy::unwrap_used, reason = "a test ends at the first thing that goes wrong")]

mod giants;
mod long;
mod noise;
mod words;

use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};
use truehand_testkit::{Agent, CallResult, Home, McpClient};

/// The binary under test.
const BINARY: &str = env!("CARGO_BIN_EXE_truehand");

/// The most tokens of any reply that was not asked to be longer.
const MOST_TOKENS: usize = 6_000;

/// An agent whose home, daemon and browser nobody else uses, and that may call as often as it likes.
fn agent() -> Agent {
    let home = Arc::new(Home::new());
    home.write("config.toml", "[limits]\nclient = { burst = 100000, per_second = 10000 }\ntab = { burst = 100000, per_second = 10000 }\norigin = { burst = 100000, per_second = 10000 }\n");
    let mut client = McpClient::spawn_in(home, BINARY, &["mcp", "--allow", "js"], &[]);
    client.initialize("2025-11-25");
    Agent::new(client)
}

/// What a text costs a model, counted with the real tokenizer.
fn tokens(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
}

/// Checks that neither form of a reply is too long for a chat.
#[track_caller]
fn fits(what: &str, result: &CallResult) {
    let text = tokens(&result.text);
    assert!(text <= MOST_TOKENS, "{what}: {text} tokens of text");
    let structured = tokens(&result.structured.to_string());
    assert!(structured <= MOST_TOKENS, "{what}: {structured} tokens of structured content");
}

/// The daemon that the agent works with.
fn daemon(agent: &Agent) -> i32 {
    agent.client.home().daemon_pid().expect("a daemon runs")
}

/// A field of `/proc/<pid>/status`, in kB where it is a size.
fn status(pid: i32, field: &str) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = text.lines().find(|line| line.starts_with(field)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Resident memory in kB.
fn memory(pid: i32) -> u64 {
    status(pid, "VmRSS:")
}

/// Milliseconds of processor time that a process has used, of ticks of ten.
fn processor_ms(pid: i32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = text.rsplit(')').next().unwrap().split_whitespace().collect();
    fields[11..13].iter().map(|ticks| ticks.parse::<u64>().unwrap() * 10).sum()
}

/// Open file descriptors.
fn descriptors(pid: i32) -> usize {
    std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count()
}

/// Runs something and says how long it took.
fn timed<T>(run: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let value = run();
    (value, start.elapsed())
}

/// The shortest of three tries: what a thing takes when the machine lets it.
fn at_best(mut run: impl FnMut()) -> Duration {
    (0..3).map(|_| timed(&mut run).1).min().unwrap()
}

/// The time that 95 of 100 stay below.
fn p95(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() * 95 / 100]
}

/// Opens a page of the fixture that makes as much as is asked for, and waits for its end.
fn open_load(agent: &mut Agent, query: &str) {
    let url = agent.site.url(&format!("/load/make.html?{query}"));
    // A page of a hundred megabytes may still be loading when the call ends, and its first layout is the browser's own
    // time: until both are done the tab may say that it does not answer.
    agent.call("browser_navigate", json!({ "url": url, "observe_effects": false }));
    let end = Instant::now() + Duration::from_secs(60);
    let script = "Boolean(document.getElementById('end')) && document.body.offsetHeight > 0";
    loop {
        let looked = agent.call("browser_execute_js", json!({ "script": script, "observe_effects": false }));
        if looked.structured["result"] == true {
            return;
        }
        assert!(Instant::now() < end, "{query} did not come: {}", looked.text);
    }
}
