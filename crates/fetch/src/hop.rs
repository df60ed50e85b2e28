//! One request and its answer.

use crate::{Asker, Resolve};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{Method, Uri};
use hyper_util::rt::TokioIo;
use std::io::Read;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use truehand_base::text::clip;
use truehand_base::{CallCtx, ErrorBody, ErrorCode, is_private};
use url::{Host, Url};

/// How long one address may take to let us in; the next is tried then.
const CONNECT: Duration = Duration::from_secs(10);

/// How many addresses of a host are tried.
const ADDRESSES: usize = 8;

/// The most bytes of an answer's head, and the most fields in it.
const HEAD: usize = 256 << 10;
const FIELDS: usize = 200;

/// Fields that say how a message is sent and are ours to set.
const OURS: &[&str] = &[
    "host",
    "content-length",
    "connection",
    "transfer-encoding",
    "keep-alive",
    "te",
    "trailer",
    "upgrade",
    "expect",
];

/// What is sent.
pub struct Outgoing {
    pub url: Url,
    pub method: String,
    pub headers: Vec<(String, String)>,
    pub body: Option<Vec<u8>>,
}

impl Outgoing {
    /// What is sent after a redirect with this status. What was meant for one origin is not told to another.
    pub fn redirected(mut self, status: u16, to: Url) -> Outgoing {
        let plain = match status {
            301 | 302 => self.method.eq_ignore_ascii_case("POST"),
            303 => !self.method.eq_ignore_ascii_case("HEAD"),
            _ => false,
        };
        let leaves = self.url.origin() != to.origin();
        self.headers.retain(|(name, _)| {
            let name = name.to_ascii_lowercase();
            let of_body = name.starts_with("content-");
            let secret = matches!(name.as_str(), "authorization" | "cookie" | "proxy-authorization");
            !(plain && of_body || leaves && (secret || name == "origin"))
        });
        if plain {
            self.method = "GET".to_owned();
            self.body = None;
        }
        // A part of the page stays the same unless the redirect names one.
        let fragment = self.url.fragment().filter(|_| to.fragment().is_none()).map(str::to_owned);
        self.url = to;
        if fragment.is_some() {
            self.url.set_fragment(fragment.as_deref());
        }
        self
    }
}

/// The head of an answer whose body is still to come.
pub struct Answer {
    head: hyper::http::response::Parts,
    body: Option<Incoming>,
    /// The connection, which ends with the answer.
    _connection: Connection,
}

struct Connection(JoinHandle<()>);

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Answer {
    pub fn status(&self) -> u16 {
        self.head.status.as_u16()
    }

    pub fn status_text(&self) -> String {
        let said = self.head.extensions.get::<hyper::ext::ReasonPhrase>();
        let said = said.map(|phrase| String::from_utf8_lossy(phrase.as_bytes()).into_owned());
        said.unwrap_or_else(|| self.head.status.canonical_reason().unwrap_or_default().to_owned())
    }

    pub fn headers(&self) -> Vec<(String, String)> {
        let fields = self.head.headers.iter();
        fields
            .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
            .collect()
    }

    pub fn set_cookies(&self) -> impl Iterator<Item = &str> {
        self.head
            .headers
            .get_all(header::SET_COOKIE)
            .iter()
            .filter_map(|value| std::str::from_utf8(value.as_bytes()).ok())
    }

    /// Where it redirects to, if it does.
    pub fn location(&self, from: &Url) -> Option<Url> {
        if !matches!(self.status(), 301 | 302 | 303 | 307 | 308) {
            return None;
        }
        let location = self.head.headers.get(header::LOCATION)?;
        from.join(&String::from_utf8_lossy(location.as_bytes())).ok()
    }

    /// The whole body, decompressed.
    pub async fn body(&mut self, most: usize) -> Result<Vec<u8>, ErrorBody> {
        let Some(mut body) = self.body.take() else { return Ok(Vec::new()) };
        let mut bytes = Vec::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| failed(&format!("the answer broke off: {error}")))?;
            let Some(data) = frame.data_ref() else { continue };
            if bytes.len() + data.len() > most {
                return Err(too_big(most));
            }
            bytes.extend_from_slice(data);
        }
        let encodings = self.head.headers.get_all(header::CONTENT_ENCODING).iter();
        let encodings: Vec<String> = encodings
            .flat_map(|value| {
                String::from_utf8_lossy(value.as_bytes())
                    .to_ascii_lowercase()
                    .split(',')
                    .map(|e| e.trim().to_owned())
                    .collect::<Vec<_>>()
            })
            .filter(|encoding| !encoding.is_empty() && encoding != "identity")
            .collect();
        if encodings.is_empty() || bytes.is_empty() {
            return Ok(bytes);
        }
        let plain = tokio::task::spawn_blocking(move || decoded(bytes, &encodings, most)).await;
        plain.map_err(|error| ErrorBody::new(ErrorCode::Internal, error.to_string()))?
    }
}

/// Undoes compressions, the last one first. One that is not known is left as it is.
fn decoded(mut bytes: Vec<u8>, encodings: &[String], most: usize) -> Result<Vec<u8>, ErrorBody> {
    for encoding in encodings.iter().rev() {
        bytes = match encoding.as_str() {
            "gzip" | "x-gzip" => bounded(flate2::read::MultiGzDecoder::new(bytes.as_slice()), most)?,
            // Some servers send it without the wrapping that the standard asks for.
            "deflate" => match bounded(flate2::read::ZlibDecoder::new(bytes.as_slice()), most) {
                Err(error) if error.code == ErrorCode::NavFailed => {
                    bounded(flate2::read::DeflateDecoder::new(bytes.as_slice()), most)?
                }
                other => other?,
            },
            _ => return Ok(bytes),
        };
    }
    Ok(bytes)
}

fn bounded(reader: impl Read, most: usize) -> Result<Vec<u8>, ErrorBody> {
    let mut plain = Vec::new();
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    let read = reader.take(limit).read_to_end(&mut plain);
    read.map_err(|error| failed(&format!("the answer can't be decompressed: {error}")))?;
    if plain.len() > most { Err(too_big(most)) } else { Ok(plain) }
}

fn too_big(most: usize) -> ErrorBody {
    ErrorBody::new(ErrorCode::RequestFailed, format!("the answer is larger than the limit of {most} bytes"))
        .next("ask for a part of it, or let the page download it")
}

fn failed(what: &str) -> ErrorBody {
    ErrorBody::new(ErrorCode::NavFailed, what)
}

fn invalid(what: String) -> ErrorBody {
    ErrorBody::new(ErrorCode::InvalidArguments, what)
        .next("pass an http or https address, a method and plain header fields")
}

/// Judges one request, sends it and waits for the head of its answer.
pub async fn one(
    ctx: &CallCtx,
    outgoing: &Outgoing,
    asker: &dyn Asker,
    resolve: &dyn Resolve,
) -> Result<Answer, ErrorBody> {
    let url = &outgoing.url;
    let secure = match url.scheme() {
        "http" => false,
        "https" => true,
        other => {
            let error =
                ErrorBody::new(ErrorCode::SchemeBlocked, format!("{other}: addresses are not fetched"));
            return Err(error.with("scheme", other));
        }
    };
    // What the rules say without knowing where the name leads comes first, so that no name server hears of what is refused.
    asker.judge(url, &outgoing.method, false)?;
    let addresses = addresses(url, resolve).await?;
    if addresses.iter().any(|address| is_private(address.ip())) {
        asker.judge(url, &outgoing.method, true)?;
    }
    let request = built(outgoing, asker.cookies(url).await?)?;
    let stream = connected(ctx, url, &addresses).await?;
    if secure {
        let name =
            url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']').to_owned();
        let name = ServerName::try_from(name)
            .map_err(|error| invalid(format!("no name for a certificate: {error}")))?;
        let stream = TlsConnector::from(tls()?)
            .connect(name, stream)
            .await
            .map_err(|error| not_secure(url, &error))?;
        exchange(stream, request).await
    } else {
        exchange(stream, request).await
    }
}

/// The addresses that a host stands for.
async fn addresses(url: &Url, resolve: &dyn Resolve) -> Result<Vec<SocketAddr>, ErrorBody> {
    let port = url.port_or_known_default().unwrap_or(80);
    let literal = |address: IpAddr| Ok(vec![SocketAddr::new(address, port)]);
    let name = match url.host() {
        Some(Host::Ipv4(address)) => return literal(address.into()),
        Some(Host::Ipv6(address)) => return literal(address.into()),
        Some(Host::Domain(name)) => name,
        None => return Err(invalid("the address has no host".to_owned())),
    };
    let found = resolve.resolve(name, port).await;
    let mut found = found.map_err(|error| failed(&format!("{name} is not found: {error}")))?;
    found.truncate(ADDRESSES);
    if found.is_empty() { Err(failed(&format!("{name} has no address"))) } else { Ok(found) }
}

/// A connection to the first of the addresses that lets us in.
async fn connected(ctx: &CallCtx, url: &Url, addresses: &[SocketAddr]) -> Result<TcpStream, ErrorBody> {
    let mut last = String::new();
    for address in addresses {
        let limit = CONNECT.min(ctx.remaining());
        match tokio::time::timeout(limit, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => last = error.to_string(),
            Err(_) => last = "it takes too long".to_owned(),
        }
    }
    let host = url.host_str().unwrap_or_default();
    Err(failed(&format!("can't connect to {host}: {last}")))
}

/// The request as it goes over the wire.
fn built(outgoing: &Outgoing, cookies: Option<String>) -> Result<hyper::Request<Full<Bytes>>, ErrorBody> {
    let Outgoing { url, method, headers, body } = outgoing;
    let own = method.to_ascii_uppercase();
    let method = Method::from_bytes(own.as_bytes())
        .map_err(|_| invalid(format!("'{}' is no method", clip(&own, 40))))?;
    if matches!(own.as_str(), "CONNECT" | "TRACE" | "TRACK") {
        return Err(invalid(format!("{own} is not sent")));
    }
    let target = match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    };
    let target: Uri = target.parse().map_err(|error| invalid(format!("the path can't be sent: {error}")))?;
    let host = match url.port() {
        Some(port) => format!("{}:{port}", url.host_str().unwrap_or_default()),
        None => url.host_str().unwrap_or_default().to_owned(),
    };
    let mut request = hyper::Request::builder().method(&method).uri(target).header(header::HOST, host);
    let mut has_cookie = false;
    for (name, value) in headers {
        let lower = name.to_ascii_lowercase();
        if OURS.contains(&lower.as_str()) {
            continue;
        }
        let field = HeaderName::from_bytes(lower.as_bytes());
        let field =
            field.map_err(|_| invalid(format!("'{}' is no name of a header field", clip(name, 40))))?;
        let value = HeaderValue::from_bytes(value.as_bytes());
        let value = value.map_err(|_| invalid(format!("the value of {} can't be sent", clip(name, 40))))?;
        has_cookie |= field == header::COOKIE;
        request = request.header(field, value);
    }
    // A caller that names cookies gets those.
    if let Some(cookies) = cookies.filter(|_| !has_cookie)
        && let Ok(value) = HeaderValue::from_bytes(cookies.as_bytes())
    {
        request = request.header(header::COOKIE, value);
    }
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("accept-encoding")) {
        request = request.header(header::ACCEPT_ENCODING, "gzip, deflate");
    }
    let body = body.clone().unwrap_or_default();
    // An empty body of a method that usually has one is said to be empty.
    if body.is_empty() && matches!(own.as_str(), "POST" | "PUT" | "PATCH") {
        request = request.header(header::CONTENT_LENGTH, 0);
    }
    request.body(Full::new(Bytes::from(body))).map_err(|error| invalid(error.to_string()))
}

async fn exchange(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    request: hyper::Request<Full<Bytes>>,
) -> Result<Answer, ErrorBody> {
    let no_answer = |error: hyper::Error| failed(&format!("the server gave no answer: {error}"));
    let mut builder = http1::Builder::new();
    builder.max_buf_size(HEAD).max_headers(FIELDS);
    let (mut sender, connection) = builder.handshake(TokioIo::new(stream)).await.map_err(no_answer)?;
    let connection = Connection(tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!("a connection of ours ended: {error}");
        }
    }));
    let (head, body) = sender.send_request(request).await.map_err(no_answer)?.into_parts();
    Ok(Answer { head, body: Some(body), _connection: connection })
}

/// What certificates are checked with: the roots that the system trusts, read once.
fn tls() -> Result<Arc<ClientConfig>, ErrorBody> {
    static CONFIG: OnceLock<Result<Arc<ClientConfig>, String>> = OnceLock::new();
    let make = || {
        let mut roots = RootCertStore::empty();
        let (taken, _) = roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if taken == 0 {
            return Err("the system has no certificates to trust; install ca-certificates".to_owned());
        }
        let mut config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Arc::new(config))
    };
    CONFIG.get_or_init(make).clone().map_err(|why| ErrorBody::new(ErrorCode::CertificateError, why))
}

fn not_secure(url: &Url, error: &std::io::Error) -> ErrorBody {
    let host = url.host_str().unwrap_or_default();
    let of_tls = error.get_ref().is_some_and(|inner| inner.is::<tokio_rustls::rustls::Error>());
    if of_tls {
        return ErrorBody::new(
            ErrorCode::CertificateError,
            format!("the connection to {host} is not secure: {error}"),
        );
    }
    failed(&format!("can't connect to {host}: {error}"))
}
