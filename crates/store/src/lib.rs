//! State on disk: the state folder, whole-file writes, the configuration, traces, the request journal,
//! artifacts.
//!
//! Invariants: files are written whole or by SQLite in WAL mode, so a kill at any point loses at most
//! the call in flight; the clock is the caller's; names that come from elsewhere are checked before they
//! become paths; a trace line is redacted before it is given to the writer. Everything here blocks:
//! async callers move it to a thread that may wait.

mod artifacts;
mod config;
mod files;
mod home;
mod jail;
mod journal;
mod records;
mod redact;
mod time;
mod trace;

pub use artifacts::{Artifact, Artifacts};
pub use config::{
    BrowserConfig, Bucket, Config, ConfigError, EffectsConfig, FilesConfig, LimitsConfig, TasksConfig,
    ToolsConfig, TraceConfig,
};
pub use files::write_whole;
pub use home::Home;
pub use jail::{Chunk, Entry, How, Jail, Kind, LARGEST_READ, Listing, Only, Quota, Root, Spot, Stat};
pub use journal::{Begun, Journal, TaskRow, args_digest};
pub use records::{
    Changes, Channel, ChannelWish, Context, Deleted, Input, InputHow, Listed, Message, NewMessage,
    NewSession, Project, ProjectWish, Query, Records, Role, Routine, Schedule, Session, SessionKind,
    SessionStatus, Stopped, Wishes,
};
pub use redact::{REDACTED, redact};
pub use time::Timestamp;
pub use trace::{Mended, TRACE_VERSION, Trace, TraceRecord, mend_traces, read_trace};

use std::path::Path;
use truehand_base::{ErrorBody, ErrorCode};

/// `STORE_FAILED` with what was tried, where, and the system's words.
fn failed(what: &str, path: &Path, error: &dyn std::fmt::Display) -> ErrorBody {
    ErrorBody::new(ErrorCode::StoreFailed, format!("can't {what} {}: {error}", path.display()))
}
