//! How long a daemon lives: who is connected, what is in flight, and when nobody needs it any more.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use truehand_base::{ClientId, ClientKind};

/// How long a daemon waits once nobody is connected. A browser that is still open then keeps it longer, and
/// it ends as soon as the last one has closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// When it was started for a client that went away without a word.
    pub unasked: Duration,
    /// When that client said goodbye.
    pub dismissed: Duration,
    /// When a person started it.
    pub kept: Duration,
}

impl Default for Patience {
    /// 4 s, half a second, 30 minutes.
    fn default() -> Self {
        Patience {
            unasked: Duration::from_secs(4),
            dismissed: Duration::from_millis(500),
            kept: Duration::from_mins(30),
        }
    }
}

impl Patience {
    /// For a daemon that can do nothing but say why it did not start.
    pub(crate) fn failed() -> Self {
        let short = Duration::from_millis(500);
        Patience { unasked: short, dismissed: short, kept: short }
    }
}

/// Why a daemon is still here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stay {
    Unasked,
    Dismissed,
    Kept,
}

#[derive(Debug)]
struct Presence {
    connections: HashMap<ClientId, usize>,
    /// Since when nobody is connected.
    alone_since: Option<Instant>,
    stay: Stay,
}

/// The shared knowledge of who needs the daemon.
#[derive(Debug)]
pub(crate) struct Lifetime {
    presence: Mutex<Presence>,
    changed: Notify,
    calls: AtomicUsize,
    patience: Patience,
    started: Instant,
    /// Set when no more calls are begun.
    pub(crate) draining: CancellationToken,
    /// Set when connections and what still runs for them shall end.
    pub(crate) ending: CancellationToken,
}

impl Lifetime {
    pub(crate) fn new(kept: bool, patience: Patience) -> Self {
        let stay = if kept { Stay::Kept } else { Stay::Unasked };
        let now = Instant::now();
        let presence = Presence { connections: HashMap::new(), alone_since: Some(now), stay };
        Lifetime {
            presence: Mutex::new(presence),
            changed: Notify::new(),
            calls: AtomicUsize::new(0),
            patience,
            started: now,
            draining: CancellationToken::new(),
            ending: CancellationToken::new(),
        }
    }

    fn presence(&self) -> MutexGuard<'_, Presence> {
        // The map is whole after every statement, so a panic elsewhere does not spoil it.
        self.presence.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection of `client` has begun.
    pub(crate) fn came(&self, client: &ClientId) {
        let mut presence = self.presence();
        *presence.connections.entry(client.clone()).or_default() += 1;
        presence.alone_since = None;
        if presence.stay == Stay::Dismissed {
            presence.stay = Stay::Unasked;
        }
        drop(presence);
        self.changed.notify_waiters();
    }

    /// A connection of `client` has ended. True when it was the last one of a client that ends with it.
    pub(crate) fn went(&self, client: &ClientId) -> bool {
        let mut presence = self.presence();
        let left = presence.connections.get_mut(client).map_or(0, |count| {
            *count -= 1;
            *count
        });
        if left == 0 {
            presence.connections.remove(client);
        }
        if presence.connections.is_empty() {
            presence.alone_since = presence.alone_since.or_else(|| Some(Instant::now()));
        }
        drop(presence);
        self.changed.notify_waiters();
        left == 0 && client.kind == ClientKind::Mcp
    }

    /// A person wants the daemon to stay.
    pub(crate) fn keep(&self) {
        self.presence().stay = Stay::Kept;
        self.changed.notify_waiters();
    }

    /// A client said goodbye.
    pub(crate) fn dismiss(&self) {
        let mut presence = self.presence();
        if presence.stay == Stay::Unasked {
            presence.stay = Stay::Dismissed;
        }
    }

    /// Whether a person wants it to stay.
    pub(crate) fn kept(&self) -> bool {
        self.presence().stay == Stay::Kept
    }

    /// How long it has been running.
    pub(crate) fn uptime(&self) -> Duration {
        self.started.elapsed()
    }

    /// Who is connected.
    pub(crate) fn clients(&self) -> Vec<String> {
        let mut names: Vec<String> = self.presence().connections.keys().map(ToString::to_string).collect();
        names.sort();
        names
    }

    /// How many calls are in flight.
    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }

    /// Counts a call until the guard is dropped.
    pub(crate) fn call_begins(&self) -> CallGuard<'_> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        CallGuard(self)
    }

    /// Waits until no call is in flight.
    pub(crate) async fn calls_done(&self) {
        self.until(|| self.calls() == 0).await;
    }

    /// Waits until nobody needs the daemon for as long as its patience.
    pub(crate) async fn over(&self, browsers: impl Fn() -> usize) {
        // Browsers end by themselves, and nobody tells us: they are counted anew at this pace.
        const LOOK: Duration = Duration::from_millis(250);
        loop {
            let change = self.changed.notified();
            let (alone_since, patience) = {
                let presence = self.presence();
                let patience = match presence.stay {
                    Stay::Unasked => self.patience.unasked,
                    Stay::Dismissed => self.patience.dismissed,
                    Stay::Kept => self.patience.kept,
                };
                (presence.alone_since, patience)
            };
            let wait = match alone_since {
                Some(since) => match patience.saturating_sub(since.elapsed()) {
                    Duration::ZERO if browsers() == 0 => return,
                    Duration::ZERO => LOOK,
                    left => left,
                },
                // With somebody connected only a change of connections matters.
                None => Duration::from_hours(1),
            };
            tokio::select! {
                () = change => {}
                () = tokio::time::sleep(wait) => {}
            }
        }
    }

    async fn until(&self, done: impl Fn() -> bool) {
        loop {
            let change = self.changed.notified();
            if done() {
                return;
            }
            change.await;
        }
    }
}

/// A call in flight.
pub(crate) struct CallGuard<'a>(&'a Lifetime);

impl Drop for CallGuard<'_> {
    fn drop(&mut self) {
        self.0.calls.fetch_sub(1, Ordering::Relaxed);
        self.0.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(kind: ClientKind, name: &str) -> ClientId {
        ClientId { kind, name: name.to_owned() }
    }

    fn patience() -> Patience {
        let ms = Duration::from_millis;
        Patience { unasked: ms(4_000), dismissed: ms(500), kept: ms(1_800_000) }
    }

    #[tokio::test(start_paused = true)]
    async fn unasked_daemon_ends_only_when_nobody_is_connected_and_no_browser_is_open() {
        let life = std::sync::Arc::new(Lifetime::new(false, patience()));
        let browsers = std::sync::Arc::new(AtomicUsize::new(1));
        let cli = client(ClientKind::Cli, "default");
        life.came(&cli);
        let over = {
            let (life, browsers) = (life.clone(), browsers.clone());
            tokio::spawn(async move { life.over(|| browsers.load(Ordering::Relaxed)).await })
        };
        tokio::task::yield_now().await;
        assert!(!life.went(&cli), "a command-line session outlives its connection");
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert!(!over.is_finished(), "a browser is open");
        browsers.store(0, Ordering::Relaxed);
        tokio::time::timeout(Duration::from_secs(10), over).await.unwrap().unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn patience_counts_from_the_last_connection_and_not_anew_from_the_last_browser() {
        let life = std::sync::Arc::new(Lifetime::new(false, patience()));
        let browsers = std::sync::Arc::new(AtomicUsize::new(1));
        let mcp = client(ClientKind::Mcp, "1");
        life.came(&mcp);
        let over = {
            let (life, browsers) = (life.clone(), browsers.clone());
            tokio::spawn(async move { life.over(|| browsers.load(Ordering::Relaxed)).await })
        };
        tokio::task::yield_now().await;
        life.went(&mcp);
        tokio::time::sleep(Duration::from_millis(4_200)).await;
        assert!(!over.is_finished(), "a browser is open");
        browsers.store(0, Ordering::Relaxed);
        tokio::time::timeout(Duration::from_millis(300), over).await.unwrap().unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn row_114_connected_client_keeps_the_daemon_through_an_idle_hour() {
        let life = std::sync::Arc::new(Lifetime::new(false, patience()));
        let mcp = client(ClientKind::Mcp, "1");
        life.came(&mcp);
        let over = {
            let life = life.clone();
            tokio::spawn(async move { life.over(|| 0).await })
        };
        tokio::time::sleep(Duration::from_hours(2)).await;
        assert!(!over.is_finished());
        drop(life.call_begins());
        life.went(&mcp);
        tokio::time::timeout(Duration::from_secs(5), over).await.unwrap().unwrap();
    }

    #[test]
    fn mcp_client_is_gone_with_its_last_connection() {
        let life = Lifetime::new(false, patience());
        let mcp = client(ClientKind::Mcp, "1");
        life.came(&mcp);
        life.came(&mcp);
        assert!(!life.went(&mcp));
        assert!(life.went(&mcp));
        assert!(life.clients().is_empty());
    }

    #[test]
    fn goodbye_does_not_shorten_the_stay_of_a_kept_daemon() {
        let life = Lifetime::new(true, patience());
        life.dismiss();
        assert!(life.kept());
    }
}
