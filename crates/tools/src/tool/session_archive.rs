//! `session_archive`: a session is put away or taken back.

use crate::common::Common;
use crate::own::told;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, Verb};

/// Archive a session. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionArchive {
    /// The session's id, or `<date>_<id>`.
    id: String,
    /// false takes it back.
    archived: Option<bool>,
}

impl Tool for SessionArchive {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        ..Info::new("session_archive", "Archive a session", EffectClass::Store, Verb::Settings)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx
            .own
            .on_thread(move |own| {
                Ok(own.records.session_archive(&self.id, self.archived.unwrap_or(true), own.now)?.json())
            })
            .await?;
        Ok(told("archived the session", value))
    }
}
