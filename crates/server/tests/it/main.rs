//! The socket and MCP with real sockets and streams, over a small caller of the tests' own.

#![expect(clippy::unwrap_used, reason = "a test ends at the first thing that goes wrong")]

mod conformance;
mod daemon;
mod host;
mod http;
mod http_attacks;
mod mcp;
mod suite_server;
mod web;
