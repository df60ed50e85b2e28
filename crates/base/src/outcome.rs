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

/// The exit code of a command whose call goes on in the daemon.
pub const EXIT_RUNNING: u8 = 6;

/// How far a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// It goes on; there is no result yet.
    Running,
    /// It has ended, and the outcome is its result.
    Done,
}

/// A call that takes longer than its answer may: it goes on as a task, and its result is fetched by its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaskNote {
    /// The task's name; it means something to the client that got it and to nobody else.
    pub task_id: String,
    /// How far it is.
    pub status: TaskStatus,
    /// How long it has been running, or ran, in milliseconds.
    pub elapsed_ms: u64,
    /// What it was last known to do.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub step: String,
    /// How long the result is kept once there is one, in milliseconds.
    pub kept_ms: u64,
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
    /// Set when the call outlives its answer, or did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskNote>,
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
            task: None,
        }
    }

    /// A failure before anything was done.
    #[must_use]
    pub fn failed(tool: impl Into<String>, error: ErrorBody) -> Self {
        Outcome { error: Some(error), ..Outcome::new(tool) }
    }

    /// Whether the call did what it was asked. One that still runs has not done it yet.
    #[must_use]
    pub fn ok(&self) -> bool {
        self.error.is_none() && !self.running()
    }

    /// Whether the call still runs, so that this is no result.
    #[must_use]
    pub fn running(&self) -> bool {
        self.task.as_ref().is_some_and(|task| task.status == TaskStatus::Running)
    }

    /// The exit code of a command that ends with this outcome.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match &self.error {
            Some(error) => error.code.exit_code(),
            None if self.running() => EXIT_RUNNING,
            None => 0,
        }
    }

    /// The structured form that MCP's `structuredContent` and `--json` carry: the tool's own fields at
    /// the top, then `ok`, `tab_id`, `text`, `page_effect`, `warnings`, `error`, `replayed`, `task`. Images are
    /// left out.
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
        if let Some(task) = &self.task {
            put("task", serde_json::to_value(task).unwrap_or_default());
        }
        Value::Object(map)
    }
}
