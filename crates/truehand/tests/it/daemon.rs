//! The life of the daemon: one a home, found when it is there, started when it is not, and gone in time.

use crate::{BINARY, alive, family, until};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::sync::Arc;
use truehand_testkit::{Cli, Home, McpClient, Site};

fn signal(pid: u32, signal: Signal) {
    kill(Pid::from_raw(pid.try_into().unwrap()), signal).unwrap();
}

fn pid_of(home: &Home) -> u32 {
    home.daemon_pid().expect("a daemon runs").try_into().unwrap()
}

#[test]
fn ten_starts_at_once_give_one_daemon() {
    let home = Arc::new(Home::new());
    let starts: Vec<_> = (0..10)
        .map(|_| {
            let cli = Cli::in_home(BINARY, Arc::clone(&home));
            std::thread::spawn(move || {
                cli.run(&["daemon", "start", "--json"]).expect_code(0).json()["pid"].clone()
            })
        })
        .collect();
    let pids: Vec<_> = starts.into_iter().map(|start| start.join().unwrap()).collect();
    assert!(pids.iter().all(|pid| *pid == pids[0]), "{pids:?}");
    assert_eq!(pids[0], pid_of(&home));
    let cli = Cli::in_home(BINARY, Arc::clone(&home));
    let _ = cli.run(&["daemon", "stop"]).expect_code(0);
    let pid = pids[0].as_u64().unwrap().try_into().unwrap();
    until("the end of the process", || !alive(pid));
}

#[test]
fn killed_daemon_leaves_no_browser_and_the_next_command_starts_anew() {
    let cli = Cli::new(BINARY);
    let _ = cli.run(&["open", "about:blank"]).expect_code(0);
    let pid = pid_of(cli.home());
    let browsers = family(pid);
    assert!(!browsers.is_empty(), "a browser runs");
    signal(pid, Signal::SIGKILL);
    until("the end of the browsers", || !browsers.iter().any(|pid| alive(*pid)));
    assert!(cli.home().join("run/daemon.sock").exists(), "it had no time to clean up");
    let _ = cli.run(&["open", "about:blank"]).expect_code(0);
    assert_ne!(pid_of(cli.home()), pid);
}

#[test]
fn terminated_daemon_closes_its_browsers_and_cleans_up() {
    let cli = Cli::new(BINARY);
    let _ = cli.run(&["open", "about:blank"]).expect_code(0);
    let pid = pid_of(cli.home());
    let browsers = family(pid);
    signal(pid, Signal::SIGTERM);
    until("the end of the daemon", || !alive(pid));
    assert!(!browsers.iter().any(|pid| alive(*pid)), "the browsers went first");
    assert!(!cli.home().join("run/daemon.sock").exists() && !cli.home().join("run/daemon.pid").exists());
    let log = std::fs::read_to_string(cli.home().join("run/daemon.log")).unwrap();
    assert!(log.contains("daemon ends"), "{log}");
}

#[test]
fn unneeded_daemon_ends_by_itself_and_a_started_one_stays() {
    let cli = Cli::new(BINARY);
    let _ = cli.run(&["tab", "list"]).expect_code(0);
    let pid = pid_of(cli.home());
    until("the end of the unneeded daemon", || !alive(pid));
    let _ = cli.run(&["daemon", "start"]).expect_code(0);
    let status = cli.run(&["daemon", "status", "--json"]).expect_code(0).json();
    assert_eq!(status["kept"], true);
    let _ = cli.run(&["daemon", "stop"]).expect_code(0);
    let output = cli.run(&["daemon", "status"]).expect_code(5);
    assert!(output.stderr.starts_with("DAEMON_UNAVAILABLE"), "{}", output.stderr);
}

#[test]
fn vanished_mcp_client_takes_its_browser_and_the_daemon_with_it() {
    let mut client = McpClient::spawn(BINARY, &["mcp"], &[]);
    client.initialize("2025-11-25");
    assert!(!client.call("browser_navigate", serde_json::json!({ "url": "about:blank" })).is_error);
    let home = Arc::clone(client.home());
    let daemon = pid_of(&home);
    let browsers = family(daemon);
    assert!(!browsers.is_empty());
    client.kill();
    until("the end of browsers and daemon", || !alive(daemon) && !browsers.iter().any(|pid| alive(*pid)));
}

#[test]
fn broken_policy_stops_the_start_and_is_named() {
    let cli = Cli::new(BINARY);
    cli.home().write("policy.yaml", "rules: [");
    let output = cli.run(&["open", "about:blank", "--json"]).expect_code(3);
    assert_eq!(output.json()["error"]["code"], "POLICY_BROKEN", "{}", output.stdout);
    let report = cli.run(&["doctor", "--json"]).json();
    let codes: Vec<&str> =
        report["checks"].as_array().unwrap().iter().filter_map(|c| c["code"].as_str()).collect();
    assert!(codes.contains(&"POLICY_BROKEN"), "{report}");
    std::fs::remove_file(cli.home().join("policy.yaml")).unwrap();
    until("a daemon with mended rules", || cli.run(&["open", "about:blank"]).code == 0);
}

#[test]
fn run_folder_that_others_can_write_to_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let cli = Cli::new(BINARY);
    std::fs::create_dir_all(cli.home().join("run")).unwrap();
    std::fs::set_permissions(cli.home().join("run"), std::fs::Permissions::from_mode(0o777)).unwrap();
    let output = cli.run(&["open", "about:blank"]).expect_code(5);
    assert!(
        output.stderr.starts_with("DAEMON_UNAVAILABLE") && output.stderr.contains("mode 777"),
        "{}",
        output.stderr
    );
}

#[test]
fn two_sessions_at_once_work_side_by_side() {
    let site = Site::start_blocking();
    let home = Arc::new(Home::new());
    let works: Vec<_> = ["a", "b"]
        .map(|session| {
            let cli = Cli::in_home(BINARY, Arc::clone(&home));
            let url = site.url(&format!("/tab-{session}.html"));
            std::thread::spawn(move || {
                let _ = cli.run(&["open", &url, "-s", session]).expect_code(0);
                cli.run(&["read", "-s", session]).expect_code(0).stdout
            })
        })
        .into_iter()
        .map(|work| work.join().unwrap())
        .collect();
    assert!(works[0].contains("Tab A") && works[1].contains("Tab B"), "{works:?}");
}
