//! What clients hear of their tabs as it happens. Nothing is kept, and hardly anything looked at, while nobody listens.
//!
//! Each client has one feed: a bounded ring of events with numbers that rise by one. The pump of a tab puts events in and
//! never waits; who reads too late is told how many were lost. Besides, a feed holds what its client wants of tabs that are
//! still to come: scripts for new documents, functions that pages can call, requests to be held.

use crate::tab::lock;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::watch;
use truehand_base::{CallCtx, ClientId, ErrorBody, TabId};

/// Kinds of events that are heard of only on wish, as bits.
pub(crate) mod kind {
    /// What everybody hears who listens: tabs, frames, dialogs, downloads, errors of pages.
    pub const BASIC: u32 = 1;
    pub const CONSOLE: u32 = 1 << 1;
    pub const REQUEST: u32 = 1 << 2;
    pub const RESPONSE: u32 = 1 << 3;
    pub const FINISHED: u32 = 1 << 4;
    pub const FAILED: u32 = 1 << 5;
    pub const WEBSOCKET: u32 = 1 << 6;
    pub const WORKER: u32 = 1 << 7;
    /// File choosers are told of and not shown.
    pub const CHOOSER: u32 = 1 << 8;
    /// Alerts too are left open.
    pub const DIALOGS: u32 = 1 << 9;
    pub const NETWORK: u32 = REQUEST | RESPONSE | FINISHED | FAILED;
}

/// The names by which kinds are asked for.
const NAMES: &[(&str, u32)] = &[
    ("console", kind::CONSOLE),
    ("request", kind::REQUEST),
    ("response", kind::RESPONSE),
    ("requestfinished", kind::FINISHED),
    ("requestfailed", kind::FAILED),
    ("websocket", kind::WEBSOCKET),
    ("worker", kind::WORKER),
    ("filechooser", kind::CHOOSER),
    ("dialog_manual", kind::DIALOGS),
];

/// Those that come without being asked for.
const ALWAYS: &[&str] = &[
    "page",
    "close",
    "crash",
    "framenavigated",
    "frameattached",
    "framedetached",
    "domcontentloaded",
    "load",
    "dialog",
    "download",
    "pageerror",
    "binding",
    "paused",
];

/// The bits of kinds by name; the first name that is none.
pub(crate) fn kinds(names: &[String]) -> Result<u32, String> {
    names.iter().try_fold(kind::BASIC, |bits, name| {
        let known = NAMES.iter().find(|(known, _)| known == name).map(|(_, bit)| bits | bit);
        known.or_else(|| ALWAYS.contains(&name.as_str()).then_some(bits)).ok_or_else(|| name.clone())
    })
}

/// The names that there are.
pub(crate) fn kind_names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().map(|(name, _)| *name)
}

/// How many events a feed keeps.
const EVENTS: usize = 4_000;

/// How many bytes of them, roughly.
const BYTES: usize = 16 << 20;

/// How many events are given at once, and how many bytes.
const AT_ONCE: usize = 500;
const BYTES_AT_ONCE: usize = 2 << 20;

struct Item {
    number: u64,
    tab: TabId,
    bytes: usize,
    event: Value,
}

/// What was heard.
#[derive(Debug)]
pub(crate) struct Heard {
    /// In order, each with the tab that it is of.
    pub events: Vec<(TabId, Value)>,
    /// The number of the last one; what is asked for next comes after it.
    pub next: u64,
    /// How many there were that are not kept any more.
    pub lost: u64,
}

/// Which requests of a tab are held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern {
    /// The address, with `*` and `?`.
    pub url: String,
    /// Whether it is held when its answer comes.
    pub response: bool,
}

#[derive(Default)]
struct State {
    /// Bits that hold for all tabs of the client, also those to come.
    all: u32,
    /// Bits that hold for one besides.
    tabs: HashMap<TabId, u32>,
    ring: VecDeque<Item>,
    bytes: usize,
    last: u64,
    scripts: BTreeMap<u64, (Option<TabId>, Arc<str>)>,
    bindings: Vec<(Option<TabId>, String)>,
    routes: HashMap<Option<TabId>, Vec<Pattern>>,
}

/// What one client hears and wants.
pub(crate) struct Feed {
    state: Mutex<State>,
    news: watch::Sender<u64>,
}

impl Default for Feed {
    fn default() -> Self {
        Feed { state: Mutex::default(), news: watch::Sender::new(0) }
    }
}

impl Feed {
    /// Listens to more kinds, of one tab or of all.
    pub fn listen(&self, tab: Option<TabId>, bits: u32) {
        let mut state = lock(&self.state);
        match tab {
            Some(tab) => *state.tabs.entry(tab).or_default() |= bits,
            None => state.all |= bits,
        }
    }

    /// Listens to these kinds only.
    pub fn listen_only(&self, tab: Option<TabId>, bits: u32) {
        let mut state = lock(&self.state);
        match tab {
            Some(tab) => drop(state.tabs.insert(tab, bits)),
            None => {
                state.all = bits;
                state.tabs.clear();
            }
        }
    }

    /// Listens to nothing and wants nothing; what was not read is forgotten.
    pub fn end(&self) {
        let mut state = lock(&self.state);
        *state = State { last: state.last, ..State::default() };
    }

    /// What is heard of a tab; `own` says whether it is one of the client's.
    pub fn bits(&self, tab: TabId, own: bool) -> u32 {
        let state = lock(&self.state);
        let named = state.tabs.get(&tab).copied().unwrap_or_default();
        if own { named | state.all } else { named }
    }

    fn any(&self) -> u32 {
        let state = lock(&self.state);
        state.tabs.values().fold(state.all, |bits, more| bits | more)
    }

    /// Puts an event in.
    pub fn push(&self, tab: TabId, kind: &str, mut event: Value) {
        let bytes = size(&event);
        let mut state = lock(&self.state);
        state.last += 1;
        let number = state.last;
        if let Some(map) = event.as_object_mut() {
            map.insert("seq".to_owned(), number.into());
            map.insert("tab_id".to_owned(), tab.to_string().into());
            map.insert("kind".to_owned(), kind.into());
            map.entry("time").or_insert_with(now);
        }
        state.bytes += bytes;
        state.ring.push_back(Item { number, tab, bytes, event });
        while state.ring.len() > EVENTS || (state.bytes > BYTES && state.ring.len() > 1) {
            if let Some(gone) = state.ring.pop_front() {
                state.bytes -= gone.bytes;
            }
        }
        drop(state);
        self.news.send_replace(number);
    }

    /// What came after an event; without one nothing but the number of the last.
    pub fn after(&self, after: Option<u64>) -> Heard {
        let state = lock(&self.state);
        let Some(after) = after else { return Heard { events: Vec::new(), next: state.last, lost: 0 } };
        let first = state.ring.front().map_or(state.last + 1, |item| item.number);
        let lost = first.saturating_sub(after.saturating_add(1));
        let mut heard = Heard { events: Vec::new(), next: after.max(first - 1), lost };
        let mut bytes = 0;
        for item in state.ring.iter().filter(|item| item.number > after).take(AT_ONCE) {
            bytes += item.bytes;
            if bytes > BYTES_AT_ONCE && !heard.events.is_empty() {
                break;
            }
            heard.next = item.number;
            heard.events.push((item.tab, item.event.clone()));
        }
        heard
    }

    /// The same, waiting for the first one.
    pub async fn wait(&self, ctx: &CallCtx, after: Option<u64>, limit: Duration) -> Result<Heard, ErrorBody> {
        let mut news = self.news.subscribe();
        let until = tokio::time::Instant::now() + limit;
        loop {
            news.borrow_and_update();
            let heard = self.after(after);
            if after.is_none() || limit.is_zero() || !heard.events.is_empty() || heard.lost > 0 {
                return Ok(heard);
            }
            let more = ctx.wait("an event", tokio::time::timeout_at(until, news.changed())).await;
            match more {
                Ok(Ok(Ok(()))) => {}
                Ok(_) => return Ok(heard),
                // The caller's time is over, which is no failure when nothing came.
                Err(_) if !ctx.cancel().is_cancelled() => return Ok(heard),
                Err(error) => return Err(error),
            }
        }
    }

    /// Wants a script in every new document, and in those that are there.
    pub fn add_script(&self, tab: Option<TabId>, source: &str) -> u64 {
        static LAST: AtomicU64 = AtomicU64::new(0);
        // No two clients of one tab have the same.
        let id = LAST.fetch_add(1, Ordering::Relaxed) + 1;
        lock(&self.state).scripts.insert(id, (tab, source.into()));
        id
    }

    pub fn remove_script(&self, id: u64) -> bool {
        lock(&self.state).scripts.remove(&id).is_some()
    }

    pub fn scripts(&self, tab: TabId, own: bool) -> Vec<(u64, Arc<str>)> {
        let state = lock(&self.state);
        let fits = |of: &Option<TabId>| of.map_or(own, |of| of == tab);
        state
            .scripts
            .iter()
            .filter(|(_, (of, _))| fits(of))
            .map(|(id, (_, s))| (*id, Arc::clone(s)))
            .collect()
    }

    pub fn script_count(&self) -> usize {
        lock(&self.state).scripts.len()
    }

    /// Wants pages to have a function; false when they have it already.
    pub fn add_binding(&self, tab: Option<TabId>, name: &str) -> bool {
        let mut state = lock(&self.state);
        let there = state.bindings.iter().any(|(of, known)| known == name && (of.is_none() || *of == tab));
        if !there {
            state.bindings.push((tab, name.to_owned()));
        }
        !there
    }

    pub fn binding_count(&self) -> usize {
        lock(&self.state).bindings.len()
    }

    pub fn remove_binding(&self, tab: Option<TabId>, name: &str) -> bool {
        let mut state = lock(&self.state);
        let before = state.bindings.len();
        state.bindings.retain(|(of, known)| known != name || *of != tab);
        state.bindings.len() < before
    }

    pub fn bindings(&self, tab: TabId, own: bool) -> Vec<String> {
        let state = lock(&self.state);
        let fits = |of: &Option<TabId>| of.map_or(own, |of| of == tab);
        state.bindings.iter().filter(|(of, _)| fits(of)).map(|(_, name)| name.clone()).collect()
    }

    /// Wants requests of one tab, or of all, to be held, or no more.
    pub fn route(&self, tab: Option<TabId>, patterns: Option<Vec<Pattern>>) {
        let mut state = lock(&self.state);
        match patterns.filter(|patterns| !patterns.is_empty()) {
            Some(patterns) => drop(state.routes.insert(tab, patterns)),
            None if tab.is_none() => state.routes.clear(),
            None => drop(state.routes.remove(&tab)),
        }
    }

    pub fn routes(&self, tab: TabId, own: bool) -> Vec<Pattern> {
        let state = lock(&self.state);
        let all = state.routes.get(&None).filter(|_| own).into_iter().flatten();
        all.chain(state.routes.get(&Some(tab)).into_iter().flatten()).cloned().collect()
    }
}

/// Milliseconds since 1970.
fn now() -> Value {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    json!(u64::try_from(since.as_millis()).unwrap_or_default())
}

/// About how much memory a value takes.
fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => 24 + text.len(),
        Value::Array(items) => items.iter().map(size).sum::<usize>() + 24,
        Value::Object(map) => {
            map.iter().map(|(name, value)| 48 + name.len() + size(value)).sum::<usize>() + 24
        }
        _ => 16,
    }
}

/// The feeds of those who use a browser context.
#[derive(Default)]
pub(crate) struct Hub {
    /// All bits that anybody listens to.
    any: AtomicU32,
    feeds: Mutex<Vec<(ClientId, Arc<Feed>)>>,
}

/// Says whether a tab is one of a client's own.
pub(crate) type Owns<'a> = &'a dyn Fn(&ClientId) -> bool;

impl Hub {
    pub fn join(&self, client: &ClientId, feed: &Arc<Feed>) {
        let mut feeds = lock(&self.feeds);
        if !feeds.iter().any(|(known, _)| known == client) {
            feeds.push((client.clone(), Arc::clone(feed)));
        }
        drop(feeds);
        self.renew();
    }

    pub fn leave(&self, client: &ClientId) {
        lock(&self.feeds).retain(|(known, _)| known != client);
        self.renew();
    }

    /// Looks again at what is listened to.
    pub fn renew(&self) {
        let feeds = lock(&self.feeds);
        let any = feeds.iter().fold(0, |bits, (_, feed)| bits | feed.any());
        self.any.store(any, Ordering::Relaxed);
    }

    /// What anybody listens to; 0 when nobody does.
    pub fn any(&self) -> u32 {
        self.any.load(Ordering::Relaxed)
    }

    /// The feeds, each with whether the tab is its client's own.
    pub fn of(&self, owns: Owns<'_>) -> Vec<(Arc<Feed>, bool)> {
        let feeds = lock(&self.feeds).clone();
        feeds.into_iter().map(|(client, feed)| (feed, owns(&client))).collect()
    }

    /// What is heard of a tab by anybody.
    pub fn bits(&self, tab: TabId, owns: Owns<'_>) -> u32 {
        if self.any() == 0 {
            return 0;
        }
        self.of(owns).iter().fold(0, |bits, (feed, own)| bits | feed.bits(tab, *own))
    }

    /// Tells everybody of an event who listens to its kind.
    pub fn tell(&self, tab: TabId, bit: u32, kind: &str, owns: Owns<'_>, event: impl FnOnce() -> Value) {
        if self.any() & bit == 0 {
            return;
        }
        let mut feeds = self.of(owns);
        feeds.retain(|(feed, own)| feed.bits(tab, *own) & bit != 0);
        let Some((last, _)) = feeds.pop() else { return };
        let event = event();
        for (feed, _) in feeds {
            feed.push(tab, kind, event.clone());
        }
        last.push(tab, kind, event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feed_gives_what_came_after_a_number_and_counts_what_it_lost() {
        let feed = Feed::default();
        for number in 0..EVENTS + 10 {
            feed.push(TabId(1), "load", json!({ "n": number }));
        }
        let heard = feed.after(Some(0));
        assert_eq!((heard.lost, heard.events.len(), heard.next), (10, AT_ONCE, 10 + AT_ONCE as u64));
        assert_eq!(heard.events[0].1["seq"], 11);
        let end = feed.after(None);
        assert_eq!((end.next, end.events.len()), ((EVENTS + 10) as u64, 0));
        assert!(feed.after(Some(end.next)).events.is_empty());
    }

    #[test]
    fn feed_that_is_full_of_big_events_forgets_the_oldest() {
        let feed = Feed::default();
        for _ in 0..20 {
            feed.push(TabId(1), "load", json!({ "text": "x".repeat(BYTES / 10) }));
        }
        assert!(lock(&feed.state).bytes <= BYTES);
        let heard = feed.after(Some(0));
        assert!(heard.lost >= 10 && heard.events.len() == 1, "{} {}", heard.lost, heard.events.len());
    }

    #[test]
    fn hub_tells_only_those_who_listen_to_the_kind_and_the_tab() {
        let client = |name: &str| ClientId { kind: truehand_base::ClientKind::Mcp, name: name.to_owned() };
        let hub = Hub::default();
        let (own, other) = (Arc::new(Feed::default()), Arc::new(Feed::default()));
        hub.join(&client("a"), &own);
        hub.join(&client("b"), &other);
        let owns = |who: &ClientId| who.name == "a";
        hub.tell(TabId(1), kind::BASIC, "load", &owns, || panic!("nobody listens"));
        own.listen(None, kind::BASIC);
        other.listen(None, kind::BASIC);
        hub.renew();
        hub.tell(TabId(1), kind::BASIC, "load", &owns, || json!({}));
        hub.tell(TabId(1), kind::CONSOLE, "console", &owns, || panic!("nobody listens to the console"));
        assert_eq!((own.after(Some(0)).events.len(), other.after(Some(0)).events.len()), (1, 0));
        other.listen(Some(TabId(1)), kind::BASIC);
        hub.renew();
        hub.tell(TabId(1), kind::BASIC, "load", &owns, || json!({}));
        assert_eq!(other.after(Some(0)).events.len(), 1, "a tab that is named is heard of");
    }
}
