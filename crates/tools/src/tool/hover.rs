//! `browser_hover`: moves the mouse over an element.

use crate::act::{self, Report};
use crate::common::Common;
use crate::field::Element;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, Verb};

/// Move the mouse over an element.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hover {
    #[serde(rename = "ref")]
    element: Element,
}

impl Tool for Hover {
    const INFO: Info = Info {
        verbs: &["hover"],
        positional: &["ref"],
        aliases: &["hover"],
        extra: "The mouse stays there until the next action moves it.",
        examples: &[("Hover over a button", r#"{"ref":"role=button[name=\"Save\"]"}"#)],
        ..Info::new("browser_hover", "Hover", EffectClass::Input, Verb::Hover)
    };

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let tab = act::tab(&cx, &common).await?;
        let acted = tab.hover(cx.call, &self.element.target, &common.observe(cx.observe)).await;
        let report = Report { field: "hovered", value: true.into(), asked: &self.element.text };
        Ok(act::reply(&tab, &common, report, acted, |name| format!("hovered {name}")))
    }
}
