//! `browser_new_tab`: opens a tab and makes it the current one.

use crate::act::{self, Report};
use crate::common::Common;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, Facts, Verb, normalise_url};

/// Open a tab; it becomes your current one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTab {
    url: Option<String>,
}

/// Opens a tab; also for `browser_tabs`.
pub async fn open(cx: &ToolCtx<'_>, common: &Common, url: Option<&str>) -> Result<Reply, ErrorBody> {
    // The form that the gate judged, and no other, is what is opened.
    let url = url.map(normalise_url).transpose()?;
    let (tab, acted) = cx.scope.open_tab(cx.call, url.as_deref(), &common.observe(cx.observe)).await?;
    let report = Report { field: "opened", value: true.into(), asked: "" };
    Ok(act::page_reply(&tab, common, report, Ok(acted), |url| format!("opened {} {url}", tab.id())))
}

impl Tool for NewTab {
    const INFO: Info = Info {
        tab: false,
        verbs: &["new-tab", "tab-new"],
        positional: &["url"],
        aliases: &["new_tab", "new_page", "browser_tab_new"],
        examples: &[("Open an empty tab", "{}")],
        ..Info::new("browser_new_tab", "New tab", EffectClass::Navigate, Verb::TabOpen)
    };

    fn facts(&self) -> Facts {
        Facts { url: self.url.clone(), ..Facts::new(Self::INFO.name, Self::INFO.verb) }
    }

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        open(&cx, &common, self.url.as_deref()).await
    }
}
