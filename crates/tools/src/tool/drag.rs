//! `browser_drag`: drags one element onto another.

use crate::act::{self, Report};
use crate::common::Common;
use crate::field::Element;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::text::{clip, one_line};
use truehand_base::{EffectClass, ErrorBody, Verb};

/// Drag one element onto another.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Drag {
    from: Element,
    to: Element,
    /// Descriptions for people, which some clients send.
    #[schemars(skip)]
    #[expect(dead_code, reason = "it is accepted and not needed")]
    start_element: Option<String>,
    #[schemars(skip)]
    #[expect(dead_code, reason = "it is accepted and not needed")]
    end_element: Option<String>,
}

impl Tool for Drag {
    const INFO: Info = Info {
        verbs: &["drag"],
        positional: &["from", "to"],
        aliases: &["drag"],
        renames: &[
            ("start_ref", "from"),
            ("end_ref", "to"),
            ("startRef", "from"),
            ("endRef", "to"),
            ("start_target", "from"),
            ("end_target", "to"),
            ("startTarget", "from"),
            ("endTarget", "to"),
            ("from_ref", "from"),
            ("to_ref", "to"),
            ("from_uid", "from"),
            ("to_uid", "to"),
            ("source", "from"),
            ("ref", "from"),
            ("target", "to"),
        ],
        extra: "HTML5 drag and drop and plain pointer dragging are both served by the same trusted mouse moves.",
        examples: &[("Drag a card to a list", r##"{"from":"#card","to":"#done"}"##)],
        ..Info::new("browser_drag", "Drag", EffectClass::Input, Verb::Drag)
    };

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let tab = act::tab(&cx, &common).await?;
        let observe = common.observe(cx.observe);
        let acted = tab.drag(cx.call, &self.from.target, &self.to.target, &observe).await;
        let to = clip(&one_line(&self.to.text), 80);
        let report = Report { field: "dragged", value: true.into(), asked: &self.from.text };
        Ok(act::reply(&tab, &common, report, acted, |name| format!("dragged {name} to {to}")))
    }
}
