//! Rules about Rust sources: heads, length, banned code, and no JavaScript made of strings.

use super::{Finding, Subject};
use crate::lex::{Literal, Source};
use crate::repo::TextFile;

/// The longest that a source may be, in lines.
const MAX_LINES: usize = 800;

/// Sources that may be longer, with the reason.
const LONG: &[(&str, &str)] = &[];

/// Code that is not accepted, and what to do instead.
const BANNED: &[(&str, &str)] = &[
    ("todo!", "finish it or leave it out"),
    ("unimplemented!", "finish it or leave it out"),
    ("dbg!", "remove it"),
    ("#[ignore", "a test that does not run proves nothing: mend it or delete it"),
    ("#[allow(", "use #[expect(…, reason = \"…\")], which complains when it is no longer needed"),
    ("#![allow(", "use #![expect(…, reason = \"…\")], which complains when it is no longer needed"),
    ("staticmut", "keep state in a value that is passed on"),
];

/// What only JavaScript says.
const SCRIPT_MARKS: &[&str] = &[
    "function(",
    "function (",
    "() =>",
    ") => ",
    "document.",
    "window.",
    "globalThis",
    "querySelector",
    "=> {",
];

/// The longest JavaScript that may stand in a Rust string: one call, maybe wrapped in a function declaration.
const SCRIPT_LENGTH: usize = 100;

/// Longer JavaScript in Rust strings, as (file, how it starts, reason).
const SCRIPTS: &[(&str, &str, &str)] = &[];

/// Macros that put a string together.
const FORMATTERS: &[&str] = &["format!(", "format_args!(", "write!(", "writeln!(", "concat!("];

/// Every Rust source starts by saying what it is for, and so does every script.
pub fn heads(subject: &Subject<'_>) -> Vec<Finding> {
    let rust = subject.repo.with_extension("rs").map(|f| (f, "//! "));
    let scripts = ["js", "mjs"].into_iter().flat_map(|e| subject.repo.with_extension(e)).map(|f| (f, "// "));
    rust.chain(scripts).filter_map(|(file, mark)| head(file, mark)).collect()
}

fn head(file: &TextFile, mark: &str) -> Option<Finding> {
    let first = file.text.lines().find(|line| !line.starts_with("#!") || line.starts_with("#!["))?;
    let advice = format!("must start with a '{}' comment that says what it is for", mark.trim());
    (!first.starts_with(mark)).then(|| Finding::new(&file.path, advice))
}

/// No source grows past what a reader can hold.
pub fn lengths(subject: &Subject<'_>) -> Vec<Finding> {
    let sources = ["rs", "js", "mjs"].into_iter().flat_map(|e| subject.repo.with_extension(e));
    let sizes: Vec<(&str, usize)> = sources.map(|f| (f.path.as_str(), f.text.lines().count())).collect();
    judge_lengths(&sizes, LONG)
}

fn judge_lengths(sizes: &[(&str, usize)], long: &[(&str, &str)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, lines) in sizes {
        let listed = long.iter().any(|(p, _)| p == path);
        if *lines > MAX_LINES && !listed {
            findings.push(Finding::new(*path, format!("has {lines} lines; split it at {MAX_LINES}")));
        }
        if *lines <= MAX_LINES && listed {
            findings.push(Finding::new(*path, "is no longer too long: remove its row"));
        }
    }
    findings
}

/// Code that is not accepted anywhere.
pub fn banned(subject: &Subject<'_>) -> Vec<Finding> {
    subject.repo.with_extension("rs").flat_map(banned_in).collect()
}

fn banned_in(file: &TextFile) -> Vec<Finding> {
    let source = Source::parse(&file.text);
    let mut findings = Vec::new();
    for (number, line) in source.code.lines().enumerate() {
        let dense: String = line.chars().filter(|c| !c.is_whitespace()).collect();
        for (word, advice) in BANNED {
            let found = dense
                .match_indices(word)
                .any(|(at, _)| !dense[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'));
            if found {
                findings
                    .push(Finding::new(format!("{}:{}", file.path, number + 1), format!("{word}: {advice}")));
            }
        }
    }
    findings
}

/// Page code lives in files and is called by name with values. Tests may write pages as they like.
pub fn script_in_strings(subject: &Subject<'_>) -> Vec<Finding> {
    let product = subject.repo.with_extension("rs").filter(|f| is_product(&f.path));
    product.flat_map(|file| script_in(file, SCRIPTS)).collect()
}

fn is_product(path: &str) -> bool {
    path.starts_with("crates/") && path.contains("/src/") && !path.starts_with("crates/testkit/")
}

fn script_in(file: &TextFile, allowed: &[(&str, &str, &str)]) -> Vec<Finding> {
    let source = Source::parse(&file.text);
    let tests = source.tests_start();
    let product = source.literals.iter().filter(|l| l.line < tests);
    product.filter_map(|literal| judge_script(&file.path, literal, allowed)).collect()
}

fn judge_script(path: &str, literal: &Literal, allowed: &[(&str, &str, &str)]) -> Option<Finding> {
    if !SCRIPT_MARKS.iter().any(|mark| literal.text.contains(mark)) {
        return None;
    }
    let place = format!("{path}:{}", literal.line);
    if FORMATTERS.iter().any(|macro_name| literal.before.ends_with(macro_name)) && literal.text.contains('{')
    {
        return Some(Finding::new(
            place,
            "builds JavaScript from strings: call a function by name with values",
        ));
    }
    let listed =
        allowed.iter().any(|(p, start, _)| *p == path && literal.text.trim_start().starts_with(start));
    let statements =
        literal.text.split(';').filter(|part| !part.trim_matches(['}', ' ', '\n']).is_empty()).count();
    ((literal.text.len() > SCRIPT_LENGTH || statements > 1) && !listed)
        .then(|| Finding::new(place, "holds JavaScript longer than a call: move it to a .js file"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> TextFile {
        TextFile { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn heads_missing_comment_is_found() {
        assert_eq!(head(&file("a.rs", "//! What.\nfn a() {}"), "//! "), None);
        assert!(head(&file("a.rs", "use a;\n//! Late."), "//! ").is_some());
        assert!(head(&file("a.js", "(lib) => 1"), "// ").is_some());
        assert_eq!(head(&file("a.mjs", "#!/usr/bin/env node\n// What."), "// "), None);
    }

    #[test]
    fn lengths_long_file_and_stale_row_are_found() {
        assert_eq!(judge_lengths(&[("a.rs", 800)], &[]), []);
        assert_eq!(judge_lengths(&[("a.rs", 801)], &[]).len(), 1);
        assert_eq!(judge_lengths(&[("a.rs", 801)], &[("a.rs", "a table")]), []);
        assert_eq!(judge_lengths(&[("a.rs", 10)], &[("a.rs", "a table")]).len(), 1);
    }

    #[test]
    fn banned_code_is_found_and_words_in_strings_are_not() {
        let bad =
            "//! x\nfn a() { todo ! () }\n#[ignore]\nfn b() { dbg!(1) }\n#[allow(dead_code)]\nfn c() {}";
        assert_eq!(banned_in(&file("a.rs", bad)).len(), 4);
        assert_eq!(banned_in(&file("a.rs", "// todo!()\nlet s = \"dbg!\"; my_todo!()")), []);
    }

    #[test]
    fn script_in_strings_is_found_when_built_or_long() {
        let built = "let s = format!(\"(() => {{ return {x} }})()\");";
        assert_eq!(script_in(&file("a.rs", built), &[]).len(), 1);
        let long = "const S: &str = \"document.body.remove(); document.title = 1\";";
        assert_eq!(script_in(&file("a.rs", long), &[]).len(), 1);
        assert_eq!(script_in(&file("a.rs", long), &[("a.rs", "document.body", "reason")]), []);
        let call = "const S: &str = \"function (n, a) { return globalThis.x.call(n, a); }\";";
        assert_eq!(script_in(&file("a.rs", call), &[]), []);
        let test = "fn a() {}\n#[cfg(test)]\nmod tests { const S: &str = \"document.a(); document.b();\"; }";
        assert_eq!(script_in(&file("a.rs", test), &[]), []);
    }
}
