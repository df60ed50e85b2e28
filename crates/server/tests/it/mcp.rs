//! MCP over a pair of streams: the bytes that a client sends and gets.

use crate::host::SmallHost;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;
use truehand_base::{Caller, ClientId, ClientKind};
use truehand_server::mcp::{McpOptions, ResourceRoots, Structured, serve};

const LIMIT: Duration = Duration::from_secs(30);

struct Client {
    host: Arc<SmallHost>,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    write: WriteHalf<DuplexStream>,
    server: JoinHandle<()>,
    waiting: Vec<Value>,
    next: u64,
}

impl Client {
    async fn start(version: &str, name: &str, capabilities: Value) -> (Self, Value) {
        Client::start_within(LIMIT, version, name, capabilities).await
    }

    /// The same, with an answer to each call within a time.
    async fn start_within(
        call_limit: Duration,
        version: &str,
        name: &str,
        capabilities: Value,
    ) -> (Self, Value) {
        let host = SmallHost::new();
        let options = McpOptions {
            client: ClientId { kind: ClientKind::Mcp, name: "1".to_owned() },
            call_limit,
            structured: Structured::Auto,
            catalog_changes: host.changes(),
            resources: ResourceRoots {
                guide: "# The guide",
                traces: "/nowhere".into(),
                artifacts: "/nowhere".into(),
            },
        };
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (read, write) = tokio::io::split(theirs);
        let caller: Arc<dyn Caller> = host.clone();
        let server = tokio::spawn(async move { serve(caller, options, read, write).await.unwrap() });
        let (read, write) = tokio::io::split(ours);
        let mut client =
            Client { host, lines: BufReader::new(read).lines(), write, server, waiting: Vec::new(), next: 1 };
        let info = json!({ "name": name, "version": "1" });
        let params = json!({ "protocolVersion": version, "capabilities": capabilities, "clientInfo": info });
        let answer = client.request("initialize", params).await;
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        (client, answer["result"].clone())
    }

    async fn plain() -> Self {
        Client::start("2025-11-25", "test", json!({})).await.0
    }

    async fn send(&mut self, message: &Value) {
        self.send_bytes(format!("{message}\n").as_bytes()).await;
    }

    async fn send_bytes(&mut self, bytes: &[u8]) {
        self.write.write_all(bytes).await.unwrap();
    }

    async fn begin(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next;
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        id
    }

    async fn take(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.waiting.iter().position(&fits) {
            return self.waiting.remove(at);
        }
        loop {
            let line = tokio::time::timeout(LIMIT, self.lines.next_line()).await.expect("a message").unwrap();
            let message: Value = serde_json::from_str(&line.expect("the server still writes")).unwrap();
            if fits(&message) {
                return message;
            }
            self.waiting.push(message);
        }
    }

    async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params).await;
        self.take(|m| m["id"] == id && m.get("method").is_none()).await
    }

    async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments })).await["result"].clone()
    }

    async fn tool_names(&mut self) -> Vec<String> {
        let answer = self.request("tools/list", json!({})).await;
        let tools = answer["result"]["tools"].as_array().expect("tools").clone();
        tools.iter().map(|tool| tool["name"].as_str().unwrap_or_default().to_owned()).collect()
    }
}

#[tokio::test]
async fn row_099_initialize_answers_every_protocol_version_that_has_a_handshake() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let (_client, answer) = Client::start(version, "test", json!({})).await;
        assert_eq!(answer["protocolVersion"], version);
        assert_eq!(answer["serverInfo"]["name"], "truehand");
        assert_eq!(answer["capabilities"]["tools"]["listChanged"], true);
        assert!(answer["instructions"].as_str().is_some_and(|words| !words.is_empty()));
    }
    let (_client, answer) = Client::start("1999-01-01", "test", json!({})).await;
    assert_eq!(answer["protocolVersion"], "2025-11-25");
}

#[tokio::test]
async fn row_100_tools_list_has_the_listed_tools_with_schemas_and_hints() {
    let mut client = Client::plain().await;
    let answer = client.request("tools/list", json!({})).await;
    let tools = answer["result"]["tools"].as_array().expect("tools");
    let names: Vec<&str> = tools.iter().filter_map(|tool| tool["name"].as_str()).collect();
    assert_eq!(names, ["echo", "wait", "steps", "risky"]);
    for tool in tools {
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
        assert!(tool["annotations"]["readOnlyHint"].is_boolean(), "{tool}");
    }
    assert_eq!(tools[0]["annotations"]["readOnlyHint"], true);
    assert_eq!(tools[3]["annotations"]["destructiveHint"], true);
}

#[tokio::test]
async fn row_101_switching_a_tool_sends_list_changed_and_the_list_differs() {
    let mut client = Client::plain().await;
    assert_eq!(client.tool_names().await, ["echo", "wait", "steps", "risky"]);
    client.host.list(&["echo", "extra"]);
    client.take(|m| m["method"] == "notifications/tools/list_changed").await;
    assert_eq!(client.tool_names().await, ["echo", "extra"]);
    let answer = client.call("wait", json!({})).await;
    assert_eq!(answer["structuredContent"]["error"]["code"], "TOOL_DISABLED");
}

#[tokio::test]
async fn broken_lines_are_answered_and_the_next_call_works() {
    let mut client = Client::plain().await;
    let broken: [(&[u8], i64, Value); 5] = [
        (b"{\"jsonrpc\":\"2.0\",\"id\":7,\n", -32700, json!(7)),
        (b"\xff\xfe{}\n", -32700, Value::Null),
        (b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}\n", -32600, Value::Null),
        (b"{\"hello\":1}\n", -32600, Value::Null),
        (b"[]\n", -32600, Value::Null),
    ];
    for (bytes, code, id) in broken {
        client.send_bytes(bytes).await;
        let answer = client.take(|m| m["id"] == id && m.get("error").is_some()).await;
        assert_eq!(answer["error"]["code"], code, "{}", String::from_utf8_lossy(bytes));
        assert_eq!(client.call("echo", json!({ "text": "on" })).await["structuredContent"]["text"], "on");
    }
}

#[tokio::test]
async fn request_with_parameters_of_the_wrong_shape_is_answered_with_its_id() {
    let mut client = Client::plain().await;
    let answer = client.request("tools/call", json!({ "name": 5 })).await;
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    let answer = client.request("no/such", json!({})).await;
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
}

#[tokio::test]
async fn batch_is_answered_message_by_message() {
    let mut client = Client::plain().await;
    client
        .send_bytes(
            br#"[{"jsonrpc":"2.0","id":"a","method":"ping"},{"jsonrpc":"2.0","id":"b","method":"ping"}]"#,
        )
        .await;
    client.send_bytes(b"\n").await;
    for id in ["a", "b"] {
        assert!(client.take(|m| m["id"] == id).await.get("result").is_some());
    }
}

#[tokio::test]
async fn ten_megabyte_argument_works() {
    let mut client = Client::plain().await;
    let text = "ä".repeat(5 * 1024 * 1024);
    let answer = client.call("echo", json!({ "text": text.clone() })).await;
    assert_eq!(answer["structuredContent"]["text"], text);
}

#[tokio::test]
async fn unknown_tool_is_a_failed_result_with_its_code() {
    let mut client = Client::plain().await;
    let answer = client.call("browser_teleport", json!({})).await;
    assert_eq!(answer["isError"], true);
    assert!(answer["content"][0]["text"].as_str().is_some_and(|text| text.starts_with("UNKNOWN_TOOL: ")));
    assert_eq!(answer["structuredContent"]["error"]["code"], "UNKNOWN_TOOL");
}

#[tokio::test]
async fn request_key_comes_from_meta_or_arguments_and_never_reaches_the_tool() {
    let mut client = Client::plain().await;
    let params = json!({ "name": "echo", "arguments": {}, "_meta": { "truehand/requestKey": "k1" } });
    let answer = client.request("tools/call", params).await;
    assert_eq!(answer["result"]["structuredContent"]["request_key"], "k1");
    let answer = client.call("echo", json!({ "request_key": "k2" })).await;
    assert_eq!(answer["structuredContent"]["request_key"], "k2");
    assert_eq!(client.host.calls.lock().unwrap()[1].arguments, json!({}));
    let answer = client.call("echo", json!({ "request_key": 5 })).await;
    assert_eq!(answer["structuredContent"]["error"]["code"], "INVALID_ARGUMENTS");
}

#[tokio::test]
async fn progress_arrives_in_order_before_the_result() {
    let mut client = Client::plain().await;
    let params = json!({ "name": "steps", "arguments": {}, "_meta": { "progressToken": "p" } });
    client.request("tools/call", params).await;
    let notes: Vec<&Value> =
        client.waiting.iter().filter(|m| m["method"] == "notifications/progress").collect();
    let words: Vec<&str> = notes.iter().filter_map(|m| m["params"]["message"].as_str()).collect();
    assert_eq!(words, ["first", "second"]);
    assert!(notes.iter().all(|m| m["params"]["progressToken"] == "p"));
    assert!(notes[0]["params"]["progress"].as_f64() < notes[1]["params"]["progress"].as_f64());
}

#[tokio::test]
async fn cancelled_notification_stops_the_call_and_gets_no_answer() {
    let mut client = Client::plain().await;
    let id = client.begin("tools/call", json!({ "name": "wait", "arguments": {} })).await;
    while client.host.called() == 0 {
        tokio::task::yield_now().await;
    }
    client
        .send(
            &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }),
        )
        .await;
    assert_eq!(client.call("echo", json!({ "text": "on" })).await["structuredContent"]["text"], "on");
    while client.host.cancelled.load(std::sync::atomic::Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    assert!(client.waiting.iter().all(|m| m["id"] != id));
}

#[tokio::test]
async fn person_is_asked_with_the_facts_and_a_yes_repeats_the_call() {
    for (action, code) in
        [("accept", Value::Null), ("decline", json!("USER_DECLINED")), ("cancel", json!("USER_DECLINED"))]
    {
        let (mut client, _) = Client::start("2025-11-25", "test", json!({ "elicitation": {} })).await;
        let id = client.begin("tools/call", json!({ "name": "risky", "arguments": { "text": "f()" } })).await;
        let question = client.take(|m| m["method"] == "elicitation/create").await;
        let words = question["params"]["message"].as_str().unwrap_or_default();
        for fact in ["risky", "running scripts needs a yes", "http://127.0.0.1/", "f()"] {
            assert!(words.contains(fact), "{words}");
        }
        client.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": action } })).await;
        let answer = client.take(|m| m["id"] == id && m.get("method").is_none()).await["result"].clone();
        assert_eq!(answer["structuredContent"]["error"]["code"], code, "{answer}");
        let calls = client.host.called();
        assert_eq!(calls, if action == "accept" { 2 } else { 1 });
    }
}

#[tokio::test]
async fn person_who_takes_longer_than_the_call_is_still_heard_and_asked_once() {
    for (action, code) in [("accept", Value::Null), ("decline", json!("USER_DECLINED"))] {
        let limit = Duration::from_millis(800);
        let asks = json!({ "elicitation": {} });
        let (mut client, _) = Client::start_within(limit, "2025-11-25", "test", asks).await;
        for _ in 0..2 {
            let answer = client.call("risky", json!({ "text": "f()" })).await;
            let error = &answer["structuredContent"]["error"];
            assert_eq!(error["code"], "APPROVAL_REQUIRED", "{answer}");
            assert!(error["message"].as_str().unwrap().contains("has not answered yet"), "{answer}");
            assert!(error["next_step"].as_str().unwrap().contains("same call again"), "{answer}");
        }
        let question = client.take(|m| m["method"] == "elicitation/create").await;
        client.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": action } })).await;
        let other =
            client.begin("tools/call", json!({ "name": "risky", "arguments": { "text": "g()" } })).await;
        let answer = client.call("risky", json!({ "text": "f()" })).await;
        assert_eq!(answer["structuredContent"]["error"]["code"], code, "{answer}");
        let other = client.take(|m| m["id"] == other && m.get("method").is_none()).await;
        let told = &other["result"]["structuredContent"]["error"]["code"];
        assert_eq!(told, "APPROVAL_REQUIRED", "an answer is for one call: {other}");
        let answer = client.call("risky", json!({ "text": "f()" })).await;
        assert_eq!(answer["structuredContent"]["error"]["code"], "APPROVAL_REQUIRED", "and once: {answer}");
        let questions = client.waiting.iter().filter(|m| m["method"] == "elicitation/create").count();
        assert_eq!(questions, 2, "g() and f() anew, one each");
    }
}

#[tokio::test]
async fn client_that_can_not_ask_gets_approval_required() {
    let mut client = Client::plain().await;
    let answer = client.call("risky", json!({})).await;
    assert_eq!(answer["structuredContent"]["error"]["code"], "APPROVAL_REQUIRED");
    assert_eq!(client.host.called(), 1);
}

#[tokio::test]
async fn client_without_a_handshake_gets_the_question_as_the_result_and_answers_in_the_next_call() {
    let (mut client, _) = Client::start("2025-11-25", "test", json!({})).await;
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
    });
    let params = json!({ "name": "risky", "arguments": { "text": "f()" }, "_meta": meta });
    let answer = client.request("tools/call", params.clone()).await["result"].clone();
    assert_eq!(answer["resultType"], "input_required", "{answer}");
    let mut again = params;
    again["requestState"] = answer["requestState"].clone();
    again["inputResponses"] = json!({ "approval": { "action": "accept" } });
    let answer = client.request("tools/call", again.clone()).await["result"].clone();
    assert_eq!(answer["structuredContent"]["approved_by"], "elicitation", "{answer}");
    let answer = client.request("tools/call", again).await["result"].clone();
    assert_eq!(answer["resultType"], "input_required", "a yes counts once: {answer}");
}

#[tokio::test]
async fn row_111_guide_and_tool_pages_are_listed_and_read_whole() {
    let mut client = Client::plain().await;
    let answer = client.request("resources/list", json!({})).await;
    let uris: Vec<&str> = answer["result"]["resources"]
        .as_array()
        .expect("resources")
        .iter()
        .filter_map(|r| r["uri"].as_str())
        .collect();
    assert!(uris.contains(&"truehand://guide") && uris.contains(&"truehand://tools/echo"), "{uris:?}");
    let answer = client.request("resources/read", json!({ "uri": "truehand://guide" })).await;
    assert_eq!(answer["result"]["contents"][0]["text"], "# The guide");
    let answer = client.request("resources/read", json!({ "uri": "truehand://tools/echo" })).await;
    assert!(
        answer["result"]["contents"][0]["text"].as_str().is_some_and(|text| text.contains("`text` (string)"))
    );
    let answer = client.request("resources/read", json!({ "uri": "truehand://traces/../x" })).await;
    assert_eq!(answer["error"]["data"]["code"], "FILE_NOT_FOUND", "{answer}");
}

#[tokio::test]
async fn client_that_hides_text_from_its_model_gets_only_text() {
    let (mut client, _) = Client::start("2025-11-25", "claude-code", json!({})).await;
    let answer = client.call("echo", json!({ "text": "body" })).await;
    assert_eq!(answer.get("structuredContent"), None);
    assert_eq!(answer["content"][0]["text"], "did echo\nbody");
    let answer = client.request("tools/list", json!({})).await;
    assert_eq!(answer["result"]["tools"][0].get("outputSchema"), None);
}

#[tokio::test]
async fn end_of_input_ends_the_server_though_a_call_is_in_flight() {
    let mut client = Client::plain().await;
    client.begin("tools/call", json!({ "name": "wait", "arguments": {} })).await;
    while client.host.called() == 0 {
        tokio::task::yield_now().await;
    }
    client.write.shutdown().await.unwrap();
    tokio::time::timeout(LIMIT, client.server).await.expect("it ends").unwrap();
}

#[tokio::test]
async fn answers_to_requests_before_the_end_of_input_are_still_written() {
    let mut client = Client::plain().await;
    let id = client.begin("tools/call", json!({ "name": "echo", "arguments": { "text": "last" } })).await;
    client.write.shutdown().await.unwrap();
    let answer = client.take(|m| m["id"] == id).await;
    assert_eq!(answer["result"]["structuredContent"]["text"], "last");
}

#[tokio::test]
async fn request_that_can_not_be_read_is_answered_under_its_id() {
    let mut client = Client::plain().await;
    let deep = "[".repeat(10_000) + &"]".repeat(10_000);
    let long = "x".repeat(65 << 20);
    for (id, value, code) in [
        ("half a pair", r#""\ud800""#, -32700),
        ("too large a number", "1e999", -32700),
        ("too deep", deep.as_str(), -32700),
        ("too long", &format!("\"{long}\""), -32600),
    ] {
        let params = format!(r#"{{"name":"echo","arguments":{{"text":{value}}}}}"#);
        let line = format!(r#"{{"jsonrpc":"2.0","id":"{id}","method":"tools/call","params":{params}}}"#);
        client.send_bytes(line.as_bytes()).await;
        client.send_bytes(b"\n").await;
        let answer = client.take(|m| m["id"] == id).await;
        assert_eq!(answer["error"]["code"], code, "{answer}");
    }
    assert_eq!(client.call("echo", json!({ "text": "next" })).await["structuredContent"]["text"], "next");
}

#[tokio::test]
async fn tool_name_of_a_megabyte_is_unknown_and_not_repeated() {
    let mut client = Client::plain().await;
    let answer = client.call(&"n".repeat(1 << 20), json!({})).await;
    assert_eq!(answer["structuredContent"]["error"]["code"], "UNKNOWN_TOOL");
    assert!(answer.to_string().len() < 4_000, "{} bytes", answer.to_string().len());
}
