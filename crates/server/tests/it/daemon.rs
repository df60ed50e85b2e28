//! The daemon over its real socket, with its client and with a hand-written one.

use crate::host::{SmallHost, table};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use truehand_base::{Call, CallCtx, Caller, ClientId, ClientKind, ErrorBody, ErrorCode, Outcome};
use truehand_server::daemon::{
    self, ClientOptions, ClientSettings, DaemonClient, DaemonEnd, DaemonOptions, Host, Patience, RunDir,
};

const LIMIT: Duration = Duration::from_secs(30);

/// A running daemon in this process.
struct Running {
    _home: tempfile::TempDir,
    run: RunDir,
    host: Arc<SmallHost>,
    task: JoinHandle<Result<DaemonEnd, ErrorBody>>,
}

impl Running {
    async fn start(kept: bool) -> Self {
        let home = tempfile::tempdir().unwrap();
        let run = RunDir::of(home.path());
        let host = SmallHost::new();
        let task = spawn(&run, kept, Ok(Arc::clone(&host)));
        until("the socket", || run.socket().exists()).await;
        Running { _home: home, run, host, task }
    }

    fn client(&self, name: &str) -> DaemonClient {
        DaemonClient::new(ClientSettings {
            run: self.run.clone(),
            launch: None,
            client: ClientId { kind: ClientKind::Mcp, name: name.to_owned() },
            options: ClientOptions { working_dir: "/somewhere".into(), ..ClientOptions::default() },
            catalog: table,
        })
    }

    async fn raw(&self) -> Raw {
        let (read, write) = UnixStream::connect(self.run.socket()).await.unwrap().into_split();
        Raw { lines: BufReader::new(read).lines(), write }
    }

    async fn ended(self) -> Result<DaemonEnd, ErrorBody> {
        tokio::time::timeout(LIMIT, self.task).await.expect("the daemon ends").unwrap()
    }
}

fn spawn(
    run: &RunDir,
    kept: bool,
    host: Result<Arc<SmallHost>, ErrorBody>,
) -> JoinHandle<Result<DaemonEnd, ErrorBody>> {
    let short = Duration::from_millis(300);
    let patience = Patience { unasked: short, dismissed: short, kept: Duration::from_secs(3_600) };
    let options = DaemonOptions { run: run.clone(), kept, patience };
    tokio::spawn(async move { daemon::run(options, async || host.map(|host| host as Arc<dyn Host>)).await })
}

/// A client that writes lines itself.
struct Raw {
    lines: Lines<BufReader<OwnedReadHalf>>,
    write: OwnedWriteHalf,
}

impl Raw {
    async fn say(&mut self, line: &[u8]) {
        self.write.write_all(line).await.unwrap();
        self.write.write_all(b"\n").await.unwrap();
    }

    async fn hear(&mut self) -> Value {
        let line = tokio::time::timeout(LIMIT, self.lines.next_line()).await.expect("an answer").unwrap();
        serde_json::from_str(&line.expect("a line")).unwrap()
    }

    async fn hello(&mut self, version: &str) -> Value {
        let client = json!({ "kind": "mcp", "name": "raw" });
        let hello = json!({ "hello": { "version": version, "protocol": daemon::PROTOCOL, "client": client, "options": {} } });
        self.say(hello.to_string().as_bytes()).await;
        self.hear().await
    }
}

async fn until(what: &str, done: impl Fn() -> bool) {
    let wait = async {
        while !done() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(LIMIT, wait).await.unwrap_or_else(|_| panic!("{what} did not come"));
}

async fn call(client: &DaemonClient, tool: &str, arguments: Value) -> Outcome {
    let who = ClientId { kind: ClientKind::Mcp, name: "forged".to_owned() };
    client.call(&CallCtx::with_timeout(LIMIT), Call::new(who, tool, arguments)).await
}

#[tokio::test]
async fn call_through_the_socket_runs_as_the_client_that_said_hello() {
    let daemon = Running::start(false).await;
    let client = daemon.client("one");
    let outcome = call(&client, "echo", json!({ "text": "hällo" })).await;
    assert_eq!((outcome.text.as_deref(), outcome.error), (Some("hällo"), None));
    assert_eq!(daemon.host.calls.lock().unwrap()[0].client.name, "one");
    assert_eq!(daemon.host.came.lock().unwrap()[0].1.working_dir.as_os_str(), "/somewhere");
}

#[tokio::test]
async fn ten_megabytes_go_through_the_socket_whole() {
    let daemon = Running::start(false).await;
    let text = "x".repeat(10 * 1024 * 1024);
    let outcome = call(&daemon.client("one"), "echo", json!({ "text": text })).await;
    assert_eq!(outcome.text.map(|text| text.len()), Some(10 * 1024 * 1024));
}

#[tokio::test]
async fn dropped_connection_cancels_its_calls_and_ends_its_client() {
    let daemon = Running::start(true).await;
    let client = daemon.client("one");
    let mut waiting = Box::pin(call(&client, "wait", json!({})));
    tokio::select! {
        _ = &mut waiting => panic!("it waits for ever"),
        () = until("the call", || daemon.host.called() == 1) => {}
    }
    drop(waiting);
    client.goodbye().await;
    until("the end of the client", || !daemon.host.gone.lock().unwrap().is_empty()).await;
    assert_eq!(daemon.host.cancelled.load(Ordering::SeqCst), 1, "cancelled before the client was gone");
    assert_eq!(*daemon.host.gone.lock().unwrap(), ["mcp:one"]);
}

#[tokio::test]
async fn cancel_reaches_the_call_and_the_connection_goes_on() {
    let daemon = Running::start(false).await;
    let client = daemon.client("one");
    let cancel = CancellationToken::new();
    let ctx = CallCtx::with_timeout(LIMIT).cancelled_by(cancel.clone());
    let who = ClientId { kind: ClientKind::Mcp, name: "one".to_owned() };
    let waiting = client.call(&ctx, Call::new(who, "wait", json!({})));
    let (outcome, ()) = tokio::join!(waiting, async {
        until("the call", || daemon.host.called() == 1).await;
        cancel.cancel();
    });
    assert_eq!(outcome.error.map(|error| error.code), Some(ErrorCode::Cancelled));
    assert!(call(&client, "echo", json!({})).await.ok());
    assert_eq!(daemon.host.came.lock().unwrap().len(), 1, "no second connection");
}

#[tokio::test]
async fn deadline_of_a_call_is_kept_by_the_daemon() {
    let daemon = Running::start(false).await;
    let who = ClientId { kind: ClientKind::Mcp, name: "one".to_owned() };
    let ctx = CallCtx::with_timeout(Duration::from_millis(50));
    let outcome = daemon.client("one").call(&ctx, Call::new(who, "wait", json!({}))).await;
    assert_eq!(outcome.error.map(|error| error.code), Some(ErrorCode::Deadline));
}

#[tokio::test]
async fn malformed_line_is_answered_and_the_connection_goes_on() {
    let daemon = Running::start(false).await;
    let mut raw = daemon.raw().await;
    for line in [&b"{not json"[..], b"\xff\xfe", b"{\"unknown\":1}", b"[]"] {
        raw.say(line).await;
        assert_eq!(raw.hear().await["malformed"]["code"], "INVALID_ARGUMENTS");
    }
    raw.say(
        br#"{"call":{"id":1,"timeout_ms":1000,"call":{"tool":"echo","client":{"kind":"mcp","name":"x"}}}}"#,
    )
    .await;
    assert_eq!(raw.hear().await["outcome"]["outcome"]["error"]["code"], "INVALID_ARGUMENTS", "no hello yet");
    assert_eq!(raw.hello(daemon::VERSION).await["welcome"]["pid"], std::process::id());
    raw.say(b"\"status\"").await;
    assert_eq!(raw.hear().await["status"]["clients"], json!(["mcp:raw"]));
}

#[tokio::test]
async fn client_of_another_version_is_refused_and_can_still_stop_the_daemon() {
    let daemon = Running::start(true).await;
    let mut raw = daemon.raw().await;
    assert_eq!(raw.hello("0.0.0").await["refused"]["code"], "DAEMON_VERSION");
    raw.say(b"\"stop\"").await;
    assert_eq!(raw.hear().await, json!("stopping"));
    let run = daemon.run.clone();
    assert_eq!(daemon.ended().await, Ok(DaemonEnd::Done));
    assert!(!run.socket().exists() && !run.pid_file().exists(), "nothing is left behind");
}

#[tokio::test]
async fn unneeded_daemon_ends_by_itself_once_the_last_browser_is_closed() {
    let daemon = Running::start(false).await;
    daemon.host.browsers.store(1, Ordering::SeqCst);
    let client = daemon.client("one");
    assert!(call(&client, "echo", json!({})).await.ok());
    client.goodbye().await;
    until("the end of the client", || !daemon.host.gone.lock().unwrap().is_empty()).await;
    tokio::time::sleep(Duration::from_millis(600)).await;
    assert!(!daemon.task.is_finished(), "a browser is open");
    daemon.host.browsers.store(0, Ordering::SeqCst);
    assert_eq!(daemon.ended().await, Ok(DaemonEnd::Done));
}

#[tokio::test]
async fn second_daemon_of_a_home_sees_the_first_and_ends() {
    let daemon = Running::start(true).await;
    let second = spawn(&daemon.run, true, Ok(SmallHost::new()));
    assert_eq!(second.await.unwrap(), Ok(DaemonEnd::AlreadyRunning));
    assert!(call(&daemon.client("one"), "echo", json!({})).await.ok());
}

#[tokio::test]
async fn daemon_that_can_not_start_its_engine_says_why() {
    let home = tempfile::tempdir().unwrap();
    let run = RunDir::of(home.path());
    let broken = ErrorBody::new(ErrorCode::PolicyBroken, "policy.yaml line 3");
    let task = spawn(&run, false, Err(broken.clone()));
    until("the socket", || run.socket().exists()).await;
    let daemon = Running { _home: home, run, host: SmallHost::new(), task };
    let outcome = call(&daemon.client("one"), "echo", json!({})).await;
    assert_eq!(outcome.error, Some(broken.clone()));
    assert_eq!(daemon.ended().await, Err(broken));
}

#[tokio::test]
async fn row_113_client_finds_the_next_daemon_and_says_that_pages_were_lost() {
    // Two daemons in one process have one process id, so the first is played by a hand-written one.
    let home = tempfile::tempdir().unwrap();
    let run = RunDir::of(home.path());
    run.prepare().unwrap();
    let listener = tokio::net::UnixListener::bind(run.socket()).unwrap();
    let dying = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let (read, mut write) = stream.into_split();
        let mut lines = BufReader::new(read).lines();
        lines.next_line().await.unwrap();
        let welcome = json!({ "welcome": { "version": daemon::VERSION, "pid": 1, "listed": [] } });
        write.write_all(format!("{welcome}\n").as_bytes()).await.unwrap();
        // Dies with the call in flight.
        lines.next_line().await.unwrap();
    });
    let settings = ClientSettings {
        run: run.clone(),
        launch: None,
        client: ClientId { kind: ClientKind::Mcp, name: "one".to_owned() },
        options: ClientOptions::default(),
        catalog: table,
    };
    let client = DaemonClient::new(settings);
    client.connect(&CallCtx::with_timeout(LIMIT)).await.unwrap();
    let outcome = call(&client, "echo", json!({})).await;
    assert_eq!(outcome.error.map(|error| error.code), Some(ErrorCode::DaemonUnavailable));
    dying.await.unwrap();
    let outcome = call(&client, "echo", json!({})).await;
    assert_eq!(outcome.error.map(|error| error.code), Some(ErrorCode::DaemonUnavailable), "none runs now");

    let task = spawn(&run, true, Ok(SmallHost::new()));
    until("the next daemon", || run.is_locked() && run.socket().exists()).await;
    let outcome = call(&client, "echo", json!({ "text": "again" })).await;
    assert_eq!(outcome.text.as_deref(), Some("again"));
    assert_eq!(outcome.warnings.iter().map(|w| w.code.as_str()).collect::<Vec<_>>(), ["DAEMON_RESTARTED"]);
    let outcome = call(&client, "echo", json!({})).await;
    assert!(outcome.warnings.is_empty(), "said once");
    task.abort();
}

#[tokio::test]
async fn switched_tools_reach_the_client_while_it_is_connected() {
    let daemon = Running::start(false).await;
    let client = daemon.client("one");
    assert!(call(&client, "echo", json!({})).await.ok());
    let listed = || {
        client
            .catalog()
            .tools
            .iter()
            .filter(|tool| tool.listed)
            .map(|tool| tool.name.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(listed(), ["echo", "wait", "steps", "risky"]);
    let mut changes = client.catalog_changes();
    changes.mark_unchanged();
    daemon.host.list(&["echo", "extra"]);
    tokio::time::timeout(LIMIT, changes.changed()).await.expect("told").unwrap();
    assert_eq!(listed(), ["echo", "extra"]);
}

#[tokio::test]
async fn call_that_the_end_of_the_daemon_cuts_off_is_not_said_to_be_cancelled_by_the_client() {
    let daemon = Running::start(true).await;
    let client = daemon.client("one");
    let mut waiting = Box::pin(call(&client, "wait", json!({})));
    tokio::select! {
        _ = &mut waiting => panic!("it waits for ever"),
        () = until("the call", || daemon.host.called() == 1) => {}
    }
    let mut raw = daemon.raw().await;
    raw.say(b"\"stop\"").await;
    let error = waiting.await.error.expect("it was cut off");
    assert_eq!(error.code, ErrorCode::DaemonUnavailable, "{error}");
    assert!(error.message.contains("told to end"), "{error}");
    assert_eq!(daemon.ended().await, Ok(DaemonEnd::Done));
}

#[tokio::test]
async fn daemon_that_never_says_a_word_is_unavailable_and_not_a_call_that_may_have_acted() {
    let home = tempfile::tempdir().unwrap();
    let run = RunDir::of(home.path());
    run.prepare().unwrap();
    let _silent = tokio::net::UnixListener::bind(run.socket()).unwrap();
    let settings = ClientSettings {
        run: run.clone(),
        launch: None,
        client: ClientId { kind: ClientKind::Cli, name: "one".to_owned() },
        options: ClientOptions::default(),
        catalog: table,
    };
    let client = DaemonClient::new(settings);
    let ctx = CallCtx::with_timeout(Duration::from_millis(20));
    let who = ClientId { kind: ClientKind::Cli, name: "one".to_owned() };
    let outcome = client.call(&ctx, Call::new(who, "echo", json!({}))).await;
    assert_eq!(outcome.error.map(|error| error.code), Some(ErrorCode::DaemonUnavailable));
    let status = daemon::status(&ctx, &run).await;
    assert_eq!(status.map_err(|error| error.code), Err(ErrorCode::DaemonUnavailable));
}
