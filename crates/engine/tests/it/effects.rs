//! `page_effect`: counted against pages that do exactly what is known.

use crate::hands::{Hands, effect};
use serde_json::{Value, json};
use std::time::Instant;
use truehand_base::{ErrorCode, Outcome, Verdict};

#[test]
fn row_215_page_effect_of_every_acting_tool_fits_its_schema() {
    let schema = serde_json::to_value(schemars::schema_for!(truehand_base::PageEffect)).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let h = Hands::new();
    let outcomes: Vec<(&str, Outcome)> = vec![
        ("navigate", h.open("/keys.html")),
        ("click", h.ok("browser_click", json!({ "ref": "#field" }))),
        ("type", h.ok("browser_type", json!({ "ref": "#field", "text": "x" }))),
        ("press", h.ok("browser_press", json!({ "keys": ["End"] }))),
        ("scroll", h.ok("browser_scroll", json!({}))),
        ("hover", h.ok("browser_hover", json!({ "ref": "#field" }))),
        ("reload", h.ok("browser_reload", json!({}))),
    ];
    for (tool, outcome) in outcomes {
        let effect: Value = outcome.structured()["page_effect"].clone();
        assert!(effect.is_object(), "{tool} has no page_effect");
        let problems: Vec<String> = validator.iter_errors(&effect).map(|e| e.to_string()).collect();
        assert!(problems.is_empty(), "{tool}: {problems:?} in {effect}");
    }
}

#[test]
fn row_216_dom_counters_are_exact() {
    let h = Hands::at("/exact.html");
    let clicked = h.ok("browser_click", json!({ "ref": "#go" }));
    let dom = &effect(&clicked).dom;
    assert_eq!(
        (dom.added, dom.removed, dom.attr_changes, dom.text_changes, dom.ambient),
        (3, 2, 1, 1, 0),
        "{dom:?}"
    );
}

#[test]
fn row_217_url_and_focus_are_reported_with_before_and_after() {
    let h = Hands::at("/url-focus.html");
    let pushed = h.ok("browser_click", json!({ "ref": "#push" }));
    let url = &effect(&pushed).url;
    assert_eq!(url.before.as_deref(), Some(h.site.url("/url-focus.html").as_str()));
    assert_eq!(url.after.as_deref(), Some(h.site.url("/url-focus.html?step=2").as_str()));
    assert_eq!((url.changed, url.same_document), (true, Some(true)));
    let moved = h.ok("browser_click", json!({ "ref": "#move" }));
    let focus = &effect(&moved).focus;
    assert!(focus.changed && focus.after_selector.as_deref().unwrap().contains("target"), "{focus:?}");
    assert!(focus.before_selector.is_some(), "{focus:?}");
    assert_eq!(effect(&moved).verdict, Verdict::Changed);
}

#[test]
fn row_218_network_counters_tell_started_completed_and_in_flight() {
    let h = Hands::at("/network.html");
    let clicked = h.ok("browser_click", json!({ "ref": "#two" }));
    let network = &effect(&clicked).network;
    assert_eq!(
        (network.requests_started, network.requests_completed, network.in_flight_at_end),
        (2, 1, 1),
        "{network:?}"
    );
}

#[test]
fn network_of_a_post_lists_what_was_sent() {
    let h = Hands::at("/network.html");
    let clicked = h.ok("browser_click", json!({ "ref": "#ping" }));
    let sent = &effect(&clicked).network.sent;
    assert_eq!(
        (sent[0].method.as_str(), sent[0].path.as_str(), sent[0].status),
        ("POST", "/api/ping", Some(200))
    );
    assert_eq!(effect(&clicked).verdict, Verdict::Changed, "a request is an effect");
    assert_eq!(h.site.count("POST", "/api/ping"), 1);
}

#[test]
fn row_219_console_errors_and_throws_are_listed() {
    let h = Hands::at("/errors.html");
    for (id, words) in
        [("throw", "the handler broke"), ("error", "the console says"), ("reject", "nobody caught this")]
    {
        let clicked = h.ok("browser_click", json!({ "ref": format!("#{id}") }));
        let errors = &effect(&clicked).console_errors;
        assert!(errors.iter().any(|e| e.contains(words)), "{id}: {errors:?}");
    }
}

#[test]
fn row_220_window_is_300_ms_by_default_when_nothing_happens() {
    let h = Hands::at("/quiet.html");
    let clicked = h.ok("browser_click", json!({ "ref": "#nothing" }));
    let effect = effect(&clicked);
    assert_eq!(effect.verdict, Verdict::NoChange, "{clicked:#?}");
    // Timers are never early and on a busy machine late.
    assert!((300..1000).contains(&effect.window_ms), "{}", effect.window_ms);
}

#[test]
fn row_221_window_is_extended_while_a_request_of_the_action_is_in_flight() {
    let h = Hands::at("/network.html");
    let clicked = h.ok("browser_click", json!({ "ref": "#late" }));
    let effect = effect(&clicked);
    assert!(effect.dom.total() > 0 && effect.window_ms >= 800, "{effect:#?}");
    assert_eq!(effect.network.in_flight_at_end, 0);
    assert_eq!(h.log(), "answered");
}

#[test]
fn row_222_flood_is_truncated_and_the_call_ends() {
    let h = Hands::at("/flood.html");
    let start = Instant::now();
    let clicked = h.ok("browser_click", json!({ "ref": "#go" }));
    assert_eq!(effect(&clicked).truncated, Some(true), "{clicked:#?}");
    assert_eq!(effect(&clicked).verdict, Verdict::Changed);
    // The page never stops: what counts is that the call does not wait for it to.
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}

#[test]
fn row_223_observe_effects_false_has_no_effect_in_the_reply() {
    let h = Hands::at("/count.html");
    let clicked = h.ok("browser_click", json!({ "ref": "#add", "observe_effects": false }));
    assert_eq!(clicked.page_effect, None);
    assert_eq!(clicked.output["clicked"], true);
    assert_eq!(h.js("document.getElementById('n').textContent"), "1");
}

#[test]
fn row_224_expectation_that_is_missed_is_a_warning_and_one_that_is_met_is_none() {
    let h = Hands::at("/network.html");
    let expect = json!({ "network": true });
    let met = h.ok("browser_click", json!({ "ref": "#ping", "expect_effect": expect }));
    assert_eq!(met.warnings, []);
    h.open("/count.html");
    let missed = h.ok("browser_click", json!({ "ref": "#add", "expect_effect": expect }));
    assert_eq!(missed.warnings[0].code, "EXPECTATION_MISSED");
    assert!(missed.warnings[0].message.contains("request"), "{:?}", missed.warnings);
}

#[test]
fn row_225_changes_in_frames_and_shadow_roots_are_counted() {
    let h = Hands::at("/frames.html");
    let text = h.read_until("button \"Frame press\"", 2);
    for row in text.lines().filter(|l| l.contains("button \"")) {
        let reference = crate::hands::reference_in(row, "button").unwrap();
        let clicked = h.ok("browser_click", json!({ "ref": reference }));
        let dom = &effect(&clicked).dom;
        assert!(dom.added + dom.text_changes > 0, "{row}: {dom:?}");
    }
    h.open("/shadow-closed.html");
    let clicked = h.ok("browser_click", json!({ "ref": h.reference("button \"Closed press\"") }));
    assert!(effect(&clicked).dom.total() > 0);
}

#[test]
fn row_226_page_noise_is_no_effect_of_an_action() {
    let h = Hands::at("/clock.html");
    h.ok("browser_wait_for", json!({ "text": "tick 9", "timeout_ms": 5000 }));
    let dead = h.ok("browser_click", json!({ "ref": "#dead" }));
    let effect_of_dead = effect(&dead);
    assert_eq!((effect_of_dead.verdict, effect_of_dead.dom.total()), (Verdict::AmbientOnly, 0), "{dead:#?}");
    assert!(effect_of_dead.dom.ambient > 0);
    let live = h.ok("browser_click", json!({ "ref": "#live" }));
    assert_eq!(effect(&live).verdict, Verdict::Changed, "{live:#?}");
    assert!(effect(&live).dom.total() > 0);
    h.open("/polling.html");
    h.ok("browser_wait_for", json!({ "text": "Polling", "timeout_ms": 2000 }));
    // Until the poll has come a few times, nobody can tell that it recurs.
    h.call("browser_wait_for_idle", json!({ "timeout_ms": 1500 }));
    let dead = h.ok("browser_click", json!({ "ref": "#dead" }));
    assert!(matches!(effect(&dead).verdict, Verdict::AmbientOnly | Verdict::NoChange), "{dead:#?}");
}

#[test]
fn late_effects_are_told_by_the_next_call() {
    let h = Hands::at("/dialogs.html");
    h.js("document.getElementById('guard').onclick = () => setTimeout(() => log('very-late'), 900)");
    let clicked = h.ok("browser_click", json!({ "ref": "#guard" }));
    assert_eq!(effect(&clicked).verdict, Verdict::NoChange, "{clicked:#?}");
    h.wait_log("very-late");
    let next = h.ok("browser_click", json!({ "ref": "text=Dialogs" }));
    let late = effect(&next).late.as_ref().unwrap_or_else(|| panic!("nothing late in {next:#?}"));
    assert!(late.dom.total() > 0, "{late:?}");
}

#[test]
fn click_that_navigates_reports_the_new_address() {
    let h = Hands::at("/tab-a.html");
    let clicked = h.ok("browser_click", json!({ "ref": "text=Go to B" }));
    let effect = effect(&clicked);
    assert_eq!(effect.url.after.as_deref(), Some(h.site.url("/tab-b.html").as_str()));
    assert_eq!(effect.url.same_document, Some(false));
    assert!(h.read().contains("Tab B"));
}

#[test]
fn wedged_tab_is_page_unresponsive_and_other_tabs_work() {
    let h = Hands::at("/wedge.html");
    let other = Hands::at("/count.html");
    let frozen = h.call("browser_click", json!({ "ref": "#freeze" }));
    let read = h.call("browser_read", json!({}));
    let codes = [ErrorCode::PageUnresponsive, ErrorCode::Deadline];
    let failed = [frozen.error, read.error].into_iter().flatten().any(|e| codes.contains(&e.code));
    assert!(failed, "a frozen page is said to be so");
    other.ok("browser_click", json!({ "ref": "#add" }));
    h.ok("browser_close_tab", json!({}));
    h.open("/count.html");
}
