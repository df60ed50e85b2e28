//! Login, profile, attach.

use crate::relay::Relay;
use crate::{agent_in, click, timed, until};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use truehand_testkit::{Agent, Home, Site, Stranger};

fn attached(address: &str) -> Agent {
    agent_in(Arc::new(Home::new()), &["--attach", address])
}

/// chrome-devtools-mcp#775, #2114, playwright-mcp#1757: one frozen tab stops the whole attach for 30 s.
#[test]
fn an_attach_is_not_held_up_by_a_frozen_tab() {
    let site = Site::start_blocking();
    let stranger = Stranger::start("about:blank");
    let address = stranger.address();
    stranger.open(&site.url("/complaints/counter.html"));
    // On the other host, and so in a process of its own.
    stranger.open(&site.other_host_url("/complaints/wedges.html?now"));
    // The page says so in the last moment before it freezes.
    until("the frozen page", || site.count("POST", "/frozen") > 0);
    let mut agent = attached(&address);
    let (tabs, took) = timed(|| agent.ok("browser_list_tabs", json!({})));
    assert!(took < Duration::from_secs(8), "{took:?}");
    let tabs = tabs.structured["tabs"].as_array().unwrap().clone();
    let of = |part: &str| {
        tabs.iter()
            .find(|t| t["url"].as_str().unwrap().contains(part))
            .unwrap_or_else(|| panic!("{part}: {tabs:?}"))["tab_id"]
            .clone()
    };
    let counter = of("counter");
    let (clicked, took) = timed(|| agent.ok("browser_click", json!({ "ref": "#b", "tab_id": counter })));
    assert!(took < Duration::from_secs(4), "{took:?}: {}", clicked.text);
    let (refused, took) = timed(|| agent.call("browser_read", json!({ "tab_id": of("wedges") })));
    assert_eq!(refused.code(), "PAGE_UNRESPONSIVE", "{}", refused.text);
    assert!(took < Duration::from_secs(12), "{took:?}");
}

/// chrome-devtools-mcp#825, #1794, agent-browser#962, #1365: the browser asks for consent at each connection.
#[test]
fn a_daemon_connects_to_a_browser_once_for_all_calls_and_clients() {
    let stranger = Stranger::start("about:blank");
    let relay = Relay::to(&stranger, false);
    let home = Arc::new(Home::new());
    let args = ["--attach", &relay.address()];
    let mut first = agent_in(Arc::clone(&home), &args);
    let mut second = agent_in(home, &args);
    for agent in [&mut first, &mut second] {
        let url = agent.site.url("/complaints/counter.html");
        agent.ok("browser_new_tab", json!({ "url": url }));
        click(agent, "#b");
        agent.ok("browser_read", json!({}));
    }
    assert_eq!(relay.connections(), 1);
}

/// chrome-devtools-mcp#2778: consent and the host's limit of 60 s block each other: the host kills the server.
#[test]
fn a_browser_that_waits_for_consent_is_told_long_before_a_host_gives_up() {
    let stranger = Stranger::start("about:blank");
    let relay = Relay::to(&stranger, true);
    let mut agent = attached(&relay.address());
    let (told, took) = timed(|| agent.call("browser_list_tabs", json!({})));
    assert!(took < Duration::from_secs(12), "{took:?}");
    assert!(told.is_error && told.text.contains("consent"), "{}", told.text);
    relay.consent();
    let mut last = String::new();
    until("a tab after consent", || {
        let opened = agent.call("browser_new_tab", json!({}));
        last.clone_from(&opened.text);
        !opened.is_error
    });
    assert_eq!(relay.connections(), 1, "consent is asked once: {last}");
}

/// playwright-mcp#584, soleur PR#3665, mcp-playwright#147: the login dies with an idle browser.
#[test]
fn a_login_outlives_the_browser_and_the_daemon() {
    let home = Arc::new(Home::new());
    let site = Site::start_blocking();
    let url = site.url("/complaints/keeps.html");
    let mut agent = agent_in(Arc::clone(&home), &["--profile", "mine"]);
    agent.ok("browser_navigate", json!({ "url": url }));
    click(&mut agent, "#in");
    drop(agent);
    until("the end of the daemon", || home.daemon_pid().is_none());
    let mut agent = agent_in(home, &["--profile", "mine"]);
    agent.ok("browser_navigate", json!({ "url": url }));
    assert!(agent.read().contains("Signed in as Ada"));
    assert_eq!(agent.js("localStorage.user"), "ada");
}
