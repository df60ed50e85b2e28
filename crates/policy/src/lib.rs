//! The gate: rules and facts in, allow, ask or deny out.
//!
//! Invariants: no file, no network, no clock, no async; nothing here reads a model's words, only parsed
//! values, and those very values are the ones that run; a text that can't be read as rules is an error
//! with its line and never "no rules"; the hard floor is code and can't be configured.

mod chord;
mod decide;
mod glob;
mod rules;
mod sensitive;

pub use chord::is_refused_chord;
pub use decide::{Decision, decide};
pub use glob::{HostGlob, PathGlob, wildcard};
pub use rules::{Effect, Mode, PolicyError, Rule, Rules, VerbSet};
pub use sensitive::is_sensitive;
/// The address form that is judged and opened; see [`truehand_base::normalise_url`].
pub use truehand_base::normalise_url;
