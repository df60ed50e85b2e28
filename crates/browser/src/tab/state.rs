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
    /// The parent's world in which the owner element was given this frame's number.
    pub named_in: Option<ExecutionContextId>,
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
    pub ended: Option<u64>,
    /// When the answer's headers came. A body that the page never reads has no end.
    pub answered: Option<Instant>,
    pub status: Option<u16>,
    pub error: Option<String>,
    /// Recurring before the window in which it started; not an effect.
    pub ambient: bool,
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

    /// Whether an answer is still outstanding: none came, or one came so lately that its body may still be read.
    pub fn open(&self) -> bool {
        self.ended.is_none() && self.answered.is_none_or(|at| at.elapsed() < BODY_TIME)
    }

    pub fn failed(&self) -> bool {
        self.status.is_some_and(|s| s >= 400)
            || self.error.as_deref().is_some_and(|e| e != "net::ERR_ABORTED")
    }
}

/// How long the body of an answer that has begun is waited for.
pub(crate) const BODY_TIME: Duration = Duration::from_millis(150);

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
    ConsoleError(String),
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
    pub requests: VecDeque<Request>,
    /// Starts of requests outside any window, to know what recurs.
    idle_requests: VecDeque<(String, Instant)>,
    /// Counts events; windows are ranges of it.
    pub clock: u64,
    /// Where the window that is open began.
    pub window: Option<u64>,
    /// Where the last window ended.
    pub last_window_end: u64,
    /// Main-frame navigations that were asked for and have neither committed nor failed.
    pub navigating: bool,
    /// How many documents the main frame has had.
    pub documents: u64,
    pub content_loaded: bool,
    pub loaded: bool,
    /// Set when the page stopped answering while an action was observed.
    pub unresponsive: bool,
    /// The file chooser that a click opened while choosers are intercepted.
    pub chooser: Option<(Session, Option<BackendNodeId>)>,
    /// The data of a drag that was intercepted.
    pub drag: Option<truehand_cdp::input::DragData>,
    /// Downloads by the browser's id: where they stand in the log, and the proposed name.
    pub downloads: HashMap<String, (u64, String)>,
}

const REQUEST_LIMIT: usize = 500;

/// Kinds of requests that no click is judged by.
const UNCOUNTED: &[&str] =
    &["Ping", "EventSource", "WebSocket", "Media", "Prefetch", "Preflight", "CSPViolationReport"];

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
            named_in: None,
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
            requests: VecDeque::new(),
            idle_requests: VecDeque::new(),
            clock: 0,
            window: None,
            last_window_end: 0,
            navigating: false,
            documents: 0,
            content_loaded: true,
            loaded: true,
            unresponsive: false,
            chooser: None,
            drag: None,
            downloads: HashMap::new(),
        }
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
        at
    }

    pub fn close_window(&mut self) {
        self.window = None;
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
                named_in: None,
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

    /// Frames that have a world, main frame first, then in order of appearance.
    pub fn live_frames(&self) -> Vec<Frame> {
        let mut frames: Vec<Frame> = self.frames.values().filter(|f| f.world.is_some()).cloned().collect();
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
        let key = request.key();
        let now = Instant::now();
        let window = self.window;
        self.idle_requests.retain(|(_, at)| now.duration_since(*at) < Duration::from_secs(10));
        let recurring = self.idle_requests.iter().filter(|(k, _)| *k == key).count() >= 2;
        // A poll that was in flight when the window opened and is made again when it ends.
        let in_flight_before = window.is_some_and(|from| {
            let unanswered = |r: &Request| {
                r.ended.is_none_or(|e| e >= from) && (r.answered.is_none() || r.ended.is_some())
            };
            self.requests.iter().any(|r| r.started < from && r.key() == key && unanswered(r))
        });
        request.ambient = recurring || in_flight_before;
        if window.is_none() {
            if self.idle_requests.len() == 200 {
                self.idle_requests.pop_front();
            }
            self.idle_requests.push_back((key, now));
        }
        // A redirect is the same request under the same id: it starts anew.
        self.requests.retain(|r| r.id != request.id);
        request.started = self.tick();
        if self.requests.len() == REQUEST_LIMIT {
            self.requests.pop_front();
        }
        self.requests.push_back(request);
    }

    pub fn request(&mut self, id: &RequestId) -> Option<&mut Request> {
        self.requests.iter_mut().rev().find(|r| r.id == *id)
    }

    /// Requests of the window that began at `from`, without the recurring ones.
    pub fn caused_since(&self, from: u64) -> impl Iterator<Item = &Request> {
        self.requests.iter().filter(move |r| r.started >= from && !r.ambient)
    }

    /// The main frame has a new document: requests of the old one never end by themselves.
    pub fn new_document(&mut self, loader: &LoaderId) {
        let at = self.tick();
        for request in self.requests.iter_mut().filter(|r| r.ended.is_none()) {
            if request.loader.as_ref() != Some(loader) {
                request.ended = Some(at);
                request.error.get_or_insert_with(|| "net::ERR_ABORTED".to_owned());
            }
        }
        self.idle_requests.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origin_is_scheme_host_and_port() {
        assert_eq!(origin("http://a.b:80/c?d"), "http://a.b:80");
        assert_eq!(origin("about:blank"), "about:blank");
    }
}
