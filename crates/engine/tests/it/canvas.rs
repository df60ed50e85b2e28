//! Drawings: what a click on them does leaves nothing in the document, so pictures tell.

use crate::hands::{Hands, effect, verdict};
use serde_json::{Value, json};
use truehand_base::{Outcome, Verdict};

/// A click at a point of an element, from its top left corner.
fn click_in(h: &Hands, id: &str, dx: f64, dy: f64) -> Outcome {
    let at = h.js(&format!(
        "(() => {{ const e = document.getElementById('{id}'); e.scrollIntoView({{ block: 'nearest' }}); const r = e.getBoundingClientRect(); return [r.x, r.y]; }})()"
    ));
    h.ok("browser_click_at", json!({ "x": at[0].as_f64().unwrap() + dx, "y": at[1].as_f64().unwrap() + dy }))
}

fn hits(h: &Hands) -> Value {
    h.js("window.__hits")
}

#[test]
fn click_on_a_canvas_that_draws_is_changed_by_its_region_and_one_that_does_not_is_no_change() {
    let h = Hands::at("/pointer/drawings.html");
    let drew = click_in(&h, "still", 40.0, 30.0);
    let region = effect(&drew).region.as_ref().unwrap();
    assert!(region.changed > 1.0 && region.moving < 1.0, "{drew:#?}");
    assert_eq!((effect(&drew).verdict, effect(&drew).dom.total()), (Verdict::Changed, 0));
    assert!(verdict(&drew).contains("the drawing changed by"), "{}", verdict(&drew));
    assert_eq!(drew.warnings, []);
    let nothing = click_in(&h, "still", 250.0, 100.0);
    assert_eq!(
        (effect(&nothing).verdict, &effect(&nothing).region),
        (Verdict::NoChange, &None),
        "{nothing:#?}"
    );
    assert_eq!(nothing.warnings[0].code, "ZERO_EFFECT");
    assert_eq!(hits(&h)["still"], 2, "both clicks arrived");
}

#[test]
fn click_on_an_animated_canvas_is_changed_only_when_more_than_the_animation_changes() {
    let h = Hands::at("/pointer/drawings.html");
    for _ in 0..2 {
        let nothing = click_in(&h, "moving", 40.0, 100.0);
        assert_eq!(effect(&nothing).verdict, Verdict::AmbientOnly, "{nothing:#?}");
    }
    let drew = click_in(&h, "moving", 200.0, 100.0);
    assert_eq!(effect(&drew).verdict, Verdict::Changed, "{drew:#?}");
    let again = click_in(&h, "moving", 200.0, 100.0);
    assert_eq!(effect(&again).verdict, Verdict::AmbientOnly, "it is green already: {again:#?}");
    assert_eq!(hits(&h)["moving"], 4);
}

#[test]
fn click_on_a_canvas_that_moves_all_over_claims_nothing() {
    let h = Hands::at("/pointer/drawings.html");
    let wild = h.ok("browser_click", json!({ "ref": "#wild" }));
    assert_eq!(effect(&wild).verdict, Verdict::AmbientOnly, "{wild:#?}");
    assert!(verdict(&wild).contains("no effect can be told"), "{}", verdict(&wild));
    assert_eq!(hits(&h)["wild"], 1);
}

#[test]
fn looks_that_follow_the_pointer_over_a_canvas_are_no_effect() {
    let h = Hands::at("/pointer/drawings.html");
    for x in [50.0, 150.0] {
        let deaf = click_in(&h, "deaf", x, 75.0);
        assert_eq!(effect(&deaf).verdict, Verdict::NoChange, "{deaf:#?}");
    }
    assert_eq!(hits(&h)["deaf"], 2);
}

#[test]
fn click_on_webgl_and_on_an_animated_svg_shows_in_the_region() {
    let h = Hands::at("/pointer/drawings.html");
    if h.js("window.__gl") == true {
        let gl = h.ok("browser_click", json!({ "ref": "#gl" }));
        assert!(effect(&gl).region.as_ref().is_some_and(|r| r.changed > 50.0), "{gl:#?}");
    }
    let art = click_in(&h, "art", 50.0, 50.0);
    assert_eq!(effect(&art).verdict, Verdict::Changed, "{art:#?}");
    let again = click_in(&h, "art", 50.0, 50.0);
    assert_ne!(effect(&again).verdict, Verdict::Changed, "it is red already: {again:#?}");
    assert_eq!(hits(&h)["art"], 2);
}

#[test]
fn wheel_over_a_canvas_shows_in_the_region() {
    let h = Hands::at("/pointer/drawings.html");
    h.js("document.body.style.overflow = 'hidden'");
    let zoomed = h.ok("browser_scroll", json!({ "ref": "#still", "dy": 100 }));
    assert_eq!(hits(&h)["wheel"], 1);
    assert_eq!(effect(&zoomed).verdict, Verdict::Changed, "{zoomed:#?}");
    assert!(effect(&zoomed).region.as_ref().is_some_and(|r| r.changed > 0.0), "{zoomed:#?}");
}

#[test]
fn style_sheets_popovers_and_media_are_effects_without_any_record() {
    let h = Hands::at("/pointer/beyond.html");
    let nothing = h.ok("browser_click", json!({ "ref": "#nothing" }));
    assert_eq!(effect(&nothing).verdict, Verdict::NoChange, "{nothing:#?}");
    for target in ["#theme", "#rule", "#sheet", "#pop", "summary", "#hack", "#clip"] {
        let clicked = h.ok("browser_click", json!({ "ref": target }));
        assert_eq!(effect(&clicked).verdict, Verdict::Changed, "{target}: {clicked:#?}");
    }
    let nothing = h.ok("browser_click", json!({ "ref": "#nothing" }));
    assert_ne!(effect(&nothing).verdict, Verdict::Changed, "{nothing:#?}");
}

#[test]
fn row_193_click_at_hits_what_is_zoomed_turned_in_a_scrolled_frame_or_in_a_closed_root() {
    let h = Hands::at("/pointer/points.html");
    let middle = |id: &str| {
        h.js(&format!("(() => {{ const r = document.getElementById('{id}').getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; }})()"))
    };
    for (at, name) in [(middle("a"), "Zoomed"), (middle("b"), "Turned")] {
        let hit = h.ok("browser_click_at", json!({ "x": at[0], "y": at[1] }));
        assert!(hit.output["hit"].as_str().unwrap().contains(name), "{hit:#?}");
    }
    let at = h.js("window.__closed()");
    h.ok("browser_click_at", json!({ "x": at[0], "y": at[1] }));
    assert_eq!(h.log(), "zoomed turned closed");
    // The frame is taller than the view, so its middle is not in view while the point is; and it is scrolled itself.
    h.js("scrollTo(0, 100); document.getElementById('frame').contentWindow.scrollTo(0, 500)");
    let at = h.js(
        "(() => { const f = document.getElementById('frame'); const o = f.getBoundingClientRect(); const r = f.contentDocument.getElementById('deep').getBoundingClientRect(); return [o.x + 12 + r.x + r.width / 2, o.y + 12 + r.y + r.height / 2, scrollY]; })()",
    );
    let deep = h.ok("browser_click_at", json!({ "x": at[0], "y": at[1] }));
    assert_eq!(h.js("scrollY"), at[2], "looking at what is there moves nothing");
    assert_eq!(h.wait_log("deep"), "zoomed turned closed deep", "{deep:#?}");
}
