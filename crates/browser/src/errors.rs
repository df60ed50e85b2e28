//! From protocol errors to codes that callers can act on.

use truehand_base::{ErrorBody, ErrorCode};
use truehand_cdp::CdpError;

/// The error that a caller gets for a failed command on a tab.
pub(crate) fn from_cdp(error: CdpError) -> ErrorBody {
    match error {
        CdpError::Closed { reason } => {
            ErrorBody::new(ErrorCode::BrowserGone, format!("the connection to the browser ended: {reason}"))
        }
        CdpError::SessionGone { reason } if reason.contains("crash") => {
            ErrorBody::new(ErrorCode::PageCrashed, "the tab's renderer crashed")
        }
        CdpError::SessionGone { reason } => {
            ErrorBody::new(ErrorCode::TabClosed, format!("the tab is gone: {reason}"))
        }
        CdpError::Deadline { method } => {
            ErrorBody::new(ErrorCode::Deadline, format!("the browser did not answer {method} in time"))
        }
        CdpError::Cancelled { .. } => ErrorBody::new(ErrorCode::Cancelled, "the client cancelled the call"),
        CdpError::Protocol { method, message, .. }
            if message.contains("Session with given id not found")
                || message.contains("No target with given id") =>
        {
            ErrorBody::new(ErrorCode::TabClosed, format!("the tab is gone ({method})"))
        }
        other => ErrorBody::new(ErrorCode::Internal, other.to_string()),
    }
}

/// Whether a command failed because its document went away under it.
pub(crate) fn document_gone(error: &CdpError) -> bool {
    matches!(error, CdpError::Protocol { message, .. }
        if message.contains("context was destroyed")
            || message.contains("Cannot find context")
            || message.contains("Inspected target navigated")
            || message.contains("uniqueContextId not found")
            || message.contains("Argument should belong to the same JavaScript world"))
}
