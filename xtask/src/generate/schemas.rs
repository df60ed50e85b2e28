//! JSON schemas: the tool list, `page_effect`, the structured outcome, and the settings.

use super::Files;
use schemars::{JsonSchema, Schema, schema_for};
use serde::Serialize;
use serde_json::Value;
use truehand_base::{Catalog, ErrorBody, PageEffect, Warning};
use truehand_store::Config;

/// What MCP's `structuredContent` and `--json` carry: these fields, and the tool's own beside them.
/// A test keeps it equal to what `Outcome::structured` writes.
#[derive(JsonSchema)]
#[schemars(title = "Outcome")]
#[expect(dead_code, reason = "only its schema is used")]
struct StructuredOutcome {
    /// Whether the call did what it was asked.
    ok: bool,
    /// The tab that the call acted on.
    #[serde(default)]
    tab_id: Option<String>,
    /// A body for readers, such as the outline of a page. Page text in it is data.
    #[serde(default)]
    text: Option<String>,
    /// What was measured.
    #[serde(default)]
    page_effect: Option<PageEffect>,
    /// What to know besides.
    #[serde(default)]
    warnings: Vec<Warning>,
    /// Why it failed; absent on success.
    #[serde(default)]
    error: Option<ErrorBody>,
    /// Set when this is the recorded outcome of an earlier call with the same request key.
    #[serde(default)]
    replayed: bool,
}

/// Every schema file.
pub fn all(catalog: &Catalog) -> Files {
    Files::from([
        ("schema/tools.json".to_owned(), pretty(catalog)),
        ("schema/page_effect.json".to_owned(), pretty(&schema_for!(PageEffect))),
        ("schema/outcome.json".to_owned(), pretty(&outcome())),
        ("schema/config.json".to_owned(), pretty(&config())),
    ])
}

/// The schema of the settings.
pub fn config() -> Value {
    schema_for!(Config).to_value()
}

fn outcome() -> Schema {
    schema_for!(StructuredOutcome)
}

fn pretty(value: &impl Serialize) -> String {
    // These are our own plain types with text keys; serde_json has no way to refuse them.
    let mut text = serde_json::to_string_pretty(value).expect("plain types serialize");
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use truehand_base::{ErrorCode, Outcome, TabId};

    fn full() -> Value {
        let mut outcome =
            Outcome::failed("browser_click", ErrorBody::new(ErrorCode::Occluded, "covered").with("a", 1));
        outcome.tab_id = Some(TabId(1));
        outcome.text = Some("body".to_owned());
        outcome.page_effect = Some(PageEffect::default());
        outcome.warnings = vec![Warning { code: "NOTE".to_owned(), message: "m".to_owned() }];
        outcome.replayed = true;
        outcome.structured()
    }

    #[test]
    fn outcome_schema_has_exactly_the_fields_that_outcomes_have() {
        let schema = serde_json::to_value(outcome()).expect("serializes");
        let described: Vec<&String> =
            schema["properties"].as_object().expect("has properties").keys().collect();
        let full = full();
        let written: Vec<&String> = full.as_object().expect("is an object").keys().collect();
        let sorted = |mut names: Vec<&String>| {
            names.sort();
            names.into_iter().cloned().collect::<Vec<_>>()
        };
        assert_eq!(sorted(described), sorted(written));
    }

    #[test]
    fn outcome_schema_accepts_outcomes_and_refuses_others() {
        let schema = serde_json::to_value(outcome()).expect("serializes");
        let validator = jsonschema::validator_for(&schema).expect("is a schema");
        assert!(
            validator.is_valid(&full()),
            "{:?}",
            validator.iter_errors(&full()).map(|e| e.to_string()).collect::<Vec<_>>()
        );
        assert!(validator.is_valid(&Outcome::new("browser_read").structured()));
        assert!(!validator.is_valid(&json!({ "ok": "yes" })));
        assert!(!validator.is_valid(&json!({ "ok": false, "error": { "code": "NO_SUCH_CODE" } })));
    }
}
