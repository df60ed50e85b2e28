//! `pdf_fields`: the fields of a PDF form.

use crate::common::Common;
use crate::own::told;
use crate::pdf::{self, Job};
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, Facts, Verb};

/// List the form fields of a PDF. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PdfFields {
    file_path: String,
}

impl Tool for PdfFields {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        extra: "A file may have 64 MiB and 500 pages; it is parsed in a process of its own with bounds on memory and time. Paths are those of file_read.",
        ..Info::new("pdf_fields", "List PDF fields", EffectClass::Read, Verb::Read)
    };

    fn facts(&self) -> Facts {
        Facts { files: vec![self.file_path.clone()], ..Facts::new(Self::INFO.name, Self::INFO.verb) }
    }

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let value = pdf::run(cx.own, cx.call, Job::Fields, vec![self.file_path]).await?.value;
        Ok(told("read the fields", value))
    }
}
