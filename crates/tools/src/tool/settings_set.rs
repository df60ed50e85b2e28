//! `settings_set`: one setting is replaced.

use crate::common::Common;
use crate::own::told;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use serde_json::json;
use truehand_base::{EffectClass, ErrorBody, ErrorCode, Facts, Verb};
use truehand_store::Config;

/// Sections of which a change widens nothing.
const HARMLESS: [&str; 2] = ["effects", "tasks"];

/// A name that is no tool would leave the tool on that was meant.
fn check(config: &Config) -> Result<(), ErrorBody> {
    match config.tools.disabled.iter().find(|name| crate::find(name).is_none()) {
        None => Ok(()),
        Some(name) => {
            let message =
                format!("tools.disabled names '{}', which is no tool", truehand_base::text::clip(name, 80));
            Err(ErrorBody::new(ErrorCode::InvalidArguments, message))
        }
    }
}

/// Replace a setting whole. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SettingsSet {
    /// A section such as tasks, or a key such as tasks.keep_s.
    key: String,
    /// What it holds then; nothing takes the key away, so that its default holds.
    value: Option<Value>,
}

impl Tool for SettingsSet {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        extra: "Comments and other keys of config.toml stay. A value that is not valid is refused and nothing is written. Mode guard asks about every section but effects and tasks. What is said about the browser holds from the next start.",
        ..Info::new("settings_set", "Change a setting", EffectClass::Store, Verb::Settings)
    };

    /// What decides over programs, tools, limits, records and folders needs more than what is only tuned.
    fn facts(&self) -> Facts {
        let section = self.key.trim().split('.').next().unwrap_or_default();
        Facts::new(Self::INFO.name, if HARMLESS.contains(&section) { Verb::Settings } else { Verb::Config })
    }

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx.own.on_thread(move |own| {
            let value = self.value.unwrap_or_default();
            let config = Config::set(own.home(), self.key.trim(), &value, check)?;
            let from_next_start = self.key.trim().split('.').next() == Some("browser");
            Ok(json!({
                "settings": config.shown(), "value": config.shown_key(self.key.trim())?, "from_next_start": from_next_start,
            }))
        }).await?;
        Ok(told("changed the settings", value))
    }
}
