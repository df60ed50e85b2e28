//! Faults that are injected on purpose: pages that loop or crash, browsers that are killed, lines that are cut,
//! dialogs at the worst moment. Every call ends in time with a code of its own, nobody else notices, and what is left
//! can be used.

#![expect(clippy::unwrap_used, reason = "a test's helper may fail the test")]

#[path = "../it/hands.rs"]
#[expect(dead_code, reason = "shared with the tests of the tools, which use all of it")]
mod hands;

mod crash;
mod dialogs;
mod leaving;
mod lines;
mod network;
mod rig;
mod wedge;
