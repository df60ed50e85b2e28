//! `file_mkdir`: a folder is made.

use crate::common::Common;
use crate::own::told;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use truehand_base::{EffectClass, ErrorBody, Verb};

/// Make a folder. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileMkdir {
    path: String,
    /// Whether those above it are made too, and it may be there.
    recursive: Option<bool>,
}

impl Tool for FileMkdir {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        unlimited: true,
        ..Info::new("file_mkdir", "Make a folder", EffectClass::Store, Verb::File)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx
            .own
            .on_thread(move |own| {
                let (jail, _) = own.jail()?;
                let created = jail.make_folder(&self.path, self.recursive.unwrap_or(false))?;
                Ok(json!({ "path": jail.resolve(&self.path)?.path, "created": created }))
            })
            .await?;
        Ok(told("made the folder", value))
    }
}
