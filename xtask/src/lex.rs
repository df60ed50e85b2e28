//! Just enough of a Rust lexer to tell code from strings and comments, so that a rule about code is
//! not tripped by a word in a sentence.

/// A string literal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal {
    /// The line it starts on, from 1.
    pub line: usize,
    /// What stands between its quotes, escapes untouched.
    pub text: String,
    /// The code just before it on the same or an earlier line, without white space: ends in `format!(`, say.
    pub before: String,
}

/// A Rust source, taken apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Source {
    /// The source with the inside of strings and all comments blanked; lines stay where they are.
    pub code: String,
    /// The string literals, in order.
    pub literals: Vec<Literal>,
}

impl Source {
    /// Takes a source apart.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        Lexer { rest: text, line: 1, out: Source::default(), tail: String::new() }.run()
    }

    /// The line of the first `#[cfg(test)]` that opens a module: house style puts tests last.
    #[must_use]
    pub fn tests_start(&self) -> usize {
        let lines: Vec<&str> = self.code.lines().collect();
        lines
            .windows(2)
            .position(|pair| pair[0].trim() == "#[cfg(test)]" && pair[1].trim_start().starts_with("mod "))
            .map_or(usize::MAX, |at| at + 1)
    }
}

struct Lexer<'a> {
    rest: &'a str,
    line: usize,
    out: Source,
    tail: String,
}

impl Lexer<'_> {
    fn run(mut self) -> Source {
        while let Some(next) = self.rest.chars().next() {
            if self.rest.starts_with("//") {
                let end = self.rest.find('\n').unwrap_or(self.rest.len());
                self.blank(end);
            } else if self.rest.starts_with("/*") {
                self.blank(block_comment_length(self.rest));
            } else if let Some((open, close)) = raw_string_ends(self.rest).filter(|_| !self.in_word()) {
                self.string(open, &close, false);
            } else if next == '"' {
                self.string(1, "\"", true);
            } else if next == '\'' {
                match char_literal_length(self.rest) {
                    Some(length) => self.blank(length),
                    None => self.code(1),
                }
            } else {
                self.code(next.len_utf8());
            }
        }
        self.out
    }

    fn in_word(&self) -> bool {
        self.out.code.ends_with(|c: char| c.is_alphanumeric() || c == '_')
    }

    fn code(&mut self, length: usize) {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        self.line += taken.matches('\n').count();
        self.out.code.push_str(taken);
        self.tail.extend(taken.chars().filter(|c| !c.is_whitespace()));
        if self.tail.len() > 64 {
            let cut = self.tail.char_indices().rev().nth(31).map_or(0, |(at, _)| at);
            self.tail.drain(..cut);
        }
    }

    fn blank(&mut self, length: usize) {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        self.line += taken.matches('\n').count();
        self.out.code.extend(taken.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
    }

    fn string(&mut self, open: usize, close: &str, escapes: bool) {
        let line = self.line;
        let before = self.tail.clone();
        self.code(open);
        let inside = string_length(self.rest, close, escapes);
        let text = self.rest[..inside].to_owned();
        self.blank(inside);
        self.code(close.len().min(self.rest.len()));
        self.out.literals.push(Literal { line, text, before });
    }
}

fn block_comment_length(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The length of `r#"` and its closing `"#`, when a raw string starts here.
fn raw_string_ends(text: &str) -> Option<(usize, String)> {
    let after =
        text.strip_prefix("br").or_else(|| text.strip_prefix("cr")).or_else(|| text.strip_prefix('r'))?;
    let hashes = after.len() - after.trim_start_matches('#').len();
    after[hashes..]
        .starts_with('"')
        .then(|| (text.len() - after.len() + hashes + 1, format!("\"{}", "#".repeat(hashes))))
}

fn string_length(text: &str, close: &str, escapes: bool) -> usize {
    let mut at = 0;
    while at < text.len() {
        if escapes && text[at..].starts_with('\\') {
            at += 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8);
        } else if text[at..].starts_with(close) {
            return at;
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The length of a char literal that starts here; none for a lifetime.
fn char_literal_length(text: &str) -> Option<usize> {
    let inside = &text[1..];
    if let Some(after) = inside.strip_prefix('\\') {
        let escaped = after.chars().next().map_or(0, char::len_utf8);
        return after[escaped..].find('\'').map(|end| 1 + 1 + escaped + end + 1);
    }
    let first = inside.chars().next()?.len_utf8();
    inside[first..].starts_with('\'').then_some(1 + first + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_blanks_comments_and_strings_and_keeps_lines() {
        let source = Source::parse(
            "let a = \"todo!()\"; // dbg!\n/* /* x */ */ let b = 'c';\nlet 'q: f(r#\"a\"b\"#);",
        );
        assert_eq!(source.code.lines().count(), 3);
        assert!(!source.code.contains("todo!") && !source.code.contains("dbg!"), "{}", source.code);
        assert!(source.code.contains("let 'q: f(r#\""), "{}", source.code);
        let texts: Vec<&str> = source.literals.iter().map(|l| l.text.as_str()).collect();
        assert_eq!(texts, ["todo!()", "a\"b"]);
        assert_eq!(source.literals[1].line, 3);
    }

    #[test]
    fn parse_names_what_stands_before_a_literal() {
        let source = Source::parse("call(format!(\n    \"x\\\"y\"\n))");
        assert!(source.literals[0].before.ends_with("format!("), "{:?}", source.literals);
        assert_eq!(source.literals[0].text, "x\\\"y");
    }

    #[test]
    fn parse_survives_quotes_in_char_literals() {
        let source = Source::parse("let q = '\"'; let e = '\\''; let s = \"in\"; let u = '\\u{1F600}';");
        assert_eq!(source.literals.len(), 1);
        assert_eq!(source.literals[0].text, "in");
    }

    #[test]
    fn tests_start_finds_the_test_module() {
        assert_eq!(Source::parse("fn a() {}\n#[cfg(test)]\nmod tests {}\n").tests_start(), 2);
        assert_eq!(Source::parse("fn a() {}\n").tests_start(), usize::MAX);
    }
}
