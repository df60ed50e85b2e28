//! Calls that outlive their answers: a face is answered in time, and the call goes on as a task whose result is
//! fetched by a name that cannot be guessed.
//!
//! A task belongs to the client that made the call, and a client is who the daemon knows by its connection: an
//! MCP connection or HTTP session, or a named session of commands. It lives as long as the client's tabs do, so it
//! survives a broken connection exactly when they do, and is cancelled with them. Results are bounded in number,
//! age and memory; they can be fetched more than once. They live in this process only, but that a task was begun
//! is written down before its name is told, so that after a restart it can be said what is known.

mod attend;
mod desk;
mod job;

pub use attend::{Answer, attend, hand_over};
pub use desk::Desk;
pub use job::{Finisher, Job};

use crate::lock;
use std::fs::File;
use std::io::Read;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use truehand_base::{ClientId, ErrorBody, ErrorCode};
use truehand_store::TasksConfig;

/// The most results that are kept for all clients together.
const MOST_RESULTS: usize = 512;

/// The most memory that all results may take together, in bytes.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// The tasks of all clients, oldest first.
pub struct Tasks {
    kept: Mutex<Vec<Arc<Job>>>,
    most_bytes: usize,
}

impl Default for Tasks {
    fn default() -> Self {
        Tasks { kept: Mutex::default(), most_bytes: MOST_BYTES }
    }
}

impl Tasks {
    /// Keeps a call as a task and gives its name; one that is kept already has it.
    ///
    /// # Errors
    /// `DEADLINE` when the client has too many running, `INTERNAL` when the system gives no random bytes.
    pub fn keep(&self, job: &Arc<Job>, config: TasksConfig, now: Instant) -> Result<String, ErrorBody> {
        let mut kept = lock(&self.kept);
        if let Some(id) = job.id() {
            return Ok(id);
        }
        let mine = kept.iter().filter(|other| other.client() == job.client() && other.ended().is_none());
        let running: Vec<String> = mine.filter_map(|job| job.id()).collect();
        if running.len() >= config.most {
            let message = format!(
                "the call takes long and {} tasks are running, which is the limit: it was stopped",
                running.len()
            );
            return Err(ErrorBody::new(ErrorCode::Deadline, message).with("running", running).next(
                "look at the page, since the call may have acted; wait for a task with task_wait or cancel one",
            ));
        }
        let id = unguessable()?;
        job.call_it(id.clone());
        kept.push(Arc::clone(job));
        self.tidy_list(&mut kept, config, now);
        Ok(id)
    }

    /// A task of a client by its name. To another client it does not exist.
    pub fn find(&self, client: &ClientId, id: &str, config: TasksConfig, now: Instant) -> Option<Arc<Job>> {
        let mut kept = lock(&self.kept);
        self.tidy_list(&mut kept, config, now);
        kept.iter().find(|job| job.client() == client && job.id().as_deref() == Some(id)).cloned()
    }

    /// Lets go of results that are too many, too old or too large together.
    pub fn tidy(&self, config: TasksConfig, now: Instant) {
        self.tidy_list(&mut lock(&self.kept), config, now);
    }

    /// Cancels the running tasks of a client that is gone; its tabs go with it. Results stay their time.
    pub fn client_gone(&self, client: &ClientId) {
        for job in lock(&self.kept).iter().filter(|job| job.client() == client) {
            job.cancel().cancel();
        }
    }

    /// Cancels all that run and gives them back.
    pub fn cancel_all(&self) -> Vec<Arc<Job>> {
        let running: Vec<_> = lock(&self.kept).iter().filter(|job| job.ended().is_none()).cloned().collect();
        running.iter().for_each(|job| job.cancel().cancel());
        running
    }

    /// Drops results, oldest first. What runs is never dropped.
    fn tidy_list(&self, kept: &mut Vec<Arc<Job>>, config: TasksConfig, now: Instant) {
        let age = Duration::from_secs(config.keep_s);
        kept.retain(|job| job.ended().is_none_or(|ended| now.saturating_duration_since(ended.at) <= age));
        let (mut results, mut bytes) = (0, 0);
        let mut of_client: Vec<(ClientId, usize)> = Vec::new();
        let fits = |job: &Arc<Job>| {
            if job.ended().is_none() {
                return true;
            }
            let count = match of_client.iter_mut().find(|(client, _)| client == job.client()) {
                Some((_, count)) => count,
                None => {
                    of_client.push((job.client().clone(), 0));
                    let last = of_client.len() - 1;
                    &mut of_client[last].1
                }
            };
            *count += 1;
            results += 1;
            bytes += job.size();
            *count <= config.most && results <= MOST_RESULTS && bytes <= self.most_bytes
        };
        // From the newest back, so that the oldest are those that are too many.
        let fitting: Vec<bool> = kept.iter().rev().map(fits).collect();
        let mut fitting = fitting.into_iter().rev();
        kept.retain(|_| fitting.next().unwrap_or(true));
    }
}

/// 128 random bits in hexadecimal.
fn unguessable() -> Result<String, ErrorBody> {
    let mut bytes = [0_u8; 16];
    File::open("/dev/urandom").and_then(|mut source| source.read_exact(&mut bytes)).map_err(|error| {
        ErrorBody::new(ErrorCode::Internal, format!("the system gives no random bytes: {error}"))
    })?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use truehand_base::{ClientKind, Outcome};

    const CONFIG: TasksConfig = TasksConfig { answer_ms: 1_000, most: 2, keep_s: 60 };

    fn client(name: &str) -> ClientId {
        ClientId { kind: ClientKind::Cli, name: name.to_owned() }
    }

    fn kept(tasks: &Tasks, name: &str, now: Instant) -> (String, Arc<Job>) {
        let job = Job::new(client(name), now);
        job.begin("browser_wait_for");
        (tasks.keep(&job, CONFIG, now).expect("there is room"), job)
    }

    #[test]
    fn names_of_tasks_have_128_bits_and_are_the_clients_own() {
        let (tasks, now) = (Tasks::default(), Instant::now());
        let (id, job) = kept(&tasks, "a", now);
        assert_eq!(id.len(), 32);
        assert_eq!(tasks.keep(&job, CONFIG, now).as_deref(), Ok(id.as_str()), "kept once");
        assert!(tasks.find(&client("a"), &id, CONFIG, now).is_some());
        assert!(tasks.find(&client("b"), &id, CONFIG, now).is_none());
        assert_ne!(kept(&tasks, "a", now).0, id);
    }

    #[test]
    fn client_with_too_many_running_tasks_gets_no_more_and_stops_nobody_else() {
        let (tasks, now) = (Tasks::default(), Instant::now());
        let (first, job) = kept(&tasks, "a", now);
        kept(&tasks, "a", now);
        let error = tasks.keep(&Job::new(client("a"), now), CONFIG, now).expect_err("two are running");
        assert_eq!(error.code, ErrorCode::Deadline);
        assert_eq!(error.data["running"][0], first.as_str());
        kept(&tasks, "b", now);
        job.finish(Outcome::new("browser_wait_for"), now);
        kept(&tasks, "a", now);
    }

    #[test]
    fn results_are_bounded_in_number_and_age_and_memory_and_the_newest_stay() {
        let (tasks, now) = (Tasks::default(), Instant::now());
        let ids: Vec<String> = (0..3)
            .map(|_| {
                let (id, job) = kept(&tasks, "a", now);
                job.finish(Outcome::new("browser_read"), now);
                id
            })
            .collect();
        let there = |id: &str, now| tasks.find(&client("a"), id, CONFIG, now).is_some();
        assert_eq!(ids.iter().map(|id| there(id, now)).collect::<Vec<_>>(), [false, true, true]);
        assert!(there(&ids[2], now + Duration::from_secs(60)));
        assert!(!there(&ids[2], now + Duration::from_secs(61)));
        let tasks = Tasks { most_bytes: 10_000, ..Tasks::default() };
        let large = |name: &str| {
            let (id, job) = kept(&tasks, name, now);
            let text = Some("x".repeat(6_000));
            job.finish(Outcome { text, ..Outcome::new("browser_read") }, now);
            id
        };
        let (one, two) = (large("b"), large("c"));
        assert!(tasks.find(&client("b"), &one, CONFIG, now).is_none());
        assert!(tasks.find(&client("c"), &two, CONFIG, now).is_some());
    }

    #[test]
    fn task_of_a_client_that_is_gone_is_cancelled_and_others_are_not() {
        let (tasks, now) = (Tasks::default(), Instant::now());
        let (a, b) = (kept(&tasks, "a", now).1, kept(&tasks, "b", now).1);
        tasks.client_gone(&client("a"));
        assert!(a.cancel().is_cancelled() && !b.cancel().is_cancelled());
        assert_eq!(tasks.cancel_all().len(), 2);
        assert!(b.cancel().is_cancelled());
    }
}
