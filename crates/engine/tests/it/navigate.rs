//! Opening addresses, going back and forward, reloading, and everything that can go wrong on the way.

use crate::hands::{Hands, effect};
use serde_json::json;
use truehand_base::{ErrorCode, Verdict};

#[test]
fn row_182_navigate_reports_address_and_new_elements() {
    let h = Hands::at("/tab-a.html");
    let opened = h.open("/large.html");
    let effect = effect(&opened);
    assert!(effect.url.changed);
    assert_eq!(effect.url.before.as_deref(), Some(h.site.url("/tab-a.html").as_str()));
    assert_eq!(effect.url.after.as_deref(), Some(h.site.url("/large.html").as_str()));
    assert!(effect.dom.added > 50, "{effect:#?}");
    assert_eq!(effect.verdict, Verdict::Changed);
}

#[test]
fn row_183_blocked_schemes_are_refused_and_nothing_is_opened() {
    let h = Hands::at("/tab-a.html");
    for url in [
        "file:///etc/passwd",
        "chrome://settings",
        "javascript:alert(1)",
        "view-source:http://127.0.0.1/",
        "data:text/html,hi",
        " FILE:///etc/passwd",
        "java\nscript:alert(1)",
    ] {
        h.fails("browser_navigate", json!({ "url": url }), ErrorCode::SchemeBlocked);
        h.fails("browser_new_tab", json!({ "url": url }), ErrorCode::SchemeBlocked);
    }
    let tab = h.ok("browser_current_tab", json!({}));
    assert_eq!(tab.output["url"], h.site.url("/tab-a.html"));
    assert_eq!(h.ok("browser_list_tabs", json!({})).output["tabs"].as_array().unwrap().len(), 1);
}

#[test]
fn navigate_to_a_port_without_server_is_nav_failed_and_the_next_call_works() {
    let h = Hands::new();
    h.fails("browser_navigate", json!({ "url": "http://127.0.0.1:9/" }), ErrorCode::NavFailed);
    h.fails("browser_navigate", json!({ "url": "http://no-such-host.invalid/" }), ErrorCode::NavFailed);
    h.open("/tab-a.html");
    assert!(h.read().contains("Tab A"));
}

#[test]
fn navigate_to_an_untrusted_certificate_is_a_certificate_error() {
    let h = Hands::at("/tab-a.html");
    h.fails(
        "browser_navigate",
        json!({ "url": h.site.https_url("/tab-b.html") }),
        ErrorCode::CertificateError,
    );
    assert_eq!(h.site.count("GET", "/tab-b.html"), 0, "nothing was sent");
    h.open("/tab-b.html");
}

#[test]
fn navigate_to_an_error_status_is_request_failed_and_the_page_can_be_read() {
    let h = Hands::new();
    h.fails("browser_navigate", json!({ "url": h.site.url("/status/503") }), ErrorCode::RequestFailed);
    assert!(h.read().contains("503"));
}

#[test]
fn navigate_ends_when_the_document_is_usable_though_a_picture_hangs() {
    let h = Hands::at("/hang.html");
    h.ok("browser_click", json!({ "ref": "text=Go" }));
    assert_eq!(h.log(), "ok");
}

#[test]
fn navigate_follows_a_redirect_and_names_where_it_ended() {
    let h = Hands::new();
    let opened = h.open("/redirect?to=/tab-b.html");
    assert_eq!(opened.output["url"], h.site.url("/tab-b.html"));
}

#[test]
fn navigate_to_a_fragment_stays_in_the_document() {
    let h = Hands::at("/url-focus.html");
    let moved = h.open("/url-focus.html#part");
    assert_eq!(effect(&moved).url.same_document, Some(true));
    assert_eq!(h.site.count("GET", "/url-focus.html"), 1);
}

#[test]
fn back_and_forward_move_through_the_history_and_stop_at_its_ends() {
    let h = Hands::at("/tab-a.html");
    h.open("/tab-b.html");
    let back = h.ok("browser_back", json!({}));
    assert_eq!(back.output["url"], h.site.url("/tab-a.html"));
    assert!(effect(&back).url.changed);
    let forward = h.ok("browser_forward", json!({}));
    assert_eq!(forward.output["title"], "Tab B");
    let end = h.call("browser_forward", json!({}));
    assert!(end.error.is_some() || !end.warnings.is_empty(), "the end of the history is said: {end:#?}");
    assert!(h.read().contains("Tab B"));
}

#[test]
fn row_210_reload_sends_exactly_one_request() {
    let h = Hands::at("/reload.html");
    assert_eq!(h.site.count("GET", "/reload.html"), 1);
    h.ok("browser_reload", json!({}));
    assert_eq!(h.js("document.getElementById('n').textContent"), "2");
    assert_eq!(h.site.count("GET", "/reload.html"), 2);
}

#[test]
fn navigate_page_opens_goes_back_and_forward_and_reloads_as_its_type_says() {
    let h = Hands::at("/tab-a.html");
    let at = |arguments| h.ok("navigate_page", arguments).page_effect.unwrap().url.after;
    assert_eq!(at(json!({ "url": h.site.url("/tab-b.html") })), Some(h.site.url("/tab-b.html")));
    assert_eq!(at(json!({ "type": "back" })), Some(h.site.url("/tab-a.html")));
    assert_eq!(at(json!({ "type": "forward" })), Some(h.site.url("/tab-b.html")));
    let before = h.site.count("GET", "/tab-b.html");
    h.ok("navigate_page", json!({ "type": "reload" }));
    assert_eq!(h.site.count("GET", "/tab-b.html"), before + 1);
    h.fails("navigate_page", json!({ "url": "file:///etc/passwd" }), ErrorCode::SchemeBlocked);
}

#[test]
fn click_while_the_page_is_left_ends_and_the_next_call_works() {
    let h = Hands::at("/count.html");
    let there = h.site.other_host_url("/api/slow?ms=700");
    std::thread::scope(|threads| {
        let leaving = threads.spawn(|| h.call("browser_navigate", json!({ "url": there })));
        while !leaving.is_finished() {
            h.call("browser_click", json!({ "ref": "#add" }));
        }
        assert!(leaving.join().unwrap().ok());
    });
    h.fails("browser_click", json!({ "ref": "#add" }), ErrorCode::NoMatch);
    assert!(h.read().contains("42"));
}

#[test]
fn page_is_read_right_after_a_load_that_failed() {
    let h = Hands::at("/tab-a.html");
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for url in [format!("http://{closed}/"), "http://nowhere.invalid/".to_owned()].iter().cycle().take(6) {
        h.fails("browser_navigate", json!({ "url": url }), ErrorCode::NavFailed);
        assert!(h.read().contains("can’t be reached"));
    }
    h.open("/tab-a.html");
}
