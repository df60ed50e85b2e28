//! `browser_fill`: fills one or several fields in one call, whatever their kind.

use crate::act::{self, Report};
use crate::common::Common;
use crate::field::{self, Element};
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de};
use serde_json::{Map, Value};
use truehand_base::{EffectClass, ElementRef, ErrorBody, ErrorCode, Facts, Verb};
use truehand_browser::{Acted, Observe, Tab, TypeOptions};

/// Fill one or several fields of any kind: text, checkbox (true or false), select (option).
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fill {
    #[serde(rename = "ref")]
    element: Option<Element>,
    #[schemars(with = "Option<String>")]
    value: Option<Value>,
    /// Several fields in one call.
    #[serde(default, deserialize_with = "entries")]
    #[schemars(with = "Option<Vec<EntrySchema>>")]
    fields: Vec<Entry>,
    #[schemars(skip)]
    secret: Option<bool>,
}

/// How one field is published.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "it is only there for its schema")]
struct EntrySchema {
    #[schemars(rename = "ref")]
    element: Option<String>,
    value: Option<String>,
}

/// One field and what it should hold.
#[derive(Debug, Clone)]
struct Entry {
    element: Element,
    value: Value,
}

/// The fields as models send them: objects, `"e3=Ada"`, or one object of references and values.
fn entries<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Entry>, D::Error> {
    let parsed = match Value::deserialize(deserializer)? {
        Value::Array(items) => items.into_iter().map(entry).collect(),
        Value::Object(map) if !map.values().any(Value::is_object) && !is_entry(&map) => {
            map.into_iter().map(|(name, value)| pair(&name, value)).collect()
        }
        other => entry(other).map(|one| vec![one]),
    };
    parsed.map_err(de::Error::custom)
}

/// The names under which an entry gives its element; the first that is there counts.
const ELEMENT_NAMES: &[&str] = &["ref", "target", "selector", "uid", "locator", "index"];

fn is_entry(map: &Map<String, Value>) -> bool {
    map.contains_key("value") && ELEMENT_NAMES.iter().any(|name| map.contains_key(*name))
}

fn entry(item: Value) -> Result<Entry, String> {
    match item {
        Value::String(text) => {
            let (name, value) =
                split(&text).ok_or_else(|| format!("'{text}' is not of the form e3=value"))?;
            pair(name, Value::from(value))
        }
        Value::Object(mut map) => {
            let element = ELEMENT_NAMES.iter().find_map(|name| map.get(*name)).and_then(field::scalar);
            let element = element.ok_or_else(|| "a field has no ref".to_owned())?;
            let value = map.remove("value").or_else(|| map.remove("text")).or_else(|| map.remove("checked"));
            pair(&element, value.ok_or_else(|| format!("field {element} has no value"))?)
        }
        other => Err(format!("{other} is not a field; write {{\"ref\": \"e3\", \"value\": \"Ada\"}}")),
    }
}

fn pair(name: &str, value: Value) -> Result<Entry, String> {
    match value {
        Value::Object(_) | Value::Null => Err(format!("the value of {name} is not a text")),
        value => Ok(Entry { element: Element::parse(name)?, value }),
    }
}

/// `e3=a=b` is cut at its first sign; a selector may hold some itself, so it is cut at the last.
fn split(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once('=')?;
    if name.parse::<ElementRef>().is_ok() { Some((name, value)) } else { text.rsplit_once('=') }
}

impl Fill {
    fn entries(&self) -> Result<Vec<Entry>, ErrorBody> {
        let mut all = Vec::new();
        if let Some(element) = &self.element {
            let value = self.value.clone().ok_or_else(|| missing("value is missing"))?;
            all.push(Entry { element: element.clone(), value });
        }
        all.extend(self.fields.iter().cloned());
        if all.is_empty() { Err(missing("there is nothing to fill")) } else { Ok(all) }
    }
}

fn missing(message: &str) -> ErrorBody {
    ErrorBody::new(ErrorCode::InvalidArguments, message)
        .next("pass ref and value, or fields: [{\"ref\": \"e3\", \"value\": \"Ada\"}]")
}

impl Tool for Fill {
    const INFO: Info = Info {
        input_mode: true,
        verbs: &["fill", "fill-form"],
        positional: &["ref", "value"],
        aliases: &["browser_fill_form", "fill", "fill_form", "chrome_fill_or_select"],
        renames: &[("text", "value"), ("elements", "fields")],
        extra: "fields takes objects {ref, value}, texts such as \"e3=Ada\", or one object {\"e3\": \"Ada\"}. A \
                checkbox, radio or switch takes true or false, a select or a custom list an option's label, or a list of \
                them. It stops at the first field that fails and says which were filled. Fields are overwritten; \
                secret masks the values in the reply.",
        examples: &[
            ("Fill one field", r#"{"ref":"label=Name","value":"Ada"}"#),
            (
                "Fill a form",
                r#"{"fields":[{"ref":"label=Name","value":"Ada"},{"ref":"label=Delivery","value":"Express"},{"ref":"label=I agree","value":"true"}]}"#,
            ),
        ],
        ..Info::new("browser_fill", "Fill fields", EffectClass::Input, Verb::Type)
    };

    fn more_facts(&self) -> Vec<Facts> {
        // A field may turn out to be a select or a checkbox, so a rule on selecting holds here too.
        vec![Facts::new(Self::INFO.name, Verb::Select)]
    }

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let entries = self.entries()?;
        let tab = act::tab(&cx, &common).await?;
        let observe = common.observe(cx.observe);
        let options =
            TypeOptions { mode: common.mode, secret: self.secret == Some(true), ..TypeOptions::default() };
        let mut reply = Reply::of(tab.id(), "");
        let mut filled: Vec<String> = Vec::new();
        let mut values = Vec::new();
        let mut rest = entries.iter();
        for entry in rest.by_ref() {
            let acted = fill_one(&cx, &tab, entry, &options, &observe).await;
            let reference = acted.as_ref().ok().and_then(|a| a.target.as_ref()).map(|t| t.reference.clone());
            let name = reference.unwrap_or_else(|| entry.element.text.clone());
            if let Ok(acted) = &acted {
                values.push(read_back(&name, acted));
            }
            let report = Report { field: "filled", value: true.into(), asked: &entry.element.text };
            act::add(&mut reply, &common, report, acted, |name| format!("filled {name}"));
            if reply.error.is_some() {
                reply.put("failed", name);
                break;
            }
            filled.push(name);
        }
        finish(&mut reply, &filled, rest.map(|entry| entry.element.text.clone()).collect());
        reply.put("values", values);
        Ok(reply)
    }
}

/// Writes, checks or selects, as the element asks.
async fn fill_one(
    cx: &ToolCtx<'_>,
    tab: &Tab,
    entry: &Entry,
    options: &TypeOptions,
    observe: &Observe,
) -> Result<Acted, ErrorBody> {
    let target = &entry.element.target;
    let text = match &entry.value {
        Value::Bool(checked) => return tab.set_checked(cx.call, target, *checked, observe).await,
        Value::Array(_) => {
            let values =
                field::texts(&entry.value).ok_or_else(|| missing("a value in the list is not a text"))?;
            return tab.select_option(cx.call, target, &values, observe).await;
        }
        other => field::scalar(other).unwrap_or_default(),
    };
    let written = tab.fill_text(cx.call, target, &text, options, observe).await;
    let Err(error) = &written else { return written };
    match kind_of(error, &text) {
        Kind::Check => match checked(&text) {
            Some(checked) => tab.set_checked(cx.call, target, checked, observe).await,
            None => Err(ErrorBody::new(
                ErrorCode::InvalidArguments,
                format!(
                    "{} is a checkbox or switch; \"{text}\" is neither true nor false",
                    entry.element.text
                ),
            )),
        },
        Kind::Select => tab.select_option(cx.call, target, &[text], observe).await,
        // A switch that is no input says only that it takes no text; whether it can be set shows on trying.
        Kind::MaybeCheck(checked) => tab.set_checked(cx.call, target, checked, observe).await.or(written),
        Kind::MaybeSelect => match tab.select_option(cx.call, target, &[text], observe).await {
            Err(error) if error.code == ErrorCode::WrongElement => written,
            picked => picked,
        },
        Kind::Other => written,
    }
}

#[derive(Debug, PartialEq)]
enum Kind {
    Check,
    MaybeCheck(bool),
    Select,
    MaybeSelect,
    Other,
}

/// What an element is, from the refusal to type a text into it.
fn kind_of(error: &ErrorBody, text: &str) -> Kind {
    if !matches!(error.code, ErrorCode::WrongElement | ErrorCode::NotEditable | ErrorCode::WriteNotReflected)
    {
        return Kind::Other;
    }
    match (error.data["kind"].as_str(), text) {
        (Some("checkbox" | "radio" | "switch"), _) => Kind::Check,
        (Some("select"), _) => Kind::Select,
        (None, "true") => Kind::MaybeCheck(true),
        (None, "false") => Kind::MaybeCheck(false),
        // A box that takes no text may open a list; whether it does shows on trying.
        _ if error.data["reason"] == ErrorCode::NotEditable.name()
            || error.code == ErrorCode::NotEditable =>
        {
            Kind::MaybeSelect
        }
        _ => Kind::Other,
    }
}

fn checked(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "on" | "yes" | "1" | "checked" => Some(true),
        "false" | "off" | "no" | "0" | "unchecked" | "" => Some(false),
        _ => None,
    }
}

fn read_back(name: &str, acted: &Acted) -> Value {
    let mut fact = Map::from_iter([("ref".to_owned(), Value::from(name))]);
    if let Some(value) = &acted.value {
        fact.insert("got".to_owned(), Value::from(value.clone()));
    }
    fact.insert("ok".to_owned(), Value::Bool(acted.error.is_none()));
    Value::Object(fact)
}

/// The verdict line names all that were filled; a failure says in its data what was left.
fn finish(reply: &mut Reply, filled: &[String], not_tried: Vec<String>) {
    for single in ["ref", "target", "value"] {
        reply.output.remove(single);
    }
    reply.done = if filled.is_empty() { String::new() } else { format!("filled {}", filled.join(", ")) };
    reply.put("filled", filled);
    if let Some(error) = reply.error.take() {
        reply.error = Some(error.with("filled", filled).with("not_tried", not_tried.clone()));
        reply.put("not_tried", not_tried);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn pairs(value: Value) -> Vec<(String, Value)> {
        let fill: Fill = serde_json::from_value(value).expect("valid");
        fill.entries().expect("some").into_iter().map(|e| (e.element.text, e.value)).collect()
    }

    #[test]
    fn fill_reads_every_form_of_fields() {
        let expected = vec![("e3".to_owned(), json!("Ada")), ("e4".to_owned(), json!(true))];
        let forms = [
            json!({ "fields": [{ "ref": "e3", "value": "Ada" }, { "target": "e4", "value": true }] }),
            json!({ "fields": { "e3": "Ada", "e4": true } }),
            json!({ "ref": "e3", "value": "Ada", "fields": [{ "uid": "e4", "type": "checkbox", "value": true }] }),
        ];
        for form in forms {
            assert_eq!(pairs(form.clone()), expected, "{form}");
        }
        assert_eq!(pairs(json!({ "fields": ["e3=a=b"] })), vec![("e3".to_owned(), json!("a=b"))]);
        assert_eq!(
            pairs(json!({ "fields": ["label=Name=Ada"] })),
            vec![("label=Name".to_owned(), json!("Ada"))]
        );
        assert_eq!(
            pairs(json!({ "fields": { "ref": 3, "value": "Ada" } })),
            vec![("3".to_owned(), json!("Ada"))]
        );
    }

    #[test]
    fn fill_without_anything_to_fill_says_how() {
        let fill: Fill = serde_json::from_value(json!({})).expect("parses");
        assert!(fill.entries().expect_err("nothing").next_step.contains("fields"));
        let fill: Fill = serde_json::from_value(json!({ "ref": "e3" })).expect("parses");
        assert_eq!(fill.entries().expect_err("no value").message, "value is missing");
        for bad in [json!([3]), json!(["Ada"]), json!([{ "value": "x" }]), json!([{ "ref": "e1" }])] {
            assert!(serde_json::from_value::<Fill>(json!({ "fields": bad })).is_err(), "{bad}");
        }
    }

    #[test]
    fn fill_that_stops_says_which_fields_were_filled_and_which_not_tried() {
        let mut reply = Reply { done: "filled e3".to_owned(), ..Reply::default() };
        reply.error = Some(ErrorBody::new(ErrorCode::Disabled, "e4 is disabled"));
        finish(&mut reply, &["e3".to_owned()], vec!["e5".to_owned()]);
        let error = reply.error.expect("kept");
        assert_eq!((&error.data["filled"], &error.data["not_tried"]), (&json!(["e3"]), &json!(["e5"])));
        assert_eq!((reply.done.as_str(), &reply.output["filled"]), ("filled e3", &json!(["e3"])));
    }

    #[test]
    fn fill_knows_the_kind_from_the_refusal() {
        let wrong = |kind: &str| ErrorBody::new(ErrorCode::WrongElement, "x").with("kind", kind);
        let plain = |code| ErrorBody::new(code, "x");
        assert_eq!(kind_of(&wrong("checkbox"), "yes"), Kind::Check);
        assert_eq!(kind_of(&wrong("select"), "Express"), Kind::Select);
        assert_eq!(kind_of(&wrong("file"), "true"), Kind::Other);
        assert_eq!(kind_of(&plain(ErrorCode::NotEditable), "false"), Kind::MaybeCheck(false));
        assert_eq!(kind_of(&plain(ErrorCode::NotEditable), "Ada"), Kind::MaybeSelect);
        assert_eq!(kind_of(&plain(ErrorCode::Disabled), "true"), Kind::Other);
        assert_eq!((checked("True"), checked("off"), checked("Ada")), (Some(true), Some(false), None));
    }
}
