//! `pdf_rotate`: pages of a PDF are turned.

use crate::common::Common;
use crate::own::told;
use crate::pdf::{self, Job};
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, Facts, Verb};

/// Turn pages of a PDF. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PdfRotate {
    file_path: String,
    /// Clockwise: 90, 180, 270 or -90.
    degrees: i64,
    /// Such as 2-5,7; all without it.
    pages: Option<String>,
    output_path: String,
}

impl Tool for PdfRotate {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        extra: "A file may have 64 MiB and 500 pages; it is parsed in a process of its own with bounds on memory and time. Paths are those of file_read.",
        ..Info::new("pdf_rotate", "Turn PDF pages", EffectClass::Store, Verb::File)
    };

    fn facts(&self) -> Facts {
        Facts { files: vec![self.file_path.clone()], ..Facts::new(Self::INFO.name, Self::INFO.verb) }
    }

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let pages = pdf::page_list(self.pages.as_deref().unwrap_or_default())?;
        let job = Job::Rotate { degrees: self.degrees, pages };
        let done = pdf::run(cx.own, cx.call, job, vec![self.file_path]).await?;
        let value = pdf::keep(cx.own, done, self.output_path).await?;
        Ok(told("turned the pages", value))
    }
}
