//! `file_resolve`: where a path leads, whether or not something is there.

use crate::common::Common;
use crate::own::told;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use truehand_base::{EffectClass, ErrorBody, Verb};

/// Say where a path leads. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileResolve {
    path: String,
}

impl Tool for FileResolve {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        unlimited: true,
        ..Info::new("file_resolve", "Resolve a path", EffectClass::Read, Verb::Read)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx.own.on_thread(move |own| {
            let (jail, _) = own.jail()?;
            let spot = jail.resolve(&self.path)?;
            Ok(json!({ "path": spot.path, "writable": spot.writable, "exists": jail.stat(&self.path, false).is_ok() }))
        }).await?;
        Ok(told("resolved the path", value))
    }
}
