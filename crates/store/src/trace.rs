//! The trace: one JSON line a call, redacted by the writer itself so that no caller can forget it.

use crate::{failed, redact};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use truehand_base::{ErrorBody, ErrorCode};

/// The version of the line's form.
pub const TRACE_VERSION: u32 = 1;

/// One call, from its begin to its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraceRecord {
    /// [`TRACE_VERSION`].
    pub version: u32,
    /// When the call began, as `2026-11-30T21:05:09.123Z`.
    pub time: String,
    /// Counts the calls of one run of the program; the order in which they began.
    pub seq: u64,
    /// Who called, as `mcp:name` or `cli:name`.
    pub client: String,
    /// The tool's own name, or the name that was called when there is none.
    pub tool: String,
    /// The arguments under their own names.
    pub arguments: Value,
    /// What the call is for, in the caller's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// The request key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_key: Option<String>,
    /// What the gate said: `allow`, `ask` or `deny`, the rule, and who approved; absent when the call did
    /// not get that far.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub decision: Value,
    /// The verdict line.
    pub verdict: String,
    /// The structured outcome without the effect; images are sizes.
    pub outcome: Value,
    /// What was measured.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub page_effect: Value,
    /// From begin to end.
    pub duration_ms: u64,
}

/// A writer of trace lines.
pub struct Trace {
    path: PathBuf,
    file: Mutex<Line>,
}

/// The file, and whether its last line may be torn because a write failed.
struct Line {
    file: File,
    torn: bool,
}

impl Trace {
    /// Opens a trace for appending. A last line that was torn by a crash is cut off.
    ///
    /// # Errors
    /// `STORE_FAILED` when the file can't be opened or mended.
    pub fn open(path: &Path) -> Result<Trace, ErrorBody> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path).map_err(|error| failed("open the trace", path, &error))?;
        mend(&mut file).map_err(|error| failed("mend the trace", path, &error))?;
        Ok(Trace { path: path.to_owned(), file: Mutex::new(Line { file, torn: false }) })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends one call. `secrets` are values that were seen entering secret fields.
    ///
    /// # Errors
    /// `STORE_FAILED` when the line can't be written; what was written of it is cut off again, before the
    /// next line at the latest.
    pub fn append(&self, record: &TraceRecord, secrets: &[String]) -> Result<(), ErrorBody> {
        let mut line =
            serde_json::to_value(record).map_err(|error| failed("write the trace", &self.path, &error))?;
        redact(&mut line, secrets);
        // One write for the whole line, so that lines of several threads never mix.
        let text = format!("{line}\n");
        let mut last = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let written = (|| {
            if last.torn {
                mend(&mut last.file)?;
                last.torn = false;
            }
            last.file.write_all(text.as_bytes())
        })();
        written.map_err(|error| {
            // A full disk takes the beginning of a line. Cutting it off needs no room.
            last.torn = mend(&mut last.file).is_err();
            failed("write the trace", &self.path, &error)
        })
    }
}

/// A trace whose last line a crash had torn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mended {
    /// The file.
    pub path: PathBuf,
    /// How many bytes were cut off; none when only the line's end was missing.
    pub cut: u64,
}

/// Cuts torn last lines off the traces that earlier runs left in a folder. No other process may be writing
/// there.
///
/// # Errors
/// `STORE_FAILED` when the folder can't be listed or one of the files can't be mended.
pub fn mend_traces(folder: &Path) -> Result<Vec<Mended>, ErrorBody> {
    let mut found = Vec::new();
    let entries = std::fs::read_dir(folder).map_err(|error| failed("list", folder, &error))?;
    for entry in entries {
        let path = entry.map_err(|error| failed("list", folder, &error))?.path();
        if path.extension().is_some_and(|ending| ending == "jsonl") {
            let mended = mend_file(&path).map_err(|error| failed("mend the trace", &path, &error))?;
            found.extend(mended.map(|cut| Mended { path, cut }));
        }
    }
    Ok(found)
}

fn mend_file(path: &Path) -> std::io::Result<Option<u64>> {
    let mut file = File::open(path)?;
    let mut last = [b'\n'];
    if file.metadata()?.len() > 0 {
        file.seek(SeekFrom::End(-1))?;
        file.read_exact(&mut last)?;
    }
    if last == [b'\n'] {
        return Ok(None);
    }
    mend(&mut OpenOptions::new().read(true).append(true).open(path)?).map(Some)
}

/// Cuts off what follows the last line break, unless it is a whole record that only lacks the break. Says how many
/// bytes went.
fn mend(file: &mut File) -> std::io::Result<u64> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut tail = Vec::new();
    let mut start = length;
    while start > 0 && !tail.contains(&b'\n') {
        let step = start.min(64 * 1024);
        start -= step;
        let mut block = vec![0; usize::try_from(step).unwrap_or(0)];
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut block)?;
        block.extend_from_slice(&tail);
        tail = block;
    }
    let keep = tail.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let torn = &tail[keep..];
    if torn.is_empty() {
        Ok(0)
    } else if serde_json::from_slice::<TraceRecord>(torn).is_ok() {
        file.write_all(b"\n").map(|()| 0)
    } else {
        file.set_len(start + keep as u64).map(|()| torn.len() as u64)
    }
}

/// Reads a trace. A torn last line is left out.
///
/// # Errors
/// `STORE_FAILED` when the file can't be read, `ARTIFACT_INVALID` with the line when another line is
/// no record.
pub fn read_trace(path: &Path) -> Result<Vec<TraceRecord>, ErrorBody> {
    let text = std::fs::read(path).map_err(|error| failed("read the trace", path, &error))?;
    let mut lines = text.split(|byte| *byte == b'\n').enumerate().peekable();
    let mut records = Vec::new();
    while let Some((number, line)) = lines.next() {
        let last = lines.peek().is_none();
        match serde_json::from_slice(line) {
            Ok(record) => records.push(record),
            Err(_) if last => {}
            Err(error) => {
                let message =
                    format!("line {} of {} is no trace record: {error}", number + 1, path.display());
                return Err(ErrorBody::new(ErrorCode::ArtifactInvalid, message).next("use another trace"));
            }
        }
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn record(seq: u64) -> TraceRecord {
        TraceRecord {
            version: TRACE_VERSION,
            time: "2026-11-30T21:05:09.123Z".to_owned(),
            seq,
            client: "cli:x".to_owned(),
            tool: "browser_type".to_owned(),
            arguments: json!({ "ref": "e1", "text": "hunter2 line\nbreak" }),
            purpose: Some("log in with hunter2".to_owned()),
            request_key: None,
            decision: json!({ "answer": "allow", "rule": "mode" }),
            verdict: "typed e1 · changed".to_owned(),
            outcome: json!({ "ok": true, "images": [{ "base64": "AAECAw==" }] }),
            page_effect: json!({ "url": { "after": "/x?q=hunter2" } }),
            duration_ms: 12,
        }
    }

    #[test]
    fn row_251_trace_append_writes_no_secret_anywhere() {
        let dir = tempfile::tempdir().expect("tempdir");
        let trace = Trace::open(&dir.path().join("t.jsonl")).expect("opens");
        trace.append(&record(1), &["hunter2".to_owned()]).expect("appends");
        let text = std::fs::read_to_string(trace.path()).expect("reads");
        assert!(!text.contains("hunter2"), "{text}");
        assert!(!text.contains("AAECAw"), "{text}");
        assert_eq!(text.lines().count(), 1);
    }

    #[test]
    fn torn_last_lines_of_earlier_runs_are_cut_off_and_told_and_whole_files_are_left_alone() {
        let dir = tempfile::tempdir().expect("tempdir");
        let whole = serde_json::to_string(&record(1)).expect("serializes");
        let files = [
            ("torn.jsonl", format!("{whole}\n{}", &whole[..20]), Some(20)),
            ("no-end.jsonl", whole.clone(), Some(0)),
            ("whole.jsonl", format!("{whole}\n"), None),
            ("empty.jsonl", String::new(), None),
            ("notes.txt", "mine".to_owned(), None),
        ];
        for (name, text, _) in &files {
            std::fs::write(dir.path().join(name), text).expect("writes");
        }
        let mended = mend_traces(dir.path()).expect("mends");
        for (name, _, cut) in &files {
            let told = mended.iter().find(|mended| mended.path.ends_with(name)).map(|mended| mended.cut);
            assert_eq!(told, *cut, "{name}");
        }
        for name in ["torn.jsonl", "no-end.jsonl", "whole.jsonl"] {
            let text = std::fs::read_to_string(dir.path().join(name)).expect("reads");
            assert_eq!(text, format!("{whole}\n"), "{name}");
        }
        assert_eq!(mend_traces(dir.path()).expect("mends"), []);
    }

    #[test]
    fn trace_open_cuts_a_torn_tail_and_keeps_whole_lines() {
        let dir = tempfile::tempdir().expect("tempdir");
        let path = dir.path().join("t.jsonl");
        let whole = serde_json::to_string(&record(1)).expect("serializes");
        let torn = format!("{whole}\n{whole}\n{}", &whole[..whole.len() / 2]);
        for (text, before) in [(torn.as_str(), 2), (whole.as_str(), 1), (&whole[..9], 0), ("", 0)] {
            std::fs::write(&path, text).expect("writes");
            assert_eq!(read_trace(&path).expect("reads").len(), before, "{text}");
            let trace = Trace::open(&path).expect("opens");
            trace.append(&record(9), &[]).expect("appends");
            let read = read_trace(&path).expect("reads again");
            assert_eq!(read.len(), before + 1, "{text}");
            assert_eq!(read.last().map(|r| r.seq), Some(9));
        }
        std::fs::write(&path, format!("{whole}\nnonsense\n{whole}\n")).expect("writes");
        let error = read_trace(&path).expect_err("the middle is broken");
        assert!(error.message.contains("line 2"), "{error}");
    }
}
