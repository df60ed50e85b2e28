//! `project_archive`: a project is put away or taken back.

use crate::common::Common;
use crate::own::told;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, Verb};

/// Archive a project. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProjectArchive {
    id: String,
    /// false takes it back.
    archived: Option<bool>,
}

impl Tool for ProjectArchive {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        ..Info::new("project_archive", "Archive a project", EffectClass::Store, Verb::Settings)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx
            .own
            .on_thread(move |own| {
                Ok(own.records.project_archive(&self.id, self.archived.unwrap_or(true), own.now)?.json())
            })
            .await?;
        Ok(told("archived the project", value))
    }
}
