//! The disk is full, or a folder can't be used: what needs no disk goes on, and what must be recorded is not begun.

use crate::{BINARY, CONFIG, client, home, limit_files, ok, open, pid_of, size, traces_are_whole};
use serde_json::{Value, json};
use std::os::unix::fs::symlink;
use std::process::Command;
use truehand_testkit::{CallResult, Cli, Site};

fn warned(result: &CallResult, code: &str) -> bool {
    let warnings = result.structured["warnings"].as_array();
    warnings.into_iter().flatten().any(|warning| warning["code"] == code)
}

#[test]
fn full_disk_stops_no_reading_and_refuses_only_the_action_that_must_be_recorded() {
    let (site, home) = (Site::start_blocking(), home(CONFIG));
    let mut client = client(&home);
    open(&mut client, &site, "/network.html");
    ok(&mut client, "browser_click", json!({ "ref": "#ping", "request_key": "before" }));
    let daemon = pid_of(&home);
    let pings = || site.count("POST", "/api/ping");
    assert_eq!(pings(), 1);
    // Enough for the beginning of one more line.
    let trace = std::fs::read_dir(home.join("traces")).unwrap().next().unwrap().unwrap().path();
    limit_files(daemon, Some(size(&trace) + 50));

    let read = ok(&mut client, "browser_read", json!({}));
    assert!(read.text.contains("Network") && warned(&read, "STORE_FAILED"), "{}", read.text);
    let shot = ok(&mut client, "browser_screenshot", json!({}));
    assert!(!shot.images.is_empty() && warned(&shot, "NOT_KEPT"), "{}", shot.text);
    let click = ok(&mut client, "browser_click", json!({ "ref": "#ping" }));
    assert!(
        warned(&click, "STORE_FAILED"),
        "an action that needs no record says that it has none: {}",
        click.text
    );
    assert_eq!(pings(), 2);
    let keyed = json!({ "ref": "#ping", "request_key": "during" });
    let refused = client.call("browser_click", keyed.clone());
    assert_eq!(refused.code(), "STORE_FAILED", "{}", refused.text);
    assert_eq!(pings(), 2, "nothing was sent");
    let again = client.call("browser_click", json!({ "ref": "#ping", "request_key": "before" }));
    let known = again.structured["replayed"] == true;
    assert!(known || again.code() == "STORE_FAILED", "{}", again.text);
    assert_eq!(pings(), 2, "an old request is known or refused");

    limit_files(daemon, None);
    assert!(!warned(&ok(&mut client, "browser_click", keyed.clone()), "STORE_FAILED"));
    let replayed = ok(&mut client, "browser_click", keyed);
    assert_eq!((&replayed.structured["replayed"], pings()), (&json!(true), 3));
    assert_eq!(pid_of(&home), daemon, "the daemon did not end");
    traces_are_whole(&home);
    let left = std::fs::read_dir(home.join("artifacts")).unwrap().flatten();
    let files: Vec<_> = left.flat_map(|day| std::fs::read_dir(day.path()).unwrap().flatten()).collect();
    assert!(files.is_empty(), "no part of the picture is left: {files:?}");
}

#[test]
fn folder_of_artifacts_that_can_not_be_used_stops_only_what_writes_into_it() {
    let (site, home) = (Site::start_blocking(), home(""));
    let mut client = client(&home);
    open(&mut client, &site, "/count.html");
    std::fs::remove_dir_all(home.join("artifacts")).unwrap();
    home.write("artifacts", "no folder");
    assert!(ok(&mut client, "browser_read", json!({})).text.contains("Add one"));
    ok(&mut client, "browser_click", json!({ "ref": "#add" }));
    let shot = ok(&mut client, "browser_screenshot", json!({}));
    assert!(!shot.images.is_empty() && warned(&shot, "NOT_KEPT"), "{}", shot.text);
}

#[test]
fn state_folder_that_can_not_be_used_is_named_with_the_reason() {
    let cli = Cli::new(BINARY);
    cli.home().write("traces", "no folder");
    let output = cli.run(&["open", "about:blank", "--json"]);
    let error = &output.json()["error"];
    assert_eq!(error["code"], "STORE_FAILED", "{error}");
    assert!(error["message"].as_str().unwrap().contains("traces"), "{error}");
}

#[test]
fn disk_that_is_full_at_the_start_is_named_as_the_reason() {
    let home = home("");
    let script = "trap '' XFSZ; ulimit -f 0; exec \"$0\" tab list --json";
    let output = Command::new("sh").args(["-c", script, BINARY]).env("TRUEHAND_HOME", home.path()).output();
    let output = output.unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let error = &serde_json::from_str::<Value>(&said).expect("JSON")["error"];
    assert_eq!(error["code"], "STORE_FAILED", "{error}");
    assert!(error["message"].as_str().unwrap().contains("too large"), "the system's words: {error}");
}

#[test]
fn log_that_takes_no_more_costs_only_the_log() {
    let cli = Cli::new(BINARY);
    std::fs::create_dir_all(cli.home().join("run")).unwrap();
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(cli.home().join("run"), private).unwrap();
    symlink("/dev/full", cli.home().join("run/daemon.log")).unwrap();
    let _ = cli.run(&["open", "about:blank"]).expect_code(0);
    let _ = cli.run(&["tab", "list"]).expect_code(0);
    let _ = cli.run(&["daemon", "stop"]).expect_code(0);
}
