//! Which typed texts must not be recorded: those that went into a secret field, and those of which
//! nobody saw what kind of field they went into.

use crate::lock;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::Mutex;
use truehand_base::{Outcome, Verb};

/// How many secrets are remembered, so that later lines that show them are clean too.
const REMEMBERED: usize = 256;

/// How page parts write the value of a secret field.
const MASK: char = '•';

/// Secrets that were typed lately.
#[derive(Default)]
pub struct TypedSecrets {
    recent: Mutex<VecDeque<String>>,
}

impl TypedSecrets {
    /// Everything that the line of this call must not show. What went into a field that was seen to be
    /// secret is remembered for the lines that follow.
    pub fn of_call(&self, verbs: &[Verb], arguments: &Value, outcome: &Outcome) -> Vec<String> {
        let mut recent = lock(&self.recent);
        let mut hidden = Vec::new();
        if verbs.contains(&Verb::Type) {
            let (texts, secret) = unseen_texts(arguments, outcome);
            for text in texts {
                match recent.contains(&text) {
                    true => {}
                    false if secret => recent.push_back(text),
                    false => hidden.push(text),
                }
            }
            let excess = recent.len().saturating_sub(REMEMBERED);
            recent.drain(..excess);
        }
        hidden.extend(recent.iter().cloned());
        hidden
    }

    /// Remembers a text that went into a secret field in another way.
    pub fn remember(&self, text: String) {
        let mut recent = lock(&self.recent);
        if !recent.contains(&text) {
            recent.push_back(text);
        }
        let excess = recent.len().saturating_sub(REMEMBERED);
        recent.drain(..excess);
    }
}

/// The typed texts that no field was seen to hold openly, and whether one of the fields is secret.
fn unseen_texts(arguments: &Value, outcome: &Outcome) -> (Vec<String>, bool) {
    let values = outcome.page_effect.iter().flat_map(|effect| &effect.values);
    let facts = values.flat_map(|value| value.asked.iter().chain(std::iter::once(&value.got)));
    let own = outcome.output.get("value").and_then(Value::as_str);
    let seen: Vec<&str> = facts.map(String::as_str).chain(own).collect();
    let mut texts = Vec::new();
    collect(arguments, "", &mut texts);
    texts.retain(|text| !text.is_empty() && !seen.contains(&text.as_str()));
    let flagged = has_secret_flag(arguments);
    let masked = seen.iter().any(|text| text.contains(MASK));
    (texts, flagged || masked)
}

/// Texts under the names that typing tools use, at any depth.
fn collect(value: &Value, name: &str, texts: &mut Vec<String>) {
    match value {
        Value::String(text) if matches!(name, "text" | "value" | "then_type") => texts.push(text.clone()),
        Value::Number(number) if matches!(name, "text" | "value") => texts.push(number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, name, texts)),
        Value::Object(map) => map.iter().for_each(|(key, value)| collect(value, key, texts)),
        _ => {}
    }
}

fn has_secret_flag(value: &Value) -> bool {
    match value {
        Value::Object(map) => {
            map.get("secret") == Some(&Value::Bool(true)) || map.values().any(has_secret_flag)
        }
        Value::Array(items) => items.iter().any(has_secret_flag),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use truehand_base::{PageEffect, ValueFact};

    fn outcome(values: &[(&str, &str)]) -> Outcome {
        let values = values
            .iter()
            .map(|(asked, got)| ValueFact {
                element: "e1".to_owned(),
                asked: Some((*asked).to_owned()),
                got: (*got).to_owned(),
                ok: true,
            })
            .collect();
        let page_effect = Some(PageEffect { values, ..PageEffect::default() });
        Outcome { page_effect, ..Outcome::new("browser_type") }
    }

    #[test]
    fn row_251_typed_secrets_are_hidden_now_and_later() {
        let typed = TypedSecrets::default();
        let open =
            typed.of_call(&[Verb::Type], &json!({ "ref": "e1", "text": "Ada" }), &outcome(&[("Ada", "Ada")]));
        assert!(open.is_empty());
        let call = json!({ "ref": "e2", "text": "hunter2" });
        assert_eq!(typed.of_call(&[Verb::Type], &call, &outcome(&[("••••", "••••")])), ["hunter2"]);
        let later = typed.of_call(&[Verb::Read], &json!({}), &Outcome::new("browser_read"));
        assert_eq!(later, ["hunter2"]);
    }

    #[test]
    fn typed_text_of_a_field_that_nobody_saw_is_hidden_once() {
        let typed = TypedSecrets::default();
        let call = json!({ "ref": "e2", "text": "maybe" });
        assert_eq!(typed.of_call(&[Verb::Type], &call, &Outcome::new("browser_type")), ["maybe"]);
        assert!(typed.of_call(&[Verb::Read], &json!({}), &Outcome::new("browser_read")).is_empty());
        let flagged = json!({ "fields": [{ "ref": "e1", "value": "Ada" }, { "ref": "e2", "value": 4711, "secret": true }] });
        let seen = outcome(&[("Ada", "Ada")]);
        assert_eq!(typed.of_call(&[Verb::Type], &flagged, &seen), ["4711"]);
        assert_eq!(typed.of_call(&[Verb::Read], &json!({}), &Outcome::new("browser_read")), ["4711"]);
    }
}
