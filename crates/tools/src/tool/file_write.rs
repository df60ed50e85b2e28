//! `file_write`: a file of the session or of a folder that may be written.

use crate::common::Common;
use crate::own::told;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use truehand_base::{EffectClass, ErrorBody, ErrorCode, Verb};
use truehand_store::How;

/// What becomes of a file that is there.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WriteHow {
    /// It is replaced whole.
    Replace,
    /// The bytes are added at its end.
    Append,
    /// It is an error.
    Create,
}

/// Write a file. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileWrite {
    path: String,
    /// The bytes.
    base64: String,
    how: Option<WriteHow>,
    /// Whether a picture or document must be what its name says, and its folder is made.
    verify: Option<bool>,
}

impl Tool for FileWrite {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        unlimited: true,
        extra: "The old file stays until the new one is whole. The folder must be there. Pictures and PDF files among the artifacts must be whole and what their names say.",
        ..Info::new("file_write", "Write a file", EffectClass::Store, Verb::File)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = cx
            .own
            .on_thread(move |own| {
                let (jail, _) = own.jail()?;
                let invalid = |error: base64::DecodeError| {
                    ErrorBody::new(ErrorCode::InvalidArguments, format!("base64 can't be read: {error}"))
                };
                let bytes = STANDARD.decode(self.base64.as_bytes()).map_err(invalid)?;
                let how = match self.how.unwrap_or(WriteHow::Replace) {
                    WriteHow::Replace => How::Replace,
                    WriteHow::Append => How::Append,
                    WriteHow::Create => How::Create,
                };
                let size = match self.verify {
                    Some(true) => jail.write_proved(&self.path, &bytes, how)?,
                    _ => jail.write(&self.path, &bytes, how)?,
                };
                Ok(json!({ "path": jail.resolve(&self.path)?.path, "bytes": bytes.len(), "size": size }))
            })
            .await?;
        Ok(told("wrote the file", value))
    }
}
