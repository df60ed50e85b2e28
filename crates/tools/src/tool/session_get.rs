//! `session_get`: one session.

use crate::common::Common;
use crate::own::told;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use serde_json::json;
use truehand_base::{EffectClass, ErrorBody, Verb};
use truehand_store::Input;

/// Get a session. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionGet {
    /// The session's id, or `<date>_<id>`.
    id: String,
}

impl Tool for SessionGet {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        ..Info::new("session_get", "Get a session", EffectClass::Read, Verb::Read)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx
            .own
            .on_thread(move |own| {
                let session = own.records.session(&self.id)?;
                let waiting: Vec<Value> = own.records.inputs(&session.id)?.iter().map(Input::json).collect();
                let mut value = session.json();
                value["folder"] = json!(own.records.session_folder(&session));
                value["waiting_inputs"] = json!(waiting);
                Ok(value)
            })
            .await?;
        Ok(told("looked at the session", value))
    }
}
