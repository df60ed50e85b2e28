//! `session_delete`: a session goes with its files and children.

use crate::common::Common;
use crate::own::told;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use truehand_base::{EffectClass, ErrorBody, Verb};
use truehand_store::Deleted;

/// Delete a session and its files. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionDelete {
    /// The session's id, or `<date>_<id>`.
    id: String,
}

impl Tool for SessionDelete {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        extra: "One that is run is stopped first and goes when its run has ended.",
        ..Info::new("session_delete", "Delete a session", EffectClass::Store, Verb::Config)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx.own.on_thread(move |own| {
            let id = own.records.session(&self.id)?.id;
            let deleted = own.records.session_delete(&id)? == Deleted::Now;
            Ok(json!({ "id": id, "deleted": deleted, "state": if deleted { "deleted" } else { "stopping" } }))
        }).await?;
        Ok(told("deleted the session", value))
    }
}
