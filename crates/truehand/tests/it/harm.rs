//! What is cut off, killed or clogged in the middle of a call: said as it is, and the next call works.

use crate::{BINARY, family, until};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;
use std::fs::File;
use std::process::{Command, Stdio};
use std::sync::Arc;
use truehand_testkit::{Home, McpClient, Site};

fn client_with(config: &str) -> McpClient {
    let home = Arc::new(Home::new());
    home.write("config.toml", config);
    let mut client = McpClient::spawn_in(home, BINARY, &["mcp"], &[]);
    client.initialize("2025-11-25");
    client
}

/// Kills the browser itself and none of its helpers: they end by themselves.
fn kill_browser(client: &McpClient) {
    let daemon: u32 = client.home().daemon_pid().expect("a daemon").try_into().unwrap();
    let command = |pid: &u32| std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let browser = family(daemon).into_iter().find(|pid| {
        let command = command(pid);
        command.contains("--user-data-dir")
            && !command.contains("--type=")
            && !command.contains("crashpad_handler")
    });
    let browser = browser.expect("a browser").try_into().unwrap();
    kill(Pid::from_raw(browser), Signal::SIGKILL).unwrap();
}

#[test]
fn killed_browser_fails_the_call_in_flight_and_the_very_next_call_works() {
    let site = Site::start_blocking();
    let mut client = client_with("");
    assert!(!client.call("browser_navigate", json!({ "url": site.url("/count.html") })).is_error);
    let going = client.begin_call("browser_navigate", json!({ "url": site.url("/never") }));
    until("the request", || site.count("GET", "/never") == 1);
    kill_browser(&client);
    let cut = client.end_call(going);
    assert_eq!(cut.code(), "BROWSER_GONE", "{}", cut.text);
    let next = client.call("browser_navigate", json!({ "url": site.url("/count.html") }));
    assert!(!next.is_error, "{}", next.text);
}

#[test]
fn click_whose_browser_is_killed_while_the_effect_is_measured_is_no_success() {
    let site = Site::start_blocking();
    let mut client = client_with("[effects]\ncap_ms = 30000\n");
    assert!(!client.call("browser_navigate", json!({ "url": site.url("/network.html") })).is_error);
    let click = client.begin_call("browser_click", json!({ "ref": "#two" }));
    until("the request of the click", || site.count("GET", "/api/slow") == 1);
    kill_browser(&client);
    let cut = client.end_call(click);
    assert_eq!(cut.code(), "BROWSER_GONE", "{}", cut.text);
    let next = client.call("browser_read", json!({}));
    assert!(!next.is_error, "{}", next.text);
}

#[test]
fn browser_killed_between_two_calls_is_told_once() {
    let mut client = client_with("");
    assert!(!client.call("browser_navigate", json!({ "url": "about:blank" })).is_error);
    kill_browser(&client);
    let daemon: u32 = client.home().daemon_pid().expect("a daemon").try_into().unwrap();
    until("the end of the browser", || family(daemon).is_empty());
    let told = client.call("browser_read", json!({}));
    assert_eq!(told.code(), "BROWSER_GONE", "{}", told.text);
    assert!(!client.call("browser_read", json!({})).is_error);
}

#[test]
fn cancelled_navigation_stops_loading() {
    let site = Site::start_blocking();
    let mut client = client_with("");
    assert!(!client.call("browser_navigate", json!({ "url": site.url("/count.html") })).is_error);
    let going = client.begin_call("browser_navigate", json!({ "url": site.url("/never") }));
    until("the request", || site.count("GET", "/never") == 1);
    client.notify("notifications/cancelled", json!({ "requestId": going }));
    let idle = client.call("browser_wait_for_idle", json!({ "timeout_ms": 15_000 }));
    assert!(!idle.is_error, "{}", idle.text);
    assert!(client.call("browser_read", json!({})).text.contains("count.html"), "the page stayed");
}

#[test]
fn tool_name_of_a_megabyte_holds_up_nobody() {
    let mut client = client_with("");
    let names: Vec<u64> = (0..4).map(|_| client.begin_call(&"n".repeat(1 << 20), json!({}))).collect();
    assert!(!client.call("browser_current_tab", json!({})).is_error);
    for name in names {
        assert_eq!(client.end_call(name).code(), "UNKNOWN_TOOL");
    }
}

#[test]
fn result_that_can_not_be_written_is_a_failure() {
    let full = File::options().write(true).open("/dev/full").unwrap();
    let command = Command::new(BINARY).arg("guide").stdout(Stdio::from(full)).output().unwrap();
    assert_eq!(command.status.code(), Some(1));
    let said = String::from_utf8_lossy(&command.stderr).into_owned();
    assert!(said.starts_with("STORE_FAILED: standard output"), "{said}");
}
