//! The thin side of the socket: a [`Caller`] whose calls run in the daemon.

use super::home::RunDir;
use super::protocol::{CallRequest, ClientOptions, Hello, PROTOCOL, Reply, Request, Status, VERSION};
use super::start::{self, Launch};
use crate::lines::{Line, LineReader, MAX_LINE};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{oneshot, watch};
use tokio_util::sync::CancellationToken;
use truehand_base::{
    BoxFuture, Call, CallCtx, Caller, Catalog, ClientId, ErrorBody, ErrorCode, Outcome, Warning,
};

/// How long the daemon may take to answer after the call's own time is over or it was cancelled.
const ANSWER_GRACE: Duration = Duration::from_secs(4);

/// The same for a client that must have its answer by a certain time, whatever the daemon does.
const LAST_GRACE: Duration = Duration::from_millis(500);

/// How long the daemon may take to answer what costs it nothing.
const QUICK: Duration = Duration::from_secs(5);

/// How often a call that was surely not begun is sent again.
const TRIES: usize = 3;

/// How a client reaches its daemon, and who it is.
#[derive(Clone)]
pub struct ClientSettings {
    /// Where the daemon lives.
    pub run: RunDir,
    /// How to start it; `None` leaves it as it is.
    pub launch: Option<Launch>,
    /// Who calls.
    pub client: ClientId,
    /// What the client wishes.
    pub options: ClientOptions,
    /// The tool table of this program. The daemon is of the same version and so has the same one;
    /// it only says which rows are listed.
    pub catalog: fn() -> Arc<Catalog>,
}

/// A connection to the daemon that is made, and made again, when a call needs it.
pub struct DaemonClient {
    settings: ClientSettings,
    link: tokio::sync::Mutex<Option<Arc<Link>>>,
    /// The process that the last link led to; 0 before the first.
    last_pid: AtomicU32,
    listed: Arc<Listed>,
}

/// Which tools are listed, as the daemon last said.
struct Listed {
    names: RwLock<Option<Vec<String>>>,
    version: watch::Sender<u64>,
}

impl Listed {
    fn set(&self, names: Vec<String>) {
        *self.names.write().unwrap_or_else(PoisonError::into_inner) = Some(names);
        self.version.send_modify(|version| *version += 1);
    }
}

/// One connection.
struct Link {
    run: RunDir,
    out: UnboundedSender<Request>,
    waiting: Mutex<HashMap<u64, Waiting>>,
    next_id: AtomicU64,
    welcome: watch::Receiver<Option<Result<u32, ErrorBody>>>,
    closed: CancellationToken,
}

struct Waiting {
    ctx: CallCtx,
    done: oneshot::Sender<Ended>,
}

/// How a call came back.
enum Ended {
    Outcome(Box<Outcome>),
    NotTaken,
}

impl DaemonClient {
    /// A client that is not connected yet.
    #[must_use]
    pub fn new(settings: ClientSettings) -> Self {
        let listed = Listed { names: RwLock::new(None), version: watch::channel(0).0 };
        DaemonClient {
            settings,
            link: tokio::sync::Mutex::new(None),
            last_pid: AtomicU32::new(0),
            listed: Arc::new(listed),
        }
    }

    /// Connects now, so that the first call need not.
    ///
    /// # Errors
    /// `DAEMON_UNAVAILABLE` or `DAEMON_VERSION`, or why the daemon can't serve this client.
    pub async fn connect(&self, ctx: &CallCtx) -> Result<(), ErrorBody> {
        for _ in 0..TRIES {
            let link = self.link(ctx).await?;
            if let Some(pid) = ctx.wait("the daemon's welcome", link.welcomed()).await?? {
                self.last_pid.store(pid, Ordering::Relaxed);
                return Ok(());
            }
        }
        Err(lost("the daemon closes every connection before it answers"))
    }

    /// Tells the daemon that this client ends of its own will, and waits until that is on its way.
    pub async fn goodbye(&self) {
        let Some(link) = self.link.lock().await.take() else { return };
        drop(link.out.send(Request::Bye));
        link.end();
        // The writer ends when it has written what was sent before; a daemon that does not read is left alone.
        drop(tokio::time::timeout(Duration::from_millis(200), link.out.closed()).await);
    }

    /// Grows whenever the daemon said which tools are listed; 0 until it did so once.
    #[must_use]
    pub fn catalog_changes(&self) -> watch::Receiver<u64> {
        self.listed.version.subscribe()
    }

    /// The link that there is, or a new one. Its welcome may still be on its way.
    async fn link(&self, ctx: &CallCtx) -> Result<Arc<Link>, ErrorBody> {
        let mut held = self.link.lock().await;
        if let Some(link) = held.as_ref().filter(|link| !link.closed.is_cancelled()) {
            return Ok(Arc::clone(link));
        }
        let run = &self.settings.run;
        let stream = match &self.settings.launch {
            Some(launch) => start::connect_or_start(ctx, run, launch).await?,
            None => start::connect(run).await?,
        };
        let link = Link::begin(stream, &self.settings, Arc::clone(&self.listed));
        *held = Some(Arc::clone(&link));
        Ok(link)
    }

    async fn run(&self, ctx: &CallCtx, call: Call) -> Result<Outcome, ErrorBody> {
        let connecting = if ctx.answers_at_once() { ctx.clone() } else { ctx.until_answer() };
        for _ in 0..TRIES {
            let link = self.link(&connecting).await?;
            let (id, done) = link.send(ctx, &call);
            let ended = link.wait_for(ctx, id, done).await;
            let welcome = link.welcome.borrow().clone();
            match (ended, welcome) {
                (_, Some(Err(refusal))) => {
                    link.end();
                    return Err(refusal);
                }
                (Ok(Ended::Outcome(outcome)), Some(Ok(pid))) => return Ok(self.note_restart(pid, *outcome)),
                (Ok(Ended::Outcome(outcome)), None) => return Ok(*outcome),
                (Ok(Ended::NotTaken), _) => link.ended().await,
                // Without a welcome nothing was read from us, so nothing was done: send it again.
                (Err(_), None) if link.closed.is_cancelled() && !ctx.cancel().is_cancelled() => {}
                (Err(error), _) => return Err(error),
            }
        }
        Err(lost("the daemon ends before it takes the call"))
    }

    /// Tells the caller when its pages went with an earlier daemon.
    fn note_restart(&self, pid: u32, mut outcome: Outcome) -> Outcome {
        let before = self.last_pid.swap(pid, Ordering::Relaxed);
        if before != 0 && before != pid {
            outcome.warnings.push(Warning {
                code: "DAEMON_RESTARTED".to_owned(),
                message: "the daemon was started anew: tabs, pages and references from before are gone"
                    .to_owned(),
            });
        }
        outcome
    }
}

impl Caller for DaemonClient {
    fn call<'a>(&'a self, ctx: &'a CallCtx, call: Call) -> BoxFuture<'a, Outcome> {
        let tool = call.tool.clone();
        Box::pin(
            async move { self.run(ctx, call).await.unwrap_or_else(|error| Outcome::failed(tool, error)) },
        )
    }

    fn catalog(&self) -> Arc<Catalog> {
        let table = (self.settings.catalog)();
        let names = self.listed.names.read().unwrap_or_else(PoisonError::into_inner);
        let Some(names) = names.as_ref() else { return table };
        let same = |tool: &truehand_base::ToolInfo| tool.listed == names.contains(&tool.name);
        if table.tools.iter().all(same) {
            return Arc::clone(&table);
        }
        let mut catalog = (*table).clone();
        for tool in &mut catalog.tools {
            tool.listed = names.contains(&tool.name);
        }
        Arc::new(catalog)
    }
}

impl Link {
    fn begin(stream: UnixStream, settings: &ClientSettings, listed: Arc<Listed>) -> Arc<Self> {
        let (read, write) = stream.into_split();
        let (out, requests) = unbounded_channel();
        let (welcome_sender, welcome) = watch::channel(None);
        let link = Arc::new(Link {
            run: settings.run.clone(),
            out,
            waiting: Mutex::new(HashMap::new()),
            next_id: AtomicU64::new(1),
            welcome,
            closed: CancellationToken::new(),
        });
        tokio::spawn(write_requests(write, requests, link.closed.clone()));
        let hello = Hello {
            version: VERSION.to_owned(),
            protocol: PROTOCOL,
            client: settings.client.clone(),
            options: settings.options.clone(),
        };
        drop(link.out.send(Request::Hello(Box::new(hello))));
        tokio::spawn(Arc::clone(&link).read_replies(read, welcome_sender, listed));
        link
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<u64, Waiting>> {
        // The map is whole after every statement, so a panic elsewhere does not spoil it.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The daemon's process id once it has welcomed us; `None` when it closed the connection before.
    async fn welcomed(&self) -> Result<Option<u32>, ErrorBody> {
        let mut welcome = self.welcome.clone();
        let said = tokio::select! {
            said = welcome.wait_for(Option::is_some) => said.ok().and_then(|said| said.clone()),
            () = self.closed.cancelled() => self.welcome.borrow().clone(),
        };
        said.transpose()
    }

    fn send(&self, ctx: &CallCtx, call: &Call) -> (u64, oneshot::Receiver<Ended>) {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (done, ended) = oneshot::channel();
        self.waiting().insert(id, Waiting { ctx: ctx.clone(), done });
        let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let answer_ms = ctx.answer_by().map(|by| ms(by.saturating_duration_since(Instant::now())));
        let request = CallRequest { id, timeout_ms: ms(ctx.remaining()), answer_ms, call: call.clone() };
        // A link that has closed in the meantime fails what waits on it.
        drop(self.out.send(Request::Call(Box::new(request))));
        if self.closed.is_cancelled() {
            self.waiting().remove(&id);
        }
        (id, ended)
    }

    /// Waits for the end of a call. The daemon keeps the call's time; we only wait a little longer.
    async fn wait_for(
        &self,
        ctx: &CallCtx,
        id: u64,
        mut done: oneshot::Receiver<Ended>,
    ) -> Result<Ended, ErrorBody> {
        let closed = || lost("the connection to the daemon ended during the call");
        // An answer at once is the daemon's to give: it knows when the call has begun.
        let (last, mut grace) = match ctx.answer_by() {
            Some(by) if !ctx.answers_at_once() => (by, LAST_GRACE),
            _ => (ctx.deadline(), ANSWER_GRACE),
        };
        tokio::select! {
            ended = &mut done => return ended.map_err(|_| closed()),
            () = ctx.cancel().cancelled() => {}
            () = tokio::time::sleep_until(last.into()) => {}
        }
        if ctx.cancel().is_cancelled() {
            drop(self.out.send(Request::Cancel(id)));
            grace = ANSWER_GRACE;
        }
        match tokio::time::timeout(grace, done).await {
            Ok(ended) => ended.map_err(|_| closed()),
            Err(_) => {
                self.waiting().remove(&id);
                // Nobody would hear what becomes of it.
                drop(self.out.send(Request::Cancel(id)));
                let code =
                    if ctx.cancel().is_cancelled() { ErrorCode::Cancelled } else { ErrorCode::Deadline };
                let greeted = self.welcome.borrow().is_some();
                Err(match code {
                    ErrorCode::Deadline if !greeted => silent(&self.run),
                    _ => ErrorBody::new(code, "the daemon did not answer in time"),
                })
            }
        }
    }

    fn end(&self) {
        self.closed.cancel();
    }

    async fn ended(&self) {
        self.closed.cancelled().await;
    }

    async fn read_replies(
        self: Arc<Self>,
        read: OwnedReadHalf,
        welcome: watch::Sender<Option<Result<u32, ErrorBody>>>,
        listed: Arc<Listed>,
    ) {
        let mut lines = LineReader::new(read, MAX_LINE);
        loop {
            let line = tokio::select! {
                line = lines.next() => line,
                () = self.closed.cancelled() => break,
            };
            let reply = match line {
                Ok(Line::Whole(line)) => serde_json::from_slice::<Reply>(&line),
                Ok(Line::TooLong(_)) => {
                    tracing::error!("the daemon sent a line that is too long");
                    break;
                }
                Ok(Line::End) => break,
                Err(error) => {
                    tracing::debug!(%error, "the connection to the daemon broke");
                    break;
                }
            };
            match reply {
                Ok(Reply::Welcome(said)) => {
                    listed.set(said.listed);
                    drop(welcome.send(Some(Ok(said.pid))));
                }
                Ok(Reply::Refused(error)) => {
                    drop(welcome.send(Some(Err(error))));
                    break;
                }
                Ok(Reply::CatalogChanged { listed: names }) => listed.set(names),
                Ok(Reply::Progress { id, message }) => {
                    if let Some(waiting) = self.waiting().get(&id) {
                        waiting.ctx.progress(message);
                    }
                }
                Ok(Reply::Outcome(reply)) => {
                    self.finish(reply.id, Ended::Outcome(Box::new(reply.outcome)));
                }
                Ok(Reply::NotTaken(id)) => self.finish(id, Ended::NotTaken),
                Ok(Reply::Malformed(error)) => {
                    tracing::error!(%error, "the daemon did not understand a line")
                }
                Ok(Reply::Status(_) | Reply::Kept | Reply::Stopping) => {}
                Err(error) => tracing::error!(%error, "the daemon sent a line that is not a reply"),
            }
        }
        self.end();
        // What still waits is told by its sender being dropped.
        self.waiting().clear();
    }

    fn finish(&self, id: u64, ended: Ended) {
        let Some(waiting) = self.waiting().remove(&id) else { return };
        // A caller that has given up needs no answer.
        drop(waiting.done.send(ended));
    }
}

/// Writes requests until the link is closed; what was sent before that is still written.
async fn write_requests(
    mut write: OwnedWriteHalf,
    mut requests: UnboundedReceiver<Request>,
    closed: CancellationToken,
) {
    loop {
        let request = tokio::select! {
            biased;
            request = requests.recv() => request,
            () = closed.cancelled() => None,
        };
        let Some(request) = request else { return };
        let line = match serde_json::to_vec(&request) {
            Ok(mut line) => {
                line.push(b'\n');
                line
            }
            Err(error) => {
                tracing::error!(%error, "a request can't be written as JSON");
                continue;
            }
        };
        if let Err(error) = write.write_all(&line).await {
            tracing::debug!(%error, "the daemon takes no more requests");
            return closed.cancel();
        }
    }
}

fn lost(message: &str) -> ErrorBody {
    ErrorBody::new(ErrorCode::DaemonUnavailable, message).next(
        "call again: the daemon is started anew; open pages were lost, and what the call did is in the trace",
    )
}

/// Something holds the socket and does not say a word.
fn silent(run: &RunDir) -> ErrorBody {
    let who = run.written_pid().map_or("the daemon".to_owned(), |pid| format!("the daemon, process {pid},"));
    let next = "end that process and call again: the daemon is started anew; open pages are lost";
    ErrorBody::new(ErrorCode::DaemonUnavailable, format!("{who} does not answer")).next(next)
}

/// Asks the daemon how it is. `None` when none runs.
///
/// # Errors
/// `DAEMON_UNAVAILABLE` when one runs and does not answer.
pub async fn status(ctx: &CallCtx, run: &RunDir) -> Result<Option<Status>, ErrorBody> {
    match ask(ctx, run, &Request::Status).await? {
        Some(Reply::Status(status)) => Ok(Some(status)),
        Some(_) => Err(lost("the daemon gave no status")),
        None => Ok(None),
    }
}

/// Starts the daemon when none runs, and lets it stay until it is told to stop.
///
/// # Errors
/// `DAEMON_UNAVAILABLE` when it does not come up.
pub async fn keep(ctx: &CallCtx, run: &RunDir, launch: &Launch) -> Result<(), ErrorBody> {
    let stream = start::connect_or_start(ctx, run, launch).await?;
    match converse(ctx, run, stream, &Request::Keep, Until::FirstReply).await? {
        Some(Reply::Kept) => Ok(()),
        _ => Err(lost("the daemon did not say that it stays")),
    }
}

/// Ends the daemon and waits until it has ended. False when none ran.
///
/// # Errors
/// `DAEMON_UNAVAILABLE` when it does not end in the time of `ctx`.
pub async fn stop(ctx: &CallCtx, run: &RunDir) -> Result<bool, ErrorBody> {
    if !run.dir().exists() {
        return Ok(false);
    }
    let Ok(stream) = start::connect(run).await else { return Ok(false) };
    converse(ctx, run, stream, &Request::Stop, Until::End).await?;
    // It has closed our connection; the lock is given back when its browsers are closed as well.
    let freed = async {
        while run.is_locked() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    ctx.wait("the daemon to end", freed).await.map_err(|error| or_silent(error, run))?;
    Ok(true)
}

fn or_silent(error: ErrorBody, run: &RunDir) -> ErrorBody {
    if error.code == ErrorCode::Deadline { silent(run) } else { error }
}

async fn ask(ctx: &CallCtx, run: &RunDir, request: &Request) -> Result<Option<Reply>, ErrorBody> {
    if !run.dir().exists() {
        return Ok(None);
    }
    let Ok(stream) = start::connect(run).await else { return Ok(None) };
    converse(&ctx.at_most(QUICK), run, stream, request, Until::FirstReply).await
}

/// How long [`converse`] listens.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    FirstReply,
    End,
}

/// Says one thing on a fresh connection and hears the answer; the last one when told to listen to the end.
async fn converse(
    ctx: &CallCtx,
    run: &RunDir,
    stream: UnixStream,
    request: &Request,
    until: Until,
) -> Result<Option<Reply>, ErrorBody> {
    let talk = async {
        let (read, mut write) = stream.into_split();
        let mut line = serde_json::to_vec(request).map_err(std::io::Error::other)?;
        line.push(b'\n');
        write.write_all(&line).await?;
        let mut lines = LineReader::new(read, MAX_LINE);
        let mut last = None;
        loop {
            match lines.next().await? {
                Line::Whole(line) => {
                    last = Some(serde_json::from_slice(&line).map_err(std::io::Error::other)?)
                }
                Line::TooLong(_) | Line::End => return Ok(last),
            }
            if until == Until::FirstReply {
                return Ok(last);
            }
        }
    };
    let said: Result<Option<Reply>, std::io::Error> =
        ctx.wait("the daemon's answer", talk).await.map_err(|error| or_silent(error, run))?;
    said.map_err(|error| lost(&format!("the daemon can't be talked to: {error}")))
}
