//! `project_list`: projects.

use crate::common::Common;
use crate::own::told;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use serde_json::json;
use truehand_base::{EffectClass, ErrorBody, Verb};
use truehand_store::Project;

/// List projects. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProjectList {
    /// Whether archived ones are listed too.
    archived: Option<bool>,
}

impl Tool for ProjectList {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        ..Info::new("project_list", "List projects", EffectClass::Read, Verb::Read)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx
            .own
            .on_thread(move |own| {
                let projects: Vec<Value> =
                    own.records.projects(self.archived.unwrap_or(false))?.iter().map(Project::json).collect();
                Ok(json!({ "projects": projects }))
            })
            .await?;
        Ok(told("listed the projects", value))
    }
}
