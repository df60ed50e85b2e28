//! Clicking by what is written on a thing, and by where it is.

use crate::hands::{Hands, data, effect};
use serde_json::json;
use truehand_base::{ErrorCode, Verdict};

#[test]
fn row_192_click_by_text_works_on_a_div_and_lists_candidates_when_ambiguous() {
    let h = Hands::at("/by-text.html");
    let clicked = h.ok("browser_click_by_text", json!({ "text": "open the drawer" }));
    assert_eq!((h.log().as_str(), &clicked.output["clicked"]), ("drawer", &json!(true)));
    let refused = h.fails("browser_click_by_text", json!({ "text": "Remove" }), ErrorCode::Ambiguous);
    let candidates = data(&refused, "candidates");
    let refs: Vec<&str> = candidates.as_array().unwrap().iter().map(|c| c["ref"].as_str().unwrap()).collect();
    assert_eq!(refs.len(), 2, "{candidates}");
    assert_eq!(h.log(), "drawer");
    h.ok("browser_click", json!({ "ref": refs[1] }));
    assert_eq!(h.log(), "drawer remove-bob");
}

#[test]
fn click_by_text_without_a_match_is_no_match() {
    let h = Hands::at("/by-text.html");
    h.fails("browser_click_by_text", json!({ "text": "Zebra" }), ErrorCode::NoMatch);
}

#[test]
fn click_by_text_takes_the_copy_that_a_person_can_see() {
    let h = Hands::at("/traps/05-double-lists.html");
    h.ok("browser_click_by_text", json!({ "text": "Apply SAVE10" }));
    assert_eq!(h.js("[__truth.done, __truth.wrong]"), json!([true, false]));
}

#[test]
fn row_193_click_at_reports_what_was_hit_and_nothing_for_dead_space() {
    let h = Hands::at("/dead-space.html");
    let hit = h.ok("browser_click_at", json!({ "x": 60, "y": 80 }));
    assert_eq!(h.log(), "spot");
    assert!(hit.output["hit"].as_str().unwrap().contains("Spot"), "{hit:#?}");
    let dead = h.ok("browser_click_at", json!({ "x": 500, "y": 300 }));
    assert_eq!(dead.output["clicked"], true);
    assert_eq!((effect(&dead).verdict, effect(&dead).dom.total()), (Verdict::NoChange, 0), "{dead:#?}");
    assert_eq!(h.log(), "spot");
}

#[test]
fn row_194_click_at_without_effect_carries_a_warning() {
    let h = Hands::at("/dead-space.html");
    let dead = h.ok("browser_click_at", json!({ "x": 500, "y": 300 }));
    assert_eq!(dead.warnings[0].code, "ZERO_EFFECT");
    let hit = h.ok("browser_click_at", json!({ "x": 60, "y": 80 }));
    assert_eq!(hit.warnings, []);
}

#[test]
fn click_at_reaches_a_button_drawn_on_a_canvas() {
    let h = Hands::at("/canvas.html");
    let at = h.js(
        "(() => { const r = document.getElementById('c').getBoundingClientRect(); return [r.x, r.y]; })()",
    );
    let (x, y) = (at[0].as_f64().unwrap(), at[1].as_f64().unwrap());
    h.ok("browser_click_at", json!({ "x": x + 160.0, "y": y + 120.0 }));
    h.ok("browser_click_at", json!({ "x": x + 20.0, "y": y + 20.0 }));
    assert_eq!(h.log(), "play miss");
}
