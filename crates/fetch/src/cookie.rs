//! Cookies: which go with a request, and what an answer sets.

use std::time::{SystemTime, UNIX_EPOCH};
use truehand_base::is_loopback;
use url::{Host, Url};

/// A cookie as the browser has it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cookie {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The host, or with a dot before it a host and all below.
    pub domain: String,
    /// The path and all below.
    pub path: String,
    /// Whether it goes over secure connections only.
    pub secure: bool,
}

/// A cookie that an answer sets.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NewCookie {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The host and all below; none for the host that answered alone.
    pub domain: Option<String>,
    /// The path and all below.
    pub path: String,
    /// When it ends, in seconds since 1970; none with the browser. A past time removes it.
    pub expires: Option<f64>,
    /// Whether it goes over secure connections only.
    pub secure: bool,
    /// Whether scripts can't read it.
    pub http_only: bool,
    /// `Strict`, `Lax` or `None`.
    pub same_site: Option<String>,
}

/// The longest line that sets a cookie.
const LINE: usize = 8_192;

/// The value of the field `Cookie` for an address: longer paths first.
#[must_use]
pub fn header(cookies: &[Cookie], url: &Url) -> Option<String> {
    let mut fitting: Vec<&Cookie> = cookies.iter().filter(|cookie| fits(cookie, url)).collect();
    fitting.sort_by_key(|cookie| std::cmp::Reverse(cookie.path.len()));
    let pair =
        |c: &&Cookie| if c.name.is_empty() { c.value.clone() } else { format!("{}={}", c.name, c.value) };
    let pairs: Vec<String> = fitting.iter().map(pair).collect();
    (!pairs.is_empty()).then(|| pairs.join("; "))
}

fn fits(cookie: &Cookie, url: &Url) -> bool {
    let secure = url.scheme() == "https" || is_loopback(url);
    (secure || !cookie.secure) && domain_fits(&cookie.domain, url) && path_fits(&cookie.path, url.path())
}

fn domain_fits(domain: &str, url: &Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    match domain.strip_prefix('.') {
        // An IP address has nothing below it.
        Some(domain) => {
            host == domain
                || matches!(url.host(), Some(Host::Domain(_)))
                    && host.strip_suffix(domain).is_some_and(|rest| rest.ends_with('.'))
        }
        None => host == domain.to_ascii_lowercase(),
    }
}

fn path_fits(path: &str, asked: &str) -> bool {
    match asked.strip_prefix(path) {
        Some(rest) => path.ends_with('/') || rest.is_empty() || rest.starts_with('/'),
        None => false,
    }
}

/// Reads a line that sets a cookie; nothing when it sets none, or one for somebody else's host.
#[must_use]
pub fn parse(line: &str, url: &Url) -> Option<NewCookie> {
    if line.len() > LINE || line.chars().any(|c| c.is_control() && c != '\t') {
        return None;
    }
    let mut parts = line.split(';');
    let pair = parts.next()?.trim();
    let (name, value) = pair.split_once('=').map_or(("", pair), |(name, value)| (name.trim(), value.trim()));
    if name.is_empty() && value.is_empty() {
        return None;
    }
    let mut cookie = NewCookie {
        name: name.to_owned(),
        value: value.to_owned(),
        path: default_path(url),
        ..NewCookie::default()
    };
    let mut max_age = None;
    for part in parts {
        let (name, value) = part.split_once('=').map_or((part.trim(), ""), |(n, v)| (n.trim(), v.trim()));
        match name.to_ascii_lowercase().as_str() {
            "domain" => {
                let domain = value.trim_start_matches('.').to_ascii_lowercase();
                if !domain.is_empty() {
                    if !domain_fits(&format!(".{domain}"), url) {
                        return None;
                    }
                    // For an IP address it says nothing that the host does not.
                    let named = matches!(url.host(), Some(Host::Domain(_)));
                    cookie.domain = named.then_some(domain);
                }
            }
            "path" if value.starts_with('/') => value.clone_into(&mut cookie.path),
            "expires" => cookie.expires = date(value).or(cookie.expires),
            "max-age" => max_age = value.parse::<i64>().ok().or(max_age),
            "secure" => cookie.secure = true,
            "httponly" => cookie.http_only = true,
            "samesite" => {
                let known = ["Strict", "Lax", "None"].into_iter().find(|k| k.eq_ignore_ascii_case(value));
                cookie.same_site = known.map(str::to_owned);
            }
            _ => {}
        }
    }
    if let Some(seconds) = max_age {
        #[expect(clippy::cast_precision_loss, reason = "a cookie's end need not be exact")]
        let seconds = seconds.clamp(-1, 400 * 24 * 3600) as f64;
        // The browser takes a time that is over for a removal, and 0 for none.
        cookie.expires = Some(if seconds <= 0.0 { 1.0 } else { now() + seconds });
    }
    Some(cookie)
}

/// The folder of the path that was asked for.
fn default_path(url: &Url) -> String {
    match url.path().rfind('/') {
        Some(0) | None => "/".to_owned(),
        Some(at) => url.path()[..at].to_owned(),
    }
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

/// Seconds since 1970; servers write dates with hyphens too.
fn date(text: &str) -> Option<f64> {
    let parsed =
        httpdate::parse_http_date(text).or_else(|_| httpdate::parse_http_date(&text.replace('-', " ")));
    let since = parsed.ok()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Some(since.as_secs_f64().max(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).expect(text)
    }

    fn cookie(name: &str, domain: &str, path: &str, secure: bool) -> Cookie {
        let (name, value) = (name.to_owned(), "1".to_owned());
        Cookie { name, value, domain: domain.to_owned(), path: path.to_owned(), secure }
    }

    #[test]
    fn header_has_the_cookies_of_host_path_and_security() {
        let jar = [
            cookie("host", "a.example", "/", false),
            cookie("below", ".example", "/", false),
            cookie("deep", "a.example", "/x", false),
            cookie("safe", "a.example", "/", true),
            cookie("other", "b.example", "/", false),
        ];
        assert_eq!(header(&jar, &url("http://a.example/")).as_deref(), Some("host=1; below=1"));
        assert_eq!(
            header(&jar, &url("https://a.example/x/y")).as_deref(),
            Some("deep=1; host=1; below=1; safe=1")
        );
        assert_eq!(header(&jar, &url("http://a.example/xy")).as_deref(), Some("host=1; below=1"));
        assert_eq!(header(&jar, &url("http://evila.example/")).as_deref(), Some("below=1"));
        assert_eq!(header(&jar, &url("http://notexample/")), None);
        let local = [cookie("safe", "localhost", "/", true)];
        assert_eq!(header(&local, &url("http://localhost:3000/")).as_deref(), Some("safe=1"));
    }

    #[test]
    fn parse_reads_attributes_and_refuses_other_hosts() {
        let at = url("https://a.b.example/shop/cart?x=1");
        let read = |line: &str| parse(line, &at);
        let plain = read("id=7").expect("set");
        assert_eq!((plain.name.as_str(), plain.path.as_str(), plain.domain), ("id", "/shop", None));
        let full = read(
            "id=a=b; Domain=.B.example; Path=/; Secure; HttpOnly; SameSite=lax; Expires=Wed, 21-Oct-2026 07:28:00 GMT",
        );
        let full = full.expect("set");
        assert_eq!(
            (full.value.as_str(), full.domain.as_deref(), full.path.as_str()),
            ("a=b", Some("b.example"), "/")
        );
        assert_eq!((full.secure, full.http_only, full.same_site.as_deref()), (true, true, Some("Lax")));
        assert_eq!(full.expires, Some(1_792_567_680.0));
        assert_eq!(read("id=; Max-Age=0").expect("removed").expires, Some(1.0));
        assert!(
            read("id=1; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT").expect("set").expires
                > Some(now())
        );
        for line in ["id=1; Domain=other.example", "id=1; Domain=c.a.b.example", "", "=", "a=1\r\nX: y"] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
