//! The worker process of a scope: it reads lines, runs JavaScript, and writes lines.
//!
//! Invariant: it can do nothing by itself. Whatever reaches beyond the process is an op that the host judges.

use std::process::ExitCode;

/// The whole life of the worker process.
#[must_use]
pub fn main() -> ExitCode {
    ExitCode::FAILURE
}
