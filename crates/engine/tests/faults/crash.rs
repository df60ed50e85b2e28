//! Renderers that crash, tabs that are closed and browsers that are killed under a call: it ends at once with a code of
//! its own, nobody else notices, nothing is done twice, and nothing stays behind.

use crate::hands::{Hands, RUNTIME, engine};
use crate::rig::{WORK, browser, code, descendants, kill, long_calls, renderer, timed, until};
use serde_json::json;
use std::time::{Duration, Instant};
use truehand_base::{Approval, Call, ErrorCode, Outcome};

/// Within this a call ends after what it waits for has ended.
const AT_ONCE: Duration = Duration::from_secs(1);
/// How long a call is given to get under way.
const UNDER_WAY: Duration = Duration::from_millis(700);

/// Runs a call, does something to it once it is under way, and gives how it ended and how soon after.
fn struck(h: &Hands, tool: &str, arguments: serde_json::Value, strike: impl FnOnce()) -> (Outcome, Duration) {
    std::thread::scope(|threads| {
        let call = threads.spawn(|| {
            let outcome = h.approved(tool, arguments);
            (outcome, Instant::now())
        });
        std::thread::sleep(UNDER_WAY);
        strike();
        let struck = Instant::now();
        let (outcome, ended) = call.join().unwrap();
        (outcome, ended.saturating_duration_since(struck))
    })
}

#[test]
fn renderer_that_crashes_under_a_call_is_told_at_once_and_the_tab_works_after_a_reload() {
    let other = Hands::at("/count.html");
    let h = Hands::at("/faults/busy.html");
    for (tool, arguments) in long_calls() {
        let pid = renderer(&h, WORK);
        let (outcome, took) = struck(&h, tool, arguments, || kill(pid));
        assert_eq!(code(&outcome), Some(ErrorCode::PageCrashed), "{tool}: {outcome:#?}");
        assert!(took < AT_ONCE, "{tool} took {took:?}");
        for (tool, arguments) in [("browser_read", json!({})), ("browser_click", json!({ "ref": "#count" }))]
        {
            let (outcome, took) = timed(&h, tool, arguments);
            assert_eq!(code(&outcome), Some(ErrorCode::PageCrashed), "{tool}: {outcome:#?}");
            assert!(took < AT_ONCE, "{tool} took {took:?}");
        }
        other.ok("browser_click", json!({ "ref": "#add" }));
        h.ok("browser_reload", json!({}));
        h.ok("browser_click", json!({ "ref": "#count" }));
    }
    // And while pictures are taken, one after the other.
    let pid = renderer(&h, WORK);
    let killed = std::thread::scope(|threads| {
        let killing = threads.spawn(|| {
            std::thread::sleep(UNDER_WAY);
            kill(pid);
            Instant::now()
        });
        until("the crash", || {
            let (shot, took) = timed(&h, "browser_screenshot", json!({ "full_page": true }));
            assert!(shot.ok() || code(&shot) == Some(ErrorCode::PageCrashed), "{shot:#?}");
            assert!(took < Duration::from_secs(5), "{took:?}");
            !shot.ok()
        });
        killing.join().unwrap()
    });
    assert!(killed.elapsed() < AT_ONCE * 2, "{:?}", killed.elapsed());
    h.ok("browser_reload", json!({}));
    h.ok("browser_screenshot", json!({}));
}

#[test]
fn frame_of_another_site_that_crashes_leaves_the_page_around_it_usable() {
    let h = Hands::at("/faults/loops.html");
    let outer = renderer(&h, WORK);
    h.js("frame(otherHost('/count.html')); 1");
    until("the frame", || h.read().contains("Add"));
    let number = h.reference("Add");
    assert!(number.starts_with('f'), "{number}");
    let inner = {
        // The frame works when it is asked to.
        let script =
            "(element) => { for (const end = performance.now() + 400; performance.now() < end;); return 1; }";
        let before: Vec<u32> = vec![outer];
        let ran = h.approved(
            "browser_execute_js",
            json!({ "script": script, "ref": number, "observe_effects": false }),
        );
        assert!(ran.ok(), "{ran:#?}");
        let all = descendants().into_iter().filter(|(_, line)| line.contains("--type=renderer"));
        let newest = all.map(|(pid, _)| pid).filter(|pid| !before.contains(pid));
        newest.collect::<Vec<_>>()
    };
    // The renderer of the frame is one of those beside the page's own.
    for pid in inner {
        kill(pid);
    }
    until("the page without the frame", || h.read().matches("button").count() == 2);
    h.ok("browser_click", json!({ "ref": "#sibling" }));
    let gone = h.call("browser_click", json!({ "ref": number }));
    assert!(matches!(code(&gone), Some(ErrorCode::RefStale | ErrorCode::RefUnknown)), "{gone:#?}");
}

#[test]
fn tab_that_is_closed_under_a_call_is_told_at_once_and_frees_its_lane() {
    let h = Hands::at("/tab-a.html");
    for (tool, arguments) in long_calls() {
        let opened = h.ok("browser_new_tab", json!({ "url": h.site.url("/faults/busy.html") }));
        let tab = opened.tab_id.unwrap().to_string();
        let mut arguments = arguments;
        arguments["tab_id"] = json!(tab);
        let (outcome, took) =
            struck(&h, tool, arguments, || drop(h.ok("browser_close_tab", json!({ "tab_id": tab }))));
        let told = outcome
            .page_effect
            .as_ref()
            .is_some_and(|effect| effect.tabs.closed.iter().any(|closed| closed.tab_id.to_string() == tab));
        assert!(code(&outcome) == Some(ErrorCode::TabClosed) || told, "{tool}: {outcome:#?}");
        assert!(took < AT_ONCE, "{tool} took {took:?}");
        h.fails("browser_read", json!({ "tab_id": tab }), ErrorCode::TabClosed);
    }
    h.open("/tab-b.html");
}

/// A click that sends something, under a request key.
fn send(h: &Hands, key: &str) -> Outcome {
    let call = Call::new(h.client.clone(), "browser_click", json!({ "ref": "#send" }));
    h.send(Call { request_key: Some(key.to_owned()), approval: Some(Approval::new("test")), ..call })
}

/// Kills the browser `times` times, each time a little later in a call, from the `first` moment on.
fn killed_browsers(times: u32, first: Duration) {
    let h = Hands::at("/faults/busy.html");
    for round in 0..times {
        let key = format!("key-{round}-{}", first.as_millis());
        let sent = h.site.requests().iter().filter(|r| r.query == "sent").count();
        let delay = first + Duration::from_millis(23) * round;
        let (outcome, took) = std::thread::scope(|threads| {
            let call = threads.spawn(|| (send(&h, &key), Instant::now()));
            std::thread::sleep(delay);
            kill(browser().unwrap());
            let killed = Instant::now();
            let (outcome, ended) = call.join().unwrap();
            (outcome, ended.saturating_duration_since(killed))
        });
        assert!(took < AT_ONCE, "after {delay:?} it took {took:?}");
        let told = code(&outcome);
        assert!(outcome.ok() || told == Some(ErrorCode::BrowserGone), "after {delay:?}: {outcome:#?}");
        // Asked again under its key, nothing is done a second time.
        let again = send(&h, &key);
        let all = h.site.requests().iter().filter(|r| r.query == "sent").count();
        assert!(all - sent <= 1, "after {delay:?} it was done {} times", all - sent);
        assert!(!outcome.ok() || all - sent == 1, "after {delay:?} a success that did nothing");
        assert!(again.replayed || code(&again).is_some(), "{again:#?}");
        // The death is told once, and the next call starts a browser.
        if outcome.ok() {
            h.fails("browser_read", json!({}), ErrorCode::BrowserGone);
        }
        h.open("/faults/busy.html");
    }
    RUNTIME.block_on(engine().shutdown());
    until("the end of every process", || descendants().is_empty());
}

#[test]
fn browser_killed_early_in_a_call_is_told_at_once_and_nothing_is_done_twice() {
    killed_browsers(10, Duration::ZERO);
}

#[test]
fn browser_killed_late_in_a_call_is_told_at_once_and_nothing_is_done_twice() {
    killed_browsers(10, Duration::from_millis(230));
}
