//! The daemon's side of the scopes: one scope a client, each in a worker process of its own.
//!
//! Invariants: what a script wants done reaches the world only as a call of its own client through the one
//! [`Caller`], files included. A worker that does not end in time, that takes too much memory or that speaks nonsense
//! is killed; the daemon goes on.

mod calls;
mod ending;
mod image;
mod keeper;
mod output;
mod place;
mod worker;

use crate::wire;
use keeper::{Ask, Job, Keeper};
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use truehand_base::{
    Author, BoxFuture, CallCtx, Caller, ClientId, ErrorBody, ErrorCode, Evaluated, Evaluation, ScriptName,
    Scripts,
};
use worker::Worker;

/// How scopes are kept.
#[derive(Debug, Clone)]
pub struct HostConfig {
    /// The state folder; the scopes' own folders are made in it.
    pub home: PathBuf,
    /// The program whose `arguments` make it a worker.
    pub program: PathBuf,
    /// The arguments that make it one.
    pub arguments: Vec<OsString>,
    /// The product's version, for scripts.
    pub version: String,
    /// How many scopes there may be; the one that was idle longest makes room.
    pub most: usize,
    /// How long a scope is kept that nobody uses.
    pub idle: Duration,
    /// What a scope may use.
    pub limits: wire::Limits,
    /// The most memory that a worker process may hold, in bytes.
    pub resident: u64,
}

impl HostConfig {
    /// The usual limits.
    #[must_use]
    pub fn new(home: PathBuf, program: PathBuf, arguments: Vec<OsString>, version: &str) -> Self {
        HostConfig {
            home,
            program,
            arguments,
            version: version.to_owned(),
            most: 8,
            idle: Duration::from_mins(30),
            limits: wire::Limits::default(),
            resident: 384 * 1024 * 1024,
        }
    }
}

/// Keeps the scopes.
pub struct ScriptHost {
    shared: Arc<Shared>,
}

/// What the scopes have in common.
struct Shared {
    config: HostConfig,
    /// Where calls go. Weak, since what takes the calls holds the host.
    caller: OnceLock<Weak<dyn Caller>>,
    scopes: Mutex<HashMap<ClientId, Scope>>,
    /// A worker that is ready for the next new scope.
    spare: Mutex<Option<Worker>>,
    closing: CancellationToken,
}

/// A scope as the host knows it.
struct Scope {
    jobs: mpsc::UnboundedSender<Ask>,
    used: Instant,
    waiting: Arc<()>,
    end: CancellationToken,
}

impl ScriptHost {
    /// A host without a caller: scripts can run, and can't act.
    #[must_use]
    pub fn new(config: HostConfig) -> Arc<ScriptHost> {
        let shared = Shared {
            config,
            caller: OnceLock::new(),
            scopes: Mutex::default(),
            spare: Mutex::default(),
            closing: CancellationToken::new(),
        };
        Arc::new(ScriptHost { shared: Arc::new(shared) })
    }

    /// Says where the calls of scripts go; only the first time counts.
    pub fn serve(&self, caller: Weak<dyn Caller>) {
        // A second caller would be a second door.
        drop(self.shared.caller.set(caller));
    }

    /// How many scopes are open.
    #[must_use]
    pub fn open_scopes(&self) -> usize {
        lock(&self.shared.scopes).len()
    }
}

impl Scripts for ScriptHost {
    fn evaluate<'a>(
        &'a self,
        ctx: &'a CallCtx,
        author: &'a Author,
        evaluation: Evaluation,
    ) -> BoxFuture<'a, Result<Evaluated, ErrorBody>> {
        Box::pin(async move {
            let (begun, begins) = oneshot::channel();
            let (reply, ended) = oneshot::channel();
            let job = Job { ctx: ctx.clone(), author: author.clone(), evaluation, begun, reply };
            let _waiting = self.shared.send(Ask::Run(Box::new(job)))?;
            // Whether it begins is not said when its scope ends before; then `ended` says it.
            drop(ctx.wait("the script before this one", begins).await?);
            ended.await.unwrap_or_else(|_| {
                Err(ErrorBody::new(ErrorCode::ScopeLost, "the scope was closed before the script ended"))
            })
        })
    }

    fn complete<'a>(
        &'a self,
        ctx: &'a CallCtx,
        author: &'a Author,
        path: &'a str,
    ) -> BoxFuture<'a, Result<Vec<ScriptName>, ErrorBody>> {
        Box::pin(async move {
            let (reply, names) = oneshot::channel();
            let ask = Ask::Complete { client: author.client.clone(), path: path.to_owned(), reply };
            let _waiting = self.shared.send(ask)?;
            ctx.wait("the scope", names).await.map(Result::unwrap_or_default)
        })
    }

    fn client_gone(&self, client: &ClientId) {
        if let Some(scope) = lock(&self.shared.scopes).remove(client) {
            scope.end.cancel();
        }
        self.shared.drop_unused_spare();
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            self.shared.closing.cancel();
            lock(&self.shared.scopes).clear();
            lock(&self.shared.spare).take();
        })
    }
}

impl Shared {
    /// Gives a job to its client's scope, which begins now when there is none. What comes back says, while it
    /// lives, that somebody waits for the scope.
    fn send(self: &Arc<Self>, ask: Ask) -> Result<Arc<()>, ErrorBody> {
        if self.closing.is_cancelled() {
            return Err(ErrorBody::new(ErrorCode::DaemonUnavailable, "the product is shutting down"));
        }
        let mut scopes = lock(&self.scopes);
        scopes.retain(|_, scope| !scope.jobs.is_closed());
        let client = ask.client().clone();
        if !scopes.contains_key(&client) {
            make_room(&mut scopes, self.config.most)?;
            let (jobs, queue) = mpsc::unbounded_channel();
            let end = self.closing.child_token();
            tokio::spawn(Keeper::new(Arc::clone(self), client.clone(), end.clone()).keep(queue));
            let scope = Scope { jobs, used: Instant::now(), waiting: Arc::new(()), end };
            scopes.insert(client.clone(), scope);
        }
        let Some(scope) = scopes.get_mut(&client) else {
            return Err(ErrorBody::new(ErrorCode::Internal, "a scope is gone as soon as it was made"));
        };
        scope.used = Instant::now();
        let waiting = Arc::clone(&scope.waiting);
        // A scope that ends right now drops the job, and whoever waits for it hears of that.
        drop(scope.jobs.send(ask));
        Ok(waiting)
    }

    /// A worker for a new scope, and another one after it.
    async fn worker(self: &Arc<Self>) -> Result<Worker, ErrorBody> {
        let spare = lock(&self.spare).take().filter(Worker::alive);
        let worker = match spare {
            Some(worker) => worker,
            None => Worker::start(&self.config).await?,
        };
        let shared = Arc::clone(self);
        tokio::spawn(async move { shared.keep_spare().await });
        Ok(worker)
    }

    async fn keep_spare(self: Arc<Self>) {
        if lock(&self.spare).is_some() {
            return;
        }
        match Worker::start(&self.config).await {
            Ok(worker) => {
                // A second one ends when it is dropped.
                drop(lock(&self.spare).replace(worker));
                self.drop_unused_spare();
            }
            Err(error) => tracing::warn!(%error, "no worker is kept ready for the next scope"),
        }
    }

    fn drop_unused_spare(&self) {
        if lock(&self.scopes).is_empty() || self.closing.is_cancelled() {
            lock(&self.spare).take();
        }
    }
}

/// Ends the scope that was idle longest when there is no room for one more.
fn make_room(scopes: &mut HashMap<ClientId, Scope>, most: usize) -> Result<(), ErrorBody> {
    while scopes.len() >= most {
        let idle = scopes.iter().filter(|(_, scope)| Arc::strong_count(&scope.waiting) == 1);
        let Some(client) = idle.min_by_key(|(_, scope)| scope.used).map(|(client, _)| client.clone()) else {
            let message = format!("{most} scopes run scripts already");
            let mut error = ErrorBody::new(ErrorCode::RateLimited, message).with("limit", "scopes");
            error.retry_after_ms = Some(1_000);
            return Err(error);
        };
        if let Some(scope) = scopes.remove(&client) {
            tracing::info!(%client, "its scope was idle longest and makes room");
            scope.end.cancel();
        }
    }
    Ok(())
}

/// Takes a lock whose holders change small things that a panic can't leave half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
