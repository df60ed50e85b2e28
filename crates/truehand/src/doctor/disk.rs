//! Whether the state folder is ours and has room.

use super::Finding;
use crate::setup::Setup;
use nix::sys::statvfs::statvfs;
use nix::unistd::{AccessFlags, access};
use truehand_base::ErrorCode;

/// Below this much free space, in bytes, profiles and traces soon fail.
const LITTLE: u64 = 200 * 1024 * 1024;

pub(super) fn check(setup: &Setup) -> Vec<Finding> {
    // The nearest folder that is there: the state folder is made by the first run, and not by a check.
    let Some(there) = setup.home.ancestors().find(|folder| folder.exists()) else {
        let message = format!("{} has no folder to be made in", setup.home.display());
        return vec![Finding::problem("disk", ErrorCode::StoreFailed, message)];
    };
    if access(there, AccessFlags::W_OK | AccessFlags::X_OK).is_err() {
        let message = format!("{} can't be written to", there.display());
        return vec![Finding::problem("disk", ErrorCode::StoreFailed, message)];
    }
    vec![match statvfs(there) {
        Ok(facts) => {
            let free = facts.blocks_available().saturating_mul(facts.fragment_size());
            let message = format!("{} has {} MiB free", there.display(), free / (1024 * 1024));
            if free < LITTLE {
                Finding::problem("disk", ErrorCode::StoreFailed, message)
            } else {
                Finding::ok("disk", message)
            }
        }
        Err(error) => {
            Finding::note("disk", format!("the free space of {} is not known: {error}", there.display()))
        }
    }]
}
