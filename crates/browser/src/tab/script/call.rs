//! Calls of our page functions by scripts: by name from a table, with values and with elements by handle.

use crate::options::{Acted, Observe};
use crate::tab::Tab;
use crate::tab::page::{ANSWER_LIMIT, CALL, PageError, call_function, value};
use crate::tab::state::Frame;
use serde_json::{Value, json};
use std::time::Duration;
use truehand_base::{CallCtx, ErrorBody, ErrorCode};
use truehand_cdp::runtime::{CallArgument, RemoteObject};

/// The same call with elements, which the function finds in its arguments.
const CALL_WITH: &str =
    "function(name, a, ...elements) { return globalThis.__truehand.call(name, { ...a, elements }); }";

/// What a call gives back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Returns {
    /// A JSON value.
    #[default]
    Value,
    /// An object, by handle.
    Handle,
    /// A list of objects, each by handle.
    Handles,
}

/// One call of a page function.
#[derive(Debug, Clone, Copy, Default)]
pub struct PageCall<'a> {
    /// The function.
    pub name: &'a str,
    /// The frame; the main one when none, or that of the first handle.
    pub frame: Option<&'a str>,
    /// Its arguments, an object.
    pub args: Option<&'a Value>,
    /// Elements for `args.elements`.
    pub handles: &'a [String],
    /// What it gives back.
    pub returns: Returns,
    /// How long the function itself may wait for something.
    pub wait: Duration,
    /// Whether it acts on the page, so that its effect is measured.
    pub acts: bool,
}

impl Tab {
    /// Calls a page function. `returned` is `{value}`, `{handle}` or `{handles}`; a problem that the function tells of is a
    /// value like any other.
    ///
    /// # Errors
    /// `FRAME_GONE`, `HANDLE_GONE`, `NAVIGATED_DURING_ACTION`, and the codes of a tab that can't answer.
    pub async fn call_page(
        &self,
        ctx: &CallCtx,
        call: &PageCall<'_>,
        observe: &Observe,
    ) -> Result<Acted, ErrorBody> {
        self.check_ready()?;
        let frame = match (call.frame, call.handles.first()) {
            (None, Some(handle)) => self.handle_frame(handle)?,
            (id, _) => self.script_frame(ctx, id).await?,
        };
        let window = if call.acts { self.window(ctx, observe, None).await? } else { None };
        let returned = match call.returns {
            Returns::Value => self.page_value(ctx, &frame, call).await.map(|value| json!({ "value": value })),
            _ => self.page_objects(ctx, &frame, call).await,
        };
        let returned = match returned {
            Ok(returned) => returned,
            Err(error) => {
                self.abandon(window);
                return Err(error);
            }
        };
        let effect = match window {
            Some(window) => self.watch(ctx, Some(window), observe, Vec::new()).await?,
            None => None,
        };
        Ok(Acted { returned: Some(returned), effect, ..Acted::default() })
    }

    /// The value of a page function, with numbers for the references that it may issue.
    pub(super) async fn page_value(
        &self,
        ctx: &CallCtx,
        frame: &Frame,
        call: &PageCall<'_>,
    ) -> Result<Value, ErrorBody> {
        let elements = self.elements(ctx, frame, call.handles).await?;
        let args = arguments(call);
        let answer = self
            .with_refs(frame, args, |args| async move {
                let pending = self.start_call(frame, call.name, args, elements, true)?;
                self.answer_of(ctx, frame, call.name, pending, ANSWER_LIMIT + call.wait).await
            })
            .await
            .map_err(|e| e.into_body(self))?;
        if answer["status"] == "error" {
            let message = answer["message"].as_str().unwrap_or_default();
            let what = format!("the page part {} failed: {message}", call.name);
            return Err(ErrorBody::new(ErrorCode::Internal, what));
        }
        Ok(answer)
    }

    /// What a page function finds, by handle. It issues no references. What is no object comes as a value.
    async fn page_objects(
        &self,
        ctx: &CallCtx,
        frame: &Frame,
        call: &PageCall<'_>,
    ) -> Result<Value, ErrorBody> {
        let elements = self.elements(ctx, frame, call.handles).await?;
        let mut args = arguments(call);
        args["frame"] = json!(frame.number);
        let pending =
            self.start_call(frame, call.name, args, elements, false).map_err(|e| e.into_body(self))?;
        let limit = ANSWER_LIMIT + call.wait;
        let object =
            self.object_of(ctx, frame, call.name, pending, limit).await.map_err(|e| e.into_body(self))?;
        let world = frame.world.ok_or_else(|| PageError::DocumentGone.into_body(self))?;
        let list = object.subtype.as_deref() == Some("array");
        let plain = object.class_name.as_deref() == Some("Object") && object.subtype.is_none();
        match (&object.object_id, call.returns) {
            (None, _) => Ok(json!({ "value": object.value })),
            // A problem instead of an object is told as it is.
            (Some(id), _) if plain => {
                let copied = self.copy_of(ctx, frame, id).await?;
                drop(frame.session.start(truehand_cdp::runtime::ReleaseObject { object_id: id.clone() }));
                Ok(json!({ "value": copied }))
            }
            (Some(id), Returns::Handles) if list => {
                let properties = self.properties(ctx, &frame.session, id).await?;
                drop(frame.session.start(truehand_cdp::runtime::ReleaseObject { object_id: id.clone() }));
                let items = properties.iter().filter(|p| p.enumerable).filter_map(|p| p.value.as_ref());
                let handles: Vec<Value> = items.map(|item| self.kept_or_value(frame, world, item)).collect();
                Ok(json!({ "handles": handles }))
            }
            _ => Ok(json!({ "handle": self.kept_or_value(frame, world, &object) })),
        }
    }

    async fn copy_of(
        &self,
        ctx: &CallCtx,
        frame: &Frame,
        id: &truehand_cdp::RemoteObjectId,
    ) -> Result<Value, ErrorBody> {
        let world = frame.world.ok_or_else(|| PageError::DocumentGone.into_body(self))?;
        let pending = frame.session.start(call_function(
            "function() { return this; }",
            world,
            Some(id.clone()),
            Vec::new(),
        ));
        self.answer_of(ctx, frame, "the answer", pending, ANSWER_LIMIT).await.map_err(|e| e.into_body(self))
    }

    async fn elements(
        &self,
        ctx: &CallCtx,
        frame: &Frame,
        handles: &[String],
    ) -> Result<Vec<CallArgument>, ErrorBody> {
        let world = frame.world.ok_or_else(|| PageError::DocumentGone.into_body(self))?;
        let mut elements = Vec::new();
        for handle in handles {
            let object = self.object_in(ctx, frame, world, handle).await?;
            elements.push(CallArgument { object_id: Some(object), ..Default::default() });
        }
        Ok(elements)
    }

    fn start_call(
        &self,
        frame: &Frame,
        name: &str,
        args: Value,
        elements: Vec<CallArgument>,
        by_value: bool,
    ) -> Result<truehand_cdp::Pending<truehand_cdp::runtime::Evaluated>, PageError> {
        let world = frame.world.ok_or(PageError::DocumentGone)?;
        let declaration = if elements.is_empty() { CALL } else { CALL_WITH };
        let mut arguments = vec![value(json!(name)), value(args)];
        arguments.extend(elements);
        let mut command = call_function(declaration, world, None, arguments);
        command.return_by_value = Some(by_value);
        Ok(frame.session.start(command))
    }

    /// The same as [`Tab::answer_of`], for an answer by handle.
    async fn object_of(
        &self,
        ctx: &CallCtx,
        frame: &Frame,
        name: &str,
        pending: truehand_cdp::Pending<truehand_cdp::runtime::Evaluated>,
        limit: Duration,
    ) -> Result<RemoteObject, PageError> {
        let limited = ctx.at_most(limit);
        let answer = tokio::select! {
            biased;
            answer = limited.wait(name, pending) => answer?,
            () = self.dialog_opened() => return Err(PageError::DialogOpen),
            () = self.stuck(&frame.session) => return Err(self.unresponsive(name).into()),
        };
        let evaluated = answer.map_err(|e| self.page_error(e))?;
        match evaluated.exception_details {
            None => Ok(evaluated.result),
            Some(details) => {
                let text = details.exception.and_then(|e| e.description).unwrap_or(details.text);
                if text.contains("__truehand") {
                    return Err(PageError::DocumentGone);
                }
                Err(ErrorBody::new(ErrorCode::Internal, format!("the page part {name} threw: {text}")).into())
            }
        }
    }
}

/// The arguments of a call, always an object.
fn arguments(call: &PageCall<'_>) -> Value {
    call.args.filter(|args| args.is_object()).cloned().unwrap_or_else(|| json!({}))
}
