//! Whether there is a browser to start.

use super::Finding;
use crate::setup::Setup;
use truehand_engine::preflight;

pub(super) fn check(setup: &Setup) -> Vec<Finding> {
    let found = preflight::browser(&setup.home, setup.executable(), Some(setup.env.path.clone()));
    vec![match found {
        Ok(program) => Finding::ok("browser", format!("{} can be started", program.display())),
        Err(error) => Finding::error("browser", &error),
    }]
}
