//! `session_mark`: a session is marked as read or unread.

use crate::common::Common;
use crate::own::told;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, Verb};

/// Mark a session as read. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionMark {
    /// The session's id, or `<date>_<id>`.
    id: String,
    /// false marks it unread.
    read: Option<bool>,
}

impl Tool for SessionMark {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        ..Info::new("session_mark", "Mark a session", EffectClass::Store, Verb::Settings)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx
            .own
            .on_thread(move |own| {
                Ok(own.records.session_mark(&self.id, self.read.unwrap_or(true), own.now)?.json())
            })
            .await?;
        Ok(told("marked the session", value))
    }
}
