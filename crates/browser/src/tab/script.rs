//! Running a caller's JavaScript in the page's own world, observed like any other action.

use super::Tab;
use crate::errors::{document_gone, from_cdp};
use crate::options::{Acted, Observe};
use serde_json::{Value, json};
use truehand_base::{CallCtx, ErrorBody, ErrorCode};
use truehand_cdp as cdp;

impl Tab {
    /// Evaluates an expression, or calls a function that the expression is; promises are awaited.
    ///
    /// # Errors
    /// `SCRIPT_FAILED` with what was thrown, `DEADLINE` after which the script is ended, and the codes of a tab that
    /// can't answer.
    pub async fn evaluate(&self, ctx: &CallCtx, script: &str, observe: &Observe) -> Result<Acted, ErrorBody> {
        self.check_ready()?;
        let frame = self.main_frame(ctx).await?;
        let window = self.window(ctx, observe, None).await?;
        let pending = frame.session.start(cdp::runtime::Evaluate {
            expression: script.to_owned(),
            context_id: frame.page_world,
            return_by_value: Some(true),
            await_promise: Some(true),
            user_gesture: Some(true),
            // Statements with const and let work, and may be sent again.
            repl_mode: Some(true),
            allow_unsafe_eval_blocked_by_csp: Some(true),
            ..Default::default()
        });
        let answer = tokio::select! {
            biased;
            answer = ctx.wait("the script", pending) => answer,
            () = self.dialog_opened() => {
                let effect = self.watch(ctx, window, observe, Vec::new()).await?;
                return Ok(Acted { effect, notes: vec!["the script stands still behind a dialog".to_owned()], ..Acted::default() });
            }
        };
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => {
                drop(frame.session.start(cdp::runtime::TerminateExecution::default()));
                self.abandon(window);
                return Err(error);
            }
        };
        let mut acted = Acted::default();
        match answer {
            Ok(result) => match result.exception_details {
                None => acted.returned = Some(shown(&result.result)),
                Some(details) => {
                    let thrown = details
                        .exception
                        .and_then(|e| e.description.or_else(|| e.value.map(|v| v.to_string())));
                    let text = thrown.unwrap_or(details.text);
                    acted.error = Some(
                        ErrorBody::new(ErrorCode::ScriptFailed, truehand_base::text::clip(&text, 1_000))
                            .with("line", details.line_number + 1)
                            .with("column", details.column_number + 1),
                    );
                }
            },
            Err(error) if document_gone(&error) => acted.notes.push("the script left the page".to_owned()),
            Err(error) => {
                self.abandon(window);
                return Err(from_cdp(error));
            }
        }
        acted.effect = self.watch(ctx, window, observe, Vec::new()).await?;
        Ok(acted)
    }
}

/// A result as JSON; what JSON can't hold is described.
fn shown(result: &cdp::runtime::RemoteObject) -> Value {
    match (&result.value, &result.unserializable_value) {
        (Some(value), _) => value.clone(),
        (None, Some(text)) => json!(text),
        (None, None) if result.kind == "undefined" => Value::Null,
        (None, None) => json!(result.description.clone().unwrap_or_else(|| result.kind.clone())),
    }
}
