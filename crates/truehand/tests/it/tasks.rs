//! Calls that take longer than a client waits, over MCP and as commands.

use crate::{BINARY, until};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use truehand_testkit::{CallResult, Cli, Home, McpClient, Site};

/// What clients declare that take tasks for results.
const EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// From now on a call is answered after a second, whether it is done or not. To start a browser takes longer.
fn hurry(home: &Home) {
    home.write("config.toml", "[tasks]\nanswer_ms = 1000\n");
}

fn home() -> Arc<Home> {
    Arc::new(Home::new())
}

fn client(home: &Arc<Home>) -> McpClient {
    client_with(home, &json!({}))
}

fn client_with(home: &Arc<Home>, capabilities: &Value) -> McpClient {
    let mut client = McpClient::spawn_in(Arc::clone(home), BINARY, &["mcp", "--allow", "js"], &[]);
    client.initialize_with("2025-11-25", capabilities);
    client
}

/// A script that asks the site for a number and gets it after a time; the site counts.
fn slow(takes_ms: u64) -> Value {
    let ask = format!("fetch('/api/echo?n=7&ms={takes_ms}', {{ method: 'POST' }}).then((r) => r.text())");
    json!({ "script": ask })
}

fn open(client: &mut McpClient, site: &Site) {
    let opened = client.call("browser_navigate", json!({ "url": site.url("/count.html") }));
    assert!(!opened.is_error, "{}", opened.text);
}

fn open_and_hurry(client: &mut McpClient, site: &Site) {
    open(client, site);
    hurry(client.home());
}

#[track_caller]
fn task_id(result: &CallResult) -> String {
    assert_eq!(result.structured["task"]["status"], "running", "{}", result.text);
    result.structured["task"]["task_id"].as_str().unwrap().to_owned()
}

#[test]
fn row_106_long_call_of_a_client_that_gives_up_early_is_done_once_and_fetched_by_its_task() {
    let (site, home) = (Site::start_blocking(), home());
    let mut client = client(&home);
    open_and_hurry(&mut client, &site);
    let early = client.call("browser_execute_js", slow(4_000));
    let id = task_id(&early);
    assert!(!early.is_error && early.structured["ok"] == false, "{}", early.text);
    assert!(early.verdict().starts_with("still running after "), "{}", early.text);
    assert!(early.verdict().contains("task_wait") && early.verdict().contains(&id), "{}", early.text);
    let mut waits = 0;
    let result = loop {
        let result = client.call("task_wait", json!({ "task_id": id }));
        if result.structured["task"]["status"] == "done" {
            break result;
        }
        assert_eq!(task_id(&result), id);
        waits += 1;
        assert!(waits < 60, "{}", result.text);
    };
    assert!(waits > 0, "each wait is answered early as well");
    assert_eq!((&result.structured["ok"], &result.structured["result"]), (&json!(true), &json!("7")));
    assert!(result.text.contains("result: 7"), "{}", result.text);
    assert_eq!(client.call("task_wait", json!({ "task_id": id })).structured["result"], "7", "again");
    assert_eq!(site.count("POST", "/api/echo"), 1);
}

#[test]
fn row_106_client_that_gives_up_without_progress_gets_it_every_few_seconds() {
    let (site, home) = (Site::start_blocking(), home());
    let mut client = client(&home);
    open(&mut client, &site);
    let id = client.begin_call("browser_wait_for", json!({ "text": "never there", "timeout_ms": 8_000 }));
    let (mut last, mut longest, mut told) = (Instant::now(), Duration::ZERO, Vec::new());
    let answer = loop {
        let message = client.take("progress or the answer", |m| {
            (m["method"] == "notifications/progress" && m["params"]["progressToken"] == id) || m["id"] == id
        });
        longest = longest.max(last.elapsed());
        last = Instant::now();
        if message["id"] == id {
            break message;
        }
        told.push(message["params"].clone());
    };
    assert_eq!(answer["result"]["structuredContent"]["error"]["code"], "TIMEOUT", "{answer}");
    assert!(longest < Duration::from_secs(6), "a client with so little patience has given up: {longest:?}");
    let beats: Vec<&str> = told.iter().filter_map(|p| p["message"].as_str()).collect();
    assert!(beats.iter().any(|beat| beat.contains("never there") && beat.contains("s so far")), "{beats:?}");
    let counts: Vec<f64> = told.iter().filter_map(|p| p["progress"].as_f64()).collect();
    assert!(counts.is_sorted_by(|a, b| a < b), "progress grows: {counts:?}");
}

#[test]
fn row_279_client_that_takes_tasks_gets_one_and_asks_for_it_by_the_protocol() {
    let (site, home) = (Site::start_blocking(), home());
    let mut client = client_with(&home, &json!({ "extensions": { EXTENSION: {} } }));
    open_and_hurry(&mut client, &site);
    let call = |client: &mut McpClient, tool: &str, arguments: Value| {
        client.request("tools/call", json!({ "name": tool, "arguments": arguments }))["result"].clone()
    };
    let quick = call(&mut client, "browser_execute_js", slow(0));
    assert_eq!(quick["structuredContent"]["result"], "7", "what is done in time is a result: {quick}");
    let made = call(&mut client, "browser_execute_js", slow(3_000));
    assert_eq!((&made["resultType"], &made["status"]), (&json!("task"), &json!("working")), "{made}");
    assert!(made["ttlMs"].is_u64() && made["pollIntervalMs"].is_u64() && made["content"].is_null());
    let id = made["taskId"].as_str().unwrap().to_owned();
    let get = |client: &mut McpClient, id: &str| client.request("tasks/get", json!({ "taskId": id }));
    let mut state = Value::Null;
    until("the end of the task", || {
        state = get(&mut client, &id)["result"].clone();
        assert_eq!(state["taskId"], json!(id), "{state}");
        state["status"] != "working"
    });
    assert_eq!(state["status"], "completed", "{state}");
    assert_eq!(state["result"]["structuredContent"]["result"], "7", "{state}");
    assert_eq!(site.count("POST", "/api/echo"), 2);

    let endless = json!({ "text": "never there", "timeout_ms": 600_000 });
    let endless = call(&mut client, "browser_wait_for", endless)["taskId"].as_str().unwrap().to_owned();
    let cancelled = client.request("tasks/cancel", json!({ "taskId": endless }));
    assert!(cancelled["error"].is_null(), "{cancelled}");
    until("the end of the cancelled task", || get(&mut client, &endless)["result"]["status"] == "cancelled");

    let unknown = get(&mut client, "0123456789abcdef0123456789abcdef");
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    assert_eq!(unknown["error"]["data"]["code"], "UNKNOWN_TASK", "{unknown}");
    let mut other = client_with(&home, &json!({ "extensions": { EXTENSION: {} } }));
    assert_eq!(get(&mut other, &id)["error"]["data"]["code"], "UNKNOWN_TASK", "another client's task");
}

#[test]
fn task_of_one_client_is_unknown_to_another_of_the_same_daemon() {
    let (site, home) = (Site::start_blocking(), home());
    let mut mine = client(&home);
    open_and_hurry(&mut mine, &site);
    let endless = json!({ "text": "never there", "timeout_ms": 600_000 });
    let id = task_id(&mine.call("browser_wait_for", endless));
    let mut other = client(&home);
    for arguments in [json!({ "task_id": id }), json!({ "task_id": id, "cancel": true })] {
        let told = other.call("task_wait", arguments);
        assert_eq!(told.code(), "UNKNOWN_TASK", "{}", told.text);
        assert!(!told.text.contains("browser_wait_for"), "{}", told.text);
    }
    assert_eq!(task_id(&mine.call("task_wait", json!({ "task_id": id, "timeout_ms": 0 }))), id);
    let ended = mine.call("task_wait", json!({ "task_id": id, "cancel": true }));
    assert_eq!(ended.code(), "CANCELLED", "{}", ended.text);
}

#[test]
fn task_that_went_with_a_killed_daemon_is_an_unknown_outcome_and_not_run_again() {
    let (site, home) = (Site::start_blocking(), home());
    let mut client = client(&home);
    open_and_hurry(&mut client, &site);
    let id = task_id(&client.call("browser_execute_js", slow(40_000)));
    let daemon = home.daemon_pid().unwrap();
    kill(Pid::from_raw(daemon), Signal::SIGKILL).unwrap();
    until("the end of the daemon", || home.daemon_pid().is_none());
    let mut told = client.call("task_wait", json!({ "task_id": id }));
    // A call that meets the end itself is told so; the next one finds a new daemon.
    if told.code() == "DAEMON_UNAVAILABLE" {
        until("the new daemon", || {
            told = client.call("task_wait", json!({ "task_id": id }));
            told.code() != "DAEMON_UNAVAILABLE"
        });
    }
    assert_eq!(told.code(), "UNKNOWN_OUTCOME", "{}", told.text);
    assert!(
        told.text.contains("browser_execute_js") && told.text.contains("may have acted"),
        "{}",
        told.text
    );
    assert!(told.text.contains("DAEMON_RESTARTED"), "{}", told.text);
    assert_eq!(site.count("POST", "/api/echo"), 1);
}

#[test]
fn call_to_a_daemon_that_stands_still_is_answered_in_time() {
    let (site, home) = (Site::start_blocking(), home());
    let args = ["--timeout", "2", "mcp"];
    let mut client = McpClient::spawn_in(Arc::clone(&home), BINARY, &args, &[]);
    client.initialize("2025-11-25");
    until("the page", || {
        !client.call("browser_navigate", json!({ "url": site.url("/count.html") })).is_error
    });
    let daemon = Pid::from_raw(home.daemon_pid().unwrap());
    kill(daemon, Signal::SIGSTOP).unwrap();
    let asked = Instant::now();
    let told = client.call("browser_read", json!({}));
    kill(daemon, Signal::SIGCONT).unwrap();
    assert_eq!(told.code(), "DEADLINE", "{}", told.text);
    assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
}

#[test]
fn command_waits_for_the_end_and_says_meanwhile_what_it_waits_for() {
    let site = Site::start_blocking();
    let cli = Cli::in_home(BINARY, home());
    let _ = cli.run(&["open", &site.url("/count.html")]).expect_code(0);
    hurry(cli.home());
    let script = slow(6_000)["script"].as_str().unwrap().to_owned();
    let done = cli.run(&["eval", &script, "--yes"]).expect_code(0);
    assert!(done.stdout.contains("result: 7"), "{}", done.stdout);
    assert!(done.stderr.starts_with("… waiting for the script, "), "{}", done.stderr);
    assert_eq!(site.count("POST", "/api/echo"), 1);
}

#[test]
fn command_that_does_not_wait_prints_the_task_and_another_command_gets_the_result() {
    let site = Site::start_blocking();
    let cli = Cli::in_home(BINARY, home());
    let _ = cli.run(&["open", &site.url("/count.html")]).expect_code(0);
    let script = slow(2_000)["script"].as_str().unwrap().to_owned();
    let begun = cli.run(&["--json", "--no-wait", "eval", &script, "--yes"]).expect_code(6).json();
    assert_eq!((&begun["ok"], &begun["task"]["status"]), (&json!(false), &json!("running")), "{begun}");
    let id = begun["task"]["task_id"].as_str().unwrap();
    let foreign = cli.run(&["--json", "-s", "other", "task-wait", id]).expect_code(2).json();
    assert_eq!(foreign["error"]["code"], "UNKNOWN_TASK", "{foreign}");
    let done = cli.run(&["--json", "task-wait", id]).expect_code(0).json();
    assert_eq!((&done["result"], &done["task"]["status"]), (&json!("7"), &json!("done")), "{done}");
    let again = cli.run(&["task-wait", id]).expect_code(0);
    assert!(again.stdout.contains("result: 7"), "{}", again.stdout);
    assert_eq!(site.count("POST", "/api/echo"), 1);

    let refused = cli.run(&["--json", "--no-wait", "eval", "1"]).expect_code(3).json();
    assert_eq!(refused["error"]["code"], "APPROVAL_REQUIRED", "a refusal is no task: {refused}");
    let endless = ["--no-wait", "wait", "never there", "--timeout-ms", "600000"];
    let words = cli.run(&endless).expect_code(6).stdout;
    let id = words.split("task_id ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap();
    let ended = cli.run(&["--json", "task-wait", id, "--cancel"]).expect_code(1).json();
    assert_eq!(ended["error"]["code"], "CANCELLED", "{ended}");
}
