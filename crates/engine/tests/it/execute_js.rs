//! Running JavaScript in the page: a person's yes, the value, the effect.

use crate::hands::{Hands, effect};
use serde_json::json;
use truehand_base::{ErrorCode, Verdict};

#[test]
fn row_211_execute_js_needs_consent_and_returns_the_value() {
    let h = Hands::at("/count.html");
    let code = "document.getElementById('n').textContent = '7'; 6 * 7";
    h.fails("browser_execute_js", json!({ "script": code }), ErrorCode::ApprovalRequired);
    assert_eq!(h.js("document.getElementById('n').textContent"), "0", "nothing ran without consent");
    let ran = h.approved("browser_execute_js", json!({ "script": code }));
    assert_eq!((&ran.output["result"], &ran.output["observed"]), (&json!(42), &json!(true)), "{ran:#?}");
    assert_eq!(effect(&ran).verdict, Verdict::Changed);
    let unseen = h.approved("browser_execute_js", json!({ "script": "1", "observe_effects": false }));
    assert_eq!((&unseen.output["observed"], unseen.page_effect), (&json!(false), None));
}

#[test]
fn row_227_execute_js_that_clicks_a_button_reports_the_counters() {
    let h = Hands::at("/exact.html");
    let ran = h.approved("browser_execute_js", json!({ "script": "document.getElementById('go').click()" }));
    let dom = &effect(&ran).dom;
    assert_eq!((dom.added, dom.removed, dom.attr_changes, dom.text_changes), (3, 2, 1, 1), "{ran:#?}");
}

#[test]
fn execute_js_waits_for_a_promise_and_reports_a_throw() {
    let h = Hands::at("/count.html");
    let ran =
        h.approved("browser_execute_js", json!({ "script": "fetch('/api/echo?n=5').then((r) => r.text())" }));
    assert_eq!(ran.output["result"], "5");
    let threw = h.approved("browser_execute_js", json!({ "script": "nothing.here" }));
    let message = &threw.error.as_ref().unwrap().message;
    assert!(message.contains("nothing is not defined"), "{message}");
    assert_eq!(h.js("1 + 1"), 2);
}
