//! A real MCP client over standard input and output: JSON-RPC lines, no SDK, so that it also speaks nonsense.

use crate::{DEADLINE, Home};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// An image block of a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// For example `image/png`.
    pub mime_type: String,
    /// The bytes in base64.
    pub base64: String,
}

/// What a tool call came to.
#[derive(Debug, Clone, Default)]
pub struct CallResult {
    /// The text blocks, one after the other.
    pub text: String,
    /// `structuredContent`; null when absent.
    pub structured: Value,
    /// `isError`.
    pub is_error: bool,
    /// The image blocks.
    pub images: Vec<Image>,
    /// The JSON-RPC error, when the request itself failed.
    pub error: Option<Value>,
}

impl CallResult {
    /// The stable error code of a failed call; empty when it did not fail.
    #[must_use]
    pub fn code(&self) -> &str {
        self.structured["error"]["code"].as_str().unwrap_or_default()
    }

    /// The first line of the text.
    #[must_use]
    pub fn verdict(&self) -> &str {
        self.text.lines().next().unwrap_or_default()
    }

    pub(crate) fn of(message: &Value) -> Self {
        if let Some(error) = message.get("error") {
            return CallResult { error: Some(error.clone()), ..CallResult::default() };
        }
        let result = &message["result"];
        let blocks = result["content"].as_array().cloned().unwrap_or_default();
        let texts: Vec<&str> = blocks.iter().filter_map(|b| b["text"].as_str()).collect();
        let images = blocks.iter().filter(|b| b["type"] == "image").map(|b| Image {
            mime_type: b["mimeType"].as_str().unwrap_or_default().to_owned(),
            base64: b["data"].as_str().unwrap_or_default().to_owned(),
        });
        CallResult {
            text: texts.join("\n"),
            structured: result["structuredContent"].clone(),
            is_error: result["isError"] == true,
            images: images.collect(),
            error: None,
        }
    }
}

/// A server process and the client's end of its pipes. Dropping it kills the process; the daemon goes
/// with the last user of the home.
pub struct McpClient {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    waiting: VecDeque<Value>,
    stderr: Arc<Mutex<String>>,
    home: Arc<Home>,
    next_id: u64,
    elicitation: Value,
}

impl McpClient {
    /// Starts `binary` with arguments (usually `["mcp"]`) and environment in a fresh home.
    ///
    /// # Panics
    /// When it can't be started.
    #[must_use]
    pub fn spawn(binary: impl AsRef<Path>, args: &[&str], envs: &[(&str, &str)]) -> Self {
        McpClient::spawn_in(Arc::new(Home::new()), binary, args, envs)
    }

    /// The same in a home that others use too.
    ///
    /// # Panics
    /// When it can't be started.
    #[must_use]
    pub fn spawn_in(home: Arc<Home>, binary: impl AsRef<Path>, args: &[&str], envs: &[(&str, &str)]) -> Self {
        let mut command = Command::new(crate::binary(binary));
        command.args(args).env("TRUEHAND_HOME", home.path()).envs(envs.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|e| panic!("the MCP server can't start: {e}"));
        let (sender, lines) = mpsc::channel();
        let stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        std::thread::spawn(move || {
            // Bytes that are no UTF-8 end the reading, and the test that waits says so.
            for line in stdout.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let stderr = Arc::new(Mutex::new(String::new()));
        let mut pipe = child.stderr.take().expect("stderr is piped");
        let kept = Arc::clone(&stderr);
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n) = pipe.read(&mut buffer)
                && n > 0
            {
                let text = String::from_utf8_lossy(&buffer[..n]).into_owned();
                kept.lock().unwrap_or_else(PoisonError::into_inner).push_str(&text);
            }
        });
        let stdin = child.stdin.take();
        let elicitation = json!({ "action": "decline" });
        McpClient { child, stdin, lines, waiting: VecDeque::new(), stderr, home, next_id: 1, elicitation }
    }

    /// The home that the server runs in.
    #[must_use]
    pub fn home(&self) -> &Arc<Home> {
        &self.home
    }

    /// The process id of the server.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What the server said on standard error so far.
    #[must_use]
    pub fn stderr(&self) -> String {
        self.stderr.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Shakes hands as a client without extras; gives the server's answer.
    ///
    /// # Panics
    /// When the server refuses or does not answer.
    pub fn initialize(&mut self, version: &str) -> Value {
        self.initialize_with(version, &json!({}))
    }

    /// Shakes hands with these client capabilities.
    ///
    /// # Panics
    /// When the server refuses or does not answer.
    pub fn initialize_with(&mut self, version: &str, capabilities: &Value) -> Value {
        let params = json!({
            "protocolVersion": version,
            "capabilities": capabilities,
            "clientInfo": { "name": "testkit", "version": "1" },
        });
        let answer = self.request("initialize", params);
        assert!(answer.get("result").is_some(), "initialize was refused: {answer}");
        self.notify("notifications/initialized", json!({}));
        answer["result"].clone()
    }

    /// Sets what the client answers when the server asks a person: a result of `elicitation/create`,
    /// such as `{"action":"accept","content":{}}`. Without it, the client declines.
    pub fn answer_elicitation(&mut self, result: Value) {
        self.elicitation = result;
    }

    /// All tools, over all pages.
    ///
    /// # Panics
    /// When the server refuses or does not answer.
    pub fn list_tools(&mut self) -> Vec<Value> {
        let mut tools = Vec::new();
        let mut params = json!({});
        loop {
            let answer = self.request("tools/list", params);
            let result = &answer["result"];
            tools
                .extend(result["tools"].as_array().unwrap_or_else(|| panic!("no tools in {answer}")).clone());
            match result["nextCursor"].as_str() {
                Some(cursor) => params = json!({ "cursor": cursor }),
                None => return tools,
            }
        }
    }

    /// Calls a tool.
    ///
    /// # Panics
    /// When no answer comes within 60 s.
    pub fn call(&mut self, name: &str, arguments: Value) -> CallResult {
        let id = self.begin_call(name, arguments);
        self.end_call(id)
    }

    /// Sends a tool call without waiting for its end.
    ///
    /// # Panics
    /// When the server's input is closed.
    pub fn begin_call(&mut self, name: &str, arguments: Value) -> u64 {
        self.begin(
            "tools/call",
            json!({ "name": name, "arguments": arguments, "_meta": { "progressToken": self.next_id } }),
        )
    }

    /// Waits for the end of a call.
    ///
    /// # Panics
    /// When no answer comes within 60 s.
    pub fn end_call(&mut self, id: u64) -> CallResult {
        CallResult::of(&self.response(id))
    }

    /// Sends a request and waits for the whole message that answers it.
    ///
    /// # Panics
    /// When no answer comes within 60 s.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.response(id)
    }

    /// Sends a request without waiting.
    ///
    /// # Panics
    /// When the server's input is closed.
    pub fn begin(&mut self, method: &str, params: Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Sends a notification.
    ///
    /// # Panics
    /// When the server's input is closed.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    /// Sends a line as it is, sense or nonsense.
    ///
    /// # Panics
    /// When the server's input is closed.
    pub fn send_line(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    /// Sends bytes as they are.
    ///
    /// # Panics
    /// When the server's input is closed.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("the test closed stdin before it wrote");
        let written = stdin.write_all(bytes).and_then(|()| stdin.flush());
        if let Err(error) = written {
            panic!("the server no longer reads ({error}); its stderr:\n{}", self.stderr());
        }
    }

    /// The message that answers request `id`.
    ///
    /// # Panics
    /// When it does not come within 60 s.
    pub fn response(&mut self, id: u64) -> Value {
        self.take(&format!("the answer to request {id}"), |m| m["id"] == id && m.get("method").is_none())
    }

    /// The next notification of this method; gives its params.
    ///
    /// # Panics
    /// When none comes within 60 s.
    pub fn notification(&mut self, method: &str) -> Value {
        let fits = |m: &Value| m["method"] == method && m.get("id").is_none();
        self.take(&format!("a notification {method}"), fits)["params"].clone()
    }

    /// Any next message that `fits`.
    ///
    /// # Panics
    /// When none comes within 60 s.
    pub fn take(&mut self, what: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + DEADLINE;
        if let Some(at) = self.waiting.iter().position(&fits) {
            return self.waiting.remove(at).unwrap_or_default();
        }
        loop {
            let message = self.read(what, end.saturating_duration_since(Instant::now()));
            if fits(&message) {
                return message;
            }
            self.waiting.push_back(message);
        }
    }

    /// Messages that came and that nobody asked for yet.
    #[must_use]
    pub fn pending(&self) -> Vec<&Value> {
        self.waiting.iter().collect()
    }

    fn read(&mut self, what: &str, limit: Duration) -> Value {
        loop {
            let line = match self.lines.recv_timeout(limit) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => {
                    panic!("{what} did not come within {DEADLINE:?}; stderr:\n{}", self.stderr())
                }
                Err(RecvTimeoutError::Disconnected) => {
                    panic!("the server closed its output before {what} came; stderr:\n{}", self.stderr())
                }
            };
            let message: Value = serde_json::from_str(&line)
                .unwrap_or_else(|e| panic!("a line on the server's stdout is no JSON ({e}): {line}"));
            if message.get("method").is_none() || message.get("id").is_none() {
                return message;
            }
            self.answer(&message);
        }
    }

    /// Answers a request of the server.
    fn answer(&mut self, request: &Value) {
        let id = &request["id"];
        let reply = match request["method"].as_str() {
            Some("elicitation/create") => json!({ "jsonrpc": "2.0", "id": id, "result": self.elicitation }),
            Some("ping") => json!({ "jsonrpc": "2.0", "id": id, "result": {} }),
            _ => json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32601, "message": "not offered" } }),
        };
        self.waiting.push_back(request.clone());
        self.send(&reply);
    }

    /// Closes the server's input, as a client that has ended does.
    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// Waits for the server to end by itself.
    ///
    /// # Panics
    /// When it still runs after 60 s.
    pub fn wait_exit(&mut self) -> ExitStatus {
        let mut status = None;
        let ended = Home::until(DEADLINE, || {
            status = self.child.try_wait().expect("a child of ours can be waited for");
            status.is_some()
        });
        assert!(ended, "the server still runs after {DEADLINE:?}; stderr:\n{}", self.stderr());
        status.expect("it has ended")
    }

    /// Kills the server, as a client that crashes takes it along.
    pub fn kill(&mut self) {
        // Both fail only when it has ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Drop for McpClient {
    fn drop(&mut self) {
        self.kill();
    }
}
