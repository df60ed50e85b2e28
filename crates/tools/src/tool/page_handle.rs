//! `page_handle`: what a script asks about its handles.

use crate::act;
use crate::common::Common;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use truehand_base::{EffectClass, ErrorBody, ErrorCode, Verb};

/// Ask about handles, or let go of them. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageHandle {
    /// What to do.
    op: HandleOp,
    /// The handles.
    handles: Vec<String>,
}

/// What can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HandleOp {
    /// Lets go of them.
    Dispose,
    /// The frames that they hold.
    ContentFrame,
    /// The frames that they are in.
    OwnerFrame,
    /// Their own properties.
    Properties,
    /// References to their elements.
    Ref,
}

impl Tool for PageHandle {
    const INFO: Info = Info {
        listed: false,
        ..Info::new("page_handle", "Handles of a script", EffectClass::Read, Verb::Read)
    };

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let tab = act::tab(&cx, &common).await?;
        let mut reply = Reply::of(tab.id(), "asked about the handles");
        if self.op == HandleOp::Dispose {
            reply.put("disposed", tab.dispose_handles(&self.handles));
            return Ok(reply);
        }
        if self.handles.is_empty() {
            return Err(ErrorBody::new(ErrorCode::InvalidArguments, "no handle was named"));
        }
        let mut results = Vec::new();
        for handle in &self.handles {
            results.push(match self.op {
                HandleOp::ContentFrame => json!({ "frame": tab.content_frame(cx.call, handle).await? }),
                HandleOp::OwnerFrame => json!({ "frame": tab.owner_frame(handle)? }),
                HandleOp::Properties => {
                    let listed = tab.handle_properties(cx.call, handle).await?;
                    json!({ "properties": Value::Object(Map::from_iter(listed)) })
                }
                HandleOp::Ref | HandleOp::Dispose => tab.handle_ref(cx.call, handle).await?,
            });
        }
        reply.put("results", results);
        Ok(reply)
    }
}
