//! `browser_wait_for_idle`: waits until network and document are quiet.

use super::wait_for;
use crate::act;
use crate::common::Common;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;
use truehand_base::{EffectClass, ErrorBody, Verb};

/// How long nothing must happen when the call does not say, in milliseconds.
const IDLE_MS: u64 = 500;

/// Wait until network and DOM are quiet. A page that polls never is.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitForIdle {
    timeout_ms: Option<u64>,
    #[schemars(skip)]
    idle_ms: Option<u64>,
}

impl Tool for WaitForIdle {
    const INFO: Info = Info {
        verbs: &["wait-idle", "wait-for-idle"],
        aliases: &["wait_for_idle"],
        renames: &[("timeout", "timeout_ms"), ("idle", "idle_ms")],
        extra: "Quiet is 500 ms without a request in flight or a change of the document; idle_ms changes that. The \
                default timeout is 10,000 ms, the longest 600,000 ms. A page that polls never gets quiet: wait for a \
                text or an element with browser_wait_for instead.",
        examples: &[("Wait for quiet", r#"{"timeout_ms":5000}"#)],
        ..Info::new("browser_wait_for_idle", "Wait for quiet", EffectClass::Read, Verb::Read)
    };

    fn patience(&self) -> Duration {
        wait_for::limit(self.timeout_ms).0 + wait_for::REST
    }

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let tab = act::tab(&cx, &common).await?;
        let (limit, cut) = wait_for::limit(self.timeout_ms);
        let idle = Duration::from_millis(self.idle_ms.unwrap_or(IDLE_MS)).min(limit);
        let mut reply = Reply::of(tab.id(), "");
        cx.call.progress("waiting for quiet");
        match tab.wait_idle(cx.call, idle, limit).await {
            Ok(waited) => {
                reply.done = format!("quiet after {waited} ms");
                reply.put("idle", true);
                reply.put("waited_ms", waited);
            }
            Err(error) => {
                reply.put("idle", false);
                wait_for::warn_of_cut(&mut reply, cut);
                reply.error = Some(error);
            }
        }
        Ok(reply)
    }
}
