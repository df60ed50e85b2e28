//! Addresses that people and models write, brought to the one form that is judged and then opened.

use crate::{ErrorBody, ErrorCode};
use url::{Host, Url};

/// The address that a browser would open for `text`, or why it is not opened.
///
/// What a browser strips is stripped first: control characters and spaces at both ends, tabs and line
/// breaks anywhere. An address without a scheme gets one: `http` for `localhost`, an IP address, a name
/// without a dot or one that ends with `.local`, and `https` for everything else; so does `host:port`
/// when the host is `localhost` or has a dot. Only `http`, `https` and `about:blank` pass.
///
/// # Errors
/// `SCHEME_BLOCKED` for every other scheme, `INVALID_ARGUMENTS` when there is no address in the text.
pub fn normalise_url(text: &str) -> Result<String, ErrorBody> {
    let text: String = text.trim_matches(|c: char| c <= ' ').replace(['\t', '\n', '\r'], "");
    if text.is_empty() {
        return Err(unreadable(&text, "it is empty"));
    }
    let Some((scheme, rest)) = scheme_of(&text) else { return with_scheme(&text) };
    match scheme.to_ascii_lowercase().as_str() {
        "http" | "https" => match Url::parse(&text) {
            Ok(url) => Ok(url.into()),
            Err(error) => Err(unreadable(&text, &error.to_string())),
        },
        "about" if rest.split(['?', '#']).next().is_some_and(|p| p.eq_ignore_ascii_case("blank")) => {
            Ok("about:blank".to_owned())
        }
        blocked => {
            let error =
                ErrorBody::new(ErrorCode::SchemeBlocked, format!("{blocked}: addresses are not opened"));
            Err(error.with("scheme", blocked))
        }
    }
}

/// Whether a host is this machine itself: `localhost` and below, `127.0.0.0/8`, `::1`.
#[must_use]
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            name == "localhost" || name.ends_with(".localhost")
        }
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.to_canonical().is_loopback(),
        None => false,
    }
}

/// The scheme and what follows its colon, unless the colon belongs to `host:port`.
fn scheme_of(text: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    let mut letters = scheme.chars();
    let plain = letters.next().is_some_and(|c| c.is_ascii_alphabetic())
        && letters.all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    let port = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_host = scheme.contains('.') || scheme.eq_ignore_ascii_case("localhost");
    let has_port = !port.is_empty() && port.len() <= 5 && port.bytes().all(|b| b.is_ascii_digit());
    (plain && !(is_host && has_port)).then_some((scheme, rest))
}

/// An address that was written without a scheme.
fn with_scheme(text: &str) -> Result<String, ErrorBody> {
    let bare = text.strip_prefix("//").unwrap_or(text);
    if bare.starts_with(['/', '\\', '?', '#', '.', ':']) {
        return Err(unreadable(text, "it has no host"));
    }
    let guess =
        Url::parse(&format!("https://{bare}")).map_err(|error| unreadable(text, &error.to_string()))?;
    let plain_http = match guess.host() {
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.');
            is_loopback(&guess) || !name.contains('.') || name.ends_with(".local")
        }
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => true,
        None => return Err(unreadable(text, "it has no host")),
    };
    if !plain_http {
        return Ok(guess.into());
    }
    // Parsed again, and not only relabelled, because the port that is left out differs.
    match Url::parse(&format!("http://{bare}")) {
        Ok(url) => Ok(url.into()),
        Err(error) => Err(unreadable(text, &error.to_string())),
    }
}

fn unreadable(text: &str, why: &str) -> ErrorBody {
    let shown = crate::text::clip(text, 120);
    ErrorBody::new(ErrorCode::InvalidArguments, format!("can't read the address '{shown}': {why}"))
        .next("pass a whole address such as https://example.com/path")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalise_url_gives_the_address_that_a_browser_opens() {
        let cases = [
            ("https://Example.com", "https://example.com/"),
            (" https://example.com/a b ", "https://example.com/a%20b"),
            ("\u{1}http://h.example/\n", "http://h.example/"),
            ("ht\ttp://h.exa\nmple/x", "http://h.example/x"),
            ("HTTP:example.com", "http://example.com/"),
            ("example.com/path?q=1#f", "https://example.com/path?q=1#f"),
            ("example.com:8443/x", "https://example.com:8443/x"),
            ("localhost:3000", "http://localhost:3000/"),
            ("LocalHost:3000/a", "http://localhost:3000/a"),
            ("localhost:443", "http://localhost:443/"),
            ("127.0.0.1:8080/x", "http://127.0.0.1:8080/x"),
            ("[::1]:3000", "http://[::1]:3000/"),
            ("printer.local", "http://printer.local/"),
            ("intranet", "http://intranet/"),
            ("//example.com/x", "https://example.com/x"),
            ("about:blank", "about:blank"),
            ("About:Blank#x", "about:blank"),
        ];
        for (text, expected) in cases {
            assert_eq!(normalise_url(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn normalise_url_refuses_other_schemes_and_text_without_a_host() {
        for text in [
            "file:///etc/passwd",
            " file:///x",
            "JaVaScRiPt:alert(1)",
            "java\nscript:alert(1)",
            "javascript:8080",
            "view-source:http://h/",
            "view-source:view-source:http://h/",
            "chrome://settings",
            "devtools://x",
            "data:text/html,x",
            "blob:https://h/1",
            "about:config",
            "about:blank.evil",
            "filesystem:http://h/x",
            "intent://x#Intent;end",
            "C:\\Windows",
            "magnet:?x",
            "example.com:80@evil.example",
        ] {
            assert_eq!(normalise_url(text).expect_err(text).code, ErrorCode::SchemeBlocked, "{text}");
        }
        for text in
            ["", " \n", "/path", "\\\\host\\share", "?q", "hello world", "https://", "http://[::1", "//"]
        {
            assert_eq!(normalise_url(text).expect_err(text).code, ErrorCode::InvalidArguments, "{text}");
        }
    }
}
