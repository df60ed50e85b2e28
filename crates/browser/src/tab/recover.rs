//! Bringing back a page that does not answer, from the mildest means to the harshest: its script is ended; it is left
//! for an empty page in another process; the tab moves to another place, and what it was is closed.
//!
//! A page that loops must never be left for one in the same process: once the browser has chosen that process for the new
//! document, no command reaches the tab any more, not even those that end scripts or the renderer. For a document in
//! another process the browser needs nothing from the old one but an answer of its `beforeunload` handlers.

use super::Tab;
use super::state::{Life, TabState};
use std::sync::Arc;
use std::time::Duration;
use truehand_base::{CallCtx, ErrorBody, ErrorCode};
use truehand_cdp as cdp;

/// How long a page whose script was ended may take to answer.
const ANSWER: Duration = Duration::from_secs(2);
/// The same once it has answered. One that loops again lets this time pass, and to be wrong about it does no harm.
const ANSWER_AGAIN: Duration = Duration::from_secs(1);
/// After this time a timer that loops has begun to loop again.
const RELAPSE: Duration = Duration::from_millis(200);
/// How soon the next script is ended after one that was.
const AGAIN: Duration = Duration::from_millis(40);
/// How long a page may take over being left before its script is ended.
const UNLOAD: Duration = Duration::from_millis(250);
/// How long a page may take to be left. It takes some hundredths of a second unless it can't be left at all.
const LEAVE: Duration = Duration::from_secs(2);
/// How long the tab may take to move. The page has no part in that, and so there is nothing to be won by giving up.
const MOVE: Duration = Duration::from_secs(20);
/// How long a tab may take to close before its script is ended.
const CLOSE_PATIENCE: Duration = Duration::from_millis(300);
/// How long it may then take.
const CLOSE_LIMIT: Duration = Duration::from_millis(1_200);

/// An empty page that shares no process with any other.
pub(crate) const EMPTY_PAGE: &str = "data:text/html,";

/// What it took to free a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rung {
    /// Its script was ended, and no other took its place.
    ScriptEnded,
    /// It was left for an empty page.
    Left,
    /// The tab moved to another place.
    Moved,
}

impl Rung {
    /// Whether the document that did not answer is gone.
    pub fn left(self) -> bool {
        self != Rung::ScriptEnded
    }

    /// The words for callers.
    pub fn words(self) -> String {
        match self {
            Rung::ScriptEnded => "the page did not answer: its script was ended (terminated) first",
            Rung::Left => {
                "the page did not answer and its scripts began to loop again: it was left for an empty page first, in \
                 another renderer"
            }
            Rung::Moved => {
                "the page did not answer and could not be left: it was ended, and the tab opened anew under the same \
                 tab_id, with no history"
            }
        }
        .to_owned()
    }
}

impl Tab {
    /// Frees a page that does not answer, so that the tab can be used for something else.
    ///
    /// # Errors
    /// Those of a tab or a browser that is gone.
    pub(crate) async fn free(&self, ctx: &CallCtx) -> Result<Rung, ErrorBody> {
        self.check_alive()?;
        let session = &self.inner.session;
        // Nothing reaches a page while another document is on its way.
        drop(session.start(cdp::page::StopLoading::default()));
        drop(session.start(cdp::runtime::TerminateExecution::default()));
        if self.answers(ANSWER).await {
            tokio::time::sleep(RELAPSE).await;
            if self.answers(ANSWER_AGAIN).await {
                return Ok(Rung::ScriptEnded);
            }
        }
        self.free_harshly(ctx).await
    }

    /// The same without its mildest means.
    ///
    /// # Errors
    /// As [`Tab::free`].
    pub(crate) async fn free_harshly(&self, ctx: &CallCtx) -> Result<Rung, ErrorBody> {
        ctx.check("the page to be freed")?;
        let session = &self.inner.session;
        let documents = self.with(|s| s.documents);
        drop(session.start(cdp::page::Navigate { url: EMPTY_PAGE.to_owned(), ..Default::default() }));
        let left = self.see_left(ctx, documents).await;
        self.check_open()?;
        // In the place of a renderer that ended a new one is started.
        if left && (self.with(|s| s.life == Life::Crashed) || self.answers(ANSWER).await) {
            return Ok(Rung::Left);
        }
        self.move_out(ctx).await
    }

    /// Waits until the page is left, ends what loops on being left and answers what asks then. Nothing that ends scripts
    /// is on its way any more afterwards: it would end those of the next page. For the same reason scripts are not
    /// switched off: on a busy machine the next page comes before they are on again, and then its own never run.
    async fn see_left(&self, ctx: &CallCtx, documents: u64) -> bool {
        let step = ctx.at_most(LEAVE);
        let asks = |s: &TabState| s.dialog.as_ref().is_some_and(|open| open.dialog.kind == "beforeunload");
        let mut ended = None;
        loop {
            let look = self.wait_until(&step, "the empty page", |s| {
                (s.documents != documents || s.life != Life::Alive || asks(s)).then_some(())
            });
            match tokio::time::timeout(UNLOAD, look).await {
                // Who wants to leave a page that hangs has answered that already.
                Ok(Ok(())) if self.with(|s| asks(s)) => {
                    let leave = cdp::page::HandleJavaScriptDialog { accept: true, prompt_text: None };
                    drop(self.inner.session.start(leave));
                    self.with(|s| s.dialog = None);
                }
                Ok(Ok(())) => break,
                Ok(Err(_)) => return false,
                Err(_) => ended = Some(self.inner.session.start(cdp::runtime::TerminateExecution::default())),
            }
        }
        let Some(ended) = ended else { return true };
        // Where nothing runs, the next script is ended, and be it this question.
        self.answers(ANSWER).await && tokio::time::timeout(ANSWER, ended).await.is_ok()
    }

    /// Moves the tab to another place, for which the page that it shows is not needed.
    ///
    /// # Errors
    /// Those of opening a tab.
    pub(crate) async fn move_out(&self, ctx: &CallCtx) -> Result<Rung, ErrorBody> {
        let ctx = &ctx.at_most(MOVE);
        ctx.check("the page to be freed")?;
        let space = self.space()?;
        let target = space.open_spare(ctx).await?;
        let empty = "about:blank".to_owned();
        let opened = Tab::attach(ctx, &space, self.id(), target.clone(), empty, self.lane()).await;
        let next = match opened {
            Ok(tab) => tab.inner.0,
            Err(error) => {
                space.discard(target);
                return Err(error);
            }
        };
        let here: &super::TabInner = &self.inner;
        here.with(|before| next.with(|s| s.take_over(before)));
        // References that were issued are known to be stale there.
        *super::lock(&next.refs) = std::mem::take(&mut *super::lock(&here.refs));
        if here.successor.set(Arc::clone(&next)).is_err() {
            space.discard(target);
            return Err(ErrorBody::new(ErrorCode::Internal, "the tab moved twice at once"));
        }
        // Whoever still waits for the old page is told, and looks at the new one.
        here.session.fail_pending("its page was ended");
        here.wake();
        space.replaced(self.id(), &target);
        Ok(Rung::Moved)
    }

    /// Refuses a tab that is gone; a crashed one can be brought back by loading something.
    pub(crate) fn check_open(&self) -> Result<(), ErrorBody> {
        match self.check_ready() {
            Err(error) if error.code == ErrorCode::PageCrashed => Ok(()),
            other => other,
        }
    }

    /// Waits until a tab that is being closed is gone. A page that loops would stay, and keep its renderer busy: its
    /// script is ended.
    pub(crate) async fn see_closed(&self, ctx: &CallCtx) {
        self.stop_downloads("its tab was closed");
        if self.gone(ctx, CLOSE_PATIENCE).await {
            return;
        }
        drop(self.inner.session.start(cdp::emulation::SetScriptExecutionDisabled { value: true }));
        let gone = tokio::select! {
            biased;
            gone = self.gone(ctx, CLOSE_LIMIT) => gone,
            () = self.ending_scripts() => false,
        };
        if !gone {
            tracing::warn!("tab {} was closed and its renderer has not let go of it yet", self.id());
        }
    }

    async fn gone(&self, ctx: &CallCtx, limit: Duration) -> bool {
        let limited = ctx.at_most(limit);
        let gone = self
            .wait_until(&limited, "the tab to close", |s| matches!(s.life, Life::Closed(_)).then_some(()));
        gone.await.is_ok()
    }

    /// Stops what this tab is downloading: nobody could be told of its end.
    fn stop_downloads(&self, why: &str) {
        self.stop_downloads_since(0, why);
    }

    /// The same for what began at or after a point of the tab's log.
    pub(crate) fn stop_downloads_since(&self, from: u64, why: &str) {
        let Ok(space) = self.space() else { return };
        let begun = self.with(|s| {
            let begun = s.downloads.iter().filter(|(_, (at, _))| *at >= from);
            begun.map(|(guid, _)| guid.clone()).collect::<Vec<_>>()
        });
        for guid in begun {
            space.stop_download(&guid, why);
        }
    }

    /// Ends one script of the page after the other; each time one of the tasks that wait can run before the next one
    /// loops.
    async fn ending_scripts(&self) {
        loop {
            drop(self.inner.session.start(cdp::runtime::TerminateExecution::default()).await);
            tokio::time::sleep(AGAIN).await;
        }
    }
}
