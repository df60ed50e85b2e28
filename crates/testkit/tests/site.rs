//! The fixture site, asked over plain sockets.

#![expect(clippy::unwrap_used, reason = "a helper of a test may fail it")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;
use truehand_testkit::Site;

/// The whole answer to one HTTP/1.1 request.
fn ask(host: &str, port: u16, method: &str, path: &str, headers: &str, body: &[u8]) -> String {
    let mut stream = TcpStream::connect((host, port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

fn get(site: &Site, path: &str) -> String {
    ask("127.0.0.1", site.port(), "GET", path, "", b"")
}

#[tokio::test]
async fn site_serves_pages_and_records_requests() {
    let site = Site::start().await;
    let page = get(&site, "/traps/01-consent-overlay.html");
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("__truth"), "{page}");
    assert!(get(&site, "/no-such-page").starts_with("HTTP/1.1 404"));
    assert!(get(&site, "/../../Cargo.toml").starts_with("HTTP/1.1 404"));
    ask("127.0.0.1", site.port(), "POST", "/api/ping?a=1", "x-note: hi\r\n", b"body");
    site.wait_for("POST", "/api/ping", 1).await;
    let requests = site.requests();
    let ping = requests.last().unwrap();
    assert_eq!((ping.query.as_str(), ping.body.as_str(), ping.header("x-note")), ("a=1", "body", Some("hi")));
    assert_eq!(site.count("GET", "/no-such-page"), 1);
}

#[test]
fn site_answers_under_both_host_names() {
    let site = Site::start_blocking();
    let answer = ask("localhost", site.port(), "GET", "/api/slow?ms=1", "", b"");
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("42"), "{answer}");
    assert!(site.other_host_url("/x").starts_with("http://localhost:"));
}

#[test]
fn site_endpoints_answer_as_documented() {
    let site = Site::start_blocking();
    assert!(get(&site, "/status/418").starts_with("HTTP/1.1 418"));
    assert!(ask("127.0.0.1", site.port(), "POST", "/fail", "", b"").starts_with("HTTP/1.1 500"));
    assert!(ask("127.0.0.1", site.port(), "POST", "/any/where", "", b"n=Ann").contains("n=Ann"));
    let download = get(&site, "/dl");
    assert!(
        download.contains("filename=\"report 2026.csv\"") && download.ends_with("a,b\n1,2\n"),
        "{download}"
    );
    assert!(get(&site, "/redirect?to=/quiet").contains("location: /quiet"));
    assert!(get(&site, "/cookie/set?k=v").contains("set-cookie: k=v; Path=/"));
    assert!(ask("127.0.0.1", site.port(), "GET", "/cookie/show", "cookie: k=v\r\n", b"").contains(">k=v<"));
    assert!(get(&site, "/poll").ends_with('0') && get(&site, "/poll").ends_with('1'));
    ask("127.0.0.1", site.port(), "POST", "/upload?name=raw.bin", "", b"12345");
    let uploads = site.uploads();
    assert_eq!((uploads[0].name.as_str(), uploads[0].bytes), ("raw.bin", 5));
}

#[test]
fn site_https_speaks_tls_with_its_own_certificate() {
    let site = Site::start_blocking();
    let port = site.https_url("").rsplit(':').next().unwrap().parse().unwrap();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    // Plain HTTP on a TLS port is answered by a TLS alert (record type 21), or the connection just ends.
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap_or_default();
    assert_eq!(answer.first(), Some(&21), "{answer:?}");
}

#[test]
fn shop_refuses_an_order_that_lacks_something_and_numbers_one_that_does_not() {
    let site = Site::start_blocking();
    let order = |phone: &str| {
        let body = format!(
            r#"{{"name":"Ann","email":"a@b.co","phone":"{phone}","shipping":"express","card_last4":"4242","items":["mug"]}}"#
        );
        ask("127.0.0.1", site.port(), "POST", "/api/orders", "", body.as_bytes())
    };
    assert!(order("12").starts_with("HTTP/1.1 422"));
    assert!(order("(555) 123-4567").ends_with(r#"{"order":"TH-4001"}"#));
    assert!(get(&site, "/api/products?q=copper%20KETTLE").contains("Copper Kettle"));
    assert!(get(&site, "/api/products?q=nothing").ends_with(r#"{"products":[]}"#));
    assert!(get(&site, "/shop/").contains("Apply gift wrap"));
}
