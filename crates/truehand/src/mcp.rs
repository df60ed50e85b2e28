//! `truehand mcp`: an MCP server for one client, over standard input and output.

use crate::GUIDE;
use crate::daemon::log_to_stderr;
use crate::output::Output;
use crate::setup::{Setup, runtime};
use clap::ArgMatches;
use serde_json::Value;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::signal::unix::{SignalKind, signal};
use truehand_base::{CallCtx, Caller, ClientId, ClientKind, ErrorBody, ErrorCode, Verb};
use truehand_server::daemon::DaemonClient;
use truehand_server::mcp::{McpOptions, Presence, ResourceRoots, Structured, serve_stdio};

/// Every call answers before 45 s, since some clients give up at 60.
const CALL_LIMIT: Duration = Duration::from_millis(44_000);

/// How long the connection that is made in advance may take.
const CONNECT_LIMIT: Duration = Duration::from_secs(20);

/// Serves until standard input ends.
pub(crate) fn run(setup: &Setup, given: &ArgMatches, output: Output) -> ExitCode {
    match serve(setup, given) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => output.error(&error),
    }
}

fn serve(setup: &Setup, given: &ArgMatches) -> Result<(), ErrorBody> {
    log_to_stderr(setup, "warn,rmcp=error");
    let client = ClientId { kind: ClientKind::Mcp, name: name() };
    let daemon = Arc::new(DaemonClient::new(setup.client(client.clone(), allowed(given)?)?));
    let options = McpOptions {
        client,
        call_limit: CALL_LIMIT.min(setup.timeout.max(Duration::from_secs(1))),
        structured: match given.get_one::<String>("structured").map(String::as_str) {
            Some("always") => Structured::Always,
            Some("never") => Structured::Never,
            _ => Structured::Auto,
        },
        catalog_changes: daemon.catalog_changes(),
        resources: ResourceRoots {
            guide: GUIDE,
            traces: setup.home.join("traces"),
            artifacts: setup.home.join("artifacts"),
        },
    };
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        // `initialize` does not wait for this; the first call does.
        let connecting = Arc::clone(&daemon);
        tokio::spawn(async move {
            if let Err(error) = connecting.connect(&CallCtx::with_timeout(CONNECT_LIMIT)).await {
                tracing::warn!(%error, "the daemon is not reached yet");
            }
        });
        let presence = Presence::announce(&setup.run);
        let caller: Arc<dyn Caller> = daemon.clone();
        let served = tokio::select! {
            served = serve_stdio(caller, options) => served,
            () = told_to_end() => Ok(()),
        };
        daemon.goodbye().await;
        presence.leave();
        served.map_err(|error| {
            ErrorBody::new(ErrorCode::Internal, format!("the MCP handshake failed: {error}"))
        })
    });
    // A read of standard input that never comes back must not keep us.
    runtime.shutdown_background();
    served
}

/// Waits for a signal that asks us to end: then it is an orderly end, as at the end of the input.
async fn told_to_end() {
    match (signal(SignalKind::terminate()), signal(SignalKind::interrupt())) {
        (Ok(mut terminate), Ok(mut interrupt)) => {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
        }
        (Err(error), _) | (_, Err(error)) => {
            tracing::warn!(%error, "signals can't be listened to");
            std::future::pending().await
        }
    }
}

/// A name that no other connection has, now or later.
fn name() -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!("{}-{:x}", std::process::id(), now.as_micros())
}

/// The kinds of call that the person who starts the server allows.
fn allowed(given: &ArgMatches) -> Result<Vec<Verb>, ErrorBody> {
    let words = given.get_many::<String>("allow").into_iter().flatten().flat_map(|list| list.split(','));
    words
        .map(|word| {
            let verb = serde_json::from_value(Value::String(word.trim().to_owned()));
            verb.map_err(|_| {
                let message = format!("--allow '{word}' names no kind of call");
                ErrorBody::new(ErrorCode::InvalidArguments, message)
                    .next("use read, navigate, click, type, js, upload …")
            })
        })
        .collect()
}
