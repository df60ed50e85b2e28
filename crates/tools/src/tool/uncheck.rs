//! `browser_uncheck`: clears a checkbox or switch; not listed, because `browser_check` does it too.

use super::check;
use crate::common::Common;
use crate::field::Element;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, Verb};

/// Clear a checkbox or switch.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Uncheck {
    #[serde(rename = "ref")]
    element: Element,
}

impl Tool for Uncheck {
    const INFO: Info = Info {
        listed: false,
        verbs: &["uncheck"],
        positional: &["ref"],
        aliases: &["uncheck"],
        extra: "The same as browser_check with checked: false.",
        examples: &[("Clear a box", r#"{"ref":"label=I agree"}"#)],
        ..Info::new("browser_uncheck", "Uncheck", EffectClass::Input, Verb::Select)
    };

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        check::set(&cx, &common, &self.element, false).await
    }
}
