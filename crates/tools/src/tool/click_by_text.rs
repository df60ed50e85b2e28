//! `browser_click_by_text`: a click on what shows a text, for clickable things without a reference.

use super::click;
use crate::act::{self, Report};
use crate::common::Common;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, ErrorCode, Verb};
use truehand_browser::Target;

/// Click what shows a text or has that label; for things without a ref.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClickByText {
    text: String,
    exact: Option<bool>,
    auto_dismiss: Option<bool>,
    #[schemars(skip)]
    dismiss_overlay: Option<bool>,
}

impl Tool for ClickByText {
    const INFO: Info = Info {
        input_mode: true,
        verbs: &["click-text", "click-by-text"],
        positional: &["text"],
        aliases: &["click_by_text"],
        renames: &[("ref", "text"), ("query", "text"), ("label", "text")],
        extra: "White space is folded and case ignored unless exact. When nothing shows the text, the control with \
                such a label is clicked. Several matches are AMBIGUOUS, with the candidates.",
        examples: &[("Click a text", r#"{"text":"Details"}"#)],
        ..Info::new("browser_click_by_text", "Click text", EffectClass::Input, Verb::Click)
    };

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let tab = act::tab(&cx, &common).await?;
        let options = click::plain(common.mode, self.auto_dismiss.or(self.dismiss_overlay));
        let observe = common.observe(cx.observe);
        let shown = Target::Text { text: self.text.clone(), exact: self.exact.unwrap_or(false) };
        let mut acted = tab.click(cx.call, &shown, &options, &observe).await;
        if acted.as_ref().is_err_and(|error| error.code == ErrorCode::NoMatch) {
            let label = Target::Label { text: self.text.clone() };
            let labelled = tab.click(cx.call, &label, &options, &observe).await;
            // The first failure has the closest texts; it says more than that no label fits either.
            if labelled.as_ref().map_or_else(|error| error.code != ErrorCode::NoMatch, |_| true) {
                acted = labelled;
            }
        }
        let report = Report { field: "clicked", value: true.into(), asked: &self.text };
        Ok(act::reply(&tab, &common, report, acted, |name| format!("clicked {name}")))
    }
}
