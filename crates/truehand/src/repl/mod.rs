//! `truehand repl`: JavaScript in the session's scope, given on the command line, in a file, on standard input, or
//! line by line by a person.

mod interactive;
mod show;
mod syntax;

use crate::argv::global;
use crate::call;
use crate::output::{Form, Output};
use crate::setup::Setup;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::{Map, Value};
use std::io::{IsTerminal, Read};
use std::path::PathBuf;
use std::process::ExitCode;
use truehand_base::{Approval, Call, ClientId, ClientKind, ErrorBody, ErrorCode, Outcome, Verb, text::clip};

/// The name of the verb, and of the tool.
pub(crate) const VERB: &str = "repl";

/// The longest script that is read.
const LARGEST: u64 = 4 * 1024 * 1024;

mod arg {
    pub(super) const CODE: &str = "code";
    pub(super) const FILE: &str = "file";
    pub(super) const TITLE: &str = "title";
    pub(super) const FRESH: &str = "fresh";
    pub(super) const TIMEOUT_MS: &str = "timeout_ms";
}

/// The verb's part of the command line.
pub(crate) fn command() -> Command {
    Command::new(VERB)
        .about("Run JavaScript in the session's scope: Playwright's API, top-level await, variables that stay")
        .after_help(
            "What console.log writes goes to standard output; the last value, errors, acts and the status line go to \
             standard error. Without code on a terminal it is interactive. Globals: page, tabs, openTab(url), \
             snapshot(page), fs, fetch, sleep, help().",
        )
        .arg(
            Arg::new(arg::CODE)
                .value_name("CODE")
                .help("The script; - reads it from standard input")
                .allow_hyphen_values(true),
        )
        .arg(
            Arg::new(arg::FILE)
                .long("file")
                .short('f')
                .value_name("FILE")
                .help("Read the script from a file")
                .value_parser(value_parser!(PathBuf))
                .conflicts_with(arg::CODE),
        )
        .arg(Arg::new(arg::TITLE).long("title").value_name("TEXT").help("What it is for, for the record"))
        .arg(
            Arg::new(arg::TIMEOUT_MS)
                .long("timeout-ms")
                .value_name("N")
                .help("How long the script may run, as --timeout in milliseconds; otherwise two minutes")
                .value_parser(value_parser!(u64)),
        )
        .arg(
            Arg::new(arg::FRESH)
                .long("fresh")
                .help("Begin with an empty scope; tabs stay open")
                .action(ArgAction::SetTrue),
        )
}

/// Runs the verb.
pub(crate) fn run(setup: &Setup, given: &ArgMatches, output: Output) -> ExitCode {
    let code = match source(given) {
        Ok(Some(code)) => code,
        Ok(None) => return interactive::run(setup, given, output),
        Err(error) => return output.error(&error),
    };
    let client = ClientId { kind: ClientKind::Cli, name: setup.session.clone() };
    let call = call_of(setup, given, &client, &code);
    match call::send(setup, client, call, setup.script_ctx(), output) {
        Ok(outcome) => finish(&outcome, output),
        Err(error) => output.error(&error),
    }
}

/// The script; nothing when none was given and a person sits at the terminal.
fn source(given: &ArgMatches) -> Result<Option<String>, ErrorBody> {
    if let Some(path) = given.get_one::<PathBuf>(arg::FILE) {
        let unreadable = |error: std::io::Error| {
            ErrorBody::new(ErrorCode::FileNotFound, format!("{} can't be read: {error}", path.display()))
        };
        return read(std::fs::File::open(path).map_err(unreadable)?, &path.display().to_string()).map(Some);
    }
    match given.get_one::<String>(arg::CODE).map(String::as_str) {
        Some("-") => read(std::io::stdin(), "standard input").map(Some),
        Some(code) => Ok(Some(code.to_owned())),
        None if std::io::stdin().is_terminal() => Ok(None),
        None => read(std::io::stdin(), "standard input").map(Some),
    }
}

fn read(from: impl Read, name: &str) -> Result<String, ErrorBody> {
    let mut text = String::new();
    let read = from.take(LARGEST + 1).read_to_string(&mut text);
    let failed = |why: String| ErrorBody::new(ErrorCode::InvalidArguments, format!("{name}: {why}"));
    read.map_err(|error| failed(error.to_string()))?;
    if text.len() as u64 > LARGEST {
        return Err(failed(format!("a script has at most {LARGEST} bytes")));
    }
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// The call for a script. What is written on the command line is what the person asks to run, so it carries a yes
/// for JavaScript in pages, and for nothing else.
fn call_of(setup: &Setup, given: &ArgMatches, client: &ClientId, code: &str) -> Call {
    let title = given.get_one::<String>(arg::TITLE).cloned().unwrap_or_else(|| title_of(given, code));
    let mut arguments = Map::new();
    arguments.insert("title".to_owned(), Value::String(title));
    arguments.insert("code".to_owned(), Value::String(code.to_owned()));
    let asked =
        setup.asked_timeout().map(|limit| u64::try_from(limit.as_millis()).unwrap_or(u64::MAX).max(1));
    if let Some(ms) = given.get_one::<u64>(arg::TIMEOUT_MS).copied().or(asked) {
        arguments.insert("timeout_ms".to_owned(), ms.into());
    }
    if given.get_flag(arg::FRESH) {
        arguments.insert("fresh".to_owned(), Value::Bool(true));
    }
    let mut call = Call::new(client.clone(), VERB, Value::Object(arguments));
    call.request_key = given.get_one::<String>(global::REQUEST_KEY).cloned();
    call.approval = Some(approval(given.get_flag(global::YES)));
    call
}

fn approval(yes: bool) -> Approval {
    match yes {
        true => Approval::new("flag:--yes"),
        false => Approval { only: vec![Verb::Js], ..Approval::new("command:repl") },
    }
}

/// A title for a script that was given none. Not its words: they may hold a secret, and the title stands in the record
/// of calls that are made before anybody can know that.
fn title_of(given: &ArgMatches, code: &str) -> String {
    let lines = code.lines().count().max(1);
    let name = given.get_one::<PathBuf>(arg::FILE).and_then(|path| path.file_name());
    match name {
        Some(name) => clip(&name.to_string_lossy(), 80),
        None => format!("a script of {lines} line{}", if lines == 1 { "" } else { "s" }),
    }
}

/// Prints what a script came to.
fn finish(outcome: &Outcome, output: Output) -> ExitCode {
    let ran = outcome.output.contains_key("status");
    if output.form == Form::Json || !ran {
        return output.outcome(outcome);
    }
    show::outcome(outcome, output);
    ExitCode::from(outcome.exit_code())
}
