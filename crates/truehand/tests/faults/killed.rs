//! The daemon is killed in the middle of something: nothing is torn, nothing is done twice, and it is told.

use crate::{CONFIG, client, home, kill_daemon, ok, open, pid_of, traces, traces_are_whole, until};
use serde_json::{Value, json};
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;
use truehand_testkit::{CallResult, McpClient, Site};

/// How many times to kill, and which moments.
fn runs(usual: u64) -> u64 {
    std::env::var("TRUEHAND_FAULT_RUNS").ok().map_or(usual, |text| text.parse().expect("a number"))
}

/// Some number below `most`.
fn any(most: u64) -> u64 {
    RandomState::new().hash_one(most) % most
}

/// What a repeat of a request says: not begun before, done before, or not known.
fn repeat(result: &CallResult) -> &'static str {
    match (result.code(), &result.structured["replayed"]) {
        ("UNKNOWN_OUTCOME", _) => "unknown",
        (_, Value::Bool(true)) => "replayed",
        _ => "new",
    }
}

#[test]
fn daemon_killed_while_it_writes_its_files_leaves_whole_ones_and_knows_its_requests() {
    let home = home(&format!("{CONFIG}[browser]\npath = '/nowhere/chromium'\n"));
    let mut client = client(&home);
    let click = |key: &str| json!({ "ref": "e1", "request_key": key });
    let mut cut = 0;
    for run in 0..runs(40) {
        // Where all calls had their answers before the kill, this is the first to hear of it.
        let first = client.call("browser_list_tabs", json!({}));
        assert!(matches!(first.code(), "" | "DAEMON_UNAVAILABLE"), "{}", first.text);
        ok(&mut client, "browser_list_tabs", json!({}));
        let daemon = pid_of(&home);
        let calls: Vec<(String, u64)> = (0..20)
            .map(|n| format!("{run}-{n}"))
            .map(|key| (key.clone(), client.begin_call("browser_click", click(&key))))
            .collect();
        std::thread::sleep(Duration::from_millis(any(60)));
        kill_daemon(daemon);
        for (key, call) in calls {
            let first = client.end_call(call);
            if first.code() == "BROWSER_NOT_FOUND" {
                continue;
            }
            assert_eq!(first.code(), "DAEMON_UNAVAILABLE", "{}", first.text);
            cut += 1;
            let again = client.call("browser_click", click(&key));
            assert!(matches!(again.code(), "BROWSER_NOT_FOUND" | "UNKNOWN_OUTCOME"), "{}", again.text);
        }
        // The next daemon has mended what the last one left.
        traces_are_whole(&home);
    }
    assert!(cut > 0, "some calls were cut off");
}

#[test]
fn torn_line_of_a_killed_daemon_is_cut_off_at_the_next_start_and_told_in_the_log() {
    let home = home(CONFIG);
    let mut client = client(&home);
    ok(&mut client, "browser_list_tabs", json!({}));
    kill_daemon(pid_of(&home));
    let trace = std::fs::read_dir(home.join("traces")).unwrap().next().unwrap().unwrap().path();
    let whole = std::fs::read_to_string(&trace).unwrap();
    std::fs::write(&trace, format!("{whole}{{\"version\":1,\"ti")).unwrap();
    ok(&mut client, "browser_list_tabs", json!({}));
    assert_eq!(std::fs::read_to_string(&trace).unwrap(), whole);
    let log = std::fs::read_to_string(home.join("run/daemon.log")).unwrap();
    assert!(log.contains("torn") && log.contains("cut=16"), "{log}");
    assert_eq!(traces(&home).len(), 2);
}

/// Clicks with a request key, kills the daemon when `moment` has come, and repeats the click on the page anew.
/// Gives what the repeat said.
fn killed_click(
    client: &mut McpClient,
    site: &Site,
    button: &str,
    key: &str,
    moment: impl FnOnce(),
) -> &'static str {
    open(client, site, "/network.html");
    let daemon = pid_of(client.home());
    let click = json!({ "ref": button, "request_key": key });
    let call = client.begin_call("browser_click", click.clone());
    moment();
    kill_daemon(daemon);
    let first = client.end_call(call);
    assert!(!first.is_error || first.code() == "DAEMON_UNAVAILABLE", "{}", first.text);
    open(client, site, "/network.html");
    let again = client.call("browser_click", click);
    let said = repeat(&again);
    assert!(first.is_error || said == "replayed", "an outcome that was told is kept: {}", again.text);
    said
}

#[test]
fn daemon_killed_between_the_click_and_its_effect_says_unknown_and_never_clicks_again() {
    let (site, home) = (Site::start_blocking(), home(CONFIG));
    let mut client = client(&home);
    let asked = || site.count("GET", "/api/slow");
    let said = killed_click(&mut client, &site, "#late", "k", || until("the click", || asked() == 1));
    assert_eq!((said, asked()), ("unknown", 1));
    traces_are_whole(&home);
}

#[test]
fn daemon_killed_at_any_moment_of_a_click_with_a_request_key_never_clicks_twice() {
    let (site, home) = (Site::start_blocking(), home(CONFIG));
    let mut client = client(&home);
    let pings = || site.count("POST", "/api/ping");
    for run in 0..runs(3) {
        let before = pings();
        let wait = || std::thread::sleep(Duration::from_millis(any(600)));
        let said = killed_click(&mut client, &site, "#ping", &run.to_string(), wait);
        let done = pings() - before;
        assert!(done <= 1, "the click was done {done} times and the repeat said {said}");
        assert!(done == 1 || said == "unknown", "a new request acts: {said}");
        traces_are_whole(&home);
    }
}
