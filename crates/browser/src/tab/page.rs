//! Calls into the page parts: by name, with values, in our isolated world of a frame. No source is ever built.

use super::Tab;
use super::state::{Frame, Life};
use crate::errors::{document_gone, from_cdp};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use truehand_base::{CallCtx, ErrorBody, ErrorCode};
use truehand_cdp::runtime::CallArgument;
use truehand_cdp::{self as cdp, CdpError, ExecutionContextId, RemoteObjectId};

/// The name of our isolated world.
pub(crate) const WORLD: &str = "truehand";

/// The page parts, in the order of their names.
pub(crate) const PAGE_PARTS: &str = concat!(
    include_str!("../../js/05-early.js"),
    "\n",
    include_str!("../../js/10-dom.js"),
    "\n",
    include_str!("../../js/20-roles.js"),
    "\n",
    include_str!("../../js/30-refs.js"),
    "\n",
    include_str!("../../js/40-locate.js"),
    "\n",
    include_str!("../../js/50-outline.js"),
    "\n",
    include_str!("../../js/55-rows.js"),
    "\n",
    include_str!("../../js/58-habits.js"),
    "\n",
    include_str!("../../js/60-observe.js"),
    "\n",
    include_str!("../../js/62-beyond.js"),
    "\n",
    include_str!("../../js/65-effect.js"),
    "\n",
    include_str!("../../js/70-action.js"),
    "\n",
    include_str!("../../js/72-scroll.js"),
    "\n",
    include_str!("../../js/75-fields.js"),
    "\n",
    include_str!("../../js/76-editors.js"),
    "\n",
    include_str!("../../js/77-choices.js"),
    "\n",
    include_str!("../../js/80-overlay.js"),
    "\n",
    include_str!("../../js/85-wait.js"),
    "\n",
    include_str!("../../js/86-script-css.js"),
    "\n",
    include_str!("../../js/86-script-select.js"),
    "\n",
    include_str!("../../js/87-script-expect.js"),
    "\n",
    include_str!("../../js/87-script-frames.js"),
    "\n",
    include_str!("../../js/87-script-state.js"),
    "\n",
    include_str!("../../js/88-script-aria.js"),
    "\n",
    include_str!("../../js/89-script-shot.js"),
    "\n",
    include_str!("../../js/90-entry.js"),
);

/// The one declaration through which every page function is called.
pub(crate) const CALL: &str = "function(name, args) { return globalThis.__truehand.call(name, args); }";
const NAME_FRAME: &str = "function(number) { globalThis.__truehand.registerFrame(this, number); }";
const HAND_OVER_SHADOW: &str = "function(root) { globalThis.__truehand.registerShadow(this, root); }";

/// How long the document of a new frame is waited for.
const FRAME_TIME: Duration = Duration::from_millis(1_000);

/// How long a page may take to answer a question that needs no waiting, before it counts as unresponsive.
pub(super) const ANSWER_LIMIT: Duration = Duration::from_millis(4_500);

/// The same for a frame in a process of its own, without which the rest of the page can be used.
const FRAME_ANSWER_LIMIT: Duration = Duration::from_millis(2_500);

/// How long a page that is on its way to another document is waited for, and in what steps.
const WAY_LIMIT: Duration = Duration::from_secs(20);
const WAY_STEP: Duration = Duration::from_secs(1);

/// How long after the end of a session the end of its tab is known at the latest.
const END_TIME: Duration = Duration::from_millis(200);

/// Why a page function gave no answer.
#[derive(Debug)]
pub(crate) enum PageError {
    /// The document went away; the caller decides whether that is a navigation or a failure.
    DocumentGone,
    /// A dialog is open and the page stands still.
    DialogOpen,
    /// Anything else.
    Failed(ErrorBody),
}

impl PageError {
    /// The error for callers that can't go on.
    pub fn into_body(self, tab: &Tab) -> ErrorBody {
        match self {
            PageError::DocumentGone if tab.with(|s| s.frames.values().any(|f| f.mute)) => {
                tab.unresponsive("a frame of another site; the page around it answers")
            }
            PageError::DocumentGone => ErrorBody::new(
                ErrorCode::NavigatedDuringAction,
                format!("the page went to {} meanwhile", tab.url()),
            )
            .with("url", tab.url()),
            PageError::DialogOpen => tab.dialog_error(),
            PageError::Failed(body) => body,
        }
    }
}

impl From<ErrorBody> for PageError {
    fn from(body: ErrorBody) -> Self {
        PageError::Failed(body)
    }
}

impl Tab {
    /// Calls a page function that answers at once.
    pub(crate) async fn ask<R: DeserializeOwned>(
        &self,
        ctx: &CallCtx,
        frame: &Frame,
        name: &str,
        args: Value,
    ) -> Result<R, PageError> {
        self.ask_for(ctx, frame, name, args, ANSWER_LIMIT).await
    }

    /// Calls a page function that may itself wait up to `limit`.
    pub(crate) async fn ask_for<R: DeserializeOwned>(
        &self,
        ctx: &CallCtx,
        frame: &Frame,
        name: &str,
        args: Value,
        limit: Duration,
    ) -> Result<R, PageError> {
        let pending = self.start_asking(frame, name, args)?;
        let value = self.answer_of(ctx, frame, name, pending, limit).await?;
        if value["status"] == "error" {
            let message = value["message"].as_str().unwrap_or_default();
            return Err(ErrorBody::new(
                ErrorCode::Internal,
                format!("the page part {name} failed: {message}"),
            )
            .into());
        }
        serde_json::from_value(value).map_err(|e| {
            ErrorBody::new(
                ErrorCode::Internal,
                format!("the answer of the page part {name} can't be read: {e}"),
            )
            .into()
        })
    }

    /// Queues a call of a page function; the answer is taken with [`Tab::answer`].
    pub(crate) fn start_asking(
        &self,
        frame: &Frame,
        name: &str,
        args: Value,
    ) -> Result<cdp::Pending<cdp::runtime::Evaluated>, PageError> {
        let world = frame.world.ok_or(PageError::DocumentGone)?;
        let command = call_function(CALL, world, None, vec![value(json!(name)), value(args)]);
        Ok(frame.session.start(command))
    }

    /// The same as [`Tab::answer`], for a frame that may run in a process of its own: when that does not answer, the
    /// frame counts as gone for all others until it does.
    pub(crate) async fn answer_of(
        &self,
        ctx: &CallCtx,
        frame: &Frame,
        name: &str,
        pending: cdp::Pending<cdp::runtime::Evaluated>,
        limit: Duration,
    ) -> Result<Value, PageError> {
        if frame.session.id() == self.inner.session.id() {
            return self.answer(ctx, name, pending, limit + self.grace()).await;
        }
        // What the function waits for by itself is on top.
        let limit = FRAME_ANSWER_LIMIT + limit.saturating_sub(ANSWER_LIMIT);
        match self.answer(ctx, name, pending, limit).await {
            Err(PageError::Failed(error)) if error.code == ErrorCode::PageUnresponsive => {
                self.mute(&frame.session);
                Err(PageError::DocumentGone)
            }
            other => other,
        }
    }

    /// Waits for the answer of a queued call, but neither past the limit nor past a dialog, a crash or a close.
    pub(crate) async fn answer(
        &self,
        ctx: &CallCtx,
        name: &str,
        pending: cdp::Pending<cdp::runtime::Evaluated>,
        limit: Duration,
    ) -> Result<Value, PageError> {
        let answer = tokio::select! {
            biased;
            answer = self.patiently(ctx, name, pending, limit) => answer?,
            () = self.dialog_opened() => return Err(PageError::DialogOpen),
            () = self.stuck(&self.inner.session) => return Err(self.unresponsive(name).into()),
        };
        match answer {
            Ok(result) => match result.exception_details {
                None => Ok(result.result.value.unwrap_or_default()),
                Some(details) => {
                    let text = details.exception.and_then(|e| e.description).unwrap_or(details.text);
                    if text.contains("__truehand") {
                        // The parts are not in this document yet: it is about to be replaced.
                        return Err(PageError::DocumentGone);
                    }
                    Err(ErrorBody::new(ErrorCode::Internal, format!("the page part {name} threw: {text}"))
                        .into())
                }
            },
            Err(error) => {
                if matches!(error, CdpError::SessionGone { .. }) {
                    // Whether the tab has ended or only a frame of it, its pump is just about to say.
                    let soon = ctx.at_most(END_TIME);
                    let ended = self.wait_until(&soon, "the end", |s| (s.life != Life::Alive).then_some(()));
                    drop(ended.await);
                }
                Err(self.page_error(error))
            }
        }
    }

    /// Waits up to the limit, and longer while another document is on its way: the browser holds the question back.
    async fn patiently<T>(
        &self,
        ctx: &CallCtx,
        name: &str,
        mut pending: cdp::Pending<T>,
        limit: Duration,
    ) -> Result<Result<T, CdpError>, ErrorBody> {
        let started = Instant::now();
        let mut limited = ctx.at_most(limit);
        loop {
            match limited.wait(name, &mut pending).await {
                Err(error) if error.code == ErrorCode::Deadline && !ctx.remaining().is_zero() => {
                    if !self.with(|s| s.on_its_way()) {
                        return Err(self.unresponsive(name));
                    }
                    if started.elapsed() >= limit.max(WAY_LIMIT) {
                        let what = format!(
                            "tab {} is on its way from {} to a page whose server has not answered for {} s",
                            self.id(),
                            self.url(),
                            started.elapsed().as_secs()
                        );
                        return Err(ErrorBody::new(ErrorCode::Timeout, what).next(
                            "call again to wait longer, or open another address with browser_navigate",
                        ));
                    }
                    limited = ctx.at_most(WAY_STEP);
                }
                other => return other,
            }
        }
    }

    /// What a failed protocol command on a frame means.
    pub(crate) fn page_error(&self, error: CdpError) -> PageError {
        if document_gone(&error) {
            return PageError::DocumentGone;
        }
        // A session that ends while the tab lives was a child frame's.
        if matches!(error, CdpError::SessionGone { .. }) && self.with(|s| s.life == Life::Alive) {
            return PageError::DocumentGone;
        }
        PageError::Failed(from_cdp(error))
    }

    /// The frame that the page shows at first, with its world; waits for a document that is being made.
    pub(crate) async fn main_frame(&self, ctx: &CallCtx) -> Result<Frame, ErrorBody> {
        self.check_alive()?;
        let limited = ctx.at_most(ANSWER_LIMIT);
        let found = self
            .wait_until(&limited, "the page's document", |s| s.main().filter(|f| f.world.is_some()).cloned());
        match found.await {
            Ok(frame) => Ok(frame),
            Err(error) if error.code == ErrorCode::Deadline && ctx.remaining() > Duration::ZERO => {
                self.check_alive()?;
                Err(self.unresponsive("the page's document"))
            }
            Err(error) => Err(error),
        }
    }

    /// Frames with a world; child frames are named in their parents first, so that readings can refer to them.
    pub(crate) async fn frames(&self, ctx: &CallCtx) -> Result<Vec<Frame>, ErrorBody> {
        self.main_frame(ctx).await?;
        let frames = self.with(|s| s.live_frames());
        for frame in &frames {
            let Some(parent) = frame.parent.as_ref().and_then(|p| frames.iter().find(|f| f.id == *p)) else {
                continue;
            };
            if frame.named_in == parent.world {
                continue;
            }
            match self.name_frame(ctx, parent, frame).await {
                Ok(()) => self.with(|s| {
                    if let Some(entry) = s.frames.get_mut(&frame.id) {
                        entry.named_in = parent.world;
                    }
                }),
                // The frame or its parent went away meanwhile: it is simply not part of this reading.
                Err(PageError::DocumentGone) => {}
                Err(PageError::Failed(error)) if error.code == ErrorCode::Deadline => {
                    ctx.check("the page's frames")?;
                    return Err(self.unresponsive("the page's frames"));
                }
                Err(other) => return Err(other.into_body(self)),
            }
        }
        Ok(frames)
    }

    /// Waits for the documents of frames that have just come, as those of a page that has just loaded.
    pub(crate) async fn young_frames(&self, ctx: &CallCtx) {
        let soon = ctx.at_most(FRAME_TIME);
        let ready = self.wait_until(&soon, "the frames", |s| {
            let young = |f: &Frame| f.world.is_none() && f.since.elapsed() < FRAME_TIME;
            (!s.frames.values().any(young)).then_some(())
        });
        // A frame that takes longer is simply not part of this reading.
        drop(ready.await);
    }

    async fn name_frame(&self, ctx: &CallCtx, parent: &Frame, child: &Frame) -> Result<(), PageError> {
        let ctx = &ctx.at_most(ANSWER_LIMIT);
        let world = parent.world.ok_or(PageError::DocumentGone)?;
        let owner = parent.session.send(ctx, cdp::dom::GetFrameOwner { frame_id: child.id.clone() }).await;
        let owner = match owner {
            Ok(owner) => owner,
            Err(CdpError::Protocol { .. }) => return Err(PageError::DocumentGone),
            Err(other) => return Err(self.page_error(other)),
        };
        let object = self.resolve(ctx, parent, owner.backend_node_id, world).await?;
        let arguments = vec![value(json!(child.number))];
        let named = parent.session.send(ctx, call_function(NAME_FRAME, world, Some(object), arguments)).await;
        named.map(drop).map_err(|e| self.page_error(e))
    }

    /// The object of a node in one of our worlds.
    async fn resolve(
        &self,
        ctx: &CallCtx,
        frame: &Frame,
        node: cdp::BackendNodeId,
        world: ExecutionContextId,
    ) -> Result<RemoteObjectId, PageError> {
        let command = cdp::dom::ResolveNode {
            backend_node_id: Some(node),
            execution_context_id: Some(world),
            ..Default::default()
        };
        let resolved = frame.session.send(ctx, command).await.map_err(|e| self.page_error(e))?;
        resolved.object.object_id.ok_or(PageError::DocumentGone)
    }

    /// Looks into elements that may host a closed shadow root and hands the roots to the page parts.
    /// Returns how many roots were found.
    pub(crate) async fn open_closed_shadows(&self, ctx: &CallCtx, frame: &Frame) -> Result<u32, PageError> {
        let world = frame.world.ok_or(PageError::DocumentGone)?;
        let hosts: Value = self.ask(ctx, frame, "closedHosts", json!({ "max": 50 })).await?;
        let count = hosts["count"].as_u64().unwrap_or_default();
        let ctx = &ctx.at_most(ANSWER_LIMIT);
        let mut found = 0;
        for index in 0..count {
            let mut command =
                call_function(CALL, world, None, vec![value(json!("closedHost")), value(json!(index))]);
            command.return_by_value = Some(false);
            let host = frame.session.send(ctx, command).await.map_err(|e| self.page_error(e))?;
            let Some(host) = host.result.object_id else { continue };
            let describe = cdp::dom::DescribeNode {
                object_id: Some(host.clone()),
                depth: Some(0),
                pierce: Some(true),
                ..Default::default()
            };
            let node = frame.session.send(ctx, describe).await.map_err(|e| self.page_error(e))?.node;
            let closed = node.shadow_roots.iter().find(|r| r.shadow_root_type.as_deref() == Some("closed"));
            let Some(closed) = closed else { continue };
            let root = self.resolve(ctx, frame, closed.backend_node_id, world).await?;
            let arguments = vec![CallArgument { object_id: Some(root), ..Default::default() }];
            let handed = call_function(HAND_OVER_SHADOW, world, Some(host), arguments);
            frame.session.send(ctx, handed).await.map_err(|e| self.page_error(e))?;
            found += 1;
        }
        Ok(found)
    }
}

/// An argument that is passed by value.
pub(crate) fn value(value: Value) -> CallArgument {
    CallArgument { value: Some(value), ..Default::default() }
}

/// A call of one of the fixed declarations, by value and awaiting a promise.
pub(crate) fn call_function(
    declaration: &str,
    world: ExecutionContextId,
    this: Option<RemoteObjectId>,
    arguments: Vec<CallArgument>,
) -> cdp::runtime::CallFunctionOn {
    cdp::runtime::CallFunctionOn {
        function_declaration: declaration.to_owned(),
        execution_context_id: this.is_none().then_some(world),
        object_id: this,
        arguments: Some(arguments),
        return_by_value: Some(true),
        await_promise: Some(true),
        ..Default::default()
    }
}

#[cfg(test)]
mod tests {
    use super::PAGE_PARTS;

    #[test]
    fn page_parts_hold_every_file_in_the_order_of_the_names() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("js");
        let mut files: Vec<_> = std::fs::read_dir(folder)
            .expect("folder")
            .map(|e| e.expect("entry").path())
            .filter(|p| p.extension().is_some_and(|e| e == "js"))
            // What has no number is no part of these: it goes with what a script evaluates.
            .filter(|p| p.file_name().is_some_and(|n| n.as_encoded_bytes()[0].is_ascii_digit()))
            .collect();
        files.sort();
        let texts: Vec<String> = files.iter().map(|f| std::fs::read_to_string(f).expect("text")).collect();
        assert_eq!(texts.join("\n"), PAGE_PARTS);
    }
}
