//! The engine as the daemon's host.

use std::path::PathBuf;
use std::sync::{Arc, Weak};
use tokio::sync::watch;
use truehand_base::{BoxFuture, Call, CallCtx, Caller, Catalog, ClientId, ErrorBody, Outcome, Scripts};
use truehand_engine::{Engine, EngineConfig};
use truehand_script::host::{HostConfig, ScriptHost};
use truehand_server::daemon::{ClientOptions, Host, VERSION};

/// The hidden argument that makes this program the worker of a scope.
pub(crate) const WORKER: &str = "script-worker";

/// An engine that the daemon keeps alive, and the scopes that script it.
pub(crate) struct EngineHost {
    engine: Arc<Engine>,
    scripts: Arc<ScriptHost>,
}

impl EngineHost {
    /// Puts the two together: the engine gives scripts to the scopes, and their calls come back through its door.
    ///
    /// # Errors
    /// As [`Engine::new`].
    pub(crate) fn new(mut config: EngineConfig, program: PathBuf) -> Result<Self, ErrorBody> {
        let pdf_worker = program.clone();
        // Also when an upgrade has replaced the file meanwhile, the worker is of this very program.
        let own = PathBuf::from("/proc/self/exe");
        let program = if own.exists() { own } else { program };
        let (home, arguments) = (config.home.root().to_owned(), vec![WORKER.into()]);
        let scripts = ScriptHost::new(HostConfig::new(home, program, arguments, VERSION));
        config.pdf_worker = Some(pdf_worker);
        config.scripts = Arc::clone(&scripts) as Arc<dyn Scripts>;
        let engine = Engine::new(config)?;
        let caller: Weak<Engine> = Arc::downgrade(&engine);
        scripts.serve(caller);
        Ok(EngineHost { engine, scripts })
    }
}

impl Caller for EngineHost {
    fn call<'a>(&'a self, ctx: &'a CallCtx, call: Call) -> BoxFuture<'a, Outcome> {
        self.engine.call(ctx, call)
    }

    fn catalog(&self) -> Arc<Catalog> {
        self.engine.catalog()
    }
}

impl Host for EngineHost {
    fn client_came<'a>(
        &'a self,
        client: &'a ClientId,
        options: ClientOptions,
    ) -> BoxFuture<'a, Result<(), ErrorBody>> {
        let browser = truehand_engine::BrowserChoice {
            headed: options.browser.headed,
            profile: options.browser.profile,
            attach: options.browser.attach,
            executable: options.browser.executable,
        };
        let options = truehand_engine::ClientOptions {
            working_dir: options.working_dir,
            allow: options.allow,
            browser,
            trace: options.trace,
        };
        Box::pin(std::future::ready(self.engine.client_connected(client, options)))
    }

    fn client_gone<'a>(&'a self, client: &'a ClientId) -> BoxFuture<'a, ()> {
        self.engine.client_gone(client);
        Box::pin(std::future::ready(()))
    }

    fn open_browsers(&self) -> usize {
        self.engine.open_browsers()
    }

    fn open_scopes(&self) -> usize {
        self.scripts.open_scopes()
    }

    fn catalog_changes(&self) -> watch::Receiver<u64> {
        self.engine.catalog_changed()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.engine.shutdown())
    }
}
