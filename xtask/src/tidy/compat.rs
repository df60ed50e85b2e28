//! A rule about the table of what the JavaScript scope has of Playwright's API: what it claims is shown by cases.

use super::{Finding, Subject};
use crate::compat;

/// Checks the table against the cases.
pub fn check(subject: &Subject<'_>) -> Vec<Finding> {
    match compat::problems(subject.repo) {
        Ok(problems) => problems.into_iter().map(|(place, what)| Finding::new(place, what)).collect(),
        Err(error) => vec![Finding::new(compat::TABLE, format!("{error:#}"))],
    }
}
