//! Processes, clients, time and memory.

use crate::{BINARY, agent_in, alive, at, click, effect, family, lone_agent, timed, until, verdict};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};
use truehand_testkit::{Agent, Home, McpClient, Stranger};

/// playwright-mcp#1568, #1634, claude-code#78551, codex#17832: 26 orphaned browsers and 13 GB.
#[test]
fn a_killed_client_behind_a_shell_leaves_no_process_5_s_later() {
    let command = format!("{BINARY} mcp; exit $?");
    let mut client = McpClient::spawn("/bin/sh", &["-c", &command], &[]);
    client.initialize("2025-11-25");
    assert!(!client.call("browser_navigate", json!({ "url": "about:blank" })).is_error);
    let daemon: u32 = client.home().daemon_pid().expect("a daemon").try_into().unwrap();
    let mut all = family(client.pid());
    all.extend(family(daemon));
    all.push(daemon);
    assert!(all.len() > 3, "shell, server, daemon, browser: {all:?}");
    client.kill();
    client.close_stdin();
    let killed = Instant::now();
    until("the end of all that it started", || !all.iter().any(|pid| alive(*pid)));
    // The issue's own limit is 5 s on an idle machine.
    assert!(killed.elapsed() < Duration::from_secs(10), "{:?}", killed.elapsed());
}

/// playwright-mcp#769, #1594, #713: the second client hears that the browser is already in use.
#[test]
fn two_clients_at_once_both_navigate() {
    for args in [&[][..], &["--profile", "shared"][..]] {
        let home = Arc::new(Home::new());
        let mut agents = [0, 1].map(|_| agent_in(Arc::clone(&home), args));
        for (agent, page) in agents.iter_mut().zip(["first", "second"]) {
            let url = agent.site.url(&format!("/complaints/{page}.html"));
            agent.ok("browser_new_tab", json!({ "url": url }));
        }
        for (agent, page) in agents.iter_mut().zip(["first", "second"]) {
            click(agent, "#danger");
            assert_eq!(agent.log(), format!("{page}-deleted"), "{args:?}");
        }
    }
}

/// chrome-devtools-mcp#1245, #1019: two agents share a selected page and act on the wrong one.
#[test]
fn two_clients_interleaved_100_times_act_on_their_own_pages_only() {
    let mut agents = [at("counter"), at("counter")];
    for _ in 0..50 {
        let calls = agents.each_mut().map(|agent| {
            agent.client.begin_call("browser_click", json!({ "ref": "#b", "observe_effects": false }))
        });
        for (agent, call) in agents.iter_mut().zip(calls) {
            let clicked = agent.client.end_call(call);
            assert!(!clicked.is_error, "{}", clicked.text);
        }
    }
    for agent in &mut agents {
        assert_eq!(agent.js("count"), 50);
    }
}

/// agent-browser#1219, #384, PR#1657: opening or closing a tab moves the target silently.
#[test]
fn a_popup_is_announced_and_the_current_tab_stays() {
    let mut agent = at("opener");
    let own = agent.ok("browser_current_tab", json!({})).structured["tab_id"].clone();
    let mut opened = Vec::new();
    for target in ["#link", "#window"] {
        let clicked = click(&mut agent, target);
        let tab = effect(&clicked)["tabs"]["opened"][0]["tab_id"].clone();
        assert!(clicked.text.contains(tab.as_str().unwrap()), "{}", clicked.text);
        opened.push(tab);
        assert_eq!(agent.ok("browser_current_tab", json!({})).structured["tab_id"], own);
    }
    for tab in opened {
        agent.ok("browser_close_tab", json!({ "tab_id": tab }));
        assert_eq!(agent.ok("browser_current_tab", json!({})).structured["tab_id"], own);
    }
    click(&mut agent, "#stay");
    assert_eq!(agent.log(), "stayed");
}

/// agent-browser#1713, #1741, browser-use#4579: one stuck page blocks every command, close included.
#[test]
fn a_wedged_tab_is_told_in_5_s_holds_up_no_other_and_can_be_closed() {
    let mut agent = lone_agent();
    agent.open("/complaints/counter.html");
    let url = agent.site.url("/complaints/wedges.html");
    let wedged = agent.ok("browser_new_tab", json!({ "url": url })).structured["tab_id"].clone();
    let (told, took) = timed(|| agent.call("browser_click", json!({ "ref": "#wedge" })));
    assert_eq!(told.code(), "PAGE_UNRESPONSIVE", "{}", told.text);
    assert!(took < Duration::from_secs(8), "{took:?}");
    let tabs = agent.ok("browser_list_tabs", json!({})).structured["tabs"].clone();
    let other =
        tabs.as_array().unwrap().iter().find(|tab| tab["tab_id"] != wedged).unwrap()["tab_id"].clone();
    let (clicked, took) = timed(|| agent.ok("browser_click", json!({ "ref": "#b", "tab_id": other })));
    assert!(verdict(&clicked) == "changed" && took < Duration::from_secs(3), "{took:?}");
    let (_, took) = timed(|| agent.ok("browser_close_tab", json!({ "tab_id": wedged })));
    assert!(took < Duration::from_secs(6), "{took:?}");
}

/// chrome-devtools-mcp#2675, reports of -32001: the host gives up at 60 s, and the work may have happened.
#[test]
fn a_long_job_is_answered_with_a_handle_and_runs_once() {
    let home = Arc::new(Home::new());
    home.write("config.toml", "[tasks]\nanswer_ms = 4000\n");
    let mut agent = agent_in(home, &[]);
    agent.open("/complaints/counter.html");
    let script =
        "fetch('/job', { method: 'POST' }).then(() => new Promise((done) => setTimeout(done, 7000, 'paid')))";
    let (told, took) = timed(|| agent.call("browser_execute_js", json!({ "script": script })));
    assert!(took < Duration::from_millis(6_500), "{took:?}: {}", told.text);
    let task =
        told.structured["task"]["task_id"].as_str().unwrap_or_else(|| panic!("{}", told.text)).to_owned();
    assert!(told.text.contains(&task) && told.structured["ok"] == false, "{}", told.text);
    let mut result = told;
    until("the result of the job", || {
        result = agent.call("task_wait", json!({ "task_id": task }));
        result.structured["task"]["status"] != "running"
    });
    assert_eq!(result.structured["result"], "paid", "{}", result.text);
    assert_eq!(agent.site.count("POST", "/job"), 1);
}

/// chrome-devtools-mcp#1192, #2431, #2456, playwright-mcp#1636: the server's memory grows for hours.
///
/// The bound of 5,000 navigations is kept by a test of load; this one walks a shorter way.
#[test]
fn navigation_after_navigation_leaves_the_daemons_memory_flat() {
    let mut agent = lone_agent();
    let pages = ["first", "second"].map(|page| agent.site.url(&format!("/complaints/{page}.html")));
    let walk = |agent: &mut Agent, count: usize| {
        for n in 0..count {
            agent.ok("browser_navigate", json!({ "url": pages[n % 2], "observe_effects": false }));
        }
    };
    walk(&mut agent, 60);
    let daemon = agent.client.home().daemon_pid().expect("a daemon");
    let before = resident_kb(daemon);
    walk(&mut agent, 60);
    let grown = resident_kb(daemon).saturating_sub(before);
    assert!(grown < 10 * 1024, "the daemon grew by {grown} KB");
}

/// The resident memory of a process.
fn resident_kb(pid: i32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// chrome-devtools-mcp#1254, #2290, claude-code#39707: each call pulls the browser to the front, keystrokes go astray.
#[test]
fn no_call_takes_the_focus_from_the_page_that_has_it() {
    let stranger = Stranger::start("about:blank");
    let mut agent = agent_in(Arc::new(Home::new()), &["--attach", &stranger.address()]);
    let url = agent.site.url("/complaints/focus.html");
    let theirs = agent.ok("browser_new_tab", json!({ "url": url })).structured["tab_id"].clone();
    agent.ok("browser_click", json!({ "ref": "#note" }));
    let before = agent.js_in(&theirs, "[document.hasFocus(), document.visibilityState, told.length]");
    let url = agent.site.url("/complaints/counter.html");
    let ours = agent.ok("browser_new_tab", json!({ "url": url })).structured["tab_id"].clone();
    for (tool, arguments) in [
        ("browser_click", json!({ "ref": "#b" })),
        ("browser_read", json!({})),
        ("browser_screenshot", json!({})),
        ("browser_press", json!({ "keys": ["Tab"] })),
        ("browser_select_tab", json!({ "tab_id": ours })),
        ("browser_reload", json!({})),
    ] {
        agent.ok(tool, arguments);
    }
    let after = agent.js_in(&theirs, "[document.hasFocus(), document.visibilityState, told.length]");
    assert_eq!(before, after, "{}", agent.js_in(&theirs, "told"));
    assert_eq!(agent.js_in(&theirs, "document.activeElement.id"), "note");
}
