//! What `task_wait` asks: the tasks of one client and nobody else's.

use crate::engine::Core;
use std::sync::Arc;
use std::time::Duration;
use truehand_base::{BoxFuture, CallCtx, ClientId, ErrorBody, ErrorCode, Outcome};
use truehand_store::TaskRow;
use truehand_tools::Tasks;

/// How much earlier than the answer a wait ends, so that it can be said in time.
const MARGIN: Duration = Duration::from_millis(250);

/// The longest name that can be one.
const LONGEST_ID: usize = 64;

/// The tasks of a client.
pub struct Desk {
    /// Where they are.
    pub core: Arc<Core>,
    /// Whose they are.
    pub client: ClientId,
}

impl Desk {
    async fn wait_for(
        &self,
        ctx: &CallCtx,
        id: &str,
        limit: Option<Duration>,
        cancel: bool,
    ) -> Result<Outcome, ErrorBody> {
        let core = &self.core;
        let config = core.settings.now().config.tasks;
        let Some(job) = core.tasks.find(&self.client, id, config, core.clock.now()) else {
            return Err(self.unknown(id).await);
        };
        if cancel {
            job.cancel().cancel();
        }
        let most = ctx.remaining().saturating_sub(MARGIN);
        let end = tokio::time::Instant::now() + limit.unwrap_or(most).min(most);
        let (mut state, mut step) = (job.state(), job.step());
        step.mark_changed();
        while job.ended().is_none() {
            tokio::select! {
                biased;
                _ = state.changed() => {}
                // The wait is given up; the task goes on.
                () = ctx.cancel().cancelled() => ctx.check("the task")?,
                () = tokio::time::sleep_until(end) => break,
                _ = step.changed() => {
                    let what = step.borrow_and_update().clone();
                    ctx.progress(if what.is_empty() { format!("{} is at work", job.tool()) } else { what });
                }
            }
        }
        Ok(job.report(core.clock.now(), Duration::from_secs(config.keep_s)))
    }

    /// What can be said of a name that no task has.
    async fn unknown(&self, id: &str) -> ErrorBody {
        let shown = truehand_base::text::clip(id, LONGEST_ID);
        let none = || ErrorBody::new(ErrorCode::UnknownTask, format!("you have no task {shown}"));
        if id.is_empty() || id.len() > LONGEST_ID {
            return none();
        }
        match self.core.keys.task(id, &self.client).await {
            Ok(Some(TaskRow { tool, ended: true })) => {
                let message = format!("the result of task {shown} ({tool}) is no longer kept");
                ErrorBody::new(ErrorCode::UnknownTask, message)
            }
            Ok(Some(TaskRow { tool, ended: false })) => {
                let message =
                    format!("the daemon ended while task {shown} ({tool}) ran; it may have acted or not");
                let next = "look at the page to see what happened before you call the tool again";
                ErrorBody::new(ErrorCode::UnknownOutcome, message).next(next)
            }
            Ok(None) => none(),
            Err(error) => error,
        }
    }
}

impl Tasks for Desk {
    fn wait<'a>(
        &'a self,
        ctx: &'a CallCtx,
        task_id: &'a str,
        limit: Option<Duration>,
        cancel: bool,
    ) -> BoxFuture<'a, Result<Outcome, ErrorBody>> {
        Box::pin(self.wait_for(ctx, task_id, limit, cancel))
    }
}
