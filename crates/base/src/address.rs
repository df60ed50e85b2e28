//! Addresses that people and models write, brought to the one form that is judged and then opened.

use crate::{ErrorBody, ErrorCode};
use std::path::PathBuf;
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

/// The local path that `text` means, in any spelling that people and models use.
///
/// Addresses of the scheme `file` become paths. Under Linux a Windows drive is looked for where WSL has it
/// (`C:\\a b` is `/mnt/c/a b`), and a share of WSL itself (`\\\\wsl.localhost\\Ubuntu\\home`) is the folder that it
/// shares. Everything else stays as it is; shares of other machines do.
#[must_use]
pub fn local_path(text: &str) -> PathBuf {
    let path = file_address(text).unwrap_or_else(|| text.to_owned());
    if cfg!(windows) { PathBuf::from(path) } else { PathBuf::from(wsl_path(&path).unwrap_or(path)) }
}

/// The path of a `file` address; with the host before it, as Windows writes shares, when there is one.
fn file_address(text: &str) -> Option<String> {
    let (scheme, _) = text.split_once("://").filter(|(scheme, _)| scheme.eq_ignore_ascii_case("file"))?;
    // An unescaped percent sign is one; a wrong escape is taken for what it looks like.
    let url = Url::parse(&format!("file{}", &text[scheme.len()..])).ok()?;
    let path = decode(url.path());
    match url.host_str().filter(|host| !host.is_empty() && *host != "localhost") {
        Some(host) => Some(format!(r"\\{host}{}", path.replace('/', r"\"))),
        // A drive has no slash before it.
        None if drive(&path[1..]).is_some() => Some(path[1..].to_owned()),
        None => Some(path),
    }
}

/// Undoes the percent signs of an address.
fn decode(path: &str) -> String {
    let bytes = path.as_bytes();
    let hex = |at: usize| path.get(at + 1..at + 3).and_then(|two| u8::from_str_radix(two, 16).ok());
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match hex(at).filter(|_| bytes[at] == b'%') {
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

/// The letter and the rest of a path on a Windows drive.
fn drive(path: &str) -> Option<(char, &str)> {
    let letter = path.chars().next().filter(char::is_ascii_alphabetic)?;
    let rest = path.get(1..)?.strip_prefix(':')?;
    rest.starts_with(['\\', '/']).then_some((letter.to_ascii_lowercase(), rest))
}

/// Where WSL has a path of Windows.
fn wsl_path(path: &str) -> Option<String> {
    if let Some((letter, rest)) = drive(path) {
        return Some(format!("/mnt/{letter}{}", rest.replace('\\', "/")));
    }
    let share = path.strip_prefix(r"\\")?;
    let (host, rest) = share.split_once('\\')?;
    if !host.eq_ignore_ascii_case("wsl$") && !host.eq_ignore_ascii_case("wsl.localhost") {
        return None;
    }
    // The name of the distribution comes first.
    let inside = rest.split_once('\\').map_or("", |(_, inside)| inside);
    Some(format!("/{}", inside.replace('\\', "/")))
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

    #[cfg(unix)]
    #[test]
    fn local_path_reads_addresses_drives_and_shares() {
        let cases = [
            ("/home/me/a b.txt", "/home/me/a b.txt"),
            ("notes.txt", "notes.txt"),
            ("file:///home/me/a%20b.txt", "/home/me/a b.txt"),
            ("file:///home/me/a b.txt", "/home/me/a b.txt"),
            ("FILE://localhost/tmp/x", "/tmp/x"),
            ("file:///mnt/c/Users/me/x.pdf", "/mnt/c/Users/me/x.pdf"),
            ("file:///C:/a%20b/x.pdf", "/mnt/c/a b/x.pdf"),
            (r"C:\a b\", "/mnt/c/a b/"),
            (r"d:\x.pdf", "/mnt/d/x.pdf"),
            ("C:/a b/x.pdf", "/mnt/c/a b/x.pdf"),
            (r"\\wsl$\Ubuntu\home\me\x.pdf", "/home/me/x.pdf"),
            (r"\\wsl.localhost\Ubuntu\home\me", "/home/me"),
            ("file://wsl.localhost/Ubuntu/home/me/x.pdf", "/home/me/x.pdf"),
            (r"\\server\share\x.pdf", r"\\server\share\x.pdf"),
            ("file://server/share/x.pdf", r"\\server\share\x.pdf"),
            ("C:", "C:"),
            ("a:b", "a:b"),
            ("100%.txt", "100%.txt"),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(local_path(text), PathBuf::from(expected), "{text}");
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
