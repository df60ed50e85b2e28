//! Pages that never rest: ten thousand messages or changes a second, while others go on working.

use crate::{agent, at_best, daemon, fits, memory, p95, processor_ms, timed};
use serde_json::json;
use std::time::{Duration, Instant};
use truehand_testkit::Agent;

/// How long a call may take in 95 of 100 cases.
const CALL_TIME: Duration = Duration::from_millis(500);
/// How long the noise is listened to.
const LISTENED: Duration = Duration::from_secs(5);

fn open_noise(agent: &mut Agent, query: &str) {
    agent.open(&format!("/load/noise.html?{query}"));
}

/// How long calls that look take in 95 of 100 cases, in the quietest of three stretches of time.
fn slow_look(agent: &mut Agent) -> Duration {
    let mut stretch = || {
        let end = Instant::now() + LISTENED / 3;
        let mut times = Vec::new();
        while Instant::now() < end {
            for (tool, arguments) in [
                ("browser_current_tab", json!({})),
                ("browser_read", json!({})),
                ("browser_find", json!({ "query": "Noise" })),
                ("browser_list_tabs", json!({})),
            ] {
                let (result, took) = timed(|| agent.ok(tool, arguments));
                fits(tool, &result);
                times.push(took);
            }
        }
        p95(times)
    };
    (0..3).map(|_| stretch()).min().unwrap()
}

#[test]
fn ten_thousand_console_messages_a_second_hold_up_no_call_and_fill_no_memory() {
    let mut agent = agent();
    open_noise(&mut agent, "console=10000");
    agent.ok("browser_read", json!({}));
    let before = memory(daemon(&agent));
    let began = agent.js("said").as_u64().unwrap();
    let start = Instant::now();
    let cpu = processor_ms(daemon(&agent));
    let slow = slow_look(&mut agent);
    let said = agent.js("said").as_u64().unwrap() - began;
    // A machine that is busy otherwise makes less noise; without any the test would say nothing.
    assert!(said as f64 > 3_000.0 * start.elapsed().as_secs_f64(), "{said} messages only");
    let cpu = processor_ms(daemon(&agent)) - cpu;
    println!("{said} messages in {:?}, calls {slow:?}, the daemon worked {cpu} ms", start.elapsed());
    assert!(slow < CALL_TIME, "{slow:?} of {said} messages");
    let counted = agent.ok("browser_click", json!({ "ref": "#count" }));
    assert_eq!(counted.structured["page_effect"]["verdict"], "changed", "{}", counted.text);
    let grown = memory(daemon(&agent)).saturating_sub(before);
    assert!(grown < 30_000, "the daemon grew by {grown} kB over {said} messages");
}

#[test]
fn ten_thousand_console_errors_of_a_click_are_counted_to_the_last_and_hide_nothing_else() {
    let mut agent = agent();
    open_noise(&mut agent, "");
    let clicked = agent.ok("browser_click", json!({ "ref": "#shout" }));
    fits("a click that shouts", &clicked);
    let effect = &clicked.structured["page_effect"];
    let listed = effect["console_errors"].as_array().unwrap();
    assert_eq!(listed.len(), 20);
    assert_eq!(listed[0], "shout 0");
    assert_eq!(effect["console_errors_left_out"], 9_980);
    assert!(clicked.verdict().contains("10000 console errors"), "{}", clicked.verdict());
    assert_eq!(effect["url"]["changed"], true, "the address changed before the first of them: {effect}");
    // The next window begins at nothing.
    let quiet = agent.ok("browser_click", json!({ "ref": "#count" }));
    let effect = &quiet.structured["page_effect"];
    assert_eq!(effect["console_errors"], json!([]), "{effect}");
    assert!(effect["console_errors_left_out"].is_null(), "{effect}");
}

#[test]
fn ten_thousand_mutations_a_second_hold_up_no_reading_and_are_no_effect_of_a_click() {
    let mut agent = agent();
    open_noise(&mut agent, "mutations=10000");
    agent.ok("browser_read", json!({}));
    let before = memory(daemon(&agent));
    let began = agent.js("changed").as_u64().unwrap();
    let start = Instant::now();
    let slow = slow_look(&mut agent);
    let changed = agent.js("changed").as_u64().unwrap() - began;
    assert!(changed as f64 > 3_000.0 * start.elapsed().as_secs_f64(), "{changed} changes only");
    assert!(slow < CALL_TIME, "{slow:?} under {changed} changes");
    let dead = agent.ok("browser_click", json!({ "ref": "#dead" }));
    assert_eq!(dead.structured["page_effect"]["verdict"], "ambient_only", "{}", dead.text);
    let mut clicks = 0;
    let took = at_best(|| {
        clicks += 1;
        let clicked = agent.ok("browser_click", json!({ "ref": "#count" }));
        assert_eq!(clicked.structured["page_effect"]["verdict"], "changed", "{}", clicked.text);
    });
    assert!(took < Duration::from_secs(3), "{took:?}");
    assert_eq!(agent.js("document.getElementById('n').textContent"), clicks.to_string());
    let grown = memory(daemon(&agent)).saturating_sub(before);
    assert!(grown < 30_000, "the daemon grew by {grown} kB over {changed} changes");
}

#[test]
fn row_222_flood_of_10_000_changes_is_truncated_in_less_than_a_second() {
    let mut agent = agent();
    let script = "document.getElementById('dead').onclick = () => { const place = document.getElementById('place'); \
                  for (let i = 0; i < 10000; i++) place.append(document.createElement('b')); }";
    let click = |agent: &mut Agent| {
        open_noise(agent, "");
        agent.js(script);
        let (clicked, took) = timed(|| agent.ok("browser_click", json!({ "ref": "#dead" })));
        let effect = &clicked.structured["page_effect"];
        assert_eq!((&effect["truncated"], &effect["verdict"]), (&json!(true), &json!("changed")), "{effect}");
        assert_eq!(effect["dom"]["added"], 10_000, "{effect}");
        took
    };
    let best = (0..3).map(|_| click(&mut agent)).min().unwrap();
    assert!(best < Duration::from_secs(1), "{best:?}");
}
