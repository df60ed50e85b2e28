//! The process that parses PDF files: it gets a job and bytes on its standard input, and answers the same way. It opens no
//! file, and the system ends it when it takes too much memory or time.

use super::{Done, Job, MOST_FILES, perform};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{ExitCode, Stdio};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use truehand_base::{CallCtx, ErrorBody, ErrorCode};

/// The hidden argument that makes the program this worker.
pub const WORKER: &str = "pdf-worker";

/// The most memory that it may take, in bytes.
pub const MEMORY: u64 = 448 << 20;

/// The longest that it may take.
pub const TIME: Duration = Duration::from_secs(30);

/// The most that goes in or comes out, in bytes.
const LARGEST: usize = 192 << 20;

/// The longest head, in bytes.
const LONGEST_HEAD: usize = 16 << 20;

#[derive(Serialize, Deserialize)]
struct Question {
    job: Job,
    sizes: Vec<usize>,
}

#[derive(Serialize, Deserialize)]
struct Answer {
    value: Value,
    error: Option<ErrorBody>,
    sizes: Vec<usize>,
}

/// Asks a worker of its own for a job.
///
/// # Errors
/// Those of the job; `CONTENT_TOO_LARGE` when it took more memory or time than it may, `INTERNAL` when there is no worker.
pub async fn ask(program: &Path, call: &CallCtx, job: &Job, files: &[Vec<u8>]) -> Result<Done, ErrorBody> {
    let sizes = files.iter().map(Vec::len).collect();
    let question = joined(&Question { job: job.clone(), sizes }, files)?;
    let broken =
        |error: std::io::Error| ErrorBody::new(ErrorCode::Internal, format!("the PDF worker: {error}"));
    let mut child = tokio::process::Command::new(program)
        .arg(WORKER)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(broken)?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let (Some(mut stdin), Some(stdout)) = (stdin, stdout) else {
        return Err(ErrorBody::new(ErrorCode::Internal, "the PDF worker has no pipes"));
    };
    let talk = async {
        let send = async {
            // One that ended early says why, or is known by its silence.
            drop(stdin.write_all(&question).await);
            drop(stdin.shutdown().await);
            drop(stdin);
        };
        let mut answer = Vec::new();
        let mut limited = stdout.take(LARGEST as u64);
        let (_, read) = tokio::join!(send, limited.read_to_end(&mut answer));
        read.map(|_| answer)
    };
    let limited = call.at_most(TIME);
    let answer = match limited.wait("the PDF to be read", talk).await {
        Ok(answer) => answer.map_err(broken)?,
        Err(error) if error.code == ErrorCode::Deadline && !call.remaining().is_zero() => {
            return Err(too_much(&format!("it took longer than {} s", TIME.as_secs())));
        }
        Err(error) => return Err(error),
    };
    if answer.is_empty() {
        return Err(too_much(&format!("its parts take more than {} MiB of memory", MEMORY >> 20)));
    }
    let (answer, files) = parted::<Answer>(&answer, |answer| answer.sizes.clone())?;
    match answer.error {
        Some(error) => Err(error),
        None => Ok(Done { value: answer.value, files }),
    }
}

fn too_much(why: &str) -> ErrorBody {
    ErrorBody::new(ErrorCode::ContentTooLarge, format!("the PDF can't be worked on: {why}"))
}

/// The worker's whole life. Whoever starts it has confined the process before: to [`MEMORY`] and [`TIME`], without files
/// and network.
#[must_use]
pub fn main() -> ExitCode {
    let mut question = Vec::new();
    if std::io::stdin().lock().take(LARGEST as u64).read_to_end(&mut question).is_err() {
        return ExitCode::FAILURE;
    }
    let done = parted::<Question>(&question, |question| question.sizes.clone());
    drop(question);
    let done = done.and_then(|(question, files)| perform(&question.job, &files));
    let (answer, files) = match done {
        Ok(Done { value, files }) => {
            (Answer { value, error: None, sizes: files.iter().map(Vec::len).collect() }, files)
        }
        Err(error) => (Answer { value: Value::Null, error: Some(error), sizes: Vec::new() }, Vec::new()),
    };
    let Ok(bytes) = joined(&answer, &files) else { return ExitCode::FAILURE };
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(&bytes).and_then(|()| stdout.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// A head as JSON with its length before it, then files one after the other.
fn joined(head: &impl Serialize, files: &[Vec<u8>]) -> Result<Vec<u8>, ErrorBody> {
    let head =
        serde_json::to_vec(head).map_err(|error| ErrorBody::new(ErrorCode::Internal, error.to_string()))?;
    let total = 4 + head.len() + files.iter().map(Vec::len).sum::<usize>();
    let length = u32::try_from(head.len()).ok().filter(|_| head.len() <= LONGEST_HEAD && total < LARGEST);
    let Some(length) = length else { return Err(too_much("what came of it is too large")) };
    let mut bytes = Vec::with_capacity(total);
    bytes.extend(length.to_le_bytes());
    bytes.extend(head);
    files.iter().for_each(|file| bytes.extend(file));
    Ok(bytes)
}

fn parted<T: for<'de> Deserialize<'de>>(
    bytes: &[u8],
    sizes: impl Fn(&T) -> Vec<usize>,
) -> Result<(T, Vec<Vec<u8>>), ErrorBody> {
    let torn =
        || ErrorBody::new(ErrorCode::Internal, "the PDF worker and its asker do not understand each other");
    let (length, rest) = bytes.split_first_chunk::<4>().ok_or_else(torn)?;
    let length = u32::from_le_bytes(*length) as usize;
    let (head, mut rest) = rest.split_at_checked(length).ok_or_else(torn)?;
    let head: T = serde_json::from_slice(head).map_err(|_| torn())?;
    let sizes = sizes(&head);
    if sizes.len() > MOST_FILES {
        return Err(torn());
    }
    let mut files = Vec::new();
    for size in sizes {
        let (file, after) = rest.split_at_checked(size).ok_or_else(torn)?;
        files.push(file.to_vec());
        rest = after;
    }
    Ok((head, files))
}
