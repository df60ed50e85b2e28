//! `browser_select_tab`: makes a tab the one that calls without a `tab_id` go to.

use crate::common::Common;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use crate::tab_list;
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, ErrorCode, Verb};

/// Make a tab the current one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SelectTab {
    /// In a shared browser: true takes the tab for you, false gives it to who waits.
    hold: Option<bool>,
}

impl Tool for SelectTab {
    const INFO: Info = Info {
        listed: false,
        verbs: &["tab", "select-tab", "tab-select"],
        positional: &["tab_id"],
        aliases: &["select_tab", "select_page", "browser_tab_select", "switch_tab", "browser_switch_tab"],
        extra: "Not listed, because every tool takes tab_id. Where several clients share a browser (--profile, \
                --attach), a tab is held by the client that opened it or first acted on it, until that client closes \
                it, gives it up, is gone, or has left it alone for a minute; others can read it meanwhile.",
        examples: &[
            ("Make the first tab current", r#"{"tab_id":"t1"}"#),
            ("Hand a tab over to whoever waits for it", r#"{"tab_id":"t1","hold":false}"#),
        ],
        ..Info::new("browser_select_tab", "Select tab", EffectClass::Navigate, Verb::Read)
    };

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let Some(id) = common.tab_id else {
            return Err(ErrorBody::new(ErrorCode::InvalidArguments, "tab_id is missing: which tab?")
                .next("call browser_list_tabs and pass a handle from it"));
        };
        if self.hold == Some(true) {
            // The tab is the client's from here on; nothing is done in it yet.
            drop(cx.scope.hold(cx.call, id).await?);
        }
        let info = cx.scope.select_tab(id)?;
        if self.hold == Some(false) {
            let next = cx.scope.release(id).map(|next| format!("; {next} is next")).unwrap_or_default();
            return Ok(tab_list::one(&info, format!("released {}{next}", tab_list::line(&info))));
        }
        Ok(tab_list::one(&info, format!("current tab {}", tab_list::line(&info))))
    }
}
