//! Request keys: a repeat of a call returns the first outcome, also while the first is still running.

use crate::lock;
use crate::tasks::Job;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::sync::watch;
use truehand_base::{CallCtx, ClientId, ErrorBody, ErrorCode, Outcome};
use truehand_store::{Begun, Journal, TaskRow, Timestamp};

/// The longest key, in bytes.
const LONGEST: usize = 200;

/// What a call with a key is, besides the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The key.
    pub key: String,
    /// Who asks, for the record.
    pub client: String,
    /// The tool's own name.
    pub tool: String,
    /// The digest of the arguments under their own names.
    pub digest: String,
}

struct Running {
    tool: String,
    digest: String,
    ended: watch::Receiver<()>,
    job: Arc<Job>,
}

/// The journal and the calls with a key that are running now.
pub struct Keys {
    journal: Arc<Journal>,
    running: Mutex<HashMap<String, Running>>,
}

/// What came of asking for a key.
pub enum Claim {
    /// The call is the first of its key; it ends with [`Claimed::finish`] or [`Claimed::forget`].
    First(Claimed),
    /// A call with the key has ended so.
    Replay(Box<Outcome>),
    /// This call of the same client still runs with the key, and there is no time to wait for its end.
    Runs(Arc<Job>),
}

/// The right to be the first call of a key. Dropped without an end, the key counts as unknown.
pub struct Claimed {
    keys: Arc<Keys>,
    key: String,
    _ended: watch::Sender<()>,
}

impl Drop for Claimed {
    fn drop(&mut self) {
        lock(&self.keys.running).remove(&self.key);
    }
}

impl Keys {
    /// Keys over a journal.
    pub fn new(journal: Journal) -> Arc<Keys> {
        Arc::new(Keys { journal: Arc::new(journal), running: Mutex::default() })
    }

    /// Claims a key for `job`, or waits for the call that holds it and gives its outcome back.
    ///
    /// # Errors
    /// `IDEMPOTENCY_CONFLICT` when the key was used for something else, `UNKNOWN_OUTCOME` when an
    /// earlier process was cut off, `INVALID_ARGUMENTS` for a key that is none, `STORE_FAILED`, and
    /// `DEADLINE` or `CANCELLED` while waiting.
    pub async fn claim(
        self: &Arc<Self>,
        ctx: &CallCtx,
        request: Request,
        job: &Arc<Job>,
        now: Timestamp,
    ) -> Result<Claim, ErrorBody> {
        if request.key.trim().is_empty() || request.key.len() > LONGEST {
            let message =
                format!("a request key has 1 to {LONGEST} bytes, this one has {}", request.key.len());
            return Err(
                ErrorBody::new(ErrorCode::InvalidArguments, message).next("use a UUID as the request key")
            );
        }
        loop {
            match self.reserve(&request, job)? {
                Reserved::Mine(claimed) => return self.begin(claimed, request, now).await,
                Reserved::Wait(mut ended, first) => {
                    match ctx.wait("the first call of this request key", ended.changed()).await {
                        // The sender is dropped with the claim, which ends the wait with an error that says just that.
                        Ok(_) => {}
                        Err(error) if error.code == ErrorCode::Deadline && first.client() == job.client() => {
                            return Ok(Claim::Runs(first));
                        }
                        Err(error) => return Err(error),
                    }
                }
            }
        }
    }

    fn reserve(self: &Arc<Self>, request: &Request, job: &Arc<Job>) -> Result<Reserved, ErrorBody> {
        let mut running = lock(&self.running);
        match running.get(&request.key) {
            Some(other) if other.tool != request.tool || other.digest != request.digest => {
                Err(conflict(request))
            }
            Some(other) => Ok(Reserved::Wait(other.ended.clone(), Arc::clone(&other.job))),
            None => {
                let (sender, ended) = watch::channel(());
                let (tool, digest) = (request.tool.clone(), request.digest.clone());
                let entry = Running { tool, digest, ended, job: Arc::clone(job) };
                running.insert(request.key.clone(), entry);
                Ok(Reserved::Mine(Claimed {
                    keys: Arc::clone(self),
                    key: request.key.clone(),
                    _ended: sender,
                }))
            }
        }
    }

    async fn begin(&self, claimed: Claimed, request: Request, now: Timestamp) -> Result<Claim, ErrorBody> {
        let asked = request.clone();
        let begun = self
            .blocking(move |journal| {
                journal.begin(&asked.key, &asked.client, &asked.tool, &asked.digest, now)
            })
            .await?;
        match begun {
            Begun::New => Ok(Claim::First(claimed)),
            Begun::Done(outcome) => match serde_json::from_value::<Outcome>(outcome) {
                Ok(outcome) => Ok(Claim::Replay(Box::new(Outcome { replayed: true, ..outcome }))),
                Err(error) => {
                    let message = format!("the recorded outcome can't be read: {error}");
                    Err(ErrorBody::new(ErrorCode::UnknownOutcome, message))
                }
            },
            Begun::Conflict => Err(conflict(&request)),
            // Running and yet not ours: its end could not be recorded.
            Begun::Running | Begun::UnknownOutcome => {
                let message = "an earlier call with this request key was cut off; it may have acted or not";
                Err(ErrorBody::new(ErrorCode::UnknownOutcome, message))
            }
        }
    }

    /// Notes that a task of a client was begun.
    ///
    /// # Errors
    /// `STORE_FAILED`.
    pub async fn task_begun(
        &self,
        id: &str,
        client: &ClientId,
        tool: &str,
        now: Timestamp,
    ) -> Result<(), ErrorBody> {
        let (id, client, tool) = (id.to_owned(), client.to_string(), tool.to_owned());
        self.blocking(move |journal| journal.task_begun(&id, &client, &tool, now)).await
    }

    /// Notes that a task has ended.
    ///
    /// # Errors
    /// `STORE_FAILED`.
    pub async fn task_ended(&self, id: &str, now: Timestamp) -> Result<(), ErrorBody> {
        let id = id.to_owned();
        self.blocking(move |journal| journal.task_ended(&id, now)).await
    }

    /// What was noted of a task of a client.
    ///
    /// # Errors
    /// `STORE_FAILED`.
    pub async fn task(&self, id: &str, client: &ClientId) -> Result<Option<TaskRow>, ErrorBody> {
        let (id, client) = (id.to_owned(), client.to_string());
        self.blocking(move |journal| journal.task(&id, &client)).await
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Journal) -> Result<T, ErrorBody> + Send + 'static,
    ) -> Result<T, ErrorBody> {
        let journal = Arc::clone(&self.journal);
        match tokio::task::spawn_blocking(move || work(&journal)).await {
            Ok(result) => result,
            Err(error) => {
                Err(ErrorBody::new(ErrorCode::Internal, format!("the journal's thread failed: {error}")))
            }
        }
    }
}

enum Reserved {
    Mine(Claimed),
    Wait(watch::Receiver<()>, Arc<Job>),
}

impl Claimed {
    /// Records what the call came to.
    ///
    /// # Errors
    /// `STORE_FAILED`; a repeat of the key will then be an unknown outcome.
    pub async fn finish(self, outcome: &Outcome, now: Timestamp) -> Result<(), ErrorBody> {
        let value = serde_json::to_value(outcome).map_err(|error| {
            ErrorBody::new(ErrorCode::Internal, format!("can't record the outcome: {error}"))
        })?;
        let key = self.key.clone();
        self.keys.blocking(move |journal| journal.finish(&key, &value, now)).await
    }

    /// Frees the key of a call that was refused before it could act.
    ///
    /// # Errors
    /// `STORE_FAILED`.
    pub async fn forget(self) -> Result<(), ErrorBody> {
        let key = self.key.clone();
        self.keys.blocking(move |journal| journal.forget(&key)).await
    }
}

fn conflict(request: &Request) -> ErrorBody {
    let message = format!("the request key {} was used for another tool or other arguments", request.key);
    ErrorBody::new(ErrorCode::IdempotencyConflict, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const NOW: Timestamp = Timestamp(1_796_072_709_123);

    fn request(key: &str, digest: &str) -> Request {
        Request {
            key: key.to_owned(),
            client: "cli:x".to_owned(),
            tool: "browser_click".to_owned(),
            digest: digest.to_owned(),
        }
    }

    fn keys(dir: &tempfile::TempDir, instance: &str) -> Arc<Keys> {
        Keys::new(Journal::open(&dir.path().join("truehand.db"), instance).expect("opens"))
    }

    fn job(client: &str) -> Arc<Job> {
        let client = ClientId { kind: truehand_base::ClientKind::Cli, name: client.to_owned() };
        Job::new(client, std::time::Instant::now())
    }

    fn ctx() -> CallCtx {
        CallCtx::with_timeout(Duration::from_secs(20))
    }

    async fn first(keys: &Arc<Keys>, key: &str) -> Claimed {
        match keys.claim(&ctx(), request(key, "d"), &job("x"), NOW).await {
            Ok(Claim::First(claimed)) => claimed,
            Ok(Claim::Replay(_) | Claim::Runs(_)) => panic!("not the first"),
            Err(error) => panic!("{error}"),
        }
    }

    #[tokio::test]
    async fn claim_of_a_running_key_waits_and_gives_the_first_outcome() {
        let dir = tempfile::tempdir().expect("tempdir");
        let keys = keys(&dir, "one");
        let claimed = first(&keys, "k").await;
        let conflict =
            keys.claim(&ctx(), request("k", "other"), &job("x"), NOW).await.err().expect("conflicts at once");
        assert_eq!(conflict.code, ErrorCode::IdempotencyConflict);
        let waiting = {
            let keys = Arc::clone(&keys);
            tokio::spawn(async move { keys.claim(&ctx(), request("k", "d"), &job("x"), NOW).await })
        };
        let mut outcome = Outcome::new("browser_click");
        outcome.done = "clicked e1".to_owned();
        claimed.finish(&outcome, NOW).await.expect("finishes");
        let Ok(Claim::Replay(replay)) = waiting.await.expect("no panic") else { panic!("not replayed") };
        assert_eq!((replay.done.as_str(), replay.replayed), ("clicked e1", true));
    }

    #[tokio::test]
    async fn claim_without_time_to_wait_names_the_running_call_to_its_own_client_only() {
        let dir = tempfile::tempdir().expect("tempdir");
        let keys = keys(&dir, "one");
        let leader = job("x");
        let first = keys.claim(&ctx(), request("k", "d"), &leader, NOW).await;
        assert!(matches!(first, Ok(Claim::First(_))));
        let hurry = CallCtx::with_timeout(Duration::from_millis(20));
        let again = keys.claim(&hurry, request("k", "d"), &job("x"), NOW).await.expect("it runs");
        assert!(matches!(again, Claim::Runs(job) if Arc::ptr_eq(&job, &leader)));
        let foreign =
            keys.claim(&hurry, request("k", "d"), &job("y"), NOW).await.err().expect("no name for it");
        assert_eq!(foreign.code, ErrorCode::Deadline);
    }

    #[tokio::test]
    async fn claim_after_a_crash_is_an_unknown_outcome_and_a_refused_call_frees_its_key() {
        let dir = tempfile::tempdir().expect("tempdir");
        let one = keys(&dir, "one");
        first(&one, "refused").await.forget().await.expect("forgets");
        drop(first(&one, "refused").await);
        let two = keys(&dir, "two");
        for keys in [&one, &two] {
            let error =
                keys.claim(&ctx(), request("refused", "d"), &job("x"), NOW).await.err().expect("unknown");
            assert_eq!(error.code, ErrorCode::UnknownOutcome);
        }
        for key in ["", " ", &"x".repeat(201)] {
            let error = one.claim(&ctx(), request(key, "d"), &job("x"), NOW).await.err().expect("no key");
            assert_eq!(error.code, ErrorCode::InvalidArguments);
        }
    }
}
