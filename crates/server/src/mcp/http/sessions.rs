//! All sessions by their ids.

use super::HttpClient;
use super::secret;
use super::session::Session;
use crate::mcp::Server;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use truehand_base::{ErrorBody, ErrorCode};

/// How many sessions there may be.
const MOST: usize = 64;

/// The sessions of a server.
pub(crate) struct Sessions {
    open: Arc<Open>,
}

struct Open {
    by_id: Mutex<HashMap<String, Arc<Session>>>,
    /// How many have not gone yet, the ended ones included.
    count: watch::Sender<usize>,
}

impl Open {
    fn by_id(&self) -> MutexGuard<'_, HashMap<String, Arc<Session>>> {
        // Whole after every statement.
        self.by_id.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sessions {
    pub(crate) fn new() -> Self {
        Sessions { open: Arc::new(Open { by_id: Mutex::default(), count: watch::channel(0).0 }) }
    }

    /// Begins a session.
    pub(crate) fn begin<S: Server>(
        &self,
        client: impl FnOnce() -> HttpClient<S>,
    ) -> Result<(String, Arc<Session>), ErrorBody> {
        let id = secret::random()?;
        let mut by_id = self.open.by_id();
        if by_id.len() >= MOST {
            let message = format!("{MOST} sessions are open, and no more can be");
            return Err(ErrorBody::new(ErrorCode::RateLimited, message)
                .next("end sessions that you no longer need with DELETE, then initialize again"));
        }
        self.open.count.send_modify(|count| *count += 1);
        let (open, own) = (Arc::clone(&self.open), id.clone());
        let session = Session::begin(client(), move || {
            open.by_id().remove(&own);
            open.count.send_modify(|count| *count -= 1);
        });
        by_id.insert(id.clone(), Arc::clone(&session));
        tracing::info!(sessions = by_id.len(), "session began");
        Ok((id, session))
    }

    /// The session of an id, while it has not ended.
    pub(crate) fn find(&self, id: &str) -> Option<Arc<Session>> {
        self.open.by_id().get(id).filter(|session| !session.has_ended()).cloned()
    }

    /// Ends sessions that nobody uses.
    pub(crate) fn sweep(&self, patience: Duration) {
        let all: Vec<_> = self.open.by_id().values().cloned().collect();
        for session in all.iter().filter(|session| session.is_idle(patience)) {
            tracing::info!("a session that nobody uses is ended");
            session.end();
        }
    }

    /// Ends all, and waits until their clients have left.
    pub(crate) async fn end(&self) {
        for session in self.open.by_id().values() {
            session.end();
        }
        // We hold the sender, so it can't have gone.
        drop(self.open.count.subscribe().wait_for(|count| *count == 0).await);
    }
}
