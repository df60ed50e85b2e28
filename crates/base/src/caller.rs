//! The one door: every face and every script acts through it.

use crate::{Call, CallCtx, Catalog, Outcome};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

/// A boxed future that can move between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Anything that takes calls: the engine, or a connection to the daemon that holds one.
pub trait Caller: Send + Sync {
    /// Runs one call to its end. Failures are outcomes, so nothing is lost on the way.
    fn call<'a>(&'a self, ctx: &'a CallCtx, call: Call) -> BoxFuture<'a, Outcome>;

    /// The tools that can be called now, in table order.
    fn catalog(&self) -> Arc<Catalog>;
}
