//! What acting tools share: finding the tab, and making a reply of what was measured.

use crate::common::Common;
use crate::spec::{Reply, ToolCtx};
use serde_json::Value;
use std::time::Duration;
use truehand_base::text::{clip, one_line};
use truehand_base::{CallCtx, ErrorBody, ErrorCode, PageEffect, RequestFact, Verdict, words};
use truehand_browser::{Acted, Tab};

/// What a tool says about itself, beside what was measured.
pub struct Report<'a> {
    /// The name of its own field: `clicked`.
    pub field: &'static str,
    /// What the field holds when the action was carried out; a refusal holds `false`, 0 or an empty list.
    pub value: Value,
    /// The element as the caller wrote it.
    pub asked: &'a str,
}

/// The tab that the call names, or the client's current one.
pub async fn tab(cx: &ToolCtx<'_>, common: &Common) -> Result<Tab, ErrorBody> {
    cx.scope.tab(cx.call, common.tab_id).await
}

/// The call's context, ended sooner when its caller says so.
pub fn limited(ctx: &CallCtx, timeout_ms: Option<u64>) -> CallCtx {
    timeout_ms.map_or_else(|| ctx.clone(), |ms| ctx.at_most(Duration::from_millis(ms)))
}

/// A reply from what was measured; `words` makes the verdict line's first words from the element's
/// name. A refusal keeps the self-reports that agents know: `clicked: false, occluded: true`.
pub fn reply(
    tab: &Tab,
    common: &Common,
    report: Report<'_>,
    acted: Result<Acted, ErrorBody>,
    words: impl FnOnce(&str) -> String,
) -> Reply {
    let mut reply = Reply { tab: Some(tab.id()), ..Reply::default() };
    add(&mut reply, common, report, acted, words);
    reply
}

/// A reply of a tool that changes which page a tab shows: it also says where the tab is now.
pub fn page_reply(
    tab: &Tab,
    common: &Common,
    report: Report<'_>,
    acted: Result<Acted, ErrorBody>,
    words: impl FnOnce(&str) -> String,
) -> Reply {
    let url = tab.url();
    let stayed =
        acted.as_ref().is_ok_and(|a| a.error.as_ref().is_some_and(|e| e.code == ErrorCode::DialogOpen));
    let shown = clip(&url, 120);
    let done = |_: &str| if stayed { format!("still on {shown}") } else { words(&shown) };
    let mut reply = reply(tab, common, report, acted, done);
    reply.put("title", tab.title());
    reply.put("url", url);
    reply
}

/// Adds an action to the reply of a tool that does several in one call.
pub fn add(
    reply: &mut Reply,
    common: &Common,
    report: Report<'_>,
    acted: Result<Acted, ErrorBody>,
    words: impl FnOnce(&str) -> String,
) {
    let acted = match acted {
        Ok(acted) => acted,
        Err(error) => return refuse(reply, &report, error),
    };
    let asked = clip(&one_line(report.asked), 80);
    let name = acted.target.as_ref().map_or(asked.as_str(), |t| t.reference.as_str());
    // Text that came out different was typed all the same; a box that did not follow was not checked.
    let missed = acted.error.as_ref().is_some_and(|e| {
        e.code == ErrorCode::HitOther || (e.code == ErrorCode::WriteNotReflected && !report.value.is_number())
    });
    let done = if missed { format!("tried: {}", words(name)) } else { words(name) };
    reply.done = if reply.done.is_empty() { done } else { format!("{}, {done}", reply.done) };
    let went = report.field == NAVIGATED;
    reply.put(report.field, if missed { refused(&report.value) } else { report.value });
    if let Some(target) = &acted.target {
        reply.put("ref", target.reference.clone());
        reply.put("target", target.description.clone());
    }
    if let Some(value) = acted.value {
        reply.put("value", value);
    }
    for note in acted.notes {
        reply.warn("NOTE", note);
    }
    if let (Some(expected), Some(effect)) = (&common.expect_effect, &acted.effect) {
        for message in expected.differences(effect) {
            reply.warn("EXPECTATION_MISSED", message);
        }
    }
    let failed = acted.effect.as_ref().and_then(|effect| {
        let failed = request_failed(effect);
        // The page came; what its own scripts then sent in vain is not the failure of going there.
        if went && let Some(error) = failed.as_ref().filter(|_| !document_failed(effect)) {
            reply.warn(error.code.name(), format!("the page came, but {}", error.message));
            return download_failed(effect);
        }
        failed.or_else(|| download_failed(effect))
    });
    reply.error = reply.error.take().or(acted.error).or(failed);
    reply.effect = match (reply.effect.take(), acted.effect) {
        (Some(before), Some(after)) => Some(merge(before, after)),
        (before, after) => before.or(after),
    };
}

/// An action that was not carried out. When nobody knows whether it was, the tool's own field is left out.
fn refuse(reply: &mut Reply, report: &Report<'_>, error: ErrorBody) {
    let unknown = matches!(
        error.code,
        ErrorCode::Deadline
            | ErrorCode::Cancelled
            | ErrorCode::BrowserGone
            | ErrorCode::PageCrashed
            | ErrorCode::PageUnresponsive
            | ErrorCode::NavigatedDuringAction
            | ErrorCode::UnknownOutcome
    );
    if !unknown {
        reply.put(report.field, refused(&report.value));
    }
    if error.code == ErrorCode::Occluded {
        reply.put("occluded", true);
        reply.put("occluder", error.data["occluder"].clone());
    }
    reply.error = Some(error);
}

fn refused(value: &Value) -> Value {
    match value {
        Value::Number(_) => Value::from(0),
        Value::Array(_) => Value::Array(Vec::new()),
        _ => Value::Bool(false),
    }
}

/// The field of the tools that go to a page.
const NAVIGATED: &str = "navigated";

/// Whether the document itself is among what failed.
fn document_failed(effect: &PageEffect) -> bool {
    let came = effect.url.after.as_deref().map(words::path_of);
    effect.network.failed.iter().any(|r| {
        effect.network.sent.contains(r)
            && (r.method == "GET" || came == Some(r.path.as_str()) || came.is_none())
    })
}

/// The error of an action whose own request failed: one that sends data or loads a document. A failed
/// picture or poll is only listed in the effect.
fn request_failed(effect: &PageEffect) -> Option<ErrorBody> {
    let network = &effect.network;
    let sends = |r: &&RequestFact| matches!(r.method.as_str(), "POST" | "PUT" | "PATCH" | "DELETE");
    let own: Vec<&RequestFact> =
        network.failed.iter().filter(|r| sends(r) || network.sent.contains(r)).collect();
    let first = own.first()?;
    let end = match (first.status, &first.error) {
        (Some(status), _) => format!("was answered with {status}"),
        (None, Some(error)) => format!("failed with {error}"),
        (None, None) => "failed".to_owned(),
    };
    let more = if own.len() > 1 { format!(" ({} more failed)", own.len() - 1) } else { String::new() };
    let message = format!("{} {} {end}{more}", first.method, clip(&first.path, 120));
    let failed = serde_json::to_value(&own).unwrap_or_default();
    Some(ErrorBody::new(ErrorCode::RequestFailed, message).with("failed", failed))
}

/// The error of an action whose download broke off.
fn download_failed(effect: &PageEffect) -> Option<ErrorBody> {
    let broken = effect.downloads.iter().find(|download| download.state.starts_with("canceled"))?;
    let why = broken.state.strip_prefix("canceled").unwrap_or_default();
    let message = format!("the download of {} broke off{why}", clip(&one_line(&broken.name), 80));
    Some(ErrorBody::new(ErrorCode::DownloadFailed, message).with("url", broken.url.clone()))
}

/// The effect of two actions in a row.
pub fn merge(mut before: PageEffect, after: PageEffect) -> PageEffect {
    before.verdict = stronger(before.verdict, after.verdict);
    before.dom.absorb(&after.dom);
    if after.url.changed {
        let start = before.url.before.take().filter(|_| before.url.changed).or(after.url.before);
        let same = before.url.same_document.unwrap_or(true) && after.url.same_document.unwrap_or(true);
        before.url.changed = true;
        before.url.before = start;
        before.url.after = after.url.after;
        before.url.same_document = Some(same);
    }
    if after.focus.changed {
        if !before.focus.changed {
            before.focus.before_selector = after.focus.before_selector;
        }
        before.focus.changed = true;
        before.focus.after_selector = after.focus.after_selector;
    }
    before.network.requests_started += after.network.requests_started;
    before.network.requests_completed += after.network.requests_completed;
    before.network.in_flight_at_end = after.network.in_flight_at_end;
    before.network.ambient += after.network.ambient;
    before.network.beacons.extend(after.network.beacons);
    before.network.beacons.truncate(10);
    before.network.failed.extend(after.network.failed);
    before.network.failed.truncate(20);
    before.network.sent.extend(after.network.sent);
    before.network.sent.truncate(20);
    before.console_errors.extend(after.console_errors);
    let errors = before.console_errors.len().saturating_sub(20);
    before.console_errors.truncate(20);
    before.console_errors_left_out += after.console_errors_left_out + errors as u64;
    before.left_out += after.left_out;
    before.window_ms += after.window_ms;
    before.truncated = before.truncated.or(after.truncated);
    before.hit = after.hit.or(before.hit);
    before.values.extend(after.values);
    before.invalid = after.invalid;
    before.dialogs.extend(after.dialogs);
    before.downloads.extend(after.downloads);
    before.tabs.opened.extend(after.tabs.opened);
    before.tabs.closed.extend(after.tabs.closed);
    before.scroll = after.scroll.or(before.scroll);
    before.region = after.region.or(before.region);
    before.dismissed.extend(after.dismissed);
    before.late = before.late.or(after.late);
    before.bound();
    before
}

fn stronger(a: Verdict, b: Verdict) -> Verdict {
    let rank = |verdict| match verdict {
        Verdict::Changed => 4,
        Verdict::Blocked => 3,
        Verdict::Unknown => 2,
        Verdict::AmbientOnly => 1,
        Verdict::NoChange => 0,
    };
    if rank(b) > rank(a) { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;
    use truehand_base::{ExpectEffect, NetworkEffect, UrlEffect};
    use truehand_browser::Described;

    fn request(method: &str, path: &str, status: u16) -> RequestFact {
        RequestFact { method: method.to_owned(), path: path.to_owned(), status: Some(status), error: None }
    }

    fn acted(failed: Vec<RequestFact>, sent: Vec<RequestFact>) -> Acted {
        let network = NetworkEffect { requests_started: 1, failed, sent, ..NetworkEffect::default() };
        Acted {
            target: Some(Described {
                reference: "e12".to_owned(),
                description: "button \"Save\"".to_owned(),
                ..Described::default()
            }),
            effect: Some(PageEffect { verdict: Verdict::Changed, network, ..PageEffect::default() }),
            ..Acted::default()
        }
    }

    fn click(acted: Result<Acted, ErrorBody>, common: &Common) -> Reply {
        let mut reply = Reply::default();
        let report = Report { field: "clicked", value: true.into(), asked: "#save" };
        add(&mut reply, common, report, acted, |name| format!("clicked {name}"));
        reply
    }

    #[test]
    fn reply_names_the_element_by_its_reference() {
        let reply = click(Ok(acted(vec![], vec![])), &Common::default());
        assert_eq!(reply.done, "clicked e12");
        assert_eq!(reply.output["clicked"], true);
        assert_eq!(reply.output["target"], "button \"Save\"");
        assert_eq!(reply.error, None);
    }

    #[test]
    fn reply_to_a_failed_post_is_an_error_that_still_says_what_was_done() {
        let failed = request("POST", "/save", 500);
        let reply = click(Ok(acted(vec![failed.clone()], vec![failed])), &Common::default());
        let error = reply.error.expect("no success");
        assert_eq!(error.code, ErrorCode::RequestFailed);
        assert_eq!(error.message, "POST /save was answered with 500");
        assert_eq!(error.data["failed"][0]["status"], 500);
        assert_eq!((reply.done.as_str(), &reply.output["clicked"]), ("clicked e12", &Value::Bool(true)));
    }

    #[test]
    fn reply_of_going_to_a_page_whose_script_posts_in_vain_is_a_success_with_a_warning() {
        let failed = request("POST", "/telemetry", 500);
        let mut went = acted(vec![failed.clone()], vec![failed.clone()]);
        let effect = went.effect.as_mut().expect("an effect");
        effect.url.after = Some("http://127.0.0.1/page".to_owned());
        let report = || Report { field: NAVIGATED, value: true.into(), asked: "" };
        let mut reply = Reply::default();
        add(&mut reply, &Common::default(), report(), Ok(went), |_| "went".to_owned());
        assert_eq!(reply.error, None);
        assert_eq!(reply.warnings[0].code, "REQUEST_FAILED");
        let page = request("GET", "/page", 500);
        let mut reply = Reply::default();
        let went = acted(vec![failed, page.clone()], vec![page]);
        add(&mut reply, &Common::default(), report(), Ok(went), |_| "went".to_owned());
        assert_eq!(reply.error.expect("the document failed").code, ErrorCode::RequestFailed);
    }

    #[test]
    fn reply_to_a_failed_document_is_an_error_and_to_a_failed_picture_is_not() {
        let page = request("GET", "/missing", 404);
        let reply = click(Ok(acted(vec![page.clone()], vec![page])), &Common::default());
        assert_eq!(reply.error.expect("the document failed").code, ErrorCode::RequestFailed);
        let reply = click(Ok(acted(vec![request("GET", "/logo.png", 404)], vec![])), &Common::default());
        assert_eq!(reply.error, None);
    }

    #[test]
    fn reply_to_a_cover_says_not_clicked_and_occluded() {
        let error = ErrorBody::new(ErrorCode::Occluded, "e12 is covered").with("occluder", "div#cookies");
        let reply = click(Err(error), &Common::default());
        assert_eq!(reply.output["clicked"], false);
        assert_eq!(reply.output["occluded"], true);
        assert_eq!(reply.output["occluder"], "div#cookies");
        assert_eq!(reply.done, "");
    }

    #[test]
    fn reply_to_a_deadline_does_not_claim_that_nothing_was_clicked() {
        let reply = click(Err(ErrorBody::new(ErrorCode::Deadline, "late")), &Common::default());
        assert!(!reply.output.contains_key("clicked"));
    }

    #[test]
    fn reply_to_a_click_that_another_element_received_says_not_clicked() {
        let missed = Acted { error: Some(ErrorBody::new(ErrorCode::HitOther, "x")), ..acted(vec![], vec![]) };
        let reply = click(Ok(missed), &Common::default());
        assert_eq!(reply.output["clicked"], false);
        assert_eq!(reply.error.expect("kept").code, ErrorCode::HitOther);
    }

    #[test]
    fn reply_with_an_expectation_that_was_missed_warns() {
        let expect = ExpectEffect { dom: Some(true), ..ExpectEffect::default() };
        let common = Common { expect_effect: Some(expect), ..Common::default() };
        let reply = click(Ok(acted(vec![], vec![])), &common);
        assert_eq!(reply.warnings[0].code, "EXPECTATION_MISSED");
    }

    #[test]
    fn merge_keeps_the_first_start_and_the_last_end() {
        let step = |from: &str, to: &str| PageEffect {
            verdict: Verdict::Changed,
            url: UrlEffect {
                changed: true,
                before: Some(from.to_owned()),
                after: Some(to.to_owned()),
                same_document: Some(true),
            },
            window_ms: 10,
            ..PageEffect::default()
        };
        let quiet = PageEffect { verdict: Verdict::NoChange, window_ms: 300, ..PageEffect::default() };
        let merged = merge(merge(quiet, step("a", "b")), step("b", "c"));
        assert_eq!(merged.verdict, Verdict::Changed);
        assert_eq!((merged.url.before.as_deref(), merged.url.after.as_deref()), (Some("a"), Some("c")));
        assert_eq!(merged.window_ms, 320);
    }
}
