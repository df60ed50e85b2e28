//! `session_list`: sessions, newest first.

use crate::common::Common;
use crate::own::told;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use serde_json::json;
use truehand_base::{EffectClass, ErrorBody, Verb};
use truehand_store::{Query, Session, SessionKind};

/// What a session is of.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ListedKind {
    /// An agent's task.
    Agent,
    /// A client's JavaScript scope.
    Repl,
}

/// The order of a list.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ListOrder {
    /// The newest first.
    Desc,
    /// The oldest first.
    Asc,
}

/// List sessions. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionList {
    project_id: Option<String>,
    kind: Option<ListedKind>,
    order: Option<ListOrder>,
    /// next_cursor of the page before.
    cursor: Option<String>,
    /// 1 to 200; 20.
    limit: Option<usize>,
    /// Whether archived ones are listed too.
    archived: Option<bool>,
}

impl Tool for SessionList {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        extra: "Sessions that another one made are its children, and not listed here.",
        ..Info::new("session_list", "List sessions", EffectClass::Read, Verb::Read)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx
            .own
            .on_thread(move |own| {
                let kind = self.kind.map(|kind| match kind {
                    ListedKind::Agent => SessionKind::Agent,
                    ListedKind::Repl => SessionKind::Repl,
                });
                let query = Query {
                    project: self.project_id,
                    kind,
                    archived: self.archived.unwrap_or(false),
                    oldest_first: matches!(self.order, Some(ListOrder::Asc)),
                    limit: self.limit,
                    cursor: self.cursor,
                };
                let listed = own.records.sessions(&query)?;
                let sessions: Vec<Value> = listed.sessions.iter().map(Session::json).collect();
                Ok(json!({ "sessions": sessions, "next_cursor": listed.next_cursor }))
            })
            .await?;
        Ok(told("listed the sessions", value))
    }
}
