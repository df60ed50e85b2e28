//! Dialogs: told, never swallowed, never answered for the user, and nothing hangs behind them.

use crate::{agent, at, click, effect, timed};
use serde_json::json;
use std::time::Duration;

/// Far above what a call takes, far below the three minutes that others hang.
const SOON: Duration = Duration::from_secs(4);

/// chrome-devtools-mcp#2426: a confirm from a timer freezes everything for about 180 s, even its own handler.
#[test]
fn a_confirm_from_a_timer_holds_up_no_call() {
    let mut agent = at("confirms");
    for (target, message) in [("#now", "Now?"), ("#soon", "Soon?"), ("#later", "Later?")] {
        let (_, took) = timed(|| agent.ok("browser_click", json!({ "ref": target })));
        assert!(took < SOON, "{target}: {took:?}");
        let waited = agent.call("browser_wait_for", json!({ "text": "never there", "timeout_ms": 3000 }));
        assert_eq!(waited.code(), "DIALOG_OPEN", "{}", waited.text);
        for tool in ["browser_read", "browser_screenshot", "browser_list_tabs"] {
            let (reply, took) = timed(|| agent.call(tool, json!({})));
            assert!(took < SOON, "{tool} behind {target}: {took:?}");
            assert!(!reply.is_error || reply.code() == "DIALOG_OPEN", "{tool}: {}", reply.text);
        }
        let (answered, took) = timed(|| agent.ok("browser_dialog", json!({ "action": "accept" })));
        assert!(took < SOON && answered.text.contains(message), "{took:?}: {}", answered.text);
    }
    assert_eq!(agent.log(), "now:true soon:true later:true");
}

/// chrome-devtools-mcp#1069: a confirm still stalls the client.
#[test]
fn a_confirm_is_told_by_the_click_and_answered_by_the_very_next_call() {
    let mut agent = at("confirms");
    for (target, kind) in [("#now", "now"), ("#soon", "soon")] {
        let clicked = agent.ok("browser_click", json!({ "ref": target }));
        let dialog = &effect(&clicked)["dialogs"][0];
        assert_eq!(
            (&dialog["type"], &dialog["handling"]),
            (&json!("confirm"), &json!("open")),
            "{}",
            clicked.text
        );
        assert!(clicked.text.contains("browser_dialog"), "{}", clicked.text);
        agent.ok("browser_dialog", json!({ "action": "dismiss" }));
        assert!(agent.log().ends_with(&format!("{kind}:false")));
    }
}

/// playwright#42817: an alert while the page loads blocks the navigation for its whole time.
#[test]
fn an_alert_while_loading_is_told_with_the_navigation() {
    let mut agent = agent();
    let url = agent.site.url("/complaints/greets.html");
    let (opened, took) = timed(|| agent.ok("browser_navigate", json!({ "url": url })));
    assert!(took < SOON + SOON, "{took:?}");
    assert_eq!(effect(&opened)["dialogs"][0]["message"], "Welcome", "{}", opened.text);
    click(&mut agent, "#b");
    assert_eq!(agent.log(), "after");
}

/// chrome-devtools-mcp#2424: after a script's dialog was answered, all tools say that one is open.
#[test]
fn a_dialog_that_was_answered_is_not_told_as_open() {
    let mut agent = at("first");
    agent.ok("browser_dialog", json!({ "action": "accept" }));
    let ran = agent.ok("browser_execute_js", json!({ "script": "confirm('Sure?')" }));
    assert_eq!(ran.structured["result"], true, "{}", ran.text);
    agent.ok("browser_execute_js", json!({ "script": "alert('Told')" }));
    click(&mut agent, "#danger");
    let read = agent.ok("browser_read", json!({}));
    assert!(!read.text.contains("DIALOG_OPEN"), "{}", read.text);
    assert_eq!(agent.log(), "first-deleted");
}

/// browser-use: confirm() is accepted automatically, deletions included; agent-browser hides an alert's text.
#[test]
fn a_confirm_waits_for_a_decision_and_nothing_is_deleted_before() {
    let mut agent = at("confirms");
    let asked = agent.ok("browser_click", json!({ "ref": "#delete" }));
    assert!(asked.text.contains("Delete the account?"), "{}", asked.text);
    agent.fails("browser_click", json!({ "ref": "#now" }), "DIALOG_OPEN");
    assert_eq!(agent.site.count("POST", "/delete-account"), 0);
    agent.ok("browser_dialog", json!({ "action": "dismiss" }));
    assert_eq!(agent.log(), "kept");
    agent.ok("browser_click", json!({ "ref": "#delete" }));
    assert_eq!(agent.site.count("POST", "/delete-account"), 0);
    let accepted = agent.ok("browser_dialog", json!({ "action": "accept" }));
    assert_eq!(effect(&accepted)["network"]["sent"][0]["path"], "/delete-account", "{}", accepted.text);
    assert_eq!(agent.site.count("POST", "/delete-account"), 1);
}
