//! Rules about the scripts that run inside pages: they leave no marks, fetch nothing, and run no text as code.

use super::{Finding, Subject};
use crate::repo::TextFile;

/// The folder of the page parts.
const FOLDER: &str = "crates/browser/js";

/// What page code may not say, and why.
const BANNED: &[(&str, &str)] = &[
    ("eval(", "runs text as code"),
    ("new Function", "runs text as code"),
    ("innerHTML =", "writes markup"),
    ("outerHTML =", "writes markup"),
    ("insertAdjacentHTML", "writes markup"),
    ("document.write", "writes markup"),
    (".setAttribute(", "marks the page; keep handles in a WeakMap"),
    (".toggleAttribute(", "marks the page; keep handles in a WeakMap"),
    (".dataset.", "marks the page; keep handles in a WeakMap"),
    (".classList.add(", "marks the page; keep handles in a WeakMap"),
    (".appendChild(", "adds to the page"),
    ("createElement(", "adds to the page"),
    ("fetch(", "uses the network"),
    ("XMLHttpRequest", "uses the network"),
    ("WebSocket", "uses the network"),
    ("sendBeacon", "uses the network"),
    ("setInterval(", "keeps running on its own"),
    ("localStorage", "stores in the page's name"),
    ("sessionStorage", "stores in the page's name"),
    ("import(", "page parts are classic scripts"),
    ("debugger", "stops the page"),
];

/// Lines that may say it all the same, as (file, what the line contains, reason).
const ALLOWED: &[(&str, &str, &str)] = &[
    (
        "crates/browser/js/85-wait.js",
        "setInterval(attempt",
        "a wait looks again for what makes no mutation, and ends it when it is met or its time is over",
    ),
    (
        "crates/browser/js/89-script-shot.js",
        "createElement('truehand-glass')",
        "masks and labels lie above the page for one picture and are taken away again",
    ),
];

/// Checks every page part.
pub fn check(subject: &Subject<'_>) -> Vec<Finding> {
    let parts = subject.repo.in_folder(FOLDER).filter(|f| f.path.ends_with(".js"));
    let mut findings: Vec<Finding> = parts.flat_map(|file| judge(file, ALLOWED)).collect();
    for (path, part, _) in ALLOWED {
        if !subject.repo.text(path).is_some_and(|text| text.contains(part)) {
            findings.push(Finding::new(*path, format!("no longer says '{part}': remove its row")));
        }
    }
    findings
}

fn judge(file: &TextFile, allowed: &[(&str, &str, &str)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in file.text.lines().enumerate() {
        let code = line.trim_start();
        if code.starts_with("//") || code.starts_with('*') || code.starts_with("/*") {
            continue;
        }
        if allowed.iter().any(|(path, part, _)| *path == file.path && code.contains(part)) {
            continue;
        }
        for (word, why) in BANNED {
            let found = code.match_indices(word).any(|(at, _)| {
                let starts_a_word = word.starts_with(|c: char| c.is_alphanumeric());
                !starts_a_word || !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$')
            });
            if found {
                findings
                    .push(Finding::new(format!("{}:{}", file.path, number + 1), format!("'{word}' {why}")));
            }
        }
        if code.starts_with("import ") || code.starts_with("export ") {
            let what = "page parts are classic scripts without import and export";
            findings.push(Finding::new(format!("{}:{}", file.path, number + 1), what));
        }
    }
    if !file.text.contains("\"use strict\"") && !file.text.contains("'use strict'") {
        findings.push(Finding::new(&file.path, "must be strict"));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_code_marks_and_evaluation_are_found() {
        let text = "// head, eval( in words\n\"use strict\";\nel.innerHTML = x;\nel.setAttribute('a', 1);\neval(x);\nretrieval(x);";
        let file = TextFile { path: "crates/browser/js/10-x.js".to_owned(), text: text.to_owned() };
        assert_eq!(judge(&file, &[]).len(), 3);
        assert_eq!(judge(&file, &[("crates/browser/js/10-x.js", "setAttribute('a'", "reason")]).len(), 2);
    }

    #[test]
    fn page_code_must_be_strict() {
        let file = TextFile { path: "crates/browser/js/10-x.js".to_owned(), text: "// head\n".to_owned() };
        assert_eq!(judge(&file, &[]).len(), 1);
    }
}
