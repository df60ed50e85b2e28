//! What users of such tools complain about in public, one test for each complaint. The page's or the server's
//! own log is the truth that the replies are compared with.

#![expect(clippy::unwrap_used, reason = "a test ends at the first thing that goes wrong")]

mod a_references;
mod b_size;
mod c_clicks;
mod d_frames;
mod e_dialogs;
mod f_files;
mod g_attach;
mod h_bridges;
mod i_processes;
mod j_frequent;
mod relay;
mod table;

use serde_json::{Value, json};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};
use truehand_testkit::{Agent, CallResult, Home, McpClient, alive, family, until};

/// The binary under test.
const BINARY: &str = env!("CARGO_BIN_EXE_truehand");

/// The home that all tests of one run share, also those that a runner puts into processes of their own, and with it one
/// daemon and one browser; they end by themselves after the last test. Homes of earlier runs are removed.
static SHARED: LazyLock<PathBuf> = LazyLock::new(|| {
    const NAME: &str = "th-complaints-";
    let folder = std::env::temp_dir();
    for old in std::fs::read_dir(&folder).unwrap().flatten() {
        let name = old.file_name().to_string_lossy().into_owned();
        if name.strip_prefix(NAME).is_some_and(|runner| !Path::new("/proc").join(runner).exists()) {
            // Another test of this run may be faster.
            drop(std::fs::remove_dir_all(old.path()));
        }
    }
    let home = folder.join(format!("{NAME}{}", std::os::unix::process::parent_id()));
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&home).unwrap();
    home
});

/// An agent with tabs of its own in the browser that all share.
fn agent() -> Agent {
    let shared = SHARED.to_str().unwrap();
    let envs = [("TRUEHAND_HOME", shared)];
    let mut client = McpClient::spawn_in(Arc::default(), BINARY, &["mcp", "--allow", "js"], &envs);
    client.initialize("2025-11-25");
    Agent::new(client)
}

/// An agent whose home and browser nobody else uses.
fn lone_agent() -> Agent {
    agent_in(Arc::new(Home::new()), &[])
}

/// An agent in a home, with further arguments.
fn agent_in(home: Arc<Home>, args: &[&str]) -> Agent {
    let all: Vec<&str> = ["mcp", "--allow", "js"].iter().chain(args).copied().collect();
    let mut client = McpClient::spawn_in(home, BINARY, &all, &[]);
    client.initialize("2025-11-25");
    Agent::new(client)
}

/// An agent whose tab shows a complaint page.
fn at(page: &str) -> Agent {
    let mut agent = agent();
    agent.open(&format!("/complaints/{page}.html"));
    agent
}

/// What was measured.
#[track_caller]
fn effect(result: &CallResult) -> &Value {
    let effect = &result.structured["page_effect"];
    assert!(effect.is_object(), "no page_effect: {}", result.text);
    effect
}

/// The judgement on the page.
#[track_caller]
fn verdict(result: &CallResult) -> &str {
    effect(result)["verdict"].as_str().unwrap()
}

/// Clicks what must do something.
#[track_caller]
fn click(agent: &mut Agent, target: &str) -> CallResult {
    let clicked = agent.ok("browser_click", json!({ "ref": target }));
    assert_eq!(verdict(&clicked), "changed", "{target}: {}", clicked.text);
    clicked
}

/// A result with the time that it took.
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let done = work();
    (done, start.elapsed())
}
