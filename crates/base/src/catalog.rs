//! What tools there are, as data for every face.

use crate::facts::EffectClass;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An example call that the docs print and a test runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Example {
    /// What it shows.
    pub what: String,
    /// The arguments.
    pub arguments: Value,
}

/// One tool as the faces see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolInfo {
    /// The name, for example `browser_click`.
    pub name: String,
    /// A short title for people.
    pub title: String,
    /// The whole description: the doc comment of the argument struct.
    pub description: String,
    /// JSON schema of the arguments, normalised.
    pub input_schema: Value,
    /// JSON schema of the structured outcome.
    pub output_schema: Value,
    /// What the tool can do to the world.
    pub effect: EffectClass,
    /// Arguments that the command line takes by position, in order.
    pub positional: Vec<String>,
    /// Other names that can be called but are not listed.
    pub aliases: Vec<String>,
    /// The command-line verb, for example `click`, then other spellings of it.
    pub verbs: Vec<String>,
    /// Whether `tools/list` shows it.
    pub listed: bool,
    /// Examples that are run as tests.
    pub examples: Vec<Example>,
}

/// All tools, in table order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Catalog {
    /// The rows.
    pub tools: Vec<ToolInfo>,
}

impl Catalog {
    /// Finds a tool by name or alias.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&ToolInfo> {
        self.tools.iter().find(|t| t.name == name || t.aliases.iter().any(|a| a == name))
    }
}
