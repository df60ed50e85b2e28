//! A tab: one pump that takes its events, one lane for what acts on it, page parts in an isolated world.

mod act;
mod choose;
mod click;
mod dialog;
mod dismiss;
mod drag;
mod effect;
mod fields;
mod ime;
mod keyboard;
mod lane;
mod listen;
mod navigate;
pub(crate) mod page;
mod pick;
mod pointer;
mod pulse;
mod pump;
mod read;
mod recover;
mod region;
mod script;
mod scroll;
mod shot;
pub(crate) mod state;
mod targets;
mod upload;
mod wait;
mod write;
mod written;

pub use lane::{Lane, LaneGuard};
pub use listen::{Answer, Answered, Changes, HeldRequest, call_parts};
pub use read::{Found, Search};
pub use script::{CdpMethod, Handle, InputStep, Judged, PageCall, PageScript, Returns, cdp_method};
pub(crate) use state::Happening;

use crate::errors::from_cdp;
use crate::options::{InputMode, TabInfo};
use crate::space::Space;
use state::{Life, TabState};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, Weak};
use std::time::Duration;
use targets::RefRanges;
use tokio::sync::watch;
use truehand_base::{CallCtx, Download, ErrorBody, ErrorCode, PageEffect, TabId, Verdict};
use truehand_cdp::{self as cdp, Connection, Session, TargetId};

/// How long a page may take to say what it consists of when it is attached; one that takes longer is frozen.
const COME_LIMIT: Duration = Duration::from_secs(6);

/// A tab that can be acted on. Clones are the same tab.
#[derive(Clone)]
pub struct Tab {
    inner: Place,
    /// Who reads by this handle: a difference is one to what the same client has seen.
    reader: u32,
}

pub(crate) struct TabInner {
    pub id: TabId,
    pub target: TargetId,
    pub session: Session,
    pub connection: Connection,
    pub headed: bool,
    space: Weak<Space>,
    pub listening: listen::Listening,
    state: Mutex<TabState>,
    changed: watch::Sender<u64>,
    refs: Mutex<RefRanges>,
    lane: Lane,
    mouse: Mutex<Option<(f64, f64)>>,
    /// What is known of the drawing that was acted on last.
    region: Mutex<Option<region::Known>>,
    /// The window of an action that a dialog interrupted.
    interrupted: Mutex<Option<effect::Window>>,
    /// What is kept for scripts.
    script: script::Kept,
    /// What the tab lives in now, when this one could not be brought back.
    successor: OnceLock<Arc<TabInner>>,
}

/// What a tab lives in. All handles follow it when it moves.
#[derive(Clone)]
struct Place(Arc<TabInner>);

impl std::ops::Deref for Place {
    type Target = TabInner;

    fn deref(&self) -> &TabInner {
        let mut place = &self.0;
        while let Some(next) = place.successor.get() {
            place = next;
        }
        place
    }
}

impl TabInner {
    /// Reads or writes the state. The lock is never held longer than `look` runs, and `look` can't wait.
    pub fn with<T>(&self, look: impl FnOnce(&mut TabState) -> T) -> T {
        look(&mut lock(&self.state))
    }

    /// Wakes whoever waits for a change.
    pub fn wake(&self) {
        self.changed.send_modify(|count| *count += 1);
    }
}

/// Takes a lock whose holders can't panic half-way through a change that matters.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// What attaches out-of-process frames, on wish workers, and nothing else, before their scripts run.
pub(crate) fn auto_attach(workers: bool) -> cdp::target::SetAutoAttach {
    let kinds = ["iframe"].into_iter().chain(workers.then_some("worker"));
    cdp::target::SetAutoAttach {
        auto_attach: true,
        wait_for_debugger_on_start: true,
        flatten: true,
        filter: Some(
            kinds
                .map(|kind| cdp::target::FilterEntry { kind: Some(kind.to_owned()), exclude: Some(false) })
                .collect(),
        ),
    }
}

impl Tab {
    /// Attaches to a target and readies it.
    pub(crate) async fn attach(
        ctx: &CallCtx,
        space: &Arc<Space>,
        id: TabId,
        target: TargetId,
        url: String,
        lane: Lane,
    ) -> Result<Tab, ErrorBody> {
        let connection = space.connection().clone();
        let headed = space.headed();
        // A discarded tab accepts the attach and then answers nothing, hence the short limit.
        let ctx = &ctx.at_most(Duration::from_secs(10));
        let attach = cdp::target::AttachToTarget { target_id: target.clone(), flatten: true };
        let attached = connection.browser().send(ctx, attach).await.map_err(from_cdp)?;
        let session = connection.session(attached.session_id.clone());
        let events = connection.route(&attached.session_id);
        let main_frame = cdp::FrameId(target.0.clone());
        let inner = Arc::new(TabInner {
            id,
            target,
            session: session.clone(),
            connection,
            headed,
            space: Arc::downgrade(space),
            listening: listen::Listening::new(space.hub()),
            state: Mutex::new(TabState::new(main_frame, session.clone(), url)),
            changed: watch::Sender::new(0),
            refs: Mutex::new(RefRanges::default()),
            lane,
            mouse: Mutex::new(None),
            region: Mutex::new(None),
            interrupted: Mutex::new(None),
            script: script::Kept::default(),
            successor: OnceLock::new(),
        });
        tokio::spawn(pump::run(Arc::clone(&inner), events));
        let tab = Tab { inner: Place(inner), reader: 0 };
        pump::prepare_session(&session);
        tab.inner.ready(&session);
        // A hidden tab draws no frames and runs timers once a second unless it believes that it has the focus.
        drop(session.start(cdp::emulation::SetFocusEmulationEnabled { enabled: true }));
        if !headed {
            drop(session.start(cdp::emulation::SetDeviceMetricsOverride {
                width: 1280,
                height: 720,
                device_scale_factor: 1.0,
                mobile: false,
            }));
        }
        let mut tree = session.start(cdp::page::GetFrameTree::default());
        let soon = ctx.at_most(COME_LIMIT);
        let come = tokio::select! {
            biased;
            tree = soon.wait("the tab's frames", &mut tree) => Some(tree.and_then(|tree| tree.map_err(from_cdp))),
            () = tab.dialog_opened() => None,
        };
        match come {
            Some(come) => {
                // A half-made attachment would stay and take events for nobody.
                let come = come.map_err(|error| {
                    tab.let_go();
                    // A page that was frozen before we came says nothing at all.
                    let frozen = error.code == ErrorCode::Deadline && !ctx.remaining().is_zero();
                    if frozen { tab.unresponsive("the tab's frames") } else { error }
                })?;
                tab.take_tree(&session, &come.frame_tree);
            }
            // The page asks something first; what it consists of comes with the answer.
            None => {
                let tab = tab.clone();
                tokio::spawn(async move {
                    if let Ok(come) = tree.await {
                        tab.take_tree(&session, &come.frame_tree);
                        tab.inner.wake();
                    }
                });
            }
        }
        tab.inner.wake();
        Ok(tab)
    }

    fn take_tree(&self, session: &Session, tree: &cdp::page::FrameTree) {
        self.with(|s| {
            let frame = s.frame_entry(&tree.frame.id, tree.frame.parent_id.as_ref(), session);
            if frame.loader.is_none() {
                frame.loader = Some(tree.frame.loader_id.clone());
                frame.url.clone_from(&tree.frame.url);
                frame.parent.clone_from(&tree.frame.parent_id);
                if tree.frame.parent_id.is_none() {
                    s.url.clone_from(&tree.frame.url);
                }
            }
        });
        for child in &tree.child_frames {
            self.take_tree(session, child);
        }
    }

    pub(crate) fn with<T>(&self, look: impl FnOnce(&mut TabState) -> T) -> T {
        self.inner.with(look)
    }

    /// The same tab, as this reader's.
    pub(crate) fn read_by(mut self, reader: u32) -> Tab {
        self.reader = reader;
        self
    }

    /// Ends the attachment and with it all that it changed about the tab. Nobody waits for that.
    pub(crate) fn let_go(&self) {
        let session_id = self.inner.session.id().cloned();
        drop(self.inner.connection.browser().start(cdp::target::DetachFromTarget { session_id }));
    }

    pub(crate) fn space(&self) -> Result<Arc<Space>, ErrorBody> {
        self.inner
            .space
            .upgrade()
            .ok_or_else(|| ErrorBody::new(ErrorCode::TabClosed, "the tab's browser context was closed"))
    }

    pub(crate) fn target_id(&self) -> &TargetId {
        &self.inner.target
    }

    /// The tab's handle.
    #[must_use]
    pub fn id(&self) -> TabId {
        self.inner.id
    }

    /// The address of its document.
    #[must_use]
    pub fn url(&self) -> String {
        self.with(|s| s.url.clone())
    }

    /// Its title as last seen.
    #[must_use]
    pub fn title(&self) -> String {
        self.with(|s| s.title.clone())
    }

    /// Its lane: one acting call at a time.
    #[must_use]
    pub fn lane(&self) -> Lane {
        self.inner.lane.clone()
    }

    /// As it is listed; `current` is not known here and left false.
    #[must_use]
    pub fn info(&self) -> TabInfo {
        self.with(|s| TabInfo {
            tab_id: self.inner.id,
            target_id: self.inner.target.0.clone(),
            url: s.url.clone(),
            title: s.title.clone(),
            current: false,
            state: match (&s.life, &s.dialog) {
                (Life::Crashed, _) => "crashed",
                (Life::Closed(_), _) => "closed",
                (Life::Alive, Some(_)) => "dialog",
                (Life::Alive, None) if !s.content_loaded || s.navigating => "loading",
                (Life::Alive, None) => "ready",
            },
            holder: None,
        })
    }

    /// Waits until `look` finds something in the state.
    pub(crate) async fn wait_until<T>(
        &self,
        ctx: &CallCtx,
        what: &str,
        look: impl Fn(&mut TabState) -> Option<T>,
    ) -> Result<T, ErrorBody> {
        ctx.wait(what, async {
            loop {
                let mut changes = self.inner.changed.subscribe();
                if let Some(found) = self.with(&look) {
                    return Ok(found);
                }
                if changes.changed().await.is_err() {
                    return Err(ErrorBody::new(ErrorCode::TabClosed, "the tab is gone"));
                }
            }
        })
        .await?
    }

    /// Resolves when a dialog is open.
    pub(crate) async fn dialog_opened(&self) {
        loop {
            let mut changes = self.inner.changed.subscribe();
            if self.with(|s| s.dialog.is_some()) {
                return;
            }
            if changes.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Refuses a tab that crashed, was closed, or stands still behind a dialog.
    pub(crate) fn check_ready(&self) -> Result<(), ErrorBody> {
        self.check_alive()?;
        if self.with(|s| s.dialog.is_some()) { Err(self.dialog_error()) } else { Ok(()) }
    }

    pub(crate) fn check_alive(&self) -> Result<(), ErrorBody> {
        match self.with(|s| s.life.clone()) {
            Life::Alive => Ok(()),
            Life::Crashed => Err(ErrorBody::new(
                ErrorCode::PageCrashed,
                format!("the renderer of tab {} crashed", self.id()),
            )),
            // The end of the connection itself may come a moment later.
            Life::Closed(why) if why == state::BROWSER_GONE || self.inner.connection.is_closed() => {
                Err(ErrorBody::new(ErrorCode::BrowserGone, format!("the browser is gone: {why}")))
            }
            Life::Closed(why) => {
                Err(ErrorBody::new(ErrorCode::TabClosed, format!("tab {} was closed: {why}", self.id())))
            }
        }
    }

    /// Marks the tab as closed and wakes its waiters; the browser said so.
    pub(crate) fn mark_closed(&self, why: &str) {
        self.with(|s| s.life = Life::Closed(why.to_owned()));
        self.inner.session.fail_pending(why);
        self.inner.wake();
    }

    /// Notes something that the browser as a whole reported of this tab.
    pub(crate) fn note(&self, what: Happening) {
        self.with(|s| s.happened(what));
        self.inner.wake();
    }

    /// Notes that a download began.
    pub(crate) fn begin_download(&self, guid: &str, download: Download) {
        self.inner.hear_download(guid, &download);
        self.with(|s| {
            let name = download.name.clone();
            let at = s.happened(Happening::Download(download));
            s.downloads.insert(guid.to_owned(), (at, name));
        });
        self.inner.wake();
    }

    /// The name that was proposed for a download of this tab.
    pub(crate) fn download_name(&self, guid: &str) -> Option<String> {
        self.with(|s| s.downloads.get(guid).map(|(_, name)| name.clone()))
    }

    /// Notes how a download ended.
    pub(crate) fn end_download(&self, guid: &str, change: impl FnOnce(&mut Download)) {
        let ended = self.with(|s| {
            let (at, _) = s.downloads.remove(guid)?;
            let Some(Happening::Download(download)) = s.log.get_mut(at) else { return None };
            change(download);
            Some(download.clone())
        });
        if let Some(download) = ended {
            self.inner.hear_download(guid, &download);
        }
        self.inner.wake();
    }

    /// Whether a frame is one of this tab's.
    pub(crate) fn has_frame(&self, frame: &cdp::FrameId) -> bool {
        self.with(|s| s.frames.contains_key(frame))
    }

    /// Whether an action is being observed right now.
    pub(crate) fn window_open(&self) -> bool {
        self.with(|s| s.window.is_some())
    }

    /// Corrects what was noted of a tab that this one opened, once its address and title are known.
    pub(crate) fn rename_opened(&self, id: TabId, url: &str, title: &str) {
        self.with(|s| {
            for what in s.log.each_mut() {
                if let Happening::TabOpened(tab) = what
                    && tab.tab_id == id
                {
                    url.clone_into(&mut tab.url);
                    title.clone_into(&mut tab.title);
                }
            }
        });
    }

    /// The way that input takes here.
    pub(crate) fn input_mode(&self, asked: InputMode) -> InputMode {
        self.space().map_or(InputMode::Trusted, |space| space.input().mode(asked, &self.url()))
    }

    /// Whether an editor of this site enters trusted text twice.
    pub(crate) fn doubles(&self) -> bool {
        self.space().is_ok_and(|space| space.input().doubles(&self.url()))
    }

    /// Notes whether a click of this kind works on this site.
    pub(crate) fn learn_click(&self, mode: InputMode, effect: Option<&PageEffect>) {
        if let (Ok(space), Some(effect)) = (self.space(), effect) {
            space.input().learn_click(mode, &self.url(), effect.verdict == Verdict::Changed);
        }
    }

    pub(crate) fn learn_doubling(&self) {
        if let Ok(space) = self.space() {
            space.input().learn_doubling(&self.url());
        }
    }

    /// Sets the title that the browser reported.
    pub(crate) fn set_title(&self, title: String) {
        self.with(|s| s.title = title);
    }
}
