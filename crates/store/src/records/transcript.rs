//! A session's transcript: one line a message, never rewritten. Compaction adds a mark, so that the whole stays readable
//! and a run still finds what it goes on with.

use super::{Records, Session, held};
use crate::files::new_private;
use crate::{Timestamp, failed};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use truehand_base::{ErrorBody, ErrorCode};

/// The largest message, in bytes.
const LARGEST: usize = 8 << 20;

/// The most messages of one page.
const LARGEST_PAGE: usize = 1_000;

/// Who a message is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The person, or who speaks for one.
    User,
    /// The model.
    Assistant,
    /// A tool's result.
    Tool,
    /// The product.
    System,
}

/// A message that is added.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMessage {
    /// Who it is of.
    pub role: Role,
    /// What it says: a text, or parts as the model takes them.
    pub content: Value,
    /// The tool call that it makes or answers.
    pub tool_call_id: Option<String>,
}

impl NewMessage {
    /// A message of text.
    #[must_use]
    pub fn text(role: Role, text: impl Into<String>) -> NewMessage {
        NewMessage { role, content: Value::String(text.into()), tool_call_id: None }
    }
}

/// A message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Its number in the session, from 1.
    pub seq: u64,
    /// Who it is of.
    pub role: Role,
    /// What it says.
    pub content: Value,
    /// The tool call that it makes or answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// When it came.
    pub created_at: String,
    /// Whether a summary stands for it in what the model is given.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub compacted: bool,
}

/// What a run goes on with.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Context {
    /// What stands for the messages before.
    pub summary: Option<String>,
    /// The messages since.
    pub messages: Vec<Message>,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line {
    Message(Message),
    Compaction { upto: u64, summary: String, created_at: String },
}

impl Records {
    /// Adds a message; it is on the disk when this returns.
    ///
    /// # Errors
    /// `NOT_FOUND`, `ARGUMENT_TOO_LARGE`, `STORE_FAILED`.
    pub fn message_add(&self, id: &str, new: NewMessage, now: Timestamp) -> Result<Message, ErrorBody> {
        let session = self.session(id)?;
        let message = {
            // Held while it is written: the numbers are in the order of the lines.
            let mut ends = held(&self.ends);
            let last = match ends.get(&session.id) {
                Some(last) => *last,
                None => self.mend(&session)?,
            };
            let NewMessage { role, content, tool_call_id } = new;
            let message = Message {
                seq: last + 1,
                role,
                content,
                tool_call_id,
                created_at: now.iso(),
                compacted: false,
            };
            // Until it is written nobody knows how the file ends.
            ends.remove(&session.id);
            self.append(&session, &Line::Message(message.clone()))?;
            ends.insert(session.id.clone(), message.seq);
            message
        };
        self.touch(&session.id, now)?;
        Ok(message)
    }

    /// Notes that a summary stands for the messages up to a number. They stay in the transcript.
    ///
    /// # Errors
    /// `NOT_FOUND`, `INVALID_ARGUMENTS` for a number that no message has, `STORE_FAILED`.
    pub fn compact(&self, id: &str, upto: u64, summary: &str, now: Timestamp) -> Result<(), ErrorBody> {
        let session = self.session(id)?;
        let mut ends = held(&self.ends);
        let last = self.mend(&session)?;
        if upto == 0 || upto > last {
            let message = format!("there is no message {upto} to compact up to; the last is {last}");
            return Err(ErrorBody::new(ErrorCode::InvalidArguments, message));
        }
        ends.remove(&session.id);
        self.append(
            &session,
            &Line::Compaction { upto, summary: summary.to_owned(), created_at: now.iso() },
        )?;
        ends.insert(session.id.clone(), last);
        Ok(())
    }

    /// The whole transcript, also what was compacted: the latest `limit` messages (50) in the order of the talk, or with
    /// `oldest_first` the earliest.
    ///
    /// # Errors
    /// `NOT_FOUND`, `INVALID_ARGUMENTS` for a limit that is none, `STORE_FAILED`.
    pub fn messages(
        &self,
        id: &str,
        limit: Option<usize>,
        oldest_first: bool,
    ) -> Result<(Vec<Message>, usize), ErrorBody> {
        let limit = limit.unwrap_or(50);
        if !(1..=LARGEST_PAGE).contains(&limit) {
            let message = format!("limit must be from 1 to {LARGEST_PAGE}");
            return Err(ErrorBody::new(ErrorCode::InvalidArguments, message));
        }
        let (mut messages, _) = self.transcript(id)?;
        let total = messages.len();
        if oldest_first {
            messages.truncate(limit);
        } else {
            messages.drain(..total.saturating_sub(limit));
        }
        Ok((messages, total))
    }

    /// What a run goes on with: the last summary and the messages since.
    ///
    /// # Errors
    /// `NOT_FOUND`, `STORE_FAILED`.
    pub fn context(&self, id: &str) -> Result<Context, ErrorBody> {
        let (messages, summary) = self.transcript(id)?;
        Ok(Context { summary, messages: messages.into_iter().filter(|message| !message.compacted).collect() })
    }

    /// The lines of the transcript as they were written, marks of compaction too.
    ///
    /// # Errors
    /// `NOT_FOUND`, `STORE_FAILED`.
    pub fn message_rows(&self, id: &str) -> Result<Vec<Value>, ErrorBody> {
        let session = self.session(id)?;
        let mut rows = Vec::new();
        self.each_line(&session, |line| rows.extend(serde_json::from_slice(line).ok()))?;
        Ok(rows)
    }

    fn transcript(&self, id: &str) -> Result<(Vec<Message>, Option<String>), ErrorBody> {
        let session = self.session(id)?;
        let (mut messages, mut mark) = (Vec::new(), None);
        self.each_line(&session, |line| match serde_json::from_slice(line) {
            Ok(Line::Message(message)) => messages.push(message),
            Ok(Line::Compaction { upto, summary, .. }) => mark = Some((upto, summary)),
            // A line that a kill tore was never told to be written.
            Err(_) => {}
        })?;
        if let Some((upto, _)) = mark {
            for message in messages.iter_mut().filter(|message: &&mut Message| message.seq <= upto) {
                message.compacted = true;
            }
        }
        Ok((messages, mark.map(|(_, summary)| summary)))
    }

    fn path_of(&self, session: &Session) -> PathBuf {
        self.session_folder(session).join("transcript.jsonl")
    }

    fn each_line(&self, session: &Session, mut take: impl FnMut(&[u8])) -> Result<(), ErrorBody> {
        let path = self.path_of(session);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(failed("read", &path, &error)),
        };
        let mut lines = BufReader::new(file);
        let mut line = Vec::new();
        loop {
            line.clear();
            match lines.read_until(b'\n', &mut line) {
                Ok(0) => return Ok(()),
                Ok(_) => {
                    if let Some(whole) = line.strip_suffix(b"\n") {
                        take(whole);
                    }
                }
                Err(error) => return Err(failed("read", &path, &error)),
            }
        }
    }

    /// Cuts off a line that a kill tore; the number of the last message.
    fn mend(&self, session: &Session) -> Result<u64, ErrorBody> {
        let path = self.path_of(session);
        let mut last = 0;
        let mut whole = 0;
        self.each_line(session, |line| {
            whole += line.len() as u64 + 1;
            if let Ok(Line::Message(message)) = serde_json::from_slice(line) {
                last = message.seq;
            }
        })?;
        let Ok(mut file) = OpenOptions::new().read(true).write(true).open(&path) else { return Ok(last) };
        let torn = (|| {
            let length = file.metadata()?.len();
            if length == 0 {
                return Ok(false);
            }
            let mut end = [0];
            file.seek(SeekFrom::End(-1))?;
            file.read_exact(&mut end)?;
            Ok(end != *b"\n")
        })();
        match torn {
            Ok(false) => Ok(last),
            Ok(true) => file.set_len(whole).map(|()| last).map_err(|error| failed("mend", &path, &error)),
            Err::<bool, std::io::Error>(error) => Err(failed("mend", &path, &error)),
        }
    }

    fn append(&self, session: &Session, line: &Line) -> Result<(), ErrorBody> {
        let path = self.path_of(session);
        let mut bytes = serde_json::to_vec(line)
            .map_err(|error| ErrorBody::new(ErrorCode::Internal, format!("a message is no JSON: {error}")))?;
        if bytes.len() > LARGEST {
            let message = format!("the message takes {} bytes, the limit is {LARGEST}", bytes.len());
            return Err(ErrorBody::new(ErrorCode::ArgumentTooLarge, message));
        }
        bytes.push(b'\n');
        let opened = match OpenOptions::new().append(true).open(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => new_private(&path),
            opened => opened,
        };
        let written = opened.and_then(|mut file| {
            file.write_all(&bytes)?;
            file.sync_data()
        });
        written.map_err(|error| failed("write", &path, &error))
    }
}
