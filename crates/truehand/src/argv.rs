//! The command line, built from the tools' schemas: there is no second list of flags anywhere.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command, Id, value_parser};
use serde_json::{Map, Number, Value};
use truehand_base::ToolInfo;
use truehand_base::schema::{FlagKind, flag_kind};

/// Arguments that every verb takes, before or after the verb.
pub(crate) mod global {
    pub(crate) const JSON: &str = "json";
    pub(crate) const SESSION: &str = "session";
    pub(crate) const TAB: &str = "tab";
    pub(crate) const REQUEST_KEY: &str = "request-key";
    pub(crate) const YES: &str = "yes";
    pub(crate) const TIMEOUT: &str = "timeout";
    pub(crate) const NO_WAIT: &str = "no-wait";
    pub(crate) const PROFILE: &str = "profile";
    pub(crate) const HEADED: &str = "headed";
    pub(crate) const ATTACH: &str = "attach";
    pub(crate) const BROWSER: &str = "browser";
    pub(crate) const HOME: &str = "home";
    pub(crate) const TRACE: &str = "trace";
    pub(crate) const COLOR: &str = "color";

    /// Those that take a value, with their short forms.
    pub(crate) const VALUED: &[&str] = &[
        "--session",
        "-s",
        "--tab",
        "--request-key",
        "--timeout",
        "--profile",
        "--attach",
        "--browser",
        "--home",
        "--color",
    ];
}

/// The flag for arguments that no plain flag can carry.
pub(crate) const JSON_ARGS: &str = "json-args";

/// The property that the global `--tab` sets.
const TAB_PROPERTY: &str = "tab_id";

/// Short flags that people know from elsewhere, as (tool, property, letter).
const SHORTS: &[(&str, &str, char)] =
    &[("browser_read", "interactive", 'i'), ("browser_screenshot", "path", 'o')];

/// The verbs that are no tools: name and what it does.
pub(crate) const BUILTIN: &[&str] = &["mcp", "daemon", "doctor", "guide", "completions", "manifest"];

/// The whole command line.
pub(crate) fn command(tools: &[ToolInfo]) -> Command {
    let mut root = Command::new("truehand")
        .version(truehand_server::daemon::VERSION)
        .about("Hands on a real browser: every action comes back with what it really changed")
        .after_help(
            "A browser that a command opens stays open for the next command of the same --session. \
             `truehand guide` prints the whole reference; exit codes: 0 done, 1 failed, 2 usage, 3 denied, \
             4 out of time, 5 unreachable, 6 still running.",
        )
        .arg_required_else_help(true)
        .subcommand_required(true)
        .subcommand_value_name("VERB")
        .subcommand_help_heading("Verbs")
        .max_term_width(100)
        .args(global_args())
        .subcommands(builtin_commands());
    for tool in tools {
        if let Some(verb) = tool_command(tool) {
            root = root.subcommand(verb);
        }
    }
    root
}

fn global_args() -> Vec<Arg> {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .help(help)
            .action(ArgAction::SetTrue)
            .global(true)
            .help_heading("Everywhere")
    };
    let option = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help).global(true).help_heading("Everywhere")
    };
    vec![
        flag(global::JSON, "Print the result as JSON"),
        option(global::SESSION, "NAME", "The session whose tabs are used")
            .short('s')
            .default_value("default"),
        option(global::TAB, "TAB", "The tab to act on, such as t2; otherwise the session's current one")
            .alias("tab-id"),
        option(global::REQUEST_KEY, "KEY", "A repeat with the same key returns the first result"),
        flag(global::YES, "Say yes where a call needs a person's approval"),
        option(global::TIMEOUT, "SECONDS", "How long the call may take").value_parser(value_parser!(f64)),
        flag(global::NO_WAIT, "Print the name of the task as soon as the call has begun; see task-wait"),
        option(global::PROFILE, "NAME", "Use a browser profile that is kept"),
        flag(global::HEADED, "Show the browser's window"),
        option(global::ATTACH, "WS_URL", "Use a browser that runs already, by its WebSocket address"),
        option(global::BROWSER, "PATH", "The browser's executable")
            .value_parser(value_parser!(std::path::PathBuf)),
        option(global::HOME, "DIR", "The state folder; otherwise TRUEHAND_HOME or ~/.truehand")
            .value_parser(value_parser!(std::path::PathBuf)),
        flag(global::TRACE, "Record the calls under traces/ in the state folder"),
        option(global::COLOR, "WHEN", "Colour")
            .value_parser(["auto", "always", "never"])
            .default_value("auto"),
    ]
}

fn builtin_commands() -> Vec<Command> {
    let mcp = Command::new("mcp")
        .about("Serve MCP over standard input and output, or over HTTP on this machine")
        .arg(
            Arg::new("http")
                .long("http")
                .value_name("ADDR:PORT")
                .help("Serve Streamable HTTP on 127.0.0.1, [::1] or localhost; without a value on port 7345")
                .num_args(0..=1)
                .default_missing_value(""),
        )
        .arg(
            Arg::new("token-file")
                .long("token-file")
                .value_name("FILE")
                .help("Where the token for HTTP clients is put; otherwise in the state folder")
                .value_parser(value_parser!(std::path::PathBuf))
                .requires("http"),
        )
        .arg(
            Arg::new("allow-origin")
                .long("allow-origin")
                .value_name("ORIGIN")
                .help("Admit HTTP requests of this origin; otherwise none that names one")
                .action(ArgAction::Append)
                .requires("http"),
        )
        .arg(
            Arg::new("idle")
                .long("idle")
                .value_name("SECONDS")
                .help("End an HTTP session that nobody uses for so long")
                .value_parser(value_parser!(f64))
                .default_value("1800"),
        )
        .arg(
            Arg::new("allow")
                .long("allow")
                .value_name("WHAT")
                .help("Allow a kind of call that would need a yes, such as js; may be given several times")
                .action(ArgAction::Append),
        )
        .arg(
            Arg::new("structured")
                .long("structured")
                .value_name("WHEN")
                .help("Send structuredContent; auto leaves it out for clients that would hide the text")
                .value_parser(["auto", "always", "never"])
                .default_value("auto"),
        );
    let run = Command::new("run")
        .about("Be the daemon, in the foreground")
        .arg(Arg::new("detached").long("detached").hide(true).action(ArgAction::SetTrue));
    let lines =
        Arg::new("lines").long("lines").short('n').value_name("COUNT").help("How many lines from the end");
    let logs = Command::new("logs")
        .about("Print the daemon's log")
        .arg(lines.value_parser(value_parser!(usize)).default_value("50"));
    let daemon = Command::new("daemon")
        .about("The process that keeps the browsers")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(Command::new("start").about("Start it and let it stay until it is stopped"))
        .subcommand(Command::new("status").about("Say how it is"))
        .subcommand(Command::new("stop").about("Close its browsers and end it"))
        .subcommand(logs)
        .subcommand(run);
    let check =
        Arg::new("check").long("check").value_name("FILE").help("Say what differs from a stored manifest");
    let shell = Arg::new("shell").required(true).value_parser(value_parser!(clap_complete::Shell));
    vec![
        mcp,
        crate::repl::command(),
        daemon,
        Command::new("doctor").about("Check everything that a run needs, and name what is wrong"),
        Command::new("guide").about("Print the guide for agents and people"),
        Command::new("completions").about("Print a completion script").arg(shell.help("For which shell")),
        Command::new("manifest")
            .about("Print all verbs and flags as JSON")
            .arg(check.value_parser(value_parser!(std::path::PathBuf))),
    ]
}

/// A tool as a verb; nothing for one that has no verb.
fn tool_command(tool: &ToolInfo) -> Option<Command> {
    let (verb, others) = tool.verbs.split_first()?;
    // Its command does more than one call.
    if verb == crate::repl::VERB {
        return None;
    }
    let about = tool.description.split(" Reply: ").next().unwrap_or_default();
    let mut command =
        Command::new(verb.clone()).about(about.to_owned()).visible_aliases(others.iter().cloned());
    for (at, name) in tool.positional.iter().enumerate() {
        if let Some(schema) = tool.input_schema["properties"].get(name) {
            command = command.args(positional(tool, name, schema, at));
        }
    }
    for (name, schema) in tool.input_schema["properties"].as_object().into_iter().flatten() {
        if name != TAB_PROPERTY && !tool.positional.contains(name) {
            command = command.arg(with_kind(Arg::new(name.clone()).long(kebab(name)), tool, name, schema));
        }
    }
    let rich = Arg::new(JSON_ARGS).long(JSON_ARGS).value_name("JSON").help("Arguments as a JSON object");
    Some(command.arg(rich))
}

/// An argument that can be given by its place, and, for those who like it better, by its name.
fn positional(tool: &ToolInfo, name: &str, schema: &Value, at: usize) -> Vec<Arg> {
    let required = tool.input_schema["required"].as_array().is_some_and(|all| all.iter().any(|n| n == name));
    let flag_id = by_name(name);
    // The global --tab names it already.
    if name == TAB_PROPERTY {
        let place = with_kind(Arg::new(name.to_owned()).index(at + 1), tool, name, schema);
        return vec![if required {
            place.required_unless_present_any([global::TAB, JSON_ARGS])
        } else {
            place
        }];
    }
    let mut place = with_kind(Arg::new(name.to_owned()).index(at + 1), tool, name, schema);
    if required {
        place = place.required_unless_present_any([Id::from(flag_id.clone()), Id::from(JSON_ARGS)]);
    }
    let mut named = Arg::new(flag_id).long(kebab(name)).conflicts_with(name.to_owned());
    named = with_kind(named, tool, name, schema);
    let known = SHORTS.iter().any(|(of, property, _)| *of == tool.name && *property == name);
    vec![place, named.hide(!known)]
}

fn by_name(name: &str) -> String {
    format!("--{name}")
}

fn with_kind(arg: Arg, tool: &ToolInfo, name: &str, schema: &Value) -> Arg {
    let is_flag = arg.get_long().is_some();
    let mut arg = arg.help(schema["description"].as_str().unwrap_or_default().to_owned());
    if is_flag {
        let short = SHORTS.iter().find(|(of, property, _)| *of == tool.name && *property == name);
        arg = short.map_or(arg.clone(), |(_, _, letter)| arg.short(*letter));
    }
    let value_name = kebab(name).to_ascii_uppercase();
    match flag_kind(schema) {
        FlagKind::Text(choices) if choices.is_empty() => arg.value_name(value_name),
        FlagKind::Text(choices) => {
            arg.value_name(value_name).value_parser(PossibleValuesParser::new(choices))
        }
        FlagKind::Number => arg
            .value_name(if is_flag { "N".to_owned() } else { value_name })
            .allow_negative_numbers(true)
            .value_parser(number),
        // `--flag` alone means yes; `--flag=false` says no.
        FlagKind::Switch if is_flag => arg
            .value_name("BOOL")
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true")
            .value_parser(value_parser!(bool)),
        FlagKind::Switch => arg.value_name(value_name).value_parser(value_parser!(bool)),
        FlagKind::List => arg.value_name(value_name).action(ArgAction::Append),
        FlagKind::Json => arg.value_name("JSON").value_parser(json),
    }
}

fn number(text: &str) -> Result<Number, String> {
    if let Ok(whole) = text.parse::<i64>() {
        return Ok(whole.into());
    }
    let parsed = text.parse::<f64>().ok().and_then(Number::from_f64);
    parsed.ok_or_else(|| format!("'{text}' is not a number"))
}

fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))
}

/// The spelling of a property on the command line.
pub(crate) fn kebab(name: &str) -> String {
    name.replace('_', "-")
}

/// The arguments of a tool call from what was given for its verb.
///
/// # Errors
/// A sentence when `--json-args` holds no object.
pub(crate) fn arguments(tool: &ToolInfo, given: &ArgMatches) -> Result<Value, String> {
    let mut arguments = match given.get_one::<String>(JSON_ARGS) {
        None => Map::new(),
        Some(text) => match json(text)? {
            Value::Object(map) => map,
            _ => return Err(format!("--{JSON_ARGS} must be a JSON object")),
        },
    };
    for (name, schema) in tool.input_schema["properties"].as_object().into_iter().flatten() {
        let named = given.try_contains_id(&by_name(name)).unwrap_or(false);
        let id = if named { by_name(name) } else { name.clone() };
        let by_place = tool.positional.contains(name);
        if (by_place || name != TAB_PROPERTY) && given.try_contains_id(&id).unwrap_or(false) {
            let value = match flag_kind(schema) {
                FlagKind::Text(_) => given.get_one::<String>(&id).cloned().map(Value::String),
                FlagKind::Number => given.get_one::<Number>(&id).cloned().map(Value::Number),
                FlagKind::Switch => given.get_one::<bool>(&id).copied().map(Value::Bool),
                FlagKind::List => {
                    given.get_many::<String>(&id).map(|all| all.cloned().map(Value::String).collect())
                }
                FlagKind::Json => given.get_one::<Value>(&id).cloned(),
            };
            arguments.extend(value.map(|value| (name.clone(), value)));
        }
    }
    if let Some(tab) = given.get_one::<String>(global::TAB) {
        if tool.input_schema["properties"].get(TAB_PROPERTY).is_none() {
            return Err(format!(
                "{} acts on no tab, so it takes no --{}",
                tool.verbs.join(" / "),
                global::TAB
            ));
        }
        arguments.insert(TAB_PROPERTY.to_owned(), Value::String(tab.clone()));
    }
    Ok(Value::Object(arguments))
}

/// A tool with only its name and verbs, for a command line in which it is not used.
pub(crate) fn nameplate(info: &truehand_tools::Info) -> ToolInfo {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    ToolInfo {
        name: info.name.to_owned(),
        title: info.title.to_owned(),
        description: info.title.to_owned(),
        input_schema: Value::Null,
        output_schema: Value::Null,
        effect: info.effect,
        positional: Vec::new(),
        aliases: Vec::new(),
        verbs: owned(info.verbs),
        listed: info.listed,
        examples: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parsed(words: &[&str]) -> Result<(String, Value), clap::Error> {
        let catalog = truehand_tools::catalog();
        let matches =
            command(&catalog.tools).try_get_matches_from(std::iter::once(&"truehand").chain(words))?;
        let (verb, given) = matches.subcommand().expect("a verb");
        let tool =
            catalog.tools.iter().find(|tool| tool.verbs.first().is_some_and(|v| v == verb)).expect("a tool");
        Ok((tool.name.clone(), arguments(tool, given).expect("arguments")))
    }

    #[test]
    fn command_line_of_the_whole_table_is_sound() {
        command(&truehand_tools::catalog().tools).debug_assert();
    }

    #[test]
    fn verbs_are_unique_and_none_hides_a_command_of_ours() {
        let catalog = truehand_tools::catalog();
        let mut seen = std::collections::HashSet::from(["help"]);
        seen.extend(BUILTIN);
        for verb in catalog.tools.iter().flat_map(|tool| &tool.verbs) {
            assert!(seen.insert(verb), "{verb} is taken");
            assert!(verb.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{verb}");
        }
    }

    #[test]
    fn arguments_by_place_by_name_and_as_json_are_the_same() {
        let expected = ("browser_click".to_owned(), json!({ "ref": "e3" }));
        for words in
            [&["click", "e3"][..], &["click", "--ref", "e3"], &["click", "--json-args", r#"{"ref":"e3"}"#]]
        {
            assert_eq!(parsed(words).expect("parses"), expected, "{words:?}");
        }
        assert_eq!(parsed(&["--tab", "t2", "click", "e3"]).expect("parses").1["tab_id"], "t2");
        assert_eq!(parsed(&["click", "e3", "--tab-id", "t2"]).expect("parses").1["tab_id"], "t2");
    }

    #[test]
    fn switches_lists_and_numbers_become_their_json_types() {
        let (_, arguments) = parsed(&["read", "-i", "--depth", "3"]).expect("parses");
        assert_eq!(arguments, json!({ "interactive": true, "depth": 3 }));
        let (_, arguments) = parsed(&["read", "--interactive=false"]).expect("parses");
        assert_eq!(arguments, json!({ "interactive": false }));
        assert!(parsed(&["read", "--depth", "many"]).is_err());
    }

    #[test]
    fn double_dash_ends_the_flags() {
        assert_eq!(parsed(&["type", "e3", "--", "--json"]).expect("parses").1["text"], "--json");
    }

    #[test]
    fn number_keeps_whole_and_decimal_apart() {
        assert_eq!(number("-12").map(Value::from), Ok(json!(-12)));
        assert_eq!(number("0.5").map(Value::from), Ok(json!(0.5)));
        assert!(number("NaN").is_err() && number("1e").is_err());
    }
}
