//! The state of the session itself.

use crate::Empty;
use crate::protocol::{commands, events};
use serde::{Deserialize, Serialize};

commands! {
    Enable = "Inspector.enable" -> Empty;
}

events! {
    TargetCrashed = "Inspector.targetCrashed";
}

/// Asks for the events of this domain.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Enable {}

/// The process behind this session died. Pending calls were failed.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
pub struct TargetCrashed {}
