//! The project's rules that no compiler knows, each a function from the repository to its findings.
//!
//! What a rule allows is data beside it, with a reason; a row that allows nothing any more is a finding too.

pub mod compat;
pub mod duplicates;
pub mod layers;
pub mod licences;
pub mod page_code;
pub mod sources;
pub mod tools;
pub mod words;

use crate::metadata::Metadata;
use crate::repo::Repo;
use anyhow::Result;
use std::fmt;

/// Something that breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Where: a path, or `path:line`, or a crate's name.
    pub place: String,
    /// What is wrong and what would be right.
    pub what: String,
}

impl Finding {
    /// A finding.
    #[must_use]
    pub fn new(place: impl Into<String>, what: impl Into<String>) -> Self {
        Finding { place: place.into(), what: what.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

/// What the rules look at.
#[derive(Debug)]
pub struct Subject<'a> {
    /// The files.
    pub repo: &'a Repo,
    /// The crates.
    pub metadata: Metadata,
}

impl<'a> Subject<'a> {
    /// Reads what the rules look at.
    ///
    /// # Errors
    /// When cargo can't be asked.
    pub fn read(repo: &'a Repo) -> Result<Self> {
        Ok(Subject { repo, metadata: Metadata::read(&repo.root)? })
    }
}

/// A rule: its name and its check.
pub type Rule = (&'static str, fn(&Subject<'_>) -> Vec<Finding>);

/// Every rule.
pub const RULES: &[Rule] = &[
    ("layers", layers::check),
    ("licences", licences::check),
    ("duplicate versions", duplicates::check),
    ("file heads", sources::heads),
    ("file length", sources::lengths),
    ("banned code", sources::banned),
    ("script in strings", sources::script_in_strings),
    ("page code", page_code::check),
    ("workplace words", words::check),
    ("tool files", tools::files),
    ("tool catalog", tools::catalog),
    ("scope compatibility", compat::check),
];

/// Prints the findings of every rule; true when there are none.
///
/// # Errors
/// When cargo can't be asked.
pub fn print_all(repo: &Repo) -> Result<bool> {
    let subject = Subject::read(repo)?;
    let mut count = 0;
    for (name, check) in RULES {
        for finding in check(&subject) {
            println!("{name}: {finding}");
            count += 1;
        }
    }
    println!("tidy: {} rules, {count} findings", RULES.len());
    Ok(count == 0)
}
