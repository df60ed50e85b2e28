//! Waiting for something, and for quiet.

use crate::hands::Hands;
use serde_json::json;
use truehand_base::ErrorCode;

#[test]
fn row_207_wait_for_text_selector_and_address_ends_when_they_come() {
    for condition in
        [json!({ "text": "The door is open" }), json!({ "selector": "#ready" }), json!({ "url": "open=1" })]
    {
        let h = Hands::at("/delayed.html");
        h.ok("browser_click", json!({ "ref": "#start" }));
        let mut arguments = condition.clone();
        arguments["timeout_ms"] = json!(5000);
        h.ok("browser_wait_for", arguments);
        assert_eq!(h.js("document.getElementById('ready') !== null"), true, "{condition}");
    }
}

#[test]
fn row_207_wait_for_something_that_never_comes_is_a_timeout_with_the_last_state() {
    let h = Hands::at("/delayed.html");
    let waited =
        h.fails("browser_wait_for", json!({ "text": "Zebra", "timeout_ms": 300 }), ErrorCode::Timeout);
    let told = format!("{:?} {:?}", waited.error, waited.text);
    assert!(told.contains("Delayed"), "the last observed state is told: {told}");
    h.fails("browser_wait_for", json!({ "selector": "#ready", "timeout_ms": 300 }), ErrorCode::Timeout);
    h.fails("browser_wait_for", json!({ "url": "open=1", "timeout_ms": 300 }), ErrorCode::Timeout);
}

#[test]
fn wait_for_a_text_to_go_ends_when_it_is_gone() {
    let h = Hands::at("/delayed.html");
    h.ok("browser_click", json!({ "ref": "#start" }));
    h.ok("browser_wait_for", json!({ "text": "The door is open", "timeout_ms": 5000 }));
    h.ok("browser_wait_for", json!({ "text_gone": "The door is open", "timeout_ms": 5000 }));
    assert_eq!(h.js("document.getElementById('hint') === null"), true);
}

#[test]
fn row_208_wait_for_with_then_click_and_then_type_does_both_in_order() {
    let h = Hands::at("/delayed.html");
    h.ok("browser_click", json!({ "ref": "#start" }));
    h.ok("browser_wait_for", json!({ "selector": "#ready", "timeout_ms": 5000, "then_click": "#ready" }));
    assert_eq!(h.log(), "start continue");
    h.ok(
        "browser_wait_for",
        json!({ "selector": "#code", "timeout_ms": 5000, "then_click": "#ready", "then_type": { "ref": "#code", "text": "77" } }),
    );
    assert_eq!(h.log(), "start continue continue typed:77");
}

#[test]
fn row_209_wait_for_idle_ends_when_network_and_page_are_quiet() {
    let h = Hands::at("/quiet.html");
    h.ok("browser_click", json!({ "ref": "#busy", "observe_effects": false }));
    h.ok("browser_wait_for_idle", json!({ "timeout_ms": 10000 }));
    let log = h.log();
    assert!(log.ends_with("done"), "it was still busy: {log}");
}

#[test]
fn row_209_wait_for_idle_on_a_polling_page_is_a_timeout() {
    let h = Hands::at("/polling.html");
    h.fails("browser_wait_for_idle", json!({ "timeout_ms": 1200 }), ErrorCode::Timeout);
    h.ok("browser_click", json!({ "ref": "#live" }));
    assert_eq!(h.log(), "live");
}

#[test]
fn wait_for_a_text_finds_it_in_a_frame_that_comes_later() {
    let h = Hands::at("/count.html");
    let add = "setTimeout(() => document.body.append(Object.assign(document.createElement('iframe'), \
               { src: otherHost('/frame/level.html?n=3') })), 700)";
    h.js(add);
    h.ok("browser_wait_for", json!({ "text": "Level 3", "timeout_ms": 8000 }));
}
