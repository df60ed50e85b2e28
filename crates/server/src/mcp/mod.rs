//! MCP over the standard streams and over HTTP, with the handler trait of the official SDK over a [`Caller`].
//!
//! Invariants: `initialize` waits for nothing; a model sees every failure as a result with its code;
//! no line of input is dropped without an answer.

mod approval;
mod handler;
pub mod http;
mod presence;
mod resources;
mod salvage;
mod tasks;
mod tools;
mod transport;

pub use handler::Face;
pub use presence::Presence;
pub use resources::ResourceRoots;
pub use tools::Structured;

use crate::lines::MAX_LINE;
use rmcp::service::ServerInitializeError;
use rmcp::transport::Transport;
use rmcp::{Peer, RoleServer, ServerHandler, ServiceExt};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use transport::LineTransport;
use truehand_base::{Caller, ClientId};

/// How long calls in flight may go on when the input has ended. The process must be gone 2 s after it.
const LAST_CALLS: Duration = Duration::from_millis(1_200);

/// How MCP is served.
#[derive(Debug, Clone)]
pub struct McpOptions {
    /// Who the calls come from.
    pub client: ClientId,
    /// The longest that a call may take.
    pub call_limit: Duration,
    /// Whether results carry `structuredContent`.
    pub structured: Structured,
    /// Grows when the list of tools may have changed; 0 while nobody knows yet which are on.
    pub catalog_changes: watch::Receiver<u64>,
    /// What can be read.
    pub resources: ResourceRoots,
}

/// Serves one client over the standard streams until its input ends. Nothing else may write to
/// standard output.
///
/// # Errors
/// When the handshake fails.
pub async fn serve_stdio(
    caller: Arc<dyn Caller>,
    options: McpOptions,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let (read, write) = rmcp::transport::stdio_pipes();
    serve(caller, options, read, write).await
}

/// Serves one client over a pair of streams.
///
/// # Errors
/// When the handshake fails.
pub async fn serve<R, W>(
    caller: Arc<dyn Caller>,
    options: McpOptions,
    read: R,
    write: W,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    serve_handler(Arc::new(Face::new(caller, options)), read, write).await
}

/// Serves one client of any handler over a pair of streams.
///
/// # Errors
/// When the handshake fails.
pub async fn serve_handler<S, R, W>(
    handler: Arc<S>,
    read: R,
    write: W,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>>
where
    S: Server,
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let (transport, ended) = LineTransport::new(read, write, MAX_LINE);
    converse(handler, transport, ended, LAST_CALLS).await
}

/// A handler that also tells its client of what nobody asked about.
pub trait Server: ServerHandler {
    /// Tells of changes for as long as it is awaited; it never comes back.
    fn announce(&self, peer: Peer<RoleServer>) -> impl Future<Output = ()> + Send;
}

impl Server for Face {
    async fn announce(&self, peer: Peer<RoleServer>) {
        // Clients without a handshake subscribe instead.
        if peer.peer_info().is_none() {
            std::future::pending::<()>().await;
        }
        let mut last = None;
        loop {
            self.list_changed(&mut last).await;
            if let Err(error) = peer.notify_tool_list_changed().await {
                tracing::debug!(%error, "list_changed was not sent");
            }
        }
    }
}

/// Serves one client over a transport until it ends, and its calls in flight for `last_calls` longer.
async fn converse<S, T>(
    handler: Arc<S>,
    transport: T,
    ended: CancellationToken,
    last_calls: Duration,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>>
where
    S: Server,
    T: Transport<RoleServer> + 'static,
{
    let service = match Arc::clone(&handler).serve(transport).await {
        Ok(service) => service,
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(Box::new(error)),
    };
    let tell = handler.announce(service.peer().clone());
    let over = async {
        ended.cancelled().await;
        tokio::time::sleep(last_calls).await;
    };
    tokio::select! {
        reason = service.waiting() => tracing::debug!(?reason, "the client has ended"),
        () = over => tracing::warn!("calls in flight are cut off: the client has ended"),
        () = tell => {}
    }
    Ok(())
}
