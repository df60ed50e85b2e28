//! Running a caller's JavaScript in the page's own world, observed like any other action.

use super::Tab;
use crate::errors::{document_gone, from_cdp};
use crate::options::{Acted, Observe};
use serde_json::{Value, json};
use truehand_base::{CallCtx, ErrorBody, ErrorCode};
use truehand_cdp as cdp;

/// Calls the value when it is a function, and otherwise gives it back.
const CALL_OR_COPY: &str = "function () { return typeof this === 'function' ? this() : this; }";

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
            expression: as_expression(script),
            context_id: frame.page_world,
            // By handle: what it is decides whether it is called or copied.
            return_by_value: Some(false),
            await_promise: Some(true),
            user_gesture: Some(true),
            // Statements with const and let work, and may be sent again.
            repl_mode: Some(true),
            allow_unsafe_eval_blocked_by_csp: Some(true),
            ..Default::default()
        });
        let running = async {
            let first = pending.await?;
            let Some(object) = first.result.object_id.clone().filter(|_| first.exception_details.is_none())
            else {
                return Ok(first);
            };
            let command = cdp::runtime::CallFunctionOn {
                function_declaration: CALL_OR_COPY.to_owned(),
                object_id: Some(object.clone()),
                return_by_value: Some(true),
                await_promise: Some(true),
                user_gesture: Some(true),
                ..Default::default()
            };
            let copied = frame.session.start(command).await;
            drop(frame.session.start(cdp::runtime::ReleaseObject { object_id: object }));
            match copied {
                // What can't be copied is described.
                Err(error) if first.result.kind != "function" && !document_gone(&error) => Ok(first),
                copied => copied,
            }
        };
        let answer = tokio::select! {
            biased;
            answer = ctx.wait("the script", running) => answer,
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

/// A function without a name is no statement; in brackets it is an expression, as its author meant it.
fn as_expression(script: &str) -> String {
    let bare = script.trim().trim_end_matches(';');
    let after = bare.strip_prefix("async").map_or(bare, str::trim_start).strip_prefix("function");
    let nameless = after.is_some_and(|rest| rest.trim_start_matches('*').trim_start().starts_with('('));
    if nameless && bare.ends_with('}') { ["(", bare, ")"].concat() } else { script.to_owned() }
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

#[cfg(test)]
mod tests {
    use super::as_expression;

    #[test]
    fn as_expression_puts_only_nameless_functions_in_brackets() {
        assert_eq!(as_expression(" function () { return 1 }; "), "(function () { return 1 })");
        assert_eq!(as_expression("async function() { return 1 }"), "(async function() { return 1 })");
        for script in ["() => 1", "function f() {} f()", "functional(1)", "asyncThing()", "1 + 1"] {
            assert_eq!(as_expression(script), script);
        }
    }
}
