//! A thin Chrome DevTools Protocol client: two transports, flat sessions, hand-picked types.
//!
//! One task owns a connection. It takes a closed set of inputs and waits for nothing else, so a slow caller
//! or a wedged page never holds up anybody else's messages. What holds always:
//!
//! - Events reach their stream complete and in wire order; nothing is dropped because a reader is slow.
//! - A pending call is failed by the event that makes an answer impossible (detach, crash, end of the
//!   transport), never left to a timeout: Chromium does not answer it.
//! - What Chromium sends can't stop the task: what is not understood is traced and skipped.
//! - Contents of messages are never traced, because they hold what people type.

mod connection;
pub mod domains;
mod error;
mod event;
mod ids;
mod json;
mod protocol;
mod session;
mod task;
mod transport;

pub use connection::Connection;
pub use domains::{
    browser, dom, emulation, fetch, input, inspector, log, network, page, runtime, storage, target,
};
pub use error::CdpError;
pub use event::{Event, EventStream};
pub use ids::{
    BackendNodeId, BrowserContextId, ExecutionContextId, FrameId, LoaderId, RemoteObjectId, RequestId,
    SessionId, TargetId,
};
pub use protocol::{CdpEvent, Command, Empty};
pub use session::{Pending, Session};
pub use task::MARK;
