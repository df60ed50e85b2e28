//! Pages whose script never ends: told within 5 s, harmless to others, closed or recovered alone.

use crate::hands::{Hands, data, verdict};
use crate::rig::{WORK, descendants, renderer, until};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use truehand_base::{ErrorCode, Outcome};

/// Within this a caller is told that a page does not answer.
const TOLD: Duration = Duration::from_secs(5);
/// Within this a tab is closed, whatever its page does.
const CLOSED: Duration = Duration::from_secs(2);

/// Makes a call and gives how long it took.
fn timed(h: &Hands, tool: &str, arguments: Value) -> (Outcome, Duration) {
    let start = Instant::now();
    let outcome = h.call(tool, arguments);
    (outcome, start.elapsed())
}

/// A call that must be told in time that the page does not answer.
#[track_caller]
fn told(h: &Hands, tool: &str, arguments: Value) -> Outcome {
    let (outcome, took) = timed(h, tool, arguments);
    assert_eq!(outcome.error.as_ref().map(|e| e.code), Some(ErrorCode::PageUnresponsive), "{outcome:#?}");
    assert!(took < TOLD, "{tool} took {took:?}");
    outcome
}

/// A page that begins to loop by itself shortly after it has come.
fn wedged(at: &str) -> Hands {
    let h = Hands::new();
    h.open(&format!("/faults/loops.html?at={at}"));
    std::thread::sleep(Duration::from_millis(600));
    h
}

fn tab_of(outcome: &Outcome) -> String {
    outcome.tab_id.unwrap().to_string()
}

#[track_caller]
fn note(outcome: &Outcome) -> &str {
    outcome.warnings.iter().find(|w| w.code == "NOTE").map_or("", |w| w.message.as_str())
}

#[test]
fn every_kind_of_call_is_told_within_5_s_that_a_page_loops_and_sooner_once_it_is_known() {
    let h = wedged("timer");
    told(&h, "browser_click", json!({ "ref": "#click" }));
    let start = Instant::now();
    for (tool, arguments) in [
        ("browser_read", json!({})),
        ("browser_click", json!({ "ref": "#click" })),
        ("browser_wait_for", json!({ "text": "Zebra", "timeout_ms": 20_000 })),
        ("browser_wait_for_idle", json!({ "timeout_ms": 20_000 })),
        ("browser_press", json!({ "key": "Tab" })),
        ("browser_screenshot", json!({})),
    ] {
        told(&h, tool, arguments);
    }
    assert!(start.elapsed() < TOLD * 3, "{:?} for six calls on a tab that is known to hang", start.elapsed());
}

#[test]
fn click_whose_handler_loops_is_told_within_5_s_and_the_tab_closes_within_2() {
    let h = Hands::at("/faults/loops.html");
    told(&h, "browser_click", json!({ "ref": "#click" }));
    let (closed, took) = timed(&h, "browser_close_tab", json!({}));
    assert!(closed.ok(), "{closed:#?}");
    assert!(took < CLOSED, "closing took {took:?}");
    h.open("/tab-a.html");
}

#[test]
fn load_that_loops_is_told_within_5_s_and_the_tab_can_be_used_for_something_else() {
    let h = Hands::at("/tab-a.html");
    let url = h.site.url("/faults/loops.html?at=load");
    let outcome = told(&h, "browser_navigate", json!({ "url": url }));
    assert_eq!(data(&outcome, "url"), url.as_str(), "it says where the tab is");
    let left = h.open("/tab-b.html");
    assert!(note(&left).contains("ended"), "{left:#?}");
    assert!(h.read().contains("Tab B"));
}

#[test]
fn script_of_the_caller_that_loops_is_ended_and_the_page_answers_again() {
    let h = Hands::at("/faults/loops.html");
    let start = Instant::now();
    let ran = h.approved("browser_execute_js", json!({ "script": "for (;;) ;" }));
    assert!(start.elapsed() < TOLD, "{:?}", start.elapsed());
    assert_eq!(ran.error.as_ref().unwrap().code, ErrorCode::PageUnresponsive, "{ran:#?}");
    assert_eq!((data(&ran, "script_ended"), data(&ran, "page_answers")), (json!(true), json!(true)));
    assert_eq!(h.js("1 + 1"), 2);
}

#[test]
fn script_and_load_that_only_take_long_are_not_taken_for_a_loop() {
    let h = Hands::at("/tab-a.html");
    let slept = h.js("new Promise((done) => setTimeout(done, 6000, 'awake'))");
    assert_eq!(slept, "awake");
    let (slow, took) = timed(&h, "browser_navigate", json!({ "url": h.site.url("/api/slow?ms=8000") }));
    assert!(slow.ok(), "{slow:#?}");
    assert!(took > Duration::from_secs(8));
    assert_eq!(note(&slow), "", "nothing was ended");
}

#[test]
fn page_that_loops_once_is_reloaded_after_its_script_was_ended() {
    let h = wedged("once");
    let (reloaded, took) = timed(&h, "browser_reload", json!({}));
    assert!(reloaded.ok(), "{reloaded:#?}");
    assert!(took < Duration::from_secs(10), "{took:?}");
    assert!(note(&reloaded).contains("terminated"), "it says which means it took: {reloaded:#?}");
}

#[test]
fn page_that_loops_again_and_again_is_left_and_reloaded_with_its_scripts_on() {
    let h = wedged("timer");
    let elsewhere = h.open("/count.html");
    // How harsh the means must be depends on how busy the machine is; that one was needed is said.
    assert!(
        note(&elsewhere).contains("the page did not answer"),
        "it says which means it took: {elsewhere:#?}"
    );
    h.ok("browser_click", json!({ "ref": "#add" }));

    let h = wedged("timer");
    let reloaded = h.ok("browser_reload", json!({}));
    assert!(note(&reloaded).contains("the page did not answer"), "{reloaded:#?}");
    assert!(reloaded.output["url"].as_str().unwrap().ends_with("/faults/loops.html?at=timer"));
    assert!(verdict(&reloaded).contains("reloaded"), "{}", verdict(&reloaded));
    // Its scripts run again, and so it loops again.
    std::thread::sleep(Duration::from_millis(500));
    told(&h, "browser_read", json!({}));
}

#[test]
fn page_that_loops_while_it_is_left_is_left_all_the_same() {
    let h = Hands::at("/faults/loops.html?at=unload");
    let (left, took) = timed(&h, "browser_navigate", json!({ "url": h.site.url("/tab-b.html") }));
    assert!(left.ok(), "{left:#?}");
    assert!(took < Duration::from_secs(10), "{took:?}");
    assert!(h.read().contains("Tab B"));
    h.open("/faults/loops.html?at=unload");
    let (closed, took) = timed(&h, "browser_close_tab", json!({}));
    assert!(closed.ok(), "{closed:#?}");
    assert!(took < CLOSED, "closing took {took:?}");
}

#[test]
fn page_that_loops_while_the_next_document_is_on_its_way_is_ended_and_its_tab_goes_on() {
    let h = Hands::at("/faults/loops.html");
    let tab = tab_of(&h.ok("browser_current_tab", json!({})));
    let looping = renderer(&h, WORK);
    h.js("setTimeout(() => setInterval(() => { for (;;) ; }, 1), 500); 1");
    // The document comes into the process that loops by then, where no command reaches the tab any more.
    let (left, took) = timed(&h, "browser_navigate", json!({ "url": h.site.url("/api/slow?ms=2000") }));
    assert!(left.ok(), "{left:#?}");
    assert!(took < Duration::from_secs(20), "{took:?}");
    assert!(note(&left).contains("opened anew under the same tab_id"), "{left:#?}");
    assert!(verdict(&left).contains("/api/slow"), "{left:#?}");
    h.open("/count.html");
    let clicked = h.ok("browser_click", json!({ "ref": "#add" }));
    assert_eq!(tab_of(&clicked), tab);
    assert_eq!(h.ok("browser_list_tabs", json!({})).output["tabs"].as_array().unwrap().len(), 1);
    let back = h.ok("browser_back", json!({}));
    assert!(back.output["url"].as_str().unwrap().contains("/api/slow"), "{back:#?}");
    until("the end of the renderer that looped", || !descendants().contains_key(&looping));
}

#[test]
fn page_that_loops_and_asks_before_it_is_left_is_left_without_an_answer() {
    let h = Hands::at("/faults/loops.html");
    h.js("addEventListener('beforeunload', (event) => event.preventDefault()); 1");
    // Only a page that was used may ask.
    h.ok("browser_press", json!({ "key": "Tab" }));
    h.js("setTimeout(() => setInterval(() => { for (;;) ; }, 1), 100); 1");
    std::thread::sleep(Duration::from_millis(400));
    let left = h.open("/count.html");
    assert!(note(&left).contains("the page did not answer"), "{left:#?}");
    h.ok("browser_click", json!({ "ref": "#add" }));
}

#[test]
fn way_back_from_and_to_a_page_that_loops_again_and_again_passes_over_the_empty_page() {
    let h = Hands::at("/tab-a.html");
    h.open("/faults/loops.html?at=timer");
    std::thread::sleep(Duration::from_millis(600));
    let back = h.ok("browser_back", json!({}));
    assert!(note(&back).contains("the page did not answer"), "{back:#?}");
    assert!(h.read().contains("Tab A"));
    let again = h.ok("browser_back", json!({}));
    assert!(again.output["url"].as_str().unwrap().contains("/faults/loops.html"), "{again:#?}");
}

#[test]
fn loop_in_a_frame_of_the_same_site_wedges_the_page_and_one_of_another_site_only_its_frame() {
    let h = wedged("frame");
    told(&h, "browser_read", json!({}));
    h.ok("browser_close_tab", json!({}));
    h.open("/faults/loops.html?at=frame-other");
    std::thread::sleep(Duration::from_millis(1_000));
    let (clicked, took) = timed(&h, "browser_click", json!({ "ref": "#sibling" }));
    assert!(took < TOLD, "{took:?}");
    assert!(clicked.ok(), "the page itself answers: {clicked:#?}");
    let (read, took) = timed(&h, "browser_read", json!({}));
    assert!(took < TOLD, "{took:?}");
    assert!(read.ok(), "{read:#?}");
    let text = read.text.unwrap();
    assert!(text.contains("Loop on click") && text.contains("does not answer"), "{text}");
}

#[test]
fn other_tabs_and_clients_answer_in_normal_time_beside_a_page_that_loops() {
    let h = Hands::at("/count.html");
    let first = h.ok("browser_current_tab", json!({}));
    let other = Hands::at("/count.html");
    let usual = (0..5).map(|_| timed(&h, "browser_click", json!({ "ref": "#add" })).1).max().unwrap();
    let loops = h.ok("browser_new_tab", json!({ "url": h.site.url("/faults/loops.html?at=timer") }));
    std::thread::sleep(Duration::from_millis(600));
    std::thread::scope(|threads| {
        let waiting = threads.spawn(|| told(&h, "browser_read", json!({ "tab_id": tab_of(&loops) })));
        let mut slowest = Duration::ZERO;
        let mut clicks = 0;
        while !waiting.is_finished() {
            for (client, tab) in [(&h, Some(tab_of(&first))), (&other, None)] {
                let (clicked, took) = timed(client, "browser_click", json!({ "ref": "#add", "tab_id": tab }));
                assert!(clicked.ok(), "{clicked:#?}");
                slowest = slowest.max(took);
                clicks += 1;
            }
        }
        waiting.join().unwrap();
        assert!(clicks >= 4, "{clicks} clicks while the other tab hung");
        assert!(
            slowest < Duration::from_secs(1).max(usual * 6),
            "a click took {slowest:?}; before the loop at most {usual:?}"
        );
    });
}

#[test]
fn tab_that_a_looping_page_opened_shares_its_fate_and_comes_back_with_it() {
    let h = Hands::at("/faults/loops.html");
    let first = tab_of(&h.ok("browser_current_tab", json!({})));
    let opened = h.ok("browser_click", json!({ "ref": "#sibling" }));
    let sibling = opened.page_effect.unwrap().tabs.opened[0].tab_id.to_string();
    h.ok("browser_read", json!({ "tab_id": sibling }));
    told(&h, "browser_click", json!({ "ref": "#click", "tab_id": first }));
    // Pages that opened each other run in one process: this is said and not hidden.
    told(&h, "browser_read", json!({ "tab_id": sibling }));
    let (closed, took) = timed(&h, "browser_close_tab", json!({ "tab_id": first }));
    assert!(closed.ok() && took < CLOSED, "{took:?}: {closed:#?}");
    assert!(h.ok("browser_read", json!({ "tab_id": sibling })).text.unwrap().contains("Loops"));
}
