//! `page_fetch`: a request of our own with the cookies of the client's browser, for scripts.

use crate::common::Common;
use crate::spec::{Gate, Info, Reply, Tool, ToolCtx};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;
use truehand_base::text::clip;
use truehand_base::{
    BoxFuture, CallCtx, EffectClass, ErrorBody, ErrorCode, Facts, RequestFacts, Verb, normalise_url,
};
use truehand_browser::{CookieToStore, Scope};
use truehand_fetch::{Asker, BYTES, Cookie, NewCookie, Request, System, fetch, header};
use url::Url;

/// How long a request may take unless the call says otherwise, and at most.
const USUAL: Duration = Duration::from_secs(30);
const LONGEST: Duration = Duration::from_mins(10);

/// The languages that a browser of ours asks for.
const LANGUAGES: &str = "en-US,en;q=0.9";

/// How many redirects are followed unless the call says otherwise.
const REDIRECTS: u32 = 20;

/// Ask a server for something with the browser's cookies. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageFetch {
    /// The whole address.
    url: String,
    /// GET unless given.
    method: Option<String>,
    /// Header fields as pairs.
    #[schemars(skip)]
    #[serde(default)]
    headers: Vec<(String, String)>,
    /// The body in base64.
    body_base64: Option<String>,
    /// browser (the default) or none.
    cookies: Option<Cookies>,
    /// 20 unless given; with 0 a redirect is an answer like any other.
    max_redirects: Option<u32>,
    /// 30000 unless given.
    timeout_ms: Option<u64>,
    /// The most bytes of the answer's body; 32 MiB unless given, and at most.
    max_bytes: Option<usize>,
    /// What it is for.
    #[schemars(skip)]
    #[serde(rename = "as")]
    _kind: Option<Kind>,
    /// A tab of the context; all have the same cookies.
    #[schemars(skip)]
    #[serde(rename = "tab_id")]
    _tab: Option<String>,
}

/// Whose cookies go along.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Cookies {
    /// Those of the client's browser context, and what the answer sets is kept there.
    #[default]
    Browser,
    /// None, and none are kept.
    None,
}

/// What a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    /// `fetch` of a script.
    Fetch,
    /// Its `request`.
    Request,
}

impl PageFetch {
    fn own_method(&self) -> String {
        self.method.as_deref().unwrap_or("GET").trim().to_ascii_uppercase()
    }

    fn timeout(&self) -> Duration {
        // 0 is Playwright's word for no limit.
        let asked = self.timeout_ms.map(|ms| if ms == 0 { LONGEST } else { Duration::from_millis(ms) });
        asked.unwrap_or(USUAL).min(LONGEST)
    }
}

/// What the gate is told of one hop.
fn hop(url: &str, method: &str, private: bool) -> Facts {
    let request = RequestFacts { method: method.to_ascii_uppercase(), private, ..RequestFacts::default() };
    Facts {
        url: Some(url.to_owned()),
        request: Some(request),
        ..Facts::new(PageFetch::INFO.name, PageFetch::INFO.verb)
    }
}

/// The client's browser context as the one who asks.
struct Client<'a> {
    call: &'a CallCtx,
    gate: &'a dyn Gate,
    scope: &'a Scope,
    cookies: bool,
}

impl Asker for Client<'_> {
    fn judge(&self, url: &Url, method: &str, private: bool) -> Result<(), ErrorBody> {
        self.gate.judge(hop(url.as_str(), method, private))
    }

    fn cookies<'a>(&'a self, url: &'a Url) -> BoxFuture<'a, Result<Option<String>, ErrorBody>> {
        Box::pin(async move {
            if !self.cookies {
                return Ok(None);
            }
            let stored = self.scope.stored_cookies(self.call).await?.into_iter();
            let cookies: Vec<Cookie> = stored
                .map(|c| Cookie {
                    name: c.name,
                    value: c.value,
                    domain: c.domain,
                    path: c.path,
                    secure: c.secure,
                })
                .collect();
            Ok(header(&cookies, url))
        })
    }

    fn keep<'a>(&'a self, url: &'a Url, cookies: Vec<NewCookie>) -> BoxFuture<'a, Result<(), ErrorBody>> {
        Box::pin(async move {
            if !self.cookies {
                return Ok(());
            }
            let store = |c: NewCookie| CookieToStore {
                url: url.to_string(),
                name: c.name,
                value: c.value,
                domain: c.domain,
                path: c.path,
                expires: c.expires,
                secure: c.secure,
                http_only: c.http_only,
                same_site: c.same_site,
            };
            self.scope.store_cookies(self.call, cookies.into_iter().map(store).collect()).await
        })
    }
}

impl Tool for PageFetch {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        extra: "The origin of an open tab can be asked with GET and HEAD; all else needs a person's yes or a rule for fetch. \
                Addresses of this machine and of private networks need an open tab of that origin or a rule that names \
                the host. Each hop of a redirect is judged anew.",
        ..Info::new("page_fetch", "Ask a server", EffectClass::Script, Verb::Fetch)
    };

    fn facts(&self) -> Facts {
        hop(&self.url, &self.own_method(), false)
    }

    fn patience(&self) -> Duration {
        self.timeout() + Duration::from_secs(5)
    }

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let invalid = |what: String| ErrorBody::new(ErrorCode::InvalidArguments, what);
        let url = normalise_url(&self.url)?;
        let url = Url::parse(&url).map_err(|error| invalid(error.to_string()))?;
        let body = self.body_base64.as_deref().map(|text| STANDARD.decode(text)).transpose();
        let body = body.map_err(|error| {
            invalid(format!("body_base64 is no base64: {error}")).next("pass the body in base64")
        })?;
        let call = &cx.call.at_most(self.timeout());
        let mut headers = self.headers.clone();
        let named = |headers: &[(String, String)], name: &str| {
            headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
        };
        if !named(&headers, "user-agent")
            && let Some(agent) = cx.scope.user_agent(call).await?
        {
            headers.push(("User-Agent".to_owned(), agent));
        }
        for (name, value) in [("Accept", "*/*"), ("Accept-Language", LANGUAGES)] {
            if !named(&headers, name) {
                headers.push((name.to_owned(), value.to_owned()));
            }
        }
        let request = Request {
            url,
            method: self.own_method(),
            headers,
            body,
            max_redirects: self.max_redirects.unwrap_or(REDIRECTS),
            max_bytes: self.max_bytes.unwrap_or(BYTES),
        };
        let cookies = self.cookies.unwrap_or_default() == Cookies::Browser;
        let asker = Client { call, gate: cx.gate, scope: cx.scope, cookies };
        let response = fetch(call, request, &asker, &System).await?;
        let (status, at) = (response.status, clip(response.url.as_str(), 120));
        let mut reply = Reply { done: format!("{status} from {at}"), ..Reply::default() };
        reply.put("status", status);
        reply.put("status_text", response.status_text);
        reply.put("url", response.url.to_string());
        let pairs = response.headers.into_iter().map(|(name, value)| vec![name, value]);
        reply.put("headers", pairs.map(Value::from).collect::<Vec<_>>());
        reply.put("body_base64", STANDARD.encode(response.body));
        reply.put("redirected", response.redirected);
        Ok(reply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fetch_tells_the_gate_its_address_and_method() {
        let read = |value: Value| serde_json::from_value::<PageFetch>(value).expect("valid").facts();
        let facts = read(json!({ "url": "https://h.example/", "as": "fetch", "tab_id": "t1" }));
        assert_eq!((facts.verb, facts.request.expect("there").method.as_str()), (Verb::Fetch, "GET"));
        let facts = read(json!({ "url": "https://h.example/", "method": " post " }));
        assert_eq!(
            (facts.url.as_deref(), facts.request.expect("there").method.as_str()),
            (Some("https://h.example/"), "POST")
        );
    }
}
