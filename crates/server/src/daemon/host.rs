//! What the daemon needs of the thing that it keeps alive: the engine, or a small one in tests.

use super::protocol::ClientOptions;
use tokio::sync::watch;
use truehand_base::{BoxFuture, Caller, ClientId, ErrorBody};

/// A [`Caller`] with clients that come and go and browsers that must not outlive it.
pub trait Host: Caller {
    /// A client has come, or has come back with other wishes.
    ///
    /// # Errors
    /// When the client can't be served as it wishes; it is told so.
    fn client_came<'a>(
        &'a self,
        client: &'a ClientId,
        options: ClientOptions,
    ) -> BoxFuture<'a, Result<(), ErrorBody>>;

    /// An MCP connection has ended and with it the client: what only it used can go.
    fn client_gone<'a>(&'a self, client: &'a ClientId) -> BoxFuture<'a, ()>;

    /// How many browsers are open.
    fn open_browsers(&self) -> usize;

    /// How many scopes of scripts are open; they keep the daemon as a browser does.
    fn open_scopes(&self) -> usize {
        0
    }

    /// Changes whenever the list of tools may have changed.
    fn catalog_changes(&self) -> watch::Receiver<u64>;

    /// Closes everything; no call comes after it.
    fn close(&self) -> BoxFuture<'_, ()>;
}

/// The names of the tools that a caller lists now.
pub(crate) fn listed_names(caller: &dyn Caller) -> Vec<String> {
    caller.catalog().tools.iter().filter(|tool| tool.listed).map(|tool| tool.name.clone()).collect()
}
