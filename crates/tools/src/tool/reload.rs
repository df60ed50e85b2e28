//! `browser_reload`: loads a tab's page again, once.

use crate::act::{self, Report};
use crate::common::Common;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, Verb};

/// Reload the page, once.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reload {
    /// How long to wait at most.
    #[schemars(skip)]
    timeout_ms: Option<u64>,
}

impl Tool for Reload {
    const INFO: Info = Info {
        verbs: &["reload"],
        aliases: &["reload"],
        extra: "It fires one request and never polls; to wait for something use browser_wait_for.",
        examples: &[("Load the page again", "{}")],
        ..Info::new("browser_reload", "Reload", EffectClass::Navigate, Verb::Navigate)
    };

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let tab = act::tab(&cx, &common).await?;
        let acted = tab.reload(&act::limited(cx.call, self.timeout_ms), &common.observe(cx.observe)).await;
        let report = Report { field: "navigated", value: true.into(), asked: "" };
        Ok(act::page_reply(&tab, &common, report, acted, |url| format!("reloaded {url}")))
    }
}
