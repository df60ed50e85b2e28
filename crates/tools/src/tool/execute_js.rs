//! `browser_execute_js`: runs JavaScript in the page; the gate asks for a person's yes.

use crate::act::{self, Report};
use crate::common::Common;
use crate::field::Element;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;
use truehand_base::text::clip;
use truehand_base::{EffectClass, ErrorBody, Verb};

/// The most characters of a value that are shown: about 4,000 tokens.
const SHOWN: usize = 12_000;

/// How long what a script waits for may take.
const LONGEST: Duration = Duration::from_mins(10);

/// Run JavaScript in the page. Risky: a person may have to allow it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExecuteJs {
    /// An expression or a function.
    script: String,
    #[serde(rename = "ref")]
    #[schemars(skip)]
    on: Option<Element>,
    /// A description for people, which some clients send.
    #[schemars(skip)]
    #[expect(dead_code, reason = "it is accepted and not needed")]
    element: Option<String>,
}

impl Tool for ExecuteJs {
    const INFO: Info = Info {
        verbs: &["eval", "execute-js", "js"],
        positional: &["script"],
        aliases: &["browser_evaluate", "evaluate_script", "execute_js", "evaluate", "browser_run_code"],
        renames: &[("expression", "script"), ("function", "script"), ("code", "script"), ("js", "script")],
        extra: "The value comes back as JSON in result; promises are awaited. observed says whether the effect was \
                measured. A value of more than 12,000 characters is cut and counted. With a ref the \
                script runs in that element's frame, and a function gets the element.",
        examples: &[("Read a value", r#"{"script":"document.title"}"#)],
        ..Info::new("browser_execute_js", "Run JavaScript", EffectClass::Script, Verb::Js)
    };

    fn patience(&self) -> Duration {
        LONGEST
    }

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let tab = act::tab(&cx, &common).await?;
        cx.call.progress("waiting for the script");
        let observe = common.observe(cx.observe);
        let mut acted = match &self.on {
            None => tab.evaluate(cx.call, &self.script, &observe).await,
            Some(on) => tab.evaluate_on(cx.call, &on.target, &self.script, &observe).await,
        };
        let returned = acted.as_mut().ok().and_then(|acted| acted.returned.take());
        let ran = acted.is_ok();
        let report = Report { field: "ran", value: true.into(), asked: "" };
        let mut reply = act::reply(&tab, &common, report, acted, |_| "ran the script".to_owned());
        if ran {
            let observed = reply.effect.is_some();
            reply.put("observed", observed);
            show(&mut reply, returned);
        }
        Ok(reply)
    }
}

/// Shows what the script returned, cut when it is long.
fn show(reply: &mut Reply, returned: Option<Value>) {
    let Some(value) = returned else {
        reply.put("result", Value::Null);
        return;
    };
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let length = text.chars().count();
    if length <= SHOWN {
        reply.text = Some(format!("result: {text}"));
        reply.put("result", value);
        return;
    }
    let cut = clip(&text, SHOWN);
    reply.text = Some(format!("result: {cut}\n… {SHOWN} of {length} characters shown; return less"));
    reply.put("result", cut);
    reply.put("result_characters", length);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn execute_js_shows_a_value_as_json() {
        let mut reply = Reply::default();
        show(&mut reply, Some(json!({ "a": 1 })));
        assert_eq!(reply.text.as_deref(), Some("result: {\"a\":1}"));
        assert_eq!(reply.output["result"], json!({ "a": 1 }));
        show(&mut reply, None);
        assert_eq!(reply.output["result"], Value::Null);
    }

    #[test]
    fn execute_js_cuts_a_long_value_and_counts_it() {
        let mut reply = Reply::default();
        show(&mut reply, Some(json!("x".repeat(SHOWN + 5))));
        assert_eq!(reply.output["result_characters"], SHOWN + 5);
        assert!(reply.text.expect("a body").ends_with("12000 of 12005 characters shown; return less"));
    }
}
