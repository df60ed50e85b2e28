//! `project_create`: a project is made.

use crate::common::Common;
use crate::own::told;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use std::path::PathBuf;
use truehand_base::{EffectClass, ErrorBody, Verb};
use truehand_store::ProjectWish;

/// Make a project. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProjectCreate {
    name: String,
    icon: Option<String>,
    color: Option<String>,
    /// The folder that its work is about.
    folder: Option<PathBuf>,
    /// What whoever works on it should know.
    instructions: Option<String>,
}

impl Tool for ProjectCreate {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        ..Info::new("project_create", "Make a project", EffectClass::Store, Verb::Settings)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx
            .own
            .on_thread(move |own| {
                let ProjectCreate { name, icon, color, folder, instructions } = self;
                let wish = ProjectWish { name, icon, color, folder, instructions };
                Ok(own.records.project_create(&wish, own.now)?.json())
            })
            .await?;
        Ok(told("made the project", value))
    }
}
