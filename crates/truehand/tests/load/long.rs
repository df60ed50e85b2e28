//! A daemon that works for a long time keeps nothing of what is over: memory, descriptors and tabs stay flat.

use crate::{agent, daemon, descriptors, fits, memory, status};
use serde_json::json;
use std::time::{Duration, Instant};
use truehand_testkit::Agent;

/// A number from the environment, for runs that are longer than CI has time for.
fn asked(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().map_or(usual, |text| text.parse().expect("a number"))
}

/// What must not grow.
#[derive(Debug)]
struct Holds {
    memory: u64,
    descriptors: usize,
    threads: u64,
    tabs: usize,
}

fn holds(agent: &mut Agent) -> Holds {
    let tabs = agent.ok("browser_list_tabs", json!({}));
    let pid = daemon(agent);
    Holds {
        memory: memory(pid),
        descriptors: descriptors(pid),
        threads: status(pid, "Threads:"),
        tabs: tabs.structured["tabs"].as_array().unwrap().len(),
    }
}

/// How much more than at first is held now, and that nothing but memory differs.
#[track_caller]
fn grown(before: &Holds, after: &Holds) -> u64 {
    assert!(after.descriptors <= before.descriptors + 2, "descriptors leak: {before:?}, {after:?}");
    assert!(after.threads <= before.threads + 2, "threads leak: {before:?}, {after:?}");
    assert_eq!(after.tabs, before.tabs);
    after.memory.saturating_sub(before.memory)
}

#[test]
fn memory_is_flat_over_many_navigations() {
    let mut agent = agent();
    let count = asked("TRUEHAND_LOAD_NAVIGATIONS", 120);
    let pages = ["/count.html", "/large.html", "/controls.html", "/frames.html"];
    let go = |agent: &mut Agent, from: u64, to: u64| {
        for i in from..to {
            agent.open(&format!("{}?{i}", pages[usize::try_from(i % 4).unwrap()]));
        }
    };
    let warm = count / 10 + 60;
    go(&mut agent, 0, warm);
    let before = holds(&mut agent);
    go(&mut agent, warm, warm + count);
    let after = holds(&mut agent);
    let grown = grown(&before, &after);
    println!("{count} navigations: {before:?}, then {after:?}, {grown} kB more");
    // Ten megabytes over 5,000; a short run is granted what an allocator's moods make.
    let most = (10_000 * count / 5_000).clamp(3_000, 10_000);
    assert!(grown <= most, "{grown} kB more after {count} navigations: {before:?}, {after:?}");
}

#[test]
fn memory_descriptors_and_tabs_are_flat_over_mixed_calls() {
    let mut agent = agent();
    let seconds = asked("TRUEHAND_LOAD_SECONDS", 8);
    agent.open("/controls.html");
    mixed(&mut agent, Duration::from_secs(4), 0);
    let before = holds(&mut agent);
    let (calls, shots) = mixed(&mut agent, Duration::from_secs(seconds), seconds * 200 / 60);
    let after = holds(&mut agent);
    let grown = grown(&before, &after);
    println!("{calls} calls, {shots} pictures in {seconds} s: {before:?}, then {after:?}, {grown} kB more");
    assert!(calls >= 5 * seconds, "{calls} calls in {seconds} s");
    // A megabyte in ten minutes is not to be seen in so short a time; what a call keeps by mistake is.
    assert!(grown <= 4_000 + 4 * calls, "{grown} kB more: {before:?}, {after:?}");
}

/// Calls of many kinds for a time, and until so many pictures were taken.
fn mixed(agent: &mut Agent, time: Duration, shots: u64) -> (u64, u64) {
    let end = Instant::now() + time;
    let (mut calls, mut taken) = (0, 0);
    while Instant::now() < end || taken < shots {
        for (tool, arguments) in [
            ("browser_read", json!({})),
            ("browser_screenshot", json!({ "intent": "glance" })),
            ("browser_type", json!({ "ref": "#mail", "text": format!("Ann {calls}") })),
            ("browser_find", json!({ "query": "Newsletter" })),
            ("browser_click", json!({ "ref": "#no-such-thing" })),
            ("browser_screenshot", json!({ "full_page": true })),
            ("browser_reload", json!({})),
            ("browser_new_tab", json!({})),
            ("browser_close_tab", json!({})),
        ] {
            let result = agent.call(tool, arguments);
            fits(tool, &result);
            taken += result.images.len() as u64;
            calls += 1;
        }
    }
    (calls, taken)
}
