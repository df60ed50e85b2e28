//! Running a prepared call: bounded in time, and a panic in a tool is that call's failure and no more.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinError;
use truehand_base::{Author, CallCtx, ErrorBody, ErrorCode, Outcome, Scripts};
use truehand_browser::{Observe, Scope};
use truehand_tools::{Gate, Prepared, Reply, Tasks, ToolCtx};

/// How long a tool may go on after its deadline, to say what it last saw.
const GRACE: Duration = Duration::from_millis(1_200);

/// How long a tool may go on after it was cancelled, to say what it had done.
const CANCEL_GRACE: Duration = Duration::from_millis(2_500);

/// What a tool is run with.
pub struct Place {
    /// The client's browser context.
    pub scope: Scope,
    /// How actions are observed.
    pub observe: Observe,
    /// Where relative paths start.
    pub working_dir: PathBuf,
    /// Where artifacts go.
    pub artifacts: PathBuf,
    /// The client's tasks.
    pub tasks: Box<dyn Tasks>,
    /// Judges what the call comes to do on its way.
    pub gate: Box<dyn Gate>,
    /// Who calls, for the scripts.
    pub author: Author,
    /// Runs scripts.
    pub scripts: Arc<dyn Scripts>,
    /// The product's own state.
    pub own: truehand_tools::Own,
}

/// Runs a call to its end.
pub async fn run(tool: &'static str, ctx: &CallCtx, prepared: Box<dyn Prepared>, place: Place) -> Outcome {
    let limit = ctx.remaining() + GRACE;
    let ctx = ctx.clone();
    let cancel = ctx.cancel().clone();
    let cancelled = async {
        cancel.cancelled().await;
        tokio::time::sleep(CANCEL_GRACE).await;
    };
    let scope = place.scope.clone();
    let mut task = tokio::spawn(async move {
        let Place { scope, observe, working_dir, artifacts, tasks, gate, author, scripts, own } = &place;
        let (observe, tasks, scripts) = (*observe, tasks.as_ref(), scripts.as_ref());
        let gate = gate.as_ref();
        let call = &ctx;
        prepared
            .run(ToolCtx { call, scope, observe, working_dir, artifacts, tasks, gate, author, scripts, own })
            .await
    });
    let cut_off = |code, how: &str| Err(ErrorBody::new(code, format!("{how} while {tool} was at work")));
    let result = tokio::select! {
        biased;
        ended = &mut task => ended.unwrap_or_else(|error| Err(panicked(tool, error))),
        () = tokio::time::sleep(limit) => cut_off(ErrorCode::Deadline, "the call's time ran out"),
        () = cancelled => cut_off(ErrorCode::Cancelled, "the call was cancelled"),
    };
    task.abort();
    let mut outcome = match result {
        // What another call came to is not this one's to judge.
        Ok(Reply { whole: Some(outcome), .. }) => return *outcome,
        Ok(reply) => outcome(tool, reply),
        Err(error) => Outcome::failed(tool, error),
    };
    if outcome.error.as_ref().is_some_and(|error| error.code == ErrorCode::BrowserGone) {
        scope.loss().await;
    }
    if scope.lost() {
        tell_of_loss(&scope, &mut outcome);
    }
    outcome
}

/// Says that the browser ended, once: an action that was cut off is no success, and the call after it starts
/// a new browser.
fn tell_of_loss(scope: &Scope, outcome: &mut Outcome) {
    if outcome.error.is_none() && outcome.page_effect.is_some() {
        let message = "the browser ended while the action's effect was measured; its pages are lost";
        outcome.error = Some(ErrorBody::new(ErrorCode::BrowserGone, message));
    }
    if let Some(error) = outcome.error.as_mut().filter(|error| error.code == ErrorCode::BrowserGone) {
        if scope.attached() {
            "call again: it is connected to again, and its tabs keep their handles; look at the page before repeating"
                .clone_into(&mut error.next_step);
        }
        scope.told_of_loss();
    }
}

fn outcome(tool: &str, reply: Reply) -> Outcome {
    Outcome {
        done: reply.done,
        tab_id: reply.tab,
        output: reply.output,
        text: reply.text,
        images: reply.images,
        page_effect: reply.effect,
        warnings: reply.warnings,
        error: reply.error,
        ..Outcome::new(tool)
    }
}

fn panicked(tool: &str, error: JoinError) -> ErrorBody {
    let words = match error.try_into_panic() {
        Ok(panic) => match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
            (Some(text), _) => (*text).to_owned(),
            (_, Some(text)) => text.clone(),
            _ => "no message".to_owned(),
        },
        Err(error) => error.to_string(),
    };
    tracing::error!(tool, words, "a tool panicked");
    ErrorBody::new(ErrorCode::Internal, format!("{tool} failed by a defect of ours: {words}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use truehand_base::{BoxFuture, ClientId, ClientKind, Facts, NoScripts, TabId, Verb};
    use truehand_browser::{BrowserPool, PoolConfig, ScopeOptions};

    /// A tool that fails in the ways that no real one should.
    enum Bad {
        Panics,
        Hangs,
    }

    struct NoTasks;

    struct NoGate;

    impl Gate for NoGate {
        fn judge(&self, _facts: Facts) -> Result<(), ErrorBody> {
            Ok(())
        }
    }

    impl Tasks for NoTasks {
        fn wait<'a>(
            &'a self,
            _ctx: &'a CallCtx,
            task_id: &'a str,
            _limit: Option<Duration>,
            _cancel: bool,
        ) -> BoxFuture<'a, Result<Outcome, ErrorBody>> {
            Box::pin(async move { Err(ErrorBody::new(ErrorCode::UnknownTask, task_id)) })
        }
    }

    impl Prepared for Bad {
        fn facts(&self) -> Facts {
            Facts::new("bad", Verb::Read)
        }

        fn more_facts(&self) -> Vec<Facts> {
            Vec::new()
        }

        fn tab_id(&self) -> Option<TabId> {
            None
        }

        fn run<'a>(self: Box<Self>, _cx: ToolCtx<'a>) -> BoxFuture<'a, Result<Reply, ErrorBody>> {
            Box::pin(async move {
                match *self {
                    Bad::Panics => panic!("a defect"),
                    Bad::Hangs => std::future::pending().await,
                }
            })
        }
    }

    async fn outcome_of(bad: Bad) -> Outcome {
        run_within(bad, &CallCtx::with_timeout(Duration::from_millis(10))).await
    }

    async fn run_within(bad: Bad, ctx: &CallCtx) -> Outcome {
        let dir = tempfile::tempdir().expect("tempdir");
        let client = ClientId { kind: ClientKind::Cli, name: "x".to_owned() };
        let scope = BrowserPool::new(PoolConfig::under(dir.path())).scope(&client, ScopeOptions::default());
        let place = Place {
            scope,
            observe: Observe::default(),
            working_dir: dir.path().to_owned(),
            artifacts: dir.path().to_owned(),
            tasks: Box::new(NoTasks),
            gate: Box::new(NoGate),
            own: truehand_tools::Own {
                client: client.clone(),
                records: Arc::new(truehand_store::Records::new(
                    truehand_store::Home::open(dir.path()).expect("opens"),
                    "x",
                )),
                files: truehand_store::FilesConfig::default(),
                working_dir: None,
                pdf_worker: None,
                within: None,
                now: truehand_store::Timestamp(0),
            },
            author: Author { client, approval: None, working_dir: dir.path().to_owned(), js_allowed: false },
            scripts: Arc::new(NoScripts),
        };
        run("bad", ctx, Box::new(bad), place).await
    }

    #[tokio::test]
    async fn run_of_a_tool_that_panics_is_an_internal_error() {
        let error = outcome_of(Bad::Panics).await.error.expect("fails");
        assert_eq!(error.code, ErrorCode::Internal);
        assert!(error.message.contains("a defect"), "{error}");
    }

    #[tokio::test]
    async fn run_of_a_tool_that_ignores_its_deadline_ends_with_it() {
        let error = outcome_of(Bad::Hangs).await.error.expect("fails");
        assert_eq!((error.code, error.retriable), (ErrorCode::Deadline, true));
    }

    #[tokio::test]
    async fn run_of_a_tool_that_ignores_a_cancel_ends_soon_after_it() {
        let ctx = CallCtx::with_timeout(Duration::from_mins(10));
        ctx.cancel().cancel();
        let error = outcome_within_a_minute(&ctx).await.error.expect("fails");
        assert_eq!(error.code, ErrorCode::Cancelled);
    }

    async fn outcome_within_a_minute(ctx: &CallCtx) -> Outcome {
        tokio::time::timeout(Duration::from_mins(1), run_within(Bad::Hangs, ctx)).await.expect("it ends")
    }
}
