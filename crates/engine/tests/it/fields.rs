//! Fields with a mind of their own: masks, native pickers, refusals, secrets.

use crate::hands::{Hands, data, effect, engine, home, reference_in, verdict};
use serde_json::{Value, json};
use truehand_base::ErrorCode;
use truehand_engine::ClientOptions;
use truehand_store::{TraceRecord, read_trace};

fn held(h: &Hands, id: &str) -> Value {
    h.js(&format!("document.getElementById('{id}').value"))
}

#[test]
fn mask_that_only_writes_signs_is_a_success_and_says_its_form() {
    let h = Hands::at("/inputs/masks.html");
    for (id, asked, got) in [
        ("card", "4242424242424242", "4242 4242 4242 4242"),
        ("phone", "555-123-4567", "(555) 123-4567"),
        ("date", "31072026", "31/07/2026"),
        ("price", "1234.5", "$1,234.50"),
        ("shout", "hello", "HELLO"),
    ] {
        let typed = h.ok("browser_type", json!({ "ref": format!("#{id}"), "text": asked }));
        assert_eq!(h.js(&format!("__model.{id}")), got, "{id}");
        let value = &effect(&typed).values[0];
        assert_eq!((value.asked.as_deref(), value.got.as_str(), value.ok), (Some(asked), got, true), "{id}");
        assert!(
            typed.warnings.iter().any(|w| w.message.contains("own form") && w.message.contains(got)),
            "{id}"
        );
    }
}

#[test]
fn mask_that_changes_what_is_said_is_no_success_and_the_old_value_is_back() {
    let h = Hands::at("/inputs/masks.html");
    for (id, asked, got, old) in [
        ("digits", "12ab34567", "1234", "7"),
        ("cents", "150", "1.50", ""),
        ("slug", "Jean-Luc", "JeanLuc", ""),
        ("short", "hello", "hell", ""),
        ("number", "12abc", "12", "3"),
        ("soon", "other", "first", "first"),
    ] {
        let typed = h.fails(
            "browser_type",
            json!({ "ref": format!("#{id}"), "text": asked }),
            ErrorCode::WriteNotReflected,
        );
        assert_eq!((data(&typed, "asked"), data(&typed, "got")), (json!(asked), json!(got)), "{id}");
        let value = &effect(&typed).values[0];
        assert_eq!((value.got.as_str(), value.ok), (got, false), "{id}: {value:?}");
        // The cents mask knows no empty value: that can't be put back, and is told.
        let back = held(&h, id) == old;
        assert_eq!((data(&typed, "restored"), data(&typed, "holds")), (json!(back), held(&h, id)), "{id}");
        assert!(back || id == "cents", "{id} holds {}", held(&h, id));
    }
}

#[test]
fn field_that_draws_a_little_later_is_no_mismatch() {
    let h = Hands::at("/inputs/masks.html");
    for id in ["slow", "checked", "mode", "town"] {
        let typed = h.ok("browser_type", json!({ "ref": format!("#{id}"), "text": "0150" }));
        assert_eq!((held(&h, id), typed.output["value"].clone()), (json!("0150"), json!("0150")), "{id}");
        assert!(effect(&typed).values[0].ok);
    }
    h.js("new Promise((done) => { const look = () => __model.checked ? done() : setTimeout(look, 20); look(); })");
    assert_eq!(h.js("[__model.slow, __model.checked]"), json!(["0150", "0150"]));
}

#[test]
fn value_that_a_page_takes_back_later_is_told_by_the_next_call() {
    let h = Hands::at("/inputs/masks.html");
    h.ok("browser_type", json!({ "ref": "#late", "text": "second" }));
    h.wait_log("reverted");
    let next = h.ok("browser_type", json!({ "ref": "#mode", "text": "1" }));
    let late = effect(&next).late.as_ref().expect("late changes");
    assert!(late.values.iter().any(|v| v.got == "first"), "{late:?}");
}

#[test]
fn native_pickers_take_their_form_and_refuse_another() {
    let h = Hands::at("/inputs/natives.html");
    for (id, good, bad) in [
        ("date", "2026-07-31", "31 July"),
        ("time", "09:30", "half past nine"),
        ("datetime", "2026-07-31T09:30", "2026-07-31 noon"),
        ("month", "2026-07", "July"),
        ("week", "2026-W31", "31"),
        ("color", "#336699", "blue"),
        ("range", "8", "15"),
        ("number", "42", "many"),
    ] {
        for tool in ["browser_type", "browser_fill"] {
            let text = if tool == "browser_type" { "text" } else { "value" };
            h.ok(tool, json!({ "ref": format!("#{id}"), text: good }));
            assert_eq!(held(&h, id), good, "{id}");
            let refused =
                h.fails(tool, json!({ "ref": format!("#{id}"), text: bad }), ErrorCode::WriteNotReflected);
            assert_eq!((held(&h, id), data(&refused, "restored")), (json!(good), json!(true)), "{id}");
            assert!(refused.error.as_ref().unwrap().next_step.contains("write it as"), "{refused:#?}");
        }
    }
    h.fails("browser_type", json!({ "ref": "#file", "text": "a.txt" }), ErrorCode::WrongElement);
    for (id, text) in [("email", "a@b.co"), ("url", "https://a.b/c?d=1")] {
        h.ok("browser_type", json!({ "ref": format!("#{id}"), "text": text }));
        assert_eq!(held(&h, id), text);
    }
    h.ok("browser_type", json!({ "ref": "#plain", "text": "two\nlines" }));
    assert_eq!(h.js("document.getElementById('plain').innerText"), "two\nlines");
}

#[test]
fn row_197_locked_fields_are_write_not_reflected_with_the_reason() {
    let h = Hands::at("/inputs/natives.html");
    for (id, value) in [("locked", "fixed"), ("off", ""), ("inside", "")] {
        for tool in ["browser_type", "browser_fill"] {
            let text = if tool == "browser_type" { "text" } else { "value" };
            let refused = h.fails(
                tool,
                json!({ "ref": format!("#{id}"), text: "hello" }),
                ErrorCode::WriteNotReflected,
            );
            assert_eq!((data(&refused, "reason"), held(&h, id)), (json!("DISABLED"), json!(value)), "{id}");
        }
    }
    assert_eq!(h.log(), "");
}

#[test]
fn native_selects_know_groups_several_options_disabled_ones_and_refusals() {
    let h = Hands::at("/inputs/natives.html");
    h.ok("browser_select", json!({ "ref": "#grouped", "values": ["Pear"] }));
    h.fails("browser_select", json!({ "ref": "#grouped", "values": ["Leek"] }), ErrorCode::NoOption);
    h.fails("browser_select", json!({ "ref": "#grouped", "values": ["Nothing"] }), ErrorCode::NoOption);
    assert_eq!(held(&h, "grouped"), "p");
    h.ok("browser_select", json!({ "ref": "#many", "values": ["Two", "Three"] }));
    h.ok("browser_fill", json!({ "ref": "#many", "value": ["One", "Three"] }));
    assert_eq!(
        h.js("[...document.getElementById('many').selectedOptions].map((o) => o.text)"),
        json!(["One", "Three"])
    );
    let refused = h.fails(
        "browser_select",
        json!({ "ref": "#refuses", "values": ["Go"] }),
        ErrorCode::WriteNotReflected,
    );
    assert_eq!((data(&refused, "asked"), data(&refused, "got")), (json!("Go"), json!("Stay")));
}

#[test]
fn custom_boxes_radios_and_switches_are_set_and_read_back() {
    let h = Hands::at("/inputs/natives.html");
    for (id, set) in [("t", true), ("tri", true), ("flip", true), ("tri", false)] {
        h.ok("browser_check", json!({ "ref": format!("#{id}"), "checked": set }));
        assert_eq!(
            h.js(&format!("document.getElementById('{id}').getAttribute('aria-checked')")),
            if set { "true" } else { "false" },
            "{id}"
        );
    }
    h.ok("browser_fill", json!({ "ref": "#flip", "value": false }));
    assert_eq!(h.js("document.getElementById('flip').getAttribute('aria-checked')"), "false");
    assert_eq!(h.js("document.getElementById('s').getAttribute('aria-checked')"), "false");
}

fn traced(path: &str) -> Hands {
    let hands = Hands::new();
    let options = ClientOptions { trace: Some(true), ..ClientOptions::default() };
    engine().client_connected(&hands.client, options).unwrap();
    hands.open(path);
    hands
}

fn lines(hands: &Hands) -> Vec<TraceRecord> {
    let entries = std::fs::read_dir(home().join("traces")).unwrap();
    let records = entries.flat_map(|entry| read_trace(&entry.unwrap().path()).unwrap());
    records.filter(|r| r.client == hands.client.to_string()).collect()
}

#[test]
fn row_251_single_keys_into_a_password_are_in_no_outcome_and_no_trace() {
    let h = traced("/inputs/secrets.html");
    let keys: Vec<String> = "Qx7Zw9".chars().map(String::from).collect();
    // A closed root that nobody has looked into yet, focused by the page.
    h.js("__closed.querySelector('input').focus()");
    let first = h.ok("browser_press", json!({ "keys": ["J"] }));
    assert!(!verdict(&first).contains('J'), "{}", verdict(&first));
    h.ok("browser_press", json!({ "keys": ["Backspace"] }));
    for label in ["Password", "Closed password"] {
        h.ok("browser_click", json!({ "ref": format!("label={label}") }));
        let pressed = h.ok("browser_press", json!({ "keys": keys }));
        let all = format!("{} {}", verdict(&pressed), pressed.structured());
        for key in ["Q", "Z", "7", "9"] {
            assert!(!verdict(&pressed).contains(key), "{label}: {}", verdict(&pressed));
        }
        assert!(!all.contains("Qx7") && all.contains('•'), "{label}: {all}");
        h.ok("browser_press", json!({ "keys": ["Shift+K"] }));
    }
    assert_eq!(h.js("document.getElementById('password').value"), "Qx7Zw9K");
    assert_eq!(h.js("__closed.querySelector('input').value"), "Qx7Zw9K");
    let presses: Vec<TraceRecord> = lines(&h).into_iter().filter(|r| r.tool == "browser_press").collect();
    assert_eq!(presses.len(), 6);
    assert_eq!(presses[1].arguments["keys"], json!(["Backspace"]));
    for line in presses.iter().filter(|p| p.seq != presses[1].seq) {
        let keys = line.arguments["keys"].as_array().unwrap();
        assert!(keys.iter().all(|k| k == "•" || k == "Shift"), "{:?}", line.arguments);
        assert!(!serde_json::to_string(line).unwrap().contains("Qx7Zw9"));
    }
    // Keys that write nothing, and those that go into an open field, are told.
    h.ok("browser_press", json!({ "keys": ["Tab"] }));
    h.ok("browser_click", json!({ "ref": "label=User" }));
    let open = h.ok("browser_press", json!({ "keys": ["a", "n", "n"] }));
    assert!(verdict(&open).starts_with("pressed a, n, n"), "{}", verdict(&open));
    let last = lines(&h).into_iter().rfind(|r| r.tool == "browser_press").unwrap();
    assert_eq!(last.arguments["keys"], json!(["a", "n", "n"]));
}

#[test]
fn keys_that_were_not_pressed_are_in_no_trace_because_nobody_saw_their_field() {
    let h = traced("/inputs/secrets.html");
    h.ok("browser_click", json!({ "ref": "label=Password" }));
    h.fails("browser_press", json!({ "keys": ["h", "u", "hunter2"] }), ErrorCode::InvalidArguments);
    let line = lines(&h).pop().unwrap();
    assert_eq!(line.arguments["keys"], json!(["•", "•", "•"]), "{line:?}");
}

#[test]
fn secret_fields_in_closed_roots_and_frames_are_written_and_never_shown() {
    let h = traced("/inputs/secrets.html");
    let text = h.read_until("textbox \"Password\"", 2);
    let rows: Vec<&str> = text.lines().filter(|l| l.contains("textbox \"Password\"")).collect();
    let frame = reference_in(rows[1], "Password").unwrap();
    for (field, secret) in [
        ("label=Closed password", "shut-Secret"),
        (frame.as_str(), "frame-Secret"),
        ("#password", "page-Secret"),
    ] {
        let typed = h.ok("browser_type", json!({ "ref": field, "text": secret }));
        assert!(!format!("{typed:?}").contains("Secret"), "{field}: {typed:#?}");
    }
    assert_eq!(h.js("__closed.querySelector('input').value"), "shut-Secret");
    assert_eq!(h.js("__inner()"), json!(["", "frame-Secret"]));
    h.ok("browser_click", json!({ "ref": frame }));
    let pressed = h.ok("browser_press", json!({ "keys": ["X"] }));
    assert!(!verdict(&pressed).contains('X'), "{}", verdict(&pressed));
    let all = serde_json::to_string(&lines(&h)).unwrap();
    for secret in ["shut-Secret", "page-Secret"] {
        assert!(!all.contains(secret), "{secret}");
    }
}

#[test]
fn open_field_in_a_closed_root_is_written_and_shown() {
    let h = Hands::at("/inputs/secrets.html");
    let typed = h.ok("browser_type", json!({ "ref": "label=Closed note", "text": "안녕 note" }));
    assert_eq!(typed.output["value"], "안녕 note");
    assert_eq!(h.js("__closed.querySelectorAll('input')[1].value"), "안녕 note");
}
