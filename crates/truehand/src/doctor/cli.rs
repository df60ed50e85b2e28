//! Whether `truehand` is found by its name, as MCP clients and scripts look for it.

use super::Finding;
use crate::setup::Setup;
use truehand_base::ErrorCode;

const NAME: &str = "truehand";

pub(super) fn check(setup: &Setup) -> Vec<Finding> {
    let found =
        std::env::split_paths(&setup.env.path).map(|folder| folder.join(NAME)).find(|file| is_program(file));
    vec![match found {
        Some(file) => Finding::ok("cli", format!("{} is on the PATH", file.display())),
        None => {
            Finding::problem("cli", ErrorCode::CliMissing, "there is no truehand on the PATH").next(hint())
        }
    }]
}

/// What a person can do about it. Nothing of it is done here.
fn hint() -> String {
    match std::env::current_exe() {
        Ok(program) => {
            format!("ln -s {} ~/.local/bin/truehand, with ~/.local/bin on the PATH", program.display())
        }
        Err(_) => "put the truehand binary into a folder that is on the PATH".to_owned(),
    }
}

fn is_program(file: &std::path::Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
}
