//! The domains of the protocol that are in use: only commands, events and fields that are needed, written by
//! hand, open to values that are not known here.

pub mod browser;
pub mod dom;
pub mod emulation;
pub mod fetch;
pub mod input;
pub mod inspector;
pub mod log;
pub mod network;
pub mod page;
pub mod runtime;
pub mod storage;
pub mod target;

/// Every command that has a type, so that a test can prove each on a real browser.
pub const COMMANDS: &[&[&str]] = &[
    browser::COMMANDS,
    dom::COMMANDS,
    emulation::COMMANDS,
    fetch::COMMANDS,
    input::COMMANDS,
    inspector::COMMANDS,
    log::COMMANDS,
    network::COMMANDS,
    page::COMMANDS,
    runtime::COMMANDS,
    storage::COMMANDS,
    target::COMMANDS,
];

/// Every event that has a type, so that a test can prove each on a real browser.
pub const EVENTS: &[&[&str]] = &[
    browser::EVENTS,
    fetch::EVENTS,
    input::EVENTS,
    inspector::EVENTS,
    log::EVENTS,
    network::EVENTS,
    page::EVENTS,
    runtime::EVENTS,
    target::EVENTS,
];
