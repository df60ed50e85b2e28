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
pub struct SelectTab {}

impl Tool for SelectTab {
    const INFO: Info = Info {
        listed: false,
        verbs: &["tab", "select-tab", "tab-select"],
        positional: &["tab_id"],
        aliases: &["select_tab", "select_page", "browser_tab_select", "switch_tab", "browser_switch_tab"],
        extra: "Not listed, because every tool takes tab_id.",
        examples: &[("Make the first tab current", r#"{"tab_id":"t1"}"#)],
        ..Info::new("browser_select_tab", "Select tab", EffectClass::Navigate, Verb::Read)
    };

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let Some(id) = common.tab_id else {
            return Err(ErrorBody::new(ErrorCode::InvalidArguments, "tab_id is missing: which tab?")
                .next("call browser_list_tabs and pass a handle from it"));
        };
        let info = cx.scope.select_tab(id)?;
        Ok(tab_list::one(&info, format!("current tab {}", tab_list::line(&info))))
    }
}
