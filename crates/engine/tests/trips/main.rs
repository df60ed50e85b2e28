//! How often each tool goes to the browser and waits. A command that waits for the answer of another costs a whole
//! round trip; commands that are sent together cost one. This program has one test: it counts a whole process.

#![expect(clippy::unwrap_used, reason = "a test's helper may fail the test")]

#[path = "../it/hands.rs"]
#[expect(dead_code, reason = "shared with the tests of the tools, which use all of it")]
mod hands;
mod wire;

use hands::Hands;
use serde_json::{Value, json};
use std::time::Duration;

/// The most round trips that a tool may need on a page at rest, and why it needs them.
const LIMITS: [(&str, usize, &str); 18] = [
    ("browser_read", 1, "one walk of the page"),
    ("browser_read diff", 1, "one walk of the page"),
    ("browser_quick_read", 1, "one walk of the page"),
    ("browser_find", 1, "one walk of the page"),
    ("browser_current_tab", 0, "the pump knows it"),
    ("browser_list_tabs", 0, "the pump knows them"),
    ("browser_click", 3, "prepare and arm; the input; collect after two frames"),
    ("browser_click_at", 4, "what is there; arm; the input; collect after two frames"),
    ("browser_hover", 3, "prepare and arm; the input; collect after two frames"),
    ("browser_press", 3, "arm; the key; collect after two frames"),
    ("browser_type", 6, "prepare; arm; empty the field; is it empty; the text; collect and read back"),
    ("browser_scroll", 4, "what scrolls; arm; scroll; collect after two frames"),
    ("browser_execute_js", 1, "the script, unobserved"),
    ("browser_screenshot", 2, "the page's measures; the picture"),
    ("page_call", 1, "the page function"),
    ("page_evaluate", 1, "a function that only reads"),
    ("page_evaluate acting", 3, "arm; the function; collect after two frames"),
    ("page_input", 4, "arm; the input; its end; collect after two frames"),
];

#[test]
fn no_tool_goes_to_the_browser_and_waits_more_often_than_it_must() {
    let wire = wire::Wire::install();
    let hands = Hands::at("/controls.html");
    let button = hands.reference("button");
    let field = hands.reference("textbox");
    // A page that was just opened is watched for a moment once.
    hands.ok("browser_click", json!({ "ref": button }));
    std::thread::sleep(Duration::from_millis(1_500));

    let mut over = Vec::new();
    for (name, limit, why) in LIMITS {
        let (tool, arguments) = call(name, &button, &field);
        // The fewest of three: a frame or an event of the browser's own may fall into one of them.
        let fewest = (0..3)
            .map(|_| {
                wire.begin();
                let outcome = hands.approved(tool, arguments.clone());
                let trips = wire.end();
                assert!(outcome.ok(), "{name}: {:#?}", outcome.error);
                trips
            })
            .min_by_key(|trips| (trips.waits, trips.sent.len()))
            .unwrap();
        println!("{name}: {} of {limit} ({why}); {}", fewest.waits, fewest.sent.join(" "));
        if fewest.waits > limit {
            over.push(format!(
                "{name} waits {} times, {limit} would do ({why}): {:?}",
                fewest.waits, fewest.sent
            ));
        }
    }
    assert!(over.is_empty(), "{}", over.join("\n"));
}

/// The call that a row of the table stands for.
fn call<'a>(name: &'a str, button: &str, field: &str) -> (&'a str, Value) {
    let arguments = match name {
        "browser_read diff" => json!({ "diff": true }),
        "browser_quick_read" | "browser_find" => json!({ "query": "e" }),
        "browser_click" | "browser_hover" => json!({ "ref": button }),
        "browser_click_at" => json!({ "x": 5, "y": 5 }),
        "browser_press" => json!({ "keys": ["ArrowDown"] }),
        "browser_type" => json!({ "ref": field, "text": "twenty characters ok" }),
        "browser_scroll" => json!({ "direction": "down" }),
        "browser_execute_js" => json!({ "script": "1 + 1", "observe_effects": false }),
        "page_call" => json!({ "fn": "locate", "args": { "target": { "kind": "css", "css": "h1" } } }),
        "page_evaluate" => json!({ "source": "() => document.title", "function": true, "pure": true }),
        "page_evaluate acting" => json!({ "source": "() => 1", "function": true }),
        "page_input" => json!({ "steps": [{ "do": "move", "x": 5, "y": 5 }] }),
        _ => json!({}),
    };
    (name.split(' ').next().unwrap_or(name), arguments)
}
