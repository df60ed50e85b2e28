//! A script's own code in the page's own world: arguments and results by the codec of scripts, objects by handle.

use super::handles::encoded;
use crate::options::{Acted, Observe};
use crate::tab::Tab;
use crate::tab::effect::Window;
use crate::tab::page::{PageError, value};
use crate::tab::state::Frame;
use serde_json::{Value, json};
use std::time::Duration;
use truehand_base::text::clip;
use truehand_base::{CallCtx, ErrorBody, ErrorCode};
use truehand_cdp::runtime::{CallArgument, Evaluated, ExceptionDetails};
use truehand_cdp::{self as cdp, CdpError, ExecutionContextId};

/// How long a script has the tab to itself.
const SCRIPT_ALONE: Duration = Duration::from_millis(30);
/// The page's half of the value codec: an expression that is a function which gives `{ encode, decode, run }`.
const CODEC: &str = include_str!("../../../js/script-codec.js");

/// What stands around a caller's function and the codec. Neither sees the names of the other; parameters, and not the
/// page's iterators, take the arguments apart: the encoded ones, whether the result is encoded, whether an object goes
/// before them, that object, and the handles.
const AROUND_FUNCTION: [&str; 3] = [
    "function (thArgs, thByValue, thHas, thOwn, ...thHandles) { const thTarget = (() => (\n",
    "\n))(); return (",
    "\n)().run(thTarget, thArgs, thHandles, thByValue, thHas ? [thOwn] : undefined); }",
];

/// The same for a value that is there already: it is called when it is a function. It comes as the first argument.
const AROUND_VALUE: [&str; 2] = [
    "function (target, args, byValue, has, own, ...handles) { return (",
    "\n)().run(target, args, handles, byValue, has ? [own] : undefined); }",
];

/// How long a page may take to answer when its script's time is over, before the script is ended.
const LAST_ANSWER: Duration = Duration::from_millis(300);

/// What a script of which nobody can say that it changes nothing is told by the browser.
const SIDE_EFFECT: &str = "Possible side-effect in debug-evaluate";

/// The longest text that an expression may give, in bytes; the codec bounds all else by itself.
const LONGEST_RESULT: usize = 24 * 1024 * 1024;

/// The longest text of an error that is passed on, in characters.
const LONGEST_TEXT: usize = 1_900;

/// Code to run in a page.
#[derive(Debug, Clone, Copy)]
pub struct PageScript<'a> {
    /// An expression, or the text of a function.
    pub source: &'a str,
    /// Known to be the text of a function, which saves a round trip.
    pub function: bool,
    /// The frame; that of the first handle when none, else the main one.
    pub frame: Option<&'a str>,
    /// The encoded list of arguments.
    pub args: Option<&'a Value>,
    /// Handles that the arguments name by their places.
    pub handles: &'a [String],
    /// The object that goes before the arguments.
    pub on: Option<&'a str>,
    /// Whether the result stays in the page and comes by handle.
    pub by_handle: bool,
    /// Whether it is ended, and nothing done, when it would change something or might.
    pub pure: bool,
}

impl Tab {
    /// Evaluates an expression, or calls a function with decoded arguments; promises are awaited. `returned` is
    /// `{value}`, encoded, or `{handle}`.
    ///
    /// # Errors
    /// `SCRIPT_FAILED` with name, message and stack of what was thrown, `SCRIPT_HAS_EFFECTS`, `FRAME_GONE`, `HANDLE_GONE`,
    /// `NAVIGATED_DURING_ACTION` when the document is left meanwhile, `TIMEOUT` or `DEADLINE` after which the script is ended,
    /// and the codes of a tab that can't answer.
    pub async fn run_script(
        &self,
        ctx: &CallCtx,
        script: &PageScript<'_>,
        observe: &Observe,
    ) -> Result<Acted, ErrorBody> {
        self.check_ready()?;
        if script.pure && may_be_async(script.source) {
            return Ok(Acted { error: Some(has_effects()), ..Acted::default() });
        }
        let frame = match (script.frame, script.on.or(script.handles.first().map(String::as_str))) {
            (None, Some(handle)) => self.handle_frame(handle)?,
            (id, _) => self.script_frame(ctx, id).await?,
        };
        let (page_world, _) = Tab::worlds(&frame).map_err(|e| self.went_away(e))?;
        // The object that goes first, then those that the arguments name by their places.
        let mut objects = Vec::new();
        if script.on.is_none() {
            objects.push(value(Value::Null));
        }
        for handle in script.on.into_iter().chain(script.handles.iter().map(String::as_str)) {
            let object = self.object_in(ctx, &frame, page_world, handle).await?;
            objects.push(CallArgument { object_id: Some(object), ..Default::default() });
        }
        let mut alone = !script.pure;
        let mut window = if script.pure { None } else { self.window(ctx, observe, None).await? };
        let running = ctx.wait("the script", self.run_in(&frame, page_world, script, objects));
        tokio::pin!(running);
        let answer = loop {
            tokio::select! {
                biased;
                answer = &mut running => break answer,
                () = self.stuck(&frame.session) => {
                    return Err(self.end_script(&frame.session, window).await);
                }
                () = self.others_wait(), if alone => {
                    alone = false;
                    self.abandon(window.take());
                    self.lane().give_way();
                }
            }
        };
        match answer {
            Ok(Ok(evaluated)) => {
                self.came_to(ctx, &frame, page_world, script, evaluated, window, observe).await
            }
            Ok(Err(error)) => {
                self.abandon(window);
                Err(self.went_away(self.page_error(error)))
            }
            Err(error) => {
                self.abandon(window);
                Err(self.out_of_time(&frame.session, error).await)
            }
        }
    }

    /// Comes back when another call waits for a script that has had its time to run: what the script waits for may be that
    /// call's doing. Its effect can then be told from the other's no more.
    async fn others_wait(&self) {
        tokio::time::sleep(SCRIPT_ALONE).await;
        self.lane().wanted().await;
    }

    /// Sends the script. A function goes in one command; what may be something else is evaluated first.
    async fn run_in(
        &self,
        frame: &Frame,
        world: ExecutionContextId,
        script: &PageScript<'_>,
        objects: Vec<CallArgument>,
    ) -> Result<Evaluated, CdpError> {
        let given = [
            value(script.args.cloned().unwrap_or(Value::Null)),
            value(json!(!script.by_handle)),
            value(json!(script.on.is_some())),
        ];
        let given = given.into_iter().chain(objects);
        let call = |declaration: String, arguments: Vec<CallArgument>| cdp::runtime::CallFunctionOn {
            function_declaration: declaration,
            execution_context_id: Some(world),
            arguments: Some(arguments),
            return_by_value: Some(!script.by_handle),
            await_promise: Some(true),
            user_gesture: Some(!script.pure),
            throw_on_side_effect: script.pure.then_some(true),
            ..Default::default()
        };
        if script.function {
            let [before, between, after] = AROUND_FUNCTION;
            let declaration = [before, script.source, between, CODEC.trim_end(), after].concat();
            return frame.session.start(call(declaration, given.collect())).await;
        }
        let first = frame
            .session
            .start(cdp::runtime::Evaluate {
                expression: super::run::as_expression(script.source),
                context_id: Some(world),
                return_by_value: Some(false),
                // A promise is awaited below, with all else that the result goes through.
                await_promise: Some(false),
                user_gesture: Some(!script.pure),
                allow_unsafe_eval_blocked_by_csp: Some(true),
                throw_on_side_effect: script.pure.then_some(true),
                ..Default::default()
            })
            .await?;
        let Some(object) = first.result.object_id.clone().filter(|_| first.exception_details.is_none())
        else {
            return Ok(first);
        };
        let target = CallArgument { object_id: Some(object.clone()), ..Default::default() };
        let [before, after] = AROUND_VALUE;
        let declaration = [before, CODEC.trim_end(), after].concat();
        let arguments = std::iter::once(target).chain(given).collect();
        let answer = frame.session.start(call(declaration, arguments)).await;
        drop(frame.session.start(cdp::runtime::ReleaseObject { object_id: object }));
        answer
    }

    #[expect(clippy::too_many_arguments, reason = "what one answer is made of")]
    async fn came_to(
        &self,
        ctx: &CallCtx,
        frame: &Frame,
        world: ExecutionContextId,
        script: &PageScript<'_>,
        evaluated: Evaluated,
        window: Option<Window>,
        observe: &Observe,
    ) -> Result<Acted, ErrorBody> {
        let mut acted = Acted::default();
        match evaluated.exception_details {
            Some(details) => acted.error = Some(thrown(&details)),
            None if script.by_handle => {
                acted.returned =
                    Some(json!({ "handle": self.kept_or_value(frame, world, &evaluated.result) }));
            }
            None => {
                let text = evaluated.result.value.as_ref().and_then(Value::as_str);
                if text.is_some_and(|text| text.len() > LONGEST_RESULT) {
                    let what = format!("the result is a text of more than {} MiB", LONGEST_RESULT >> 20);
                    self.abandon(window);
                    return Err(ErrorBody::new(ErrorCode::ScriptFailed, what).next("return less"));
                }
                // A value that is no object came from an expression as it is; all else went through the codec.
                let encoded = evaluated.result.value.clone().filter(Value::is_object);
                let value = encoded.unwrap_or_else(|| json!({ "v": self::encoded(&evaluated.result) }));
                acted.returned = Some(json!({ "value": value }));
            }
        }
        if window.is_some() {
            acted.effect = self.watch(ctx, window, observe, Vec::new()).await?;
        }
        Ok(acted)
    }

    /// The failure of a script whose time is over: one that lets nothing else run is ended, one that waits is left.
    async fn out_of_time(&self, session: &cdp::Session, error: ErrorBody) -> ErrorBody {
        if self.with(|s| s.dialog.is_some()) {
            return self.dialog_error();
        }
        let question =
            session.start(cdp::runtime::Evaluate { expression: "0".to_owned(), ..Default::default() });
        if tokio::time::timeout(LAST_ANSWER, question).await.is_err() {
            drop(session.start(cdp::runtime::TerminateExecution::default()));
            return error.with("script_ended", true);
        }
        error
    }

    /// The failure of a script whose document went away.
    fn went_away(&self, error: PageError) -> ErrorBody {
        match error {
            PageError::DocumentGone => ErrorBody::new(
                ErrorCode::NavigatedDuringAction,
                "Execution context was destroyed, most likely because of a navigation",
            )
            .with("url", self.url()),
            other => other.into_body(self),
        }
    }
}

fn has_effects() -> ErrorBody {
    ErrorBody::new(
        ErrorCode::ScriptHasEffects,
        "the script changes something, or does what can't be told from a change",
    )
}

/// Whether a text may define an async function. What such a function gives is looked at by the engine: an object with a
/// method `then` has it called later, when nobody watches for side effects any more.
///
/// The word can't be written with escapes where it makes a function async, so each one there is stands in the text.
fn may_be_async(source: &str) -> bool {
    source.match_indices("async").any(|(at, word)| {
        let part_of_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let rest = &source[at + word.len()..];
        let inside = source[..at].ends_with(part_of_name) || rest.starts_with(part_of_name);
        // What a function, a method or its parameters can't begin with: `script[async]`, `element.async;`.
        !inside
            && !rest.is_empty()
            && !rest.trim_start().starts_with([']', ')', ';', ',', '.', '=', '}', ':', '-'])
    })
}

/// What a script threw, or that it would have changed something.
fn thrown(details: &ExceptionDetails) -> ErrorBody {
    let exception = details.exception.as_ref();
    let text = exception.and_then(|e| e.description.clone());
    let class = exception.and_then(|e| e.class_name.as_deref()).unwrap_or_default();
    if class == "EvalError" && text.as_deref().is_some_and(|text| text.contains(SIDE_EFFECT)) {
        return has_effects();
    }
    let stack = text.clone().or_else(|| exception.map(super::handles::preview));
    let stack = stack.unwrap_or_else(|| details.text.clone());
    let (name, message) = name_and_message(&stack);
    ErrorBody::new(ErrorCode::ScriptFailed, clip(&format!("{name}: {message}"), LONGEST_TEXT))
        .with("name", name)
        .with("message", clip(&message, LONGEST_TEXT))
        .with("stack", clip(&stack, LONGEST_TEXT))
        .with("line", details.line_number + 1)
        .with("column", details.column_number + 1)
}

/// The first lines of a stack as a name and a message.
fn name_and_message(stack: &str) -> (String, String) {
    let head = stack.find("\n    at ").map_or(stack, |end| &stack[..end]);
    let is_name =
        |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
    match head.split_once(": ") {
        Some((name, message)) if is_name(name) => (name.to_owned(), message.to_owned()),
        _ if is_name(head) && head.ends_with("Error") => (head.to_owned(), String::new()),
        _ => ("Error".to_owned(), head.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::{may_be_async, name_and_message};

    #[test]
    fn async_functions_are_seen_in_every_form_and_other_uses_of_the_word_are_not_meant() {
        for source in [
            "async () => 1",
            "async x=>x",
            "(async()=>1)()",
            "async function f() {}",
            "async\tfunction*f(){}",
            "[...async()=>1]",
            "async/**/()=>1",
            "({ async f() {} })",
            "({ async*f() {} })",
            "({ async[1]() {} })",
            "class { static async #f() {} }",
            "({ async'f'() {} })",
            "({ async 1() {} })",
            "({a:async()=>1})",
        ] {
            assert!(may_be_async(source), "{source}");
        }
        for source in [
            "() => document.querySelector('script[async]')",
            "e => e.async",
            "e => e.async === true && e.async, e.async;",
            "() => isasync (1)",
            "() => asyncs",
            "() => $async ()",
            "({ async: 1 })",
            "() => '.async-box'",
        ] {
            assert!(!may_be_async(source), "{source}");
        }
    }

    #[test]
    fn name_and_message_are_read_from_the_head_of_a_stack() {
        let cases = [
            ("TypeError: a is null\n    at <anonymous>:2:1", "TypeError", "a is null"),
            ("Error\n    at x", "Error", ""),
            ("Error: two\nlines: here\n    at x", "Error", "two\nlines: here"),
            ("just a text: thrown", "Error", "just a text: thrown"),
        ];
        for (stack, name, message) in cases {
            assert_eq!(name_and_message(stack), (name.to_owned(), message.to_owned()), "{stack}");
        }
    }
}
