//! A browser that somebody else started, with a port for its DevTools: what the product can attach to.

use crate::{DEADLINE, Home};
use std::process::{Child, Command, Stdio};

/// The browser. It ends with the test.
#[derive(Debug)]
pub struct Stranger {
    process: Child,
    profile: tempfile::TempDir,
}

impl Stranger {
    /// Starts it without a window on these pages, each in a tab of one window; the first one is in front.
    ///
    /// # Panics
    /// When it can't be started.
    #[must_use]
    pub fn start(pages: &[&str]) -> Stranger {
        let profile = tempfile::tempdir().expect("a temporary folder");
        let process = Command::new(crate::chromium())
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"])
            .arg("--remote-debugging-port=0")
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .args(pages)
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
        let file = self.profile.path().join("DevToolsActivePort");
        let mut address = None;
        Home::until(DEADLINE, || {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            let written = text.split_once('\n').filter(|(_, path)| !path.is_empty());
            address = written.map(|(port, path)| format!("ws://127.0.0.1:{port}{}", path.trim()));
            address.is_some()
        });
        address.expect("the browser wrote down no address")
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
