//! Projects: what sessions and files belong to.

use super::{Records, as_sql, from_sql, ids, not_found, plain};
use crate::Timestamp;
use rusqlite::{OptionalExtension, Row, params};
use serde_json::{Value, json};
use std::path::PathBuf;
use truehand_base::{ErrorBody, ErrorCode};

/// A project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Its id, made of its first name.
    pub id: String,
    /// Its name.
    pub name: String,
    /// A sign for people.
    pub icon: Option<String>,
    /// A colour for people.
    pub color: Option<String>,
    /// The folder that its work is about.
    pub folder: Option<PathBuf>,
    /// What whoever works on it should know.
    pub instructions: Option<String>,
    /// When it was made.
    pub created: Timestamp,
    /// When it was changed.
    pub updated: Timestamp,
    /// When it was put away.
    pub archived: Option<Timestamp>,
}

impl Project {
    /// The project as data.
    #[must_use]
    pub fn json(&self) -> Value {
        json!({
            "id": self.id, "name": self.name, "icon": self.icon, "color": self.color, "folder": self.folder,
            "instructions": self.instructions, "created_at": self.created.iso(), "updated_at": self.updated.iso(),
            "archived": self.archived.is_some(), "archived_at": self.archived.map(Timestamp::iso),
        })
    }
}

/// What a new project is to be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProjectWish {
    /// Its name.
    pub name: String,
    /// A sign for people.
    pub icon: Option<String>,
    /// A colour for people.
    pub color: Option<String>,
    /// The folder that its work is about, a whole path.
    pub folder: Option<PathBuf>,
    /// What whoever works on it should know.
    pub instructions: Option<String>,
}

const COLUMNS: &str = "id, name, icon, color, folder, instructions, created_ms, updated_ms, archived_ms";

impl Records {
    /// Makes a project. Its id comes from its name, with a number when that is taken.
    ///
    /// # Errors
    /// `INVALID_ARGUMENTS` for a name or folder that is none, `STORE_FAILED`.
    pub fn project_create(&self, wish: &ProjectWish, now: Timestamp) -> Result<Project, ErrorBody> {
        let name = plain("a project's name", &wish.name, 120)?;
        if wish.folder.as_ref().is_some_and(|folder| !folder.is_absolute()) {
            return Err(ErrorBody::new(ErrorCode::InvalidArguments, "the folder must be a whole path"));
        }
        if wish.instructions.as_ref().is_some_and(|text| text.len() > 64 * 1024) {
            return Err(ErrorBody::new(
                ErrorCode::InvalidArguments,
                "the instructions take more than 64 KiB",
            ));
        }
        let stem = ids::slug(&name, "project");
        let folder = wish.folder.as_ref().map(|folder| folder.to_string_lossy().into_owned());
        let id = self.with(|connection| {
            let change = connection.transaction()?;
            let taken = |id: &str| -> rusqlite::Result<bool> {
                change.query_row("SELECT count(*) FROM projects WHERE id = ?1", [id], |row| row.get::<_, i64>(0)).map(|n| n > 0)
            };
            let mut id = stem.clone();
            let mut number = 1;
            while taken(&id)? {
                number += 1;
                id = format!("{stem}-{number}");
            }
            change.execute(
                "INSERT INTO projects (id, name, icon, color, folder, instructions, created_ms, updated_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)",
                params![id, name, wish.icon, wish.color, folder, wish.instructions, as_sql(now.0)],
            )?;
            change.commit()?;
            Ok(id)
        })?;
        self.project(&id)
    }

    /// A project by its id.
    ///
    /// # Errors
    /// `NOT_FOUND`, `STORE_FAILED`.
    pub fn project(&self, id: &str) -> Result<Project, ErrorBody> {
        let sql = format!("SELECT {COLUMNS} FROM projects WHERE id = ?1");
        let found = self.with(|connection| connection.query_row(&sql, [id], read).optional())?;
        found.ok_or_else(|| not_found("project", id))
    }

    /// The projects, newest first; with `archived` also those that were put away.
    ///
    /// # Errors
    /// `STORE_FAILED`.
    pub fn projects(&self, archived: bool) -> Result<Vec<Project>, ErrorBody> {
        let sql = format!("SELECT {COLUMNS} FROM projects WHERE ?1 OR archived_ms IS NULL ORDER BY seq DESC");
        self.with(|connection| connection.prepare(&sql)?.query_map([archived], read)?.collect())
    }

    /// Puts a project away or takes it back. Its sessions stay as they are.
    ///
    /// # Errors
    /// `NOT_FOUND`, `STORE_FAILED`.
    pub fn project_archive(&self, id: &str, archived: bool, now: Timestamp) -> Result<Project, ErrorBody> {
        let at = archived.then_some(as_sql(now.0));
        let sql = "UPDATE projects SET archived_ms = ?2, updated_ms = ?3 WHERE id = ?1 AND (archived_ms IS NULL) = ?4";
        self.with(|connection| connection.execute(sql, params![id, at, as_sql(now.0), archived]))?;
        self.project(id)
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<Project> {
    let time = |ms: i64| Timestamp(from_sql(ms));
    Ok(Project {
        id: row.get(0)?,
        name: row.get(1)?,
        icon: row.get(2)?,
        color: row.get(3)?,
        folder: row.get::<_, Option<String>>(4)?.map(PathBuf::from),
        instructions: row.get(5)?,
        created: time(row.get(6)?),
        updated: time(row.get(7)?),
        archived: row.get::<_, Option<i64>>(8)?.map(time),
    })
}
