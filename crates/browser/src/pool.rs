//! Which browsers run, for whom, and until when.

use crate::browser::Browser;
use crate::find::{FindOptions, find_chromium};
use crate::input::InputSettings;
use crate::launch::LaunchOptions;
use crate::options::{Acted, Observe, TabInfo};
use crate::space::Space;
use crate::tab::{Tab, lock};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};
use truehand_base::{CallCtx, ClientId, ClientKind, ErrorBody, ErrorCode, TabId};

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
        }
    }
}

/// What a client wants of its browser.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
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

/// The browsers and who uses them.
pub struct BrowserPool {
    config: PoolConfig,
    browsers: tokio::sync::Mutex<HashMap<ScopeOptions, Arc<Browser>>>,
    scopes: Mutex<HashMap<ClientId, Arc<ScopeInner>>>,
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
}

struct ScopeState {
    space: Option<Arc<Space>>,
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
            launched: AtomicU32::new(0),
            opening: AtomicU32::new(0),
        });
        tokio::spawn(tidy(Arc::downgrade(&pool)));
        pool
    }

    /// The scope of a client. The options of its first call hold until it is gone.
    #[must_use]
    pub fn scope(self: &Arc<Self>, client: &ClientId, options: ScopeOptions) -> Scope {
        let mut scopes = lock(&self.scopes);
        let inner = scopes.entry(client.clone()).or_insert_with(|| {
            Arc::new(ScopeInner {
                pool: Arc::downgrade(self),
                client: client.clone(),
                options,
                opening: tokio::sync::Mutex::default(),
                state: Mutex::new(ScopeState {
                    space: None,
                    current: None,
                    used: Instant::now(),
                    gone_since: None,
                }),
            })
        });
        let mut state = lock(&inner.state);
        state.used = Instant::now();
        state.gone_since = None;
        drop(state);
        Scope { inner: Arc::clone(inner) }
    }

    /// The client's connection ended. A command-line session lives on; an MCP client's browser context is kept for a
    /// short grace and then closed.
    pub fn client_gone(&self, client: &ClientId) {
        if client.kind == ClientKind::Mcp
            && let Some(scope) = lock(&self.scopes).get(client)
        {
            lock(&scope.state).gone_since = Some(Instant::now());
        }
    }

    /// How many browsers run.
    pub async fn browsers(&self) -> usize {
        self.browsers.lock().await.len()
    }

    /// Closes everything.
    pub async fn shutdown(&self) {
        lock(&self.scopes).clear();
        let browsers: Vec<Arc<Browser>> = self.browsers.lock().await.drain().map(|(_, b)| b).collect();
        futures::future::join_all(browsers.iter().map(|b| b.close())).await;
    }

    async fn space(&self, ctx: &CallCtx, options: &ScopeOptions) -> Result<Arc<Space>, ErrorBody> {
        let shared = options.profile.is_some() || options.attach.is_some();
        let browser = self.browser(ctx, options).await?;
        Space::open(ctx, &browser, !shared, self.config.input.clone()).await
    }

    async fn browser(&self, ctx: &CallCtx, options: &ScopeOptions) -> Result<Arc<Browser>, ErrorBody> {
        let mut browsers = self.browsers.lock().await;
        if let Some(browser) = browsers.get(options).filter(|b| b.alive()) {
            return Ok(Arc::clone(browser));
        }
        std::fs::create_dir_all(&self.config.downloads).map_err(|e| {
            ErrorBody::new(
                ErrorCode::StoreFailed,
                format!("can't make the downloads folder {}: {e}", self.config.downloads.display()),
            )
        })?;
        let downloads = self.config.downloads.clone();
        ctx.progress("starting the browser");
        let browser = if let Some(url) = &options.attach {
            Browser::connect(ctx, url, downloads).await?
        } else {
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
            Browser::start(ctx, &launch, downloads, options.profile.is_none()).await?
        };
        browsers.insert(options.clone(), Arc::clone(&browser));
        Ok(browser)
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
                        && state.space.as_ref().is_some_and(|s| s.newest().is_none())
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
                space.dispose(&CallCtx::with_timeout(Duration::from_secs(3))).await;
            }
        }
        let in_use: Vec<ScopeOptions> = lock(&self.scopes)
            .values()
            .filter(|s| lock(&s.state).space.as_ref().is_some_and(|space| space.alive()))
            .map(|s| s.options.clone())
            .collect();
        // A launch holds this lock, and a context on its way needs its browser: tidying waits for the next turn then.
        if self.opening.load(Ordering::SeqCst) > 0 {
            return;
        }
        let Ok(mut browsers) = self.browsers.try_lock() else { return };
        let unused: Vec<ScopeOptions> = browsers
            .iter()
            .filter(|(o, b)| !b.alive() || !in_use.contains(o))
            .map(|(o, _)| o.clone())
            .collect();
        let closing: Vec<Arc<Browser>> = unused.iter().filter_map(|o| browsers.remove(o)).collect();
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

impl Scope {
    /// Who this is the scope of.
    #[must_use]
    pub fn client(&self) -> &ClientId {
        &self.inner.client
    }

    fn touch(&self) {
        lock(&self.inner.state).used = Instant::now();
    }

    /// The space, if it is open and its browser lives.
    fn open_space(&self) -> Option<Arc<Space>> {
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
        let lost = {
            let mut state = lock(&self.inner.state);
            state.current = None;
            state.space.take().is_some()
        };
        if lost {
            return Err(ErrorBody::new(
                ErrorCode::BrowserGone,
                "the browser ended since the last call; its pages are lost",
            ));
        }
        let pool = self.inner.pool.upgrade();
        let pool =
            pool.ok_or_else(|| ErrorBody::new(ErrorCode::BrowserGone, "the product is shutting down"))?;
        let opening = Opening::new(&pool);
        let space = ctx.wait("the browser to start", pool.space(ctx, &self.inner.options)).await??;
        lock(&self.inner.state).space = Some(Arc::clone(&space));
        drop(opening);
        Ok(space)
    }

    /// Whether the browser ended and nobody has been told yet.
    #[must_use]
    pub fn lost(&self) -> bool {
        lock(&self.inner.state).space.as_ref().is_some_and(|space| !space.alive())
    }

    /// The caller has been told that the browser ended: the next call starts a new one.
    pub fn told_of_loss(&self) {
        let mut state = lock(&self.inner.state);
        if state.space.as_ref().is_some_and(|space| !space.alive()) {
            state.space = None;
            state.current = None;
        }
    }

    /// The tab that a call acts on: the named one, else the client's current one, else a new empty one.
    ///
    /// # Errors
    /// `UNKNOWN_TAB`, `TAB_CLOSED`, and those of starting a browser.
    pub async fn tab(&self, ctx: &CallCtx, id: Option<TabId>) -> Result<Tab, ErrorBody> {
        if let Some(id) = id
            && self.open_space().is_none()
            && lock(&self.inner.state).space.is_none()
        {
            return Err(ErrorBody::new(
                ErrorCode::UnknownTab,
                format!("there is no tab {id}: no browser is open yet"),
            )
            .next("leave tab_id out, or open a tab with browser_new_tab"));
        }
        let space = self.space(ctx).await?;
        if let Some(id) = id {
            return space.tab(ctx, id).await;
        }
        let current = lock(&self.inner.state).current;
        if let Some(current) = current {
            if space.has(current) {
                return space.tab(ctx, current).await;
            }
            // The page that the caller believes to be on is gone; acting on another one would be a surprise.
            lock(&self.inner.state).current = space.newest();
            return Err(ErrorBody::new(
                ErrorCode::TabClosed,
                format!("your current tab {current} was closed"),
            )
            .next("call again to go on in the newest tab, or open one with browser_new_tab"));
        }
        let tab = match space.newest() {
            Some(id) => space.tab(ctx, id).await?,
            None => space.open_tab(ctx).await?,
        };
        lock(&self.inner.state).current = Some(tab.id());
        Ok(tab)
    }

    /// The tab that a call would act on, if it is open and attached; starts nothing.
    #[must_use]
    pub fn tab_if_open(&self, id: Option<TabId>) -> Option<Tab> {
        let space = self.open_space()?;
        let id = id.or(lock(&self.inner.state).current).or_else(|| space.newest())?;
        space.attached(id)
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
        let tab = space.open_tab(ctx).await?;
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
        Ok((tab, acted))
    }

    /// Closes a tab: the named one or the current one. The newest of the others becomes current.
    ///
    /// # Errors
    /// `UNKNOWN_TAB`, `TAB_CLOSED`.
    pub async fn close_tab(&self, ctx: &CallCtx, id: Option<TabId>) -> Result<TabInfo, ErrorBody> {
        self.touch();
        let space = self.open_space();
        let space = space.ok_or_else(|| ErrorBody::new(ErrorCode::UnknownTab, "no tab is open"))?;
        let current = lock(&self.inner.state).current;
        let id = id.or(current).or_else(|| space.newest());
        let id = id.ok_or_else(|| ErrorBody::new(ErrorCode::UnknownTab, "no tab is open"))?;
        let info = space.list(current).into_iter().find(|t| t.tab_id == id);
        // Naming an unknown tab gives the same errors as acting on it.
        let Some(info) = info else { return space.tab(ctx, id).await.map(|t| t.info()) };
        space.close_tab(ctx, id).await?;
        if current == Some(id) {
            lock(&self.inner.state).current = space.newest();
        }
        Ok(info)
    }

    /// The client's tabs.
    ///
    /// # Errors
    /// Those of connecting to a browser that already runs; one that is not started has no tabs.
    pub async fn list_tabs(&self, ctx: &CallCtx) -> Result<Vec<TabInfo>, ErrorBody> {
        self.touch();
        if self.inner.options.attach.is_some() {
            // What is open in a browser that already runs is known once it is connected.
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
