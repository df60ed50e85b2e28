//! `session_messages`: the transcript of a session, also what was compacted.

use crate::common::Common;
use crate::own::{fitting, told};
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use truehand_base::{EffectClass, ErrorBody, Verb};

/// Which end of the transcript is read; messages always come in the order of the talk.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MessageOrder {
    /// The latest.
    Desc,
    /// The earliest.
    Asc,
}

/// Read a session's messages. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionMessages {
    /// The session's id, or `<date>_<id>`.
    id: String,
    /// 1 to 1000; 50.
    limit: Option<usize>,
    order: Option<MessageOrder>,
}

impl Tool for SessionMessages {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        ..Info::new("session_messages", "Read messages", EffectClass::Read, Verb::Read)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx
            .own
            .on_thread(move |own| {
                let earliest = matches!(self.order, Some(MessageOrder::Asc));
                let (messages, total) = own.records.messages(&self.id, self.limit, earliest)?;
                let asked = messages.len();
                let kept = fitting(messages, earliest);
                Ok(json!({ "truncated": kept.len() < asked, "messages": kept, "total": total }))
            })
            .await?;
        Ok(told("read the messages", value))
    }
}
