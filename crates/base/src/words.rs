//! Words for people and models, made from outcomes. Pure functions; nothing else in the project
//! writes such sentences.

pub mod script;

use crate::text::{clip, one_line};
use crate::{
    DialogHandling, Download, ErrorBody, LateEffect, Outcome, PageEffect, RequestFact, TabsEffect, TaskNote,
    Verdict,
};
use serde_json::Value;

/// The whole reply: the verdict line, then details that did not fit on it, then the body.
#[must_use]
pub fn reply(outcome: &Outcome) -> String {
    let mut lines = vec![verdict_line(outcome)];
    if let Some(error) = &outcome.error {
        lines.extend(error_details(error));
    }
    for warning in &outcome.warnings {
        lines.push(format!("warning {}: {}", warning.code, warning.message));
    }
    if let Some(late) = outcome.page_effect.as_ref().and_then(|e| e.late.as_ref()) {
        lines.push(format!("since the last action: {}", late_words(late)));
    }
    if let Some(text) = &outcome.text {
        lines.push(text.trim_end().to_owned());
    }
    lines.join("\n")
}

/// The first line: what was done and what came of it.
#[must_use]
pub fn verdict_line(outcome: &Outcome) -> String {
    let mut parts = Vec::new();
    if let Some(task) = outcome.task.as_ref().filter(|_| outcome.running()) {
        return running_words(&outcome.tool, task);
    }
    if let Some(error) = &outcome.error {
        parts.push(format!("{}: {}", error.code, one_line(&error.message)));
        if !outcome.done.is_empty() {
            parts.push(outcome.done.clone());
        }
    } else if outcome.done.is_empty() {
        parts.push("ok".to_owned());
    } else {
        parts.push(outcome.done.clone());
    }
    if let Some(effect) = &outcome.page_effect {
        parts.push(effect_words(effect));
    }
    if outcome.replayed {
        parts.push("replayed: this request key was used before, nothing was done again".to_owned());
    }
    parts.join(" · ")
}

/// A call that is not done must not read like one that is.
fn running_words(tool: &str, task: &TaskNote) -> String {
    let seconds = task.elapsed_ms / 1_000;
    let step = if task.step.is_empty() { String::new() } else { format!(" ({})", clip(&task.step, 120)) };
    let id = &task.task_id;
    format!(
        "still running after {seconds} s: {tool}{step} · no result yet, do not repeat it: task_wait with task_id {id} \
         gives the result"
    )
}

/// One line on an effect.
#[must_use]
pub fn effect_words(effect: &PageEffect) -> String {
    let facts = effect_facts(effect);
    let head = match effect.verdict {
        Verdict::Changed => "changed",
        Verdict::NoChange => "no_change",
        Verdict::AmbientOnly => "ambient_only",
        Verdict::Blocked => "blocked",
        Verdict::Unknown => "unknown",
    };
    let tail = match effect.verdict {
        Verdict::NoChange if !effect.invalid.is_empty() => "the form was not sent".to_owned(),
        Verdict::NoChange if effect.dom.incidental > 0 => {
            format!(
                "nothing lasting happened within {} ms, only what pointing, focus and press bring",
                effect.window_ms
            )
        }
        Verdict::NoChange => format!("nothing happened within {} ms", effect.window_ms),
        Verdict::AmbientOnly => "only what was changing before kept changing".to_owned(),
        Verdict::Unknown if effect.glanced => {
            format!("nothing was seen within {} ms, too short a look to say more", effect.window_ms)
        }
        Verdict::Unknown => "the effect was not measured".to_owned(),
        Verdict::Changed | Verdict::Blocked => String::new(),
    };
    let all: Vec<String> = std::iter::once(tail).filter(|t| !t.is_empty()).chain(facts).collect();
    if all.is_empty() { head.to_owned() } else { format!("{head}: {}", all.join(", ")) }
}

fn effect_facts(effect: &PageEffect) -> Vec<String> {
    let mut facts = Vec::new();
    let dom = &effect.dom;
    if dom.added + dom.removed > 0 {
        let mut words = Vec::new();
        if dom.added > 0 {
            words.push(format!("+{}", dom.added));
        }
        if dom.removed > 0 {
            words.push(format!("-{}", dom.removed));
        }
        facts.push(format!("{} nodes", words.join(" ")));
    }
    if dom.text_changes > 0 {
        facts.push(format!("{} text", dom.text_changes));
    }
    if dom.attr_changes > 0 {
        facts.push(format!("{} attr", dom.attr_changes));
    }
    if effect.url.changed {
        facts.push(format!("url {}", clip(path_of(effect.url.after.as_deref().unwrap_or("?")), 80)));
    }
    if let Some(scroll) = &effect.scroll {
        facts.push(format!("scrolled {} by {:.0},{:.0}", scroll.target, scroll.dx, scroll.dy));
    }
    if let Some(region) = &effect.region {
        if region.changed > 0.0 {
            facts.push(format!("the drawing changed by {}%", region.changed));
        } else if region.moving >= 90.0 {
            facts.push("the drawing moves all over by itself, so no effect can be told".to_owned());
        } else {
            facts.push(format!(
                "{}% of the drawing moves by itself, nothing else in it changed",
                region.moving
            ));
        }
    }
    for value in &effect.values {
        let element = if value.element.is_empty() { "a field" } else { value.element.as_str() };
        facts.push(match (&value.asked, value.ok) {
            (Some(asked), false) => format!(
                "{} asked \"{}\" got \"{}\"",
                element,
                clip(&one_line(asked), 40),
                clip(&one_line(&value.got), 40)
            ),
            _ => format!("{element}=\"{}\"", clip(&one_line(&value.got), 40)),
        });
    }
    for field in &effect.invalid {
        let name = if field.element.is_empty() { &field.description } else { &field.element };
        facts.push(format!(
            "{} is invalid: \"{}\"",
            clip(&one_line(name), 60),
            clip(&one_line(&field.message), 80)
        ));
    }
    facts.extend(effect.network.sent.iter().take(4).map(request_words));
    let unsent = effect.network.failed.iter().filter(|f| !effect.network.sent.contains(f));
    facts.extend(unsent.take(4).map(request_words));
    if effect.network.sent.is_empty()
        && effect.network.failed.is_empty()
        && effect.network.requests_started > 0
    {
        facts.push(format!("{} requests", effect.network.requests_started));
    }
    if effect.verdict != Verdict::Changed
        && let Some(first) = effect.network.beacons.first()
    {
        let count = effect.network.beacons.len();
        facts.push(format!("{count} beacons, first: {} {}", first.method, clip(&first.path, 60)));
    }
    if effect.network.in_flight_at_end > 0 {
        facts.push(format!("{} still in flight", effect.network.in_flight_at_end));
    }
    for dialog in &effect.dialogs {
        let state = match dialog.handling {
            DialogHandling::Open => "open, answer it with browser_dialog",
            DialogHandling::Acknowledged => "acknowledged",
            DialogHandling::Accepted => "accepted",
            DialogHandling::Dismissed => "dismissed",
        };
        facts.push(format!("{} \"{}\" {state}", dialog.kind, clip(&one_line(&dialog.message), 80)));
    }
    facts.extend(effect.downloads.iter().map(download_words));
    facts.extend(tabs_words(&effect.tabs));
    if let Some(hit) = effect.hit.as_ref().filter(|h| !h.intended) {
        facts.push(format!("the event went to {}", clip(&one_line(&hit.receiver), 80)));
    }
    if effect.verdict == Verdict::Changed && effect.focus.changed && facts.is_empty() {
        facts.push(format!("focus {}", clip(effect.focus.after_selector.as_deref().unwrap_or("none"), 60)));
    }
    if !effect.console_errors.is_empty() {
        let first = clip(&one_line(&effect.console_errors[0]), 80);
        let all = effect.console_errors.len() as u64 + effect.console_errors_left_out;
        facts.push(format!("{all} console errors, first: {first}"));
    }
    if effect.left_out > 0 {
        facts.push(format!("{} more values, dialogs, downloads or tabs", effect.left_out));
    }
    if effect.truncated == Some(true) {
        facts.push("more changes than were counted".to_owned());
    }
    facts
}

fn request_words(request: &RequestFact) -> String {
    let end = match (request.status, &request.error) {
        (Some(status), _) => status.to_string(),
        (None, Some(error)) => error.clone(),
        (None, None) => "open".to_owned(),
    };
    format!("{} {} {end}", request.method, clip(&request.path, 60))
}

fn download_words(download: &Download) -> String {
    match (&download.path, download.bytes) {
        (Some(path), Some(bytes)) => format!("downloaded {path} ({bytes} bytes)"),
        _ => format!("download {} {}", clip(&one_line(&download.name), 60), download.state),
    }
}

fn tabs_words(tabs: &TabsEffect) -> Vec<String> {
    let opened = tabs.opened.iter().map(|t| format!("opened {} {}", t.tab_id, clip(&t.url, 80)));
    let closed = tabs.closed.iter().map(|t| format!("closed {}", t.tab_id));
    opened.chain(closed).collect()
}

fn late_words(late: &LateEffect) -> String {
    let effect = PageEffect {
        verdict: Verdict::Changed,
        dom: late.dom.clone(),
        values: late.values.clone(),
        dialogs: late.dialogs.clone(),
        downloads: late.downloads.clone(),
        tabs: late.tabs.clone(),
        ..PageEffect::default()
    };
    let mut facts = effect_facts(&effect);
    facts.extend(late.url.iter().map(|url| format!("url {}", clip(path_of(url), 80))));
    facts.extend(late.failed.iter().map(request_words));
    facts.join(", ")
}

fn error_details(error: &ErrorBody) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(ms) = error.retry_after_ms {
        lines.push(format!("retry after {ms} ms"));
    }
    for (name, value) in error.data.as_object().into_iter().flatten() {
        match value {
            Value::Array(items) => {
                lines.push(format!("{name}:"));
                lines.extend(items.iter().take(12).map(|item| format!("  - {}", clip(&plain(item), 160))));
                if items.len() > 12 {
                    lines.push(format!("  … {} more", items.len() - 12));
                }
            }
            other => lines.push(format!("{name}: {}", clip(&plain(other), 300))),
        }
    }
    lines.push(format!("next: {}", error.next_step));
    lines
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => one_line(text),
        Value::Object(map) => {
            map.iter().map(|(k, v)| format!("{k} {}", plain(v))).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

/// An address without its scheme and host.
#[must_use]
pub fn path_of(url: &str) -> &str {
    let Some((_, rest)) = url.split_once("://") else { return url };
    rest.find('/').map_or("/", |at| &rest[at..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DomEffect, ErrorCode, NetworkEffect, UrlEffect};

    #[test]
    fn verdict_line_names_nodes_address_and_request() {
        let mut outcome = Outcome::new("browser_click");
        outcome.done = "clicked e12".to_owned();
        outcome.page_effect = Some(PageEffect {
            verdict: Verdict::Changed,
            dom: DomEffect { added: 3, removed: 1, ..DomEffect::default() },
            url: UrlEffect { changed: true, after: Some("http://h/done".to_owned()), ..UrlEffect::default() },
            network: NetworkEffect {
                requests_started: 1,
                sent: vec![RequestFact {
                    method: "POST".to_owned(),
                    path: "/save".to_owned(),
                    status: Some(200),
                    error: None,
                }],
                ..NetworkEffect::default()
            },
            ..PageEffect::default()
        });
        assert_eq!(verdict_line(&outcome), "clicked e12 · changed: +3 -1 nodes, url /done, POST /save 200");
    }

    #[test]
    fn verdict_line_of_a_glance_says_how_short_it_was() {
        let effect = PageEffect { glanced: true, window_ms: 3, ..PageEffect::default() };
        let outcome = Outcome { page_effect: Some(effect), ..Outcome::new("page_input") };
        let line = verdict_line(&outcome);
        assert!(
            line.ends_with("unknown: nothing was seen within 3 ms, too short a look to say more"),
            "{line}"
        );
    }

    #[test]
    fn verdict_line_of_a_running_call_says_that_there_is_no_result_and_where_it_will_be() {
        let mut outcome = Outcome::new("browser_wait_for");
        outcome.task = Some(TaskNote {
            task_id: "0f".repeat(16),
            status: crate::TaskStatus::Running,
            elapsed_ms: 40_200,
            step: "waiting for text \"Paid\"".to_owned(),
            kept_ms: 900_000,
        });
        let line = verdict_line(&outcome);
        assert!(line.starts_with("still running after 40 s: browser_wait_for (waiting for text"), "{line}");
        assert!(line.contains("no result yet") && line.contains(&"0f".repeat(16)), "{line}");
        assert!(!outcome.ok() && outcome.structured()["ok"] == false);
        assert_eq!(outcome.exit_code(), crate::EXIT_RUNNING);
        assert_eq!(outcome.structured()["task"]["status"], "running");
        outcome.task.as_mut().expect("set").status = crate::TaskStatus::Done;
        assert!(outcome.ok() && outcome.exit_code() == 0 && verdict_line(&outcome) == "ok");
    }

    #[test]
    fn reply_of_a_failure_starts_with_the_code_and_ends_with_the_next_step() {
        let error = ErrorBody::new(ErrorCode::Occluded, "e3 is covered").with("occluder", "div#cookies (e9)");
        let text = reply(&Outcome::failed("browser_click", error));
        assert!(text.starts_with("OCCLUDED: e3 is covered\noccluder: div#cookies (e9)\nnext: "), "{text}");
    }
}
