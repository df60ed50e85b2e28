//! Reaching the daemon, and starting it when it is not there.

use super::home::RunDir;
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;
use tokio::net::UnixStream;
use tokio::process::{Child, Command};
use truehand_base::{CallCtx, ErrorBody, ErrorCode};

/// How long a daemon may take until it can be reached.
const START_LIMIT: Duration = Duration::from_secs(15);

/// How to start a daemon: the executable and what it is told, with the state folder that it is for.
#[derive(Debug, Clone)]
pub struct Launch {
    /// The executable; usually the one that runs now.
    pub program: PathBuf,
    /// Its arguments: `daemon run` and where the state is.
    pub arguments: Vec<OsString>,
}

/// Connects to a daemon that runs.
///
/// # Errors
/// `DAEMON_UNAVAILABLE` when none runs, or when what runs there is not ours.
pub(crate) async fn connect(run: &RunDir) -> Result<UnixStream, ErrorBody> {
    match try_connect(run).await? {
        Some(stream) => Ok(stream),
        None => Err(unavailable(format!("no daemon runs for {}", run.home().display()))),
    }
}

/// Connects to the daemon and starts it first when none runs. When several clients do this at once,
/// one daemon comes of it: the others that were started see its lock and end.
///
/// # Errors
/// `DAEMON_UNAVAILABLE` with the last lines of the log when it does not come up.
pub(crate) async fn connect_or_start(
    ctx: &CallCtx,
    run: &RunDir,
    launch: &Launch,
) -> Result<UnixStream, ErrorBody> {
    if run.dir().exists()
        && let Some(stream) = try_connect(run).await?
    {
        return Ok(stream);
    }
    run.prepare()?;
    let ctx = ctx.at_most(START_LIMIT);
    let found = ctx.wait("the daemon to start", start(run, launch)).await;
    found.map_err(|mut error| {
        if error.code == ErrorCode::Deadline {
            error = unavailable("the daemon did not come up in time".to_owned());
            error = error.with("log", run.log_tail(5));
        }
        error
    })?
}

async fn start(run: &RunDir, launch: &Launch) -> Result<UnixStream, ErrorBody> {
    let mut child: Option<Child> = None;
    let mut pause = Duration::from_millis(2);
    loop {
        if let Some(stream) = try_connect(run).await? {
            return Ok(stream);
        }
        let ended = match &mut child {
            None => true,
            Some(running) => match running.try_wait() {
                Ok(None) => false,
                // It saw another's lock. That other one may be coming up, or on its way out.
                Ok(Some(status)) if status.success() => {
                    tokio::time::sleep(pause).await;
                    true
                }
                Ok(Some(status)) => {
                    // Where nothing can be written, the daemon can't say so itself.
                    run.check_room()?;
                    let message = format!("the daemon did not start ({status})");
                    return Err(unavailable(message).with("log", run.log_tail(5)));
                }
                Err(error) => return Err(unavailable(format!("the daemon can't be watched: {error}"))),
            },
        };
        if ended {
            child = Some(spawn(run, launch)?);
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 3 / 2).min(Duration::from_millis(50));
    }
}

/// Starts the daemon with nothing of ours: no terminal, no streams. It takes a session of its own
/// as its first step, so that signals to our terminal do not reach it.
fn spawn(run: &RunDir, launch: &Launch) -> Result<Child, ErrorBody> {
    let log = run.open_log()?;
    let mut command = Command::new(&launch.program);
    command.args(&launch.arguments).current_dir("/").stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    tracing::debug!(program = %launch.program.display(), "starting the daemon");
    command.spawn().map_err(|error| {
        unavailable(format!("the daemon can't be started from {}: {error}", launch.program.display()))
    })
}

/// One try. `None` when nobody listens.
async fn try_connect(run: &RunDir) -> Result<Option<UnixStream>, ErrorBody> {
    let socket = run.socket();
    let stream = match UnixStream::connect(&socket).await {
        Ok(stream) => stream,
        // A full queue answers "would block": the daemon is there and busy taking others.
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::NotFound | ErrorKind::ConnectionRefused | ErrorKind::WouldBlock
            ) =>
        {
            return Ok(None);
        }
        Err(error) => return Err(unavailable(format!("{} can't be reached: {error}", socket.display()))),
    };
    run.check()?;
    let us = nix::unistd::geteuid().as_raw();
    match stream.peer_cred() {
        Ok(peer) if peer.uid() == us => Ok(Some(stream)),
        Ok(peer) => {
            Err(unavailable(format!("{} is held by user {}, not by user {us}", socket.display(), peer.uid())))
        }
        Err(error) => Err(unavailable(format!("who holds {} can't be told: {error}", socket.display()))),
    }
}

fn unavailable(message: String) -> ErrorBody {
    ErrorBody::new(ErrorCode::DaemonUnavailable, message)
}
