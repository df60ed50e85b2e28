//! Connecting to browsers that already run. Such a browser may ask a person for consent first, which takes as long as
//! it takes: the call that came is answered soon, and the connection goes on waiting, so that a yes is not lost.

use crate::browser::Browser;
use crate::tab::lock;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;
use truehand_base::{CallCtx, ErrorBody, ErrorCode};

/// How long a call waits for a browser to let us in, before it is said that a person may have to.
const PATIENCE: Duration = Duration::from_secs(6);

/// How long a connection waits for that person.
const CONSENT: Duration = Duration::from_mins(5);

/// How long a connection that was let in is kept for the next call.
const KEPT: Duration = Duration::from_mins(2);

type Connected = Option<Result<Arc<Browser>, ErrorBody>>;

/// The connections that are on their way, by address.
#[derive(Default)]
pub(crate) struct Attaching {
    pending: Mutex<HashMap<String, watch::Receiver<Connected>>>,
}

impl Attaching {
    /// The browser at an address, connected now or by an earlier call that could not wait. [`Attaching::done`] must
    /// follow once it can be found elsewhere.
    ///
    /// # Errors
    /// `CONSENT_PENDING` when it does not let us in soon, `BROWSER_GONE` when it can't be connected to.
    pub async fn browser(
        self: &Arc<Self>,
        ctx: &CallCtx,
        url: &str,
        downloads: PathBuf,
    ) -> Result<Arc<Browser>, ErrorBody> {
        let mut connected = {
            let mut pending = lock(&self.pending);
            let begin = || self.begin(url.to_owned(), downloads);
            pending.entry(url.to_owned()).or_insert_with(begin).clone()
        };
        match ctx.at_most(PATIENCE).wait("the browser", connected.wait_for(Option::is_some)).await {
            Ok(Ok(result)) => result.clone().unwrap_or_else(|| Err(gone(url))),
            Ok(Err(_)) => Err(gone(url)),
            Err(error) if error.code == ErrorCode::Deadline => {
                let message =
                    format!("the browser at {url} has not let us in yet; it may wait for a person's consent");
                Err(ErrorBody::new(ErrorCode::ConsentPending, message))
            }
            Err(error) => Err(error),
        }
    }

    /// Forgets a connection that was let in.
    pub fn done(&self, url: &str) {
        lock(&self.pending).remove(url);
    }

    fn begin(self: &Arc<Self>, url: String, downloads: PathBuf) -> watch::Receiver<Connected> {
        let (sender, receiver) = watch::channel(None);
        let (attaching, own) = (Arc::clone(self), receiver.clone());
        tokio::spawn(async move {
            let result = Browser::connect(&CallCtx::with_timeout(CONSENT), &url, downloads).await;
            let browser = result.as_ref().ok().cloned();
            sender.send_replace(Some(result));
            if browser.is_some() {
                tokio::time::sleep(KEPT).await;
            }
            // A later call tries anew; what no call has fetched in all that time is given up.
            let unclaimed = attaching.forget(&url, &own);
            if let Some(browser) = browser.filter(|_| unclaimed) {
                browser.close().await;
            }
        });
        receiver
    }

    /// Forgets one connection and no later one to the same address; whether it was still there.
    fn forget(&self, url: &str, own: &watch::Receiver<Connected>) -> bool {
        let mut pending = lock(&self.pending);
        let there = pending.get(url).is_some_and(|other| other.same_channel(own));
        if there {
            pending.remove(url);
        }
        there
    }
}

fn gone(url: &str) -> ErrorBody {
    ErrorBody::new(ErrorCode::BrowserGone, format!("the connection to {url} was given up"))
}
