//! The JavaScript scope as its users have it: the real binary, a real daemon, a real Chromium.

#![expect(clippy::unwrap_used, reason = "a test ends at the first thing that goes wrong")]

mod compat;

/// The binary under test.
const BINARY: &str = env!("CARGO_BIN_EXE_truehand");
