//! `browser_back`: one step back in a tab's history.

use crate::act::{self, Report};
use crate::common::Common;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, Verb};

/// Go back.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Back {
    /// How long to wait at most.
    #[schemars(skip)]
    timeout_ms: Option<u64>,
}

impl Tool for Back {
    const INFO: Info = Info {
        verbs: &["back"],
        aliases: &["browser_navigate_back", "browser_go_back", "go_back", "back"],
        extra: "With no earlier page it is NAV_FAILED, and the tab stays where it is.",
        examples: &[("Go back", "{}")],
        ..Info::new("browser_back", "Back", EffectClass::Navigate, Verb::Navigate)
    };

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let tab = act::tab(&cx, &common).await?;
        let acted = tab.back(&act::limited(cx.call, self.timeout_ms), &common.observe(cx.observe)).await;
        let report = Report { field: "navigated", value: true.into(), asked: "" };
        Ok(act::page_reply(&tab, &common, report, acted, |url| format!("went back to {url}")))
    }
}
