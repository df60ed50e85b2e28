//! The proof on a real Chromium: every type fits its protocol, every command and event works, both transports.

mod chromium;
mod shape;
mod types;

/// One browser at a time: the machine may be small.
static ONE_BROWSER: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
