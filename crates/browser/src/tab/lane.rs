//! One acting call at a time on a tab; the others queue in the order in which they came.

use std::sync::{Arc, Mutex, Weak};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use truehand_base::{CallCtx, ErrorBody, ErrorCode};

/// The queue of a tab. Clones are the same queue.
#[derive(Clone)]
pub struct Lane {
    permit: Arc<Semaphore>,
    turn: Arc<Mutex<Option<Turn>>>,
    /// How many wait.
    waiting: watch::Sender<usize>,
}

/// Whose turn it is.
struct Turn {
    holder: String,
    /// The holder's own, so that a guard gives up no turn but its own.
    permit: Arc<OwnedSemaphorePermit>,
}

impl Default for Lane {
    fn default() -> Self {
        Lane { permit: Arc::new(Semaphore::new(1)), turn: Arc::default(), waiting: watch::Sender::new(0) }
    }
}

/// The right to act, until it is dropped.
pub struct LaneGuard {
    turn: Arc<Mutex<Option<Turn>>>,
    permit: Weak<OwnedSemaphorePermit>,
}

impl Drop for LaneGuard {
    fn drop(&mut self) {
        let mut turn = super::lock(&self.turn);
        if turn.as_ref().is_some_and(|turn| Weak::ptr_eq(&Arc::downgrade(&turn.permit), &self.permit)) {
            *turn = None;
        }
    }
}

/// One more that waits, until it is dropped.
struct Waiting<'a>(&'a watch::Sender<usize>);

impl<'a> Waiting<'a> {
    fn new(count: &'a watch::Sender<usize>) -> Self {
        count.send_modify(|count| *count += 1);
        Waiting(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count = count.saturating_sub(1));
    }
}

impl Lane {
    /// Waits for the lane.
    ///
    /// # Errors
    /// `TAB_BUSY` with the holder when the time ran out, `CANCELLED` when the client gave up.
    pub async fn acquire(&self, ctx: &CallCtx, holder: &str) -> Result<LaneGuard, ErrorBody> {
        let waiting = Waiting::new(&self.waiting);
        let permit = ctx.wait("the tab", Arc::clone(&self.permit).acquire_owned()).await;
        drop(waiting);
        match permit {
            Ok(Ok(permit)) => {
                let permit = Arc::new(permit);
                let own = Arc::downgrade(&permit);
                *super::lock(&self.turn) = Some(Turn { holder: holder.to_owned(), permit });
                Ok(LaneGuard { turn: Arc::clone(&self.turn), permit: own })
            }
            Ok(Err(_)) => Err(ErrorBody::new(ErrorCode::TabClosed, "the tab is gone")),
            Err(error) if error.code == ErrorCode::Deadline => {
                let holder =
                    super::lock(&self.turn).as_ref().map(|turn| turn.holder.clone()).unwrap_or_default();
                Err(ErrorBody::new(ErrorCode::TabBusy, format!("the tab is in use by {holder}"))
                    .with("holder", holder))
            }
            Err(error) => Err(error),
        }
    }

    /// Comes back once somebody waits for the lane.
    pub(crate) async fn wanted(&self) {
        // The sender is this one's own: it never goes away.
        let _ = self.waiting.subscribe().wait_for(|count| *count > 0).await;
    }

    /// Lets the next one act, before the call whose turn it is has ended.
    pub(crate) fn give_way(&self) {
        *super::lock(&self.turn) = None;
    }
}
