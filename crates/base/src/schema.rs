//! JSON schemas as clients can use them: one normal form, and the subset that the command line can build.

use serde_json::{Map, Value};

/// Flattens what schemars writes into a plain schema: `$schema`, titles and number formats go,
/// `["x","null"]` and `anyOf [x, null]` become `x`, `oneOf` of constants becomes an `enum`,
/// `$ref` to `$defs` is inlined.
#[must_use]
pub fn normalise(schema: &Value) -> Value {
    let defs = schema.get("$defs").cloned().unwrap_or_default();
    flatten(schema, &defs, true)
}

fn flatten(schema: &Value, defs: &Value, root: bool) -> Value {
    let Some(map) = schema.as_object() else { return schema.clone() };
    if let Some(target) = map.get("$ref").and_then(Value::as_str) {
        let name = target.rsplit('/').next().unwrap_or_default();
        let mut inlined = flatten(&defs[name], defs, false);
        if let (Some(into), Some(words)) = (inlined.as_object_mut(), map.get("description")) {
            into.insert("description".to_owned(), words.clone());
        }
        return inlined;
    }
    for key in ["anyOf", "oneOf"] {
        let Some(variants) = map.get(key).and_then(Value::as_array) else { continue };
        let real: Vec<&Value> = variants.iter().filter(|v| v["type"] != "null").collect();
        let mut merged = match real.as_slice() {
            [one] => flatten(one, defs, false),
            many if many.iter().all(|v| v.get("const").is_some() || v.get("enum").is_some()) => {
                let names: Vec<Value> = many
                    .iter()
                    .flat_map(|v| {
                        v.get("const")
                            .cloned()
                            .into_iter()
                            .chain(v["enum"].as_array().cloned().unwrap_or_default())
                    })
                    .collect();
                serde_json::json!({ "type": "string", "enum": names })
            }
            _ => continue,
        };
        if let (Some(into), Some(words)) = (merged.as_object_mut(), map.get("description")) {
            into.insert("description".to_owned(), words.clone());
        }
        return merged;
    }
    let mut out = Map::new();
    for (key, value) in map {
        match key.as_str() {
            "$schema" | "$defs" | "title" | "format" | "default" | "minimum" | "maximum" => {}
            "description" if root => {}
            "additionalProperties" if value == &Value::Bool(false) => {}
            "type" if value.is_array() => {
                let real = value.as_array().into_iter().flatten().find(|t| *t != "null");
                out.insert(key.clone(), real.cloned().unwrap_or_default());
            }
            "properties" => {
                let fields = value.as_object().into_iter().flatten();
                out.insert(key.clone(), fields.map(|(k, v)| (k.clone(), flatten(v, defs, false))).collect());
            }
            "items" => {
                out.insert(key.clone(), flatten(value, defs, false));
            }
            "anyOf" | "oneOf" | "allOf" => {
                let variants = value.as_array().into_iter().flatten();
                out.insert(key.clone(), variants.map(|v| flatten(v, defs, false)).collect());
            }
            "description" => {
                let words =
                    value.as_str().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
                out.insert(key.clone(), Value::String(words));
            }
            _ => {
                out.insert(key.clone(), value.clone());
            }
        }
    }
    Value::Object(out)
}

/// How the command line takes one property of a normalised schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FlagKind {
    /// A text, maybe one of a list.
    Text(Vec<String>),
    /// A whole or decimal number.
    Number,
    /// A switch.
    Switch,
    /// A text that may be given several times.
    List,
    /// Anything richer: given as JSON.
    Json,
}

/// The flag kind of a property's schema.
#[must_use]
pub fn flag_kind(property: &Value) -> FlagKind {
    match property["type"].as_str() {
        Some("string") => FlagKind::Text(
            property["enum"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|v| v.as_str().map(str::to_owned))
                .collect(),
        ),
        Some("integer" | "number") => FlagKind::Number,
        Some("boolean") => FlagKind::Switch,
        Some("array") if property["items"]["type"] == "string" => FlagKind::List,
        _ => FlagKind::Json,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn normalise_flattens_options_enums_and_references() {
        let schema = json!({
            "$schema": "x", "title": "Click", "description": "Root words", "type": "object",
            "additionalProperties": false,
            "properties": {
                "n": { "type": ["integer", "null"], "format": "uint32", "minimum": 0, "description": "a\n b" },
                "m": { "description": "Mode", "anyOf": [{ "$ref": "#/$defs/Mode" }, { "type": "null" }] },
                "k": { "oneOf": [{ "const": "x", "description": "d" }, { "const": "y" }] },
                "s": { "type": "array", "items": { "oneOf": [
                    { "type": "object", "properties": { "m": { "$ref": "#/$defs/Mode" } } }, { "type": "object" }] } }
            },
            "$defs": { "Mode": { "type": "string", "enum": ["a", "b"] } }
        });
        assert_eq!(
            normalise(&schema),
            json!({ "type": "object", "properties": {
                "n": { "type": "integer", "description": "a b" },
                "m": { "type": "string", "enum": ["a", "b"], "description": "Mode" },
                "k": { "type": "string", "enum": ["x", "y"] },
                "s": { "type": "array", "items": { "oneOf": [
                    { "type": "object", "properties": { "m": { "type": "string", "enum": ["a", "b"] } } },
                    { "type": "object" }] } } } })
        );
    }
}
