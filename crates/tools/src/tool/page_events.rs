//! `page_events`: what has happened in the client's tabs, for scripts; it waits for the first.

use crate::common::Common;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;
use truehand_base::{EffectClass, ErrorBody, Verb};

/// The longest that one call waits.
const LONGEST: Duration = Duration::from_secs(25);

/// Get the events of your tabs after one, waiting for the first. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageEvents {
    /// The number of the last event that is known; without it only the number of the last there is comes back.
    after: Option<u64>,
    /// How long to wait for the first; 0 looks only.
    wait_ms: Option<u64>,
}

impl Tool for PageEvents {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        unlimited: true,
        untraced: true,
        extra: "A feed keeps 4000 events or 16 MiB; lost says how many were dropped before they were read.",
        ..Info::new("page_events", "Events of pages", EffectClass::Read, Verb::Read)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let wait = Duration::from_millis(self.wait_ms.unwrap_or_default()).min(LONGEST);
        let heard = cx.scope.events(cx.call, self.after, wait).await?;
        let mut reply = Reply { done: format!("{} events", heard.events.len()), ..Reply::default() };
        reply.put("events", heard.events);
        reply.put("next", heard.next);
        if heard.lost > 0 {
            reply.put("lost", heard.lost);
        }
        Ok(reply)
    }
}
