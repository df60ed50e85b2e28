//! Requests of a script that we make ourselves: with the browser's cookies, and only where they may go.

use crate::hands::Hands;
use serde_json::{Value, json};
use truehand_base::ErrorCode;

fn body(output: &serde_json::Map<String, Value>) -> String {
    use base64::Engine as _;
    let bytes =
        base64::engine::general_purpose::STANDARD.decode(output["body_base64"].as_str().unwrap()).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn row_072_fetch_sends_the_cookies_of_the_tab_and_keeps_what_the_answer_sets() {
    let h = Hands::at("/cookie/set?a=1");
    let asked = h.ok("page_fetch", json!({ "url": h.site.url("/cookie/show"), "as": "fetch" }));
    assert!(body(&asked.output).contains("<p id=cookies>a=1</p>"), "{}", body(&asked.output));
    assert_eq!(asked.output["status"], 200);
    let seen = h.site.requests().pop().unwrap();
    let own = h.js("navigator.userAgent");
    assert_eq!(seen.header("user-agent"), own.as_str(), "it calls itself what the browser does");
    assert!(seen.header("accept-language").is_some());
    h.ok("page_fetch", json!({ "url": h.site.url("/cookie/set?b=2") }));
    assert!(h.js("document.cookie").as_str().unwrap().contains("b=2"), "the page has it too");
    let bare = h.ok("page_fetch", json!({ "url": h.site.url("/cookie/show"), "cookies": "none" }));
    assert!(body(&bare.output).contains("<p id=cookies>none</p>"));
    let other = Hands::at("/tab-a.html");
    h.fails("page_fetch", json!({ "url": other.site.url("/cookie/show") }), ErrorCode::PrivateAddress);
}

#[test]
fn row_073_fetch_reads_the_origin_of_an_open_tab_and_all_else_needs_a_yes() {
    let h = Hands::at("/tab-a.html");
    let own = h.site.url("/api/echo?n=1");
    assert_eq!(body(&h.ok("page_fetch", json!({ "url": own })).output), "1");
    let head = h.ok("page_fetch", json!({ "url": own, "method": "HEAD" }));
    assert_eq!(head.output["body_base64"], "");
    let post = json!({ "url": own, "method": "POST", "body_base64": "eA==" });
    let refused = h.fails("page_fetch", post.clone(), ErrorCode::ApprovalRequired);
    assert_eq!(crate::hands::data(&refused, "verb"), "fetch");
    assert_eq!(h.site.count("POST", "/api/echo"), 0);
    assert!(h.approved("page_fetch", post).ok());
    assert_eq!(h.site.requests().pop().unwrap().body, "x");
    let elsewhere = h.site.other_host_url("/api/ping");
    h.fails("page_fetch", json!({ "url": elsewhere }), ErrorCode::PrivateAddress);
    assert_eq!(
        h.approved("page_fetch", json!({ "url": elsewhere })).error.map(|e| e.code),
        Some(ErrorCode::PrivateAddress)
    );
    h.fails("page_fetch", json!({ "url": "https://shop.example/" }), ErrorCode::ApprovalRequired);
    for metadata in [
        "http://169.254.169.254/latest/meta-data/",
        "http://[fd00:ec2::254]/",
        "http://metadata.google.internal/",
    ] {
        h.fails("page_fetch", json!({ "url": metadata }), ErrorCode::PrivateAddress);
    }
    h.fails("page_fetch", json!({ "url": "file:///etc/passwd" }), ErrorCode::SchemeBlocked);
    // A redirect out of the origin is no way around.
    let away = h.site.url(&format!("/redirect?to={elsewhere}"));
    h.fails("page_fetch", json!({ "url": away }), ErrorCode::PrivateAddress);
    assert_eq!(h.site.count("GET", "/api/ping"), 0);
    // Another tab makes another origin one's own.
    h.ok("browser_new_tab", json!({ "url": h.site.other_host_url("/tab-b.html") }));
    assert_eq!(body(&h.ok("page_fetch", json!({ "url": away })).output), "ok");
}

#[test]
fn row_078_fetch_gives_the_bytes_of_a_file_as_the_server_sent_them() {
    use sha2::{Digest, Sha256};
    let h = Hands::at("/tab-a.html");
    let asked = h.ok("page_fetch", json!({ "url": h.site.url("/dl") }));
    assert_eq!(Sha256::digest(body(&asked.output)), Sha256::digest("a,b\n1,2\n"));
    let headers = asked.output["headers"].as_array().unwrap();
    assert!(
        headers.contains(&json!(["content-disposition", "attachment; filename=\"report 2026.csv\""])),
        "{headers:?}"
    );
    let small = json!({ "url": h.site.url("/dl"), "max_bytes": 3 });
    h.fails("page_fetch", small, ErrorCode::RequestFailed);
    h.fails("page_fetch", json!({ "url": h.site.url("/never"), "timeout_ms": 200 }), ErrorCode::Deadline);
    h.fails(
        "page_fetch",
        json!({ "url": h.site.url("/dl"), "body_base64": "?" }),
        ErrorCode::InvalidArguments,
    );
}
