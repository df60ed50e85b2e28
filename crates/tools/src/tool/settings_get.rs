//! `settings_get`: settings as they hold.

use crate::common::Common;
use crate::own::told;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use truehand_base::{EffectClass, ErrorBody, Verb};
use truehand_store::Config;

/// Get settings. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SettingsGet {
    /// A section such as tasks, or a key such as tasks.keep_s; all without it.
    key: Option<String>,
}

impl Tool for SettingsGet {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        ..Info::new("settings_get", "Get settings", EffectClass::Read, Verb::Read)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx
            .own
            .on_thread(move |own| {
                let config = Config::load(own.home())?;
                let value = match self.key.as_deref() {
                    Some(key) => config.shown_key(key)?,
                    None => config.shown(),
                };
                Ok(json!({ "value": value }))
            })
            .await?;
        Ok(told("read the settings", value))
    }
}
