//! Runs `truehand` commands in a home of their own and gives back all that they said.

use crate::{DEADLINE, Home};
use serde_json::Value;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};

/// A binary with a home; every command runs in both.
#[derive(Debug, Clone)]
pub struct Cli {
    binary: PathBuf,
    home: Arc<Home>,
    envs: Vec<(String, String)>,
    folder: Option<PathBuf>,
}

/// What a command said.
#[derive(Debug, Clone)]
pub struct CliOutput {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The exit code; -1 when a signal ended it.
    pub code: i32,
}

impl CliOutput {
    /// Standard output as JSON.
    ///
    /// # Panics
    /// When it is none.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|e| panic!("stdout is no JSON ({e}):\n{}\nstderr:\n{}", self.stdout, self.stderr))
    }

    /// Checks the exit code.
    ///
    /// # Panics
    /// When it is another, with all that the command said.
    #[must_use]
    pub fn expect_code(self, code: i32) -> Self {
        let CliOutput { stdout, stderr, code: got } = &self;
        assert_eq!(*got, code, "exit code\nstdout:\n{stdout}\nstderr:\n{stderr}");
        self
    }
}

impl Cli {
    /// Commands of this binary in a fresh home.
    #[must_use]
    pub fn new(binary: impl AsRef<Path>) -> Self {
        Cli::in_home(binary, Arc::new(Home::new()))
    }

    /// Commands of this binary in a home that others use too.
    #[must_use]
    pub fn in_home(binary: impl AsRef<Path>, home: Arc<Home>) -> Self {
        Cli { binary: crate::binary(binary), home, envs: Vec::new(), folder: None }
    }

    /// The same with an environment variable more.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<str>) -> Self {
        self.envs.push((name.to_owned(), value.as_ref().to_owned()));
        self
    }

    /// The same, run from another folder.
    #[must_use]
    pub fn in_folder(mut self, folder: impl AsRef<Path>) -> Self {
        self.folder = Some(folder.as_ref().to_path_buf());
        self
    }

    /// The home.
    #[must_use]
    pub fn home(&self) -> &Arc<Home> {
        &self.home
    }

    /// Runs a command to its end.
    ///
    /// # Panics
    /// When it can't be started, or runs or holds its output open for over 60 s.
    #[must_use]
    pub fn run(&self, args: &[&str]) -> CliOutput {
        self.run_with_input(args, "")
    }

    /// The same with text on standard input.
    ///
    /// # Panics
    /// As [`Cli::run`].
    #[must_use]
    pub fn run_with_input(&self, args: &[&str], input: &str) -> CliOutput {
        let mut command = Command::new(&self.binary);
        command.args(args).env("TRUEHAND_HOME", self.home.path());
        command.envs(self.envs.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child =
            command.spawn().unwrap_or_else(|e| panic!("{} can't start: {e}", self.binary.display()));
        let mut stdin = child.stdin.take().expect("stdin is piped");
        // A command that reads no input may close it; then there is nobody to write to.
        drop(stdin.write_all(input.as_bytes()));
        drop(stdin);
        let stdout = collect(child.stdout.take().expect("stdout is piped"));
        let stderr = collect(child.stderr.take().expect("stderr is piped"));
        let mut code = None;
        let ended = Home::until(DEADLINE, || {
            code = child.try_wait().expect("a child of ours can be waited for");
            code.is_some()
        });
        if !ended {
            child.kill().expect("a child of ours can be ended");
            panic!(
                "truehand {args:?} did not end within {DEADLINE:?}; stderr: {}",
                finish(&stderr, "stderr", args)
            );
        }
        CliOutput {
            stdout: finish(&stdout, "stdout", args),
            stderr: finish(&stderr, "stderr", args),
            code: code.and_then(|status| status.code()).unwrap_or(-1),
        }
    }
}

fn collect(mut pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = pipe.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        drop(sender.send(if let Err(e) = read { format!("{text}\n[reading broke off: {e}]") } else { text }));
    });
    receiver
}

fn finish(pipe: &Receiver<String>, name: &str, args: &[&str]) -> String {
    pipe.recv_timeout(DEADLINE).unwrap_or_else(|_| {
        panic!("truehand {args:?} ended, but a process that it left behind holds its {name} open")
    })
}
