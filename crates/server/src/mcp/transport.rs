//! The two standard streams as an MCP transport that answers nonsense instead of dropping it.
//!
//! A line that is no JSON, no UTF-8, too long, or no JSON-RPC message gets a JSON-RPC error, and the
//! next line is read. One task owns the output, so that two messages never mix.

use super::salvage::request_id;
use crate::lines::{Line, LineReader};
use rmcp::RoleServer;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Serialize;
use serde_json::Value;
use serde_json::error::Category;
use std::collections::VecDeque;
use std::io::{Error, ErrorKind};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

type Incoming = RxJsonRpcMessage<RoleServer>;

/// Newline-delimited JSON-RPC.
pub(crate) struct LineTransport<R> {
    lines: LineReader<R>,
    queue: VecDeque<Incoming>,
    out: Option<UnboundedSender<Vec<u8>>>,
    writer: Option<JoinHandle<()>>,
    /// Whether a request has come: before that there is nothing that anything else could belong to.
    opened: bool,
    ended: CancellationToken,
}

/// An error that belongs to no request, or to one that could not be read whole.
#[derive(Serialize)]
struct Complaint {
    jsonrpc: &'static str,
    id: Value,
    error: ComplaintBody,
}

#[derive(Serialize)]
struct ComplaintBody {
    code: i32,
    message: String,
}

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;

/// What every line must be.
const WANTED: &str = "send one message a line: JSON in UTF-8, at most 64 MiB, nested at most 127 deep, \
with whole surrogate pairs";

impl<R: AsyncRead + Send + Unpin> LineTransport<R> {
    /// A transport over a pair of streams, and a mark that is set when the input has ended.
    pub(crate) fn new<W>(read: R, write: W, limit: usize) -> (Self, CancellationToken)
    where
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let (out, messages) = unbounded_channel();
        let ended = CancellationToken::new();
        let writer = tokio::spawn(write_lines(write, messages, ended.clone()));
        let lines = LineReader::new(read, limit);
        let transport = LineTransport {
            lines,
            queue: VecDeque::new(),
            out: Some(out),
            writer: Some(writer),
            opened: false,
            ended: ended.clone(),
        };
        (transport, ended)
    }

    fn complain(&self, code: i32, message: String, id: Value) {
        tracing::warn!(code, message, "a line was refused");
        let complaint = Complaint { jsonrpc: "2.0", id, error: ComplaintBody { code, message } };
        match (serde_json::to_vec(&complaint), &self.out) {
            // A writer that has ended has marked the stream as ended.
            (Ok(line), Some(out)) => drop(out.send(line)),
            (Err(error), _) => tracing::error!(%error, "a complaint can't be written as JSON"),
            (_, None) => {}
        }
    }

    /// Complains of a line that is no JSON, to the request that it was when that can be told.
    fn misread(&self, what: &str, line: &[u8]) {
        self.complain(PARSE_ERROR, format!("INVALID_ARGUMENTS: {what}; {WANTED}"), request_id(line));
    }

    /// Reads a line's messages into the queue, or complains.
    fn take(&mut self, line: &[u8]) {
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii();
        if line.is_empty() {
            return;
        }
        let text = match std::str::from_utf8(line) {
            Ok(text) => text,
            Err(error) => {
                return self.misread(&format!("the line is not UTF-8: {error}"), line);
            }
        };
        if text.starts_with('[') {
            return self.take_batch(text);
        }
        match serde_json::from_str(text) {
            Ok(message) => self.accept(message),
            Err(error) => match error.classify() {
                Category::Syntax | Category::Eof | Category::Io => {
                    self.misread(&format!("the line is not JSON: {error}"), line);
                }
                Category::Data => self.refuse(&serde_json::from_str(text).unwrap_or_default(), &error),
            },
        }
    }

    /// One protocol version (2025-03-26) has batches. Each message is answered on a line of its own.
    fn take_batch(&mut self, text: &str) {
        let messages: Vec<Value> = match serde_json::from_str(text) {
            Ok(messages) => messages,
            Err(error) => return self.misread(&format!("the line is not JSON: {error}"), text.as_bytes()),
        };
        if messages.is_empty() {
            self.complain(INVALID_REQUEST, "the batch is empty".to_owned(), Value::Null);
        }
        for message in messages {
            match serde_json::from_value(message.clone()) {
                Ok(message) => self.accept(message),
                Err(error) => self.refuse(&message, &error),
            }
        }
    }

    fn accept(&mut self, message: Incoming) {
        self.opened |= matches!(message, Incoming::Request(_));
        if self.opened {
            self.queue.push_back(message);
        }
    }

    /// JSON that is no message. A notification is never answered, by the rules of JSON-RPC.
    fn refuse(&self, message: &Value, error: &serde_json::Error) {
        if message.get("id").is_none() && message.get("method").is_some_and(Value::is_string) {
            return tracing::warn!(%error, "a notification was not understood");
        }
        let id = message.get("id").filter(|id| id.is_string() || id.is_number()).cloned();
        self.complain(INVALID_REQUEST, format!("not a JSON-RPC message: {error}"), id.unwrap_or_default());
    }
}

impl<R: AsyncRead + Send + Unpin> Transport<RoleServer> for LineTransport<R> {
    type Error = Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let sent = serde_json::to_vec(&item).map_err(Error::other).and_then(|line| {
            let out = self.out.as_ref().ok_or(ErrorKind::NotConnected)?;
            out.send(line).map_err(|_| Error::from(ErrorKind::BrokenPipe))
        });
        std::future::ready(sent)
    }

    async fn receive(&mut self) -> Option<Incoming> {
        loop {
            if let Some(message) = self.queue.pop_front() {
                return Some(message);
            }
            let line = tokio::select! {
                line = self.lines.next() => line,
                () = self.ended.cancelled() => return None,
            };
            match line {
                Ok(Line::Whole(line)) => self.take(&line),
                Ok(Line::TooLong(head)) => {
                    let message = format!("ARGUMENT_TOO_LARGE: the line is longer than 64 MiB; {WANTED}");
                    self.complain(INVALID_REQUEST, message, request_id(&head));
                }
                Ok(Line::End) => {
                    self.ended.cancel();
                    return None;
                }
                Err(error) => {
                    tracing::warn!(%error, "standard input broke");
                    self.ended.cancel();
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.out = None;
        match self.writer.take() {
            Some(writer) => writer.await.map_err(Error::other),
            None => Ok(()),
        }
    }
}

/// Writes messages until there are no more; a client that takes none has ended.
async fn write_lines<W>(mut write: W, mut messages: UnboundedReceiver<Vec<u8>>, ended: CancellationToken)
where
    W: AsyncWrite + Send + Unpin,
{
    while let Some(mut line) = messages.recv().await {
        line.push(b'\n');
        let written = async {
            write.write_all(&line).await?;
            write.flush().await
        };
        if let Err(error) = written.await {
            tracing::debug!(%error, "the client takes no more messages");
            return ended.cancel();
        }
    }
}
