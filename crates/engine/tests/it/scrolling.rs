//! Scrolling containers of every kind, what does not scroll, and searching long lists.

use crate::hands::{Hands, data, effect};
use serde_json::{Value, json};
use truehand_base::{ErrorCode, Verdict};

fn moved(outcome: &truehand_base::Outcome) -> (f64, f64) {
    let by = &outcome.output["moved"];
    (by["x"].as_f64().unwrap(), by["y"].as_f64().unwrap())
}

#[test]
fn row_214_scroll_moves_nested_horizontal_and_snapping_containers_and_frames() {
    let h = Hands::at("/pointer/scrollers.html");
    h.read();
    let top = |id: &str| h.js(&format!("document.getElementById('{id}').scrollTop"));
    let inner = h.ok("browser_scroll", json!({ "ref": "#inner", "dy": 90 }));
    assert_eq!((moved(&inner), top("inner"), top("outer")), ((0.0, 90.0), json!(90), json!(0)));
    assert!(effect(&inner).scroll.as_ref().unwrap().target.contains("inner"), "{inner:#?}");
    h.ok("browser_scroll", json!({ "ref": "#outer", "dy": 50 }));
    assert_eq!((top("inner"), top("outer")), (json!(90), json!(50)));
    let wide = h.ok("browser_scroll", json!({ "ref": "#wide", "direction": "right", "amount": 300 }));
    assert_eq!(
        (moved(&wide), h.js("document.getElementById('wide').scrollLeft")),
        ((300.0, 0.0), json!(300))
    );
    let snap = h.ok("browser_scroll", json!({ "ref": "#snap", "dy": 100 }));
    assert_eq!((moved(&snap), top("snap")), ((0.0, 120.0), json!(120)), "it snaps to the next: {snap:#?}");
    let frame = h.ok("browser_scroll", json!({ "ref": "#frame", "dy": 200 }));
    assert_eq!(h.js("document.getElementById('frame').contentWindow.scrollY"), 200, "{frame:#?}");
    assert_eq!(h.js("scrollY"), 0, "no page was scrolled in place of a container");
}

#[test]
fn scroll_of_what_does_not_scroll_reports_that_nothing_moved() {
    let h = Hands::at("/pointer/scrollers.html");
    h.js("document.body.style.cssText = 'height:600px;overflow:hidden'; document.querySelector('body > .tall').remove()");
    for target in ["#fixed", "#still"] {
        let stayed = h.ok("browser_scroll", json!({ "ref": target, "dy": 100 }));
        assert_eq!(moved(&stayed), (0.0, 0.0), "{target}: {stayed:#?}");
        assert_eq!(stayed.output["scrolled"], false, "{target}: {stayed:#?}");
        assert_eq!(effect(&stayed).verdict, Verdict::NoChange, "{target}: {stayed:#?}");
        assert!(stayed.warnings.iter().any(|w| w.message.contains("nothing moved")), "{stayed:#?}");
    }
    assert_eq!(h.js("document.getElementById('still').scrollTop"), 0);
}

#[test]
fn scroll_that_the_page_puts_back_is_no_success() {
    let h = Hands::at("/pointer/scrollers.html");
    let back = h.ok("browser_scroll", json!({ "ref": "#stuck", "dy": 100 }));
    assert_eq!(h.js("document.getElementById('stuck').scrollTop"), 0);
    assert_eq!((moved(&back), &back.output["scrolled"]), ((0.0, 0.0), &json!(false)), "{back:#?}");
}

#[test]
fn scroll_at_the_end_says_so() {
    let h = Hands::at("/pointer/scrollers.html");
    let end = h.ok("browser_scroll", json!({ "ref": "#inner", "to": "bottom" }));
    assert_eq!(end.output["at_end"], true);
    let more = h.ok("browser_scroll", json!({ "ref": "#inner", "dy": 100 }));
    assert_eq!((moved(&more), &more.output["scrolled"]), ((0.0, 0.0), &json!(false)), "{more:#?}");
    assert!(more.warnings.iter().any(|w| w.message.contains("at its end")), "{more:#?}");
    let up = h.ok("browser_scroll", json!({ "ref": "#inner", "direction": "up", "amount": 100 }));
    assert_eq!((moved(&up), &up.output["at_end"]), ((0.0, -100.0), &json!(false)));
}

#[test]
fn scroll_over_a_map_turns_the_wheel() {
    let h = Hands::at("/pointer/wheel.html");
    let zoomed = h.ok("browser_scroll", json!({ "ref": "#map", "dy": 120 }));
    assert_eq!(h.log(), "zoom:2:true");
    assert_eq!(effect(&zoomed).verdict, Verdict::Changed, "{zoomed:#?}");
    assert_eq!(moved(&zoomed), (0.0, 0.0));
}

#[test]
fn scroll_until_finds_row_900_of_a_virtual_list() {
    let h = Hands::at("/pointer/rows.html");
    let found = h.ok("browser_scroll", json!({ "ref": "#box", "until": "Row 900" }));
    assert_eq!(found.output["found"], true);
    let reference = found.output["ref"].as_str().unwrap();
    h.ok("browser_click", json!({ "ref": reference }));
    assert_eq!(h.log(), "Row 900", "{found:#?}");
    assert!(effect(&found).scroll.as_ref().unwrap().dy > 20_000.0, "{found:#?}");
    let back = h.ok("browser_scroll", json!({ "until": "role=button[name=\"Row 7\"]", "direction": "up" }));
    assert_eq!(
        back.output["target"].as_str().unwrap(),
        "button \"Row 7\"",
        "no other row that starts so: {back:#?}"
    );
}

#[test]
fn scroll_until_that_finds_nothing_says_how_far_it_went_and_whether_it_was_all() {
    let h = Hands::at("/pointer/rows.html");
    let all = h.fails("browser_scroll", json!({ "ref": "#box", "until": "Row 5000" }), ErrorCode::NoMatch);
    assert_eq!((data(&all, "at_end"), &all.output["found"]), (json!(true), &json!(false)));
    assert!(data(&all, "steps").as_u64().unwrap() > 50, "{all:#?}");
    assert!(
        h.js("document.getElementById('box').scrollTop").as_f64().unwrap() > 29_500.0,
        "it stays where it ended"
    );
    let none = h.fails("browser_scroll", json!({ "ref": "#log", "until": "Zebra" }), ErrorCode::NoMatch);
    let lists = data(&none, "scrollers");
    assert!(lists.to_string().contains("Rows"), "the list that does scroll is named: {none:#?}");
}

#[test]
fn scroll_until_follows_a_feed_that_loads_more() {
    let h = Hands::at("/pointer/feed.html");
    let found = h.ok("browser_scroll", json!({ "until": "Post 55" }));
    assert_eq!(found.output["found"], true, "{found:#?}");
    let seen = "(() => { const r = [...document.querySelectorAll('#feed > div')].find((e) => e.textContent === 'Post 55').getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight; })()";
    assert_eq!(h.js(seen), true);
    let end = h.fails("browser_scroll", json!({ "until": "Post 61" }), ErrorCode::NoMatch);
    assert_eq!(data(&end, "at_end"), Value::Bool(true), "{end:#?}");
    assert_eq!(h.js("document.querySelectorAll('#feed > div').length"), 60);
}
