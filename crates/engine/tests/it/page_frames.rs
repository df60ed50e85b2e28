//! The frames of a page for scripts, in this process and in others.

use crate::hands::Hands;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use truehand_base::ErrorCode;

/// The page's frames once there are so many with an address.
#[track_caller]
pub fn frames(h: &Hands, wanted: usize) -> Vec<Value> {
    let end = Instant::now() + Duration::from_secs(15);
    loop {
        let listed =
            h.ok("page_frames", json!({ "owners": true })).output["frames"].as_array().unwrap().clone();
        if listed.len() == wanted
            && listed.iter().all(|f| f["url"].as_str().is_some_and(|u| u.starts_with("http")))
        {
            return listed;
        }
        assert!(Instant::now() < end, "not {wanted} frames: {listed:#?}");
    }
}

#[test]
fn page_frames_name_every_frame_with_its_parent_and_element() {
    let h = Hands::at("/frames.html");
    let listed = frames(&h, 3);
    let main = h.ok("page_frames", json!({})).output["main"].clone();
    assert_eq!((&listed[0]["frame"], listed[0].get("parent")), (&main, None));
    let names: Vec<&str> = listed[1..].iter().map(|f| f["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["same", "cross"]);
    for (frame, id) in listed[1..].iter().zip(["same", "cross"]) {
        assert_eq!(frame["parent"], main, "{frame:#?}");
        let owner = frame["owner"]["id"].as_str().unwrap();
        // The element's frame is the frame, and the element is in the page.
        let asked = h.ok("page_handle", json!({ "op": "content_frame", "handles": [owner] }));
        assert_eq!(asked.output["results"][0]["frame"], frame["frame"]);
        let asked = h.ok("page_handle", json!({ "op": "owner_frame", "handles": [owner] }));
        assert_eq!(asked.output["results"][0]["frame"], main);
        let read = h.ok(
            "page_evaluate",
            json!({ "source": "(el) => el.id", "function": true, "on": owner, "pure": true }),
        );
        assert_eq!(read.output["value"]["v"], id);
        // Code runs in either, whichever process it is in.
        let inside = json!({ "frame": frame["frame"], "source": "() => document.title", "function": true, "pure": true });
        assert_eq!(h.ok("page_evaluate", inside).output["value"]["v"], "Effect");
    }
    // A frame keeps its id over navigations, and its end is told.
    let same = &listed[1]["frame"];
    let elsewhere = h.site.url("/count.html");
    h.js(&format!("new Promise((done) => {{ const f = document.getElementById('same'); f.onload = () => done(1); f.src = '{elsewhere}'; }})"));
    let again = frames(&h, 3);
    assert_eq!((&again[1]["frame"], &again[1]["url"]), (same, &json!(elsewhere)));
    h.js("document.getElementById('same').remove()");
    frames(&h, 2);
    h.fails("page_evaluate", json!({ "frame": same, "source": "1", "pure": true }), ErrorCode::FrameGone);
}
