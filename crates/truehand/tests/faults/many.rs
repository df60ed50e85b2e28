//! Several daemons at once, what a dead one left behind, and somebody else in its place.

use crate::{BINARY, alive, client, daemon, home, kill_daemon, ok, pid_of, signal, until};
use nix::sys::signal::Signal;
use serde_json::json;
use std::io::{Read, Write};
use std::os::unix::net::UnixListener;
use truehand_testkit::Cli;

#[test]
fn ten_daemons_started_over_the_leftovers_of_a_killed_one_have_one_owner() {
    let home = home("");
    let mut client = client(&home);
    ok(&mut client, "browser_list_tabs", json!({}));
    client.kill();
    kill_daemon(pid_of(&home));
    for left in ["run/daemon.sock", "run/daemon.pid", "run/daemon.lock"] {
        assert!(home.join(left).exists(), "{left}");
    }
    let mut daemons: Vec<_> = (0..10).map(|_| daemon(&home)).collect();
    let mut codes = Vec::new();
    until("the end of nine", || {
        daemons.retain_mut(|daemon| match daemon.try_wait().unwrap() {
            Some(status) => {
                codes.push(status.code());
                false
            }
            None => true,
        });
        codes.len() >= 9
    });
    assert_eq!(codes, [Some(0); 9], "they see that there is one");
    let owner = daemons.pop().expect("one stays").id();
    let cli = Cli::in_home(BINARY, home.clone());
    until("its answer", || cli.run(&["daemon", "status"]).code == 0);
    let status = cli.run(&["daemon", "status", "--json"]).expect_code(0).json();
    assert_eq!((&status["pid"], pid_of(&home)), (&json!(owner), owner));
    signal(owner, Signal::SIGTERM);
    until("its end", || !alive(owner));
}

#[test]
fn stranger_on_the_socket_is_not_taken_for_the_daemon() {
    let home = home("");
    let cli = Cli::in_home(BINARY, home.clone());
    let _ = cli.run(&["daemon", "start"]).expect_code(0);
    let _ = cli.run(&["daemon", "stop"]).expect_code(0);
    for words in ["HTTP/1.1 200 OK\r\n\r\n{}\n", ""] {
        let socket = home.join("run/daemon.sock");
        let stranger = UnixListener::bind(&socket).unwrap();
        std::thread::spawn(move || {
            for stream in stranger.incoming() {
                let mut stream = stream.unwrap();
                // What is asked is taken and answered with nonsense, or with a closed door.
                let _ = stream.read(&mut [0; 1024]);
                let _ = stream.write_all(words.as_bytes());
            }
        });
        let output = cli.run(&["tab", "list", "--json"]).expect_code(5);
        assert_eq!(output.json()["error"]["code"], "DAEMON_UNAVAILABLE", "{words}: {}", output.stdout);
        std::fs::remove_file(&socket).unwrap();
    }
    let _ = cli.run(&["tab", "list"]).expect_code(0);
}
