//! The measured effect: a window opens before the action, closes when things are quiet, and what was counted in
//! it becomes a `page_effect`. The verdict comes from these counts and from nothing else.

use super::Tab;
use super::page::{ANSWER_LIMIT, PageError};
use super::state::{Frame, Happening, Life, Request, TabState};
use crate::options::Observe;
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::{Duration, Instant};
use truehand_base::{
    CallCtx, DomEffect, ErrorBody, ErrorCode, FocusEffect, Hit, InvalidField, LateEffect, NetworkEffect,
    PageEffect, RequestFact, ScrollEffect, UrlEffect, ValueFact, Verdict,
};
use truehand_cdp::{ExecutionContextId, FrameId};

/// A window that is open.
pub(crate) struct Window {
    from: u64,
    started: Instant,
    documents: u64,
    armed: Vec<(Frame, u64)>,
    late: LateEffect,
}

impl Window {
    /// The same window with its time starting now: what came before belongs to the gesture.
    pub fn starting_now(mut self) -> Self {
        self.started = Instant::now();
        self
    }

    /// The same window with its time starting anew, after a dialog held it up.
    pub fn resumed(mut self) -> Self {
        self.started = Instant::now();
        self.late = LateEffect::default();
        self
    }
}

/// What the observer of one frame counted.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Settled {
    seen: bool,
    superseded: bool,
    dom: DomEffect,
    focus: SettledFocus,
    hit: Option<Hit>,
    values: Vec<SettledValue>,
    refused: Vec<InvalidField>,
    scrolled: Option<SettledScroll>,
    truncated: Option<bool>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct SettledFocus {
    before: Option<String>,
    after: Option<String>,
    moved: bool,
    effect: bool,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct SettledValue {
    #[serde(rename = "ref")]
    element: String,
    got: String,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct SettledScroll {
    target: String,
    dx: f64,
    dy: f64,
    at_end: Option<bool>,
}

impl SettledValue {
    fn fact(self) -> ValueFact {
        ValueFact { element: self.element, asked: None, got: self.got, ok: true }
    }
}

/// How a round of settling ended.
enum Round {
    /// Every frame answered or went away.
    Quiet,
    /// A dialog opened, or the tab ended: the page will not answer.
    Stopped,
}

/// How long a new document may take from its first content to its load event before it counts as usable.
const LOAD_GRACE: Duration = Duration::from_millis(1_000);
/// How long a document may go on changing after its load event.
const REST_TIME: Duration = Duration::from_millis(400);
/// How soon a document that was replaced is asked for its successor.
const GONE_PAUSE: Duration = Duration::from_millis(5);
/// How much longer than it was told a page may take to settle before it counts as unresponsive.
const SETTLE_GRACE: Duration = Duration::from_millis(2_000);
/// How long requests that started after an action's window are waited for when somebody asks what became of them.
const LATE_TIME: Duration = Duration::from_millis(500);
/// How long a page that goes on changing is looked at where nobody waits for the end of it.
const QUICK_TIME: Duration = Duration::from_millis(300);
/// How long the address of a tab that was opened is waited for.
const NAME_TIME: Duration = Duration::from_millis(500);

impl Tab {
    /// Opens a window. `armed` is a frame whose observer the caller armed already, with the answer of that call.
    pub(crate) async fn open_window(
        &self,
        ctx: &CallCtx,
        armed: Option<(&Frame, &Value)>,
    ) -> Result<Window, ErrorBody> {
        let frames = self.with(|s| s.live_frames());
        let mut late = LateEffect::default();
        let mut counted = Vec::new();
        if let Some((frame, answer)) = armed {
            counted.push((frame.clone(), take_armed(answer, &mut late)));
        }
        let mut asking = FuturesUnordered::new();
        for frame in frames {
            if armed.is_some_and(|(f, _)| f.id == frame.id) {
                continue;
            }
            // An event that is aimed at another frame and arrives here was taken by a cover.
            let args = json!({ "frame": frame.number, "elsewhere": armed.is_some() });
            let pending = self.start_asking(&frame, "arm", args);
            asking.push(async move {
                let answer = match pending {
                    Ok(pending) => self.answer_of(ctx, &frame, "arm", pending, ANSWER_LIMIT).await,
                    Err(error) => Err(error),
                };
                (frame, answer)
            });
        }
        while let Some((frame, answer)) = asking.next().await {
            match answer {
                Ok(answer) => counted.push((frame, take_armed(&answer, &mut late))),
                Err(PageError::DocumentGone) => {}
                Err(other) => return Err(other.into_body(self)),
            }
        }
        drop(asking);
        self.catch_up(ctx).await;
        Ok(self.with(|s| {
            let since = s.last_window_end;
            for what in s.log.since(since) {
                match what {
                    Happening::Dialog(dialog) => late.dialogs.push(dialog.clone()),
                    Happening::Download(download) => late.downloads.push(download.clone()),
                    Happening::TabOpened(tab) => late.tabs.opened.push(tab.clone()),
                    Happening::TabClosed(tab) => late.tabs.closed.push(tab.clone()),
                    Happening::Url { after, .. } => late.url = Some(after.clone()),
                }
            }
            let url = s.url.clone();
            late.failed = s
                .requests
                .iter()
                .filter(|r| r.ended.is_some_and(|e| e > since) && r.failed() && !r.ambient && !r.beacon)
                .map(|r| r.fact(&url))
                .take(10)
                .collect();
            Window {
                from: s.open_window(),
                started: Instant::now(),
                documents: s.documents,
                armed: counted,
                late,
            }
        }))
    }

    /// Requests that send data and failed after the last action's window had closed, or have no answer yet. Those that
    /// are on their way are waited for, but not for long. The next action's window tells the failures as well.
    pub async fn failed_late(&self, ctx: &CallCtx) -> Vec<RequestFact> {
        let sends = |r: &Request| {
            let method = matches!(r.method.as_str(), "POST" | "PUT" | "PATCH" | "DELETE");
            method && !r.ambient && !r.beacon
        };
        // What the page showed may have come before the word of what it sent.
        self.catch_up(ctx).await;
        let soon = ctx.at_most(LATE_TIME);
        let answered = |s: &mut TabState| (!s.requests.iter().any(|r| sends(r) && r.open())).then_some(());
        // One that is still open then is told as such.
        drop(self.wait_until(&soon, "requests that are on their way", answered).await);
        self.with(|s| {
            let since = s.last_window_end;
            let late = |r: &&Request| r.ended.unwrap_or(r.started) > since && r.failed() || r.open();
            let told = s.requests.iter().filter(|r| sends(r)).filter(late);
            told.map(|r| r.fact(&s.url)).take(10).collect()
        })
    }

    /// A window on a page that answers nothing: only what the browser reports is counted.
    pub(crate) fn open_blind_window(&self) -> Window {
        self.with(|s| Window {
            from: s.open_window(),
            started: Instant::now(),
            documents: s.documents,
            armed: Vec::new(),
            late: LateEffect::default(),
        })
    }

    /// Waits until the action's effect has settled, closes the window and reports what was counted.
    pub(crate) async fn observe(&self, ctx: &CallCtx, window: Window, observe: &Observe) -> PageEffect {
        if observe.quick {
            return self.glance(ctx, window, !observe.window.is_zero()).await;
        }
        let mut counts: HashMap<FrameId, Settled> = HashMap::new();
        let min_at = window.started + observe.window;
        let cap_at = window.started + observe.cap;
        let mut seen = false;
        loop {
            seen |= self.seen_outside(&window);
            if let Round::Stopped = self.settle_round(ctx, &window, min_at, cap_at, seen, &mut counts).await {
                break;
            }
            if Instant::now() >= cap_at || ctx.check("the effect").is_err() || !self.still_busy(&window) {
                break;
            }
            // A request of the action is in flight, or a document is on its way: the window stays open for it.
            while self.still_busy(&window) && Instant::now() < cap_at && !ctx.remaining().is_zero() {
                let left = cap_at.saturating_duration_since(Instant::now());
                // An answer whose body never ends stops counting after a while, of which no event tells.
                let limited = ctx.at_most(left.min(super::state::BODY_TIME));
                let done = self.wait_until(&limited, "requests of the action", |s| {
                    let stopped = s.dialog.is_some() || s.life != Life::Alive;
                    (stopped || !busy(s, &window)).then_some(())
                });
                if done.await.is_ok() || ctx.cancel().is_cancelled() {
                    break;
                }
            }
            seen = true;
        }
        if ctx.cancel().is_cancelled() {
            self.stop_downloads_since(window.from, "its call was cancelled");
        }
        if self.with(|s| s.documents != window.documents) {
            self.finish_document(ctx, cap_at, &mut counts).await;
        }
        self.catch_up(ctx).await;
        self.conclude(window, counts)
    }

    /// Looks for two quiet frames and no longer; where not even that is wanted, it goes on only after what it sees at once.
    /// What was not seen by then may still come, which can't be told from nothing.
    async fn glance(&self, ctx: &CallCtx, window: Window, frames: bool) -> PageEffect {
        let mut counts = HashMap::new();
        let now = Instant::now();
        let seen = frames || self.seen_outside(&window);
        // How it ended makes no difference: what was counted by then is what there is.
        let _: Round = self.settle_round(ctx, &window, now, now + QUICK_TIME, seen, &mut counts).await;
        self.catch_up(ctx).await;
        let mut effect = self.conclude(window, counts);
        effect.glanced = true;
        if matches!(effect.verdict, Verdict::NoChange | Verdict::AmbientOnly) {
            effect.verdict = Verdict::Unknown;
        }
        effect
    }

    /// What was counted, and the end of the window.
    fn conclude(&self, window: Window, counts: HashMap<FrameId, Settled>) -> PageEffect {
        let effect = self.assemble(&window, counts);
        if self.with(|s| s.dialog.is_some()) {
            // The page stands still: its counters go on once the dialog is answered.
            *super::lock(&self.inner.interrupted) = Some(window);
            return effect;
        }
        for frame in self.with(|s| s.live_frames()) {
            // Later changes are late ones; nobody waits for this answer.
            drop(self.start_asking(&frame, "close", json!({})));
        }
        self.with(super::state::TabState::close_window);
        effect
    }

    /// Closes a window of an action that failed on its way.
    pub(crate) fn abandon(&self, window: Option<Window>) {
        if window.is_some() {
            for frame in self.with(|s| s.live_frames()) {
                drop(self.start_asking(&frame, "close", json!({})));
            }
            self.with(super::state::TabState::close_window);
        }
    }

    /// Effects that do not show in any document.
    fn seen_outside(&self, window: &Window) -> bool {
        self.with(|s| {
            s.documents != window.documents
                || s.caused_since(window.from).next().is_some()
                || s.log.since(window.from).next().is_some()
        })
    }

    fn still_busy(&self, window: &Window) -> bool {
        self.with(|s| busy(s, window))
    }

    /// Lets every frame settle at once. As soon as one saw an effect and is quiet, the others are asked to finish.
    async fn settle_round(
        &self,
        ctx: &CallCtx,
        window: &Window,
        min_at: Instant,
        cap_at: Instant,
        seen: bool,
        counts: &mut HashMap<FrameId, Settled>,
    ) -> Round {
        let worlds: HashMap<FrameId, ExecutionContextId> = self
            .with(|s| s.live_frames())
            .into_iter()
            .filter_map(|f| Some((f.id.clone(), f.world?)))
            .collect();
        let frames: Vec<&Frame> = window
            .armed
            .iter()
            .map(|(frame, _)| frame)
            .filter(|f| f.world.is_some() && worlds.get(&f.id) == f.world.as_ref())
            .collect();
        let mut changes = self.inner.changed.subscribe();
        let mut asking = FuturesUnordered::new();
        let settle = |frame: &Frame, seen: bool| {
            let now = Instant::now();
            let limit = cap_at.saturating_duration_since(now) + SETTLE_GRACE;
            let args = json!({
                "frame": frame.number,
                "min_ms": millis(min_at.saturating_duration_since(now)),
                "max_ms": millis(cap_at.saturating_duration_since(now)),
                "seen": seen,
            });
            let frame = frame.clone();
            async move {
                let answer = match self.start_asking(&frame, "settle", args) {
                    Ok(pending) => self.answer(ctx, "settle", pending, limit).await,
                    Err(error) => Err(error),
                };
                (frame.id, answer)
            }
        };
        for frame in &frames {
            asking.push(settle(frame, seen));
        }
        let mut told = seen;
        while !asking.is_empty() {
            tokio::select! {
                biased;
                Some((frame, answer)) = asking.next() => match answer {
                    Ok(value) => {
                        let settled: Settled = serde_json::from_value(value).unwrap_or_default();
                        if settled.superseded {
                            continue;
                        }
                        if settled.seen && !told {
                            told = true;
                            for other in frames.iter().filter(|f| f.id != frame && !counts.contains_key(&f.id)) {
                                asking.push(settle(other, true));
                            }
                        }
                        counts.insert(frame, settled);
                    }
                    Err(PageError::DocumentGone) => {}
                    Err(PageError::DialogOpen) => return Round::Stopped,
                    Err(PageError::Failed(error)) => {
                        if error.code == ErrorCode::PageUnresponsive {
                            self.with(|s| s.unresponsive = true);
                        }
                        if error.code == ErrorCode::PageUnresponsive
                            || self.with(|s| s.life != Life::Alive)
                            || ctx.remaining().is_zero()
                        {
                            return Round::Stopped;
                        }
                    }
                },
                _ = changes.changed() => {
                    if self.with(|s| s.life != Life::Alive || s.dialog.is_some()) {
                        return Round::Stopped;
                    }
                    if !told && self.seen_outside(window) {
                        told = true;
                        for frame in &frames {
                            asking.push(settle(frame, true));
                        }
                    }
                }
            }
        }
        Round::Quiet
    }

    /// Waits until the new document of the main frame can be used, and counts its elements.
    async fn finish_document(&self, ctx: &CallCtx, cap_at: Instant, counts: &mut HashMap<FrameId, Settled>) {
        let stopped = |s: &super::state::TabState| s.dialog.is_some() || s.life != Life::Alive;
        let left = cap_at.saturating_duration_since(Instant::now()).max(Duration::from_millis(500));
        let limited = ctx.at_most(left);
        let args = json!({ "load_ms": millis(LOAD_GRACE), "rest_ms": millis(REST_TIME) });
        // A document that sends the browser on at once is replaced while it is waited for.
        let (frame, stats) = loop {
            let content = self.wait_until(&limited, "the new document", |s| {
                (stopped(s) || (s.content_loaded && s.main().is_some_and(|f| f.world.is_some())))
                    .then_some(())
            });
            if content.await.is_err() || self.with(|s| stopped(s)) {
                return;
            }
            let Some(frame) = self.with(|s| s.main().cloned()) else { return };
            let asked = match self.start_asking(&frame, "arrived", args.clone()) {
                Ok(pending) => {
                    self.answer(ctx, "arrived", pending, LOAD_GRACE + REST_TIME + SETTLE_GRACE).await
                }
                Err(error) => Err(error),
            };
            match asked {
                Ok(stats) => break (frame, stats),
                Err(PageError::DocumentGone) if limited.check("the new document").is_ok() => {
                    tokio::time::sleep(GONE_PAUSE).await;
                }
                Err(error) => {
                    tracing::debug!("the new document was not counted: {}", error.into_body(self));
                    return;
                }
            }
        };
        if let Some(title) = stats["title"].as_str() {
            self.set_title(title.to_owned());
        }
        let elements = stats["elements"].as_u64().unwrap_or_default();
        self.with(|s| s.elements = elements);
        let dom = DomEffect { added: elements, ..DomEffect::default() };
        counts.insert(frame.id.clone(), Settled { seen: true, dom, ..Settled::default() });
    }

    fn assemble(&self, window: &Window, counts: HashMap<FrameId, Settled>) -> PageEffect {
        let mut effect = PageEffect { window_ms: millis(window.started.elapsed()), ..PageEffect::default() };
        let measured = !counts.is_empty();
        let mut focus_effect = false;
        let main = self.with(|s| s.main_frame.clone());
        let mut frames: Vec<(FrameId, Settled)> = counts.into_iter().collect();
        frames.sort_by_key(|(id, _)| *id != main);
        for (_, count) in frames {
            effect.dom.absorb(&count.dom);
            focus_effect |= count.focus.effect;
            if count.focus.moved && !effect.focus.changed {
                effect.focus = FocusEffect {
                    changed: true,
                    before_selector: count.focus.before,
                    after_selector: count.focus.after,
                };
            }
            if effect.hit.is_none() {
                effect.hit = count.hit;
            }
            if count.truncated == Some(true) {
                effect.truncated = Some(true);
            }
            let moved = count.scrolled.filter(|s| s.dx != 0.0 || s.dy != 0.0);
            if effect.scroll.is_none() {
                effect.scroll =
                    moved.map(|s| ScrollEffect { target: s.target, dx: s.dx, dy: s.dy, at_end: s.at_end });
            }
            effect.invalid.extend(count.refused);
            effect.values.extend(count.values.into_iter().map(SettledValue::fact));
        }
        let elements_before: u64 = window.armed.iter().filter(|(f, _)| f.id == main).map(|(_, n)| *n).sum();
        let (gone, facts) = self.with(|s| {
            if s.documents != window.documents {
                effect.dom.removed += elements_before;
            }
            let page_url = s.url.clone();
            effect.network = network(s, window.from, &page_url);
            effect.console_errors.clone_from(&s.console.listed);
            effect.console_errors_left_out = s.console.left_out;
            let mut addresses = Vec::new();
            for what in s.log.since(window.from) {
                match what {
                    Happening::Dialog(dialog) => effect.dialogs.push(dialog.clone()),
                    Happening::Download(download) => effect.downloads.push(download.clone()),
                    Happening::TabOpened(tab) => effect.tabs.opened.push(tab.clone()),
                    Happening::TabClosed(tab) => effect.tabs.closed.push(tab.clone()),
                    Happening::Url { before, after, same_document } => {
                        addresses.push((before.clone(), after.clone(), *same_document));
                    }
                }
            }
            (s.life != Life::Alive, addresses)
        });
        if let (Some(first), Some(last)) = (facts.first(), facts.last()) {
            effect.url = UrlEffect {
                changed: true,
                before: Some(first.0.clone()),
                after: Some(last.1.clone()),
                same_document: Some(facts.iter().all(|f| f.2)),
            };
        }
        effect.late = (!window.late.is_empty()).then(|| window.late.clone());
        effect.verdict = verdict(&effect, focus_effect, measured || gone);
        effect.bound();
        effect
    }
}

/// The judgement, from counts alone.
fn verdict(effect: &PageEffect, focus_effect: bool, measured: bool) -> Verdict {
    // A form that was not sent moves the focus and the view to what is missing, which is nobody's goal.
    let sent_back = !effect.invalid.is_empty();
    let changed = effect.dom.total() > 0
        || effect.url.changed
        || (!sent_back && (focus_effect || effect.scroll.is_some()))
        || effect.network.requests_started > 0
        || !effect.values.is_empty()
        || !effect.dialogs.is_empty()
        || !effect.downloads.is_empty()
        || !effect.tabs.opened.is_empty()
        || !effect.tabs.closed.is_empty();
    if effect.hit.as_ref().is_some_and(|h| !h.intended) {
        Verdict::Blocked
    } else if changed {
        Verdict::Changed
    } else if !measured {
        Verdict::Unknown
    } else if effect.dom.ambient + effect.network.ambient > 0 {
        Verdict::AmbientOnly
    } else {
        Verdict::NoChange
    }
}

/// Whether something of the action is still on its way: a request, or a document.
fn busy(state: &super::state::TabState, window: &Window) -> bool {
    if state.navigating {
        return true;
    }
    if state.documents != window.documents {
        // What a new document loads is judged by its load event.
        return false;
    }
    let unnamed = |what: &Happening| matches!(what, Happening::TabOpened(tab) if tab.url.is_empty());
    if window.started.elapsed() < NAME_TIME && state.log.since(window.from).any(unnamed) {
        return true;
    }
    let download = |what: &Happening| matches!(what, Happening::Download(_));
    let downloading = |what: &Happening| matches!(what, Happening::Download(d) if d.state == "in_progress");
    if !state.log.since(window.from).any(download)
        && state.caused_since(window.from).any(super::state::Request::given_up)
    {
        return true;
    }
    state.caused_since(window.from).any(super::state::Request::open)
        || state.log.since(window.from).any(downloading)
}

fn network(state: &super::state::TabState, from: u64, page_url: &str) -> NetworkEffect {
    let mut network = NetworkEffect::default();
    for request in state.caused_since(from) {
        network.requests_started += 1;
        if request.ended.is_some() || request.status.is_some() {
            network.requests_completed += 1;
        } else {
            network.in_flight_at_end += 1;
        }
        let fact: RequestFact = request.fact(page_url);
        if request.failed() && network.failed.len() < 20 {
            network.failed.push(fact.clone());
        }
        let sends = request.method != "GET" || (request.kind == "Document" && request.main);
        if sends && network.sent.len() < 20 {
            network.sent.push(fact);
        }
    }
    network.beacons = state.beacons_since(from).take(10).map(|r| r.fact(page_url)).collect();
    network.ambient = state.requests.iter().filter(|r| r.started >= from && r.ambient).count() as u64;
    network
}

/// Reads the answer of arming: how many elements there are, and what changed since the last window.
fn take_armed(answer: &Value, late: &mut LateEffect) -> u64 {
    let armed = if answer["armed"].is_object() { &answer["armed"] } else { answer };
    if let Ok(dom) = serde_json::from_value::<DomEffect>(complete(&armed["late"])) {
        late.dom.absorb(&dom);
    }
    for value in armed["late"]["values"].as_array().into_iter().flatten() {
        if let Ok(value) = serde_json::from_value::<SettledValue>(value.clone()) {
            late.values.push(value.fact());
        }
    }
    armed["elements"].as_u64().unwrap_or_default()
}

/// Counters with those that are missing set to zero.
fn complete(counters: &Value) -> Value {
    let mut all = json!({ "added": 0, "removed": 0, "attr_changes": 0, "text_changes": 0, "ambient": 0, "incidental": 0 });
    if let (Some(all), Some(some)) = (all.as_object_mut(), counters.as_object()) {
        let known: Vec<_> = some
            .iter()
            .filter(|(k, v)| all.contains_key(*k) && v.is_u64())
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect();
        all.extend(known);
    }
    all
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
