//! Routines through the door: read, and never said to run.

use crate::hands::{Hands, home};
use serde_json::json;
use truehand_base::ErrorCode;

#[test]
fn row_095_stored_routine_comes_with_its_schedule_and_a_broken_one_with_the_reason() {
    let h = Hands::new();
    assert_eq!(h.ok("routine_list", json!({})).output["routines"], json!([]));
    let folder = home().join("routines");
    std::fs::create_dir(&folder).unwrap();
    let text = "name = 'Digest'\nschedule = '@daily'\nprompt = 'Sum up'\nsession = 'abc'\n";
    std::fs::write(folder.join("digest.toml"), text).unwrap();
    std::fs::write(folder.join("odd.toml"), "name = 'Odd'\nschedule = '61 * * * *'\nprompt = 'x'\n").unwrap();
    let listed = h.ok("routine_list", json!({})).output["routines"].clone();
    assert_eq!((&listed[0]["id"], &listed[0]["schedule"]), (&json!("digest"), &json!("0 0 * * *")));
    assert_eq!((&listed[1]["state"], listed.as_array().unwrap().len()), (&json!("broken"), 2));
    let got = h.ok("routine_get", json!({ "id": "digest" }));
    assert_eq!((&got.output["kind"], &got.output["state"]), (&json!("heartbeat"), &json!("stored")));
    h.fails("routine_get", json!({ "id": "../config" }), ErrorCode::NotFound);
}
