//! What people write where a verb is expected, brought to a verb or refused with the nearest one.
//! Nothing here opens, starts or sends anything.

use crate::argv::global;

/// The words after the spellings were settled.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Words {
    /// Ready for the parser.
    Plain(Vec<String>),
    /// A sentence where a verb should be.
    Sentence(String),
}

/// Settles the spelling of the verb: an address alone opens it, `tab list` is `tab-list`.
pub(crate) fn settle(mut words: Vec<String>, is_verb: impl Fn(&str) -> bool) -> Words {
    let Some(at) = verb_place(&words) else { return Words::Plain(words) };
    let word = words[at].clone();
    if is_verb(&word) {
        if let Some(joined) =
            words.get(at + 1).map(|next| format!("{word}-{next}")).filter(|joined| is_verb(joined))
        {
            words.splice(at..=at + 1, [joined]);
        }
        return Words::Plain(words);
    }
    if is_address(&word) {
        words.insert(at, "navigate".to_owned());
        return Words::Plain(words);
    }
    if word.split_whitespace().nth(1).is_some() { Words::Sentence(word) } else { Words::Plain(words) }
}

/// Where the verb is: the first word that is neither a flag nor a flag's value.
pub(crate) fn verb_place(words: &[String]) -> Option<usize> {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if word == "--" {
            return None;
        }
        if !word.starts_with('-') || word == "-" {
            return Some(at);
        }
        at += if global::VALUED.contains(&word.as_str()) { 2 } else { 1 };
    }
    None
}

/// Whether a word is an address by its look: it has a scheme, or is a local host with or without a port.
fn is_address(word: &str) -> bool {
    if word.contains(char::is_whitespace) {
        return false;
    }
    let lower = word.to_ascii_lowercase();
    let scheme = lower.split_once("://").is_some_and(|(scheme, rest)| {
        !rest.is_empty()
            && !scheme.is_empty()
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    });
    let host = lower.split(['/', '?', '#']).next().unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    scheme || lower.starts_with("about:") || name == "localhost" || name.parse::<std::net::Ipv4Addr>().is_ok()
}

/// The verbs that are nearest to a word, best first.
pub(crate) fn nearest<'a>(word: &str, verbs: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    // No verb is like a word that is much longer than all of them, and comparing takes time with the length.
    if word.len() > 100 {
        return Vec::new();
    }
    let word = word.to_ascii_lowercase();
    let mut near: Vec<(usize, &str)> = verbs
        .filter_map(|verb| {
            let steps = distance(&word, verb);
            let close = steps * 3 <= verb.len().max(word.len()) || (word.len() > 2 && verb.contains(&word));
            close.then_some((steps, verb))
        })
        .collect();
    near.sort_unstable();
    near.into_iter().map(|(_, verb)| verb).take(3).collect()
}

/// How many letters must be put in, taken out or changed.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let changed = corner + usize::from(from != *to);
            corner = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERBS: &[&str] = &["navigate", "open", "click", "tab", "tab-list", "read"];

    fn settled(words: &[&str]) -> Words {
        settle(words.iter().map(|word| (*word).to_owned()).collect(), |word| VERBS.contains(&word))
    }

    fn plain(words: &[&str]) -> Words {
        Words::Plain(words.iter().map(|word| (*word).to_owned()).collect())
    }

    #[test]
    fn address_alone_opens_it() {
        for address in
            ["https://example.com/a?b", "http://[::1]:8/", "localhost:3000/x", "127.0.0.1", "about:blank"]
        {
            assert_eq!(settled(&["--json", address]), plain(&["--json", "navigate", address]));
        }
        assert_eq!(settled(&["-s", "localhost", "read"]), plain(&["-s", "localhost", "read"]));
        for word in ["click", "version", "a.b", "node:fs", "://x"] {
            assert_eq!(settled(&[word]), plain(&[word]), "{word}");
        }
    }

    #[test]
    fn two_words_become_a_verb_only_when_there_is_one() {
        assert_eq!(settled(&["tab", "list", "--json"]), plain(&["tab-list", "--json"]));
        assert_eq!(settled(&["tab", "t2"]), plain(&["tab", "t2"]));
        assert_eq!(settled(&["click", "list"]), plain(&["click", "list"]));
    }

    #[test]
    fn sentence_is_no_verb() {
        assert_eq!(settled(&["account list"]), Words::Sentence("account list".to_owned()));
        assert_eq!(settled(&["read", "two words"]), plain(&["read", "two words"]));
    }

    #[test]
    fn nearest_verbs_are_found_and_far_ones_are_not() {
        let near = |word| nearest(word, VERBS.iter().copied());
        assert_eq!(near("clik"), ["click"]);
        assert_eq!(near("Reed"), ["read"]);
        assert_eq!(near("list"), ["tab-list"]);
        assert!(near("version").is_empty());
    }
}
