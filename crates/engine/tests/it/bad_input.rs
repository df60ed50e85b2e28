//! Bad input of every kind gets a stable code and a next step, and the next call works.

use crate::hands::Hands;
use serde_json::json;
use truehand_base::ErrorCode;

#[test]
fn bad_calls_are_refused_with_stable_codes_and_the_next_call_works() {
    let h = Hands::at("/count.html");
    h.fails("browser_fly", json!({}), ErrorCode::UnknownTool);
    h.fails("browser_click", json!({}), ErrorCode::InvalidArguments);
    h.fails("browser_click", json!({ "ref": ["a"] }), ErrorCode::InvalidArguments);
    h.fails("browser_click", json!({ "ref": "#add", "colour": "red" }), ErrorCode::InvalidArguments);
    h.fails("browser_click", json!("e1"), ErrorCode::InvalidArguments);
    h.fails("browser_click_at", json!({ "x": "left", "y": 1 }), ErrorCode::InvalidArguments);
    h.fails("browser_navigate", json!({ "url": "" }), ErrorCode::InvalidArguments);
    h.ok("browser_click", json!({ "ref": "#add" }));
    assert_eq!(h.js("document.getElementById('n').textContent"), "1");
}

#[test]
fn selector_that_is_no_css_is_refused_with_its_reason() {
    let h = Hands::at("/count.html");
    h.fails("browser_click", json!({ "ref": "css=##[" }), ErrorCode::InvalidArguments);
}

#[test]
fn argument_of_ten_megabytes_is_refused() {
    let h = Hands::at("/login.html");
    let text = "x".repeat(10 << 20);
    h.fails("browser_type", json!({ "ref": "#user", "text": text }), ErrorCode::ArgumentTooLarge);
    h.ok("browser_type", json!({ "ref": "#user", "text": "ann" }));
}

#[test]
fn repeated_request_key_returns_the_first_outcome_and_acts_once() {
    use truehand_base::Call;
    let h = Hands::at("/count.html");
    let call = |arguments| Call {
        request_key: Some("order-1".to_owned()),
        ..Call::new(h.client.clone(), "browser_click", arguments)
    };
    let first = h.send(call(json!({ "ref": "#add" })));
    let again = h.send(call(json!({ "ref": "#add" })));
    assert!(first.ok() && !first.replayed && again.ok() && again.replayed, "{again:#?}");
    assert_eq!(h.js("document.getElementById('n').textContent"), "1");
    let other = h.send(call(json!({ "ref": "#n" })));
    assert_eq!(other.error.unwrap().code, ErrorCode::IdempotencyConflict);
}

#[test]
fn outcome_does_not_repeat_an_argument_of_any_length() {
    let h = Hands::at("/login.html");
    let long = "x".repeat(1 << 20);
    for (tool, arguments, code) in [
        ("browser_click", json!({ "ref": long }), ErrorCode::NoMatch),
        ("browser_click", json!({ "ref": "#user", &long: 1 }), ErrorCode::InvalidArguments),
        ("browser_read", json!({ "tab_id": long }), ErrorCode::UnknownTab),
    ] {
        let length = h.fails(tool, arguments, code).structured().to_string().len();
        assert!(length < 10_000, "{tool} with {code}: {length} bytes");
    }
    let typed = h.ok("browser_type", json!({ "ref": "#user", "text": &long[..50_000] }));
    let value = &typed.page_effect.as_ref().unwrap().values[0];
    assert!(value.ok && value.got.chars().count() == 2_000, "{} characters", value.got.chars().count());
}
