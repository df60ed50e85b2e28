//! A browser that somebody else started, with a port for its DevTools: what the product can attach to.

use crate::{DEADLINE, Home};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// The browser. It ends with the test.
#[derive(Debug)]
pub struct Stranger {
    process: Child,
    profile: tempfile::TempDir,
}

impl Stranger {
    /// Starts it without a display on one page.
    ///
    /// # Panics
    /// When it can't be started.
    #[must_use]
    pub fn start(page: &str) -> Stranger {
        let profile = tempfile::tempdir().expect("a temporary folder");
        let process = Command::new(crate::chromium())
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"])
            .arg("--remote-debugging-port=0")
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg(page)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|e| panic!("Chromium can't start: {e}"));
        Stranger { process, profile }
    }

    /// The WebSocket address of its DevTools, once it has written it down.
    ///
    /// # Panics
    /// When it does not within the usual time.
    #[must_use]
    pub fn address(&self) -> String {
        let (port, path) = self.endpoint();
        format!("ws://127.0.0.1:{port}{path}")
    }

    /// Opens a page in a tab in front, as the person would.
    ///
    /// # Panics
    /// When the browser does not do it.
    pub fn open(&self, page: &str) {
        let (port, _) = self.endpoint();
        let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the browser answers");
        let request = format!("PUT /json/new?{page} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("the browser takes requests");
        // It keeps the connection open, so the first line is all that is waited for.
        let mut answer = [0; 15];
        stream.read_exact(&mut answer).expect("the browser answers");
        assert_eq!(&answer, b"HTTP/1.1 200 OK", "no tab for {page}");
    }

    fn endpoint(&self) -> (u16, String) {
        let file = self.profile.path().join("DevToolsActivePort");
        let mut found = None;
        Home::until(DEADLINE, || {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            let written = text.split_once('\n').filter(|(_, path)| !path.is_empty());
            found = written.and_then(|(port, path)| Some((port.parse().ok()?, path.trim().to_owned())));
            found.is_some()
        });
        found.expect("the browser wrote down no address")
    }

    /// Whether it still runs.
    ///
    /// # Panics
    /// When it can't be waited for.
    pub fn runs(&mut self) -> bool {
        self.process.try_wait().expect("a child of ours can be waited for").is_none()
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        // It may have ended by itself, which is what a test may be about.
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
