//! Whether the files that people edit can be read.

use super::Finding;
use crate::setup::Setup;
use truehand_base::ErrorCode;
use truehand_engine::preflight;

pub(super) fn check(setup: &Setup) -> Vec<Finding> {
    let broken = preflight::files(&setup.home);
    let name = |code| if code == ErrorCode::PolicyBroken { "policy" } else { "config" };
    let mut findings: Vec<Finding> =
        broken.iter().map(|error| Finding::error(name(error.code), error)).collect();
    for (check, file) in [("config", "config.toml"), ("policy", "policy.yaml")] {
        if findings.iter().all(|finding| finding.check != check) {
            let there = setup.home.join(file).exists();
            let words = if there { "can be read" } else { "is not there, so the defaults hold" };
            findings.push(Finding::ok(check, format!("{file} {words}")));
        }
    }
    findings
}
