//! Calls of page functions by scripts: references that the acting tools take, elements by handle, names outside the table.

use crate::hands::{Hands, effect};
use crate::page_frames::frames;
use serde_json::json;
use truehand_base::{ErrorCode, Verdict};

#[test]
fn page_call_finds_an_element_in_a_frame_and_its_reference_can_be_clicked() {
    let h = Hands::at("/frames.html");
    for frame in &frames(&h, 3)[1..] {
        let target = json!({ "kind": "role", "role": "button", "name": "Frame press", "exact": true });
        let call = json!({ "frame": frame["frame"], "fn": "locate", "args": { "target": target } });
        let found = h.ok("page_call", call).output["value"].clone();
        assert_eq!(found["status"], "ok", "{found:#?}");
        let reference = found["ref"].as_str().unwrap();
        assert!(reference.starts_with('f'), "{reference}");
        h.ok("browser_click", json!({ "ref": reference }));
        let said = json!({ "frame": frame["frame"], "source": "() => document.querySelector('#said').textContent", "function": true, "pure": true });
        assert_eq!(h.ok("page_evaluate", said).output["value"]["v"], "frame pressed");
    }
}

#[test]
fn page_call_tells_a_problem_as_a_value_and_refuses_what_is_not_in_its_table() {
    let h = Hands::at("/controls.html");
    let target = json!({ "kind": "css", "css": "#nowhere" });
    let missing = h.ok("page_call", json!({ "fn": "locate", "args": { "target": target } }));
    assert_eq!(missing.output["value"]["status"], "none");
    for name in ["setField", "call", "constructor", "__proto__", "ready"] {
        let refused = h.approved("page_call", json!({ "fn": name }));
        assert_eq!(refused.error.map(|e| e.code), Some(ErrorCode::InvalidArguments), "{name}");
        h.fails("page_call", json!({ "fn": name }), ErrorCode::ApprovalRequired);
    }
}

#[test]
fn page_call_gives_elements_by_handle_that_both_worlds_know() {
    let h = Hands::at("/controls.html");
    let made = h.ok("page_evaluate", json!({ "source": "() => document.querySelector('button')", "function": true, "pure": true, "returns": "handle" }));
    let handle = made.output["handle"]["id"].as_str().unwrap().to_owned();
    assert_eq!(made.output["handle"]["type"], "node", "{made:#?}");
    // Made in the page's world, used in ours.
    let named = h.ok("page_call", json!({ "fn": "scriptRef", "handles": [handle] }));
    assert_eq!(named.output["value"]["name"], "Save draft", "{named:#?}");
    // And the same reference by the other door.
    let asked = h.ok("page_handle", json!({ "op": "ref", "handles": [handle] }));
    assert_eq!(asked.output["results"][0]["ref"], named.output["value"]["ref"]);
    let clicked = h.ok("browser_click", json!({ "ref": named.output["value"]["ref"] }));
    assert_ne!(effect(&clicked).verdict, Verdict::Blocked);
    h.open("/count.html");
    h.fails("page_call", json!({ "fn": "scriptRef", "handles": [handle] }), ErrorCode::HandleGone);
}
