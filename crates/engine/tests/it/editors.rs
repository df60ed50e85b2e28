//! Rich and code editors: their model holds exactly what was asked, or the call says so and the old text is back.

use crate::hands::{Hands, data, effect, verdict};
use serde_json::{Value, json};
use truehand_base::{ErrorCode, Outcome};

/// Editors that take text in a way of their own, with the field that is typed into.
const EDITORS: [(&str, &str); 9] = [
    ("paragraphs", "#editor"),
    ("hard-breaks", "#editor"),
    ("own-model", "#editor"),
    ("reverting", "#editor"),
    ("naive", "#editor"),
    ("plain", "#editor"),
    ("lines", "#editor"),
    ("capture", "#catcher"),
    ("capture?monaco", "role=textbox[name=\"Code\"]"),
];

fn model(h: &Hands) -> Value {
    h.js("__model()")
}

/// Types a text into every editor, and compares the editor's model.
#[track_caller]
fn everywhere(text: &str, arguments: &Value, expected: &str) {
    let h = Hands::new();
    for (page, field) in EDITORS {
        h.open(&format!("/editors/{}", page.replace("?", ".html?").trim_end_matches(".html")));
        let mut all = json!({ "ref": field, "text": text });
        all.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
        let typed = h.call("browser_type", all);
        assert_eq!(model(&h), expected, "{page}: {typed:#?}");
        assert!(typed.ok(), "{page} holds the text and yet: {:#?}", typed.error);
        assert_eq!(typed.output["value"], expected, "{page}: what is told is what the model holds");
    }
}

#[test]
fn row_195_196_editors_hold_exactly_the_text_that_replaced_theirs() {
    everywhere("Grüße, 1 < 2 & \"so\" — 😀 done", &json!({}), "Grüße, 1 < 2 & \"so\" — 😀 done");
}

#[test]
fn editors_keep_every_line_break_and_empty_line() {
    everywhere("one\ntwo\n\nfour", &json!({}), "one\ntwo\n\nfour");
}

#[test]
fn editors_hold_cjk_text_between_other_text_and_over_lines() {
    everywhere("안녕 hi 東京です。\nかな", &json!({}), "안녕 hi 東京です。\nかな");
}

#[test]
fn editors_keep_spaces_that_html_would_fold() {
    everywhere("a  b   c", &json!({}), "a  b   c");
}

#[test]
fn editors_keep_their_text_in_append_mode() {
    everywhere(" and\nmore", &json!({ "clear_mode": "append" }), "old text and\nmore");
}

#[test]
fn row_196_editors_are_emptied_by_an_empty_text() {
    everywhere("", &json!({}), "");
}

#[test]
fn code_editors_hold_indented_lines_and_more_lines_than_they_draw() {
    let code = "fn main() {\n    if true {\n        go();\n    }\n}\n// end";
    let long: String = (1..=60).map(|n| format!("line {n}\n")).collect();
    let h = Hands::new();
    for (page, field) in [("lines", "#editor"), ("capture", "#catcher"), ("capture.html?monaco", "#catcher")]
    {
        h.open(&format!("/editors/{page}"));
        for text in [code, long.trim_end()] {
            let typed = h.call("browser_type", json!({ "ref": field, "text": text }));
            assert_eq!(model(&h), text, "{page}: {typed:#?}");
            assert!(typed.ok(), "{page}: {:#?}", typed.error);
            assert_eq!(typed.output["value"], text, "{page}");
        }
        let filled = h.ok("browser_fill", json!({ "ref": field, "value": "short" }));
        assert_eq!((model(&h), &filled.output["values"][0]["got"]), (json!("short"), &json!("short")));
    }
}

#[test]
fn fill_writes_into_editors_as_type_does() {
    let h = Hands::new();
    for (page, field) in EDITORS.iter().filter(|(page, _)| !page.contains('?')) {
        h.open(&format!("/editors/{page}"));
        let filled = h.call("browser_fill", json!({ "ref": field, "value": "filled\ntwice" }));
        assert_eq!(model(&h), "filled\ntwice", "{page}: {filled:#?}");
        assert!(filled.ok(), "{page}: {:#?}", filled.error);
    }
}

#[track_caller]
fn refused(h: &Hands, text: &str, code: ErrorCode, held: &str) -> Outcome {
    let outcome = h.fails("browser_type", json!({ "ref": "#editor", "text": text }), code);
    assert_eq!(data(&outcome, "restored"), true, "{outcome:#?}");
    assert_eq!(data(&outcome, "holds"), held, "{outcome:#?}");
    assert_eq!(model(h), held, "the editor has its old text back");
    assert!(!verdict(&outcome).starts_with("typed") || outcome.error.is_some(), "{}", verdict(&outcome));
    outcome
}

#[test]
fn row_198_doubling_editor_is_told_and_gets_its_old_text_back() {
    let h = Hands::at("/editors/doubling");
    let doubled = refused(&h, "hello", ErrorCode::WriteAmplified, "old text");
    assert_eq!(data(&doubled, "got"), "hellohello");
    assert_eq!(h.log().split(' ').filter(|w| *w == "insert").count(), 1, "it is not tried again");
    // What was learnt is used: the next text is written by script, which this editor takes once.
    let next = h.ok("browser_type", json!({ "ref": "#editor", "text": "hello" }));
    assert_eq!(model(&h), "hello");
    assert!(effect(&next).late.is_none(), "what was put back is no late change of the page's: {next:#?}");
}

#[test]
fn editor_that_takes_what_is_only_shown_while_composing_gets_the_text_in_one_piece() {
    let h = Hands::at("/editors/naive");
    let typed = h.ok("browser_type", json!({ "ref": "#editor", "text": "안녕" }));
    assert_eq!(model(&h), "안녕");
    assert!(typed.warnings.iter().any(|w| w.message.contains("in one piece")), "{:?}", typed.warnings);
    let line = h.ok("browser_type", json!({ "ref": "#editor", "text": "plain" }));
    assert!(line.warnings.is_empty(), "{:?}", line.warnings);
}

#[test]
fn editor_without_line_breaks_is_write_not_reflected_and_gets_its_old_text_back() {
    let h = Hands::at("/editors/no-breaks");
    let joined = refused(&h, "one\ntwo", ErrorCode::WriteNotReflected, "old text");
    assert_eq!(data(&joined, "asked"), "one\ntwo");
    h.ok("browser_type", json!({ "ref": "#editor", "text": "one two" }));
    assert_eq!(model(&h), "one two");
}

#[test]
fn editor_that_can_not_be_put_back_is_told_as_it_is() {
    let h = Hands::at("/editors/stuck");
    let stuck =
        h.fails("browser_type", json!({ "ref": "#editor", "text": "hello" }), ErrorCode::WriteNotReflected);
    assert_eq!(data(&stuck, "restored"), false);
    assert_eq!(data(&stuck, "holds"), model(&h), "what it holds now");
    assert!(stuck.error.as_ref().unwrap().message.contains("could not be put back"), "{stuck:#?}");
}

#[test]
fn formatted_text_that_a_write_would_lose_is_put_back_with_its_format() {
    let h = Hands::at("/editors/formatted");
    let html = h.js("document.getElementById('editor').innerHTML");
    let cut = h.fails(
        "browser_type",
        json!({ "ref": "#editor", "text": "this text is longer than it takes" }),
        ErrorCode::WriteNotReflected,
    );
    let now = h.js("document.getElementById('editor').innerHTML");
    assert_eq!(data(&cut, "restored"), now == html, "{now} {cut:#?}");
    assert_eq!(data(&cut, "holds"), model(&h));
}

#[test]
fn row_202_chat_composer_gets_lines_without_sending_and_sends_on_enter() {
    let h = Hands::at("/editors/chat");
    h.ok("browser_type", json!({ "ref": "#editor", "text": "one\ntwo" }));
    assert_eq!((model(&h), h.log()), (json!("one\ntwo"), String::new()));
    h.ok("browser_press", json!({ "keys": ["Escape"] }));
    h.ok("browser_press", json!({ "keys": ["Enter"] }));
    assert_eq!(h.log(), "escape sent:person:7");
    h.ok("browser_type", json!({ "ref": "#editor", "text": "안녕", "submit": true }));
    assert_eq!(h.log(), "escape sent:person:7 sent:person:2");
}
