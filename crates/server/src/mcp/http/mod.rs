//! MCP over Streamable HTTP, for clients on this machine.
//!
//! Invariants: it listens on the machine's own addresses only; nothing of a request is parsed but its head
//! before host, origin and token were judged; each session is a client of its own, with tabs of its own, that
//! ends with it; a result that a client did not get waits for it.

mod address;
mod guard;
mod refusal;
mod routes;
mod secret;
mod session;
mod sessionless;
mod sessions;
mod streams;

pub use address::{DEFAULT_PORT, ListenAddress};
pub use guard::Origin;

use super::Server;
use axum::body::Body;
use guard::Guard;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use routes::Routes;
use secret::{Token, TokenFile};
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use truehand_base::{BoxFuture, ErrorBody};

/// The path of the endpoint.
pub const PATH: &str = "/mcp";

/// How long a client may take for the head of a request, and a silent connection may stay.
const HEAD_LIMIT: Duration = Duration::from_secs(30);

/// How many connections may be open.
const MOST_CONNECTIONS: usize = 256;

/// How long connections have to end when the server ends.
const LAST_WORDS: Duration = Duration::from_millis(1_500);

/// What serves a session.
pub struct HttpClient<S> {
    /// Answers its requests.
    pub handler: Arc<S>,
    /// Run when the session has ended; frees what it held.
    pub goodbye: BoxFuture<'static, ()>,
}

/// How MCP is served over HTTP.
pub struct HttpOptions<S> {
    /// Where to listen.
    pub address: ListenAddress,
    /// Where the token is put; the folder must be there.
    pub token: TokenPlace,
    /// The origins of pages that may call; usually none.
    pub origins: Vec<Origin>,
    /// A session that nobody uses for so long is ended.
    pub idle: Duration,
    /// Makes the client of a new session.
    pub clients: Arc<dyn Fn() -> HttpClient<S> + Send + Sync>,
}

/// Where the token is put.
#[derive(Debug, Clone)]
pub enum TokenPlace {
    /// In this file.
    File(PathBuf),
    /// In this folder, in a file that is named after the port.
    Folder(PathBuf),
}

/// A server that listens and does not serve yet.
pub struct HttpServer<S> {
    listeners: Vec<TcpListener>,
    routes: Arc<Routes<S>>,
    token_path: PathBuf,
    /// Removed with the server.
    _token_file: TokenFile,
    address: ListenAddress,
}

impl<S: Server> HttpServer<S> {
    /// Takes the port, and writes a new token.
    ///
    /// # Errors
    /// `PORT_BUSY`; `STORE_FAILED` when the token can't be written.
    pub async fn bind(options: HttpOptions<S>) -> Result<Self, ErrorBody> {
        let (address, listeners) = options.address.bind().await?;
        let token_path = match options.token {
            TokenPlace::File(path) => path,
            TokenPlace::Folder(folder) => folder.join(format!("http-{}.token", address.port())),
        };
        let token = Token::new()?;
        let token_file = token.store(&token_path)?;
        let guard = Guard { at: address, token, origins: options.origins };
        let routes = Arc::new(Routes::new(guard, options.clients, options.idle));
        Ok(HttpServer { listeners, routes, token_path, _token_file: token_file, address })
    }

    /// The address for clients.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}{PATH}", self.address)
    }

    /// The file with the token.
    #[must_use]
    pub fn token_path(&self) -> &Path {
        &self.token_path
    }

    /// Serves until `stop` is set; then ends all sessions, and gives responses a moment to end.
    pub async fn serve(self, stop: CancellationToken) {
        let open = TaskTracker::new();
        let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
        for listener in self.listeners {
            let (routes, room) = (Arc::clone(&self.routes), Arc::clone(&room));
            open.spawn(accept(listener, routes, room, open.clone(), stop.clone()));
        }
        tokio::select! {
            () = stop.cancelled() => {}
            () = self.routes.sweep() => {}
        }
        open.close();
        let over = async { tokio::join!(self.routes.end(), open.wait()) };
        if tokio::time::timeout(LAST_WORDS, over).await.is_err() {
            tracing::warn!("connections that did not end are cut off");
        }
    }
}

async fn accept<S: Server>(
    listener: TcpListener,
    routes: Arc<Routes<S>>,
    room: Arc<Semaphore>,
    open: TaskTracker,
    stop: CancellationToken,
) {
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => return,
            accepted = async { (Arc::clone(&room).acquire_owned().await, listener.accept().await) } => accepted,
        };
        match accepted {
            (Ok(permit), Ok((stream, _))) => {
                let (routes, stop) = (Arc::clone(&routes), stop.clone());
                open.spawn(async move {
                    answer(stream, routes, stop).await;
                    drop(permit);
                });
            }
            (_, Err(error)) => {
                // Such as no file left for another connection: others end meanwhile.
                tracing::warn!(%error, "a connection was not taken");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            (Err(_), _) => return,
        }
    }
}

/// Answers the requests of one connection.
async fn answer<S: Server>(stream: TcpStream, routes: Arc<Routes<S>>, stop: CancellationToken) {
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "small packets may wait");
    }
    let service = service_fn(|request: axum::http::Request<hyper::body::Incoming>| {
        let routes = Arc::clone(&routes);
        async move { Ok::<_, Infallible>(routes.answer(request.map(Body::new)).await) }
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_LIMIT);
    let mut connection = std::pin::pin!(builder.serve_connection(TokioIo::new(stream), service));
    let done = tokio::select! {
        done = connection.as_mut() => done,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = done {
        tracing::debug!(%error, "a connection broke");
    }
}
