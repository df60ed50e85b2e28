//! Requests that a script holds and answers: continued, changed, answered in the server's place, failed, looked at.

use crate::hands::Hands;
use crate::heard::Ears;
use serde_json::{Value, json};
use truehand_base::ErrorCode;

/// Begins a fetch in the page whose result is looked at later.
fn begin(h: &Hands, path: &str, options: &str) {
    h.js(&format!(
        "void (window.__got = fetch('{path}', {options}).then(async (r) => `${{r.status}} ${{await r.text()}}`, (e) => `failed ${{e.name}}`))"
    ));
}

fn got(h: &Hands) -> Value {
    h.js("window.__got")
}

fn held(h: &Hands) -> Ears<'_> {
    let ears = Ears::of(h, &["requestfailed", "requestfinished"]);
    h.ok("page_route", json!({ "patterns": [{ "url_glob_all": true }] }));
    ears
}

#[test]
fn held_request_is_answered_in_the_place_of_its_server() {
    let h = Hands::at("/popups.html");
    let mut ears = held(&h);
    begin(&h, "/api/echo?n=1", "{ method: 'POST', body: 'sent' }");
    let paused = ears.any("paused");
    assert_eq!((paused["method"].as_str(), paused["resource_type"].as_str()), (Some("POST"), Some("fetch")));
    assert_eq!(
        (paused["post_data_base64"].as_str(), paused["navigation"].as_bool()),
        (Some("c2VudA=="), Some(false))
    );
    let answer = json!({ "request": paused["request"], "action": "fulfill", "status": 207,
        "headers": [["content-type", "text/plain"]], "body_base64": "bWFkZSB1cA==" });
    h.ok("page_answer", answer.clone());
    assert_eq!(got(&h), "207 made up");
    assert_eq!(h.site.count("POST", "/api/echo"), 0, "the server was not asked");
    h.fails("page_answer", answer, ErrorCode::RequestGone);
    h.ok("page_route", json!({}));
    begin(&h, "/api/echo?n=2", "{}");
    assert_eq!(got(&h), "200 2", "nothing is held any more");
}

#[test]
fn held_request_goes_on_as_it_was_or_with_other_header_fields() {
    let h = Hands::at("/popups.html");
    let mut ears = held(&h);
    begin(&h, "/api/echo?n=3", "{}");
    let paused = ears.any("paused");
    let headers = json!([["X-Added", "by us"]]);
    h.ok("page_answer", json!({ "request": paused["request"], "action": "continue", "headers": headers }));
    assert_eq!(got(&h), "200 3");
    let sent = h.site.requests().into_iter().find(|r| r.path == "/api/echo").unwrap();
    assert_eq!(sent.header("x-added"), Some("by us"));
    begin(&h, "/api/ping", "{}");
    let paused = ears.any("paused");
    h.ok(
        "page_answer",
        json!({ "request": paused["request"], "action": "abort", "reason": "ConnectionRefused" }),
    );
    assert_eq!(got(&h), "failed TypeError");
    assert_eq!(ears.any("requestfailed")["error"], "net::ERR_CONNECTION_REFUSED");
}

#[test]
fn answer_of_the_server_is_looked_at_and_changed_before_the_page_gets_it() {
    let h = Hands::at("/popups.html");
    let mut ears = held(&h);
    begin(&h, "/api/echo?n=41", "{}");
    let request = ears.any("paused")["request"].clone();
    let fetched = h.ok("page_answer", json!({ "request": request, "action": "fetch" }));
    assert_eq!(
        (fetched.output["status"].as_u64(), fetched.output["body_base64"].as_str()),
        (Some(200), Some("NDE="))
    );
    assert!(fetched.output["headers"].as_array().unwrap().iter().any(|pair| pair[0] == "cache-control"));
    h.ok("page_answer", json!({ "request": request, "action": "fulfill", "body_base64": "NDI=" }));
    assert_eq!(got(&h), "200 42");
    begin(&h, "/api/echo?n=43", "{}");
    let request = ears.any("paused")["request"].clone();
    h.ok("page_answer", json!({ "request": request, "action": "fetch" }));
    h.ok("page_answer", json!({ "request": request, "action": "continue" }));
    assert_eq!(got(&h), "200 43");
}

#[test]
fn page_that_is_navigated_to_is_held_and_to_answer_it_needs_what_scripts_need() {
    let h = Hands::at("/popups.html");
    let mut ears = held(&h);
    h.js("void (location.href = '/tab-a.html')");
    let paused = ears.any("paused");
    assert_eq!(
        (paused["navigation"].as_bool(), paused["resource_type"].as_str()),
        (Some(true), Some("document"))
    );
    let body = json!({ "request": paused["request"], "action": "fulfill", "headers": [["content-type", "text/html"]],
        "body_base64": "PHRpdGxlPk1hZGUgdXA8L3RpdGxlPg==" });
    let refused = h.fails("page_answer", body.clone(), ErrorCode::ApprovalRequired);
    assert_eq!(crate::hands::data(&refused, "verb"), "js");
    let answered = h.approved("page_answer", body);
    assert!(answered.ok(), "{answered:#?}");
    ears.any("load");
    assert_eq!(h.js("document.title"), "Made up");
}

#[test]
fn held_request_that_is_sent_elsewhere_is_judged_as_a_request_of_ours() {
    let h = Hands::at("/popups.html");
    let mut ears = held(&h);
    begin(&h, "/api/ping", "{}");
    let request = ears.any("paused")["request"].clone();
    let elsewhere = h.site.other_host_url("/api/echo?n=9");
    let refused = json!({ "request": request, "action": "continue", "url": elsewhere });
    h.fails("page_answer", refused, ErrorCode::PrivateAddress);
    let post = json!({ "request": request, "action": "continue", "method": "DELETE" });
    h.fails("page_answer", post, ErrorCode::ApprovalRequired);
    let near = h.site.url("/api/echo?n=8");
    h.ok("page_answer", json!({ "request": request, "action": "continue", "url": near }));
    assert_eq!(got(&h), "200 8");
}

#[test]
fn held_requests_of_all_frames_and_of_new_tabs_are_told() {
    let h = Hands::at("/frames.html");
    h.read_until("Cross site", 1);
    let mut ears = held(&h);
    h.js("void byId('cross').contentWindow.location.replace(otherHost('/frame/inner.html'))");
    let inner = ears.first("paused", |e| e["url"].as_str().unwrap().ends_with("/frame/inner.html"));
    h.ok("page_answer", json!({ "request": inner["request"], "action": "continue" }));
    h.js("void byId('same').contentWindow.eval(\"fetch('/api/ping')\")");
    let ping = ears.first("paused", |e| e["url"].as_str().unwrap().ends_with("/api/ping"));
    assert_ne!(ping["frame"], inner["frame"]);
    h.ok("page_answer", json!({ "request": ping["request"], "action": "continue" }));
    ears.first("requestfinished", |_| true);
    h.ok("browser_new_tab", json!({}));
    let url = h.site.url("/tab-a.html");
    h.js(&format!("void (location.href = '{url}')"));
    let page = ears.first("paused", |e| e["url"].as_str().unwrap().ends_with("/tab-a.html"));
    assert_eq!(page["tab_id"], "t2");
    h.ok("page_answer", json!({ "tab_id": "t2", "request": page["request"], "action": "continue" }));
}

#[test]
fn clicks_are_observed_and_downloads_come_while_requests_are_held() {
    let h = Hands::at("/download.html");
    let mut ears = held(&h);
    let clicked = std::thread::scope(|threads| {
        let click = threads.spawn(|| h.ok("browser_click", json!({ "ref": "text=Get report" })));
        let paused = ears.first("paused", |e| e["url"].as_str().unwrap().ends_with("/dl"));
        h.ok("page_answer", json!({ "request": paused["request"], "action": "continue" }));
        click.join().unwrap()
    });
    assert_eq!(crate::hands::effect(&clicked).downloads.len(), 1, "{clicked:#?}");
    let done = ears.first("download", |e| e["state"] == "completed");
    assert_eq!(done["bytes"].as_u64(), Some(8));
}

#[test]
fn page_that_asks_for_a_password_is_told_of_as_it_is_without_being_held() {
    let h = Hands::at("/popups.html");
    let mut ears = held(&h);
    let url = h.site.url("/auth");
    let answered = std::thread::scope(|threads| {
        let going = threads.spawn(|| h.call("browser_navigate", json!({ "url": url })));
        let request = ears.any("paused")["request"].clone();
        h.ok("page_answer", json!({ "request": request, "action": "continue" }));
        going.join().unwrap()
    });
    assert_eq!(answered.error.map(|e| e.code), Some(ErrorCode::AuthRequired));
    assert_eq!(h.site.count("GET", "/auth"), 1);
}

#[test]
fn request_that_nobody_answers_is_let_go_when_the_client_is_gone_or_stops_holding() {
    let h = Hands::at("/popups.html");
    let mut ears = held(&h);
    begin(&h, "/api/echo?n=6", "{}");
    ears.any("paused");
    h.ok("page_route", json!({}));
    assert_eq!(got(&h), "200 6");
    h.ok("page_route", json!({ "patterns": [{ "url": "*echo*" }] }));
    begin(&h, "/api/ping", "{}");
    assert_eq!(got(&h), "200 ok", "only what fits is held");
    begin(&h, "/api/echo?n=7", "{}");
    ears.any("paused");
    // As a connection that ends and comes back within the grace.
    crate::hands::engine().client_gone(&h.client);
    assert_eq!(got(&h), "200 7");
}
