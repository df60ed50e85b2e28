//! The worker process of a scope: it reads lines, runs JavaScript, and writes lines.
//!
//! Invariant: it can do nothing by itself. Whatever reaches beyond the process is an op that the host judges.

mod confine;
mod engine;
mod natives;
mod rewrite;
mod run;
mod source;
mod state;
mod url;

use crate::wire::{Confined, FromWorker, MAX_LINE, Ready, ToWorker};
use engine::{Engine, Interrupts};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Instant;

pub use confine::{Confinement, confine};
pub use rewrite::{Refused, Rewritten, rewrite};
pub use source::Position;
pub use state::Send as SendLine;

/// Stack of the thread that runs code. The parser needs much of it for deeply nested code.
const STACK: usize = 64 * 1024 * 1024;

/// The whole life of the worker process.
#[must_use]
pub fn main() -> ExitCode {
    let began = Instant::now();
    match life(began) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            // Standard error is the host's log.
            let _gone = writeln!(io::stderr(), "script worker: {message}");
            ExitCode::FAILURE
        }
    }
}

fn life(began: Instant) -> Result<(), String> {
    // The system's time zone is read from a file, once.
    engine::learn_time_zone();
    let confinement = confine();
    let (lines, inbox) = mpsc::channel();
    let interrupts: Interrupts = Arc::default();
    let (go, wait) = mpsc::channel::<Confined>();
    let (warm, warmed) = mpsc::channel::<()>();
    let asked = Arc::clone(&interrupts);
    thread::Builder::new()
        .name("scope".to_owned())
        .stack_size(STACK)
        .spawn(move || {
            // Its memory is set up before limits are.
            drop(std::hint::black_box(vec![0_u8; 4096]));
            let _heard = warm.send(());
            let Ok(confined) = wait.recv() else { return };
            let outcome = serve(began, confined, &inbox, asked, Box::new(write_line));
            if let Err(message) = &outcome {
                let _gone = writeln!(io::stderr(), "script worker: {message}");
            }
            // Without unwinding the engine: the process ends.
            std::process::exit(i32::from(outcome.is_err()));
        })
        .map_err(|e| e.to_string())?;
    warmed.recv().map_err(|e| e.to_string())?;
    let mut input = BufReader::new(io::stdin());
    // The first line is ours and says what the limits are; no code has come yet.
    let first = read_line(&mut input)?.ok_or("no first line")?;
    let ToWorker::Start(start) = &first else { return Err("the first line must be start".to_owned()) };
    let confined = confinement.finish(&start.limits);
    lines.send(first).map_err(|e| e.to_string())?;
    go.send(confined).map_err(|e| e.to_string())?;
    while let Some(line) = read_line(&mut input)? {
        take(line, &lines, &interrupts)?;
    }
    // The host is gone: whatever runs ends with us.
    Ok(())
}

/// Hands a line to the thread that runs code. An interrupt is noted at once, since that thread may be busy.
fn take(line: ToWorker, lines: &Sender<ToWorker>, interrupts: &AtomicU64) -> Result<(), String> {
    if let ToWorker::Interrupt { call } = &line {
        interrupts.store(*call, Ordering::Relaxed);
    }
    lines.send(line).map_err(|_| "the scope's thread is gone".to_owned())
}

fn read_line(input: &mut impl BufRead) -> Result<Option<ToWorker>, String> {
    let mut line = Vec::new();
    let most = MAX_LINE as u64 + 1;
    let read = input.take(most).read_until(b'\n', &mut line).map_err(|e| e.to_string())?;
    if read == 0 {
        return Ok(None);
    }
    if line.len() > MAX_LINE {
        return Err(format!("a line is longer than {MAX_LINE} bytes"));
    }
    serde_json::from_slice(&line).map(Some).map_err(|e| format!("a line is not understood: {e}"))
}

fn write_line(line: FromWorker) {
    let mut text = match serde_json::to_vec(&line) {
        Ok(text) => text,
        Err(_) => return,
    };
    text.push(b'\n');
    let mut out = io::stdout().lock();
    if out.write_all(&text).and_then(|()| out.flush()).is_err() {
        // Nobody reads any more.
        std::process::exit(1);
    }
}

/// Runs a scope: takes lines from `inbox` until its end, or until the scope is lost, and sends lines by `send`.
///
/// `interrupts` holds the number of the call that is to end; whoever fills `inbox` stores it there when an interrupt
/// comes, besides passing the line on.
///
/// # Errors
/// The first line is not `start`, or the engine can't be made.
pub fn serve(
    began: Instant,
    confined: Confined,
    inbox: &Receiver<ToWorker>,
    interrupts: Arc<AtomicU64>,
    send: SendLine,
) -> Result<(), String> {
    let Ok(ToWorker::Start(start)) = inbox.recv() else {
        return Err("the first line must be start".to_owned());
    };
    let (mut engine, faults) = Engine::new(start, interrupts, send)?;
    let boot_us = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
    engine.send(FromWorker::Ready(Ready { confined, boot_us, faults }));
    while let Ok(line) = inbox.recv() {
        match line {
            ToWorker::Eval(eval) => {
                let Some(done) = engine.call(eval, inbox) else { return Ok(()) };
                let lost = done.lost;
                engine.send(FromWorker::Done(Box::new(done)));
                if lost {
                    return Ok(());
                }
            }
            ToWorker::Reply(reply) => engine.late(reply),
            ToWorker::Complete { path } => engine.send(FromWorker::Completions(engine.complete(&path))),
            ToWorker::Interrupt { .. } | ToWorker::Start(_) => {}
        }
    }
    Ok(())
}
