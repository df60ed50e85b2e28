//! `truehand`: hands on a real browser, for people and agents.
//!
//! This binary is thin: it turns words into calls, sends them to the daemon, and prints what came of
//! them. The daemon is this same binary, started as `daemon run`.

mod argv;
mod call;
mod daemon;
mod doctor;
mod env;
mod host;
mod manifest;
mod mcp;
mod output;
mod repl;
mod setup;
mod spelling;
mod usage;

use argv::global;
use clap::ArgMatches;
use env::Env;
use output::Output;
use setup::Setup;
use spelling::Words;
use std::process::ExitCode;
use truehand_base::ToolInfo;

/// The guide, as `truehand guide` prints it and `truehand://guide` serves it.
const GUIDE: &str = include_str!("../../../docs/guide.md");

fn main() -> ExitCode {
    // The worker of a scope reads no environment, no configuration and no other arguments.
    if std::env::args_os().nth(1).is_some_and(|word| word == host::WORKER) {
        return truehand_script::worker::main();
    }
    if std::env::args_os().nth(1).is_some_and(|word| word == truehand_tools::pdf::worker::WORKER) {
        return pdf_worker();
    }
    let env = Env::read();
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let output = usage::output_of(&words, &env);
    let words = match spelling::settle(words, usage::is_verb) {
        Words::Plain(words) => words,
        Words::Sentence(sentence) => return usage::sentence(output, &sentence),
    };
    let tools = tools_for(&words);
    let root = argv::command(&tools);
    let given = match root
        .clone()
        .try_get_matches_from(std::iter::once("truehand".to_owned()).chain(words.clone()))
    {
        Ok(given) => given,
        Err(error) => return usage::refuse(output, &root, &words, &error),
    };
    let color = given.get_one::<String>(global::COLOR).map_or("auto", String::as_str);
    let output = Output::new(given.get_flag(global::JSON), color, env.no_color);
    let Some((verb, inner)) = given.subcommand() else { return ExitCode::from(2) };
    run(verb, inner, &env, output, &tools)
}

/// Parses PDF files, confined as a scope's worker is, before a byte of them is read.
fn pdf_worker() -> ExitCode {
    use truehand_tools::pdf::worker;
    let limits = truehand_script::wire::Limits {
        process_bytes: worker::MEMORY,
        cpu_seconds: worker::TIME.as_secs(),
        ..truehand_script::wire::Limits::default()
    };
    // What this system does not offer is missing here as it is for scripts, whose worker reports it.
    let _confined = truehand_script::worker::confine().finish(&limits);
    worker::main()
}

fn run(verb: &str, given: &ArgMatches, env: &Env, output: Output, tools: &[ToolInfo]) -> ExitCode {
    match verb {
        "guide" => {
            output.result(GUIDE, &setup::object([("ok", true.into()), ("guide", GUIDE.into())]));
            return ExitCode::SUCCESS;
        }
        "manifest" => return usage::manifest(output, &argv::command(tools), given),
        "completions" => return usage::completions(output, argv::command(tools), given),
        _ => {}
    }
    let setup = match Setup::new(env, given) {
        Ok(setup) => setup,
        Err(error) => return output.error(&error),
    };
    match verb {
        "mcp" => mcp::run(&setup, given, output),
        "daemon" => daemon::run(&setup, given, output),
        "doctor" => doctor::run(&setup, output),
        repl::VERB => repl::run(&setup, given, output),
        _ => match tools.iter().find(|tool| tool.verbs.iter().any(|name| name == verb)) {
            Some(tool) => call::run(&setup, tool, given, output),
            None => ExitCode::from(2),
        },
    }
}

/// The tools for the parser. A plain command needs the flags of its own verb only, so only that schema
/// is made; whatever shows the whole surface gets all.
fn tools_for(words: &[String]) -> Vec<ToolInfo> {
    let row = |word: &str| truehand_tools::TABLE.iter().find(|row| row.info.verbs.contains(&word));
    let verb = spelling::verb_place(words).map(|at| words[at].as_str());
    match verb.and_then(row) {
        None => truehand_tools::catalog().tools.clone(),
        Some(own) => {
            truehand_tools::TABLE
                .iter()
                .map(|row| {
                    if row.info.name == own.info.name { row.tool_info() } else { argv::nameplate(&row.info) }
                })
                .collect()
        }
    }
}
