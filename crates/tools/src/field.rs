//! Kinds of argument values that several tools share. Each takes what models really send and
//! publishes the plainest schema.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, de};
use serde_json::Value;
use std::borrow::Cow;
use truehand_browser::Target;

/// An element argument: a reference or any selector, as text or as a number.
#[derive(Debug, Clone)]
pub struct Element {
    /// What the caller wrote.
    pub text: String,
    /// What it means.
    pub target: Target,
}

impl Element {
    /// Reads any spelling of [`Target::parse`]. The error is a sentence with the next step.
    pub fn parse(text: &str) -> Result<Element, String> {
        let target =
            Target::parse(text).map_err(|error| format!("{}; {}", error.message, error.next_step))?;
        Ok(Element { text: text.trim().to_owned(), target })
    }
}

impl<'de> Deserialize<'de> for Element {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let text =
            scalar(&value).ok_or_else(|| de::Error::custom(format!("{value} is not a ref or selector")))?;
        Element::parse(&text).map_err(de::Error::custom)
    }
}

impl JsonSchema for Element {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Element".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        // One place for the words: they come with every element argument that has none of its own.
        let mut schema = String::json_schema(generator);
        schema.insert("description".to_owned(), Value::from("Ref or selector."));
        schema
    }
}

/// A text; numbers and booleans are taken as their spelling.
pub fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let value = Value::deserialize(deserializer)?;
    scalar(&value).ok_or_else(|| de::Error::custom(format!("{value} is not a text")))
}

/// A list of texts; a single one stands for a list of one.
pub fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    texts(&value).ok_or_else(|| de::Error::custom(format!("{value} is not a text or a list of texts")))
}

/// The texts of a value that is one text or a list of them.
pub fn texts(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::Array(items) => items.iter().map(scalar).collect(),
        other => scalar(other).map(|text| vec![text]),
    }
}

/// The text of a scalar.
pub fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn element_is_read_from_text_and_number() {
        let read = |value: Value| serde_json::from_value::<Element>(value);
        assert_eq!(read(json!(12)).expect("number").target, Target::Ref { frame: 0, number: 12 });
        assert_eq!(read(json!("@e12")).expect("text").target, Target::Ref { frame: 0, number: 12 });
        assert!(read(json!([1])).expect_err("list").to_string().contains("not a ref or selector"));
        assert!(read(json!(" ")).expect_err("empty").to_string().contains("browser_read"));
    }

    #[test]
    fn texts_take_one_or_many() {
        assert_eq!(texts(&json!("a")), Some(vec!["a".to_owned()]));
        assert_eq!(texts(&json!(["a", 2])), Some(vec!["a".to_owned(), "2".to_owned()]));
        assert_eq!(texts(&json!({ "a": 1 })), None);
    }
}
