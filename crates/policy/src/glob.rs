//! Matching of hosts by label, of paths by decoded segment, and of plain names.

use url::{Host, Url};

/// A pattern for host names. `example.com` is that host, `*.example.com` any host below it at any
/// depth, a `*` elsewhere one label, and `*` alone everything, also pages that have no host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostGlob {
    labels: Vec<String>,
}

impl HostGlob {
    /// Reads a pattern.
    ///
    /// # Errors
    /// What is wrong with it, in words: it holds a scheme, a port, a path or a `*` that is part of a label.
    pub fn parse(text: &str) -> Result<HostGlob, String> {
        let text = text.trim().trim_end_matches('.');
        if text == "*" {
            return Ok(HostGlob { labels: vec!["*".to_owned()] });
        }
        let bracketed = format!("[{text}]");
        let literal = if text.contains("::") && !text.starts_with('[') { bracketed.as_str() } else { text };
        if !text.contains('*') {
            let host = Host::parse(literal).map_err(|error| format!("'{text}' is not a host: {error}"))?;
            return Ok(HostGlob { labels: labels(&canonical(&host.to_owned())) });
        }
        let mut labels = Vec::new();
        for label in text.split('.') {
            if label == "*" {
                labels.push(label.to_owned());
                continue;
            }
            let host =
                Host::parse(label).map_err(|error| format!("'{text}' is not a host pattern: {error}"))?;
            let name = host.to_string();
            if label.contains('*') || name.contains('.') && !label.contains('.') {
                return Err(format!("'{text}' is not a host pattern: a * stands for whole labels"));
            }
            labels.push(name);
        }
        Ok(HostGlob { labels })
    }

    /// Whether it is `*`, which fits every page.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.labels == ["*"]
    }

    /// Whether the host of an address fits.
    #[must_use]
    pub fn matches(&self, url: Option<&Url>) -> bool {
        if self.is_everything() {
            return true;
        }
        let Some(host) = url.and_then(host_of) else { return false };
        let host = labels(&host);
        let (wanted, any_depth) = match self.labels.split_first() {
            Some((first, rest)) if first == "*" => (rest, true),
            _ => (self.labels.as_slice(), false),
        };
        let enough = if any_depth { host.len() > wanted.len() } else { host.len() == wanted.len() };
        enough && host.iter().rev().zip(wanted.iter().rev()).all(|(have, want)| want == "*" || want == have)
    }
}

/// The host of an address in the one form that is compared: lower case, no final dot, IPv6 addresses
/// that hold an IPv4 address as that.
pub fn host_of(url: &Url) -> Option<String> {
    url.host().map(|host| canonical(&host.to_owned()))
}

fn canonical(host: &Host<String>) -> String {
    match host {
        Host::Domain(name) => name.trim_end_matches('.').to_ascii_lowercase(),
        Host::Ipv4(address) => address.to_string(),
        Host::Ipv6(address) => match address.to_ipv4_mapped() {
            Some(v4) => v4.to_string(),
            None => format!("[{address}]"),
        },
    }
}

fn labels(host: &str) -> Vec<String> {
    host.split('.').map(str::to_owned).collect()
}

/// A pattern for paths, compared with percent-decoded segments. A `*` stands for any part of one
/// segment, a segment `**` for any number of segments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathGlob {
    segments: Vec<String>,
}

impl PathGlob {
    /// Reads a pattern.
    ///
    /// # Errors
    /// What is wrong with it, in words: it does not start with a slash.
    pub fn parse(text: &str) -> Result<PathGlob, String> {
        let Some(rest) = text.strip_prefix('/') else {
            return Err(format!("'{text}' is not a path pattern: it must start with /"));
        };
        Ok(PathGlob { segments: rest.split('/').map(str::to_owned).collect() })
    }

    /// Whether the path of an address fits.
    #[must_use]
    pub fn matches(&self, url: &Url) -> bool {
        let segments: Vec<String> = url.path_segments().into_iter().flatten().map(percent_decoded).collect();
        segments_match(&self.segments, &segments)
    }
}

fn segments_match(pattern: &[String], segments: &[String]) -> bool {
    match pattern.split_first() {
        None => segments.is_empty(),
        Some((first, rest)) if first == "**" => {
            (0..=segments.len()).any(|skipped| segments_match(rest, &segments[skipped..]))
        }
        Some((first, rest)) => {
            let Some((segment, others)) = segments.split_first() else { return false };
            wildcard(first, segment) && segments_match(rest, others)
        }
    }
}

fn percent_decoded(segment: &str) -> String {
    let bytes = segment.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = segment.get(at + 1..at + 3).filter(|h| bytes[at] == b'%' && !h.starts_with('+'));
        match hex.and_then(|h| u8::from_str_radix(h, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Whether `text` fits `pattern`, where each `*` stands for any number of characters.
#[must_use]
pub fn wildcard(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host_fits(pattern: &str, url: &str) -> bool {
        HostGlob::parse(pattern).expect(pattern).matches(Some(&Url::parse(url).expect(url)))
    }

    #[test]
    fn host_glob_compares_whole_labels_of_parsed_hosts() {
        for (pattern, url) in [
            ("example.com", "https://EXAMPLE.com./x"),
            ("*.example.com", "https://a.b.example.com/"),
            ("shop.*.com", "https://shop.acme.com/"),
            ("127.0.0.1", "http://2130706433/"),
            ("127.0.0.1", "http://[::ffff:7f00:1]/"),
            ("::1", "http://[::1]:80/"),
            ("bücher.example", "https://xn--bcher-kva.example/"),
            ("*", "https://x/"),
        ] {
            assert!(host_fits(pattern, url), "{pattern} {url}");
        }
        for (pattern, url) in [
            ("example.com", "https://a.example.com/"),
            ("*.example.com", "https://example.com/"),
            ("*.example.com", "https://evilexample.com/"),
            ("example.com", "https://example.com@evil.example/"),
            ("example.com", "https://example.com.evil.example/"),
            ("shop.*.com", "https://shop.a.b.com/"),
        ] {
            assert!(!host_fits(pattern, url), "{pattern} {url}");
        }
        for pattern in ["", "https://x", "x/y", "a*.com", "exa mple.com", "x:80"] {
            assert!(HostGlob::parse(pattern).is_err(), "{pattern}");
        }
    }

    #[test]
    fn path_glob_compares_decoded_segments() {
        let fits = |pattern: &str, url: &str| {
            PathGlob::parse(pattern).expect(pattern).matches(&Url::parse(url).expect(url))
        };
        assert!(fits("/admin/**", "http://h/%61dmin/users/1"));
        assert!(fits("/admin/**", "http://h/x/%2e%2e/admin/"));
        assert!(fits("/a/*.pdf", "http://h/a/b.pdf?x=/c"));
        assert!(fits("/**/pay", "http://h/pay"));
        assert!(fits("/", "http://h"));
        assert!(!fits("/admin/**", "http://h/administrator"));
        assert!(!fits("/a/*", "http://h/a/b/c"));
        assert!(!fits("/a/b", "http://h/a%2Fb"));
        assert!(PathGlob::parse("admin").is_err());
    }

    #[test]
    fn wildcard_matches_any_number_of_characters() {
        assert!(wildcard("mcp:*", "mcp:claude"));
        assert!(wildcard("*a*b", "xxaxxb"));
        assert!(wildcard("abc", "abc") && wildcard("*", ""));
        assert!(!wildcard("abc", "abcd") && !wildcard("a*c", "ab") && !wildcard("a*a", "a"));
    }
}
