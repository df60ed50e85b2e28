//! `pdf_fill`: a PDF form is filled in.

use crate::common::Common;
use crate::own::told;
use crate::pdf::{self, Job};
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use truehand_base::{EffectClass, ErrorBody, Facts, Verb};

/// Fill in a PDF form. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PdfFill {
    file_path: String,
    /// Field names with what they are to hold.
    fields: Map<String, Value>,
    output_path: String,
}

impl Tool for PdfFill {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        extra: "A file may have 64 MiB and 500 pages; it is parsed in a process of its own with bounds on memory and time. Paths are those of file_read. A field that is not there or does not take its value is an error, and nothing is written.",
        ..Info::new("pdf_fill", "Fill in a PDF", EffectClass::Store, Verb::File)
    };

    fn facts(&self) -> Facts {
        Facts { files: vec![self.file_path.clone()], ..Facts::new(Self::INFO.name, Self::INFO.verb) }
    }

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let done = pdf::run(cx.own, cx.call, Job::Fill { values: self.fields }, vec![self.file_path]).await?;
        let value = pdf::keep(cx.own, done, self.output_path).await?;
        Ok(told("filled in the form", value))
    }
}
