//! `session_rows`: the lines of a transcript as they were written.

use crate::common::Common;
use crate::own::{fitting, told};
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use truehand_base::{EffectClass, ErrorBody, Verb};

/// Read the lines of a transcript. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionRows {
    /// The session's id, or `<date>_<id>`.
    id: String,
}

impl Tool for SessionRows {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        ..Info::new("session_rows", "Read lines", EffectClass::Read, Verb::Read)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx
            .own
            .on_thread(move |own| {
                let rows = own.records.message_rows(&self.id)?;
                let total = rows.len();
                let kept = fitting(rows, true);
                Ok(json!({ "truncated": kept.len() < total, "rows": kept, "total": total }))
            })
            .await?;
        Ok(told("read the lines", value))
    }
}
