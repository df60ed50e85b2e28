//! One call while it runs: its hooks, its code, what it waits for, and how it is brought to rest.

use super::engine::{Clock, Ended, Entries, Rejection, options, short};
use super::rewrite::{Refused, Rewritten, rewrite};
use super::source::{Position, caret};
use super::state::{Kept, State};
use crate::wire::{Done, Eval, Limits, MOST_NAMES, Reply, Status, Thrown, ToWorker};
use rquickjs::function::IntoArgs;
use rquickjs::promise::PromiseState;
use rquickjs::{Ctx, Function, Object, Promise, Value};
use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Jobs (steps of promises) that run before the clock and the replies are looked at again.
const JOBS_A_ROUND: usize = 256;
/// How much may still run to bring a call to rest that is over.
const DRAIN_JOBS: usize = 5_000;
const DRAIN_TIME: Duration = Duration::from_millis(50);
/// How long the hooks at the end of a call may take.
const END_HOOKS: Duration = Duration::from_millis(1_000);
/// How long looking at a value, or at something thrown, may take: it may be hostile, and so may what it stands on.
const LOOK: Duration = Duration::from_millis(500);
/// The most of a value that is shown.
const VALUE_BYTES: usize = 256 * 1024;

/// One call while it runs.
pub(super) struct Run<'a, 'js> {
    pub(super) ctx: Ctx<'js>,
    pub(super) state: &'a State,
    pub(super) clock: &'a Clock,
    pub(super) rejections: &'a RefCell<Vec<Rejection>>,
    pub(super) inbox: &'a Receiver<ToWorker>,
    pub(super) entries: &'a Entries,
    pub(super) file: String,
    pub(super) gone: bool,
}

impl<'js> Run<'_, 'js> {
    pub(super) fn whole(&mut self, eval: &Eval, late: Vec<Reply>, declared: &mut HashSet<String>) -> Done {
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
        let (declared, redeclared) =
            (std::mem::take(&mut done.declared), std::mem::take(&mut done.redeclared));
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
pub(super) fn throws(code: &str) -> bool {
    code.contains("throw") || code.contains("reject")
}

fn never() -> Thrown {
    Thrown {
        name: "Error".to_owned(),
        message:
            "the script waits for a promise that can never settle: no call, timer or event is under way that \
                  could settle it"
                .to_owned(),
        code: Some("NEVER_SETTLES".to_owned()),
        next_step: Some("look for a promise whose resolve is never called".to_owned()),
        ..Thrown::default()
    }
}

pub(super) fn out_of_memory(limits: &Limits) -> Thrown {
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
