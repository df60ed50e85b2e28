//! Running a prepared call: bounded in time, and a panic in a tool is that call's failure and no more.

use std::path::PathBuf;
use std::time::Duration;
use tokio::task::JoinError;
use truehand_base::{CallCtx, ErrorBody, ErrorCode, Outcome};
use truehand_browser::{Observe, Scope};
use truehand_tools::{Prepared, Reply, ToolCtx};

/// How long a tool may go on after its deadline, to say what it last saw.
const GRACE: Duration = Duration::from_millis(1_200);

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
}

/// Runs a call to its end.
pub async fn run(tool: &'static str, ctx: &CallCtx, prepared: Box<dyn Prepared>, place: Place) -> Outcome {
    let limit = ctx.remaining() + GRACE;
    let ctx = ctx.clone();
    let scope = place.scope.clone();
    let mut task = tokio::spawn(async move {
        let Place { scope, observe, working_dir, artifacts } = &place;
        prepared.run(ToolCtx { call: &ctx, scope, observe: *observe, working_dir, artifacts }).await
    });
    let result = match tokio::time::timeout(limit, &mut task).await {
        Ok(Ok(result)) => result,
        Ok(Err(error)) => Err(panicked(tool, error)),
        Err(_) => {
            task.abort();
            Err(ErrorBody::new(
                ErrorCode::Deadline,
                format!("the call's time ran out while {tool} was at work"),
            ))
        }
    };
    let mut outcome = match result {
        Ok(reply) => outcome(tool, reply),
        Err(error) => Outcome::failed(tool, error),
    };
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
    if outcome.error.as_ref().is_some_and(|error| error.code == ErrorCode::BrowserGone) {
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
    use truehand_base::{BoxFuture, ClientId, ClientKind, Facts, TabId, Verb};
    use truehand_browser::{BrowserPool, PoolConfig, ScopeOptions};

    /// A tool that fails in the ways that no real one should.
    enum Bad {
        Panics,
        Hangs,
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
        let dir = tempfile::tempdir().expect("tempdir");
        let client = ClientId { kind: ClientKind::Cli, name: "x".to_owned() };
        let scope = BrowserPool::new(PoolConfig::under(dir.path())).scope(&client, ScopeOptions::default());
        let place = Place {
            scope,
            observe: Observe::default(),
            working_dir: dir.path().to_owned(),
            artifacts: dir.path().to_owned(),
        };
        run("bad", &CallCtx::with_timeout(Duration::from_millis(10)), Box::new(bad), place).await
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
}
