//! Which browsers run, for whom, and until when.

use crate::attach::Attaching;
use crate::browser::Browser;
use crate::download::DownloadLimits;
use crate::feed::Feed;
use crate::find::{FindOptions, find_chromium};
use crate::input::InputSettings;
use crate::launch::LaunchOptions;
use crate::lease::{Hold, LeaseTimes};
use crate::options::{Acted, Observe, TabInfo};
use crate::space::Space;
use crate::tab::{Tab, lock};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};
use truehand_base::{CallCtx, ClientId, ClientKind, ErrorBody, ErrorCode, TabId, Warning};

/// How long the end of a connection may take after the first call was told of it.
const LOSS_TIME: Duration = Duration::from_millis(500);

/// What the pool needs to know.
#[derive(Debug, Clone)]
pub struct PoolConfig {
    /// Where to look for Chromium.
    pub find: FindOptions,
    /// The folder of the named profiles.
    pub profiles: PathBuf,
    /// The folder of throw-away profiles.
    pub ephemeral: PathBuf,
    /// The folder of downloads.
    pub downloads: PathBuf,
    /// Whether Chromium's sandbox is off; `None` turns it off for root, where Chromium refuses to start with it.
    pub no_sandbox: Option<bool>,
    /// Whether windows are shown unless a client asks otherwise.
    pub headed: bool,
    /// Further switches for Chromium.
    pub args: Vec<String>,
    /// How input is sent.
    pub input: InputSettings,
    /// How long a vanished client's browser is kept.
    pub grace: Duration,
    /// How long an unused command-line session's browser is kept.
    pub idle: Duration,
    /// How long tabs of a shared browser are held and waited for.
    pub leases: LeaseTimes,
    /// What a download may take.
    pub download_limits: DownloadLimits,
}

impl PoolConfig {
    /// The usual times, with all folders under one.
    #[must_use]
    pub fn under(folder: &std::path::Path) -> Self {
        PoolConfig {
            find: FindOptions { named: None, path: None },
            profiles: folder.join("profiles"),
            ephemeral: folder.join("run").join("browsers"),
            downloads: folder.join("downloads"),
            no_sandbox: None,
            headed: false,
            args: Vec::new(),
            input: InputSettings::default(),
            grace: Duration::from_secs(4),
            idle: Duration::from_secs(30 * 60),
            leases: LeaseTimes::default(),
            download_limits: DownloadLimits::default(),
        }
    }
}

/// What a client wants of its browser.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScopeOptions {
    /// Whether a window is shown.
    pub headed: Option<bool>,
    /// A named profile that keeps its cookies; without one the client gets an isolated context that is forgotten.
    pub profile: Option<String>,
    /// The WebSocket address of a browser that already runs.
    pub attach: Option<String>,
    /// The program to start.
    pub executable: Option<PathBuf>,
}

impl ScopeOptions {
    /// The browser that they lead to: a profile, or a running browser, is one for all clients.
    fn browser(&self) -> BrowserKey {
        match (&self.attach, &self.profile) {
            (Some(url), _) => BrowserKey::Running(url.clone()),
            (None, Some(profile)) => BrowserKey::Profile(profile.clone()),
            (None, None) => BrowserKey::Own { headed: self.headed, executable: self.executable.clone() },
        }
    }

    fn is_default(&self) -> bool {
        *self == ScopeOptions::default()
    }

    /// Those that `self` names and `held` is not, as a person would write them.
    fn not_in(&self, held: &ScopeOptions) -> Vec<String> {
        let mut named = Vec::new();
        if let Some(url) = self.attach.as_ref().filter(|_| self.attach != held.attach) {
            named.push(format!("attach {url}"));
        }
        if let Some(profile) = self.profile.as_ref().filter(|_| self.profile != held.profile) {
            named.push(format!("profile {profile}"));
        }
        if self.headed == Some(true) && held.headed != Some(true) {
            named.push("headed".to_owned());
        }
        if let Some(program) = self.executable.as_ref().filter(|_| self.executable != held.executable) {
            named.push(format!("browser {}", program.display()));
        }
        named
    }
}

/// Which browser.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum BrowserKey {
    /// One of ours for isolated contexts.
    Own { headed: Option<bool>, executable: Option<PathBuf> },
    /// The one that has this profile.
    Profile(String),
    /// One that already ran.
    Running(String),
}

/// A browser, and what it was started with.
struct Started {
    browser: Arc<Browser>,
    options: ScopeOptions,
}

/// The browsers and who uses them.
pub struct BrowserPool {
    config: PoolConfig,
    browsers: tokio::sync::Mutex<HashMap<BrowserKey, Started>>,
    scopes: Mutex<HashMap<ClientId, Arc<ScopeInner>>>,
    attaching: Arc<Attaching>,
    launched: AtomicU32,
    /// How many contexts are being opened; no browser is closed meanwhile, since it may be the one that they are for.
    opening: AtomicU32,
}

/// Counts as an opening until it is dropped.
struct Opening(Arc<BrowserPool>);

impl Opening {
    fn new(pool: &Arc<BrowserPool>) -> Self {
        pool.opening.fetch_add(1, Ordering::SeqCst);
        Opening(Arc::clone(pool))
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        self.0.opening.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A client's browser context and tabs. Clones are the same scope.
#[derive(Clone)]
pub struct Scope {
    inner: Arc<ScopeInner>,
}

struct ScopeInner {
    pool: Weak<BrowserPool>,
    client: ClientId,
    options: ScopeOptions,
    /// One opening at a time; held only while a browser starts, which others of this client wait for anyway.
    opening: tokio::sync::Mutex<()>,
    state: Mutex<ScopeState>,
    /// What the client hears of its tabs.
    feed: Arc<Feed>,
}

struct ScopeState {
    /// What the last call asked for and did not get.
    ignored: Vec<String>,
    /// What the browser was not started with, since another client was first.
    unmet: Vec<String>,
    space: Option<Arc<Space>>,
    /// The one before it, whose connection to a browser that still runs was lost: its handles stay valid.
    former: Option<Arc<Space>>,
    current: Option<TabId>,
    used: Instant,
    gone_since: Option<Instant>,
}

impl BrowserPool {
    /// An empty pool; what nobody uses any more is closed by a task that ends with it. Throw-away profiles that a
    /// killed process left behind are removed.
    #[must_use]
    pub fn new(config: PoolConfig) -> Arc<Self> {
        remove_leftovers(&config.ephemeral);
        let pool = Arc::new(BrowserPool {
            config,
            browsers: tokio::sync::Mutex::default(),
            scopes: Mutex::default(),
            attaching: Arc::default(),
            launched: AtomicU32::new(0),
            opening: AtomicU32::new(0),
        });
        tokio::spawn(tidy(Arc::downgrade(&pool)));
        pool
    }

    /// The scope of a client. The options of its first call hold until it is gone; a later call that names others is
    /// warned, see [`Scope::warnings`].
    #[must_use]
    pub fn scope(self: &Arc<Self>, client: &ClientId, options: ScopeOptions) -> Scope {
        let mut scopes = lock(&self.scopes);
        // What never led to a browser binds nobody.
        if scopes.get(client).is_some_and(|s| s.options != options && !s.begun() && !options.is_default()) {
            scopes.remove(client);
        }
        let wished = options.clone();
        let inner = scopes.entry(client.clone()).or_insert_with(|| {
            Arc::new(ScopeInner {
                pool: Arc::downgrade(self),
                client: client.clone(),
                options,
                opening: tokio::sync::Mutex::default(),
                state: Mutex::new(ScopeState {
                    ignored: Vec::new(),
                    unmet: Vec::new(),
                    space: None,
                    former: None,
                    current: None,
                    used: Instant::now(),
                    gone_since: None,
                }),
                feed: Arc::default(),
            })
        });
        let mut state = lock(&inner.state);
        state.used = Instant::now();
        state.gone_since = None;
        state.ignored = wished.not_in(&inner.options);
        drop(state);
        Scope { inner: Arc::clone(inner) }
    }

    /// The client's connection ended. A command-line session lives on; an MCP client's browser context is kept for a
    /// short grace and then closed.
    pub fn client_gone(&self, client: &ClientId) {
        if client.kind == ClientKind::Mcp
            && let Some(scope) = lock(&self.scopes).get(client)
        {
            scope.feed.end();
            let mut state = lock(&scope.state);
            state.gone_since = Some(Instant::now());
            if let Some(space) = &state.space {
                space.client_gone(client);
            }
        }
    }

    /// How many browsers run for somebody. One that already ran, and that nobody uses, does not count.
    pub async fn browsers(&self) -> usize {
        let browsers = self.browsers.lock().await;
        let in_use = self.in_use();
        browsers.iter().filter(|(key, running)| running.browser.ours || in_use.contains(key)).count()
    }

    /// The browsers in which a client has a context.
    fn in_use(&self) -> HashSet<BrowserKey> {
        let scopes = lock(&self.scopes);
        let open = |s: &&Arc<ScopeInner>| lock(&s.state).space.as_ref().is_some_and(|space| space.alive());
        scopes.values().filter(open).map(|s| s.options.browser()).collect()
    }

    /// Closes everything.
    pub async fn shutdown(&self) {
        lock(&self.scopes).clear();
        let browsers: Vec<Arc<Browser>> =
            self.browsers.lock().await.drain().map(|(_, running)| running.browser).collect();
        futures::future::join_all(browsers.iter().map(|b| b.close())).await;
    }

    /// A client's context, and which of its wishes its browser does not meet.
    async fn space(
        &self,
        ctx: &CallCtx,
        client: &ClientId,
        options: &ScopeOptions,
        former: Option<Arc<Space>>,
    ) -> Result<(Arc<Space>, Vec<String>), ErrorBody> {
        let (browser, unmet) = self.browser(ctx, options).await?;
        let (input, leases) = (self.config.input.clone(), self.config.leases);
        let space = match options.browser() {
            BrowserKey::Own { .. } => Space::open(ctx, &browser, true, input, leases, None).await?,
            BrowserKey::Profile(_) | BrowserKey::Running(_) => {
                browser.shared_space(ctx, client, &input, leases, former).await?
            }
        };
        Ok((space, unmet))
    }

    /// Whether a browser of these options runs that clients share, so that its tabs are there for the asking.
    async fn joins(&self, options: &ScopeOptions) -> bool {
        match options.browser() {
            BrowserKey::Own { .. } => false,
            // What is open in a browser that already runs is known once it is connected.
            BrowserKey::Running(_) => true,
            key @ BrowserKey::Profile(_) => {
                self.browsers.lock().await.get(&key).is_some_and(|running| running.browser.alive())
            }
        }
    }

    async fn browser(
        &self,
        ctx: &CallCtx,
        options: &ScopeOptions,
    ) -> Result<(Arc<Browser>, Vec<String>), ErrorBody> {
        let mut browsers = self.browsers.lock().await;
        if let Some(running) = browsers.get(&options.browser()).filter(|running| running.browser.alive()) {
            return Ok((Arc::clone(&running.browser), options.not_in(&running.options)));
        }
        std::fs::create_dir_all(&self.config.downloads).map_err(|e| {
            ErrorBody::new(
                ErrorCode::StoreFailed,
                format!("can't make the downloads folder {}: {e}", self.config.downloads.display()),
            )
        })?;
        let downloads = self.config.downloads.clone();
        if let Some(url) = &options.attach {
            // It may wait for a person there, and nobody else shall wait for that person here.
            drop(browsers);
            ctx.progress("connecting to the browser");
            let browser = self.attaching.browser(ctx, url, downloads).await?;
            let running = Started { browser: Arc::clone(&browser), options: options.clone() };
            self.browsers.lock().await.insert(options.browser(), running);
            self.attaching.done(url);
            return Ok((browser, Vec::new()));
        }
        ctx.progress("starting the browser");
        let named = options.executable.clone().or_else(|| self.config.find.named.clone());
        let executable = find_chromium(&FindOptions { named, path: self.config.find.path.clone() })?;
        let profile_dir = match &options.profile {
            Some(name) => self.config.profiles.join(name),
            None => {
                let number = self.launched.fetch_add(1, Ordering::Relaxed);
                self.config.ephemeral.join(format!("{}-{number}", std::process::id()))
            }
        };
        let launch = LaunchOptions {
            executable,
            profile_dir,
            headed: options.headed.unwrap_or(self.config.headed),
            no_sandbox: self.config.no_sandbox.unwrap_or_else(is_root),
            args: self.config.args.clone(),
        };
        let browser = Browser::start(ctx, &launch, downloads, options.profile.is_none()).await?;
        browser.downloading.limit(self.config.download_limits);
        let running = Started { browser: Arc::clone(&browser), options: options.clone() };
        browsers.insert(options.browser(), running);
        Ok((browser, Vec::new()))
    }

    /// Closes contexts whose clients are gone or idle, then browsers without a context.
    async fn close_unused(&self) {
        let now = Instant::now();
        let over: Vec<(ClientId, Arc<ScopeInner>)> = {
            let mut scopes = lock(&self.scopes);
            let ended: Vec<ClientId> = scopes
                .iter()
                .filter(|(client, scope)| {
                    let state = lock(&scope.state);
                    let vanished = state.gone_since.is_some_and(|since| now - since >= self.config.grace);
                    let idle = client.kind == ClientKind::Cli && now - state.used >= self.config.idle;
                    // A session without a tab needs no browser.
                    let closed = client.kind == ClientKind::Cli
                        && state.space.as_ref().is_some_and(|s| s.newest(client).is_none())
                        && now - state.used >= self.config.grace;
                    vanished || idle || closed
                })
                .map(|(client, _)| client.clone())
                .collect();
            ended.into_iter().filter_map(|client| scopes.remove_entry(&client)).collect()
        };
        for (client, scope) in over {
            let space = lock(&scope.state).space.take();
            if let Some(space) = space {
                tracing::info!("closing the browser context of {client}");
                space.dispose(&CallCtx::with_timeout(Duration::from_secs(3)), &client).await;
            }
        }
        let in_use = self.in_use();
        // A launch holds this lock, and a context on its way needs its browser: tidying waits for the next turn then.
        if self.opening.load(Ordering::SeqCst) > 0 {
            return;
        }
        let Ok(mut browsers) = self.browsers.try_lock() else { return };
        // The connection to one that already ran is kept: its person was asked whether to allow it, and would be asked
        // again for the next one.
        let unused = |key: &BrowserKey, running: &Started| {
            !running.browser.alive() || (running.browser.ours && !in_use.contains(key))
        };
        let closing: Vec<Arc<Browser>> = browsers
            .extract_if(|key, running| unused(key, running))
            .map(|(_, running)| running.browser)
            .collect();
        drop(browsers);
        for browser in closing {
            browser.close().await;
        }
    }
}

async fn tidy(pool: Weak<BrowserPool>) {
    loop {
        tokio::time::sleep(Duration::from_millis(250)).await;
        let Some(pool) = pool.upgrade() else { return };
        pool.close_unused().await;
    }
}

/// Removes throw-away profiles of processes that are gone.
fn remove_leftovers(folder: &std::path::Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|n| n.split('-').next()).and_then(|p| p.parse::<u32>().ok());
        let alive = pid.is_some_and(|pid| std::path::Path::new(&format!("/proc/{pid}")).exists());
        if !alive && let Err(error) = std::fs::remove_dir_all(entry.path()) {
            tracing::debug!("the left-over profile {} could not be removed: {error}", entry.path().display());
        }
    }
}

#[cfg(target_os = "linux")]
fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|m| m.uid() == 0)
}

#[cfg(not(target_os = "linux"))]
fn is_root() -> bool {
    false
}

impl ScopeInner {
    /// Whether it has a browser, had one, or is about to.
    fn begun(&self) -> bool {
        lock(&self.state).space.is_some() || self.opening.try_lock().is_err()
    }
}

impl Scope {
    /// What the call should know about the browser that it gets: options that it named, or that the session was started
    /// with, and that do not hold.
    #[must_use]
    pub fn warnings(&self) -> Vec<Warning> {
        let warning = |message: String| Warning { code: "BROWSER_OPTIONS_IGNORED".to_owned(), message };
        let mut state = lock(&self.inner.state);
        let mut warnings = Vec::new();
        if !state.ignored.is_empty() {
            let named = state.ignored.join(", ");
            warnings.push(warning(format!(
                "{named}: ignored, this session keeps the browser that it began with until its tabs are closed; \
                 another --session gets another browser"
            )));
        }
        // That stays as it is, so it is said once.
        let unmet = std::mem::take(&mut state.unmet);
        if !unmet.is_empty() {
            let named = unmet.join(", ");
            warnings.push(warning(format!(
                "{named}: ignored, the profile is open already, started without that by another client"
            )));
        }
        warnings
    }

    /// Waits for this client's turn to act on a tab. It then holds the tab, also after the call.
    ///
    /// # Errors
    /// `TAB_BUSY` with the holder, `TAB_CLOSED`, `CANCELLED`.
    pub async fn hold(&self, ctx: &CallCtx, id: TabId) -> Result<Option<Hold>, ErrorBody> {
        match self.open_space() {
            Some(space) => space.hold(ctx, id, &self.inner.client).await,
            None => Ok(None),
        }
    }

    /// Gives a tab up for others. Says who gets it now, when somebody waits.
    #[must_use]
    pub fn release(&self, id: TabId) -> Option<ClientId> {
        self.open_space()?.release(id, &self.inner.client)
    }

    /// Who this is the scope of.
    #[must_use]
    pub fn client(&self) -> &ClientId {
        &self.inner.client
    }

    pub(crate) fn touch(&self) {
        lock(&self.inner.state).used = Instant::now();
    }

    /// What the client hears of its tabs.
    pub(crate) fn feed(&self) -> &Arc<Feed> {
        &self.inner.feed
    }

    /// The space, if it is open and its browser lives.
    pub(crate) fn open_space(&self) -> Option<Arc<Space>> {
        lock(&self.inner.state).space.clone().filter(|s| s.alive())
    }

    /// The space, opened when it was not. A browser that died is reported once, so that nobody goes on as if its
    /// pages were still there.
    async fn space(&self, ctx: &CallCtx) -> Result<Arc<Space>, ErrorBody> {
        self.touch();
        if let Some(space) = self.open_space() {
            return Ok(space);
        }
        let _one = ctx.wait("the browser", self.inner.opening.lock()).await?;
        if let Some(space) = self.open_space() {
            return Ok(space);
        }
        if self.forget_lost() {
            return Err(ErrorBody::new(
                ErrorCode::BrowserGone,
                "the browser ended since the last call; its pages are lost",
            ));
        }
        let pool = self.inner.pool.upgrade();
        let pool =
            pool.ok_or_else(|| ErrorBody::new(ErrorCode::BrowserGone, "the product is shutting down"))?;
        let opening = Opening::new(&pool);
        let inner = &self.inner;
        let former = lock(&inner.state).former.clone();
        let opened = pool.space(ctx, &inner.client, &inner.options, former);
        let (space, unmet) = ctx.wait("the browser to start", opened).await??;
        space.hub().join(&inner.client, &inner.feed);
        let mut state = lock(&inner.state);
        state.space = Some(Arc::clone(&space));
        state.former = None;
        state.unmet = unmet;
        drop(state);
        drop(opening);
        Ok(space)
    }

    /// Whether its browser is one that others have open already.
    async fn joins(&self, ctx: &CallCtx) -> Result<bool, ErrorBody> {
        match self.inner.pool.upgrade() {
            Some(pool) => ctx.wait("the browser", pool.joins(&self.inner.options)).await,
            None => Ok(false),
        }
    }

    /// Whether the browser ended and nobody has been told yet.
    #[must_use]
    pub fn lost(&self) -> bool {
        lock(&self.inner.state).space.as_ref().is_some_and(|space| !space.alive())
    }

    /// Waits a moment for the end of a browser of which a call was told already: a tab hears of it before the
    /// connection as a whole has ended, and the loss is to be told once.
    pub async fn loss(&self) {
        let until = Instant::now() + LOSS_TIME;
        while self.open_space().is_some() && Instant::now() < until {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Whether its browser is one that somebody else runs.
    #[must_use]
    pub fn attached(&self) -> bool {
        self.inner.options.attach.is_some()
    }

    /// The caller has been told that the browser ended: the next call starts a new one.
    pub fn told_of_loss(&self) {
        self.forget_lost();
    }

    /// Lets go of a browser that is gone; true when its pages went with it. One that somebody else started lives on when
    /// only the connection was lost: the next call connects again and finds its tabs under their old handles.
    fn forget_lost(&self) -> bool {
        let mut state = lock(&self.inner.state);
        let Some(lost) = state.space.take_if(|space| !space.alive()) else { return false };
        if self.inner.options.attach.is_some() {
            state.former = Some(lost);
            return false;
        }
        state.current = None;
        true
    }

    /// The tab that a call acts on: the named one, else the client's current one, else a new empty one.
    ///
    /// # Errors
    /// `UNKNOWN_TAB`, `TAB_CLOSED`, and those of starting a browser.
    pub async fn tab(&self, ctx: &CallCtx, id: Option<TabId>) -> Result<Tab, ErrorBody> {
        if let Some(id) = id
            && self.open_space().is_none()
            && lock(&self.inner.state).space.is_none()
            && !self.joins(ctx).await?
        {
            return Err(ErrorBody::new(
                ErrorCode::UnknownTab,
                format!("there is no tab {id}: no browser is open yet"),
            )
            .next("leave tab_id out, or open a tab with browser_new_tab"));
        }
        let space = self.space(ctx).await?;
        let client = &self.inner.client;
        let mine = |tab: Tab| tab.read_by(space.reader(client));
        if let Some(id) = id {
            return space.tab(ctx, id).await.map(mine);
        }
        let current = lock(&self.inner.state).current;
        if let Some(current) = current {
            if space.has(current) {
                return space.tab(ctx, current).await.map(mine);
            }
            // The page that the caller believes to be on is gone; acting on another one would be a surprise.
            lock(&self.inner.state).current = space.newest(client);
            return Err(ErrorBody::new(
                ErrorCode::TabClosed,
                format!("your current tab {current} was closed"),
            )
            .next("call again to go on in the newest tab, or open one with browser_new_tab"));
        }
        let tab = match space.newest(client) {
            Some(id) => space.tab(ctx, id).await?,
            None => space.open_tab(ctx, client).await?,
        };
        lock(&self.inner.state).current = Some(tab.id());
        Ok(mine(tab))
    }

    /// The tab that a call would act on, if it is open and attached; starts nothing.
    #[must_use]
    pub fn tab_if_open(&self, id: Option<TabId>) -> Option<Tab> {
        let space = self.open_space()?;
        let client = &self.inner.client;
        let id = id.or(lock(&self.inner.state).current).or_else(|| space.newest(client))?;
        space.attached(id).map(|tab| tab.read_by(space.reader(client)))
    }

    /// Opens a tab, makes it current, and goes to an address when one is given. When that fails the tab is closed again
    /// and the current one stays.
    ///
    /// # Errors
    /// Those of starting a browser and of [`Tab::navigate`].
    pub async fn open_tab(
        &self,
        ctx: &CallCtx,
        url: Option<&str>,
        observe: &Observe,
    ) -> Result<(Tab, Acted), ErrorBody> {
        let space = self.space(ctx).await?;
        let tab = space.open_tab(ctx, &self.inner.client).await?;
        let _hold = space.hold(ctx, tab.id(), &self.inner.client).await?;
        let acted = match url {
            Some(url) => match tab.navigate(ctx, url, observe).await {
                Ok(acted) => acted,
                Err(error) => {
                    // An error page that nobody asked for is no tab to go on in.
                    space.close_tab(&CallCtx::with_timeout(Duration::from_secs(2)), tab.id()).await?;
                    return Err(error);
                }
            },
            None => Acted::default(),
        };
        lock(&self.inner.state).current = Some(tab.id());
        Ok((tab.read_by(space.reader(&self.inner.client)), acted))
    }

    /// Closes a tab: the named one or the current one. The newest of the others becomes current.
    ///
    /// # Errors
    /// `UNKNOWN_TAB`, `TAB_CLOSED`, `TAB_BUSY` when another client holds it.
    pub async fn close_tab(&self, ctx: &CallCtx, id: Option<TabId>) -> Result<TabInfo, ErrorBody> {
        self.touch();
        let space = self.open_space();
        let space = space.ok_or_else(|| ErrorBody::new(ErrorCode::UnknownTab, "no tab is open"))?;
        let client = &self.inner.client;
        let current = lock(&self.inner.state).current;
        let id = id.or(current).or_else(|| space.newest(client));
        let id = id.ok_or_else(|| ErrorBody::new(ErrorCode::UnknownTab, "no tab is open"))?;
        let info = space.list(current).into_iter().find(|t| t.tab_id == id);
        // Naming an unknown tab gives the same errors as acting on it.
        let Some(info) = info else { return space.tab(ctx, id).await.map(|t| t.info()) };
        let _hold = space.hold(ctx, id, client).await?;
        space.close_tab(ctx, id).await?;
        if current == Some(id) {
            lock(&self.inner.state).current = space.newest(client);
        }
        Ok(info)
    }

    /// The client's tabs.
    ///
    /// # Errors
    /// Those of connecting to a browser that already runs; one that is not started has no tabs.
    pub async fn list_tabs(&self, ctx: &CallCtx) -> Result<Vec<TabInfo>, ErrorBody> {
        self.touch();
        if self.open_space().is_none() && self.joins(ctx).await? {
            self.space(ctx).await?;
        }
        ctx.check("the tabs")?;
        let current = lock(&self.inner.state).current;
        Ok(self.open_space().map(|space| space.list(current)).unwrap_or_default())
    }

    /// Makes a tab current.
    ///
    /// # Errors
    /// `UNKNOWN_TAB` when it is not open.
    pub fn select_tab(&self, id: TabId) -> Result<TabInfo, ErrorBody> {
        self.touch();
        let info = self.open_space().and_then(|s| s.list(Some(id)).into_iter().find(|t| t.tab_id == id));
        let info =
            info.ok_or_else(|| ErrorBody::new(ErrorCode::UnknownTab, format!("there is no tab {id}")))?;
        lock(&self.inner.state).current = Some(id);
        Ok(info)
    }
}
