//! `truehand doctor`: everything that a run needs, looked at without starting or changing anything.
//!
//! One file a check. A check gives findings; a finding that is a problem has a stable code.

mod browser;
mod cli;
mod daemon;
mod disk;
mod files;
mod sandbox;
mod transport;

use crate::output::{Form, Output};
use crate::setup::{Setup, object};
use serde_json::Value;
use std::process::ExitCode;
use truehand_base::{ErrorBody, ErrorCode};

/// How a thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// As it should be.
    Ok,
    /// As it can be; worth knowing.
    Note,
    /// Not as it must be.
    Problem,
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Finding {
    check: &'static str,
    state: State,
    code: Option<&'static str>,
    message: String,
    next_step: Option<String>,
}

impl Finding {
    fn ok(check: &'static str, message: impl Into<String>) -> Self {
        Finding { check, state: State::Ok, code: None, message: message.into(), next_step: None }
    }

    fn note(check: &'static str, message: impl Into<String>) -> Self {
        Finding { state: State::Note, ..Finding::ok(check, message) }
    }

    fn problem(check: &'static str, code: ErrorCode, message: impl Into<String>) -> Self {
        let next_step = Some(code.next_step().to_owned());
        Finding { state: State::Problem, code: Some(code.name()), next_step, ..Finding::ok(check, message) }
    }

    fn error(check: &'static str, error: &ErrorBody) -> Self {
        Finding::problem(check, error.code, error.message.clone()).next(error.next_step.clone())
    }

    fn next(mut self, next_step: impl Into<String>) -> Self {
        self.next_step = Some(next_step.into());
        self
    }

    fn coded(mut self, code: &'static str) -> Self {
        self.code = Some(code);
        self
    }

    fn words(&self) -> String {
        let state = match self.state {
            State::Ok => "ok",
            State::Note => "note",
            State::Problem => "PROBLEM",
        };
        let code = self.code.map(|code| format!("{code}: ")).unwrap_or_default();
        let next = self.next_step.as_ref().map(|next| format!("\n         next: {next}")).unwrap_or_default();
        format!("{state:<8} {}: {code}{}{next}", self.check, self.message)
    }

    fn json(&self) -> Value {
        let state = match self.state {
            State::Ok => "ok",
            State::Note => "note",
            State::Problem => "problem",
        };
        object([
            ("check", self.check.into()),
            ("state", state.into()),
            ("code", self.code.into()),
            ("message", self.message.clone().into()),
            ("next_step", self.next_step.clone().into()),
        ])
    }
}

/// Looks at everything and prints what was found; 1 when there is a problem.
pub(crate) fn run(setup: &Setup, output: Output) -> ExitCode {
    let checks = [
        cli::check,
        browser::check,
        daemon::check,
        transport::check,
        disk::check,
        files::check,
        sandbox::check,
    ];
    let findings: Vec<Finding> = checks.iter().flat_map(|check| check(setup)).collect();
    let healthy = findings.iter().all(|finding| finding.state != State::Problem);
    match output.form {
        Form::Words => {
            let lines: Vec<String> = findings.iter().map(Finding::words).collect();
            output.out(&lines.join("\n"));
        }
        Form::Json => {
            let list = findings.iter().map(Finding::json).collect();
            let version = truehand_server::daemon::VERSION;
            let report =
                object([("ok", healthy.into()), ("version", version.into()), ("checks", Value::Array(list))]);
            output.out(&report.to_string());
        }
    }
    if healthy { ExitCode::SUCCESS } else { ExitCode::from(1) }
}
