//! The two transports. Each is a reader task and a writer task, which know nothing but whole messages.
//!
//! Reading and writing are apart because a browser that is busy writing to us may not be reading from us: one
//! task that waited for a write would then wait for ever.

use crate::CdpError;
use crate::task::Input;
use futures::{SinkExt, StreamExt};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::protocol::{Message, WebSocketConfig};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};
use truehand_base::CallCtx;

/// The running reader and writer; each ends with the reason. Dropping it drops the transport.
pub(crate) type Transport = JoinSet<String>;

/// What joins a transport to the connection's task.
pub(crate) struct Link {
    /// Messages to the browser.
    pub(crate) to_write: mpsc::UnboundedReceiver<Vec<u8>>,
    /// Where messages from the browser go. Weak, so that a transport alone does not keep a connection alive.
    pub(crate) received: mpsc::WeakUnboundedSender<Input>,
}

/// A WebSocket to a browser.
pub(crate) type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// How much is read from a pipe at once, in bytes.
const READ_SIZE: usize = 64 * 1024;

const HANDLES_DROPPED: &str = "every handle was dropped";

pub(crate) fn pipe(
    reader: impl AsyncRead + Unpin + Send + 'static,
    writer: impl AsyncWrite + Unpin + Send + 'static,
    link: Link,
) -> Transport {
    let mut transport = JoinSet::new();
    transport.spawn(read_pipe(BufReader::with_capacity(READ_SIZE, reader), link.received));
    transport.spawn(write_pipe(writer, link.to_write));
    transport
}

async fn read_pipe(
    mut reader: BufReader<impl AsyncRead + Unpin>,
    received: mpsc::WeakUnboundedSender<Input>,
) -> String {
    loop {
        let mut message = Vec::new();
        match reader.read_until(0, &mut message).await {
            Ok(0) => return "the browser closed the pipe".to_owned(),
            Ok(_) => {
                if message.pop() != Some(0) {
                    return "the browser closed the pipe in the middle of a message".to_owned();
                }
                if !pass_on(&received, message) {
                    return HANDLES_DROPPED.to_owned();
                }
            }
            Err(error) => return format!("reading from the browser's pipe failed: {error}"),
        }
    }
}

async fn write_pipe(
    mut writer: impl AsyncWrite + Unpin,
    mut to_write: mpsc::UnboundedReceiver<Vec<u8>>,
) -> String {
    while let Some(mut message) = to_write.recv().await {
        message.push(0);
        let written = async {
            writer.write_all(&message).await?;
            writer.flush().await
        };
        if let Err(error) = written.await {
            return format!("writing to the browser's pipe failed: {error}");
        }
    }
    HANDLES_DROPPED.to_owned()
}

/// Connects to a WebSocket endpoint.
pub(crate) async fn connect(ctx: &CallCtx, url: &str) -> Result<Socket, CdpError> {
    const METHOD: &str = "connect";
    // The default limits would end the connection on a big screenshot or document.
    let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
    // Commands are small and each is waited for: never wait to fill a packet.
    let disable_nagle = true;
    tokio::select! {
        biased;
        connected = connect_async_with_config(url, Some(config), disable_nagle) => match connected {
            Ok((socket, _)) => Ok(socket),
            Err(error) => Err(CdpError::Closed { reason: format!("connecting to {url} failed: {error}") }),
        },
        () = ctx.cancel().cancelled() => Err(CdpError::Cancelled { method: METHOD.to_owned() }),
        () = tokio::time::sleep_until(ctx.deadline().into()) => Err(CdpError::Deadline { method: METHOD.to_owned() }),
    }
}

pub(crate) fn websocket(socket: Socket, link: Link) -> Transport {
    let (writer, reader) = socket.split();
    let mut transport = JoinSet::new();
    transport.spawn(read_socket(reader, link.received));
    transport.spawn(write_socket(writer, link.to_write));
    transport
}

async fn read_socket(
    mut reader: futures::stream::SplitStream<Socket>,
    received: mpsc::WeakUnboundedSender<Input>,
) -> String {
    while let Some(message) = reader.next().await {
        match message {
            Ok(Message::Text(text)) => {
                if !pass_on(&received, text.as_bytes().to_vec()) {
                    return HANDLES_DROPPED.to_owned();
                }
            }
            Ok(Message::Close(_)) => return "the browser closed the WebSocket".to_owned(),
            Ok(Message::Ping(_) | Message::Pong(_)) => {}
            Ok(Message::Binary(_) | Message::Frame(_)) => {
                tracing::warn!("the browser sent a frame that is not text; skipped");
            }
            Err(error) => return format!("reading from the browser's WebSocket failed: {error}"),
        }
    }
    "the browser closed the WebSocket".to_owned()
}

async fn write_socket(
    mut writer: futures::stream::SplitSink<Socket, Message>,
    mut to_write: mpsc::UnboundedReceiver<Vec<u8>>,
) -> String {
    while let Some(message) = to_write.recv().await {
        let text = match String::from_utf8(message) {
            Ok(text) => text,
            Err(error) => return format!("a message to the browser is not text: {error}"),
        };
        if let Err(error) = writer.send(Message::text(text)).await {
            return format!("writing to the browser's WebSocket failed: {error}");
        }
    }
    HANDLES_DROPPED.to_owned()
}

/// Gives a message to the connection's task; false when there is none any more.
fn pass_on(received: &mpsc::WeakUnboundedSender<Input>, message: Vec<u8>) -> bool {
    received.upgrade().is_some_and(|inputs| inputs.send(Input::Received(message)).is_ok())
}
