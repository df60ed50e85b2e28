//! The faces that other programs see: the daemon's socket and MCP over stdio.
//!
//! Invariants: a face makes calls and words, it decides nothing about a page; nothing but protocol goes
//! to standard output; every line that comes in is bounded and answered, or the peer is gone.

pub mod daemon;
mod lines;
pub mod mcp;
