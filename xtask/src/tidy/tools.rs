//! Rules about the tool table: every file has a row and a test, and every face can be built from every row.

use super::{Finding, Subject};
use crate::repo::{Repo, TextFile};
use std::collections::BTreeMap;
use truehand_base::schema::{FlagKind, flag_kind};
use truehand_base::{Catalog, ToolInfo};

/// The folder of the tools.
const FOLDER: &str = "crates/tools/src/tool";
/// The table.
const TABLE: &str = "crates/tools/src/lib.rs";
/// The folder with one test file a tool.
const TESTS: &str = "crates/engine/tests/it";

/// Arguments richer than a flag can be, as (tool, argument, reason). The command line takes them by `--json-args`.
const RICHER: &[(&str, &str, &str)] = &[
    ("browser_fill", "fields", "several fields in one call are pairs of a field and its text"),
    (
        "browser_wait_for",
        "then_type",
        "the field and the text belong together, and only when something is typed at all",
    ),
];

/// The longest that a description may be, in characters.
const MAX_DESCRIPTION: usize = 1000;

/// Every file in the tool folder has a row in the table and a test.
pub fn files(subject: &Subject<'_>) -> Vec<Finding> {
    let tools = subject.repo.in_folder(FOLDER).filter(|f| !f.path.ends_with("/mod.rs"));
    tools.flat_map(|file| judge_file(subject.repo, file)).collect()
}

fn judge_file(repo: &Repo, file: &TextFile) -> Vec<Finding> {
    let stem = file.path.rsplit('/').next().and_then(|name| name.strip_suffix(".rs")).unwrap_or_default();
    let mut findings = Vec::new();
    if !repo.text(TABLE).is_some_and(|table| table.contains(&format!("tool::{stem}::"))) {
        findings.push(Finding::new(&file.path, format!("has no row in {TABLE}")));
    }
    let own = repo.text(&format!("{TESTS}/{stem}.rs")).is_some();
    let names = tool_names(&file.text);
    let is_tested = own
        || (!names.is_empty()
            && names.iter().all(|name| {
                let quoted = format!("\"{name}\"");
                repo.in_folder(TESTS).any(|test| test.text.contains(&quoted))
            }));
    if !is_tested {
        findings.push(Finding::new(&file.path, format!("has no test: write {TESTS}/{stem}.rs")));
    }
    findings
}

fn tool_names(text: &str) -> Vec<&str> {
    text.split("Info::new(\"").skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// Names are unique, words fit, and the command line can be built from every schema.
pub fn catalog(subject: &Subject<'_>) -> Vec<Finding> {
    let catalog = truehand_tools::catalog();
    let mut findings: Vec<Finding> = catalog.tools.iter().flat_map(|tool| judge_tool(tool, RICHER)).collect();
    findings.extend(judge_names(&catalog));
    for row in truehand_tools::TABLE {
        for (what, arguments) in row.info.examples {
            let parsed = serde_json::from_str(arguments).map_err(|e| e.to_string());
            let prepared = parsed.and_then(|value| row.prepare(value).map(drop).map_err(|e| e.to_string()));
            if let Err(problem) = prepared {
                findings.push(Finding::new(
                    row.info.name,
                    format!("the example '{what}' does not parse: {problem}"),
                ));
            }
        }
    }
    for (tool, argument, _) in RICHER {
        let kind = catalog.find(tool).map(|t| flag_kind(&t.input_schema["properties"][argument]));
        if kind != Some(FlagKind::Json) {
            findings.push(Finding::new(
                *tool,
                format!("'{argument}' is no longer richer than a flag: remove its row"),
            ));
        }
    }
    let command_line = subject.repo.files.iter().filter(|f| f.path.starts_with("crates/truehand/src/"));
    if !RICHER.is_empty() && !command_line.into_iter().any(|f| f.text.contains("json-args")) {
        findings.push(Finding::new("crates/truehand", "takes no --json-args, which some tools need"));
    }
    findings
}

fn judge_tool(tool: &ToolInfo, richer: &[(&str, &str, &str)]) -> Vec<Finding> {
    let mut problems = Vec::new();
    let snake = |name: &str| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    if !snake(&tool.name) {
        problems.push("is not in snake case".to_owned());
    }
    if tool.description.trim().is_empty() || tool.description.chars().count() > MAX_DESCRIPTION {
        problems.push(format!("needs a description of at most {MAX_DESCRIPTION} characters"));
    }
    if tool.listed && tool.verbs.is_empty() {
        problems.push("has no command-line verb".to_owned());
    }
    let needs_arguments = tool.input_schema["required"].as_array().is_some_and(|names| !names.is_empty());
    if tool.listed && needs_arguments && tool.examples.is_empty() {
        problems.push("has no example".to_owned());
    }
    let properties = tool.input_schema["properties"].as_object();
    for (name, schema) in properties.into_iter().flatten() {
        let listed = richer.iter().any(|(t, argument, _)| *t == tool.name && argument == name);
        // What is not listed is called by scripts, which have no flags.
        if tool.listed && flag_kind(schema) == FlagKind::Json && !listed {
            problems.push(format!("the argument '{name}' is neither text, number, switch nor list of texts"));
        }
    }
    for name in &tool.positional {
        if !properties.is_some_and(|p| p.contains_key(name)) {
            problems.push(format!("takes '{name}' by position but has no such argument"));
        }
    }
    problems.into_iter().map(|what| Finding::new(&tool.name, what)).collect()
}

fn judge_names(catalog: &Catalog) -> Vec<Finding> {
    let mut callable: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut verbs: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for tool in &catalog.tools {
        for name in std::iter::once(&tool.name).chain(&tool.aliases) {
            callable.entry(name).or_default().push(&tool.name);
        }
        for verb in &tool.verbs {
            verbs.entry(verb).or_default().push(&tool.name);
        }
    }
    let twice = callable.into_iter().chain(verbs).filter(|(_, tools)| tools.len() > 1);
    twice
        .map(|(name, tools)| Finding::new(name, format!("means several tools: {}", tools.join(", "))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use truehand_base::{EffectClass, Example};

    fn tool(name: &str) -> ToolInfo {
        ToolInfo {
            name: name.to_owned(),
            title: "Sample".to_owned(),
            description: "Does it.".to_owned(),
            input_schema: json!({ "type": "object", "required": ["ref"],
                "properties": { "ref": { "type": "string" } } }),
            output_schema: json!({ "type": "object" }),
            effect: EffectClass::Read,
            positional: vec!["ref".to_owned()],
            aliases: vec![],
            verbs: vec![name.to_owned()],
            listed: true,
            examples: vec![Example { what: "It.".to_owned(), arguments: json!({}) }],
        }
    }

    #[test]
    fn tools_plain_row_is_fine_and_rich_argument_is_found() {
        assert_eq!(judge_tool(&tool("sample"), &[]), []);
        let mut rich = tool("sample");
        rich.input_schema["properties"]["fields"] = json!({ "type": "array", "items": { "type": "object" } });
        assert_eq!(judge_tool(&rich, &[]).len(), 1);
        assert_eq!(judge_tool(&rich, &[("sample", "fields", "reason")]), []);
        rich.positional = vec!["gone".to_owned()];
        rich.examples.clear();
        assert_eq!(judge_tool(&rich, &[]).len(), 3);
    }

    #[test]
    fn tools_name_used_twice_is_found() {
        let mut second = tool("other");
        second.aliases = vec!["sample".to_owned()];
        assert_eq!(judge_names(&Catalog { tools: vec![tool("sample"), second] }).len(), 1);
    }

    #[test]
    fn tools_file_without_row_and_test_is_found() {
        let text = |path: &str, text: &str| TextFile { path: path.to_owned(), text: text.to_owned() };
        let file = text("crates/tools/src/tool/nap.rs", "Info::new(\"browser_nap\", …)");
        let mut repo = Repo { root: ".".into(), files: vec![text(TABLE, "of::<tool::click::Click>()")] };
        assert_eq!(judge_file(&repo, &file).len(), 2);
        repo.files = vec![
            text(TABLE, "of::<tool::nap::Nap>()"),
            text("crates/engine/tests/it/rest.rs", "\"browser_nap\""),
        ];
        assert_eq!(judge_file(&repo, &file), []);
    }
}
