//! `page_frames`: the frames of a tab, for scripts.

use crate::act;
use crate::common::Common;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use truehand_base::{EffectClass, ErrorBody, Verb};

/// List the frames of a tab. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageFrames {
    /// Whether each child frame comes with a handle of its element.
    owners: Option<bool>,
}

impl Tool for PageFrames {
    const INFO: Info =
        Info { listed: false, ..Info::new("page_frames", "Frames of a page", EffectClass::Read, Verb::Read) };

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let tab = act::tab(&cx, &common).await?;
        let listed = tab.list_frames(cx.call, self.owners == Some(true)).await?;
        let mut reply = Reply::of(tab.id(), "listed the frames");
        reply.put("tab_id", tab.id().to_string());
        if let Value::Object(fields) = listed {
            reply.output.extend(fields);
        }
        Ok(reply)
    }
}
