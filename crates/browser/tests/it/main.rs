//! The driver on a real Chromium: tabs, frames, traps, life and death.

mod downloads;
mod life;
mod outlines;
mod support;
mod traps;
