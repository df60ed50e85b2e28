//! The worker of a scope: the engine in a thread with the test as its host, and the real process.

mod cells;
mod errors;
mod globals;
mod harness;
mod hostile;
mod process;
mod sites;
