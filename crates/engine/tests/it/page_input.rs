//! Raw input by scripts: keys that stay down, drags by the mouse, fingers, what is recorded of it.

use crate::hands::{Hands, effect, engine, home};
use serde_json::{Value, json};
use truehand_base::{ErrorCode, Outcome, Verdict};
use truehand_engine::ClientOptions;

#[track_caller]
fn send(h: &Hands, steps: Value) -> Outcome {
    h.ok("page_input", json!({ "steps": steps }))
}

#[track_caller]
fn middle(h: &Hands, selector: &str) -> (f64, f64) {
    let at = h.js(&format!("(() => {{ const r = document.querySelector('{selector}').getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; }})()"));
    (at[0].as_f64().unwrap(), at[1].as_f64().unwrap())
}

#[test]
fn page_input_keys_stay_down_from_one_call_to_the_next() {
    let h = Hands::at("/keys.html");
    h.js("document.getElementById('field').focus(); document.getElementById('field').value = ''");
    send(&h, json!([{ "do": "keydown", "key": "Shift" }]));
    send(&h, json!([{ "do": "press", "key": "a" }, { "do": "press", "key": "Digit1" }]));
    send(
        &h,
        json!([{ "do": "keyup", "key": "Shift" }, { "do": "type", "text": "b é\u{1F600}" }, { "do": "insert", "text": "!" }]),
    );
    assert_eq!(h.js("document.getElementById('field').value"), "A!b é\u{1F600}!");
    send(&h, json!([{ "do": "press", "key": "ControlOrMeta+a" }, { "do": "press", "key": "Backspace" }]));
    assert_eq!(h.js("document.getElementById('field').value"), "");
    h.js("window.__keys.length = 0");
    send(
        &h,
        json!([{ "do": "keydown", "key": "ShiftRight" }, { "do": "press", "key": "ArrowLeft" }, { "do": "keyup", "key": "ShiftRight" }, { "do": "press", "key": "Numpad7" }]),
    );
    assert_eq!(
        h.js("window.__keys.map((k) => k.name + k.trusted).join(' ')"),
        "shift+ShiftRighttrue shift+ArrowLefttrue Numpad7true"
    );
    h.fails(
        "page_input",
        json!({ "steps": [{ "do": "press", "key": "a" }, { "do": "press", "key": "NoSuchKey" }] }),
        ErrorCode::InvalidArguments,
    );
    assert_eq!(h.js("document.getElementById('field').value"), "7", "nothing was sent before the refusal");
}

#[test]
fn page_input_chord_that_closes_windows_is_refused_however_it_is_made() {
    let h = Hands::at("/keys.html");
    for steps in [
        json!([{ "do": "press", "key": "Control+w" }]),
        json!([{ "do": "keydown", "key": "Control" }, { "do": "press", "key": "w" }]),
        json!([{ "do": "keydown", "key": "ControlRight" }, { "do": "keydown", "key": "KeyW" }]),
        json!([{ "do": "keydown", "key": "Control" }, { "do": "type", "text": "xw" }]),
    ] {
        let refused = h.approved("page_input", json!({ "steps": steps }));
        assert_eq!(refused.error.map(|e| e.code), Some(ErrorCode::ChordRefused), "{steps}");
    }
    send(&h, json!([{ "do": "keydown", "key": "Control" }]));
    h.fails("page_input", json!({ "steps": [{ "do": "press", "key": "w" }] }), ErrorCode::ChordRefused);
    h.fails("page_input", json!({ "steps": [{ "do": "type", "text": "w" }] }), ErrorCode::ChordRefused);
    send(&h, json!([{ "do": "keyup", "key": "Control" }, { "do": "press", "key": "w" }]));
    assert_eq!(h.js("window.__keys.length"), 2, "the two that were sent");
}

#[test]
fn page_input_mouse_drags_what_the_page_lets_be_dragged_and_what_follows_the_pointer() {
    let h = Hands::at("/drag.html");
    let (card, bin) = (middle(&h, "#card"), middle(&h, "#bin"));
    send(&h, json!([{ "do": "move", "x": card.0, "y": card.1 }, { "do": "down" }]));
    send(&h, json!([{ "do": "move", "x": bin.0, "y": bin.1, "steps": 5 }]));
    let dropped = send(&h, json!([{ "do": "up" }]));
    assert_eq!(h.wait_log("dropped:card:true"), "dropped:card:true");
    assert_eq!(effect(&dropped).verdict, Verdict::Changed);
    let knob = middle(&h, "#knob");
    send(
        &h,
        json!([
            { "do": "move", "x": knob.0, "y": knob.1 }, { "do": "down" },
            { "do": "move", "x": knob.0 + 100.0, "y": knob.1, "steps": 4 }, { "do": "up" },
        ]),
    );
    assert!(h.wait_log("knob:100:smooth").contains("knob:100:smooth"));
}

#[test]
fn page_input_click_and_tap_are_trusted_and_a_click_on_nothing_is_not_called_no_change() {
    let h = Hands::at("/exact.html");
    let go = middle(&h, "#go");
    let clicked = send(&h, json!([{ "do": "move", "x": go.0, "y": go.1 }, { "do": "down" }, { "do": "up" }]));
    assert_eq!((effect(&clicked).verdict, effect(&clicked).dom.added), (Verdict::Changed, 3));
    let nothing = send(
        &h,
        json!([{ "do": "move", "x": 1, "y": 1 }, { "do": "down", "button": "middle" }, { "do": "up", "button": "middle" }]),
    );
    assert_eq!(effect(&nothing).verdict, Verdict::Unknown, "{nothing:#?}");
    h.js("window.got = []; for (const t of ['touchstart', 'touchend', 'click', 'dblclick', 'wheel']) addEventListener(t, (e) => got.push(t + e.isTrusted))");
    send(&h, json!([{ "do": "tap", "x": 5, "y": 5 }, { "do": "wheel", "dx": 0, "dy": 10 }]));
    assert!(
        h.js("got.join()").as_str().unwrap().starts_with("touchstarttrue,touchendtrue"),
        "{}",
        h.js("got.join()")
    );
}

#[test]
fn page_input_into_a_password_field_is_not_recorded() {
    let h = Hands::new();
    engine()
        .client_connected(&h.client, ClientOptions { trace: Some(true), ..ClientOptions::default() })
        .unwrap();
    h.open("/controls.html");
    h.js("document.querySelector('input[type=password]').value = ''; document.querySelector('input[type=password]').focus()");
    let typed =
        send(&h, json!([{ "do": "type", "text": "Wr7-hidden-words" }, { "do": "press", "key": "Z" }]));
    assert_eq!((&typed.output["masked"], &typed.output["value"]), (&json!(true), &json!("••••")));
    assert_eq!(h.js("document.querySelector('input[type=password]').value.length"), 17);
    for key in "Wr8-hidden".chars() {
        let params = json!({ "type": "keyDown", "text": key, "key": key, "unmodifiedText": key });
        h.ok("page_cdp", json!({ "method": "Input.dispatchKeyEvent", "params": params }));
    }
    let traces = std::fs::read_dir(home().join("traces")).unwrap().flatten();
    let recorded: String = traces.map(|f| std::fs::read_to_string(f.path()).unwrap_or_default()).collect();
    let own: Vec<&str> = recorded.lines().filter(|line| line.contains(&h.client.name)).collect();
    assert!(own.iter().any(|line| line.contains("page_input")), "the call is recorded");
    assert!(!own.iter().any(|line| line.contains("Wr7-hidden-words")));
    for key in ["Z", "W", "8", "h"] {
        let shown = format!("\"{key}\"");
        assert!(!own.iter().any(|line| line.contains(&shown)), "{key} in {own:#?}");
    }
}

#[test]
fn page_input_text_goes_to_the_frame_that_has_the_focus_whichever_process_it_is_in() {
    let h = Hands::at("/frames.html");
    for frame in &crate::page_frames::frames(&h, 3)[1..] {
        let target = json!({ "kind": "css", "css": "#card" });
        let locate = json!({ "frame": frame["frame"], "fn": "locate", "args": { "target": target } });
        let reference = h.ok("page_call", locate).output["value"]["ref"].clone();
        h.ok("browser_click", json!({ "ref": reference }));
        send(&h, json!([{ "do": "type", "text": "ab\u{e9}" }, { "do": "insert", "text": "\u{1F600}" }]));
        let read = json!({ "frame": frame["frame"], "source": "() => document.querySelector('#card').value", "function": true, "pure": true });
        assert_eq!(
            h.ok("page_evaluate", read).output["value"]["v"],
            "ab\u{e9}\u{1F600}",
            "{}",
            frame["name"]
        );
    }
}
