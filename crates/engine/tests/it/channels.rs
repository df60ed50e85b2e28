//! Channels through the door: their tokens are kept, and shown nowhere.

use crate::hands::{Hands, engine, home};
use serde_json::json;
use truehand_base::{Approval, Call, ErrorCode};

const TOKEN: &str = "xoxb-90210-not-to-be-seen";

/// Everything under a folder as one text.
fn all_text(folder: &std::path::Path) -> String {
    let mut text = String::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        text.push_str(&match path.is_dir() {
            true => all_text(&path),
            false => String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned(),
        });
    }
    text
}

#[test]
fn row_096_channel_is_listed_without_its_token_and_no_record_shows_it() {
    let h = Hands::new();
    h.ok("channel_list", json!({}));
    std::fs::write(home().join("config.toml"), "[trace]\nenabled = true\n").unwrap();
    let create = json!({ "kind": "slack", "name": "Team", "token": TOKEN, "owner": "U1" });
    h.fails("channel_create", create.clone(), ErrorCode::ApprovalRequired);
    let created = h.approved("channel_create", create);
    assert_eq!(
        (&created.output["state"], &created.output["connected"]),
        (&json!("configured"), &json!(false))
    );
    let listed = h.ok("channel_list", json!({}));
    assert_eq!(listed.output["channels"][0]["id"], "team");
    let id = json!({ "id": "team" });
    let restarted = h.ok("channel_restart", id);
    assert_eq!(restarted.output["restarted"], false, "nothing is connected");
    let update = json!({ "id": "team", "name": "Crew", "enabled": false, "token": format!("{TOKEN}-2") });
    let updated = h.approved("channel_update", update);
    assert_eq!((&updated.output["name"], &updated.output["state"]), (&json!("Crew"), &json!("disabled")));
    // A script that held the token is a call of its own, recorded after the one that took it.
    let script = format!("void ['{TOKEN}']");
    h.approved("browser_execute_js", json!({ "script": script }));
    for outcome in [&created, &listed, &restarted, &updated] {
        let shown = format!("{} {outcome:?}", outcome.structured());
        assert!(!shown.contains(TOKEN), "{shown}");
    }
    let traced = all_text(&home().join("traces"));
    assert!(traced.contains("channel_create") && !traced.contains("90210"), "{traced}");
    for bad in [json!({ "kind": "slack", "token": "a b c d e f" }), json!({ "kind": "pigeon" })] {
        let refused = h.approved("channel_create", bad);
        assert_eq!(refused.error.map(|e| e.code), Some(ErrorCode::InvalidArguments));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let kept = std::fs::metadata(home().join("channels/team.token")).unwrap();
        assert_eq!(kept.permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn channel_is_not_made_on_a_yes_that_is_for_something_else() {
    let h = Hands::new();
    assert!(!engine().catalog_changed().has_changed().unwrap());
    let approval = Some(Approval { source: "test".to_owned(), only: vec![truehand_base::Verb::Js] });
    let call =
        Call { approval, ..Call::new(h.client.clone(), "channel_create", json!({ "kind": "webhook" })) };
    assert_eq!(h.send(call).error.map(|e| e.code), Some(ErrorCode::ApprovalRequired));
}
