//! Handles: what they stand for, whose they are, when they are gone.

use crate::hands::Hands;
use serde_json::{Value, json};
use truehand_base::ErrorCode;

fn handle(h: &Hands, source: &str) -> Value {
    let made =
        h.approved("page_evaluate", json!({ "source": source, "function": true, "returns": "handle" }));
    assert!(made.ok(), "{source}: {:#?}", made.error);
    made.output["handle"].clone()
}

#[test]
fn page_handle_stands_for_its_object_until_it_is_disposed_of() {
    let h = Hands::at("/controls.html");
    let map = handle(&h, "() => new Map([['a', 1]])");
    assert_eq!(
        (&map["type"], &map["subtype"], &map["preview"]),
        (&json!("object"), &json!("map"), &json!("Map(1)"))
    );
    let read = |on: &Value| json!({ "source": "(map, key) => map.get(key)", "function": true, "on": on["id"], "args": { "v": { "p": 0 }, "t": [{ "a": ["a"] }] } });
    assert_eq!(h.approved("page_evaluate", read(&map)).output["value"]["v"], 1);
    // In the middle of arguments, twice, by its place.
    let args = json!({ "v": { "p": 0 }, "t": [{ "a": [{ "p": 1 }] }, { "o": ["first", { "h": 0 }, "second", { "h": 0 }] }] });
    let same = json!({ "source": "(o) => o.first === o.second && o.first.size === 1", "function": true, "handles": [map["id"]], "args": args });
    assert_eq!(h.approved("page_evaluate", same).output["value"]["v"], true);
    let properties = handle(&h, "() => ({ n: 1, list: [2], none: undefined })");
    let listed =
        h.ok("page_handle", json!({ "op": "properties", "handles": [properties["id"]] })).output["results"]
            [0]["properties"]
            .clone();
    assert_eq!(listed["n"]["value"], json!({ "v": 1 }), "{listed:#?}");
    assert_eq!(listed["none"]["value"], json!({ "v": { "x": "undefined" } }));
    assert_eq!(listed["list"]["subtype"], "array");
    let gone = h.ok("page_handle", json!({ "op": "dispose", "handles": [map["id"], "h999999999"] }));
    assert_eq!(gone.output["disposed"], 1);
    let after = h.approved("page_evaluate", read(&map));
    assert_eq!(after.error.map(|e| e.code), Some(ErrorCode::HandleGone));
    // A value is no object, and says so.
    assert_eq!(handle(&h, "() => 5")["value"], json!({ "v": 5 }));
    h.fails("page_handle", json!({ "op": "ref", "handles": ["no handle"] }), ErrorCode::InvalidArguments);
}

#[test]
fn page_handle_is_of_one_tab_and_one_client() {
    let (first, second) = (Hands::at("/controls.html"), Hands::at("/controls.html"));
    let button = handle(&first, "() => document.querySelector('button')");
    second.fails("page_handle", json!({ "op": "ref", "handles": [button["id"]] }), ErrorCode::HandleGone);
    first.ok("browser_new_tab", json!({ "url": first.site.url("/controls.html") }));
    first.fails("page_handle", json!({ "op": "ref", "handles": [button["id"]] }), ErrorCode::HandleGone);
    first.ok("page_handle", json!({ "op": "ref", "handles": [button["id"]], "tab_id": "t1" }));
    let text = handle(&first, "() => document.title && document");
    first.fails("page_handle", json!({ "op": "ref", "handles": [text["id"]] }), ErrorCode::WrongElement);
}

#[test]
fn page_handle_of_the_oldest_object_makes_room_for_the_newest() {
    let h = Hands::at("/controls.html");
    let first = handle(&h, "() => ({ first: true })");
    let many = handle(&h, "() => Array.from({ length: 1000 }, (_, i) => ({ i }))");
    let list = |h: &Hands| {
        let listed = h.ok("page_handle", json!({ "op": "properties", "handles": [many["id"]] }));
        listed.output["results"][0]["properties"]["999"]["id"].clone()
    };
    let read =
        |id: &Value| json!({ "source": "(o) => o.first ?? o.i", "function": true, "on": id, "pure": true });
    for _ in 0..9 {
        list(&h);
    }
    assert_eq!(h.ok("page_evaluate", read(&first["id"])).output["value"]["v"], true);
    let newest = list(&h);
    h.fails("page_evaluate", read(&first["id"]), ErrorCode::HandleGone);
    assert_eq!(h.ok("page_evaluate", read(&newest)).output["value"]["v"], 999);
}
