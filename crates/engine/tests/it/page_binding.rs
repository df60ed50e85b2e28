//! Functions of a script that pages call, and scripts that run in new documents.

use crate::hands::Hands;
use crate::heard::Ears;
use serde_json::{Value, json};
use truehand_base::ErrorCode;

fn give(h: &Hands, name: &str) {
    let given = h.approved("page_binding", json!({ "name": name }));
    assert!(given.ok(), "{given:#?}");
}

#[test]
fn page_calls_a_function_of_a_script_and_gets_what_it_gives() {
    let h = Hands::at("/popups.html");
    let mut ears = Ears::of(&h, &[]);
    h.fails("page_binding", json!({ "name": "add" }), ErrorCode::ApprovalRequired);
    give(&h, "add");
    h.js("void (window.__got = add(1, { b: [2n] }).then((sum) => `sum ${sum}`, (e) => `${e.name}: ${e.message}`))");
    let call = ears.any("binding");
    assert_eq!(call["name"], "add");
    assert_eq!(call["args"]["t"][0]["a"][0], json!(1));
    let answer = json!({ "tab_id": call["tab_id"], "call": call["call"], "value": { "v": 3 } });
    assert!(h.approved("page_binding_answer", answer.clone()).ok());
    assert_eq!(h.js("window.__got"), "sum 3");
    let again = h.approved("page_binding_answer", answer);
    assert_eq!(again.error.map(|e| e.code), Some(ErrorCode::RequestGone));
    h.js("void (window.__got = add().catch((e) => `${e.name}: ${e.message}`))");
    let call = ears.any("binding");
    let error = json!({ "name": "RangeError", "message": "too much" });
    assert!(h.approved("page_binding_answer", json!({ "call": call["call"], "error": error })).ok());
    assert_eq!(h.js("window.__got"), "RangeError: too much");
    let raw =
        "Object.getOwnPropertyNames(window).filter((name) => name.startsWith('__truehand_bound__')).length";
    assert_eq!(h.js(raw), 0, "no raw function is left");
}

#[test]
fn function_of_a_script_is_there_before_scripts_of_new_documents_frames_and_tabs() {
    let h = Hands::at("/popups.html");
    let mut ears = Ears::of(&h, &[]);
    give(&h, "tell");
    give(&h, "other");
    let script = json!({ "source": "tell('at ' + location.pathname)" });
    let added = h.approved("page_init_script", script);
    assert!(added.ok(), "{added:#?}");
    h.open("/frames.html");
    let at = |path: &'static str| move |e: &Value| e["args"]["t"][0]["a"][0] == format!("at {path}");
    let page = ears.first("binding", at("/frames.html"));
    // Two frames, one of them of another site and so in another process.
    let inner = [(); 2].map(|()| ears.first("binding", at("/frame/effect.html"))["frame"].clone());
    assert!(inner[0] != inner[1] && !inner.contains(&page["frame"]), "{inner:?}");
    assert_eq!(h.js("typeof tell + typeof other"), "functionfunction");
    let url = h.site.url("/tab-a.html");
    h.ok("browser_new_tab", json!({ "url": url }));
    let call = ears.first("binding", |e| e["args"]["t"][0]["a"][0] == "at /tab-a.html");
    assert_eq!(call["tab_id"], "t2");
    assert!(h.approved("page_init_script", json!({ "remove": added.output["script"] })).ok());
    assert!(h.approved("page_binding", json!({ "name": "tell", "remove": true })).ok());
    ears.events.clear();
    h.open("/tab-b.html");
    assert_eq!(h.js("typeof tell + typeof other"), "undefinedfunction");
    assert!(ears.none("binding"), "{:#?}", ears.events);
}

#[test]
fn name_that_is_none_and_script_that_is_not_there_are_refused() {
    let h = Hands::at("/popups.html");
    let refused = h.approved("page_binding", json!({ "name": "a b" }));
    assert_eq!(refused.error.map(|e| e.code), Some(ErrorCode::InvalidArguments));
    assert_eq!(h.approved("page_init_script", json!({ "remove": 99 })).output["removed"], false);
    let refused = h.approved("page_init_script", json!({}));
    assert_eq!(refused.error.map(|e| e.code), Some(ErrorCode::InvalidArguments));
    let refused = h.approved("page_binding_answer", json!({ "call": "x", "value": { "v": 1 } }));
    assert_eq!(refused.error.map(|e| e.code), Some(ErrorCode::InvalidArguments));
}
