//! From names to addresses.

use std::io;
use std::net::SocketAddr;
use truehand_base::BoxFuture;

/// Finds the addresses of a host.
pub trait Resolve: Send + Sync {
    /// All addresses, in the order in which they are tried.
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>>;
}

/// As the system does it.
#[derive(Debug, Clone, Copy, Default)]
pub struct System;

impl Resolve for System {
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> BoxFuture<'a, io::Result<Vec<SocketAddr>>> {
        Box::pin(async move { Ok(tokio::net::lookup_host((host, port)).await?.collect()) })
    }
}
