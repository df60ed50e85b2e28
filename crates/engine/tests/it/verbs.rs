//! The other verbs of a person's hands: scroll, hover, select, check, upload, drag, dialogs, window size.

use crate::hands::{Hands, data, effect};
use serde_json::json;
use truehand_base::{DialogHandling, ErrorCode, Verdict};

#[test]
fn row_214_scroll_moves_page_and_container_and_says_how_far() {
    let h = Hands::at("/scroll.html");
    let down = h.ok("browser_scroll", json!({ "direction": "down", "amount": 700 }));
    let moved = effect(&down).scroll.as_ref().unwrap();
    assert_eq!((moved.target.as_str(), moved.dy), ("page", 700.0), "{down:#?}");
    assert_eq!(h.js("scrollY"), 700);
    h.ok("browser_scroll", json!({ "ref": "#box", "direction": "down", "amount": 150 }));
    assert_eq!(h.js("document.getElementById('box').scrollTop"), 150);
    let end = h.ok("browser_scroll", json!({ "to": "bottom" }));
    assert_eq!(effect(&end).scroll.as_ref().unwrap().at_end, Some(true));
    h.ok("browser_scroll", json!({ "ref": "#first" }));
    assert_eq!(h.js("document.getElementById('first').getBoundingClientRect().top >= 0"), true);
}

#[test]
fn row_214_hover_opens_a_menu_that_css_shows() {
    let h = Hands::at("/hover.html");
    h.ok("browser_hover", json!({ "ref": "#menu" }));
    h.ok("browser_click", json!({ "ref": "#lamps" }));
    assert_eq!(h.log(), "lamps");
    let tip = h.ok("browser_hover", json!({ "ref": "#tip" }));
    assert_eq!(effect(&tip).verdict, Verdict::Changed);
    assert_eq!(h.js("document.getElementById('bubble').hidden"), false);
}

#[test]
fn row_214_select_chooses_by_label_or_value_and_reads_back() {
    let h = Hands::at("/select.html");
    let one = h.ok("browser_select", json!({ "ref": "label=Country", "values": ["Korea"] }));
    assert!(effect(&one).values[0].ok, "{one:#?}");
    h.ok("browser_select", json!({ "ref": "#many", "values": ["n", "Salt"] }));
    assert_eq!(h.log(), "one:kr many:n+s");
    let wrong = h.fails("browser_select", json!({ "ref": "#one", "values": ["Peru"] }), ErrorCode::NoOption);
    assert!(data(&wrong, "options").to_string().contains("India"), "{wrong:#?}");
    assert!(
        h.call("browser_select", json!({ "ref": "#one", "values": ["Japan"] })).error.is_some(),
        "it is disabled"
    );
    assert_eq!(h.js("document.getElementById('one').value"), "kr");
}

#[test]
fn select_in_a_custom_listbox_that_opens_late_picks_the_option() {
    let h = Hands::at("/select.html");
    let picked = h.ok("browser_select", json!({ "ref": "#box", "values": ["Pear"] }));
    assert_eq!(h.log(), "fruit:Pear");
    assert!(effect(&picked).values[0].ok, "{picked:#?}");
}

#[test]
fn check_sets_the_asked_state_and_leaves_it_when_it_is_so_already() {
    let h = Hands::at("/select.html");
    h.ok("browser_check", json!({ "ref": "label=Newsletter" }));
    h.ok("browser_check", json!({ "ref": "label=Newsletter" }));
    h.ok("browser_check", json!({ "ref": "#tall" }));
    h.ok("browser_check", json!({ "ref": "#night" }));
    h.ok("browser_uncheck", json!({ "ref": "#news" }));
    assert_eq!(h.log(), "news:true tall:true night:true news:false");
    let stuck = h.call("browser_check", json!({ "ref": "#stuck" }));
    assert!(stuck.error.is_some(), "a box that stays unchecked is no success: {stuck:#?}");
}

#[test]
fn row_214_upload_works_through_a_hidden_input_and_a_visible_button() {
    let h = Hands::at("/upload.html");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("my notes.txt");
    std::fs::write(&path, "twelve bytes").unwrap();
    h.ok("browser_upload", json!({ "ref": "#pick", "paths": [path] }));
    assert_eq!(h.wait_log("notes.txt:12"), "hidden:my notes.txt:12");
    let plain = h.ok("browser_upload", json!({ "ref": "#plain", "paths": [path] }));
    assert_eq!(plain.output["uploaded"], json!(["my notes.txt"]));
    h.ok("browser_click", json!({ "ref": "text=Send" }));
    let upload = &h.site.uploads()[0];
    assert_eq!((upload.name.as_str(), upload.bytes), ("my notes.txt", 12));
}

#[test]
fn upload_of_a_file_that_is_not_there_is_refused_before_anything_happens() {
    let h = Hands::at("/upload.html");
    h.fails(
        "browser_upload",
        json!({ "ref": "#plain", "paths": ["/nowhere/at-all.txt"] }),
        ErrorCode::FileNotFound,
    );
    assert_eq!(h.log(), "");
}

#[test]
fn row_214_drag_serves_html5_and_pointer_dragging() {
    let h = Hands::at("/drag.html");
    h.ok("browser_drag", json!({ "from": "#card", "to": "#bin" }));
    assert_eq!(h.log(), "dropped:card:true");
    h.ok("browser_drag", json!({ "from": "#knob", "to": "#goal" }));
    let log = h.log();
    let knob = log.split(' ').nth(1).unwrap();
    let parts: Vec<&str> = knob.split(':').collect();
    assert!(parts[1].parse::<i32>().unwrap() > 250 && parts[2] == "smooth", "{knob}");
}

#[test]
fn row_214_dialog_answers_the_call_at_once_and_is_answered_by_the_next() {
    let h = Hands::at("/dialogs.html");
    let alert = h.ok("browser_click", json!({ "ref": "#alert" }));
    let dialog = &effect(&alert).dialogs[0];
    assert_eq!((dialog.kind.as_str(), dialog.message.as_str()), ("alert", "Saved"));
    assert_eq!(dialog.handling, DialogHandling::Acknowledged);
    let asked = h.call("browser_click", json!({ "ref": "#confirm" }));
    assert_eq!(effect(&asked).dialogs[0].handling, DialogHandling::Open);
    h.fails("browser_click", json!({ "ref": "#alert" }), ErrorCode::DialogOpen);
    h.ok("browser_dialog", json!({ "action": "accept" }));
    h.call("browser_click", json!({ "ref": "#confirm" }));
    h.ok("browser_dialog", json!({ "action": "dismiss" }));
    assert_eq!(h.log(), "alerted confirm:true confirm:false");
}

#[test]
fn dialog_can_be_answered_in_advance() {
    let h = Hands::at("/dialogs.html");
    h.ok("browser_dialog", json!({ "action": "accept", "text": "Ann" }));
    let asked = h.ok("browser_click", json!({ "ref": "#prompt" }));
    let dialog = &effect(&asked).dialogs[0];
    assert_eq!((dialog.handling, dialog.default_text.as_deref()), (DialogHandling::Accepted, Some("nobody")));
    assert_eq!(h.log(), "prompt:Ann");
}

#[test]
fn dialog_that_opens_later_is_found_by_the_next_call() {
    let h = Hands::at("/dialogs.html");
    h.call("browser_click", json!({ "ref": "#late0" }));
    h.ok("browser_dialog", json!({ "action": "accept" }));
    assert_eq!(h.log(), "late:true");
}

#[test]
fn dialog_on_leaving_a_guarded_page_does_not_hang() {
    let h = Hands::at("/dialogs.html");
    h.ok("browser_click", json!({ "ref": "#guard" }));
    let left = h.call("browser_navigate", json!({ "url": h.site.url("/tab-a.html") }));
    let dialogs = &effect(&left).dialogs;
    assert_eq!(dialogs[0].kind, "beforeunload", "{left:#?}");
    assert_eq!(dialogs[0].handling, DialogHandling::Open);
    // Nothing was left so far, so it is no success.
    assert_eq!(left.error.as_ref().map(|e| e.code), Some(ErrorCode::DialogOpen), "{left:#?}");
    assert!(left.done.starts_with("still on "), "{}", left.done);
    h.ok("browser_dialog", json!({ "action": "accept" }));
    h.ok("browser_wait_for", json!({ "url": "tab-a.html", "timeout_ms": 5000 }));
    assert!(h.read().contains("Tab A"));
}

#[test]
fn alert_while_loading_does_not_hang_the_navigation() {
    let h = Hands::at("/onload-alert.html");
    h.ok("browser_click", json!({ "ref": "text=Press" }));
    assert_eq!(h.log(), "pressed");
}

#[test]
fn resize_changes_what_the_page_sees() {
    let h = Hands::at("/count.html");
    h.ok("browser_resize", json!({ "width": 500, "height": 400 }));
    assert_eq!(h.js("[innerWidth, innerHeight]"), json!([500, 400]));
}
