//! What a type must say to be a command or an event.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The parameters of one command; the type names the method and the answer.
pub trait Command: Serialize {
    /// Domain and name, for example `Page.navigate`.
    const METHOD: &'static str;
    /// What the browser answers.
    type Response: DeserializeOwned + Send;
}

/// The parameters of one event.
pub trait CdpEvent: DeserializeOwned {
    /// Domain and name, for example `Page.loadEventFired`.
    const METHOD: &'static str;
}

/// The answer of a command that has nothing to tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Empty {}

/// Ties parameter types to their methods and answers.
macro_rules! commands {
    ($($name:ident = $method:literal -> $response:ty;)*) => {
        $(
            impl $crate::Command for $name {
                const METHOD: &'static str = $method;
                type Response = $response;
            }
        )*

        /// The methods of this domain that have a type.
        pub const COMMANDS: &[&str] = &[$($method),*];
    };
}

/// Ties event types to their methods.
macro_rules! events {
    ($($name:ident = $method:literal;)*) => {
        $(
            impl $crate::CdpEvent for $name {
                const METHOD: &'static str = $method;
            }
        )*

        /// The events of this domain that have a type.
        pub const EVENTS: &[&str] = &[$($method),*];
    };
}

pub(crate) use {commands, events};
