//! `page_evaluate`: runs a script's own JavaScript in the page's own world, with values by the codec of scripts.

use crate::act;
use crate::common::Common;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;
use truehand_base::{EffectClass, ErrorBody, ErrorCode, Facts, Verb};
use truehand_browser::{Observe, PageScript};

/// How long what a script waits for may take.
const LONGEST: Duration = Duration::from_mins(10);

/// The most handles that one call takes.
const MOST_HANDLES: usize = 1_000;

/// Run JavaScript in the page with values and handles. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageEvaluate {
    /// The frame, as page_frames names it; the main one without it, or that of the first handle.
    frame: Option<String>,
    /// An expression, or the text of a function.
    source: String,
    /// Whether the source is the text of a function, which saves a round trip.
    function: Option<bool>,
    /// The list of arguments, encoded.
    args: Option<Value>,
    /// Handles that the arguments name by their places.
    #[serde(default)]
    handles: Vec<String>,
    /// The handle of the object that goes before the arguments.
    on: Option<String>,
    /// What comes back: the value, encoded, or a handle of it.
    returns: Option<EvaluateReturns>,
    /// Whether it may only read: it is ended, and nothing done, when it would change something.
    pure: Option<bool>,
    /// How long it may take.
    timeout_ms: Option<u64>,
}

/// What an evaluation gives back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EvaluateReturns {
    /// The value, encoded.
    Value,
    /// A handle of it.
    Handle,
}

impl PageEvaluate {
    fn pure(&self) -> bool {
        self.pure == Some(true)
    }

    fn limit(&self) -> Option<Duration> {
        self.timeout_ms.filter(|ms| *ms > 0).map(|ms| Duration::from_millis(ms).min(LONGEST))
    }
}

impl Tool for PageEvaluate {
    const INFO: Info = Info {
        listed: false,
        ..Info::new("page_evaluate", "Run a script's code in a page", EffectClass::Script, Verb::Js)
    };

    fn facts(&self) -> Facts {
        Facts::new(Self::INFO.name, if self.pure() { Verb::Read } else { Verb::Js })
    }

    fn patience(&self) -> Duration {
        LONGEST
    }

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        if self.handles.len() > MOST_HANDLES {
            let what =
                format!("{} handles are too many for one call, at most {MOST_HANDLES}", self.handles.len());
            return Err(ErrorBody::new(ErrorCode::InvalidArguments, what));
        }
        let tab = act::tab(&cx, &common).await?;
        let limit = self.limit();
        let ctx = limit.map_or_else(|| cx.call.clone(), |limit| cx.call.at_most(limit));
        let script = PageScript {
            source: &self.source,
            function: self.function == Some(true),
            frame: self.frame.as_deref(),
            args: self.args.as_ref(),
            handles: &self.handles,
            on: self.on.as_deref(),
            by_handle: self.returns == Some(EvaluateReturns::Handle),
            pure: self.pure(),
        };
        let observe = Observe { quick: true, window: Duration::ZERO, ..common.observe(cx.observe) };
        let acted = match tab.run_script(&ctx, &script, &observe).await {
            Err(error) if error.code == ErrorCode::Deadline && !cx.call.remaining().is_zero() => {
                let what =
                    format!("the script was not done after {} ms", limit.unwrap_or_default().as_millis());
                return Err(ErrorBody { data: error.data, ..ErrorBody::new(ErrorCode::Timeout, what) });
            }
            acted => acted?,
        };
        let done = if acted.error.is_some() { "the script threw" } else { "ran the script" };
        let mut reply = Reply::of(tab.id(), done);
        if let Some(Value::Object(fields)) = acted.returned {
            reply.output.extend(fields);
        }
        reply.effect = acted.effect;
        reply.error = acted.error;
        Ok(reply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn page_evaluate_is_a_reading_only_when_it_is_pure() {
        let verb =
            |arguments: Value| serde_json::from_value::<PageEvaluate>(arguments).expect("valid").facts().verb;
        assert_eq!(verb(json!({ "source": "1" })), Verb::Js);
        assert_eq!(verb(json!({ "source": "1", "pure": false })), Verb::Js);
        assert_eq!(verb(json!({ "source": "1", "pure": true })), Verb::Read);
    }
}
