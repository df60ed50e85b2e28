//! Handles: names for objects of a page that a script keeps. A handle belongs to one client and one document and is gone
//! with either.

use crate::tab::page::PageError;
use crate::tab::state::Frame;
use crate::tab::{Tab, lock};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use truehand_base::text::clip;
use truehand_base::{CallCtx, ErrorBody, ErrorCode};
use truehand_cdp::runtime::{ReleaseObject, RemoteObject};
use truehand_cdp::{self as cdp, ExecutionContextId, FrameId, RemoteObjectId, Session};

/// How many handles a tab keeps. The oldest ones make room.
const LIMIT: usize = 10_000;

/// The longest preview of an object, in characters.
const PREVIEW: usize = 200;

/// Numbers are never used again, in no tab: a handle that is used in the wrong one names nothing there.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// An object of a page as it is named to a script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Handle {
    /// `h` and a number.
    pub id: String,
    /// `node` or `object`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// `array`, `map`, `promise` and so on, or the kind of value.
    pub subtype: String,
    /// What a console would print.
    pub preview: String,
}

/// What stands behind a handle.
#[derive(Debug, Clone)]
struct Entry {
    /// The client's number.
    reader: u32,
    frame: FrameId,
    session: Session,
    /// The object in the world that it was found in.
    found: (ExecutionContextId, RemoteObjectId),
    /// The same node in the frame's other world, once it was needed there.
    twin: Option<(ExecutionContextId, RemoteObjectId)>,
    node: bool,
}

/// The handles of a tab.
#[derive(Debug, Default)]
pub(crate) struct Handles {
    entries: BTreeMap<u64, Entry>,
}

impl Handles {
    /// Makes room for one more; what was let go of is returned.
    fn make_room(&mut self, lives: impl Fn(&Entry) -> bool) -> Vec<Entry> {
        if self.entries.len() < LIMIT {
            return Vec::new();
        }
        self.entries.retain(|_, entry| lives(entry));
        let mut gone = Vec::new();
        while self.entries.len() >= LIMIT {
            gone.extend(self.entries.pop_first().map(|(_, entry)| entry));
        }
        gone
    }
}

fn number(id: &str) -> Option<u64> {
    id.strip_prefix('h')?.parse().ok()
}

fn release(entry: &Entry) {
    for (_, object_id) in std::iter::once(&entry.found).chain(&entry.twin) {
        // Nobody waits for that, and with its document it is gone anyway.
        drop(entry.session.start(ReleaseObject { object_id: object_id.clone() }));
    }
}

fn gone(id: &str) -> ErrorBody {
    let id = clip(id, 40);
    ErrorBody::new(
        ErrorCode::HandleGone,
        format!("handle {id} is gone: it was disposed of, or its document was left"),
    )
    .with("handle", id)
}

impl Tab {
    /// Keeps an object. `None` when the value is no object.
    pub(super) fn keep(
        &self,
        frame: &Frame,
        world: ExecutionContextId,
        object: &RemoteObject,
    ) -> Option<Handle> {
        let object_id = object.object_id.clone()?;
        let node = object.subtype.as_deref() == Some("node");
        let entry = Entry {
            reader: self.reader,
            frame: frame.id.clone(),
            session: frame.session.clone(),
            found: (world, object_id),
            twin: None,
            node,
        };
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let left = {
            let mut handles = lock(&self.inner.script.handles);
            let left = handles.make_room(|entry| self.frame_of(entry).is_some());
            handles.entries.insert(number, entry);
            left
        };
        left.iter().for_each(release);
        Some(Handle {
            id: format!("h{number}"),
            kind: if node { "node" } else { "object" },
            subtype: object.subtype.clone().unwrap_or_else(|| object.kind.clone()),
            preview: clip(&preview(object), PREVIEW),
        })
    }

    /// The frame of a handle while its document is there.
    fn frame_of(&self, entry: &Entry) -> Option<Frame> {
        let world = Some(entry.found.0);
        self.with(|s| s.frames.get(&entry.frame).cloned())
            .filter(|frame| frame.session.id() == entry.session.id())
            .filter(|frame| frame.world == world || frame.page_world == world)
    }

    fn entry(&self, id: &str) -> Result<(u64, Entry, Frame), ErrorBody> {
        let number = number(id).ok_or_else(|| {
            ErrorBody::new(ErrorCode::InvalidArguments, format!("{} is no handle", clip(id, 40)))
                .next("handles are h and a number, as page_evaluate and page_call return them")
        })?;
        let entry = lock(&self.inner.script.handles).entries.get(&number).cloned();
        let entry = entry.filter(|entry| entry.reader == self.reader).ok_or_else(|| gone(id))?;
        let Some(frame) = self.frame_of(&entry) else {
            lock(&self.inner.script.handles).entries.remove(&number);
            return Err(gone(id));
        };
        Ok((number, entry, frame))
    }

    /// The frame that a handle belongs to.
    pub(super) fn handle_frame(&self, id: &str) -> Result<Frame, ErrorBody> {
        self.entry(id).map(|(_, _, frame)| frame)
    }

    /// The object of a handle in one of the worlds of a frame. Nodes are in both worlds, all else only in its own.
    pub(super) async fn object_in(
        &self,
        ctx: &CallCtx,
        frame: &Frame,
        world: ExecutionContextId,
        id: &str,
    ) -> Result<RemoteObjectId, ErrorBody> {
        let (number, entry, _) = self.entry(id)?;
        if let Some((_, object)) = std::iter::once(&entry.found).chain(&entry.twin).find(|(w, _)| *w == world)
        {
            return Ok(object.clone());
        }
        if !entry.node || entry.session.id() != frame.session.id() {
            let what = if entry.node { "another frame" } else { "another document" };
            return Err(ErrorBody::new(
                ErrorCode::InvalidArguments,
                format!("handle {id} belongs to {what}"),
            )
            .next("use a handle only with the frame that it came from"));
        }
        let node = self.node_of(ctx, &entry).await?;
        let resolve = cdp::dom::ResolveNode {
            backend_node_id: Some(node.backend_node_id),
            execution_context_id: Some(world),
            ..Default::default()
        };
        let resolved = frame.session.send(ctx, resolve).await;
        let object = match resolved {
            Ok(resolved) => resolved.object.object_id.ok_or_else(|| gone(id))?,
            Err(error) => {
                let error = self.page_error(error);
                return Err(match error {
                    PageError::Failed(body) if body.code == ErrorCode::Internal => ErrorBody::new(
                        ErrorCode::InvalidArguments,
                        format!("handle {id} belongs to another frame"),
                    )
                    .next("use a handle only with the frame that it came from"),
                    other => other.into_body(self),
                });
            }
        };
        if let Some(kept) = lock(&self.inner.script.handles).entries.get_mut(&number) {
            kept.twin = Some((world, object.clone()));
        }
        Ok(object)
    }

    async fn node_of(&self, ctx: &CallCtx, entry: &Entry) -> Result<cdp::dom::Node, ErrorBody> {
        let describe = cdp::dom::DescribeNode {
            object_id: Some(entry.found.1.clone()),
            depth: Some(0),
            ..Default::default()
        };
        let described = entry.session.send(ctx, describe).await;
        described.map(|d| d.node).map_err(|e| self.page_error(e).into_body(self))
    }

    /// Lets go of handles. Those that are gone already are no failure. Returns how many were there.
    pub fn dispose_handles(&self, ids: &[String]) -> usize {
        let mut disposed = 0;
        for number in ids.iter().filter_map(|id| number(id)) {
            let entry = {
                let mut handles = lock(&self.inner.script.handles);
                let own = handles.entries.get(&number).is_some_and(|entry| entry.reader == self.reader);
                own.then(|| handles.entries.remove(&number)).flatten()
            };
            if let Some(entry) = entry {
                release(&entry);
                disposed += 1;
            }
        }
        disposed
    }

    /// The id of the frame that an iframe element holds; `None` for an element that holds none.
    ///
    /// # Errors
    /// `HANDLE_GONE`, and the codes of a tab that can't answer.
    pub async fn content_frame(&self, ctx: &CallCtx, id: &str) -> Result<Option<String>, ErrorBody> {
        let (_, entry, _) = self.entry(id)?;
        if !entry.node {
            return Ok(None);
        }
        let frame = self.node_of(ctx, &entry).await?.frame_id;
        Ok(frame.filter(|frame| *frame != entry.frame).map(|frame| frame.0))
    }

    /// The id of the frame that a node is in.
    ///
    /// # Errors
    /// `HANDLE_GONE`.
    pub fn owner_frame(&self, id: &str) -> Result<Option<String>, ErrorBody> {
        let (_, entry, frame) = self.entry(id)?;
        Ok(entry.node.then_some(frame.id.0))
    }

    /// The own properties of an object, each as a handle, or as a value when it is none.
    ///
    /// # Errors
    /// `HANDLE_GONE`, and the codes of a tab that can't answer.
    pub async fn handle_properties(
        &self,
        ctx: &CallCtx,
        id: &str,
    ) -> Result<Vec<(String, Value)>, ErrorBody> {
        const MOST: usize = 1_000;
        let (_, entry, frame) = self.entry(id)?;
        let properties = self.properties(ctx, &entry.session, &entry.found.1).await?;
        let mut listed = Vec::new();
        for property in properties.into_iter().filter(|p| p.enumerable).take(MOST) {
            let Some(object) = property.value else { continue };
            listed.push((property.name, self.kept_or_value(&frame, entry.found.0, &object)));
        }
        Ok(listed)
    }

    pub(super) async fn properties(
        &self,
        ctx: &CallCtx,
        session: &Session,
        object_id: &RemoteObjectId,
    ) -> Result<Vec<cdp::runtime::PropertyDescriptor>, ErrorBody> {
        let get = cdp::runtime::GetProperties {
            object_id: object_id.clone(),
            own_properties: Some(true),
            ..Default::default()
        };
        let properties = session.send(ctx, get).await.map_err(|e| self.page_error(e).into_body(self))?;
        Ok(properties.result)
    }

    /// An object as a handle; a value in its encoded form.
    pub(super) fn kept_or_value(
        &self,
        frame: &Frame,
        world: ExecutionContextId,
        object: &RemoteObject,
    ) -> Value {
        match self.keep(frame, world, object) {
            Some(handle) => json!(handle),
            None => {
                json!({ "type": "value", "value": { "v": encoded(object) }, "preview": clip(&preview(object), PREVIEW) })
            }
        }
    }

    /// Values that an event of the page told of, each by handle or as it is.
    pub(crate) fn values_by_handle(&self, frame: &str, world: &Value, values: &[Value]) -> Value {
        let frame = self.with(|s| s.frames.get(&FrameId(frame.to_owned())).cloned());
        let world = world.as_i64().map(ExecutionContextId);
        let object = |value: &Value| RemoteObject::deserialize(value).unwrap_or_default();
        let named = values.iter().map(object).map(|object| match (&frame, world) {
            (Some(frame), Some(world)) if frame.page_world == Some(world) => {
                self.kept_or_value(frame, world, &object)
            }
            // What is gone with its document can still be shown.
            _ => json!({ "type": "value", "value": { "v": encoded(&object) }, "preview": clip(&preview(&object), PREVIEW) }),
        });
        named.collect()
    }

    /// A node of the page by handle; null when it is gone.
    pub(crate) async fn node_by_handle(&self, ctx: &CallCtx, frame: &str, node: i64) -> Value {
        let frame = self.with(|s| s.frames.get(&FrameId(frame.to_owned())).cloned());
        let Some((frame, world)) = frame.and_then(|frame| frame.page_world.map(|world| (frame, world)))
        else {
            return Value::Null;
        };
        let resolve = cdp::dom::ResolveNode {
            backend_node_id: Some(cdp::BackendNodeId(node)),
            execution_context_id: Some(world),
            ..Default::default()
        };
        let Ok(resolved) = frame.session.send(ctx, resolve).await else { return Value::Null };
        self.keep(&frame, world, &resolved.object).map_or(Value::Null, |handle| json!(handle))
    }

    /// A reference to the element of a handle, for the tools that act.
    ///
    /// # Errors
    /// `HANDLE_GONE`, `WRONG_ELEMENT` for what is no element, and the codes of a tab that can't answer.
    pub async fn handle_ref(&self, ctx: &CallCtx, id: &str) -> Result<Value, ErrorBody> {
        let frame = self.handle_frame(id)?;
        let call = super::call::PageCall {
            name: "scriptRef",
            frame: Some(&frame.id.0),
            handles: &[id.to_owned()],
            ..Default::default()
        };
        let answer = self.page_value(ctx, &frame, &call).await?;
        if answer["status"] == "ok" {
            return Ok(answer);
        }
        Err(ErrorBody::new(ErrorCode::WrongElement, format!("handle {id} is no element of the page")))
    }
}

/// What a console would print.
pub(super) fn preview(object: &RemoteObject) -> String {
    match (&object.description, &object.value, &object.unserializable_value) {
        (Some(text), _, _) | (None, None, Some(text)) => text.clone(),
        (None, Some(Value::String(text)), _) => text.clone(),
        (None, Some(value), _) => value.to_string(),
        (None, None, None) if object.subtype.as_deref() == Some("null") => "null".to_owned(),
        (None, None, None) => object.kind.clone(),
    }
}

/// A value that is no object, as the codec of scripts writes it.
pub(super) fn encoded(object: &RemoteObject) -> Value {
    match (&object.unserializable_value, &object.value) {
        (Some(text), _) => match text.strip_suffix('n') {
            Some(number) => json!({ "n": number }),
            None => json!({ "x": text }),
        },
        (None, Some(value)) => value.clone(),
        (None, None) if object.subtype.as_deref() == Some("null") => Value::Null,
        (None, None) => json!({ "x": "undefined" }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_values_say_what_json_has_no_word_for() {
        let object = |value: Option<Value>, other: Option<&str>, kind: &str| RemoteObject {
            kind: kind.to_owned(),
            value,
            unserializable_value: other.map(str::to_owned),
            ..RemoteObject::default()
        };
        assert_eq!(encoded(&object(None, Some("-0"), "number")), json!({ "x": "-0" }));
        assert_eq!(encoded(&object(None, Some("12n"), "bigint")), json!({ "n": "12" }));
        assert_eq!(encoded(&object(None, None, "undefined")), json!({ "x": "undefined" }));
        assert_eq!(encoded(&object(Some(json!("NaN")), None, "string")), json!("NaN"));
    }

    #[test]
    fn number_reads_handles_and_nothing_else() {
        assert_eq!(number("h12"), Some(12));
        for text in ["12", "h", "e12", "h1x", "h-1"] {
            assert_eq!(number(text), None, "{text}");
        }
    }
}
