//! The JavaScript scope as its users have it: the real binary, a real daemon, a real Chromium.

#![expect(clippy::unwrap_used, reason = "a test ends at the first thing that goes wrong")]

mod cli;
mod compat;
mod files;
mod interactive;
mod locators;
mod network;
mod pages;
mod sandbox;
mod scope;
mod session;
mod tabs;
mod truehand;

use serde_json::json;
use truehand_testkit::{CallResult, Home, McpClient};

/// The binary under test.
const BINARY: &str = env!("CARGO_BIN_EXE_truehand");

/// A client over MCP that may run JavaScript in pages.
fn scripted() -> McpClient {
    let mut client = McpClient::spawn(BINARY, &["mcp", "--allow", "js"], &[]);
    client.initialize("2025-11-25");
    client
}

/// Runs a script.
fn repl(client: &mut McpClient, code: &str) -> CallResult {
    client.call("repl", json!({ "title": "a test", "code": code }))
}

/// Runs a script that may take so long.
fn repl_for(client: &mut McpClient, code: &str, timeout_ms: u64) -> CallResult {
    client.call("repl", json!({ "title": "a test", "code": code, "timeout_ms": timeout_ms }))
}

/// Whether a script has written its `tmp/begun`.
fn begun(home: &Home) -> bool {
    let mut scopes = std::fs::read_dir(home.join("sessions")).into_iter().flatten().flatten();
    scopes.any(|scope| scope.path().join("tmp/begun").exists())
}

/// What stands between the marks of data.
#[track_caller]
fn envelope_of(text: &str) -> &str {
    let (_, rest) =
        text.split_once("<script_output untrusted>\n").unwrap_or_else(|| panic!("no envelope in {text}"));
    rest.rsplit_once("\n</script_output>").unwrap_or_else(|| panic!("no end of the envelope in {text}")).0
}
