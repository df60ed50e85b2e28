//! What a web page, or another program without the token, can send: it is refused before it means anything.

use crate::web::{LONG, Web, call, request, rpc};
use serde_json::json;

/// A change of the usual headers; a header with an empty value is left out.
struct Attack {
    what: &'static str,
    set: Vec<(&'static str, String)>,
    add: Vec<(&'static str, String)>,
    path: &'static str,
    status: u16,
}

fn attack(what: &'static str, status: u16) -> Attack {
    Attack { what, set: Vec::new(), add: Vec::new(), path: "", status }
}

impl Attack {
    fn set(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.set.push((name, value.into()));
        self
    }

    fn add(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.add.push((name, value.into()));
        self
    }

    fn path(mut self, path: &'static str) -> Self {
        self.path = path;
        self
    }
}

/// Everything that is refused on every route, whatever else the request holds.
fn attacks(web: &Web) -> Vec<Attack> {
    let (port, own) = (web.at.port(), format!("http://{}", web.at));
    vec![
        attack("host after rebinding", 403).set("Host", format!("evil.example:{port}")),
        attack("host without port", 403).set("Host", "127.0.0.1"),
        attack("host with another port", 403).set("Host", "127.0.0.1:1"),
        attack("wildcard host", 403).set("Host", format!("0.0.0.0:{port}")),
        attack("another loopback host", 403).set("Host", format!("127.0.0.2:{port}")),
        attack("host that only begins well", 403).set("Host", format!("127.0.0.1.evil.example:{port}")),
        attack("no host", 403).set("Host", ""),
        attack("two hosts", 403).add("Host", format!("evil.example:{port}")),
        attack("foreign host in the first line", 403).path("http://evil.example/mcp"),
        attack("rebinding with a matching origin", 403)
            .set("Host", format!("evil.example:{port}"))
            .add("Origin", format!("http://evil.example:{port}")),
        attack("foreign origin", 403).add("Origin", "http://evil.example"),
        attack("null origin", 403).add("Origin", "null"),
        attack("empty origin", 403).add("Origin", " "),
        attack("origin that can't be read", 403).add("Origin", "http://[::1"),
        attack("our own address as origin", 403).add("Origin", own.clone()),
        attack("two origins", 403).add("Origin", own.clone()).add("Origin", own),
        attack("extension origin", 403).add("Origin", "chrome-extension://abcdefghijklmnop"),
        attack("cross-site fetch", 403).add("Sec-Fetch-Site", "cross-site"),
        attack("same-site fetch", 403).add("Sec-Fetch-Site", "same-site"),
        attack("no token", 401).set("Authorization", ""),
        attack("wrong token", 401).set("Authorization", format!("Bearer {}", "0".repeat(64))),
        attack("part of the token", 401).set("Authorization", format!("Bearer {}", &web.token[..63])),
        attack("token under another scheme", 401).set("Authorization", format!("Basic {}", web.token)),
        attack("bare token", 401).set("Authorization", web.token.clone()),
        attack("two tokens", 403).add("Authorization", "Bearer x"),
        attack("token in a cookie", 401)
            .set("Authorization", "")
            .add("Cookie", format!("token={}; Authorization=Bearer {}", web.token, web.token)),
    ]
}

fn headers(web: &Web, session: &str, attack: &Attack) -> Vec<(String, String)> {
    let mut headers = web.headers();
    headers.push(("Mcp-Session-Id".to_owned(), session.to_owned()));
    for (name, value) in &attack.set {
        headers.retain(|(known, _)| known != name);
        if !value.is_empty() {
            headers.push(((*name).to_owned(), value.clone()));
        }
    }
    headers.extend(attack.add.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
    headers
}

#[tokio::test]
async fn whatever_a_page_can_send_is_refused_on_every_route_and_runs_nothing() {
    let web = Web::start().await;
    let session = web.plain().await;
    let initialize = rpc(1, "initialize", json!({ "protocolVersion": "2025-11-25" }));
    let run = call(2, "echo", json!({ "text": "x" }));
    let routes = [
        ("POST", "/mcp", initialize.as_str()),
        ("POST", "/mcp", run.as_str()),
        ("POST", "/mcp", "not json"),
        ("GET", "/mcp", ""),
        ("DELETE", "/mcp", ""),
        ("OPTIONS", "/mcp", ""),
        ("PUT", "/mcp", ""),
        ("GET", "/", ""),
        ("GET", "/.well-known/oauth-protected-resource", ""),
        ("POST", "/other", run.as_str()),
    ];
    let attacks = attacks(&web);
    assert!(attacks.len() > 20);
    for attack in &attacks {
        for (method, path, body) in routes {
            let path = if attack.path.is_empty() { path } else { attack.path };
            let answer = web.raw(&request(method, path, &headers(&web, &session.id, attack), body)).await;
            let shown = format!("{} on {method} {path}: {answer:?}", attack.what);
            assert_eq!(answer.status, attack.status, "{shown}");
            let code = if attack.status == 401 { "UNAUTHENTICATED" } else { "ORIGIN_REFUSED" };
            assert_eq!(answer.code(), code, "{shown}");
            assert!(answer.headers.iter().all(|(name, _)| !name.starts_with("access-control")), "{shown}");
            assert!(!answer.body.contains(&web.token), "{shown}");
        }
    }
    assert_eq!(web.host.called(), 0, "a tool ran");
    assert!(web.left.lock().unwrap().is_empty(), "a session was ended");
    session.result(&call(3, "echo", json!({}))).await;
}

#[tokio::test]
async fn body_of_a_kind_that_pages_can_send_is_refused() {
    let web = Web::start().await;
    let session = web.plain().await;
    let run = call(2, "echo", json!({}));
    for kind in [
        "",
        "text/plain",
        "text/plain;charset=UTF-8",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=application/json",
        "application/jsonx",
        "text/plain, application/json",
    ] {
        let attack = attack("kind", 415).set("Content-Type", kind);
        let answer = web.raw(&request("POST", "/mcp", &headers(&web, &session.id, &attack), &run)).await;
        assert_eq!((answer.status, answer.code().as_str()), (415, "INVALID_ARGUMENTS"), "{kind}");
    }
    let packed = attack("packed", 415).add("Content-Encoding", "gzip");
    let answer = web.raw(&request("POST", "/mcp", &headers(&web, &session.id, &packed), &run)).await;
    assert_eq!(answer.status, 415);
    assert_eq!(web.host.called(), 0);
    let fine = attack("charset", 200).set("Content-Type", "application/json; charset=utf-8");
    let answer = web.raw(&request("POST", "/mcp", &headers(&web, &session.id, &fine), &run)).await;
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn token_in_the_address_is_not_read() {
    let web = Web::start().await;
    for path in ["token", "access_token", "Authorization"].map(|name| format!("/mcp?{name}={}", web.token)) {
        let nothing = attack("query", 401).set("Authorization", "");
        let headers = headers(&web, "", &nothing);
        let answer = web.raw(&request("POST", &path, &headers, &rpc(1, "initialize", json!({})))).await;
        assert_eq!((answer.status, answer.code().as_str()), (401, "UNAUTHENTICATED"));
        assert!(!answer.body.contains(&web.token));
    }
}

#[tokio::test]
async fn origin_on_the_list_is_admitted_with_the_token_only_and_gets_no_leave_to_read() {
    let web = Web::start_with("localhost:0", &["http://App.example:8080"], LONG).await.unwrap();
    let body = rpc(1, "ping", json!({}));
    for (origin, status) in
        [("http://app.example:8080", 400), ("http://app.example", 403), ("https://app.example:8080", 403)]
    {
        let attack = attack("listed", status).add("Origin", origin);
        let mut headers = headers(&web, "", &attack);
        headers.retain(|(name, _)| name != "Mcp-Session-Id");
        let answer = web.raw(&request("POST", "/mcp", &headers, &body)).await;
        // 400: it was heard, and names no session.
        assert_eq!(answer.status, status, "{origin}");
        assert!(answer.headers.iter().all(|(name, _)| !name.starts_with("access-control")), "{answer:?}");
        headers.retain(|(name, _)| name != "Authorization");
        let answer = web.raw(&request("POST", "/mcp", &headers, &body)).await;
        assert_eq!(answer.status, if status == 400 { 401 } else { 403 }, "{origin}");
    }
}

#[tokio::test]
async fn half_requests_and_nonsense_do_not_stop_the_server() {
    let web = Web::start().await;
    let mut silent = Vec::new();
    for _ in 0..20 {
        let mut stream = tokio::net::TcpStream::connect(web.at).await.unwrap();
        tokio::io::AsyncWriteExt::write_all(&mut stream, b"POST /mcp HTTP/1.1\r\nHost: ").await.unwrap();
        silent.push(stream);
    }
    for nonsense in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"[..],
        b"GET\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\n",
    ] {
        let answer = web.raw(nonsense).await;
        assert!(answer.status == 0 || answer.status >= 400, "{answer:?}");
    }
    web.plain().await.result(&call(1, "echo", json!({}))).await;
}
