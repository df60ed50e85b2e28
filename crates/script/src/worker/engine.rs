//! The engine with one scope, and the calls that run in it.
//!
//! Invariants: nothing runs between two calls; a call ends at its deadline, whatever the code does, unless it is inside of
//! native code of the engine (the host ends the process then); no value of the engine outlives it.

use super::natives;
use super::rewrite::{Refused, Rewritten, rewrite};
use super::source::{Position, caret};
use super::state::{Kept, Send, State};
use crate::wire::{Completion, Done, Eval, Fault, Limits, MOST_NAMES, Reply, Start, Status, Thrown, ToWorker};
use rquickjs::context::EvalOptions;
use rquickjs::function::IntoArgs;
use rquickjs::promise::PromiseState;
use rquickjs::{Context, Ctx, Function, Object, Promise, Runtime, Value};
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// The scope's own JavaScript, in the order in which it is evaluated.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/scope_files.rs"));

/// Jobs (steps of promises) that run before the clock and the replies are looked at again.
const JOBS_A_ROUND: usize = 256;
/// How much may still run to bring a call to rest that is over.
const DRAIN_JOBS: usize = 5_000;
const DRAIN_TIME: Duration = Duration::from_millis(50);
/// How long the hooks at the end of a call may take.
const END_HOOKS: Duration = Duration::from_millis(1_000);
/// How long a completion may take.
const COMPLETE: Duration = Duration::from_millis(300);
/// How long looking at a value, or at something thrown, may take: it may be hostile, and so may what it stands on.
const LOOK: Duration = Duration::from_millis(500);
/// The most of a value that is shown.
const VALUE_BYTES: usize = 256 * 1024;
/// Rejections that nobody handled and that are reported.
const REJECTIONS: usize = 20;

/// What a scope whose heap is full gets to set its large variables to something small.
const RESERVE: usize = 8 * 1024 * 1024;

/// The call that the host wants to end; 0 is none. Shared with the thread that reads.
pub type Interrupts = Arc<AtomicU64>;

/// What Rust calls in the scope's JavaScript.
struct Entries {
    /// Runs the hooks of a call's start; gives a promise.
    start: Kept<Function<'static>>,
    /// Runs the hooks of a call's end; gives a promise.
    end: Kept<Function<'static>>,
    /// Makes a plain object of something thrown.
    describe: Kept<Function<'static>>,
    /// Makes `{text, json}` of a value.
    show: Kept<Function<'static>>,
    /// Follows a thenable; gives a promise.
    follow: Kept<Function<'static>>,
    /// Makes JSON of what can follow a dotted path.
    complete: Kept<Function<'static>>,
}

/// A promise and why it was rejected.
type Rejection = (Kept<Value<'static>>, Kept<Value<'static>>);

/// One scope.
pub struct Engine {
    state: Rc<State>,
    clock: Rc<Clock>,
    rejections: Rc<RefCell<Vec<Rejection>>>,
    entries: Option<Entries>,
    declared: HashSet<String>,
    /// Replies that came between two calls.
    late: Vec<Reply>,
    calls: u64,
    /// The last call left the heap full.
    full: bool,
    // Dropped in this order, and after what is above.
    context: Context,
    runtime: Runtime,
}

/// When the running code is to end.
struct Clock {
    deadline: Cell<Instant>,
    call: Cell<u64>,
    interrupts: Interrupts,
}

impl Clock {
    fn is_interrupted(&self) -> bool {
        let call = self.call.get();
        call != 0 && self.interrupts.load(Ordering::Relaxed) == call
    }

    fn over(&self) -> Option<Ended> {
        if self.is_interrupted() {
            Some(Ended::Interrupted)
        } else if Instant::now() >= self.deadline.get() {
            Some(Ended::Deadline)
        } else {
            None
        }
    }
}

/// Why waiting for a promise ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    Settled,
    /// Nothing is under way that could settle it.
    Never,
    Deadline,
    Interrupted,
    /// The host is gone.
    Gone,
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.state.clear();
        self.rejections.borrow_mut().clear();
        self.entries = None;
    }
}

impl Engine {
    /// Makes the engine and evaluates the scope's own JavaScript. Gives what of it threw.
    ///
    /// # Errors
    /// There is no memory for an engine, or the scope's first file is broken.
    pub fn new(start: Start, interrupts: Interrupts, send: Send) -> Result<(Self, Vec<Fault>), String> {
        let runtime = Runtime::new().map_err(|e| e.to_string())?;
        runtime.set_memory_limit(start.limits.memory_bytes);
        runtime.set_max_stack_size(start.limits.stack_bytes);
        let context = Context::full(&runtime).map_err(|e| e.to_string())?;
        let state = Rc::new(State::new(start.limits, send));
        state.inform(&start.info);
        let far = Instant::now() + Duration::from_secs(60);
        let clock = Rc::new(Clock { deadline: Cell::new(far), call: Cell::new(0), interrupts });
        let (held, watch) = (Rc::clone(&state), Rc::clone(&clock));
        runtime.set_interrupt_handler(Some(Box::new(move || {
            held.flush();
            watch.over().is_some()
        })));
        let rejections: Rc<RefCell<Vec<Rejection>>> = Rc::default();
        let list = Rc::clone(&rejections);
        runtime.set_host_promise_rejection_tracker(Some(Box::new(move |ctx, promise, reason, handled| {
            let mut list = list.borrow_mut();
            if handled {
                list.retain(|(kept, _)| kept.clone().restore(&ctx).is_ok_and(|kept| kept != promise));
            } else if list.len() < REJECTIONS {
                list.push((Kept::save(&ctx, promise), Kept::save(&ctx, reason)));
            }
        })));
        let (faults, entries) = context.with(|ctx| boot(&ctx, &state))?;
        let engine = Engine {
            state,
            clock,
            rejections,
            entries: Some(entries),
            declared: HashSet::new(),
            late: Vec::new(),
            calls: 0,
            full: false,
            context,
            runtime,
        };
        Ok((engine, faults))
    }

    /// Sends a line to the host.
    pub fn send(&self, line: crate::wire::FromWorker) {
        self.state.send(line);
    }

    /// Takes a reply that came while nothing ran.
    pub fn late(&mut self, reply: Reply) {
        self.late.push(reply);
    }

    /// What can follow a dotted path; nothing when it takes long.
    pub fn complete(&self, path: &str) -> Vec<Completion> {
        let Some(entries) = &self.entries else { return Vec::new() };
        self.clock.deadline.set(Instant::now() + COMPLETE);
        self.context.with(|ctx| {
            let told = entries.complete.clone().restore(&ctx).and_then(|complete| complete.call::<_, String>((path,)));
            let names = told.ok().and_then(|json| serde_json::from_str(&json).ok());
            if names.is_none() {
                drop(ctx.catch());
            }
            names.unwrap_or_default()
        })
    }

    /// Runs one call to its end. Nothing: the host is gone.
    pub fn call(&mut self, eval: Eval, inbox: &Receiver<ToWorker>) -> Option<Done> {
        let began = Instant::now();
        let deadline = began + Duration::from_millis(eval.timeout_ms);
        self.clock.call.set(eval.call);
        self.clock.deadline.set(deadline);
        self.state.call.set(eval.call);
        self.state.dead.set(false);
        if let Some(info) = &eval.info {
            self.state.inform(info);
        }
        self.calls += 1;
        let file = format!("call{}", self.calls);
        let late = std::mem::take(&mut self.late);
        let entries = self.entries.as_ref()?;
        let context = self.context.clone();
        let declared = &mut self.declared;
        let (state, clock, rejections) = (&self.state, &self.clock, &self.rejections);
        let mut done = context.with(|ctx| {
            let mut run = Run { ctx, state, clock, rejections, inbox, entries, file, gone: false };
            let mut done = run.whole(&eval, late, declared);
            if done.error.as_ref().is_some_and(|e| e.name == "Thrown" && e.message == "null") && !throws(&eval.code) {
                done.error = Some(out_of_memory(&state.limits));
            }
            (!run.gone).then_some(done)
        })?;
        done.call = eval.call;
        self.clock.call.set(0);
        self.measure(&mut done, began);
        Some(done)
    }

    fn measure(&mut self, done: &mut Done, began: Instant) {
        let limit = self.state.limits.memory_bytes;
        let mut heap = self.heap();
        if heap > limit / 10 * 9 {
            self.runtime.run_gc();
            heap = self.heap();
            // There may have been no memory left to tell what was thrown.
            let starved = |e: &Thrown| e.name == "Thrown" && (e.message == "null" || e.message.ends_with("can't be shown]"));
            if done.error.as_ref().is_some_and(starved) {
                done.error = Some(out_of_memory(&self.state.limits));
            }
        }
        let full = heap > limit / 10 * 9;
        if full && self.full {
            done.lost = true;
        }
        // The next call gets a little more, to let go of what it holds; once.
        self.runtime.set_memory_limit(if full { heap + RESERVE } else { limit });
        self.full = full;
        done.heap_bytes = heap as u64;
        done.elapsed_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    }

    fn heap(&self) -> usize {
        usize::try_from(self.runtime.memory_usage().malloc_size).unwrap_or(usize::MAX)
    }
}

/// Lets the system's library read the time zone, while files are still in reach.
pub fn learn_time_zone() {
    if let Ok(context) = Runtime::new().and_then(|runtime| Context::full(&runtime)) {
        // Where there is none, dates are shown in UTC.
        let _minutes = context.with(|ctx| ctx.eval::<i32, _>("new Date(0).getTimezoneOffset()"));
    }
}

/// Evaluates the scope's own JavaScript.
fn boot(ctx: &Ctx<'_>, state: &Rc<State>) -> Result<(Vec<Fault>, Entries), String> {
    let mut faults = Vec::new();
    let failed = |e: rquickjs::Error| format!("{e}: {}", short(ctx, &ctx.catch()));
    let kernel = Object::new(ctx.clone()).map_err(failed)?;
    let native = natives::make(ctx, state).map_err(failed)?;
    kernel.set("native", native).map_err(failed)?;
    for (name, code) in FILES {
        if let Err(e) = load(ctx, &kernel, name, code) {
            let thrown = ctx.catch();
            let message = if matches!(e, rquickjs::Error::Exception) { short(ctx, &thrown) } else { e.to_string() };
            faults.push(Fault { file: (*name).to_owned(), message });
        }
    }
    let entry = |name: &str| -> Result<Kept<Function<'static>>, String> {
        let function: Function = kernel.get(name).map_err(|e| format!("{name}: {e}; {faults:?}"))?;
        Ok(Kept::save(ctx, function))
    };
    let entries = Entries {
        start: entry("runStart")?,
        end: entry("runEnd")?,
        describe: entry("describe")?,
        show: entry("show")?,
        follow: entry("follow")?,
        complete: entry("complete")?,
    };
    Ok((faults, entries))
}

fn load<'js>(ctx: &Ctx<'js>, kernel: &Object<'js>, name: &str, code: &str) -> rquickjs::Result<()> {
    let file: Function = ctx.eval_with_options(code, options(&format!("scope/{name}"), false))?;
    file.call((kernel.clone(),))
}

fn options(file: &str, promise: bool) -> EvalOptions {
    let mut options = EvalOptions::default();
    options.strict = false;
    options.promise = promise;
    options.filename = Some(file.to_owned());
    options
}

/// Something thrown, in one line, without the scope's help.
fn short(ctx: &Ctx<'_>, thrown: &Value<'_>) -> String {
    let field = |name: &str| -> Option<String> {
        let text: Option<String> = thrown.as_object()?.get(name).ok();
        if text.is_none() {
            // Reading a hostile object may have thrown.
            drop(ctx.catch());
        }
        text
    };
    match (field("name"), field("message")) {
        (Some(name), Some(message)) => {
            let place = field("stack").and_then(|s| s.lines().next().map(|l| format!(" {}", l.trim())));
            format!("{name}: {message}{}", place.unwrap_or_default())
        }
        _ => match (thrown.as_string(), thrown.as_number()) {
            (Some(text), _) => text.to_string().unwrap_or_default(),
            (None, Some(number)) => number.to_string(),
            (None, None) => format!("[{} that can't be shown]", thrown.type_name()),
        },
    }
}

/// One call while it runs.
struct Run<'a, 'js> {
    ctx: Ctx<'js>,
    state: &'a State,
    clock: &'a Clock,
    rejections: &'a RefCell<Vec<Rejection>>,
    inbox: &'a Receiver<ToWorker>,
    entries: &'a Entries,
    file: String,
    gone: bool,
}

impl<'js> Run<'_, 'js> {
    fn whole(&mut self, eval: &Eval, late: Vec<Reply>, declared: &mut HashSet<String>) -> Done {
        let mut done = Done::default();
        for reply in late {
            self.reply(reply);
        }
        let code = rewrite(&eval.code);
        let shift = code.as_ref().map_or(0, |code| code.shift);
        let begin = (self.file.clone(), shift, eval.code.as_str());
        let ended = match self.hooks(&self.entries.start.clone(), begin) {
            Ended::Settled | Ended::Never => self.user(eval, code, declared, &mut done),
            other => other,
        };
        match ended {
            Ended::Settled | Ended::Never => {
                self.drain();
                self.report_rejections();
                self.clock.deadline.set(Instant::now() + END_HOOKS);
                self.hooks(&self.entries.end.clone(), ());
            }
            Ended::Deadline | Ended::Interrupted => {
                self.cut_off(ended, eval.timeout_ms, &mut done);
            }
            Ended::Gone => self.gone = true,
        }
        self.state.forget_ops(false);
        self.rejections.borrow_mut().clear();
        done.skipped = self.state.end_output();
        done
    }

    /// The user's own part of a call.
    fn user(
        &mut self,
        eval: &Eval,
        code: Result<Rewritten, Refused>,
        declared: &mut HashSet<String>,
        done: &mut Done,
    ) -> Ended {
        let code = match code {
            Ok(code) => code,
            Err(refused) => {
                fail(done, refusal(&eval.code, &refused));
                return Ended::Settled;
            }
        };
        let globals = self.ctx.globals();
        done.redeclared = code
            .lexical
            .iter()
            .filter(|name| declared.contains(*name) || globals.contains_key(name.as_str()).unwrap_or(false))
            .cloned()
            .collect();
        done.declared = code.lexical.iter().chain(&code.loose).take(MOST_NAMES).cloned().collect();
        declared.extend(code.lexical.iter().chain(&code.loose).cloned());
        let main = self.begin(&code.declares, &code.runs);
        let main = match main {
            Ok(main) => main,
            Err(error) => {
                let thrown = self.ctx.catch();
                let mut thrown = self.describe(&error, thrown);
                if thrown.name == "SyntaxError" {
                    point(&mut thrown, &eval.code);
                }
                fail(done, thrown);
                return self.clock.over().unwrap_or(Ended::Settled);
            }
        };
        let ended = self.settle(&main, true);
        match ended {
            Ended::Settled => {}
            Ended::Never => {
                fail(done, never());
                return ended;
            }
            other => return other,
        }
        // The script's own promise gives `{value}`, with the value as it is.
        let result = main.result::<Object<'js>>().unwrap_or(Err(rquickjs::Error::Unknown));
        match result.and_then(|result| result.get::<_, Value<'js>>("value")) {
            Ok(value) => self.value(value, done),
            Err(error) => self.thrown(&main, error, done),
        }
    }

    fn begin(&self, declares: &str, runs: &str) -> rquickjs::Result<Promise<'js>> {
        if !declares.is_empty() {
            self.ctx.eval_with_options::<Value<'js>, _>(declares, options(&self.file, false))?;
        }
        self.ctx.eval_with_options(runs, options(&self.file, true))
    }

    /// Waits for the value if it is a promise, and shows it.
    fn value(&mut self, value: Value<'js>, done: &mut Done) -> Ended {
        let promise = match value.as_promise() {
            Some(promise) => Some(promise.clone()),
            None => self.thenable(&value),
        };
        let value = match promise {
            None => value,
            Some(promise) => {
                match self.settle(&promise, true) {
                    Ended::Settled => {}
                    Ended::Never => {
                        fail(done, never());
                        return Ended::Never;
                    }
                    other => return other,
                }
                match promise.result::<Value<'js>>() {
                    Some(Ok(value)) => value,
                    Some(Err(error)) => return self.thrown(&promise, error, done),
                    None => return Ended::Settled,
                }
            }
        };
        if !value.is_undefined() {
            self.show(value, done);
        }
        self.clock.over().unwrap_or(Ended::Settled)
    }

    fn thenable(&self, value: &Value<'js>) -> Option<Promise<'js>> {
        let then = value.as_object().and_then(|object| object.get::<_, Function<'js>>("then").ok());
        if then.is_none() {
            drop(self.ctx.catch());
            return None;
        }
        let follow = self.entries.follow.clone().restore(&self.ctx).ok()?;
        follow.call::<_, Promise<'js>>((value.clone(),)).ok()
    }

    /// Looks at a value for a moment. Nothing: it took too long, or threw.
    fn look<T>(&self, entry: &Kept<Function<'static>>, value: &Value<'js>) -> Option<T>
    where
        T: rquickjs::FromJs<'js>,
    {
        self.shortly(|| {
            let seen = entry.clone().restore(&self.ctx).and_then(|look| look.call::<_, T>((value.clone(),)));
            if seen.is_err() {
                drop(self.ctx.catch());
            }
            seen.ok()
        })
    }

    fn shortly<T>(&self, run: impl FnOnce() -> T) -> T {
        let deadline = self.clock.deadline.get();
        self.clock.deadline.set(deadline.min(Instant::now() + LOOK));
        let value = run();
        self.clock.deadline.set(deadline);
        value
    }

    fn show(&self, value: Value<'js>, done: &mut Done) {
        match self.look::<Object<'js>>(&self.entries.show, &value) {
            Some(shown) => {
                let mut text = shown.get::<_, String>("text").unwrap_or_default();
                if text.len() > VALUE_BYTES {
                    let cut = super::source::ceil_boundary(&text, VALUE_BYTES);
                    let left = text.len() - cut;
                    text.truncate(cut);
                    text.push_str(&format!("… {left} more bytes"));
                }
                done.value = Some(text);
                let json = shown.get::<_, Option<String>>("json").ok().flatten();
                done.json = json.and_then(|json| serde_json::value::RawValue::from_string(json).ok());
            }
            None => done.value = Some(format!("[{} that can't be shown]", value.type_name())),
        }
    }

    /// The call's own promise was rejected: it counts as handled.
    fn thrown(&self, promise: &Promise<'js>, error: rquickjs::Error, done: &mut Done) -> Ended {
        let thrown = self.ctx.catch();
        let own: &Value<'js> = promise.as_value();
        self.rejections.borrow_mut().retain(|(kept, reason)| {
            let other = |kept: &Kept<Value<'static>>, value: &Value<'js>| {
                kept.clone().restore(&self.ctx).is_ok_and(|kept| kept != *value)
            };
            other(kept, own) && (!thrown.is_object() || other(reason, &thrown))
        });
        // Looking at a hostile object may take for ever.
        let told = self.describe(&error, thrown);
        if let Some(ended) = self.clock.over() {
            return ended;
        }
        fail(done, told);
        Ended::Settled
    }

    /// What was thrown, told by the scope, or by ourselves when it can't.
    fn describe(&self, error: &rquickjs::Error, thrown: Value<'js>) -> Thrown {
        if !matches!(error, rquickjs::Error::Exception) {
            return Thrown { name: "Error".to_owned(), message: error.to_string(), ..Thrown::default() };
        }
        let Some(told) = self.look::<Object<'js>>(&self.entries.describe, &thrown) else {
            let message = self.shortly(|| short(&self.ctx, &thrown));
            if message.contains("out of memory") {
                return out_of_memory(&self.state.limits);
            }
            return Thrown { name: "Thrown".to_owned(), message, ..Thrown::default() };
        };
        let text = |name: &str| told.get::<_, Option<String>>(name).ok().flatten();
        let message = text("message").unwrap_or_default();
        if message == "out of memory" {
            return out_of_memory(&self.state.limits);
        }
        Thrown {
            name: text("name").unwrap_or_else(|| "Error".to_owned()),
            message,
            code: text("code"),
            next_step: text("next_step"),
            stack: text("stack"),
            data: text("data").and_then(|json| serde_json::from_str(&json).ok()),
        }
    }

    /// Runs hooks of the scope's own JavaScript, and waits for them.
    fn hooks(&mut self, entry: &Kept<Function<'static>>, arguments: impl IntoArgs<'js>) -> Ended {
        let promise = entry.clone().restore(&self.ctx).and_then(|run| run.call::<_, Promise<'js>>(arguments));
        match promise {
            Ok(promise) => self.settle(&promise, false),
            Err(_) => {
                drop(self.ctx.catch());
                self.clock.over().unwrap_or(Ended::Settled)
            }
        }
    }

    /// Runs what can run until a promise is settled.
    fn settle(&mut self, promise: &Promise<'js>, timers: bool) -> Ended {
        loop {
            if let Some(ended) = self.clock.over() {
                return ended;
            }
            if promise.state() != PromiseState::Pending {
                return Ended::Settled;
            }
            let mut moved = false;
            while let Ok(line) = self.inbox.try_recv() {
                self.line(line);
                moved = true;
            }
            if timers {
                moved |= self.timer();
            }
            moved |= self.jobs(JOBS_A_ROUND) > 0;
            self.state.flush();
            if moved {
                continue;
            }
            let next = if timers { self.state.next_due() } else { None };
            if next.is_none() && !self.state.waits_for_op() {
                return Ended::Never;
            }
            let now = Instant::now();
            let until = next.map_or(self.clock.deadline.get(), |due| due.min(self.clock.deadline.get()));
            match self.inbox.recv_timeout(until.saturating_duration_since(now)) {
                Ok(line) => self.line(line),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ended::Gone,
            }
        }
    }

    fn line(&self, line: ToWorker) {
        // An interrupt has been noted by the thread that reads; here it only wakes us.
        if let ToWorker::Reply(reply) = line {
            self.reply(reply);
        }
    }

    fn reply(&self, reply: Reply) {
        if self.state.reply(&self.ctx, reply).is_err() {
            drop(self.ctx.catch());
        }
    }

    /// Runs at most so many jobs; how many did.
    fn jobs(&self, most: usize) -> usize {
        (0..most).take_while(|_| self.ctx.execute_pending_job()).count()
    }

    /// Runs the next timer that is due, if any.
    fn timer(&self) -> bool {
        let Some(run) = self.state.due_timer(Instant::now()) else { return false };
        if run.restore(&self.ctx).and_then(|run| run.call::<_, ()>(())).is_err() {
            let thrown = self.ctx.catch();
            self.complain("Uncaught", thrown);
        }
        true
    }

    /// Says that something was thrown where nobody could catch it.
    fn complain(&self, how: &str, thrown: Value<'js>) {
        if self.clock.over().is_some() {
            return;
        }
        let told = self.describe(&rquickjs::Error::Exception, thrown);
        let stack = told.stack.map(|stack| format!("\n{stack}")).unwrap_or_default();
        let next = told.next_step.map(|next| format!(" ({next})")).unwrap_or_default();
        self.state.print("error".to_owned(), format!("{how} {}: {}{next}{stack}", told.name, told.message));
    }

    fn report_rejections(&self) {
        let list = std::mem::take(&mut *self.rejections.borrow_mut());
        for (_, reason) in list {
            if let Ok(reason) = reason.restore(&self.ctx) {
                self.complain("Uncaught (in promise)", reason);
            }
        }
    }

    /// Lets what is ready run to its end, within limits. Whether it came to rest.
    fn drain(&self) -> bool {
        let until = Instant::now() + DRAIN_TIME;
        self.clock.deadline.set(until);
        for _ in 0..DRAIN_JOBS {
            if Instant::now() >= until {
                return false;
            }
            if self.jobs(1) == 0 {
                return true;
            }
        }
        false
    }

    /// The call's time is over, or it was interrupted: nothing of it may go on in the next call.
    fn cut_off(&mut self, ended: Ended, timeout_ms: u64, done: &mut Done) {
        self.state.dead.set(true);
        self.state.forget_ops(true);
        self.state.forget_timers();
        self.clock.call.set(0);
        let rested = self.drain();
        let (declared, redeclared) = (std::mem::take(&mut done.declared), std::mem::take(&mut done.redeclared));
        *done = Done { declared, redeclared, ..Done::default() };
        done.lost = !rested;
        let kept = if rested { "variables are kept" } else { "the scope's variables are lost" };
        if ended == Ended::Deadline {
            done.status = Status::Timeout;
            #[expect(clippy::cast_precision_loss, reason = "shown with one digit")]
            let seconds = timeout_ms as f64 / 1_000.0;
            done.error = Some(Thrown {
                name: "TimeoutError".to_owned(),
                message: format!("the code did not end within {seconds} s; {kept}"),
                code: Some("SCRIPT_TIMEOUT".to_owned()),
                next_step: Some("do less in one call, or pass a longer timeout_ms".to_owned()),
                ..Thrown::default()
            });
        } else {
            done.status = Status::Interrupted;
            done.error = Some(Thrown {
                name: "InterruptedError".to_owned(),
                message: format!("the code was interrupted; {kept}"),
                code: Some("CANCELLED".to_owned()),
                ..Thrown::default()
            });
        }
        if rested {
            self.state.dead.set(false);
            self.clock.deadline.set(Instant::now() + END_HOOKS / 2);
            self.hooks(&self.entries.end.clone(), ());
        }
    }
}

fn fail(done: &mut Done, thrown: Thrown) {
    done.status = Status::Error;
    done.value = None;
    done.json = None;
    done.error = Some(thrown);
}

fn refusal(code: &str, refused: &Refused) -> Thrown {
    let Position { line, column } = refused.at;
    let shown = caret(code, refused.at).map(|shown| format!("\n{shown}")).unwrap_or_default();
    Thrown {
        name: "SyntaxError".to_owned(),
        message: format!("{} (script:{line}:{column}){shown}", refused.message),
        ..Thrown::default()
    }
}

/// Shows the line of a syntax error that only the engine found.
fn point(thrown: &mut Thrown, code: &str) {
    let place = thrown.stack.as_deref().and_then(|stack| {
        let (_, place) = stack.lines().next()?.rsplit_once("script:")?;
        let (line, column) = place.trim_end_matches(')').split_once(':')?;
        Some(Position { line: line.parse().ok()?, column: column.parse().ok()? })
    });
    if let Some(shown) = place.and_then(|place| caret(code, place)) {
        thrown.message.push('\n');
        thrown.message.push_str(&shown);
    }
}

/// Whether null may have been thrown by the code. Without memory for an error the engine throws it.
fn throws(code: &str) -> bool {
    code.contains("throw") || code.contains("reject")
}

fn never() -> Thrown {
    Thrown {
        name: "Error".to_owned(),
        message: "the script waits for a promise that can never settle: no call, timer or event is under way that \
                  could settle it"
            .to_owned(),
        code: Some("NEVER_SETTLES".to_owned()),
        next_step: Some("look for a promise whose resolve is never called".to_owned()),
        ..Thrown::default()
    }
}

fn out_of_memory(limits: &Limits) -> Thrown {
    let mib = limits.memory_bytes / (1024 * 1024);
    Thrown {
        name: "RangeError".to_owned(),
        message: format!("out of memory: a scope has {mib} MiB"),
        code: Some("MEMORY_LIMIT".to_owned()),
        next_step: Some(
            "set large variables to undefined in the next call, or the scope is given up; work in smaller parts"
                .to_owned(),
        ),
        ..Thrown::default()
    }
}
