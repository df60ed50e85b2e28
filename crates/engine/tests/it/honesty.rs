//! What is told as an effect and what is not: the looks of a press, tickers, beacons, polls, forms that were not sent.

use crate::hands::{Hands, data, effect, verdict};
use serde_json::json;
use truehand_base::{DialogHandling, ErrorCode, Outcome, PageEffect, Verdict};

#[track_caller]
fn click(h: &Hands, target: &str) -> Outcome {
    h.ok("browser_click", json!({ "ref": target }))
}

/// Clicks what does nothing.
#[track_caller]
fn click_nothing(h: &Hands, target: &str) -> PageEffect {
    let outcome = click(h, target);
    let effect = effect(&outcome);
    assert!(matches!(effect.verdict, Verdict::NoChange | Verdict::AmbientOnly), "{target}: {outcome:#?}");
    effect.clone()
}

/// Clicks what does something.
#[track_caller]
fn click_something(h: &Hands, target: &str) -> PageEffect {
    let outcome = click(h, target);
    assert_eq!(effect(&outcome).verdict, Verdict::Changed, "{target}: {outcome:#?}");
    effect(&outcome).clone()
}

#[test]
fn looks_of_pointing_focus_and_press_are_no_effect() {
    let h = Hands::at("/honesty/looks.html");
    for target in ["#ring", "#hover", "#press", "#ripple", "#tip", "#late-tip"] {
        let effect = click_nothing(&h, target);
        // A pressed button that is released again has left nothing behind at all.
        assert!(effect.dom.incidental > 0 || target == "#press", "{target}: {effect:#?}");
    }
}

#[test]
fn looks_that_stay_or_that_open_something_are_an_effect() {
    let h = Hands::at("/honesty/looks.html");
    for target in ["#toggle", "#toggle", "#spin", "#saved", "#opens"] {
        click_something(&h, target);
    }
    assert!(h.read().contains("link \"Entry\""), "the focus opened the menu");
}

#[test]
fn hover_that_brings_a_tip_is_an_effect_of_hovering() {
    let h = Hands::at("/honesty/looks.html");
    let hovered = h.ok("browser_hover", json!({ "ref": "#tip" }));
    assert_eq!(effect(&hovered).verdict, Verdict::Changed, "{hovered:#?}");
    assert_eq!(effect(&hovered).dom.added, 1);
}

#[test]
fn ticker_that_was_watched_for_some_steps_is_no_effect() {
    for ms in ["0", "16", "50", "100", "250"] {
        let h = Hands::at(&format!("/honesty/young.html?ms={ms}"));
        // A ticker of which no step was seen yet can be told by its rhythm only on a machine that keeps it.
        h.js("new Promise((done) => { const id = setInterval(() => { if (ticks >= 8) { clearInterval(id); done(ticks); } }, 20); })");
        for _ in 0..3 {
            let outcome = click(&h, "#dead");
            assert_ne!(effect(&outcome).verdict, Verdict::Changed, "ms={ms}: {outcome:#?}");
        }
        let effect = click_something(&h, "#live");
        assert_eq!(effect.dom.text_changes, 1, "ms={ms}: {effect:#?}");
    }
}

#[test]
fn what_is_drawn_anew_and_looks_the_same_is_no_effect() {
    let h = Hands::at("/honesty/redraws.html");
    for target in ["#same", "#later", "#same"] {
        let effect = click_nothing(&h, target);
        assert_eq!(effect.dom.total(), 0, "{target}");
        assert_eq!(effect.dom.incidental, 18, "{target}: three items of three elements came and went");
    }
}

#[test]
fn what_is_drawn_anew_and_differs_is_an_effect() {
    let h = Hands::at("/honesty/redraws.html");
    for target in ["#other", "#order", "#other"] {
        let effect = click_something(&h, target);
        assert_eq!((effect.dom.added, effect.dom.removed), (9, 9), "{target}");
    }
    h.ok("browser_type", json!({ "ref": "#name", "text": "Ada" }));
    click_something(&h, "#field");
    assert_eq!(h.js("document.getElementById('name').value"), "");
}

#[test]
fn ticker_that_redraws_its_elements_is_no_effect_from_its_first_step_on() {
    for every in ["same", "count"] {
        for _ in 0..3 {
            let h = Hands::at(&format!("/honesty/redraws.html?every={every}"));
            click_nothing(&h, "#dead");
            click_nothing(&h, "#dead");
            assert!(h.js("ticks").as_u64().unwrap() > 1, "{every}: it ticked meanwhile");
        }
    }
}

#[test]
fn ticker_that_the_action_started_is_its_effect() {
    for target in ["#later", "#watch", "#fade"] {
        let h = Hands::at("/honesty/young.html");
        click_something(&h, target);
    }
}

#[test]
fn beacons_are_listed_apart_and_are_no_effect() {
    let h = Hands::at("/honesty/beacons.html");
    for (target, path) in [("#send", "/api/ping"), ("#pixel", "/dot.svg"), ("#report", "/collect")] {
        let effect = click_nothing(&h, target);
        let beacons = &effect.network.beacons;
        assert!(beacons.iter().any(|b| b.path.ends_with(path)), "{target}: {effect:#?}");
        assert_eq!(effect.network.requests_started, 0, "{target}");
    }
}

#[test]
fn beacon_that_fails_does_not_fail_the_action() {
    let h = Hands::at("/honesty/beacons.html");
    let effect = click_something(&h, "#fails");
    assert_eq!(effect.network.failed, []);
}

#[test]
fn request_that_is_no_beacon_is_an_effect_wherever_it_goes() {
    let h = Hands::at("/honesty/beacons.html");
    for target in ["#api", "#post"] {
        assert_eq!(click_something(&h, target).network.sent.len(), 1, "{target}");
    }
}

#[test]
fn form_that_the_browser_refuses_is_not_sent_and_says_why() {
    let h = Hands::at("/honesty/refused.html");
    let clicked = click(&h, "#send");
    assert_eq!(effect(&clicked).verdict, Verdict::NoChange, "the focus moved to the field: {clicked:#?}");
    let invalid = &effect(&clicked).invalid;
    assert_eq!(invalid.len(), 1);
    assert!(invalid[0].description.contains("Name") && !invalid[0].message.is_empty(), "{invalid:?}");
    assert!(verdict(&clicked).contains("no_change: the form was not sent"), "{}", verdict(&clicked));
    h.ok("browser_type", json!({ "ref": "#name", "text": "Ada" }));
    h.ok("browser_type", json!({ "ref": "#mail", "text": "nobody" }));
    let pressed = h.ok("browser_press", json!({ "keys": ["Enter"] }));
    assert_eq!(effect(&pressed).invalid.len(), 1, "{pressed:#?}");
    assert_eq!(effect(&pressed).verdict, Verdict::NoChange);
}

#[test]
fn form_that_is_answered_with_a_redirect_lists_what_was_sent() {
    let h = Hands::at("/honesty/refused.html");
    let sent = click_something(&h, "#moved").network.sent;
    let told: Vec<(&str, &str)> = sent.iter().map(|r| (r.method.as_str(), r.path.as_str())).collect();
    assert_eq!(told, [("POST", "/redirect"), ("GET", "/tab-a.html")]);
    assert_eq!(sent[0].status, Some(303));
}

#[test]
fn request_to_the_address_that_loading_used_is_an_effect() {
    let h = Hands::at("/honesty/polls.html");
    for _ in 0..3 {
        assert_eq!(click_something(&h, "#like").network.sent.len(), 1);
    }
}

#[test]
fn long_poll_beside_a_dead_button_is_no_effect() {
    let h = Hands::at("/honesty/polls.html?chain");
    for _ in 0..8 {
        click_nothing(&h, "#dead");
    }
}

#[test]
fn field_that_the_page_puts_back_later_is_told_with_the_next_action() {
    let h = Hands::at("/honesty/late-fields.html");
    h.ok("browser_select", json!({ "ref": "#plan", "values": ["Pro"] }));
    h.wait_log("reverted");
    let clicked = click(&h, "#dead");
    let late = effect(&clicked).late.as_ref().unwrap();
    assert_eq!(late.values.len(), 1, "{late:#?}");
    assert_eq!(late.values[0].got, "Free");
    assert_eq!(
        effect(&clicked).verdict,
        Verdict::NoChange,
        "what came before the click is none of its effect"
    );
}

#[test]
fn scroll_of_a_page_that_is_held_still_is_no_success() {
    let h = Hands::at("/honesty/locked.html");
    let scrolled = h.ok("browser_scroll", json!({ "direction": "down" }));
    assert_eq!(effect(&scrolled).verdict, Verdict::NoChange, "{scrolled:#?}");
    assert_eq!(scrolled.output["scrolled"], false);
    assert_eq!(h.js("scrollY"), 0);
}

#[test]
fn read_right_after_loading_holds_sandboxed_frames() {
    let h = Hands::at("/honesty/sandboxed.html");
    let text = h.read();
    for name in ["In one", "In two", "In three"] {
        assert!(text.contains(name), "{name} is missing:\n{text}");
    }
}

#[test]
fn download_that_breaks_off_is_an_error() {
    let h = Hands::at("/honesty/files.html");
    let failed = h.fails("browser_click", json!({ "ref": "#broken" }), ErrorCode::DownloadFailed);
    assert!(failed.error.as_ref().unwrap().message.contains("broken.bin"));
    assert!(data(&failed, "url").as_str().unwrap().ends_with("/dl/broken"));
}

#[test]
fn upload_of_a_kind_that_the_field_does_not_ask_for_is_noted() {
    let h = Hands::at("/honesty/files.html");
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let uploaded = h.ok("browser_upload", json!({ "ref": "#photo", "paths": [file] }));
    assert_eq!(h.log(), "Cargo.toml");
    assert!(uploaded.warnings.iter().any(|w| w.message.contains("image/*")), "{uploaded:#?}");
}

#[test]
fn drag_by_the_pointer_is_an_effect_although_the_pointer_only_moves() {
    let h = Hands::at("/honesty/files.html");
    let dragged = h.ok("browser_drag", json!({ "from": "text=First", "to": "text=Second" }));
    assert_eq!(h.js("list.children[0].textContent"), "Second");
    assert_eq!(effect(&dragged).verdict, Verdict::Changed, "{dragged:#?}");
}

#[test]
fn dialog_that_came_after_its_click_is_named_by_its_answer() {
    let h = Hands::at("/dialogs.html");
    click_nothing(&h, "#late800");
    let waited = h.call("browser_wait_for", json!({ "text": "later:", "timeout_ms": 5000 }));
    assert_eq!(waited.error.map(|e| e.code), Some(ErrorCode::DialogOpen));
    let answered = h.ok("browser_dialog", json!({ "action": "dismiss" }));
    let dialogs = &effect(&answered).dialogs;
    assert_eq!(dialogs.len(), 1, "{answered:#?}");
    assert_eq!((dialogs[0].message.as_str(), dialogs[0].handling), ("Later?", DialogHandling::Dismissed));
    assert!(verdict(&answered).contains("dismissed the confirm \"Later?\""), "{}", verdict(&answered));
}
