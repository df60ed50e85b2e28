//! What is recorded of calls on real pages, and what is not.

use crate::hands::{Hands, engine, home};
use serde_json::json;
use truehand_engine::ClientOptions;
use truehand_store::{TraceRecord, read_trace};

fn traced(path: &str) -> Hands {
    let hands = Hands::new();
    let options = ClientOptions { trace: Some(true), ..ClientOptions::default() };
    engine().client_connected(&hands.client, options).unwrap();
    hands.open(path);
    hands
}

/// The lines of one client, as text and as records.
fn lines(hands: &Hands) -> (String, Vec<TraceRecord>) {
    let entries = std::fs::read_dir(home().join("traces")).unwrap();
    let records = entries.flat_map(|entry| read_trace(&entry.unwrap().path()).unwrap());
    let own: Vec<TraceRecord> = records.filter(|r| r.client == hands.client.to_string()).collect();
    (serde_json::to_string(&own).unwrap(), own)
}

#[test]
fn row_250_trace_line_of_a_click_has_its_effect() {
    let h = traced("/count.html");
    h.ok("browser_click", json!({ "ref": "#add" }));
    let (_, records) = lines(&h);
    let tools: Vec<&str> = records.iter().map(|r| r.tool.as_str()).collect();
    assert_eq!(tools, ["browser_navigate", "browser_click"]);
    let click = &records[1];
    assert_eq!(click.arguments, json!({ "ref": "#add" }));
    assert_eq!(click.page_effect["verdict"], "changed");
    assert_eq!(click.outcome["ok"], true);
    assert!(click.verdict.starts_with("clicked "), "{}", click.verdict);
    assert!(records[0].seq < click.seq);
}

#[test]
fn row_251_trace_has_no_password_whatever_way_it_was_typed() {
    let h = traced("/login.html");
    h.ok("browser_type", json!({ "ref": "#user", "text": "ann-of-green-gables" }));
    h.ok("browser_type", json!({ "ref": "#password", "text": "Tr0ub4dor & 3" }));
    h.ok("browser_type", json!({ "ref": "#password", "text": "second-Secret", "observe_effects": false }));
    h.ok("browser_fill_form", json!({ "fields": [{ "ref": "#password", "value": "third=Secret" }] }));
    h.call("browser_type", json!({ "ref": "#nowhere", "text": "fourth-Secret" }));
    // The page tells it on: what was once seen to be secret stays hidden.
    h.js("document.title = 'Tr0ub4dor & 3'");
    h.read();
    h.call("browser_navigate", json!({ "url": h.site.url("/count.html?q=Tr0ub4dor%20%26%203") }));
    let (text, records) = lines(&h);
    for secret in ["Tr0ub4dor", "second-Secret", "third=Secret", "fourth-Secret"] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
    assert!(text.contains("ann-of-green-gables"), "{text}");
    assert_eq!(records.len(), 9);
}

#[test]
fn trace_line_of_a_picture_has_its_size_and_not_its_bytes() {
    let h = traced("/count.html");
    let shot = h.ok("browser_screenshot", json!({}));
    let (text, records) = lines(&h);
    assert!(!text.contains(&shot.images[0].base64[..40]), "{text}");
    let image = &records[1].outcome["images"][0];
    assert!(image["base64"].as_str().unwrap().ends_with(" bytes]"), "{image}");
    assert_eq!(image["width"], shot.images[0].width);
}
