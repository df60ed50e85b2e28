//! `file_read`: a part of a file of the session or of a granted folder.

use crate::common::Common;
use crate::own::told;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use truehand_base::{EffectClass, ErrorBody, ErrorCode, Facts, Verb};
use truehand_store::LARGEST_READ;

/// The most that one call reads, in bytes: what it answers travels as one line.
const LARGEST: u64 = 4 << 20;

/// Read a part of a file. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileRead {
    path: String,
    /// Where to begin.
    offset: Option<u64>,
    /// How many bytes; at most 4 MiB.
    length: Option<u64>,
}

impl Tool for FileRead {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        unlimited: true,
        extra: "A relative path starts at the folder of the client's session. Files there, in the artifacts, in the client's working folder and in the folders of [files] in config.toml can be read; a path that leads elsewhere, also by a link, is PATH_OUTSIDE.",
        ..Info::new("file_read", "Read a file", EffectClass::Read, Verb::Read)
    };

    fn facts(&self) -> Facts {
        Facts { files: vec![self.path.clone()], ..Facts::new(Self::INFO.name, Self::INFO.verb) }
    }

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx.own.on_thread(move |own| {
            let (jail, _) = own.jail()?;
            let offset = self.offset.unwrap_or(0);
            let chunk = jail.read(&self.path, offset, self.length.unwrap_or(LARGEST).min(LARGEST))?;
            if self.offset.is_none() && self.length.is_none() && chunk.size > LARGEST_READ {
                let message = format!("{} has {} bytes, the limit is {LARGEST_READ}", self.path, chunk.size);
                let error = ErrorBody::new(ErrorCode::ContentTooLarge, message);
                return Err(error.next("read it in parts, with offset and length"));
            }
            Ok(json!({
                "path": jail.resolve(&self.path)?.path, "base64": STANDARD.encode(&chunk.bytes), "bytes": chunk.bytes.len(),
                "offset": offset, "size": chunk.size, "eof": chunk.eof,
            }))
        }).await?;
        Ok(told("read the file", value))
    }
}
