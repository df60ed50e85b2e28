//! `session_stop`: a session's run is ended.

use crate::common::Common;
use crate::own::told;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use truehand_base::{EffectClass, ErrorBody, Verb};
use truehand_store::Stopped;

/// Stop a session. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionStop {
    /// The session's id, or `<date>_<id>`.
    id: String,
}

impl Tool for SessionStop {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        ..Info::new("session_stop", "Stop a session", EffectClass::Store, Verb::Settings)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx
            .own
            .on_thread(move |own| {
                let state = match own.records.session_stop(&self.id, own.now)? {
                    Stopped::Now => "stopped",
                    Stopped::Wished => "stopping",
                };
                let session = own.records.session(&self.id)?;
                Ok(json!({ "id": session.id, "state": state, "status": session.status.name() }))
            })
            .await?;
        Ok(told("stopped the session", value))
    }
}
