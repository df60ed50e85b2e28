//! The engine with one scope.
//!
//! Invariants: nothing runs between two calls; a call ends at its deadline, whatever the code does, unless it is inside of
//! native code of the engine (the host ends the process then); no value of the engine outlives it.

use super::natives;
use super::run::{Run, out_of_memory, throws};
use super::state::{Kept, Send, State};
use crate::wire::{Completion, Done, Eval, Fault, Reply, Start, Thrown, ToWorker};
use rquickjs::context::EvalOptions;
use rquickjs::{Context, Ctx, Function, Object, Runtime, Value};
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

/// The scope's own JavaScript, in the order in which it is evaluated.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/scope_files.rs"));

/// How long a completion may take.
const COMPLETE: Duration = Duration::from_millis(300);
/// Rejections that nobody handled and that are reported.
const REJECTIONS: usize = 20;

/// Heap at which cycles are looked for the first time, in bytes; the engine raises it as the heap grows.
const GC_THRESHOLD: usize = 8 * 1024 * 1024;

/// What a scope whose heap is full gets to set its large variables to something small.
const RESERVE: usize = 8 * 1024 * 1024;

/// A call that took less has not filled the heap.
const COUNT: Duration = Duration::from_millis(4);

/// The call that the host wants to end; 0 is none. Shared with the thread that reads.
pub type Interrupts = Arc<AtomicU64>;

/// What Rust calls in the scope's JavaScript.
pub(super) struct Entries {
    /// Runs the hooks of a call's start; gives a promise.
    pub(super) start: Kept<Function<'static>>,
    /// Runs the hooks of a call's end; gives a promise.
    pub(super) end: Kept<Function<'static>>,
    /// Makes a plain object of something thrown.
    pub(super) describe: Kept<Function<'static>>,
    /// Makes `{text, json}` of a value.
    pub(super) show: Kept<Function<'static>>,
    /// Follows a thenable; gives a promise.
    pub(super) follow: Kept<Function<'static>>,
    /// Makes JSON of what can follow a dotted path.
    pub(super) complete: Kept<Function<'static>>,
}

/// A promise and why it was rejected.
pub(super) type Rejection = (Kept<Value<'static>>, Kept<Value<'static>>);

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
    /// Heap in use when it was last counted, in bytes.
    heap: usize,
    // Dropped in this order, and after what is above.
    context: Context,
    runtime: Runtime,
}

/// When the running code is to end.
pub(super) struct Clock {
    pub(super) deadline: Cell<Instant>,
    pub(super) call: Cell<u64>,
    interrupts: Interrupts,
}

impl Clock {
    fn is_interrupted(&self) -> bool {
        let call = self.call.get();
        call != 0 && self.interrupts.load(Ordering::Relaxed) == call
    }

    pub(super) fn over(&self) -> Option<Ended> {
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
pub(super) enum Ended {
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
        // Nothing of what is loaded is garbage.
        runtime.set_gc_threshold(usize::MAX);
        let (faults, entries) = context.with(|ctx| boot(&ctx, &state))?;
        runtime.set_gc_threshold(GC_THRESHOLD);
        let engine = Engine {
            state,
            clock,
            rejections,
            entries: Some(entries),
            declared: HashSet::new(),
            late: Vec::new(),
            calls: 0,
            full: false,
            heap: 0,
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
            let told = entries
                .complete
                .clone()
                .restore(&ctx)
                .and_then(|complete| complete.call::<_, String>((path,)));
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
            if done.error.as_ref().is_some_and(|e| e.name == "Thrown" && e.message == "null")
                && !throws(&eval.code)
            {
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
        // Counting walks the heap. Nothing fills it in a moment, so small calls are counted now and then.
        if began.elapsed() >= COUNT || self.full || self.calls % 64 == 1 {
            self.heap = self.heap();
        }
        let mut heap = self.heap;
        if heap > limit / 10 * 9 {
            self.runtime.run_gc();
            heap = self.heap();
            // There may have been no memory left to tell what was thrown.
            let starved = |e: &Thrown| {
                e.name == "Thrown" && (e.message == "null" || e.message.ends_with("can't be shown]"))
            };
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
        self.heap = heap;
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
            let message =
                if matches!(e, rquickjs::Error::Exception) { short(ctx, &thrown) } else { e.to_string() };
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

pub(super) fn options(file: &str, promise: bool) -> EvalOptions {
    let mut options = EvalOptions::default();
    options.strict = false;
    options.promise = promise;
    options.filename = Some(file.to_owned());
    options
}

/// Something thrown, in one line, without the scope's help.
pub(super) fn short(ctx: &Ctx<'_>, thrown: &Value<'_>) -> String {
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
