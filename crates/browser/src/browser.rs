//! One browser process, or one that already ran: its connection, its contexts, its downloads, its end.

use crate::download::{Downloads, begin_download, progress_download};
use crate::errors::from_cdp;
use crate::input::InputSettings;
use crate::launch::{LaunchOptions, launch};
use crate::lease::LeaseTimes;
use crate::space::Space;
use crate::tab::lock;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;
use tokio::process::Child;
use truehand_base::{CallCtx, ClientId, ErrorBody, TabId};
use truehand_cdp::{self as cdp, Connection, Event, EventStream};

/// How long a tab that a page opened is tried to be attached to.
const POPUP_TIME: Duration = Duration::from_secs(5);

/// A browser that is connected.
pub(crate) struct Browser {
    pub connection: Connection,
    pub headed: bool,
    pub downloads: PathBuf,
    /// Those that are under way.
    pub downloading: Downloads,
    /// Whether its process is ours to end.
    pub ours: bool,
    child: Mutex<Option<Child>>,
    /// A profile folder that goes with the browser.
    ephemeral: Option<PathBuf>,
    spaces: Mutex<Vec<Weak<Space>>>,
    /// The default context, which all who ask for it share. Held while it is opened, so that there is one.
    shared: tokio::sync::Mutex<Weak<Space>>,
}

impl Browser {
    /// Starts one.
    pub async fn start(
        ctx: &CallCtx,
        options: &LaunchOptions,
        downloads: PathBuf,
        ephemeral: bool,
    ) -> Result<Arc<Browser>, ErrorBody> {
        let launched = launch(ctx, options).await?;
        let browser = Arc::new(Browser {
            connection: launched.connection,
            headed: options.headed,
            downloads,
            downloading: Downloads::default(),
            ours: true,
            child: Mutex::new(Some(launched.child)),
            ephemeral: ephemeral.then(|| options.profile_dir.clone()),
            spaces: Mutex::default(),
            shared: tokio::sync::Mutex::default(),
        });
        browser.ready(ctx, launched.events).await?;
        Ok(browser)
    }

    /// Connects to one that runs, by the WebSocket address of its DevTools.
    pub async fn connect(ctx: &CallCtx, url: &str, downloads: PathBuf) -> Result<Arc<Browser>, ErrorBody> {
        let (connection, events) = Connection::websocket(ctx, url)
            .await
            .map_err(|e| {
                ErrorBody::new(truehand_base::ErrorCode::BrowserGone, format!("can't connect to {url}: {e}"))
                    .next("start the browser with --remote-debugging-port=0 and a profile folder of its own, and pass the ws:// address that it prints")
            })?;
        let browser = Arc::new(Browser {
            connection,
            headed: true,
            downloads,
            downloading: Downloads::default(),
            ours: false,
            child: Mutex::default(),
            ephemeral: None,
            spaces: Mutex::default(),
            shared: tokio::sync::Mutex::default(),
        });
        browser.ready(ctx, events).await?;
        Ok(browser)
    }

    async fn ready(self: &Arc<Self>, ctx: &CallCtx, events: EventStream) -> Result<(), ErrorBody> {
        tokio::spawn(pump(Arc::downgrade(self), events));
        let discover = cdp::target::SetDiscoverTargets { discover: true, filter: None };
        self.connection.browser().send(ctx, discover).await.map_err(from_cdp)?;
        Ok(())
    }

    pub fn add_space(&self, space: &Arc<Space>) {
        let mut spaces = lock(&self.spaces);
        spaces.retain(|s| s.strong_count() > 0);
        spaces.push(Arc::downgrade(space));
    }

    /// The shared default context, opened when nobody is in it; the client has joined it. Tabs that a former one knew
    /// keep their handles.
    pub async fn shared_space(
        self: &Arc<Self>,
        ctx: &CallCtx,
        client: &ClientId,
        input: &InputSettings,
        leases: LeaseTimes,
        former: Option<Arc<Space>>,
    ) -> Result<Arc<Space>, ErrorBody> {
        let mut shared = ctx.wait("the browser", self.shared.lock()).await?;
        if let Some(space) = shared.upgrade().filter(|space| space.join(client)) {
            return Ok(space);
        }
        let space = Space::open(ctx, self, false, input.clone(), leases, former).await?;
        space.join(client);
        *shared = Arc::downgrade(&space);
        Ok(space)
    }

    /// The contexts of this browser that are in use.
    pub fn spaces(&self) -> Vec<Arc<Space>> {
        lock(&self.spaces).iter().filter_map(Weak::upgrade).collect()
    }

    /// Whether it is still there.
    pub fn alive(&self) -> bool {
        !self.connection.is_closed()
    }

    /// Ends a browser of ours, politely first; lets go of one that is not.
    pub async fn close(&self) {
        if self.ours && self.alive() {
            let ctx = CallCtx::with_timeout(Duration::from_secs(2));
            // The answer may not come: the browser is already on its way out.
            drop(self.connection.browser().send(&ctx, cdp::browser::Close::default()).await);
        }
        let child = lock(&self.child).take();
        if let Some(mut child) = child {
            let ended = tokio::time::timeout(Duration::from_secs(3), child.wait()).await;
            if ended.is_err() {
                tracing::warn!("the browser did not end by itself and was killed");
                drop(child.kill().await);
            }
        }
        self.connection.close();
        self.remove_profile();
    }

    fn remove_profile(&self) {
        if let Some(folder) = &self.ephemeral
            && let Err(error) = std::fs::remove_dir_all(folder)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            tracing::debug!("the throw-away profile {} could not be removed: {error}", folder.display());
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The child is killed with its handle; what is left of its files goes too.
        self.connection.close();
        let child = lock(&self.child).take();
        if let Some(mut child) = child {
            drop(child.start_kill());
        }
        self.remove_profile();
    }
}

/// Takes the events of the browser as a whole until it ends.
async fn pump(browser: Weak<Browser>, mut events: EventStream) {
    while let Some(event) = events.next().await {
        let Some(browser) = browser.upgrade() else { return };
        handle(&browser, &event);
    }
    if let Some(browser) = browser.upgrade() {
        for space in browser.spaces() {
            space.browser_gone();
        }
        browser.downloading.remove_parts(&browser.downloads);
    }
}

/// Attaches to a tab that a page of ours has just opened: both share one script thread, and a dialog of a tab that
/// nobody is attached to could not be answered.
async fn attach_popup(space: Arc<Space>, id: TabId) {
    if let Err(error) = space.tab(&CallCtx::with_timeout(POPUP_TIME), id).await {
        // It may be gone already, as one is that only began a download.
        tracing::debug!("the tab {id} that a page opened could not be attached to: {error}");
    }
}

fn handle(browser: &Arc<Browser>, event: &Event) {
    if let Some(Ok(e)) = event.parse::<cdp::target::TargetCreated>() {
        for space in browser.spaces() {
            if let Some(popup) = space.target_created(&e.target_info) {
                tokio::spawn(attach_popup(space, popup));
            }
        }
    } else if let Some(Ok(e)) = event.parse::<cdp::target::TargetInfoChanged>() {
        for space in browser.spaces() {
            space.target_changed(&e.target_info);
        }
    } else if let Some(Ok(e)) = event.parse::<cdp::target::TargetDestroyed>() {
        for space in browser.spaces() {
            space.target_destroyed(&e.target_id);
        }
    } else if let Some(Ok(e)) = event.parse::<cdp::browser::DownloadWillBegin>() {
        begin_download(browser, &e);
    } else if let Some(Ok(e)) = event.parse::<cdp::browser::DownloadProgress>() {
        progress_download(browser, e);
    }
}
