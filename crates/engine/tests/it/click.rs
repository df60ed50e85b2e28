//! Clicking: by reference, through covers, on what can't be clicked, in frames and shadow roots.

use crate::hands::{Hands, data, effect, verdict};
use serde_json::json;
use truehand_base::{ErrorCode, Verdict};

/// Of the bytes `a,b\n1,2\n`.
const REPORT_SHA256: &str = "492d5ea496056f1a6a6592241032fab764c321596317930b4fa0e1e8bc3b7470";

#[test]
fn row_188_click_by_reference_runs_the_handler_and_reports_the_change() {
    let h = Hands::at("/count.html");
    let reference = h.reference("button \"Add one\"");
    let clicked = h.ok("browser_click", json!({ "ref": reference }));
    assert_eq!(clicked.output["clicked"], true);
    let effect = effect(&clicked);
    assert_eq!((effect.dom.text_changes, effect.verdict), (1, Verdict::Changed));
    let hit = effect.hit.as_ref().unwrap();
    assert!(hit.intended && hit.trusted, "{hit:?}");
    assert_eq!(h.js("document.getElementById('n').textContent"), "1");
    assert!(
        verdict(&clicked).starts_with(&format!("clicked {reference} · changed")),
        "{}",
        verdict(&clicked)
    );
}

#[test]
fn click_takes_every_spelling_of_a_target() {
    let h = Hands::at("/count.html");
    let number = h.reference("button \"Add one\"");
    let digits = number.trim_start_matches('e').to_owned();
    let spellings = [
        json!({ "ref": number }),
        json!({ "target": format!("@{number}") }),
        json!({ "uid": format!("[ref={number}]") }),
        json!({ "index": digits.parse::<u64>().unwrap() }),
        json!({ "selector": "#add" }),
        json!({ "ref": "text=Add one" }),
        json!({ "ref": "role=button[name=\"Add one\"]" }),
        json!({ "ref": "getByRole('button', { name: 'Add one' })" }),
    ];
    for (n, spelling) in spellings.iter().enumerate() {
        h.ok("browser_click", spelling.clone());
        assert_eq!(h.js("document.getElementById('n').textContent"), (n + 1).to_string(), "{spelling}");
    }
    h.ok("click", json!({ "ref": "#add" }));
}

#[test]
fn row_189_click_on_a_covered_element_is_refused_and_names_the_cover() {
    let h = Hands::at("/cover-overlay.html");
    let reference = h.reference("\"Buy\"");
    let refused = h.fails("browser_click", json!({ "ref": reference }), ErrorCode::Occluded);
    assert_eq!((&refused.output["clicked"], &refused.output["occluded"]), (&json!(false), &json!(true)));
    let occluder = refused.output["occluder"].to_string();
    assert!(occluder.contains("cover") || occluder.contains("Loading veil"), "{occluder}");
    assert_eq!(h.log(), "", "neither the button nor the cover was touched");
}

#[test]
fn row_190_dismiss_overlay_closes_a_modal_and_clicks_the_target() {
    let h = Hands::at("/cover-modal.html");
    let clicked = h.ok("browser_click", json!({ "ref": "#buy", "dismiss_overlay": true }));
    assert_eq!(clicked.output["clicked"], true);
    let log = h.log();
    assert!(log.ends_with("bought"), "{log}");
    assert_eq!(h.js("document.getElementById('cover') === null"), true);
}

#[test]
fn row_191_auto_dismiss_finds_the_way_out_of_dialog_banner_and_consent() {
    let h = Hands::new();
    for (page, log) in
        [("dialog", "escape bought"), ("banner", "close-button bought"), ("consent", "backdrop bought")]
    {
        h.open(&format!("/cover-{page}.html"));
        let refused = h.fails("browser_click", json!({ "ref": "#buy" }), ErrorCode::Occluded);
        assert!(data(&refused, "occluder").to_string().contains(page), "{page}: {refused:#?}");
        let clicked = h.ok("browser_click", json!({ "ref": "#buy", "auto_dismiss": true }));
        assert_eq!(h.log(), log, "{page}: {clicked:#?}");
    }
}

#[test]
fn auto_dismiss_that_finds_no_way_out_is_refused() {
    let h = Hands::at("/cover-overlay.html");
    h.fails("browser_click", json!({ "ref": "#buy", "auto_dismiss": true }), ErrorCode::Occluded);
    assert!(!h.log().contains("bought"));
}

#[test]
fn click_on_disabled_hidden_and_unreachable_elements_is_refused_with_the_reason() {
    let h = Hands::at("/traps/03-disabled-button.html");
    h.fails("browser_click", json!({ "ref": "#create" }), ErrorCode::Disabled);
    h.open("/traps/04-offscreen.html");
    h.fails("browser_click", json!({ "ref": "#secret" }), ErrorCode::OutsideViewport);
    h.open("/hover.html");
    h.fails("browser_click", json!({ "ref": "#lamps" }), ErrorCode::NotVisible);
    h.fails("browser_click", json!({ "ref": "#nothing-here" }), ErrorCode::NoMatch);
    assert_eq!(h.log(), "");
}

#[test]
fn click_on_an_ambiguous_selector_lists_the_candidates() {
    let h = Hands::at("/by-text.html");
    let refused =
        h.fails("browser_click", json!({ "ref": "role=button[name=\"Remove\"]" }), ErrorCode::Ambiguous);
    assert_eq!(data(&refused, "candidates").as_array().unwrap().len(), 2);
    assert_eq!(h.log(), "");
}

#[test]
fn click_in_frames_of_both_sites_and_in_a_shadow_root_works() {
    let h = Hands::at("/frames.html");
    let text = h.read_until("button \"Frame press\"", 2);
    let refs: Vec<String> = text
        .lines()
        .filter(|l| l.contains("button \"Frame press\"") || l.contains("button \"Shadow press\""))
        .map(|l| crate::hands::reference_in(l, "button").unwrap())
        .collect();
    assert_eq!(refs.len(), 3, "{text}");
    for reference in refs {
        let clicked = h.ok("browser_click", json!({ "ref": reference }));
        assert!(effect(&clicked).hit.as_ref().is_some_and(|hit| hit.intended), "{clicked:#?}");
    }
    let text = h.read();
    assert_eq!(text.matches("frame pressed").count(), 2, "{text}");
    assert!(text.contains("shadow pressed"), "{text}");
}

#[test]
fn click_far_down_the_page_scrolls_to_it() {
    let h = Hands::at("/scroll.html");
    h.ok("browser_click", json!({ "ref": "#far" }));
    h.ok("browser_click", json!({ "ref": "#inside" }));
    assert_eq!(h.log(), "far inside");
}

#[test]
fn click_with_button_count_and_modifiers_sends_them() {
    let h = Hands::at("/count.html");
    h.js("document.getElementById('add').addEventListener('contextmenu', (e) => { e.preventDefault(); log('menu'); })");
    h.js("document.getElementById('add').addEventListener('dblclick', (e) => log('double' + (e.shiftKey ? '-shift' : '')))");
    h.ok("browser_click", json!({ "ref": "#add", "button": "right" }));
    h.ok("browser_click", json!({ "ref": "#add", "double": true, "modifiers": ["Shift"] }));
    assert_eq!(h.log(), "menu double-shift");
}

#[test]
fn click_that_posts_and_fails_is_no_success_whatever_the_page_says() {
    let h = Hands::at("/network.html");
    let clicked = h.fails("browser_click", json!({ "ref": "#fail" }), ErrorCode::RequestFailed);
    let failed = &effect(&clicked).network.failed;
    assert_eq!(
        (failed[0].method.as_str(), failed[0].path.as_str(), failed[0].status),
        ("POST", "/fail", Some(500))
    );
    assert_eq!(h.log(), "Application submitted!");
}

#[test]
fn click_that_downloads_reports_name_size_and_checksum() {
    let h = Hands::at("/download.html");
    let clicked = h.ok("browser_click", json!({ "ref": "text=Get report" }));
    let [download] = &effect(&clicked).downloads[..] else { panic!("not one download: {clicked:#?}") };
    assert_eq!((download.name.as_str(), download.bytes), ("report 2026.csv", Some(8)));
    assert_eq!(download.sha256.as_deref(), Some(REPORT_SHA256));
    let content = std::fs::read_to_string(download.path.as_ref().unwrap()).unwrap();
    assert_eq!(content, "a,b\n1,2\n");
}

#[test]
fn click_goes_to_the_point_as_often_and_as_long_as_it_is_told() {
    let h = Hands::at("/exact.html");
    h.js(
        "window.got = []; const go = document.getElementById('go'); for (const t of ['mousedown', 'mouseup', 'click', 'dblclick']) \
         go.addEventListener(t, (e) => { const b = go.getBoundingClientRect(); got.push([t, Math.round(e.clientX - b.x - go.clientLeft), Math.round(e.clientY - b.y - go.clientTop), e.detail, e.shiftKey, e.timeStamp]); })",
    );
    let at = json!({ "x": 3, "y": 4 });
    h.ok("browser_click", json!({ "ref": "#go", "position": at, "clicks": 3, "modifiers": ["Shift"] }));
    // The point is within the border; the element may begin between two pixels.
    let got = h.js("got.filter((e) => e[0] === 'click').map((e) => [Math.abs(e[1] - 3) <= 1, Math.abs(e[2] - 4) <= 1, e[3], e[4]])");
    assert_eq!(got, json!([[true, true, 1, true], [true, true, 2, true], [true, true, 3, true]]));
    h.js("got.length = 0");
    h.ok("browser_click", json!({ "ref": "#go", "delay": 60.5 }));
    let held = h.js("got.find((e) => e[0] === 'mouseup')[5] - got.find((e) => e[0] === 'mousedown')[5]");
    assert!(held.as_f64().unwrap() >= 50.0, "{held}");
    h.js("got.length = 0; document.getElementById('go').addEventListener('mousemove', (e) => got.push(['over', e.shiftKey]))");
    h.ok("browser_hover", json!({ "ref": "#go", "position": at, "modifiers": ["Shift"] }));
    assert_eq!(h.js("got"), json!([["over", true]]));
}

#[test]
fn click_by_force_goes_to_the_point_whatever_lies_there() {
    let h = Hands::at("/cover-overlay.html");
    let covered = h.js("(() => { const all = [...document.querySelectorAll('button')]; const one = all.find((b) => { const r = b.getBoundingClientRect(); return document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2) !== b; }); one.id = 'covered'; return one.textContent; })()");
    h.fails("browser_click", json!({ "ref": "#covered" }), ErrorCode::Occluded);
    let forced = h.ok("browser_click", json!({ "ref": "#covered", "force": true, "no_wait": true }));
    assert_ne!(effect(&forced).verdict, Verdict::Blocked, "{covered}: {forced:#?}");
    h.js("document.getElementById('covered').style.display = 'none'");
    h.fails("browser_click", json!({ "ref": "#covered", "force": true }), ErrorCode::NotVisible);
}
