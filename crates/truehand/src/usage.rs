//! Everything about the command line itself: what is wrong with one, completions, the manifest.

use crate::argv;
use crate::env::Env;
use crate::output::Output;
use crate::{manifest, setup, spelling};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Command};
use serde_json::Value;
use std::path::PathBuf;
use std::process::ExitCode;
use truehand_base::{ErrorBody, ErrorCode};

/// Words that other programs have as verbs and this one has not, with what to use here.
const ELSEWHERE: &[(&str, &str)] = &[
    ("version", "truehand --version"),
    ("status", "truehand daemon status"),
    ("start", "truehand daemon start"),
    ("stop", "truehand daemon stop"),
    ("logs", "truehand daemon logs"),
    ("install", "your system's packages; truehand doctor names what is missing"),
    ("upgrade", "your system's packages"),
    ("update", "your system's packages"),
    ("serve", "truehand mcp"),
];

/// How to print before the command line was parsed.
pub(crate) fn output_of(words: &[String], env: &Env) -> Output {
    let before_end = || words.iter().take_while(|word| *word != "--");
    let color = before_end().find_map(|word| word.strip_prefix("--color=")).unwrap_or("auto");
    Output::new(before_end().any(|word| word == "--json"), color, env.no_color)
}

/// Whether a word is a verb.
pub(crate) fn is_verb(word: &str) -> bool {
    word == "help"
        || argv::BUILTIN.contains(&word)
        || truehand_tools::TABLE.iter().any(|row| row.info.verbs.contains(&word))
}

/// A sentence where a verb should be: a task for an agent, and there is none in this build.
pub(crate) fn sentence(output: Output, sentence: &str) -> ExitCode {
    let shown = truehand_base::text::clip(sentence, 60);
    let first = sentence.split_whitespace().next().unwrap_or_default();
    let message = format!(
        "'{shown}' is not a verb; tasks in plain words need the agent loop, which is not part of this build"
    );
    let next = if is_verb(first) {
        format!("write the words apart: truehand {shown}")
    } else {
        "use a verb, see truehand --help, or drive the browser from your own agent with truehand mcp"
            .to_owned()
    };
    output.usage(&message, &next)
}

/// Answers a command line that was not accepted: help and version are results, the rest is an error.
pub(crate) fn refuse(output: Output, root: &Command, words: &[String], error: &clap::Error) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            output.out(&error.render().to_string());
            ExitCode::SUCCESS
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            // Asked for nothing: the help is a diagnosis here, and no result.
            eprint!("{}", error.render());
            ExitCode::from(2)
        }
        ErrorKind::InvalidSubcommand => unknown_verb(output, &context(error, ContextKind::InvalidSubcommand)),
        ErrorKind::UnknownArgument => {
            unknown_flag(output, root, words, &context(error, ContextKind::InvalidArg))
        }
        _ => {
            let text = error.render().to_string();
            let text = text.strip_prefix("error: ").unwrap_or(&text);
            let (message, rest) = text.split_once("\n\n").unwrap_or((text, ""));
            let message = truehand_base::text::one_line(message);
            let help = match verb_of(root, words) {
                Some(verb) => format!("see truehand {} --help", verb.get_name()),
                None => "see truehand --help".to_owned(),
            };
            let usage = rest.lines().find(|line| line.starts_with("Usage:"));
            output.usage(&message, &usage.map_or(help.clone(), |usage| format!("{usage}; {help}")))
        }
    }
}

fn context(error: &clap::Error, kind: ContextKind) -> String {
    match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        _ => String::new(),
    }
}

fn unknown_verb(output: Output, word: &str) -> ExitCode {
    let message = format!("there is no verb '{word}'");
    if let Some((_, here)) = ELSEWHERE.iter().find(|(there, _)| *there == word) {
        return output.usage(&message, &format!("use {here}"));
    }
    let tools = truehand_tools::TABLE.iter().flat_map(|row| row.info.verbs.iter().copied());
    let near = spelling::nearest(word, argv::BUILTIN.iter().copied().chain(tools));
    if near.is_empty() {
        return output.usage(&message, "see truehand --help for all verbs");
    }
    output.usage(&message, &format!("did you mean {}?", near.join(" or ")))
}

/// A flag that the verb does not have, with the verbs that have it.
fn unknown_flag(output: Output, root: &Command, words: &[String], flag: &str) -> ExitCode {
    let Some(verb) = verb_of(root, words) else {
        return output.usage(&format!("there is no flag {flag}"), "see truehand --help");
    };
    let name = verb.get_name();
    if !flag.starts_with('-') {
        return output
            .usage(&format!("{name} does not take '{flag}' here"), &format!("see truehand {name} --help"));
    }
    let plain = flag.split('=').next().unwrap_or(flag);
    // The parser was built with the flags of this verb only; the others are looked up now.
    let whole = argv::command(&truehand_tools::catalog().tools);
    let has = |command: &&Command| {
        command.get_arguments().any(|arg| {
            let long = arg.get_long().is_some_and(|long| plain == format!("--{long}"));
            long || arg.get_short().is_some_and(|short| plain == format!("-{short}"))
        })
    };
    let owners: Vec<&str> = whole.get_subcommands().filter(has).map(Command::get_name).take(4).collect();
    let message = if owners.is_empty() {
        format!("{name} has no flag {flag}")
    } else {
        format!("{name} has no flag {flag}; it belongs to {}", owners.join(", "))
    };
    output.usage(&message, &format!("see truehand {name} --help; -- ends the flags"))
}

/// The verb of a command line, as the parser knows it.
fn verb_of<'a>(root: &'a Command, words: &[String]) -> Option<&'a Command> {
    root.find_subcommand(words.get(spelling::verb_place(words)?)?)
}

/// Prints the manifest, or what differs from a stored one.
pub(crate) fn manifest(output: Output, root: &Command, given: &ArgMatches) -> ExitCode {
    let ours = manifest::manifest(root);
    let Some(file) = given.get_one::<PathBuf>("check") else {
        output.out(&format!("{ours:#}"));
        return ExitCode::SUCCESS;
    };
    let read = std::fs::read_to_string(file).map_err(|error| error.to_string());
    let stored: Value = match read
        .and_then(|text| serde_json::from_str(&text).map_err(|error| error.to_string()))
    {
        Ok(stored) => stored,
        Err(error) => {
            let message = format!("{} is no manifest: {error}", file.display());
            return output.error(
                &ErrorBody::new(ErrorCode::FileNotFound, message).next("make one: truehand manifest > FILE"),
            );
        }
    };
    let lines = manifest::differences(&stored, &ours);
    let words = if lines.is_empty() { "no differences".to_owned() } else { lines.join("\n") };
    let list = Value::Array(lines.into_iter().map(Value::String).collect());
    output.result(&words, &setup::object([("ok", true.into()), ("differences", list)]));
    ExitCode::SUCCESS
}

/// Prints a completion script.
pub(crate) fn completions(output: Output, mut root: Command, given: &ArgMatches) -> ExitCode {
    let Some(shell) = given.get_one::<clap_complete::Shell>("shell").copied() else {
        return ExitCode::from(2);
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut root, "truehand", &mut script);
    let script = String::from_utf8_lossy(&script).into_owned();
    output.result(&script, &setup::object([("ok", true.into()), ("script", script.clone().into())]));
    ExitCode::SUCCESS
}

/// The flags of ours that a tool must not have.
#[cfg(test)]
mod tests {
    use crate::argv::{self, global};

    #[test]
    fn no_tool_has_an_argument_that_a_global_flag_hides() {
        let global = [
            global::JSON,
            global::SESSION,
            global::TAB,
            global::REQUEST_KEY,
            global::YES,
            global::TIMEOUT,
            global::NO_WAIT,
            global::PROFILE,
            global::HEADED,
            global::ATTACH,
            global::BROWSER,
            global::HOME,
            global::TRACE,
            global::COLOR,
            argv::JSON_ARGS,
        ];
        // A tool without a verb has no flags.
        for tool in truehand_tools::catalog().tools.iter().filter(|tool| !tool.verbs.is_empty()) {
            for name in tool.input_schema["properties"].as_object().into_iter().flat_map(|p| p.keys()) {
                assert!(!global.contains(&argv::kebab(name).as_str()), "{} of {}", name, tool.name);
            }
        }
    }
}
