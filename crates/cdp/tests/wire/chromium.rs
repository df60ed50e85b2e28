//! Starts the real Chromium, by pipe or by port, and ends it.

use command_fds::{CommandFdExt, FdMapping};
use std::process::Stdio;
use std::time::Duration;
use tempfile::TempDir;
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};
use truehand_base::CallCtx;
use truehand_cdp::{Connection, EventStream};

/// A running browser, killed when it is dropped.
pub struct Chromium {
    child: Child,
    profile: TempDir,
}

fn command(profile: &TempDir) -> Command {
    let program = std::env::var("TRUEHAND_CHROMIUM").unwrap_or_else(|_| "/usr/bin/chromium".to_owned());
    let mut command = Command::new(program);
    command.args([
        "--headless=new",
        "--no-sandbox",
        "--no-first-run",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-default-apps",
        "--disable-breakpad",
        "--mute-audio",
        "--password-store=basic",
        "--disable-features=BackForwardCache",
    ]);
    command.arg(format!("--user-data-dir={}", profile.path().display()));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    command
}

/// Long enough for a start on a busy machine.
pub fn ctx() -> CallCtx {
    CallCtx::with_timeout(Duration::from_secs(60))
}

impl Chromium {
    /// Starts it with `--remote-debugging-pipe`: it reads from descriptor 3 and writes to 4.
    pub fn on_pipe() -> (Chromium, Connection, EventStream) {
        let profile = tempfile::tempdir().expect("a profile folder");
        let (its_reader, our_writer) = std::io::pipe().expect("a pipe");
        let (our_reader, its_writer) = std::io::pipe().expect("a pipe");
        let mut command = command(&profile);
        command.arg("--remote-debugging-pipe").arg("about:blank");
        command
            .as_std_mut()
            .fd_mappings(vec![
                FdMapping { parent_fd: its_reader.into(), child_fd: 3 },
                FdMapping { parent_fd: its_writer.into(), child_fd: 4 },
            ])
            .expect("no descriptor twice");
        let child = command.spawn().expect("Chromium starts; set TRUEHAND_CHROMIUM to its path");
        // The browser's ends must be closed on our side, or its end would never be seen.
        drop(command);
        let reader = pipe::Receiver::from_owned_fd(our_reader.into()).expect("a pipe");
        let writer = pipe::Sender::from_owned_fd(our_writer.into()).expect("a pipe");
        let (connection, events) = Connection::pipe(reader, writer);
        (Chromium { child, profile }, connection, events)
    }

    /// Starts it with a port of its choice; the result has the port and the browser's WebSocket address.
    pub async fn on_port() -> (Chromium, u16, String) {
        let profile = tempfile::tempdir().expect("a profile folder");
        let mut command = command(&profile);
        command.arg("--remote-debugging-port=0").arg("about:blank");
        let child = command.spawn().expect("Chromium starts; set TRUEHAND_CHROMIUM to its path");
        let file = profile.path().join("DevToolsActivePort");
        let found = async {
            loop {
                let text = tokio::fs::read_to_string(&file).await.unwrap_or_default();
                if let Some((port, path)) = text.split_once('\n')
                    && let Ok(port) = port.parse::<u16>()
                    && !path.is_empty()
                {
                    return (port, format!("ws://127.0.0.1:{port}{path}"));
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let (port, url) = ctx().wait("DevToolsActivePort", found).await.expect("Chromium opens its port");
        (Chromium { child, profile }, port, url)
    }

    /// Kills it.
    pub async fn kill(&mut self) {
        self.child.kill().await.expect("killed");
    }

    /// Waits until it has ended by itself.
    pub async fn ended(mut self) {
        ctx().wait("Chromium's end", self.child.wait()).await.expect("in time").expect("waited for");
        drop(self.profile);
    }
}
