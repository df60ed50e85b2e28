//! A worker process: its start, the lines to and from it, and its end.

use super::HostConfig;
use crate::wire::{FromWorker, MAX_LINE, Ready, Start, ToWorker};
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::mpsc;
use truehand_base::{ErrorBody, ErrorCode};

/// How long a worker may take until it is ready.
const START: Duration = Duration::from_secs(20);

/// How many lines of a worker wait to be looked at; then it has to wait.
const AHEAD: usize = 64;

/// How many bytes of its standard error are kept, for the log.
const LAST_WORDS: usize = 2_048;

/// What comes from a worker.
#[derive(Debug)]
pub(super) enum Heard {
    /// A line.
    Said(Box<FromWorker>),
    /// Something that is no line of ours; nothing more is believed.
    Nonsense(String),
    /// Its output has ended.
    Ended,
}

/// A worker process. It is killed when this is dropped.
#[derive(Debug)]
pub(super) struct Worker {
    child: Child,
    lines: mpsc::UnboundedSender<Vec<u8>>,
    /// Bytes of lines that it has not taken yet.
    untaken: Arc<AtomicUsize>,
    heard: mpsc::Receiver<Heard>,
    pid: u32,
    page: u64,
}

impl Worker {
    /// Starts a worker and waits until it is ready.
    ///
    /// # Errors
    /// `SCOPE_LOST` when it does not come up.
    pub(super) async fn start(config: &HostConfig) -> Result<Worker, ErrorBody> {
        let mut command = Command::new(&config.program);
        command.args(&config.arguments).env_clear().current_dir("/");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        // Signals for the daemon's own group are not for it: it ends with its input.
        #[cfg(unix)]
        command.process_group(0);
        let mut child =
            command.spawn().map_err(|error| failed(format!("its process can't be started: {error}")))?;
        let pid = child.id().unwrap_or_default();
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(failed("its process has no pipes"));
        };
        let (lines, queue) = mpsc::unbounded_channel();
        let (say, heard) = mpsc::channel(AHEAD);
        let untaken = Arc::new(AtomicUsize::new(0));
        tokio::spawn(write(stdin, queue, Arc::clone(&untaken)));
        tokio::spawn(read(stdout, say));
        tokio::spawn(last_words(stderr, pid));
        let mut worker = Worker { child, lines, untaken, heard, pid, page: page_size() };
        worker.send(&ToWorker::Start(Start { limits: config.limits.clone(), ..Start::default() }));
        let ready = tokio::time::timeout(START, worker.hear()).await;
        match ready {
            Ok(Heard::Said(said)) => match *said {
                FromWorker::Ready(ready) => worker.greet(&ready),
                _ => return Err(failed("its process began with the wrong line")),
            },
            Ok(Heard::Nonsense(what)) => return Err(failed(what)),
            Ok(Heard::Ended) => return Err(failed("its process ended as soon as it was started")),
            Err(_) => return Err(failed(format!("its process was not ready after {} s", START.as_secs()))),
        }
        Ok(worker)
    }

    fn greet(&self, ready: &Ready) {
        for fault in &ready.faults {
            tracing::error!(file = fault.file, fault.message, "a file of the scope does not load");
        }
        if !ready.confined.missing.is_empty() {
            tracing::warn!(missing = ?ready.confined.missing, "a worker is confined less than it could be");
        }
        tracing::debug!(pid = self.pid, boot_us = ready.boot_us, "a worker is ready");
    }

    /// Whether its process still runs, as far as is known.
    pub(super) fn alive(&self) -> bool {
        !self.heard.is_closed() && !self.lines.is_closed()
    }

    /// Sends a line. Never waits: a worker that reads nothing is killed by its deadline.
    pub(super) fn send(&self, line: &ToWorker) {
        match serde_json::to_vec(line) {
            // A worker that is gone is heard of by the end of its output.
            Ok(line) => {
                self.untaken.fetch_add(line.len(), Ordering::Relaxed);
                drop(self.lines.send(line));
            }
            Err(error) => tracing::error!(%error, "a line for a worker can't be written as JSON"),
        }
    }

    /// How many bytes wait until it takes them: one that is busy takes none.
    pub(super) fn untaken(&self) -> usize {
        self.untaken.load(Ordering::Relaxed)
    }

    /// The next thing from it.
    pub(super) async fn hear(&mut self) -> Heard {
        self.heard.recv().await.unwrap_or(Heard::Ended)
    }

    /// The memory that it holds, in bytes, where the system tells.
    pub(super) fn resident(&self) -> Option<u64> {
        let text = std::fs::read_to_string(format!("/proc/{}/statm", self.pid)).ok()?;
        text.split_whitespace().nth(1)?.parse::<u64>().ok().map(|pages| pages * self.page)
    }

    /// Ends it now and waits until it is gone.
    pub(super) async fn kill(mut self) {
        if let Err(error) = self.child.kill().await {
            tracing::debug!(%error, pid = self.pid, "a worker was gone before it was killed");
        }
    }
}

fn failed(why: impl std::fmt::Display) -> ErrorBody {
    let message = format!("the script's scope did not start: {why}");
    ErrorBody::new(ErrorCode::ScopeLost, message).next("call again; truehand daemon logs says more")
}

/// The size of a page of memory.
fn page_size() -> u64 {
    #[cfg(unix)]
    if let Ok(Some(size)) = nix::unistd::sysconf(nix::unistd::SysconfVar::PAGE_SIZE) {
        return u64::try_from(size).unwrap_or(4_096);
    }
    4_096
}

async fn write(
    mut stdin: ChildStdin,
    mut queue: mpsc::UnboundedReceiver<Vec<u8>>,
    untaken: Arc<AtomicUsize>,
) {
    while let Some(mut line) = queue.recv().await {
        let size = line.len();
        line.push(b'\n');
        if stdin.write_all(&line).await.is_err() {
            return;
        }
        untaken.fetch_sub(size, Ordering::Relaxed);
    }
}

/// Reads lines until something is wrong with them. A line that nobody looks at yet holds up the next one.
async fn read(stdout: ChildStdout, say: mpsc::Sender<Heard>) {
    let mut lines = BufReader::with_capacity(64 * 1024, stdout);
    let mut line = Vec::new();
    let limit = u64::try_from(MAX_LINE).unwrap_or(u64::MAX) + 1;
    loop {
        line.clear();
        // One huge line must not be held for ever.
        line.shrink_to(64 * 1024);
        let heard = match (&mut lines).take(limit).read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => Heard::Ended,
            Ok(_) if line.last() != Some(&b'\n') => {
                Heard::Nonsense("its process wrote a line that is too long or broken off".to_owned())
            }
            Ok(_) => match serde_json::from_slice(&line) {
                Ok(said) => Heard::Said(Box::new(said)),
                Err(error) => Heard::Nonsense(format!("its process wrote what is no line of ours: {error}")),
            },
        };
        let last = !matches!(heard, Heard::Said(_));
        if say.send(heard).await.is_err() || last {
            return;
        }
    }
}

/// What a worker says on standard error is a defect of ours, so it goes to the log.
async fn last_words(mut stderr: ChildStderr, pid: u32) {
    let (mut kept, mut chunk) = (Vec::new(), [0; 1_024]);
    while let Ok(count @ 1..) = stderr.read(&mut chunk).await {
        kept.extend_from_slice(&chunk[..count]);
        let excess = kept.len().saturating_sub(LAST_WORDS);
        kept.drain(..excess);
    }
    if !kept.is_empty() {
        tracing::error!(pid, words = %String::from_utf8_lossy(&kept).trim(), "a worker said at its end");
    }
}
