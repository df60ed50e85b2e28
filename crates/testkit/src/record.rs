//! What the fixture site saw: the truth that a tool's report is compared with.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::timeout;

/// One request as the server got it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// The HTTP method.
    pub method: String,
    /// The path without its query.
    pub path: String,
    /// The query without its question mark; empty when there is none.
    pub query: String,
    /// The body, with bytes that are no UTF-8 replaced.
    pub body: String,
    /// Header names in lower case, with their values.
    pub headers: Vec<(String, String)>,
}

impl Recorded {
    /// The value of a header, by its lower-case name.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }
}

/// A file that a page uploaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upload {
    /// The file's name as the browser sent it.
    pub name: String,
    /// Its size in bytes.
    pub bytes: usize,
}

/// All that was seen since the start, in order of arrival.
#[derive(Debug)]
pub(crate) struct Log {
    requests: Mutex<Vec<Recorded>>,
    uploads: Mutex<Vec<Upload>>,
    seen: watch::Sender<usize>,
}

impl Log {
    pub(crate) fn new() -> Self {
        Log { requests: Mutex::default(), uploads: Mutex::default(), seen: watch::Sender::new(0) }
    }

    pub(crate) fn add(&self, request: Recorded) {
        lock(&self.requests).push(request);
        self.seen.send_modify(|n| *n += 1);
    }

    pub(crate) fn add_upload(&self, upload: Upload) {
        lock(&self.uploads).push(upload);
    }

    pub(crate) fn requests(&self) -> Vec<Recorded> {
        lock(&self.requests).clone()
    }

    pub(crate) fn uploads(&self) -> Vec<Upload> {
        lock(&self.uploads).clone()
    }

    pub(crate) fn count(&self, fits: impl Fn(&Recorded) -> bool) -> usize {
        lock(&self.requests).iter().filter(|r| fits(r)).count()
    }

    /// Waits until `fits` was seen `wanted` times; false when `limit` passed first.
    pub(crate) async fn wait(
        &self,
        wanted: usize,
        limit: Duration,
        fits: impl Fn(&Recorded) -> bool,
    ) -> bool {
        let mut seen = self.seen.subscribe();
        let enough = seen.wait_for(|_| self.count(&fits) >= wanted);
        matches!(timeout(limit, enough).await, Ok(Ok(_)))
    }
}

/// A poisoned list is still a list: the test that panicked has failed already.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
