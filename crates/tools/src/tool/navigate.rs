//! `browser_navigate`: opens an address in a tab.

use crate::act::{self, Report};
use crate::common::Common;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, Facts, Verb, normalise_url};

/// Open a URL in your tab.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Navigate {
    url: String,
    /// How long to wait at most.
    #[schemars(skip)]
    timeout_ms: Option<u64>,
}

impl Tool for Navigate {
    const INFO: Info = Info {
        verbs: &["navigate", "open", "goto"],
        positional: &["url"],
        aliases: &["navigate", "goto", "chrome_navigate"],
        extra: "The call ends when the document is usable, not when its last picture has come. A status of 400 or \
                more is REQUEST_FAILED, with the error page left open for reading. Only http, https and \
                about:blank can be opened.",
        examples: &[("Open a page", r#"{"url":"about:blank"}"#)],
        ..Info::new("browser_navigate", "Open address", EffectClass::Navigate, Verb::Navigate)
    };

    fn facts(&self) -> Facts {
        Facts { url: Some(self.url.clone()), ..Facts::new(Self::INFO.name, Self::INFO.verb) }
    }

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let tab = act::tab(&cx, &common).await?;
        // The form that the gate judged, and no other, is what is opened.
        let url = normalise_url(&self.url)?;
        let acted =
            tab.navigate(&act::limited(cx.call, self.timeout_ms), &url, &common.observe(cx.observe)).await;
        let report = Report { field: "navigated", value: true.into(), asked: "" };
        Ok(act::page_reply(&tab, &common, report, acted, |url| format!("navigated to {url}")))
    }
}
