//! What a call came to, as data. Faces make words of it with [`crate::words`].

use crate::{ErrorBody, PageEffect, TabId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// An image block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// For example `image/jpeg`.
    pub mime_type: String,
    /// The bytes, in standard base64.
    pub base64: String,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

/// Something that the caller should know though the call did not fail.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Warning {
    /// A stable name, for example `EXPECTATION_MISSED`.
    pub code: String,
    /// What it is about.
    pub message: String,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The tool's own name, also when an alias was called.
    pub tool: String,
    /// What was done, as the first words of the verdict line: `clicked e12`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub done: String,
    /// The tab that the call acted on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tab_id: Option<TabId>,
    /// The tool's own fields.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub output: Map<String, Value>,
    /// A body for readers, such as the outline of a page. Page text in it is data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Image blocks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
    /// What was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_effect: Option<PageEffect>,
    /// What to know besides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// Why it failed; absent on success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorBody>,
    /// Set when this is the recorded outcome of an earlier call with the same request key.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
}

impl Outcome {
    /// An outcome with nothing in it yet.
    #[must_use]
    pub fn new(tool: impl Into<String>) -> Self {
        Outcome {
            tool: tool.into(),
            done: String::new(),
            tab_id: None,
            output: Map::new(),
            text: None,
            images: Vec::new(),
            page_effect: None,
            warnings: Vec::new(),
            error: None,
            replayed: false,
        }
    }

    /// A failure before anything was done.
    #[must_use]
    pub fn failed(tool: impl Into<String>, error: ErrorBody) -> Self {
        Outcome { error: Some(error), ..Outcome::new(tool) }
    }

    /// Whether the call did what it was asked.
    #[must_use]
    pub fn ok(&self) -> bool {
        self.error.is_none()
    }

    /// The exit code of a command that ends with this outcome.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        self.error.as_ref().map_or(0, |e| e.code.exit_code())
    }

    /// The structured form that MCP's `structuredContent` and `--json` carry: the tool's own fields at
    /// the top, then `ok`, `tab_id`, `text`, `page_effect`, `warnings`, `error`, `replayed`. Images are left out.
    #[must_use]
    pub fn structured(&self) -> Value {
        let mut map = Map::new();
        map.insert("ok".to_owned(), Value::Bool(self.ok()));
        let own = self.output.iter().map(|(k, v)| (k.clone(), v.clone()));
        map.extend(own);
        let mut put = |name: &str, value: Value| {
            map.insert(name.to_owned(), value);
        };
        if let Some(tab) = self.tab_id {
            put("tab_id", Value::String(tab.to_string()));
        }
        if let Some(text) = &self.text {
            put("text", Value::String(text.clone()));
        }
        if let Some(effect) = &self.page_effect {
            put("page_effect", serde_json::to_value(effect).unwrap_or_default());
        }
        if !self.warnings.is_empty() {
            put("warnings", serde_json::to_value(&self.warnings).unwrap_or_default());
        }
        if let Some(error) = &self.error {
            put("error", serde_json::to_value(error).unwrap_or_default());
        }
        if self.replayed {
            put("replayed", Value::Bool(true));
        }
        Value::Object(map)
    }
}
