//! A real MCP server over HTTP, and a client that writes its requests itself.

use crate::mcp::CallResult;
use crate::{DEADLINE, Home};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A server process. Dropping it kills it; the daemon goes with the last user of the home.
#[derive(Debug)]
pub struct HttpProcess {
    child: Child,
    home: Arc<Home>,
    /// Its address, `http://…/mcp`.
    pub url: String,
    /// The file with its token.
    pub token_file: PathBuf,
    /// The token.
    pub token: String,
}

/// An answer that has ended.
#[derive(Debug)]
pub struct HttpAnswer {
    /// For example 200.
    pub status: u16,
    /// Names in small letters.
    pub headers: Vec<(String, String)>,
    /// The body without the sizes of its chunks.
    pub body: String,
}

impl HttpAnswer {
    /// A header's value.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The messages of a stream, or the one message of a body of JSON.
    #[must_use]
    pub fn messages(&self) -> Vec<Value> {
        if let Ok(value) = serde_json::from_str(&self.body) {
            return vec![value];
        }
        let lines = self.body.lines().filter_map(|line| line.strip_prefix("data:"));
        lines.filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}

impl HttpProcess {
    /// Starts `binary mcp --http` on a free port, with more arguments.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn spawn_in(home: Arc<Home>, binary: impl AsRef<Path>, args: &[&str]) -> Self {
        let mut command = Command::new(crate::binary(binary));
        command.args(["mcp", "--json", "--http", "127.0.0.1:0"]).args(args);
        command.env("TRUEHAND_HOME", home.path()).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|e| panic!("the server can't start: {e}"));
        let mut line = String::new();
        let stdout = child.stdout.take().expect("stdout is piped");
        BufReader::new(stdout).read_line(&mut line).expect("the server says where it is");
        let said: Value = serde_json::from_str(&line).unwrap_or_else(|e| panic!("no JSON ({e}): {line:?}"));
        let token_file = PathBuf::from(said["token_file"].as_str().expect("a token's file"));
        let token = std::fs::read_to_string(&token_file).expect("the token").trim().to_owned();
        let url = said["url"].as_str().expect("an address").to_owned();
        HttpProcess { child, home, url, token_file, token }
    }

    /// The same in a fresh home.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn spawn(binary: impl AsRef<Path>, args: &[&str]) -> Self {
        HttpProcess::spawn_in(Arc::new(Home::new()), binary, args)
    }

    /// The home that it runs in.
    #[must_use]
    pub fn home(&self) -> &Arc<Home> {
        &self.home
    }

    /// Host and port.
    #[must_use]
    pub fn host(&self) -> &str {
        self.url.trim_start_matches("http://").trim_end_matches("/mcp")
    }

    /// The process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Opens a connection and sends a request with the usual headers and some more.
    ///
    /// # Panics
    /// When it can't be sent.
    #[must_use]
    pub fn open(&self, method: &str, more: &[(&str, &str)], body: &str) -> BufReader<TcpStream> {
        let mut text = format!(
            "{method} /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\
             Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n",
            self.host(),
            self.token
        );
        for (name, value) in more {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
        text.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
        let mut stream = TcpStream::connect(self.host()).expect("the server listens");
        stream.set_read_timeout(Some(DEADLINE)).expect("a limit for reads");
        stream.write_all(text.as_bytes()).expect("the server reads");
        BufReader::new(stream)
    }

    /// Sends a request and reads its whole answer.
    ///
    /// # Panics
    /// When none comes.
    #[must_use]
    pub fn ask(&self, method: &str, more: &[(&str, &str)], body: &str) -> HttpAnswer {
        let mut bytes = Vec::new();
        self.open(method, more, body).read_to_end(&mut bytes).expect("an answer to its end");
        read_answer(&String::from_utf8_lossy(&bytes))
    }

    /// Begins a session.
    ///
    /// # Panics
    /// When it is refused.
    #[must_use]
    pub fn session(&self) -> HttpSession<'_> {
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "testkit", "version": "1" },
        });
        let message = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
        let answer = self.ask("POST", &[], &message.to_string());
        let id =
            answer.header("mcp-session-id").unwrap_or_else(|| panic!("no session: {answer:?}")).to_owned();
        let session = HttpSession { server: self, id, next_id: AtomicU64::new(1) };
        let note = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let answer = self.ask("POST", &session.headers(), &note.to_string());
        assert_eq!(answer.status, 202, "{answer:?}");
        session
    }

    /// Waits for the process to end by itself.
    ///
    /// # Panics
    /// When it still runs after 60 s.
    pub fn wait_exit(&mut self) -> ExitStatus {
        let mut status = None;
        let ended = Home::until(DEADLINE, || {
            status = self.child.try_wait().expect("a child of ours can be waited for");
            status.is_some()
        });
        assert!(ended, "the server still runs after {DEADLINE:?}");
        status.expect("it has ended")
    }
}

impl Drop for HttpProcess {
    fn drop(&mut self) {
        // Both fail only when it has ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// One session.
#[derive(Debug)]
pub struct HttpSession<'a> {
    server: &'a HttpProcess,
    /// Its name.
    pub id: String,
    next_id: AtomicU64,
}

impl HttpSession<'_> {
    /// What each of its requests carries.
    #[must_use]
    pub fn headers(&self) -> [(&str, &str); 2] {
        [("Mcp-Session-Id", &self.id), ("MCP-Protocol-Version", "2025-11-25")]
    }

    /// The message of a call.
    #[must_use]
    pub fn message(&self, tool: &str, arguments: Value) -> String {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let params = json!({ "name": tool, "arguments": arguments });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }).to_string()
    }

    /// Calls a tool.
    ///
    /// # Panics
    /// When no result comes.
    #[must_use]
    pub fn call(&self, tool: &str, arguments: Value) -> CallResult {
        let answer = self.server.ask("POST", &self.headers(), &self.message(tool, arguments));
        let messages = answer.messages();
        let result = messages.iter().find(|message| message.get("id").is_some());
        CallResult::of(result.unwrap_or_else(|| panic!("no result: {answer:?}")))
    }

    /// Ends the session.
    ///
    /// # Panics
    /// When it is refused.
    pub fn delete(self) {
        let answer = self.server.ask("DELETE", &self.headers(), "");
        assert_eq!(answer.status, 204, "{answer:?}");
    }
}

fn read_answer(text: &str) -> HttpAnswer {
    let (head, mut rest) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|code| code.parse().ok());
    let headers = lines.filter_map(|line| line.split_once(':'));
    let headers: Vec<_> =
        headers.map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned())).collect();
    let chunked = headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
    let mut body = String::new();
    while chunked && let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap_or_default();
        body.push_str(after.get(..size).unwrap_or_default());
        rest = after.get(size + 2..).unwrap_or_default();
    }
    let body = if chunked { body } else { rest.to_owned() };
    HttpAnswer { status: status.unwrap_or_default(), headers, body }
}
