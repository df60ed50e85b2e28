//! The daemon itself: takes connections, runs their calls, and ends when nobody needs it.

use super::home::{RunDir, Seat};
use super::host::{Host, listed_names};
use super::lifetime::{Lifetime, Patience};
use super::protocol::{CallRequest, Hello, OutcomeReply, PROTOCOL, Reply, Request, Status, VERSION, Welcome};
use crate::lines::{Line, LineReader, MAX_LINE};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::unix::OwnedWriteHalf;
use tokio::net::{UnixListener, UnixStream};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use truehand_base::{CallCtx, ClientId, ErrorBody, ErrorCode, Progress};

/// How long calls in flight may go on when the daemon is told to end. With what closing the browsers takes it
/// ends within five seconds.
const DRAIN: Duration = Duration::from_secs(4);

/// How long a client that has gone may take to take the last replies.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How long a cancelled call may take to come back.
const CANCEL_GRACE: Duration = Duration::from_secs(3);

/// How often it is looked whether the list of tools has changed.
const CATALOG_LOOK: Duration = Duration::from_secs(1);

/// No call may take longer, whatever its client says.
const LONGEST_CALL: Duration = Duration::from_mins(11);

/// How a daemon is run.
#[derive(Debug, Clone)]
pub struct DaemonOptions {
    /// Its places on disk.
    pub run: RunDir,
    /// Whether a person started it, so that it stays.
    pub kept: bool,
    /// How long it waits with nothing to do.
    pub patience: Patience,
}

/// Why [`run`] came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DaemonEnd {
    /// Another process is the daemon of this state folder.
    AlreadyRunning,
    /// It was told to end, or nobody needed it any more.
    Done,
}

/// Runs the daemon of a state folder until it is told to end or nobody needs it. `make` builds what it
/// keeps alive; when that fails, the daemon lives just long enough to tell its client why.
///
/// # Errors
/// When the state folder can't be used, or with the error of `make`.
pub async fn run<F>(options: DaemonOptions, make: F) -> Result<DaemonEnd, ErrorBody>
where
    F: AsyncFnOnce() -> Result<Arc<dyn Host>, ErrorBody>,
{
    survive_full_files();
    let Some(seat) = Seat::take(&options.run)? else { return Ok(DaemonEnd::AlreadyRunning) };
    let socket = options.run.socket();
    let listener = UnixListener::bind(&socket).map_err(|error| {
        ErrorBody::new(ErrorCode::DaemonUnavailable, format!("{} can't be bound: {error}", socket.display()))
    })?;
    tracing::info!(version = VERSION, pid = std::process::id(), kept = options.kept, "daemon starts");
    // Connections that come in the meantime wait in the socket's queue.
    let host = make().await;
    let patience = if host.is_ok() { options.patience } else { Patience::failed() };
    let lifetime = Arc::new(Lifetime::new(options.kept, patience));
    let failure = host.as_ref().err().cloned();
    if let Some(error) = &failure {
        tracing::error!(%error, "the engine did not start");
    }
    let shared = Arc::new(Shared { host, lifetime: Arc::clone(&lifetime) });
    let mut connections = JoinSet::new();
    let end = listen(&listener, &shared, &mut connections).await;
    tracing::info!(reason = end, "daemon ends");
    drop(listener);
    lifetime.draining.cancel();
    if tokio::time::timeout(DRAIN, lifetime.calls_done()).await.is_err() {
        tracing::warn!(calls = lifetime.calls(), "calls in flight are cut off");
    }
    lifetime.ending.cancel();
    if let Ok(host) = &shared.host {
        host.close().await;
    }
    let all_gone = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(CANCEL_GRACE, all_gone).await.is_err() {
        tracing::warn!("connections are cut off");
    }
    seat.leave();
    failure.map_or(Ok(DaemonEnd::Done), Err)
}

/// Where the user's files are limited in size, the system ends whoever writes more. With a handler the write
/// just fails, as on a full disk.
fn survive_full_files() {
    if let Err(error) = signal(SignalKind::from_raw(nix::sys::signal::Signal::SIGXFSZ as i32)) {
        tracing::warn!(%error, "a file that grows over its limit will end the daemon");
    }
}

/// Takes connections until the end; says what ended it.
async fn listen(
    listener: &UnixListener,
    shared: &Arc<Shared>,
    connections: &mut JoinSet<()>,
) -> &'static str {
    let stop = CancellationToken::new();
    let (mut terminate, mut interrupt) =
        match (signal(SignalKind::terminate()), signal(SignalKind::interrupt())) {
            (Ok(terminate), Ok(interrupt)) => (terminate, interrupt),
            (Err(error), _) | (_, Err(error)) => {
                tracing::error!(%error, "signals can't be listened to");
                return "no signals";
            }
        };
    let browsers = || shared.host.as_ref().map_or(0, |host| host.open_browsers() + host.open_scopes());
    let over = shared.lifetime.over(browsers);
    tokio::pin!(over);
    loop {
        tokio::select! {
            () = stop.cancelled() => return "told to stop",
            _ = terminate.recv() => return "terminated",
            _ = interrupt.recv() => return "interrupted",
            () = &mut over => return "not needed",
            Some(joined) = connections.join_next() => if let Err(error) = joined {
                tracing::error!(%error, "a connection failed");
            },
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let shared = Arc::clone(shared);
                    let stop = stop.clone();
                    connections.spawn(async move { serve_connection(&shared, stream, &stop).await });
                }
                Err(error) => {
                    tracing::error!(%error, "a connection can't be taken");
                    // Out of file descriptors, most likely: some will be given back soon.
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            },
        }
    }
}

/// What all connections share.
struct Shared {
    host: Result<Arc<dyn Host>, ErrorBody>,
    lifetime: Arc<Lifetime>,
}

/// One connection: who it is, and what runs for it.
struct Connection {
    shared: Arc<Shared>,
    out: UnboundedSender<Reply>,
    gone: CancellationToken,
    client: Option<ClientId>,
    calls: JoinSet<u64>,
    cancels: std::collections::HashMap<u64, CancellationToken>,
    stop: CancellationToken,
}

async fn serve_connection(shared: &Arc<Shared>, stream: UnixStream, stop: &CancellationToken) {
    match stream.peer_cred() {
        Ok(peer) if peer.uid() == nix::unistd::geteuid().as_raw() => {}
        Ok(peer) => return tracing::warn!(uid = peer.uid(), "a connection of another user is refused"),
        Err(error) => return tracing::warn!(%error, "a connection of an unknown user is refused"),
    }
    let (read, write) = stream.into_split();
    let (out, replies) = unbounded_channel();
    let gone = shared.lifetime.ending.child_token();
    let mut writer = tokio::spawn(write_replies(write, replies, gone.clone()));
    let mut connection = Connection {
        shared: Arc::clone(shared),
        out,
        gone,
        client: None,
        calls: JoinSet::new(),
        cancels: std::collections::HashMap::new(),
        stop: stop.clone(),
    };
    connection.read(LineReader::new(read, MAX_LINE)).await;
    connection.end().await;
    drop(connection);
    match tokio::time::timeout(LAST_WORDS, &mut writer).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::error!(%error, "the writer of a connection failed"),
        Err(_) => writer.abort(),
    }
}

/// Writes replies until there are no more or the client does not take them.
async fn write_replies(
    mut write: OwnedWriteHalf,
    mut replies: UnboundedReceiver<Reply>,
    gone: CancellationToken,
) {
    while let Some(reply) = replies.recv().await {
        let mut line = match serde_json::to_vec(&reply) {
            Ok(line) => line,
            Err(error) => {
                tracing::error!(%error, "a reply can't be written as JSON");
                continue;
            }
        };
        line.push(b'\n');
        if let Err(error) = write.write_all(&line).await {
            tracing::debug!(%error, "the client takes no more replies");
            gone.cancel();
            return;
        }
    }
}

impl Connection {
    /// Reads requests until the client or the daemon ends.
    async fn read<R: tokio::io::AsyncRead + Unpin>(&mut self, mut lines: LineReader<R>) {
        loop {
            let gone = self.gone.clone();
            let line = tokio::select! {
                () = gone.cancelled() => return,
                Some(done) = self.calls.join_next() => {
                    match done {
                        Ok(id) => drop(self.cancels.remove(&id)),
                        Err(error) => tracing::error!(%error, "a call failed"),
                    }
                    continue;
                }
                line = lines.next() => line,
            };
            match line {
                Ok(Line::Whole(line)) if line.is_empty() => {}
                Ok(Line::Whole(line)) => match serde_json::from_slice(&line) {
                    Ok(request) => self.take(request).await,
                    Err(error) => {
                        let message = format!("the line is not a request: {error}");
                        self.say(Reply::Malformed(ErrorBody::new(ErrorCode::InvalidArguments, message)));
                    }
                },
                Ok(Line::TooLong(_)) => {
                    let message = format!("a line is longer than {MAX_LINE} bytes");
                    self.say(Reply::Malformed(ErrorBody::new(ErrorCode::ArgumentTooLarge, message)));
                }
                Ok(Line::End) => return,
                Err(error) => return tracing::debug!(%error, "the connection broke"),
            }
        }
    }

    fn say(&self, reply: Reply) {
        // A writer that has ended has marked the connection as gone already.
        drop(self.out.send(reply));
    }

    async fn take(&mut self, request: Request) {
        match request {
            Request::Hello(hello) => {
                let reply = match self.welcome(*hello).await {
                    Ok(welcome) => Reply::Welcome(welcome),
                    Err(error) => Reply::Refused(error),
                };
                self.say(reply);
            }
            Request::Call(call) => self.call(*call),
            Request::Cancel(id) => {
                if let Some(cancel) = self.cancels.get(&id) {
                    cancel.cancel();
                }
            }
            Request::Status => self.say(Reply::Status(self.status())),
            Request::Keep => {
                self.shared.lifetime.keep();
                self.say(Reply::Kept);
            }
            Request::Bye => self.shared.lifetime.dismiss(),
            Request::Stop => {
                self.say(Reply::Stopping);
                self.stop.cancel();
            }
        }
    }

    async fn welcome(&mut self, hello: Hello) -> Result<Welcome, ErrorBody> {
        if (hello.version.as_str(), hello.protocol) != (VERSION, PROTOCOL) {
            let message = format!("the daemon is {VERSION} and the client is {}", hello.version);
            return Err(ErrorBody::new(ErrorCode::DaemonVersion, message));
        }
        let host = self.shared.host.clone()?;
        if self.client.is_some() {
            return Err(ErrorBody::new(ErrorCode::InvalidArguments, "the connection has said hello before"));
        }
        host.client_came(&hello.client, hello.options).await?;
        tracing::info!(client = %hello.client, "client came");
        self.shared.lifetime.came(&hello.client);
        self.client = Some(hello.client);
        self.tell_of_catalog_changes(&host);
        Ok(Welcome { version: VERSION.to_owned(), pid: std::process::id(), listed: listed_names(&*host) })
    }

    fn tell_of_catalog_changes(&self, host: &Arc<dyn Host>) {
        let mut changes = host.catalog_changes();
        changes.mark_unchanged();
        let (host, out, gone) = (Arc::clone(host), self.out.clone(), self.gone.clone());
        tokio::spawn(async move {
            let mut last = listed_names(&*host);
            loop {
                tokio::select! {
                    () = gone.cancelled() => return,
                    // A file that a person edits tells nobody; listing looks at it.
                    () = tokio::time::sleep(CATALOG_LOOK) => {}
                    change = changes.changed() => if change.is_err() { return },
                }
                let listed = listed_names(&*host);
                if listed != last {
                    last.clone_from(&listed);
                    // A client that is gone needs no list.
                    drop(out.send(Reply::CatalogChanged { listed }));
                }
            }
        });
    }

    fn call(&mut self, request: CallRequest) {
        let CallRequest { id, timeout_ms, answer_ms, mut call } = request;
        let tool = call.tool.clone();
        let refuse = |error: ErrorBody| {
            let outcome = truehand_base::Outcome::failed(tool.clone(), error);
            Reply::Outcome(Box::new(OutcomeReply { id, outcome }))
        };
        let (host, client) = match (&self.shared.host, &self.client) {
            (Ok(host), Some(client)) => (Arc::clone(host), client.clone()),
            (Err(error), _) => return self.say(refuse(error.clone())),
            (Ok(_), None) => {
                let message = "a call came before a hello that was welcomed";
                return self.say(refuse(ErrorBody::new(ErrorCode::InvalidArguments, message)));
            }
        };
        if self.shared.lifetime.draining.is_cancelled() {
            return self.say(Reply::NotTaken(id));
        }
        // Whatever a client writes into its calls, it acts as itself.
        call.client = client;
        let cancel = self.gone.child_token();
        self.cancels.insert(id, cancel.clone());
        let limit = Duration::from_millis(timeout_ms).min(LONGEST_CALL);
        let (progress, steps) = unbounded_channel();
        let mut ctx = CallCtx::with_timeout(limit).cancelled_by(cancel).reporting_to(progress);
        if let Some(answer_ms) = answer_ms {
            ctx = ctx.answering_within(Duration::from_millis(answer_ms));
        }
        let (out, lifetime) = (self.out.clone(), Arc::clone(&self.shared.lifetime));
        self.calls.spawn(async move {
            let _counted = lifetime.call_begins();
            let forward = forward_progress(id, steps, out.clone());
            let work = async {
                let outcome = host.call(&ctx, call).await;
                // Closes the way for steps, which ends the forwarding.
                drop(ctx);
                outcome
            };
            let (mut outcome, ()) = tokio::join!(work, forward);
            if lifetime.ending.is_cancelled() {
                outcome.error = outcome.error.map(cut_off);
            }
            // A client that is gone needs no outcome; the trace has it.
            drop(out.send(Reply::Outcome(Box::new(OutcomeReply { id, outcome }))));
            id
        });
    }

    fn status(&self) -> Status {
        let lifetime = &self.shared.lifetime;
        Status {
            version: VERSION.to_owned(),
            protocol: PROTOCOL,
            pid: std::process::id(),
            kept: lifetime.kept(),
            uptime_s: lifetime.uptime().as_secs(),
            clients: lifetime.clients(),
            browsers: self.shared.host.as_ref().map_or(0, |host| host.open_browsers()),
            calls_in_flight: lifetime.calls(),
        }
    }

    /// Ends what runs for the client, and then the client itself when it ends with its connection.
    async fn end(&mut self) {
        self.gone.cancel();
        let rest = async { while self.calls.join_next().await.is_some() {} };
        if tokio::time::timeout(CANCEL_GRACE, rest).await.is_err() {
            tracing::warn!("cancelled calls did not come back and are dropped");
            self.calls.shutdown().await;
        }
        let Some(client) = self.client.take() else { return };
        if self.shared.lifetime.went(&client)
            && let Ok(host) = &self.shared.host
        {
            tracing::info!(%client, "client gone");
            host.client_gone(&client).await;
        }
    }
}

/// A call that was cut off because the daemon ends, or whose browser went before it heard of that: it was not the
/// client who wanted this, and nothing that it could mend.
fn cut_off(error: ErrorBody) -> ErrorBody {
    if !matches!(error.code, ErrorCode::Cancelled | ErrorCode::TabClosed | ErrorCode::BrowserGone) {
        return error;
    }
    let message = "the daemon was told to end during the call";
    let next = "look at the trace for what the call did, then call again: the daemon is started anew";
    ErrorBody::new(ErrorCode::DaemonUnavailable, message).next(next)
}

async fn forward_progress(id: u64, mut steps: UnboundedReceiver<Progress>, out: UnboundedSender<Reply>) {
    while let Some(step) = steps.recv().await {
        // A client that is gone needs no progress.
        drop(out.send(Reply::Progress { id, message: step.message }));
    }
}
