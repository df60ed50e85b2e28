//! Keys: chords, refused chords, keys in rich editors.

use crate::hands::{Hands, effect};
use serde_json::json;
use truehand_base::ErrorCode;

#[test]
fn row_199_press_primary_is_seen_by_the_page_as_the_platforms_modifier() {
    let h = Hands::at("/keys.html");
    h.ok("browser_click", json!({ "ref": "#field" }));
    h.ok("browser_press", json!({ "keys": ["Primary", "KeyB"] }));
    let primary = if cfg!(target_os = "macos") { "meta" } else { "ctrl" };
    let log = h.log();
    assert!(log.split(' ').any(|w| w == format!("{primary}+KeyB")), "{log}");
    assert!(!log.contains("untrusted"), "{log}");
}

#[test]
fn row_200_press_chords_select_all_and_combine_with_shift() {
    let h = Hands::at("/keys.html");
    h.ok("browser_click", json!({ "ref": "#field" }));
    h.ok("browser_press", json!({ "keys": ["Primary", "KeyA"] }));
    let selected = "(() => { const f = document.getElementById('field'); return f.value.slice(f.selectionStart, f.selectionEnd); })()";
    assert_eq!(h.js(selected), "some words");
    h.ok("browser_press", json!({ "keys": ["Home"] }));
    h.ok("browser_press", json!({ "keys": ["Shift", "ArrowRight"] }));
    h.ok("browser_press", json!({ "keys": ["Shift+ArrowRight"] }));
    assert_eq!(h.js(selected), "so");
    let log = h.log();
    assert!(log.split(' ').any(|w| w == "shift+ArrowRight"), "{log}");
}

#[test]
fn row_201_destructive_chords_are_refused_and_the_page_sees_no_key() {
    let h = Hands::at("/keys.html");
    h.ok("browser_click", json!({ "ref": "#field" }));
    for chord in [
        json!(["Primary", "KeyW"]),
        json!(["Primary", "KeyQ"]),
        json!(["Primary", "KeyT"]),
        json!(["Primary", "KeyN"]),
        json!(["Primary", "Shift", "KeyW"]),
        json!(["Primary", "Shift", "KeyN"]),
        json!(["Alt", "F4"]),
        json!(["ctrl+w"]),
        json!(["Shift+Primary+KeyW"]),
    ] {
        h.fails("browser_press", json!({ "keys": chord }), ErrorCode::ChordRefused);
    }
    assert_eq!(h.log(), "");
    assert_eq!(h.ok("browser_list_tabs", json!({})).output["tabs"].as_array().unwrap().len(), 1);
}

#[test]
fn row_202_enter_escape_and_tab_reach_a_rich_editor_as_a_persons() {
    let h = Hands::at("/composer.html");
    h.ok("browser_type", json!({ "ref": "#editor", "text": "hello there" }));
    let sent = h.ok("browser_press", json!({ "keys": ["Enter"] }));
    assert!(effect(&sent).dom.added > 0, "{sent:#?}");
    assert_eq!(h.js("document.getElementById('sent').innerText"), "hello there");
    h.ok("browser_type", json!({ "ref": "#editor", "text": "never mind" }));
    h.ok("browser_press", json!({ "keys": ["Escape"] }));
    h.ok("browser_press", json!({ "keys": ["Tab"] }));
    let log = h.log();
    assert!(log.ends_with("sent emptied tabbed"), "{log}");
}

#[test]
fn press_several_keys_presses_them_in_order() {
    let h = Hands::at("/keys.html");
    h.ok("browser_click", json!({ "ref": "#field" }));
    h.ok("browser_press", json!({ "keys": ["End", "Backspace", "Backspace"] }));
    assert_eq!(h.js("document.getElementById('field').value"), "some wor");
    assert_eq!(h.log(), "End Backspace Backspace");
}

#[test]
fn press_with_a_key_that_does_not_exist_is_refused() {
    let h = Hands::at("/keys.html");
    h.fails("browser_press", json!({ "keys": ["Bogus"] }), ErrorCode::InvalidArguments);
}
