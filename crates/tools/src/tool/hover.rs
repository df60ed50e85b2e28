//! `browser_hover`: moves the mouse over an element.

use super::click::Position;
use crate::act::{self, Report};
use crate::common::Common;
use crate::field::Element;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, Verb};
use truehand_browser::ClickOptions;

/// Move the mouse over an element.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hover {
    #[serde(rename = "ref")]
    element: Element,
    /// The point of the element, from its top left corner.
    #[schemars(skip)]
    position: Option<Position>,
    /// Keys held meanwhile.
    #[schemars(skip)]
    modifiers: Option<Vec<String>>,
    /// Whether the mouse goes there whatever covers it.
    #[schemars(skip)]
    force: Option<bool>,
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
        let options = ClickOptions {
            position: self.position.map(Into::into),
            modifiers: self.modifiers.unwrap_or_default(),
            force: self.force == Some(true),
            ..ClickOptions::default()
        };
        let acted = tab.hover(cx.call, &self.element.target, &options, &common.observe(cx.observe)).await;
        let report = Report { field: "hovered", value: true.into(), asked: &self.element.text };
        Ok(act::reply(&tab, &common, report, acted, |name| format!("hovered {name}")))
    }
}
