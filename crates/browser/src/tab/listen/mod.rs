//! What a tab tells those who listen, and what it does because they want it. All of it runs in the pump, so nothing here
//! waits; while nobody listens none of it runs.

mod bindings;
mod console;
mod network;
mod routes;
mod wishes;

pub use bindings::parts as call_parts;
pub use routes::{Answer, Answered, Changes, HeldRequest};

use super::{Tab, TabInner};
use crate::feed::{Hub, kind};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use truehand_base::{CallCtx, ClientId, Dialog, DialogHandling, Download};
use truehand_cdp::{Event, ExecutionContextId, FrameId, Session};

/// A tab's part in listening.
#[derive(Default)]
pub(crate) struct Listening {
    pub hub: Arc<Hub>,
    wishes: Arc<Mutex<wishes::Wishes>>,
    network: Mutex<network::Network>,
    held: Arc<Mutex<routes::Held>>,
    calls: Mutex<bindings::Calls>,
}

impl Listening {
    pub fn new(hub: Arc<Hub>) -> Self {
        Listening { hub, ..Listening::default() }
    }
}

impl Tab {
    /// Brings the tab to what those want who listen.
    pub(crate) fn renew(&self) {
        self.inner.renew();
    }

    /// Whether the browser got the document that is shown from this machine or a private network.
    pub(crate) fn came_from_inside(&self) -> bool {
        self.with(|s| {
            let loader = s.main().and_then(|frame| frame.loader.as_ref());
            s.answered_by
                .as_ref()
                .is_some_and(|(of, by)| Some(of) == loader && truehand_base::is_private(*by))
        })
    }

    /// What somebody reads of an event that stands for things in the page: those get handles of the reader's.
    pub(crate) async fn made_readable(&self, ctx: &CallCtx, event: &mut Value) {
        let Some(map) = event.as_object_mut() else { return };
        let frame = map.get("frame").and_then(Value::as_str).unwrap_or_default().to_owned();
        if let Some(world) = map.remove("world") {
            let named = map["args"].as_array().map(|args| self.values_by_handle(&frame, &world, args));
            map.insert("args".to_owned(), named.unwrap_or_default());
        } else if let Some(node) = map.remove("node").and_then(|node| node.as_i64()) {
            let handle = self.node_by_handle(ctx, &frame, node).await;
            map.insert("element".to_owned(), handle);
        }
    }
}

impl TabInner {
    /// Whether the tab is one of a client's own.
    fn is_of(&self, client: &ClientId) -> bool {
        self.space.upgrade().is_some_and(|space| space.owns(self.id, client))
    }

    /// Tells those who listen to this kind. The event is made only for them.
    pub fn tell(&self, bit: u32, kind: &str, event: impl FnOnce() -> Value) {
        self.listening.hub.tell(self.id, bit, kind, &|client| self.is_of(client), event);
    }

    /// All that anybody listens to of this tab.
    pub(super) fn heard(&self) -> u32 {
        self.listening.hub.bits(self.id, &|client| self.is_of(client))
    }

    /// Tells of an event of the browser.
    pub(super) fn hear(&self, session: &Session, event: &Event) {
        let any = self.listening.hub.any();
        if any == 0 {
            return;
        }
        let params = &event.params;
        match event.method.as_str() {
            "Runtime.consoleAPICalled" if any & kind::CONSOLE != 0 => self.hear_console(session, params),
            "Runtime.consoleAPICalled" => {}
            "Runtime.exceptionThrown" => self.hear_exception(session, params),
            "Runtime.bindingCalled" => self.hear_binding(session, event),
            "Fetch.requestPaused" => self.hear_paused(session, event),
            "Page.fileChooserOpened" if any & kind::CHOOSER != 0 => self.hear_chooser(params),
            "Target.attachedToTarget" if any & kind::WORKER != 0 => self.hear_worker(params),
            "Target.detachedFromTarget" => self.hear_worker_end(params),
            method if any & kind::WEBSOCKET != 0 && method.starts_with("Network.webSocket") => {
                self.hear_socket(method, params);
            }
            method if any & kind::NETWORK != 0 && method.starts_with("Network.") => {
                self.hear_network(method, params);
            }
            method if method.starts_with("Page.") => self.hear_page(session, method, params),
            "Inspector.targetCrashed" if session.id() == self.session.id() => {
                self.tell(kind::BASIC, "crash", || json!({}));
            }
            _ => {}
        }
    }

    fn hear_page(&self, session: &Session, method: &str, params: &Value) {
        let main = || self.with(|s| s.main_frame.0.clone());
        let of_page = session.id() == self.session.id();
        match method {
            "Page.frameAttached" => self.tell(
                kind::BASIC,
                "frameattached",
                || json!({ "frame": params["frameId"], "parent": params["parentFrameId"] }),
            ),
            // A swap moves the frame to another process: it lives on.
            "Page.frameDetached" if params["reason"] != "swap" => {
                self.tell(kind::BASIC, "framedetached", || json!({ "frame": params["frameId"] }));
            }
            "Page.frameNavigated" => self.tell(kind::BASIC, "framenavigated", || {
                let frame = &params["frame"];
                let text = |name: &str| frame[name].as_str().unwrap_or_default();
                json!({
                    "frame": frame["id"],
                    "parent": frame["parentId"],
                    "url": format!("{}{}", text("url"), text("urlFragment")),
                    "name": text("name"),
                    "main": frame["id"] == main(),
                    "document": frame["loaderId"],
                    "same_document": false,
                })
            }),
            "Page.navigatedWithinDocument" => self.tell(kind::BASIC, "framenavigated", || {
                json!({
                    "frame": params["frameId"],
                    "url": params["url"],
                    "main": params["frameId"] == main(),
                    "same_document": true,
                })
            }),
            "Page.domContentEventFired" if of_page => {
                self.tell(kind::BASIC, "domcontentloaded", || json!({ "frame": main() }));
            }
            "Page.loadEventFired" if of_page => {
                self.tell(kind::BASIC, "load", || json!({ "frame": main() }));
            }
            _ => {}
        }
    }

    /// Tells of a dialog that has opened, and whether it has its answer already.
    pub(super) fn hear_dialog(&self, dialog: &Dialog, number: u64, url: &str) {
        self.tell(kind::BASIC, "dialog", || {
            json!({
                "dialog": format!("d{number}"),
                "type": dialog.kind,
                "message": dialog.message,
                "default_value": dialog.default_text.clone().unwrap_or_default(),
                "handled": dialog.handling != DialogHandling::Open,
                "handling": dialog.handling,
                "url": url,
            })
        });
    }

    /// Tells that a download began, or what became of it.
    pub(super) fn hear_download(&self, id: &str, download: &Download) {
        self.tell(kind::BASIC, "download", || {
            let state = if download.state.starts_with("canceled") { "canceled" } else { &download.state };
            json!({
                "download": id,
                "url": download.url,
                "suggested_filename": download.name,
                "state": state,
                "reason": download.state,
                "path": download.path,
                "bytes": download.bytes,
                "sha256": download.sha256,
            })
        });
    }

    fn hear_chooser(&self, params: &Value) {
        self.tell(kind::CHOOSER, "filechooser", || {
            json!({
                "frame": params["frameId"],
                "multiple": params["mode"] == "selectMultiple",
                "node": params["backendNodeId"],
            })
        });
    }

    fn hear_worker(&self, params: &Value) {
        let target = &params["targetInfo"];
        if target["type"] != "worker" {
            return;
        }
        let id = params["sessionId"].as_str().unwrap_or_default().to_owned();
        super::lock(&self.listening.wishes).workers.insert(id);
        self.tell(
            kind::WORKER,
            "worker",
            || json!({ "worker": params["sessionId"], "op": "created", "url": target["url"] }),
        );
    }

    fn hear_worker_end(&self, params: &Value) {
        let id = params["sessionId"].as_str().unwrap_or_default();
        if super::lock(&self.listening.wishes).workers.remove(id) {
            self.tell(kind::WORKER, "worker", || json!({ "worker": id, "op": "closed" }));
        }
    }

    /// The frame whose own world this is, and whether it is the page's own rather than ours.
    fn frame_of_world(&self, session: &Session, world: ExecutionContextId) -> Option<(FrameId, bool)> {
        self.with(|s| {
            let of_session = s.frames.values().filter(|f| f.session.id() == session.id());
            let mut frames = of_session.filter(|f| f.page_world == Some(world) || f.world == Some(world));
            frames.next().map(|f| (f.id.clone(), f.page_world == Some(world)))
        })
    }
}
