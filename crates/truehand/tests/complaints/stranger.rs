//! A browser that somebody else started, and a relay in front of it that can count, delay and cut.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// A browser with a debugging port, ended with the test.
pub struct Stranger {
    process: Child,
    profile: tempfile::TempDir,
}

impl Stranger {
    /// Starts one with an empty tab.
    pub fn start() -> Stranger {
        let profile = tempfile::Builder::new().prefix("th-stranger-").tempdir().unwrap();
        let process = Command::new(truehand_testkit::chromium())
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"])
            .args(["--remote-debugging-port=0", "--disable-background-networking"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Stranger { process, profile }
    }

    /// Its debugging port and the path of its WebSocket, once it has written them down.
    pub fn endpoint(&self) -> (u16, String) {
        let file = self.profile.path().join("DevToolsActivePort");
        let mut found = None;
        crate::until("the address of the browser", || {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            let parts = text.split_once('\n').filter(|(_, path)| !path.is_empty());
            found = parts.and_then(|(port, path)| Some((port.parse().ok()?, path.trim().to_owned())));
            found.is_some()
        });
        found.unwrap()
    }

    /// Opens a tab of the browser's own.
    pub fn open(&self, url: &str) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.endpoint().0)).unwrap();
        let request = format!("PUT /json/new?{url} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.contains("200 OK"), "{answer}");
    }

    /// Its WebSocket address.
    pub fn address(&self) -> String {
        let (port, path) = self.endpoint();
        format!("ws://127.0.0.1:{port}{path}")
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// What passes bytes on between a client and a browser.
pub struct Relay {
    port: u16,
    path: String,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    connections: AtomicUsize,
    silent: AtomicBool,
    ended: AtomicBool,
    open: Mutex<Vec<TcpStream>>,
}

impl Relay {
    /// A relay in front of a browser. A silent one takes connections and answers nothing, as a browser does that
    /// waits for a person's consent.
    pub fn to(stranger: &Stranger, silent: bool) -> Relay {
        let (target, path) = stranger.endpoint();
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(State { silent: AtomicBool::new(silent), ..State::default() });
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if shared.ended.load(Ordering::SeqCst) {
                    break;
                }
                shared.connections.fetch_add(1, Ordering::SeqCst);
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || serve(&shared, client, target));
            }
        });
        Relay { port, path, state }
    }

    /// The WebSocket address of the browser through this relay.
    pub fn address(&self) -> String {
        format!("ws://127.0.0.1:{}{}", self.port, self.path)
    }

    /// How many connections were made so far.
    pub fn connections(&self) -> usize {
        self.state.connections.load(Ordering::SeqCst)
    }

    /// Lets a silent relay pass on what it holds and what comes.
    pub fn consent(&self) {
        self.state.silent.store(false, Ordering::SeqCst);
    }

    /// Cuts all connections.
    pub fn cut(&self) {
        for stream in self.state.open.lock().unwrap().drain(..) {
            // One that is closed already is cut as well.
            drop(stream.shutdown(Shutdown::Both));
        }
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.state.ended.store(true, Ordering::SeqCst);
        // The listener wakes up and ends.
        drop(TcpStream::connect(("127.0.0.1", self.port)));
        self.cut();
    }
}

fn serve(state: &Arc<State>, client: TcpStream, target: u16) {
    let wait = std::time::Duration::from_millis(10);
    while state.silent.load(Ordering::SeqCst) && !state.ended.load(Ordering::SeqCst) {
        std::thread::sleep(wait);
    }
    let Ok(server) = TcpStream::connect(("127.0.0.1", target)) else { return };
    let copies = [&client, &server].map(|stream| stream.try_clone().unwrap());
    state.open.lock().unwrap().extend(copies);
    let back = (server.try_clone().unwrap(), client.try_clone().unwrap());
    std::thread::spawn(move || pass(back.0, back.1));
    pass(client, server);
}

/// Passes bytes on until one end closes, and then closes the other.
fn pass(mut from: TcpStream, mut to: TcpStream) {
    let mut buffer = [0; 16_384];
    while let Ok(count) = from.read(&mut buffer) {
        if count == 0 || to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    drop(to.shutdown(Shutdown::Both));
}
