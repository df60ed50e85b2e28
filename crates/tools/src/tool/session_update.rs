//! `session_update`: a session gets another title, model, tab or mode.

use crate::common::Common;
use crate::own::told;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Map;
use serde_json::Value;
use truehand_base::{EffectClass, ErrorBody, Facts, Verb};
use truehand_store::Changes;

/// Change a session. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionUpdate {
    /// The session's id, or `<date>_<id>`.
    id: String,
    title: Option<String>,
    active_tab_target_id: Option<String>,
    model: Option<String>,
    permission_mode: Option<String>,
    /// Settings of its runs.
    runtime_config: Option<Map<String, Value>>,
}

impl Tool for SessionUpdate {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        ..Info::new("session_update", "Change a session", EffectClass::Store, Verb::Settings)
    };

    /// A mode and the settings of runs decide what a session may do.
    fn facts(&self) -> Facts {
        let decides = self.permission_mode.is_some() || self.runtime_config.is_some();
        Facts::new(Self::INFO.name, if decides { Verb::Config } else { Verb::Settings })
    }

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx
            .own
            .on_thread(move |own| {
                let changes = Changes {
                    title: self.title,
                    active_tab: self.active_tab_target_id,
                    model: self.model,
                    permission_mode: self.permission_mode,
                    runtime: self.runtime_config.map(Value::Object),
                };
                Ok(own.records.session_update(&self.id, &changes, own.now)?.json())
            })
            .await?;
        Ok(told("changed the session", value))
    }
}
