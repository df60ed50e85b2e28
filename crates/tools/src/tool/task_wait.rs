//! `task_wait`: the result of a call that was answered while it still ran.

use crate::common::Common;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;
use truehand_base::{EffectClass, ErrorBody, Verb};

/// The tool's name: it is itself never a task.
pub const NAME: &str = "task_wait";

/// Get the result of a call that said "still running".
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskWait {
    task_id: String,
    timeout_ms: Option<u64>,
    /// Stop it first.
    cancel: Option<bool>,
}

impl Tool for TaskWait {
    const INFO: Info = Info {
        tab: false,
        verbs: &["task-wait"],
        positional: &["task_id"],
        renames: &[("timeout", "timeout_ms"), ("id", "task_id"), ("taskId", "task_id"), ("task", "task_id")],
        extra: "A call that takes longer than about 40 s is answered with \"still running\" and a task_id, and goes \
                on. task_wait gives its result, whole, as if it had been answered only now, or says again that it \
                still runs. Without timeout_ms it waits as long as an answer may take; 0 only looks. A result is \
                kept for 15 minutes and can be fetched more than once. A task belongs to the client that got it: \
                to nobody else it exists. It ends early by cancel, when its client is gone and its tabs with it, \
                or with the daemon; what is cancelled may have acted already.",
        examples: &[(
            "Wait for a task",
            r#"{"task_id":"2f7a09c4e1b8d6530f6cce91a7b24d38","timeout_ms":30000}"#,
        )],
        ..Info::new(NAME, "Wait for a task", EffectClass::Read, Verb::Read)
    };

    fn patience(&self) -> Duration {
        Duration::from_mins(10)
    }

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let limit = self.timeout_ms.map(Duration::from_millis);
        let cancel = self.cancel.unwrap_or(false);
        let outcome = cx.tasks.wait(cx.call, self.task_id.trim(), limit, cancel).await?;
        Ok(Reply { whole: Some(Box::new(outcome)), ..Reply::default() })
    }
}
