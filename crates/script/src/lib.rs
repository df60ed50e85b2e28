//! The JavaScript scope: what a scope is called and what one evaluation asks for.
//!
//! Invariants: holds only a `Caller`, so it can't name a tab or a socket; the interpreter itself
//! will run in a killable worker process.

pub mod host;
pub mod wire;
pub mod worker;
