//! Calls that outlive their answers, as the protocol's tasks extension has them: for clients that declare it, a call
//! that is not done in time is answered with a task, and `tasks/get` and `tasks/cancel` ask the same `task_wait` that
//! all other clients call as a tool.

use super::tools;
use rmcp::model::{
    CreateTaskResult, DetailedTask, ErrorData, GetTaskResult, Task, TaskPayload, TaskStatus as McpStatus,
};
use serde_json::{Value, json};
use std::time::{Duration, SystemTime};
use truehand_base::{Call, ClientId, ErrorBody, ErrorCode, Outcome, TaskNote, words};
use truehand_store::Timestamp;

/// The tool that gives the result of a task.
pub(crate) const WAIT: &str = "task_wait";

/// How often a client is advised to ask, in milliseconds.
const POLL_MS: u64 = 2_000;

/// The most that a task may take, besides which its result is kept, in milliseconds.
const LONGEST_MS: u64 = 660_000;

/// The task of an outcome that is no result yet; none for one that is, and none for a wait, which names the task
/// that it waits for and is no new one.
pub(crate) fn created(call: &Call, outcome: &Outcome) -> Option<CreateTaskResult> {
    let note = outcome.task.as_ref().filter(|_| outcome.running() && call.tool != WAIT)?;
    Some(CreateTaskResult::new(task(note, outcome)))
}

/// The call that looks at a task.
pub(crate) fn look(client: ClientId, task_id: &str, cancel: bool) -> Call {
    let task_id = truehand_base::text::clip(task_id, 100);
    Call::new(client, WAIT, json!({ "task_id": task_id, "timeout_ms": 0, "cancel": cancel }))
}

/// What `tasks/get` answers.
///
/// # Errors
/// Invalid parameters, when the client has no such task.
pub(crate) fn state(outcome: &Outcome, structured: bool) -> Result<GetTaskResult, ErrorData> {
    let Some(note) = &outcome.task else { return Err(unknown(outcome)) };
    let cancelled = outcome.error.as_ref().is_some_and(|error| error.code == ErrorCode::Cancelled);
    let payload = if outcome.running() {
        TaskPayload::Working
    } else if cancelled {
        TaskPayload::Cancelled
    } else {
        match serde_json::to_value(tools::result(outcome, structured)) {
            Ok(Value::Object(result)) => TaskPayload::Completed { result },
            Ok(_) => return Err(ErrorData::internal_error("INTERNAL: a result is no object", None)),
            Err(error) => return Err(ErrorData::internal_error(format!("INTERNAL: {error}"), None)),
        }
    };
    Ok(GetTaskResult::new(DetailedTask::new(task(note, outcome), payload)))
}

/// The protocol error for a task that is none of the client's.
pub(crate) fn unknown(outcome: &Outcome) -> ErrorData {
    let none = || ErrorBody::new(ErrorCode::UnknownTask, "you have no such task");
    let error = outcome.error.clone().unwrap_or_else(none);
    let data = serde_json::to_value(&error).ok();
    ErrorData::invalid_params(format!("{error}; {}", error.next_step), data)
}

fn task(note: &TaskNote, outcome: &Outcome) -> Task {
    let now = SystemTime::now();
    let began = now.checked_sub(Duration::from_millis(note.elapsed_ms)).unwrap_or(now);
    // The payload says which status it is in the end.
    let mut task = Task::new(
        note.task_id.clone(),
        McpStatus::Working,
        Timestamp::from(began).iso(),
        Timestamp::from(now).iso(),
    )
    .with_ttl_ms(LONGEST_MS.saturating_add(note.kept_ms))
    .with_poll_interval_ms(POLL_MS);
    task.status_message = Some(words::verdict_line(outcome));
    task
}

#[cfg(test)]
mod tests {
    use super::*;
    use truehand_base::{ClientKind, TaskStatus};

    fn outcome(status: TaskStatus) -> Outcome {
        let note = TaskNote {
            task_id: "a1".to_owned(),
            status,
            elapsed_ms: 3_000,
            step: String::new(),
            kept_ms: 900_000,
        };
        Outcome { task: Some(note), ..Outcome::new("browser_wait_for") }
    }

    #[test]
    fn running_call_becomes_a_task_and_a_wait_for_one_does_not() {
        let client = ClientId { kind: ClientKind::Mcp, name: "1".to_owned() };
        let call = Call::new(client.clone(), "browser_wait_for", json!({}));
        let made = created(&call, &outcome(TaskStatus::Running)).expect("a task");
        let made = serde_json::to_value(made).expect("serializes");
        assert_eq!(
            (&made["resultType"], &made["taskId"], &made["status"]),
            (&json!("task"), &json!("a1"), &json!("working"))
        );
        assert!(created(&call, &outcome(TaskStatus::Done)).is_none());
        assert!(created(&look(client, "a1", false), &outcome(TaskStatus::Running)).is_none());
    }

    #[test]
    fn state_of_a_task_is_working_completed_cancelled_or_an_error() {
        let status = |outcome: &Outcome| {
            let state = state(outcome, true).expect("a state");
            serde_json::to_value(state).expect("serializes")
        };
        assert_eq!(status(&outcome(TaskStatus::Running))["status"], "working");
        let done = status(&outcome(TaskStatus::Done));
        assert_eq!((&done["status"], &done["result"]["isError"]), (&json!("completed"), &json!(false)));
        let mut failed = outcome(TaskStatus::Done);
        failed.error = Some(ErrorBody::new(ErrorCode::Timeout, "it did not come"));
        let done = status(&failed);
        assert_eq!((&done["status"], &done["result"]["isError"]), (&json!("completed"), &json!(true)));
        failed.error = Some(ErrorBody::new(ErrorCode::Cancelled, "told to end"));
        assert_eq!(status(&failed)["status"], "cancelled");
        let error = ErrorBody::new(ErrorCode::UnknownTask, "none");
        let error = state(&Outcome::failed(WAIT, error), true).expect_err("no task");
        assert!(error.message.starts_with("UNKNOWN_TASK"), "{error:?}");
    }
}
