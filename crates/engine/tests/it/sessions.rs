//! Sessions through the door, with a run that the test plays itself.

use crate::hands::{Hands, engine, home};
use serde_json::{Value, json};
use truehand_base::ErrorCode;
use truehand_store::{Home, NewMessage, NewSession, Records, Role, Timestamp};

const NOW: Timestamp = Timestamp(1_796_072_709_123);

/// The records of the same folder, as whoever runs sessions has them.
fn records() -> Records {
    assert!(
        !engine().catalog_changed().has_changed().unwrap(),
        "the engine, and with it its folder, is there"
    );
    Records::new(Home::open(home()).unwrap(), "a runner")
}

fn made(records: &Records, title: &str) -> String {
    let new = NewSession { title: title.to_owned(), ..NewSession::default() };
    records.session_create(&new, NOW).unwrap().id
}

fn titles(listed: &Value) -> Vec<&str> {
    listed["sessions"].as_array().unwrap().iter().map(|s| s["title"].as_str().unwrap()).collect()
}

#[test]
fn row_090_sessions_come_newest_first_and_in_pages() {
    let (h, records) = (Hands::new(), records());
    for title in ["first", "second", "third"] {
        made(&records, title);
    }
    let one = Value::Object(h.ok("session_list", json!({ "limit": 2, "kind": "agent" })).output);
    let two = json!({ "limit": 2, "kind": "agent", "cursor": one["next_cursor"] });
    let two = Value::Object(h.ok("session_list", two).output);
    assert_eq!((titles(&one), titles(&two)), (vec!["third", "second"], vec!["first"]));
    assert_eq!(two["next_cursor"], Value::Null);
    h.fails("session_list", json!({ "limit": 201 }), ErrorCode::InvalidArguments);
}

#[test]
fn row_091_session_has_its_status_and_times_and_the_own_one_is_known() {
    let h = Hands::new();
    let own = h.ok("session_current", json!({}));
    let id = own.output["id"].as_str().unwrap();
    let got = h.ok("session_get", json!({ "id": id }));
    for field in ["id", "title", "status", "created_at", "updated_at", "folder", "client"] {
        assert!(got.output[field].is_string(), "{field}: {:?}", got.output);
    }
    assert_eq!(got.output["client"], h.client.to_string());
    assert_eq!(h.ok("session_open", json!({})).output["created"], false, "it is open already");
    let fresh = h.ok("session_open", json!({ "fresh": true }));
    assert_ne!(fresh.output["id"], id);
    let named = h.ok("session_open", json!({ "name": "2026-12-01_abc123def456" }));
    assert_eq!((&named.output["id"], &named.output["created"]), (&json!("abc123def456"), &json!(true)));
    for name in ["../x", "2026-12-01_../../x", "config.toml"] {
        h.fails("session_open", json!({ "name": name }), ErrorCode::InvalidArguments);
    }
    // The folder of a session that somebody else has is not taken over.
    let other = Hands::new();
    other.fails("session_open", json!({ "name": "2026-12-01_abc123def456" }), ErrorCode::InvalidArguments);
}

#[test]
fn row_092_first_message_is_still_there_after_a_compaction() {
    let (h, records) = (Hands::new(), records());
    let id = made(&records, "talk");
    for n in 1..=5 {
        records.message_add(&id, NewMessage::text(Role::User, format!("m{n}")), NOW).unwrap();
    }
    records.compact(&id, 4, "a summary", NOW).unwrap();
    let all = h.ok("session_messages", json!({ "id": id }));
    let first = &all.output["messages"][0];
    assert_eq!((&first["content"], &first["compacted"]), (&json!("m1"), &json!(true)));
    assert_eq!((&all.output["total"], &all.output["messages"][4]["content"]), (&json!(5), &json!("m5")));
    let last = h.ok("session_messages", json!({ "id": id, "limit": 1 }));
    assert_eq!(last.output["messages"][0]["content"], "m5");
    let rows = h.ok("session_rows", json!({ "id": id }));
    assert_eq!(rows.output["rows"][5]["type"], "compaction");
}

#[test]
fn messages_that_do_not_fit_into_a_reply_are_left_out_and_said_to_be() {
    let (h, records) = (Hands::new(), records());
    let id = made(&records, "long talk");
    for name in ["a", "b", "c"] {
        let text = format!("{name}{}", "x".repeat(2 << 20));
        records.message_add(&id, NewMessage::text(Role::Tool, text), NOW).unwrap();
    }
    let seen = |tool: &str, list: &str, order: &str| {
        let mut arguments = json!({ "id": id });
        if tool == "session_messages" {
            arguments["order"] = json!(order);
        }
        let output = h.ok(tool, arguments).output;
        assert_eq!((&output["truncated"], &output["total"]), (&json!(true), &json!(3)), "{tool} {order}");
        output[list].as_array().unwrap().iter().map(|m| m["seq"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(seen("session_messages", "messages", "desc"), [3]);
    assert_eq!(seen("session_messages", "messages", "asc"), [1]);
    assert_eq!(seen("session_rows", "rows", ""), [1]);
}

#[test]
fn row_093_archived_session_leaves_the_list_and_comes_back() {
    let (h, records) = (Hands::new(), records());
    let id = made(&records, "put away");
    let listed = |archived: bool| {
        let listed = h.ok("session_list", json!({ "archived": archived, "limit": 200 }));
        titles(&Value::Object(listed.output)).contains(&"put away")
    };
    assert_eq!(h.ok("session_archive", json!({ "id": id })).output["archived"], true);
    assert_eq!((listed(false), listed(true)), (false, true));
    h.ok("session_archive", json!({ "id": id, "archived": false }));
    assert!(listed(false));
    assert_eq!(h.ok("session_mark", json!({ "id": id })).output["unread"], false);
    assert_eq!(h.ok("session_mark", json!({ "id": id, "read": false })).output["unread"], true);
    assert_eq!(
        h.ok("session_update", json!({ "id": id, "title": "new title" })).output["title"],
        "new title"
    );
    // What widens a session's power is asked about; a title is not.
    h.fails("session_update", json!({ "id": id, "permission_mode": "full" }), ErrorCode::ApprovalRequired);
    let wider = h.approved("session_update", json!({ "id": id, "permission_mode": "full-access" }));
    assert_eq!(wider.output["permission_mode"], "full");
}

#[test]
fn row_094_child_session_is_under_its_parent_with_the_call_that_made_it() {
    let (h, records) = (Hands::new(), records());
    let parent = made(&records, "parent");
    for call in ["call-1", "call-2"] {
        let (parent, triggered_by) = (Some(parent.clone()), Some(call.to_owned()));
        let new = NewSession { title: call.to_owned(), parent, triggered_by, ..NewSession::default() };
        records.session_create(&new, NOW).unwrap();
    }
    let all = Value::Object(h.ok("session_children", json!({ "id": parent })).output);
    assert_eq!(titles(&all), ["call-1", "call-2"]);
    let one =
        Value::Object(h.ok("session_children", json!({ "id": parent, "triggered_by": "call-2" })).output);
    assert_eq!((titles(&one), &one["sessions"][0]["triggered_by"]), (vec!["call-2"], &json!("call-2")));
}

#[test]
fn row_098_steer_queue_stop_and_delete_say_what_they_came_to() {
    let (h, records) = (Hands::new(), records());
    let id = made(&records, "work");
    let text = json!({ "id": id, "text": "look left" });
    h.fails("session_steer", text.clone(), ErrorCode::NotRunning);
    h.fails("session_stop", json!({ "id": id }), ErrorCode::NotRunning);
    let queued = h.ok("session_queue", text);
    assert_eq!((&queued.output["state"], &queued.output["running"]), (&json!("queued"), &json!(false)));
    let waiting = h.ok("session_get", json!({ "id": id })).output["waiting_inputs"].clone();
    assert_eq!((&waiting[0]["text"], &waiting[0]["how"]), (&json!("look left"), &json!("queue")));
    records.run_begin(&id, NOW).unwrap();
    assert_eq!(records.input_take(&id, false, NOW).unwrap().unwrap().text, "look left");
    records.run_suspend(&id, "approval", true, NOW).unwrap();
    let stopped = h.ok("session_stop", json!({ "id": id }));
    assert_eq!((&stopped.output["state"], &stopped.output["status"]), (&json!("stopped"), &json!("stopped")));

    let folder = h.ok("session_get", json!({ "id": id })).output["folder"].as_str().unwrap().to_owned();
    h.fails("session_delete", json!({ "id": id }), ErrorCode::ApprovalRequired);
    assert!(std::path::Path::new(&folder).exists());
    let deleted = h.approved("session_delete", json!({ "id": id }));
    assert_eq!(deleted.output["deleted"], true, "{deleted:?}");
    assert!(!std::path::Path::new(&folder).exists());
    for tool in ["session_get", "session_stop", "session_messages"] {
        h.fails(tool, json!({ "id": id }), ErrorCode::NotFound);
    }
    let own = h.ok("session_current", json!({})).output["id"].clone();
    let refused = h.approved("session_delete", json!({ "id": own }));
    assert_eq!(refused.error.map(|e| e.code), Some(ErrorCode::InvalidArguments), "a scope's own session");
}
