//! Calls that come at the same time: one after the other on a tab, side by side on two.

use crate::hands::Hands;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use truehand_base::{Approval, Call, ErrorCode};

#[test]
fn row_255_busy_tab_names_its_holder_and_stops_nobody_else() {
    let busy = Hands::at("/count.html");
    let other = Hands::at("/count.html");
    let hold = "window.held = true; new Promise((done) => { window.release = done; })";
    std::thread::scope(|threads| {
        let holder = threads.spawn(|| {
            let approval = Some(Approval::new("test"));
            let arguments = json!({ "script": hold });
            let call = Call::new(busy.client.clone(), "browser_execute_js", arguments);
            busy.send_within(Duration::from_secs(8), Call { approval, ..call })
        });
        // The holder has the tab as soon as a short call on it is turned away.
        let click = || Call::new(busy.client.clone(), "browser_click", json!({ "ref": "#add" }));
        let end = Instant::now() + Duration::from_secs(6);
        let refused = loop {
            let outcome = busy.send_within(Duration::from_millis(200), click());
            match outcome.error {
                Some(error) if error.code == ErrorCode::TabBusy => break error,
                _ => assert!(Instant::now() < end, "the tab was never busy"),
            }
        };
        assert!(refused.retriable);
        assert!(refused.data["holder"].as_str().unwrap().contains("browser_execute_js"), "{refused:?}");
        assert!(!holder.is_finished());
        other.ok("browser_click", json!({ "ref": "#add" }));
        assert!(busy.read().contains("Add one"));
        busy.ok("browser_screenshot", json!({}));
        // A picture of an element moves the page.
        let element = Call::new(busy.client.clone(), "browser_screenshot", json!({ "ref": "#add" }));
        let refused = busy.send_within(Duration::from_millis(300), element).error.expect("not now");
        assert_eq!(refused.code, ErrorCode::TabBusy, "{refused:?}");
        assert!(!holder.is_finished());
        holder.join().unwrap();
    });
    busy.ok("browser_click", json!({ "ref": "#add" }));
}

#[test]
fn calls_on_one_tab_at_the_same_time_each_count_once() {
    let h = Hands::at("/count.html");
    std::thread::scope(|threads| {
        let clicks: Vec<_> =
            (0..4).map(|_| threads.spawn(|| h.ok("browser_click", json!({ "ref": "#add" })))).collect();
        for click in clicks {
            let outcome = click.join().unwrap();
            let dom = &outcome.page_effect.as_ref().unwrap().dom;
            assert!(dom.added + dom.removed + dom.text_changes > 0, "{dom:?}");
        }
    });
    assert_eq!(h.js("document.getElementById('n').textContent"), Value::from("4"));
}

#[test]
fn waiting_for_a_page_does_not_keep_the_tab_from_acting() {
    let h = Hands::at("/count.html");
    std::thread::scope(|threads| {
        let wait = threads.spawn(|| {
            h.call("browser_wait_for", json!({ "selector": "#n", "text": "3", "timeout_ms": 30_000 }))
        });
        for _ in 0..3 {
            h.ok("browser_click", json!({ "ref": "#add" }));
        }
        let waited = wait.join().unwrap();
        assert!(waited.ok(), "{:?}", waited.error);
    });
}

#[test]
fn repeat_of_a_running_request_key_waits_and_acts_once() {
    let h = Hands::at("/count.html");
    let call = || Call {
        request_key: Some(format!("running-{}", h.client.name)),
        ..Call::new(h.client.clone(), "browser_click", json!({ "ref": "#add" }))
    };
    let outcomes: Vec<_> = std::thread::scope(|threads| {
        let calls: Vec<_> = (0..3).map(|_| threads.spawn(|| h.send(call()))).collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    assert!(outcomes.iter().all(|outcome| outcome.ok()), "{outcomes:?}");
    assert_eq!(outcomes.iter().filter(|outcome| outcome.replayed).count(), 2);
    assert_eq!(h.js("document.getElementById('n').textContent"), Value::from("1"));
}
