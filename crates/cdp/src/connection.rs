//! The handle of a connection.

use crate::task::{self, Input};
use crate::transport::{self, Transport};
use crate::{CdpError, EventStream, Session, SessionId};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{mpsc, watch};
use truehand_base::CallCtx;

/// A connection to one browser. Clones are handles of the same connection, which ends when the transport
/// does, on [`Connection::close`], or when the last handle, session and pending call is dropped.
#[derive(Debug, Clone)]
pub struct Connection {
    pub(crate) inputs: mpsc::UnboundedSender<Input>,
    /// Why the connection ended; none while it lives.
    ended: watch::Receiver<Option<String>>,
    last_call: Arc<AtomicU64>,
}

impl Connection {
    /// Talks over a pair of pipes, each message ended by a NUL byte, as Chromium does with
    /// `--remote-debugging-pipe`. Must be called within a tokio runtime.
    ///
    /// The stream gets every event that has no session or whose session has no route.
    pub fn pipe(
        reader: impl AsyncRead + Unpin + Send + 'static,
        writer: impl AsyncWrite + Unpin + Send + 'static,
    ) -> (Connection, EventStream) {
        Connection::over(|link| transport::pipe(reader, writer, link))
    }

    /// Connects to a browser's WebSocket endpoint, for example `ws://127.0.0.1:9222/devtools/browser/<id>`.
    ///
    /// The stream gets every event that has no session or whose session has no route.
    ///
    /// # Errors
    /// `Closed` when nobody answers there as a WebSocket server, `Deadline` and `Cancelled` by `ctx`.
    pub async fn websocket(ctx: &CallCtx, url: &str) -> Result<(Connection, EventStream), CdpError> {
        let socket = transport::connect(ctx, url).await?;
        Ok(Connection::over(|link| transport::websocket(socket, link)))
    }

    fn over(transport: impl FnOnce(transport::Link) -> Transport) -> (Connection, EventStream) {
        let (inputs, received) = mpsc::unbounded_channel();
        let (ending, ended) = watch::channel(None);
        let (unrouted, stream) = EventStream::new();
        let (outgoing, to_write) = mpsc::unbounded_channel();
        let transport = transport(transport::Link { to_write, received: inputs.downgrade() });
        tokio::spawn(task::run(received, transport, outgoing, unrouted, ending));
        (Connection { inputs, ended, last_call: Arc::default() }, stream)
    }

    /// The browser itself: the session without an id.
    #[must_use]
    pub fn browser(&self) -> Session {
        Session::new(self.clone(), None)
    }

    /// The session of an attached target. It is not checked here whether the browser knows it.
    #[must_use]
    pub fn session(&self, id: SessionId) -> Session {
        Session::new(self.clone(), Some(id))
    }

    /// Directs all events of this session, and of every session attached beneath it, to the returned stream.
    /// A session attached beneath later inherits the route before any event of its own is delivered. A
    /// session beneath that has a route of its own keeps that one.
    ///
    /// When the session is detached, the stream gets that event too and ends.
    #[must_use]
    pub fn route(&self, id: &SessionId) -> EventStream {
        let (events, stream) = EventStream::new();
        self.tell(Input::Route { session: id.clone(), events });
        stream
    }

    /// Ends the routes of this session and of the sessions beneath it. Their events then go to the route of
    /// the session above, or to the connection's own stream.
    pub fn unroute(&self, id: &SessionId) {
        self.tell(Input::Unroute { session: id.clone() });
    }

    /// Puts an event of our own, [`crate::MARK`] with this number, behind all events that have come so far. An answer takes
    /// a shorter way than events do: who judges by both waits for the mark first.
    pub fn mark(&self, id: &SessionId, number: u64) {
        self.tell(Input::Mark { session: id.clone(), number });
    }

    /// Whether lines that the pages of a session and of those beneath it print are passed on whole; otherwise of a `log`,
    /// `debug` or `info` only the kind is, since a page may print thousands a second.
    pub fn pass_console(&self, id: &SessionId, whole: bool) {
        self.tell(Input::Whole { session: id.clone(), whole });
    }

    /// Whether the transport has ended.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.inputs.is_closed()
    }

    /// Waits until the transport has ended.
    pub async fn closed(&self) {
        self.inputs.closed().await;
    }

    /// Drops the transport. Every waiter fails with [`CdpError::Closed`].
    pub fn close(&self) {
        self.tell(Input::Close);
    }

    /// The error of a call on a connection that has ended.
    pub(crate) fn closed_error(&self) -> CdpError {
        let reason = self.ended.borrow().clone();
        CdpError::Closed { reason: reason.unwrap_or_else(|| "its task was ended".to_owned()) }
    }

    pub(crate) fn next_call(&self) -> u64 {
        self.last_call.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Gives an input to the task. A task that has ended needs none: dropping the input ends what waits on it.
    pub(crate) fn tell(&self, input: Input) {
        drop(self.inputs.send(input));
    }
}
