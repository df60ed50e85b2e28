//! A tool as a command: one call through the daemon.

use crate::argv::{self, global};
use crate::output::Output;
use crate::setup::{Setup, runtime};
use clap::ArgMatches;
use std::process::ExitCode;
use tokio_util::sync::CancellationToken;
use truehand_base::{Approval, Call, Caller, ClientId, ClientKind, ErrorBody, Outcome, ToolInfo};
use truehand_server::daemon::DaemonClient;

/// The exit code of a command that was interrupted twice.
const INTERRUPTED: i32 = 130;

/// Makes the call and prints what came of it.
pub(crate) fn run(setup: &Setup, tool: &ToolInfo, given: &ArgMatches, output: Output) -> ExitCode {
    let arguments = match argv::arguments(tool, given) {
        Ok(arguments) => arguments,
        Err(message) => {
            let verb = tool.verbs.first().map_or("", String::as_str);
            return output.usage(&message, &format!("see truehand {verb} --help"));
        }
    };
    let client = ClientId { kind: ClientKind::Cli, name: setup.session.clone() };
    let mut call = Call::new(client.clone(), tool.name.clone(), arguments);
    call.request_key = given.get_one::<String>(global::REQUEST_KEY).cloned();
    if given.get_flag(global::YES) {
        call.approval = Some(Approval { source: "flag:--yes".to_owned() });
    }
    match send(setup, client, call) {
        Ok(outcome) => output.outcome(&outcome),
        Err(error) => output.error(&error),
    }
}

fn send(setup: &Setup, client: ClientId, call: Call) -> Result<Outcome, ErrorBody> {
    let daemon = DaemonClient::new(setup.client(client, Vec::new())?);
    runtime()?.block_on(async {
        let cancel = CancellationToken::new();
        tokio::spawn(on_interrupt(cancel.clone()));
        let ctx = setup.ctx().cancelled_by(cancel);
        Ok(daemon.call(&ctx, call).await)
    })
}

/// The first interrupt cancels the call, which then says what became of it; the second ends the command.
async fn on_interrupt(cancel: CancellationToken) {
    if tokio::signal::ctrl_c().await.is_ok() {
        cancel.cancel();
    }
    if tokio::signal::ctrl_c().await.is_ok() {
        std::process::exit(INTERRUPTED);
    }
}
