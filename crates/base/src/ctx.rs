//! What everything that can wait is given first: a deadline, a cancel mark and a place for progress.

use crate::{ErrorBody, ErrorCode};
use serde::{Deserialize, Serialize};
use std::future::Future;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// A step of a long call, for the client to show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// What is happening.
    pub message: String,
}

/// The context of one call.
#[derive(Debug, Clone)]
pub struct CallCtx {
    deadline: Instant,
    answer_by: Option<Instant>,
    at_once: bool,
    cancel: CancellationToken,
    progress: Option<mpsc::UnboundedSender<Progress>>,
}

impl CallCtx {
    /// A context that ends after `limit`.
    #[must_use]
    pub fn with_timeout(limit: Duration) -> Self {
        let (cancel, progress) = (CancellationToken::new(), None);
        CallCtx { deadline: Instant::now() + limit, answer_by: None, at_once: false, cancel, progress }
    }

    /// The same context for a face that needs an answer after `limit`, though the call may go on. Zero means:
    /// as soon as the call has begun.
    #[must_use]
    pub fn answering_within(mut self, limit: Duration) -> Self {
        self.answer_by = Some(Instant::now() + limit);
        self.at_once = limit.is_zero();
        self
    }

    /// The same context with a cancel mark of the caller's.
    #[must_use]
    pub fn cancelled_by(mut self, cancel: CancellationToken) -> Self {
        self.cancel = cancel;
        self
    }

    /// The same context with a place for progress.
    #[must_use]
    pub fn reporting_to(mut self, progress: mpsc::UnboundedSender<Progress>) -> Self {
        self.progress = Some(progress);
        self
    }

    /// The same context, ending after `limit` if that is sooner.
    #[must_use]
    pub fn at_most(&self, limit: Duration) -> Self {
        let mut ctx = self.clone();
        ctx.deadline = ctx.deadline.min(Instant::now() + limit);
        ctx
    }

    /// The time that is left; zero when the deadline has passed.
    #[must_use]
    pub fn remaining(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// When the call must have ended.
    #[must_use]
    pub fn deadline(&self) -> Instant {
        self.deadline
    }

    /// When the face needs an answer; `None` when it waits for the end.
    #[must_use]
    pub fn answer_by(&self) -> Option<Instant> {
        self.answer_by
    }

    /// Whether the face wants to wait no longer than until the call has begun.
    #[must_use]
    pub fn answers_at_once(&self) -> bool {
        self.at_once
    }

    /// The same context, ending when the face needs its answer: for what must not go on without it.
    #[must_use]
    pub fn until_answer(&self) -> Self {
        let mut ctx = self.clone();
        ctx.deadline = self.answer_by.map_or(self.deadline, |by| self.deadline.min(by));
        ctx
    }

    /// The cancel mark.
    #[must_use]
    pub fn cancel(&self) -> &CancellationToken {
        &self.cancel
    }

    /// Tells the client what is happening; nobody listening is no error.
    pub fn progress(&self, message: impl Into<String>) {
        if let Some(sender) = &self.progress {
            // A client that has gone away no longer wants progress.
            drop(sender.send(Progress { message: message.into() }));
        }
    }

    /// Whether the call may go on.
    ///
    /// # Errors
    /// `DEADLINE` when the time is over, `CANCELLED` when the client gave up; both name `what`.
    pub fn check(&self, what: &str) -> Result<(), ErrorBody> {
        if self.cancel.is_cancelled() {
            Err(Self::cancelled(what))
        } else if self.remaining().is_zero() {
            Err(Self::over(what))
        } else {
            Ok(())
        }
    }

    fn cancelled(what: &str) -> ErrorBody {
        ErrorBody::new(
            ErrorCode::Cancelled,
            format!("the client cancelled the call while it waited for {what}"),
        )
    }

    fn over(what: &str) -> ErrorBody {
        ErrorBody::new(ErrorCode::Deadline, format!("the call's time ran out while it waited for {what}"))
    }

    /// Waits for `future`, but not past the deadline and not past a cancel.
    ///
    /// # Errors
    /// `DEADLINE` when the time is over, `CANCELLED` when the client gave up; both name `what`.
    pub async fn wait<T>(&self, what: &str, future: impl Future<Output = T>) -> Result<T, ErrorBody> {
        tokio::select! {
            biased;
            value = future => Ok(value),
            () = self.cancel.cancelled() => Err(Self::cancelled(what)),
            () = tokio::time::sleep_until(self.deadline.into()) => Err(Self::over(what)),
        }
    }
}
