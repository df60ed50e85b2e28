//! `routine_list`: tasks with a schedule.

use crate::common::Common;
use crate::own::told;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use serde_json::json;
use truehand_base::{EffectClass, ErrorBody, Verb};
use truehand_store::Routine;

/// List routines. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoutineList {
    project_id: Option<String>,
    /// 1 to 200; 200.
    limit: Option<usize>,
}

impl Tool for RoutineList {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        extra: "Each is a TOML file in routines/ of the state folder with name, schedule (five fields as cron has them), prompt, and perhaps project, session, enabled. One that can not be used says why.",
        ..Info::new("routine_list", "List routines", EffectClass::Read, Verb::Read)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx
            .own
            .on_thread(move |own| {
                let routines = own.records.routines(self.project_id.as_deref(), self.limit)?;
                let routines: Vec<Value> = routines.iter().map(Routine::json).collect();
                Ok(json!({ "routines": routines }))
            })
            .await?;
        Ok(told("listed the routines", value))
    }
}
