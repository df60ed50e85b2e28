//! CJK text: composed as an input method does, seen so by the page, and exact in the end.

use crate::hands::{Hands, reference_in};
use serde_json::{Value, json};

/// Hangul, Kana, Han, Latin, full-width signs, an emoji of several parts and combining marks.
const MIXED: &str = "안녕하세요, Tokyo は「東京」です。👨‍👩‍👧 e\u{301} か\u{3099}葛\u{e0100} ok";

/// What one field saw, as `type:how:data`.
fn events(h: &Hands, id: &str) -> Vec<Value> {
    h.js(&format!("__events.filter((e) => e.id === '{id}')")).as_array().unwrap().clone()
}

fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().map(|e| e["type"].as_str().unwrap()).collect()
}

#[test]
fn cjk_text_is_composed_as_by_an_input_method() {
    let h = Hands::at("/inputs/ime.html");
    for (id, read) in [("text", "value"), ("area", "value"), ("rich", "innerText")] {
        h.ok("browser_type", json!({ "ref": format!("#{id}"), "text": "한국" }));
        assert_eq!(h.js(&format!("document.getElementById('{id}').{read}")), "한국", "{id}");
        let seen = events(&h, id);
        let all = kinds(&seen);
        for kind in ["compositionstart", "compositionupdate", "compositionend"] {
            assert!(all.contains(&kind), "{id}: no {kind} in {all:?}");
        }
        let updates: Vec<&str> = seen
            .iter()
            .filter(|e| e["type"] == "compositionupdate")
            .map(|e| e["data"].as_str().unwrap())
            .collect();
        assert_eq!(updates[..4], ["ㅎ", "하", "한", "한국"], "{id}: a syllable grows by its letters");
        let inputs: Vec<&Value> = seen.iter().filter(|e| e["type"] == "input").collect();
        let composed = inputs.iter().filter(|e| e["how"] == "insertCompositionText");
        assert!(
            composed.clone().count() >= 4 && composed.clone().all(|e| e["trusted"] == true),
            "{inputs:?}"
        );
        assert!(inputs.iter().all(|e| e["how"] != "insertText"), "{id}: {inputs:?}");
        let begun =
            seen.iter().filter(|e| e["type"] == "compositionstart" || e["type"] == "compositionupdate");
        assert!(begun.clone().all(|e| e["trusted"] == true), "{id}: {seen:?}");
    }
}

#[test]
fn cjk_text_mixed_with_latin_emoji_and_marks_is_exact_in_every_kind_of_field() {
    let h = Hands::at("/inputs/ime.html");
    for (id, read) in [("text", "value"), ("area", "value"), ("search", "value"), ("rich", "innerText")] {
        let typed = h.ok("browser_type", json!({ "ref": format!("#{id}"), "text": MIXED }));
        assert_eq!(h.js(&format!("document.getElementById('{id}').{read}")), MIXED, "{id}");
        assert!(typed.warnings.is_empty(), "{id}: {:?}", typed.warnings);
        let seen = events(&h, id);
        let count = kinds(&seen).iter().filter(|k| **k == "compositionstart").count();
        assert_eq!(count, 3, "{id}: one composition for each run of CJK text");
        let plain = |e: &&Value| e["type"] == "input" && e["how"] == "insertText";
        let latin: String = seen.iter().filter(plain).map(|e| e["data"].as_str().unwrap()).collect();
        assert!(latin.contains("Tokyo") && !latin.contains('東'), "{id}: {latin}");
    }
    h.ok("browser_type", json!({ "ref": "#text", "text": "と日本", "clear_mode": "append" }));
    assert_eq!(h.js("document.getElementById('text').value"), format!("{MIXED}と日本"));
}

#[test]
fn composed_text_reaches_a_model_that_waits_for_the_end_of_the_composition() {
    let h = Hands::at("/inputs/ime.html");
    h.ok("browser_type", json!({ "ref": "#late", "text": "漢字 and kana かな" }));
    assert_eq!(h.js("__late"), "漢字 and kana かな");
    h.ok("browser_fill", json!({ "ref": "#late", "value": "안녕" }));
    assert_eq!(h.js("__late"), "안녕");
}

#[test]
fn latin_text_and_passwords_are_not_composed() {
    let h = Hands::at("/inputs/ime.html");
    h.ok("browser_type", json!({ "ref": "#text", "text": "plain é 😀" }));
    h.ok("browser_type", json!({ "ref": "#password", "text": "암호" }));
    for id in ["text", "password"] {
        assert!(!kinds(&events(&h, id)).contains(&"compositionstart"), "{id}");
    }
    assert_eq!(h.js("document.getElementById('password').value"), "암호");
}

#[test]
fn cjk_text_by_keys_shows_the_key_that_an_input_method_shows() {
    let h = Hands::at("/inputs/ime.html");
    h.ok("browser_type", json!({ "ref": "#text", "text": "a漢", "slowly": true }));
    assert_eq!(h.js("document.getElementById('text').value"), "a漢");
    let seen = events(&h, "text");
    let keys: Vec<&Value> = seen.iter().filter(|e| e["type"] == "keydown").map(|e| &e["how"]).collect();
    assert_eq!(keys, ["a", "Process"]);
    assert!(kinds(&seen).contains(&"compositionend"));
}

#[test]
fn cjk_text_that_a_field_cuts_off_is_no_success() {
    let h = Hands::at("/inputs/ime.html");
    let cut = h.call("browser_type", json!({ "ref": "#short", "text": "안녕하세요" }));
    assert_eq!(cut.error.as_ref().unwrap().data["got"], "안녕하", "{cut:#?}");
    assert_eq!(h.js("document.getElementById('short').value"), "");
}

#[test]
fn cjk_text_is_composed_in_a_frame_of_another_site() {
    let h = Hands::at("/inputs/ime.html");
    let text = h.read_until("textbox \"Area\"", 2);
    let areas: Vec<&str> = text.lines().filter(|l| l.contains("textbox \"Area\"")).collect();
    let reference = reference_in(areas[1], "Area").unwrap();
    let typed = h.ok("browser_type", json!({ "ref": reference, "text": MIXED }));
    assert_eq!(typed.output["value"], MIXED);
    // By keys as well: what no key has goes to the frame's own process.
    let typed = h.ok("browser_type", json!({ "ref": reference, "text": "né 漢字", "slowly": true }));
    assert_eq!(typed.output["value"], "né 漢字");
}
