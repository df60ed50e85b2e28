//! The network at its worst: a stable code each time, never a hang, and the tab works afterwards.

use crate::hands::{Hands, data};
use crate::rig::{code, timed};
use serde_json::json;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;
use truehand_base::{Call, ErrorCode};

/// Within this a load fails that can't succeed.
const SOON: Duration = Duration::from_secs(5);

/// A server on loopback that treats each connection as it is told; ends with the program.
fn server(treat: impl Fn(TcpStream) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            treat(stream);
        }
    });
    url
}

/// Reads a request's head and answers with these bytes.
fn answer(bytes: &'static [u8]) -> impl Fn(TcpStream) {
    move |mut stream: TcpStream| {
        let mut head = [0; 4096];
        drop(stream.read(&mut head));
        drop(stream.write_all(bytes));
    }
}

#[test]
fn load_that_can_not_succeed_is_nav_failed_with_the_reason_and_the_next_one_works() {
    let h = Hands::at("/tab-a.html");
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let cases = [
        (format!("http://{closed}/"), ErrorCode::NavFailed, "net::ERR_CONNECTION_REFUSED"),
        ("http://no-such-host.invalid/".to_owned(), ErrorCode::NavFailed, "net::ERR_NAME_NOT_RESOLVED"),
        (h.site.https_url("/tab-a.html"), ErrorCode::CertificateError, "net::ERR_CERT_AUTHORITY_INVALID"),
        (h.site.url("/redirect/circle"), ErrorCode::NavFailed, "net::ERR_TOO_MANY_REDIRECTS"),
        (h.site.url("/status/204"), ErrorCode::NavFailed, "net::ERR_ABORTED"),
        (h.site.url("/fat"), ErrorCode::NavFailed, "net::ERR_RESPONSE_HEADERS_TOO_BIG"),
        (server(drop), ErrorCode::NavFailed, ""),
        (server(answer(b"")), ErrorCode::NavFailed, "net::ERR_EMPTY_RESPONSE"),
        (server(answer(b"\x16\x03\x01 this is no HTTP\r\n\r\n")), ErrorCode::NavFailed, ""),
    ];
    for (url, wanted, reason) in cases {
        let (opened, took) = timed(&h, "browser_navigate", json!({ "url": url }));
        assert_eq!(code(&opened), Some(wanted), "{url}: {opened:#?}");
        let net = data(&opened, "net_error");
        assert!(net.as_str().unwrap().contains(reason), "{url}: {net}");
        assert!(took < SOON, "{url} took {took:?}");
        h.open("/tab-a.html");
    }
}

#[test]
fn page_that_breaks_off_is_no_success_and_what_came_of_it_can_be_read() {
    let h = Hands::at("/tab-a.html");
    let (opened, took) = timed(&h, "browser_navigate", json!({ "url": h.site.url("/cut") }));
    assert_eq!(code(&opened), Some(ErrorCode::RequestFailed), "{opened:#?}");
    assert!(took < SOON, "{took:?}");
    assert!(h.read().contains("Half a page"));
    h.open("/tab-b.html");
}

#[test]
fn server_that_never_answers_ends_with_the_calls_own_time_and_the_tab_is_free() {
    let h = Hands::at("/tab-a.html");
    let call = Call::new(h.client.clone(), "browser_navigate", json!({ "url": h.site.url("/never") }));
    let start = std::time::Instant::now();
    let outcome = h.send_within(Duration::from_secs(2), call);
    assert_eq!(code(&outcome), Some(ErrorCode::Timeout), "{outcome:#?}");
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    // The load was stopped: the page that was there is there and answers.
    assert!(h.read().contains("Tab A"));
    h.open("/tab-b.html");
}

#[test]
fn page_on_its_way_to_a_slow_server_is_waited_for_and_not_taken_for_a_loop() {
    let h = Hands::at("/tab-a.html");
    h.js("setTimeout(() => { location = '/api/slow?ms=7000'; }, 100); 1");
    std::thread::sleep(Duration::from_millis(500));
    let (read, took) = timed(&h, "browser_read", json!({}));
    assert!(read.ok(), "{read:#?}");
    assert!(took > SOON, "{took:?}");
    assert!(read.text.unwrap().contains("42"));
}
