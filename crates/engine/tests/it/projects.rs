//! Projects through the door.

use crate::hands::Hands;
use serde_json::{Value, json};
use truehand_base::ErrorCode;

fn ids(h: &Hands, arguments: Value) -> Vec<String> {
    let listed = h.ok("project_list", arguments);
    listed.output["projects"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["id"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn row_089_created_project_is_listed_and_an_archived_one_is_not() {
    let h = Hands::new();
    let kept = h.ok("project_create", json!({ "name": "Row 89 kept", "instructions": "Be brief" }));
    let away = h.ok("project_create", json!({ "name": "Row 89 away" })).output["id"].clone();
    h.ok("project_archive", json!({ "id": away }));
    let listed = ids(&h, json!({}));
    assert!(
        listed.contains(&"row-89-kept".to_owned()) && !listed.contains(&"row-89-away".to_owned()),
        "{listed:?}"
    );
    assert!(ids(&h, json!({ "archived": true })).contains(&"row-89-away".to_owned()));
    let got = h.ok("project_get", json!({ "id": kept.output["id"] }));
    assert_eq!((&got.output["instructions"], &got.output["archived"]), (&json!("Be brief"), &json!(false)));
    h.ok("project_archive", json!({ "id": away, "archived": false }));
    assert!(ids(&h, json!({})).contains(&"row-89-away".to_owned()));
    h.fails("project_get", json!({ "id": "none" }), ErrorCode::NotFound);
    h.fails("project_create", json!({ "name": "x", "folder": "relative" }), ErrorCode::InvalidArguments);
}
