//! Types that every layer shares: calls, outcomes, page effects, error codes and the `Caller` door.
//!
//! Invariants: no IO, no browser, no clock other than the one in [`CallCtx`]; words for people and
//! models are made in [`words`] from data, and nowhere else.

mod address;
mod call;
mod caller;
mod catalog;
mod ctx;
mod effect;
mod error;
mod facts;
mod ids;
mod network;
mod outcome;
pub mod proof;
pub mod schema;
mod script;
mod secret;
pub mod text;
pub mod words;

pub use address::{is_loopback, local_path, normalise_url};
pub use call::{Approval, Call};
pub use caller::{BoxFuture, Caller};
pub use catalog::{Catalog, Example, ToolInfo};
pub use ctx::{CallCtx, Progress};
pub use effect::{
    Dialog, DialogHandling, Dismissed, DomEffect, Download, ExpectEffect, FocusEffect, Hit, InvalidField,
    LateEffect, NetworkEffect, PageEffect, RegionEffect, RequestFact, ScrollEffect, TabFact, TabsEffect,
    UrlEffect, ValueFact, Verdict,
};
pub use error::{ErrorBody, ErrorCode};
pub use facts::{EffectClass, Facts, RequestFacts, Verb};
pub use ids::{ClientId, ClientKind, ElementRef, TabId};
pub use network::{is_inside, is_private};
pub use outcome::{EXIT_RUNNING, Image, Outcome, TaskNote, TaskStatus, Warning};
pub use script::{
    Author, Evaluated, Evaluation, NoScripts, ScopeLost, ScriptAct, ScriptError, ScriptLog, ScriptName,
    ScriptStatus, Scripts,
};
pub use secret::Secret;
