//! A disk that takes no more, at every place where a write can break off: the system itself cuts the writes, since the
//! size of this process's files is limited. What is on the disk afterwards can be read, and is old or new.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test ends at the first thing that goes wrong")]

use nix::sys::signal::{SigSet, Signal};
use serde_json::{Value, json};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use truehand_base::ErrorCode;
use truehand_store::{
    Begun, Journal, TRACE_VERSION, Timestamp, Trace, TraceRecord, args_digest, read_trace, write_whole,
};

const NOW: Timestamp = Timestamp(1_796_072_709_123);

/// The limit is the whole process's, so one test at a time has it.
static ONE: Mutex<()> = Mutex::new(());

/// While it lives, no file of this process grows over a size.
struct Full(#[expect(dead_code, reason = "held, not looked at")] MutexGuard<'static, ()>);

impl Full {
    fn at(bytes: usize) -> Full {
        let alone = ONE.lock().unwrap_or_else(PoisonError::into_inner);
        // Blocked, the signal stays pending and the write fails, which is what a full disk does.
        let mut over = SigSet::empty();
        over.add(Signal::SIGXFSZ);
        over.thread_block().unwrap();
        limit(&bytes.to_string());
        Full(alone)
    }
}

impl Drop for Full {
    fn drop(&mut self) {
        limit("unlimited");
    }
}

fn limit(bytes: &str) {
    let us = std::process::id().to_string();
    let done = Command::new("prlimit").args(["--pid", &us, &format!("--fsize={bytes}:")]).status().unwrap();
    assert!(done.success(), "prlimit of util-linux sets the limit");
}

#[test]
fn file_that_is_replaced_on_a_full_disk_is_the_old_one_or_the_new_one() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.json");
    let (old, new) = (b"old".as_slice(), [b'n'; 40]);
    for bytes in 0..=new.len() {
        std::fs::write(&path, old).unwrap();
        let full = Full::at(bytes);
        let written = write_whole(&path, &new);
        drop(full);
        let there = std::fs::read(&path).unwrap();
        match written {
            Ok(()) => assert_eq!((there.as_slice(), bytes), (new.as_slice(), new.len())),
            Err(error) => {
                assert_eq!((error.code, there.as_slice()), (ErrorCode::StoreFailed, old), "at {bytes}");
            }
        }
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "at {bytes}: nothing is left over");
    }
}

fn record(seq: u64) -> TraceRecord {
    TraceRecord {
        version: TRACE_VERSION,
        time: NOW.iso(),
        seq,
        client: "cli:x".to_owned(),
        tool: "browser_click".to_owned(),
        arguments: json!({ "ref": "e1" }),
        purpose: None,
        request_key: None,
        decision: Value::Null,
        verdict: "clicked e1".to_owned(),
        outcome: json!({ "ok": true }),
        page_effect: Value::Null,
        duration_ms: 12,
    }
}

#[test]
fn trace_line_that_a_full_disk_cut_short_spoils_no_other_line() {
    let dir = tempfile::tempdir().unwrap();
    let line = {
        let trace = Trace::open(&dir.path().join("one")).unwrap();
        trace.append(&record(1), &[]).unwrap();
        usize::try_from(std::fs::metadata(trace.path()).unwrap().len()).unwrap()
    };
    for bytes in line..=2 * line {
        let trace = Trace::open(&dir.path().join(bytes.to_string())).unwrap();
        trace.append(&record(1), &[]).unwrap();
        let full = Full::at(bytes);
        let written = trace.append(&record(2), &[]);
        drop(full);
        trace.append(&record(3), &[]).unwrap();
        let seqs: Vec<u64> = read_trace(trace.path()).unwrap().iter().map(|record| record.seq).collect();
        match written {
            Ok(()) => assert_eq!((seqs, bytes), (vec![1, 2, 3], 2 * line)),
            Err(error) => {
                assert_eq!(error.code, ErrorCode::StoreFailed);
                // One that only lacked its end is whole.
                let whole = bytes + 1 == 2 * line;
                assert_eq!(seqs, if whole { vec![1, 2, 3] } else { vec![1, 3] }, "at {bytes} of {line}");
            }
        }
    }
}

#[test]
fn request_key_on_a_full_disk_is_refused_known_or_unknown_and_never_free_after_the_call() {
    let (digest, outcome) = (args_digest(&json!({})), json!({ "text": "x".repeat(12_000) }));
    let mut seen = [0; 3];
    for kib in (0..72).step_by(2) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("truehand.db");
        let journal = Journal::open(&path, "first").unwrap();
        let full = Full::at(kib * 1_024);
        let begun = journal.begin("k", "cli:x", "browser_click", &digest, NOW);
        let finished = match &begun {
            Ok(begun) => {
                assert_eq!(*begun, Begun::New);
                Some(journal.finish("k", &outcome, NOW))
            }
            Err(error) => {
                assert_eq!(error.code, ErrorCode::StoreFailed);
                None
            }
        };
        drop((journal, full));
        let journal = Journal::open(&path, "second").unwrap();
        let later = journal.begin("k", "cli:x", "browser_click", &digest, NOW).unwrap();
        let case = match finished {
            None => {
                assert!(matches!(later, Begun::New | Begun::UnknownOutcome), "at {kib}: {later:?}");
                0
            }
            Some(Err(_)) => {
                assert_eq!(later, Begun::UnknownOutcome, "at {kib}");
                1
            }
            Some(Ok(())) => {
                assert_eq!(later, Begun::Done(outcome.clone()), "at {kib}");
                2
            }
        };
        seen[case] += 1;
    }
    assert!(seen.iter().all(|count| *count > 0), "refused, half recorded, recorded: {seen:?}");
}
