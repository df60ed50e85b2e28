//! One acting call at a time on a tab; the others queue in the order in which they came.

use std::sync::{Arc, Mutex};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use truehand_base::{CallCtx, ErrorBody, ErrorCode};

/// The queue of a tab. Clones are the same queue.
#[derive(Clone)]
pub struct Lane {
    permit: Arc<Semaphore>,
    holder: Arc<Mutex<Option<String>>>,
}

impl Default for Lane {
    fn default() -> Self {
        Lane { permit: Arc::new(Semaphore::new(1)), holder: Arc::default() }
    }
}

/// The right to act, until it is dropped.
pub struct LaneGuard {
    holder: Arc<Mutex<Option<String>>>,
    _permit: OwnedSemaphorePermit,
}

impl Drop for LaneGuard {
    fn drop(&mut self) {
        *super::lock(&self.holder) = None;
    }
}

impl Lane {
    /// Waits for the lane.
    ///
    /// # Errors
    /// `TAB_BUSY` with the holder when the time ran out, `CANCELLED` when the client gave up.
    pub async fn acquire(&self, ctx: &CallCtx, holder: &str) -> Result<LaneGuard, ErrorBody> {
        match ctx.wait("the tab", Arc::clone(&self.permit).acquire_owned()).await {
            Ok(Ok(permit)) => {
                *super::lock(&self.holder) = Some(holder.to_owned());
                Ok(LaneGuard { holder: Arc::clone(&self.holder), _permit: permit })
            }
            Ok(Err(_)) => Err(ErrorBody::new(ErrorCode::TabClosed, "the tab is gone")),
            Err(error) if error.code == ErrorCode::Deadline => {
                let holder = super::lock(&self.holder).clone().unwrap_or_default();
                Err(ErrorBody::new(ErrorCode::TabBusy, format!("the tab is in use by {holder}"))
                    .with("holder", holder))
            }
            Err(error) => Err(error),
        }
    }
}
