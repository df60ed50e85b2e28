//! Calls that outlive their answers: the answer in time, the result by its name, and nothing done twice.

use crate::hands::{Hands, RUNTIME, engine};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::unbounded_channel;
use truehand_base::{Approval, Call, CallCtx, Caller, ErrorCode, Outcome, words};
use truehand_engine::ClientOptions;

/// A call whose face needs an answer within a time.
fn within(answer: Duration, call: Call) -> Outcome {
    let ctx = CallCtx::with_timeout(Duration::from_mins(10)).answering_within(answer);
    RUNTIME.block_on(engine().call(&ctx, call))
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// A script that asks the site for `n` and gets it after a time; the site counts.
fn slow_script(h: &Hands, n: u32, takes_ms: u64) -> Call {
    let script =
        format!("fetch('/api/echo?n={n}&ms={takes_ms}', {{ method: 'POST' }}).then((r) => r.text())");
    let approval = Some(Approval::new("test"));
    let call = Call::new(h.client.clone(), "browser_execute_js", json!({ "script": script }));
    Call { approval, ..call }
}

/// A wait for what never comes.
fn endless(h: &Hands) -> Call {
    let arguments = json!({ "text": "never there", "timeout_ms": 600_000 });
    Call::new(h.client.clone(), "browser_wait_for", arguments)
}

fn wait(h: &Hands, arguments: Value) -> Outcome {
    within(Duration::from_secs(20), Call::new(h.client.clone(), "task_wait", arguments))
}

#[track_caller]
fn task_id(outcome: &Outcome) -> String {
    assert!(outcome.running(), "{outcome:#?}");
    outcome.task.as_ref().unwrap().task_id.clone()
}

fn code(outcome: &Outcome) -> Option<ErrorCode> {
    outcome.error.as_ref().map(|error| error.code)
}

#[test]
fn row_279_call_that_takes_too_long_is_answered_in_time_and_its_result_comes_later_and_once() {
    let h = Hands::at("/count.html");
    let asked = Instant::now();
    let early = within(ms(1_000), slow_script(&h, 7, 4_000));
    assert!(asked.elapsed() < ms(3_500), "{:?}", asked.elapsed());
    let id = task_id(&early);
    assert!(!early.ok() && early.error.is_none());
    let line = words::verdict_line(&early);
    assert!(line.starts_with("still running after 1 s: browser_execute_js"), "{line}");
    assert!(line.contains(&id) && line.contains("no result yet"), "{line}");

    let look = wait(&h, json!({ "task_id": id, "timeout_ms": 0 }));
    assert_eq!(task_id(&look), id, "only looked");
    for _ in 0..2 {
        let result = wait(&h, json!({ "task_id": id }));
        assert!(result.ok(), "{result:#?}");
        assert_eq!((result.tool.as_str(), &result.output["result"]), ("browser_execute_js", &json!("7")));
        assert!(result.page_effect.is_some());
        assert_eq!(result.structured()["task"]["status"], "done");
    }
    assert_eq!(h.site.count("POST", "/api/echo"), 1);
}

#[test]
fn call_that_is_done_in_time_is_no_task() {
    let h = Hands::at("/count.html");
    let done = within(Duration::from_secs(30), slow_script(&h, 3, 0));
    assert!(done.ok() && done.task.is_none(), "{done:#?}");
    assert_eq!(done.output["result"], "3");
}

#[test]
fn task_of_another_client_does_not_exist_and_neither_does_one_that_was_never_given() {
    let (mine, other) = (Hands::at("/count.html"), Hands::new());
    let id = task_id(&within(ms(0), endless(&mine)));
    for unknown in [id.as_str(), "0123456789abcdef0123456789abcdef", "", &"x".repeat(10_000)] {
        for cancel in [false, true] {
            let told = wait(&other, json!({ "task_id": unknown, "cancel": cancel, "timeout_ms": 0 }));
            assert_eq!(code(&told), Some(ErrorCode::UnknownTask), "{told:#?}");
            assert!(!format!("{told:?}").contains("browser_wait_for"), "it tells nothing: {told:#?}");
        }
    }
    assert!(wait(&mine, json!({ "task_id": id, "timeout_ms": 0 })).running(), "nobody else stops it");
    wait(&mine, json!({ "task_id": id, "cancel": true }));
}

#[test]
fn cancelled_task_ends_at_once_and_says_so() {
    let h = Hands::at("/count.html");
    let id = task_id(&within(ms(0), endless(&h)));
    let asked = Instant::now();
    let ended = wait(&h, json!({ "task_id": id, "cancel": true }));
    assert_eq!(code(&ended), Some(ErrorCode::Cancelled), "{ended:#?}");
    assert!(asked.elapsed() < Duration::from_secs(5));
    assert!(!ended.running());
    assert_eq!(code(&wait(&h, json!({ "task_id": id }))), Some(ErrorCode::Cancelled), "and again");
}

#[test]
fn cancelling_a_wait_leaves_its_task_at_work() {
    let h = Hands::at("/count.html");
    let id = task_id(&within(ms(0), endless(&h)));
    let ctx = CallCtx::with_timeout(Duration::from_secs(30));
    ctx.cancel().cancel();
    let call = Call::new(h.client.clone(), "task_wait", json!({ "task_id": id }));
    let given_up = RUNTIME.block_on(engine().call(&ctx, call));
    assert_eq!(code(&given_up), Some(ErrorCode::Cancelled));
    assert!(wait(&h, json!({ "task_id": id, "timeout_ms": 0 })).running());
    wait(&h, json!({ "task_id": id, "cancel": true }));
}

#[test]
fn row_281_repeat_of_a_running_request_key_gives_the_same_task_and_acts_once() {
    let h = Hands::at("/count.html");
    let call = || Call { request_key: Some(format!("task-{}", h.client.name)), ..slow_script(&h, 5, 4_000) };
    let id = task_id(&within(ms(500), call()));
    assert_eq!(task_id(&within(ms(500), call())), id);
    let result = wait(&h, json!({ "task_id": id }));
    assert_eq!(result.output["result"], "5", "{result:#?}");
    let replayed = within(Duration::from_secs(20), call());
    assert!(replayed.ok() && replayed.replayed, "{replayed:#?}");
    assert_eq!(h.site.count("POST", "/api/echo"), 1);
}

#[test]
fn call_that_still_waits_for_its_tab_when_the_answer_is_due_is_refused_and_not_done_later() {
    let h = Hands::at("/count.html");
    let id = task_id(&within(ms(300), slow_script(&h, 1, 3_000)));
    let click = within(ms(500), Call::new(h.client.clone(), "browser_click", json!({ "ref": "#add" })));
    assert_eq!(code(&click), Some(ErrorCode::TabBusy), "{click:#?}");
    assert!(wait(&h, json!({ "task_id": id })).ok());
    assert_eq!(h.js("document.getElementById('n').textContent"), Value::from("0"));
}

#[test]
fn tasks_of_a_client_that_is_gone_are_cancelled() {
    let h = Hands::at("/count.html");
    engine().client_connected(&h.client, ClientOptions::default()).unwrap();
    let id = task_id(&within(ms(0), endless(&h)));
    engine().client_gone(&h.client);
    let ended = wait(&h, json!({ "task_id": id }));
    assert!(matches!(code(&ended), Some(ErrorCode::Cancelled | ErrorCode::TabClosed)), "{ended:#?}");
}

#[test]
fn client_with_too_many_tasks_gets_an_error_and_not_one_more() {
    let h = Hands::at("/count.html");
    let ids: Vec<String> = (0..16).map(|_| task_id(&within(ms(0), endless(&h)))).collect();
    let refused = within(ms(0), endless(&h));
    assert_eq!(code(&refused), Some(ErrorCode::Deadline), "{refused:#?}");
    let running = refused.error.unwrap().data["running"].as_array().unwrap().len();
    assert_eq!(running, 16);
    assert!(h.read().contains("Add one"), "calls that are quick go on");
    wait(&h, json!({ "task_id": ids[0], "cancel": true }));
    let next = task_id(&within(ms(0), endless(&h)));
    for id in ids.iter().skip(1).chain([&next]) {
        wait(&h, json!({ "task_id": id, "cancel": true, "timeout_ms": 0 }));
    }
}

#[test]
fn long_call_tells_every_few_seconds_what_it_waits_for() {
    let h = Hands::at("/count.html");
    let (progress, mut steps) = unbounded_channel();
    let ctx = CallCtx::with_timeout(Duration::from_secs(30)).reporting_to(progress);
    let arguments = json!({ "text": "never there", "timeout_ms": 5_000 });
    let call = Call::new(h.client.clone(), "browser_wait_for", arguments);
    let outcome = RUNTIME.block_on(engine().call(&ctx, call));
    assert_eq!(code(&outcome), Some(ErrorCode::Timeout));
    let mut told = Vec::new();
    while let Ok(step) = steps.try_recv() {
        told.push(step.message);
    }
    let beats: Vec<_> = told.iter().filter(|step| step.contains("s so far")).collect();
    assert!(beats.len() >= 2, "{told:?}");
    assert!(beats.iter().all(|beat| beat.starts_with("waiting for text \"never there\", ")), "{told:?}");
}
