//! The WebSocket transport against a server of ours: odd frames, big messages, refusals and ends.

use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::{Bytes, Message, protocol::WebSocketConfig};
use tokio_tungstenite::{WebSocketStream, accept_async_with_config};
use truehand_base::CallCtx;
use truehand_cdp::{CdpError, Connection, EventStream};

fn ctx() -> CallCtx {
    CallCtx::with_timeout(Duration::from_secs(60))
}

async fn connect() -> (Connection, EventStream, WebSocketStream<TcpStream>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("ws://{}/devtools/browser/x", listener.local_addr().expect("an address"));
    let ctx = ctx();
    let (client, server) = tokio::join!(Connection::websocket(&ctx, &url), async {
        let (stream, _) = listener.accept().await.expect("a connection");
        let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
        accept_async_with_config(stream, Some(config)).await.expect("a handshake")
    });
    let (connection, events) = client.expect("connected");
    (connection, events, server)
}

async fn command(server: &mut WebSocketStream<TcpStream>) -> Value {
    loop {
        let message = server.next().await.expect("a message").expect("readable");
        if let Message::Text(text) = message {
            return serde_json::from_str(&text).expect("a command is JSON");
        }
    }
}

async fn send(server: &mut WebSocketStream<TcpStream>, message: Message) {
    server.send(message).await.expect("writable");
}

#[tokio::test]
async fn socket_frames_that_are_not_text_are_skipped() {
    let (connection, mut events, mut server) = connect().await;
    let pending = connection.browser().start_raw("A.act", json!({}));
    let asked = command(&mut server).await;
    send(&mut server, Message::Binary(Bytes::from_static(b"\x00\x01"))).await;
    send(&mut server, Message::Ping(Bytes::from_static(b"there?"))).await;
    send(&mut server, Message::text("garbage")).await;
    send(&mut server, Message::text(json!({ "method": "A.event", "params": {} }).to_string())).await;
    send(&mut server, Message::text(json!({ "id": asked["id"], "result": 1 }).to_string())).await;
    assert_eq!(pending.await, Ok(json!(1)));
    assert_eq!(events.try_next().expect("delivered").method, "A.event");
    let pong = server.next().await.expect("a message").expect("readable");
    assert_eq!(pong, Message::Pong(Bytes::from_static(b"there?")));
}

#[tokio::test]
async fn socket_message_of_80_mb_passes_both_ways() {
    // Above the usual limits of 16 MiB a frame and 64 MiB a message.
    let (connection, _events, mut server) = connect().await;
    let big = "x".repeat(80_000_000);
    let pending = connection.browser().start_raw("A.big", json!({ "text": big }));
    let asked = command(&mut server).await;
    assert!(asked["params"]["text"] == big.as_str());
    let answer = json!({ "id": asked["id"], "result": { "text": big } }).to_string();
    let (answered, ()) = tokio::join!(pending, send(&mut server, Message::text(answer)));
    assert!(answered.expect("answered")["text"] == big.as_str());
}

#[tokio::test]
async fn socket_closed_by_the_browser_fails_waiters_with_the_reason() {
    for orderly in [true, false] {
        let (connection, mut events, mut server) = connect().await;
        let pending = connection.browser().start_raw("A.act", json!({}));
        command(&mut server).await;
        if orderly {
            server.close(None).await.expect("closed");
        } else {
            drop(server);
        }
        assert!(matches!(pending.await, Err(CdpError::Closed { reason }) if reason.contains("WebSocket")));
        connection.closed().await;
        assert_eq!(events.next().await, None);
    }
}

#[tokio::test]
async fn socket_where_nobody_listens_is_closed_and_names_the_address() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("ws://{}/", listener.local_addr().expect("an address"));
    drop(listener);
    let error = Connection::websocket(&ctx(), &url).await.err();
    assert!(matches!(&error, Some(CdpError::Closed { reason }) if reason.contains(&url)), "{error:?}");
}

#[tokio::test]
async fn socket_server_that_never_answers_ends_by_the_deadline() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("ws://{}/", listener.local_addr().expect("an address"));
    let short = CallCtx::with_timeout(Duration::from_millis(50));
    let error = Connection::websocket(&short, &url).await.err();
    assert_eq!(error, Some(CdpError::Deadline { method: "connect".to_owned() }));
}
