//! Just enough of JavaScript to know whether a person has finished typing, and what a cursor is in.

/// Where a text leaves off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leaves {
    /// Outside of everything.
    Open,
    /// Within brackets, or behind a sign that wants more.
    Unfinished,
    /// Within a string, a template, a regular expression or a comment that goes on.
    Within,
    /// Within a string or a regular expression that ended with its line, which is a mistake.
    Broken,
}

/// What the scanner is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum In {
    Bracket(char),
    Template,
}

/// Where a text leaves off.
pub(super) fn leaves(text: &str) -> Leaves {
    scan(text).0
}

/// The same, and whether that is behind the mark of a comment that ends with its line.
fn scan(text: &str) -> (Leaves, bool) {
    let mut comment = false;
    (walk(text, &mut comment), comment)
}

fn walk(text: &str, comment: &mut bool) -> Leaves {
    let mut stack: Vec<In> = Vec::new();
    let mut chars = text.chars().peekable();
    // The last sign that means something, and the last word: they tell a division from a regular expression.
    let (mut last, mut word) = (' ', String::new());
    while let Some(c) = chars.next() {
        if stack.last() == Some(&In::Template) {
            match c {
                '\\' => drop(chars.next()),
                '`' => {
                    stack.pop();
                    last = '`';
                }
                '$' if chars.peek() == Some(&'{') => {
                    chars.next();
                    stack.push(In::Bracket('}'));
                    last = '{';
                }
                _ => {}
            }
            continue;
        }
        match c {
            '/' if chars.peek() == Some(&'/') => {
                *comment = chars.by_ref().all(|c| c != '\n');
            }
            '/' if chars.peek() == Some(&'*') => {
                chars.next();
                let mut star = false;
                let mut closed = false;
                for c in chars.by_ref() {
                    if star && c == '/' {
                        closed = true;
                        break;
                    }
                    star = c == '*';
                }
                if !closed {
                    return Leaves::Within;
                }
            }
            '\'' | '"' => match string(&mut chars, c) {
                Some(true) => last = c,
                Some(false) => return Leaves::Broken,
                None => return Leaves::Within,
            },
            '`' => stack.push(In::Template),
            '/' if begins_expression(last, &word) => match expression(&mut chars) {
                Some(true) => last = '/',
                Some(false) => return Leaves::Broken,
                None => return Leaves::Within,
            },
            '(' | '[' | '{' => {
                stack.push(In::Bracket(match c {
                    '(' => ')',
                    '[' => ']',
                    _ => '}',
                }));
                last = c;
            }
            ')' | ']' | '}' => {
                // One that closes nothing is a mistake that the engine tells of.
                if stack.last() == Some(&In::Bracket(c)) {
                    stack.pop();
                } else {
                    return Leaves::Open;
                }
                last = c;
            }
            c if c.is_whitespace() => continue,
            c => {
                let of_word = c.is_alphanumeric() || c == '_' || c == '$';
                if !of_word || !(last.is_alphanumeric() || last == '_' || last == '$') {
                    word.clear();
                }
                if of_word {
                    word.push(c);
                }
                last = c;
                continue;
            }
        }
        word.clear();
    }
    if stack.contains(&In::Template) && stack.last() == Some(&In::Template) {
        return Leaves::Within;
    }
    let more = matches!(last, ',' | '=' | '+' | '-' | '*' | '.' | '?' | ':' | '&' | '|')
        && !text.trim_end().ends_with("++")
        && !text.trim_end().ends_with("--");
    if stack.is_empty() && !more { Leaves::Open } else { Leaves::Unfinished }
}

/// Goes to the end of a string. Whether it was closed; nothing when the text ended before its line did.
fn string(chars: &mut impl Iterator<Item = char>, quote: char) -> Option<bool> {
    while let Some(c) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '\n' => return Some(false),
            c if c == quote => return Some(true),
            _ => {}
        }
    }
    None
}

/// Goes to the end of a regular expression.
fn expression(chars: &mut impl Iterator<Item = char>) -> Option<bool> {
    let mut class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '\n' => return Some(false),
            '[' => class = true,
            ']' => class = false,
            '/' if !class => return Some(true),
            _ => {}
        }
    }
    None
}

/// Whether a slash begins a regular expression: it does where no value stands before it.
fn begins_expression(last: char, word: &str) -> bool {
    let words = [
        "return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "await", "yield", "else",
        "do",
    ];
    let value =
        last.is_alphanumeric() || matches!(last, '_' | '$' | ')' | ']' | '}' | '\'' | '"' | '`' | '/');
    !value || words.contains(&word)
}

/// The dotted path before the cursor, and where it begins. Nothing where names mean nothing.
pub(super) fn path(line: &str, at: usize) -> Option<(usize, &str)> {
    let before = line.get(..at)?;
    let of_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '?');
    let start = before.char_indices().rev().take_while(|(_, c)| of_path(*c)).last().map_or(at, |(at, _)| at);
    let path = before[start..].trim_start_matches('?');
    let start = at - path.len();
    // Behind a call or an index nobody knows the value without running it.
    let behind = before[..start].chars().next_back();
    if path.starts_with('.') || path.chars().next().is_some_and(|c| c.is_ascii_digit()) {
        return None;
    }
    let (leaves, comment) = scan(&before[..start]);
    if comment
        || matches!(leaves, Leaves::Within | Leaves::Broken)
        || matches!(behind, Some('\'' | '"' | '`'))
    {
        return None;
    }
    Some((start, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_is_finished_is_run() {
        for text in [
            "1+1",
            "f({a: [1, 2]})",
            "'a(' + \"b[\"",
            "`a${ {b: '}'}.b }c`",
            "x / 2 / (y)",
            "a = /[/(]\\/(/.test('(')",
            "// (",
            "/* ( */ 1",
            "if (a) { b() }",
            "i++",
            "const f = () => {}",
            "return /a\\//g",
            "",
            "a)",
            "`${`${1}`}`",
        ] {
            assert_eq!(leaves(text), Leaves::Open, "{text}");
        }
    }

    #[test]
    fn text_that_is_not_finished_goes_on_in_the_next_line() {
        for text in
            ["f(", "{ a: [1,", "function f() {", "const a =", "a &&", "await page.", "`a${f(", "x = {\n"]
        {
            assert_eq!(leaves(text), Leaves::Unfinished, "{text}");
        }
        for text in ["`a", "`a${1}b", "/* a", "'a", "a = /b"] {
            assert_eq!(leaves(text), Leaves::Within, "{text}");
        }
        assert_eq!(leaves("'a\nb"), Leaves::Broken);
    }

    #[test]
    fn path_before_the_cursor_is_found_where_names_mean_something() {
        assert_eq!(path("await page.key", 14), Some((6, "page.key")));
        assert_eq!(path("f(page?.mo", 10), Some((2, "page?.mo")));
        assert_eq!(path("x = ", 4), Some((4, "")));
        for line in ["'page.k", "f().a", "a[0].b", "// pa", "1.to"] {
            assert_eq!(path(line, line.len()), None, "{line}");
        }
    }
}
