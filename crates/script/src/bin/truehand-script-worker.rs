//! The worker process alone, for tests.

use std::process::ExitCode;

fn main() -> ExitCode {
    truehand_script::worker::main()
}
