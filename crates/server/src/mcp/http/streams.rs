//! What a session says to its client, kept so that a stream that was cut can be taken up again.
//!
//! Each request that came by POST has a stream: its progress, questions that belong to it, and its result.
//! Stream 0 is for all else, such as a changed list of tools; clients listen to it by GET. Nothing here waits:
//! a client that does not read holds up nobody.

use rmcp::model::{
    GetExtensions, JsonRpcMessage, ProgressToken, RequestId, ServerJsonRpcMessage, ServerNotification,
};
use rmcp::service::OriginatingRequestId;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::Instant;

/// The stream that belongs to no request.
const COMMON: u64 = 0;

/// How long what was said on a stream that has ended is kept.
const KEPT_FOR: Duration = Duration::from_mins(5);

/// How many bytes are kept of streams that have ended; the oldest go first, but never the last.
const MOST_KEPT: usize = 32 * 1024 * 1024;

/// How many events of the common stream are kept.
const MOST_COMMON: usize = 256;

/// How many requests may be open at once.
pub(crate) const MOST_OPEN: usize = 64;

/// One event of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    /// By which the client says what it has.
    pub(crate) id: String,
    /// A message; empty when the event only gives the stream's first id.
    pub(crate) data: Arc<str>,
}

/// Why a request got no stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NotBegun {
    /// A request of the same id is open.
    Twice(RequestId),
    /// Too many are open.
    TooMany,
}

/// All streams of a session.
#[derive(Default)]
pub(crate) struct Streams {
    last: u64,
    logs: BTreeMap<u64, Log>,
    requests: HashMap<RequestId, u64>,
    progress: HashMap<ProgressToken, u64>,
}

#[derive(Default)]
struct Log {
    /// The index of the first event that is kept.
    first: u64,
    events: VecDeque<Event>,
    /// Who listens, the newest last.
    readers: Vec<UnboundedSender<Event>>,
    /// The index up to which events were given to somebody.
    given: u64,
    /// Requests without their answer.
    open: Vec<RequestId>,
    tokens: Vec<ProgressToken>,
    done: Option<Instant>,
}

impl Log {
    fn next(&self) -> u64 {
        self.first + self.events.len() as u64
    }

    fn bytes(&self) -> usize {
        self.events.iter().map(|event| event.data.len()).sum()
    }

    fn push(&mut self, stream: u64, data: Arc<str>) {
        let event = Event { id: format!("{stream}-{}", self.next()), data };
        self.events.push_back(event.clone());
        // One reader gets it: the newest that is still there.
        while let Some(reader) = self.readers.last() {
            if reader.send(event.clone()).is_ok() {
                self.given = self.next();
                break;
            }
            self.readers.pop();
        }
        if stream == COMMON && self.events.len() > MOST_COMMON {
            self.events.pop_front();
            self.first += 1;
        }
    }

    /// A reader that first gets what came from `from` on.
    fn read(&mut self, from: u64) -> UnboundedReceiver<Event> {
        let (reader, events) = unbounded_channel();
        let skipped = usize::try_from(from.saturating_sub(self.first)).unwrap_or(usize::MAX);
        for event in self.events.iter().skip(skipped) {
            // The receiver is in our hand.
            drop(reader.send(event.clone()));
        }
        self.given = self.next();
        if self.done.is_none() {
            self.readers.push(reader);
        }
        events
    }
}

impl Streams {
    /// Opens a stream for requests that came together; an event at its start gives its first id when
    /// `primed`.
    pub(crate) fn begin(
        &mut self,
        requests: Vec<(RequestId, Option<ProgressToken>)>,
        primed: bool,
    ) -> Result<UnboundedReceiver<Event>, NotBegun> {
        for (at, (id, _)) in requests.iter().enumerate() {
            if self.requests.contains_key(id) || requests[..at].iter().any(|(other, _)| other == id) {
                return Err(NotBegun::Twice(id.clone()));
            }
        }
        if self.requests.len() + requests.len() > MOST_OPEN {
            return Err(NotBegun::TooMany);
        }
        self.last += 1;
        let stream = self.last;
        let mut log = Log::default();
        for (id, token) in requests {
            self.requests.insert(id.clone(), stream);
            log.open.push(id);
            if let Some(token) = token {
                self.progress.insert(token.clone(), stream);
                log.tokens.push(token);
            }
        }
        let events = log.read(0);
        if primed {
            log.push(stream, Arc::from(""));
        }
        self.logs.insert(stream, log);
        Ok(events)
    }

    /// Listens to what belongs to no request. What nobody has got yet comes first.
    pub(crate) fn listen(&mut self) -> UnboundedReceiver<Event> {
        let log = self.logs.entry(COMMON).or_default();
        log.read(log.given)
    }

    /// Takes up the stream of an event, after that event. `None` when nothing is known of it any more.
    pub(crate) fn resume(&mut self, last: &str) -> Option<UnboundedReceiver<Event>> {
        let (stream, index) = last.split_once('-')?;
        let (stream, index): (u64, u64) = (stream.parse().ok()?, index.parse().ok()?);
        let log = self.logs.get_mut(&stream)?;
        if index >= log.next() || index + 1 < log.first {
            return None;
        }
        if stream != COMMON {
            // Whoever comes back has lost the connection that he had.
            log.readers.clear();
        }
        Some(log.read(index + 1))
    }

    /// Sends a message on the stream that it belongs to. False when its request was cancelled or dropped.
    pub(crate) fn send(&mut self, message: &ServerJsonRpcMessage, data: Arc<str>) -> bool {
        let (stream, answered) = match message {
            JsonRpcMessage::Response(response) => {
                (self.requests.get(&response.id).copied(), Some(response.id.clone()))
            }
            JsonRpcMessage::Error(error) => match &error.id {
                Some(id) => (self.requests.get(id).copied(), Some(id.clone())),
                None => (Some(COMMON), None),
            },
            JsonRpcMessage::Request(request) => {
                let cause = request.request.extensions().get::<OriginatingRequestId>();
                let stream = cause.and_then(|cause| self.requests.get(&cause.0)).copied();
                (Some(stream.unwrap_or(COMMON)), None)
            }
            JsonRpcMessage::Notification(notification) => match &notification.notification {
                ServerNotification::ProgressNotification(step) => {
                    (self.progress.get(&step.params.progress_token).copied(), None)
                }
                ServerNotification::CancelledNotification(cancelled) => {
                    let request = cancelled.params.request_id.as_ref();
                    (request.and_then(|id| self.requests.get(id)).copied().or(Some(COMMON)), None)
                }
                _ => (Some(COMMON), None),
            },
        };
        let Some(stream) = stream else { return false };
        self.logs.entry(stream).or_default().push(stream, data);
        if let Some(id) = answered {
            self.answered(&id);
        }
        true
    }

    /// A request has its answer, or will never get one. A stream ends with its last request.
    pub(crate) fn answered(&mut self, id: &RequestId) {
        let Some(stream) = self.requests.remove(id) else { return };
        let Some(log) = self.logs.get_mut(&stream) else { return };
        log.open.retain(|open| open != id);
        if log.open.is_empty() {
            log.done = Some(Instant::now());
            // Ends the responses once they have written what was sent.
            log.readers.clear();
            for token in log.tokens.drain(..) {
                self.progress.remove(&token);
            }
            self.forget();
        }
    }

    /// Whether a request is open or somebody listens.
    pub(crate) fn busy(&mut self) -> bool {
        self.requests.len() + self.listeners() > 0
    }

    /// How many listen to the common stream.
    pub(crate) fn listeners(&mut self) -> usize {
        let Some(log) = self.logs.get_mut(&COMMON) else { return 0 };
        log.readers.retain(|reader| !reader.is_closed());
        log.readers.len()
    }

    /// Drops ended streams that are old, and the oldest ones when they are large.
    pub(crate) fn forget(&mut self) {
        self.logs.retain(|_, log| log.done.is_none_or(|at| at.elapsed() < KEPT_FOR));
        let ended: Vec<(u64, usize)> = self
            .logs
            .iter()
            .filter(|(_, log)| log.done.is_some())
            .map(|(n, log)| (*n, log.bytes()))
            .collect();
        let mut bytes: usize = ended.iter().map(|(_, bytes)| bytes).sum();
        let Some((_, all_but_last)) = ended.split_last() else { return };
        for (stream, size) in all_but_last {
            if bytes <= MOST_KEPT {
                break;
            }
            self.logs.remove(stream);
            bytes -= size;
        }
    }

    /// Ends all responses.
    pub(crate) fn close(&mut self) {
        *self = Streams { last: self.last, ..Streams::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn message(value: Value) -> ServerJsonRpcMessage {
        serde_json::from_value(value).unwrap()
    }

    fn result(id: u32) -> ServerJsonRpcMessage {
        message(json!({ "jsonrpc": "2.0", "id": id, "result": {} }))
    }

    fn progress(token: u32) -> ServerJsonRpcMessage {
        let params = json!({ "progressToken": token, "progress": 1 });
        message(json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params }))
    }

    fn number(id: u32) -> RequestId {
        RequestId::Number(id.into())
    }

    fn begin(streams: &mut Streams, id: u32) -> UnboundedReceiver<Event> {
        streams.begin(vec![(number(id), Some(ProgressToken(number(id))))], true).unwrap()
    }

    fn drain(events: &mut UnboundedReceiver<Event>) -> Vec<(String, String)> {
        std::iter::from_fn(|| events.try_recv().ok()).map(|e| (e.id, e.data.to_string())).collect()
    }

    fn event(id: &str, data: &str) -> (String, String) {
        (id.to_owned(), data.to_owned())
    }

    #[test]
    fn messages_go_to_the_stream_of_their_request_and_it_ends_with_the_answer() {
        let mut streams = Streams::default();
        let (mut one, mut two) = (begin(&mut streams, 1), begin(&mut streams, 2));
        assert!(streams.send(&progress(2), "p".into()));
        assert!(streams.send(&result(2), "r".into()));
        assert_eq!(drain(&mut two), [event("2-0", ""), event("2-1", "p"), event("2-2", "r")]);
        assert!(two.is_closed() && !one.is_closed());
        assert_eq!(drain(&mut one), [event("1-0", "")]);
        assert!(!streams.send(&result(2), "again".into()), "there is no such request any more");
        assert!(!streams.send(&progress(2), "late".into()));
    }

    #[test]
    fn cut_stream_gives_the_rest_once_whether_it_ended_meanwhile_or_not() {
        let mut streams = Streams::default();
        drop(begin(&mut streams, 1));
        streams.send(&progress(1), "p".into());
        let mut again = streams.resume("1-0").unwrap();
        assert_eq!(drain(&mut again), [event("1-1", "p")]);
        drop(again);
        streams.send(&result(1), "r".into());
        let mut again = streams.resume("1-1").unwrap();
        assert_eq!(drain(&mut again), [event("1-2", "r")]);
        assert!(again.is_closed());
        let mut nothing = streams.resume("1-2").unwrap();
        assert_eq!(drain(&mut nothing), []);
        for unknown in ["1-3", "9-0", "", "x", "1", "-1-0", "0-0"] {
            assert!(streams.resume(unknown).is_none(), "{unknown}");
        }
    }

    #[test]
    fn common_messages_reach_one_listener_and_wait_for_one() {
        let mut streams = Streams::default();
        let changed = message(json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" }));
        streams.send(&changed, "a".into());
        let mut first = streams.listen();
        assert_eq!(drain(&mut first), [event("0-0", "a")]);
        let mut second = streams.listen();
        streams.send(&changed, "b".into());
        assert_eq!((drain(&mut first), drain(&mut second)), (vec![], vec![event("0-1", "b")]));
        drop(second);
        streams.send(&changed, "c".into());
        assert_eq!(drain(&mut first), [event("0-2", "c")], "the one that is left");
        assert!(streams.busy());
        drop(first);
        assert!(!streams.busy());
        for _ in 0..MOST_COMMON {
            streams.send(&changed, "d".into());
        }
        assert_eq!(drain(&mut streams.resume("0-3").unwrap()).len(), MOST_COMMON - 1);
        assert!(streams.resume("0-0").is_none(), "what is gone is not passed over in silence");
    }

    #[test]
    fn request_ids_in_use_and_too_many_requests_are_refused() {
        let mut streams = Streams::default();
        let _one = begin(&mut streams, 1);
        assert_eq!(streams.begin(vec![(number(1), None)], false).unwrap_err(), NotBegun::Twice(number(1)));
        let twice = vec![(number(2), None), (number(2), None)];
        assert_eq!(streams.begin(twice, false).unwrap_err(), NotBegun::Twice(number(2)));
        let many = (2..=MOST_OPEN as u32 + 1).map(|id| (number(id), None)).collect();
        assert_eq!(streams.begin(many, false).unwrap_err(), NotBegun::TooMany);
        streams.answered(&number(1));
        let _one = begin(&mut streams, 1);
    }

    #[test]
    fn batch_ends_with_its_last_answer() {
        let mut streams = Streams::default();
        let mut both = streams.begin(vec![(number(1), None), (number(2), None)], false).unwrap();
        streams.send(&result(2), "2".into());
        assert!(!both.is_closed());
        streams.send(&result(1), "1".into());
        assert_eq!(drain(&mut both), [event("1-0", "2"), event("1-1", "1")]);
        assert!(both.is_closed());
    }

    #[tokio::test(start_paused = true)]
    async fn ended_streams_are_kept_for_a_while_and_within_their_bytes() {
        let mut streams = Streams::default();
        let large: Arc<str> = "x".repeat(MOST_KEPT / 2).into();
        for id in 1..=3 {
            drop(begin(&mut streams, id));
            streams.send(&result(id), Arc::clone(&large));
        }
        assert!(streams.resume("1-0").is_none() && streams.resume("2-0").is_some());
        assert!(streams.resume("3-0").is_some());
        tokio::time::advance(KEPT_FOR).await;
        streams.forget();
        assert!(streams.resume("3-0").is_none());
    }
}
