//! Spellings of arguments: everything that models write for the same thing, brought to one name and
//! one type. A call whose meaning is plain is never rejected for its spelling.

use crate::spec::Info;
use serde_json::{Map, Value};
use truehand_base::{ErrorBody, ErrorCode};

/// Spellings that mean the same in every tool that has the argument, as (other, own).
const RENAMES: &[(&str, &str)] = &[
    ("target", "ref"),
    ("selector", "ref"),
    ("uid", "ref"),
    ("index", "ref"),
    ("locator", "ref"),
    ("element_ref", "ref"),
    ("element_id", "ref"),
    ("css", "ref"),
    ("tab", "tab_id"),
    ("page_id", "tab_id"),
    ("page_idx", "tab_id"),
    ("target_id", "tab_id"),
    ("address", "url"),
    ("uri", "url"),
    ("timeout", "timeout_ms"),
    ("timeout_seconds", "timeout_s"),
];

/// The most arguments that a call may have, whatever they are called.
const MOST_ARGUMENTS: usize = 64;

/// A longer name is not compared with those that there are, in bytes.
const LONGEST_NAME: usize = 100;

/// Brings arguments to a tool's own spellings. `schema` is the tool's normalised input schema.
///
/// Names become snake case and known other names the tool's own. `element`, a description for people,
/// is dropped beside a `ref` and stands for it otherwise. Texts become the numbers, switches and lists
/// that the schema asks for, and numbers become texts. What is not understood is left as it is, for
/// [`crate::ToolSpec::prepare`] to name.
///
/// # Errors
/// `INVALID_ARGUMENTS` when two spellings of one argument hold different values, or the arguments are
/// no object.
pub fn normalise(info: &Info, schema: &Value, arguments: Value) -> Result<Value, ErrorBody> {
    let given = match arguments {
        Value::Null => Map::new(),
        Value::Object(map) => map,
        // Some clients send the object as a JSON text.
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(Value::Object(map)) => map,
            _ if text.trim().is_empty() => Map::new(),
            _ => return Err(invalid(info, "the arguments must be an object".to_owned())),
        },
        _ => return Err(invalid(info, "the arguments must be an object".to_owned())),
    };
    if given.len() > MOST_ARGUMENTS {
        return Err(invalid(info, format!("{} arguments are more than any tool takes", given.len())));
    }
    let properties = &schema["properties"];
    let mut out = Map::new();
    let mut element = None;
    let mut spelled = Map::new();
    for (name, value) in given {
        let own = own_name(info, properties, &name);
        if own == "element" && properties.get("element").is_none() && properties.get("ref").is_some() {
            element = Some(value);
            continue;
        }
        let value = coerced(&properties[own.as_str()], value);
        match out.get(&own) {
            Some(other) if *other != value && !other.is_null() && !value.is_null() => {
                let first = spelled.get(&own).and_then(Value::as_str).unwrap_or(&own);
                let message = format!("{first} and {name} mean the same argument, {own}, and differ");
                return Err(invalid(info, message).next(format!("pass only {own}")));
            }
            Some(other) if !other.is_null() => {}
            _ => {
                spelled.insert(own.clone(), Value::String(name));
                out.insert(own, value);
            }
        }
    }
    if let Some(element) = element.filter(|_| out.get("ref").is_none_or(Value::is_null)) {
        out.insert("ref".to_owned(), coerced(&properties["ref"], element));
    }
    Ok(Value::Object(out))
}

/// Adds the argument that was probably meant to an error about one that does not exist.
#[must_use]
pub fn with_suggestion(error: ErrorBody, schema: &Value) -> ErrorBody {
    let unknown = error.message.split_once("unknown field `").and_then(|(_, rest)| rest.split_once('`'));
    let Some(unknown) = unknown.map(|(name, _)| name.to_owned()) else { return error };
    let common = crate::common::COMMON_ARGUMENTS.iter().map(|(name, _)| *name);
    let own = schema["properties"].as_object().into_iter().flat_map(|p| p.keys().map(String::as_str));
    match nearest(&unknown, own.chain(common), 1).first() {
        Some(name) => {
            let next = format!("did you mean {name} instead of {unknown}?");
            error.with("did_you_mean", name.clone()).next(next)
        }
        None => error,
    }
}

/// The names that are most like `name`, best first, at most `most`. Equal words count as much as equal
/// letters, since models mix up the order of words.
#[must_use]
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>, most: usize) -> Vec<String> {
    // Comparing takes time with the length, and nothing is like a name that is much longer than all names.
    if name.len() > LONGEST_NAME {
        return Vec::new();
    }
    let wanted = snake(name);
    let words = |text: &str| -> Vec<String> {
        text.split('_').filter(|w| !w.is_empty() && *w != "browser").map(str::to_owned).collect()
    };
    let wanted_words = words(&wanted);
    let mut scored: Vec<(usize, &str)> = Vec::new();
    for candidate in known {
        let candidate_words = words(candidate);
        let shared = wanted_words.iter().filter(|w| candidate_words.contains(w)).count();
        let letters = distance(&wanted_words.join("_"), &candidate_words.join("_"));
        let allowed = (wanted.len().max(candidate.len()) / 3).clamp(1, 4);
        if shared > 0 || letters <= allowed {
            let apart = wanted_words.len() + candidate_words.len() - 2 * shared.min(candidate_words.len());
            scored.push((letters.min(2 * apart), candidate));
        }
    }
    scored.sort();
    scored.dedup_by(|a, b| a.1 == b.1);
    scored.into_iter().take(most).map(|(_, candidate)| candidate.to_owned()).collect()
}

fn invalid(info: &Info, message: String) -> ErrorBody {
    ErrorBody::new(ErrorCode::InvalidArguments, format!("{}: {message}", info.name))
}

/// The tool's own name for an argument.
fn own_name(info: &Info, properties: &Value, name: &str) -> String {
    let name = name.trim();
    if properties.get(name).is_some() {
        return name.to_owned();
    }
    let plain = snake(name);
    if let Some((_, own)) = info.renames.iter().find(|(other, _)| *other == name || snake(other) == plain) {
        return (*own).to_owned();
    }
    if properties.get(&plain).is_some() {
        return plain;
    }
    let known = RENAMES.iter().find(|(other, own)| *other == plain && properties.get(own).is_some());
    known.map_or(plain, |(_, own)| (*own).to_owned())
}

/// `tabId`, `tab-id` and `TabID` as `tab_id`.
fn snake(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut before = None;
    for c in name.trim().chars() {
        if c.is_uppercase() && before.is_some_and(|b: char| b.is_lowercase() || b.is_ascii_digit()) {
            out.push('_');
        }
        if matches!(c, '-' | ' ' | '.') {
            out.push('_');
        } else {
            out.extend(c.to_lowercase());
        }
        before = Some(c);
    }
    out
}

/// The value in the type that its schema asks for, when it can be read as that.
fn coerced(property: &Value, value: Value) -> Value {
    let kind = property["type"].as_str();
    match (kind, value) {
        (Some("string"), Value::Number(number)) => Value::String(number.to_string()),
        (Some("string"), Value::Bool(on)) => Value::String(on.to_string()),
        (Some("string"), Value::String(text)) => Value::String(listed_spelling(property, text)),
        (Some("integer"), Value::Number(number)) => whole(&number).unwrap_or(Value::Number(number)),
        (Some("integer"), Value::String(text)) => {
            let number = text.trim().parse::<serde_json::Number>().ok();
            number.and_then(|n| whole(&n)).unwrap_or(Value::String(text))
        }
        (Some("number"), Value::String(text)) => {
            text.trim().parse().map_or(Value::String(text), Value::Number)
        }
        // Arguments that are accepted and not published have no schema here; only switches are spelled so.
        (Some("boolean") | None, Value::String(text)) => match text.trim().to_ascii_lowercase().as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            _ => Value::String(text),
        },
        (Some("boolean"), Value::Number(number)) => match number.as_u64() {
            Some(0) => Value::Bool(false),
            Some(1) => Value::Bool(true),
            _ => Value::Number(number),
        },
        (Some("array"), Value::String(text)) => match serde_json::from_str(&text) {
            Ok(Value::Array(items)) => Value::Array(items),
            _ => Value::Array(vec![coerced(&property["items"], Value::String(text))]),
        },
        (Some("array"), Value::Array(items)) => {
            Value::Array(items.into_iter().map(|item| coerced(&property["items"], item)).collect())
        }
        (Some("object"), Value::String(text)) => match serde_json::from_str(&text) {
            Ok(Value::Object(map)) => Value::Object(map),
            _ => Value::String(text),
        },
        (_, value) => value,
    }
}

/// A number without a fraction as an integer.
fn whole(number: &serde_json::Number) -> Option<Value> {
    if number.is_i64() || number.is_u64() {
        return Some(Value::Number(number.clone()));
    }
    let float = number.as_f64().filter(|f| f.fract() == 0.0 && f.abs() < 9.0e15)?;
    format!("{float:.0}").parse::<i64>().ok().map(Value::from)
}

/// A listed value in its own spelling: `Left` as `left`.
fn listed_spelling(property: &Value, text: String) -> String {
    let mut listed = property["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let plain = snake(&text);
    match listed.find(|own| own.eq_ignore_ascii_case(text.trim()) || snake(own) == plain) {
        Some(own) => own.to_owned(),
        None => text,
    }
}

/// How many letters must be changed, added, left out or swapped to get from one text to the other.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=other.len()).collect()];
    for i in 1..=one.len() {
        let mut row = vec![i];
        for j in 1..=other.len() {
            let same = usize::from(one[i - 1] != other[j - 1]);
            let mut best = (rows[i - 1][j] + 1).min(row[j - 1] + 1).min(rows[i - 1][j - 1] + same);
            if i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[one.len()][other.len()]
}

#[cfg(test)]
mod tests;
