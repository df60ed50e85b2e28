//! The engine: its parts, its clients, its life.

use crate::clients::{ClientOptions, Clients};
use crate::clock::{Clock, SystemClock};
use crate::keys::Keys;
use crate::limiter::Limiter;
use crate::pipeline;
use crate::record::Recorder;
use crate::settings::Settings;
use crate::tasks::Tasks;
use crate::{admit, lock};
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::sync::watch;
use truehand_base::{
    BoxFuture, Call, CallCtx, Caller, Catalog, ClientId, ErrorBody, ErrorCode, NoScripts, Outcome, Scripts,
};
use truehand_browser::{BrowserPool, PoolConfig, Scope, ScopeOptions};
use truehand_store::{Artifacts, BrowserConfig, Config, Home, Journal, Records, Timestamp};

/// How long tasks that are cancelled at the end may take to record what they did.
const LAST_TASKS: Duration = Duration::from_secs(1);

/// What an engine starts with. `config.toml` and `policy.yaml` are read from the state folder, and again
/// whenever they change.
pub struct EngineConfig {
    /// The state folder.
    pub home: Home,
    /// How Chromium is found and started; from `config.toml` unless the caller knows better.
    pub browser: BrowserConfig,
    /// The `PATH` to look for Chromium on.
    pub search_path: Option<std::ffi::OsString>,
    /// Whether calls are recorded, when the caller knows better than `config.toml`.
    pub trace: Option<bool>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// What runs scripts; nothing does unless the caller has something.
    pub scripts: Arc<dyn Scripts>,
    /// The program that parses PDF files in a process of its own; without one they are parsed in this one.
    pub pdf_worker: Option<std::path::PathBuf>,
}

impl EngineConfig {
    /// What the state folder says.
    ///
    /// # Errors
    /// `CONFIG_BROKEN` with the line.
    pub fn load(home: Home) -> Result<EngineConfig, ErrorBody> {
        let browser = Config::load(&home)?.browser;
        let (clock, scripts) = (Arc::new(SystemClock), Arc::new(NoScripts));
        Ok(EngineConfig { home, browser, search_path: None, trace: None, clock, scripts, pdf_worker: None })
    }
}

/// The one that all calls go through.
pub struct Engine {
    core: Arc<Core>,
}

/// The engine's parts, which a call holds on to until it has ended.
pub(crate) struct Core {
    pub home: Home,
    pub settings: Settings,
    pub trace: Option<bool>,
    pub clock: Arc<dyn Clock>,
    pub clients: Clients,
    pub limiter: Limiter,
    pub keys: Arc<Keys>,
    pub tasks: Tasks,
    pub recorder: Arc<Recorder>,
    pub pool: Arc<BrowserPool>,
    pub artifacts: Artifacts,
    pub records: Arc<Records>,
    pub pdf_worker: Option<std::path::PathBuf>,
    pub scripts: Arc<dyn Scripts>,
    pub seq: AtomicU64,
    pub closing: AtomicBool,
    pub in_flight: AtomicUsize,
    config_write: Mutex<()>,
}

impl Engine {
    /// Starts an engine. No browser is started.
    ///
    /// # Errors
    /// `CONFIG_BROKEN`, `POLICY_BROKEN` or `STORE_FAILED`: without its rules and its records it does not run.
    pub fn new(config: EngineConfig) -> Result<Arc<Engine>, ErrorBody> {
        let EngineConfig { home, browser, search_path, trace, clock, scripts, pdf_worker } = config;
        let settings = Settings::open(&home)?;
        let started = Timestamp::from(clock.wall());
        let instance = format!("{:x}-{:x}", started.0, std::process::id());
        let journal = Journal::open(&home.database(), instance.clone())?;
        tell_of_torn_traces(&home);
        let artifacts = Artifacts::new(&home);
        let records = Arc::new(Records::new(home.clone(), instance.clone()));
        let mut pool = PoolConfig::under(home.root());
        pool.find.named = browser.path;
        pool.find.path = search_path;
        pool.downloads = home.artifacts().join("downloads");
        pool.headed = !browser.headless;
        pool.args = browser.args;
        pool.no_sandbox = browser.no_sandbox;
        let core = Core {
            settings,
            trace,
            clock,
            clients: Clients::default(),
            limiter: Limiter::default(),
            keys: Keys::new(journal),
            tasks: Tasks::default(),
            recorder: Arc::new(Recorder::new(home.clone(), instance)),
            pool: BrowserPool::new(pool),
            artifacts,
            records,
            pdf_worker,
            scripts,
            seq: AtomicU64::new(1),
            closing: AtomicBool::new(false),
            in_flight: AtomicUsize::new(0),
            config_write: Mutex::default(),
            home,
        };
        Ok(Arc::new(Engine { core: Arc::new(core) }))
    }

    /// A client has come, or has come back with other wishes.
    ///
    /// # Errors
    /// `INVALID_ARGUMENTS` for a profile name that is none, `STORE_FAILED` when its folder can't be made.
    pub fn client_connected(&self, client: &ClientId, options: ClientOptions) -> Result<(), ErrorBody> {
        if let Some(profile) = &options.browser.profile {
            self.core.home.profile(profile)?;
        }
        self.core.clients.connected(client, options);
        Ok(())
    }

    /// A client is gone, and with it what only it used; its running tasks are cancelled.
    pub fn client_gone(&self, client: &ClientId) {
        self.core.tasks.client_gone(client);
        self.core.scripts.client_gone(client);
        self.core.records.client_gone(&client.to_string());
        self.core.clients.gone(client);
        self.core.limiter.client_gone(client);
        self.core.pool.client_gone(client);
    }

    /// How many browsers are open or starting.
    #[must_use]
    pub fn open_browsers(&self) -> usize {
        let browsers = pin!(self.core.pool.browsers());
        match browsers.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(count) => count,
            // The list is held while a browser starts.
            Poll::Pending => 1,
        }
    }

    /// Whether no call is running and no browser is open.
    #[must_use]
    pub fn idle(&self) -> bool {
        self.core.in_flight.load(Ordering::SeqCst) == 0 && self.open_browsers() == 0
    }

    /// Counts up whenever the catalog changes.
    #[must_use]
    pub fn catalog_changed(&self) -> watch::Receiver<u64> {
        self.core.settings.changes()
    }

    /// Switches a tool on or off, now and for later starts.
    ///
    /// # Errors
    /// `UNKNOWN_TOOL`, `CONFIG_BROKEN` when the file can't be read as it is, `STORE_FAILED`.
    pub async fn set_tool_enabled(&self, name: &str, enabled: bool) -> Result<(), ErrorBody> {
        let tool = admit::find(name)?.info.name;
        let core = Arc::clone(&self.core);
        let written = tokio::task::spawn_blocking(move || {
            let _one_at_a_time = lock(&core.config_write);
            Config::set_tool_enabled(&core.home, tool, enabled).map(drop)
        });
        match written.await {
            Ok(result) => result?,
            Err(error) => return Err(ErrorBody::new(ErrorCode::Internal, error.to_string())),
        }
        // Reading the file again is what changes the catalog.
        self.core.settings.now();
        Ok(())
    }

    /// Takes no more calls, ends the tasks and closes the browsers.
    pub async fn shutdown(&self) {
        self.core.closing.store(true, Ordering::SeqCst);
        let ending = self.core.tasks.cancel_all();
        let ended = async {
            for job in ending {
                let mut state = job.state();
                while job.ended().is_none() && state.changed().await.is_ok() {}
            }
        };
        if tokio::time::timeout(LAST_TASKS, ended).await.is_err() {
            tracing::warn!("tasks that were cancelled did not end and are cut off");
        }
        self.core.scripts.close().await;
        self.core.pool.shutdown().await;
    }
}

/// Cuts off what an earlier run could not write to its end. A trace is for people to read: that it can't be
/// mended stops nothing.
fn tell_of_torn_traces(home: &Home) {
    match truehand_store::mend_traces(&home.traces()) {
        Ok(mended) => {
            for trace in mended {
                let (path, cut) = (trace.path.display(), trace.cut);
                tracing::warn!(%path, cut, "the last line of a trace was torn by the end of its run and is cut off");
            }
        }
        Err(error) => tracing::warn!(%error, "traces of earlier runs are left as they are"),
    }
}

impl Core {
    /// The browser context of a client; starts nothing.
    pub fn scope(&self, client: &ClientId) -> Scope {
        let wish = self.clients.options(client).browser.clone();
        let options = ScopeOptions {
            headed: wish.headed.then_some(true),
            profile: wish.profile,
            attach: wish.attach,
            executable: wish.executable,
        };
        self.pool.scope(client, options)
    }

    /// Notes that a task has ended, so that it is not taken for one that was cut off.
    pub async fn note_end(&self, id: &str) {
        if let Err(error) = self.keys.task_ended(id, self.wall()).await {
            tracing::warn!(%error, "the end of a task was not noted");
        }
    }

    /// The time of day, for records.
    pub fn wall(&self) -> Timestamp {
        Timestamp::from(self.clock.wall())
    }
}

impl Caller for Engine {
    fn call<'a>(&'a self, ctx: &'a CallCtx, call: Call) -> BoxFuture<'a, Outcome> {
        Box::pin(pipeline::call(Arc::clone(&self.core), ctx.clone(), call))
    }

    fn catalog(&self) -> Arc<Catalog> {
        self.core.settings.catalog()
    }
}
