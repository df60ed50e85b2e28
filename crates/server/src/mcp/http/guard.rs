//! The layer in front of everything: who may be heard at all. It looks at the head of a request only.
//!
//! A browser on this machine can be made to send requests here by any page that it shows. Such a page can't
//! choose the headers Host, Origin and Sec-Fetch-Site, and it does not know the token.

use super::address::ListenAddress;
use super::refusal::Refusal;
use super::secret::Token;
use axum::http::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HOST, ORIGIN};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, Method, StatusCode};
use truehand_base::{ErrorBody, ErrorCode};

/// What browsers say about where a request comes from.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// An origin: scheme, host and port, in one spelling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin(String);

impl Origin {
    /// Reads an origin as browsers write it, such as `http://127.0.0.1:3000`.
    ///
    /// # Errors
    /// `INVALID_ARGUMENTS` for anything else, `null` and patterns included.
    pub fn parse(text: &str) -> Result<Self, ErrorBody> {
        read_origin(text).ok_or_else(|| {
            ErrorBody::new(ErrorCode::InvalidArguments, format!("'{text}' is not an origin"))
                .next("write scheme, host and port, such as http://127.0.0.1:3000; there are no patterns")
        })
    }
}

fn read_origin(text: &str) -> Option<Origin> {
    let text = text.to_ascii_lowercase();
    let (scheme, rest) = text.split_once("://")?;
    let plain = |text: &str, more: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || more.contains(c))
    };
    if !plain(scheme, "+-.") {
        return None;
    }
    let (host, port) = match rest.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') || host.ends_with(']') => {
            (host, Some(port.parse::<u16>().ok()?))
        }
        _ => (rest, None),
    };
    let inside = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    if !inside.map_or_else(|| plain(host, "-._"), |address| plain(address, ":.")) {
        return None;
    }
    let usual = match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    };
    let port = port.filter(|port| Some(*port) != usual).map(|port| format!(":{port}"));
    Some(Origin(format!("{scheme}://{host}{}", port.unwrap_or_default())))
}

/// The rules for one server.
pub(crate) struct Guard {
    pub(crate) at: ListenAddress,
    pub(crate) token: Token,
    /// The origins that may call; usually none.
    pub(crate) origins: Vec<Origin>,
}

impl Guard {
    /// Judges the head of a request, before its path means anything and before its body is read.
    pub(crate) fn admit(&self, head: &Parts) -> Result<(), Refusal> {
        self.check_host(head)?;
        if let Some(site) = only(&head.headers, &SEC_FETCH_SITE)?
            && !matches!(site, "same-origin" | "none")
        {
            return Err(Refusal::origin(format!("a page of another site sent the request ({site})")));
        }
        // An origin is never compared with the host: after rebinding, both are the attacker's.
        if let Some(text) = only(&head.headers, &ORIGIN)?
            && !read_origin(text).is_some_and(|origin| self.origins.contains(&origin))
        {
            let shown = truehand_base::text::clip(text, 100);
            return Err(Refusal::origin(format!("the origin '{shown}' is not on the list")));
        }
        let Some(given) = only(&head.headers, &AUTHORIZATION)? else {
            return Err(Refusal::token("the request carries no token"));
        };
        let word = given.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        if !word.is_some_and(|(_, word)| self.token.is(word.trim())) {
            return Err(Refusal::token("the token is not the one of this start of the server"));
        }
        if head.method == Method::POST { check_body_type(&head.headers) } else { Ok(()) }
    }

    fn check_host(&self, head: &Parts) -> Result<(), Refusal> {
        let foreign = |host: &str| {
            let shown = truehand_base::text::clip(host, 100);
            Refusal::origin(format!("the host '{shown}' is not {} or another name of it", self.at))
        };
        let Some(host) = only(&head.headers, &HOST)? else {
            return Err(Refusal::origin("the request names no host"));
        };
        if !self.at.is_host(host) {
            return Err(foreign(host));
        }
        // A request for a proxy names the host in its first line as well.
        match head.uri.authority() {
            Some(authority) if !self.at.is_host(authority.as_str()) => Err(foreign(authority.as_str())),
            _ => Ok(()),
        }
    }
}

/// Pages can send text and forms without being asked for leave, but not JSON.
fn check_body_type(headers: &HeaderMap) -> Result<(), Refusal> {
    let wrong = |message: String| {
        let next = "send JSON in UTF-8 with Content-Type: application/json";
        Refusal::form(StatusCode::UNSUPPORTED_MEDIA_TYPE, message, next)
    };
    let given = only(headers, &CONTENT_TYPE)?.unwrap_or_default();
    let kind = given.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        return Err(wrong(format!("the body is said to be '{}'", truehand_base::text::clip(given, 100))));
    }
    if let Some(coding) = only(headers, &CONTENT_ENCODING)?
        && !coding.eq_ignore_ascii_case("identity")
    {
        return Err(wrong("the body is compressed".to_owned()));
    }
    Ok(())
}

/// The value of a header that may be there once. Two of them could be understood in two ways.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a str>, Refusal> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    match (value.to_str(), values.next()) {
        (Ok(value), None) => Ok(Some(value.trim())),
        _ => Err(Refusal::origin(format!("the header {name} is there twice or is not plain text"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_have_one_spelling_and_nothing_else_is_one() {
        let same = |a: &str, b: &str| assert_eq!(Origin::parse(a).unwrap(), Origin::parse(b).unwrap());
        same("http://LOCALHOST:80", "http://localhost");
        same("https://a.example:443", "https://a.example");
        assert_ne!(
            Origin::parse("http://localhost").unwrap(),
            Origin::parse("http://localhost:8080").unwrap()
        );
        Origin::parse("chrome-extension://abcdefghij").unwrap();
        Origin::parse("http://[::1]:5").unwrap();
        for text in [
            "null",
            "",
            "*",
            "http://*",
            "http://localhost:*",
            "localhost:80",
            "http://",
            "http://a/",
            "http://a/b",
            "http://u@a",
            "http://a b",
            "http://a:port",
            "http://a:99999",
            "http://[::1",
        ] {
            assert_eq!(Origin::parse(text).map_err(|e| e.code), Err(ErrorCode::InvalidArguments), "{text}");
        }
    }
}
