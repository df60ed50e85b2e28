//! `channel_restart`: a channel is connected anew, as soon as something connects channels.

use crate::common::Common;
use crate::own::told;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use truehand_base::{EffectClass, ErrorBody, Verb};

/// Connect a channel anew. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChannelRestart {
    id: String,
}

impl Tool for ChannelRestart {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        extra: "state says what is kept: configured, needs_token or disabled. Nothing connects channels yet, so connected is false.",
        ..Info::new("channel_restart", "Restart a channel", EffectClass::Store, Verb::Settings)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx
            .own
            .on_thread(move |own| {
                let mut value = own.records.channel(&self.id)?.json();
                value["restarted"] = json!(false);
                value["reason"] = json!("nothing connects channels yet: there is no connection to restart");
                Ok(value)
            })
            .await?;
        Ok(told("looked at the channel", value))
    }
}
