//! What acting tools share: finding the tab and the target, and making a reply of what was measured.

use crate::spec::{Reply, ToolCtx};
use serde_json::Value;
use truehand_base::{ErrorBody, ErrorCode, ExpectEffect, TabId, Warning};
use truehand_browser::{Acted, Observe, Tab, Target};

/// How the caller wants an action observed.
#[derive(Debug, Default)]
pub struct ObserveArgs {
    /// `observe_effects: false` skips the observation.
    pub observe_effects: Option<bool>,
    /// What the caller expects.
    pub expect_effect: Option<ExpectEffect>,
}

impl ObserveArgs {
    /// The defaults with the caller's wish.
    pub fn apply(&self, defaults: Observe) -> Observe {
        Observe { enabled: self.observe_effects.unwrap_or(defaults.enabled), ..defaults }
    }
}

/// The tab that the call names, or the client's current one.
pub async fn tab(cx: &ToolCtx<'_>, tab_id: Option<&str>) -> Result<Tab, ErrorBody> {
    cx.scope.tab(cx.call, tab_id.map(parse_tab).transpose()?).await
}

/// Reads a tab handle.
pub fn parse_tab(text: &str) -> Result<TabId, ErrorBody> {
    text.parse().map_err(|message: String| ErrorBody::new(ErrorCode::UnknownTab, message))
}

/// Reads an element argument.
pub fn target(text: &str) -> Result<Target, ErrorBody> {
    Target::parse(text)
}

/// A reply from what was measured. A refusal keeps the seed's self-reports: `clicked: false, occluded: true`.
pub fn reply(
    tab: &Tab,
    done: &str,
    asked: &str,
    acted: Result<Acted, ErrorBody>,
    observe: &ObserveArgs,
) -> Result<Reply, ErrorBody> {
    let mut reply = Reply { tab: Some(tab.id()), ..Reply::default() };
    let acted = match acted {
        Ok(acted) => acted,
        Err(error) => {
            reply.output.insert(done.to_owned(), Value::Bool(false));
            if error.code == ErrorCode::Occluded {
                reply.output.insert("occluded".to_owned(), Value::Bool(true));
                reply.output.insert("occluder".to_owned(), error.data["occluder"].clone());
            }
            reply.error = Some(error);
            return Ok(reply);
        }
    };
    let name = acted.target.as_ref().map_or(asked, |t| t.reference.as_str());
    reply.done = format!("{done} {name}").trim_end().to_owned();
    reply.output.insert(done.to_owned(), Value::Bool(acted.error.is_none()));
    if let Some(target) = &acted.target {
        reply.output.insert("ref".to_owned(), Value::String(target.reference.clone()));
        reply.output.insert("target".to_owned(), Value::String(target.description.clone()));
    }
    if let Some(value) = &acted.value {
        reply.output.insert("value".to_owned(), Value::String(value.clone()));
    }
    for note in acted.notes {
        reply.warnings.push(Warning { code: "NOTE".to_owned(), message: note });
    }
    if let (Some(expected), Some(effect)) = (&observe.expect_effect, &acted.effect) {
        let missed = expected.differences(effect).into_iter();
        reply.warnings.extend(missed.map(|message| Warning { code: "EXPECTATION_MISSED".to_owned(), message }));
    }
    reply.effect = acted.effect;
    reply.error = acted.error;
    Ok(reply)
}
