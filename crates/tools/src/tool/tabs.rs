//! `browser_tabs`: the tab tools under the one name that models know from elsewhere; not listed.

use super::new_tab;
use crate::common::{self, Common};
use crate::spec::{Info, Reply, Tool, ToolCtx};
use crate::tab_list;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use truehand_base::{EffectClass, ErrorBody, ErrorCode, Facts, TabId, Verb};

/// List, open, select or close tabs.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tabs {
    action: Option<Action>,
    /// Position in the list, from 0.
    index: Option<u32>,
    #[schemars(with = "Option<String>")]
    tab_id: Option<Value>,
    url: Option<String>,
}

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// List them.
    List,
    /// Open one.
    #[serde(alias = "create", alias = "open")]
    New,
    /// Close one.
    Close,
    /// Make one current.
    #[serde(alias = "switch", alias = "activate")]
    Select,
}

impl Tabs {
    fn action(&self) -> Action {
        self.action.unwrap_or(Action::List)
    }

    /// The tab that is meant, by handle or by position.
    async fn which(&self, cx: &ToolCtx<'_>) -> Result<Option<TabId>, ErrorBody> {
        if let Some(value) = &self.tab_id {
            return common::tab_id(value).map(Some);
        }
        let Some(index) = self.index else { return Ok(None) };
        let tabs = cx.scope.list_tabs(cx.call).await?;
        let found = tabs.get(index as usize).map(|tab| tab.tab_id);
        found.map(Some).ok_or_else(|| {
            ErrorBody::new(
                ErrorCode::UnknownTab,
                format!("there is no tab at index {index}; there are {}", tabs.len()),
            )
        })
    }
}

impl Tool for Tabs {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        verbs: &["tab-action"],
        positional: &["action"],
        renames: &[("tab", "tab_id")],
        extra: "The same as browser_list_tabs, browser_new_tab, browser_select_tab and browser_close_tab.",
        examples: &[("List the tabs", r#"{"action":"list"}"#)],
        ..Info::new("browser_tabs", "Tabs", EffectClass::Navigate, Verb::Read)
    };

    fn facts(&self) -> Facts {
        let verb = match self.action() {
            Action::List | Action::Select => Verb::Read,
            Action::New => Verb::TabOpen,
            Action::Close => Verb::TabClose,
        };
        let url = self.url.clone().filter(|_| verb == Verb::TabOpen);
        Facts { url, ..Facts::new(Self::INFO.name, verb) }
    }

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        match self.action() {
            Action::List => Ok(tab_list::all(&cx.scope.list_tabs(cx.call).await?)),
            Action::New => new_tab::open(&cx, &common, self.url.as_deref()).await,
            Action::Close => {
                let info = cx.scope.close_tab(cx.call, self.which(&cx).await?).await?;
                Ok(tab_list::one(&info, format!("closed {}", tab_list::line(&info))))
            }
            Action::Select => {
                let Some(id) = self.which(&cx).await? else {
                    return Err(ErrorBody::new(
                        ErrorCode::InvalidArguments,
                        "index or tab_id is missing: which tab?",
                    ));
                };
                let info = cx.scope.select_tab(id)?;
                Ok(tab_list::one(&info, format!("current tab {}", tab_list::line(&info))))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn tabs_facts_follow_the_action() {
        let facts = |value: Value| serde_json::from_value::<Tabs>(value).expect("valid").facts();
        assert_eq!(facts(json!({})).verb, Verb::Read);
        assert_eq!(facts(json!({ "action": "close", "index": 1 })).verb, Verb::TabClose);
        let new = facts(json!({ "action": "create", "url": "http://h/" }));
        assert_eq!((new.verb, new.url.as_deref()), (Verb::TabOpen, Some("http://h/")));
    }
}
