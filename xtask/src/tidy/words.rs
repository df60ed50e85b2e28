//! The project speaks of itself, never of the machines and people it was written on.

use super::{Finding, Subject};
use crate::repo::TextFile;

/// Words that would tie the project to one place. They are split here so that this file does not trip.
const BANNED: &[&str] = &[
    concat!("/wo", "rk/"),
    concat!("/tmp/", "brief"),
    concat!("/ro", "ot/"),
    concat!("/home/", "user"),
    concat!("scca", "che"),
    concat!("artifac", "tory"),
    concat!("index.crates", ".io"),
    concat!("static.crates", ".io"),
    concat!("deb.deb", "ian.org"),
    concat!("registry.npm", "js.org"),
    concat!("pypi", ".org"),
    concat!("Co-Authored", "-By"),
    concat!("the se", "ed's"),
];

/// Files that others write.
const SKIPPED: &[&str] = &["Cargo.lock"];

/// Checks every text file.
pub fn check(subject: &Subject<'_>) -> Vec<Finding> {
    let files = subject.repo.files.iter().filter(|f| !SKIPPED.contains(&f.path.as_str()));
    files.flat_map(judge).collect()
}

fn judge(file: &TextFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in file.text.lines().enumerate() {
        for word in BANNED.iter().filter(|word| line.contains(**word)) {
            let what = format!("says '{word}', which means nothing to a reader elsewhere");
            findings.push(Finding::new(format!("{}:{}", file.path, number + 1), what));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_workplace_are_found() {
        let text = format!("fine\nsee {}main", BANNED[0]);
        let findings = judge(&TextFile { path: "README.md".to_owned(), text });
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].place, "README.md:2");
    }
}
