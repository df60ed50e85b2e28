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
    match result {
        Ok(reply) => outcome(tool, reply),
        Err(error) => Outcome::failed(tool, error),
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
