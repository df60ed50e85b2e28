//! `browser_wait_for`: waits for a text, an element or an address, and may act right after.

use super::click;
use crate::act::{self, Report};
use crate::common::Common;
use crate::field::{self, Element};
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de};
use serde_json::Value;
use std::time::Duration;
use truehand_base::text::clip;
use truehand_base::{EffectClass, ErrorBody, ErrorCode, Facts, Verb};
use truehand_browser::{Condition, Tab, Target, TypeOptions};

/// How long a wait takes at most when the call does not say, in milliseconds.
const DEFAULT_MS: u64 = 10_000;
/// The longest wait of one call, in milliseconds.
pub(super) const LONGEST_MS: u64 = 600_000;
/// How long the rest of a call may take that waits.
pub(super) const REST: Duration = Duration::from_mins(1);

/// Wait until all given signs are there (text, CSS selector, URL part), then maybe click or type.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitFor {
    text: Option<String>,
    text_gone: Option<String>,
    selector: Option<String>,
    selector_gone: Option<String>,
    url: Option<String>,
    /// Default 10000, at most 600000.
    timeout_ms: Option<u64>,
    then_click: Option<Element>,
    #[serde(default, deserialize_with = "then_type")]
    #[schemars(with = "Option<ThenTypeSchema>")]
    then_type: Option<ThenType>,
    /// Seconds to wait for nothing in particular.
    #[schemars(skip)]
    time: Option<f64>,
}

/// How the writing after a wait is published.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it is only there for its schema")]
struct ThenTypeSchema {
    #[schemars(rename = "ref")]
    element: Option<String>,
    text: Option<String>,
}

/// A writing after the wait.
#[derive(Debug)]
struct ThenType {
    /// The field; the one that has the focus when it was left out.
    element: Option<Element>,
    text: String,
}

/// `{ref, text}`, or `{selector, value}` and its kin.
fn then_type<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<ThenType>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let find = |names: &[&str]| names.iter().find_map(|name| value.get(*name)).and_then(field::scalar);
    let text = find(&["text", "value"]).ok_or_else(|| {
        de::Error::custom("then_type must be an object {\"ref\": \"e3\", \"text\": \"Ada\"}")
    })?;
    let element = find(&["ref", "target", "selector", "uid"]).map(|name| Element::parse(&name));
    Ok(Some(ThenType { element: element.transpose().map_err(de::Error::custom)?, text }))
}

/// A CSS selector; other spellings of an element can't be waited for, and a reference names what is
/// there already.
fn css(selector: &str) -> Result<String, ErrorBody> {
    match Target::parse(selector)? {
        Target::Css { css } => Ok(css),
        _ => Err(ErrorBody::new(ErrorCode::InvalidArguments, format!("'{selector}' is not a CSS selector"))
            .next("wait for a text with text, or for a CSS selector")),
    }
}

/// The limit of a wait, and whether it had to be cut.
pub(super) fn limit(timeout_ms: Option<u64>) -> (Duration, bool) {
    let asked = timeout_ms.unwrap_or(DEFAULT_MS);
    (Duration::from_millis(asked.min(LONGEST_MS)), asked > LONGEST_MS)
}

/// Says that a wait was cut.
pub(super) fn warn_of_cut(reply: &mut Reply, cut: bool) {
    if cut {
        reply.warn(
            "TIMEOUT_CAPPED",
            format!("one call waits at most {LONGEST_MS} ms; call again to wait longer"),
        );
    }
}

/// How long a wait for nothing in particular takes: at most a minute.
fn time_to_pass(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds.min(60.0)).unwrap_or(Duration::ZERO)
}

/// Says which requests failed after the last action was answered: a page that shows what was waited for may not know.
async fn warn_of_failures(reply: &mut Reply, cx: &ToolCtx<'_>, tab: &Tab) {
    for request in tab.failed_late(cx.call).await {
        let (method, path) = (&request.method, clip(&request.path, 120));
        match (request.status, request.error) {
            (None, None) => reply.warn("REQUEST_OPEN", format!("{method} {path} has no answer yet")),
            (status, error) => {
                let end = status.map_or_else(|| error.unwrap_or_default(), |status| status.to_string());
                let message =
                    format!("{method} {path} {end} since the last action; do not trust what the page says");
                reply.warn("REQUEST_FAILED", message);
            }
        }
    }
}

impl WaitFor {
    fn condition(&self) -> Result<Condition, ErrorBody> {
        Ok(Condition {
            text: self.text.clone(),
            text_gone: self.text_gone.clone(),
            selector: self.selector.as_deref().map(css).transpose()?,
            selector_gone: self.selector_gone.as_deref().map(css).transpose()?,
            url: self.url.clone(),
        })
    }

    /// What is waited for, in words.
    fn words(&self) -> String {
        let parts = [
            ("text", &self.text),
            ("no more text", &self.text_gone),
            ("selector", &self.selector),
            ("no more selector", &self.selector_gone),
            ("url", &self.url),
        ];
        let given = parts
            .iter()
            .filter_map(|(what, text)| text.as_ref().map(|t| format!("{what} \"{}\"", clip(t, 60))));
        given.collect::<Vec<_>>().join(" and ")
    }

    /// Waits; the milliseconds that it took.
    async fn wait(&self, cx: &ToolCtx<'_>, tab: &Tab, limit: Duration) -> Result<u64, ErrorBody> {
        let condition = self.condition()?;
        if condition != Condition::default() {
            cx.call.progress(format!("waiting for {}", self.words()));
            return tab.wait_for(cx.call, &condition, limit).await;
        }
        let Some(seconds) = self.time.filter(|s| s.is_finite() && *s >= 0.0) else {
            return Err(ErrorBody::new(ErrorCode::InvalidArguments, "there is nothing to wait for")
                .next("pass text, text_gone, selector, selector_gone or url"));
        };
        let time = time_to_pass(seconds);
        cx.call.progress("waiting for the time to pass");
        cx.call.wait("the time to pass", tokio::time::sleep(time)).await?;
        Ok(u64::try_from(time.as_millis()).unwrap_or(LONGEST_MS))
    }
}

impl Tool for WaitFor {
    const INFO: Info = Info {
        input_mode: true,
        verbs: &["wait", "wait-for"],
        positional: &["text"],
        aliases: &["wait_for", "browser_wait"],
        renames: &[
            ("timeout", "timeout_ms"),
            ("ref", "selector"),
            ("wait_time", "time"),
            ("seconds", "time"),
        ],
        extra: "All given parts must hold. url is a part of the address, or a glob with *. The default timeout is \
                10,000 ms; one call waits at most 600,000 ms, and is answered earlier when that is long (task_wait). What did not come is TIMEOUT with the last state that \
                was seen. With then_click and then_type, the click comes first. time, in seconds, waits for nothing \
                in particular; waiting for a sign is nearly always better.",
        examples: &[
            ("Wait for a text", r#"{"text":"Delivery","timeout_ms":5000}"#),
            ("Wait, then click", r##"{"selector":"#save","timeout_ms":5000,"then_click":"#save"}"##),
        ],
        ..Info::new("browser_wait_for", "Wait", EffectClass::Input, Verb::Read)
    };

    fn patience(&self) -> Duration {
        limit(self.timeout_ms).0.max(self.time.map_or(Duration::ZERO, time_to_pass)) + REST
    }

    fn more_facts(&self) -> Vec<Facts> {
        let click = self.then_click.is_some().then_some(Verb::Click);
        let write = self.then_type.is_some().then_some(Verb::Type);
        click.into_iter().chain(write).map(|verb| Facts::new(Self::INFO.name, verb)).collect()
    }

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let tab = act::tab(&cx, &common).await?;
        let (limit, cut) = limit(self.timeout_ms);
        let waited = match self.wait(&cx, &tab, limit).await {
            Ok(waited) => waited,
            Err(error) => {
                let mut reply = Reply::of(tab.id(), "");
                reply.put("met", false);
                warn_of_cut(&mut reply, cut);
                reply.error = Some(error);
                return Ok(reply);
            }
        };
        let words = self.words();
        let what = if words.is_empty() { String::new() } else { format!(" for {words}") };
        let mut reply = Reply::of(tab.id(), format!("waited {waited} ms{what}"));
        reply.put("met", true);
        reply.put("waited_ms", waited);
        warn_of_failures(&mut reply, &cx, &tab).await;
        let observe = common.observe(cx.observe);
        if let Some(element) = &self.then_click {
            let acted = tab.click(cx.call, &element.target, &click::plain(common.mode, None), &observe).await;
            let report = Report { field: "clicked", value: true.into(), asked: &element.text };
            act::add(&mut reply, &common, report, acted, |name| format!("clicked {name}"));
        }
        if let Some(ThenType { element, text }) = self.then_type.filter(|_| reply.error.is_none()) {
            let options = TypeOptions { mode: common.mode, ..TypeOptions::default() };
            let acted =
                tab.type_text(cx.call, element.as_ref().map(|e| &e.target), &text, &options, &observe).await;
            let count = text.chars().count();
            let asked = element.as_ref().map_or("the focused field", |e| e.text.as_str());
            let report = Report { field: "typed", value: count.into(), asked };
            act::add(&mut reply, &common, report, acted, |name| {
                format!("typed {count} characters into {name}")
            });
        }
        Ok(reply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parse(value: Value) -> WaitFor {
        serde_json::from_value(value).expect("valid")
    }

    #[test]
    fn wait_for_names_what_it_waits_for() {
        let wait = parse(json!({ "text": "Ready", "selector_gone": ".spinner" }));
        assert_eq!(wait.words(), "text \"Ready\" and no more selector \".spinner\"");
    }

    #[test]
    fn wait_for_takes_css_and_refuses_a_reference() {
        let wait = parse(json!({ "selector": "css=#save" }));
        assert_eq!(wait.condition().expect("css").selector.as_deref(), Some("#save"));
        let error = parse(json!({ "selector": "e12" })).condition().expect_err("a reference");
        assert_eq!(error.code, ErrorCode::InvalidArguments);
    }

    #[test]
    fn wait_for_is_judged_by_what_it_does_afterwards() {
        assert!(parse(json!({ "text": "x" })).more_facts().is_empty());
        let both = json!({ "text": "x", "then_click": "e1", "then_type": { "ref": "e2", "text": "Ada" } });
        let verbs: Vec<Verb> = parse(both).more_facts().into_iter().map(|f| f.verb).collect();
        assert_eq!(verbs, [Verb::Click, Verb::Type]);
    }

    #[test]
    fn wait_for_reads_the_writing_in_its_spellings() {
        let written = parse(json!({ "text": "x", "then_type": { "selector": "#a", "value": 5 } })).then_type;
        let written = written.expect("given");
        assert_eq!((written.element.expect("given").text.as_str(), written.text.as_str()), ("#a", "5"));
        assert!(serde_json::from_value::<WaitFor>(json!({ "then_type": "Ada" })).is_err());
    }

    #[test]
    fn wait_for_limit_has_a_default_and_a_cap() {
        assert_eq!(limit(None), (Duration::from_secs(10), false));
        assert_eq!(limit(Some(5)), (Duration::from_millis(5), false));
        assert_eq!(limit(Some(90_000)), (Duration::from_secs(90), false));
        assert_eq!(limit(Some(900_000)), (Duration::from_secs(600), true));
    }
}
