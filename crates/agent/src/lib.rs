//! The agent loop: what a task asks for.
//!
//! Invariants: holds only a `Caller`, so it can't name a tab or a socket; page text never becomes
//! part of the instructions.

/// A task in plain language for the agent loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// What the person asked for, verbatim.
    pub prompt: String,
}
