//! `browser_check`: sets a checkbox, radio or switch.

use crate::act::{self, Report};
use crate::common::Common;
use crate::field::Element;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, Verb};

/// Set a checkbox, radio or switch.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Check {
    #[serde(rename = "ref")]
    element: Element,
    /// Default true.
    checked: Option<bool>,
}

/// Sets the state; also for `browser_uncheck`.
pub async fn set(cx: &ToolCtx<'_>, common: &Common, element: &Element, on: bool) -> Result<Reply, ErrorBody> {
    let tab = act::tab(cx, common).await?;
    let acted = tab.set_checked(cx.call, &element.target, on, &common.observe(cx.observe)).await;
    let carried_out = acted.as_ref().is_ok_and(|acted| acted.error.is_none());
    let report = Report { field: "set", value: true.into(), asked: &element.text };
    let verb = if on { "checked" } else { "unchecked" };
    let mut reply = act::reply(&tab, common, report, acted, |name| format!("{verb} {name}"));
    if carried_out {
        reply.put("checked", on);
    }
    Ok(reply)
}

impl Tool for Check {
    const INFO: Info = Info {
        verbs: &["check"],
        positional: &["ref"],
        aliases: &["check"],
        renames: &[("value", "checked"), ("state", "checked"), ("on", "checked")],
        extra: "What has the asked state already is left alone. set says whether the action was carried out.",
        examples: &[("Check a box", r#"{"ref":"label=I agree"}"#)],
        ..Info::new("browser_check", "Check", EffectClass::Input, Verb::Select)
    };

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        set(&cx, &common, &self.element, self.checked.unwrap_or(true)).await
    }
}
