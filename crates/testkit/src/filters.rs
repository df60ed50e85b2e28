//! Replaces what differs from run to run, so that outputs can be compared as they are.

/// All filters at once: hosts and ports, times of day, durations, references, run ids.
#[must_use]
pub fn all(text: &str) -> String {
    ids(&durations(&times(&refs(&ports(text)))))
}

/// `127.0.0.1:41234` and `localhost:41234` become `127.0.0.1:PORT` and `localhost:PORT`.
#[must_use]
pub fn ports(text: &str) -> String {
    replace(text, |_, rest| {
        let host = ["127.0.0.1:", "localhost:", "[::1]:"].into_iter().find(|h| rest.starts_with(h))?;
        let digits = leading(&rest[host.len()..], |c| c.is_ascii_digit());
        (digits > 0).then(|| (host.len() + digits, format!("{host}PORT")))
    })
}

/// References such as `e12` and `f2e12` become `eN` and `fNeN`.
#[must_use]
pub fn refs(text: &str) -> String {
    replace(text, |before, rest| {
        if before.is_some_and(word) {
            return None;
        }
        let (frame, tail) = match rest.strip_prefix('f') {
            Some(tail) => (1 + leading(tail, |c| c.is_ascii_digit()), "fNeN"),
            None => (0, "eN"),
        };
        let number = rest.get(frame..)?.strip_prefix('e')?;
        let digits = leading(number, |c| c.is_ascii_digit());
        let end = frame + 1 + digits;
        let whole = digits > 0 && frame != 1 && !rest[end..].chars().next().is_some_and(word);
        whole.then(|| (end, tail.to_owned()))
    })
}

/// `2026-11-30T21:30:00.123Z` and `21:30:00` become `TIME`.
#[must_use]
pub fn times(text: &str) -> String {
    replace(text, |before, rest| {
        if before.is_some_and(|c| c.is_ascii_digit()) {
            return None;
        }
        let date = shape(rest, "dddd-dd-dd");
        let clock = if date > 0 && rest[date..].starts_with(['T', ' ']) { date + 1 } else { date };
        let length = match shape(&rest[clock..], "dd:dd:dd") {
            0 if clock > 0 => date,
            0 => return None,
            n => {
                let end = clock + n;
                let fraction =
                    rest[end..].strip_prefix('.').map_or(0, |f| 1 + leading(f, |c| c.is_ascii_digit()));
                end + fraction + usize::from(rest[end + fraction..].starts_with('Z'))
            }
        };
        (length > 0).then(|| (length, "TIME".to_owned()))
    })
}

/// `312 ms`, `1.5 s` and the value of `"window_ms": 312` become `N ms`, `N s` and `N`.
#[must_use]
pub fn durations(text: &str) -> String {
    replace(text, |before, rest| {
        if before.is_some_and(word) {
            return None;
        }
        if let Some(name) = ["\"window_ms\":", "\"elapsed_ms\":"].into_iter().find(|n| rest.starts_with(n)) {
            let gap = leading(&rest[name.len()..], |c| c == ' ');
            let digits = leading(&rest[name.len() + gap..], |c| c.is_ascii_digit());
            let kept = &rest[..name.len() + gap];
            return (digits > 0).then(|| (kept.len() + digits, format!("{kept}N")));
        }
        let digits = leading(rest, |c| c.is_ascii_digit() || c == '.');
        let unit = [" ms", "ms", " s"].into_iter().find(|u| rest[digits..].starts_with(u))?;
        let end = digits + unit.len();
        let whole = digits > 0 && !rest[end..].chars().next().is_some_and(word);
        whole.then(|| (end, format!("N{unit}")))
    })
}

/// Runs of at least 16 hex digits, as in checksums and run ids, become `ID`.
#[must_use]
pub fn ids(text: &str) -> String {
    replace(text, |before, rest| {
        if before.is_some_and(word) {
            return None;
        }
        let digits = leading(rest, |c| c.is_ascii_hexdigit() || c == '-');
        let hex = rest[..digits].chars().filter(char::is_ascii_hexdigit).count();
        (hex >= 16).then(|| (digits, "ID".to_owned()))
    })
}

/// A path, such as a test's home, becomes `name`.
#[must_use]
pub fn path(text: &str, path: &std::path::Path, name: &str) -> String {
    text.replace(&*path.to_string_lossy(), name)
}

/// Walks over the text; where `rule` (given the character before, and the rest) fits, its replacement is put.
fn replace(text: &str, rule: impl Fn(Option<char>, &str) -> Option<(usize, String)>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = None;
    while let Some(next) = rest.chars().next() {
        let length = match rule(before, rest) {
            Some((length, put)) => {
                out.push_str(&put);
                length
            }
            None => {
                out.push(next);
                next.len_utf8()
            }
        };
        before = rest[..length].chars().next_back();
        rest = &rest[length..];
    }
    out
}

fn leading(text: &str, fits: impl Fn(char) -> bool) -> usize {
    text.find(|c| !fits(c)).unwrap_or(text.len())
}

/// The length of the pattern (`d` is a digit) when the text starts with it, else 0.
fn shape(text: &str, pattern: &str) -> usize {
    let mut chars = text.chars();
    let fits = pattern
        .chars()
        .all(|p| chars.next().is_some_and(|c| if p == 'd' { c.is_ascii_digit() } else { c == p }));
    if fits { pattern.len() } else { 0 }
}

fn word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_replace_what_differs_and_leave_the_rest() {
        assert_eq!(
            ports("http://127.0.0.1:4123/a and localhost:9/ but host:80"),
            "http://127.0.0.1:PORT/a and localhost:PORT/ but host:80"
        );
        assert_eq!(refs("clicked e12 [ref=f2e7] the1 e1a e"), "clicked eN [ref=fNeN] the1 e1a e");
        assert_eq!(times("at 2026-11-30T21:30:00.123Z or 21:30:00, not 1:2"), "at TIME or TIME, not 1:2");
        assert_eq!(durations("within 300 ms, 1.5 s, 3 sheep"), "within N ms, N s, 3 sheep");
        assert_eq!(durations(r#"{"window_ms": 312}"#), r#"{"window_ms": N}"#);
        assert_eq!(ids("run 0123456789abcdef0 of cafe"), "run ID of cafe");
    }
}
