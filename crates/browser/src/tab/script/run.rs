//! Running a caller's JavaScript in the page's own world, observed like any other action.

use crate::errors::{document_gone, from_cdp};
use crate::options::{Acted, Observe};
use crate::tab::Tab;
use crate::tab::click::number_of;
use crate::tab::effect::Window;
use crate::tab::page::{CALL, call_function, value};
use crate::tab::state::Frame;
use crate::target::Target;
use serde_json::{Value, json};
use std::time::Duration;
use truehand_base::{CallCtx, ErrorBody, ErrorCode};
use truehand_cdp as cdp;

/// Calls the value when it is a function, and otherwise gives it back.
const CALL_OR_COPY: &str = "function (...all) { return typeof this === 'function' ? this(...all) : this; }";

impl Tab {
    /// Evaluates an expression, or calls a function that the expression is; promises are awaited.
    ///
    /// # Errors
    /// `SCRIPT_FAILED` with what was thrown, `DEADLINE` after which the script is ended, and the codes of a tab that
    /// can't answer.
    pub async fn evaluate(&self, ctx: &CallCtx, script: &str, observe: &Observe) -> Result<Acted, ErrorBody> {
        self.check_ready()?;
        let frame = self.main_frame(ctx).await?;
        self.evaluate_in(ctx, &frame, script, Vec::new(), observe).await
    }

    /// The same in the frame of an element, which a function gets as its argument.
    ///
    /// # Errors
    /// As [`Tab::evaluate`], and those of finding the element.
    pub async fn evaluate_on(
        &self,
        ctx: &CallCtx,
        target: &Target,
        script: &str,
        observe: &Observe,
    ) -> Result<Acted, ErrorBody> {
        let found = self.on_target(ctx, target, "locate", json!({})).await?;
        let left = || ErrorBody::new(ErrorCode::NavigatedDuringAction, "the page left");
        let session = &found.frame.session;
        let (world, page_world) = found.frame.world.zip(found.frame.page_world).ok_or_else(left)?;
        let named = vec![value(json!("element")), value(json!(number_of(&found)))];
        let mut ours = call_function(CALL, world, None, named);
        ours.return_by_value = Some(false);
        let ours = session.send(ctx, ours).await.map_err(from_cdp)?.result.object_id;
        // The page's own view of the node: what our world knows of it stays there.
        let describe = cdp::dom::DescribeNode { object_id: ours, ..Default::default() };
        let node = session.send(ctx, describe).await.map_err(from_cdp)?.node;
        let resolve = cdp::dom::ResolveNode {
            backend_node_id: Some(node.backend_node_id),
            execution_context_id: Some(page_world),
            ..Default::default()
        };
        let element =
            session.send(ctx, resolve).await.map_err(from_cdp)?.object.object_id.ok_or_else(left)?;
        let argument = cdp::runtime::CallArgument { object_id: Some(element), ..Default::default() };
        let mut ran = self.evaluate_in(ctx, &found.frame, script, vec![argument], observe).await?;
        ran.target = Some(found.described());
        Ok(ran)
    }

    async fn evaluate_in(
        &self,
        ctx: &CallCtx,
        frame: &Frame,
        script: &str,
        arguments: Vec<cdp::runtime::CallArgument>,
        observe: &Observe,
    ) -> Result<Acted, ErrorBody> {
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
                arguments: Some(arguments),
                return_by_value: Some(true),
                await_promise: Some(true),
                user_gesture: Some(true),
                ..Default::default()
            };
            let copied = frame.session.start(command).await;
            drop(frame.session.start(cdp::runtime::ReleaseObject { object_id: object }));
            match copied {
                // What can't be copied is described.
                Err(error @ cdp::CdpError::Protocol { .. })
                    if first.result.kind != "function" && !document_gone(&error) =>
                {
                    Ok(first)
                }
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
            () = self.stuck(&frame.session) => return Err(self.end_script(&frame.session, window).await),
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

impl Tab {
    /// Ends a script of the caller's that lets nothing else run, and says whether the page is usable again.
    pub(super) async fn end_script(&self, session: &cdp::Session, window: Option<Window>) -> ErrorBody {
        let silent = self.unresponsive("while the script ran");
        self.abandon(window);
        if silent.code != ErrorCode::PageUnresponsive {
            return silent;
        }
        drop(session.start(cdp::runtime::TerminateExecution::default()));
        let back = self.answers(Duration::from_millis(400)).await;
        let next = if back {
            "the script was ended and the page answers again, though what ran before may have changed it: see what it \
             shows, and let a long script pause with await"
        } else {
            "the script was ended, and the page still does not answer: reload the tab with browser_reload, or close it"
        };
        silent.with("script_ended", true).with("page_answers", back).next(next)
    }
}

/// A function without a name is no statement; in brackets it is an expression, as its author meant it.
pub(super) fn as_expression(script: &str) -> String {
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
