//! The frames of a page, as scripts see them.

use crate::tab::Tab;
use crate::tab::page::{ANSWER_LIMIT, PageError};
use crate::tab::state::Frame;
use futures::future::join_all;
use serde_json::{Value, json};
use truehand_base::{CallCtx, ErrorBody, ErrorCode};
use truehand_cdp::{self as cdp, ExecutionContextId};

/// The declaration by which a document's own view of its frame is read.
const LOOK: &str = "scriptFrame";

impl Tab {
    /// The page's frames with names and addresses. With `owners` each child frame comes with a handle of its element.
    ///
    /// # Errors
    /// The codes of a tab that can't answer.
    pub async fn list_frames(&self, ctx: &CallCtx, owners: bool) -> Result<Value, ErrorBody> {
        self.main_frame(ctx).await?;
        let frames = self.frames(ctx).await?;
        let looks = join_all(frames.iter().map(|frame| async move {
            let look: Result<Value, PageError> = self.ask(ctx, frame, LOOK, json!({})).await;
            // A frame that went away meanwhile has nothing to say.
            look.unwrap_or_default()
        }))
        .await;
        let named = |number: u32| {
            looks.iter().find_map(|look| look["children"].get(number.to_string()).and_then(Value::as_str))
        };
        let mut listed = Vec::new();
        for (frame, look) in frames.iter().zip(&looks) {
            // The name that the document has, else what its element was given when it was made.
            let name = look["name"].as_str().filter(|name| !name.is_empty()).or_else(|| named(frame.number));
            let mut row = json!({ "frame": frame.id.0, "number": frame.number, "name": name.unwrap_or_default(), "url": frame.url });
            if let Some(parent) = &frame.parent {
                row["parent"] = json!(parent.0);
            }
            if owners && let Some(owner) = self.frame_owner(ctx, frame).await? {
                row["owner"] = owner;
            }
            listed.push(row);
        }
        let main = looks.first().cloned().unwrap_or_default();
        let (target, url, main_frame) =
            (self.target_id().0.clone(), self.url(), self.with(|s| s.main_frame.0.clone()));
        Ok(json!({
            "target_id": target,
            "url": url,
            "title": main["title"].as_str().map_or_else(|| self.title(), str::to_owned),
            "main": main_frame,
            "frames": listed,
            "viewport": { "width": main["width"], "height": main["height"] },
        }))
    }

    /// A handle of the element that holds a frame.
    async fn frame_owner(&self, ctx: &CallCtx, frame: &Frame) -> Result<Option<Value>, ErrorBody> {
        let Some(parent) = frame.parent.as_ref().and_then(|id| self.with(|s| s.frames.get(id).cloned()))
        else {
            return Ok(None);
        };
        let Some(world) = parent.page_world else { return Ok(None) };
        let ask = cdp::dom::GetFrameOwner { frame_id: frame.id.clone() };
        let Ok(owner) = parent.session.send(ctx, ask).await else { return Ok(None) };
        let resolve = cdp::dom::ResolveNode {
            backend_node_id: Some(owner.backend_node_id),
            execution_context_id: Some(world),
            ..Default::default()
        };
        let resolved = parent.session.send(ctx, resolve).await;
        let resolved = resolved.map_err(|e| self.page_error(e).into_body(self))?;
        Ok(self.keep(&parent, world, &resolved.object).map(|handle| json!(handle)))
    }

    /// A frame by its id, the main frame without one; waits for a document that is being made.
    pub(super) async fn script_frame(&self, ctx: &CallCtx, id: Option<&str>) -> Result<Frame, ErrorBody> {
        self.check_alive()?;
        let Some(id) = id else {
            let frame = self.main_frame(ctx).await?;
            if frame.page_world.is_some() {
                return Ok(frame);
            }
            let main = frame.id.0;
            return self.settled_frame(ctx, &main).await;
        };
        self.settled_frame(ctx, id).await
    }

    async fn settled_frame(&self, ctx: &CallCtx, id: &str) -> Result<Frame, ErrorBody> {
        let limited = ctx.at_most(ANSWER_LIMIT);
        let id = cdp::FrameId(id.to_owned());
        let found = self.wait_until(&limited, "the frame's document", |s| match s.frames.get(&id) {
            None => Some(None),
            Some(frame) => (frame.world.is_some() && frame.page_world.is_some()).then(|| Some(frame.clone())),
        });
        match found.await {
            Ok(Some(frame)) => Ok(frame),
            Ok(None) => Err(ErrorBody::new(ErrorCode::FrameGone, "the frame was detached")),
            Err(error) if error.code == ErrorCode::Deadline && !ctx.remaining().is_zero() => {
                self.check_alive()?;
                Err(self.unresponsive("the frame's document"))
            }
            Err(error) => Err(error),
        }
    }

    /// The two worlds of a frame: the page's own and ours.
    pub(super) fn worlds(frame: &Frame) -> Result<(ExecutionContextId, ExecutionContextId), PageError> {
        frame.page_world.zip(frame.world).ok_or(PageError::DocumentGone)
    }
}
