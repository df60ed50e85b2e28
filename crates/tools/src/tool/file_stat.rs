//! `file_stat`: what is known of a file.

use crate::common::Common;
use crate::own::told;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use truehand_base::{EffectClass, ErrorBody, Verb};

/// Look at a file. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileStat {
    path: String,
    /// Whether a link is followed; true.
    follow: Option<bool>,
}

impl Tool for FileStat {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        unlimited: true,
        ..Info::new("file_stat", "Look at a file", EffectClass::Read, Verb::Read)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx.own.on_thread(move |own| {
            let (jail, _) = own.jail()?;
            let (spot, stat) = jail.stat(&self.path, self.follow.unwrap_or(true))?;
            Ok(json!({
                "path": spot.path, "kind": stat.kind.name(), "size": stat.size, "modified_ms": stat.modified_ms,
                "created_ms": stat.created_ms, "accessed_ms": stat.accessed_ms, "mode": stat.mode, "writable": spot.writable,
            }))
        }).await?;
        Ok(told("looked at the file", value))
    }
}
