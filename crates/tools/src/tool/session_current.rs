//! `session_current`: the session of the client's own scope.

use crate::common::Common;
use crate::own::told;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use truehand_base::{EffectClass, ErrorBody, Verb};

/// Get the own session. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionCurrent {}

impl Tool for SessionCurrent {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        ..Info::new("session_current", "Own session", EffectClass::Read, Verb::Read)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx
            .own
            .on_thread(move |own| {
                let session = own.session()?;
                let mut value = session.json();
                value["folder"] = json!(own.records.session_folder(&session));
                Ok(value)
            })
            .await?;
        Ok(told("looked at the session", value))
    }
}
