//! `session_open`: the session of the client's scope, begun when there is none.

use crate::common::Common;
use crate::own::told;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use serde_json::json;
use truehand_base::{EffectClass, ErrorBody, Verb};
use truehand_store::Root;

/// Open the session of a scope. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionOpen {
    title: Option<String>,
    /// The name of its folder, when that is chosen already.
    name: Option<String>,
    /// Whether another one is begun.
    fresh: Option<bool>,
}

impl Tool for SessionOpen {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        unlimited: true,
        untraced: true,
        extra: "The record and its folders (artifacts, attachments, tmp) are made. working is the client's working folder, when files in it may be named. roots are the folders that file_read and its siblings take, roots_refused those of config.toml that can not be granted.",
        ..Info::new("session_open", "Open a session", EffectClass::Read, Verb::Read)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx
            .own
            .on_thread(move |own| {
                let title = self.title.as_deref().unwrap_or_default();
                let client = own.client.to_string();
                let (session, created) = own.records.session_open(
                    &client,
                    title,
                    self.name.as_deref(),
                    self.fresh.unwrap_or(false),
                    own.now,
                )?;
                let (jail, refused) = own.jail()?;
                let root = |root: &Root| json!({ "path": root.path, "write": root.write });
                let roots: Vec<Value> = jail.roots().iter().map(root).collect();
                let folder = own.records.session_folder(&session);
                let mut value = session.json();
                value["folder"] = json!(folder);
                value["created"] = json!(created);
                value["working"] = json!(jail.working());
                value["roots"] = json!(roots);
                value["roots_refused"] = json!(refused);
                Ok(value)
            })
            .await?;
        Ok(told("opened the session", value))
    }
}
