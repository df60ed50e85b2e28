//! Settings through the door: one key whole, with a person's yes where it decides what may be done.

use crate::hands::{Hands, home};
use serde_json::{Value, json};
use truehand_base::ErrorCode;

fn config() -> String {
    std::fs::read_to_string(home().join("config.toml")).unwrap_or_default()
}

#[test]
fn row_087_set_then_get_equals_and_other_keys_and_comments_stay() {
    let h = Hands::new();
    h.ok("settings_get", json!({}));
    std::fs::write(home().join("config.toml"), "# mine\n[trace]\nenabled = false # quiet\n").unwrap();
    let wanted = json!({ "answer_ms": 30_000, "most": 4, "keep_s": 60 });
    h.ok("settings_set", json!({ "key": "tasks", "value": wanted }));
    assert_eq!(h.ok("settings_get", json!({ "key": "tasks" })).output["value"], wanted);
    assert!(config().starts_with("# mine\n[trace]\nenabled = false # quiet\n"), "{}", config());
    let before = config();
    for (key, value) in
        [("tasks", json!({ "most": 0 })), ("effects.window_ms", json!("x")), ("nothing", json!(1))]
    {
        // What is no key of ours needs no yes to be refused, but gets none either.
        let outcome = h.approved("settings_set", json!({ "key": key, "value": value }));
        assert_eq!(outcome.error.map(|e| e.code), Some(ErrorCode::InvalidArguments), "{key}");
        assert_eq!(config(), before, "{key}");
    }
    h.fails("settings_get", json!({ "key": "nothing" }), ErrorCode::NotFound);
}

#[test]
fn row_088_set_gives_the_settings_as_they_hold_then_and_they_hold_at_once() {
    let h = Hands::new();
    let set = h.ok("settings_set", json!({ "key": "effects", "value": { "window_ms": 200 } }));
    assert_eq!(set.output["settings"], h.ok("settings_get", json!({})).output["value"]);
    assert_eq!(set.output["value"], json!({ "window_ms": 200, "cap_ms": 2_000 }));
    let back = h.ok("settings_set", json!({ "key": "effects" }));
    assert_eq!(back.output["value"]["window_ms"], 300, "nothing brings the default back");
    let disabled =
        h.approved("settings_set", json!({ "key": "tools", "value": { "disabled": ["browser_drag"] } }));
    assert!(disabled.ok(), "{disabled:?}");
    h.fails("browser_drag", json!({ "from": "#a", "to": "#b" }), ErrorCode::ToolDisabled);
    let outcome =
        h.approved("settings_set", json!({ "key": "tools", "value": { "disabled": ["browser_grad"] } }));
    assert_eq!(outcome.error.map(|e| e.code), Some(ErrorCode::InvalidArguments));
}

#[test]
fn settings_that_decide_what_may_be_done_need_a_yes() {
    let h = Hands::new();
    let before = config();
    for (key, value) in [
        ("browser", json!({ "path": "/tmp/other" })),
        ("browser.no_sandbox", json!(true)),
        ("tools", json!({ "disabled": [] })),
        ("limits", Value::Null),
        ("trace.enabled", json!(false)),
        ("files", json!({ "write": ["/"] })),
        (" files.write", json!(["/"])),
    ] {
        let asked =
            h.fails("settings_set", json!({ "key": key, "value": value }), ErrorCode::ApprovalRequired);
        assert_eq!(asked.error.unwrap().data["verb"], "config");
    }
    assert_eq!(config(), before, "nothing was written");
}
