//! The heartbeat: while a call waits for a page, the page is asked now and then whether it still answers at all. A
//! page that waits for something answers at once; one whose script runs in an endless loop answers nothing. Nor does
//! one that is being left for a document whose server is slow: the browser holds our questions back then, so that only
//! the time before and after counts.

use super::Tab;
use super::state::{Life, site};
use std::time::Duration;
use tokio::time::Instant;
use truehand_base::{ErrorBody, ErrorCode};
use truehand_cdp::{self as cdp, CdpError, Session};

/// How long a call waits before it doubts the page: most are answered by then, and cost no question.
const FIRST: Duration = Duration::from_millis(400);
/// How long after an answer the page is asked again.
const EVERY: Duration = Duration::from_millis(1_000);
/// How long a page may take for an answer. With the first pause this is well below the 5 s within which callers are
/// to be told.
const PATIENCE: Duration = Duration::from_millis(4_000);
/// The same for a page that is being left: whatever it still does is of no use to anybody.
const LEAVING_PATIENCE: Duration = Duration::from_millis(2_500);
/// The same for a page that is known not to answer.
const KNOWN_PATIENCE: Duration = Duration::from_millis(1_000);
/// A page of so many elements, or bytes, needs no more time than others.
const USUAL_ELEMENTS: u64 = 50_000;
const USUAL_BYTES: u64 = 500_000;
/// How much more time it gets for each beyond, in microseconds, and at most altogether: to lay out a million elements
/// takes a renderer that has a core for itself two seconds, and it may have to share it.
const PER_ELEMENT: u64 = 20;
const PER_BYTE: u64 = 2;
const MOST_GRACE: Duration = Duration::from_secs(6);
/// How often a question that has no answer yet is looked at.
const LOOK: Duration = Duration::from_millis(250);
/// How long a page must be silent before a dialog of another tab is taken for the cause.
const HELD: Duration = Duration::from_millis(300);

/// How a wait beside the heartbeat ended.
pub(crate) enum Beat<T> {
    /// What was waited for is there.
    Done(T),
    /// A dialog opened.
    Dialog,
    /// The page does not answer.
    Stuck,
}

impl Tab {
    /// Resolves when a page will not answer: it is gone, or has answered nothing for long without a dialog of its own
    /// that would explain it. [`Tab::unresponsive`] says which.
    pub(crate) async fn stuck(&self, session: &Session) {
        tokio::select! {
            biased;
            () = self.ended() => {}
            () = self.silent(session, PATIENCE) => {}
        }
    }

    /// How much longer than others this page may take for an answer, because it is very large.
    pub(super) fn grace(&self) -> Duration {
        let (elements, bytes) = self.with(|s| (s.elements, s.document_bytes));
        let for_elements = elements.saturating_sub(USUAL_ELEMENTS).saturating_mul(PER_ELEMENT);
        let for_bytes = bytes.saturating_sub(USUAL_BYTES).saturating_mul(PER_BYTE);
        Duration::from_micros(for_elements.max(for_bytes)).min(MOST_GRACE)
    }

    /// Resolves when the tab's page has crashed or is closed. What is asked of it then has no answer at all.
    async fn ended(&self) {
        loop {
            let mut changes = self.inner.changed.subscribe();
            if self.with(|s| s.life != Life::Alive) {
                return;
            }
            if changes.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Waits for what a page has to let happen so that it can be left.
    pub(crate) async fn while_leaving<T>(&self, work: impl Future<Output = T>) -> Beat<T> {
        tokio::select! {
            biased;
            done = work => Beat::Done(done),
            () = self.dialog_opened() => Beat::Dialog,
            () = self.silent(&self.inner.session, LEAVING_PATIENCE) => Beat::Stuck,
        }
    }

    async fn silent(&self, session: &Session, patience: Duration) {
        let own = session.id() == self.inner.session.id();
        // Whoever asks after somebody who was told has waited enough already.
        let known = own && self.with(|s| s.silent);
        let patience = if known { KNOWN_PATIENCE } else { patience };
        if !known {
            tokio::time::sleep(FIRST).await;
        }
        loop {
            let mut asked = Instant::now();
            let question = question(session);
            tokio::pin!(question);
            loop {
                match tokio::time::timeout(LOOK, &mut question).await {
                    // Of a crash and of an end the call itself is told.
                    Ok(Err(CdpError::Closed { .. } | CdpError::SessionGone { .. })) => {
                        return std::future::pending().await;
                    }
                    // A document that is gone is an answer too.
                    Ok(_) => {
                        self.heard(session);
                        break;
                    }
                    Err(_) if self.with(|s| s.dialog.is_some()) => break,
                    Err(_) if self.with(|s| s.on_its_way()) => asked = Instant::now(),
                    Err(_) if asked.elapsed() >= HELD && self.held_by().is_some() => return,
                    // How large a page is may become known meanwhile.
                    Err(_) if patience == PATIENCE && asked.elapsed() < patience + self.grace() => {}
                    Err(_) if asked.elapsed() >= patience => {
                        self.with(|s| s.silent |= own);
                        return;
                    }
                    Err(_) => {}
                }
            }
            tokio::time::sleep(EVERY).await;
        }
    }

    /// Whether the page answers now.
    pub(crate) async fn answers(&self, limit: Duration) -> bool {
        let answer = tokio::time::timeout(limit, question(&self.inner.session)).await;
        let answered = matches!(answer, Ok(Ok(_) | Err(CdpError::Protocol { .. })));
        if answered {
            self.heard(&self.inner.session);
        }
        answered
    }

    /// Notes that the page has answered something.
    pub(crate) fn heard(&self, session: &Session) {
        if session.id() == self.inner.session.id() {
            self.with(|s| s.silent = false);
        }
    }

    /// Leaves the frames of a process that does not answer out, until it does.
    pub(crate) fn mute(&self, session: &Session) {
        let set = |mute: bool, tab: &Tab, session: &Session| {
            tab.with(|s| {
                for frame in s.frames.values_mut().filter(|f| f.session.id() == session.id()) {
                    frame.mute = mute;
                }
            });
        };
        set(true, self, session);
        let (tab, session) = (self.clone(), session.clone());
        tokio::spawn(async move {
            // Any answer will do; one that never comes ends with the session.
            drop(question(&session).await);
            set(false, &tab, &session);
        });
    }

    /// The tab whose open dialog holds this page up: pages that opened each other share one script thread.
    fn held_by(&self) -> Option<Tab> {
        let own = self.url();
        let others = self.space().ok()?.attached_tabs();
        others.into_iter().find(|other| {
            other.id() != self.id()
                && site(&other.url()) == site(&own)
                && other.with(|s| s.life == Life::Alive && s.dialog.is_some())
        })
    }

    /// The failure of a page that does not answer, with the cause where it is known.
    pub(crate) fn unresponsive(&self, what: &str) -> ErrorBody {
        if let Err(gone) = self.check_alive() {
            return gone;
        }
        if let Some(other) = self.held_by() {
            let asks = other.dialog_error();
            let message = format!("{}, which holds up tab {} too", asks.message, self.id());
            return ErrorBody { message, ..asks }
                .with("tab_id", other.id().to_string())
                .next(format!("answer it with browser_dialog and tab_id \"{}\"", other.id()));
        }
        ErrorBody::new(
            ErrorCode::PageUnresponsive,
            format!(
                "tab {} has not answered for {} s ({what}): its script runs in an endless loop, or it is frozen",
                self.id(),
                PATIENCE.as_secs()
            ),
        )
    }
}

/// Something that any page can answer at once.
fn question(session: &Session) -> cdp::Pending<cdp::runtime::Evaluated> {
    session.start(cdp::runtime::Evaluate {
        expression: "0".to_owned(),
        return_by_value: Some(true),
        ..Default::default()
    })
}
