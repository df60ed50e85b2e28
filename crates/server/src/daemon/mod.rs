//! The daemon that owns the browsers, and the thin client of it.
//!
//! Invariants: one daemon a state folder, by a lock that the system takes back; only the same user gets
//! in; a client's calls are cancelled when its connection ends; no call is sent twice once the daemon
//! may have begun it.

mod client;
mod home;
mod host;
mod lifetime;
mod protocol;
mod server;
mod start;

pub use client::{ClientSettings, DaemonClient, keep, status, stop};
pub use home::RunDir;
pub use host::Host;
pub(crate) use host::listed_names;
pub use lifetime::Patience;
pub use protocol::{BrowserChoice, ClientOptions, PROTOCOL, Status, VERSION};
pub use server::{DaemonEnd, DaemonOptions, run};
pub use start::Launch;
