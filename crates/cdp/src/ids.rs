//! The protocol's names for things, each a type of its own so that they can't be mixed up.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident($inner:ty);)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
            #[serde(transparent)]
            pub struct $name(pub $inner);

            impl fmt::Display for $name {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    self.0.fmt(f)
                }
            }

            impl From<$inner> for $name {
                fn from(inner: $inner) -> Self {
                    $name(inner)
                }
            }
        )*
    };
}

macro_rules! text_ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        ids! { $($(#[$doc])* $name(String);)* }
        $(
            impl $name {
                /// The name as the protocol writes it.
                #[must_use]
                pub fn as_str(&self) -> &str {
                    &self.0
                }
            }

            impl From<&str> for $name {
                fn from(text: &str) -> Self {
                    $name(text.to_owned())
                }
            }
        )*
    };
}

text_ids! {
    /// One attachment of this client to a target.
    SessionId;
    /// A page, frame, worker or extension part that can be attached to.
    TargetId;
    /// A frame of a page; kept across navigations within one process.
    FrameId;
    /// One load of a document.
    LoaderId;
    /// A separate set of cookies and storage, as a private window has.
    BrowserContextId;
    /// A JavaScript object that the browser keeps for this client.
    RemoteObjectId;
    /// One network request, redirects included.
    RequestId;
}

ids! {
    /// A JavaScript world of one frame; numbered within its session.
    ExecutionContextId(i64);
    /// A DOM node, valid as long as the node lives; numbered within its process.
    BackendNodeId(i64);
}

impl Copy for ExecutionContextId {}
impl Copy for BackendNodeId {}
