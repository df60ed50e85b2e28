//! Typing: exact text in every kind of field, and honest failures where a field does not take it.

use crate::hands::{Hands, data, effect, verdict};
use serde_json::{Value, json};
use truehand_base::ErrorCode;

const KINDS: [&str; 5] = ["input", "area", "plain", "prose", "quill"];

/// What a field of `text-kinds.html` holds, in the page's own view.
fn held(h: &Hands, id: &str) -> Value {
    match id {
        "input" | "area" => h.js(&format!("document.getElementById('{id}').value")),
        "plain" => h.js("document.getElementById('plain').innerText"),
        _ => h.js(&format!("__models.{id}")),
    }
}

#[test]
fn row_195_196_type_replaces_what_five_kinds_of_field_hold_by_exactly_the_text() {
    let h = Hands::at("/text-kinds.html");
    let text = "Grüße, 1 < 2 & \"so\" — 😀 done";
    for id in KINDS {
        assert!(held(&h, id).as_str().unwrap().starts_with("old"), "{id} starts with its old text");
        let typed = h.ok("browser_type", json!({ "ref": format!("#{id}"), "text": text }));
        assert_eq!(held(&h, id), text, "{id}: {typed:#?}");
        let value = &effect(&typed).values[0];
        assert!(value.ok, "{id}: {value:?}");
        assert_eq!(typed.output["value"], text, "{id}");
    }
}

#[test]
fn row_196_type_in_append_mode_keeps_what_the_field_holds() {
    let h = Hands::at("/text-kinds.html");
    for id in KINDS {
        h.ok("browser_type", json!({ "ref": format!("#{id}"), "text": " and new", "clear_mode": "append" }));
        assert_eq!(held(&h, id), format!("old {} and new", if id == "area" { "area" } else { id }), "{id}");
    }
}

#[test]
fn row_196_type_of_nothing_empties_the_field() {
    let h = Hands::at("/text-kinds.html");
    for id in KINDS {
        h.ok("browser_type", json!({ "ref": format!("#{id}"), "text": "" }));
        assert_eq!(held(&h, id).as_str().unwrap().trim(), "", "{id}");
    }
}

#[test]
fn type_keeps_line_breaks_in_a_textarea() {
    let h = Hands::at("/text-kinds.html");
    h.ok("browser_type", json!({ "ref": "#area", "text": "one\ntwo\n\nfour" }));
    assert_eq!(held(&h, "area"), "one\ntwo\n\nfour");
}

#[test]
fn type_slowly_presses_every_character_as_a_key() {
    let h = Hands::at("/keys.html");
    h.ok("browser_type", json!({ "ref": "#field", "text": "aB1", "slowly": true }));
    assert_eq!(h.js("document.getElementById('field').value"), "aB1");
    let keys = h.js("__keys.filter((k) => k.trusted).map((k) => k.key)");
    for key in ["a", "B", "1"] {
        assert!(keys.as_array().unwrap().contains(&json!(key)), "{key} in {keys}");
    }
}

#[test]
fn type_with_submit_presses_enter() {
    let h = Hands::at("/login.html");
    h.ok("browser_type", json!({ "ref": "#user", "text": "ann", "submit": true }));
    assert_eq!(h.wait_log("login:ann:0"), "login:ann:0");
}

#[test]
fn row_197_type_into_a_field_that_takes_nothing_is_write_not_reflected() {
    let h = Hands::at("/fields-blocked.html");
    for (field, codes) in [
        ("#off", [ErrorCode::WriteNotReflected, ErrorCode::Disabled]),
        ("#under", [ErrorCode::WriteNotReflected, ErrorCode::Occluded]),
        ("#read", [ErrorCode::WriteNotReflected, ErrorCode::NotEditable]),
        ("#stubborn", [ErrorCode::WriteNotReflected; 2]),
        ("#clipped", [ErrorCode::WriteNotReflected; 2]),
    ] {
        let refused = h.call("browser_type", json!({ "ref": field, "text": "hello" }));
        let error = refused.error.as_ref().unwrap_or_else(|| panic!("{field} claims success: {refused:#?}"));
        assert!(codes.contains(&error.code), "{field}: {error:?}");
        assert!(!verdict(&refused).starts_with("typed"), "{}", verdict(&refused));
    }
    let values = h.js("['off', 'read', 'under', 'stubborn'].map((id) => document.getElementById(id).value)");
    assert_eq!(values, json!(["", "fixed", "", "mine"]));
}

#[test]
fn row_198_type_into_a_doubling_editor_is_write_amplified_and_not_tried_again() {
    let h = Hands::at("/editor-doubling.html");
    let doubled =
        h.fails("browser_type", json!({ "ref": "#editor", "text": "hello" }), ErrorCode::WriteAmplified);
    assert_eq!(h.log().split(' ').filter(|w| *w == "insert").count(), 1, "one insertion: {doubled:#?}");
}

#[test]
fn type_into_a_controlled_field_reaches_the_frameworks_model() {
    let h = Hands::at("/controlled.html");
    h.ok("browser_type", json!({ "ref": "label=Amount", "text": "42" }));
    h.ok("browser_click", json!({ "ref": "#show" }));
    assert_eq!(h.log(), "model:42");
}

#[test]
fn type_into_a_masked_field_accepts_the_masks_own_form() {
    let h = Hands::at("/mask.html");
    let typed = h.ok("browser_type", json!({ "ref": "label=Phone", "text": "5551234567" }));
    assert_eq!(typed.output["value"], "(555) 123-4567");
    h.fails(
        "browser_type",
        json!({ "ref": "label=Digits only", "text": "abc" }),
        ErrorCode::WriteNotReflected,
    );
}

#[test]
fn type_into_date_time_range_and_colour_sets_their_values() {
    let h = Hands::at("/date.html");
    for (id, value) in [("day", "1990-07-04"), ("time", "09:30"), ("volume", "7"), ("colour", "#336699")] {
        h.ok("browser_type", json!({ "ref": format!("#{id}"), "text": value }));
        assert_eq!(h.js(&format!("document.getElementById('{id}').value")), value);
    }
    assert_eq!(h.log(), "day:1990-07-04 time:09:30 volume:7 colour:#336699");
    h.fails("browser_type", json!({ "ref": "#day", "text": "4 July" }), ErrorCode::WriteNotReflected);
}

#[test]
fn type_into_a_password_field_never_shows_the_password() {
    let h = Hands::at("/login.html");
    let typed = h.ok("browser_type", json!({ "ref": "label=Password", "text": "s3cret-w0rd" }));
    let everything = format!("{typed:?} {} {}", verdict(&typed), typed.structured());
    assert!(!everything.contains("s3cret-w0rd"), "{everything}");
    assert_eq!(h.js("document.getElementById('password').value"), "s3cret-w0rd");
    let secret = h.ok("browser_type", json!({ "ref": "label=User", "text": "hush-hush", "secret": true }));
    assert!(!format!("{secret:?}").contains("hush-hush"), "{secret:#?}");
    assert!(!h.read().contains("s3cret-w0rd"));
}

#[test]
fn type_into_a_button_is_refused() {
    let h = Hands::at("/count.html");
    let refused =
        h.fails("browser_type", json!({ "ref": "#add", "text": "x" }), ErrorCode::WriteNotReflected);
    assert_eq!(data(&refused, "reason"), "NOT_EDITABLE");
}

#[test]
fn type_into_a_frame_of_another_site_arrives_there() {
    let h = Hands::at("/frames.html");
    let text = h.read_until("textbox \"Card number\"", 2);
    let cards: Vec<&str> = text.lines().filter(|l| l.contains("textbox \"Card number\"")).collect();
    let reference = crate::hands::reference_in(cards[1], "Card").unwrap();
    let typed = h.ok("browser_type", json!({ "ref": reference, "text": "4242" }));
    assert_eq!(typed.output["value"], "4242");
    assert!(effect(&typed).dom.text_changes > 0, "{typed:#?}");
}

#[test]
fn fill_writes_several_fields_in_one_call_and_stops_at_the_first_failure() {
    let h = Hands::at("/form.html");
    let fields = json!({ "label=Name": "Ann", "label=Email": "a@b.co", "label=Country": "Korea", "label=I agree": true });
    let filled = h.ok("browser_fill", json!({ "fields": fields }));
    assert_eq!(filled.output["filled"].as_array().unwrap().len(), 4);
    assert_eq!(
        h.js("[...new FormData(document.getElementById('form'))].join(' ')"),
        "name,Ann email,a@b.co country,Korea agree,on"
    );
    let failed = h.call(
        "browser_fill",
        json!({ "fields": [{ "ref": "label=Name", "value": "Bo" }, { "ref": "#nothing", "value": "x" }, { "ref": "label=Email", "value": "y" }] }),
    );
    assert_eq!(failed.error.as_ref().unwrap().code, ErrorCode::NoMatch);
    assert_eq!(data(&failed, "not_tried").as_array().unwrap().len(), 1);
    assert_eq!(h.js("document.querySelector('[name=email]').value"), "a@b.co");
}
