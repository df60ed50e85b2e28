//! Requests that we make ourselves, in the name of a browser context.
//!
//! Invariants:
//! - Every hop is judged before anything is sent, with the addresses that its host resolves to; the connection goes to those
//!   very addresses and to no others, so that a name can't lead elsewhere between the two.
//! - No proxy, no redirect and no cookie that the asker did not see.
//! - Time, header fields, redirects, bytes on the wire and bytes after decompression are bounded.

mod cookie;
mod hop;
mod resolve;

pub use cookie::{Cookie, NewCookie, header, parse};
pub use resolve::{Resolve, System};

use hop::{Answer, Outgoing};
use truehand_base::text::clip;
use truehand_base::{BoxFuture, CallCtx, ErrorBody, ErrorCode};
use url::Url;

/// The most redirects that are ever followed.
pub const REDIRECTS: u32 = 50;

/// The most bytes of an answer.
pub const BYTES: usize = 32 << 20;

/// Who asks: judges each hop, and has the cookies.
pub trait Asker: Send + Sync {
    /// Judges a hop. `private` says that the host resolves to an address of this machine or a private network.
    ///
    /// # Errors
    /// The refusal; nothing is sent then.
    fn judge(&self, url: &Url, method: &str, private: bool) -> Result<(), ErrorBody>;

    /// The value of the field `Cookie` for an address.
    fn cookies<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Result<Option<String>, ErrorBody>>;

    /// Keeps cookies that an answer of this address sets.
    fn keep<'a>(&'a self, url: &'a Url, cookies: Vec<NewCookie>) -> BoxFuture<'a, Result<(), ErrorBody>>;
}

/// What is asked.
#[derive(Debug, Clone)]
pub struct Request {
    /// The address.
    pub url: Url,
    /// The method.
    pub method: String,
    /// Header fields.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Option<Vec<u8>>,
    /// How many redirects are followed; with 0 a redirect is an answer like any other.
    pub max_redirects: u32,
    /// The most bytes of the answer's body, before and after decompression.
    pub max_bytes: usize,
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// The status in words.
    pub status_text: String,
    /// Where it came from in the end.
    pub url: Url,
    /// Header fields, repeated ones apart.
    pub headers: Vec<(String, String)>,
    /// The body, decompressed.
    pub body: Vec<u8>,
    /// Whether there was a redirect.
    pub redirected: bool,
}

/// Asks, and follows redirects.
///
/// # Errors
/// What the asker refuses with; `NAV_FAILED` when there is no answer, `CERTIFICATE_ERROR`, `INVALID_ARGUMENTS` for a method or
/// a header field that is none, `REQUEST_FAILED` for an answer that is too big or redirects for ever, `DEADLINE`, `CANCELLED`.
pub async fn fetch(
    ctx: &CallCtx,
    request: Request,
    asker: &dyn Asker,
    resolve: &dyn Resolve,
) -> Result<Response, ErrorBody> {
    let most = request.max_redirects.min(REDIRECTS);
    let max_bytes = request.max_bytes.min(BYTES);
    let mut next =
        Outgoing { url: request.url, method: request.method, headers: request.headers, body: request.body };
    let mut hops = 0;
    loop {
        let mut answer = ctx.wait("the server", hop::one(ctx, &next, asker, resolve)).await??;
        let cookies: Vec<NewCookie> =
            answer.set_cookies().filter_map(|line| parse(line, &next.url)).collect();
        if !cookies.is_empty() {
            asker.keep(&next.url, cookies).await?;
        }
        let redirect = answer.location(&next.url);
        match redirect {
            Some(to) if most > 0 => {
                if hops == most {
                    let what = format!("more than {most} redirects, the last to {}", clip(to.as_str(), 200));
                    return Err(ErrorBody::new(ErrorCode::RequestFailed, what)
                        .next("ask for the last address itself"));
                }
                hops += 1;
                next = next.redirected(answer.status(), to);
            }
            _ => {
                let body = ctx.wait("the answer's body", answer.body(max_bytes)).await??;
                return Ok(response(answer, body, next.url, hops > 0));
            }
        }
    }
}

fn response(answer: Answer, body: Vec<u8>, url: Url, redirected: bool) -> Response {
    Response {
        status: answer.status(),
        status_text: answer.status_text(),
        headers: answer.headers(),
        url,
        body,
        redirected,
    }
}
