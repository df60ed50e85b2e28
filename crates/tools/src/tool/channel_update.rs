//! `channel_update`: a channel is changed.

use crate::common::Common;
use crate::own::Token;
use crate::own::told;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, Verb};
use truehand_store::ChannelWish;

/// Change a channel. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChannelUpdate {
    id: String,
    name: Option<String>,
    project_id: Option<String>,
    /// Who may speak through it, as the service names them.
    owner: Option<String>,
    enabled: Option<bool>,
    /// Kept apart and never given back.
    token: Option<Token>,
}

impl Tool for ChannelUpdate {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        extra: "state says what is kept: configured, needs_token or disabled. Nothing connects channels yet, so connected is false.",
        ..Info::new("channel_update", "Change a channel", EffectClass::Store, Verb::Config)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx
            .own
            .on_thread(move |own| {
                let wish = ChannelWish {
                    kind: None,
                    name: self.name,
                    project: self.project_id,
                    owner: self.owner,
                    enabled: self.enabled,
                    token: self.token.map(Token::into_secret),
                };
                Ok(own.records.channel_update(&self.id, &wish, own.now)?.json())
            })
            .await?;
        Ok(told("changed the channel", value))
    }
}
