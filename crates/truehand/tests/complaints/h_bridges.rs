//! Bridges between a client and a browser that drop, double or never start. There is no extension yet; what is
//! tested is the connection that is there.

use crate::relay::Relay;
use crate::{BINARY, agent_in, click, until};
use serde_json::{Value, json};
use std::sync::Arc;
use truehand_testkit::{Cli, Home, Stranger};

/// playwright#41846, #41874: the bridge drops after 30 s without traffic, and all tools fail until a restart.
#[test]
fn a_dropped_connection_is_made_anew_by_the_next_call() {
    let stranger = Stranger::start("about:blank");
    let relay = Relay::to(&stranger, false);
    let mut agent = agent_in(Arc::new(Home::new()), &["--attach", &relay.address()]);
    let url = agent.site.url("/complaints/counter.html");
    agent.ok("browser_new_tab", json!({ "url": url }));
    let tab = agent.ok("browser_current_tab", json!({})).structured["tab_id"].clone();
    relay.cut();
    // The browser kept the page, and so the next call finds it under its handle.
    let tabs = agent.ok("browser_list_tabs", json!({}));
    let tabs = tabs.structured["tabs"].as_array().unwrap().clone();
    assert!(tabs.iter().any(|known| known["url"] == url && known["tab_id"] == tab), "{tabs:?}");
    let clicked = agent.ok("browser_click", json!({ "ref": "#b", "tab_id": tab }));
    assert_eq!(clicked.structured["page_effect"]["verdict"], "changed");
    assert_eq!(relay.connections(), 2);
}

fn doctor(home: &Arc<Home>) -> (Vec<Value>, String) {
    let report = Cli::in_home(BINARY, Arc::clone(home)).run(&["doctor", "--json"]).json();
    (report["checks"].as_array().unwrap().clone(), report.to_string())
}

/// claude-code#79445, #79985, #84236, #20316: two hosts fight for one extension, and "not connected" stays for good.
#[test]
fn two_servers_share_one_daemon_and_doctor_names_it() {
    let home = Arc::new(Home::new());
    let mut agents = [agent_in(Arc::clone(&home), &[]), agent_in(Arc::clone(&home), &[])];
    for agent in &mut agents {
        agent.open("/complaints/counter.html");
        click(agent, "#b");
    }
    let pid = home.daemon_pid().expect("one daemon").to_string();
    let (_, report) = doctor(&home);
    assert!(report.contains(&pid), "the daemon that serves both is not named: {report}");
}

/// mcp-chrome#187, #298: connected, and yet the service is not started.
#[test]
fn doctor_finds_a_daemon_that_died_and_the_next_call_starts_one() {
    let home = Arc::new(Home::new());
    let mut agent = agent_in(Arc::clone(&home), &[]);
    agent.open("/complaints/counter.html");
    let pid = home.daemon_pid().expect("a daemon");
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::Signal::SIGKILL).unwrap();
    until("the end of the daemon", || home.daemon_pid().is_none());
    let (checks, report) = doctor(&home);
    let problem = checks.iter().any(|c| c["code"].as_str().is_some_and(|code| code.contains("DAEMON")));
    assert!(problem, "{report}");
    let url = agent.site.url("/complaints/counter.html");
    let mut reply = agent.call("browser_navigate", json!({ "url": url }));
    if reply.code() == "DAEMON_UNAVAILABLE" {
        reply = agent.call("browser_navigate", json!({ "url": url }));
    }
    assert!(!reply.is_error, "{}", reply.text);
    click(&mut agent, "#b");
}
