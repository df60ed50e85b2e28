//! Waiting for a call on behalf of a face: progress meanwhile, an answer in time.

use super::Job;
use super::job::State;
use crate::engine::Core;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::{MissedTickBehavior, interval_at, sleep_until};
use truehand_base::{CallCtx, ErrorBody, ErrorCode, Outcome, Warning};

/// How often the face hears that a call still runs; clients that wait longer for a call with progress give up
/// after a while without.
const BEAT: Duration = Duration::from_secs(2);

/// How long a call that is told to end may take for it.
const GRACE: Duration = Duration::from_millis(1_500);

/// The most that a call may wait before its tool is at work: for its tab, or for a browser to start.
const LONGEST_START: Duration = Duration::from_secs(43);

/// When a face needs its answer.
#[derive(Debug, Clone, Copy)]
pub struct Answer {
    /// When; `None` when it waits for the end.
    pub by: Option<Instant>,
    /// When the tool must be at work: what would only begin after the answer is refused instead.
    pub begun_by: Instant,
}

impl Answer {
    /// What a face wants, and what the configuration says.
    pub fn of(core: &Core, ctx: &CallCtx) -> Answer {
        let now = Instant::now();
        let Some(asked) = ctx.answer_by() else { return Answer { by: None, begun_by: now + LONGEST_START } };
        let wall = Duration::from_millis(core.settings.now().config.tasks.answer_ms);
        let within = asked.saturating_duration_since(now).min(wall);
        // A face that wants no waiting at all still wants to know whether its call was taken.
        let begun = if ctx.answers_at_once() { wall } else { within };
        Answer { by: Some(now + within), begun_by: now + begun }
    }

    /// The same context, ending with the answer.
    pub fn limit(&self, ctx: &CallCtx) -> CallCtx {
        match self.by {
            Some(by) => ctx.at_most(by.saturating_duration_since(Instant::now())),
            None => ctx.clone(),
        }
    }
}

/// Waits for the end of a call, or for the time to answer without it: then it goes on as a task.
pub async fn attend(core: &Arc<Core>, ctx: &CallCtx, job: &Arc<Job>, answer: Answer, tool: &str) -> Outcome {
    let (mut state, mut step) = (job.state(), job.step());
    let mut beat = interval_at(tokio::time::Instant::now() + BEAT, BEAT);
    beat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let began = Instant::now();
    // Why it was told to end, and by when it must have.
    let mut ending: Option<(ErrorBody, Instant)> = None;
    loop {
        let begun = match &*state.borrow_and_update() {
            State::Ended(ended) => return ended_so(&ended.outcome, ending.map(|(why, _)| why)),
            State::Begun(_) => true,
            State::Starting => false,
        };
        let wall = match &ending {
            Some((_, last)) => Some(*last),
            None if begun => answer.by,
            None => answer.by.map(|_| answer.begun_by + GRACE),
        };
        tokio::select! {
            biased;
            // The job outlives us, so this does not fail.
            _ = state.changed() => {}
            () = ctx.cancel().cancelled(), if ending.is_none() => {
                let why = ErrorBody::new(ErrorCode::Cancelled, "the call was cancelled and did not end in time");
                ending = Some((why, answer.by.unwrap_or(began).max(Instant::now()) + 2 * GRACE));
                job.cancel().cancel();
            }
            () = until(wall) => match ending {
                Some((why, _)) => return Outcome::failed(named(job, tool), why),
                None => {
                    let over = || ErrorBody::new(ErrorCode::Deadline, "the call's time ran out before it began");
                    let why = match begun {
                        true => match hand_over(core, job).await {
                            Ok(outcome) => return outcome,
                            Err(error) => error,
                        },
                        false => over(),
                    };
                    ending = Some((why, Instant::now() + GRACE));
                    job.cancel().cancel();
                }
            },
            _ = step.changed() => ctx.progress(step.borrow_and_update().clone()),
            _ = beat.tick() => {
                let what = step.borrow().clone();
                let what = if what.is_empty() { format!("{} is at work", named(job, tool)) } else { what };
                ctx.progress(format!("{what}, {} s so far", began.elapsed().as_secs()));
            }
        }
    }
}

/// A call that we told to end says that it was cancelled, which is not the whole reason.
fn ended_so(outcome: &Arc<Outcome>, why: Option<ErrorBody>) -> Outcome {
    let mut outcome = Outcome::clone(outcome);
    if let Some(why) = why.filter(|why| why.code != ErrorCode::Cancelled)
        && outcome.error.as_ref().is_some_and(|error| error.code == ErrorCode::Cancelled)
    {
        outcome.error = Some(why);
    }
    outcome
}

/// Keeps a call as a task and says so. That it was begun is written down first.
///
/// # Errors
/// As [`super::Tasks::keep`].
pub async fn hand_over(core: &Arc<Core>, job: &Arc<Job>) -> Result<Outcome, ErrorBody> {
    let config = core.settings.now().config.tasks;
    let id = core.tasks.keep(job, config, core.clock.now())?;
    let noted = core.keys.task_begun(&id, job.client(), &job.tool(), core.wall()).await;
    if noted.is_ok() && job.ended().is_some() {
        core.note_end(&id).await;
    }
    let mut outcome = job.report(core.clock.now(), Duration::from_secs(config.keep_s));
    if let Err(error) = noted {
        outcome.warnings.push(Warning {
            code: error.code.name().to_owned(),
            message: format!("the task will be unknown when the daemon is restarted: {}", error.message),
        });
    }
    Ok(outcome)
}

fn named(job: &Job, tool: &str) -> String {
    let own = job.tool();
    if own.is_empty() { tool.to_owned() } else { own }
}

async fn until(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time.into()).await,
        None => std::future::pending().await,
    }
}
