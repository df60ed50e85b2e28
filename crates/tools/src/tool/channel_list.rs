//! `channel_list`: channels, without their tokens.

use crate::common::Common;
use crate::own::told;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use serde_json::json;
use truehand_base::{EffectClass, ErrorBody, Verb};
use truehand_store::Channel;

/// List channels. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChannelList {}

impl Tool for ChannelList {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        ..Info::new("channel_list", "List channels", EffectClass::Read, Verb::Read)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx
            .own
            .on_thread(move |own| {
                let channels: Vec<Value> = own.records.channels()?.iter().map(Channel::json).collect();
                Ok(json!({ "channels": channels }))
            })
            .await?;
        Ok(told("listed the channels", value))
    }
}
