//! One request through the door.

use crate::facts::Verb;
use crate::ids::ClientId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A person's yes for one call, added by a face and never read from tool arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// How the yes was given, for example `elicitation`, `flag:--yes`, `start:--allow`.
    pub source: String,
    /// What the yes is for; empty for all that the call does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<Verb>,
}

impl Approval {
    /// A yes to all that a call does.
    #[must_use]
    pub fn new(source: impl Into<String>) -> Self {
        Approval { source: source.into(), only: Vec::new() }
    }

    /// Whether the yes is for this too.
    #[must_use]
    pub fn covers(&self, verb: Verb) -> bool {
        self.only.is_empty() || self.only.contains(&verb)
    }
}

/// A tool call as a face received it, before anything was interpreted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The tool's name or one of its aliases.
    pub tool: String,
    /// The arguments as they came.
    #[serde(default)]
    pub arguments: Value,
    /// Who calls.
    pub client: ClientId,
    /// When set, a repeat of the same key returns the first outcome instead of acting twice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_key: Option<String>,
    /// A person's yes, when a face obtained one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<Approval>,
    /// What the call is for, in the caller's words; shown in the audit only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// Where files that the call names by a path must lie, when it comes from a script; set by the host of scripts alone.
    #[serde(skip)]
    pub within: Option<std::sync::Arc<Vec<std::path::PathBuf>>>,
}

impl Call {
    /// A call with no key, approval or purpose.
    #[must_use]
    pub fn new(client: ClientId, tool: impl Into<String>, arguments: Value) -> Self {
        Call {
            tool: tool.into(),
            arguments,
            client,
            request_key: None,
            approval: None,
            purpose: None,
            within: None,
        }
    }
}
