//! The way of a call, step by step. What refuses it early costs nothing; what it did is recorded late.

use crate::engine::Core;
use crate::gate::{Asker, Further, complete, judge};
use crate::keys::{Claim, Claimed, Request};
use crate::limiter::Key;
use crate::record::{Span, Trail};
use crate::run::{self, Place};
use crate::settings::Now;
use crate::tasks::{Answer, Desk, Finisher, Job, attend, hand_over};
use crate::{admit, clients};
use serde_json::Value;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use truehand_base::text::clip;
use truehand_base::{
    Author, Call, CallCtx, EffectClass, ErrorBody, ErrorCode, Facts, Outcome, Progress, TabId, Verb, Warning,
};
use truehand_browser::{Observe, Scope, TabInfo};
use truehand_store::args_digest;
use truehand_tools::tool::task_wait;
use truehand_tools::{Info, Prepared, ToolSpec};
use url::Url;

/// The longest that a call may take, also one that goes on as a task.
const LONGEST: Duration = Duration::from_mins(11);

/// The most characters of a sentence in an outcome.
const LONGEST_SENTENCE: usize = 2_000;

/// The most entries of a list in an error.
const LONGEST_LIST: usize = 100;

/// A call on its way through the pipeline.
struct Work {
    /// The time up to the tool's work: what would only begin when its caller has its answer is refused.
    start: CallCtx,
    /// The time up to the answer.
    answer: CallCtx,
    /// The time up to the end.
    whole: CallCtx,
    /// The call as others see it.
    job: Arc<Job>,
}

/// Takes a call through the pipeline, and gives its outcome, or its name as a task when the answer is needed
/// before. It goes on to its end when the caller stops waiting, so that what it did is always recorded.
pub async fn call(core: Arc<Core>, ctx: CallCtx, call: Call) -> Outcome {
    let tool = clip(&call.tool, 80);
    let answer = Answer::of(&core, &ctx);
    let job = Job::new(call.client.clone(), core.clock.now());
    let (progress, steps) = unbounded_channel();
    let whole = ctx.at_most(LONGEST).cancelled_by(job.cancel().clone()).reporting_to(progress);
    let start = whole.at_most(answer.begun_by.saturating_duration_since(Instant::now()));
    let work = Work { start, answer: answer.limit(&whole), whole, job: Arc::clone(&job) };
    tokio::spawn(to_the_end(Arc::clone(&core), work, call, steps));
    attend(&core, &ctx, &job, answer, &tool).await
}

/// Runs a call and notes what it does and what it came to.
async fn to_the_end(core: Arc<Core>, work: Work, call: Call, mut steps: UnboundedReceiver<Progress>) {
    let (job, clock) = (Arc::clone(&work.job), Arc::clone(&core.clock));
    let _ends = Finisher::of(Arc::clone(&job), clip(&call.tool, 80), move || clock.now());
    let outcome = {
        let mut running = pin!(recorded(&core, &work, &call));
        loop {
            tokio::select! {
                biased;
                outcome = &mut running => break outcome,
                Some(step) = steps.recv() => job.note(step.message),
            }
        }
    };
    job.finish(outcome, core.clock.now());
    if let Some(id) = job.id() {
        core.tasks.tidy(core.settings.now().config.tasks, core.clock.now());
        core.note_end(&id).await;
    }
}

/// Counts a call as running until it is dropped, also when a step panics.
struct InFlight(Arc<Core>);

impl InFlight {
    fn enter(core: &Arc<Core>) -> InFlight {
        core.in_flight.fetch_add(1, Ordering::SeqCst);
        InFlight(Arc::clone(core))
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::SeqCst);
    }
}

async fn recorded(core: &Arc<Core>, work: &Work, call: &Call) -> Outcome {
    let _running = InFlight::enter(core);
    let (seq, began, start) = (core.seq.fetch_add(1, Ordering::SeqCst), core.wall(), core.clock.now());
    let mut trail = Trail::new(call);
    let ended = steps(core, work, call, &mut trail).await;
    let mut outcome = ended.unwrap_or_else(|error| Outcome::failed(trail.tool.clone(), error));
    outcome.warnings.append(&mut trail.warnings);
    let took = core.clock.now().saturating_duration_since(start);
    let span = Span { seq, began, took };
    let options = core.clients.options(&call.client);
    let write =
        options.trace.or(core.trace).unwrap_or(trail.trace) && !(trail.untraced && outcome.error.is_none());
    if let Err(error) = core.recorder.record(call, &trail, &outcome, span, write).await {
        outcome.warnings.push(unrecorded(&error));
    }
    bound(&mut outcome);
    outcome
}

/// Cuts what repeats the caller's own words: an argument can be megabytes long.
fn bound(outcome: &mut Outcome) {
    outcome.done = clip(&outcome.done, LONGEST_SENTENCE);
    for value in outcome.page_effect.iter_mut().flat_map(|effect| &mut effect.values) {
        value.asked = value.asked.as_deref().map(|text| clip(text, LONGEST_SENTENCE));
        value.got = clip(&value.got, LONGEST_SENTENCE);
    }
    let Some(error) = &mut outcome.error else { return };
    error.message = clip(&error.message, LONGEST_SENTENCE);
    error.next_step = clip(&error.next_step, LONGEST_SENTENCE);
    bound_texts(&mut error.data);
}

fn bound_texts(value: &mut Value) {
    match value {
        Value::String(text) => *text = clip(text, LONGEST_SENTENCE),
        Value::Array(items) => {
            let left_out = items.len().saturating_sub(LONGEST_LIST);
            items.truncate(LONGEST_LIST);
            items.iter_mut().for_each(bound_texts);
            if left_out > 0 {
                items.push(Value::String(format!("… {left_out} more")));
            }
        }
        Value::Object(map) => map.values_mut().for_each(bound_texts),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The steps up to the run; an error is a refusal before anything was done.
async fn steps(core: &Arc<Core>, work: &Work, call: &Call, trail: &mut Trail) -> Result<Outcome, ErrorBody> {
    if core.closing.load(Ordering::SeqCst) {
        return Err(ErrorBody::new(ErrorCode::DaemonUnavailable, "the product is shutting down"));
    }
    let now = core.settings.now();
    trail.trace = now.config.trace.enabled;
    trail.warnings.clone_from(&now.warnings);
    let spec = admit::find(&call.tool)?;
    trail.tool = spec.info.name.to_owned();
    trail.untraced = spec.info.untraced;
    admit::check_size(spec.info.name, &call.arguments)?;
    trail.arguments.clone_from(&call.arguments);
    let (arguments, prepared) = admit::parse(spec, call.arguments.clone())?;
    trail.arguments = arguments;
    trail.purpose = prepared.purpose().map(|words| clip(words, LONGEST_SENTENCE));
    admit::check_enabled(spec.info.name, &now.config, &core.settings.config_path())?;

    let claimed = match claim(core, work, call, spec, trail).await? {
        Some(Claim::Replay(outcome)) => return Ok(*outcome),
        Some(Claim::Runs(job)) => return hand_over(core, &job).await,
        Some(Claim::First(claimed)) => Some(claimed),
        None => None,
    };
    let ran = judged(core, work, call, spec, prepared, &now, trail).await;
    if let Some(claimed) = claimed {
        settle(core, claimed, ran.as_ref(), trail).await;
    }
    ran
}

/// Claims the request key of a call that can change something.
async fn claim(
    core: &Core,
    work: &Work,
    call: &Call,
    spec: &ToolSpec,
    trail: &Trail,
) -> Result<Option<Claim>, ErrorBody> {
    let Some(key) = call.request_key.clone().filter(|_| spec.info.effect != EffectClass::Read) else {
        return Ok(None);
    };
    let tool = spec.info.name.to_owned();
    let request =
        Request { key, client: call.client.to_string(), tool, digest: args_digest(&trail.arguments) };
    core.keys.claim(&work.answer, request, &work.job, core.wall()).await.map(Some)
}

/// Ends a request key: with the outcome when the call ran, free again when it was refused.
async fn settle(core: &Core, claimed: Claimed, ran: Result<&Outcome, &ErrorBody>, trail: &mut Trail) {
    let kept = match ran {
        Ok(outcome) => claimed.finish(outcome, core.wall()).await,
        Err(_) => claimed.forget().await,
    };
    if let Err(error) = kept {
        trail.warnings.push(unrecorded(&error));
    }
}

/// Limits, gate, lane, run.
async fn judged(
    core: &Arc<Core>,
    work: &Work,
    call: &Call,
    spec: &'static ToolSpec,
    mut prepared: Box<dyn Prepared>,
    now: &Now,
    trail: &mut Trail,
) -> Result<Outcome, ErrorBody> {
    let info = &spec.info;
    let ctx = &work.start;
    let scope = core.scope(&call.client);
    let options = core.clients.options(&call.client);
    let page = page(ctx, &scope, info, prepared.tab_id()).await?;
    if let Some(tab) = page.tab.and_then(|tab| scope.tab_if_open(Some(tab))) {
        prepared.see(&tab);
    }
    let facts = facts_of(prepared.as_ref(), page.url.as_deref(), &scope);
    trail.verbs = facts.iter().map(|step| step.verb).collect();

    if !info.unlimited {
        let keys = buckets(info, call, page.tab, &facts);
        core.limiter.take(&now.config.limits, &keys, core.clock.now())?;
    }
    gate(core, call, &options, &facts, now, trail)?;

    let _turn = match needs_lane(info, &facts) {
        true => {
            let tab = scope.tab(ctx, prepared.tab_id()).await?;
            prepared.pin_tab(tab.id());
            let hold = scope.hold(ctx, tab.id()).await?;
            let lane = tab.lane().acquire(ctx, &format!("{} of {}", info.name, call.client)).await?;
            // The page may be another one than before the wait, and the tab in another state.
            prepared.see(&tab);
            let now_facts = facts_of(prepared.as_ref(), Some(&tab.url()), &scope);
            if now_facts != facts {
                gate(core, call, &options, &now_facts, now, trail)?;
            }
            Some((hold, Some(lane)))
        }
        // An answer to a dialog waits for no call of the same client, and yet is only for who holds the tab.
        false => match page.tab.filter(|_| info.verb == Verb::Dialog) {
            Some(tab) => Some((scope.hold(ctx, tab).await?, None)),
            None => None,
        },
    };
    let desk = Desk { core: Arc::clone(core), client: call.client.clone() };
    let place = place(desk, scope.clone(), call, &options, now);
    // Waiting for a task is over with the answer and does not become one.
    let ctx = if info.name == task_wait::NAME {
        work.answer.clone()
    } else {
        work.job.begin(info.name);
        work.whole.at_most(prepared.patience())
    };
    let outcome = run::run(info.name, &ctx, prepared, place).await;
    trail.warnings.extend(scope.warnings());
    Ok(outcome)
}

fn gate(
    core: &Core,
    call: &Call,
    options: &clients::ClientOptions,
    facts: &[Facts],
    now: &Now,
    trail: &mut Trail,
) -> Result<(), ErrorBody> {
    let (client, rules_path) = (call.client.to_string(), core.settings.rules_path());
    let asker = Asker {
        client: &client,
        approval: call.approval.as_ref(),
        allowed: &options.allow,
        rules_path: &rules_path,
    };
    let judged = judge(&now.rules, facts, &asker);
    trail.decision = judged.decision;
    judged.refusal.map_or(Ok(()), Err)
}

/// The page that a call is about, before anything is done.
#[derive(Default)]
struct Page {
    tab: Option<TabId>,
    url: Option<String>,
}

/// Finds that page. A tab that was opened by a page is attached now, so that its true address is judged;
/// when no tab is open nothing is started. What frees a hanging tab is judged by the address that is known.
async fn page(ctx: &CallCtx, scope: &Scope, info: &Info, id: Option<TabId>) -> Result<Page, ErrorBody> {
    if !info.tab {
        return Ok(Page::default());
    }
    let open = match scope.tab_if_open(id) {
        Some(tab) => Some(tab),
        None => {
            let tabs = scope.list_tabs(ctx).await?;
            if frees_the_tab(info) {
                let meant = |tab: &&TabInfo| id.map_or(tab.current, |id| tab.tab_id == id);
                let known = tabs.iter().find(meant);
                return Ok(Page { tab: known.map(|t| t.tab_id), url: known.map(|t| t.url.clone()) });
            }
            if tabs.is_empty() { None } else { Some(scope.tab(ctx, id).await?) }
        }
    };
    Ok(Page { tab: open.as_ref().map(|tab| tab.id()), url: open.map(|tab| tab.url()) })
}

/// What the gate is told of a call on a page.
fn facts_of(prepared: &dyn Prepared, url: Option<&str>, scope: &Scope) -> Vec<Facts> {
    let mut facts = vec![prepared.facts()];
    facts.extend(prepared.more_facts());
    for step in &mut facts {
        step.page_url = url.map(str::to_owned);
        complete(step, scope);
    }
    facts
}

/// The buckets that a call takes from.
fn buckets(info: &Info, call: &Call, tab: Option<TabId>, facts: &[Facts]) -> Vec<Key> {
    let client = call.client.clone();
    // What may act and only reads this time counts as a reading.
    let reads = facts.iter().all(|step| step.verb == Verb::Read);
    if !info.acts() || reads {
        return vec![Key::Reads(client)];
    }
    let mut keys = vec![Key::Client(client.clone())];
    keys.extend(tab.map(|tab| Key::Tab(client, tab)));
    let first = facts.first();
    let address = first.and_then(|step| step.url.as_deref().or(step.page_url.as_deref()));
    let normal = address.and_then(|text| truehand_base::normalise_url(text).ok());
    let origin = normal.and_then(|text| Url::parse(&text).ok()).map(|url| url.origin());
    keys.extend(origin.filter(url::Origin::is_tuple).map(|origin| Key::Origin(origin.ascii_serialization())));
    keys
}

/// Acting calls on a tab go one after the other. Waiting for a page does not act: what is waited for may
/// be another call's doing.
fn needs_lane(info: &Info, facts: &[Facts]) -> bool {
    let acts = facts.iter().any(|step| step.verb != Verb::Read);
    info.tab && info.acts() && acts && !frees_the_tab(info)
}

/// Closing a tab and answering a dialog never queue, since they are what frees a tab whose last call hangs.
fn frees_the_tab(info: &Info) -> bool {
    matches!(info.verb, Verb::TabClose | Verb::Dialog)
}

fn place(desk: Desk, scope: Scope, call: &Call, options: &clients::ClientOptions, now: &Now) -> Place {
    let core = Arc::clone(&desk.core);
    let effects = now.config.effects;
    let named = Some(options.working_dir.clone()).filter(|folder| !folder.as_os_str().is_empty());
    let own = truehand_tools::Own {
        client: call.client.clone(),
        records: Arc::clone(&core.records),
        files: now.config.files.clone(),
        working_dir: named.clone(),
        within: call.within.clone(),
        pdf_worker: core.pdf_worker.clone(),
        now: core.wall(),
    };
    let working_dir = named.unwrap_or_else(|| core.home.root().to_owned());
    let gate = Further {
        rules: Arc::clone(&now.rules),
        client: call.client.to_string(),
        approval: call.approval.clone(),
        allowed: options.allow.clone(),
        rules_path: core.settings.rules_path(),
        scope: scope.clone(),
    };
    let author = Author {
        client: call.client.clone(),
        approval: call.approval.clone(),
        working_dir: working_dir.clone(),
        js_allowed: options.allow.contains(&Verb::Js),
    };
    Place {
        scope,
        observe: Observe {
            enabled: true,
            window: Duration::from_millis(effects.window_ms),
            cap: Duration::from_millis(effects.cap_ms),
            ..Observe::default()
        },
        working_dir,
        artifacts: core.artifacts.folder(core.wall()),
        tasks: Box::new(desk),
        gate: Box::new(gate),
        author,
        scripts: Arc::clone(&core.scripts),
        own,
    }
}

fn unrecorded(error: &ErrorBody) -> Warning {
    Warning {
        code: error.code.name().to_owned(),
        message: format!("the call was not recorded: {}", error.message),
    }
}
