//! A server over HTTP with a small caller behind it, and a client that writes its requests byte by byte.

use crate::host::SmallHost;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use truehand_base::{Caller, ClientId, ClientKind, ErrorBody};
use truehand_server::mcp::http::{HttpClient, HttpOptions, HttpServer, Origin, TokenPlace};
use truehand_server::mcp::{Face, McpOptions, ResourceRoots, Structured};

pub const LIMIT: Duration = Duration::from_secs(30);

/// A session that nobody uses lasts longer than a test unless it says otherwise.
pub const LONG: Duration = Duration::from_secs(600);

pub struct Web {
    pub host: Arc<SmallHost>,
    /// The clients that have left, by their numbers.
    pub left: Arc<Mutex<Vec<String>>>,
    pub at: SocketAddr,
    pub token: String,
    pub token_path: PathBuf,
    pub stop: CancellationToken,
    pub served: JoinHandle<()>,
    _home: tempfile::TempDir,
}

impl Web {
    pub async fn start() -> Self {
        Web::start_with("127.0.0.1:0", &[], LONG).await.unwrap()
    }

    pub async fn start_with(address: &str, origins: &[&str], idle: Duration) -> Result<Self, ErrorBody> {
        let home = tempfile::tempdir().unwrap();
        let (host, left) = (SmallHost::new(), Arc::new(Mutex::new(Vec::new())));
        let count = Arc::new(Mutex::new(0));
        let (caller, leaving) = (Arc::clone(&host), Arc::clone(&left));
        let clients = move || {
            let mut count = count.lock().unwrap();
            *count += 1;
            let (name, leaving) = (count.to_string(), Arc::clone(&leaving));
            let options = McpOptions {
                client: ClientId { kind: ClientKind::Mcp, name: name.clone() },
                call_limit: LIMIT,
                structured: Structured::Auto,
                catalog_changes: caller.changes(),
                resources: ResourceRoots {
                    guide: "# The guide",
                    traces: "/nowhere".into(),
                    artifacts: "/nowhere".into(),
                },
            };
            let caller: Arc<dyn Caller> = caller.clone();
            let handler = Arc::new(Face::new(caller, options));
            HttpClient { handler, goodbye: Box::pin(async move { leaving.lock().unwrap().push(name) }) }
        };
        let options = HttpOptions {
            address: address.parse()?,
            token: TokenPlace::Folder(home.path().to_owned()),
            origins: origins.iter().map(|origin| Origin::parse(origin).unwrap()).collect(),
            idle,
            clients: Arc::new(clients),
        };
        let server = HttpServer::bind(options).await?;
        let url = server.url();
        let at = url.trim_start_matches("http://").trim_end_matches("/mcp").replace("localhost", "127.0.0.1");
        let token_path = server.token_path().to_owned();
        let token = std::fs::read_to_string(&token_path).unwrap().trim().to_owned();
        let stop = CancellationToken::new();
        let served = tokio::spawn(server.serve(stop.clone()));
        Ok(Web { host, left, at: at.parse().unwrap(), token, token_path, stop, served, _home: home })
    }

    /// Sends bytes as they are, and reads the answer up to the end of the connection.
    pub async fn raw(&self, request: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(self.at).await.unwrap();
        // A server that refuses need not read all.
        drop(stream.write_all(request).await);
        let mut bytes = Vec::new();
        let read = tokio::time::timeout(LIMIT, stream.read_to_end(&mut bytes));
        drop(read.await.expect("the connection ends"));
        Answer::read(&String::from_utf8_lossy(&bytes))
    }

    /// The usual headers, with a token and a host that are right.
    pub fn headers(&self) -> Vec<(String, String)> {
        [
            ("Host", self.at.to_string()),
            ("Authorization", format!("Bearer {}", self.token)),
            ("Accept", "application/json, text/event-stream".to_owned()),
            ("Content-Type", "application/json".to_owned()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec()
    }

    /// A request with the usual headers and some more.
    pub async fn ask(&self, method: &str, more: &[(&str, &str)], body: &str) -> Answer {
        let mut headers = self.headers();
        headers.extend(more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        self.raw(&request(method, "/mcp", &headers, body)).await
    }

    /// Opens a request whose answer is a stream of events.
    pub async fn open(&self, method: &str, more: &[(&str, &str)], body: &str) -> Events {
        let mut headers = self.headers();
        headers.extend(more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        let mut stream = TcpStream::connect(self.at).await.unwrap();
        stream.write_all(&request(method, "/mcp", &headers, body)).await.unwrap();
        let mut events = Events { reader: BufReader::new(stream), waiting: VecDeque::new() };
        let status = events.line().await.expect("a status");
        assert!(status.contains(" 200 "), "{status}");
        while events.line().await.is_some_and(|line| !line.is_empty()) {}
        events
    }

    /// Shakes hands; gives the session.
    pub async fn session(&self, version: &str, capabilities: Value) -> Session<'_> {
        let params = json!({
            "protocolVersion": version,
            "capabilities": capabilities,
            "clientInfo": { "name": "test", "version": "1" },
        });
        let answer = self.ask("POST", &[], &rpc(0, "initialize", params)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.json()["result"]["protocolVersion"], version);
        let id = answer.header("mcp-session-id").expect("a session").to_owned();
        let session = Session { web: self, id, version: version.to_owned() };
        let body = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }).to_string();
        assert_eq!(session.post(&body).await.status, 202);
        session
    }

    pub async fn plain(&self) -> Session<'_> {
        self.session("2025-11-25", json!({})).await
    }
}

/// A request as bytes.
pub fn request(method: &str, path: &str, headers: &[(String, String)], body: &str) -> Vec<u8> {
    let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    if !body.is_empty() || method == "POST" {
        text.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    format!("{text}\r\n{body}").into_bytes()
}

/// A JSON-RPC request.
pub fn rpc(id: u64, method: &str, params: Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

pub fn call(id: u64, tool: &str, arguments: Value) -> String {
    rpc(id, "tools/call", json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": id } }))
}

pub struct Session<'a> {
    pub web: &'a Web,
    pub id: String,
    version: String,
}

impl Session<'_> {
    pub fn headers(&self) -> [(&str, &str); 2] {
        [("Mcp-Session-Id", &self.id), ("MCP-Protocol-Version", &self.version)]
    }

    pub async fn post(&self, body: &str) -> Answer {
        self.web.ask("POST", &self.headers(), body).await
    }

    pub async fn delete(&self) -> Answer {
        self.web.ask("DELETE", &self.headers(), "").await
    }

    pub async fn events(&self, body: &str) -> Events {
        self.web.open("POST", &self.headers(), body).await
    }

    pub async fn listen(&self) -> Events {
        self.web.open("GET", &self.headers(), "").await
    }

    pub async fn resume(&self, last: &str) -> Events {
        let [session, version] = self.headers();
        self.web.open("GET", &[session, version, ("Last-Event-ID", last)], "").await
    }

    /// A request and its result.
    pub async fn result(&self, body: &str) -> Value {
        let mut events = self.events(body).await;
        events.find("an answer", |m| m.get("id").is_some() && m.get("method").is_none()).await["result"]
            .clone()
    }
}

/// An answer that has ended.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Answer {
    fn read(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|code| code.parse().ok());
        let headers = lines.filter_map(|line| line.split_once(':'));
        let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()));
        let headers: Vec<_> = headers.collect();
        let chunked = headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
        let body = if chunked { unchunked(body) } else { body.to_owned() };
        Answer { status: status.unwrap_or_default(), headers, body }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }

    /// The stable code of a refusal.
    pub fn code(&self) -> String {
        self.json()["error"]["data"]["code"].as_str().unwrap_or_default().to_owned()
    }
}

/// A body without the sizes of its chunks.
fn unchunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap_or_default();
        whole.push_str(rest.get(..size).unwrap_or_default());
        body = rest.get(size + 2..).unwrap_or_default();
    }
    whole
}

/// A stream of events as it comes.
pub struct Events {
    reader: BufReader<TcpStream>,
    waiting: VecDeque<(String, String)>,
}

impl Events {
    async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = tokio::time::timeout(LIMIT, self.reader.read_line(&mut line)).await.expect("a line");
        (read.unwrap_or(0) > 0).then(|| line.trim_end().to_owned())
    }

    /// The next event as its id and its data; `None` at the end.
    pub async fn next(&mut self) -> Option<(String, String)> {
        if let Some(event) = self.waiting.pop_front() {
            return Some(event);
        }
        let (mut id, mut data) = (String::new(), None);
        loop {
            // The lines of the chunked form between are no fields.
            let line = self.line().await?;
            if let Some(text) = line.strip_prefix("id:") {
                text.trim().clone_into(&mut id);
            } else if let Some(text) = line.strip_prefix("data:") {
                data = Some(text.trim().to_owned());
            } else if line.is_empty()
                && let Some(data) = data.take()
            {
                return Some((id, data));
            }
        }
    }

    /// The next message that fits; what does not is passed over.
    pub async fn find(&mut self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        loop {
            let (_, data) = self.next().await.unwrap_or_else(|| panic!("the stream ended before {what}"));
            let message: Value = serde_json::from_str(&data).unwrap_or_default();
            if fits(&message) {
                return message;
            }
        }
    }

    /// All events up to the end.
    pub async fn rest(&mut self) -> Vec<(String, Value)> {
        let mut all = Vec::new();
        while let Some((id, data)) = self.next().await {
            all.push((id, serde_json::from_str(&data).unwrap_or_default()));
        }
        all
    }
}

/// Waits for a condition.
pub async fn until(what: &str, done: impl Fn() -> bool) {
    let wait = async {
        while !done() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(LIMIT, wait).await.unwrap_or_else(|_| panic!("{what} did not come"));
}
