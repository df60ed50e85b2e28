//! Going places: by address, back, forward, again. Done means that a document came and can be used.

use super::Tab;
use super::effect::Window;
use super::pulse::Beat;
use super::recover::{EMPTY_PAGE, Rung};
use super::state::Life;
use crate::errors::from_cdp;
use crate::options::{Acted, Observe};
use serde_json::{Value, json};
use std::time::Duration;
use truehand_base::{CallCtx, ErrorBody, ErrorCode};
use truehand_cdp as cdp;

/// How long a server may take to answer before the call gives up; the load itself goes on.
const COMMIT_LIMIT: Duration = Duration::from_secs(30);

/// A document that is about to be left.
struct Leaving {
    window: Option<Window>,
    /// What it took, when the page did not answer.
    freed: Option<Rung>,
}

impl Leaving {
    /// Whether the document was left already, for an empty one.
    fn left(&self) -> bool {
        self.freed.is_some_and(Rung::left)
    }
}

impl Tab {
    /// Opens an address and waits until its document can be used.
    ///
    /// # Errors
    /// `NAV_FAILED` with the network error, `CERTIFICATE_ERROR`, `TIMEOUT` when the server does not answer, and the
    /// codes of a tab that can't answer.
    pub async fn navigate(&self, ctx: &CallCtx, url: &str, observe: &Observe) -> Result<Acted, ErrorBody> {
        self.check_open()?;
        let mut leaving = self.window_for_leaving(ctx, observe).await?;
        let (navigated, documents) = loop {
            let documents = self.with(|s| s.documents);
            let command = cdp::page::Navigate { url: url.to_owned(), ..Default::default() };
            let pending = self.inner.session.start(command);
            let limited = ctx.at_most(COMMIT_LIMIT);
            let asked_at = std::time::Instant::now();
            let asked = self.while_leaving(async {
                let answer = limited.wait("the server", pending).await;
                let loading = matches!(&answer, Ok(Ok(n)) if n.loader_id.is_some() && n.error_text.is_none() && n.is_download != Some(true));
                // The event of the commit may come just behind the answer of the command.
                let committed = if loading { self.committed(ctx, documents).await } else { Ok(()) };
                (answer, committed)
            });
            let (answer, committed) = match asked.await {
                Beat::Done(done) => done,
                // A dialog on leaving or while loading holds the answer back.
                Beat::Dialog => {
                    let effect = self.watch(ctx, leaving.window, observe, Vec::new()).await?;
                    return Ok(Acted { effect, error: self.held_back(), ..Acted::default() });
                }
                Beat::Stuck => {
                    leaving = self.let_go_of(ctx, leaving).await?;
                    continue;
                }
            };
            let error = match (answer, committed) {
                (Ok(Ok(navigated)), Ok(())) => break (navigated, documents),
                (Ok(Ok(_)), Err(error)) => error,
                (Ok(Err(cdp::CdpError::Protocol { message, .. })), _) if message.contains("invalid URL") => {
                    ErrorBody::new(ErrorCode::InvalidArguments, format!("{url} is no valid address"))
                }
                (Ok(Err(other)), _) => from_cdp(other),
                (Err(error), _) => {
                    // A load that nobody waits for any more must not come in the middle of what is done next.
                    drop(self.inner.session.start(cdp::page::StopLoading::default()));
                    if error.code == ErrorCode::Deadline {
                        ErrorBody::new(
                            ErrorCode::Timeout,
                            format!(
                                "{url} did not answer within {} s; loading was stopped",
                                asked_at.elapsed().as_secs()
                            ),
                        )
                        .next("check that the server is running, then navigate again")
                    } else {
                        error
                    }
                }
            };
            self.abandon(leaving.window);
            return Err(error);
        };
        let window = leaving.window;
        if navigated.is_download == Some(true) || navigated.error_text.as_deref() == Some("net::ERR_ABORTED")
        {
            // The answer was a download, or no document came: the page stays, and the effect says what happened.
            let effect = self.watch(ctx, window, observe, Vec::new()).await?;
            let downloads = effect.as_ref().is_some_and(|e| !e.downloads.is_empty());
            if downloads || navigated.is_download == Some(true) {
                return Ok(Acted { effect, ..Acted::default() });
            }
            // A renderer that crashes aborts the load first and is reported just after.
            let soon = ctx.at_most(Duration::from_millis(500));
            let crashed = self.wait_until(&soon, "the renderer", |s| (s.life != Life::Alive).then_some(()));
            if crashed.await.is_ok() {
                self.check_alive()?;
            }
            let what = format!("{url} gave no document: the load was aborted, or the answer had no content");
            return Err(ErrorBody::new(ErrorCode::NavFailed, what).with("net_error", "net::ERR_ABORTED"));
        }
        if let Some(error) = navigated.error_text {
            self.abandon(window);
            // The browser's own page about the error comes next; a call that follows must find it settled.
            let soon = ctx.at_most(Duration::from_secs(2));
            let came = self.wait_until(&soon, "the error page", |s| {
                let there = s.documents != documents && s.content_loaded;
                (there || s.dialog.is_some() || s.life != Life::Alive).then_some(())
            });
            if let Err(error) = came.await {
                tracing::debug!("no error page came: {error}");
            }
            return Err(navigation_error(url, &error));
        }
        self.arrive(ctx, Leaving { window, freed: leaving.freed }, observe).await
    }

    /// Goes back in the history.
    ///
    /// # Errors
    /// `NAV_FAILED` when there is nothing to go back to, and those of [`Tab::navigate`].
    pub async fn back(&self, ctx: &CallCtx, observe: &Observe) -> Result<Acted, ErrorBody> {
        self.through_history(ctx, -1, observe).await
    }

    /// Goes forward in the history.
    ///
    /// # Errors
    /// As [`Tab::back`].
    pub async fn forward(&self, ctx: &CallCtx, observe: &Observe) -> Result<Acted, ErrorBody> {
        self.through_history(ctx, 1, observe).await
    }

    async fn through_history(&self, ctx: &CallCtx, by: i64, observe: &Observe) -> Result<Acted, ErrorBody> {
        self.check_ready()?;
        let history = self
            .inner
            .session
            .send(ctx, cdp::page::GetNavigationHistory::default())
            .await
            .map_err(from_cdp)?;
        let mut at = history.current_index + by;
        let entry_at = |at: i64| usize::try_from(at).ok().and_then(|i| history.entries.get(i));
        // What a page that did not answer was left for is no place to go to.
        while entry_at(at).is_some_and(|e| e.url == EMPTY_PAGE) {
            at += by;
        }
        let wanted = entry_at(at);
        // A tab starts on an empty page that nobody asked for.
        let Some(entry) = wanted.filter(|e| !(by < 0 && e.url == "about:blank" && at == 0)) else {
            let way = if by < 0 { "back" } else { "forward" };
            return Err(ErrorBody::new(ErrorCode::NavFailed, format!("there is no page to go {way} to"))
                .next("open an address with browser_navigate"));
        };
        let mut leaving = self.window_for_leaving(ctx, observe).await?;
        loop {
            let (documents, clock) = self.with(|s| (s.documents, s.clock));
            let command = cdp::page::NavigateToHistoryEntry { entry_id: entry.id };
            let limited = ctx.at_most(COMMIT_LIMIT);
            let moved = self.while_leaving(async {
                if leaving.left() {
                    self.load_apart(ctx, &entry.url).await?;
                } else {
                    self.send_settled(ctx, command).await?;
                }
                self.wait_until(&limited, "the page", |s| {
                    let within = s.log.since(clock + 1).any(|w| matches!(w, super::Happening::Url { .. }));
                    (within || s.documents != documents || s.life != Life::Alive).then_some(())
                })
                .await
            });
            match moved.await {
                Beat::Done(Ok(())) | Beat::Dialog => return self.arrive(ctx, leaving, observe).await,
                Beat::Done(Err(error)) => {
                    self.abandon(leaving.window);
                    return Err(error);
                }
                Beat::Stuck => leaving = self.let_go_of(ctx, leaving).await?,
            }
        }
    }

    /// Loads an address after its page was left because it did not answer. The history would lead back into the same
    /// process, which may not have ended yet.
    async fn load_apart(&self, ctx: &CallCtx, url: &str) -> Result<(), ErrorBody> {
        let sent =
            self.inner.session.start(cdp::page::Navigate { url: url.to_owned(), ..Default::default() });
        let navigated = ctx.at_most(COMMIT_LIMIT).wait("the server", sent).await?.map_err(from_cdp)?;
        navigated.error_text.map_or(Ok(()), |error| Err(navigation_error(url, &error)))
    }

    /// Sends a command that the browser process answers. Just after a navigation it refuses such commands, since the
    /// renderer reports the new document before the browser has committed it.
    async fn send_settled<C: cdp::Command + Clone>(
        &self,
        ctx: &CallCtx,
        command: C,
    ) -> Result<C::Response, ErrorBody> {
        let until = std::time::Instant::now() + Duration::from_secs(2);
        loop {
            match self.inner.session.send(ctx, command.clone()).await {
                Err(cdp::CdpError::Protocol { message, .. })
                    if message.contains("Not attached to an active page")
                        && std::time::Instant::now() < until =>
                {
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                other => return other.map_err(from_cdp),
            }
        }
    }

    /// Loads the page again, once.
    ///
    /// # Errors
    /// As [`Tab::navigate`].
    pub async fn reload(&self, ctx: &CallCtx, observe: &Observe) -> Result<Acted, ErrorBody> {
        self.check_open()?;
        let url = self.url();
        let mut leaving = self.window_for_leaving(ctx, observe).await?;
        loop {
            let documents = self.with(|s| s.documents);
            let reload = self.while_leaving(async {
                if leaving.left() {
                    self.load_apart(ctx, &url).await?;
                } else {
                    let sent = self.inner.session.start(cdp::page::Reload::default());
                    ctx.wait("the reload", sent).await?.map_err(from_cdp)?;
                }
                self.committed(ctx, documents).await
            });
            match reload.await {
                Beat::Done(Ok(())) | Beat::Dialog => return self.arrive(ctx, leaving, observe).await,
                Beat::Done(Err(error)) => {
                    self.abandon(leaving.window);
                    return Err(error);
                }
                Beat::Stuck => leaving = self.let_go_of(ctx, leaving).await?,
            }
        }
    }

    /// A window for an action after which this document is gone; a page that can't be observed is left all the same,
    /// and one that does not answer is made to let go.
    async fn window_for_leaving(&self, ctx: &CallCtx, observe: &Observe) -> Result<Leaving, ErrorBody> {
        let blind = || observe.enabled.then(|| self.open_blind_window());
        let window = match self.while_leaving(self.window(ctx, observe, None)).await {
            Beat::Done(Ok(window)) => return Ok(Leaving { window, freed: None }),
            Beat::Done(Err(error)) if matches!(error.code, ErrorCode::PageCrashed | ErrorCode::Internal) => {
                return Ok(Leaving { window: blind(), freed: None });
            }
            Beat::Done(Err(error)) if error.code == ErrorCode::PageUnresponsive => blind(),
            Beat::Done(Err(error)) => return Err(error),
            Beat::Dialog => return Err(self.dialog_error()),
            Beat::Stuck => blind(),
        };
        let freed = self.free(ctx).await;
        self.freed(Leaving { window, freed: None }, freed)
    }

    /// Frees a page that answered and then did not let itself be left, once. What loops there is a handler of leaving,
    /// or begins again and again: ending one script is not enough.
    async fn let_go_of(&self, ctx: &CallCtx, leaving: Leaving) -> Result<Leaving, ErrorBody> {
        let freed = match leaving.freed {
            None | Some(Rung::ScriptEnded) => self.free_harshly(ctx).await,
            Some(Rung::Left) => self.move_out(ctx).await,
            Some(Rung::Moved) => Err(self.unresponsive("it does not let itself be left")),
        };
        self.freed(leaving, freed)
    }

    fn freed(&self, leaving: Leaving, freed: Result<Rung, ErrorBody>) -> Result<Leaving, ErrorBody> {
        match freed {
            Ok(rung) => Ok(Leaving { freed: Some(rung), ..leaving }),
            Err(error) => {
                self.abandon(leaving.window);
                Err(error)
            }
        }
    }

    /// Waits for the commit of a navigation.
    async fn committed(&self, ctx: &CallCtx, documents: u64) -> Result<(), ErrorBody> {
        let limited = ctx.at_most(COMMIT_LIMIT);
        self.wait_until(&limited, "the page", |s| {
            (s.documents != documents || s.dialog.is_some() || matches!(s.life, Life::Closed(_)))
                .then_some(())
        })
        .await
    }

    /// Waits until the new document can be used and closes the window.
    async fn arrive(&self, ctx: &CallCtx, leaving: Leaving, observe: &Observe) -> Result<Acted, ErrorBody> {
        let Leaving { window, freed } = leaving;
        let content = ctx.at_most(Duration::from_secs(20));
        // Without its content in time the page may still be usable in part: the effect tells.
        let ready = self.wait_until(&content, "the page's content", |s| {
            let stopped = s.dialog.is_some() || matches!(s.life, Life::Closed(_));
            (stopped || (s.content_loaded && s.main().is_some_and(|f| f.world.is_some()))).then_some(())
        });
        let ready = tokio::select! {
            biased;
            ready = ready => ready,
            () = self.stuck(&self.inner.session) => {
                self.abandon(window);
                return Err(self.unresponsive("its document came and its script does not end").with("url", self.url()));
            }
        };
        let mut notes: Vec<String> = freed.map(Rung::words).into_iter().collect();
        if ready.is_err() {
            ctx.check("the page")?;
            notes.push("the page's content did not come within 20 s; it may be usable in part".to_owned());
        }
        let patient = Observe { cap: observe.cap.max(Duration::from_secs(5)), ..*observe };
        let effect = self.watch(ctx, window, &patient, Vec::new()).await?;
        if effect.is_none()
            && let Ok(frame) = self.main_frame(ctx).await
        {
            let stats: Result<Value, _> = self.ask(ctx, &frame, "stats", json!({})).await;
            if let Some(title) = stats.ok().and_then(|s: Value| s["title"].as_str().map(str::to_owned)) {
                self.set_title(title);
            }
        }
        Ok(Acted { effect, notes, error: self.held_back(), ..Acted::default() })
    }

    /// The failure of leaving a page that asks whether it may be left: nothing was left so far.
    fn held_back(&self) -> Option<ErrorBody> {
        let asks = self.with(|s| s.dialog.as_ref().is_some_and(|d| d.dialog.kind == "beforeunload"));
        asks.then(|| {
            self.dialog_error()
                .next("the page asks before it is left: accept with browser_dialog to go on, dismiss to stay")
        })
    }
}

/// What a network error of a navigation means.
fn navigation_error(url: &str, error: &str) -> ErrorBody {
    let insecure = error.contains("CERT") || error.contains("SSL");
    if insecure {
        return ErrorBody::new(
            ErrorCode::CertificateError,
            format!("{url} has no valid certificate ({error})"),
        )
        .with("net_error", error);
    }
    if error == "net::ERR_INVALID_AUTH_CREDENTIALS" {
        return ErrorBody::new(
            ErrorCode::AuthRequired,
            format!("{url} asks for a name and a password in the browser's own dialog"),
        )
        .with("net_error", error);
    }
    let why = match error {
        "net::ERR_CONNECTION_REFUSED" => "nothing listens there",
        "net::ERR_NAME_NOT_RESOLVED" => "the name is unknown",
        "net::ERR_INTERNET_DISCONNECTED" => "there is no network",
        "net::ERR_CONNECTION_RESET" | "net::ERR_EMPTY_RESPONSE" => "the server ended the connection",
        "net::ERR_CONNECTION_TIMED_OUT" | "net::ERR_TIMED_OUT" => "the server does not answer",
        "net::ERR_TOO_MANY_REDIRECTS" => "it redirects in a circle",
        "net::ERR_RESPONSE_HEADERS_TOO_BIG" => "the head of its answer is too big",
        "net::ERR_INVALID_RESPONSE" | "net::ERR_INVALID_HTTP_RESPONSE" => {
            "what answers there does not speak HTTP"
        }
        "net::ERR_NAME_RESOLUTION_FAILED" | "net::ERR_DNS_TIMED_OUT" => "the name could not be looked up",
        "net::ERR_NETWORK_CHANGED" => "the network changed meanwhile",
        "net::ERR_UNSAFE_PORT" => "browsers do not open this port",
        _ => "the load failed",
    };
    ErrorBody::new(ErrorCode::NavFailed, format!("{url} did not load: {why} ({error})"))
        .with("net_error", error)
}
