//! Every crate that is linked in may be used and passed on under terms that we can keep.

use super::{Finding, Subject};

/// Licences that ask for no more than a notice, or (MPL-2.0) for the source of their own files.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Exceptions (after WITH) that only widen what is allowed.
const EXCEPTIONS: &[&str] = &["LLVM-exception"];

/// Checks the licence of every crate, ours included, on every platform.
pub fn check(subject: &Subject<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in &subject.metadata.packages {
        let place = format!("{} {}", package.name, package.version);
        match package.license.as_deref().map(allowed) {
            Some(Ok(true)) => {}
            Some(Ok(false)) => {
                let licence = package.license.as_deref().unwrap_or_default();
                findings.push(Finding::new(place, format!("the licence {licence} is not on the list")));
            }
            Some(Err(problem)) => findings.push(Finding::new(place, problem)),
            None => findings.push(Finding::new(place, "names no licence")),
        }
    }
    findings
}

/// Whether an SPDX expression can be satisfied by allowed licences alone.
fn allowed(expression: &str) -> Result<bool, String> {
    // The older spelling `MIT/Apache-2.0` means OR.
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let tokens: Vec<&str> = spaced.split_whitespace().collect();
    let mut parser = Parser { tokens: &tokens, at: 0 };
    let answer = parser.either()?;
    match parser.next() {
        None => Ok(answer),
        Some(extra) => Err(format!("the licence '{expression}' has an unexpected '{extra}'")),
    }
}

struct Parser<'a> {
    tokens: &'a [&'a str],
    at: usize,
}

impl<'a> Parser<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let token = self.tokens.get(self.at).copied();
        self.at += 1;
        token
    }

    fn takes(&mut self, word: &str) -> bool {
        let found = self.tokens.get(self.at) == Some(&word);
        self.at += usize::from(found);
        found
    }

    fn either(&mut self) -> Result<bool, String> {
        let mut answer = self.both()?;
        while self.takes("OR") {
            // No short cut: the right side must be read in any case.
            let right = self.both()?;
            answer = answer || right;
        }
        Ok(answer)
    }

    fn both(&mut self) -> Result<bool, String> {
        let mut answer = self.one()?;
        while self.takes("AND") {
            let right = self.one()?;
            answer = answer && right;
        }
        Ok(answer)
    }

    fn one(&mut self) -> Result<bool, String> {
        match self.next() {
            Some("(") => {
                let answer = self.either()?;
                if self.takes(")") { Ok(answer) } else { Err("a licence lacks a closing bracket".to_owned()) }
            }
            Some(")" | "OR" | "AND" | "WITH") | None => Err("a licence name is missing".to_owned()),
            Some(name) => {
                let known = ALLOWED.contains(&name);
                if self.takes("WITH") {
                    let exception = self.next().ok_or("a licence exception is missing")?;
                    return Ok(known && EXCEPTIONS.contains(&exception));
                }
                Ok(known)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn licences_expressions_are_judged_as_spdx_means_them() {
        for (expression, answer) in [
            ("MIT", true),
            ("GPL-3.0-only", false),
            ("MIT OR GPL-3.0-only", true),
            ("GPL-3.0-only OR MIT", true),
            ("MIT AND GPL-3.0-only", false),
            ("MIT/Apache-2.0", true),
            ("Apache-2.0 WITH LLVM-exception", true),
            ("Apache-2.0 WITH Other-exception", false),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
            ("MIT OR Apache-2.0 AND GPL-2.0-only", true),
            ("(MIT OR Apache-2.0) AND GPL-2.0-only", false),
        ] {
            assert_eq!(allowed(expression), Ok(answer), "{expression}");
        }
        for broken in ["", "MIT OR", "(MIT", "MIT Apache-2.0", "AND MIT"] {
            assert!(allowed(broken).is_err(), "{broken}");
        }
    }
}
