//! What every verb that talks to the daemon needs: where the state is, who calls, and how to start it.

use crate::argv::global;
use crate::env::Env;
use clap::ArgMatches;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use truehand_base::{CallCtx, ClientId, ErrorBody, ErrorCode, Verb};
use truehand_server::daemon::{BrowserChoice, ClientOptions, ClientSettings, Launch, RunDir};

/// How long a command that talks to the daemon waits unless it says otherwise.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

/// How long a call may take unless its command says otherwise: as long as any call may. Nobody gives up on a
/// command as clients give up on a request, and each tool has its own time.
const LONGEST_CALL: Duration = Duration::from_mins(11);

/// How long after its own time a script's end may take to arrive.
const SCRIPT_END: Duration = Duration::from_secs(10);

/// What was asked for, with the environment behind it.
#[derive(Debug)]
pub(crate) struct Setup {
    pub(crate) env: Env,
    pub(crate) home: PathBuf,
    pub(crate) run: RunDir,
    pub(crate) timeout: Duration,
    asked_timeout: Option<Duration>,
    call_timeout: Duration,
    no_wait: bool,
    pub(crate) session: String,
    browser: BrowserChoice,
    trace: Option<bool>,
}

impl Setup {
    /// Reads the global flags. Nothing on disk is touched.
    ///
    /// # Errors
    /// `INVALID_ARGUMENTS` for a flag that makes no sense, `STORE_FAILED` when there is no place for state.
    pub(crate) fn new(env: &Env, given: &ArgMatches) -> Result<Self, ErrorBody> {
        let text = |name: &str| given.get_one::<String>(name).cloned();
        let path = |name: &str| given.get_one::<PathBuf>(name);
        let home = env.home(path(global::HOME))?;
        let session = text(global::SESSION).unwrap_or_default();
        if session.is_empty() || session.len() > 80 {
            let message = "the name of a session has 1 to 80 characters";
            return Err(ErrorBody::new(ErrorCode::InvalidArguments, message));
        }
        let timeout = match given.get_one::<f64>(global::TIMEOUT).copied() {
            None => None,
            Some(seconds) => {
                let time = Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero());
                Some(time.ok_or_else(|| {
                    let message = format!("--timeout {seconds} is not a number of seconds");
                    ErrorBody::new(ErrorCode::InvalidArguments, message)
                })?)
            }
        };
        let executable = path(global::BROWSER).cloned().or_else(|| env.chromium.clone());
        let absolute = executable.map(|path| std::path::absolute(&path).unwrap_or(path));
        let browser = BrowserChoice {
            headed: given.get_flag(global::HEADED),
            profile: text(global::PROFILE),
            attach: text(global::ATTACH),
            executable: absolute,
        };
        let trace = given.get_flag(global::TRACE).then_some(true).or(env.trace);
        Ok(Setup {
            env: env.clone(),
            run: RunDir::of(&home),
            home,
            timeout: timeout.unwrap_or(DEFAULT_TIMEOUT),
            asked_timeout: timeout,
            call_timeout: timeout.unwrap_or(LONGEST_CALL),
            no_wait: given.get_flag(global::NO_WAIT),
            session,
            browser,
            trace,
        })
    }

    /// The browser's executable, when one was named.
    pub(crate) fn executable(&self) -> Option<PathBuf> {
        self.browser.executable.clone()
    }

    /// How to start the daemon: this program, for this state folder.
    ///
    /// # Errors
    /// `DAEMON_UNAVAILABLE` when the program does not know where it is itself.
    pub(crate) fn launch(&self) -> Result<Launch, ErrorBody> {
        let program = std::env::current_exe().map_err(|error| {
            ErrorBody::new(
                ErrorCode::DaemonUnavailable,
                format!("where this program is can't be told: {error}"),
            )
        })?;
        // A file that was replaced by an upgrade is gone by its name; the one that runs can still be started.
        let program = if program.exists() { program } else { PathBuf::from("/proc/self/exe") };
        let mut arguments: Vec<std::ffi::OsString> =
            ["daemon", "run", "--detached", "--home"].map(Into::into).into();
        arguments.push(self.home.clone().into());
        Ok(Launch { program, arguments })
    }

    /// How a client reaches the daemon.
    ///
    /// # Errors
    /// As [`Setup::launch`].
    pub(crate) fn client(&self, client: ClientId, allow: Vec<Verb>) -> Result<ClientSettings, ErrorBody> {
        let options = ClientOptions {
            working_dir: std::env::current_dir().unwrap_or_else(|_| self.home.clone()),
            allow,
            browser: self.browser.clone(),
            trace: self.trace,
        };
        Ok(ClientSettings {
            run: self.run.clone(),
            launch: Some(self.launch()?),
            client,
            options,
            catalog: truehand_tools::catalog,
        })
    }

    /// The time of a command that talks to the daemon.
    pub(crate) fn ctx(&self) -> CallCtx {
        CallCtx::with_timeout(self.timeout)
    }

    /// The time that was asked for.
    pub(crate) fn asked_timeout(&self) -> Option<Duration> {
        self.asked_timeout
    }

    /// The time of a script's call: the script keeps its own time, and says so when it is over.
    pub(crate) fn script_ctx(&self) -> CallCtx {
        let limit = self.asked_timeout.map_or(LONGEST_CALL, |asked| asked + SCRIPT_END);
        let ctx = CallCtx::with_timeout(limit.min(LONGEST_CALL));
        if self.no_wait { ctx.answering_within(Duration::ZERO) } else { ctx }
    }

    /// The time of a call.
    pub(crate) fn call_ctx(&self) -> CallCtx {
        let ctx = CallCtx::with_timeout(self.call_timeout);
        if self.no_wait { ctx.answering_within(Duration::ZERO) } else { ctx }
    }
}

/// A small runtime: a command waits for one thing.
///
/// # Errors
/// `INTERNAL` when the system gives no event queue.
pub(crate) fn runtime() -> Result<Runtime, ErrorBody> {
    let made = Builder::new_current_thread().enable_all().build();
    made.map_err(|error| ErrorBody::new(ErrorCode::Internal, format!("no runtime: {error}")))
}

/// A JSON object of a few fields.
pub(crate) fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>())
}
