//! Starting Chromium on a pipe: no port is opened, nobody else can attach, and it dies with us.

use command_fds::CommandFdExt;
use command_fds::FdMapping;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};
use truehand_base::{CallCtx, ErrorBody, ErrorCode};
use truehand_cdp::{Connection, EventStream};

/// Switches that make a browser quiet, steady and ours. Back/forward cache is off because frozen pages keep
/// their requests open for ever, which would spoil the count of requests in flight.
const SWITCHES: &[&str] = &[
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-startup-window",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-breakpad",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-field-trial-config",
    "--disable-search-engine-choice-screen",
    "--disable-sync",
    // The address bar's popups are pages of their own since 2026: two more renderer processes for each window.
    "--disable-features=BackForwardCache,Translate,MediaRouter,OptimizationHints,AutofillServerCommunication,\
     WebUIOmniboxPopup,WebUIOmniboxAimPopup,WebUIOmniboxFullPopup",
    "--metrics-recording-only",
    "--mute-audio",
    "--password-store=basic",
    "--use-mock-keychain",
    "--hide-crash-restore-bubble",
    "--force-color-profile=srgb",
];

/// How long a browser that holds the profile may take to end, and how often that is looked at.
const HELD: Duration = Duration::from_secs(3);
const HELD_STEP: Duration = Duration::from_millis(50);

/// How to start a browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchOptions {
    /// The program.
    pub executable: PathBuf,
    /// The folder of the profile; it is made when missing.
    pub profile_dir: PathBuf,
    /// Whether a window is shown.
    pub headed: bool,
    /// Whether Chromium's sandbox is off; needed as root, where Chromium refuses to start with it.
    pub no_sandbox: bool,
    /// Further switches.
    pub args: Vec<String>,
}

/// A browser process and the connection to it.
pub(crate) struct Launched {
    pub child: Child,
    pub connection: Connection,
    pub events: EventStream,
}

/// Starts a browser and waits for its first answer.
///
/// # Errors
/// `BROWSER_START_FAILED` with what Chromium printed, `PROFILE_BUSY` when another process holds the profile.
pub(crate) async fn launch(ctx: &CallCtx, options: &LaunchOptions) -> Result<Launched, ErrorBody> {
    let failed = |what: String| ErrorBody::new(ErrorCode::BrowserStartFailed, what);
    if let Some(holder) = lasting_holder(ctx, &options.profile_dir).await? {
        let path = options.profile_dir.display();
        return Err(ErrorBody::new(
            ErrorCode::ProfileBusy,
            format!("process {holder} uses the profile {path}"),
        ));
    }
    std::fs::create_dir_all(&options.profile_dir).map_err(|e| {
        failed(format!("can't make the profile folder {}: {e}", options.profile_dir.display()))
    })?;
    let io = |e: std::io::Error| failed(format!("can't make the pipes to Chromium: {e}"));
    let (to_child_read, to_child_write) = std::io::pipe().map_err(io)?;
    let (from_child_read, from_child_write) = std::io::pipe().map_err(io)?;

    let mut command = Command::new(&options.executable);
    command.args(SWITCHES);
    command.arg(format!("--user-data-dir={}", options.profile_dir.display()));
    if !options.headed {
        command.args(["--headless=new", "--disable-gpu", "--window-size=1280,807"]);
    }
    if options.no_sandbox {
        command.args(["--no-sandbox", "--test-type"]);
    }
    command.args(&options.args);
    // Otherwise Chromium writes beside its profile, into the user's own folders: crash reports, and the
    // desktop's settings cache.
    command.env("BREAKPAD_DUMP_LOCATION", options.profile_dir.join("Crash Reports"));
    if !options.headed {
        command.env("GSETTINGS_BACKEND", "memory");
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
    command
        .fd_mappings(vec![
            FdMapping { parent_fd: to_child_read.into(), child_fd: 3 },
            FdMapping { parent_fd: from_child_write.into(), child_fd: 4 },
        ])
        .map_err(|e| failed(format!("can't hand the pipes to Chromium: {e}")))?;
    let mut child =
        command.spawn().map_err(|e| failed(format!("can't start {}: {e}", options.executable.display())))?;
    // The mappings keep the child's ends open in this process until the command is dropped; an end left open
    // here would hide the browser's death.
    drop(command);

    let last_words = Arc::new(Mutex::new(VecDeque::new()));
    if let Some(stderr) = child.stderr.take() {
        tokio::spawn(keep_last_words(BufReader::new(stderr), Arc::clone(&last_words)));
    }
    let reader = pipe::Receiver::from_owned_fd(from_child_read.into()).map_err(io)?;
    let writer = pipe::Sender::from_owned_fd(to_child_write.into()).map_err(io)?;
    let (connection, events) = Connection::pipe(reader, writer);

    let ctx = ctx.at_most(Duration::from_secs(60));
    let hello = connection.browser();
    let first = tokio::select! {
        answer = hello.send(&ctx, truehand_cdp::browser::GetVersion::default()) => answer.map_err(|e| e.to_string()),
        status = child.wait() => Err(match status {
            Ok(status) => format!("it ended at once ({status})"),
            Err(e) => format!("it can't be waited for: {e}"),
        }),
    };
    if let Err(why) = first {
        drop(child.start_kill());
        let words: Vec<String> = last_words.lock().map(|w| w.iter().cloned().collect()).unwrap_or_default();
        let text = words.join(" | ");
        let mut error = failed(format!("Chromium did not start: {why}{}", tail(&text)));
        if text.contains("sandbox") {
            error =
                error.next("as root or in a container set no_sandbox = true under [browser] in config.toml");
        } else if options.headed && (text.contains("DISPLAY") || text.contains("ozone")) {
            error = error.next("there is no display here: leave --headed out");
        }
        return Err(error);
    }
    Ok(Launched { child, connection, events })
}

fn tail(words: &str) -> String {
    if words.is_empty() {
        String::new()
    } else {
        format!("; it said: {}", truehand_base::text::clip(words, 600))
    }
}

/// Reads the process's diagnostics to their end, so that it never blocks on a full pipe, and keeps the last lines.
async fn keep_last_words(
    stderr: BufReader<tokio::process::ChildStderr>,
    last_words: Arc<Mutex<VecDeque<String>>>,
) {
    let mut lines = stderr.lines();
    while let Ok(Some(line)) = lines.next_line().await {
        tracing::debug!(target: "chromium", "{line}");
        if let Ok(mut words) = last_words.lock() {
            if words.len() == 20 {
                words.pop_front();
            }
            words.push_back(line);
        }
    }
}

/// The process that holds the profile and goes on holding it: a browser that is just ending, as its daemon has ended, is
/// waited for.
async fn lasting_holder(ctx: &CallCtx, profile: &Path) -> Result<Option<u32>, ErrorBody> {
    let asked = Instant::now();
    loop {
        match profile_holder(profile) {
            Some(_) if asked.elapsed() < HELD => {
                ctx.wait("the browser that used the profile", tokio::time::sleep(HELD_STEP)).await?;
            }
            holder => return Ok(holder),
        }
    }
}

/// The living process that holds a profile, by the lock that Chromium keeps in it.
fn profile_holder(profile: &Path) -> Option<u32> {
    let lock = std::fs::read_link(profile.join("SingletonLock")).ok()?;
    let pid: u32 = lock.to_str()?.rsplit('-').next()?.parse().ok()?;
    Path::new(&format!("/proc/{pid}")).exists().then_some(pid)
}
