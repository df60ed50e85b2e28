//! Routines: tasks with a schedule, one TOML file each under `routines/`. People write them; here they are read.

use super::{Records, Schedule, not_found};
use crate::failed;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;
use truehand_base::text::one_line;
use truehand_base::{ErrorBody, ErrorCode};

/// The largest file, in bytes.
const LARGEST: u64 = 64 * 1024;

/// A routine as its file says; a file that can't be used says why.
#[derive(Debug, Clone, PartialEq)]
pub struct Routine {
    /// The file's name without its end.
    pub id: String,
    /// What is in it.
    pub body: Result<Body, String>,
}

/// The file. An unknown key is an error.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    /// Its name for people.
    pub name: String,
    /// When it runs: five fields as cron has them.
    pub schedule: String,
    /// What is to be done.
    pub prompt: String,
    /// The project that its sessions belong to.
    pub project: Option<String>,
    /// The session that each run goes on with; a new one each time when it is left out.
    pub session: Option<String>,
    /// Whether it is to run.
    #[serde(default = "yes")]
    pub enabled: bool,
}

fn yes() -> bool {
    true
}

impl Routine {
    /// The routine as data.
    #[must_use]
    pub fn json(&self) -> Value {
        match &self.body {
            Err(why) => json!({ "id": self.id, "state": "broken", "error": why }),
            Ok(body) => json!({
                "id": self.id, "name": body.name, "schedule": body.schedule, "prompt": body.prompt,
                "kind": if body.session.is_some() { "heartbeat" } else { "cron" },
                "project_id": body.project, "session_id": body.session, "enabled": body.enabled,
                // What is not true yet is not said: no part of the program runs routines so far.
                "state": "stored",
            }),
        }
    }

    fn project(&self) -> Option<&str> {
        self.body.as_ref().ok().and_then(|body| body.project.as_deref())
    }
}

impl Records {
    /// The routines by id, those too whose files can't be used; at most `limit` (200).
    ///
    /// # Errors
    /// `INVALID_ARGUMENTS` for a limit that is none, `STORE_FAILED`.
    pub fn routines(&self, project: Option<&str>, limit: Option<usize>) -> Result<Vec<Routine>, ErrorBody> {
        let limit = limit.unwrap_or(200);
        if !(1..=200).contains(&limit) {
            return Err(ErrorBody::new(ErrorCode::InvalidArguments, "limit must be from 1 to 200"));
        }
        let folder = self.home.routines();
        let files = match std::fs::read_dir(&folder) {
            Ok(files) => files,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed("list", &folder, &error)),
        };
        let mut ids = Vec::new();
        for file in files {
            let file = file.map_err(|error| failed("list", &folder, &error))?;
            let name = file.file_name();
            ids.extend(
                name.to_str()
                    .and_then(|name| name.strip_suffix(".toml"))
                    .filter(|id| is_id(id))
                    .map(str::to_owned),
            );
        }
        ids.sort();
        let all = ids.into_iter().map(|id| read(&folder, &id)).collect::<Result<Vec<_>, _>>()?;
        Ok(all
            .into_iter()
            .filter(|routine| project.is_none_or(|p| routine.project() == Some(p)))
            .take(limit)
            .collect())
    }

    /// A routine by its id.
    ///
    /// # Errors
    /// `NOT_FOUND`, `STORE_FAILED`.
    pub fn routine(&self, id: &str) -> Result<Routine, ErrorBody> {
        let folder = self.home.routines();
        if !is_id(id) || !folder.join(format!("{id}.toml")).is_file() {
            return Err(not_found("routine", id));
        }
        read(&folder, id)
    }
}

/// Letters, digits, `-` and `_`: nothing that leads anywhere else.
fn is_id(id: &str) -> bool {
    (1..=80).contains(&id.len()) && id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
}

fn read(folder: &Path, id: &str) -> Result<Routine, ErrorBody> {
    let path = folder.join(format!("{id}.toml"));
    let size = std::fs::metadata(&path).map_err(|error| failed("read", &path, &error))?.len();
    let body = if size > LARGEST {
        Err(format!("the file has {size} bytes, the limit is {LARGEST}"))
    } else {
        let text = std::fs::read_to_string(&path).map_err(|error| failed("read", &path, &error))?;
        parse(&text)
    };
    Ok(Routine { id: id.to_owned(), body })
}

fn parse(text: &str) -> Result<Body, String> {
    let mut body: Body = toml::from_str(text).map_err(|error| {
        let line =
            error.span().map_or(0, |span| text.get(..span.start).unwrap_or(text).matches('\n').count() + 1);
        format!("line {line}: {}", one_line(error.message()))
    })?;
    let schedule = Schedule::parse(&body.schedule).map_err(|why| format!("schedule: {why}"))?;
    schedule.as_str().clone_into(&mut body.schedule);
    match body.name.trim().is_empty() || body.prompt.trim().is_empty() {
        true => Err("name and prompt must not be empty".to_owned()),
        false => Ok(body),
    }
}
