//! The engine as the daemon's host.

use std::sync::Arc;
use tokio::sync::watch;
use truehand_base::{BoxFuture, Call, CallCtx, Caller, Catalog, ClientId, ErrorBody, Outcome};
use truehand_engine::Engine;
use truehand_server::daemon::{ClientOptions, Host};

/// An engine that the daemon keeps alive.
pub(crate) struct EngineHost(pub(crate) Arc<Engine>);

impl Caller for EngineHost {
    fn call<'a>(&'a self, ctx: &'a CallCtx, call: Call) -> BoxFuture<'a, Outcome> {
        self.0.call(ctx, call)
    }

    fn catalog(&self) -> Arc<Catalog> {
        self.0.catalog()
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
        Box::pin(std::future::ready(self.0.client_connected(client, options)))
    }

    fn client_gone<'a>(&'a self, client: &'a ClientId) -> BoxFuture<'a, ()> {
        self.0.client_gone(client);
        Box::pin(std::future::ready(()))
    }

    fn open_browsers(&self) -> usize {
        self.0.open_browsers()
    }

    fn catalog_changes(&self) -> watch::Receiver<u64> {
        self.0.catalog_changed()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.0.shutdown())
    }
}
