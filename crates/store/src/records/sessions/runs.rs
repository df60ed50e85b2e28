//! Running sessions, and what others wish of a run.

use super::{Session, SessionStatus};
use crate::records::{Records, as_sql, held};
use crate::{Timestamp, failed};
use rusqlite::params;
use truehand_base::text::clip;
use truehand_base::{ErrorBody, ErrorCode};

/// What a stop came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// Nobody ran it: it is stopped now.
    Now,
    /// Whoever runs it is told, and ends it.
    Wished,
}

/// What a deletion came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deleted {
    /// The session, those that it made, and their files are gone.
    Now,
    /// It is run: it is told to stop, and is deleted when it has.
    Wished,
}

/// What others want of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wishes {
    /// That it ends.
    pub stop: bool,
    /// That nothing stays of it.
    pub delete: bool,
}

impl Records {
    /// Takes a session to run it. Nobody else can until the run has ended.
    ///
    /// # Errors
    /// `NOT_FOUND`, `INVALID_ARGUMENTS` when it is run already, `STORE_FAILED`.
    pub fn run_begin(&self, id: &str, now: Timestamp) -> Result<Session, ErrorBody> {
        let session = self.session(id)?;
        let sql = "UPDATE sessions SET status = 'running', runner = ?2, stop_wished = 0, error = NULL, waiting_for = NULL,
                   updated_ms = max(updated_ms, ?3) WHERE id = ?1 AND runner IS NULL";
        let values = params![session.id, self.instance, as_sql(now.0)];
        if self.with(|connection| connection.execute(sql, values))? == 1 {
            return self.session(&session.id);
        }
        let message = format!("session {} is run already", session.id);
        Err(ErrorBody::new(ErrorCode::InvalidArguments, message)
            .next("queue a message for it, or stop it first"))
    }

    /// Notes that the run waits for a person. With `ended` nobody runs it meanwhile, and it can be taken up again.
    ///
    /// # Errors
    /// `NOT_FOUND`, `NOT_RUNNING`, `STORE_FAILED`.
    pub fn run_suspend(
        &self,
        id: &str,
        waiting_for: &str,
        ended: bool,
        now: Timestamp,
    ) -> Result<Session, ErrorBody> {
        let session = self.own_run(id)?;
        let sql = "UPDATE sessions SET status = 'suspended', waiting_for = ?2, runner = CASE WHEN ?3 THEN NULL ELSE runner END,
                   updated_ms = max(updated_ms, ?4) WHERE id = ?1";
        self.with(|connection| {
            connection.execute(sql, params![session.id, waiting_for, ended, as_sql(now.0)])
        })?;
        self.session(&session.id)
    }

    /// Notes that the run goes on after it had waited.
    ///
    /// # Errors
    /// `NOT_FOUND`, `NOT_RUNNING`, `STORE_FAILED`.
    pub fn run_resume(&self, id: &str, now: Timestamp) -> Result<Session, ErrorBody> {
        let session = self.own_run(id)?;
        let sql = "UPDATE sessions SET status = 'running', waiting_for = NULL, updated_ms = max(updated_ms, ?2) WHERE id = ?1";
        self.with(|connection| connection.execute(sql, params![session.id, as_sql(now.0)]))?;
        self.session(&session.id)
    }

    /// Ends the run: `stopped` when that was wished, else failed with `error`, else at rest. `None` when the session was
    /// to be deleted and now is.
    ///
    /// # Errors
    /// `NOT_FOUND`, `NOT_RUNNING`, `STORE_FAILED`.
    pub fn run_end(
        &self,
        id: &str,
        error: Option<&str>,
        now: Timestamp,
    ) -> Result<Option<Session>, ErrorBody> {
        let session = self.own_run(id)?;
        let wishes = self.wishes(&session.id)?;
        let status = match (wishes.stop, error) {
            (true, _) => SessionStatus::Stopped,
            (false, Some(_)) => SessionStatus::Errored,
            (false, None) => SessionStatus::Idle,
        };
        let error = error.filter(|_| !wishes.stop).map(|words| clip(words, 2_000));
        let sql =
            "UPDATE sessions SET status = ?2, error = ?3, runner = NULL, waiting_for = NULL, stop_wished = 0,
                   updated_ms = max(updated_ms, ?4) WHERE id = ?1";
        self.with(|connection| {
            connection.execute(sql, params![session.id, status.name(), error, as_sql(now.0)])
        })?;
        if wishes.delete {
            self.purge(&session)?;
            return Ok(None);
        }
        self.session(&session.id).map(Some)
    }

    /// What others want of a run.
    ///
    /// # Errors
    /// `NOT_FOUND`, `STORE_FAILED`.
    pub fn wishes(&self, id: &str) -> Result<Wishes, ErrorBody> {
        let session = self.session(id)?;
        let sql = "SELECT stop_wished, delete_wished FROM sessions WHERE id = ?1";
        let read = |row: &rusqlite::Row<'_>| Ok(Wishes { stop: row.get(0)?, delete: row.get(1)? });
        self.with(|connection| connection.query_row(sql, [&session.id], read))
    }

    /// Stops a session. Messages that wait for it stay.
    ///
    /// # Errors
    /// `NOT_FOUND`, `NOT_RUNNING` when there is nothing to stop, `STORE_FAILED`.
    pub fn session_stop(&self, id: &str, now: Timestamp) -> Result<Stopped, ErrorBody> {
        let session = self.session(id)?;
        if self.is_run(&session) {
            let sql = "UPDATE sessions SET stop_wished = 1 WHERE id = ?1";
            self.with(|connection| connection.execute(sql, [&session.id]))?;
            return Ok(Stopped::Wished);
        }
        if session.status != SessionStatus::Suspended {
            let status = session.status.name();
            let message = format!("session {} is {status}: there is nothing to stop", session.id);
            return Err(ErrorBody::new(ErrorCode::NotRunning, message).with("status", status));
        }
        let sql = "UPDATE sessions SET status = 'stopped', waiting_for = NULL, updated_ms = max(updated_ms, ?2) WHERE id = ?1";
        self.with(|connection| connection.execute(sql, params![session.id, as_sql(now.0)]))?;
        Ok(Stopped::Now)
    }

    /// Deletes a session, those that its runs made, and their files.
    ///
    /// # Errors
    /// `NOT_FOUND`, `INVALID_ARGUMENTS` for one that a client has open, `STORE_FAILED`.
    pub fn session_delete(&self, id: &str) -> Result<Deleted, ErrorBody> {
        let session = self.session(id)?;
        if let Some((client, _)) = held(&self.open).iter().find(|(_, open)| **open == session.id) {
            let message = format!("session {} is the open one of {client}", session.id);
            return Err(ErrorBody::new(ErrorCode::InvalidArguments, message)
                .next("delete it when that client is gone"));
        }
        if self.is_run(&session) {
            let sql = "UPDATE sessions SET stop_wished = 1, delete_wished = 1 WHERE id = ?1";
            self.with(|connection| connection.execute(sql, [&session.id]))?;
            return Ok(Deleted::Wished);
        }
        self.purge(&session)?;
        Ok(Deleted::Now)
    }

    /// Files first: a record without files can be deleted again, files without a record nobody would find.
    fn purge(&self, session: &Session) -> Result<(), ErrorBody> {
        for child in self.child_sessions(&session.id, None)? {
            match self.session_delete(&child.id)? {
                Deleted::Now => {}
                // It goes when its own run has ended, and needs no parent for that.
                Deleted::Wished => self
                    .with(|connection| {
                        connection.execute("UPDATE sessions SET parent = NULL WHERE id = ?1", [&child.id])
                    })
                    .map(drop)?,
            }
        }
        let folder = self.session_folder(session);
        match std::fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(failed("remove", &folder, &error));
            }
            _ => {}
        }
        held(&self.ends).remove(&session.id);
        self.with(|connection| connection.execute("DELETE FROM sessions WHERE id = ?1", [&session.id]))
            .map(drop)
    }

    fn own_run(&self, id: &str) -> Result<Session, ErrorBody> {
        let session = self.session(id)?;
        if self.is_run(&session) {
            return Ok(session);
        }
        let message = format!("session {} is not run by this process", session.id);
        Err(ErrorBody::new(ErrorCode::NotRunning, message))
    }
}
