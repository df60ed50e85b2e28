//! Messages that wait for a session: whoever runs it takes them.

use super::sessions::SessionStatus;
use super::{Records, as_sql, from_sql};
use crate::Timestamp;
use rusqlite::{Row, params};
use serde_json::{Value, json};
use truehand_base::{ErrorBody, ErrorCode};

/// The longest message, in bytes.
const LONGEST: usize = 256 * 1024;

/// The most messages that wait for one session.
const MOST: i64 = 100;

/// When a message is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputHow {
    /// At once: it breaks into the step that is going on.
    Steer,
    /// After the step that is going on, in order.
    Queue,
}

impl InputHow {
    /// The name in replies.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            InputHow::Steer => "steer",
            InputHow::Queue => "queue",
        }
    }
}

/// A message that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// Its number, unique over all sessions.
    pub id: i64,
    /// When it is taken.
    pub how: InputHow,
    /// The message.
    pub text: String,
    /// When it came.
    pub created: Timestamp,
}

impl Input {
    /// The message as data.
    #[must_use]
    pub fn json(&self) -> Value {
        json!({ "id": self.id, "how": self.how.name(), "text": self.text, "created_at": self.created.iso() })
    }
}

impl Records {
    /// Leaves a message for a session. One that steers needs a run to steer; one that is queued waits for the next.
    /// Nothing is delivered by this: the run takes it with [`Records::input_take`].
    ///
    /// # Errors
    /// `NOT_FOUND`, `NOT_RUNNING` for a steer that nobody would take, `INVALID_ARGUMENTS`, `RATE_LIMITED` when too
    /// many wait already, `STORE_FAILED`.
    pub fn input_add(&self, id: &str, how: InputHow, text: &str, now: Timestamp) -> Result<Input, ErrorBody> {
        if text.trim().is_empty() || text.len() > LONGEST {
            let message = format!("a message must have text, and at most {LONGEST} bytes of it");
            return Err(ErrorBody::new(ErrorCode::InvalidArguments, message));
        }
        let session = self.session(id)?;
        if how == InputHow::Steer && !self.is_run(&session) {
            let status = session.status.name();
            let message = format!(
                "session {} is {status} and nobody runs it, so there is no step to break into",
                session.id
            );
            return Err(ErrorBody::new(ErrorCode::NotRunning, message).with("status", status));
        }
        if self.inputs(id)?.len() as i64 >= MOST {
            let message = format!("{MOST} messages wait for session {} already", session.id);
            return Err(ErrorBody::new(ErrorCode::RateLimited, message).next("wait until they are taken"));
        }
        let input = self.with(|connection| {
            let sql = "INSERT INTO inputs (session, how, text, created_ms) VALUES (?1, ?2, ?3, ?4)";
            connection.execute(sql, params![session.id, how.name(), text, as_sql(now.0)])?;
            Ok(Input { id: connection.last_insert_rowid(), how, text: text.to_owned(), created: now })
        })?;
        self.touch(&session.id, now)?;
        Ok(input)
    }

    /// The messages that wait for a session, those that steer first.
    ///
    /// # Errors
    /// `NOT_FOUND`, `STORE_FAILED`.
    pub fn inputs(&self, id: &str) -> Result<Vec<Input>, ErrorBody> {
        let session = self.session(id)?;
        let sql = "SELECT id, how, text, created_ms FROM inputs WHERE session = ?1 AND taken_ms IS NULL ORDER BY how = 'queue', id";
        self.with(|connection| connection.prepare(sql)?.query_map([&session.id], read)?.collect())
    }

    /// Takes the next message of a session, for whoever runs it; one is given once. With `only_steer` those that are
    /// queued stay: a step is going on.
    ///
    /// # Errors
    /// `NOT_FOUND`, `STORE_FAILED`.
    pub fn input_take(&self, id: &str, only_steer: bool, now: Timestamp) -> Result<Option<Input>, ErrorBody> {
        let fits = |input: &Input| !only_steer || input.how == InputHow::Steer;
        for input in self.inputs(id)?.into_iter().filter(fits) {
            let sql = "UPDATE inputs SET taken_ms = ?2 WHERE id = ?1 AND taken_ms IS NULL";
            if self.with(|connection| connection.execute(sql, params![input.id, as_sql(now.0)]))? == 1 {
                return Ok(Some(input));
            }
        }
        Ok(None)
    }

    /// Whether somebody runs a session now, who will take messages and wishes.
    #[must_use]
    pub fn is_run(&self, session: &super::Session) -> bool {
        let at_work = matches!(session.status, SessionStatus::Running | SessionStatus::Suspended);
        at_work && session.runner.as_deref() == Some(self.instance.as_str())
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<Input> {
    let how = if row.get::<_, String>(1)? == "steer" { InputHow::Steer } else { InputHow::Queue };
    Ok(Input { id: row.get(0)?, how, text: row.get(2)?, created: Timestamp(from_sql(row.get(3)?)) })
}
