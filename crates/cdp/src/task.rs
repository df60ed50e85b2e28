//! The task that owns a connection: its transport, its pending calls and its routes.
//!
//! It takes a closed set of inputs and waits for nothing else. Everything it does with one is done at once.

use crate::domains::{inspector, runtime, target};
use crate::transport::Transport;
use crate::{CdpError, CdpEvent, Event, SessionId, json};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use tokio::sync::{mpsc, oneshot, watch};

/// What the task can be told.
#[derive(Debug)]
pub(crate) enum Input {
    /// A message from the browser.
    Received(Vec<u8>),
    /// A command to write, and where its answer goes.
    Call {
        id: u64,
        session: Option<SessionId>,
        method: Cow<'static, str>,
        message: Vec<u8>,
        reply: oneshot::Sender<Result<Box<RawValue>, CdpError>>,
    },
    /// Nobody waits for this call any more.
    Forget { id: u64 },
    /// Events of this session and of those beneath it go there.
    Route { session: SessionId, events: mpsc::UnboundedSender<Event> },
    /// This session and those beneath it have no routes of their own any more.
    Unroute { session: SessionId },
    /// The session's pending calls will not be answered.
    FailPending { session: Option<SessionId>, reason: String },
    /// An event of our own, after all that has come so far.
    Mark { session: SessionId, number: u64 },
    /// Whether lines that the pages of this session and of those beneath it print are passed on whole.
    Whole { session: SessionId, whole: bool },
    /// Drop the transport.
    Close,
}

/// A message from the browser: an answer when it has an id, else an event.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Envelope<'a> {
    id: Option<u64>,
    method: Option<String>,
    session_id: Option<SessionId>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ProtocolError {
    code: i64,
    message: String,
    data: Option<Value>,
}

/// Where each command and answer is noted, by number and method, never with what it carries: parameters may hold what
/// a user typed.
const WIRE: &str = "truehand_cdp::wire";

/// The method of the event that [`crate::Connection::mark`] sends; no browser sends one of this name.
pub const MARK: &str = "Truehand.mark";

/// The protocol's number for a session that the browser does not know.
const SESSION_NOT_FOUND: i64 = -32001;

struct Call {
    session: Option<SessionId>,
    method: Cow<'static, str>,
    reply: oneshot::Sender<Result<Box<RawValue>, CdpError>>,
}

struct State {
    outgoing: mpsc::UnboundedSender<Vec<u8>>,
    unrouted: mpsc::UnboundedSender<Event>,
    pending: HashMap<u64, Call>,
    routes: HashMap<SessionId, mpsc::UnboundedSender<Event>>,
    /// Which session each session was attached beneath; those attached by the browser itself are not here.
    parents: HashMap<SessionId, SessionId>,
    /// Sessions of whose pages somebody wants to read every line.
    whole: HashSet<SessionId>,
}

/// Runs a connection until its transport ends, it is closed, or nobody holds a handle any more.
pub(crate) async fn run(
    mut inputs: mpsc::UnboundedReceiver<Input>,
    mut transport: Transport,
    outgoing: mpsc::UnboundedSender<Vec<u8>>,
    unrouted: mpsc::UnboundedSender<Event>,
    ending: watch::Sender<Option<String>>,
) {
    let mut state = State {
        outgoing,
        unrouted,
        pending: HashMap::new(),
        routes: HashMap::new(),
        parents: HashMap::new(),
        whole: HashSet::new(),
    };
    let reason = loop {
        tokio::select! {
            biased;
            input = inputs.recv() => match input {
                Some(Input::Close) => break "it was closed here".to_owned(),
                Some(input) => state.take(input),
                None => break "every handle was dropped".to_owned(),
            },
            Some(end) = transport.join_next() => {
                // What came before the end is still to be delivered.
                while let Ok(input) = inputs.try_recv() {
                    state.take(input);
                }
                break end.unwrap_or_else(|error| format!("the transport failed: {error}"));
            }
        }
    };
    tracing::debug!(%reason, "the connection to the browser has ended");
    // The reason comes first: who sees the channels end looks it up.
    ending.send_replace(Some(reason));
    drop(transport);
}

impl State {
    fn take(&mut self, input: Input) {
        match input {
            Input::Received(message) => self.receive(&message),
            Input::Call { id, session, method, message, reply } => {
                tracing::trace!(target: WIRE, sent = id, %method);
                self.pending.insert(id, Call { session, method, reply });
                // A writer that has ended also ends this task, which fails the call.
                drop(self.outgoing.send(message));
            }
            Input::Forget { id } => drop(self.pending.remove(&id)),
            Input::Route { session, events } => drop(self.routes.insert(session, events)),
            Input::Unroute { session } => {
                for session in self.with_descendants(&session) {
                    self.routes.remove(&session);
                }
            }
            Input::Mark { session, number } => {
                self.deliver(Event {
                    session: Some(session),
                    method: MARK.to_owned(),
                    params: number.into(),
                });
            }
            Input::Whole { session, whole: true } => drop(self.whole.insert(session)),
            Input::Whole { session, whole: false } => drop(self.whole.remove(&session)),
            Input::FailPending { session, reason } => self.fail(|of| of == session.as_ref(), &reason),
            // Taken by the loop; here only while the rest of an ended connection is read.
            Input::Close => {}
        }
    }

    fn receive(&mut self, message: &[u8]) {
        let envelope: Envelope<'_> = match serde_json::from_slice(message) {
            Ok(envelope) => envelope,
            Err(error) => {
                tracing::warn!(bytes = message.len(), %error, "a message of the browser is not understood; skipped");
                return;
            }
        };
        match (envelope.id, envelope.method) {
            (Some(id), _) => self.answer(id, envelope.result, envelope.error),
            (None, Some(method)) => self.event(method, envelope.session_id, envelope.params),
            (None, None) => {
                let error = envelope.error.map(RawValue::get);
                tracing::warn!(error, "a message of the browser is neither answer nor event; skipped");
            }
        }
    }

    fn answer(&mut self, id: u64, result: Option<&RawValue>, error: Option<&RawValue>) {
        let Some(call) = self.pending.remove(&id) else {
            tracing::trace!(id, "an answer that nobody waits for");
            return;
        };
        tracing::trace!(target: WIRE, answered = id, method = %call.method);
        let answer = match (result, error) {
            (_, Some(error)) => Err(read_error(&call.method, error)),
            (Some(result), None) => Ok(result.to_owned()),
            (None, None) => Err(CdpError::Malformed {
                method: call.method.into_owned(),
                message: "the answer has neither result nor error".to_owned(),
            }),
        };
        // A caller that has just gone away needs no answer.
        drop(call.reply.send(answer));
    }

    fn event(&mut self, method: String, session: Option<SessionId>, params: Option<&RawValue>) {
        let whole = !self.whole.is_empty()
            && session.as_ref().is_some_and(|session| self.lineage(session).any(|s| self.whole.contains(s)));
        let kind = |params: &RawValue| if whole { None } else { chatter(&method, params) };
        let read = |params: &RawValue| kind(params).map_or_else(|| json::read(params.get()), Ok);
        let params = match params.map_or(Ok(Value::Null), read) {
            Ok(params) => params,
            Err(error) => {
                tracing::warn!(method, %error, "an event is not understood; skipped");
                return;
            }
        };
        let event = Event { session, method, params };
        match event.method.as_str() {
            target::AttachedToTarget::METHOD => {
                if let (Some(child), Some(parent)) = (named_session(&event), &event.session) {
                    self.adopt(child, parent.clone());
                }
                self.deliver(event);
            }
            target::DetachedFromTarget::METHOD => {
                let gone = named_session(&event);
                if let Some(gone) = &gone {
                    self.tell_detached(gone, &event);
                }
                self.deliver(event);
                if let Some(gone) = gone {
                    self.forget_session(&gone);
                }
            }
            inspector::TargetCrashed::METHOD => {
                let crashed = event.session.clone();
                self.deliver(event);
                let gone = crashed.map(|session| self.with_descendants(&session)).unwrap_or_default();
                self.fail(|of| of.is_some_and(|of| gone.contains(of)), "its page crashed");
            }
            _ => self.deliver(event),
        }
    }

    fn deliver(&self, event: Event) {
        let route = event.session.as_ref().and_then(|session| self.route_of(session));
        // A stream that was dropped wants no events.
        drop(route.unwrap_or(&self.unrouted).send(event));
    }

    /// Gives the event of a detach to the stream of the session that is gone, unless it goes there anyway.
    fn tell_detached(&self, gone: &SessionId, event: &Event) {
        let Some(own) = self.routes.get(gone) else {
            return;
        };
        let usual = event.session.as_ref().and_then(|session| self.route_of(session));
        if !usual.is_some_and(|usual| usual.same_channel(own)) {
            drop(own.send(event.clone()));
        }
    }

    /// The route of the session or of the nearest session above that has one.
    fn route_of(&self, session: &SessionId) -> Option<&mpsc::UnboundedSender<Event>> {
        self.lineage(session).find_map(|session| self.routes.get(session))
    }

    /// The session and those above it, nearest first.
    fn lineage<'a>(&'a self, session: &'a SessionId) -> impl Iterator<Item = &'a SessionId> {
        std::iter::successors(Some(session), |session| self.parents.get(session))
    }

    fn adopt(&mut self, child: SessionId, parent: SessionId) {
        // A circle, which no browser sends, would make every walk upwards endless.
        if self.lineage(&parent).any(|above| *above == child) {
            tracing::warn!(%child, %parent, "a session can't be attached beneath itself; skipped");
        } else {
            self.parents.insert(child, parent);
        }
    }

    fn with_descendants(&self, session: &SessionId) -> Vec<SessionId> {
        let below =
            self.parents.keys().filter(|other| self.lineage(other).skip(1).any(|above| above == session));
        std::iter::once(session).chain(below).cloned().collect()
    }

    fn forget_session(&mut self, session: &SessionId) {
        let gone = self.with_descendants(session);
        for session in &gone {
            self.routes.remove(session);
            self.parents.remove(session);
            self.whole.remove(session);
        }
        self.fail(|of| of.is_some_and(|of| gone.contains(of)), "it was detached");
    }

    fn fail(&mut self, concerned: impl Fn(Option<&SessionId>) -> bool, reason: &str) {
        for (_, call) in self.pending.extract_if(|_, call| concerned(call.session.as_ref())) {
            drop(call.reply.send(Err(CdpError::SessionGone { reason: reason.to_owned() })));
        }
    }
}

/// What is kept of a line that a page printed and that is no warning: its kind. A page may print thousands a second, and to
/// make values of what they hold would cost more than all else that a connection does.
fn chatter(method: &str, params: &RawValue) -> Option<Value> {
    if method != runtime::ConsoleApiCalled::METHOD {
        return None;
    }
    let (kind, _) = params.get().strip_prefix(r#"{"type":""#)?.split_once('"')?;
    matches!(kind, "log" | "debug" | "info").then(|| serde_json::json!({ "type": kind }))
}

/// The session that an event of the Target domain is about.
fn named_session(event: &Event) -> Option<SessionId> {
    event.params.get("sessionId").and_then(Value::as_str).map(SessionId::from)
}

fn read_error(method: &str, error: &RawValue) -> CdpError {
    match json::read::<ProtocolError>(error.get()) {
        Ok(error) if error.code == SESSION_NOT_FOUND => CdpError::SessionGone { reason: error.message },
        Ok(error) => CdpError::Protocol {
            method: method.to_owned(),
            code: error.code,
            message: error.message,
            data: error.data,
        },
        Err(error) => CdpError::Malformed {
            method: method.to_owned(),
            message: format!("the browser's error does not have the expected form: {error}"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn call_that_its_caller_dropped_leaves_no_entry() {
        let (outgoing, _to_write) = mpsc::unbounded_channel();
        let (unrouted, _events) = mpsc::unbounded_channel();
        let mut state = State {
            outgoing,
            unrouted,
            pending: HashMap::new(),
            routes: HashMap::new(),
            parents: HashMap::new(),
            whole: HashSet::new(),
        };
        for id in [1, 2] {
            let (reply, _answer) = oneshot::channel();
            let method = Cow::Borrowed("A.act");
            state.take(Input::Call { id, session: None, method, message: Vec::new(), reply });
        }
        state.take(Input::Forget { id: 1 });
        assert_eq!(state.pending.keys().collect::<Vec<_>>(), [&2]);
    }
}
