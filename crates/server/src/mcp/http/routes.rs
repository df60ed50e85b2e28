//! What each request means once it was admitted.

use super::guard::Guard;
use super::refusal::{INVALID_REQUEST, PARSE_ERROR, Refusal, json_response};
use super::session::{Incoming, Session};
use super::sessionless::{Sessionless, is_sessionless};
use super::sessions::Sessions;
use super::streams::{Event, MOST_OPEN, NotBegun};
use super::{HttpClient, PATH};
use crate::mcp::Server;
use crate::mcp::salvage::request_id;
use axum::body::{Body, to_bytes};
use axum::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use rmcp::model::ProtocolVersion;
use serde_json::Value;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;
use truehand_base::{ErrorBody, ErrorCode};

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

/// The first protocol whose clients take an event without a message.
const PRIMED_FROM: &str = "2025-11-25";

/// The largest body, in bytes.
const MOST_BODY: usize = 16 * 1024 * 1024;

/// How long a body may take to come.
const BODY_LIMIT: Duration = Duration::from_secs(30);

/// How long a handshake may take; it waits for nothing but us.
const HANDSHAKE_LIMIT: Duration = Duration::from_secs(10);

/// How often a silent stream says that it is there, which also shows whether the client is.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The endpoint.
pub(crate) struct Routes<S> {
    guard: Guard,
    clients: Arc<dyn Fn() -> HttpClient<S> + Send + Sync>,
    sessions: Sessions,
    sessionless: Sessionless<S>,
    idle: Duration,
}

impl<S: Server> Routes<S> {
    pub(crate) fn new(
        guard: Guard,
        clients: Arc<dyn Fn() -> HttpClient<S> + Send + Sync>,
        idle: Duration,
    ) -> Self {
        Routes { guard, clients, sessions: Sessions::new(), sessionless: Sessionless::new(), idle }
    }

    /// Lets sessions end that nobody uses; never comes back.
    pub(crate) async fn sweep(&self) {
        let pause = (self.idle / 4).clamp(Duration::from_millis(20), Duration::from_secs(10));
        loop {
            tokio::time::sleep(pause).await;
            self.sessions.sweep(self.idle);
            self.sessionless.sweep(self.idle).await;
        }
    }

    /// Ends all sessions.
    pub(crate) async fn end(&self) {
        tokio::join!(self.sessions.end(), self.sessionless.end());
    }

    /// Answers one request.
    pub(crate) async fn answer(&self, request: Request<Body>) -> Response<Body> {
        let (head, body) = request.into_parts();
        let answered = match self.guard.admit(&head) {
            Ok(()) => self.route(head, body).await,
            Err(refusal) => Err(refusal),
        };
        answered.unwrap_or_else(|refusal| {
            tracing::warn!(status = refusal.status.as_u16(), error = %refusal.error, "a request was refused");
            refusal.into_response()
        })
    }

    async fn route(&self, head: Parts, body: Body) -> Result<Response<Body>, Refusal> {
        if head.uri.path() != PATH {
            let message = format!("there is nothing here; MCP is at {PATH}");
            return Err(Refusal::form(
                StatusCode::NOT_FOUND,
                message,
                "use the address that the server printed",
            ));
        }
        let version = known_version(&head.headers)?;
        match head.method {
            Method::POST => {
                let read = tokio::time::timeout(BODY_LIMIT, to_bytes(body, MOST_BODY)).await;
                let bytes = match read {
                    Ok(Ok(bytes)) => bytes,
                    Ok(Err(error)) => return Err(unread(&error)),
                    Err(_) => {
                        let message = "the body did not come in time";
                        return Err(Refusal::form(StatusCode::REQUEST_TIMEOUT, message, "send it whole"));
                    }
                };
                self.post(head, bytes, version).await
            }
            Method::GET => self.get(&head.headers),
            Method::DELETE => {
                self.session(&head.headers)?.end();
                let mut done = Response::new(Body::empty());
                *done.status_mut() = StatusCode::NO_CONTENT;
                Ok(done)
            }
            _ => Err(Refusal::method()),
        }
    }

    async fn post(
        &self,
        head: Parts,
        bytes: axum::body::Bytes,
        version: Option<String>,
    ) -> Result<Response<Body>, Refusal> {
        if !accepts(&head.headers, "application/json") || !accepts(&head.headers, "text/event-stream") {
            let next = "send Accept: application/json, text/event-stream";
            return Err(Refusal::form(
                StatusCode::NOT_ACCEPTABLE,
                "the client takes no stream of events",
                next,
            ));
        }
        let value: Value = serde_json::from_slice(&bytes).map_err(|error| {
            let next = "send one JSON-RPC message: JSON in UTF-8, nested at most 127 deep, with whole surrogate pairs";
            Refusal::form(StatusCode::BAD_REQUEST, format!("the body is not JSON: {error}"), next)
                .of_message(request_id(&bytes), PARSE_ERROR)
        })?;
        if is_sessionless(&value, version.as_deref()) {
            let answered =
                self.sessionless.answer(Request::from_parts(head, bytes), &value, || (self.clients)()).await;
            return answered.map_err(too_many);
        }
        if value["method"] == "initialize" && !head.headers.contains_key(SESSION) {
            return self.initialize(value).await;
        }
        let session = self.session(&head.headers)?;
        let primed = version.is_some_and(|version| version.as_str() >= PRIMED_FROM);
        match session.take(messages(value)?, primed) {
            Ok(Some(events)) => Ok(stream(events)),
            Ok(None) => {
                let mut accepted = Response::new(Body::empty());
                *accepted.status_mut() = StatusCode::ACCEPTED;
                Ok(accepted)
            }
            Err(reason) => Err(not_begun(&reason)),
        }
    }

    async fn initialize(&self, value: Value) -> Result<Response<Body>, Refusal> {
        let messages = messages(value)?;
        let (id, session) = self.sessions.begin(|| (self.clients)()).map_err(too_many)?;
        let broken = |session: &Session, message: &str| {
            session.end();
            let error = ErrorBody::new(ErrorCode::Internal, message);
            Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, error)
        };
        let events = session.take(messages, false).map_err(|reason| not_begun(&reason))?;
        let Some(mut events) = events else {
            return Err(broken(&session, "the handshake was no request"));
        };
        let Ok(Some(event)) = tokio::time::timeout(HANDSHAKE_LIMIT, events.recv()).await else {
            return Err(broken(&session, "the handshake got no answer"));
        };
        let mut response = json_response(StatusCode::OK, event.data.to_string());
        let refused =
            serde_json::from_str::<Value>(&event.data).is_ok_and(|answer| answer.get("error").is_some());
        match HeaderValue::from_str(&id) {
            Ok(id) if !refused => drop(response.headers_mut().insert(SESSION, id)),
            _ => session.end(),
        }
        Ok(response)
    }

    fn get(&self, headers: &HeaderMap) -> Result<Response<Body>, Refusal> {
        if !accepts(headers, "text/event-stream") {
            let next = "send Accept: text/event-stream";
            return Err(Refusal::form(
                StatusCode::NOT_ACCEPTABLE,
                "the client takes no stream of events",
                next,
            ));
        }
        let session = self.session(headers)?;
        let events = match headers.get(LAST_EVENT).map(HeaderValue::to_str) {
            None => {
                session.listens();
                session.streams().listen()
            }
            Some(last) => {
                let events = last.ok().and_then(|last| session.streams().resume(last));
                events.ok_or_else(|| {
                    let next = "look at the page before repeating a call whose result was lost";
                    let message = "what came after this Last-Event-ID is not kept any more";
                    Refusal::form(StatusCode::NOT_FOUND, message, next)
                })?
            }
        };
        if session.has_ended() {
            return Err(Refusal::session());
        }
        Ok(stream(events))
    }

    fn session(&self, headers: &HeaderMap) -> Result<Arc<Session>, Refusal> {
        let Some(id) = headers.get(SESSION) else {
            let next = "send initialize first, then its Mcp-Session-Id with every request";
            return Err(Refusal::form(StatusCode::BAD_REQUEST, "the request names no session", next));
        };
        let session = id.to_str().ok().and_then(|id| self.sessions.find(id));
        let session = session.ok_or_else(Refusal::session)?;
        session.touch();
        Ok(session)
    }
}

/// The protocol's version that the request names; without one it is of the first that came over HTTP.
fn known_version(headers: &HeaderMap) -> Result<Option<String>, Refusal> {
    let Some(given) = headers.get(VERSION) else { return Ok(None) };
    let known = ProtocolVersion::KNOWN_VERSIONS.iter().find(|known| given == known.as_str());
    let known = known.ok_or_else(|| {
        let all: Vec<&str> = ProtocolVersion::KNOWN_VERSIONS.iter().map(ProtocolVersion::as_str).collect();
        let next = format!("use the version that initialize gave; known are {}", all.join(", "));
        Refusal::form(StatusCode::BAD_REQUEST, "the MCP-Protocol-Version is not known", &next)
    })?;
    Ok(Some(known.as_str().to_owned()))
}

/// Whether the client takes a kind of body.
fn accepts(headers: &HeaderMap, kind: &str) -> bool {
    if !headers.contains_key(ACCEPT) {
        return true;
    }
    let family = kind.split('/').next().unwrap_or_default();
    let entries = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    entries.flat_map(|value| value.split(',')).any(|entry| {
        let mut parts = entry.split(';').map(str::trim);
        let named = parts.next().unwrap_or_default().to_ascii_lowercase();
        let refused = parts.any(|part| matches!(part, "q=0" | "q=0.0" | "q=0.00" | "q=0.000"));
        !refused && (named == kind || named == "*/*" || named == format!("{family}/*"))
    })
}

/// The messages of a body. One protocol version (2025-03-26) has batches.
fn messages(value: Value) -> Result<Vec<Incoming>, Refusal> {
    let values = match value {
        Value::Array(values) => values,
        value => vec![value],
    };
    let wrong = |id: Value, message: String| {
        Refusal::form(StatusCode::BAD_REQUEST, message, "send JSON-RPC 2.0").of_message(id, INVALID_REQUEST)
    };
    if values.is_empty() {
        return Err(wrong(Value::Null, "the batch is empty".to_owned()));
    }
    let batch = values.len() > 1;
    let read = values.into_iter().map(|value| {
        let id = value.get("id").filter(|id| id.is_string() || id.is_number()).cloned().unwrap_or_default();
        if batch && value["method"] == "initialize" {
            return Err(wrong(id, "initialize comes alone".to_owned()));
        }
        serde_json::from_value(value).map_err(|error| wrong(id, format!("not a JSON-RPC message: {error}")))
    });
    read.collect()
}

/// A response that sends events until their stream ends.
fn stream(events: UnboundedReceiver<Event>) -> Response<Body> {
    let parts = futures::stream::unfold(events, async |mut events| {
        let part = match tokio::time::timeout(KEEP_ALIVE, events.recv()).await {
            // Messages are JSON on one line.
            Ok(Some(event)) => format!("id: {}\ndata: {}\n\n", event.id, event.data),
            Ok(None) => return None,
            Err(_) => ":\n\n".to_owned(),
        };
        Some((Ok::<_, Infallible>(part), events))
    });
    let mut response = Response::new(Body::from_stream(parts));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn not_begun(reason: &NotBegun) -> Refusal {
    match reason {
        NotBegun::Twice(id) => {
            let next = "give each request an id of its own";
            let message = format!("a request with the id {id} is still open");
            let id = serde_json::to_value(id).unwrap_or_default();
            Refusal::form(StatusCode::BAD_REQUEST, message, next).of_message(id, INVALID_REQUEST)
        }
        NotBegun::TooMany => {
            let message = format!("{MOST_OPEN} requests of the session are open, and no more can be");
            too_many(ErrorBody::new(ErrorCode::RateLimited, message).next("wait for answers, then go on"))
        }
    }
}

fn too_many(error: ErrorBody) -> Refusal {
    let status = match error.code {
        ErrorCode::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    Refusal::new(status, error)
}

fn unread(error: &axum::Error) -> Refusal {
    let limited = {
        let mut source: Option<&dyn std::error::Error> = Some(error);
        let mut found = false;
        while let Some(error) = source {
            found |= error.to_string().contains("length limit");
            source = error.source();
        }
        found
    };
    if limited {
        let message = format!("the body is larger than {MOST_BODY} bytes");
        Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, ErrorBody::new(ErrorCode::ArgumentTooLarge, message))
    } else {
        Refusal::form(StatusCode::BAD_REQUEST, format!("the body broke off: {error}"), "send it whole")
    }
}
