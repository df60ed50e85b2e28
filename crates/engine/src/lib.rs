//! The pipeline behind the one door: find, parse, claim, limit, judge, queue, run, record.
//!
//! Invariants: every face's call goes through [`Engine`] and every step of the pipeline, so the gate,
//! the limits, the observation and the trace can't be bypassed; the parsed values that the gate judged
//! are the ones that run; nothing of the browser is started for a call that is refused; no lock is held
//! across an await; a call whose caller has gone still ends, and is recorded.

mod admit;
mod clients;
mod clock;
mod engine;
mod gate;
mod keys;
mod limiter;
mod pipeline;
pub mod preflight;
mod record;
mod run;
mod settings;
mod tasks;
mod typed;
mod watched;

pub use clients::{BrowserChoice, ClientOptions};
pub use clock::{Clock, SystemClock};
pub use engine::{Engine, EngineConfig};
pub use truehand_store::Home;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Takes a lock whose holders change small things that a panic can't leave half done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
