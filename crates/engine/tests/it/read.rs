//! Reading a page: rows, references, marks, budget, scope, difference, and looking things up in it.

use crate::hands::{Hands, data, reference_in};
use serde_json::json;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use truehand_base::ErrorCode;

#[test]
fn row_184_read_shows_every_labelled_control_once() {
    let h = Hands::at("/controls.html");
    let text = h.read();
    for row in [
        "textbox \"Full name\"",
        "textbox \"E-mail\"",
        "\"Password\"",
        "spinbutton \"Age\"",
        "searchbox \"Find a dish\"",
        "textbox \"Notes\"",
        "checkbox \"Newsletter\"",
        "radio \"Small\"",
        "radio \"Tall\"",
        "combobox \"Country\"",
        "listbox \"Toppings\"",
        "\"Day\"",
        "slider \"Volume\"",
        "\"Colour\"",
        "\"Picture\"",
        "textbox \"Story\"",
        "button \"Save draft\"",
        "button \"Send form\"",
        "button \"More options\"",
        "button \"Bold\"",
        "switch \"Night mode\"",
        "slider \"Zoom\"",
        "button \"Locked\"",
        "link \"Read the manual\"",
        "link \"Home page\"",
        "tab \"Overview\"",
        "menuitem \"Copy link\"",
        "Shipping details",
    ] {
        let rows: Vec<&str> = text.lines().filter(|line| line.contains(row)).collect();
        assert_eq!(rows.len(), 1, "{row} in:\n{text}");
        assert!(rows[0].contains("[ref="), "{row} has no reference: {}", rows[0]);
    }
    let row = |part: &str| text.lines().find(|l| l.contains(part)).unwrap();
    assert!(row("Newsletter").contains("[checked]") && row("radio \"Tall\"").contains("[checked]"));
    assert!(row("Locked").contains("[disabled]") && row("Bold").contains("[pressed]"));
    assert!(row("Full name").ends_with(": Ann") && row("Notes").ends_with(": none"));
    assert!(!text.contains("hunter2"), "a password is never shown");
}

#[test]
fn row_185_quick_read_finds_by_name_and_role_ignoring_case() {
    let h = Hands::at("/submit.html");
    let found = h.ok("browser_quick_read", json!({ "query": "sub", "role": "button" }));
    let matches = found.output["matches"].as_array().unwrap();
    assert_eq!(matches.len(), 1, "{found:#?}");
    assert_eq!((&matches[0]["name"], &matches[0]["role"]), (&json!("Submit"), &json!("button")));
    let all = h.ok("browser_quick_read", json!({ "query": "SUB" }));
    assert!(all.output["total"].as_u64().unwrap() > 1);
    h.ok("browser_click", json!({ "ref": all.output["matches"].as_array().unwrap().iter().find(|m| m["role"] == "button").unwrap()["ref"] }));
    assert_eq!(h.log(), "submitted");
}

#[test]
fn row_186_quick_read_makes_older_references_stale() {
    let h = Hands::at("/submit.html");
    let old = h.reference("button \"Cancel\"");
    let found = h.ok("browser_quick_read", json!({ "query": "submit", "role": "button" }));
    h.fails("browser_click", json!({ "ref": old }), ErrorCode::RefStale);
    assert_eq!(h.log(), "");
    h.ok("browser_click", json!({ "ref": found.output["matches"][0]["ref"] }));
    assert_eq!(h.log(), "submitted");
}

#[test]
fn row_187_quick_read_without_hits_suggests_a_full_reading() {
    let h = Hands::at("/submit.html");
    let found = h.ok("browser_quick_read", json!({ "query": "zebra" }));
    assert_eq!(found.output["total"], 0);
    assert!(found.output["suggestion"].as_str().unwrap().contains("browser_read"));
    assert!(found.text.unwrap().contains("browser_read"));
}

#[test]
fn find_shows_rows_with_the_text_and_the_nearest_reference() {
    let h = Hands::at("/shuffle.html");
    let found = h.ok("browser_find", json!({ "query": "bob" }));
    assert!(found.output["total"].as_u64().unwrap() >= 1, "{found:#?}");
    assert!(found.text.as_ref().unwrap().contains("Bob"), "{found:#?}");
    let none = h.ok("browser_find", json!({ "query": "zebra" }));
    assert_eq!(none.output["total"], 0);
}

#[test]
fn read_within_a_budget_counts_what_it_left_out_and_can_be_paged() {
    let h = Hands::at("/large.html");
    let first = h.ok("browser_read", json!({ "budget": 500 }));
    let text = first.text.unwrap();
    assert!(text.len() < 500 * 4, "{} bytes", text.len());
    assert!(first.output["controls_left_out"].as_u64().unwrap() > 50);
    let mut from = first.output["next_from"].as_u64().unwrap();
    let mut seen = text;
    for _ in 0..100 {
        let page = h.ok("browser_read", json!({ "budget": 2000, "from": from }));
        seen.push_str(page.text.as_deref().unwrap());
        match page.output.get("next_from").and_then(|n| n.as_u64()) {
            Some(next) => from = next,
            None => break,
        }
    }
    for i in [1, 60, 120] {
        assert_eq!(seen.matches(&format!("\"Open {i}\"")).count(), 1, "row {i}");
    }
}

#[test]
fn read_interactive_leaves_plain_text_out() {
    let h = Hands::at("/large.html");
    let text = h.ok("browser_read", json!({ "interactive": true })).text.unwrap();
    assert!(text.contains("button \"Open 5\"") && !text.contains("Row 5\n"), "{text}");
}

#[test]
fn read_with_a_scope_stays_inside_it() {
    let h = Hands::at("/drag.html");
    let text = h.ok("browser_read", json!({ "ref": "#rail" })).text.unwrap();
    assert!(text.contains("Knob") && !text.contains("Card"), "{text}");
    h.fails("browser_read", json!({ "ref": "#nowhere" }), ErrorCode::NoMatch);
}

#[test]
fn read_difference_has_only_what_changed() {
    let h = Hands::at("/count.html");
    h.read();
    let same = h.ok("browser_read", json!({ "diff": true }));
    assert_eq!(same.output["shown"], 0, "{same:#?}");
    h.ok("browser_click", json!({ "ref": "#add" }));
    let changed = h.ok("browser_read", json!({ "diff": true })).text.unwrap();
    assert!(changed.contains('1') && !changed.contains("Add one"), "{changed}");
}

#[test]
fn read_marks_what_a_person_cannot_reach_or_see() {
    let h = Hands::at("/traps/04-offscreen.html");
    let text = h.read();
    assert!(text.lines().any(|l| l.contains("Secret export") && l.contains("[offscreen]")), "{text}");
    h.open("/cover-overlay.html");
    let text = h.read();
    assert!(text.lines().any(|l| l.contains("\"Buy\"") && l.contains("[covered-by=")), "{text}");
    h.open("/hidden-text.html");
    let text = h.read();
    for hidden in ["ZERO-SIZE", "TRANSPARENT", "WHITE-ON-WHITE"] {
        let shown = text.lines().filter(|l| l.contains(hidden));
        assert!(shown.clone().all(|l| l.contains("[hidden-text]")), "{hidden} in:\n{text}");
    }
    assert!(!text.contains("NOT-SHOWN"), "{text}");
}

#[test]
fn read_says_how_many_rows_a_virtual_list_has() {
    let h = Hands::at("/virtual.html");
    let text = h.read();
    assert!(text.contains("/1000]"), "{text}");
}

#[test]
fn read_never_has_half_a_surrogate_pair() {
    let h = Hands::at("/surrogate.html");
    let text = h.read();
    assert!(text.contains("half") && text.contains("😀"), "{text}");
    let reference = reference_in(&text, "button").unwrap();
    h.ok("browser_click", json!({ "ref": reference }));
    assert_eq!(h.log(), "pressed");
}

#[test]
fn read_reaches_into_frames_and_shadow_roots_at_any_depth() {
    let h = Hands::at("/frames-deep.html");
    let text = h.read_until("button \"Press 3\"", 1);
    for n in 1..=3 {
        let reference =
            reference_in(&text, &format!("button \"Press {n}\"")).unwrap_or_else(|| panic!("{n} in {text}"));
        let clicked = h.ok("browser_click", json!({ "ref": reference }));
        assert!(clicked.page_effect.unwrap().dom.total() > 0, "level {n}");
    }
    assert!(h.read().contains("pressed-3"));
    h.open("/shadow-closed.html");
    let reference = h.reference("button \"Closed press\"");
    h.ok("browser_click", json!({ "ref": reference }));
    assert_eq!(h.log(), "closed");
}

#[test]
fn ref_that_was_never_issued_is_unknown() {
    let h = Hands::at("/count.html");
    h.read();
    h.fails("browser_click", json!({ "ref": "e99999" }), ErrorCode::RefUnknown);
}

#[test]
fn ref_of_an_element_that_was_drawn_anew_is_found_again() {
    let h = Hands::at("/stale.html");
    let again = h.reference("button \"Again\"");
    let going = h.reference("button \"Going\"");
    h.ok("browser_click", json!({ "ref": "#change" }));
    h.ok("browser_click", json!({ "ref": again }));
    assert_eq!(h.log(), "again");
    h.fails("browser_click", json!({ "ref": going }), ErrorCode::RefStale);
    assert_eq!(h.log(), "again");
}

#[test]
fn ref_survives_a_list_that_is_shuffled_or_drawn_anew() {
    let h = Hands::at("/shuffle.html");
    let bob = h.reference("Delete Bob");
    h.ok("browser_click", json!({ "ref": "#shuffle" }));
    h.ok("browser_click", json!({ "ref": bob }));
    assert_eq!(h.log(), "deleted-Bob");
    h.open("/rerender.html");
    let beta = h.reference("button \"Beta\"");
    h.ok("browser_wait_for", json!({ "text": "Beta", "timeout_ms": 3000 }));
    h.ok("browser_click", json!({ "ref": beta }));
    assert_eq!(h.log(), "Beta");
}

#[test]
fn ref_of_an_element_that_is_gone_is_stale_and_names_what_is_like_it() {
    let h = Hands::at("/shuffle.html");
    let bob = h.reference("Delete Bob");
    h.ok("browser_click", json!({ "ref": "#drop" }));
    let stale = h.fails("browser_click", json!({ "ref": bob }), ErrorCode::RefStale);
    let candidates = data(&stale, "candidates");
    let names: Vec<&str> = candidates.as_array().unwrap().iter().filter_map(|c| c["name"].as_str()).collect();
    assert!(names.contains(&"Delete Ann") && names.contains(&"Delete Cy"), "{candidates}");
    assert_eq!(h.log(), "");
    h.ok("browser_click", json!({ "ref": candidates[0]["ref"] }));
    assert!(h.log().starts_with("deleted-"), "a candidate can be used at once");
}

#[test]
fn ref_of_a_row_that_now_shows_something_else_is_not_clicked() {
    let h = Hands::at("/shuffle.html");
    let ann = h.reference("Delete Ann");
    h.ok("browser_click", json!({ "ref": "#rename" }));
    let outcome = h.call("browser_click", json!({ "ref": ann }));
    let log = h.log();
    // Either it follows Ann to her new row, or it refuses; it never deletes somebody else.
    match outcome.error {
        Some(error) => assert_eq!((error.code, log.as_str()), (ErrorCode::RefStale, "")),
        None => assert_eq!(log, "deleted-Ann"),
    }
}

#[test]
fn references_of_a_reading_that_was_given_up_are_each_one_elements_own() {
    let h = Hands::at("/controls.html");
    // A synchronous request holds the page up for longer than a reading waits, and the site sees it begin.
    let hold = "setTimeout(() => { const r = new XMLHttpRequest(); r.open('GET', '/api/slow?ms=8000', false); \
                r.send(); document.body.insertAdjacentHTML('beforeend', '<button>Late</button>'); }, 0)";
    h.approved("browser_execute_js", json!({ "script": hold, "observe_effects": false }));
    let end = Instant::now() + Duration::from_secs(20);
    while h.site.count("GET", "/api/slow") == 0 {
        assert!(Instant::now() < end, "the page was never held up");
        std::thread::sleep(Duration::from_millis(5));
    }
    h.fails("browser_read", json!({}), ErrorCode::PageUnresponsive);
    let end = Instant::now() + Duration::from_secs(20);
    // Until the page answers again, whoever asks is told so.
    let text = loop {
        let read = h.call("browser_read", json!({}));
        match read.error.as_ref().map(|error| error.code) {
            None if read.text.as_ref().is_some_and(|text| text.contains("Late")) => break read.text.unwrap(),
            None | Some(ErrorCode::PageUnresponsive) => {}
            Some(other) => panic!("{other}: {read:#?}"),
        }
        assert!(Instant::now() < end, "the page never answered again");
    };
    let issued: Vec<&str> = text
        .split("[ref=")
        .skip(1)
        .filter_map(|rest| rest.split_once(']'))
        .map(|(reference, _)| reference)
        .collect();
    let different: BTreeSet<&str> = issued.iter().copied().collect();
    assert_eq!(issued.len(), different.len(), "one reference for two elements:\n{text}");
    for reference in &issued[..2] {
        h.ok("browser_hover", json!({ "ref": reference }));
    }
}
