//! `pdf_merge`: several PDFs become one.

use crate::common::Common;
use crate::own::told;
use crate::pdf::{self, Job};
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, Facts, Verb};

/// Merge PDFs. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PdfMerge {
    files: Vec<String>,
    output_path: String,
}

impl Tool for PdfMerge {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        extra: "A file may have 64 MiB and 500 pages; it is parsed in a process of its own with bounds on memory and time. Paths are those of file_read. Bookmarks are left out.",
        ..Info::new("pdf_merge", "Merge PDFs", EffectClass::Store, Verb::File)
    };

    fn facts(&self) -> Facts {
        Facts { files: self.files.clone(), ..Facts::new(Self::INFO.name, Self::INFO.verb) }
    }

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let done = pdf::run(cx.own, cx.call, Job::Merge, self.files).await?;
        let value = pdf::keep(cx.own, done, self.output_path).await?;
        Ok(told("merged the PDFs", value))
    }
}
