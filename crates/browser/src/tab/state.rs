//! What is known of a tab from its events. The pump writes it, everyone else reads it under a short lock;
//! nothing here waits.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};
use truehand_base::{Dialog, Download, RequestFact, TabFact};
use truehand_cdp::{BackendNodeId, ExecutionContextId, FrameId, LoaderId, RequestId, Session};

/// A document's frame.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    pub id: FrameId,
    pub parent: Option<FrameId>,
    /// The session that speaks for the frame: the tab's, or that of an out-of-process frame.
    pub session: Session,
    /// 0 for the main frame, else 1, 2, … in order of appearance; kept over navigations.
    pub number: u32,
    pub url: String,
    pub loader: Option<LoaderId>,
    /// Our isolated world in the current document.
    pub world: Option<ExecutionContextId>,
    /// The page's own world.
    pub page_world: Option<ExecutionContextId>,
    /// The origin of that world, as the browser writes it; `://` for one that is its own.
    pub origin: String,
    /// The parent's world in which the owner element was given this frame's number.
    pub named_in: Option<ExecutionContextId>,
    /// When it came, or came into another process.
    pub since: Instant,
    /// It runs in a process of its own and does not answer; the page around it may.
    pub mute: bool,
}

/// A dialog that is open.
#[derive(Debug, Clone)]
pub(crate) struct OpenDialog {
    pub session: Session,
    pub dialog: Dialog,
    /// Where it stands in the log, to note what became of it.
    pub log_index: u64,
}

/// An answer that was given in advance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ArmedAnswer {
    pub accept: bool,
    pub text: Option<String>,
}

/// A request as the network events tell it.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub id: RequestId,
    pub method: String,
    pub url: String,
    pub kind: String,
    /// Whether it is for the main frame's document or made by it.
    pub main: bool,
    pub loader: Option<LoaderId>,
    pub started: u64,
    pub started_at: Instant,
    pub ended: Option<u64>,
    pub ended_at: Option<Instant>,
    /// When the answer's headers came. A body that the page never reads has no end.
    pub answered: Option<Instant>,
    pub status: Option<u16>,
    pub error: Option<String>,
    /// Recurring before the window in which it started; not an effect.
    pub ambient: bool,
    /// A report or a picture, which only tells others that something was done; not an effect.
    pub beacon: bool,
}

impl Request {
    /// Requests that are the same to a poller: method, host and path.
    pub fn key(&self) -> String {
        format!("{} {}", self.method, self.url.split(['?', '#']).next().unwrap_or_default())
    }

    /// As it is reported: the host is named only when it is not the page's own.
    pub fn fact(&self, page_url: &str) -> RequestFact {
        let without_query = self.url.split(['?', '#']).next().unwrap_or_default();
        let path = if origin(without_query) == origin(page_url) {
            truehand_base::words::path_of(without_query).to_owned()
        } else {
            without_query.to_owned()
        };
        RequestFact { method: self.method.clone(), path, status: self.status, error: self.error.clone() }
    }

    /// Notes that it is over.
    pub fn end(&mut self, at: u64) {
        self.ended = Some(at);
        self.ended_at.get_or_insert_with(Instant::now);
    }

    /// Whether it is one of those that report to somebody: a ping, a picture, a call to another site whose address says so.
    pub fn reports(&self, page_url: &str) -> bool {
        match self.kind.as_str() {
            "Ping" | "Image" => true,
            "Fetch" | "XHR" => site(&self.url) != site(page_url) && names_a_tracker(&self.url),
            _ => false,
        }
    }

    /// Whether an answer is still outstanding: none came, or one came so lately that its body may still be read.
    pub fn open(&self) -> bool {
        self.ended.is_none() && self.answered.is_none_or(|at| at.elapsed() < BODY_TIME)
    }

    /// Whether a document was asked for and just now given up: what became of it, a download for one, is reported by
    /// the browser as a whole, a little later than by the page.
    pub fn given_up(&self) -> bool {
        let lately = self.ended_at.is_some_and(|at| at.elapsed() < BODY_TIME);
        self.kind == "Document" && self.main && lately && self.error.as_deref() == Some("net::ERR_ABORTED")
    }

    pub fn failed(&self) -> bool {
        self.status.is_some_and(|s| s >= 400)
            || self.error.as_deref().is_some_and(|e| e != "net::ERR_ABORTED")
    }
}

/// How long a document may take to be shown once its server has answered.
const COMMIT_TIME: Duration = Duration::from_millis(1_500);

/// How long the body of an answer that has begun is waited for.
pub(crate) const BODY_TIME: Duration = Duration::from_millis(150);

/// Words in addresses to which pages report what their visitors do.
const TRACKERS: &[&str] = &[
    "analytics",
    "beacon",
    "collect",
    "collector",
    "hit",
    "log",
    "logs",
    "matomo",
    "metrics",
    "pageview",
    "ping",
    "piwik",
    "pixel",
    "px",
    "rum",
    "segment",
    "sentry",
    "telemetry",
    "track",
    "tracker",
    "tracking",
    "trk",
];

/// Whether a word of the host or the path is that of a tracker.
fn names_a_tracker(url: &str) -> bool {
    let address = url.split_once("://").map_or(url, |(_, rest)| rest);
    let address = address.split(['?', '#']).next().unwrap_or_default().to_lowercase();
    address.split(|c: char| !c.is_alphanumeric()).any(|word| TRACKERS.contains(&word))
}

/// The part of an address that tells whether two of them are of the same people: the last two names of the host.
pub(crate) fn site(url: &str) -> &str {
    let origin = origin(url);
    let host = origin.split_once("://").map_or(origin, |(_, host)| host);
    let host = host.rsplit_once(':').map_or(host, |(name, _)| name);
    if host.parse::<std::net::Ipv4Addr>().is_ok() {
        return host;
    }
    host.rmatch_indices('.').nth(1).map_or(host, |(at, _)| &host[at + 1..])
}

/// Scheme, host and port.
pub(crate) fn origin(url: &str) -> &str {
    let Some((scheme, rest)) = url.split_once("://") else { return url };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    &url[..scheme.len() + 3 + host.len()]
}

/// A thing that happened, in the order of the events.
#[derive(Debug, Clone)]
pub(crate) enum Happening {
    Dialog(Dialog),
    Download(Download),
    TabOpened(TabFact),
    TabClosed(TabFact),
    Url { before: String, after: String, same_document: bool },
}

/// Errors that the page logged or threw since the window opened. They have a place of their own, so that no flood of them
/// pushes anything else out of the log.
#[derive(Debug, Default)]
pub(crate) struct ConsoleErrors {
    /// The first ones.
    pub listed: Vec<String>,
    /// How many came after those.
    pub left_out: u64,
}

impl ConsoleErrors {
    const LISTED: usize = 20;

    pub fn add(&mut self, text: impl FnOnce() -> String) {
        if self.listed.len() < Self::LISTED {
            self.listed.push(text());
        } else {
            self.left_out += 1;
        }
    }
}

/// The newest things that happened, each with its number.
#[derive(Debug, Default)]
pub(crate) struct Log {
    items: VecDeque<(u64, Happening)>,
}

const LOG_LIMIT: usize = 400;

impl Log {
    fn push(&mut self, at: u64, what: Happening) {
        if self.items.len() == LOG_LIMIT {
            self.items.pop_front();
        }
        self.items.push_back((at, what));
    }

    /// Changes what happened.
    pub fn each_mut(&mut self) -> impl Iterator<Item = &mut Happening> {
        self.items.iter_mut().map(|(_, what)| what)
    }

    /// What happened at or after `from`.
    pub fn since(&self, from: u64) -> impl Iterator<Item = &Happening> {
        self.items.iter().filter(move |(at, _)| *at >= from).map(|(_, what)| what)
    }

    /// The thing that was logged under this number.
    pub fn get_mut(&mut self, at: u64) -> Option<&mut Happening> {
        self.items.iter_mut().find(|(number, _)| *number == at).map(|(_, what)| what)
    }
}

/// Why a tab is closed whose browser ended.
pub(crate) const BROWSER_GONE: &str = "the browser is gone";

/// How a tab ended, when it did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Life {
    Alive,
    Crashed,
    Closed(String),
}

/// Everything that is known of a tab.
#[derive(Debug)]
pub(crate) struct TabState {
    pub life: Life,
    pub url: String,
    pub title: String,
    pub frames: HashMap<FrameId, Frame>,
    pub main_frame: FrameId,
    next_frame_number: u32,
    pub dialog: Option<OpenDialog>,
    pub armed: Option<ArmedAnswer>,
    pub log: Log,
    pub console: ConsoleErrors,
    /// Messages to the console since the browser was last told to forget their objects.
    pub console_objects: u32,
    pub requests: VecDeque<Request>,
    /// Starts of requests of this document, to know what recurs.
    starts: VecDeque<Start>,
    /// Counts events; windows are ranges of it.
    pub clock: u64,
    /// The last number that was asked to be marked among the events, and the last that came.
    pub asked_mark: u64,
    pub mark: u64,
    /// Where the window that is open began.
    pub window: Option<u64>,
    /// And when.
    window_at: Option<Instant>,
    /// Where the last window ended.
    pub last_window_end: u64,
    /// Main-frame navigations that were asked for and have neither committed nor failed.
    pub navigating: bool,
    /// When the last of them began.
    pub navigating_at: Option<Instant>,
    /// The load of the main frame that was answered last, and by whom.
    pub answered_by: Option<(LoaderId, std::net::IpAddr)>,
    /// How many documents the main frame has had.
    pub documents: u64,
    pub content_loaded: bool,
    pub loaded: bool,
    /// Set when the page stopped answering while an action was observed.
    pub unresponsive: bool,
    /// The page has been asked in vain, and has not answered anything since.
    pub silent: bool,
    /// How many elements the document of the main frame had when it had come.
    pub elements: u64,
    /// How many bytes of it came over the network.
    pub document_bytes: u64,
    /// The file chooser that a click opened while choosers are intercepted.
    pub chooser: Option<(Session, Option<BackendNodeId>)>,
    /// The data of a drag that was intercepted.
    pub drag: Option<truehand_cdp::input::DragData>,
    /// Downloads by the browser's id: where they stand in the log, and the proposed name.
    pub downloads: HashMap<String, (u64, String)>,
}

const REQUEST_LIMIT: usize = 500;
const START_LIMIT: usize = 200;
/// A request that follows the end of an equal one so soon is the next step of a long poll.
const CHAIN: Duration = Duration::from_millis(60);
/// A request that comes so soon after a window opened may be the action's own.
const PROMPT: Duration = Duration::from_millis(150);

/// How many of the last pauses between equal requests tell their pace, and how long the longest of what comes all the
/// time may be: nobody who acts does so again within it.
const PACES: usize = 6;
const INSTANT: Duration = Duration::from_millis(500);

/// When a request started, and which.
#[derive(Debug)]
struct Start {
    key: String,
    url: String,
    at: Instant,
    /// Whether nobody was acting.
    idle: bool,
}

/// Kinds of requests that no click is judged by.
const UNCOUNTED: &[&str] =
    &["EventSource", "WebSocket", "Media", "Prefetch", "Preflight", "CSPViolationReport"];

impl TabState {
    pub fn new(main_frame: FrameId, session: Session, url: String) -> Self {
        let frame = Frame {
            id: main_frame.clone(),
            parent: None,
            session,
            number: 0,
            url: url.clone(),
            loader: None,
            world: None,
            page_world: None,
            origin: String::new(),
            named_in: None,
            since: Instant::now(),
            mute: false,
        };
        TabState {
            life: Life::Alive,
            url,
            title: String::new(),
            frames: HashMap::from([(main_frame.clone(), frame)]),
            main_frame,
            next_frame_number: 1,
            dialog: None,
            armed: None,
            log: Log::default(),
            console: ConsoleErrors::default(),
            console_objects: 0,
            requests: VecDeque::new(),
            starts: VecDeque::new(),
            clock: 0,
            asked_mark: 0,
            mark: 0,
            window: None,
            window_at: None,
            last_window_end: 0,
            navigating: false,
            navigating_at: None,
            answered_by: None,
            documents: 0,
            content_loaded: true,
            loaded: true,
            unresponsive: false,
            silent: false,
            elements: 0,
            document_bytes: 0,
            chooser: None,
            drag: None,
            downloads: HashMap::new(),
        }
    }

    /// Goes on with what is known of a tab that lives in another place from now on. Its document is none of the old
    /// place's, whose requests have no end there.
    pub fn take_over(&mut self, before: &mut TabState) {
        before.new_document(&LoaderId::default());
        self.log = std::mem::take(&mut before.log);
        self.console = std::mem::take(&mut before.console);
        self.requests = std::mem::take(&mut before.requests);
        self.downloads = std::mem::take(&mut before.downloads);
        self.clock = before.clock;
        self.window = before.window;
        self.window_at = before.window_at;
        self.last_window_end = before.last_window_end;
        self.documents = before.documents + 1;
        self.next_frame_number = self.next_frame_number.max(before.next_frame_number);
        self.starts.clear();
        self.happened(Happening::Url {
            before: before.url.clone(),
            after: self.url.clone(),
            same_document: false,
        });
    }

    /// Whether another document is on its way whose server has not answered yet. The browser passes nothing on to the
    /// page meanwhile, so that its silence means nothing.
    pub fn on_its_way(&self) -> bool {
        let Some(since) = self.navigating_at.filter(|_| self.navigating) else { return false };
        let asked =
            self.requests.iter().rev().find(|r| r.main && r.kind == "Document" && r.started_at >= since);
        match asked {
            Some(request) => {
                request.answered.or(request.ended_at).is_none_or(|at| at.elapsed() < COMMIT_TIME)
            }
            None => since.elapsed() < COMMIT_TIME,
        }
    }

    /// Whether the main frame's document came in part only: nothing more of it will come, nor will it say so.
    pub fn broke_off(&self) -> bool {
        let loader = self.main().and_then(|frame| frame.loader.as_ref());
        let own = self.requests.iter().rev().find(|r| r.main && r.kind == "Document");
        own.is_some_and(|r| r.loader.as_ref() == loader && r.error.is_some())
    }

    /// Counts one event.
    pub fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    /// Logs a happening and returns its number.
    pub fn happened(&mut self, what: Happening) -> u64 {
        let at = self.tick();
        self.log.push(at, what);
        at
    }

    /// Starts a window; what is in flight or recurring now is not counted in it.
    pub fn open_window(&mut self) -> u64 {
        let at = self.tick();
        self.window = Some(at);
        self.window_at = Some(Instant::now());
        self.console = ConsoleErrors::default();
        at
    }

    pub fn close_window(&mut self) {
        self.window = None;
        self.window_at = None;
        self.last_window_end = self.tick();
    }

    /// A frame, made when it is new.
    pub fn frame_entry(&mut self, id: &FrameId, parent: Option<&FrameId>, session: &Session) -> &mut Frame {
        let number = &mut self.next_frame_number;
        self.frames.entry(id.clone()).or_insert_with(|| {
            let own = *number;
            *number += 1;
            Frame {
                id: id.clone(),
                parent: parent.cloned(),
                session: session.clone(),
                number: own,
                url: String::new(),
                loader: None,
                world: None,
                page_world: None,
                origin: String::new(),
                named_in: None,
                since: Instant::now(),
                mute: false,
            }
        })
    }

    /// Forgets a frame and all beneath it.
    pub fn drop_frame(&mut self, id: &FrameId) {
        let children: Vec<FrameId> =
            self.frames.values().filter(|f| f.parent.as_ref() == Some(id)).map(|f| f.id.clone()).collect();
        for child in children {
            self.drop_frame(&child);
        }
        if *id != self.main_frame {
            self.frames.remove(id);
        }
    }

    /// The main frame.
    pub fn main(&self) -> Option<&Frame> {
        self.frames.get(&self.main_frame)
    }

    /// Frames that have a world and answer, main frame first, then in order of appearance.
    pub fn live_frames(&self) -> Vec<Frame> {
        let mut frames: Vec<Frame> =
            self.frames.values().filter(|f| f.world.is_some() && !f.mute).cloned().collect();
        frames.sort_by_key(|f| f.number);
        frames
    }

    /// A request started.
    pub fn request_started(&mut self, mut request: Request) {
        // The icon of a site is the browser's own wish, not the page's.
        let icon = request.kind == "Other" && request.url.ends_with("/favicon.ico");
        if icon || UNCOUNTED.contains(&request.kind.as_str()) || request.url.starts_with("data:") {
            return;
        }
        // Another program is asked to take a mail or a call: nothing is sent, and nothing on the page can tell.
        if !request.url.starts_with("http")
            && !request.url.starts_with("blob:")
            && !request.url.starts_with("file:")
        {
            return;
        }
        request.beacon = request.reports(&self.url);
        request.ambient = self.recurs(&request);
        if self.starts.len() == START_LIMIT {
            self.starts.pop_front();
        }
        self.starts.push_back(Start {
            key: request.key(),
            url: request.url.clone(),
            at: request.started_at,
            idle: self.window.is_none(),
        });
        // A redirect is the same request under the same id: it starts anew.
        let replaced = self.requests.iter().position(|r| r.id == request.id);
        if let Some(at) = replaced {
            // What was sent and answered with a redirect stays on the record.
            if self.requests[at].method == request.method && request.method == "GET" {
                self.requests.remove(at);
            } else {
                self.requests[at].id = RequestId::default();
            }
        }
        request.started = self.tick();
        if self.requests.len() == REQUEST_LIMIT {
            self.requests.pop_front();
        }
        self.requests.push_back(request);
    }

    /// Whether a request would have come without the action too: it is one that polls.
    fn recurs(&self, request: &Request) -> bool {
        let key = request.key();
        let now = request.started_at;
        // One that was in flight when the window opened and is made again when it ends.
        let chained = request.method == "GET"
            && self.window.is_some_and(|from| {
                let equal =
                    self.requests.iter().filter(|r| (r.started < from || r.ambient) && r.key() == key);
                equal.filter_map(|r| r.ended_at.or(r.answered)).any(|end| now.duration_since(end) < CHAIN)
            });
        if chained {
            return true;
        }
        let known: Vec<&Start> = self.starts.iter().filter(|s| s.key == key).collect();
        // What the input itself causes comes at once, or after the pause that waits for more typing.
        let prompt = self.window_at.is_some_and(|at| now.duration_since(at) < PROMPT);
        if let [.., first, second] = known.as_slice() {
            let (before, after) = (second.at - first.at, now - second.at);
            let slack = before.max(after) / if prompt { 5 } else { 2 };
            if before.abs_diff(after) <= slack && (!prompt || first.idle || second.idle) {
                return true;
            }
        }
        // One that came several times by itself within an instant goes on, however unevenly on a busy machine.
        let gaps = known.windows(2).rev().filter(|pair| pair.iter().all(|start| start.idle));
        let gaps: Vec<Duration> = gaps.take(PACES).map(|pair| pair[1].at - pair[0].at).collect();
        if let (Some(slowest), Some(last)) = (gaps.iter().max(), known.last())
            && gaps.len() >= PACES / 2
            && *slowest <= INSTANT
            && now - last.at <= *slowest * 2
        {
            return true;
        }
        request.method == "GET" && !prompt && known.iter().any(|s| s.idle && s.url == request.url)
    }

    pub fn request(&mut self, id: &RequestId) -> Option<&mut Request> {
        self.requests.iter_mut().rev().find(|r| r.id == *id)
    }

    /// Requests of the window that began at `from`, without the recurring ones and those that only report.
    pub fn caused_since(&self, from: u64) -> impl Iterator<Item = &Request> {
        self.requests.iter().filter(move |r| r.started >= from && !r.ambient && !r.beacon)
    }

    /// Reports and pictures of the window that began at `from`.
    pub fn beacons_since(&self, from: u64) -> impl Iterator<Item = &Request> {
        self.requests.iter().filter(move |r| r.started >= from && !r.ambient && r.beacon)
    }

    /// The main frame has a new document: requests of the old one never end by themselves.
    pub fn new_document(&mut self, loader: &LoaderId) {
        let at = self.tick();
        for request in self.requests.iter_mut().filter(|r| r.ended.is_none()) {
            if request.loader.as_ref() != Some(loader) {
                request.end(at);
                request.error.get_or_insert_with(|| "net::ERR_ABORTED".to_owned());
            }
        }
        self.starts.clear();
        self.elements = 0;
        self.document_bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn site_is_the_last_two_names_or_the_address() {
        assert_eq!(site("https://api.example.com:8080/x"), "example.com");
        assert_eq!(site("http://localhost:1/x"), "localhost");
        assert_eq!(site("http://127.0.0.1:1/x"), "127.0.0.1");
    }

    #[test]
    fn names_a_tracker_looks_at_whole_words_of_host_and_path() {
        assert!(names_a_tracker("https://www.google-analytics.com/g/collect?v=2"));
        assert!(!names_a_tracker("https://shop.example/accounts/discount?log=1"));
    }

    #[test]
    fn origin_is_scheme_host_and_port() {
        assert_eq!(origin("http://a.b:80/c?d"), "http://a.b:80");
        assert_eq!(origin("about:blank"), "about:blank");
    }
}
