//! Tests of the spellings.

use super::*;
use serde_json::json;
use truehand_base::{EffectClass, Verb};

const INFO: Info = Info {
    renames: &[("doubleClick", "double"), ("value", "text")],
    ..Info::new("browser_click", "Click", EffectClass::Input, Verb::Click)
};

fn schema() -> Value {
    json!({ "type": "object", "properties": {
        "ref": { "type": "string" }, "tab_id": { "type": "string" }, "double": { "type": "boolean" },
        "text": { "type": "string" }, "count": { "type": "integer" }, "x": { "type": "number" },
        "button": { "type": "string", "enum": ["left", "middle", "right"] },
        "modifiers": { "type": "array", "items": { "type": "string" } },
        "fields": { "type": "array", "items": { "type": "object" } },
        "opts": { "type": "object" }, "timeout_ms": { "type": "integer" } } })
}

fn normal(arguments: Value) -> Value {
    normalise(&INFO, &schema(), arguments).expect("is understood")
}

#[test]
fn normalise_brings_names_to_the_tools_own() {
    for (given, expected) in [
        (json!({ "ref": "e1" }), json!({ "ref": "e1" })),
        (json!({ "target": "e1" }), json!({ "ref": "e1" })),
        (json!({ "selector": "#a" }), json!({ "ref": "#a" })),
        (json!({ "uid": "12" }), json!({ "ref": "12" })),
        (json!({ "index": 12 }), json!({ "ref": "12" })),
        (json!({ "locator": "text=Save" }), json!({ "ref": "text=Save" })),
        (json!({ "elementRef": "e1" }), json!({ "ref": "e1" })),
        (json!({ "element": "Save button", "ref": "e1" }), json!({ "ref": "e1" })),
        (json!({ "element": "Save button", "target": "e1" }), json!({ "ref": "e1" })),
        (json!({ "element": "e1" }), json!({ "ref": "e1" })),
        (json!({ "element": "e1", "ref": null }), json!({ "ref": "e1" })),
        (json!({ "tab": 2 }), json!({ "tab_id": "2" })),
        (json!({ "tabId": "t2" }), json!({ "tab_id": "t2" })),
        (json!({ "pageId": 2 }), json!({ "tab_id": "2" })),
        (json!({ "page_id": 2 }), json!({ "tab_id": "2" })),
        (json!({ "pageIdx": 2 }), json!({ "tab_id": "2" })),
        (json!({ "doubleClick": true }), json!({ "double": true })),
        (json!({ "double_click": true }), json!({ "double": true })),
        (json!({ "value": "a" }), json!({ "text": "a" })),
        (json!({ "timeout": 5 }), json!({ "timeout_ms": 5 })),
        (json!({ "ref": "e1", "target": "e1" }), json!({ "ref": "e1" })),
        (json!({ "colour": "red" }), json!({ "colour": "red" })),
        (json!("{\"target\":\"e1\"}"), json!({ "ref": "e1" })),
        (Value::Null, json!({})),
        (json!(""), json!({})),
    ] {
        assert_eq!(normal(given.clone()), expected, "{given}");
    }
}

#[test]
fn normalise_brings_values_to_the_schemas_types() {
    for (given, expected) in [
        (json!({ "count": "3" }), json!({ "count": 3 })),
        (json!({ "count": 3.0 }), json!({ "count": 3 })),
        (json!({ "count": "three" }), json!({ "count": "three" })),
        (json!({ "count": 3.5 }), json!({ "count": 3.5 })),
        (json!({ "x": " 1.5 " }), json!({ "x": 1.5 })),
        (json!({ "double": "True" }), json!({ "double": true })),
        (json!({ "double": 0 }), json!({ "double": false })),
        (json!({ "double": "yes" }), json!({ "double": "yes" })),
        (json!({ "text": 42 }), json!({ "text": "42" })),
        (json!({ "text": "true" }), json!({ "text": "true" })),
        (json!({ "text": "7" }), json!({ "text": "7" })),
        (json!({ "button": "Left" }), json!({ "button": "left" })),
        (json!({ "button": "none" }), json!({ "button": "none" })),
        (json!({ "modifiers": "Shift" }), json!({ "modifiers": ["Shift"] })),
        (json!({ "modifiers": "[\"Shift\"]" }), json!({ "modifiers": ["Shift"] })),
        (json!({ "opts": "{\"a\":1}" }), json!({ "opts": { "a": 1 } })),
        (json!({ "fields": "[{\"a\":1}]" }), json!({ "fields": [{ "a": 1 }] })),
        (json!({ "dismiss_overlay": "true" }), json!({ "dismiss_overlay": true })),
    ] {
        assert_eq!(normal(given.clone()), expected, "{given}");
    }
}

#[test]
fn normalise_of_two_spellings_that_differ_names_both() {
    let error = normalise(&INFO, &schema(), json!({ "ref": "e1", "selector": "#a" })).expect_err("unclear");
    assert_eq!(error.code, ErrorCode::InvalidArguments);
    assert!(error.message.contains("ref and selector"), "{error}");
    for arguments in [json!([1]), json!("click it"), json!(3)] {
        let error = normalise(&INFO, &schema(), arguments).expect_err("no object");
        assert_eq!(error.code, ErrorCode::InvalidArguments);
    }
}

#[test]
fn normalise_leaves_a_name_that_the_tool_has_itself() {
    let own = json!({ "properties": { "index": { "type": "integer" }, "target": { "type": "string" },
        "ref": { "type": "string" } } });
    let given = json!({ "index": "1", "target": "e2" });
    assert_eq!(normalise(&INFO, &own, given).expect("reads"), json!({ "index": 1, "target": "e2" }));
}

#[test]
fn with_suggestion_names_the_argument_that_was_meant() {
    for (unknown, meant) in
        [("buton", "button"), ("modifier", "modifiers"), ("observe_effect", "observe_effects")]
    {
        let error = invalid(&INFO, format!("unknown field `{unknown}`, expected one of `ref`"));
        assert_eq!(with_suggestion(error, &schema()).data["did_you_mean"], meant);
    }
    let error = invalid(&INFO, "unknown field `zebra`".to_owned());
    assert_eq!(with_suggestion(error.clone(), &schema()), error);
}

#[test]
fn nearest_finds_typing_slips_and_words_in_another_order() {
    let known = ["browser_click", "browser_click_at", "browser_type", "browser_new_tab", "browser_close_tab"];
    let best = |name: &str| nearest(name, known.into_iter(), 3);
    assert_eq!(best("browser_clik")[0], "browser_click");
    assert_eq!(best("click_element")[0], "browser_click");
    assert_eq!(best("browser_tab_new")[0], "browser_new_tab");
    assert_eq!(best("tpye")[0], "browser_type");
    assert!(best("click").len() <= 3);
    assert!(best("weather_forecast").is_empty());
}

#[test]
fn nearest_compares_no_name_that_is_much_longer_than_all_names() {
    let long = format!("click_{}", "x".repeat(1_000_000));
    assert_eq!(nearest(&long, ["browser_click"].into_iter(), 3), Vec::<String>::new());
    assert_eq!(nearest("clikc", ["browser_click"].into_iter(), 3), ["browser_click"]);
}

#[test]
fn more_arguments_than_any_tool_takes_are_refused() {
    let many: Map<String, Value> = (0..65).map(|n| (format!("k{n}"), json!(1))).collect();
    let error = normalise(&INFO, &schema(), Value::Object(many)).expect_err("refused");
    assert!(error.message.contains("65 arguments"), "{error}");
}
