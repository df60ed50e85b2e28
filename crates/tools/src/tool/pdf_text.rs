//! `pdf_text`: the text of a PDF.

use crate::common::Common;
use crate::own::told;
use crate::pdf::{self, Job};
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, Facts, Verb};

/// Read the text of a PDF. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PdfText {
    file_path: String,
    /// Such as 2-5,7; all without it.
    pages: Option<String>,
}

impl Tool for PdfText {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        extra: "A file may have 64 MiB and 500 pages; it is parsed in a process of its own with bounds on memory and time. Paths are those of file_read. Pictures of text are not read.",
        ..Info::new("pdf_text", "Read a PDF", EffectClass::Read, Verb::Read)
    };

    fn facts(&self) -> Facts {
        Facts { files: vec![self.file_path.clone()], ..Facts::new(Self::INFO.name, Self::INFO.verb) }
    }

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let pages = pdf::page_list(self.pages.as_deref().unwrap_or_default())?;
        let value = pdf::run(cx.own, cx.call, Job::Text { pages }, vec![self.file_path]).await?.value;
        Ok(told("read the PDF", value))
    }
}
