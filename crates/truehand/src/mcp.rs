//! `truehand mcp`: an MCP server for one client over standard input and output, or for several over HTTP.

use crate::GUIDE;
use crate::daemon::log_to_stderr;
use crate::output::{Form, Output};
use crate::setup::{Setup, object, runtime};
use clap::ArgMatches;
use serde_json::Value;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use truehand_base::{CallCtx, Caller, ClientId, ClientKind, ErrorBody, ErrorCode, Verb};
use truehand_server::daemon::{ClientSettings, DaemonClient};
use truehand_server::mcp::http::{HttpClient, HttpOptions, HttpServer, ListenAddress, Origin, TokenPlace};
use truehand_server::mcp::{Face, McpOptions, Presence, ResourceRoots, Structured, serve_stdio};

/// Every call answers before 45 s, since some clients give up at 60.
const CALL_LIMIT: Duration = Duration::from_millis(44_000);

/// How long the connection that is made in advance may take.
const CONNECT_LIMIT: Duration = Duration::from_secs(20);

/// Serves until standard input ends, or over HTTP until a signal asks us to end.
pub(crate) fn run(setup: &Setup, given: &ArgMatches, output: Output) -> ExitCode {
    log_to_stderr(setup, "warn,rmcp=error");
    let served = Served::new(setup, given).and_then(|served| match given.get_one::<String>("http") {
        None => stdio(setup, &served),
        Some(address) => http(setup, given, served, address, output),
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => output.error(&error),
    }
}

/// What is the same for every client that is served.
struct Served {
    /// How to reach the daemon; each client has an id of its own.
    settings: ClientSettings,
    call_limit: Duration,
    structured: Structured,
    resources: ResourceRoots,
}

impl Served {
    fn new(setup: &Setup, given: &ArgMatches) -> Result<Self, ErrorBody> {
        Ok(Served {
            settings: setup.client(new_client(), allowed(given)?)?,
            call_limit: CALL_LIMIT.min(setup.timeout.max(Duration::from_secs(1))),
            structured: match given.get_one::<String>("structured").map(String::as_str) {
                Some("always") => Structured::Always,
                Some("never") => Structured::Never,
                _ => Structured::Auto,
            },
            resources: ResourceRoots {
                guide: GUIDE,
                traces: setup.home.join("traces"),
                artifacts: setup.home.join("artifacts"),
            },
        })
    }

    /// A way to the daemon for one more client, with its options. The connection is made in advance:
    /// `initialize` does not wait for it, the first call does.
    fn client(&self) -> (Arc<DaemonClient>, McpOptions) {
        let client = new_client();
        let settings = ClientSettings { client: client.clone(), ..self.settings.clone() };
        let daemon = Arc::new(DaemonClient::new(settings));
        let options = McpOptions {
            client,
            call_limit: self.call_limit,
            structured: self.structured,
            catalog_changes: daemon.catalog_changes(),
            resources: self.resources.clone(),
        };
        let connecting = Arc::clone(&daemon);
        tokio::spawn(async move {
            if let Err(error) = connecting.connect(&CallCtx::with_timeout(CONNECT_LIMIT)).await {
                tracing::warn!(%error, "the daemon is not reached yet");
            }
        });
        (daemon, options)
    }
}

fn stdio(setup: &Setup, served: &Served) -> Result<(), ErrorBody> {
    let runtime = runtime()?;
    let ended = runtime.block_on(async {
        let (daemon, options) = served.client();
        let presence = Presence::announce(&setup.run);
        let caller: Arc<dyn Caller> = daemon.clone();
        let ended = tokio::select! {
            ended = serve_stdio(caller, options) => ended,
            () = told_to_end() => Ok(()),
        };
        daemon.goodbye().await;
        presence.leave();
        ended.map_err(|error| {
            ErrorBody::new(ErrorCode::Internal, format!("the MCP handshake failed: {error}"))
        })
    });
    // A read of standard input that never comes back must not keep us.
    runtime.shutdown_background();
    ended
}

fn http(
    setup: &Setup,
    given: &ArgMatches,
    served: Served,
    address: &str,
    output: Output,
) -> Result<(), ErrorBody> {
    let address = if address.is_empty() { ListenAddress::default() } else { address.parse()? };
    let origins = given.get_many::<String>("allow-origin").into_iter().flatten();
    let origins = origins.map(|origin| Origin::parse(origin)).collect::<Result<Vec<_>, _>>()?;
    let idle = given.get_one::<f64>("idle").copied().unwrap_or_default();
    let idle = Duration::try_from_secs_f64(idle).ok().filter(|idle| !idle.is_zero()).ok_or_else(|| {
        ErrorBody::new(ErrorCode::InvalidArguments, format!("--idle {idle} is not a number of seconds"))
    })?;
    let token = match given.get_one::<PathBuf>("token-file") {
        Some(path) => TokenPlace::File(path.clone()),
        None => {
            setup.run.prepare()?;
            TokenPlace::Folder(setup.run.dir().to_owned())
        }
    };
    let clients = move || {
        let (daemon, options) = served.client();
        let caller: Arc<dyn Caller> = daemon.clone();
        let goodbye = Box::pin(async move { daemon.goodbye().await });
        HttpClient { handler: Arc::new(Face::new(caller, options)), goodbye }
    };
    runtime()?.block_on(async {
        let options = HttpOptions { address, token, origins, idle, clients: Arc::new(clients) };
        let server = HttpServer::bind(options).await?;
        let presence = Presence::announce(&setup.run);
        let (url, token) = (server.url(), server.token_path().display().to_string());
        eprintln!("MCP is served at {url}; send the token in {token} as Authorization: Bearer TOKEN");
        if output.form == Form::Json {
            output.result(
                "",
                &object([("ok", true.into()), ("url", url.into()), ("token_file", token.into())]),
            );
        }
        let stop = CancellationToken::new();
        let told = stop.clone();
        tokio::spawn(async move {
            told_to_end().await;
            told.cancel();
        });
        server.serve(stop).await;
        presence.leave();
        Ok(())
    })
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

/// A client by a name that no other has, now or later.
fn new_client() -> ClientId {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("{}-{:x}-{count}", std::process::id(), now.as_micros());
    ClientId { kind: ClientKind::Mcp, name }
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
