//! The pump: takes a tab's events in order, writes them into its state, wakes whoever waits. It awaits nothing
//! but the next event; commands that an event calls for are queued and not waited for.

use super::page::{PAGE_PARTS, WORLD};
use super::state::{Frame, Happening, Life, OpenDialog, Request};
use super::{Tab, TabInner};
use crate::feed::kind;
use std::sync::Arc;
use std::time::Duration;
use truehand_base::{CallCtx, Dialog, DialogHandling, text::clip};
use truehand_cdp::{self as cdp, CdpEvent, Event, EventStream, FrameId, Session};

/// Runs until the session ends.
pub(crate) async fn run(tab: Arc<TabInner>, mut events: EventStream) {
    while let Some(event) = events.next().await {
        handle(&tab, &event);
        if let Some(id) = &event.session {
            tab.hear(&tab.connection.session(id.clone()), &event);
        }
        // Nobody waits for what a page prints, and it may print thousands of lines a second.
        if event.method != cdp::runtime::ConsoleApiCalled::METHOD {
            tab.wake();
        }
    }
    tab.with(|s| {
        if s.life == Life::Alive {
            s.life = Life::Closed(super::state::BROWSER_GONE.to_owned());
        }
    });
    tab.wake();
}

/// How long the events that have come already may take to be taken in.
const CATCH_UP: Duration = Duration::from_millis(1_000);

impl Tab {
    /// Waits until every event that has come so far is in the state: under a flood of them, answers are faster.
    pub(crate) async fn catch_up(&self, ctx: &CallCtx) {
        let Some(session) = self.inner.session.id() else { return };
        let number = self.with(|s| {
            s.asked_mark += 1;
            s.asked_mark
        });
        self.inner.connection.mark(session, number);
        let limited = ctx.at_most(CATCH_UP);
        let taken = self.wait_until(&limited, "the events so far", |s| {
            (s.mark >= number || s.life != Life::Alive).then_some(())
        });
        // What has not come by then is counted as late.
        drop(taken.await);
    }
}

/// The typed event, when the method fits; a shape that can't be read is traced and passed over.
fn read<E: CdpEvent>(event: &Event) -> Option<E> {
    match event.parse::<E>()? {
        Ok(parsed) => Some(parsed),
        Err(error) => {
            tracing::warn!("an event could not be read: {error}");
            None
        }
    }
}

fn handle(tab: &TabInner, event: &Event) {
    let session = match &event.session {
        Some(id) => tab.connection.session(id.clone()),
        None => return,
    };
    match event.method.as_str() {
        "Network.requestWillBeSent"
        | "Network.responseReceived"
        | "Network.loadingFinished"
        | "Network.loadingFailed" => network(tab, event),
        "Runtime.executionContextCreated"
        | "Runtime.executionContextDestroyed"
        | "Runtime.executionContextsCleared" => contexts(tab, &session, event),
        "Runtime.exceptionThrown" | "Runtime.consoleAPICalled" => console(tab, &session, event),
        method if method.starts_with("Page.") => page(tab, &session, event),
        "Target.attachedToTarget" => attached(tab, event),
        "Target.detachedFromTarget" => detached(tab, event),
        "Inspector.targetCrashed" => crashed(tab, &session),
        cdp::MARK => tab.with(|s| s.mark = event.params.as_u64().unwrap_or_default()),
        "Input.dragIntercepted" => {
            if let Some(e) = read::<cdp::input::DragIntercepted>(event) {
                tab.with(|s| s.drag = Some(e.data));
            }
        }
        _ => {}
    }
}

/// The renderer of the tab, or only that of a frame in it, crashed.
fn crashed(tab: &TabInner, session: &Session) {
    tab.with(|s| {
        // Its dialog went with it.
        s.dialog.take_if(|open| is_main(tab, session) || open.session.id() == session.id());
        if is_main(tab, session) {
            s.life = Life::Crashed;
        } else {
            for frame in s.frames.values_mut().filter(|f| f.session.id() == session.id()) {
                frame.world = None;
                frame.page_world = None;
            }
        }
    });
    session.fail_pending("renderer crash");
}

fn network(tab: &TabInner, event: &Event) {
    if let Some(e) = read::<cdp::network::RequestWillBeSent>(event) {
        let redirect = e.redirect_response.as_ref().map(|r| r.status);
        tab.with(|s| {
            if redirect.is_some() {
                let at = s.tick();
                if let Some(old) = s.request(&e.request_id) {
                    old.end(at);
                    old.status = redirect.and_then(|s| u16::try_from(s).ok());
                }
            }
            s.request_started(Request {
                id: e.request_id,
                method: e.request.method,
                url: e.request.url,
                kind: e.kind.unwrap_or_default(),
                main: e.frame_id.as_ref() == Some(&s.main_frame),
                loader: Some(e.loader_id),
                started: 0,
                started_at: std::time::Instant::now(),
                ended: None,
                ended_at: None,
                answered: None,
                status: None,
                error: None,
                ambient: false,
                beacon: false,
            });
        });
    } else if let Some(e) = read::<cdp::network::ResponseReceived>(event) {
        tab.with(|s| {
            if let Some(request) = s.request(&e.request_id) {
                request.status = u16::try_from(e.response.status).ok();
                request.answered = Some(std::time::Instant::now());
                let by = e.response.remote_ip_address.as_deref().and_then(address);
                if let (true, Some(by)) = (request.main && request.kind == "Document", by) {
                    s.answered_by = Some((e.loader_id, by));
                }
            }
        });
    } else if let Some(e) = read::<cdp::network::LoadingFinished>(event) {
        tab.with(|s| {
            let at = s.tick();
            let Some(request) = s.request(&e.request_id) else { return };
            request.end(at);
            if request.main && request.kind == "Document" {
                s.document_bytes = e.encoded_data_length.max(0.0) as u64;
            }
        });
    } else if let Some(e) = read::<cdp::network::LoadingFailed>(event) {
        tab.with(|s| {
            let at = s.tick();
            if let Some(request) = s.request(&e.request_id) {
                request.end(at);
                request.error =
                    Some(if e.error_text.is_empty() { "failed".to_owned() } else { e.error_text });
            }
            if s.broke_off() {
                s.content_loaded = true;
                s.loaded = true;
            }
        });
    }
}

/// An IP address as the browser writes it.
fn address(text: &str) -> Option<std::net::IpAddr> {
    text.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

fn contexts(tab: &TabInner, session: &Session, event: &Event) {
    if let Some(e) = read::<cdp::runtime::ExecutionContextCreated>(event) {
        let Some(frame_id) = e.context.aux_data.frame_id.clone() else { return };
        tab.with(|s| {
            let frame = s.frame_entry(&frame_id, None, session);
            frame.session = session.clone();
            if e.context.aux_data.is_default {
                frame.page_world = Some(e.context.id);
                frame.origin.clone_from(&e.context.origin);
            } else if e.context.name == WORLD {
                frame.world = Some(e.context.id);
                frame.named_in = None;
            }
        });
    } else if let Some(e) = read::<cdp::runtime::ExecutionContextDestroyed>(event) {
        tab.with(|s| {
            let of_session = |f: &&mut Frame| f.session.id() == session.id();
            for frame in s.frames.values_mut().filter(of_session) {
                if frame.world == Some(e.execution_context_id) {
                    frame.world = None;
                }
                if frame.page_world == Some(e.execution_context_id) {
                    frame.page_world = None;
                }
            }
        });
    } else {
        tab.with(|s| {
            for frame in s.frames.values_mut().filter(|f| f.session.id() == session.id()) {
                frame.world = None;
                frame.page_world = None;
            }
        });
    }
}

/// After how many messages the browser is told to let go of the objects in them, which it keeps for us to ask about.
const CONSOLE_OBJECTS: u32 = 500;

fn console(tab: &TabInner, session: &Session, event: &Event) {
    if event.method == cdp::runtime::ConsoleApiCalled::METHOD {
        let full = tab.with(|s| {
            s.console_objects += 1;
            s.console_objects % CONSOLE_OBJECTS == 0
        });
        if full {
            let group = cdp::runtime::ReleaseObjectGroup { object_group: "console".to_owned() };
            drop(session.start(group));
        }
        // A page may write thousands a second: only errors are looked into.
        if !matches!(event.params["type"].as_str(), Some("error" | "assert")) {
            return;
        }
        tab.with(|s| s.console.add(|| clip(&logged(event), 400)));
        return;
    }
    let Some(e) = read::<cdp::runtime::ExceptionThrown>(event) else { return };
    let details = &e.exception_details;
    let ours = details.execution_context_id.is_some_and(|world| {
        tab.with(|s| s.frames.values().any(|f| f.world == Some(world) && f.session.id() == session.id()))
    });
    if ours {
        // A fault of a page part is ours to know and not the page's.
        tracing::warn!("a page part threw: {}", details.text);
        return;
    }
    let thrown = details.exception.as_ref().and_then(|x| x.description.as_ref());
    tab.with(|s| s.console.add(|| clip(thrown.unwrap_or(&details.text), 400)));
}

/// What a message to the console says.
fn logged(event: &Event) -> String {
    let Some(e) = read::<cdp::runtime::ConsoleApiCalled>(event) else { return String::new() };
    let words = e.args.iter().map(|a| match &a.value {
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => a.description.clone().unwrap_or_default(),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn page(tab: &TabInner, session: &Session, event: &Event) {
    if let Some(e) = read::<cdp::page::FrameAttached>(event) {
        tab.with(|s| {
            s.frame_entry(&e.frame_id, Some(&e.parent_frame_id), session).parent =
                Some(e.parent_frame_id.clone());
        });
    } else if let Some(e) = read::<cdp::page::FrameDetached>(event) {
        // A swap moves the frame to another process: it lives on under its new session.
        if e.reason != "swap" {
            tab.with(|s| s.drop_frame(&e.frame_id));
        }
    } else if let Some(e) = read::<cdp::page::FrameNavigated>(event) {
        frame_navigated(tab, session, e);
    } else if let Some(e) = read::<cdp::page::NavigatedWithinDocument>(event) {
        tab.with(|s| {
            if let Some(frame) = s.frames.get_mut(&e.frame_id) {
                frame.url.clone_from(&e.url);
            }
            if e.frame_id == s.main_frame && s.url != e.url {
                let before = std::mem::replace(&mut s.url, e.url.clone());
                s.happened(Happening::Url { before, after: e.url, same_document: true });
            }
        });
    } else if let Some(e) = read::<cdp::page::FrameStartedNavigating>(event) {
        tab.with(|s| {
            if e.frame_id == s.main_frame
                && !matches!(e.navigation_type.as_str(), "sameDocument" | "historySameDocument")
            {
                s.navigating = true;
                s.navigating_at = Some(std::time::Instant::now());
            }
        });
    } else if let Some(e) = read::<cdp::page::FrameStoppedLoading>(event) {
        tab.with(|s| {
            if e.frame_id == s.main_frame {
                s.navigating = false;
            }
        });
    } else if event.method == "Page.domContentEventFired" {
        if is_main(tab, session) {
            tab.with(|s| s.content_loaded = true);
        }
    } else if event.method == "Page.loadEventFired" {
        if is_main(tab, session) {
            tab.with(|s| s.loaded = true);
        }
    } else if let Some(e) = read::<cdp::page::JavascriptDialogOpening>(event) {
        dialog_opening(tab, session, e);
    } else if let Some(e) = read::<cdp::page::JavascriptDialogClosed>(event) {
        tab.with(|s| {
            if let Some(open) = s.dialog.take()
                && let Some(Happening::Dialog(dialog)) = s.log.get_mut(open.log_index)
                && dialog.handling == DialogHandling::Open
            {
                dialog.handling = if e.result { DialogHandling::Accepted } else { DialogHandling::Dismissed };
            }
        });
    } else if let Some(e) = read::<cdp::page::FileChooserOpened>(event) {
        tab.with(|s| s.chooser = Some((session.clone(), e.backend_node_id)));
    }
}

fn is_main(tab: &TabInner, session: &Session) -> bool {
    session.id() == tab.session.id()
}

fn frame_navigated(tab: &TabInner, session: &Session, e: cdp::page::FrameNavigated) {
    let url = format!("{}{}", e.frame.url, e.frame.url_fragment.clone().unwrap_or_default());
    tab.with(|s| {
        let frame = s.frame_entry(&e.frame.id, e.frame.parent_id.as_ref(), session);
        frame.session = session.clone();
        frame.url.clone_from(&url);
        frame.loader = Some(e.frame.loader_id.clone());
        if e.frame.parent_id.is_some() {
            frame.parent.clone_from(&e.frame.parent_id);
        }
        if e.frame.id != s.main_frame {
            return;
        }
        let children: Vec<FrameId> = s
            .frames
            .values()
            .filter(|f| f.parent.as_ref() == Some(&s.main_frame))
            .map(|f| f.id.clone())
            .collect();
        for child in children {
            s.drop_frame(&child);
        }
        s.new_document(&e.frame.loader_id);
        // A dialog of the document that is gone is gone with it.
        s.dialog = None;
        s.silent = false;
        s.navigating = false;
        s.documents += 1;
        s.content_loaded = false;
        s.loaded = false;
        s.title.clear();
        if s.life == Life::Crashed {
            s.life = Life::Alive;
        }
        let before = std::mem::replace(&mut s.url, url.clone());
        s.happened(Happening::Url { before, after: url.clone(), same_document: false });
    });
}

/// An alert has one answer, so it gets it; other dialogs wait for a decision unless one was given in advance.
fn dialog_opening(tab: &TabInner, session: &Session, e: cdp::page::JavascriptDialogOpening) {
    let left_open = tab.heard() & kind::DIALOGS != 0;
    let (dialog, number, answer) = tab.with(|s| {
        let armed = s.armed.take();
        let alert = e.kind == "alert" && !left_open;
        let handling = match &armed {
            Some(answer) if answer.accept => DialogHandling::Accepted,
            Some(_) => DialogHandling::Dismissed,
            None if alert => DialogHandling::Acknowledged,
            None => DialogHandling::Open,
        };
        let dialog = Dialog {
            kind: e.kind.clone(),
            message: clip(&e.message, 1_000),
            default_text: e.default_prompt.clone().filter(|d| !d.is_empty()),
            handling,
        };
        let log_index = s.happened(Happening::Dialog(dialog.clone()));
        if handling == DialogHandling::Open {
            s.dialog = Some(OpenDialog { session: session.clone(), dialog: dialog.clone(), log_index });
            return (dialog, log_index, None);
        }
        let answer = armed.unwrap_or(super::state::ArmedAnswer { accept: true, text: None });
        (dialog, log_index, Some(answer))
    });
    tab.hear_dialog(&dialog, number, &e.url);
    if let Some(answer) = answer {
        let command = cdp::page::HandleJavaScriptDialog { accept: answer.accept, prompt_text: answer.text };
        drop(session.start(command));
    }
}

/// An out-of-process frame (or a worker that slipped through the filter) was attached and waits to be let go.
fn attached(tab: &TabInner, event: &Event) {
    let Some(e) = read::<cdp::target::AttachedToTarget>(event) else { return };
    let child = tab.connection.session(e.session_id.clone());
    if e.target_info.kind == "iframe" {
        let frame_id = FrameId(e.target_info.target_id.0.clone());
        tab.with(|s| {
            let frame = s.frame_entry(&frame_id, None, &child);
            frame.session = child.clone();
            frame.world = None;
            frame.page_world = None;
            frame.since = std::time::Instant::now();
            frame.url.clone_from(&e.target_info.url);
        });
        prepare_session(&child);
        tab.ready(&child);
    }
    drop(child.start(cdp::runtime::RunIfWaitingForDebugger::default()));
}

/// Queues what every session of a tab needs, in the order that puts our world before the page's scripts.
pub(crate) fn prepare_session(session: &Session) {
    drop(session.start(cdp::page::Enable::default()));
    drop(session.start(cdp::page::AddScriptToEvaluateOnNewDocument {
        source: PAGE_PARTS.to_owned(),
        world_name: Some(WORLD.to_owned()),
        run_immediately: Some(true),
    }));
    drop(session.start(cdp::runtime::Enable::default()));
    drop(session.start(cdp::network::Enable::default()));
    drop(session.start(super::auto_attach(false)));
}

fn detached(tab: &TabInner, event: &Event) {
    let Some(e) = read::<cdp::target::DetachedFromTarget>(event) else { return };
    tab.forget_session(&e.session_id);
    tab.with(|s| {
        let gone: Vec<FrameId> = s
            .frames
            .values()
            .filter(|f| f.session.id() == Some(&e.session_id) && f.id != s.main_frame)
            .map(|f| f.id.clone())
            .collect();
        for frame in gone {
            s.drop_frame(&frame);
        }
        s.dialog.take_if(|open| open.session.id() == Some(&e.session_id));
    });
}
