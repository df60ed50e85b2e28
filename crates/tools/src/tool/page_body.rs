//! `page_body` and `page_post_data`: bodies of requests that the browser still has, for scripts.

use crate::act;
use crate::common::Common;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, Verb};

/// Get the body of an answer that has come whole. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageBody {
    /// The request of an event.
    request: String,
}

impl Tool for PageBody {
    const INFO: Info =
        Info { listed: false, ..Info::new("page_body", "Body of an answer", EffectClass::Read, Verb::Read) };

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let tab = act::tab(&cx, &common).await?;
        let body = tab.response_body(cx.call, &self.request).await?;
        let mut reply = Reply::of(tab.id(), "got the body");
        reply.put("base64", body);
        Ok(reply)
    }
}

/// Get the body of a request. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PagePostData {
    /// The request of an event.
    request: String,
}

impl Tool for PagePostData {
    const INFO: Info = Info {
        listed: false,
        ..Info::new("page_post_data", "Body of a request", EffectClass::Read, Verb::Read)
    };

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let tab = act::tab(&cx, &common).await?;
        let body = tab.post_data(cx.call, &self.request).await?;
        let mut reply = Reply::of(tab.id(), "got the body");
        reply.put("base64", body);
        Ok(reply)
    }
}
