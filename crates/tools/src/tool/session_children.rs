//! `session_children`: the sessions that another one made.

use crate::common::Common;
use crate::own::told;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use serde_json::json;
use truehand_base::{EffectClass, ErrorBody, Verb};
use truehand_store::Session;

/// List a session's children. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionChildren {
    /// The session's id, or `<date>_<id>`.
    id: String,
    /// The tool call that made them.
    triggered_by: Option<String>,
}

impl Tool for SessionChildren {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        ..Info::new("session_children", "List children", EffectClass::Read, Verb::Read)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx
            .own
            .on_thread(move |own| {
                let children = own.records.child_sessions(&self.id, self.triggered_by.as_deref())?;
                let sessions: Vec<Value> = children.iter().map(Session::json).collect();
                Ok(json!({ "sessions": sessions }))
            })
            .await?;
        Ok(told("listed the sessions", value))
    }
}
