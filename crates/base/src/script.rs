//! Scripts: what is asked of a client's JavaScript scope, and what comes back.

use crate::{Approval, BoxFuture, CallCtx, ClientId, ErrorBody, ErrorCode, Image};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// Who runs a script. The calls that it makes are this client's calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    /// The client.
    pub client: ClientId,
    /// A person's yes for the script; it holds for the calls that the script makes.
    pub approval: Option<Approval>,
    /// The folder that the client's own relative paths start from.
    pub working_dir: PathBuf,
    /// Whether a person allowed JavaScript in pages when the client was started.
    pub js_allowed: bool,
}

/// One piece of JavaScript to run in a client's scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluation {
    /// What it is for, in a few words; shown in the audit.
    pub title: String,
    /// The source; top-level await is allowed.
    pub code: String,
    /// How long it may run; otherwise two minutes.
    pub timeout: Option<Duration>,
    /// Whether the scope is thrown away first.
    pub fresh: bool,
}

/// How a script ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScriptStatus {
    /// It ran to its end.
    Ok,
    /// It threw.
    Error,
    /// Its time ran out.
    Timeout,
    /// The client stopped it.
    Interrupted,
    /// The scope was lost while it ran.
    Lost,
}

impl ScriptStatus {
    /// The word in status lines.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ScriptStatus::Ok => "ok",
            ScriptStatus::Error => "error",
            ScriptStatus::Timeout => "timeout",
            ScriptStatus::Interrupted => "interrupted",
            ScriptStatus::Lost => "lost",
        }
    }
}

/// One line of output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptLog {
    /// `log`, `info`, `warn`, `error` or `debug`.
    pub level: String,
    /// What was written; may have several lines.
    pub text: String,
}

/// What a script threw.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptError {
    /// The class, such as `TypeError`.
    pub name: String,
    /// What it says.
    pub message: String,
    /// The stable code of ours when it came from one of our calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// What to do next, when the error says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_step: Option<String>,
    /// Where it was thrown, in lines of the script.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stack: String,
}

/// A call of a script that acted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScriptAct {
    /// The tool.
    pub tool: String,
    /// The verdict line.
    pub verdict: String,
    /// What was measured.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub page_effect: Value,
}

/// A name that a person may want to type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptName {
    /// The whole name.
    pub name: String,
    /// `function`, `value` or `word`.
    pub kind: String,
}

/// What a script came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluated {
    /// How it ended.
    pub status: ScriptStatus,
    /// What it wrote, in order; cut to what a reader can be given.
    pub logs: Vec<ScriptLog>,
    /// The value of its last expression as it is shown; nothing when that is undefined.
    pub shown: Option<String>,
    /// The same as JSON, when it is plain data.
    pub value: Option<Value>,
    /// What it threw.
    pub error: Option<ScriptError>,
    /// The calls that acted, in order.
    pub acts: Vec<ScriptAct>,
    /// How many more acted than are listed.
    pub acts_left_out: usize,
    /// Names that it declared anew.
    pub redeclared: Vec<String>,
    /// Images that it showed.
    pub images: Vec<Image>,
    /// How long it ran.
    pub elapsed: Duration,
    /// Why the scope is gone and with it all variables; their names, as far as they are known.
    pub scope_lost: Option<ScopeLost>,
    /// Notes for the reader that are no output of the script.
    pub notes: Vec<String>,
}

/// A scope that is gone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScopeLost {
    /// Why.
    pub reason: String,
    /// The variables that it held.
    pub names: Vec<String>,
}

impl Evaluated {
    /// A script of which nothing is known yet but how it ended.
    #[must_use]
    pub fn new(status: ScriptStatus) -> Self {
        Evaluated {
            status,
            logs: Vec::new(),
            shown: None,
            value: None,
            error: None,
            acts: Vec::new(),
            acts_left_out: 0,
            redeclared: Vec::new(),
            images: Vec::new(),
            elapsed: Duration::ZERO,
            scope_lost: None,
            notes: Vec::new(),
        }
    }
}

/// Runs scripts, each client's in a scope of its own.
pub trait Scripts: Send + Sync {
    /// Runs one to its end. A script that throws is no error here.
    ///
    /// # Errors
    /// When it could not be run at all.
    fn evaluate<'a>(
        &'a self,
        ctx: &'a CallCtx,
        author: &'a Author,
        evaluation: Evaluation,
    ) -> BoxFuture<'a, Result<Evaluated, ErrorBody>>;

    /// What can follow a dotted path, such as `page.key`, in the author's scope. Runs no code of the author's.
    ///
    /// # Errors
    /// When the scope can't be asked.
    fn complete<'a>(
        &'a self,
        ctx: &'a CallCtx,
        author: &'a Author,
        path: &'a str,
    ) -> BoxFuture<'a, Result<Vec<ScriptName>, ErrorBody>>;

    /// Forgets the scope of a client that is gone.
    fn client_gone(&self, client: &ClientId);

    /// Ends every scope; none begins after it.
    fn close(&self) -> BoxFuture<'_, ()>;
}

/// Where no scripts can be run.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoScripts;

impl Scripts for NoScripts {
    fn evaluate<'a>(
        &'a self,
        _ctx: &'a CallCtx,
        _author: &'a Author,
        _evaluation: Evaluation,
    ) -> BoxFuture<'a, Result<Evaluated, ErrorBody>> {
        let error = ErrorBody::new(ErrorCode::ToolDisabled, "scripts can't be run here");
        Box::pin(std::future::ready(Err(error.next("use the other tools"))))
    }

    fn complete<'a>(
        &'a self,
        _ctx: &'a CallCtx,
        _author: &'a Author,
        _path: &'a str,
    ) -> BoxFuture<'a, Result<Vec<ScriptName>, ErrorBody>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    fn client_gone(&self, _client: &ClientId) {}

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}
