//! One scope: its worker, its calls one after the other, and what they ask for.

use super::calls::{self, Acts, Errand, refused};
use super::ending::Ending;
use super::output::{Given, Output};
use super::place::Place;
use super::worker::{Heard, Worker};
use super::{Shared, lock};
use crate::wire::{Done, Eval, FromWorker, Info, MOST_NAMES, Op, OpError, Reply, Status, Thrown, ToWorker};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use serde_json::value::to_raw_value;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use truehand_base::{
    Author, CallCtx, ClientId, ErrorBody, ErrorCode, Evaluated, Evaluation, ScopeLost, ScriptError,
    ScriptName, ScriptStatus, Verb,
};

/// How long a script may run unless it says otherwise.
const USUAL: Duration = Duration::from_mins(2);

/// How long a completion may take.
const COMPLETE: Duration = Duration::from_secs(2);

/// How long before the end of its caller's time a script must be over.
const MARGIN: Duration = Duration::from_millis(500);

/// How much longer than the script its calls may take: the script's own end comes first, and cancels them.
const AFTER: Duration = Duration::from_secs(1);

/// How long ops that are cancelled may take to end.
const LAST_OPS: Duration = Duration::from_millis(1_500);

/// How often the memory of a worker is looked at while it works.
const LOOK: Duration = Duration::from_millis(100);

/// How many ops are worked on at a time.
const AT_ONCE: usize = 64;

/// How many of those whose answers may be megabytes, as files and answers of servers are.
const LARGE_AT_ONCE: usize = 4;

/// How many bytes of answers may wait until the worker takes them before more is begun.
const UNTAKEN: usize = 32 * 1024 * 1024;

/// How often it is looked whether it took some.
const TAKING: Duration = Duration::from_millis(10);

/// How many ops may wait; more than a worker of ours lets come.
const WAITING: usize = 4_000;

/// How many ops are begun in a row, and how many a second after that.
const BURST: f64 = 2_000.0;
const PER_SECOND: f64 = 1_000.0;

/// What is asked of a scope.
#[derive(Debug)]
pub(super) enum Ask {
    /// Run a script.
    Run(Box<Job>),
    /// Say what can follow a dotted path.
    Complete { client: ClientId, path: String, reply: oneshot::Sender<Vec<ScriptName>> },
}

impl Ask {
    /// Whose scope is meant.
    pub(super) fn client(&self) -> &ClientId {
        match self {
            Ask::Run(job) => &job.author.client,
            Ask::Complete { client, .. } => client,
        }
    }
}

/// A script to run.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) ctx: CallCtx,
    pub(super) author: Author,
    pub(super) evaluation: Evaluation,
    /// Told when it begins.
    pub(super) begun: oneshot::Sender<()>,
    pub(super) reply: oneshot::Sender<Result<Evaluated, ErrorBody>>,
}

/// Keeps one scope.
pub(super) struct Keeper {
    shared: Arc<Shared>,
    client: ClientId,
    end: CancellationToken,
    worker: Option<Worker>,
    place: Option<Arc<Place>>,
    info: Option<Info>,
    acts: Arc<Acts>,
    /// Ops that are worked on; those that outlive their call go on between calls.
    ops: JoinSet<Reply>,
    /// Their replies between calls.
    held: Vec<Reply>,
    /// Ends the ops of the scope's worker that are no background ones.
    lasting: CancellationToken,
    pace: Pace,
    /// Held by each op at work whose answer may be large.
    large: Arc<()>,
    call: u64,
    /// What the scope's variables are called, as far as they are known.
    names: Vec<String>,
}

impl Keeper {
    /// The keeper of a scope that has not begun.
    pub(super) fn new(shared: Arc<Shared>, client: ClientId, end: CancellationToken) -> Keeper {
        Keeper {
            shared,
            client,
            lasting: end.child_token(),
            end,
            worker: None,
            place: None,
            info: None,
            acts: Arc::default(),
            ops: JoinSet::new(),
            held: Vec::new(),
            pace: Pace::default(),
            large: Arc::default(),
            call: 0,
            names: Vec::new(),
        }
    }

    /// Runs jobs until the client is gone or nobody asked for long.
    pub(super) async fn keep(mut self, mut jobs: mpsc::UnboundedReceiver<Ask>) {
        let idle = self.shared.config.idle;
        let mut over = Instant::now() + idle;
        loop {
            tokio::select! {
                biased;
                () = self.end.cancelled() => break,
                job = jobs.recv() => {
                    match job {
                        Some(Ask::Run(job)) => self.run(*job).await,
                        // A caller that is gone needs no answer.
                        Some(Ask::Complete { path, reply, .. }) => drop(reply.send(self.complete(path).await)),
                        None => break,
                    }
                    over = Instant::now() + idle;
                }
                Some(done) = self.ops.join_next() => self.held.extend(done.ok()),
                () = tokio::time::sleep_until(over) => break,
            }
        }
        jobs.close();
        self.forget().await;
        // Dropped before the shared list is looked at, so that a scope that is over does not count.
        drop(jobs);
        lock(&self.shared.scopes).retain(|_, scope| !scope.jobs.is_closed());
        self.shared.drop_unused_spare();
    }

    async fn run(&mut self, job: Job) {
        let Job { ctx, author, evaluation, begun, mut reply } = job;
        if ctx.check("its turn").is_err() || begun.send(()).is_err() {
            return;
        }
        let end = self.end.clone();
        let ran = tokio::select! {
            ran = self.evaluate(&ctx, author, evaluation, &mut reply) => Some(ran),
            () = end.cancelled() => None,
        };
        if let Some(ran) = ran {
            // A caller that is gone needs no answer.
            drop(reply.send(ran));
        }
    }

    /// What can follow a dotted path; nothing when the scope does not say in time.
    async fn complete(&mut self, path: String) -> Vec<ScriptName> {
        if self.worker.as_ref().is_none_or(|worker| !worker.alive()) {
            self.worker = self.shared.worker().await.ok();
        }
        let Some(worker) = &mut self.worker else { return Vec::new() };
        worker.send(&ToWorker::Complete { path });
        match tokio::time::timeout(COMPLETE, worker.hear()).await {
            Ok(Heard::Said(said)) => match *said {
                FromWorker::Completions(names) => {
                    names.into_iter().map(|known| ScriptName { name: known.name, kind: known.kind }).collect()
                }
                _ => Vec::new(),
            },
            _ => {
                // It is not known any more what comes next from it.
                self.forget().await;
                Vec::new()
            }
        }
    }

    async fn evaluate(
        &mut self,
        ctx: &CallCtx,
        author: Author,
        evaluation: Evaluation,
        caller: &mut oneshot::Sender<Result<Evaluated, ErrorBody>>,
    ) -> Result<Evaluated, ErrorBody> {
        if evaluation.fresh {
            self.forget().await;
        }
        let mut lost_before = None;
        if self.worker.as_ref().is_some_and(|worker| !worker.alive()) {
            let names = std::mem::take(&mut self.names).join(", ");
            self.forget().await;
            lost_before =
                Some(format!("SCOPE_LOST: the scope's process ended between two calls; gone are: {names}"));
        }
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => ctx.wait("a new scope", self.shared.worker()).await??,
        };
        let place = match self.settle(ctx, &author).await {
            Ok(place) => place,
            Err(error) => {
                self.worker = Some(worker);
                return Err(error);
            }
        };
        let eval = self.eval(ctx, &author, &evaluation, &place);
        let mut run = Run {
            ending: Ending::after(Duration::from_millis(eval.timeout_ms)),
            call: eval.call,
            output: Output::default(),
            waiting: VecDeque::new(),
            foreground: self.lasting.clone(),
            background: self.lasting.child_token(),
            errand: Errand {
                author,
                title: evaluation.title,
                within: Arc::default(),
                until: Instant::now() + Duration::from_millis(eval.timeout_ms) + AFTER,
                cancel: CancellationToken::new(),
            },
        };
        if let Some(note) = lost_before {
            run.output.note(note);
        }
        let start = Instant::now();
        worker.send(&ToWorker::Eval(eval));
        for reply in self.held.drain(..) {
            worker.send(&ToWorker::Reply(reply));
        }
        let over = self.converse(ctx, &mut worker, &mut run, caller).await;
        run.background.cancel();
        let ended = match over {
            Over::Done(done) => {
                self.learn(&done.declared);
                let names = self.names.clone();
                if done.lost {
                    worker.kill().await;
                    self.forget().await;
                } else {
                    self.worker = Some(worker);
                    if matches!(done.status, Status::Timeout | Status::Interrupted) {
                        self.end_ops().await;
                    }
                }
                let given = self.give(run.output, done.skipped, run.call, &run.errand).await;
                finished(*done, given, start.elapsed(), names)
            }
            Over::Lost(status, reason) => {
                let names = std::mem::take(&mut self.names);
                worker.kill().await;
                self.forget().await;
                let given = self.give(run.output, 0, run.call, &run.errand).await;
                lost(status, reason, given, start.elapsed(), names)
            }
        };
        let mut evaluated = ended;
        (evaluated.acts, evaluated.acts_left_out) = self.acts.take();
        Ok(evaluated)
    }

    /// What of an output is given. When that is not all, all of it lies in a file.
    async fn give(&self, output: Output, skipped: u64, call: u64, errand: &Errand) -> Given {
        let mut given = output.finish(skipped);
        if let Some(whole) = given.whole.take() {
            let name = format!("artifacts/output-{call}.txt");
            let args = serde_json::json!({ "path": name, "base64": STANDARD.encode(&whole) });
            let written = calls::host_call(&self.shared, errand, "file_write", args).await.is_ok();
            given.notes.push(match written {
                true => format!(
                    "the output is cut in the middle; its first MiB is in {name} (fs.readFile reads it)"
                ),
                false => {
                    "the output is cut in the middle: write less, or write it to a file with fs".to_owned()
                }
            });
        }
        given
    }

    /// Lets the worker go with everything that belongs to it. The folder stays.
    async fn forget(&mut self) {
        if let Some(worker) = self.worker.take() {
            worker.kill().await;
        }
        self.end_ops().await;
        self.info = None;
        self.names.clear();
    }

    /// Remembers names that were declared.
    fn learn(&mut self, declared: &[String]) {
        for name in declared {
            if self.names.len() < MOST_NAMES && !self.names.contains(name) {
                self.names.push(name.clone());
            }
        }
    }

    /// Cancels the ops and lets them say what they had done; nobody waits for their replies.
    async fn end_ops(&mut self) {
        self.lasting.cancel();
        self.lasting = self.end.child_token();
        let all = async { while self.ops.join_next().await.is_some() {} };
        if tokio::time::timeout(LAST_OPS, all).await.is_err() {
            self.ops.shutdown().await;
        }
        self.held.clear();
    }

    /// Opens the session whose folder the scope works in, or takes it again; the client may work in another folder now.
    async fn settle(&mut self, ctx: &CallCtx, author: &Author) -> Result<Arc<Place>, ErrorBody> {
        let errand = Errand {
            author: author.clone(),
            title: "a scope".to_owned(),
            within: Arc::default(),
            until: Instant::now() + ctx.remaining(),
            cancel: ctx.cancel().clone(),
        };
        let opened = calls::host_call(&self.shared, &errand, "session_open", serde_json::json!({})).await?;
        let place = Arc::new(Place::of(&opened)?);
        self.place = Some(Arc::clone(&place));
        Ok(place)
    }

    fn eval(&mut self, ctx: &CallCtx, author: &Author, evaluation: &Evaluation, place: &Place) -> Eval {
        let config = &self.shared.config;
        let info = Info {
            pwd: place.session.clone(),
            cwd: place.working.clone().unwrap_or_else(|| place.session.clone()),
            session: place.name.clone(),
            client: self.client.to_string(),
            js_allowed: author.js_allowed || author.approval.as_ref().is_some_and(|yes| yes.covers(Verb::Js)),
            version: config.version.clone(),
            platform: std::env::consts::OS.to_owned(),
            sites: Vec::new(),
        };
        let limit = evaluation.timeout.unwrap_or(USUAL).min(ctx.remaining().saturating_sub(MARGIN));
        self.call += 1;
        Eval {
            call: self.call,
            code: evaluation.code.clone(),
            timeout_ms: u64::try_from(limit.as_millis()).unwrap_or(u64::MAX).max(1),
            info: (self.info.as_ref() != Some(&info)).then(|| self.info.insert(info).clone()),
        }
    }

    /// Takes what the worker says until its call is over.
    async fn converse(
        &mut self,
        ctx: &CallCtx,
        worker: &mut Worker,
        run: &mut Run,
        caller: &mut oneshot::Sender<Result<Evaluated, ErrorBody>>,
    ) -> Over {
        let mut look = tokio::time::interval(LOOK);
        look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            let pause = self.begin_ops(run, worker.untaken());
            let given_up = async {
                tokio::select! {
                    () = ctx.cancel().cancelled() => {}
                    () = caller.closed() => {}
                }
            };
            // In no order: a worker that talks without end must not keep the time from being over.
            tokio::select! {
                heard = worker.hear() => match heard {
                    Heard::Said(said) => match *said {
                        FromWorker::Done(done) if done.call == run.call => return Over::Done(done),
                        FromWorker::Done(_) | FromWorker::Ready(_) | FromWorker::Completions(_) => {
                            return Over::lost("its process spoke out of turn");
                        }
                        FromWorker::Op(_) if run.waiting.len() >= WAITING => {
                            return Over::lost("it asked for too much at a time");
                        }
                        FromWorker::Op(op) => {
                            let large = calls::may_be_large(&op);
                            run.waiting.push_back((op, large));
                        }
                        FromWorker::Print(print) => run.output.print(print),
                        FromWorker::Image { base64, .. } => run.output.image(base64),
                    },
                    Heard::Nonsense(what) => return Over::lost(what),
                    Heard::Ended => return Over::lost("its process ended"),
                },
                Some(done) = self.ops.join_next() => {
                    if let Ok(reply) = done {
                        worker.send(&ToWorker::Reply(reply));
                    }
                }
                () = given_up, if !run.ending.interrupted => {
                    run.ending.interrupt();
                    worker.send(&ToWorker::Interrupt { call: run.call });
                }
                () = tokio::time::sleep_until(run.ending.hard) => {
                    return if run.ending.interrupted {
                        Over::Lost(ScriptStatus::Interrupted, "it did not stop when it was told to".to_owned())
                    } else {
                        Over::Lost(ScriptStatus::Timeout, "it did not stop when its time was over".to_owned())
                    };
                }
                _ = look.tick() => {
                    let most = self.shared.config.resident;
                    if worker.resident().is_some_and(|bytes| bytes > most) {
                        return Over::lost(format!("it took more than {} MiB of memory", most / 1024 / 1024));
                    }
                }
                () = pause_of(pause), if pause.is_some() => {}
            }
        }
    }

    /// Begins ops that wait, as many as may run. Gives how long the next one has to wait for its turn.
    fn begin_ops(&mut self, run: &mut Run, untaken: usize) -> Option<Duration> {
        while self.ops.len() < AT_ONCE && !run.waiting.is_empty() {
            if untaken > UNTAKEN {
                return Some(TAKING);
            }
            let room = Arc::strong_count(&self.large) <= LARGE_AT_ONCE;
            // When there is none for large ones, the others go on past them.
            let next = run.waiting.iter().position(|(_, large)| room || !large)?;
            if let Some(pause) = self.pace.wait() {
                return Some(pause);
            }
            let Some((op, large)) = run.waiting.remove(next) else { break };
            let large = large.then(|| Arc::clone(&self.large));
            let cancel = if op.background { run.background.clone() } else { run.foreground.clone() };
            let folders = self.place.iter().flat_map(|place| place.folders());
            let within = Arc::new(folders.chain(self.acts.all_downloads()).collect());
            let errand = Errand { cancel: cancel.clone(), within, ..run.errand.clone() };
            let work = work(Arc::clone(&self.shared), errand, Arc::clone(&self.acts), op);
            self.ops.spawn(async move {
                let reply = work.await;
                drop(large);
                reply
            });
        }
        None
    }
}

async fn pause_of(pause: Option<Duration>) {
    tokio::time::sleep(pause.unwrap_or_default()).await;
}

/// One call at work.
struct Run {
    ending: Ending,
    call: u64,
    output: Output,
    /// Ops that are to begin, and whether their answers may be large.
    waiting: VecDeque<(Op, bool)>,
    foreground: CancellationToken,
    background: CancellationToken,
    errand: Errand,
}

/// How a conversation ended.
enum Over {
    Done(Box<Done>),
    Lost(ScriptStatus, String),
}

impl Over {
    fn lost(reason: impl Into<String>) -> Over {
        Over::Lost(ScriptStatus::Lost, reason.into())
    }
}

/// Does one op.
async fn work(shared: Arc<Shared>, errand: Errand, acts: Arc<Acts>, op: Op) -> Reply {
    let number = op.op;
    let cancelled = errand.cancel.clone();
    let done = async {
        match op.name.as_str() {
            "call" => calls::call(&shared, &errand, &acts, &op.args).await,
            name => {
                let message = format!("there is no operation '{name}'");
                Err(refused(&ErrorBody::new(ErrorCode::InvalidArguments, message)))
            }
        }
    };
    let done = tokio::select! {
        biased;
        done = done => done,
        // A call of ours ends by its own cancel mark and says what it did; this is for what does not.
        () = async { cancelled.cancelled().await; tokio::time::sleep(Duration::from_secs(3)).await } => {
            Err(refused(&ErrorBody::new(ErrorCode::Cancelled, "the script was stopped")))
        }
    };
    reply(number, done)
}

fn reply(op: u64, done: Result<Value, OpError>) -> Reply {
    match done.map(|value| to_raw_value(&value)) {
        Ok(Ok(value)) => Reply { op, value: Some(value), error: None },
        Ok(Err(error)) => {
            let error = refused(&ErrorBody::new(ErrorCode::Internal, error.to_string()));
            Reply { op, value: None, error: Some(error) }
        }
        Err(error) => Reply { op, value: None, error: Some(error) },
    }
}

/// What a call came to that the worker ended.
fn finished(done: Done, given: Given, elapsed: Duration, names: Vec<String>) -> Evaluated {
    let status = match done.status {
        Status::Ok => ScriptStatus::Ok,
        Status::Error => ScriptStatus::Error,
        Status::Timeout => ScriptStatus::Timeout,
        Status::Interrupted => ScriptStatus::Interrupted,
    };
    let mut evaluated = Evaluated::new(status);
    (evaluated.logs, evaluated.images, evaluated.notes) = (given.logs, given.images, given.notes);
    evaluated.shown = done.value;
    evaluated.value = done.json.and_then(|json| serde_json::from_str(json.get()).ok());
    evaluated.error = done.error.map(thrown);
    evaluated.redeclared = done.redeclared;
    evaluated.elapsed = elapsed;
    if done.lost {
        let reason = "it could not be stopped in another way".to_owned();
        evaluated.scope_lost = Some(ScopeLost { reason, names });
    }
    evaluated
}

fn thrown(error: Thrown) -> ScriptError {
    ScriptError {
        name: error.name,
        message: error.message,
        code: error.code,
        next_step: error.next_step,
        stack: error.stack.unwrap_or_default(),
    }
}

/// What a call came to whose worker is gone.
fn lost(
    status: ScriptStatus,
    reason: String,
    given: Given,
    elapsed: Duration,
    names: Vec<String>,
) -> Evaluated {
    let mut evaluated = Evaluated::new(status);
    (evaluated.logs, evaluated.images, evaluated.notes) = (given.logs, given.images, given.notes);
    evaluated.elapsed = elapsed;
    evaluated.scope_lost = Some(ScopeLost { reason, names });
    evaluated
}

/// How fast ops may be begun.
#[derive(Debug)]
struct Pace {
    tokens: f64,
    at: Instant,
}

impl Default for Pace {
    fn default() -> Self {
        Pace { tokens: BURST, at: Instant::now() }
    }
}

impl Pace {
    /// Takes a turn, or says how long until there is one.
    fn wait(&mut self) -> Option<Duration> {
        let now = Instant::now();
        let more = now.saturating_duration_since(self.at).as_secs_f64() * PER_SECOND;
        self.tokens = (self.tokens + more).min(BURST);
        self.at = now;
        if self.tokens >= 1.0 {
            self.tokens -= 1.0;
            return None;
        }
        Some(Duration::from_secs_f64((1.0 - self.tokens) / PER_SECOND))
    }
}
