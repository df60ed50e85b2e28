//! Dragging by HTML5 drag and drop and by pointer events: where it went, and what was refused.

use crate::hands::{Hands, effect};
use serde_json::json;
use truehand_base::{ErrorCode, Verdict};

#[test]
fn row_214_drag_moves_a_kanban_card_and_reports_the_change() {
    let h = Hands::at("/pointer/boards.html");
    let dragged = h.ok("browser_drag", json!({ "from": "#one", "to": "#done" }));
    assert_eq!(effect(&dragged).verdict, Verdict::Changed, "{dragged:#?}");
    assert_eq!(h.wait_log("end:move"), "dropped:one end:move");
    assert_eq!(h.js("document.getElementById('one').parentNode.id"), "done");
}

#[test]
fn drop_that_the_page_does_not_take_is_refused() {
    let h = Hands::at("/pointer/boards.html");
    let refused = h.fails("browser_drag", json!({ "from": "#one", "to": "#shut" }), ErrorCode::DropRefused);
    assert_eq!(refused.output["dragged"], false);
    assert_eq!(h.js("document.getElementById('one').parentNode.id"), "todo");
    assert!(!h.log().contains("never"), "{}", h.log());
}

#[test]
fn drag_in_a_list_that_sorts_itself_reports_the_new_order() {
    let h = Hands::at("/pointer/boards.html");
    let dragged = h.ok("browser_drag", json!({ "from": "text=\"A\"", "to": "text=\"C\"" }));
    assert_eq!(h.log(), "order:BCA");
    assert!(effect(&dragged).dom.added >= 1, "an element that moved counts: {dragged:#?}");
    assert_eq!(effect(&dragged).verdict, Verdict::Changed);
}

#[test]
fn drag_by_pixels_moves_a_slider_to_its_value() {
    let h = Hands::at("/pointer/slider.html");
    let dragged = h.ok("browser_drag", json!({ "from": "#knob", "dx": 185 }));
    assert_eq!(h.log(), "value:50");
    assert!(effect(&dragged).dom.attr_changes >= 1, "{dragged:#?}");
    h.fails("browser_drag", json!({ "from": "#knob" }), ErrorCode::InvalidArguments);
    h.fails("browser_drag", json!({ "from": "#knob", "dx": -5000 }), ErrorCode::OutsideViewport);
}

#[test]
fn drag_that_needs_a_hold_first_gets_it() {
    let h = Hands::at("/pointer/slider.html");
    h.ok("browser_drag", json!({ "from": "#hold", "dx": 90 }));
    h.ok("browser_drag", json!({ "from": "#hold", "dx": 90, "hold_ms": 400 }));
    assert_eq!(h.log(), "swiped lifted");
}

#[test]
fn drag_on_a_drawing_board_draws_and_says_that_the_drawing_changed() {
    let h = Hands::at("/pointer/slider.html");
    let drawn = h.ok(
        "browser_drag",
        json!({ "from": "#board", "to": "#board", "from_x": 40, "from_y": 60, "to_x": 300, "to_y": 200 }),
    );
    let truth = h.js("window.__strokes");
    let truth = truth.as_str().unwrap();
    let end: Vec<i32> = truth.split([':', ',']).skip(1).map(|n| n.parse().unwrap()).collect();
    assert!((end[0] - 300).abs() <= 2 && (end[1] - 200).abs() <= 2 && !truth.starts_with('0'), "{truth}");
    let region = effect(&drawn).region.as_ref().unwrap();
    assert!(effect(&drawn).verdict == Verdict::Changed && region.changed > 0.0, "{drawn:#?}");
    assert_eq!(effect(&drawn).dom.total(), 0);
}

#[test]
fn drag_into_frames_of_both_sites_drops_there() {
    let h = Hands::at("/pointer/frames-drag.html");
    h.read_until("region \"Zone\"", 2);
    let zones: Vec<String> =
        h.read().lines().filter_map(|l| crate::hands::reference_in(l, "region \"Zone\"")).collect();
    for (n, zone) in zones.iter().enumerate() {
        let dragged = h.call("browser_drag", json!({ "from": "#card", "to": zone }));
        let log = h.log();
        let got = log.matches("zone:card").count();
        assert_eq!(got, if dragged.ok() { n + 1 } else { n }, "said {:?}, page {log}", dragged.error);
        assert!(dragged.ok(), "{zone}: {log}: {dragged:#?}");
    }
}
