//! The JavaScript scope: what a scope is called and what one evaluation asks for.
//!
//! Invariants: holds only a `Caller`, so it can't name a tab or a socket; the interpreter itself
//! will run in a killable worker process.

pub mod wire;
pub mod worker;

/// One evaluation in a persistent scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluation {
    /// What the code is for, in a few words; shown in the audit.
    pub title: String,
    /// JavaScript source, top-level await allowed.
    pub code: String,
}
