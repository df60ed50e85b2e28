//! The trap pages: success is claimed if and only if the page says that the goal was reached.

use crate::hands::{Hands, effect, reference_in};
use serde_json::{Value, json};
use truehand_base::{Outcome, PageEffect, Verdict};

/// One row of the manifest.
fn rows() -> Vec<Value> {
    let path = truehand_testkit::fixtures().join("pages/traps/manifest.json");
    let text = std::fs::read_to_string(path).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The target of a step as a tool takes it.
fn target(h: &Hands, what: &Value) -> String {
    if let Some(css) = what["css"].as_str() {
        return css.to_owned();
    }
    let (role, name) = (what["role"].as_str().unwrap(), what["name"].as_str().unwrap());
    if what.get("frame").is_none() {
        return format!("role={role}[name=\"{name}\"]");
    }
    let text = h.read();
    reference_in(&text, &format!("{role} \"{name}\"")).unwrap_or_else(|| panic!("{role} {name} in:\n{text}"))
}

/// Does one step; none when it is only a pause.
fn step(h: &Hands, op: &Value) -> Option<Outcome> {
    let (kind, what) = op
        .as_object()
        .unwrap()
        .iter()
        .find(|(k, _)| !matches!(k.as_str(), "text" | "to" | "value" | "dy" | "ms"))
        .unwrap();
    let outcome = match kind.as_str() {
        "click" => h.call("browser_click", json!({ "ref": target(h, what), "auto_dismiss": true })),
        "type" => h.call("browser_type", json!({ "ref": target(h, what), "text": op["text"] })),
        "select" => h.call("browser_select", json!({ "ref": target(h, what), "values": [op["value"]] })),
        "drag" => h.call("browser_drag", json!({ "from": target(h, what), "to": target(h, &op["to"]) })),
        "hover" => h.call("browser_hover", json!({ "ref": target(h, what) })),
        "scroll" => h.call("browser_scroll", json!({ "dy": op["dy"] })),
        "wait" => h.call("browser_wait_for", json!({ "text": what, "timeout_ms": op["ms"] })),
        "dialog" => h.call("browser_dialog", json!({ "action": what, "text": op["text"] })),
        "clickAt" => {
            let css = what["css"].as_str().unwrap();
            let place = h.js(&format!("(() => {{ const r = document.querySelector('{css}').getBoundingClientRect(); return [r.x, r.y]; }})()"));
            let at = |i: usize, d: &str| place[i].as_f64().unwrap() + what[d].as_f64().unwrap();
            h.call("browser_click_at", json!({ "x": at(0, "dx"), "y": at(1, "dy") }))
        }
        "sleep" => {
            h.call("browser_wait_for_idle", json!({ "timeout_ms": what }));
            return None;
        }
        other => panic!("the manifest has an unknown step {other}"),
    };
    Some(outcome)
}

/// Whether the effect shows in the channel that the manifest names.
fn shows(channel: &str, effect: &PageEffect) -> bool {
    match channel {
        "dom" => {
            effect.dom.added + effect.dom.removed + effect.dom.text_changes + effect.dom.attr_changes > 0
        }
        "attr" => effect.dom.attr_changes > 0,
        "url" => effect.url.changed,
        "network" => effect.network.requests_started > 0,
        "popup" => !effect.tabs.opened.is_empty(),
        "none" => effect.verdict != Verdict::Changed,
        other => panic!("the manifest has an unknown channel {other}"),
    }
}

#[test]
fn trap_pages_are_claimed_done_exactly_when_they_are() {
    let mut wrong = Vec::new();
    for row in rows() {
        let id = row["id"].as_str().unwrap();
        let h = Hands::at(&format!("/traps/{}", row["file"].as_str().unwrap()));
        let outcomes: Vec<Outcome> =
            row["ops"].as_array().unwrap().iter().filter_map(|op| step(&h, op)).collect();
        let claimed = outcomes.iter().all(Outcome::ok);
        let truth = h.js("window.__truth");
        let landed = h.site.landings(id) > 0;
        let done = (truth["done"] == true || landed) && truth["wrong"] == false;
        let last = outcomes.iter().rev().find(|o| o.page_effect.is_some());
        let seen = last
            .is_none_or(|o| row["possible"] == false || shows(row["effect"].as_str().unwrap(), effect(o)))
            || outcomes
                .iter()
                .any(|o| o.page_effect.as_ref().is_some_and(|e| shows(row["effect"].as_str().unwrap(), e)));
        if claimed != done || done != (row["possible"] == true) || !seen {
            let said: Vec<String> = outcomes.iter().map(crate::hands::verdict).collect();
            wrong.push(format!(
                "{id}: claimed {claimed}, done {done}, effect shown {seen}; {said:?}; truth {truth}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
