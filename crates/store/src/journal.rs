//! Request keys: what a call with a key came to, so that its repeat does not act twice.

use crate::{Timestamp, failed};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use truehand_base::{ErrorBody, ErrorCode};

/// How long an outcome is kept. A repeat is known for 24 hours at the least; the wall clock is all that
/// outlives a restart, and it may be set by a day in between.
const WINDOW_MS: u64 = 3 * 24 * 60 * 60 * 1_000;

/// The layout of the table; a database of a later one is not touched.
const LAYOUT: i64 = 1;

/// What a key stands for when a call with it begins.
#[derive(Debug, Clone, PartialEq)]
pub enum Begun {
    /// It was not used before; the call runs now, and must end with [`Journal::finish`] or
    /// [`Journal::forget`].
    New,
    /// A call with it is running in this process.
    Running,
    /// A call with it has ended, with this outcome.
    Done(Value),
    /// It was used for another tool or other arguments.
    Conflict,
    /// A call with it was running when an earlier process ended: it may have acted or not.
    UnknownOutcome,
}

/// What is known of a task when its process is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskRow {
    /// The tool.
    pub tool: String,
    /// Whether it had ended.
    pub ended: bool,
}

/// The journal of request keys, in SQLite. Keys are one space for all clients, so that a client that
/// lost its connection can ask again after a new one.
pub struct Journal {
    path: PathBuf,
    instance: String,
    connection: Mutex<Connection>,
}

impl Journal {
    /// Opens the database and makes its table. `instance` names this run of the program: calls that
    /// another one left running are known by it.
    ///
    /// # Errors
    /// `STORE_FAILED` when the file can't be opened, is no database or is of a later layout.
    pub fn open(path: &Path, instance: impl Into<String>) -> Result<Journal, ErrorBody> {
        let connection = connect(path).map_err(|error| failed("open the database", path, &error))?;
        let layout: i64 = connection
            .query_row("PRAGMA user_version", [], |row| row.get(0))
            .map_err(|error| failed("read the database", path, &error))?;
        if layout > LAYOUT {
            let message = format!("{} was written by a later version of this program", path.display());
            return Err(ErrorBody::new(ErrorCode::StoreFailed, message).next("update truehand"));
        }
        if layout < LAYOUT {
            connection.execute_batch(TABLE).map_err(|error| failed("write the database", path, &error))?;
        }
        Ok(Journal { path: path.to_owned(), instance: instance.into(), connection: Mutex::new(connection) })
    }

    /// Looks a key up and claims it when it is new. Entries that are days old are forgotten first.
    ///
    /// # Errors
    /// `STORE_FAILED`; the call must then not run, since a repeat could not be told from it.
    pub fn begin(
        &self,
        key: &str,
        client: &str,
        tool: &str,
        digest: &str,
        now: Timestamp,
    ) -> Result<Begun, ErrorBody> {
        self.begin_in(key, client, tool, digest, now).map_err(|error| self.failed(&error))
    }

    fn begin_in(
        &self,
        key: &str,
        client: &str,
        tool: &str,
        digest: &str,
        now: Timestamp,
    ) -> rusqlite::Result<Begun> {
        let mut connection = self.lock();
        let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let oldest = as_sql(now.0.saturating_sub(WINDOW_MS));
        change.execute("DELETE FROM requests WHERE started_ms < ?1", [oldest])?;
        let found = change
            .query_row(
                "SELECT tool, digest, instance, outcome FROM requests WHERE key = ?1",
                [key],
                |row| -> rusqlite::Result<(String, String, String, Option<Value>)> {
                    Ok((row.get(0)?, row.get(1)?, row.get(2)?, outcome_of(row)?))
                },
            )
            .optional()?;
        let begun = match found {
            None => {
                change.execute(
                    "INSERT INTO requests (key, client, tool, digest, instance, started_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                    params![key, client, tool, digest, self.instance, as_sql(now.0)],
                )?;
                Begun::New
            }
            Some((old_tool, old_digest, ..)) if old_tool != tool || old_digest != digest => Begun::Conflict,
            Some((.., Some(outcome))) => Begun::Done(outcome),
            Some((_, _, instance, None)) if instance == self.instance => Begun::Running,
            Some(_) => Begun::UnknownOutcome,
        };
        change.commit()?;
        Ok(begun)
    }

    /// Records what the call with a key came to.
    ///
    /// # Errors
    /// `STORE_FAILED`; the key then stays running and later counts as an unknown outcome.
    pub fn finish(&self, key: &str, outcome: &Value, now: Timestamp) -> Result<(), ErrorBody> {
        let sql = "UPDATE requests SET outcome = ?2, finished_ms = ?3 WHERE key = ?1";
        let done = self.lock().execute(sql, params![key, outcome.to_string(), as_sql(now.0)]);
        done.map(drop).map_err(|error| self.failed(&error))
    }

    /// Frees the key of a call that was refused before it could act.
    ///
    /// # Errors
    /// `STORE_FAILED`.
    pub fn forget(&self, key: &str) -> Result<(), ErrorBody> {
        let sql = "DELETE FROM requests WHERE key = ?1 AND outcome IS NULL AND instance = ?2";
        self.lock().execute(sql, params![key, self.instance]).map(drop).map_err(|error| self.failed(&error))
    }

    /// Notes that a task of a client was begun, before the client is told its name.
    ///
    /// # Errors
    /// `STORE_FAILED`.
    pub fn task_begun(&self, id: &str, client: &str, tool: &str, now: Timestamp) -> Result<(), ErrorBody> {
        self.begin(&task_key(id), client, tool, "", now).map(drop)
    }

    /// Notes that a task has ended. What it came to is not kept here.
    ///
    /// # Errors
    /// `STORE_FAILED`; after a restart the task then counts as cut off.
    pub fn task_ended(&self, id: &str, now: Timestamp) -> Result<(), ErrorBody> {
        self.finish(&task_key(id), &Value::Null, now)
    }

    /// What is known of a task of a client.
    ///
    /// # Errors
    /// `STORE_FAILED`.
    pub fn task(&self, id: &str, client: &str) -> Result<Option<TaskRow>, ErrorBody> {
        let sql = "SELECT tool, finished_ms IS NOT NULL FROM requests WHERE key = ?1 AND client = ?2";
        let read = |row: &rusqlite::Row<'_>| Ok(TaskRow { tool: row.get(0)?, ended: row.get(1)? });
        let found = self.lock().query_row(sql, params![task_key(id), client], read).optional();
        found.map_err(|error| self.failed(&error))
    }

    /// The connection. A panic of another thread while it held the lock leaves no half change: SQLite
    /// rolls it back.
    fn lock(&self) -> MutexGuard<'_, Connection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failed(&self, error: &rusqlite::Error) -> ErrorBody {
        failed("keep the request key in", &self.path, error)
    }
}

/// Tasks lie among the keys, under a sign that no client's key would start with by chance.
fn task_key(id: &str) -> String {
    format!("task\u{1f}{id}")
}

const TABLE: &str = "
    CREATE TABLE IF NOT EXISTS requests (
        key TEXT PRIMARY KEY,
        client TEXT NOT NULL,
        tool TEXT NOT NULL,
        digest TEXT NOT NULL,
        instance TEXT NOT NULL,
        started_ms INTEGER NOT NULL,
        finished_ms INTEGER,
        outcome TEXT
    ) STRICT;
    CREATE INDEX IF NOT EXISTS requests_by_time ON requests (started_ms);
    PRAGMA user_version = 1;
";

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    Ok(connection)
}

fn outcome_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<Option<Value>> {
    let text: Option<String> = row.get(3)?;
    let parse = |text: String| {
        serde_json::from_str(&text).map_err(|error| {
            rusqlite::Error::FromSqlConversionFailure(3, rusqlite::types::Type::Text, Box::new(error))
        })
    };
    text.map(parse).transpose()
}

fn as_sql(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}

/// A digest of arguments that does not depend on the order of their fields.
#[must_use]
pub fn args_digest(arguments: &Value) -> String {
    let mut canonical = String::new();
    write_canonical(arguments, &mut canonical);
    Sha256::digest(canonical.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => {
            let mut fields: Vec<_> = map.iter().collect();
            fields.sort_by(|a, b| a.0.cmp(b.0));
            out.push('{');
            for (key, value) in fields {
                out.push_str(&Value::String(key.clone()).to_string());
                out.push(':');
                write_canonical(value, out);
                out.push(',');
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for item in items {
                write_canonical(item, out);
                out.push(',');
            }
            out.push(']');
        }
        other => out.push_str(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const NOW: Timestamp = Timestamp(1_796_072_709_123);

    fn begin(journal: &Journal, key: &str, arguments: &Value, now: Timestamp) -> Begun {
        journal.begin(key, "cli:x", "browser_click", &args_digest(arguments), now).expect("begins")
    }

    #[test]
    fn journal_repeat_gives_the_first_outcome_also_after_a_restart() {
        let dir = tempfile::tempdir().expect("tempdir");
        let path = dir.path().join("truehand.db");
        let (one, two) = (json!({ "ref": "e1", "n": 1 }), json!({ "n": 1, "ref": "e1" }));
        let outcome = json!({ "done": "clicked e1" });
        {
            let journal = Journal::open(&path, "first").expect("opens");
            assert_eq!(begin(&journal, "k", &one, NOW), Begun::New);
            assert_eq!(begin(&journal, "k", &two, NOW), Begun::Running);
            journal.finish("k", &outcome, NOW).expect("finishes");
            assert_eq!(begin(&journal, "k", &two, NOW), Begun::Done(outcome.clone()));
            assert_eq!(begin(&journal, "k", &json!({ "ref": "e2" }), NOW), Begun::Conflict);
            let other_tool = journal.begin("k", "cli:x", "browser_type", &args_digest(&one), NOW);
            assert_eq!(other_tool.expect("begins"), Begun::Conflict);
        }
        let journal = Journal::open(&path, "second").expect("opens again");
        assert_eq!(begin(&journal, "k", &one, NOW), Begun::Done(outcome));
    }

    #[test]
    fn journal_call_that_a_crash_cut_off_has_an_unknown_outcome() {
        let dir = tempfile::tempdir().expect("tempdir");
        let path = dir.path().join("truehand.db");
        let journal = Journal::open(&path, "first").expect("opens");
        assert_eq!(begin(&journal, "k", &json!({}), NOW), Begun::New);
        drop(journal);
        let journal = Journal::open(&path, "second").expect("opens again");
        assert_eq!(begin(&journal, "k", &json!({}), NOW), Begun::UnknownOutcome);
        journal.forget("k").expect("forgets only its own");
        assert_eq!(begin(&journal, "k", &json!({}), NOW), Begun::UnknownOutcome);
    }

    #[test]
    fn journal_knows_after_a_restart_which_tasks_were_cut_off_and_tells_their_client_only() {
        let dir = tempfile::tempdir().expect("tempdir");
        let path = dir.path().join("truehand.db");
        let journal = Journal::open(&path, "first").expect("opens");
        for id in ["a", "b"] {
            journal.task_begun(id, "cli:x", "browser_wait_for", NOW).expect("notes");
        }
        journal.task_ended("b", NOW).expect("notes");
        drop(journal);
        let journal = Journal::open(&path, "second").expect("opens again");
        let ended = |id, client| journal.task(id, client).expect("reads").map(|row| row.ended);
        assert_eq!((ended("a", "cli:x"), ended("b", "cli:x")), (Some(false), Some(true)));
        assert_eq!((ended("a", "cli:y"), ended("c", "cli:x")), (None, None));
    }

    #[test]
    fn journal_forgets_refused_calls_and_old_entries() {
        let dir = tempfile::tempdir().expect("tempdir");
        let journal = Journal::open(&dir.path().join("truehand.db"), "first").expect("opens");
        assert_eq!(begin(&journal, "refused", &json!({}), NOW), Begun::New);
        journal.forget("refused").expect("forgets");
        assert_eq!(begin(&journal, "refused", &json!({ "other": 1 }), NOW), Begun::New);
        journal.finish("refused", &json!(1), NOW).expect("finishes");
        journal.forget("refused").expect("keeps what has ended");
        let almost = Timestamp(NOW.0 + WINDOW_MS);
        assert_eq!(begin(&journal, "refused", &json!({ "other": 1 }), almost), Begun::Done(json!(1)));
        let later = Timestamp(NOW.0 + WINDOW_MS + 1);
        assert_eq!(begin(&journal, "refused", &json!({}), later), Begun::New);
    }

    #[test]
    fn clock_set_by_a_day_neither_forgets_a_request_nor_keeps_it_for_ever() {
        const DAY: u64 = 24 * 60 * 60 * 1_000;
        let dir = tempfile::tempdir().expect("tempdir");
        let path = dir.path().join("truehand.db");
        let at = |day: u64, name: &str| {
            let journal = Journal::open(&path, name).expect("opens");
            begin(&journal, "k", &json!({}), Timestamp(NOW.0 + day * DAY))
        };
        let journal = Journal::open(&path, "first").expect("opens");
        assert_eq!(begin(&journal, "k", &json!({}), Timestamp(NOW.0 + DAY)), Begun::New);
        journal.finish("k", &json!(1), Timestamp(NOW.0 + DAY)).expect("finishes");
        drop(journal);
        assert_eq!(at(0, "set back"), Begun::Done(json!(1)));
        assert_eq!(at(2, "set forward"), Begun::Done(json!(1)));
        assert_eq!(at(3, "set forward, and used for another day"), Begun::Done(json!(1)));
        assert_eq!(at(5, "long after"), Begun::New);
    }

    #[test]
    fn journal_open_refuses_what_is_no_database_or_a_later_one() {
        let dir = tempfile::tempdir().expect("tempdir");
        let path = dir.path().join("truehand.db");
        std::fs::write(&path, "this is not a database, and long enough to be read as one\n".repeat(20))
            .expect("writes");
        let error = Journal::open(&path, "x").err().expect("refuses");
        assert_eq!(error.code, ErrorCode::StoreFailed);
        let path = dir.path().join("later.db");
        Connection::open(&path).and_then(|c| c.pragma_update(None, "user_version", 2)).expect("made");
        let error = Journal::open(&path, "x").err().expect("refuses");
        assert!(error.message.contains("later version"), "{error}");
    }
}
