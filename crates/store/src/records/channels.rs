//! Channels: accounts at chat services through which people can reach the product. A token lies in a file of its own
//! that only the owner can read, and is never given back.

use super::{Records, as_sql, from_sql, ids, not_found, plain};
use crate::files::private_folder;
use crate::{Timestamp, failed, write_whole};
use rusqlite::{OptionalExtension, Row, params};
use serde_json::{Value, json};
use std::path::PathBuf;
use truehand_base::{ErrorBody, ErrorCode, Secret};

/// The services that there are.
const KINDS: [&str; 4] = ["slack", "telegram", "discord", "webhook"];

/// A channel, without its token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    /// Its id, made of its first name.
    pub id: String,
    /// The service.
    pub kind: String,
    /// Its name for people.
    pub name: String,
    /// The project that what comes through it belongs to.
    pub project: Option<String>,
    /// Who may speak through it, as the service names them.
    pub owner: Option<String>,
    /// Whether it is to be connected.
    pub enabled: bool,
    /// Whether a token is kept.
    pub has_token: bool,
    /// When it was made.
    pub created: Timestamp,
    /// When it was changed.
    pub updated: Timestamp,
}

impl Channel {
    /// How it is. Nothing connects channels so far, so none is ever said to be connected.
    #[must_use]
    pub fn state(&self) -> &'static str {
        match (self.enabled, self.has_token) {
            (false, _) => "disabled",
            (true, false) => "needs_token",
            (true, true) => "configured",
        }
    }

    /// The channel as data.
    #[must_use]
    pub fn json(&self) -> Value {
        json!({
            "id": self.id, "kind": self.kind, "name": self.name, "project_id": self.project, "owner": self.owner,
            "enabled": self.enabled, "has_token": self.has_token, "state": self.state(), "connected": false,
            "created_at": self.created.iso(), "updated_at": self.updated.iso(),
        })
    }
}

/// What a channel is to be; what is left out stays, or is not set.
#[derive(Debug, Clone, Default)]
pub struct ChannelWish {
    /// The service; fixed once it is made.
    pub kind: Option<String>,
    /// Its name for people.
    pub name: Option<String>,
    /// The project that what comes through it belongs to.
    pub project: Option<String>,
    /// Who may speak through it.
    pub owner: Option<String>,
    /// Whether it is to be connected.
    pub enabled: Option<bool>,
    /// The token.
    pub token: Option<Secret>,
}

const COLUMNS: &str = "id, kind, name, project, owner, enabled, created_ms, updated_ms";

impl Records {
    /// Makes a channel. Nothing is connected by it.
    ///
    /// # Errors
    /// `INVALID_ARGUMENTS`, `NOT_FOUND` for a project that is none, `STORE_FAILED`.
    pub fn channel_create(&self, wish: &ChannelWish, now: Timestamp) -> Result<Channel, ErrorBody> {
        let kind = wish.kind.as_deref().unwrap_or_default();
        if !KINDS.contains(&kind) {
            let message = format!("kind must be one of {}", KINDS.join(", "));
            return Err(ErrorBody::new(ErrorCode::InvalidArguments, message));
        }
        let name = plain("a channel's name", wish.name.as_deref().unwrap_or(kind), 120)?;
        let owner = wish.owner.as_deref().map(|owner| plain("an owner", owner, 200)).transpose()?;
        let project =
            wish.project.as_deref().map(|id| self.project(id)).transpose()?.map(|project| project.id);
        let token = wish.token.as_ref().map(checked).transpose()?;
        let stem = ids::slug(&name, kind);
        let id = self.with(|connection| {
            let change = connection.transaction()?;
            let mut id = stem.clone();
            let mut number = 1;
            while change.query_row("SELECT count(*) FROM channels WHERE id = ?1", [&id], |row| row.get::<_, i64>(0))? > 0 {
                number += 1;
                id = format!("{stem}-{number}");
            }
            change.execute(
                "INSERT INTO channels (id, kind, name, project, owner, enabled, created_ms, updated_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7)",
                params![id, kind, name, project, owner, wish.enabled.unwrap_or(true), as_sql(now.0)],
            )?;
            change.commit()?;
            Ok(id)
        })?;
        if let Some(token) = token {
            self.keep_token(&id, token)?;
        }
        self.channel(&id)
    }

    /// Changes a channel.
    ///
    /// # Errors
    /// `NOT_FOUND`, `INVALID_ARGUMENTS`, `STORE_FAILED`.
    pub fn channel_update(&self, id: &str, wish: &ChannelWish, now: Timestamp) -> Result<Channel, ErrorBody> {
        let channel = self.channel(id)?;
        if wish.kind.as_ref().is_some_and(|kind| *kind != channel.kind) {
            let message = format!("channel {} is of {}, which can't be changed", channel.id, channel.kind);
            return Err(ErrorBody::new(ErrorCode::InvalidArguments, message).next("create another channel"));
        }
        let name = wish.name.as_deref().map(|name| plain("a channel's name", name, 120)).transpose()?;
        let owner = wish.owner.as_deref().map(|owner| plain("an owner", owner, 200)).transpose()?;
        let project =
            wish.project.as_deref().map(|id| self.project(id)).transpose()?.map(|project| project.id);
        if let Some(token) = wish.token.as_ref().map(checked).transpose()? {
            self.keep_token(&channel.id, token)?;
        }
        let sql = "UPDATE channels SET name = coalesce(?2, name), project = coalesce(?3, project), owner = coalesce(?4, owner),
                   enabled = coalesce(?5, enabled), updated_ms = ?6 WHERE id = ?1";
        self.with(|connection| {
            connection.execute(sql, params![channel.id, name, project, owner, wish.enabled, as_sql(now.0)])
        })?;
        self.channel(&channel.id)
    }

    /// A channel by its id.
    ///
    /// # Errors
    /// `NOT_FOUND`, `STORE_FAILED`.
    pub fn channel(&self, id: &str) -> Result<Channel, ErrorBody> {
        let sql = format!("SELECT {COLUMNS} FROM channels WHERE id = ?1");
        let found = self
            .with(|connection| connection.query_row(&sql, [id], |row| self.read_channel(row)).optional())?;
        found.ok_or_else(|| not_found("channel", id))
    }

    /// The channels in the order of making.
    ///
    /// # Errors
    /// `STORE_FAILED`.
    pub fn channels(&self) -> Result<Vec<Channel>, ErrorBody> {
        let sql = format!("SELECT {COLUMNS} FROM channels ORDER BY seq");
        self.with(|connection| {
            connection.prepare(&sql)?.query_map([], |row| self.read_channel(row))?.collect()
        })
    }

    /// The token of a channel, for whoever connects it.
    ///
    /// # Errors
    /// `NOT_FOUND` when none is kept, `STORE_FAILED`.
    pub fn channel_token(&self, id: &str) -> Result<Secret, ErrorBody> {
        let channel = self.channel(id)?;
        let path = self.token_path(&channel.id);
        match std::fs::read_to_string(&path) {
            Ok(token) => Ok(Secret::new(token)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(not_found("token of channel", id))
            }
            Err(error) => Err(failed("read", &path, &error)),
        }
    }

    fn keep_token(&self, id: &str, token: &Secret) -> Result<(), ErrorBody> {
        private_folder(&self.home.channels())?;
        write_whole(&self.token_path(id), token.reveal().as_bytes())
    }

    /// Ids are slugs, so that this is a file of that folder.
    fn token_path(&self, id: &str) -> PathBuf {
        self.home.channels().join(format!("{id}.token"))
    }

    fn read_channel(&self, row: &Row<'_>) -> rusqlite::Result<Channel> {
        let id: String = row.get(0)?;
        Ok(Channel {
            kind: row.get(1)?,
            name: row.get(2)?,
            project: row.get(3)?,
            owner: row.get(4)?,
            enabled: row.get(5)?,
            has_token: self.token_path(&id).is_file(),
            created: Timestamp(from_sql(row.get(6)?)),
            updated: Timestamp(from_sql(row.get(7)?)),
            id,
        })
    }
}

/// A token is one word; what is wrong with one that is none does not repeat it.
fn checked(token: &Secret) -> Result<&Secret, ErrorBody> {
    let text = token.reveal();
    let fine = (8..=4_096).contains(&text.len()) && text.chars().all(|c| c.is_ascii_graphic());
    let message = "the token must be 8 to 4096 visible characters without spaces";
    if fine { Ok(token) } else { Err(ErrorBody::new(ErrorCode::InvalidArguments, message)) }
}
