//! `browser_forward`: one step forward in a tab's history.

use crate::act::{self, Report};
use crate::common::Common;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, Verb};

/// Go forward.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Forward {
    /// How long to wait at most.
    #[schemars(skip)]
    timeout_ms: Option<u64>,
}

impl Tool for Forward {
    const INFO: Info = Info {
        verbs: &["forward"],
        aliases: &["browser_navigate_forward", "browser_go_forward", "go_forward", "forward"],
        extra: "With no later page it is NAV_FAILED, and the tab stays where it is.",
        examples: &[("Go forward", "{}")],
        ..Info::new("browser_forward", "Forward", EffectClass::Navigate, Verb::Navigate)
    };

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let tab = act::tab(&cx, &common).await?;
        let acted = tab.forward(&act::limited(cx.call, self.timeout_ms), &common.observe(cx.observe)).await;
        let report = Report { field: "navigated", value: true.into(), asked: "" };
        Ok(act::page_reply(&tab, &common, report, acted, |url| format!("went forward to {url}")))
    }
}
