//! `pdf_render`: pages of a PDF as pictures, which nothing here draws.

use crate::common::Common;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, ErrorCode, Facts, Verb};

/// Draw pages of a PDF; not possible yet. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PdfRender {
    file_path: String,
}

impl Tool for PdfRender {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        ..Info::new("pdf_render", "Draw a PDF", EffectClass::Read, Verb::Read)
    };

    fn facts(&self) -> Facts {
        Facts { files: vec![self.file_path.clone()], ..Facts::new(Self::INFO.name, Self::INFO.verb) }
    }

    async fn run(self, _cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let path = truehand_base::text::clip(&self.file_path, 200);
        let message = format!(
            "{path} can't be drawn: no part of the program draws PDF pages, and Chromium's own viewer does not run without a window"
        );
        Err(ErrorBody::new(ErrorCode::NotSupported, message)
            .next("read its text with pdf.extractText, or draw it with another program"))
    }
}
