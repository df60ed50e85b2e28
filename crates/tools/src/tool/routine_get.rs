//! `routine_get`: one routine.

use crate::common::Common;
use crate::own::told;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, Verb};

/// Get a routine. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RoutineGet {
    id: String,
}

impl Tool for RoutineGet {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        ..Info::new("routine_get", "Get a routine", EffectClass::Read, Verb::Read)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx.own.on_thread(move |own| Ok(own.records.routine(&self.id)?.json())).await?;
        Ok(told("looked at the routine", value))
    }
}
