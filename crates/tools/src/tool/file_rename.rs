//! `file_rename`: a file or folder gets another name.

use crate::common::Common;
use crate::own::told;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use truehand_base::{EffectClass, ErrorBody, Verb};

/// Give a file or folder another name. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileRename {
    from: String,
    to: String,
}

impl Tool for FileRename {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        unlimited: true,
        ..Info::new("file_rename", "Rename a file", EffectClass::Store, Verb::File)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx
            .own
            .on_thread(move |own| {
                let (jail, _) = own.jail()?;
                jail.rename(&self.from, &self.to)?;
                Ok(json!({ "from": jail.resolve(&self.from)?.path, "to": jail.resolve(&self.to)?.path }))
            })
            .await?;
        Ok(told("renamed the file", value))
    }
}
