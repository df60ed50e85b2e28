//! Whether a field holds what was asked for: exactly, in a form of the page's own, or something else.

/// How what a field holds compares with what was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Held {
    /// It is the text; line ends and the spaces that editors put for themselves don't count.
    Exactly,
    /// It is the same thing with the signs or the letter case of a mask: `1234 5678` for `12345678`.
    Formatted,
    /// It is the text more than once.
    Doubled,
    /// It is something else.
    Otherwise,
}

/// Compares. `kept` is what the field held before and should still hold; `strict` knows no masks, as passwords.
pub(crate) fn held(kept: &str, text: &str, got: &str, strict: bool) -> Held {
    let asked = format!("{kept}{text}");
    if same(&asked, got) {
        return Held::Exactly;
    }
    if !strict && formatted(asked.trim(), got.trim()) {
        return Held::Formatted;
    }
    let needle = text.trim();
    let before = kept.matches(needle).count();
    let doubled = !needle.is_empty()
        && got.matches(needle).count() >= before + 2
        && asked.matches(needle).count() < before + 2;
    if doubled { Held::Doubled } else { Held::Otherwise }
}

/// Whether two texts are the same but for line ends and the space that editors put for themselves.
pub(crate) fn same(asked: &str, got: &str) -> bool {
    let plain = |t: &str| {
        let t = t.replace("\r\n", "\n").replace('\u{a0}', " ").replace(['\u{200b}', '\u{feff}'], "");
        t.trim_end_matches('\n').to_owned()
    };
    plain(asked) == plain(got)
}

/// Whether `got` is `asked` as a mask writes it: nothing that carries meaning came, went or changed places.
fn formatted(asked: &str, got: &str) -> bool {
    let fold = |t: &str| t.to_lowercase();
    if fold(asked) == fold(got) {
        return !asked.is_empty();
    }
    if let (Some(asked), Some(got)) = (number(asked), number(got)) {
        return asked == got;
    }
    let bare = |t: &str| fold(&t.chars().filter(|c| c.is_alphanumeric()).collect::<String>());
    if bare(asked).is_empty() || bare(asked) != bare(got) {
        return false;
    }
    // Only codes and numbers have masks: in words and in lines every sign counts.
    let lower = asked.chars().any(char::is_lowercase);
    let words = lower && asked.contains(char::is_whitespace);
    if words || asked.contains('\n') || !asked.contains(|c: char| c.is_ascii_digit()) {
        return false;
    }
    // Separators may be replaced in codes, never in numbers: `1.50` is not `150`.
    let code = number(asked).is_none() && !lower;
    let separator = |c: char| code && (c.is_whitespace() || matches!(c, '-' | '(' | ')' | '/' | '.'));
    let needed = fold(asked);
    let mut needed = needed.chars().filter(|c| !separator(*c)).peekable();
    let adds = |c: char| c.is_whitespace() || "-()/.:,_'’+#%$€£¥₩₹".contains(c);
    fold(got).chars().all(|c| needed.next_if_eq(&c).is_some() || adds(c)) && needed.next().is_none()
}

/// The number that a text writes, in one form: `$1,234.50` and `1234.5` are the same. Only with groups of three, and
/// with at most a currency around it.
fn number(text: &str) -> Option<String> {
    let core = text.trim_matches(|c: char| c.is_whitespace() || "$€£¥₩₹%".contains(c));
    let (minus, core) = match core.strip_prefix(['-', '−']) {
        Some(rest) => (true, rest.trim_start_matches(|c: char| c.is_whitespace() || "$€£¥₩₹".contains(c))),
        // A leading plus is part of a telephone number, which is no number to calculate with.
        None => (false, core),
    };
    if !core.starts_with(|c: char| c.is_ascii_digit()) || !core.ends_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let marks: Vec<char> = core.chars().filter(|c| !c.is_ascii_digit()).collect();
    let group = |c: char| matches!(c, ',' | '.' | '\'' | '’' | ' ' | '\u{a0}' | '\u{202f}');
    if !marks.iter().all(|c| group(*c)) {
        return None;
    }
    let last = marks.last().copied();
    // The last sign starts the decimals when it is the only one of its kind and no group of three follows a lone comma.
    let decimal = last.filter(|c| {
        let tail = core.rsplit(*c).next().map_or(0, str::len);
        matches!(c, '.' | ',')
            && marks.iter().filter(|m| *m == c).count() == 1
            && (*c == '.' || tail != 3 || marks.len() > 1)
    });
    let (whole, tail) = match decimal {
        Some(c) => core.rsplit_once(c)?,
        None => (core, ""),
    };
    let mut groups = whole.split(group);
    let first = groups.next()?;
    let grouped = groups.clone().next().is_some();
    if grouped && (first.len() > 3 || !groups.all(|g| g.len() == 3)) {
        return None;
    }
    let digits: String = whole.chars().filter(char::is_ascii_digit).collect();
    let whole = digits.trim_start_matches('0');
    let tail = tail.trim_end_matches('0');
    let zero = whole.is_empty() && tail.is_empty();
    Some(format!(
        "{}{}.{tail}",
        if minus && !zero { "-" } else { "" },
        if whole.is_empty() { "0" } else { whole }
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_that_only_write_signs_hold_what_was_asked() {
        for (asked, got) in [
            ("12345678", "1234 5678"),
            ("5551234567", "(555) 123-4567"),
            ("555-123-4567", "(555) 123-4567"),
            ("4242424242424242", "4242 4242 4242 4242"),
            ("12/26", "12 / 26"),
            ("01022026", "01.02.2026"),
            ("01/02/2026", "01.02.2026"),
            ("1234.5", "$1,234.50"),
            ("1234567", "1,234,567"),
            ("-1234", "-$1,234"),
            ("1234,5", "1.234,50 €"),
            ("hello world", "HELLO WORLD"),
            (" Ada ", "Ada"),
            ("AB12CD", "AB-12-CD"),
            ("12345678900", "123.456.789-00"),
            ("7.0", "7"),
        ] {
            assert_eq!(held("", asked, got, false), Held::Formatted, "{asked} as {got}");
        }
    }

    #[test]
    fn masks_that_change_what_is_said_do_not() {
        for (asked, got) in [
            ("12ab34567", "1234"),
            ("-5", "5"),
            ("5", "-5"),
            ("1.50", "150"),
            ("150", "1.50"),
            ("1.5", "15"),
            ("one\ntwo", "onetwo"),
            ("a  b", "a b"),
            ("Jean-Luc", "JeanLuc"),
            ("a@b.co", "abco"),
            ("O'Brien", "OBrien"),
            ("+49 170", "49 170"),
            ("hello", "hell"),
            ("hello", "hello!"),
            ("if 1 {\n  go\n}", "if 1 {\n    go\n}"),
            ("!!!", ""),
            ("", "x"),
        ] {
            assert_eq!(held("", asked, got, false), Held::Otherwise, "{asked} as {got}");
        }
        assert_eq!(held("", "pa-ss", "PA-SS", true), Held::Otherwise, "a password has no other form");
    }

    #[test]
    fn doubling_is_told_from_a_text_that_repeats_itself() {
        assert_eq!(held("", "hello", "hellohello", false), Held::Doubled);
        assert_eq!(held("", "haha", "haha", false), Held::Exactly);
        assert_eq!(held("hello", "hello", "hellohello", false), Held::Exactly);
        assert_eq!(held("hello", "hello", "hellohellohello", false), Held::Doubled);
        assert_eq!(held("", "a b", "a\u{a0}b\n", false), Held::Exactly);
    }
}
