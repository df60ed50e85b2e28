//! What the browser itself writes to the console.

use crate::protocol::{commands, events};
use crate::{Empty, RequestId};
use serde::{Deserialize, Serialize};

commands! {
    Enable = "Log.enable" -> Empty;
}

events! {
    EntryAdded = "Log.entryAdded";
}

/// Asks for the events of this domain, and for what was written before.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Enable {}

/// A line was written.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct EntryAdded {
    /// The line.
    pub entry: LogEntry,
}

/// A line of the log.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LogEntry {
    /// `javascript`, `network`, `security`, `deprecation`, `intervention` and so on.
    pub source: String,
    /// `verbose`, `info`, `warning` or `error`.
    pub level: String,
    /// What it says.
    pub text: String,
    /// Milliseconds since 1970.
    pub timestamp: f64,
    /// The resource.
    pub url: Option<String>,
    /// The line, from 0.
    pub line_number: Option<i64>,
    /// The request.
    pub network_request_id: Option<RequestId>,
}
