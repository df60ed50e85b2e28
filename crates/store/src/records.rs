//! What outlives a call: projects, sessions with their transcripts and waiting messages, routines, channels.
//!
//! Rows are in a database of their own, opened by the first who needs it. A session's files and its transcript
//! lie in its folder. Whoever runs sessions uses the same functions as those who look at them.

mod channels;
mod ids;
mod inputs;
mod projects;
mod routines;
mod schedule;
mod sessions;
mod transcript;

pub use channels::{Channel, ChannelWish};
pub use inputs::{Input, InputHow};
pub use projects::{Project, ProjectWish};
pub use routines::Routine;
pub use schedule::Schedule;
pub use sessions::{
    Changes, Deleted, Listed, NewSession, Query, Session, SessionKind, SessionStatus, Stopped, Wishes,
};
pub use transcript::{Context, Message, NewMessage, Role};

use crate::{Home, failed};
use rusqlite::Connection;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use truehand_base::text::clip;
use truehand_base::{ErrorBody, ErrorCode};

/// The layout of the tables; a database of a later one is not touched.
const LAYOUT: i64 = 1;

/// The records of one state folder.
pub struct Records {
    home: Home,
    /// This run of the program: what another one left running is known by it.
    instance: String,
    path: PathBuf,
    connection: Mutex<Option<Connection>>,
    /// The session that each client has open now.
    open: Mutex<HashMap<String, String>>,
    /// How much was written to the folders of the sessions that are open.
    quotas: Mutex<HashMap<String, std::sync::Arc<crate::Quota>>>,
    /// Where the transcript of a session goes on.
    ends: Mutex<HashMap<String, u64>>,
}

impl Records {
    /// The records of a state folder; nothing is opened yet. `instance` names this run of the program.
    #[must_use]
    pub fn new(home: Home, instance: impl Into<String>) -> Records {
        let path = home.root().join("records.db");
        let instance = instance.into();
        Records {
            home,
            instance,
            path,
            connection: Mutex::default(),
            open: Mutex::default(),
            quotas: Mutex::default(),
            ends: Mutex::default(),
        }
    }

    /// The state folder.
    #[must_use]
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// Does something with the database.
    fn with<T>(&self, work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Result<T, ErrorBody> {
        let mut held = held(&self.connection);
        if held.is_none() {
            *held = Some(self.connect()?);
        }
        match held.as_mut() {
            Some(connection) => work(connection).map_err(|error| self.failed(&error)),
            None => Err(ErrorBody::new(ErrorCode::Internal, "the database of records was not opened")),
        }
    }

    fn connect(&self) -> Result<Connection, ErrorBody> {
        let connection = open(&self.path).map_err(|error| self.failed(&error))?;
        let layout: i64 = connection
            .query_row("PRAGMA user_version", [], |row| row.get(0))
            .map_err(|error| self.failed(&error))?;
        if layout > LAYOUT {
            let message = format!("{} was written by a later version of this program", self.path.display());
            return Err(ErrorBody::new(ErrorCode::StoreFailed, message).next("update truehand"));
        }
        if layout < LAYOUT {
            connection.execute_batch(TABLES).map_err(|error| self.failed(&error))?;
        }
        self.note_cut_off(&connection).map_err(|error| self.failed(&error))?;
        Ok(connection)
    }

    fn failed(&self, error: &rusqlite::Error) -> ErrorBody {
        failed("use the records in", &self.path, error)
    }
}

/// A lock whose holder panicked leaves no half change: SQLite rolls it back, the maps are changed in one step.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn open(path: &std::path::Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    Ok(connection)
}

const TABLES: &str = "
    BEGIN IMMEDIATE;
    CREATE TABLE IF NOT EXISTS projects (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,
        icon TEXT, color TEXT, folder TEXT, instructions TEXT,
        created_ms INTEGER NOT NULL,
        updated_ms INTEGER NOT NULL,
        archived_ms INTEGER
    ) STRICT;
    CREATE TABLE IF NOT EXISTS sessions (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        status TEXT NOT NULL,
        title TEXT NOT NULL,
        model TEXT, permission_mode TEXT, active_tab TEXT,
        runtime TEXT NOT NULL,
        project TEXT, parent TEXT, triggered_by TEXT, client TEXT,
        error TEXT, waiting_for TEXT,
        runner TEXT,
        stop_wished INTEGER NOT NULL DEFAULT 0,
        delete_wished INTEGER NOT NULL DEFAULT 0,
        created_ms INTEGER NOT NULL,
        updated_ms INTEGER NOT NULL,
        archived_ms INTEGER,
        read_ms INTEGER
    ) STRICT;
    CREATE INDEX IF NOT EXISTS sessions_by_parent ON sessions (parent);
    CREATE TABLE IF NOT EXISTS inputs (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
        how TEXT NOT NULL,
        text TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        taken_ms INTEGER
    ) STRICT;
    CREATE INDEX IF NOT EXISTS inputs_by_session ON inputs (session);
    CREATE TABLE IF NOT EXISTS channels (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        name TEXT NOT NULL,
        project TEXT, owner TEXT,
        enabled INTEGER NOT NULL,
        created_ms INTEGER NOT NULL,
        updated_ms INTEGER NOT NULL
    ) STRICT;
    PRAGMA user_version = 1;
    COMMIT;
";

fn as_sql(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}

fn from_sql(ms: i64) -> u64 {
    u64::try_from(ms).unwrap_or(0)
}

/// `NOT_FOUND` for a thing of some kind.
fn not_found(what: &str, id: &str) -> ErrorBody {
    ErrorBody::new(ErrorCode::NotFound, format!("there is no {what} '{}'", clip(id, 80)))
}

/// A text that is given by a caller: not empty, of one line, not longer than `most` characters.
fn plain(what: &str, text: &str, most: usize) -> Result<String, ErrorBody> {
    let text = text.trim();
    if text.is_empty() || text.chars().count() > most || text.chars().any(char::is_control) {
        let message = format!("{what} must be one line of 1 to {most} characters");
        return Err(ErrorBody::new(ErrorCode::InvalidArguments, message));
    }
    Ok(text.to_owned())
}
