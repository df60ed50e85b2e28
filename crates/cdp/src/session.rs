//! Calls: a session to make them on, and the answer that is on its way.

use crate::task::Input;
use crate::{CdpError, Command, Connection, SessionId, json};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::oneshot;
use truehand_base::CallCtx;

/// A command as it goes over the wire.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Request<'a, P> {
    id: u64,
    method: &'a str,
    params: P,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<&'a SessionId>,
}

/// One attachment to a target, or the browser itself.
#[derive(Debug, Clone)]
pub struct Session {
    connection: Connection,
    id: Option<SessionId>,
}

impl Session {
    pub(crate) fn new(connection: Connection, id: Option<SessionId>) -> Self {
        Session { connection, id }
    }

    /// The session's id; none for the browser itself.
    #[must_use]
    pub fn id(&self) -> Option<&SessionId> {
        self.id.as_ref()
    }

    /// The connection that the session belongs to.
    #[must_use]
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Sends a command and waits for the answer. With the deadline passed or the cancel given already,
    /// nothing is sent.
    ///
    /// # Errors
    /// Any [`CdpError`]. After `Deadline` and `Cancelled` the browser may still carry the command out.
    pub async fn send<C: Command>(&self, ctx: &CallCtx, command: C) -> Result<C::Response, CdpError> {
        check(ctx, C::METHOD)?;
        self.start(command).within(ctx).await
    }

    /// Queues a command for writing at once, in call order, so that several can be under way together.
    pub fn start<C: Command>(&self, command: C) -> Pending<C::Response> {
        self.queue(Cow::Borrowed(C::METHOD), &command)
    }

    /// Sends a command that has no type here, and waits for the answer.
    ///
    /// # Errors
    /// As [`Session::send`].
    pub async fn raw(&self, ctx: &CallCtx, method: &str, params: Value) -> Result<Value, CdpError> {
        check(ctx, method)?;
        self.start_raw(method, params).within(ctx).await
    }

    /// Queues a command that has no type here. Null parameters mean none.
    pub fn start_raw(&self, method: &str, params: Value) -> Pending<Value> {
        let params = if params.is_null() { Value::Object(serde_json::Map::new()) } else { params };
        self.queue(Cow::Owned(method.to_owned()), &params)
    }

    /// Fails every pending call of this session now with [`CdpError::SessionGone`].
    pub fn fail_pending(&self, reason: &str) {
        self.connection.tell(Input::FailPending { session: self.id.clone(), reason: reason.to_owned() });
    }

    fn queue<T: DeserializeOwned>(&self, method: Cow<'static, str>, params: &impl Serialize) -> Pending<T> {
        let id = self.connection.next_call();
        let (reply, answer) = oneshot::channel();
        let request = Request { id, method: &method, params, session_id: self.id.as_ref() };
        match serde_json::to_vec(&request) {
            Ok(message) => self.connection.tell(Input::Call {
                id,
                session: self.id.clone(),
                method: method.clone(),
                message,
                reply,
            }),
            Err(error) => {
                let error = CdpError::Malformed {
                    method: method.clone().into_owned(),
                    message: format!("the parameters can't be written: {error}"),
                };
                // The receiver is in our hands, so this can't fail.
                drop(reply.send(Err(error)));
            }
        }
        Pending {
            connection: self.connection.clone(),
            id,
            method,
            answer,
            answered: false,
            read: read_answer::<T>,
        }
    }
}

fn check(ctx: &CallCtx, method: &str) -> Result<(), CdpError> {
    if ctx.cancel().is_cancelled() {
        return Err(CdpError::Cancelled { method: method.to_owned() });
    }
    if ctx.remaining().is_zero() {
        return Err(CdpError::Deadline { method: method.to_owned() });
    }
    Ok(())
}

fn read_answer<T: DeserializeOwned>(method: &str, result: &RawValue) -> Result<T, CdpError> {
    json::read(result.get()).map_err(|error| CdpError::Malformed {
        method: method.to_owned(),
        message: format!("the answer does not have the expected form: {error}"),
    })
}

/// An answer that is on its way. Dropping it abandons the answer; the browser carries the command out anyway.
#[must_use = "dropping it abandons the answer"]
#[derive(Debug)]
pub struct Pending<T> {
    connection: Connection,
    id: u64,
    method: Cow<'static, str>,
    answer: oneshot::Receiver<Result<Box<RawValue>, CdpError>>,
    answered: bool,
    /// Reads the answer in the caller's task, so that a big one does not hold up the connection's.
    read: fn(&str, &RawValue) -> Result<T, CdpError>,
}

impl<T> Pending<T> {
    /// The answer, unless the caller's time runs out or the caller cancels first.
    ///
    /// # Errors
    /// Any [`CdpError`]. After `Deadline` and `Cancelled` the browser may still carry the command out.
    pub async fn within(mut self, ctx: &CallCtx) -> Result<T, CdpError> {
        tokio::select! {
            biased;
            answer = &mut self => answer,
            () = ctx.cancel().cancelled() => Err(CdpError::Cancelled { method: self.method.to_string() }),
            () = tokio::time::sleep_until(ctx.deadline().into()) => {
                Err(CdpError::Deadline { method: self.method.to_string() })
            }
        }
    }

    /// The command that is to be answered.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }
}

impl<T> Future for Pending<T> {
    type Output = Result<T, CdpError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Poll::Ready(answer) = Pin::new(&mut self.answer).poll(context) else {
            return Poll::Pending;
        };
        self.answered = true;
        Poll::Ready(match answer {
            Ok(Ok(result)) => (self.read)(&self.method, &result),
            Ok(Err(error)) => Err(error),
            // The task has dropped the other end: it is over.
            Err(_) => Err(self.connection.closed_error()),
        })
    }
}

impl<T> Drop for Pending<T> {
    fn drop(&mut self) {
        if !self.answered {
            self.connection.tell(Input::Forget { id: self.id });
        }
    }
}
