//! A tool as a command: one call through the daemon.

use crate::argv::{self, global};
use crate::output::Output;
use crate::setup::{Setup, runtime};
use clap::ArgMatches;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio_util::sync::CancellationToken;
use truehand_base::{
    Approval, Call, CallCtx, Caller, ClientId, ClientKind, ErrorBody, Outcome, Progress, ToolInfo,
};
use truehand_server::daemon::DaemonClient;

/// How long a command is silent before it says what it waits for.
const FIRST_WORD: Duration = Duration::from_secs(3);

/// How long it is silent after that.
const NEXT_WORD: Duration = Duration::from_secs(10);

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
        call.approval = Some(Approval::new("flag:--yes"));
    }
    match send(setup, client, call, setup.call_ctx(), output) {
        Ok(outcome) => output.outcome(&outcome),
        Err(error) => output.error(&error),
    }
}

/// Sends a call to the daemon and waits for its end, or for its interruption.
///
/// # Errors
/// As [`Setup::client`].
pub(crate) fn send(
    setup: &Setup,
    client: ClientId,
    call: Call,
    ctx: CallCtx,
    output: Output,
) -> Result<Outcome, ErrorBody> {
    let daemon = DaemonClient::new(setup.client(client, Vec::new())?);
    runtime()?.block_on(async {
        let cancel = CancellationToken::new();
        tokio::spawn(on_interrupt(cancel.clone()));
        let (progress, steps) = unbounded_channel();
        let ctx = ctx.cancelled_by(cancel).reporting_to(progress);
        let work = async {
            let outcome = daemon.call(&ctx, call).await;
            // Closes the way for steps, which ends the telling.
            drop(ctx);
            outcome
        };
        Ok(tokio::join!(work, tell(steps, output)).0)
    })
}

/// Tells a person who waits what is going on: not at once, and not all the time.
async fn tell(mut steps: UnboundedReceiver<Progress>, output: Output) {
    let mut next = Instant::now() + FIRST_WORD;
    while let Some(step) = steps.recv().await {
        if Instant::now() >= next {
            output.note(&step.message);
            next = Instant::now() + NEXT_WORD;
        }
    }
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
