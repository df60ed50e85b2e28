//! `file_copy`: a file is copied.

use crate::common::Common;
use crate::own::told;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use truehand_base::{EffectClass, ErrorBody, Verb};

/// Copy a file. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileCopy {
    from: String,
    to: String,
    /// Whether the new file must not be there yet.
    exclusive: Option<bool>,
    /// Whether a picture or document must be what its new name says, and its folder is made.
    verify: Option<bool>,
}

impl Tool for FileCopy {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        unlimited: true,
        ..Info::new("file_copy", "Copy a file", EffectClass::Store, Verb::File)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx.own.on_thread(move |own| {
            let (jail, _) = own.jail()?;
            let exclusive = self.exclusive.unwrap_or(false);
            let bytes = match self.verify {
                Some(true) => jail.copy_proved(&self.from, &self.to, exclusive)?,
                _ => jail.copy(&self.from, &self.to, exclusive)?,
            };
            Ok(json!({ "from": jail.resolve(&self.from)?.path, "to": jail.resolve(&self.to)?.path, "bytes": bytes }))
        }).await?;
        Ok(told("copied the file", value))
    }
}
