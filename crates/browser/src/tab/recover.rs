//! Bringing back a page that does not answer, from the mildest means to the harshest: its script is ended; it is left
//! with its scripts off; its renderer is ended.

use super::Tab;
use super::state::Life;
use std::time::Duration;
use truehand_base::{CallCtx, ErrorBody, ErrorCode};
use truehand_cdp as cdp;

/// How long a page whose script was ended may take to answer.
const ANSWER: Duration = Duration::from_millis(500);
/// After this time a timer that loops has begun to loop again.
const RELAPSE: Duration = Duration::from_millis(200);
/// How soon the next script is ended after one that was.
const AGAIN: Duration = Duration::from_millis(40);
/// How long it may take until a page lets itself be left: one timer after the other begins to loop and is ended.
const LEAVE: Duration = Duration::from_secs(4);
/// How long the end of a renderer may take.
const STEP: Duration = Duration::from_secs(2);
/// How long a tab may take to close before its script is ended.
const CLOSE_PATIENCE: Duration = Duration::from_millis(300);
/// How long it may then take.
const CLOSE_LIMIT: Duration = Duration::from_millis(1_200);

/// What it took to free a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rung {
    /// Its script was ended, and no other took its place.
    ScriptEnded,
    /// It was left for an empty page with its scripts off; this is the entry of the history that it was.
    Left(Option<i64>),
    /// Its renderer was ended.
    RendererEnded,
}

impl Rung {
    /// The words for callers.
    pub fn words(self) -> String {
        match self {
            Rung::ScriptEnded => "the page did not answer: its script was ended (terminated) first",
            Rung::Left(_) => {
                "the page did not answer and its scripts began to loop again: with its scripts off it was left for an \
                 empty page first, which stays in the history"
            }
            Rung::RendererEnded => {
                "the page did not answer and could not be left: its renderer was ended (crashed) first, and with it any \
                 other tab that shared it"
            }
        }
        .to_owned()
    }
}

impl Tab {
    /// Frees a page that does not answer, so that the tab can be used for something else.
    ///
    /// # Errors
    /// `PAGE_UNRESPONSIVE` when nothing helped, and those of a tab that is gone.
    pub(crate) async fn free(&self, ctx: &CallCtx) -> Result<Rung, ErrorBody> {
        self.check_alive()?;
        let session = &self.inner.session;
        // Nothing reaches a page while another document is on its way.
        drop(session.start(cdp::page::StopLoading::default()));
        drop(session.start(cdp::runtime::TerminateExecution::default()));
        if self.answers(ANSWER).await {
            tokio::time::sleep(RELAPSE).await;
            if self.answers(ANSWER).await {
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
        // The browser itself answers this.
        let history =
            session.send(&ctx.at_most(ANSWER), cdp::page::GetNavigationHistory::default()).await.ok();
        let entry = history.and_then(|h| {
            let current = usize::try_from(h.current_index).ok()?;
            h.entries.get(current).map(|entry| entry.id)
        });
        let documents = self.with(|s| s.documents);
        // Each end of a script lets one of the waiting tasks run before the next one loops.
        let off = session.start(cdp::emulation::SetScriptExecutionDisabled { value: true });
        if self.ending_scripts(&ctx.at_most(LEAVE), off).await {
            let blank = cdp::page::Navigate { url: "about:blank".to_owned(), ..Default::default() };
            drop(session.start(blank));
        }
        let step = ctx.at_most(LEAVE);
        let left = self.wait_until(&step, "the empty page", |s| {
            (s.documents != documents || s.life != Life::Alive).then_some(())
        });
        let left = left.await.is_ok();
        drop(session.start(cdp::page::StopLoading::default()));
        drop(session.start(cdp::emulation::SetScriptExecutionDisabled { value: false }));
        self.check_open()?;
        if left && self.with(|s| s.life == Life::Alive) && self.answers(ANSWER).await {
            return Ok(Rung::Left(entry));
        }
        ctx.check("the page to be freed")?;
        drop(session.start(cdp::page::Crash::default()));
        let step = ctx.at_most(STEP);
        let ended = self.wait_until(&step, "the renderer to end", |s| (s.life != Life::Alive).then_some(()));
        let ended = ended.await.is_ok();
        self.check_open()?;
        if ended {
            return Ok(Rung::RendererEnded);
        }
        let nothing = self.unresponsive("its script could not be ended, nor could its renderer");
        Err(nothing.next("close the tab with browser_close_tab; other tabs are not affected"))
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
        let off = self.inner.session.start(cdp::emulation::SetScriptExecutionDisabled { value: true });
        let limited = ctx.at_most(CLOSE_LIMIT);
        let gone = tokio::join!(self.ending_scripts(&limited, off), self.gone(&limited, CLOSE_LIMIT)).1;
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

    /// Ends one script of the page after the other until a command was carried out; false when it was not in time.
    async fn ending_scripts(&self, ctx: &CallCtx, command: cdp::Pending<cdp::Empty>) -> bool {
        tokio::pin!(command);
        loop {
            drop(self.inner.session.start(cdp::runtime::TerminateExecution::default()));
            tokio::select! {
                biased;
                done = &mut command => return done.is_ok(),
                () = tokio::time::sleep(AGAIN) => if ctx.check("the page").is_err() { return false },
            }
        }
    }
}
