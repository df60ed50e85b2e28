//! What scripts ask of a page: its frames, its objects by handle, code in its own world, the protocol itself, and raw
//! input. Everything here is bounded, and all that a caller names is looked up in tables of this tab.

mod call;
mod evaluate;
mod frames;
mod handles;
mod hands;
mod methods;
mod protocol;
mod run;

pub use call::{PageCall, Returns};
pub use evaluate::PageScript;
pub use handles::Handle;
pub use hands::InputStep;
pub use methods::{CdpMethod, Judged, cdp_method};

use std::sync::Mutex;

/// What a tab keeps for the scripts of its clients.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    handles: Mutex<handles::Handles>,
    held: Mutex<hands::Held>,
}
