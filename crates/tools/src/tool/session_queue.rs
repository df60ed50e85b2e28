//! `session_queue`: a message that waits for the step that is going on.

use crate::common::Common;
use crate::own::told;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use truehand_base::{EffectClass, ErrorBody, Verb};
use truehand_store::InputHow;

/// Leave a message that waits for the step that is going on. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionQueue {
    /// The session's id, or `<date>_<id>`.
    id: String,
    text: String,
}

impl Tool for SessionQueue {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        extra: "state is queued: whoever runs the session takes the message. running says whether somebody does now.",
        ..Info::new("session_queue", "Queue a message", EffectClass::Store, Verb::Settings)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx
            .own
            .on_thread(move |own| {
                let session = own.records.session(&self.id)?;
                let input = own.records.input_add(&session.id, InputHow::Queue, &self.text, own.now)?;
                let running = own.records.is_run(&session);
                Ok(json!({ "id": session.id, "input": input.json(), "state": "queued", "running": running }))
            })
            .await?;
        Ok(told("left the message", value))
    }
}
