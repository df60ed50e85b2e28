//! `file_list`: what is in a folder.

use crate::common::Common;
use crate::own::told;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use serde_json::json;
use truehand_base::{EffectClass, ErrorBody, Verb};
use truehand_store::Entry;

/// List a folder. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileList {
    path: Option<String>,
    recursive: Option<bool>,
}

impl Tool for FileList {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        unlimited: true,
        extra: "At most 10,000 entries; links are named and not followed.",
        ..Info::new("file_list", "List a folder", EffectClass::Read, Verb::Read)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx
            .own
            .on_thread(move |own| {
                let (jail, _) = own.jail()?;
                let path = self.path.as_deref().unwrap_or(".");
                let (spot, listing) = jail.list(path, self.recursive.unwrap_or(false))?;
                let entry = |entry: &Entry| json!({ "name": entry.name, "kind": entry.kind.name() });
                let entries: Vec<Value> = listing.entries.iter().map(entry).collect();
                Ok(json!({ "path": spot.path, "entries": entries, "truncated": listing.truncated }))
            })
            .await?;
        Ok(told("listed the folder", value))
    }
}
