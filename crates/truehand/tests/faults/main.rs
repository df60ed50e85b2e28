//! What befalls the daemon and its files: a full disk, signals, kills, sudden clients, others in its place. Whatever it
//! is, files can be read afterwards, nothing is done twice, and what is not known is said to be unknown.
//!
//! The kills come at random moments. `TRUEHAND_FAULT_RUNS` asks for more of them.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test ends at the first thing that goes wrong")]

mod clients;
mod full;
mod killed;
mod many;
mod signals;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use truehand_testkit::{CallResult, Home, McpClient, Site, alive, family, until};

/// The binary under test.
const BINARY: &str = env!("CARGO_BIN_EXE_truehand");

/// No limits that a test would run into, and everything recorded.
const CONFIG: &str = "[trace]\nenabled = true\n[limits]\nclient = { burst = 100000, per_second = 10000 }\nreads = { burst = 100000, per_second = 10000 }\ntab = { burst = 100000, per_second = 10000 }\norigin = { burst = 100000, per_second = 10000 }\n";

fn home(config: &str) -> Arc<Home> {
    let home = Arc::new(Home::new());
    home.write("config.toml", config);
    home
}

fn client(home: &Arc<Home>) -> McpClient {
    let mut client = McpClient::spawn_in(Arc::clone(home), BINARY, &["mcp"], &[]);
    client.initialize("2025-11-25");
    client
}

#[track_caller]
fn ok(client: &mut McpClient, tool: &str, arguments: Value) -> CallResult {
    let result = client.call(tool, arguments);
    assert!(!result.is_error, "{tool}: {}", result.text);
    result
}

#[track_caller]
fn open(client: &mut McpClient, site: &Site, path: &str) {
    ok(client, "browser_navigate", json!({ "url": site.url(path) }));
}

/// A daemon that is a child of the test, so that its end can be seen.
fn daemon(home: &Home) -> Child {
    let mut command = Command::new(BINARY);
    command.args(["daemon", "run"]).env("TRUEHAND_HOME", home.path());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn pid_of(home: &Home) -> u32 {
    home.daemon_pid().expect("a daemon runs").try_into().unwrap()
}

fn signal(pid: u32, signal: Signal) {
    kill(Pid::from_raw(pid.try_into().unwrap()), signal).unwrap();
}

/// Kills a daemon and waits until it and its browsers are gone.
fn kill_daemon(pid: u32) {
    let browsers = family(pid);
    signal(pid, Signal::SIGKILL);
    until("the end of the daemon and its browsers", || {
        !alive(pid) && !browsers.iter().any(|pid| alive(*pid))
    });
}

/// The traces of a home, each as its text.
fn traces(home: &Home) -> Vec<String> {
    let files = std::fs::read_dir(home.join("traces")).into_iter().flatten().flatten();
    files.map(|file| std::fs::read_to_string(file.path()).unwrap()).collect()
}

/// Checks that every line of every trace is whole.
#[track_caller]
fn traces_are_whole(home: &Home) {
    for text in traces(home) {
        assert!(text.is_empty() || text.ends_with('\n'), "a torn end: {text}");
        for line in text.lines() {
            serde_json::from_str::<Value>(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        }
    }
}

/// Files of this process take no more than so many bytes; `None` takes the limit away.
fn limit_files(pid: u32, bytes: Option<u64>) {
    let bytes = bytes.map_or("unlimited".to_owned(), |bytes| bytes.to_string());
    let limit = format!("--fsize={bytes}:");
    let done = Command::new("prlimit").args(["--pid", &pid.to_string(), &limit]).status().unwrap();
    assert!(done.success(), "prlimit of util-linux sets the limit");
}

/// Bytes of a file; none when it is missing.
fn size(path: impl AsRef<Path>) -> u64 {
    std::fs::metadata(path).map_or(0, |facts| facts.len())
}
