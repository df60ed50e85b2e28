//! What the fixture site answers: pages, and endpoints that are slow, wrong, endless or silent on request.

use crate::record::{Log, Recorded, Upload};
use crate::{fixtures, shop};
use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{any, get, post};
use futures::stream;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::sleep;

const BODY_LIMIT: usize = 64 << 20;
const SLOW: Duration = Duration::from_secs(45);
const NEVER: Duration = Duration::from_secs(60);
const SSE_EVERY: Duration = Duration::from_millis(200);
const SSE_EVENTS: u64 = 300;
const LONGEST_MS: u64 = 45_000;
const LONGEST_DRIP: u32 = 10_000;

#[derive(Clone)]
struct App {
    log: Arc<Log>,
    polls: Arc<AtomicU64>,
}

pub(crate) fn router(log: Arc<Log>) -> Router {
    let app = App { log, polls: Arc::default() };
    Router::new()
        .route("/api/ping", any(|| async { "ok" }))
        .route("/api/slow", any(slow_answer))
        .route("/api/echo", any(echo))
        .route("/api/request", any(told_back))
        .route("/fail", any(|| async { (StatusCode::INTERNAL_SERVER_ERROR, "it failed") }))
        .route("/slow", any(slow))
        .route("/never", any(never))
        .route("/sse", get(events))
        .route("/ws", any(socket))
        .route("/dl", get(download))
        .route("/dl/broken", get(broken_download))
        .route("/dl/drip", get(dripping_download))
        .route("/auth", any(auth))
        .route("/cut", any(cut))
        .route("/fat", any(fat))
        .route("/redirect", any(redirect))
        .route("/redirect/circle", any(|| async { Redirect::to("/redirect/circle") }))
        .route("/cookie/set", get(set_cookie))
        .route("/cookie/show", get(show_cookie))
        .route("/poll", any(poll))
        .route("/upload", post(upload))
        .route("/status/{code}", any(status))
        .route("/favicon.ico", get(|| async { StatusCode::NO_CONTENT }))
        .merge(shop::router())
        .fallback(page)
        .layer(middleware::from_fn_with_state(app.clone(), record))
        .with_state(app)
}

/// Writes every request down before it is answered, so that a test never looks too early.
async fn record(State(app): State<App>, request: Request, next: Next) -> Response {
    let (head, body) = request.into_parts();
    let Ok(body) = to_bytes(body, BODY_LIMIT).await else {
        return (StatusCode::PAYLOAD_TOO_LARGE, "the body is over 64 MB, or broke off").into_response();
    };
    app.log.add(Recorded {
        method: head.method.to_string(),
        path: head.uri.path().to_owned(),
        query: head.uri.query().unwrap_or_default().to_owned(),
        body: String::from_utf8_lossy(&body).into_owned(),
        headers: head
            .headers
            .iter()
            .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
            .collect(),
    });
    let mut response = next.run(Request::from_parts(head, Body::from(body))).await;
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    response
}

/// The parameters of a query; the last of equal names wins.
pub(crate) fn query(uri: &Uri) -> HashMap<String, String> {
    url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()).into_owned().collect()
}

fn millis(query: &HashMap<String, String>) -> Duration {
    let asked = query.get("ms").and_then(|ms| ms.parse().ok()).unwrap_or(0);
    Duration::from_millis(LONGEST_MS.min(asked))
}

async fn slow_answer(uri: Uri) -> &'static str {
    sleep(millis(&query(&uri))).await;
    "42"
}

async fn echo(uri: Uri) -> String {
    let query = query(&uri);
    sleep(millis(&query)).await;
    query.get("n").cloned().unwrap_or_default()
}

/// The request as it came, as JSON. `?status=` is what it is answered with.
async fn told_back(method: Method, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let fields: Map<String, Value> = headers
        .iter()
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into()))
        .collect();
    let status = query(&uri).get("status").and_then(|s| s.parse().ok()).unwrap_or(200);
    let told = json!({
        "method": method.as_str(),
        "path": uri.path(),
        "query": uri.query().unwrap_or_default(),
        "headers": fields,
        "body": String::from_utf8_lossy(&body),
    });
    let code = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
    (code, [(header::CONTENT_TYPE, "application/json")], told.to_string()).into_response()
}

async fn slow() -> (StatusCode, &'static str) {
    sleep(SLOW).await;
    (StatusCode::NOT_FOUND, "too late")
}

/// Answers nothing at all; the bound only keeps a forgotten client from staying for ever.
async fn never() -> Response {
    sleep(NEVER).await;
    let broken =
        stream::once(async { Err::<Bytes, _>(std::io::Error::other("this request is never answered")) });
    Body::from_stream(broken).into_response()
}

async fn events() -> Response {
    let events = stream::unfold(0, |n| async move {
        if n > 0 {
            sleep(SSE_EVERY).await;
        }
        (n < SSE_EVENTS).then(|| (Ok::<_, Infallible>(format!("data: {n}\n\n")), n + 1))
    });
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(events)).into_response()
}

/// A socket that says back what it hears.
async fn socket(upgrade: WebSocketUpgrade) -> Response {
    upgrade.on_upgrade(echoing)
}

async fn echoing(mut socket: WebSocket) {
    while let Some(Ok(message)) = socket.recv().await {
        let answer = match message {
            Message::Text(text) => Message::Text(format!("echo: {text}").into()),
            Message::Binary(bytes) => Message::Binary(bytes),
            _ => continue,
        };
        if socket.send(answer).await.is_err() {
            return;
        }
    }
}

async fn download() -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/csv"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"report 2026.csv\""),
    ];
    (headers, "a,b\n1,2\n").into_response()
}

/// Sends the beginning of a file and breaks off.
async fn broken_download() -> Response {
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"broken.bin\""),
        (header::CONTENT_LENGTH, "100000"),
    ];
    let parts = stream::unfold(false, |begun| async move {
        if begun {
            // The browser has to see the beginning before the end.
            sleep(SSE_EVERY).await;
            return Some((Err(std::io::Error::other("it broke off")), true));
        }
        Some((Ok(Bytes::from_static(b"the beginning")), true))
    });
    (headers, Body::from_stream(parts)).into_response()
}

/// A download that never ends: a piece of `?bytes=` every `?ms=`, of which the first comes at once.
async fn dripping_download(uri: Uri) -> Response {
    let query = query(&uri);
    let every = millis(&query);
    let size = query.get("bytes").and_then(|n| n.parse().ok()).unwrap_or(1).min(1 << 20);
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"drip.bin\""),
    ];
    let parts = stream::unfold(0_u32, move |n| async move {
        if n > 0 {
            sleep(every).await;
        }
        (n < LONGEST_DRIP).then(|| (Ok::<_, Infallible>(Bytes::from(vec![b'x'; size])), n + 1))
    });
    (headers, Body::from_stream(parts)).into_response()
}

/// Asks for a name and a password, in the browser's own dialog unless `?dialog=no`, and takes none.
async fn auth(uri: Uri) -> Response {
    let page = Html("<!doctype html><title>Who are you?</title><h1>Who are you?</h1>");
    if query(&uri).get("dialog").is_some_and(|dialog| dialog == "no") {
        return (StatusCode::UNAUTHORIZED, page).into_response();
    }
    (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Basic realm=\"door\"")], page).into_response()
}

/// Begins a page and breaks off.
async fn cut() -> Response {
    let parts = stream::unfold(0, |n| async move {
        match n {
            0 => Some((Ok(Bytes::from_static(b"<!doctype html><title>Cut</title><h1>Half a page</h1>")), 1)),
            _ => {
                sleep(SSE_EVERY).await;
                Some((Err(std::io::Error::other("it broke off")), n))
            }
        }
    });
    ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], Body::from_stream(parts)).into_response()
}

/// Answers with a head of half a megabyte, which is more than browsers take.
async fn fat() -> Response {
    let mut response = Html("<!doctype html><title>Fat</title>").into_response();
    let field = HeaderValue::from_str(&"x".repeat(50_000)).expect("plain ASCII");
    for _ in 0..10 {
        response.headers_mut().append("x-fat", field.clone());
    }
    response
}

async fn redirect(uri: Uri) -> Redirect {
    Redirect::to(query(&uri).get("to").map_or("/", String::as_str))
}

async fn set_cookie(uri: Uri) -> Response {
    let mut response = Html("<!doctype html><title>Cookies set</title><h1>Cookies set</h1>").into_response();
    for (name, value) in query(&uri) {
        let cookie = HeaderValue::from_str(&format!("{name}={value}; Path=/"));
        response.headers_mut().append(header::SET_COOKIE, cookie.expect("tests set cookies of plain ASCII"));
    }
    response
}

async fn show_cookie(headers: HeaderMap) -> Html<String> {
    let cookies = headers.get(header::COOKIE).and_then(|c| c.to_str().ok()).unwrap_or("none");
    Html(format!("<!doctype html><title>Cookies</title><p id=cookies>{}</p>", escape(cookies)))
}

async fn poll(State(app): State<App>) -> String {
    app.polls.fetch_add(1, Ordering::Relaxed).to_string()
}

async fn status(Path(code): Path<u16>) -> Response {
    let code = StatusCode::from_u16(code).unwrap_or(StatusCode::BAD_REQUEST);
    let title = escape(&code.to_string());
    (code, Html(format!("<!doctype html><title>{title}</title><h1>{title}</h1>"))).into_response()
}

async fn upload(State(app): State<App>, uri: Uri, headers: HeaderMap, body: Bytes) -> Html<String> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|t| t.to_str().ok()).unwrap_or_default();
    let uploads = match kind.split_once("boundary=") {
        Some((_, boundary)) => parts(&body, boundary.trim_matches('"')),
        None => vec![Upload { name: query(&uri).remove("name").unwrap_or_default(), bytes: body.len() }],
    };
    let mut rows = String::new();
    for file in uploads {
        rows.push_str(&format!("<li>{}, {} bytes</li>", escape(&file.name), file.bytes));
        app.log.add_upload(file);
    }
    Html(format!("<!doctype html><title>Received</title><h1>Received</h1><ul>{rows}</ul>"))
}

/// The files of a multipart body; fields without a file name are left out.
fn parts(body: &[u8], boundary: &str) -> Vec<Upload> {
    let mark = format!("--{boundary}");
    let mut files = Vec::new();
    for part in split(body, mark.as_bytes()).into_iter().skip(1) {
        let Some(at) = find(part, b"\r\n\r\n") else { continue };
        let head = String::from_utf8_lossy(&part[..at]);
        let Some((_, rest)) = head.split_once("filename=\"") else { continue };
        let name = rest.split('"').next().unwrap_or_default().to_owned();
        let content = &part[at + 4..];
        files.push(Upload { name, bytes: content.strip_suffix(b"\r\n").unwrap_or(content).len() });
    }
    files
}

fn split<'a>(mut body: &'a [u8], mark: &[u8]) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    while let Some(at) = find(body, mark) {
        pieces.push(&body[..at]);
        body = &body[at + mark.len()..];
    }
    pieces.push(body);
    pieces
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

/// A file below `fixtures/pages`; a post to anywhere is received with thanks.
async fn page(method: Method, uri: Uri, body: Bytes) -> Response {
    if method != Method::GET && method != Method::HEAD {
        let fields: String = url::form_urlencoded::parse(&body)
            .map(|(name, value)| format!("<li>{}={}</li>", escape(&name), escape(&value)))
            .collect();
        let text = format!("<!doctype html><title>Received</title><h1>Received</h1><ul>{fields}</ul>");
        return Html(text).into_response();
    }
    let path = uri.path().trim_start_matches('/');
    if path.split('/').any(|part| part.starts_with('.')) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let root = fixtures().join("pages");
    let wanted = [path.to_owned(), format!("{path}.html"), format!("{path}/index.html")];
    for name in wanted {
        if let Ok(content) = tokio::fs::read(root.join(&name)).await {
            return ([(header::CONTENT_TYPE, content_type(&name))], content).into_response();
        }
    }
    (StatusCode::NOT_FOUND, Html("<!doctype html><title>Not found</title><h1>Not found</h1>")).into_response()
}

pub(crate) fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("txt" | "yaml" | "md") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multipart_body_gives_names_and_sizes_of_its_files() {
        let body = b"--xyz\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nhi\r\n\
            --xyz\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a b.txt\"\r\nContent-Type: text/plain\r\n\r\n\
            12345\r\n--xyz--\r\n";
        assert_eq!(parts(body, "xyz"), [Upload { name: "a b.txt".to_owned(), bytes: 5 }]);
    }
}
