//! A session as it is kept.

use crate::Timestamp;
use crate::records::from_sql;
use rusqlite::Row;
use serde_json::{Value, json};

/// What a session is of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SessionKind {
    /// An agent's task.
    #[default]
    Agent,
    /// A client's JavaScript scope.
    Repl,
}

impl SessionKind {
    /// The name in replies.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            SessionKind::Agent => "agent",
            SessionKind::Repl => "repl",
        }
    }

    /// The kind of that name.
    #[must_use]
    pub fn of(name: &str) -> Option<SessionKind> {
        [SessionKind::Agent, SessionKind::Repl].into_iter().find(|kind| kind.name() == name)
    }
}

/// How a session is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionStatus {
    /// At rest: not begun, or done with its last turn.
    Idle,
    /// Somebody runs it.
    Running,
    /// It waits for a person.
    Suspended,
    /// Its last run failed.
    Errored,
    /// Its last run was stopped.
    Stopped,
    /// The process of its last run ended in the middle of it.
    Interrupted,
}

impl SessionStatus {
    const ALL: [SessionStatus; 6] = [
        SessionStatus::Idle,
        SessionStatus::Running,
        SessionStatus::Suspended,
        SessionStatus::Errored,
        SessionStatus::Stopped,
        SessionStatus::Interrupted,
    ];

    /// The name in replies.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            SessionStatus::Idle => "idle",
            SessionStatus::Running => "running",
            SessionStatus::Suspended => "suspended",
            SessionStatus::Errored => "errored",
            SessionStatus::Stopped => "stopped",
            SessionStatus::Interrupted => "interrupted",
        }
    }
}

/// A session.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    /// Its number in the order of making.
    pub(super) seq: i64,
    /// Its id.
    pub id: String,
    /// Its folder's name, `<date>_<id>`.
    pub name: String,
    /// What it is of.
    pub kind: SessionKind,
    /// How it is.
    pub status: SessionStatus,
    /// Its title.
    pub title: String,
    /// The model.
    pub model: Option<String>,
    /// What it may do, when that was said.
    pub permission_mode: Option<String>,
    /// The tab that it works on.
    pub active_tab: Option<String>,
    /// Settings of its runs.
    pub runtime: Value,
    /// Its project.
    pub project: Option<String>,
    /// The session whose run made it.
    pub parent: Option<String>,
    /// The tool call that made it.
    pub triggered_by: Option<String>,
    /// The client that it is of.
    pub client: Option<String>,
    /// Why its last run failed.
    pub error: Option<String>,
    /// What it waits for.
    pub waiting_for: Option<String>,
    /// The process that runs it.
    pub(in crate::records) runner: Option<String>,
    /// When it was made.
    pub created: Timestamp,
    /// When something of it changed.
    pub updated: Timestamp,
    /// When it was put away.
    pub archived: Option<Timestamp>,
    /// When a person had seen it last.
    pub read: Option<Timestamp>,
}

impl Session {
    /// Whether something came since a person looked.
    #[must_use]
    pub fn unread(&self) -> bool {
        self.read.is_none_or(|read| read < self.updated)
    }

    /// The session as data.
    #[must_use]
    pub fn json(&self) -> Value {
        json!({
            "id": self.id, "name": self.name, "kind": self.kind.name(), "status": self.status.name(), "title": self.title,
            "model": self.model, "permission_mode": self.permission_mode, "active_tab_target_id": self.active_tab,
            "runtime_config": self.runtime, "project_id": self.project, "parent_id": self.parent,
            "triggered_by": self.triggered_by, "client": self.client, "error": self.error,
            "waiting_for": self.waiting_for, "created_at": self.created.iso(), "updated_at": self.updated.iso(),
            "archived": self.archived.is_some(), "archived_at": self.archived.map(Timestamp::iso), "unread": self.unread(),
        })
    }
}

pub(super) const COLUMNS: &str = "seq, id, name, kind, status, title, model, permission_mode, active_tab, runtime, project, parent, triggered_by, client, error, waiting_for, runner, created_ms, updated_ms, archived_ms, read_ms";

pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Session> {
    let time = |ms: i64| Timestamp(from_sql(ms));
    let status: String = row.get(4)?;
    Ok(Session {
        seq: row.get(0)?,
        id: row.get(1)?,
        name: row.get(2)?,
        kind: SessionKind::of(&row.get::<_, String>(3)?).unwrap_or_default(),
        // A status of a later version says at least that nobody here runs it.
        status: SessionStatus::ALL
            .into_iter()
            .find(|one| one.name() == status)
            .unwrap_or(SessionStatus::Interrupted),
        title: row.get(5)?,
        model: row.get(6)?,
        permission_mode: row.get(7)?,
        active_tab: row.get(8)?,
        runtime: serde_json::from_str(&row.get::<_, String>(9)?).unwrap_or_default(),
        project: row.get(10)?,
        parent: row.get(11)?,
        triggered_by: row.get(12)?,
        client: row.get(13)?,
        error: row.get(14)?,
        waiting_for: row.get(15)?,
        runner: row.get(16)?,
        created: time(row.get(17)?),
        updated: time(row.get(18)?),
        archived: row.get::<_, Option<i64>>(19)?.map(time),
        read: row.get::<_, Option<i64>>(20)?.map(time),
    })
}
