//! One session: a client of the daemon of its own, and the transport between the SDK and HTTP.

use super::HttpClient;
use super::streams::{NotBegun, Streams};
use crate::mcp::{Server, converse};
use rmcp::RoleServer;
use rmcp::model::{ClientNotification, ClientRequest, GetMeta, JsonRpcMessage, ProgressToken, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use std::io::{Error, ErrorKind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// A message of the client.
pub(crate) type Incoming = RxJsonRpcMessage<RoleServer>;

/// A session that listened and lost its stream is given this long to come back. One that never listened is
/// known to be gone only by its silence.
const LOST: Duration = Duration::from_mins(5);

/// One client's session.
pub(crate) struct Session {
    incoming: UnboundedSender<Incoming>,
    streams: Mutex<Streams>,
    life: Mutex<Life>,
    ended: CancellationToken,
}

struct Life {
    /// When it was last used.
    used: Instant,
    /// Whether it has listened to the common stream.
    listened: bool,
}

impl Session {
    /// Begins a session: its messages are handled until it ends, then its client leaves and `gone` is run.
    pub(crate) fn begin<S: Server>(client: HttpClient<S>, gone: impl FnOnce() + Send + 'static) -> Arc<Self> {
        let (incoming, messages) = unbounded_channel();
        let session = Arc::new(Session {
            incoming,
            streams: Mutex::default(),
            life: Mutex::new(Life { used: Instant::now(), listened: false }),
            ended: CancellationToken::new(),
        });
        let transport = SessionTransport { session: Arc::clone(&session), messages };
        let ended = session.ended.clone();
        tokio::spawn(async move {
            // Nobody is left to hear the answers of calls that still run.
            if let Err(error) = converse(client.handler, transport, ended.clone(), Duration::ZERO).await {
                tracing::warn!(%error, "the handshake of a session failed");
            }
            ended.cancel();
            client.goodbye.await;
            gone();
        });
        session
    }

    pub(crate) fn streams(&self) -> MutexGuard<'_, Streams> {
        // Whole after every call of its own.
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn life(&self) -> MutexGuard<'_, Life> {
        self.life.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that the client is there.
    pub(crate) fn touch(&self) {
        self.life().used = Instant::now();
    }

    /// Notes that the client listens.
    pub(crate) fn listens(&self) {
        self.life().listened = true;
    }

    /// Whether nobody has used it for too long. Looked at again and again.
    pub(crate) fn is_idle(&self, patience: Duration) -> bool {
        let busy = {
            let mut streams = self.streams();
            streams.forget();
            streams.busy()
        };
        let mut life = self.life();
        if busy {
            life.used = Instant::now();
        }
        let patience = if life.listened { patience.min(LOST) } else { patience };
        life.used.elapsed() >= patience
    }

    /// Takes messages of the client. The answers to those that are requests come on the stream that is
    /// given back; without requests there is none.
    pub(crate) fn take(
        &self,
        messages: Vec<Incoming>,
        primed: bool,
    ) -> Result<Option<UnboundedReceiver<super::streams::Event>>, NotBegun> {
        let requests: Vec<_> = messages.iter().filter_map(request_of).collect();
        let events = if requests.is_empty() { None } else { Some(self.streams().begin(requests, primed)?) };
        for message in messages {
            if let JsonRpcMessage::Notification(notification) = &message
                && let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                && let Some(id) = &cancelled.params.request_id
            {
                // What was cancelled gets no answer.
                self.streams().answered(id);
            }
            // One that has ended is found below.
            drop(self.incoming.send(message));
        }
        if self.has_ended() {
            // It may have closed its streams before this one began.
            self.streams().close();
        }
        Ok(events)
    }

    /// Ends the session.
    pub(crate) fn end(&self) {
        self.ended.cancel();
    }

    /// Whether it has ended or is about to.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended.is_cancelled()
    }
}

fn request_of(message: &Incoming) -> Option<(RequestId, Option<ProgressToken>)> {
    let JsonRpcMessage::Request(request) = message else { return None };
    let token = match &request.request {
        // It has no meta data that could name one.
        ClientRequest::InitializeRequest(_) => None,
        request => request.get_meta().get_progress_token(),
    };
    Some((request.id.clone(), token))
}

/// The SDK's end of a session.
struct SessionTransport {
    session: Arc<Session>,
    messages: UnboundedReceiver<Incoming>,
}

impl Transport<RoleServer> for SessionTransport {
    type Error = Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let sent = match serde_json::to_string(&item) {
            Err(error) => Err(Error::other(error)),
            Ok(_) if self.session.has_ended() => Err(ErrorKind::BrokenPipe.into()),
            Ok(data) => {
                if !self.session.streams().send(&item, data.into()) {
                    tracing::debug!("a message for a request that is over was dropped");
                }
                Ok(())
            }
        };
        std::future::ready(sent)
    }

    async fn receive(&mut self) -> Option<Incoming> {
        tokio::select! {
            message = self.messages.recv() => message,
            () = self.session.ended.cancelled() => None,
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.session.end();
        self.session.streams().close();
        Ok(())
    }
}

impl Drop for SessionTransport {
    fn drop(&mut self) {
        // However the session ended, no response may stay open.
        self.session.end();
        self.session.streams().close();
    }
}
