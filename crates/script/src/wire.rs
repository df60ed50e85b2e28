//! The lines between the host and the worker process of a scope: one JSON object a line, UTF-8, no line longer than
//! [`MAX_LINE`].
//!
//! The worker reads [`ToWorker`] on its standard input and writes [`FromWorker`] on its standard output. Its life:
//!
//! 1. the host starts it and sends [`ToWorker::Start`]; the worker confines itself before it reads that line, evaluates
//!    the scope's own JavaScript, and answers [`FromWorker::Ready`];
//! 2. the host sends [`ToWorker::Eval`], one at a time. Until the [`FromWorker::Done`] of that call the worker sends
//!    [`FromWorker::Op`] (each is answered by one [`ToWorker::Reply`], in any order), [`FromWorker::Print`] and
//!    [`FromWorker::Image`]; the host may send [`ToWorker::Interrupt`];
//! 3. at [`FromWorker::Done`] nothing runs any more in the worker. Ops that are still open are handled by how the call
//!    ended: background ops are forgotten by the worker, always, and the host cancels them (a reply to a forgotten op is
//!    ignored); the others live on after `ok` and `error` (their reply is kept and delivered when the next call
//!    begins), and are forgotten and to be cancelled after `timeout` and `interrupted`;
//! 4. a [`FromWorker::Done`] with `lost: true` is the worker's last line. The end of standard input ends it at any time.
//!
//! Native code of the engine (a huge `join`, a huge power) can't be interrupted: when no `Done` arrived
//! [`GRACE_MS`] after the call's time, the host ends the process.
//!
//! The enums are tagged from outside (`{"eval": {…}}`), since raw JSON can't pass an inner tag.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::path::PathBuf;

/// The longest line that either side takes, in bytes.
pub const MAX_LINE: usize = 32 * 1024 * 1024;

/// The most names of a scope that are told of.
pub const MOST_NAMES: usize = 200;

/// How long after a call's time the worker may take to say that it is over, in milliseconds.
pub const GRACE_MS: u64 = 2_000;

/// What the host tells the worker.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToWorker {
    /// The first line, once.
    Start(Start),
    /// Run code. Not before the `Done` of the one before.
    Eval(Eval),
    /// The result of an op.
    Reply(Reply),
    /// End the running code. Answered by its `Done` with status `interrupted`; ignored when nothing runs.
    Interrupt {
        /// The call that is meant; another call's number is ignored.
        call: u64,
    },
    /// Say what can follow a dotted path. Only while nothing runs.
    Complete {
        /// Such as `page.key`.
        path: String,
    },
}

/// A name that can follow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    /// The whole name.
    pub name: String,
    /// `function`, `value` or `word`.
    pub kind: String,
}

/// How a scope begins.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Start {
    /// What the scope knows about itself.
    pub info: Info,
    /// What it may use.
    pub limits: Limits,
}

/// `kernel.info`: what the scope knows about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Info {
    /// The scope's own directory, absolute: `pwd`.
    pub pwd: PathBuf,
    /// The client's working directory, absolute.
    pub cwd: PathBuf,
    /// The session's name.
    pub session: String,
    /// Who runs the code.
    pub client: String,
    /// Whether JavaScript may run in pages without asking.
    pub js_allowed: bool,
    /// The product's version.
    pub version: String,
    /// `linux`, `macos` or `windows`.
    pub platform: String,
    /// Known sites with their procedures, which become globals: `{name, summary, origin, procedures: {search: {summary,
    /// inputs: {query: {required, type, summary}}}}}`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sites: Vec<serde_json::Value>,
}

/// What a scope may use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// Heap of the engine, in bytes.
    pub memory_bytes: usize,
    /// Address space of the process beyond what it has at its start, in bytes; Unix only.
    pub process_bytes: u64,
    /// Stack of the engine, in bytes.
    pub stack_bytes: usize,
    /// Processor time of the process's whole life, in seconds; Unix only.
    pub cpu_seconds: u64,
    /// Timers at a time.
    pub timers: usize,
    /// Ops at a time.
    pub ops: usize,
    /// Printed text of one call that is sent, in bytes.
    pub output_bytes: usize,
    /// Images of one call.
    pub images: usize,
    /// One image, in bytes.
    pub image_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            memory_bytes: 128 * 1024 * 1024,
            process_bytes: 384 * 1024 * 1024,
            stack_bytes: 512 * 1024,
            cpu_seconds: 3_600,
            timers: 1_000,
            ops: 1_000,
            output_bytes: 1024 * 1024,
            images: 4,
            image_bytes: 2 * 1024 * 1024,
        }
    }
}

/// One evaluation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Eval {
    /// The call's number, given by the host, increasing.
    pub call: u64,
    /// JavaScript: a script with top-level `await` and `return`.
    pub code: String,
    /// How long it may take, in milliseconds.
    pub timeout_ms: u64,
    /// What changed about the scope since the last call; it replaces the whole of `kernel.info`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub info: Option<Info>,
}

/// The result of an op: exactly one of `value` and `error`.
#[derive(Debug, Serialize, Deserialize)]
pub struct Reply {
    /// The op's number.
    pub op: u64,
    /// What the op gives; absent means that it failed. `null` is a value.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub value: Option<Box<RawValue>>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<OpError>,
}

/// Keeps `null` as a value, which a plain `Option` would take for an absent one.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(Some)
}

/// Why an op failed. The scope's code makes an `Error` of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpError {
    /// The stable code.
    pub code: String,
    /// What happened.
    pub message: String,
    /// What to do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_step: Option<String>,
    /// More, for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<serde_json::Value>,
}

/// What the worker tells the host.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FromWorker {
    /// The scope is ready; the answer to `Start`.
    Ready(Ready),
    /// Do this, and reply.
    Op(Op),
    /// Text for the reader, in order.
    Print(Print),
    /// An image for the reader.
    Image {
        /// The call that shows it.
        call: u64,
        /// `image/png`, `image/jpeg`, `image/webp` or `image/gif`, as the scope's code says.
        mime: String,
        /// The image itself.
        base64: String,
    },
    /// The call is over and nothing runs any more.
    Done(Box<Done>),
    /// The answer to `Complete`.
    Completions(Vec<Completion>),
}

/// The scope as it began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ready {
    /// What the worker can't do from now on.
    pub confined: Confined,
    /// From the process's first own instruction to this line, in microseconds.
    pub boot_us: u64,
    /// Files of the scope that threw while they were evaluated; what they define is missing.
    #[serde(default)]
    pub faults: Vec<Fault>,
}

/// How the process was confined, as the system confirmed it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Confined {
    /// It can gain no rights by starting a program.
    pub no_new_privs: bool,
    /// System calls are limited to a list (Linux).
    pub seccomp: bool,
    /// Files and network are out of reach of the whole process (Linux).
    pub landlock: Landlock,
    /// Limits of memory, descriptors, processes, file size and core dumps are set.
    pub rlimits: bool,
    /// Inherited descriptors other than the three standard ones were closed.
    pub descriptors_closed: bool,
    /// What could not be done, each with the reason.
    pub missing: Vec<String>,
}

/// What Landlock does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Landlock {
    /// The system has none.
    #[default]
    None,
    /// An older kernel: files are out of reach, some of the rest isn't covered.
    Partial,
    /// All that was asked for.
    Full,
}

/// A file of the scope that threw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Its name.
    pub file: String,
    /// What it threw, with the place.
    pub message: String,
}

/// Something that only the host can do.
#[derive(Debug, Serialize, Deserialize)]
pub struct Op {
    /// The call that asks.
    pub call: u64,
    /// The op's number, unique in the scope.
    pub op: u64,
    /// Which op: `call`, `fs_read`, …
    pub name: String,
    /// Its arguments.
    pub args: Box<RawValue>,
    /// Whether it ends with the call at the latest.
    #[serde(default, skip_serializing_if = "is_false")]
    pub background: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

/// A piece of printed text. A piece is what one call of `console.log` prints, and has no end of line of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Print {
    /// The call that prints.
    pub call: u64,
    /// `log`, `info`, `warn`, `error` or `debug`.
    pub level: String,
    /// The text.
    pub text: String,
    /// Bytes of text that were left out just before this piece, since the call printed more than it may.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub skipped: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(value: &u64) -> bool {
    *value == 0
}

/// How a call ended.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Done {
    /// The call.
    pub call: u64,
    /// How it ended.
    pub status: Status,
    /// The value of the last expression or of `return`, as a person reads it; absent when it is undefined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The same as JSON, when it is JSON and at most 64 KiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub json: Option<Box<RawValue>>,
    /// What was thrown, or why it was ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Thrown>,
    /// Names that this call declared at its top, at most [`MOST_NAMES`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub declared: Vec<String>,
    /// Names declared by an earlier call and declared again by this one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub redeclared: Vec<String>,
    /// Printed text that was left out, in bytes.
    pub skipped: u64,
    /// From the code's arrival to this line, in milliseconds.
    pub elapsed_ms: u64,
    /// The scope's variables are gone; the worker ends now.
    pub lost: bool,
    /// Heap in use, in bytes.
    pub heap_bytes: u64,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It ran to its end.
    #[default]
    Ok,
    /// It threw.
    Error,
    /// Its time ran out.
    Timeout,
    /// The host interrupted it.
    Interrupted,
}

/// What was thrown.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Thrown {
    /// The error's name: `TypeError`, `SyntaxError`, `TimeoutError`, …; `Thrown` when it is no error object.
    pub name: String,
    /// What it says. A syntax error also shows the line with a caret.
    pub message: String,
    /// `code` of the error, when it is a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// `next_step` of the error, when it is a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_step: Option<String>,
    /// The stack in the user's own lines: `at name (script:3:7)`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stack: Option<String>,
    /// `data` of the error, when it is JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<serde_json::Value>,
}
