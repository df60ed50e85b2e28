//! Why a protocol call did not give its answer.

use serde_json::Value;

/// Why a protocol call did not give its answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CdpError {
    /// The transport ended, or never came up.
    #[error("the connection to the browser is closed: {reason}")]
    Closed {
        /// What ended it.
        reason: String,
    },
    /// The session was detached or its page crashed; the browser will not answer.
    #[error("the session is gone: {reason}")]
    SessionGone {
        /// What ended it.
        reason: String,
    },
    /// The browser answered with an error.
    #[error("{method}: {message} ({code})")]
    Protocol {
        /// The command.
        method: String,
        /// The protocol's error number.
        code: i64,
        /// The browser's words.
        message: String,
        /// More of the browser's words.
        data: Option<Value>,
    },
    /// The caller's time ran out first.
    #[error("{method}: the call's time ran out before the browser answered")]
    Deadline {
        /// The command.
        method: String,
    },
    /// The caller gave up first.
    #[error("{method}: the call was cancelled before the browser answered")]
    Cancelled {
        /// The command.
        method: String,
    },
    /// The answer, the event or the command does not have the expected form.
    #[error("{method}: {message}")]
    Malformed {
        /// The command or event.
        method: String,
        /// What does not fit.
        message: String,
    },
}
