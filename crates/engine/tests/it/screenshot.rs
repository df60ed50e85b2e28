//! Pictures, as large as their purpose needs.

use crate::hands::Hands;
use serde_json::json;
use truehand_base::ErrorCode;

#[test]
fn row_212_screenshot_size_follows_the_intent() {
    let h = Hands::at("/big.html");
    let mut sides = Vec::new();
    for intent in ["glance", "verify", "read_text", "user_requested"] {
        let shot = h.ok("browser_screenshot", json!({ "intent": intent, "full_page": true }));
        let image = &shot.images[0];
        assert!(image.mime_type.starts_with("image/"), "{}", image.mime_type);
        sides.push(image.width.max(image.height));
    }
    assert!(sides[0] <= 512 && sides[0] < sides[1], "{sides:?}");
    assert!(sides[1] <= 1024 && sides[1] < sides[2], "{sides:?}");
    assert!(sides[2] <= 2048 && sides[2] < sides[3], "{sides:?}");
    assert_eq!(sides[3], 6000, "{sides:?}");
}

#[test]
fn screenshot_without_a_wish_is_no_larger_than_models_take() {
    let h = Hands::at("/big.html");
    let shot = h.ok("browser_screenshot", json!({}));
    let image = &shot.images[0];
    assert!(image.width.max(image.height) <= 1568, "{}x{}", image.width, image.height);
}

#[test]
fn row_212_screenshot_quality_follows_the_intent() {
    let h = Hands::at("/tab-a.html");
    let quality = |intent| h.ok("browser_screenshot", json!({ "intent": intent })).output["quality"].clone();
    assert_eq!(["glance", "verify", "read_text", "user_requested"].map(quality), [20, 50, 95, 100]);
}

#[test]
fn screenshot_with_a_path_is_written_there_and_not_shown() {
    let h = Hands::at("/tab-a.html");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shot.png");
    let shot = h.ok("browser_screenshot", json!({ "path": path }));
    assert_eq!(shot.images, []);
    let bytes = std::fs::read(&path).unwrap();
    assert!(bytes.starts_with(b"\x89PNG"), "{:?}", &bytes[..8]);
}

#[test]
fn screenshot_of_a_wedged_tab_is_page_unresponsive_well_before_the_calls_own_end() {
    let h = Hands::at("/wedge.html");
    h.fails("browser_click", json!({ "ref": "#freeze" }), ErrorCode::PageUnresponsive);
    h.fails("browser_screenshot", json!({}), ErrorCode::PageUnresponsive);
    h.ok("browser_close_tab", json!({}));
}
