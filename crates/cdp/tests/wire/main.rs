//! The proof on a real Chromium: every type fits its protocol, every command and event works, both transports.

mod chromium;
mod proof;
mod shape;
mod site;
mod types;
mod websocket;

/// One browser at a time: the machine may be small.
static ONE_BROWSER: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
