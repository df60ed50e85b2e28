//! MCP over HTTP: sessions, streams and their ends, with requests that are written byte by byte.

use crate::web::{LONG, Web, call, rpc, until};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use std::time::Duration;
use truehand_base::ErrorCode;

#[tokio::test]
async fn initialize_list_and_call_work_in_every_version_with_a_handshake() {
    let web = Web::start().await;
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let session = web.session(version, json!({})).await;
        assert!(
            session.id.len() >= 32 && session.id.bytes().all(|b| b.is_ascii_hexdigit()),
            "{}",
            session.id
        );
        let tools = session.result(&rpc(1, "tools/list", json!({}))).await;
        assert_eq!(tools["tools"][0]["name"], "echo");
        let answer = session.result(&call(2, "echo", json!({ "text": "hällo" }))).await;
        assert_eq!(answer["structuredContent"]["text"], "hällo");
    }
}

#[tokio::test]
async fn progress_and_result_come_on_the_stream_of_the_call_which_then_ends() {
    let web = Web::start().await;
    let session = web.plain().await;
    let events = session.events(&call(7, "steps", json!({}))).await.rest().await;
    let ids: Vec<&str> = events.iter().map(|(id, _)| id.as_str()).collect();
    let stream = ids[0].split('-').next().unwrap();
    assert_eq!(ids, [0, 1, 2, 3].map(|n| format!("{stream}-{n}")));
    let words: Vec<&Value> = events.iter().map(|(_, message)| &message["params"]["message"]).collect();
    assert_eq!(words, [&Value::Null, &json!("first"), &json!("second"), &Value::Null]);
    assert_eq!(events[0].1, Value::Null, "the first event gives an id and nothing else");
    assert_eq!(events[3].1["id"], 7);

    let older = web.session("2025-06-18", json!({})).await;
    let events = older.events(&call(7, "steps", json!({}))).await.rest().await;
    assert_eq!(events.len(), 3, "an older client would take an empty event for broken JSON");
}

#[tokio::test]
async fn each_session_is_a_client_of_its_own() {
    let web = Web::start().await;
    let (one, two) = (web.plain().await, web.plain().await);
    assert_ne!(one.id, two.id);
    for session in [&one, &two, &one] {
        session.result(&call(1, "echo", json!({}))).await;
    }
    let names: Vec<String> = web.host.calls.lock().unwrap().iter().map(|c| c.client.name.clone()).collect();
    assert_eq!(names, ["1", "2", "1"]);
}

#[tokio::test]
async fn stream_that_is_cut_gives_the_result_once_and_the_call_runs_once() {
    let web = Web::start().await;
    let session = web.plain().await;
    let mut events = session.events(&call(1, "hold", json!({}))).await;
    let (first, _) = events.next().await.unwrap();
    let (second, _) = events.next().await.unwrap();
    drop(events);
    web.host.release.notify_one();
    // The result comes while nobody listens, or just after the client is back; both are the same to it.
    let rest = session.resume(&second).await.rest().await;
    assert_eq!(rest.len(), 1, "{rest:?}");
    assert_eq!(rest[0].1["id"], 1);
    assert_eq!(rest[0].1["result"]["structuredContent"]["verdict"], "did hold", "{rest:?}");
    assert_eq!(session.resume(&rest[0].0).await.rest().await, [], "it has all");
    let again = session.resume(&first).await.rest().await;
    assert_eq!(again.len(), 2, "the step and the result: {again:?}");
    assert_eq!(web.host.called(), 1);

    for lost in ["9999-0", "nonsense", "0-17"] {
        let [id, version] = session.headers();
        let answer = web.ask("GET", &[id, version, ("Last-Event-ID", lost)], "").await;
        assert_eq!((answer.status, answer.code().as_str()), (404, "INVALID_ARGUMENTS"), "{lost}");
    }
}

#[tokio::test]
async fn event_of_one_session_means_nothing_in_another() {
    let web = Web::start().await;
    let (one, two) = (web.plain().await, web.plain().await);
    let events = one.events(&call(1, "steps", json!({}))).await.rest().await;
    let [id, version] = two.headers();
    let answer = web.ask("GET", &[id, version, ("Last-Event-ID", &events[0].0)], "").await;
    assert_eq!(answer.status, 404);
}

#[tokio::test]
async fn delete_ends_the_session_its_streams_and_its_calls() {
    let web = Web::start().await;
    let (session, other) = (web.plain().await, web.plain().await);
    let mut listening = session.listen().await;
    let mut waiting = session.events(&call(1, "wait", json!({}))).await;
    until("the call", || web.host.called() == 1).await;
    assert_eq!(session.delete().await.status, 204);
    until("the end of the client", || *web.left.lock().unwrap() == ["1"]).await;
    until("the end of the call", || web.host.cancelled.load(Ordering::SeqCst) == 1).await;
    assert_eq!(listening.rest().await, []);
    assert!(waiting.rest().await.iter().all(|(_, message)| message.get("result").is_none()));
    let answer = session.post(&call(2, "echo", json!({}))).await;
    assert_eq!((answer.status, answer.code().as_str()), (404, "SESSION_UNKNOWN"));
    assert_eq!(session.delete().await.status, 404);
    assert_eq!(
        other.result(&call(1, "echo", json!({ "text": "on" }))).await["structuredContent"]["text"],
        "on"
    );
}

#[tokio::test]
async fn list_changed_reaches_the_listener_and_one_that_comes_later() {
    let web = Web::start().await;
    let (one, two) = (web.plain().await, web.plain().await);
    for session in [&one, &two] {
        session.result(&rpc(1, "tools/list", json!({}))).await;
    }
    let mut first = one.listen().await;
    web.host.list(&["echo", "extra"]);
    let changed = |message: &Value| message["method"] == "notifications/tools/list_changed";
    first.find("list_changed", changed).await;
    two.listen().await.find("list_changed", changed).await;
}

#[tokio::test]
async fn session_without_use_ends_and_one_that_listens_stays_until_its_client_vanishes() {
    let web = Web::start_with("127.0.0.1:0", &[], Duration::from_millis(300)).await.unwrap();
    let (silent, listening, calling) = (web.plain().await, web.plain().await, web.plain().await);
    let stream = listening.listen().await;
    let call = calling.events(&call(1, "wait", json!({}))).await;
    until("the end of the silent one", || *web.left.lock().unwrap() == ["1"]).await;
    assert_eq!(silent.post(&rpc(1, "ping", json!({}))).await.status, 404);
    tokio::time::sleep(Duration::from_millis(700)).await;
    assert_eq!(*web.left.lock().unwrap(), ["1"], "the others are used");
    // A client that is killed says nothing; its connections end.
    drop(stream);
    until("the end of the vanished one", || *web.left.lock().unwrap() == ["1", "2"]).await;
    drop(call);
    assert_eq!(calling.post(&rpc(2, "ping", json!({}))).await.status, 200, "its call still runs");
}

#[tokio::test]
async fn cancelled_call_stops_and_its_stream_ends_without_an_answer() {
    let web = Web::start().await;
    let session = web.plain().await;
    let mut events = session.events(&call(5, "wait", json!({}))).await;
    until("the call", || web.host.called() == 1).await;
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 5 } });
    assert_eq!(session.post(&note.to_string()).await.status, 202);
    assert!(events.rest().await.iter().all(|(_, message)| message.is_null()));
    until("the end of the call", || web.host.cancelled.load(Ordering::SeqCst) == 1).await;
}

#[tokio::test]
async fn question_to_a_person_comes_on_the_stream_of_its_call() {
    let web = Web::start().await;
    let session = web.session("2025-11-25", json!({ "elicitation": {} })).await;
    let mut events = session.events(&call(1, "risky", json!({}))).await;
    let question = events.find("a question", |m| m["method"] == "elicitation/create").await;
    let yes = json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "action": "accept" } });
    assert_eq!(session.post(&yes.to_string()).await.status, 202);
    let answer = events.find("an answer", |m| m["id"] == 1).await;
    assert_eq!(answer["result"]["structuredContent"]["approved_by"], "elicitation", "{answer}");
}

#[tokio::test]
async fn batch_is_answered_on_one_stream() {
    let web = Web::start().await;
    let session = web.session("2025-03-26", json!({})).await;
    let batch = format!("[{},{}]", rpc(1, "ping", json!({})), call(2, "echo", json!({})));
    let answers = session.events(&batch).await.rest().await;
    let mut ids: Vec<_> = answers.iter().filter_map(|(_, message)| message["id"].as_u64()).collect();
    ids.sort_unstable();
    assert_eq!(ids, [1, 2]);
}

#[tokio::test]
async fn request_of_a_protocol_without_sessions_is_served_and_keeps_its_client() {
    let web = Web::start().await;
    let ask = async |name: &str, method: &str, mut params: Value| {
        let version = "2026-07-28";
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientInfo": { "name": name, "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let tool = params["name"].as_str().unwrap_or_default().to_owned();
        let mut more = vec![("MCP-Protocol-Version", version), ("Mcp-Method", method)];
        if !tool.is_empty() {
            more.push(("Mcp-Name", &tool));
        }
        web.ask("POST", &more, &rpc(1, method, params)).await
    };
    let answer = ask("a", "server/discover", json!({})).await;
    assert_eq!((answer.status, &answer.json()["id"]), (200, &json!(1)), "{answer:?}");
    for name in ["a", "b", "a"] {
        let answer = ask(name, "tools/call", json!({ "name": "echo", "arguments": { "text": name } })).await;
        assert_eq!(answer.json()["result"]["structuredContent"]["text"], name, "{answer:?}");
        assert_eq!(answer.header("mcp-session-id"), None);
    }
    let names: Vec<String> = web.host.calls.lock().unwrap().iter().map(|c| c.client.name.clone()).collect();
    assert_eq!(names[0], names[2], "what it opened is there for its next request");
    assert_ne!(names[0], names[1]);
}

#[tokio::test]
async fn malformed_requests_are_answered_with_a_code_and_the_session_goes_on() {
    let web = Web::start().await;
    let session = web.plain().await;
    let [id, version] = session.headers();
    let ping = rpc(1, "ping", json!({}));
    let cases = [
        (vec![id, version], r#"{"jsonrpc":"2.0","id":9,"method":"#, 400, json!(9), -32700),
        (vec![id, version], r#"{"id":9,"method":5}"#, 400, json!(9), -32600),
        (vec![id, version], "[]", 400, Value::Null, -32600),
        (vec![id, version], "\u{feff}{}", 400, Value::Null, -32700),
        (vec![id, ("MCP-Protocol-Version", "1999-01-01")], ping.as_str(), 400, Value::Null, -32600),
        (vec![version], ping.as_str(), 400, Value::Null, -32600),
        (vec![("Mcp-Session-Id", "unknown")], ping.as_str(), 404, Value::Null, -32600),
    ];
    for (headers, body, status, id, number) in cases {
        let answer = web.ask("POST", &headers, body).await;
        let error = &answer.json()["error"];
        assert_eq!(
            (answer.status, &answer.json()["id"], &error["code"]),
            (status, &id, &json!(number)),
            "{body}"
        );
        assert!(error["data"]["next_step"].as_str().is_some_and(|step| step.len() > 10), "{answer:?}");
    }
    let large = format!("\"{}\"", "x".repeat(17 * 1024 * 1024));
    let answer = web.ask("POST", &[id, version], &large).await;
    assert_eq!((answer.status, answer.code().as_str()), (413, "ARGUMENT_TOO_LARGE"));
    let mut held = session.events(&call(3, "wait", json!({}))).await;
    held.next().await.unwrap();
    let answer = session.post(&call(3, "echo", json!({}))).await;
    assert_eq!((answer.status, &answer.json()["id"]), (400, &json!(3)), "its id is in use");
    assert_eq!(session.result(&rpc(4, "ping", json!({}))).await, json!({}));
}

#[tokio::test]
async fn client_that_does_not_read_one_answer_still_gets_the_others() {
    let web = Web::start().await;
    let session = web.plain().await;
    // More than the system keeps for a connection, twice, since the result has it in two forms.
    let text = "x".repeat(8 * 1024 * 1024);
    let mut unread = session.events(&call(1, "echo", json!({ "text": text }))).await;
    assert_eq!(session.result(&rpc(2, "ping", json!({}))).await, json!({}));
    let answer = unread.find("an answer", |m| m.get("result").is_some()).await;
    assert_eq!(answer["result"]["structuredContent"]["text"].as_str().map(str::len), Some(text.len()));
}

#[tokio::test]
async fn end_of_the_server_ends_streams_and_clients_and_takes_the_token_away() {
    let web = Web::start().await;
    let session = web.plain().await;
    let mut listening = session.listen().await;
    let mut waiting = session.events(&call(1, "wait", json!({}))).await;
    waiting.next().await.unwrap();
    assert!(web.token_path.exists());
    web.stop.cancel();
    assert_eq!(listening.rest().await, []);
    waiting.rest().await;
    let path = web.token_path.clone();
    tokio::time::timeout(crate::web::LIMIT, web.served).await.expect("it ends").unwrap();
    assert_eq!(*web.left.lock().unwrap(), ["1"]);
    assert!(!path.exists());
    tokio::net::TcpStream::connect(web.at).await.unwrap_err();
}

#[tokio::test]
async fn each_start_has_a_token_of_its_own_and_the_old_one_opens_nothing() {
    let (before, now) = (Web::start().await, Web::start().await);
    assert_ne!(before.token, now.token);
    let mut headers = now.headers();
    headers[1].1 = format!("Bearer {}", before.token);
    let body = rpc(1, "initialize", json!({}));
    let answer = now.raw(&crate::web::request("POST", "/mcp", &headers, &body)).await;
    assert_eq!((answer.status, answer.code().as_str()), (401, "UNAUTHENTICATED"));
}

#[tokio::test]
async fn address_that_is_taken_or_not_of_this_machine_is_a_clear_error() {
    let web = Web::start().await;
    let again = Web::start_with(&web.at.to_string(), &[], LONG).await;
    assert_eq!(again.map(drop).map_err(|error| error.code), Err(ErrorCode::PortBusy));
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
        let refused = Web::start_with(address, &[], LONG).await;
        assert_eq!(
            refused.map(drop).map_err(|error| error.code),
            Err(ErrorCode::InvalidArguments),
            "{address}"
        );
    }
}
