//! `truehand daemon`: start, status, stop, logs, and the daemon itself.

use crate::host::EngineHost;
use crate::output::Output;
use crate::setup::{Setup, object, runtime};
use clap::ArgMatches;
use serde_json::Value;
use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::Arc;
use tokio::runtime::Builder;
use tracing_subscriber::EnvFilter;
use truehand_base::{ErrorBody, ErrorCode};
use truehand_engine::{EngineConfig, Home};
use truehand_server::daemon::{self, DaemonEnd, DaemonOptions, Host, Patience, Status};

/// Threads for calls; what is slow is Chromium, not we.
const THREADS: usize = 2;

/// Runs the verb behind `daemon`.
pub(crate) fn run(setup: &Setup, given: &ArgMatches, output: Output) -> ExitCode {
    let Some((verb, given)) = given.subcommand() else { return ExitCode::from(2) };
    let done = match verb {
        "run" => be(setup, given.get_flag("detached")),
        "start" => start(setup, output),
        "status" => status(setup, output),
        "stop" => stop(setup, output),
        _ => logs(setup, given.get_one::<usize>("lines").copied().unwrap_or(50), output),
    };
    done.unwrap_or_else(|error| output.error(&error))
}

fn start(setup: &Setup, output: Output) -> Result<ExitCode, ErrorBody> {
    let launch = setup.launch()?;
    let status = runtime()?.block_on(async {
        let ctx = setup.ctx();
        daemon::keep(&ctx, &setup.run, &launch).await?;
        daemon::status(&ctx, &setup.run).await
    })?;
    let status =
        status.ok_or_else(|| ErrorBody::new(ErrorCode::DaemonUnavailable, "the daemon ended again"))?;
    output.result(&format!("the daemon runs, process {}", status.pid), &as_json(&status));
    Ok(ExitCode::SUCCESS)
}

fn status(setup: &Setup, output: Output) -> Result<ExitCode, ErrorBody> {
    match runtime()?.block_on(daemon::status(&setup.ctx(), &setup.run))? {
        Some(status) => {
            output.result(&words(&status), &as_json(&status));
            Ok(ExitCode::SUCCESS)
        }
        None => {
            let message = format!("no daemon runs for {}", setup.home.display());
            Err(ErrorBody::new(ErrorCode::DaemonUnavailable, message)
                .next("nothing to do: every command starts one when it needs it"))
        }
    }
}

fn stop(setup: &Setup, output: Output) -> Result<ExitCode, ErrorBody> {
    let stopped = runtime()?.block_on(daemon::stop(&setup.ctx(), &setup.run))?;
    let words = if stopped { "the daemon has ended" } else { "no daemon ran" };
    output.result(words, &object([("ok", true.into()), ("stopped", stopped.into())]));
    Ok(ExitCode::SUCCESS)
}

#[expect(clippy::unnecessary_wraps, reason = "every verb behind `daemon` has one form")]
fn logs(setup: &Setup, lines: usize, output: Output) -> Result<ExitCode, ErrorBody> {
    let tail = setup.run.log_tail(lines);
    let list = Value::Array(tail.iter().cloned().map(Value::String).collect());
    output.result(&tail.join("\n"), &object([("ok", true.into()), ("lines", list)]));
    Ok(ExitCode::SUCCESS)
}

fn words(status: &Status) -> String {
    let stay = if status.kept { "stays until it is stopped" } else { "ends when nobody needs it" };
    let clients = if status.clients.is_empty() { "none".to_owned() } else { status.clients.join(", ") };
    format!(
        "the daemon {} runs, process {}, for {} s; {stay}\nclients: {clients}\nbrowsers: {}\ncalls in flight: {}",
        status.version, status.pid, status.uptime_s, status.browsers, status.calls_in_flight
    )
}

fn as_json(status: &Status) -> Value {
    let mut value = serde_json::to_value(status).unwrap_or_default();
    if let Some(map) = value.as_object_mut() {
        map.insert("ok".to_owned(), Value::Bool(true));
        map.insert("running".to_owned(), Value::Bool(true));
    }
    value
}

/// Is the daemon, until it is told to end or nobody needs it. One that was started by hand stays.
fn be(setup: &Setup, detached: bool) -> Result<ExitCode, ErrorBody> {
    log_to_stderr(setup, "info");
    if detached && let Err(error) = nix::unistd::setsid() {
        // It leads a process group already; then signals to our starter's terminal can reach it.
        tracing::warn!(%error, "no session of its own");
    }
    // Our starter made the folder. When it is gone, so is whoever wanted us, and nothing is made again.
    if detached && !setup.run.dir().exists() {
        return Ok(ExitCode::SUCCESS);
    }
    let runtime = Builder::new_multi_thread().worker_threads(THREADS).enable_all().build();
    let runtime =
        runtime.map_err(|error| ErrorBody::new(ErrorCode::Internal, format!("no runtime: {error}")))?;
    let options = DaemonOptions { run: setup.run.clone(), kept: !detached, patience: Patience::default() };
    let end = runtime.block_on(daemon::run(options, async || engine(setup)))?;
    if end == DaemonEnd::AlreadyRunning {
        tracing::info!(home = %setup.home.display(), "another process is the daemon");
    }
    Ok(ExitCode::SUCCESS)
}

fn engine(setup: &Setup) -> Result<Arc<dyn Host>, ErrorBody> {
    let mut config = EngineConfig::load(Home::open(&setup.home)?)?;
    config.search_path = Some(setup.env.path.clone());
    Ok(Arc::new(EngineHost::new(config, setup.launch()?.program)?))
}

/// Logs to standard error: that is the log file of a daemon, and what an MCP client shows of a server.
pub(crate) fn log_to_stderr(setup: &Setup, level: &str) {
    let filter = EnvFilter::new(setup.env.log.as_deref().unwrap_or(level));
    let logger = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // Telling of a line that can't be written would write to the same place, and end the task when that fails too.
    logger.with_ansi(std::io::stderr().is_terminal()).log_internal_errors(false).init();
}
