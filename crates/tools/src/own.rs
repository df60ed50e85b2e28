//! The product's own state, as the calls of one client see it: records, settings, and the files of its session.

use crate::spec::Reply;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use truehand_base::{ClientId, ErrorBody, ErrorCode};
use truehand_store::{FilesConfig, Home, Jail, Records, Root, Session, Timestamp};

/// What tools about the product's own state are given.
#[derive(Clone)]
pub struct Own {
    /// Who calls.
    pub client: ClientId,
    /// Projects, sessions, routines, channels.
    pub records: Arc<Records>,
    /// Folders that the configuration grants.
    pub files: FilesConfig,
    /// The folder that the client works in, when it said so.
    pub working_dir: Option<PathBuf>,
    /// Where files that the call names by a path must lie, when it comes from a script.
    pub within: Option<Arc<Vec<PathBuf>>>,
    /// The program that parses PDF files when it is called as [`crate::pdf::worker::WORKER`]; without one they are parsed
    /// here.
    pub pdf_worker: Option<PathBuf>,
    /// The time of day.
    pub now: Timestamp,
}

impl Own {
    /// The state folder.
    #[must_use]
    pub fn home(&self) -> &Home {
        self.records.home()
    }

    /// The client's open session; whoever asks first opens one.
    ///
    /// # Errors
    /// `STORE_FAILED`.
    pub fn session(&self) -> Result<Session, ErrorBody> {
        self.records
            .session_open(&self.client.to_string(), "", None, false, self.now)
            .map(|(session, _)| session)
    }

    /// The files that the client may name, with what could not be granted.
    ///
    /// # Errors
    /// `STORE_FAILED`.
    pub fn jail(&self) -> Result<(Jail, Vec<String>), ErrorBody> {
        let session = self.session()?;
        let start = Root { path: self.records.session_folder(&session), write: true };
        let read = |path: &PathBuf| Root { path: path.clone(), write: false };
        let write = |path: &PathBuf| Root { path: path.clone(), write: true };
        let more: Vec<Root> =
            self.files.read.iter().map(read).chain(self.files.write.iter().map(write)).collect();
        let home = self.home();
        // The artifacts are those of all clients; a script is lent the downloads of its own.
        let artifacts = self.within.is_none().then(|| read(&home.artifacts()));
        let (mut jail, refused) = Jail::open(start, artifacts.as_slice(), &more, home.root())?;
        jail.limit(self.records.quota(&session));
        if let Some(folder) = &self.working_dir {
            jail.work_in(folder, home.root());
        }
        if let Some(within) = &self.within {
            jail.lend(within);
        }
        Ok((jail, refused))
    }

    /// Does something that blocks on a thread that may wait.
    ///
    /// # Errors
    /// Those of `work`; `INTERNAL` when it panicked.
    pub async fn on_thread<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Own) -> Result<T, ErrorBody> + Send + 'static,
    ) -> Result<T, ErrorBody> {
        let own = self.clone();
        match tokio::task::spawn_blocking(move || work(&own)).await {
            Ok(result) => result,
            Err(error) => {
                Err(ErrorBody::new(ErrorCode::Internal, format!("work on the state failed: {error}")))
            }
        }
    }
}

/// A reply whose fields are those of `value`.
pub fn told(done: impl Into<String>, value: Value) -> Reply {
    let mut reply = Reply { done: done.into(), ..Reply::default() };
    if let Value::Object(fields) = value {
        reply.output = fields;
    }
    reply
}

/// The most that a list of texts may take in a reply, in bytes.
const LARGEST_LIST: usize = 4 << 20;

/// The first or the last of a list that fit into a reply, at least one.
pub fn fitting<T: serde::Serialize>(mut list: Vec<T>, from_start: bool) -> Vec<T> {
    let size = |item: &T| serde_json::to_string(item).map_or(usize::MAX, |text| text.len());
    let mut left = LARGEST_LIST;
    let mut fits = |item: &T| match left.checked_sub(size(item)) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    };
    let count = if from_start {
        list.iter().take_while(|item| fits(item)).count()
    } else {
        list.iter().rev().take_while(|item| fits(item)).count()
    };
    let count = count.max(1).min(list.len());
    if from_start {
        list.truncate(count);
    } else {
        list.drain(..list.len() - count);
    }
    list
}

/// A secret text in arguments: it is read and never shown.
#[derive(serde::Deserialize)]
#[serde(transparent)]
pub struct Token(String);

impl Token {
    /// The secret.
    #[must_use]
    pub fn into_secret(self) -> truehand_base::Secret {
        truehand_base::Secret::new(self.0)
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(••••)")
    }
}

impl schemars::JsonSchema for Token {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Token".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string" })
    }
}
