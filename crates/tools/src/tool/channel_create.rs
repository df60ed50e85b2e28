//! `channel_create`: a channel is configured.

use crate::common::Common;
use crate::own::Token;
use crate::own::told;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, Verb};
use truehand_store::ChannelWish;

/// Configure a channel. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChannelCreate {
    /// slack, telegram, discord or webhook.
    kind: String,
    name: Option<String>,
    project_id: Option<String>,
    /// Who may speak through it, as the service names them.
    owner: Option<String>,
    enabled: Option<bool>,
    /// Kept apart and never given back.
    token: Option<Token>,
}

impl Tool for ChannelCreate {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        extra: "state says what is kept: configured, needs_token or disabled. Nothing connects channels yet, so connected is false.",
        ..Info::new("channel_create", "Make a channel", EffectClass::Store, Verb::Config)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx
            .own
            .on_thread(move |own| {
                let wish = ChannelWish {
                    kind: Some(self.kind),
                    name: self.name,
                    project: self.project_id,
                    owner: self.owner,
                    enabled: self.enabled,
                    token: self.token.map(Token::into_secret),
                };
                Ok(own.records.channel_create(&wish, own.now)?.json())
            })
            .await?;
        Ok(told("configured the channel", value))
    }
}
