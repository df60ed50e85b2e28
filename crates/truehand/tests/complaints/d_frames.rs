//! Frames: at any depth, of any site, of any size.

use crate::{at, click, effect, until};
use serde_json::json;
use truehand_testkit::reference_in;

/// agent-browser#1784: frames two deep are invisible.
#[test]
fn the_innermost_of_three_frames_over_two_hosts_is_filled_and_clicked() {
    let mut agent = at("frame-top");
    agent.ok("browser_wait_for", json!({ "text": "Inner" }));
    let text = agent.read();
    let of = |part: &str| reference_in(&text, part).unwrap_or_else(|| panic!("no {part} in:\n{text}"));
    let filled = agent.ok("browser_fill", json!({ "ref": of("\"Card number\""), "value": "4242" }));
    assert_eq!(effect(&filled)["values"][0]["got"], "4242");
    click(&mut agent, &of("\"Pay\""));
    let paid = || agent.site.requests().iter().any(|r| r.path == "/told" && r.query == "paid=4242");
    until("what the innermost frame tells the server", paid);
    click(&mut agent, &of("\"Middle button\""));
}

/// agent-browser#318: `frame` says done, and reading, scripts and pictures stay in the parent.
#[test]
fn reading_scripts_and_pictures_of_a_frame_are_the_frames_own() {
    let mut agent = at("frame-top");
    agent.ok("browser_wait_for", json!({ "text": "Inner" }));
    let frame = agent.reference("iframe \"Payment\"");
    let read = agent.ok("browser_read", json!({ "ref": frame })).text;
    assert!(read.contains("Card number") && !read.contains("Middle button"), "{read}");
    let card = reference_in(&read, "Card number").unwrap();
    let script = json!({ "script": "(element) => [location.pathname, element.id]", "ref": card });
    let ran = agent.ok("browser_execute_js", script);
    assert_eq!(ran.structured["result"], json!(["/complaints/frame-inner.html", "card"]), "{}", ran.text);
    let ran = agent.ok("browser_evaluate", json!({ "function": "() => location.pathname", "ref": card }));
    assert_eq!(ran.structured["result"], "/complaints/frame-inner.html");
    let shot = agent.ok("browser_screenshot", json!({ "ref": card }));
    assert!(shot.structured["height"].as_u64().unwrap() < 100, "{}", shot.structured);
}

/// playwright-mcp#447: an application shows only empty frames, because frames of no size are left out.
#[test]
fn a_frame_of_no_size_that_grows_later_is_read_and_used() {
    let mut agent = at("frame-grows");
    agent.js("grow()");
    agent.ok("browser_wait_for", json!({ "text": "Inner" }));
    let text = agent.read();
    let pay = reference_in(&text, "\"Pay\"").unwrap_or_else(|| panic!("no Pay in:\n{text}"));
    let card = reference_in(&text, "\"Card number\"").unwrap();
    agent.ok("browser_type", json!({ "ref": card, "text": "1" }));
    click(&mut agent, &pay);
    let paid = || agent.site.requests().iter().any(|r| r.path == "/told" && r.query == "paid=1");
    until("what the frame tells the server", paid);
}
