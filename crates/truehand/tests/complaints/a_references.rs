//! Stale references: the element that was read is the one that is acted on, or nothing is.

use crate::{at, click, timed};
use serde_json::json;
use std::time::Duration;
use truehand_testkit::reference_in;

/// agent-browser#1922: after a click navigates, an old reference clicks nothing and prints done.
#[test]
fn an_old_ref_after_a_click_that_navigates_is_refused() {
    let mut agent = at("first");
    let old = agent.reference("button \"Delete\"");
    click(&mut agent, "#on");
    let refused = agent.call("browser_click", json!({ "ref": old }));
    assert!(["REF_STALE", "REF_UNKNOWN"].contains(&refused.code()), "{}", refused.text);
    assert_eq!(refused.structured["clicked"], false);
    assert_eq!(agent.log(), "", "the button of the second page looks the same and was not meant");
}

/// playwright#42777: after going back every reference of a new reading is rejected until a fresh goto.
#[test]
fn refs_read_after_going_back_work_at_once() {
    let mut agent = at("first");
    click(&mut agent, "#on");
    agent.ok("browser_back", json!({}));
    let danger = agent.reference("button \"Delete\"");
    click(&mut agent, &danger);
    assert_eq!(agent.log(), "first-deleted");
    agent.ok("browser_forward", json!({}));
    let danger = agent.reference("button \"Delete\"");
    click(&mut agent, &danger);
    assert_eq!(agent.log(), "second-deleted");
}

/// playwright-mcp#265: numbers change after each action, and agents use old ones.
#[test]
fn survivors_keep_their_refs_when_a_list_is_shuffled() {
    let mut agent = at("shuffled");
    let removal = |text: &str, name: &str| {
        let at = text.find(name).unwrap_or_else(|| panic!("no {name} in:\n{text}"));
        reference_in(&text[at..], "button \"Remove\"").unwrap()
    };
    let before = agent.read();
    for change in ["#shuffle", "#redraw", "#shuffle"] {
        agent.ok("browser_click", json!({ "ref": change }));
        let after = agent.read();
        for name in ["Ann", "Bob", "Cy"] {
            assert_eq!(removal(&before, name), removal(&after, name), "{name} after {change}:\n{after}");
        }
    }
    for name in ["Bob", "Ann", "Cy"] {
        click(&mut agent, &removal(&before, name));
    }
    assert_eq!(agent.log(), "removed-Bob removed-Ann removed-Cy");
}

/// openchrome PR#83: the document changes between find and click, and another element is clicked.
#[test]
fn a_button_that_took_over_anothers_meaning_is_refused() {
    let mut agent = at("swapped");
    let approve = agent.reference("button \"Approve\"");
    agent.js("swap()");
    agent.fails("browser_click", json!({ "ref": approve }), "REF_STALE");
    assert_eq!(agent.log(), "");
    let approve = agent.reference("button \"Approve\"");
    click(&mut agent, &approve);
    assert_eq!(agent.log(), "Approve");
}

/// explorbot PR#198: any plain reading wipes the index of references, and each then waits out its timeout.
#[test]
fn other_looks_at_the_page_leave_refs_valid() {
    let mut agent = at("first");
    let danger = agent.reference("button \"Delete\"");
    agent.ok("browser_read", json!({ "interactive": true, "budget": 50 }));
    agent.ok("browser_read", json!({ "ref": "#on" }));
    agent.ok("browser_read", json!({ "diff": true }));
    agent.ok("browser_find", json!({ "query": "First" }));
    agent.ok("browser_screenshot", json!({ "intent": "glance" }));
    agent.ok("browser_wait_for", json!({ "text": "First" }));
    click(&mut agent, &danger);
    assert_eq!(agent.log(), "first-deleted");
}

/// chrome-devtools-mcp#839: a node that was drawn anew costs 5 s and then "did not become interactive".
#[test]
fn a_node_that_was_drawn_anew_is_found_and_one_that_is_gone_is_refused_at_once() {
    let mut agent = at("redrawn");
    let (beta, gamma) = (agent.reference("button \"Beta\""), agent.reference("button \"Gamma\""));
    agent.js("new Promise((done) => { const seen = drawn; const look = () => drawn > seen + 1 ? done() : setTimeout(look, 20); look(); })");
    click(&mut agent, &beta);
    assert_eq!(agent.log(), "Beta");
    agent.js("new Promise((done) => { without = 'Gamma'; const seen = drawn; const look = () => drawn > seen + 1 ? done() : setTimeout(look, 20); look(); })");
    let (refused, took) = timed(|| agent.fails("browser_click", json!({ "ref": gamma }), "REF_STALE"));
    assert!(took < Duration::from_secs(2), "{took:?}");
    assert!(refused.text.contains("next: "), "{}", refused.text);
    assert_eq!(agent.log(), "Beta");
}
