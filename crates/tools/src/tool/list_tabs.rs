//! `browser_list_tabs`: the client's tabs.

use crate::common::Common;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use crate::tab_list;
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, Verb};

/// List your tabs.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListTabs {}

impl Tool for ListTabs {
    const INFO: Info = Info {
        tab: false,
        verbs: &["tabs", "list-tabs", "tab-list"],
        aliases: &["list_tabs", "list_pages", "browser_tab_list", "get_windows_and_tabs"],
        examples: &[("List the tabs", "{}")],
        ..Info::new("browser_list_tabs", "List tabs", EffectClass::Read, Verb::Read)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        Ok(tab_list::all(&cx.scope.list_tabs(cx.call).await?))
    }
}
