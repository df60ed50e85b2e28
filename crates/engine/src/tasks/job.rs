//! One call at work: how far it is, what it came to, and how to end it.

use crate::lock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use truehand_base::{ClientId, ErrorBody, ErrorCode, Outcome, TaskNote, TaskStatus};

/// How far a call is.
#[derive(Clone)]
pub enum State {
    /// Nothing of it can have acted: it is parsed, judged, or waits for its tab.
    Starting,
    /// Its tool is at work.
    Begun(&'static str),
    /// It has ended.
    Ended(Ended),
}

/// What a call came to.
#[derive(Clone)]
pub struct Ended {
    /// The outcome.
    pub outcome: Arc<Outcome>,
    /// When.
    pub at: Instant,
}

/// A call at work. It belongs to one client, and the client to it is who the daemon knows by the connection
/// that the call came on.
pub struct Job {
    client: ClientId,
    started: Instant,
    cancel: CancellationToken,
    state: watch::Sender<State>,
    step: watch::Sender<String>,
    /// The name that the client was told, once it was.
    id: Mutex<Option<String>>,
    size: AtomicUsize,
}

impl Job {
    /// A call that begins now.
    pub fn new(client: ClientId, now: Instant) -> Arc<Job> {
        Arc::new(Job {
            client,
            started: now,
            cancel: CancellationToken::new(),
            state: watch::Sender::new(State::Starting),
            step: watch::Sender::new(String::new()),
            id: Mutex::default(),
            size: AtomicUsize::new(0),
        })
    }

    /// Whose it is.
    pub fn client(&self) -> &ClientId {
        &self.client
    }

    /// Its cancel mark.
    pub fn cancel(&self) -> &CancellationToken {
        &self.cancel
    }

    /// Its state, to look at and to wait for.
    pub fn state(&self) -> watch::Receiver<State> {
        self.state.subscribe()
    }

    /// What it does, to look at and to wait for.
    pub fn step(&self) -> watch::Receiver<String> {
        self.step.subscribe()
    }

    /// The name that the client knows it by.
    pub fn id(&self) -> Option<String> {
        lock(&self.id).clone()
    }

    /// Gives it a name.
    pub fn call_it(&self, id: String) {
        *lock(&self.id) = Some(id);
    }

    /// The tool of a call that has begun or ended.
    pub fn tool(&self) -> String {
        match &*self.state.borrow() {
            State::Starting => String::new(),
            State::Begun(tool) => (*tool).to_owned(),
            State::Ended(ended) => ended.outcome.tool.clone(),
        }
    }

    /// Says that its tool goes to work.
    pub fn begin(&self, tool: &'static str) {
        self.state.send_replace(State::Begun(tool));
    }

    /// Says what it does.
    pub fn note(&self, step: String) {
        self.step.send_replace(step);
    }

    /// Ends it; only the first end counts.
    pub fn finish(&self, outcome: Outcome, at: Instant) {
        if self.id().is_some() {
            self.size.store(size_of(&outcome), Ordering::Relaxed);
        }
        self.state.send_if_modified(|state| {
            let first = !matches!(state, State::Ended(_));
            if first {
                *state = State::Ended(Ended { outcome: Arc::new(outcome), at });
            }
            first
        });
    }

    /// What it came to, when it has ended.
    pub fn ended(&self) -> Option<Ended> {
        match &*self.state.borrow() {
            State::Ended(ended) => Some(ended.clone()),
            State::Starting | State::Begun(_) => None,
        }
    }

    /// About how much memory its result takes, in bytes.
    pub fn size(&self) -> usize {
        self.size.load(Ordering::Relaxed)
    }

    /// What can be said of it now: its result, or that it still runs.
    pub fn report(&self, now: Instant, kept: Duration) -> Outcome {
        let note = |status, until: Instant| TaskNote {
            task_id: self.id().unwrap_or_default(),
            status,
            elapsed_ms: millis(until.saturating_duration_since(self.started)),
            step: self.step.borrow().clone(),
            kept_ms: millis(kept),
        };
        match self.ended() {
            Some(Ended { outcome, at }) => {
                Outcome { task: Some(note(TaskStatus::Done, at)), ..Outcome::clone(&outcome) }
            }
            None => Outcome { task: Some(note(TaskStatus::Running, now)), ..Outcome::new(self.tool()) },
        }
    }
}

/// Ends a job whatever happens: a defect in the pipeline must not leave it running for ever.
pub struct Finisher {
    job: Arc<Job>,
    tool: String,
    now: Box<dyn Fn() -> Instant + Send>,
}

impl Finisher {
    /// For a job that is about to run.
    pub fn of(job: Arc<Job>, tool: String, now: impl Fn() -> Instant + Send + 'static) -> Finisher {
        Finisher { job, tool, now: Box::new(now) }
    }
}

impl Drop for Finisher {
    fn drop(&mut self) {
        if self.job.ended().is_none() {
            tracing::error!(tool = self.tool, "the pipeline failed");
            let error = ErrorBody::new(ErrorCode::Internal, "the pipeline failed by a defect of ours");
            self.job.finish(Outcome::failed(self.tool.clone(), error), (self.now)());
        }
    }
}

fn size_of(outcome: &Outcome) -> usize {
    // What can't be counted is taken for nothing; the number of results is bounded as well.
    serde_json::to_vec(outcome).map_or(0, |json| json.len())
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
