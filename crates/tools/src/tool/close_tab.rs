//! `browser_close_tab`: closes a tab.

use crate::common::Common;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use crate::tab_list;
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, Verb};

/// Close a tab.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CloseTab {}

impl Tool for CloseTab {
    const INFO: Info = Info {
        verbs: &["close", "close-tab", "tab-close"],
        positional: &["tab_id"],
        aliases: &["close_tab", "close_page", "browser_close", "browser_tab_close"],
        examples: &[("Close the current tab", "{}")],
        ..Info::new("browser_close_tab", "Close tab", EffectClass::Navigate, Verb::TabClose)
    };

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let info = cx.scope.close_tab(cx.call, common.tab_id).await?;
        let mut reply = tab_list::one(&info, format!("closed {}", tab_list::line(&info)));
        reply.put("closed", true);
        Ok(reply)
    }
}
