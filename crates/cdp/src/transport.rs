//! The two transports. Each is a reader task and a writer task, which know nothing but whole messages.
//!
//! Reading and writing are apart because a browser that is busy writing to us may not be reading from us: one
//! task that waited for a write would then wait for ever.

use crate::CdpError;
use crate::task::Input;
use futures::{SinkExt, StreamExt};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Message, WebSocketConfig};
use tokio_tungstenite::tungstenite::{self, Utf8Bytes};
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

/// The longest message and the longest frame that are taken from a socket, in bytes. The usual limits would end the
/// connection on a big screenshot or document; none at all would let a broken header claim more memory than there is.
const LONGEST_MESSAGE: usize = 1 << 30;
const LONGEST_FRAME: usize = 512 << 20;

/// How long the other end may take to hear why its connection is closed.
const COMPLAINT_TIME: Duration = Duration::from_millis(200);

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
    let config = WebSocketConfig::default()
        .max_message_size(Some(LONGEST_MESSAGE))
        .max_frame_size(Some(LONGEST_FRAME));
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
    let (complain, complaint) = oneshot::channel();
    let mut transport = JoinSet::new();
    transport.spawn(read_socket(reader, link.received, complain));
    transport.spawn(write_socket(writer, link.to_write, complaint));
    transport
}

/// What is wrong with the other end: the code of the close frame that tells it, and the words for our side.
struct Complaint {
    code: CloseCode,
    words: String,
}

async fn read_socket(
    mut reader: futures::stream::SplitStream<Socket>,
    received: mpsc::WeakUnboundedSender<Input>,
    complain: oneshot::Sender<Complaint>,
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
            Err(error) => {
                let words = format!("reading from the browser's WebSocket failed: {error}");
                if let Some(code) = close_code(&error)
                    && complain.send(Complaint { code, words: words.clone() }).is_ok()
                {
                    // The writer tells the other end, and then ends the transport with the same words. One that
                    // does not read is not waited for.
                    tokio::time::sleep(COMPLAINT_TIME).await;
                }
                return words;
            }
        }
    }
    "the browser closed the WebSocket".to_owned()
}

/// How the other end is told what was wrong with its frame; nobody is there to be told of a broken line.
fn close_code(error: &tungstenite::Error) -> Option<CloseCode> {
    match error {
        tungstenite::Error::Capacity(_) => Some(CloseCode::Size),
        tungstenite::Error::Utf8(_) => Some(CloseCode::Invalid),
        tungstenite::Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => None,
        tungstenite::Error::Protocol(_) => Some(CloseCode::Protocol),
        _ => None,
    }
}

async fn write_socket(
    mut writer: futures::stream::SplitSink<Socket, Message>,
    mut to_write: mpsc::UnboundedReceiver<Vec<u8>>,
    mut complaint: oneshot::Receiver<Complaint>,
) -> String {
    let mut listening = true;
    loop {
        let message = tokio::select! {
            biased;
            complaint = &mut complaint, if listening => match complaint {
                Ok(Complaint { code, words }) => {
                    let close = CloseFrame { code, reason: Utf8Bytes::default() };
                    if let Err(error) = writer.send(Message::Close(Some(close))).await {
                        tracing::debug!("the browser could not be told why its WebSocket is closed: {error}");
                    }
                    return words;
                }
                Err(_) => {
                    listening = false;
                    continue;
                }
            },
            message = to_write.recv() => message,
        };
        let Some(message) = message else { return HANDLES_DROPPED.to_owned() };
        let text = match String::from_utf8(message) {
            Ok(text) => text,
            Err(error) => return format!("a message to the browser is not text: {error}"),
        };
        if let Err(error) = writer.send(Message::text(text)).await {
            return format!("writing to the browser's WebSocket failed: {error}");
        }
    }
}

/// Gives a message to the connection's task; false when there is none any more.
fn pass_on(received: &mpsc::WeakUnboundedSender<Input>, message: Vec<u8>) -> bool {
    received.upgrade().is_some_and(|inputs| inputs.send(Input::Received(message)).is_ok())
}
