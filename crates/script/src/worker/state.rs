//! What the scope's code has under way: ops, timers, printed text.

use crate::wire::{FromWorker, Info, Limits, Op, OpError, Print, Reply};
use rquickjs::{Ctx, Function, Persistent, Promise, Value};
use serde_json::value::RawValue;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::{Duration, Instant};

/// What is kept of printed text behind the part that was sent, so that the end of a flood is seen as well.
const TAIL_BYTES: usize = 128 * 1024;

/// A value that a table keeps between two entries into the engine.
pub type Kept<T> = Persistent<T>;

/// An op that has not been answered.
struct Open {
    resolve: Kept<Function<'static>>,
    reject: Kept<Function<'static>>,
    background: bool,
}

/// Where lines to the host go.
pub type Send = Box<dyn FnMut(FromWorker)>;

/// What is under way.
pub struct State {
    /// What may be used.
    pub limits: Limits,
    /// When the clock of `kernel.now()` began.
    pub began: Instant,
    /// The running call.
    pub call: Cell<u64>,
    /// Ops give promises that never settle: the call is over, but code may still run.
    pub dead: Cell<bool>,
    /// `kernel.info` as JSON.
    pub info: RefCell<String>,
    send: RefCell<Send>,
    /// An op that was asked for a moment ago: it may still be marked as a background op.
    held: RefCell<Option<Op>>,
    ops: RefCell<HashMap<u64, Open>>,
    next_op: Cell<u64>,
    timers: RefCell<BTreeMap<(Instant, u64), Kept<Function<'static>>>>,
    timer_keys: RefCell<HashMap<u64, Instant>>,
    next_timer: Cell<u64>,
    output: RefCell<Output>,
    images: Cell<usize>,
}

/// The printed text of one call.
#[derive(Default)]
struct Output {
    sent: usize,
    tail: VecDeque<(String, String)>,
    tail_bytes: usize,
    skipped: u64,
}

/// Why something can't be begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Full {
    /// Too many ops at a time.
    Ops(usize),
    /// Too many timers at a time.
    Timers(usize),
    /// Too many images in one call.
    Images(usize),
    /// An image that is too large.
    ImageBytes(usize),
}

impl std::fmt::Display for Full {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Full::Ops(n) => {
                write!(f, "{n} calls are under way at a time already: await some before starting more")
            }
            Full::Timers(n) => write!(f, "{n} timers are set already: clear some, or wait for them"),
            Full::Images(n) => {
                write!(f, "{n} images were shown by this call already: show more in another call")
            }
            Full::ImageBytes(n) => {
                write!(f, "the image is larger than {} KiB: take a smaller clip, or a JPEG", n / 1024)
            }
        }
    }
}

impl State {
    /// Nothing under way.
    pub fn new(limits: Limits, send: Send) -> Self {
        State {
            limits,
            began: Instant::now(),
            call: Cell::new(0),
            dead: Cell::new(false),
            info: RefCell::new("{}".to_owned()),
            send: RefCell::new(send),
            held: RefCell::new(None),
            ops: RefCell::default(),
            next_op: Cell::new(1),
            timers: RefCell::default(),
            timer_keys: RefCell::default(),
            next_timer: Cell::new(1),
            output: RefCell::default(),
            images: Cell::new(0),
        }
    }

    /// Sets what the scope knows about itself.
    pub fn inform(&self, info: &Info) {
        if let Ok(json) = serde_json::to_string(info) {
            *self.info.borrow_mut() = json;
        }
    }

    /// Sends a line, after the op that is held back.
    pub fn send(&self, line: FromWorker) {
        self.flush();
        (self.send.borrow_mut())(line);
    }

    /// Sends the op that is held back. Does nothing while a line is being sent.
    pub fn flush(&self) {
        let Ok(mut send) = self.send.try_borrow_mut() else { return };
        let held = self.held.try_borrow_mut().ok().and_then(|mut held| held.take());
        if let Some(op) = held {
            send(FromWorker::Op(op));
        }
    }

    /// Begins an op.
    pub fn op<'js>(
        &self,
        ctx: &Ctx<'js>,
        name: String,
        args: Box<RawValue>,
    ) -> rquickjs::Result<(u64, Promise<'js>)> {
        self.flush();
        let (promise, resolve, reject) = Promise::new(ctx)?;
        if self.dead.get() {
            return Ok((0, promise));
        }
        let op = self.next_op.get();
        self.next_op.set(op + 1);
        let open =
            Open { resolve: Kept::save(ctx, resolve), reject: Kept::save(ctx, reject), background: false };
        self.ops.borrow_mut().insert(op, open);
        *self.held.borrow_mut() = Some(Op { call: self.call.get(), op, name, args, background: false });
        Ok((op, promise))
    }

    /// Whether another op may begin.
    pub fn room_for_op(&self) -> Result<(), Full> {
        let most = self.limits.ops;
        if self.ops.borrow().len() >= most { Err(Full::Ops(most)) } else { Ok(()) }
    }

    /// Marks an op as one that nothing waits for. Only just after it began.
    pub fn background(&self, op: u64) {
        let mut held = self.held.borrow_mut();
        if let Some(asked) = held.as_mut().filter(|asked| asked.op == op) {
            asked.background = true;
            if let Some(open) = self.ops.borrow_mut().get_mut(&op) {
                open.background = true;
            }
        }
    }

    /// Settles an op's promise. A reply to a forgotten op is ignored.
    pub fn reply(&self, ctx: &Ctx<'_>, reply: Reply) -> rquickjs::Result<()> {
        let Some(open) = self.ops.borrow_mut().remove(&reply.op) else { return Ok(()) };
        let resolve = open.resolve.restore(ctx)?;
        let reject = open.reject.restore(ctx)?;
        let failed = |error: &OpError| -> rquickjs::Result<()> {
            let json = serde_json::to_string(error).unwrap_or_else(|_| "null".to_owned());
            reject.call::<_, ()>((ctx.json_parse(json)?,))
        };
        match (reply.value, reply.error) {
            (_, Some(error)) => failed(&error),
            (Some(value), None) => match ctx.json_parse(String::from(Box::<str>::from(value))) {
                Ok(value) => resolve.call::<_, ()>((value,)),
                // Most likely there was no memory for it.
                Err(_) => reject.call::<_, ()>((ctx.catch(),)),
            },
            (None, None) => failed(&OpError {
                code: "INTERNAL".to_owned(),
                message: "the reply has neither a value nor an error".to_owned(),
                next_step: None,
                data: None,
            }),
        }
    }

    /// Whether an answer may come that lets the code go on.
    pub fn waits_for_op(&self) -> bool {
        self.ops.borrow().values().any(|open| !open.background)
    }

    /// Forgets background ops, or all.
    pub fn forget_ops(&self, all: bool) {
        let forgotten: Vec<Open> = {
            let mut ops = self.ops.borrow_mut();
            let ids: Vec<u64> =
                ops.iter().filter(|(_, open)| all || open.background).map(|(id, _)| *id).collect();
            ids.iter().filter_map(|id| ops.remove(id)).collect()
        };
        drop(forgotten);
    }

    /// Sets a timer.
    pub fn after<'js>(&self, ctx: &Ctx<'js>, ms: f64, run: Function<'js>) -> Result<u64, Full> {
        let most = self.limits.timers;
        if self.timer_keys.borrow().len() >= most {
            return Err(Full::Timers(most));
        }
        // More than a day can't pass within a call.
        let ms = if ms.is_finite() { ms.clamp(0.0, 86_400_000.0) } else { 0.0 };
        let due = Instant::now() + Duration::from_secs_f64(ms / 1_000.0);
        let id = self.next_timer.get();
        self.next_timer.set(id + 1);
        self.timers.borrow_mut().insert((due, id), Kept::save(ctx, run));
        self.timer_keys.borrow_mut().insert(id, due);
        Ok(id)
    }

    /// Takes a timer back.
    pub fn cancel_timer(&self, id: u64) {
        let due = self.timer_keys.borrow_mut().remove(&id);
        let kept = due.and_then(|due| self.timers.borrow_mut().remove(&(due, id)));
        drop(kept);
    }

    /// The next timer that is due, taken out.
    pub fn due_timer(&self, now: Instant) -> Option<Kept<Function<'static>>> {
        let mut timers = self.timers.borrow_mut();
        let entry = timers.first_entry().filter(|entry| entry.key().0 <= now)?;
        let (_, id) = *entry.key();
        self.timer_keys.borrow_mut().remove(&id);
        Some(entry.remove())
    }

    /// When the next timer is due.
    pub fn next_due(&self) -> Option<Instant> {
        self.timers.borrow().first_key_value().map(|((due, _), _)| *due)
    }

    /// Forgets all timers.
    pub fn forget_timers(&self) {
        self.timer_keys.borrow_mut().clear();
        let forgotten = std::mem::take(&mut *self.timers.borrow_mut());
        drop(forgotten);
    }

    /// Sends printed text, as long as there is room.
    pub fn print(&self, level: String, mut text: String) {
        let mut output = self.output.borrow_mut();
        let room = self.limits.output_bytes.saturating_sub(output.sent);
        // Empty lines cost as well.
        let cost = text.len() + 16;
        if cost <= room && output.tail.is_empty() {
            output.sent += cost;
            drop(output);
            self.send(FromWorker::Print(Print { call: self.call.get(), level, text, skipped: 0 }));
            return;
        }
        if text.len() > TAIL_BYTES {
            let from = crate::worker::source::ceil_boundary(&text, text.len() - TAIL_BYTES);
            output.skipped += from as u64;
            text.drain(..from);
        }
        output.tail_bytes += text.len() + 16;
        output.tail.push_back((level, text));
        while output.tail_bytes > TAIL_BYTES + 16 {
            let Some((_, gone)) = output.tail.pop_front() else { break };
            output.tail_bytes -= gone.len() + 16;
            output.skipped += gone.len() as u64;
        }
    }

    /// Shows an image.
    pub fn image(&self, mime: String, base64: String) -> Result<(), Full> {
        if self.images.get() >= self.limits.images {
            return Err(Full::Images(self.limits.images));
        }
        if base64.len() / 4 * 3 > self.limits.image_bytes {
            return Err(Full::ImageBytes(self.limits.image_bytes));
        }
        self.images.set(self.images.get() + 1);
        self.send(FromWorker::Image { call: self.call.get(), mime, base64 });
        Ok(())
    }

    /// Sends the end of printed text that was too long; says how much is missing.
    pub fn end_output(&self) -> u64 {
        let output = std::mem::take(&mut *self.output.borrow_mut());
        self.images.set(0);
        let mut skipped = output.skipped;
        for (level, text) in output.tail {
            let print = Print { call: self.call.get(), level, text, skipped };
            self.send(FromWorker::Print(print));
            skipped = 0;
        }
        output.skipped
    }

    /// Lets go of every value of the engine: it must not outlive it.
    pub fn clear(&self) {
        self.forget_ops(true);
        self.forget_timers();
    }
}

/// Throws a limit as an error of the scope.
pub fn throw_full(ctx: &Ctx<'_>, full: Full) -> rquickjs::Error {
    rquickjs::Exception::throw_range(ctx, &full.to_string())
}

/// A value as JSON text; `null` for what has none.
pub fn to_json<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> rquickjs::Result<String> {
    match ctx.json_stringify(value)? {
        Some(text) => Ok(well_formed(text.to_string()?)),
        None => Ok("null".to_owned()),
    }
}

/// The engine writes half of a surrogate pair as `\udxxx`, and only that; other readers of JSON refuse it.
fn well_formed(json: String) -> String {
    if !json.contains("\\ud") {
        return json;
    }
    let mut out = String::with_capacity(json.len());
    let mut chars = json.char_indices();
    while let Some((at, c)) = chars.next() {
        if c != '\\' {
            out.push(c);
        } else if json[at..].starts_with("\\ud") {
            out.push_str("\\ufffd");
            chars.nth(4);
        } else {
            out.push(c);
            out.extend(chars.next().map(|(_, escaped)| escaped));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_with_half_a_pair_is_made_readable() {
        assert_eq!(
            well_formed(r#"["\ud83d","\\ud83d","\n😀"]"#.to_owned()),
            r#"["\ufffd","\\ud83d","\n😀"]"#
        );
    }
}
