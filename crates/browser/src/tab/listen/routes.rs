//! Requests that are held until somebody says what becomes of them. One that nobody answers is let go.

use super::network;
use crate::errors::from_cdp;
use crate::tab::{Tab, TabInner, lock};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use truehand_base::{CallCtx, ErrorBody, ErrorCode};
use truehand_cdp::fetch::{self, HeaderEntry};
use truehand_cdp::{self as cdp, Event, RequestId, Session};

/// How long a request is held at most.
const HELD: Duration = Duration::from_secs(30);

/// How often it is looked whether one is.
const STEP: Duration = Duration::from_secs(1);

/// The longest body of an answer that is given to a script, in bytes.
const BODY: usize = 32 << 20;

/// The requests of a tab that are held.
#[derive(Default)]
pub(super) struct Held {
    last: u64,
    requests: HashMap<u64, Request>,
    /// Whether somebody sees to it that none is held too long.
    watched: bool,
}

struct Request {
    session: Session,
    id: RequestId,
    since: Instant,
    url: String,
    method: String,
    kind: String,
    /// Whether its answer has come.
    answered: bool,
    /// Who waits for that.
    waiter: Option<oneshot::Sender<Head>>,
}

/// The head of an answer that is held.
struct Head {
    status: i64,
    text: String,
    headers: Vec<(String, String)>,
    failed: Option<String>,
}

/// A request that is held, as far as the gate wants to know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldRequest {
    /// The address.
    pub url: String,
    /// The method.
    pub method: String,
    /// `Document`, `Script`, `XHR` and so on.
    pub kind: String,
}

/// What a request is changed to; what is left out stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// The address.
    pub url: Option<String>,
    /// The method.
    pub method: Option<String>,
    /// All header fields.
    pub headers: Option<Vec<(String, String)>>,
    /// The body in base64.
    pub body: Option<String>,
}

/// What becomes of a request that is held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// It goes on.
    Continue(Changes),
    /// It is answered in the place of its server.
    Fulfill {
        /// The status.
        status: i64,
        /// The status in words.
        text: Option<String>,
        /// Header fields.
        headers: Vec<(String, String)>,
        /// The body in base64.
        body: Option<String>,
    },
    /// It fails.
    Abort {
        /// How, in the protocol's words.
        reason: String,
    },
    /// It goes on, and its answer is given to the caller and held.
    Fetch(Changes),
}

/// The answer of a server that is held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// The status.
    pub status: i64,
    /// The status in words.
    pub text: String,
    /// Header fields.
    pub headers: Vec<(String, String)>,
    /// The body in base64.
    pub body: String,
}

fn gone() -> ErrorBody {
    ErrorBody::new(
        ErrorCode::RequestGone,
        "this request is not held: it was answered, let go, or its page was left",
    )
}

fn entries(headers: Vec<(String, String)>) -> Vec<HeaderEntry> {
    headers.into_iter().map(|(name, value)| HeaderEntry { name, value }).collect()
}

fn let_go(session: &Session, id: RequestId) {
    drop(session.start(fetch::ContinueRequest { request_id: id, ..Default::default() }));
}

impl TabInner {
    pub(super) fn hear_paused(&self, session: &Session, event: &Event) {
        let paused = match event.parse::<fetch::RequestPaused>() {
            Some(Ok(paused)) => paused,
            Some(Err(error)) => {
                tracing::warn!("a held request could not be read: {error}");
                return;
            }
            None => return,
        };
        let answered = paused.response_status_code.is_some() || paused.response_error_reason.is_some();
        if answered && self.give_head(session, &paused) {
            return;
        }
        let mut feeds = self.listening.hub.of(&|client| self.is_of(client));
        feeds.retain(|(feed, own)| !feed.routes(self.id, *own).is_empty());
        if feeds.is_empty() {
            let_go(session, paused.request_id);
            return;
        }
        let number = {
            let mut held = lock(&self.listening.held);
            held.last += 1;
            let number = held.last;
            let request = Request {
                session: session.clone(),
                id: paused.request_id.clone(),
                since: Instant::now(),
                url: paused.request.url.clone(),
                method: paused.request.method.clone(),
                kind: paused.resource_type.clone(),
                answered,
                waiter: None,
            };
            held.requests.insert(number, request);
            if !std::mem::replace(&mut held.watched, true) {
                tokio::spawn(watch(Arc::clone(&self.listening.held)));
            }
            number
        };
        let params = &event.params;
        let mut told = network::request("", &params["request"], &params["resourceType"]);
        // Held requests of `fetch` are called XHR; the network's own word is the finer one.
        let known =
            paused.network_id.as_ref().and_then(|id| self.with(|s| s.request(id).map(|r| r.kind.clone())));
        if let Some(kind) = known {
            told["resource_type"] = json!(kind.to_ascii_lowercase());
        }
        told["request"] = json!(format!("p{number}"));
        told["network_request"] = params["networkId"].clone();
        told["frame"] = params["frameId"].clone();
        told["navigation"] = json!(paused.resource_type == "Document");
        told["redirected"] = json!(paused.redirected_request_id.is_some());
        told["stage"] = json!(if answered { "response" } else { "request" });
        if answered {
            told["status"] = params["responseStatusCode"].clone();
            told["status_text"] = params["responseStatusText"].clone();
            told["response_headers"] = params["responseHeaders"].clone();
            told["error"] = params["responseErrorReason"].clone();
        }
        for (feed, _) in feeds {
            feed.push(self.id, "paused", told.clone());
        }
    }

    /// Gives the head of an answer to whoever waits for it; false when nobody does.
    fn give_head(&self, session: &Session, paused: &fetch::RequestPaused) -> bool {
        let mut held = lock(&self.listening.held);
        let same = |r: &&mut Request| r.id == paused.request_id && r.session.id() == session.id();
        let Some(request) = held.requests.values_mut().find(same) else { return false };
        let Some(waiter) = request.waiter.take() else { return false };
        request.answered = true;
        request.since = Instant::now();
        let headers = paused.response_headers.iter().flatten();
        let head = Head {
            status: paused.response_status_code.unwrap_or_default(),
            text: paused.response_status_text.clone().unwrap_or_default(),
            headers: headers.map(|h| (h.name.clone(), h.value.clone())).collect(),
            failed: paused.response_error_reason.clone(),
        };
        // A caller that went away leaves the answer to the watch.
        drop(waiter.send(head));
        true
    }

    /// Nobody holds requests any more; the browser has been told to let them go.
    pub(super) fn forget_held(&self) {
        lock(&self.listening.held).requests.clear();
    }
}

/// Lets requests go that were held too long, until none is held.
async fn watch(held: Arc<Mutex<Held>>) {
    loop {
        let next = {
            let mut held = lock(&held);
            let over: Vec<u64> = held
                .requests
                .iter()
                .filter(|(_, r)| r.waiter.is_none() && r.since.elapsed() >= HELD)
                .map(|(number, _)| *number)
                .collect();
            for request in over.iter().filter_map(|number| held.requests.remove(number)) {
                tracing::info!("a held request got no answer for {HELD:?} and is let go");
                let_go(&request.session, request.id);
            }
            if held.requests.is_empty() {
                held.watched = false;
                return;
            }
            held.requests.values().map(|r| r.since + HELD).min()
        };
        // It looks again now and then, since what it waits for may have been answered.
        let soon = Instant::now() + STEP;
        tokio::time::sleep_until(next.map_or(soon, |next| next.min(soon)).into()).await;
    }
}

impl Tab {
    /// A request that is held.
    ///
    /// # Errors
    /// `REQUEST_GONE`.
    pub fn held_request(&self, id: &str) -> Result<HeldRequest, ErrorBody> {
        let held = lock(&self.inner.listening.held);
        let request = number(id).and_then(|number| held.requests.get(&number)).ok_or_else(gone)?;
        let (url, method, kind) = (request.url.clone(), request.method.clone(), request.kind.clone());
        Ok(HeldRequest { url, method, kind })
    }

    /// Says what becomes of a request that is held. The answer of the server is given for [`Answer::Fetch`] only.
    ///
    /// # Errors
    /// `REQUEST_GONE`, `REQUEST_FAILED` when the server gave no answer, and the codes of a tab that is gone.
    pub async fn answer_request(
        &self,
        ctx: &CallCtx,
        id: &str,
        answer: Answer,
    ) -> Result<Option<Answered>, ErrorBody> {
        let number = number(id).ok_or_else(gone)?;
        if let Answer::Fetch(changes) = answer {
            return self.fetch_held(ctx, number, changes).await.map(Some);
        }
        let request = lock(&self.inner.listening.held).requests.remove(&number).ok_or_else(gone)?;
        let (session, request_id) = (&request.session, request.id);
        let sent = match answer {
            Answer::Continue(changes) if request.answered && changes == Changes::default() => {
                session.send(ctx, fetch::ContinueResponse { request_id }).await
            }
            Answer::Continue(changes) | Answer::Fetch(changes) => {
                session.send(ctx, continued(request_id, changes, None)).await
            }
            Answer::Fulfill { status, text, headers, body } => {
                let fulfill = fetch::FulfillRequest {
                    request_id,
                    response_code: status,
                    response_headers: Some(entries(headers)),
                    body,
                    response_phrase: text.filter(|text| !text.is_empty()),
                };
                session.send(ctx, fulfill).await
            }
            Answer::Abort { reason } => {
                session.send(ctx, fetch::FailRequest { request_id, error_reason: reason }).await
            }
        };
        sent.map(|_| None).map_err(refused)
    }

    async fn fetch_held(&self, ctx: &CallCtx, number: u64, changes: Changes) -> Result<Answered, ErrorBody> {
        let (session, id, came) = {
            let mut held = lock(&self.inner.listening.held);
            let request = held.requests.get_mut(&number).filter(|r| !r.answered && r.waiter.is_none());
            let request = request.ok_or_else(gone)?;
            let (waiter, came) = oneshot::channel();
            request.waiter = Some(waiter);
            (request.session.clone(), request.id.clone(), came)
        };
        let sent = session.send(ctx, continued(id.clone(), changes, Some(true))).await;
        if let Err(error) = sent {
            lock(&self.inner.listening.held).requests.remove(&number);
            return Err(refused(error));
        }
        let head = match ctx.wait("the server's answer", came).await {
            Ok(head) => head.map_err(|_| gone())?,
            Err(error) => {
                // Nobody answers it any more; it is to go its way when it comes back.
                if let Some(request) = lock(&self.inner.listening.held).requests.get_mut(&number) {
                    request.waiter = None;
                    request.since = Instant::now();
                }
                return Err(error);
            }
        };
        if let Some(reason) = head.failed {
            return Err(ErrorBody::new(
                ErrorCode::RequestFailed,
                format!("the server gave no answer: {reason}"),
            ));
        }
        // The body of a redirect can't be had, and what it leads to is another request.
        let redirect = (300..400).contains(&head.status);
        let body = if redirect {
            String::new()
        } else {
            let body = session.send(ctx, fetch::GetResponseBody { request_id: id }).await.map_err(refused)?;
            in_base64(body)?
        };
        Ok(Answered { status: head.status, text: head.text, headers: head.headers, body })
    }

    /// The body of an answer that has come whole, in base64.
    ///
    /// # Errors
    /// `REQUEST_GONE` when the browser does not have it (any more), `ARGUMENT_TOO_LARGE` when it is over 32 MiB.
    pub async fn response_body(&self, ctx: &CallCtx, request: &str) -> Result<String, ErrorBody> {
        let mut why = None;
        for session in self.sessions() {
            let get = cdp::network::GetResponseBody { request_id: RequestId::from(request) };
            match session.send(ctx, get).await {
                Ok(body) => return in_base64(body),
                Err(error) => why = Some(from_cdp(error)),
            }
        }
        Err(no_body(
            ctx,
            why,
            "the browser has no body of this answer: it did not come whole, or has been forgotten",
        ))
    }

    /// The body of a request, in base64.
    ///
    /// # Errors
    /// `REQUEST_GONE` when the browser does not have it (any more).
    pub async fn post_data(&self, ctx: &CallCtx, request: &str) -> Result<String, ErrorBody> {
        let mut why = None;
        for session in self.sessions() {
            let get = cdp::network::GetRequestPostData { request_id: RequestId::from(request) };
            match session.send(ctx, get).await {
                Ok(data) => {
                    let (body, base64_encoded) = (data.post_data, data.base64_encoded);
                    return in_base64(cdp::network::Body { body, base64_encoded });
                }
                Err(error) => why = Some(from_cdp(error)),
            }
        }
        Err(no_body(ctx, why, "the browser has no body of this request"))
    }

    /// The sessions that speak for the tab, its own first.
    fn sessions(&self) -> Vec<Session> {
        let mut sessions = vec![self.inner.session.clone()];
        self.with(|s| {
            for frame in s.frames.values() {
                if !sessions.iter().any(|known| known.id() == frame.session.id()) {
                    sessions.push(frame.session.clone());
                }
            }
        });
        sessions
    }
}

fn no_body(ctx: &CallCtx, why: Option<ErrorBody>, words: &str) -> ErrorBody {
    let spent = ctx.cancel().is_cancelled() || ctx.remaining().is_zero();
    why.filter(|why| spent || why.code != ErrorCode::Internal)
        .unwrap_or_else(|| ErrorBody::new(ErrorCode::RequestGone, words))
}

/// A command that the browser refuses is about a request that is not there any more, or about values of the caller's.
fn refused(error: cdp::CdpError) -> ErrorBody {
    match error {
        cdp::CdpError::Protocol { message, .. } => {
            let words = format!("the browser did not take the answer to the request: {message}");
            ErrorBody::new(ErrorCode::RequestGone, words)
        }
        other => from_cdp(other),
    }
}

fn number(id: &str) -> Option<u64> {
    id.strip_prefix('p')?.parse().ok()
}

fn continued(id: RequestId, changes: Changes, response: Option<bool>) -> fetch::ContinueRequest {
    fetch::ContinueRequest {
        request_id: id,
        url: changes.url,
        method: changes.method,
        post_data: changes.body,
        headers: changes.headers.map(entries),
        intercept_response: response,
    }
}

fn in_base64(body: cdp::network::Body) -> Result<String, ErrorBody> {
    let (length, text) = (body.body.len(), body.body);
    if length > BODY / 3 * 4 {
        let words = format!("the body of {length} bytes is over the limit of {} MiB", BODY >> 20);
        return Err(ErrorBody::new(ErrorCode::ArgumentTooLarge, words)
            .next("let the page download it, and read the file"));
    }
    Ok(if body.base64_encoded { text } else { STANDARD.encode(text) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;
    use truehand_cdp::{Connection, SessionId};

    #[tokio::test]
    async fn request_that_was_held_too_long_is_let_go_and_the_others_are_not() {
        let (reader, _browser) = tokio::io::duplex(64);
        let (writer, mut sent) = tokio::io::duplex(4_096);
        let (connection, _events) = Connection::pipe(reader, writer);
        let session = connection.session(SessionId::from("S"));
        let request = |id: &str, since: Instant| Request {
            session: session.clone(),
            id: RequestId::from(id),
            since,
            url: String::new(),
            method: "GET".to_owned(),
            kind: "XHR".to_owned(),
            answered: false,
            waiter: None,
        };
        let held = Arc::new(Mutex::new(Held { last: 2, requests: HashMap::new(), watched: true }));
        let long_ago = Instant::now().checked_sub(HELD).expect("a clock that has run for a while");
        lock(&held).requests.extend([(1, request("old", long_ago)), (2, request("new", Instant::now()))]);
        let watching = tokio::spawn(watch(Arc::clone(&held)));
        let mut message = vec![0; 4_096];
        let length = sent.read(&mut message).await.expect("written");
        let message = String::from_utf8_lossy(&message[..length]).into_owned();
        assert!(message.contains("Fetch.continueRequest") && message.contains("\"old\""), "{message}");
        assert_eq!(lock(&held).requests.keys().collect::<Vec<_>>(), [&2]);
        lock(&held).requests.clear();
        watching.await.expect("ends when nothing is held");
        assert!(!lock(&held).watched);
    }
}
