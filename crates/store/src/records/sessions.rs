//! Sessions: what an agent or a script's scope did, under a name that outlives it.
//!
//! A session is run by one at a time, who says so with [`Records::run_begin`] and ends with [`Records::run_end`] or
//! [`Records::run_suspend`]. In between it looks at [`Records::wishes`] and takes messages. A run whose process is
//! gone is `interrupted`.

mod row;
mod runs;

pub use row::{Session, SessionKind, SessionStatus};
pub use runs::{Deleted, Stopped, Wishes};

use super::{Records, as_sql, held, ids, not_found, plain};
use crate::Timestamp;
use crate::files::private_folder;
use row::{COLUMNS, read};
use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;
use std::path::PathBuf;
use truehand_base::{ErrorBody, ErrorCode};

/// The most sessions of one page of a list.
const LARGEST_PAGE: usize = 200;

/// What a new session is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewSession {
    /// What it is of.
    pub kind: SessionKind,
    /// Its title; a usual one when it is empty.
    pub title: String,
    /// The client that it is of, as `mcp:name`.
    pub client: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// What it may do: `read_only`, `guard` or `full`; what the rules say when it is left out.
    pub permission_mode: Option<String>,
    /// The project that it belongs to.
    pub project: Option<String>,
    /// The session whose run made it.
    pub parent: Option<String>,
    /// The tool call of that run that made it.
    pub triggered_by: Option<String>,
    /// The name of its folder, `<date>_<id>`, when that is there already; a new one otherwise.
    pub name: Option<String>,
}

/// Which sessions are listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// Only those of a project.
    pub project: Option<String>,
    /// Only those of a kind.
    pub kind: Option<SessionKind>,
    /// Also those that were put away.
    pub archived: bool,
    /// The oldest first.
    pub oldest_first: bool,
    /// How many at most; 20.
    pub limit: Option<usize>,
    /// Where the last page ended.
    pub cursor: Option<String>,
}

/// A page of a list.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Listed {
    /// The sessions.
    pub sessions: Vec<Session>,
    /// Where the next page begins, when there is one.
    pub next_cursor: Option<String>,
}

/// What of a session is changed; what is left out stays.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Changes {
    /// The title.
    pub title: Option<String>,
    /// The tab that it works on, by the browser's name for it.
    pub active_tab: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// What it may do.
    pub permission_mode: Option<String>,
    /// Settings of its runs, an object.
    pub runtime: Option<Value>,
}

impl Records {
    /// Makes a session and its folders.
    ///
    /// # Errors
    /// `NOT_FOUND` for a project or parent that is none, `INVALID_ARGUMENTS`, `STORE_FAILED`.
    pub fn session_create(&self, new: &NewSession, now: Timestamp) -> Result<Session, ErrorBody> {
        let usual = match new.kind {
            SessionKind::Agent => "Untitled",
            SessionKind::Repl => "JavaScript scope",
        };
        let title = if new.title.trim().is_empty() { usual } else { &new.title };
        let title = plain("a title", title, 200)?;
        let mode = new.permission_mode.as_deref().map(mode_of).transpose()?;
        let project =
            new.project.as_deref().map(|id| self.project(id)).transpose()?.map(|project| project.id);
        let parent = new.parent.as_deref().map(|id| self.session(id)).transpose()?.map(|parent| parent.id);
        let (name, id) = match &new.name {
            Some(name) => (name.clone(), id_in(name)?.to_owned()),
            None => {
                let id = ids::new(&self.instance, now);
                (format!("{}_{id}", now.date()), id)
            }
        };
        if new.name.is_some() && self.session(&id).is_ok() {
            let message = format!("there is a session {id} already");
            return Err(ErrorBody::new(ErrorCode::InvalidArguments, message));
        }
        let folder = self.home.sessions().join(&name);
        for part in crate::jail::OWN {
            private_folder(&folder.join(part))?;
        }
        let sql = "INSERT INTO sessions (id, name, kind, status, title, model, permission_mode, runtime, project, parent, triggered_by, client, created_ms, updated_ms)
                   VALUES (?1, ?2, ?3, 'idle', ?4, ?5, ?6, '{}', ?7, ?8, ?9, ?10, ?11, ?11)";
        let at = as_sql(now.0);
        let values = params![
            id,
            name,
            new.kind.name(),
            title,
            new.model,
            mode,
            project,
            parent,
            new.triggered_by,
            new.client,
            at
        ];
        self.with(|connection| connection.execute(sql, values))?;
        self.session(&id)
    }

    /// A session by its id or by `<date>_<id>`.
    ///
    /// # Errors
    /// `NOT_FOUND`, `STORE_FAILED`.
    pub fn session(&self, id: &str) -> Result<Session, ErrorBody> {
        let sql = format!("SELECT {COLUMNS} FROM sessions WHERE id = ?1 OR name = ?1");
        let found = self.with(|connection| connection.query_row(&sql, [id.trim()], read).optional())?;
        found.ok_or_else(|| not_found("session", id))
    }

    /// Where a session's files are.
    #[must_use]
    pub fn session_folder(&self, session: &Session) -> PathBuf {
        self.home.sessions().join(&session.name)
    }

    /// A page of the sessions that no other session made.
    ///
    /// # Errors
    /// `INVALID_ARGUMENTS` for a limit or cursor that is none, `STORE_FAILED`.
    pub fn sessions(&self, query: &Query) -> Result<Listed, ErrorBody> {
        let limit = query.limit.unwrap_or(20);
        if !(1..=LARGEST_PAGE).contains(&limit) {
            let message = format!("limit must be from 1 to {LARGEST_PAGE}");
            return Err(ErrorBody::new(ErrorCode::InvalidArguments, message));
        }
        let after = match query.cursor.as_deref() {
            None => None,
            Some(cursor) => {
                Some(cursor.strip_prefix('s').and_then(|seq| seq.parse::<i64>().ok()).ok_or_else(|| {
                    ErrorBody::new(ErrorCode::InvalidArguments, "cursor is none of those that a list gave")
                })?)
            }
        };
        let (sign, order) = if query.oldest_first { (">", "ASC") } else { ("<", "DESC") };
        let sql = format!(
            "SELECT {COLUMNS} FROM sessions WHERE parent IS NULL AND (?1 OR archived_ms IS NULL) AND (?2 IS NULL OR project = ?2)
             AND (?3 IS NULL OR kind = ?3) AND (?4 IS NULL OR seq {sign} ?4) ORDER BY seq {order} LIMIT ?5"
        );
        let kind = query.kind.map(SessionKind::name);
        let most = i64::try_from(limit + 1).unwrap_or(i64::MAX);
        let mut sessions: Vec<Session> = self.with(|connection| {
            let values = params![query.archived, query.project, kind, after, most];
            connection.prepare(&sql)?.query_map(values, read)?.collect()
        })?;
        let more = sessions.len() > limit;
        sessions.truncate(limit);
        let next_cursor = sessions.last().filter(|_| more).map(|last| format!("s{}", last.seq));
        Ok(Listed { sessions, next_cursor })
    }

    /// The sessions that a run of `parent` made, in order, or only those that one of its tool calls made.
    ///
    /// # Errors
    /// `NOT_FOUND`, `STORE_FAILED`.
    pub fn child_sessions(
        &self,
        parent: &str,
        triggered_by: Option<&str>,
    ) -> Result<Vec<Session>, ErrorBody> {
        let parent = self.session(parent)?;
        let sql = format!(
            "SELECT {COLUMNS} FROM sessions WHERE parent = ?1 AND (?2 IS NULL OR triggered_by = ?2) ORDER BY seq"
        );
        self.with(|connection| {
            connection.prepare(&sql)?.query_map(params![parent.id, triggered_by], read)?.collect()
        })
    }

    /// Changes a session.
    ///
    /// # Errors
    /// `NOT_FOUND`, `INVALID_ARGUMENTS`, `STORE_FAILED`.
    pub fn session_update(&self, id: &str, changes: &Changes, now: Timestamp) -> Result<Session, ErrorBody> {
        let session = self.session(id)?;
        let title = changes.title.as_deref().map(|title| plain("a title", title, 200)).transpose()?;
        let mode = changes.permission_mode.as_deref().map(mode_of).transpose()?;
        let runtime = match &changes.runtime {
            None => None,
            Some(value) if value.is_object() && value.to_string().len() <= 16 * 1024 => {
                Some(value.to_string())
            }
            Some(_) => {
                let message = "the runtime settings must be an object of at most 16 KiB";
                return Err(ErrorBody::new(ErrorCode::InvalidArguments, message));
            }
        };
        let sql = "UPDATE sessions SET title = coalesce(?2, title), active_tab = coalesce(?3, active_tab), model = coalesce(?4, model),
                   permission_mode = coalesce(?5, permission_mode), runtime = coalesce(?6, runtime), updated_ms = ?7 WHERE id = ?1";
        let values =
            params![session.id, title, changes.active_tab, changes.model, mode, runtime, as_sql(now.0)];
        self.with(|connection| connection.execute(sql, values))?;
        self.session(&session.id)
    }

    /// Puts a session away or takes it back; its files stay.
    ///
    /// # Errors
    /// `NOT_FOUND`, `STORE_FAILED`.
    pub fn session_archive(&self, id: &str, archived: bool, now: Timestamp) -> Result<Session, ErrorBody> {
        let session = self.session(id)?;
        let at = archived.then_some(as_sql(now.0));
        let sql = "UPDATE sessions SET archived_ms = ?2 WHERE id = ?1 AND (archived_ms IS NULL) = ?3";
        self.with(|connection| connection.execute(sql, params![session.id, at, archived]))?;
        self.session(&session.id)
    }

    /// Notes that a person has seen a session as it is now, or wants to see it again.
    ///
    /// # Errors
    /// `NOT_FOUND`, `STORE_FAILED`.
    pub fn session_mark(&self, id: &str, read: bool, now: Timestamp) -> Result<Session, ErrorBody> {
        let session = self.session(id)?;
        // A clock that was set back must not leave it unread.
        let at = read.then_some(as_sql(now.0.max(session.updated.0)));
        let sql = "UPDATE sessions SET read_ms = ?2 WHERE id = ?1";
        self.with(|connection| connection.execute(sql, params![session.id, at]))?;
        self.session(&session.id)
    }

    /// The session that a client has open, made when it has none, when `fresh` asks for another, or when it has one of
    /// another folder than `name`.
    ///
    /// # Errors
    /// `INVALID_ARGUMENTS`, `STORE_FAILED`.
    pub fn session_open(
        &self,
        client: &str,
        title: &str,
        name: Option<&str>,
        fresh: bool,
        now: Timestamp,
    ) -> Result<(Session, bool), ErrorBody> {
        let meant = |open: &Session| !fresh && name.is_none_or(|name| open.name == name);
        if let Some(session) = self.session_of(client)?.filter(meant) {
            return Ok((session, false));
        }
        let client = client.to_owned();
        let new = NewSession {
            kind: SessionKind::Repl,
            title: title.to_owned(),
            client: Some(client.clone()),
            name: name.map(str::to_owned),
            ..NewSession::default()
        };
        let session = self.session_create(&new, now)?;
        held(&self.open).insert(client, session.id.clone());
        Ok((session, true))
    }

    /// The session that a client has open now.
    ///
    /// # Errors
    /// `STORE_FAILED`.
    pub fn session_of(&self, client: &str) -> Result<Option<Session>, ErrorBody> {
        let id = held(&self.open).get(client).cloned();
        match id.map(|id| self.session(&id)).transpose() {
            Err(error) if error.code == ErrorCode::NotFound => Ok(None),
            found => found,
        }
    }

    /// A client is gone; its session stays, and is no longer open.
    pub fn client_gone(&self, client: &str) {
        if let Some(session) = held(&self.open).remove(client) {
            held(&self.quotas).remove(&session);
        }
    }

    /// What the folder of a session may hold.
    pub fn quota(&self, session: &Session) -> std::sync::Arc<crate::Quota> {
        std::sync::Arc::clone(held(&self.quotas).entry(session.id.clone()).or_default())
    }

    /// Notes that something came to a session.
    pub(super) fn touch(&self, id: &str, now: Timestamp) -> Result<(), ErrorBody> {
        let sql = "UPDATE sessions SET updated_ms = max(updated_ms, ?2) WHERE id = ?1";
        self.with(|connection| connection.execute(sql, params![id, as_sql(now.0)])).map(drop)
    }

    /// A run that another process began and did not end was cut off with it.
    pub(super) fn note_cut_off(&self, connection: &Connection) -> rusqlite::Result<()> {
        let sql = "UPDATE sessions SET status = 'interrupted', runner = NULL WHERE runner IS NOT NULL AND runner != ?1";
        connection.execute(sql, [&self.instance]).map(drop)
    }
}

/// The id in a folder's name, `2026-11-30_0f3a…`.
fn id_in(name: &str) -> Result<&str, ErrorBody> {
    let parts = name.split_once('_').filter(|(date, id)| {
        let day = date.len() == 10 && date.bytes().all(|b| b.is_ascii_digit() || b == b'-');
        day && (6..=40).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric())
    });
    parts.map(|(_, id)| id).ok_or_else(|| {
        ErrorBody::new(ErrorCode::InvalidArguments, "the name of a session's folder is <date>_<id>")
    })
}

/// A mode under its own name.
fn mode_of(text: &str) -> Result<&'static str, ErrorBody> {
    match text.trim().to_ascii_lowercase().replace('-', "_").as_str() {
        "read_only" | "readonly" => Ok("read_only"),
        "guard" | "ask" => Ok("guard"),
        "full" | "full_access" => Ok("full"),
        _ => {
            let message = "the permission mode must be read_only, guard or full";
            Err(ErrorBody::new(ErrorCode::InvalidArguments, message))
        }
    }
}
