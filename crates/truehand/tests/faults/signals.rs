//! The daemon is stopped for a while, as by a machine that sleeps, or told to end with its hands full.

use crate::{CONFIG, alive, client, daemon, family, home, ok, open, pid_of, signal, until};
use nix::sys::signal::Signal;
use serde_json::json;
use std::time::{Duration, Instant};
use truehand_testkit::{Cli, Site};

#[test]
fn daemon_that_sleeps_in_the_middle_of_calls_ends_them_rightly_when_it_wakes() {
    let (site, home) = (Site::start_blocking(), home(CONFIG));
    let mut client = client(&home);
    open(&mut client, &site, "/network.html");
    let daemon = pid_of(&home);
    let wait = client.begin_call("browser_wait_for", json!({ "text": "never there", "timeout_ms": 2_500 }));
    let click = client.begin_call("browser_click", json!({ "ref": "#late", "request_key": "k" }));
    until("the request of the click", || site.count("GET", "/api/slow") == 1);
    signal(daemon, Signal::SIGSTOP);
    std::thread::sleep(Duration::from_secs(3));
    signal(daemon, Signal::SIGCONT);
    let click = client.end_call(click);
    assert!(!click.is_error, "{}", click.text);
    let effect = &click.structured["page_effect"];
    assert_eq!(
        (&effect["network"]["requests_completed"], &effect["verdict"]),
        (&json!(1), &json!("changed")),
        "{effect}"
    );
    assert_eq!(client.end_call(wait).code(), "TIMEOUT");
    assert_eq!(site.count("GET", "/api/slow"), 1);
    assert!(ok(&mut client, "browser_read", json!({})).text.contains("answered"));
    assert_eq!(pid_of(&home), daemon);
}

#[test]
fn daemon_told_to_end_with_fifty_calls_in_flight_answers_all_of_them_in_time_and_leaves_nobody() {
    let (site, home) = (Site::start_blocking(), home(CONFIG));
    let mut daemon = daemon(&home);
    let cli = Cli::in_home(crate::BINARY, home.clone());
    until("the daemon", || cli.run(&["daemon", "status"]).code == 0);
    let mut client = client(&home);
    open(&mut client, &site, "/count.html");
    let browsers = family(daemon.id());
    assert!(!browsers.is_empty() && pid_of(&home) == daemon.id());
    let never = |ms: u64| json!({ "text": "never there", "timeout_ms": ms });
    let long: Vec<u64> = (0..50).map(|_| client.begin_call("browser_wait_for", never(30_000))).collect();
    until("fifty calls", || cli.run(&["daemon", "status", "--json"]).json()["calls_in_flight"] == 50);
    let short = client.begin_call("browser_wait_for", never(500));
    until("one more", || cli.run(&["daemon", "status", "--json"]).json()["calls_in_flight"] == 51);
    let told = Instant::now();
    signal(daemon.id(), Signal::SIGTERM);
    assert_eq!(client.end_call(short).code(), "TIMEOUT", "what ends soon has its time");
    for call in long {
        let cut = client.end_call(call);
        // With so many waits a page may be silent for seconds on a busy machine, which ends a wait too.
        assert!(matches!(cut.code(), "DAEMON_UNAVAILABLE" | "PAGE_UNRESPONSIVE"), "{}", cut.text);
    }
    let mut ended = None;
    until("the end of the daemon", || {
        ended = daemon.try_wait().unwrap();
        ended.is_some()
    });
    let took = told.elapsed();
    println!("ended after {took:?}");
    assert_eq!(ended.and_then(|status| status.code()), Some(0));
    assert!(took < Duration::from_secs(8), "five seconds, and what a busy machine adds: {took:?}");
    assert!(!browsers.iter().any(|pid| alive(*pid)), "the browsers went first");
    assert!(!home.join("run/daemon.sock").exists());
}
