//! Who holds a tab that several clients can reach. One client at a time: another one's action waits its turn, for a short
//! time and in a bounded queue. A tab is held from the first action on, until its holder releases or closes it, is gone,
//! or has left it alone for long.

use crate::tab::lock;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use truehand_base::{CallCtx, ClientId, ErrorBody, ErrorCode, TabId};

/// So many calls may wait for one tab.
const MOST_WAITING: usize = 16;

/// When to ask again for a tab whose holder is at work.
const AGAIN: Duration = Duration::from_secs(1);

/// How long tabs are held and waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseTimes {
    /// A tab that its holder has left alone for so long is anybody's.
    pub idle: Duration,
    /// How long another client's action waits before it is told that the tab is busy.
    pub wait: Duration,
}

impl Default for LeaseTimes {
    /// A minute, and three seconds.
    fn default() -> Self {
        LeaseTimes { idle: Duration::from_secs(60), wait: Duration::from_secs(3) }
    }
}

/// The leases of the tabs of one browser context.
pub(crate) struct Leases {
    times: LeaseTimes,
    table: Mutex<Table>,
    /// Wakes those who wait, on any change.
    changed: watch::Sender<u64>,
}

#[derive(Default)]
struct Table {
    tabs: HashMap<TabId, Lease>,
    last_ticket: u64,
}

#[derive(Default)]
struct Lease {
    holder: Option<Holder>,
    queue: VecDeque<Waiter>,
}

struct Holder {
    client: ClientId,
    since: Instant,
    used: Instant,
    /// How many of its calls are at work on the tab.
    calls: usize,
    /// It gave the tab up, or is gone: the tab is free as soon as its last call has ended.
    left: bool,
}

struct Waiter {
    ticket: u64,
    client: ClientId,
}

/// What one look at a lease came to.
enum Turn {
    /// The tab is the client's.
    Granted,
    /// Somebody else comes first; the tab may be free at this time at the latest, when that is known.
    Wait(Option<Instant>),
    Refused(ErrorBody),
}

impl Holder {
    fn new(client: &ClientId, now: Instant, calls: usize) -> Holder {
        Holder { client: client.clone(), since: now, used: now, calls, left: false }
    }

    /// When the tab becomes anybody's; unknown while a call is at work.
    fn free_at(&self, idle: Duration) -> Option<Instant> {
        match (self.calls, self.left) {
            (0, true) => Some(self.used),
            (0, false) => Some(self.used + idle),
            _ => None,
        }
    }
}

impl Lease {
    /// Who has it, unless it lapsed.
    fn held(&self, idle: Duration, now: Instant) -> Option<&Holder> {
        self.holder.as_ref().filter(|h| h.free_at(idle).is_none_or(|at| at > now))
    }

    /// Gives the tab to a client if it is its turn.
    fn grant(&mut self, client: &ClientId, ticket: Option<u64>, idle: Duration, now: Instant) -> bool {
        if let Some(own) = self.holder.as_mut().filter(|h| h.client == *client && !h.left) {
            own.calls += 1;
            own.used = now;
            return true;
        }
        let next = self.queue.front().map(|waiter| waiter.ticket);
        if self.held(idle, now).is_some() || (next.is_some() && next != ticket) {
            return false;
        }
        self.holder = Some(Holder::new(client, now, 1));
        true
    }
}

impl Leases {
    pub fn new(times: LeaseTimes) -> Arc<Self> {
        Arc::new(Leases { times, table: Mutex::default(), changed: watch::Sender::new(0) })
    }

    /// A tab has come; it is held from the start by the client that opened it.
    pub fn opened(&self, tab: TabId, client: Option<&ClientId>) {
        let mut table = lock(&self.table);
        let lease = table.tabs.entry(tab).or_default();
        if lease.holder.is_none() {
            lease.holder = client.map(|client| Holder::new(client, Instant::now(), 0));
        }
    }

    /// A tab is gone, and who waits for it is told.
    pub fn closed(&self, tab: TabId) {
        drop(lock(&self.table).tabs.remove(&tab));
        self.wake();
    }

    /// Who holds a tab.
    pub fn holder(&self, tab: TabId) -> Option<ClientId> {
        let table = lock(&self.table);
        table.tabs.get(&tab)?.held(self.times.idle, Instant::now()).map(|held| held.client.clone())
    }

    /// Gives a tab up, if it is the client's. It goes to who waits longest, once the last call of this client on it
    /// has ended. Says who that is.
    pub fn release(&self, tab: TabId, client: &ClientId) -> Option<ClientId> {
        let next = {
            let mut table = lock(&self.table);
            let lease = table.tabs.get_mut(&tab)?;
            lease.holder.as_mut().filter(|h| h.client == *client)?.left = true;
            lease.queue.front().map(|waiter| waiter.client.clone())
        };
        self.wake();
        next
    }

    /// A client is gone: all that it holds is free, at once or with the end of its last call.
    pub fn client_gone(&self, client: &ClientId) {
        for lease in lock(&self.table).tabs.values_mut() {
            if let Some(holder) = lease.holder.as_mut().filter(|h| h.client == *client) {
                holder.left = true;
            }
        }
        self.wake();
    }

    /// Waits for a client's turn on a tab.
    ///
    /// # Errors
    /// `TAB_BUSY` with the holder and the place in the queue, `TAB_CLOSED`, `CANCELLED`.
    pub async fn hold(
        self: &Arc<Self>,
        ctx: &CallCtx,
        tab: TabId,
        client: &ClientId,
    ) -> Result<Hold, ErrorBody> {
        let mut changes = self.changed.subscribe();
        let mut waiting: Option<Waiting<'_>> = None;
        let until = ctx.deadline().min(Instant::now() + self.times.wait);
        loop {
            changes.borrow_and_update();
            let free_at = match self.turn(tab, client, &mut waiting) {
                Turn::Granted => return Ok(Hold { leases: Arc::clone(self), tab, client: client.clone() }),
                Turn::Refused(error) => return Err(error),
                Turn::Wait(free_at) => free_at,
            };
            let wake = free_at.map_or(until, |at| at.min(until));
            let waited = ctx.at_most(wake.saturating_duration_since(Instant::now()));
            match waited.wait("the tab", changes.changed()).await {
                Ok(_) => {}
                Err(error) if error.code == ErrorCode::Deadline => {
                    if Instant::now() >= until {
                        return Err(self.busy(tab, waiting.as_ref()));
                    }
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// One look: takes the tab, or a place in its queue.
    fn turn<'a>(&'a self, tab: TabId, client: &ClientId, waiting: &mut Option<Waiting<'a>>) -> Turn {
        let (now, idle) = (Instant::now(), self.times.idle);
        let mut guard = lock(&self.table);
        let table = &mut *guard;
        let Some(lease) = table.tabs.get_mut(&tab) else {
            return Turn::Refused(ErrorBody::new(ErrorCode::TabClosed, format!("tab {tab} was closed")));
        };
        if lease.grant(client, waiting.as_ref().map(|w| w.ticket), idle, now) {
            return Turn::Granted;
        }
        if waiting.is_none() {
            if lease.queue.len() >= MOST_WAITING {
                return Turn::Refused(busy(tab, lease, lease.queue.len() + 1, idle, now));
            }
            table.last_ticket += 1;
            let ticket = table.last_ticket;
            lease.queue.push_back(Waiter { ticket, client: client.clone() });
            *waiting = Some(Waiting { leases: self, tab, ticket });
        }
        Turn::Wait(lease.held(idle, now).and_then(|h| h.free_at(idle)))
    }

    fn busy(&self, tab: TabId, waiting: Option<&Waiting<'_>>) -> ErrorBody {
        let table = lock(&self.table);
        let gone = || ErrorBody::new(ErrorCode::TabClosed, format!("tab {tab} was closed"));
        let Some(lease) = table.tabs.get(&tab) else { return gone() };
        let place = lease.queue.iter().position(|w| waiting.is_some_and(|own| own.ticket == w.ticket));
        busy(tab, lease, place.unwrap_or(lease.queue.len()) + 1, self.times.idle, Instant::now())
    }

    fn wake(&self) {
        self.changed.send_modify(|count| *count += 1);
    }
}

fn busy(tab: TabId, lease: &Lease, position: usize, idle: Duration, now: Instant) -> ErrorBody {
    let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let holder = lease.holder.as_ref();
    let name = holder.map_or_else(|| "who is next".to_owned(), |h| h.client.to_string());
    let since = holder.map_or(Duration::ZERO, |h| now.saturating_duration_since(h.since));
    let free_in = holder.and_then(|h| h.free_at(idle)).map(|at| at.saturating_duration_since(now));
    let again = ms(free_in.map_or(AGAIN, |time| time.max(AGAIN)));
    let message =
        format!("tab {tab} is held by {name} for {} s; you were number {position}", since.as_secs());
    let mut error = ErrorBody::new(ErrorCode::TabBusy, format!("{message} of those who wait"))
        .with("tab_id", tab.to_string())
        .with("holder", name)
        .with("held_for_ms", ms(since))
        .with("position", position)
        .with("retry_after_ms", again)
        .next("reading is not held up; to act, open your own tab with browser_new_tab or call again after retry_after_ms: the holder gives it up by closing it or by browser_select_tab with hold: false");
    error.retry_after_ms = Some(again);
    error
}

/// A place in a queue, given up when it is dropped.
struct Waiting<'a> {
    leases: &'a Leases,
    tab: TabId,
    ticket: u64,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some(lease) = lock(&self.leases.table).tabs.get_mut(&self.tab) {
            lease.queue.retain(|waiter| waiter.ticket != self.ticket);
        }
        self.leases.wake();
    }
}

/// A call at work on a tab that its client holds. The client keeps the tab afterwards.
pub struct Hold {
    leases: Arc<Leases>,
    tab: TabId,
    client: ClientId,
}

impl Drop for Hold {
    fn drop(&mut self) {
        if let Some(lease) = lock(&self.leases.table).tabs.get_mut(&self.tab)
            && let Some(holder) = lease.holder.as_mut().filter(|h| h.client == self.client)
        {
            holder.calls = holder.calls.saturating_sub(1);
            holder.used = Instant::now();
        }
        self.leases.wake();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use truehand_base::ClientKind;

    const TAB: TabId = TabId(1);

    fn client(name: &str) -> ClientId {
        ClientId { kind: ClientKind::Mcp, name: name.to_owned() }
    }

    fn leases(idle: u64, wait: u64) -> Arc<Leases> {
        let times = LeaseTimes { idle: Duration::from_millis(idle), wait: Duration::from_millis(wait) };
        let leases = Leases::new(times);
        leases.opened(TAB, None);
        leases
    }

    fn ctx() -> CallCtx {
        CallCtx::with_timeout(Duration::from_secs(20))
    }

    /// Asks for the tab in a task, and comes back once it stands in the queue as number `place`.
    async fn ask(
        leases: &Arc<Leases>,
        name: &str,
        place: usize,
    ) -> tokio::task::JoinHandle<Result<Hold, ErrorBody>> {
        let (own, client) = (Arc::clone(leases), client(name));
        let asking = tokio::spawn(async move { own.hold(&ctx(), TAB, &client).await });
        while lock(&leases.table).tabs[&TAB].queue.len() < place {
            tokio::task::yield_now().await;
        }
        asking
    }

    #[tokio::test]
    async fn held_tab_is_refused_with_holder_place_and_time() {
        let leases = leases(60_000, 30);
        drop(leases.hold(&ctx(), TAB, &client("a")).await.expect("free"));
        let error = leases.hold(&ctx(), TAB, &client("b")).await.err().expect("held");
        assert_eq!(error.code, ErrorCode::TabBusy);
        assert_eq!(
            (error.data["holder"].as_str(), error.data["position"].as_u64()),
            (Some("mcp:a"), Some(1))
        );
        let again = error.retry_after_ms.expect("a time");
        assert!((50_000..=60_000).contains(&again), "{again}");
        assert!(lock(&leases.table).tabs[&TAB].queue.is_empty(), "who gave up waits no more");
        drop(leases.hold(&ctx(), TAB, &client("a")).await.expect("its own"));
    }

    #[tokio::test]
    async fn released_tab_goes_to_those_who_wait_in_their_order() {
        let leases = leases(60_000, 20_000);
        let work = leases.hold(&ctx(), TAB, &client("a")).await.expect("free");
        let second = ask(&leases, "b", 1).await;
        let third = ask(&leases, "c", 2).await;
        assert_eq!(leases.release(TAB, &client("c")), None, "it is not c's to give up");
        assert_eq!(leases.release(TAB, &client("a")), Some(client("b")));
        tokio::task::yield_now().await;
        assert!(!second.is_finished(), "a call of the holder is still at work");
        drop(work);
        let work = second.await.expect("joined").expect("its turn");
        assert!(!third.is_finished());
        assert_eq!(leases.holder(TAB), Some(client("b")));
        leases.client_gone(&client("b"));
        drop(work);
        drop(third.await.expect("joined").expect("its turn"));
        assert_eq!(leases.holder(TAB), Some(client("c")));
    }

    #[tokio::test]
    async fn tab_that_was_left_alone_for_long_is_anybodys() {
        let leases = leases(40, 20_000);
        let work = leases.hold(&ctx(), TAB, &client("a")).await.expect("free");
        let second = ask(&leases, "b", 1).await;
        tokio::time::sleep(Duration::from_millis(80)).await;
        assert!(!second.is_finished(), "a call that is at work keeps the tab");
        drop(work);
        drop(second.await.expect("joined").expect("lapsed"));
    }

    #[tokio::test]
    async fn queue_is_bounded_and_who_gives_up_makes_room() {
        let leases = leases(60_000, 20_000);
        let work = leases.hold(&ctx(), TAB, &client("a")).await.expect("free");
        let mut asking = Vec::new();
        for place in 1..=MOST_WAITING {
            asking.push(ask(&leases, &format!("w{place}"), place).await);
        }
        let error = leases.hold(&ctx(), TAB, &client("late")).await.err().expect("full");
        assert_eq!(error.data["position"].as_u64(), Some(MOST_WAITING as u64 + 1));
        asking.remove(0).abort();
        while lock(&leases.table).tabs[&TAB].queue.len() == MOST_WAITING {
            tokio::task::yield_now().await;
        }
        asking.push(ask(&leases, "late", MOST_WAITING).await);
        drop(work);
        leases.client_gone(&client("a"));
        for waiter in asking {
            let next = waiter.await.expect("joined").expect("its turn");
            leases.client_gone(&next.client);
        }
    }

    #[tokio::test]
    async fn closed_tab_tells_those_who_wait() {
        let leases = leases(60_000, 20_000);
        let _work = leases.hold(&ctx(), TAB, &client("a")).await.expect("free");
        let second = ask(&leases, "b", 1).await;
        leases.closed(TAB);
        let error = second.await.expect("joined").err().expect("closed");
        assert_eq!(error.code, ErrorCode::TabClosed);
    }
}
