//! One browser pool and one site for a test; a client and so an isolated context each.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use truehand_base::{CallCtx, ClientId, ClientKind};
use truehand_browser::{BrowserPool, FindOptions, Observe, PoolConfig, Scope, ScopeOptions, Tab};
use truehand_testkit::Site;

pub struct World {
    pub pool: Arc<BrowserPool>,
    pub site: Site,
    /// Removed with the world.
    folder: tempfile::TempDir,
    clients: AtomicU32,
}

impl World {
    pub async fn new() -> World {
        World::with(|_| {}).await
    }

    pub async fn with(change: impl FnOnce(&mut PoolConfig)) -> World {
        let folder = tempfile::tempdir().expect("temporary folder");
        let mut config = PoolConfig::under(folder.path());
        config.find = FindOptions { named: Some(truehand_testkit::chromium()), path: None };
        change(&mut config);
        World {
            pool: BrowserPool::new(config),
            site: Site::start().await,
            folder,
            clients: AtomicU32::new(0),
        }
    }

    /// The folder of downloads.
    pub fn downloads(&self) -> std::path::PathBuf {
        self.folder.path().join("downloads")
    }

    pub fn client(&self) -> ClientId {
        let number = self.clients.fetch_add(1, Ordering::Relaxed);
        ClientId { kind: ClientKind::Mcp, name: format!("test-{number}") }
    }

    pub fn scope(&self) -> Scope {
        self.pool.scope(&self.client(), ScopeOptions::default())
    }

    /// A tab of a new client on a page of the site.
    pub async fn open(&self, path: &str) -> Tab {
        let ctx = ctx();
        let url = self.site.url(path);
        let (tab, _) = self.scope().open_tab(&ctx, Some(&url), &Observe::default()).await.expect("opened");
        tab
    }
}

pub fn ctx() -> CallCtx {
    CallCtx::with_timeout(Duration::from_secs(40))
}
