//! Frames that no browser should send: cut, garbled, endless, nested without end. The connection ends with a reason or
//! goes on; it never panics, hangs, or takes memory that was only claimed.

use futures::StreamExt;
use serde_json::json;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::accept_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use truehand_base::CallCtx;
use truehand_cdp::{CdpError, Connection, EventStream};

/// How many garbled streams each transport is given.
const CASES: u64 = 3_000;
/// The longest that an answer to one of them may take.
const LIMIT: Duration = Duration::from_secs(20);

fn ctx() -> CallCtx {
    CallCtx::with_timeout(LIMIT)
}

/// Numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut bits = self.0;
        bits ^= bits >> 33;
        bits.wrapping_mul(0xff51_afd7_ed55_8ccd) ^ (bits >> 29)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end.max(1) as u64).unwrap_or(0)
    }

    fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }

    fn bytes(&mut self, longest: usize) -> Vec<u8> {
        (0..self.below(longest + 1)).map(|_| self.next().to_le_bytes()[0]).collect()
    }
}

/// Messages that a browser does send, and some that only look so.
fn message(dice: &mut Dice) -> Vec<u8> {
    let messages = [
        json!({ "id": dice.below(4), "result": {} }).to_string(),
        json!({ "id": dice.below(4), "error": { "code": -32000, "message": "no" } }).to_string(),
        json!({ "id": 1, "result": null, "error": 7 }).to_string(),
        json!({ "id": u64::MAX, "result": [] }).to_string(),
        json!({ "id": -1, "method": 3 }).to_string(),
        json!({ "method": "A.event", "params": { "text": "\u{1f600}" }, "sessionId": "s" }).to_string(),
        json!({ "method": "Target.attachedToTarget", "params": { "sessionId": "s" }, "sessionId": "s" })
            .to_string(),
        json!({ "method": "Target.detachedFromTarget", "params": { "sessionId": 4 } }).to_string(),
        json!({ "method": "Inspector.targetCrashed", "params": {}, "sessionId": "s" }).to_string(),
        "[".repeat(20_000),
        r#"{"method":"A.event","params":"\ud800"}"#.to_owned(),
        "{}".to_owned(),
        "null".to_owned(),
        String::new(),
    ];
    dice.pick(&messages).clone().into_bytes()
}

/// The same message with some of its bytes changed, taken out or doubled.
fn garbled(dice: &mut Dice) -> Vec<u8> {
    let mut bytes = message(dice);
    for _ in 0..dice.below(4) {
        if bytes.is_empty() {
            break;
        }
        let at = dice.below(bytes.len());
        match dice.below(4) {
            0 => bytes[at] = dice.next().to_le_bytes()[0],
            1 => drop(bytes.remove(at)),
            2 => bytes.truncate(at),
            _ => bytes.insert(at, bytes[at]),
        }
    }
    bytes
}

#[tokio::test]
async fn pipe_of_garbled_messages_ends_every_call_and_never_panics() {
    let mut dice = Dice(7);
    for case in 0..CASES {
        let (near, mut far) = tokio::io::duplex(64 * 1024);
        let (reader, writer) = tokio::io::split(near);
        let (connection, mut events) = Connection::pipe(reader, writer);
        let calls: Vec<_> = (0..3).map(|_| connection.browser().start_raw("A.act", json!({}))).collect();
        for _ in 0..dice.below(6) {
            let mut bytes = garbled(&mut dice);
            if dice.below(8) > 0 {
                bytes.push(0);
            }
            far.write_all(&bytes).await.expect("the connection still reads");
        }
        drop(far);
        assert_ended(case, connection, &mut events, calls).await;
    }
}

/// Every call has its answer or its reason, the events end, and the connection says that it is over.
async fn assert_ended(
    case: u64,
    connection: Connection,
    events: &mut EventStream,
    calls: Vec<truehand_cdp::Pending<serde_json::Value>>,
) {
    let ended = async {
        for call in calls {
            if let Err(CdpError::Closed { reason }) = call.await {
                assert!(!reason.contains("the transport failed"), "case {case}: {reason}");
            }
        }
        while events.next().await.is_some() {}
        connection.closed().await;
    };
    assert!(tokio::time::timeout(LIMIT, ended).await.is_ok(), "case {case} hangs");
}

/// A frame as it may come, right or wrong.
fn frame(dice: &mut Dice) -> Vec<u8> {
    let payload = garbled(dice);
    // Text mostly, and every other kind, known or not, whole or in parts, with reserved bits.
    let first = match dice.below(5) {
        0 => dice.next().to_le_bytes()[0],
        1 => 0x01,
        2 => 0x80,
        _ => 0x81,
    };
    let mut frame = vec![first];
    match dice.below(12) {
        // A length that is only claimed.
        0 => {
            frame.push(127);
            frame.extend(dice.next().to_be_bytes());
        }
        // Masked, which a server must not do.
        1 => frame.extend([0x80 | 5, 1, 2, 3, 4]),
        _ if payload.len() < 126 => frame.push(u8::try_from(payload.len()).unwrap_or(0)),
        _ => {
            frame.push(126);
            frame.extend(u16::try_from(payload.len()).unwrap_or(u16::MAX).to_be_bytes());
        }
    }
    frame.extend(payload);
    if dice.below(10) == 0 {
        let garbage = dice.bytes(40);
        frame.extend(garbage);
    }
    frame
}

/// A connection whose other end speaks raw bytes once hands are shaken.
async fn raw_socket(listener: &TcpListener) -> (Connection, EventStream, TcpStream) {
    let url = format!("ws://{}/devtools/browser/x", listener.local_addr().expect("an address"));
    let ctx = ctx();
    let (client, server) = tokio::join!(Connection::websocket(&ctx, &url), async {
        let (stream, _) = listener.accept().await.expect("a connection");
        accept_async(stream).await.expect("a handshake").into_inner()
    });
    let (connection, events) = client.expect("connected");
    (connection, events, server)
}

#[tokio::test]
async fn socket_of_garbled_frames_ends_every_call_and_never_panics() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let mut dice = Dice(11);
    for case in 0..CASES {
        let (connection, mut events, mut far) = raw_socket(&listener).await;
        let calls: Vec<_> = (0..3).map(|_| connection.browser().start_raw("A.act", json!({}))).collect();
        for _ in 0..dice.below(6) {
            // The connection may have given up already, and rightly so.
            if far.write_all(&frame(&mut dice)).await.is_err() {
                break;
            }
        }
        drop(far);
        assert_ended(case, connection, &mut events, calls).await;
    }
}

/// Sends bytes and gives the code of the close frame that comes back.
async fn close_code_after(bytes: &[u8]) -> Option<CloseCode> {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("ws://{}/", listener.local_addr().expect("an address"));
    let ctx = ctx();
    let (client, server) = tokio::join!(Connection::websocket(&ctx, &url), async {
        let (stream, _) = listener.accept().await.expect("a connection");
        accept_async(stream).await.expect("a handshake")
    });
    let (connection, _events) = client.expect("connected");
    let pending = connection.browser().start_raw("A.act", json!({}));
    let mut server = server;
    server.get_mut().write_all(bytes).await.expect("writable");
    let failed = tokio::time::timeout(Duration::from_secs(5), pending).await.expect("the call ends");
    assert!(matches!(failed, Err(CdpError::Closed { .. })), "{failed:?}");
    while let Some(Ok(message)) = server.next().await {
        if let Message::Close(close) = message {
            return close.map(|close| close.code);
        }
    }
    None
}

#[tokio::test]
async fn socket_says_what_was_wrong_with_a_frame_when_it_closes() {
    // A reserved kind of frame; one that claims 2^62 bytes; text that is none.
    let endless = [&[0x81, 127][..], &(1_u64 << 62).to_be_bytes(), b"x"].concat();
    assert_eq!(close_code_after(&[0x83, 0]).await, Some(CloseCode::Protocol));
    assert_eq!(close_code_after(&endless).await, Some(CloseCode::Size));
    assert_eq!(close_code_after(&[0x81, 2, 0xff, 0xfe]).await, Some(CloseCode::Invalid));
}

#[tokio::test]
async fn socket_that_ends_in_the_middle_of_a_frame_fails_its_calls_at_once() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let (connection, _events, mut far) = raw_socket(&listener).await;
    let pending = connection.browser().start_raw("A.act", json!({}));
    let mut seen = [0; 64];
    assert!(far.read(&mut seen).await.expect("readable") > 0);
    far.write_all(&[0x81, 100, b'{']).await.expect("writable");
    drop(far);
    let failed = tokio::time::timeout(Duration::from_secs(1), pending).await.expect("at once");
    assert!(matches!(failed, Err(CdpError::Closed { .. })), "{failed:?}");
}
