//! `browser_current_tab`: which tab calls without a `tab_id` go to.

use crate::common::Common;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use crate::tab_list;
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, Verb};

/// Show your current tab: id, url, title.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CurrentTab {}

impl Tool for CurrentTab {
    const INFO: Info = Info {
        tab: false,
        verbs: &["current"],
        aliases: &["current_tab"],
        extra: "It starts no browser: with no tab open it says so.",
        examples: &[("Which tab is current", "{}")],
        ..Info::new("browser_current_tab", "Current tab", EffectClass::Read, Verb::Read)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let Some(tab) = cx.scope.tab_if_open(None) else {
            let text = "open one with browser_navigate or browser_new_tab".to_owned();
            return Ok(Reply { done: "no tab is open".to_owned(), text: Some(text), ..Reply::default() });
        };
        let info = tab.info();
        Ok(tab_list::one(&info, format!("current tab {}", tab_list::line(&info))))
    }
}
