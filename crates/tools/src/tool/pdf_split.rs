//! `pdf_split`: a PDF becomes several.

use crate::common::Common;
use crate::own::told;
use crate::pdf::{self, Job};
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, Facts, Verb};

/// Split a PDF. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PdfSplit {
    file_path: String,
    /// One file for each, such as 1-3; one for each page without them.
    ranges: Option<Vec<String>>,
    /// The folder of the new files; they are named after the old one.
    output_dir: Option<String>,
}

impl Tool for PdfSplit {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        extra: "A file may have 64 MiB and 500 pages; it is parsed in a process of its own with bounds on memory and time. Paths are those of file_read.",
        ..Info::new("pdf_split", "Split a PDF", EffectClass::Store, Verb::File)
    };

    fn facts(&self) -> Facts {
        Facts { files: vec![self.file_path.clone()], ..Facts::new(Self::INFO.name, Self::INFO.verb) }
    }

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let ranges = self.ranges.unwrap_or_default();
        let parts = ranges.iter().map(|range| pdf::page_list(range)).collect::<Result<Vec<_>, _>>()?;
        let name = self.file_path.rsplit('/').next().unwrap_or_default().trim_end_matches(".pdf").to_owned();
        let folder = self.output_dir.unwrap_or_else(|| "artifacts".to_owned());
        let done = pdf::run(cx.own, cx.call, Job::Split { parts }, vec![self.file_path]).await?;
        let value = pdf::keep_all(cx.own, done, folder, name).await?;
        Ok(told("split the PDF", value))
    }
}
