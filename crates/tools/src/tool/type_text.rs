//! `browser_type`: writes a text into a field, exactly, and reads it back.

use crate::act::{self, Report};
use crate::common::Common;
use crate::field::{self, Element};
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, Facts, Verb};
use truehand_browser::TypeOptions;

/// What stands for the field that has the focus.
const FOCUSED: &str = "focused";

/// Type text into a field and read it back.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TypeText {
    /// Ref, selector or "focused".
    #[serde(rename = "ref")]
    #[schemars(required)]
    element: Option<Element>,
    #[serde(deserialize_with = "field::text")]
    #[schemars(with = "String")]
    text: String,
    /// auto (default) overwrites.
    clear_mode: Option<ClearMode>,
    /// Then press Enter.
    submit: Option<bool>,
    #[schemars(skip)]
    slowly: Option<bool>,
    #[schemars(skip)]
    clear: Option<bool>,
    #[schemars(skip)]
    secret: Option<bool>,
}

/// What happens to what the field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ClearMode {
    /// It is overwritten.
    #[serde(alias = "overwrite", alias = "replace", alias = "always")]
    Auto,
    /// It is kept; the text goes to its end.
    #[serde(alias = "none", alias = "keep", alias = "never")]
    Append,
}

impl TypeText {
    fn appends(&self) -> bool {
        self.clear_mode.map_or(self.clear == Some(false), |mode| mode == ClearMode::Append)
    }
}

impl Tool for TypeText {
    const INFO: Info = Info {
        input_mode: true,
        verbs: &["type"],
        positional: &["ref", "text"],
        aliases: &["type", "type_text"],
        renames: &[("value", "text"), ("press_enter", "submit"), ("keys", "slowly")],
        extra: "Without ref, or with \"focused\", the field that has the focus takes the text. slowly presses every \
                character as a key. secret masks the value in the reply; password fields are masked anyway. Chinese, \
                Japanese and Korean text is composed as by an input method. A field that holds something else \
                afterwards is WRITE_NOT_REFLECTED or WRITE_AMPLIFIED, never a success: it gets back what it held; \
                restored says whether that worked, holds what it holds now.",
        examples: &[
            ("Write into a field", r#"{"ref":"label=Name","text":"Ada"}"#),
            ("Add to what it holds", r#"{"ref":"label=Name","text":" Lovelace","clear_mode":"append"}"#),
        ],
        ..Info::new("browser_type", "Type", EffectClass::Input, Verb::Type)
    };

    fn more_facts(&self) -> Vec<Facts> {
        let enter = || Facts { chord: vec!["Enter".to_owned()], ..Facts::new(Self::INFO.name, Verb::Press) };
        if self.submit == Some(true) { vec![enter()] } else { Vec::new() }
    }

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let tab = act::tab(&cx, &common).await?;
        let element = self.element.as_ref().filter(|e| !e.text.eq_ignore_ascii_case(FOCUSED));
        let options = TypeOptions {
            append: self.appends(),
            keys: self.slowly == Some(true),
            submit: self.submit == Some(true),
            mode: common.mode,
            secret: self.secret == Some(true),
        };
        let observe = common.observe(cx.observe);
        let acted = tab.type_text(cx.call, element.map(|e| &e.target), &self.text, &options, &observe).await;
        let count = self.text.chars().count();
        let asked = element.map_or("the focused field", |e| e.text.as_str());
        let report = Report { field: "typed", value: count.into(), asked };
        let submitted = if options.submit { " and pressed Enter" } else { "" };
        Ok(act::reply(&tab, &common, report, acted, |name| {
            format!("typed {count} characters into {name}{submitted}")
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn parse(value: Value) -> TypeText {
        serde_json::from_value(value).expect("valid")
    }

    #[test]
    fn type_takes_numbers_and_the_spellings_of_clearing() {
        assert_eq!(parse(json!({ "ref": 3, "text": 42 })).text, "42");
        assert!(!parse(json!({ "text": "a" })).appends());
        assert!(parse(json!({ "text": "a", "clear": false })).appends());
        assert!(parse(json!({ "text": "a", "clear_mode": "append" })).appends());
        assert!(!parse(json!({ "text": "a", "clear_mode": "replace", "clear": false })).appends());
    }

    #[test]
    fn type_with_submit_is_judged_as_a_key_press_too() {
        assert!(parse(json!({ "text": "a" })).more_facts().is_empty());
        let facts = parse(json!({ "text": "a", "submit": true })).more_facts();
        assert_eq!(
            (facts[0].verb, facts[0].chord.as_slice()),
            (Verb::Press, ["Enter".to_owned()].as_slice())
        );
    }
}
