//! What goes over the daemon's socket: one JSON object a line, both ways.
//!
//! A client says `hello` first and may send calls at once, without waiting for the `welcome`.
//! `status`, `keep`, `bye` and `stop` work without a hello, so that a client of another version can
//! still look at a daemon and end it.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use truehand_base::{Call, ClientId, ErrorBody, Outcome, Verb};

/// The number of this protocol; both sides must have the same.
pub const PROTOCOL: u32 = 2;

/// The version that both sides must have in common.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a client says to the daemon.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Request {
    /// Who it is; comes first.
    Hello(Box<Hello>),
    /// A tool call.
    Call(Box<CallRequest>),
    /// The call of this number is no longer wanted.
    Cancel(u64),
    /// How is the daemon?
    Status,
    /// Stay until you are told to stop, though nobody is connected.
    Keep,
    /// The client ends of its own will: nothing needs to be kept warm for it.
    Bye,
    /// Finish what is being done, close the browsers and end.
    Stop,
}

/// Who a client is and what it wants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Hello {
    pub version: String,
    pub protocol: u32,
    pub client: ClientId,
    pub options: ClientOptions,
}

/// What a client says about itself once, for all its calls.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientOptions {
    /// The folder that relative paths of its calls start from.
    #[serde(default)]
    pub working_dir: PathBuf,
    /// What a person allowed when starting the client, beyond the rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<Verb>,
    /// Which browser it wants.
    #[serde(default)]
    pub browser: BrowserChoice,
    /// Whether its calls are recorded, when it has a wish of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<bool>,
}

/// Which browser a client wants. Nothing set means: the usual one, without a window.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BrowserChoice {
    /// With a window.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub headed: bool,
    /// A named profile that is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// The WebSocket address of a browser that already runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attach: Option<String>,
    /// The executable to launch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executable: Option<PathBuf>,
}

/// A call with its number on this connection.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct CallRequest {
    pub id: u64,
    /// How long it may take.
    pub timeout_ms: u64,
    /// How long the client waits for an answer, though the call may go on; it waits for the end without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_ms: Option<u64>,
    pub call: Call,
}

/// What the daemon says to a client.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reply {
    /// The hello was good.
    Welcome(Welcome),
    /// The hello was not good; nothing more will be done for this client.
    Refused(ErrorBody),
    /// A step of a call.
    Progress { id: u64, message: String },
    /// The call of this number was not begun, because the daemon is ending.
    NotTaken(u64),
    /// The end of a call.
    Outcome(Box<OutcomeReply>),
    /// The tools that are listed from now on.
    CatalogChanged { listed: Vec<String> },
    /// How the daemon is.
    Status(Status),
    /// It stays.
    Kept,
    /// It ends. The connection closes when it has.
    Stopping,
    /// A line that was not understood; the connection goes on.
    Malformed(ErrorBody),
}

/// The answer to a good hello.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Welcome {
    pub version: String,
    pub pid: u32,
    /// The names of the listed tools.
    pub listed: Vec<String>,
}

/// The end of a call, with the number of the call.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct OutcomeReply {
    pub id: u64,
    pub outcome: Outcome,
}

/// How a daemon is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// Its version.
    pub version: String,
    /// The number of its protocol.
    pub protocol: u32,
    /// Its process.
    pub pid: u32,
    /// Whether it stays until it is told to stop.
    pub kept: bool,
    /// Since when it runs, in whole seconds.
    pub uptime_s: u64,
    /// The clients that are connected, this one left out.
    pub clients: Vec<String>,
    /// How many browsers it has open.
    pub browsers: usize,
    /// How many calls are in flight.
    pub calls_in_flight: usize,
}
