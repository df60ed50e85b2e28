//! The protocol's own conformance suite and inspector, which `./setup` installs under `conformance/`.
//!
//! They are programs for Node. When they are missing, a test fails and says how to get them.

use crate::DEADLINE;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// The folder `conformance` with what is installed in it.
#[derive(Debug)]
pub struct Suite {
    folder: PathBuf,
    node: PathBuf,
}

/// A process that stands between the suite and a server. Dropping it ends it.
#[derive(Debug)]
pub struct Bridge {
    child: Child,
    /// Where the suite finds the server.
    pub url: String,
}

impl Drop for Bridge {
    fn drop(&mut self) {
        // Both fail only when it has ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Suite {
    /// What `./setup` has installed.
    ///
    /// # Panics
    /// When it has not.
    #[must_use]
    pub fn installed() -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance");
        let system = match std::env::consts::OS {
            "macos" => "darwin",
            other => other,
        };
        let machine = match std::env::consts::ARCH {
            "x86_64" => "x64",
            "aarch64" => "arm64",
            other => other,
        };
        let node = folder.join(format!("node_modules/node-{system}-{machine}/bin/node"));
        assert!(node.is_file(), "{} is missing: run ./setup", node.display());
        Suite { folder, node }
    }

    fn script(&self, path: &str) -> Command {
        let mut command = Command::new(&self.node);
        command.arg(self.folder.join(path)).stdin(Stdio::null());
        // A person's own settings and proxies must not reach it.
        for name in ["NODE_OPTIONS", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"] {
            command.env_remove(name);
        }
        command
    }

    /// Starts a bridge: one of the scripts of the folder, with its arguments.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn bridge(&self, script: &str, args: &[&str], envs: &[(&str, &str)]) -> Bridge {
        let mut command = self.script(script);
        command.args(args).envs(envs.iter().copied()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|e| panic!("{script} can't start: {e}"));
        let mut url = String::new();
        let stdout = child.stdout.take().expect("stdout is piped");
        BufReader::new(stdout).read_line(&mut url).expect("a bridge says where it is");
        let bridge = Bridge { child, url: url.trim().to_owned() };
        assert!(bridge.url.starts_with("http://"), "{script} did not start");
        bridge
    }

    /// Runs all scenarios for servers; what fails must be listed in `expected`, and nothing else may be.
    /// Gives the suite's summary.
    ///
    /// # Panics
    /// When the outcome is another one, with all that the suite said.
    pub fn conformance(&self, url: &str, expected: &str) -> String {
        let results = tempfile::tempdir().expect("a temporary folder");
        let mut command = self.script("node_modules/@modelcontextprotocol/conformance/dist/index.js");
        command.args(["server", "--suite", "all", "--url", url, "--output-dir"]).arg(results.path());
        command.arg("--expected-failures").arg(self.folder.join(expected));
        let output = finish(command);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let complaints = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}\n{complaints}");
        let summary = said.find("=== SUMMARY").map(|at| said[at..].to_owned());
        summary.unwrap_or_else(|| panic!("the suite gave no summary:\n{said}\n{complaints}"))
    }

    /// Runs the inspector's command line and gives what it printed.
    ///
    /// # Panics
    /// When it fails or prints no JSON.
    #[must_use]
    pub fn inspector(&self, args: &[&str], envs: &[(&str, &str)]) -> Value {
        let settings = tempfile::tempdir().expect("a temporary folder");
        let mut command =
            self.script("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js");
        command.arg("--cli").args(args).envs(envs.iter().copied()).env("HOME", settings.path());
        let output = finish(command);
        let (said, complaints) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{args:?}: {said}\n{complaints}");
        serde_json::from_str(&said)
            .unwrap_or_else(|e| panic!("{args:?}: no JSON ({e}): {said}\n{complaints}"))
    }
}

/// Runs a command to its end, which must come in time.
fn finish(mut command: Command) -> Output {
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("Node can be started");
    let pid = nix::unistd::Pid::from_raw(child.id().try_into().expect("a process id"));
    let (done, waiting) = std::sync::mpsc::channel();
    let watch = std::thread::spawn(move || {
        if waiting.recv_timeout(DEADLINE) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
            // It may have ended just now.
            let _ = nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL);
        }
    });
    let mut complaints = child.stderr.take().expect("stderr is piped");
    let errors = std::thread::spawn(move || {
        let mut text = Vec::new();
        drop(std::io::Read::read_to_end(&mut complaints, &mut text));
        text
    });
    let mut output = child.wait_with_output().expect("a child of ours can be waited for");
    // The watch has ended when it has fired.
    let _ = done.send(());
    drop(watch.join());
    output.stderr = errors.join().unwrap_or_default();
    output
}
