//! Whether Chromium can use its sandbox.

use super::Finding;
use crate::setup::Setup;

pub(super) fn check(_setup: &Setup) -> Vec<Finding> {
    vec![if nix::unistd::geteuid().is_root() {
        let message = "this is root, so Chromium runs without its sandbox";
        Finding::note("sandbox", message).next("run as an ordinary user when pages are not trusted")
    } else {
        Finding::ok("sandbox", "Chromium can use its sandbox")
    }]
}
