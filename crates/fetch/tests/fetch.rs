//! Requests of our own against a real server: who judges what, where the connection goes, what is bounded.

#![expect(clippy::unwrap_used, reason = "a test's helper may fail the test")]

use std::collections::VecDeque;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use truehand_base::{BoxFuture, CallCtx, ErrorBody, ErrorCode};
use truehand_fetch::{Asker, NewCookie, Request, Resolve, System, fetch};
use truehand_testkit::Site;
use url::Url;

/// One who allows what it is told to, and remembers what it was asked.
#[derive(Default)]
struct Judge {
    /// Whether private addresses are allowed.
    inside: bool,
    /// What is refused: a part of an address.
    refuses: Option<&'static str>,
    asked: Mutex<Vec<(String, String, bool)>>,
    kept: Mutex<Vec<NewCookie>>,
}

impl Judge {
    fn of_this_machine() -> Judge {
        Judge { inside: true, ..Judge::default() }
    }

    fn asked(&self) -> Vec<(String, String, bool)> {
        self.asked.lock().unwrap().clone()
    }
}

impl Asker for Judge {
    fn judge(&self, url: &Url, method: &str, private: bool) -> Result<(), ErrorBody> {
        self.asked.lock().unwrap().push((url.to_string(), method.to_owned(), private));
        if private && !self.inside {
            return Err(ErrorBody::new(ErrorCode::PrivateAddress, "private"));
        }
        match self.refuses.filter(|part| url.as_str().contains(part)) {
            Some(_) => Err(ErrorBody::new(ErrorCode::PolicyDenied, "refused")),
            None => Ok(()),
        }
    }

    fn cookies<'a>(&'a self, _url: &'a Url) -> BoxFuture<'a, Result<Option<String>, ErrorBody>> {
        Box::pin(async { Ok(Some("session=7".to_owned())) })
    }

    fn keep<'a>(&'a self, _url: &'a Url, cookies: Vec<NewCookie>) -> BoxFuture<'a, Result<(), ErrorBody>> {
        self.kept.lock().unwrap().extend(cookies);
        Box::pin(async { Ok(()) })
    }
}

/// A name server whose answers change.
struct Changing {
    answers: Mutex<VecDeque<IpAddr>>,
    asked: AtomicUsize,
}

impl Changing {
    fn new(answers: &[[u8; 4]]) -> Changing {
        let answers = answers.iter().map(|octets| IpAddr::V4(Ipv4Addr::from(*octets))).collect();
        Changing { answers: Mutex::new(answers), asked: AtomicUsize::new(0) }
    }
}

impl Resolve for Changing {
    fn resolve<'a>(&'a self, _host: &'a str, port: u16) -> BoxFuture<'a, std::io::Result<Vec<SocketAddr>>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let next = self.answers.lock().unwrap().pop_front();
        Box::pin(async move { Ok(next.map(|address| SocketAddr::new(address, port)).into_iter().collect()) })
    }
}

fn ctx() -> CallCtx {
    CallCtx::with_timeout(Duration::from_secs(20))
}

fn get(url: &str) -> Request {
    Request {
        url: Url::parse(url).unwrap(),
        method: "GET".to_owned(),
        headers: Vec::new(),
        body: None,
        max_redirects: 20,
        max_bytes: 1 << 20,
    }
}

async fn code(request: Request, judge: &Judge, resolve: &dyn Resolve) -> ErrorCode {
    fetch(&ctx(), request, judge, resolve).await.expect_err("refused").code
}

#[tokio::test]
async fn fetch_sends_what_it_was_given_and_gives_what_came() {
    let site = Site::start().await;
    let judge = Judge::of_this_machine();
    let request = Request {
        method: "post".to_owned(),
        headers: vec![("X-Own".to_owned(), "yes".to_owned()), ("Host".to_owned(), "evil.example".to_owned())],
        body: Some(b"sent".to_vec()),
        ..get(&site.url("/api/echo?n=5"))
    };
    let response = fetch(&ctx(), request, &judge, &System).await.unwrap();
    assert_eq!(
        (response.status, response.status_text.as_str(), response.body.as_slice()),
        (200, "OK", &b"5"[..])
    );
    assert!(response.headers.contains(&("cache-control".to_owned(), "no-store".to_owned())));
    let seen = site.requests().pop().unwrap();
    assert_eq!((seen.method.as_str(), seen.body.as_str()), ("POST", "sent"));
    assert_eq!((seen.header("x-own"), seen.header("cookie")), (Some("yes"), Some("session=7")));
    assert_eq!(seen.header("host"), Some(format!("127.0.0.1:{}", site.port()).as_str()));
}

#[tokio::test]
async fn every_hop_of_a_redirect_is_judged_before_it_is_asked() {
    let site = Site::start().await;
    let judge = Judge { refuses: Some("/api/ping"), ..Judge::of_this_machine() };
    let to = site.other_host_url("/api/ping");
    assert_eq!(
        code(get(&site.url(&format!("/redirect?to={to}"))), &judge, &System).await,
        ErrorCode::PolicyDenied
    );
    assert_eq!(site.count("GET", "/api/ping"), 0);
    let judge = Judge::of_this_machine();
    let response =
        fetch(&ctx(), get(&site.url(&format!("/redirect?to={to}"))), &judge, &System).await.unwrap();
    assert_eq!((response.redirected, response.url.as_str()), (true, to.as_str()));
    let asked: Vec<String> = judge.asked().into_iter().map(|(url, ..)| url).collect();
    assert!(asked.contains(&to), "{asked:?}");
    let scheme = get(&site.url("/redirect?to=file:///etc/passwd"));
    assert_eq!(code(scheme, &judge, &System).await, ErrorCode::SchemeBlocked);
    assert_eq!(code(get(&site.url("/redirect/circle")), &judge, &System).await, ErrorCode::RequestFailed);
    let as_it_is = Request { max_redirects: 0, ..get(&site.url("/redirect?to=/x")) };
    let response = fetch(&ctx(), as_it_is, &judge, &System).await.unwrap();
    assert_eq!((response.status, response.redirected), (303, false));
}

#[tokio::test]
async fn redirect_of_a_post_becomes_a_get_and_keeps_secrets_from_other_origins() {
    let site = Site::start().await;
    let judge = Judge::of_this_machine();
    let request = Request {
        method: "POST".to_owned(),
        headers: vec![
            ("Authorization".to_owned(), "Bearer x".to_owned()),
            ("Content-Type".to_owned(), "text/plain".to_owned()),
        ],
        body: Some(b"secret".to_vec()),
        ..get(&site.url(&format!("/redirect?to={}", site.other_host_url("/api/ping"))))
    };
    fetch(&ctx(), request, &judge, &System).await.unwrap();
    let seen = site.requests().pop().unwrap();
    assert_eq!((seen.method.as_str(), seen.path.as_str(), seen.body.as_str()), ("GET", "/api/ping", ""));
    assert_eq!((seen.header("authorization"), seen.header("content-type")), (None, None));
}

#[tokio::test]
async fn name_that_leads_to_a_private_address_is_judged_as_one_and_not_connected_to() {
    let site = Site::start().await;
    let judge = Judge::default();
    let inside = Changing::new(&[[127, 0, 0, 1]]);
    let named = get(&format!("http://rebind.example:{}/api/ping", site.port()));
    assert_eq!(code(named.clone(), &judge, &inside).await, ErrorCode::PrivateAddress);
    let refused = Judge { refuses: Some("rebind"), ..Judge::default() };
    let unasked = Changing::new(&[[127, 0, 0, 1]]);
    assert_eq!(code(named, &refused, &unasked).await, ErrorCode::PolicyDenied);
    assert_eq!(unasked.asked.load(Ordering::SeqCst), 0, "no name server hears of what is refused");
    assert_eq!(site.requests().len(), 0);
    for literal in [
        "http://127.0.0.1:1/",
        "http://[::1]:1/",
        "http://[::ffff:10.0.0.1]/",
        "http://169.254.169.254/latest",
    ] {
        assert_eq!(code(get(literal), &judge, &System).await, ErrorCode::PrivateAddress, "{literal}");
    }
}

#[tokio::test]
async fn connection_goes_to_the_address_that_was_judged() {
    let site = Site::start().await;
    // A name server that first names a server of ours and then the metadata service of a cloud.
    let changing = Changing::new(&[[127, 0, 0, 1], [169, 254, 169, 254]]);
    let judge = Judge::of_this_machine();
    let named = get(&format!("http://rebind.example:{}/api/ping", site.port()));
    let response = fetch(&ctx(), named, &judge, &changing).await.unwrap();
    assert_eq!(response.body, b"ok");
    assert_eq!(changing.asked.load(Ordering::SeqCst), 1, "it is asked once a hop");
    let seen = site.requests().pop().unwrap();
    assert_eq!(seen.header("host"), Some(format!("rebind.example:{}", site.port()).as_str()));
    // The next hop is judged with what the name leads to by then.
    let changing = Changing::new(&[[127, 0, 0, 1], [127, 0, 0, 1]]);
    let circle = get(&format!("http://rebind.example:{}/redirect?to=/api/ping", site.port()));
    fetch(&ctx(), circle, &judge, &changing).await.unwrap();
    assert_eq!(changing.asked.load(Ordering::SeqCst), 2);
    assert!(judge.asked().iter().filter(|(_, _, private)| *private).count() >= 3);
}

/// A server that answers every connection with the same bytes.
async fn saying(answer: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let answer = answer.clone();
            tokio::spawn(async move {
                let mut head = [0; 4096];
                drop(stream.read(&mut head).await);
                drop(stream.write_all(&answer).await);
            });
        }
    });
    address
}

#[tokio::test]
async fn answer_is_bounded_on_the_wire_and_after_decompression() {
    let judge = Judge::of_this_machine();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut gzip, &vec![b'x'; 4 << 20]).unwrap();
    let packed = gzip.finish().unwrap();
    assert!(packed.len() < 10_000);
    let head =
        format!("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\n\r\n", packed.len());
    let bomb = saying([head.as_bytes(), &packed].concat()).await;
    assert_eq!(code(get(&bomb), &judge, &System).await, ErrorCode::RequestFailed);
    let enough = Request { max_bytes: 8 << 20, ..get(&bomb) };
    assert_eq!(fetch(&ctx(), enough, &judge, &System).await.unwrap().body.len(), 4 << 20);
    let endless = saying(format!("HTTP/1.1 200 OK\r\n\r\n{}", "y".repeat(2 << 20)).into_bytes()).await;
    assert_eq!(code(get(&endless), &judge, &System).await, ErrorCode::RequestFailed);
    let fields = saying(format!("HTTP/1.1 200 OK\r\n{}\r\n", "a: b\r\n".repeat(5_000)).into_bytes()).await;
    assert_eq!(code(get(&fields), &judge, &System).await, ErrorCode::NavFailed);
    let nothing = saying(b"no such protocol\r\n\r\n".to_vec()).await;
    assert_eq!(code(get(&nothing), &judge, &System).await, ErrorCode::NavFailed);
}

#[tokio::test]
async fn time_and_cancelling_end_a_request_and_a_false_certificate_stops_it() {
    let site = Site::start().await;
    let judge = Judge::of_this_machine();
    let soon = CallCtx::with_timeout(Duration::from_millis(200));
    let error = fetch(&soon, get(&site.url("/never")), &judge, &System).await.expect_err("in time");
    assert_eq!(error.code, ErrorCode::Deadline);
    let ctx = ctx();
    ctx.cancel().cancel();
    let error = fetch(&ctx, get(&site.url("/never")), &judge, &System).await.expect_err("cancelled");
    assert_eq!(error.code, ErrorCode::Cancelled);
    assert_eq!(code(get(&site.https_url("/api/ping")), &judge, &System).await, ErrorCode::CertificateError);
    assert_eq!(site.requests().iter().filter(|r| r.path == "/api/ping").count(), 0);
    let odd = Request { method: "A B".to_owned(), ..get(&site.url("/")) };
    assert_eq!(code(odd, &judge, &System).await, ErrorCode::InvalidArguments);
    let line = Request { headers: vec![("X".to_owned(), "a\r\nY: b".to_owned())], ..get(&site.url("/")) };
    assert_eq!(code(line, &judge, &System).await, ErrorCode::InvalidArguments);
}

#[tokio::test]
async fn cookies_that_an_answer_sets_are_kept() {
    let site = Site::start().await;
    let judge = Judge::of_this_machine();
    fetch(&ctx(), get(&site.url("/cookie/set?a=1")), &judge, &System).await.unwrap();
    let kept = judge.kept.lock().unwrap().clone();
    assert_eq!((kept.len(), kept[0].name.as_str(), kept[0].value.as_str()), (1, "a", "1"));
}
