//! Tabs: what there is, which one a call acts on, opening, selecting, closing.

use crate::hands::{Hands, effect};
use serde_json::json;
use truehand_base::ErrorCode;

#[test]
fn row_178_current_tab_gives_handle_address_and_title() {
    let h = Hands::at("/tab-a.html");
    let tab = h.ok("browser_current_tab", json!({}));
    assert_eq!(tab.output["url"], h.site.url("/tab-a.html"));
    assert_eq!(tab.output["title"], "Tab A");
    assert!(tab.tab_id.is_some(), "{tab:#?}");
}

#[test]
fn current_tab_before_any_tab_says_so() {
    let h = Hands::new();
    let tab = h.ok("browser_current_tab", json!({}));
    assert_eq!((tab.tab_id, tab.done.as_str()), (None, "no tab is open"));
}

#[test]
fn row_179_new_tab_gives_a_handle_that_can_be_used() {
    let h = Hands::at("/tab-a.html");
    let first = h.ok("browser_current_tab", json!({})).tab_id.unwrap();
    let opened = h.ok("browser_new_tab", json!({ "url": h.site.url("/tab-b.html") }));
    let second = opened.tab_id.unwrap();
    assert_ne!(first, second);
    let read = h.ok("browser_read", json!({ "tab_id": second }));
    assert!(read.text.unwrap().contains("Tab B"));
    assert_eq!(h.ok("browser_current_tab", json!({})).tab_id, Some(second));
}

#[test]
fn row_180_list_tabs_has_both_tabs_with_title_and_address() {
    let h = Hands::at("/tab-a.html");
    h.ok("browser_new_tab", json!({ "url": h.site.url("/tab-b.html") }));
    let tabs = h.ok("browser_list_tabs", json!({})).output["tabs"].as_array().unwrap().clone();
    let seen: Vec<_> =
        tabs.iter().map(|t| (t["title"].as_str().unwrap(), t["url"].as_str().unwrap().to_owned())).collect();
    assert_eq!(seen, [("Tab A", h.site.url("/tab-a.html")), ("Tab B", h.site.url("/tab-b.html"))]);
}

#[test]
fn list_tabs_shows_no_tab_of_another_client() {
    let (mine, other) = (Hands::at("/tab-a.html"), Hands::at("/tab-b.html"));
    let tabs = mine.ok("browser_list_tabs", json!({})).output["tabs"].clone();
    assert_eq!(tabs.as_array().unwrap().len(), 1, "{tabs}");
    other.open("/storage.html");
    mine.open("/storage.html");
    // The storage of one client is not the other's, though both visit the same kind of site.
    assert_eq!(mine.js("document.getElementById('seen').textContent"), "nothing");
}

#[test]
fn row_181_click_with_a_tab_id_changes_that_tab_alone() {
    let h = Hands::at("/tab-a.html");
    let a = h.ok("browser_current_tab", json!({})).tab_id.unwrap();
    let b = h.ok("browser_new_tab", json!({ "url": h.site.url("/tab-b.html") })).tab_id.unwrap();
    let clicked = h.ok("browser_click", json!({ "ref": "text=Press", "tab_id": a }));
    assert_eq!(clicked.tab_id, Some(a));
    assert_eq!(h.log(), "", "tab B is current and was not clicked");
    h.ok("browser_select_tab", json!({ "tab_id": a }));
    assert_eq!(h.log(), "A");
    assert_ne!(a, b);
}

#[test]
fn ref_of_another_tab_is_refused_with_its_name() {
    let h = Hands::at("/tab-a.html");
    let reference = h.reference("button \"Press\"");
    h.ok("browser_new_tab", json!({ "url": h.site.url("/tab-b.html") }));
    h.fails("browser_click", json!({ "ref": reference }), ErrorCode::RefOtherTab);
    assert_eq!(h.log(), "");
}

#[test]
fn unknown_and_closed_tabs_are_refused_with_their_own_codes() {
    let h = Hands::at("/tab-a.html");
    h.fails("browser_read", json!({ "tab_id": "t999" }), ErrorCode::UnknownTab);
    h.fails("browser_read", json!({ "tab_id": "left one" }), ErrorCode::UnknownTab);
    let b = h.ok("browser_new_tab", json!({ "url": h.site.url("/tab-b.html") })).tab_id.unwrap();
    h.ok("browser_close_tab", json!({ "tab_id": b }));
    h.fails("browser_read", json!({ "tab_id": b }), ErrorCode::TabClosed);
    assert!(h.read().contains("Tab A"), "the next call works");
}

#[test]
fn row_214_close_tab_closes_it_and_another_becomes_current() {
    let h = Hands::at("/tab-a.html");
    let a = h.ok("browser_current_tab", json!({})).tab_id;
    h.ok("browser_new_tab", json!({ "url": h.site.url("/tab-b.html") }));
    let closed = h.ok("browser_close_tab", json!({}));
    assert_eq!(closed.output["closed"], true);
    assert_eq!(h.ok("browser_current_tab", json!({})).tab_id, a);
}

#[test]
fn tabs_alias_lists_opens_selects_and_closes() {
    let h = Hands::at("/tab-a.html");
    h.ok("browser_tabs", json!({ "action": "new", "url": h.site.url("/tab-b.html") }));
    h.ok("browser_tabs", json!({ "action": "select", "index": 0 }));
    assert!(h.read().contains("Tab A"));
    h.ok("browser_tabs", json!({ "action": "close", "index": 1 }));
    let tabs = h.ok("browser_tabs", json!({})).output["tabs"].clone();
    assert_eq!(tabs.as_array().unwrap().len(), 1, "{tabs}");
}

#[test]
fn popup_is_announced_and_not_followed() {
    let h = Hands::at("/popups.html");
    for (target, title) in [("text=New tab link", "Tab B"), ("text=window.open", "Tab A")] {
        let before = h.ok("browser_current_tab", json!({})).tab_id;
        let clicked = h.ok("browser_click", json!({ "ref": target }));
        let opened = &effect(&clicked).tabs.opened;
        assert_eq!(opened.len(), 1, "{target}: {clicked:#?}");
        assert_eq!(h.ok("browser_current_tab", json!({})).tab_id, before);
        let read = h.ok("browser_read", json!({ "tab_id": opened[0].tab_id }));
        assert!(read.text.unwrap().contains(title));
    }
}

#[test]
fn download_of_one_client_is_never_told_to_another() {
    // Both act at the same time, so that the other's window is open when the download begins. The other
    // came first, so whoever goes through the clients in order meets it first.
    let other = Hands::at("/quiet.html");
    let mine = Hands::at("/download.html");
    for _ in 0..5 {
        let (downloaded, idle) = std::thread::scope(|threads| {
            let idle = threads.spawn(|| other.ok("browser_click", json!({ "ref": "#nothing" })));
            let downloaded = mine.ok("browser_click", json!({ "ref": "text=Get report" }));
            (downloaded, idle.join().unwrap())
        });
        assert_eq!(effect(&idle).downloads, [], "a download of another client");
        assert_eq!(effect(&downloaded).downloads.len(), 1, "{downloaded:#?}");
    }
}

#[test]
fn new_tab_to_an_address_that_fails_leaves_no_tab_and_the_current_one_current() {
    let h = Hands::at("/tab-a.html");
    h.fails("browser_new_tab", json!({ "url": "http://127.0.0.1:1/" }), ErrorCode::NavFailed);
    let tabs = h.ok("browser_list_tabs", json!({})).output["tabs"].as_array().unwrap().clone();
    assert_eq!(tabs.len(), 1, "{tabs:#?}");
    assert_eq!(h.ok("browser_current_tab", json!({})).output["url"], h.site.url("/tab-a.html"));
}
