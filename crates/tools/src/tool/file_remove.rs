//! `file_remove`: a file or folder is removed.

use crate::common::Common;
use crate::own::told;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use truehand_base::{EffectClass, ErrorBody, Verb};
use truehand_store::Only;

/// What must be there.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RemoveOnly {
    /// No folder.
    File,
    /// An empty folder.
    Directory,
}

/// Remove a file or folder. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileRemove {
    path: String,
    /// Whether a folder goes with what is in it.
    recursive: Option<bool>,
    /// Whether it may be missing.
    force: Option<bool>,
    /// What it must be, when that is known.
    only: Option<RemoveOnly>,
}

impl Tool for FileRemove {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        unlimited: true,
        ..Info::new("file_remove", "Remove a file", EffectClass::Store, Verb::File)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx
            .own
            .on_thread(move |own| {
                let (jail, _) = own.jail()?;
                let force = self.force.unwrap_or(false);
                let removed = match self.only {
                    Some(RemoveOnly::File) => jail.remove_only(&self.path, Only::File, force)?,
                    Some(RemoveOnly::Directory) => jail.remove_only(&self.path, Only::Folder, force)?,
                    None => jail.remove(&self.path, self.recursive.unwrap_or(false), force)?,
                };
                Ok(json!({ "path": jail.resolve(&self.path)?.path, "removed": removed }))
            })
            .await?;
        Ok(told("removed the file", value))
    }
}
