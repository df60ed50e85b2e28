//! What the connection promises about order, routes, ends and odd input, over a pipe whose other end is ours.

use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio_util::sync::CancellationToken;
use truehand_base::CallCtx;
use truehand_cdp::page::{Navigate, NavigatedWithinDocument};
use truehand_cdp::{CdpError, Connection, EventStream, Pending, Session, SessionId, browser, page};

/// The browser's end of the pipe.
struct FarEnd {
    reader: BufReader<ReadHalf<DuplexStream>>,
    writer: WriteHalf<DuplexStream>,
}

impl FarEnd {
    async fn command(&mut self) -> Value {
        let mut message = Vec::new();
        self.reader.read_until(0, &mut message).await.expect("readable");
        assert_eq!(message.pop(), Some(0), "the connection ended instead of sending a command");
        serde_json::from_slice(&message).expect("a command is JSON")
    }

    async fn bytes(&mut self, bytes: &[u8]) {
        self.writer.write_all(bytes).await.expect("writable");
    }

    async fn message(&mut self, message: Value) {
        self.bytes(&framed(&message)).await;
    }

    async fn answer(&mut self, command: &Value, result: Value) {
        self.message(json!({ "id": command["id"], "result": result })).await;
    }

    async fn event(&mut self, session: Option<&str>, method: &str, params: Value) {
        let mut event = json!({ "method": method, "params": params });
        if let Some(session) = session {
            event["sessionId"] = session.into();
        }
        self.message(event).await;
    }

    async fn attach(&mut self, parent: Option<&str>, child: &str) {
        self.event(parent, "Target.attachedToTarget", json!({ "sessionId": child })).await;
    }

    async fn detach(&mut self, parent: Option<&str>, child: &str) {
        self.event(parent, "Target.detachedFromTarget", json!({ "sessionId": child })).await;
    }

    /// Nothing more comes from the connection.
    async fn assert_end(&mut self) {
        let mut rest = Vec::new();
        self.reader.read_to_end(&mut rest).await.expect("readable");
        assert_eq!(String::from_utf8_lossy(&rest), "");
    }
}

fn framed(message: &Value) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(message).expect("JSON");
    bytes.push(0);
    bytes
}

fn connect() -> (Connection, EventStream, FarEnd) {
    let (near, far) = tokio::io::duplex(4096);
    let (reader, writer) = tokio::io::split(near);
    let (connection, events) = Connection::pipe(reader, writer);
    let (reader, writer) = tokio::io::split(far);
    (connection, events, FarEnd { reader: BufReader::new(reader), writer })
}

fn ctx() -> CallCtx {
    CallCtx::with_timeout(Duration::from_secs(60))
}

/// Waits until the connection has handled all that was sent before.
async fn settle(connection: &Connection, far: &mut FarEnd) {
    let pending = connection.browser().start_raw("Test.settle", Value::Null);
    let command = far.command().await;
    assert_eq!(command["method"], "Test.settle");
    far.answer(&command, json!({})).await;
    pending.await.expect("answered");
}

/// The methods of all events that are here now.
fn methods(events: &mut EventStream) -> Vec<String> {
    std::iter::from_fn(|| events.try_next()).map(|event| event.method).collect()
}

fn session(connection: &Connection, id: &str) -> Session {
    connection.session(SessionId::from(id))
}

fn route(connection: &Connection, id: &str) -> EventStream {
    connection.route(&SessionId::from(id))
}

async fn assert_gone(pending: Pending<Value>, reason: &str) {
    assert_eq!(pending.await, Err(CdpError::SessionGone { reason: reason.to_owned() }));
}

#[tokio::test]
async fn start_several_commands_are_written_in_call_order_with_session_and_parameters() {
    let (connection, _events, mut far) = connect();
    let tab = session(&connection, "S1");
    let pending: Vec<_> = (0..50)
        .map(|n| tab.start(Navigate { url: format!("http://x/{n}"), ..Navigate::default() }))
        .collect();
    for n in 0..50 {
        let command = far.command().await;
        assert_eq!(command["method"], "Page.navigate");
        assert_eq!(command["sessionId"], "S1");
        assert_eq!(command["params"], json!({ "url": format!("http://x/{n}") }));
    }
    drop(pending);
    let _version = connection.browser().start(browser::GetVersion {});
    let command = far.command().await;
    assert_eq!(command["params"], json!({}));
    assert!(command.get("sessionId").is_none());
}

#[tokio::test]
async fn answers_in_another_order_reach_their_callers() {
    let (connection, _events, mut far) = connect();
    let first = connection.browser().start_raw("A.one", json!({}));
    let second = connection.browser().start_raw("A.two", json!({}));
    let (one, two) = (far.command().await, far.command().await);
    far.answer(&two, json!("two")).await;
    assert_eq!(second.await, Ok(json!("two")));
    far.answer(&one, json!("one")).await;
    assert_eq!(first.await, Ok(json!("one")));
}

#[tokio::test]
async fn event_before_an_answer_is_in_the_stream_when_the_answer_arrives() {
    let (connection, mut events, mut far) = connect();
    let tab = session(&connection, "S1");
    let mut routed = route(&connection, "S1");
    for round in 0..100 {
        let pending = tab.start_raw("A.act", Value::Null);
        let command = far.command().await;
        far.event(Some("S1"), "A.routed", json!({ "round": round })).await;
        far.event(None, "A.unrouted", json!({ "round": round })).await;
        far.answer(&command, json!({})).await;
        far.event(Some("S1"), "A.after", json!({})).await;
        pending.await.expect("answered");
        assert_eq!(routed.try_next().expect("before the answer").params["round"], round);
        assert_eq!(events.try_next().expect("before the answer").params["round"], round);
        assert_eq!(routed.next().await.expect("after the answer").method, "A.after");
    }
}

#[tokio::test]
async fn events_of_a_slow_reader_are_all_kept_in_order() {
    let (connection, mut events, mut far) = connect();
    for n in 0..20_000 {
        far.event(None, "A.tick", json!({ "n": n })).await;
    }
    settle(&connection, &mut far).await;
    for n in 0..20_000 {
        assert_eq!(events.try_next().expect("kept").params["n"], n);
    }
    assert!(events.try_next().is_none());
}

#[tokio::test]
async fn route_child_attached_beneath_inherits_before_its_first_event() {
    let (connection, mut events, mut far) = connect();
    let mut routed = route(&connection, "tab");
    far.attach(None, "tab").await;
    far.attach(Some("tab"), "frame").await;
    far.event(Some("frame"), "A.frame", json!({})).await;
    far.attach(Some("frame"), "worker").await;
    far.event(Some("worker"), "A.worker", json!({})).await;
    far.attach(None, "other").await;
    far.event(Some("other"), "A.other", json!({})).await;
    settle(&connection, &mut far).await;
    let frame = ["Target.attachedToTarget", "A.frame", "Target.attachedToTarget", "A.worker"];
    assert_eq!(methods(&mut routed), frame);
    assert_eq!(methods(&mut events), ["Target.attachedToTarget", "Target.attachedToTarget", "A.other"]);
}

#[tokio::test]
async fn route_made_after_the_child_was_attached_takes_the_child_along() {
    let (connection, mut events, mut far) = connect();
    far.attach(None, "tab").await;
    far.attach(Some("tab"), "frame").await;
    settle(&connection, &mut far).await;
    let mut routed = route(&connection, "tab");
    let mut own = route(&connection, "worker");
    far.attach(Some("tab"), "worker").await;
    far.event(Some("frame"), "A.frame", json!({})).await;
    far.event(Some("worker"), "A.worker", json!({})).await;
    settle(&connection, &mut far).await;
    assert_eq!(methods(&mut routed), ["Target.attachedToTarget", "A.frame"]);
    assert_eq!(methods(&mut own), ["A.worker"], "a route of its own is kept");
    assert_eq!(methods(&mut events).len(), 2);
}

#[tokio::test]
async fn unroute_ends_the_streams_of_the_session_and_its_descendants() {
    let (connection, mut events, mut far) = connect();
    far.attach(None, "tab").await;
    far.attach(Some("tab"), "frame").await;
    settle(&connection, &mut far).await;
    let (mut tab, mut frame, mut other) =
        (route(&connection, "tab"), route(&connection, "frame"), route(&connection, "other"));
    methods(&mut events);
    connection.unroute(&SessionId::from("tab"));
    for id in ["tab", "frame", "other"] {
        far.event(Some(id), "A.event", json!({})).await;
    }
    settle(&connection, &mut far).await;
    assert_eq!(tab.next().await, None);
    assert_eq!(frame.next().await, None);
    assert_eq!(methods(&mut other), ["A.event"]);
    assert_eq!(methods(&mut events), ["A.event", "A.event"]);
}

#[tokio::test]
async fn stream_that_was_dropped_loses_only_its_own_events() {
    let (connection, mut events, mut far) = connect();
    drop(route(&connection, "tab"));
    far.event(Some("tab"), "A.lost", json!({})).await;
    far.event(None, "A.kept", json!({})).await;
    settle(&connection, &mut far).await;
    assert_eq!(methods(&mut events), ["A.kept"]);
}

#[tokio::test]
async fn detach_fails_the_calls_of_the_session_and_beneath_and_no_others() {
    let (connection, mut events, mut far) = connect();
    far.attach(None, "tab").await;
    far.attach(Some("tab"), "frame").await;
    far.attach(None, "other").await;
    settle(&connection, &mut far).await;
    methods(&mut events);
    let mut routed = route(&connection, "tab");
    let call = |id| session(&connection, id).start_raw("A.act", Value::Null);
    let (tab, frame, other) = (call("tab"), call("frame"), call("other"));
    let browser = connection.browser().start_raw("A.act", Value::Null);
    let commands = [far.command().await, far.command().await, far.command().await, far.command().await];
    far.event(Some("frame"), "A.last", json!({})).await;
    far.detach(None, "tab").await;
    assert_gone(tab, "it was detached").await;
    assert_gone(frame, "it was detached").await;
    assert_eq!(routed.next().await.expect("kept").method, "A.last");
    assert_eq!(routed.next().await.expect("told").method, "Target.detachedFromTarget");
    assert_eq!(routed.next().await, None, "the route ends");
    assert_eq!(methods(&mut events), ["Target.detachedFromTarget"]);
    far.answer(&commands[2], json!(1)).await;
    far.answer(&commands[3], json!(2)).await;
    assert_eq!(other.await, Ok(json!(1)));
    assert_eq!(browser.await, Ok(json!(2)));
}

#[tokio::test]
async fn detach_of_a_child_is_told_once_and_leaves_the_parent_routed() {
    let (connection, _events, mut far) = connect();
    let mut routed = route(&connection, "tab");
    far.attach(None, "tab").await;
    far.attach(Some("tab"), "frame").await;
    let tab = session(&connection, "tab").start_raw("A.act", Value::Null);
    let command = far.command().await;
    far.detach(Some("tab"), "frame").await;
    far.event(Some("tab"), "A.after", json!({})).await;
    far.answer(&command, json!({})).await;
    tab.await.expect("the parent's call is answered");
    assert_eq!(methods(&mut routed), ["Target.attachedToTarget", "Target.detachedFromTarget", "A.after"]);
}

#[tokio::test]
async fn crash_fails_the_calls_of_the_session_and_keeps_its_route() {
    let (connection, _events, mut far) = connect();
    let mut routed = route(&connection, "tab");
    let call = |id| session(&connection, id).start_raw("A.act", Value::Null);
    let (tab, other) = (call("tab"), call("other"));
    let (_, command) = (far.command().await, far.command().await);
    far.event(Some("tab"), "Inspector.targetCrashed", json!({})).await;
    assert_gone(tab, "its page crashed").await;
    far.event(Some("tab"), "A.after", json!({})).await;
    far.answer(&command, json!({})).await;
    other.await.expect("another session goes on");
    assert_eq!(methods(&mut routed), ["Inspector.targetCrashed", "A.after"]);
}

#[tokio::test]
async fn fail_pending_fails_only_what_the_session_has_started_before() {
    let (connection, _events, mut far) = connect();
    let call = |id| session(&connection, id).start_raw("A.act", Value::Null);
    let (before, other) = (call("tab"), call("other"));
    session(&connection, "tab").fail_pending("the tab was given up");
    let after = call("tab");
    assert_gone(before, "the tab was given up").await;
    let (_, second, third) = (far.command().await, far.command().await, far.command().await);
    far.answer(&second, json!(2)).await;
    far.answer(&third, json!(3)).await;
    assert_eq!(other.await, Ok(json!(2)));
    assert_eq!(after.await, Ok(json!(3)));
}

#[tokio::test]
async fn close_fails_every_waiter_and_drops_the_transport() {
    let (connection, mut events, mut far) = connect();
    let mut routed = route(&connection, "tab");
    let pending = session(&connection, "tab").start_raw("A.act", Value::Null);
    far.command().await;
    assert!(!connection.is_closed());
    connection.close();
    connection.closed().await;
    assert!(connection.is_closed());
    let closed = CdpError::Closed { reason: "it was closed here".to_owned() };
    assert_eq!(pending.await, Err(closed.clone()));
    assert_eq!(connection.browser().raw(&ctx(), "A.late", Value::Null).await, Err(closed));
    assert_eq!(events.next().await, None);
    assert_eq!(routed.next().await, None);
    assert_eq!(route(&connection, "tab").next().await, None);
    far.assert_end().await;
}

#[tokio::test]
async fn transport_end_delivers_what_came_before_and_fails_the_rest() {
    let (connection, mut events, mut far) = connect();
    let answered = connection.browser().start_raw("A.one", Value::Null);
    let lost = connection.browser().start_raw("A.two", Value::Null);
    let (one, _) = (far.command().await, far.command().await);
    far.event(None, "A.last", json!({})).await;
    far.answer(&one, json!(1)).await;
    far.bytes(b"{\"method\":\"A.cut").await;
    drop(far);
    assert_eq!(answered.await, Ok(json!(1)));
    let reason = "the browser closed the pipe in the middle of a message".to_owned();
    assert_eq!(lost.await, Err(CdpError::Closed { reason }));
    assert_eq!(events.next().await.expect("kept").method, "A.last");
    assert_eq!(events.next().await, None);
    assert!(connection.is_closed());
}

#[tokio::test]
async fn handles_all_dropped_end_the_transport() {
    let (connection, mut events, mut far) = connect();
    let tab = session(&connection, "tab");
    drop(connection);
    let pending = tab.start_raw("A.act", Value::Null);
    drop(tab);
    let command = far.command().await;
    far.answer(&command, json!(1)).await;
    assert_eq!(pending.await, Ok(json!(1)), "a pending call is a handle too");
    assert_eq!(events.next().await, None);
    far.assert_end().await;
}

#[tokio::test]
async fn send_deadline_ends_the_wait_and_a_late_answer_is_skipped() {
    let (connection, mut events, mut far) = connect();
    let short = CallCtx::with_timeout(Duration::from_millis(30));
    let late = connection.browser().raw(&short, "A.slow", Value::Null).await;
    assert_eq!(late, Err(CdpError::Deadline { method: "A.slow".to_owned() }));
    let command = far.command().await;
    far.answer(&command, json!(1)).await;
    far.event(None, "A.event", json!({})).await;
    settle(&connection, &mut far).await;
    assert_eq!(methods(&mut events), ["A.event"]);
}

#[tokio::test]
async fn send_cancel_ends_the_wait_with_its_own_error() {
    let (connection, _events, mut far) = connect();
    let cancel = CancellationToken::new();
    let cancelled = ctx().cancelled_by(cancel.clone());
    let browser = connection.browser();
    let call = browser.send(&cancelled, browser::GetVersion {});
    let (result, ()) = tokio::join!(call, async {
        far.command().await;
        cancel.cancel();
    });
    assert_eq!(result, Err(CdpError::Cancelled { method: "Browser.getVersion".to_owned() }));
}

#[tokio::test]
async fn send_after_deadline_or_cancel_writes_nothing() {
    let (connection, _events, mut far) = connect();
    let over = CallCtx::with_timeout(Duration::ZERO);
    let browser = connection.browser();
    assert!(matches!(browser.send(&over, browser::GetVersion {}).await, Err(CdpError::Deadline { .. })));
    let cancel = CancellationToken::new();
    cancel.cancel();
    let cancelled = ctx().cancelled_by(cancel);
    assert!(matches!(browser.raw(&cancelled, "A.a", Value::Null).await, Err(CdpError::Cancelled { .. })));
    settle(&connection, &mut far).await;
}

#[tokio::test]
async fn pending_dropped_by_its_caller_disturbs_nobody() {
    let (connection, mut events, mut far) = connect();
    drop(connection.browser().start_raw("A.dropped", Value::Null));
    let kept = connection.browser().start_raw("A.kept", Value::Null);
    let (dropped, command) = (far.command().await, far.command().await);
    assert_eq!(dropped["method"], "A.dropped", "it is carried out all the same");
    far.answer(&dropped, json!(1)).await;
    far.answer(&command, json!(2)).await;
    assert_eq!(kept.await, Ok(json!(2)));
    assert!(events.try_next().is_none());
}

#[tokio::test]
async fn messages_split_and_joined_anywhere_are_read_whole() {
    let (connection, mut events, mut far) = connect();
    let mut joined = Vec::new();
    for n in 0..3 {
        joined.extend(framed(&json!({ "method": "A.joined", "params": { "n": n, "text": "é\u{1f600}" } })));
    }
    far.bytes(&joined).await;
    for byte in &joined {
        far.bytes(std::slice::from_ref(byte)).await;
        tokio::task::yield_now().await;
    }
    settle(&connection, &mut far).await;
    for n in [0, 1, 2, 0, 1, 2] {
        assert_eq!(events.try_next().expect("read").params, json!({ "n": n, "text": "é\u{1f600}" }));
    }
    assert!(events.try_next().is_none());
}

#[tokio::test]
async fn message_of_20_mb_passes_both_ways() {
    let (connection, mut events, mut far) = connect();
    let big = "x".repeat(20_000_000);
    let pending = connection.browser().start_raw("A.big", json!({ "text": big }));
    let command = far.command().await;
    assert!(command["params"]["text"] == big.as_str());
    far.event(None, "A.big", json!({ "text": big })).await;
    far.answer(&command, json!({ "text": big })).await;
    assert!(pending.await.expect("answered")["text"] == big.as_str());
    assert!(events.next().await.expect("delivered").params["text"] == big.as_str());
}

#[tokio::test]
async fn garbage_is_skipped_and_the_connection_goes_on() {
    let (connection, mut events, mut far) = connect();
    for garbage in [
        "",
        "not json",
        "[]",
        "7",
        "null",
        "{}",
        r#"{"id":"seven","result":{}}"#,
        r#"{"id":-1,"result":{}}"#,
        r#"{"id":999999,"result":{}}"#,
        r#"{"id":999999,"error":7}"#,
        r#"{"error":{"code":-32700,"message":"no"}}"#,
        r#"{"method":7}"#,
        r#"{"method":"A.cut","params":{"#,
        r#"{"method":"Target.attachedToTarget","sessionId":"a"}"#,
        r#"{"method":"Target.attachedToTarget","sessionId":"a","params":{"sessionId":7}}"#,
        r#"{"method":"Target.detachedFromTarget","params":{"sessionId":"never seen"}}"#,
        r#"{"method":"Inspector.targetCrashed"}"#,
    ] {
        far.bytes(garbage.as_bytes()).await;
        far.bytes(&[0]).await;
    }
    far.bytes(b"\xff\xfe{\"method\"\x00").await;
    let deep = format!(r#"{{"method":"A.deep","params":{}{}}}"#, "[".repeat(5000), "]".repeat(5000));
    far.bytes(deep.as_bytes()).await;
    far.bytes(&[0]).await;
    far.event(None, "A.after", json!({})).await;
    settle(&connection, &mut far).await;
    let understood = [
        "Target.attachedToTarget",
        "Target.attachedToTarget",
        "Target.detachedFromTarget",
        "Inspector.targetCrashed",
        "A.after",
    ];
    assert_eq!(methods(&mut events), understood);
}

#[tokio::test]
async fn sessions_attached_in_a_circle_do_not_stop_the_connection() {
    let (connection, mut events, mut far) = connect();
    far.attach(Some("a"), "a").await;
    far.attach(Some("a"), "b").await;
    far.attach(Some("b"), "a").await;
    far.event(Some("b"), "A.event", json!({})).await;
    far.detach(Some("a"), "b").await;
    settle(&connection, &mut far).await;
    assert_eq!(methods(&mut events).len(), 5);
}

#[tokio::test]
async fn event_with_half_a_surrogate_pair_is_delivered() {
    let (connection, mut events, mut far) = connect();
    far.bytes(b"{\"method\":\"A.odd\",\"params\":{\"text\":\"<\\ud800>\"}}\x00").await;
    settle(&connection, &mut far).await;
    assert_eq!(events.try_next().expect("delivered").params["text"], "<\u{fffd}>");
}

#[tokio::test]
async fn answers_that_are_errors_or_odd_become_the_fitting_error() {
    let (connection, _events, mut far) = connect();
    let navigate = || session(&connection, "tab").start(Navigate::default());
    let answers = [
        json!({ "error": { "code": -32602, "message": "Invalid parameters", "data": "url: missing" } }),
        json!({ "error": { "code": -32001, "message": "Session with given id not found." } }),
        json!({ "error": "no" }),
        json!({ "result": { "frameId": 7 } }),
        json!({}),
    ];
    let mut errors = Vec::new();
    for answer in answers {
        let pending = navigate();
        let mut message = answer;
        message["id"] = far.command().await["id"].clone();
        far.message(message).await;
        errors.push(pending.await.expect_err("not an answer"));
    }
    assert_eq!(
        errors[0],
        CdpError::Protocol {
            method: "Page.navigate".to_owned(),
            code: -32602,
            message: "Invalid parameters".to_owned(),
            data: Some(json!("url: missing")),
        }
    );
    assert_eq!(errors[1], CdpError::SessionGone { reason: "Session with given id not found.".to_owned() });
    for error in &errors[2..] {
        assert!(matches!(error, CdpError::Malformed { method, .. } if method == "Page.navigate"), "{error}");
    }
}

#[tokio::test]
async fn parse_other_event_is_none_and_odd_fields_are_an_error() {
    let (_connection, mut events, mut far) = connect();
    let params = json!({ "frameId": "F", "url": "http://x/#a", "navigationType": "brandNew", "later": 1 });
    far.event(Some("tab"), "Page.navigatedWithinDocument", params).await;
    far.event(None, "Page.navigatedWithinDocument", json!({ "frameId": 7 })).await;
    let event = events.next().await.expect("delivered");
    assert_eq!(event.session, Some(SessionId::from("tab")));
    assert!(event.parse::<page::LoadEventFired>().is_none());
    let navigated = event.parse::<NavigatedWithinDocument>().expect("this event").expect("it fits");
    assert_eq!(navigated.navigation_type, "brandNew", "values that are not known are kept");
    let odd = events.next().await.expect("delivered");
    assert!(matches!(odd.parse::<NavigatedWithinDocument>(), Some(Err(CdpError::Malformed { .. }))));
}
