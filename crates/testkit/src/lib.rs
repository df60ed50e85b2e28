//! For tests only: the fixture site, a real Chromium, an MCP client, a command-line runner, output filters.
//!
//! Everything here is real: real sockets, real processes. Every wait has a deadline and says what it
//! waited for, so that a broken part fails a test instead of hanging it.

mod agent;
mod chromium;
mod cli;
mod endpoints;
pub mod filters;
mod home;
mod http;
mod listen;
mod mcp;
mod process;
mod record;
pub mod shop;
mod site;
mod stranger;
mod suite;
mod tls;
mod wire;

pub use agent::{Agent, reference_in};
pub use chromium::chromium;
pub use cli::{Cli, CliOutput};
pub use home::Home;
pub use http::{HttpAnswer, HttpProcess, HttpSession};
pub use mcp::{CallResult, Image, McpClient};
pub use process::{alive, family, until};
pub use record::{Recorded, Upload};
pub use site::Site;
pub use stranger::Stranger;
pub use suite::{Bridge, Suite};
pub use wire::{Sent, Wire};

use std::path::{Path, PathBuf};
use std::time::Duration;

/// The longest that any helper waits for another process.
pub const DEADLINE: Duration = Duration::from_secs(60);

/// The folder `fixtures` of the workspace.
#[must_use]
pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// Checks that a built binary is there, and gives its path. Pass `env!("CARGO_BIN_EXE_truehand")` from the
/// binary's own tests, or the path that a test of another crate knows.
///
/// # Panics
/// When there is no such file, with the command that builds it.
#[must_use]
pub fn binary(path: impl AsRef<Path>) -> PathBuf {
    let path = path.as_ref();
    assert!(path.is_file(), "{} is not built: run cargo build -p truehand", path.display());
    path.to_path_buf()
}
