//! Taking secrets out of what is recorded: by the names of fields, by the shapes of text, and by value.

use serde_json::{Map, Value};

/// What stands where a secret was.
pub const REDACTED: &str = "[redacted]";

/// Words that make the name of a field a secret's name: `card`, `userToken`, `X-Auth-Token`.
const WORDS: &[&str] = &[
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "passcode",
    "secret",
    "token",
    "authorization",
    "cookie",
    "otp",
    "totp",
    "card",
    "cvv",
    "cvc",
    "csc",
    "pin",
    "jwt",
    "credential",
    "credentials",
    "apikey",
    "ssn",
];

/// Ends of names that were written without separators.
const ENDS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "apikey",
    "accesskey",
    "privatekey",
    "secretkey",
    "accesstoken",
    "cardnumber",
    "securitycode",
    "onetimecode",
    "sessionid",
    "authcode",
];

/// Takes out of `value`, at any depth: what fields with a secret's name hold (switches excepted), header
/// and `name=value` shapes inside texts, the user part of addresses, image bytes, which become their
/// size, and every one of `secrets`, also as it is written in an address.
pub fn redact<S: AsRef<str>>(value: &mut Value, secrets: &[S]) {
    let mut known: Vec<String> = secrets.iter().flat_map(|s| spellings(s.as_ref())).collect();
    known.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    known.dedup();
    walk(value, &known);
}

fn walk(value: &mut Value, known: &[String]) {
    match value {
        Value::Null | Value::Bool(_) => {}
        Value::Number(number) => {
            if known.contains(&number.to_string()) {
                *value = Value::String(REDACTED.to_owned());
            }
        }
        Value::String(text) => *text = text_without(text, known),
        Value::Array(items) => items.iter_mut().for_each(|item| walk(item, known)),
        Value::Object(map) => object(map, known),
    }
}

fn object(map: &mut Map<String, Value>, known: &[String]) {
    let named = |key: &str| map.get(key).and_then(Value::as_str).is_some_and(is_secret_name);
    // A cookie's own name says nothing of what it is for.
    let cookie =
        map.contains_key("name") && ["domain", "httpOnly"].into_iter().any(|key| map.contains_key(key));
    if map.contains_key("value") && (cookie || ["name", "key", "header"].into_iter().any(named)) {
        map.insert("value".to_owned(), Value::String(REDACTED.to_owned()));
    }
    let fields = std::mem::take(map);
    for (key, mut value) in fields {
        if is_secret_name(&key) && !matches!(value, Value::Bool(_) | Value::Null) {
            value = Value::String(REDACTED.to_owned());
        } else if let Some(encoded) = value.as_str().filter(|_| key == "base64") {
            value = Value::String(size_of_base64(encoded));
        } else {
            walk(&mut value, known);
        }
        map.insert(without_known(&key, known), value);
    }
}

fn size_of_base64(encoded: &str) -> String {
    format!("[{} bytes]", encoded.trim_end_matches('=').len() * 3 / 4)
}

/// Whether a field of this name holds a secret.
fn is_secret_name(name: &str) -> bool {
    let mut words = vec![String::new()];
    let mut lower_before = false;
    for c in name.chars() {
        let starts_word = !c.is_alphanumeric() || (c.is_uppercase() && lower_before);
        if starts_word {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        lower_before = c.is_lowercase() || c.is_numeric();
    }
    let joined = words.concat();
    words.iter().any(|word| WORDS.contains(&word.as_str())) || ENDS.iter().any(|end| joined.ends_with(end))
}

fn text_without(text: &str, known: &[String]) -> String {
    if let Some((head, encoded)) = text.split_once(";base64,").filter(|(head, _)| head.starts_with("data:")) {
        return format!("{head};base64,{}", size_of_base64(encoded));
    }
    let text = without_known(text, known);
    without_userinfo(&without_shapes(&text))
}

/// Replaces known secrets. One of under four characters is replaced only where it stands alone, or
/// ordinary text would be torn.
fn without_known(text: &str, known: &[String]) -> String {
    let mut out = text.to_owned();
    for secret in known {
        if secret.chars().count() >= 4 {
            out = out.replace(secret.as_str(), REDACTED);
            continue;
        }
        let mut from = 0;
        while let Some(at) = out[from..].find(secret.as_str()).map(|at| at + from) {
            let end = at + secret.len();
            let before = out[..at].chars().next_back().is_some_and(char::is_alphanumeric);
            let after = out[end..].chars().next().is_some_and(char::is_alphanumeric);
            from = end;
            if !before && !after {
                out.replace_range(at..end, REDACTED);
                from = at + REDACTED.len();
            }
        }
    }
    out
}

/// A secret as it may be written: as it is, and as addresses and forms write it.
fn spellings(secret: &str) -> Vec<String> {
    if secret.trim().is_empty() {
        return Vec::new();
    }
    let encoded = |keep: &str, space: &str| -> String {
        let one = |byte: &u8| match *byte {
            b' ' => space.to_owned(),
            b if b.is_ascii_alphanumeric() || keep.as_bytes().contains(&b) => char::from(b).to_string(),
            b => format!("%{b:02X}"),
        };
        secret.as_bytes().iter().map(one).collect()
    };
    // As browsers show an address: spaces and letters of any script decoded, signs with a meaning not.
    let shown = |special: &str| -> String {
        let one = |c: char| match u8::try_from(c) {
            Ok(byte) if special.contains(c) => format!("%{byte:02X}"),
            _ => c.to_string(),
        };
        secret.chars().map(one).collect()
    };
    vec![
        secret.to_owned(),
        shown("#$%&+,/:;=?@\\"),
        shown("#%\\"),
        encoded("-_.~!'()*", "%20"),
        encoded("-_.*", "+"),
        encoded("-_.~", "%20"),
        encoded("-_.~!$&'()*+,;=:@/?", "%20"),
    ]
}

/// Replaces the values of `name=value` and `name: value` where the name is a secret's. A header's value
/// reaches to the end of its line.
fn without_shapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    let marks: Vec<usize> = text.match_indices(['=', ':']).map(|(at, _)| at).collect();
    for at in marks.into_iter().filter(|_| !text.is_empty()) {
        if at < from {
            continue;
        }
        let head = text[from..at].trim_end_matches(['"', '\'', '`', '\\', ' ']);
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        let name = &head[head.rfind(|c| !is_name(c)).map_or(0, |i| i + next_char(head, i))..];
        if !is_secret_name(name) || text[at..].starts_with("://") {
            continue;
        }
        let value = at + 1 + (text[at + 1..].len() - text[at + 1..].trim_start_matches([' ', '\\']).len());
        let rest = &text[value..];
        let lower = name.to_ascii_lowercase();
        let header =
            text[at..].starts_with(':') && (lower.ends_with("authorization") || lower.ends_with("cookie"));
        let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
        let (open, length) = match quote {
            Some(quote) => (1, rest[1..].find(quote).unwrap_or(rest.len() - 1)),
            None if header => (0, rest.find(['\n', '\r', '"']).unwrap_or(rest.len())),
            None => {
                let ends = |c: char| c.is_whitespace() || "&;,\"'`<>#)}]".contains(c);
                (0, rest.find(ends).unwrap_or(rest.len()))
            }
        };
        if length == 0 || rest[open..].starts_with(REDACTED) {
            continue;
        }
        out.push_str(&text[from..value + open]);
        out.push_str(REDACTED);
        from = value + open + length;
    }
    out.push_str(&text[from..]);
    without_bearer(&out)
}

fn next_char(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(1, char::len_utf8)
}

/// Replaces `Bearer <token>` outside a named header.
fn without_bearer(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (at, word) in lower.match_indices("bearer ") {
        let start = at + word.len();
        if at < from {
            continue;
        }
        let is_token = |c: char| c.is_ascii_alphanumeric() || "._~+/=-".contains(c);
        let length = text[start..].find(|c| !is_token(c)).unwrap_or(text.len() - start);
        let token = &text[start..start + length];
        if length >= 8 && token.contains(|c: char| c.is_ascii_digit() || c == '.') {
            out.push_str(&text[from..start]);
            out.push_str(REDACTED);
            from = start + length;
        }
    }
    out.push_str(&text[from..]);
    out
}

/// Replaces the user part of addresses: `https://user:pass@host`.
fn without_userinfo(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (at, mark) in text.match_indices("://") {
        let start = at + mark.len();
        let ends = |c: char| c.is_whitespace() || "/?#\"'<>".contains(c);
        let length = text[start..].find(ends).unwrap_or(text.len() - start);
        if let Some(user) = text[start..start + length].rfind('@') {
            out.push_str(&text[from..start]);
            out.push_str(REDACTED);
            from = start + user;
        }
    }
    out.push_str(&text[from..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn redacted(mut value: Value, secrets: &[&str]) -> Value {
        redact(&mut value, secrets);
        value
    }

    #[test]
    fn values_of_cookies_are_redacted_whatever_their_names() {
        let mut value = serde_json::json!({ "result": { "cookies": [
            { "name": "theme", "value": "dark-4711", "domain": "h", "path": "/" },
        ] }, "other": { "name": "theme", "value": "light" } });
        redact::<&str>(&mut value, &[]);
        assert_eq!(value["result"]["cookies"][0]["value"], REDACTED);
        assert_eq!(value["other"]["value"], "light");
    }

    #[test]
    fn redact_replaces_what_fields_with_a_secret_name_hold() {
        let value = json!({
            "password": "a", "userPassword": "b", "new_password": 12, "X-Auth-Token": "c", "apiKey": "d",
            "card": { "number": "4111", "name": "x" }, "cvv": 123, "Set-Cookie": ["a=b"], "otp": "1", "PIN": "1",
            "cardnumber": "4", "secret": true, "token": null, "tokens": 5, "token_budget": "x", "discard": "keep",
            "spinner": "keep", "ref": "e1", "headers": [{ "name": "Authorization", "value": "Basic x" }],
            "nested": [{ "passphrase": "z" }],
        });
        let out = redacted(value, &[]);
        let kept = json!({
            "password": REDACTED, "userPassword": REDACTED, "new_password": REDACTED, "X-Auth-Token": REDACTED,
            "apiKey": REDACTED, "card": REDACTED, "cvv": REDACTED, "Set-Cookie": REDACTED, "otp": REDACTED,
            "PIN": REDACTED, "cardnumber": REDACTED, "secret": true, "token": null, "tokens": 5,
            "token_budget": REDACTED, "discard": "keep", "spinner": "keep", "ref": "e1",
            "headers": [{ "name": "Authorization", "value": REDACTED }], "nested": [{ "passphrase": REDACTED }],
        });
        assert_eq!(out, kept);
    }

    #[test]
    fn redact_replaces_secret_shapes_inside_texts() {
        for (text, expected) in [
            ("GET /a?token=abc&x=1", "GET /a?token=[redacted]&x=1"),
            ("/cb#access_token=abc.def", "/cb#access_token=[redacted]"),
            ("Authorization: Bearer abc def\nHost: h", "Authorization: [redacted]\nHost: h"),
            ("Cookie: a=1; sid=2", "Cookie: [redacted]"),
            ("{\"password\":\"hunter 2\",\"a\":1}", "{\"password\":\"[redacted]\",\"a\":1}"),
            ("fetch('/x', { password: 'p w' })", "fetch('/x', { password: '[redacted]' })"),
            ("use bearer eyJhbGci.abc now", "use bearer [redacted] now"),
            ("https://u:p@h/x and http://h/a@b", "https://[redacted]@h/x and http://h/a@b"),
            ("password=[redacted]&cvv=1", "password=[redacted]&cvv=[redacted]"),
            ("pässwort: a, p=1", "pässwort: a, p=1"),
            ("é token=ü&é", "é token=[redacted]&é"),
            ("textbox \"Name\" [ref=e1]: Ada", "textbox \"Name\" [ref=e1]: Ada"),
            ("a bearer of news", "a bearer of news"),
            ("data:image/png;base64,AAAABBBB", "data:image/png;base64,[6 bytes]"),
            ("token=", "token="),
        ] {
            assert_eq!(redacted(json!(text), &[]), json!(expected), "{text}");
        }
    }

    #[test]
    fn redact_replaces_known_secrets_in_every_spelling_and_place() {
        let value = json!({
            "text": "typed pa ss&1!", "url": "/x?q=pa%20ss%261!", "form": "q=pa+ss%261%21", "n": 4711,
            "pa ss&1!": 1, "short": "12 is not 123, 12", "list": ["12"], "title": "h/x?q=pa ss%261!",
        });
        let out = redacted(value, &["pa ss&1!", "4711", "12", ""]);
        let kept = json!({
            "text": "typed [redacted]", "url": "/x?q=[redacted]", "form": "q=[redacted]", "n": REDACTED,
            "[redacted]": 1, "short": "[redacted] is not 123, [redacted]", "list": [REDACTED], "title": "h/x?q=[redacted]",
        });
        assert_eq!(out, kept);
    }

    #[test]
    fn redact_replaces_image_bytes_by_their_size() {
        let out = redacted(json!({ "images": [{ "mime_type": "image/png", "base64": "AAECAw==" }] }), &[]);
        assert_eq!(out, json!({ "images": [{ "mime_type": "image/png", "base64": "[4 bytes]" }] }));
    }
}
