//! Docs pages: one a tool, their index, and the list of error codes.

use super::Files;
use serde_json::Value;
use std::fmt::Write as _;
use truehand_base::schema::{FlagKind, flag_kind};
use truehand_base::{Catalog, EffectClass, ErrorCode, ToolInfo};

const NOTICE: &str =
    "<!-- Made by `cargo xtask gen` from the tool table; edit the doc comments there. -->\n\n";

/// The argument that names a tab.
const TAB: &str = "tab_id";

/// Groups of the index: the class, its heading, and what holds for all of the group.
const GROUPS: &[(EffectClass, &str, &str)] = &[
    (EffectClass::Read, "Look", "Change nothing."),
    (EffectClass::Navigate, "Go", "Change which page or tab is shown. Reply with a measured `page_effect`."),
    (EffectClass::Input, "Act", "Act on the page as a person would. Reply with a measured `page_effect`."),
    (
        EffectClass::Script,
        "Script",
        "Run code in the page. Need a person's yes; reply with a measured `page_effect`.",
    ),
    (EffectClass::Store, "Keep", "Change Truehand's own state on disk."),
];

/// The page of every tool and their index.
pub fn tools(catalog: &Catalog) -> Files {
    let mut files: Files =
        catalog.tools.iter().map(|tool| (format!("docs/tools/{}.md", tool.name), tool_page(tool))).collect();
    files.insert("docs/tools/README.md".to_owned(), index(catalog));
    files
}

fn index(catalog: &Catalog) -> String {
    let mut page = format!(
        "{NOTICE}# Tools\n\nEvery tool is an MCP tool and a subcommand of `truehand`, from one definition.\n"
    );
    for (class, heading, words) in GROUPS {
        let tools: Vec<&ToolInfo> =
            catalog.tools.iter().filter(|tool| tool.listed && tool.effect == *class).collect();
        if tools.is_empty() {
            continue;
        }
        line(
            &mut page,
            &format!(
                "\n## {heading}\n\n{words}\n\n| MCP tool | command | what it does |\n| --- | --- | --- |"
            ),
        );
        for tool in tools {
            let verb = tool.verbs.first().map(|verb| format!("`{verb}`")).unwrap_or_default();
            line(
                &mut page,
                &format!(
                    "| [{0}]({0}.md) | {verb} | {1} |",
                    tool.name,
                    cell(first_sentence(&tool.description))
                ),
            );
        }
    }
    page
}

fn tool_page(tool: &ToolInfo) -> String {
    let mut page = format!("{NOTICE}# {}: {}\n\n{}\n", tool.name, tool.title, tool.description);
    line(&mut page, &format!("\n```\n{}\n```", usage(tool)));
    let properties = tool.input_schema["properties"].as_object();
    if properties.is_some_and(|p| !p.is_empty()) {
        line(&mut page, "\n| argument | type | | what it is |\n| --- | --- | --- | --- |");
        for (name, schema) in properties.into_iter().flatten() {
            let needed = if is_required(tool, name) { "required" } else { "" };
            let words = cell(schema["description"].as_str().unwrap_or_default());
            line(&mut page, &format!("| `{name}` | {} | {needed} | {words} |", kind_words(schema)));
        }
    } else {
        line(&mut page, "\nTakes no arguments.");
    }
    if let Some(row) = truehand_tools::find(&tool.name).filter(|row| !row.info.extra.is_empty()) {
        line(&mut page, &format!("\n{}", row.info.extra.split_whitespace().collect::<Vec<_>>().join(" ")));
    }
    if !tool.examples.is_empty() {
        line(&mut page, "\n## Examples");
        for example in &tool.examples {
            line(&mut page, &format!("\n{}:\n\n```json\n{}\n```", example.what, example.arguments));
            if let Some(command) = command_line(tool, &example.arguments) {
                line(&mut page, &format!("\n```\n{command}\n```"));
            }
        }
    }
    if tool.verbs.len() > 1 || !tool.aliases.is_empty() {
        line(&mut page, "\n## Also called\n");
        if tool.verbs.len() > 1 {
            line(&mut page, &format!("- on the command line: {}", code_list(&tool.verbs[1..])));
        }
        if !tool.aliases.is_empty() {
            line(&mut page, &format!("- over MCP, not listed: {}", code_list(&tool.aliases)));
        }
    }
    line(
        &mut page,
        &format!("\nEffect class: `{}`. Failures: [error codes](../errors.md).", class_name(tool.effect)),
    );
    page
}

/// The settings, from their schema: one table a section.
pub fn config(schema: &Value) -> String {
    let mut page = format!(
        "{NOTICE}# config.toml\n\nLies in `~/.truehand` (or `TRUEHAND_HOME`). Every key may be left out. A key that is not listed \
         here is an error that names its line. A value behind a semicolon is the default.\n"
    );
    for (section, reference) in schema["properties"].as_object().into_iter().flatten() {
        let words = reference["description"].as_str().unwrap_or_default();
        line(
            &mut page,
            &format!("\n## [{section}]\n\n{words}\n\n| key | type | what it is |\n| --- | --- | --- |"),
        );
        let normal = truehand_base::schema::normalise(&section_schema(schema, reference));
        for (key, property) in normal["properties"].as_object().into_iter().flatten() {
            let kind = match flag_kind(property) {
                FlagKind::Json => bucket_words(property),
                _ => kind_words(property),
            };
            line(
                &mut page,
                &format!(
                    "| `{key}` | {kind} | {} |",
                    cell(property["description"].as_str().unwrap_or_default())
                ),
            );
        }
    }
    page
}

/// A section's schema with the definitions that it refers to.
fn section_schema(schema: &Value, reference: &Value) -> Value {
    let name = reference["$ref"].as_str().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
    let mut section = schema["$defs"][name].clone();
    section["$defs"] = schema["$defs"].clone();
    section
}

/// A table in a table, by its keys: `{ burst, per_second }`.
fn bucket_words(property: &Value) -> String {
    let keys: Vec<&str> =
        property["properties"].as_object().into_iter().flatten().map(|(k, _)| k.as_str()).collect();
    format!("`{{ {} }}`", keys.join(", "))
}

/// The list of error codes.
pub fn errors() -> String {
    let mut page = format!(
        "{NOTICE}# Error codes\n\nA failed call has `isError`, and an `error` with `code`, `message`, `retriable`, `next_step`, and \
         details in `data`. The codes are stable. A command ends with the exit code of its error:\n\n\
         | exit code | meaning |\n| --- | --- |\n| 0 | done |\n| 1 | the action failed |\n| 2 | usage |\n\
         | 3 | denied, or needs approval |\n| 4 | time ran out |\n| 5 | unreachable |\n\n\
         \"Retry\" says whether the same call may succeed when made again. The next step is the usual one; a reply may \
         know a better one.\n\n| code | exit code | retry | next step |\n| --- | --- | --- | --- |\n"
    );
    for code in ErrorCode::ALL {
        let retry = if code.retriable() { "yes" } else { "no" };
        line(
            &mut page,
            &format!("| `{code}` | {} | {retry} | {} |", code.exit_code(), cell(code.next_step())),
        );
    }
    page
}

fn line(page: &mut String, text: &str) {
    // Writing to a String has no way to fail.
    let _ = writeln!(page, "{text}");
}

fn usage(tool: &ToolInfo) -> String {
    let verb = tool.verbs.first().map_or(tool.name.as_str(), String::as_str);
    let mut words = vec![format!("truehand {verb}")];
    let mut needs_json = false;
    for name in &tool.positional {
        let many = flag_kind(&tool.input_schema["properties"][name]) == FlagKind::List;
        let shown = format!("{}{}", name.to_uppercase(), if many { "…" } else { "" });
        words.push(if is_required(tool, name) { format!("<{shown}>") } else { format!("[{shown}]") });
    }
    for (name, schema) in tool.input_schema["properties"].as_object().into_iter().flatten() {
        // Every command takes the tab by its global `--tab`.
        if tool.positional.contains(name) || name == TAB {
            continue;
        }
        let flag = match flag_kind(schema) {
            FlagKind::Switch => format!("--{}", kebab(name)),
            FlagKind::Json => {
                needs_json = true;
                continue;
            }
            FlagKind::List => format!("--{} <TEXT>…", kebab(name)),
            FlagKind::Number => format!("--{} <NUMBER>", kebab(name)),
            FlagKind::Text(choices) if choices.is_empty() => format!("--{} <TEXT>", kebab(name)),
            FlagKind::Text(choices) => format!("--{} <{}>", kebab(name), choices.join("|")),
        };
        words.push(if is_required(tool, name) { flag } else { format!("[{flag}]") });
    }
    if needs_json {
        words.push("[--json-args <JSON>]".to_owned());
    }
    words.join(" ")
}

/// The same call on the command line; none when the tool has no verb.
fn command_line(tool: &ToolInfo, arguments: &Value) -> Option<String> {
    let verb = tool.verbs.first()?;
    let whole = || format!("truehand {verb} --json-args {}", quoted(&arguments.to_string()));
    let given = arguments.as_object()?;
    let mut words = vec!["truehand".to_owned(), verb.clone()];
    for name in &tool.positional {
        match given.get(name) {
            Some(Value::Array(items)) => words.extend(items.iter().map(|item| quoted(&plain(item)))),
            Some(value) => words.push(quoted(&plain(value))),
            None => {}
        }
    }
    for (name, value) in given.iter().filter(|(name, _)| !tool.positional.contains(name)) {
        let flag = if name == TAB { "--tab".to_owned() } else { format!("--{}", kebab(name)) };
        match value {
            Value::Bool(true) => words.push(flag),
            Value::Bool(false) | Value::Null => return Some(whole()),
            Value::Array(items) if items.iter().all(Value::is_string) => {
                words.extend(items.iter().flat_map(|item| [flag.clone(), quoted(&plain(item))]));
            }
            Value::Array(_) | Value::Object(_) => return Some(whole()),
            Value::String(_) | Value::Number(_) => words.extend([flag, quoted(&plain(value))]),
        }
    }
    Some(words.join(" "))
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

fn is_required(tool: &ToolInfo, name: &str) -> bool {
    tool.input_schema["required"].as_array().into_iter().flatten().any(|n| n == name)
}

fn kind_words(schema: &Value) -> String {
    match flag_kind(schema) {
        FlagKind::Text(choices) if choices.is_empty() => "text".to_owned(),
        FlagKind::Text(choices) => code_list(&choices),
        FlagKind::Number => "number".to_owned(),
        FlagKind::Switch => "yes or no".to_owned(),
        FlagKind::List => "list of texts".to_owned(),
        FlagKind::Json => "JSON".to_owned(),
    }
}

fn class_name(class: EffectClass) -> &'static str {
    match class {
        EffectClass::Read => "read",
        EffectClass::Navigate => "navigate",
        EffectClass::Input => "input",
        EffectClass::Script => "script",
        EffectClass::Store => "store",
    }
}

fn code_list(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn kebab(name: &str) -> String {
    name.replace('_', "-")
}

fn first_sentence(text: &str) -> &str {
    text.find(". ").map_or(text, |end| &text[..=end])
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use truehand_base::Example;

    fn sample() -> ToolInfo {
        ToolInfo {
            name: "browser_sample".to_owned(),
            title: "Sample".to_owned(),
            description: "Does a | b. And more.".to_owned(),
            input_schema: json!({ "type": "object", "required": ["ref"], "properties": {
                "ref": { "type": "string", "description": "Which | one." },
                "mode": { "type": "string", "enum": ["a", "b"] },
                "deep": { "type": "object" },
                "auto_dismiss": { "type": "boolean" } } }),
            output_schema: json!({}),
            effect: EffectClass::Input,
            positional: vec!["ref".to_owned()],
            aliases: vec!["sample".to_owned()],
            verbs: vec!["sample".to_owned(), "try".to_owned()],
            listed: true,
            examples: vec![Example {
                what: "It".to_owned(),
                arguments: json!({ "ref": "text=a b", "auto_dismiss": true }),
            }],
        }
    }

    #[test]
    fn usage_shows_positions_flags_and_choices() {
        assert_eq!(
            usage(&sample()),
            "truehand sample <REF> [--auto-dismiss] [--mode <a|b>] [--json-args <JSON>]"
        );
    }

    #[test]
    fn command_line_quotes_and_gives_rich_arguments_as_json() {
        let tool = sample();
        let line = command_line(&tool, &tool.examples[0].arguments);
        assert_eq!(line.as_deref(), Some("truehand sample 'text=a b' --auto-dismiss"));
        let rich = command_line(&tool, &json!({ "deep": { "a": 1 }, "ref": "e1" }));
        assert_eq!(
            rich.as_deref(),
            Some("truehand sample --json-args '{\"deep\":{\"a\":1},\"ref\":\"e1\"}'")
        );
    }

    #[test]
    fn tool_page_escapes_cells_and_index_groups_by_effect() {
        let page = tool_page(&sample());
        assert!(page.contains("| `ref` | text | required | Which \\| one. |"), "{page}");
        let index = index(&Catalog { tools: vec![sample()] });
        assert!(index.contains("## Act") && !index.contains("## Look"), "{index}");
        assert!(
            index.contains("| [browser_sample](browser_sample.md) | `sample` | Does a \\| b. |"),
            "{index}"
        );
    }

    #[test]
    fn errors_page_has_every_code() {
        let page = errors();
        for code in ErrorCode::ALL {
            assert!(page.contains(&format!("| `{code}` |")), "{code}");
        }
    }
}
