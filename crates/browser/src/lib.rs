//! Drives Chromium: launch and attach, isolated contexts, tabs, frames, input, network, and the measured effect.
//!
//! Invariants:
//! - No lock is held across an await on the browser; a slow or wedged tab stops nobody else.
//! - One pump a tab takes its events, lossless and in order, and awaits nothing else.
//! - JavaScript is never built from strings: page functions are called by name, with values, in an isolated world
//!   that the page can't see or touch.
//! - The verdict on an action comes from what was counted, never from the dispatch.
//! - A target that is not a page of the client's own context can't be named.

mod attach;
mod browser;
mod cookies;
mod download;
mod errors;
mod feed;
mod find;
mod front;
mod input;
mod launch;
mod lease;
mod listen;
mod options;
mod pool;
mod refs;
mod space;
mod tab;
mod target;

pub use cookies::{CookieToStore, StoredCookie};
pub use download::DownloadLimits;
pub use find::{FindOptions, find_chromium};
pub use input::InputSettings;
pub use launch::LaunchOptions;
pub use lease::{Hold, LeaseTimes};
pub use listen::{Events, Listen, Shown};
pub use options::{
    Acted, ClickOptions, Condition, Covers, Described, DragOptions, Goal, InputMode, MouseButton, Observe,
    ReadOptions, Reading, ScrollBy, Shot, ShotOptions, TabInfo, TypeOptions, Way,
};
pub use pool::{BrowserPool, PoolConfig, Scope, ScopeOptions};
pub use tab::{
    Answer, Answered, CdpMethod, Changes, Found, Handle, HeldRequest, InputStep, Judged, Lane, LaneGuard,
    PageCall, PageScript, Returns, Search, Tab, cdp_method,
};
pub use target::Target;
