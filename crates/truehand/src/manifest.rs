//! All verbs and flags as data, and what differs from a stored copy of them.

use clap::Command;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The manifest of a command line: its version, its global flags, and each verb with its flags.
pub(crate) fn manifest(root: &Command) -> Value {
    let mut verbs = Map::new();
    for verb in visible(root) {
        verbs.insert(verb.get_name().to_owned(), describe(verb));
        for inner in visible(verb) {
            verbs.insert(format!("{} {}", verb.get_name(), inner.get_name()), describe(inner));
        }
    }
    let text = |text: &str| Value::String(text.to_owned());
    let version = root.get_version().unwrap_or_default();
    Value::Object(Map::from_iter([
        ("name".to_owned(), text(root.get_name())),
        ("version".to_owned(), text(version)),
        ("global_flags".to_owned(), flags(root)),
        ("verbs".to_owned(), Value::Object(verbs)),
    ]))
}

fn visible(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|inner| !inner.is_hide_set() && inner.get_name() != "help")
}

fn describe(verb: &Command) -> Value {
    let texts = |items: Vec<String>| Value::Array(items.into_iter().map(Value::String).collect());
    let about = verb.get_about().map(ToString::to_string).unwrap_or_default();
    let aliases = verb.get_visible_aliases().map(str::to_owned).collect();
    let places = verb.get_positionals().map(|arg| arg.get_id().to_string().replace('_', "-")).collect();
    Value::Object(Map::from_iter([
        ("about".to_owned(), Value::String(about)),
        ("aliases".to_owned(), texts(aliases)),
        ("positional".to_owned(), texts(places)),
        ("flags".to_owned(), flags(verb)),
    ]))
}

/// The long flags that the help shows.
fn flags(command: &Command) -> Value {
    let own = command.get_arguments().filter(|arg| !arg.is_hide_set());
    let mut names: Vec<String> =
        own.filter_map(|arg| arg.get_long()).map(|name| format!("--{name}")).collect();
    names.sort();
    Value::Array(names.into_iter().map(Value::String).collect())
}

/// What was added, removed or changed between a stored manifest and ours, one line each.
pub(crate) fn differences(stored: &Value, ours: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    compare("", stored, ours, &mut lines);
    lines
}

fn compare(path: &str, stored: &Value, ours: &Value, lines: &mut Vec<String>) {
    match (stored, ours) {
        (Value::Object(before), Value::Object(now)) => {
            let keys: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
            for key in keys {
                let inner = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                match (before.get(key), now.get(key)) {
                    (Some(before), Some(now)) => compare(&inner, before, now, lines),
                    (Some(_), None) => lines.push(format!("removed: {inner}")),
                    (None, _) => lines.push(format!("added: {inner}")),
                }
            }
        }
        (Value::Array(before), Value::Array(now)) => {
            lines.extend(
                before
                    .iter()
                    .filter(|item| !now.contains(item))
                    .map(|item| format!("removed: {path} {}", plain(item))),
            );
            lines.extend(
                now.iter()
                    .filter(|item| !before.contains(item))
                    .map(|item| format!("added: {path} {}", plain(item))),
            );
        }
        (before, now) if before != now => {
            lines.push(format!("changed: {path} from {} to {}", plain(before), plain(now)))
        }
        _ => {}
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn differences_name_each_change_once() {
        let stored =
            json!({ "verbs": { "click": { "flags": ["--double", "--old"] }, "gone": {} }, "version": "1" });
        let ours =
            json!({ "verbs": { "click": { "flags": ["--double", "--new"] }, "fresh": {} }, "version": "2" });
        assert_eq!(
            differences(&stored, &ours),
            [
                "removed: verbs.click.flags --old",
                "added: verbs.click.flags --new",
                "added: verbs.fresh",
                "removed: verbs.gone",
                "changed: version from 1 to 2",
            ]
        );
        assert!(differences(&ours, &ours).is_empty());
    }
}
