//! `project_get`: one project.

use crate::common::Common;
use crate::own::told;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, Verb};

/// Get a project. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProjectGet {
    id: String,
}

impl Tool for ProjectGet {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        ..Info::new("project_get", "Get a project", EffectClass::Read, Verb::Read)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx.own.on_thread(move |own| Ok(own.records.project(&self.id)?.json())).await?;
        Ok(told("looked at the project", value))
    }
}
