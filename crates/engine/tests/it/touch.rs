//! Fingers and long presses, on pages that listen to nothing else.

use crate::hands::{Hands, effect};
use serde_json::json;
use truehand_base::{ErrorCode, Verdict};

#[test]
fn row_214_tap_is_seen_as_touch_and_as_the_click_that_follows() {
    let h = Hands::at("/pointer/touch.html");
    let tapped = h.ok("browser_click", json!({ "ref": "#tap", "touch": true }));
    assert_eq!(h.wait_log("click:touch"), "start:1:true end click:touch");
    let hit = effect(&tapped).hit.as_ref().unwrap();
    assert!(hit.intended && hit.trusted && effect(&tapped).verdict == Verdict::Changed, "{tapped:#?}");
}

#[test]
fn page_that_listens_to_touch_only_answers_a_tap_and_no_click() {
    let h = Hands::at("/pointer/touch.html");
    let clicked = h.ok("browser_click", json!({ "ref": "#pad" }));
    assert_eq!((h.log().as_str(), effect(&clicked).dom.total()), ("", 0), "{clicked:#?}");
    let tapped = h.ok("browser_click", json!({ "ref": "#pad", "touch": true }));
    assert_eq!(effect(&tapped).verdict, Verdict::Changed, "{tapped:#?}");
    assert_eq!(h.js("document.getElementById('pad').textContent"), "Touched");
    let at = h.js("(() => { const r = document.getElementById('pad').getBoundingClientRect(); return [r.x + 9, r.y + 9]; })()");
    h.ok("browser_click_at", json!({ "x": at[0], "y": at[1], "touch": true }));
    assert_eq!(h.log(), "pad pad");
}

#[test]
fn long_press_of_a_finger_opens_the_context_menu() {
    let h = Hands::at("/pointer/touch.html");
    let held = h.ok("browser_click", json!({ "ref": "#menu", "touch": true, "hold_ms": 1300 }));
    assert_eq!(h.wait_log("menu:touch"), "menu:touch", "no click follows a long press");
    assert_eq!(effect(&held).verdict, Verdict::Changed, "{held:#?}");
    assert_eq!(h.js("document.getElementById('items').hidden"), false);
}

#[test]
fn hold_keeps_the_mouse_button_down_as_long_as_told() {
    let h = Hands::at("/pointer/touch.html");
    h.ok("browser_click", json!({ "ref": "#mouse" }));
    let held = h.ok("browser_click", json!({ "ref": "#mouse", "hold_ms": 650 }));
    assert_eq!(h.log(), "brief held");
    assert_eq!(
        effect(&held).verdict,
        Verdict::Changed,
        "what the release brings is in the effect: {held:#?}"
    );
    h.fails("browser_click", json!({ "ref": "#mouse", "hold_ms": 60_000 }), ErrorCode::InvalidArguments);
}

#[test]
fn input_reaches_a_tab_that_is_not_the_current_one() {
    let h = Hands::at("/pointer/touch.html");
    let first = h.ok("browser_current_tab", json!({})).tab_id.unwrap().to_string();
    h.ok("browser_new_tab", json!({ "url": h.site.url("/count.html") }));
    let tapped = h.ok("browser_click", json!({ "ref": "#tap", "touch": true, "tab_id": first }));
    assert!(effect(&tapped).hit.as_ref().is_some_and(|hit| hit.intended && hit.trusted), "{tapped:#?}");
    let held = h.ok("browser_click", json!({ "ref": "#mouse", "tab_id": first }));
    assert!(effect(&held).hit.as_ref().is_some_and(|hit| hit.intended), "{held:#?}");
    h.ok("browser_scroll", json!({ "tab_id": first, "dy": 10 }));
    assert_eq!(h.js("document.title"), "Count", "the current tab stays the current one");
    h.ok("browser_select_tab", json!({ "tab_id": first }));
    assert_eq!(h.wait_log("brief"), "start:1:true end click:touch brief");
}
