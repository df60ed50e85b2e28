//! Dialogs at the worst moment: every call ends at once, with the dialog's kind and text or with its own result.

use crate::hands::{Hands, data, effect};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use truehand_base::{Dialog, DialogHandling, ErrorCode, Outcome};

/// Within this a call ends that finds a dialog open.
const AT_ONCE: Duration = Duration::from_secs(1);
/// Within this one ends that does something on its way to the dialog.
const SOON: Duration = Duration::from_secs(4);

fn at(point: &str, kind: &str) -> Hands {
    let h = Hands::new();
    h.call("browser_navigate", json!({ "url": page(&h, point, kind) }));
    h
}

fn page(h: &Hands, point: &str, kind: &str) -> String {
    h.site.url(&format!("/faults/dialogs.html?at={point}&kind={kind}"))
}

fn timed(h: &Hands, tool: &str, arguments: Value) -> (Outcome, Duration) {
    let start = Instant::now();
    let outcome = h.approved(tool, arguments);
    (outcome, start.elapsed())
}

/// Every kind of call names the open dialog at once.
#[track_caller]
fn all_name(h: &Hands, tab: &str, kind: &str, text: &str) {
    for (tool, arguments) in [
        ("browser_read", json!({})),
        ("browser_click", json!({ "ref": "#count" })),
        ("browser_wait_for", json!({ "text": "Zebra", "timeout_ms": 20_000 })),
        ("browser_screenshot", json!({})),
        ("browser_execute_js", json!({ "script": "1" })),
        ("browser_press", json!({ "key": "Tab" })),
        ("browser_reload", json!({})),
    ] {
        let mut arguments = arguments;
        arguments["tab_id"] = json!(tab);
        let (outcome, took) = timed(h, tool, arguments);
        assert_eq!(
            outcome.error.as_ref().map(|e| e.code),
            Some(ErrorCode::DialogOpen),
            "{tool}: {outcome:#?}"
        );
        assert_eq!((data(&outcome, "type"), data(&outcome, "text")), (json!(kind), json!(text)), "{tool}");
        assert!(took < AT_ONCE, "{tool} took {took:?}");
    }
    let (tabs, took) = timed(h, "browser_list_tabs", json!({}));
    assert!(tabs.ok() && took < AT_ONCE, "{took:?}");
}

#[track_caller]
fn dismiss(h: &Hands, tab: &str) -> Outcome {
    let (answered, took) = timed(h, "browser_dialog", json!({ "accept": false, "tab_id": tab }));
    assert!(answered.ok(), "{answered:#?}");
    assert!(took < SOON, "{took:?}");
    answered
}

#[track_caller]
fn only_dialog(outcome: &Outcome) -> &Dialog {
    let dialogs = &effect(outcome).dialogs;
    assert_eq!(dialogs.len(), 1, "{outcome:#?}");
    &dialogs[0]
}

#[test]
fn confirm_and_prompt_while_a_page_loads_end_the_load_at_once_and_wait_for_a_decision() {
    for kind in ["confirm", "prompt"] {
        let h = Hands::at("/tab-a.html");
        let (loading, took) = timed(&h, "browser_navigate", json!({ "url": page(&h, "load", kind) }));
        assert!(took < SOON, "{took:?}");
        let dialog = only_dialog(&loading);
        assert_eq!((dialog.kind.as_str(), dialog.message.as_str()), (kind, "Load?"));
        assert_eq!(dialog.handling, DialogHandling::Open);
        all_name(&h, "t1", kind, "Load?");
        dismiss(&h, "t1");
        h.ok("browser_click", json!({ "ref": "#count" }));
        let log = h.log();
        assert!(log == "confirm:false counted" || log == "prompt:null counted", "{log}");
    }
}

#[test]
fn confirm_from_a_click_a_press_a_script_and_a_timer_is_named_by_every_call_until_it_is_answered() {
    let h = at("nowhere", "confirm");
    let (clicked, took) = timed(&h, "browser_click", json!({ "ref": "#click" }));
    assert!(clicked.ok() && took < SOON, "{took:?} {clicked:#?}");
    assert_eq!(only_dialog(&clicked).handling, DialogHandling::Open);
    all_name(&h, "t1", "confirm", "Click?");
    dismiss(&h, "t1");

    let (pressed, took) = timed(&h, "browser_click", json!({ "ref": "#press" }));
    assert!(took < SOON, "{took:?} {pressed:#?}");
    all_name(&h, "t1", "confirm", "Press?");
    dismiss(&h, "t1");

    let (ran, took) = timed(&h, "browser_execute_js", json!({ "script": "ask('Script?')" }));
    assert!(took < SOON, "{took:?} {ran:#?}");
    all_name(&h, "t1", "confirm", "Script?");
    dismiss(&h, "t1");

    // It opens while another call waits.
    h.ok("browser_click", json!({ "ref": "#soon", "observe_effects": false }));
    let (waited, took) = timed(&h, "browser_wait_for", json!({ "text": "Zebra", "timeout_ms": 20_000 }));
    assert_eq!(waited.error.as_ref().map(|e| e.code), Some(ErrorCode::DialogOpen), "{waited:#?}");
    assert!(took < Duration::from_millis(700) + AT_ONCE, "{took:?}");
    dismiss(&h, "t1");

    // And while pictures are taken.
    h.ok("browser_click", json!({ "ref": "#soon", "observe_effects": false }));
    let end = Instant::now() + SOON;
    loop {
        let (shot, took) = timed(&h, "browser_screenshot", json!({ "full_page": true }));
        if let Some(error) = &shot.error {
            assert_eq!(error.code, ErrorCode::DialogOpen, "{error}");
            assert!(took < SOON, "{took:?}");
            break;
        }
        assert!(Instant::now() < end, "no dialog came");
    }
    dismiss(&h, "t1");
    let log = h.log();
    assert_eq!(log.matches("confirm:false").count(), 5, "{log}");
    assert!(!log.contains("true"), "no confirm is accepted by itself: {log}");
}

#[test]
fn two_dialogs_in_a_row_are_answered_one_after_the_other() {
    let h = at("nowhere", "confirm");
    let clicked = h.call("browser_click", json!({ "ref": "#two" }));
    assert_eq!(only_dialog(&clicked).message, "One?");
    let first = h.call("browser_dialog", json!({ "accept": true }));
    let told: Vec<&str> = effect(&first).dialogs.iter().map(|d| d.message.as_str()).collect();
    assert!(told.contains(&"Two?"), "the next one is told with the answer: {first:#?}");
    all_name(&h, "t1", "confirm", "Two?");
    dismiss(&h, "t1");
    assert_eq!(h.log(), "confirm:true confirm:false");
}

#[test]
fn dialog_in_a_frame_of_the_same_or_another_site_is_named_and_answered() {
    for point in ["frame", "frame-other"] {
        let h = at(point, "confirm");
        let end = Instant::now() + SOON;
        while h.call("browser_read", json!({})).error.is_none_or(|e| e.code != ErrorCode::DialogOpen) {
            assert!(Instant::now() < end, "{point}: no dialog came");
        }
        all_name(&h, "t1", "confirm", "Load?");
        dismiss(&h, "t1");
        h.ok("browser_click", json!({ "ref": "#count" }));
        assert_eq!(h.log(), "counted", "{point}");
    }
}

#[test]
fn dialog_of_a_tab_that_a_page_opened_is_named_in_both_and_answered_there() {
    let h = at("nowhere", "confirm");
    let (opened, took) = timed(&h, "browser_click", json!({ "ref": "#popup" }));
    assert!(took < SOON, "{took:?} {opened:#?}");
    let popup = "t2";
    let end = Instant::now() + SOON;
    while h
        .call("browser_read", json!({ "tab_id": popup }))
        .error
        .is_none_or(|e| e.code != ErrorCode::DialogOpen)
    {
        assert!(Instant::now() < end, "no dialog came");
    }
    all_name(&h, popup, "confirm", "Load?");
    // Both share one script thread: the page that opened it stands still as well, and says why.
    let (read, took) = timed(&h, "browser_read", json!({ "tab_id": "t1" }));
    assert_eq!(read.error.as_ref().map(|e| e.code), Some(ErrorCode::DialogOpen), "{read:#?}");
    assert_eq!(data(&read, "tab_id"), popup);
    assert!(took < AT_ONCE * 2, "{took:?}");
    dismiss(&h, popup);
    h.ok("browser_click", json!({ "ref": "#count", "tab_id": "t1" }));
}

#[test]
fn page_that_asks_before_it_is_left_stays_until_that_is_accepted_and_closes_when_told() {
    let h = at("nowhere", "confirm");
    h.ok("browser_click", json!({ "ref": "#guard" }));
    for (tool, arguments) in
        [("browser_navigate", json!({ "url": h.site.url("/tab-a.html") })), ("browser_reload", json!({}))]
    {
        let (left, took) = timed(&h, tool, arguments);
        assert_eq!(left.error.as_ref().map(|e| e.code), Some(ErrorCode::DialogOpen), "{left:#?}");
        assert!(took < SOON, "{took:?}");
        assert_eq!(data(&left, "type"), "beforeunload");
        dismiss(&h, "t1");
        assert_eq!(h.log(), "guarded", "it was not left");
    }
    let start = Instant::now();
    h.ok("browser_close_tab", json!({}));
    assert!(start.elapsed() < SOON);
}

#[test]
fn alert_of_the_callers_script_leaves_no_stale_dialog() {
    let h = at("nowhere", "alert");
    for _ in 0..3 {
        let ran = h.approved("browser_execute_js", json!({ "script": "alert('Hi'); alert('there'); 7" }));
        assert!(ran.ok(), "{ran:#?}");
        assert_eq!(effect(&ran).dialogs.len(), 2);
        h.ok("browser_click", json!({ "ref": "#count" }));
    }
    assert_eq!(h.log(), "counted counted counted");
}

#[test]
fn dialog_of_a_page_that_is_gone_is_gone_with_it() {
    let h = at("nowhere", "confirm");
    h.call("browser_click", json!({ "ref": "#popup" }));
    let end = Instant::now() + SOON;
    while h
        .call("browser_read", json!({ "tab_id": "t2" }))
        .error
        .is_none_or(|e| e.code != ErrorCode::DialogOpen)
    {
        assert!(Instant::now() < end, "no dialog came");
    }
    let start = Instant::now();
    h.ok("browser_close_tab", json!({ "tab_id": "t2" }));
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    h.ok("browser_click", json!({ "ref": "#count", "tab_id": "t1" }));
}

#[test]
fn printing_and_file_choosers_hold_up_no_call() {
    let h = at("nowhere", "confirm");
    let (printed, took) = timed(&h, "browser_execute_js", json!({ "script": "print(); 'on'" }));
    assert!(printed.ok() && took < SOON, "{took:?} {printed:#?}");
    let (clicked, took) = timed(&h, "browser_click", json!({ "ref": "#file" }));
    assert!(clicked.ok() && took < SOON, "{took:?} {clicked:#?}");
    h.ok("browser_click", json!({ "ref": "#count" }));
    assert_eq!(h.log(), "counted");
}

#[test]
fn name_and_password_are_never_filled_and_what_asks_for_them_holds_up_no_call() {
    let h = Hands::at("/count.html");
    let (asked, took) = timed(&h, "browser_navigate", json!({ "url": h.site.url("/auth") }));
    assert_eq!(asked.error.as_ref().map(|e| e.code), Some(ErrorCode::AuthRequired), "{asked:#?}");
    assert!(took < SOON, "{took:?}");
    h.fails("browser_navigate", json!({ "url": h.site.url("/auth?dialog=no") }), ErrorCode::RequestFailed);
    h.open("/count.html");
    // A request of the page itself waits for a person who is not there; no event tells of that, but the page goes on.
    let script = "fetch('/auth', { method: 'POST' }); document.title = 'asked'";
    let (sent, took) = timed(&h, "browser_execute_js", json!({ "script": script }));
    assert!(took < SOON, "{took:?}");
    assert_eq!(effect(&sent).network.in_flight_at_end, 1, "{sent:#?}");
    h.ok("browser_click", json!({ "ref": "#add" }));
    assert!(h.site.requests().iter().all(|r| r.headers.iter().all(|(name, _)| name != "authorization")));
}
