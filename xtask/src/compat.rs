//! How much of Playwright's API the JavaScript scope has: the table, its page, and what is wrong with it.
//!
//! Every row that says full or partial is named by a case that shows it, in a line that starts with `//@`.

use crate::repo::Repo;
use anyhow::{Context, Result};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Where the table is.
pub const TABLE: &str = "docs/playwright-compat.toml";

/// The page that is made from it.
pub const PAGE: &str = "docs/playwright-compat.md";

/// Where the cases are, and tests that show what no case can.
const CASES: &str = "crates/truehand/tests/repl/";

/// What stands before the names of rows that a case shows.
const MARK: &str = "//@ ";

/// How much there is of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// As documented.
    Full,
    /// With a difference, which the reason names.
    Partial,
    /// Not there, for the reason.
    None,
}

impl Status {
    fn name(self) -> &'static str {
        match self {
            Status::Full => "full",
            Status::Partial => "partial",
            Status::None => "none",
        }
    }
}

/// A row: a status alone, or with its reason.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
enum Row {
    Plain(Status),
    Explained { status: Status, reason: String },
}

impl Row {
    fn status(&self) -> Status {
        match self {
            Row::Plain(status) | Row::Explained { status, .. } => *status,
        }
    }

    fn reason(&self) -> &str {
        match self {
            Row::Plain(_) => "",
            Row::Explained { reason, .. } => reason,
        }
    }
}

type Table = BTreeMap<String, BTreeMap<String, Row>>;

fn table(repo: &Repo) -> Result<Table> {
    let text = repo.text(TABLE).with_context(|| format!("{TABLE} is missing"))?;
    toml::from_str(text).with_context(|| format!("{TABLE} can't be read"))
}

/// The rows that cases name, each with a file that does.
fn shown(repo: &Repo) -> BTreeMap<String, String> {
    let files = repo.files.iter().filter(|file| file.path.starts_with(CASES));
    let lines = files.flat_map(|file| file.text.lines().map(move |line| (file, line.trim_start())));
    let named = lines.filter_map(|(file, line)| Some((file, line.strip_prefix(MARK)?)));
    named
        .flat_map(|(file, names)| names.split_whitespace().map(|name| (name.to_owned(), file.path.clone())))
        .collect()
}

/// What is wrong with the table, each as (place, what).
///
/// # Errors
/// When the table is missing or can't be read.
pub fn problems(repo: &Repo) -> Result<Vec<(String, String)>> {
    Ok(judge(&table(repo)?, &shown(repo)))
}

fn judge(table: &Table, shown: &BTreeMap<String, String>) -> Vec<(String, String)> {
    let mut problems = Vec::new();
    let mut known = BTreeSet::new();
    for (class, rows) in table {
        for (member, row) in rows {
            let name = format!("{class}.{member}");
            let mut wrong = |what: &str| problems.push((TABLE.to_owned(), format!("{name}: {what}")));
            match row.status() {
                Status::Full => {}
                _ if row.reason().trim().is_empty() => wrong("says no reason"),
                _ => {}
            }
            let is_shown = shown.contains_key(&name);
            if row.status() != Status::None && !is_shown {
                wrong("no case shows it: name it in a line that starts with //@");
            }
            known.insert(name);
        }
    }
    for (name, path) in shown {
        if !known.contains(name) {
            problems.push((path.clone(), format!("{name} has no row in {TABLE}")));
        }
    }
    problems
}

/// The page.
///
/// # Errors
/// When the table is missing or can't be read.
pub fn page(repo: &Repo) -> Result<String> {
    Ok(render(&table(repo)?))
}

fn render(table: &Table) -> String {
    let rows = || table.values().flat_map(BTreeMap::values);
    let count = |status: Status| rows().filter(|row| row.status() == status).count();
    let (full, partial, none) = (count(Status::Full), count(Status::Partial), count(Status::None));
    let mut page = format!(
        "# What the JavaScript scope has of Playwright's API\n\n\
         Made from `{TABLE}` by `cargo xtask gen`. Methods, events (`on(name)`) and important options (`method(option)`): \
         {full} full, {partial} partial, {none} none. Each full or partial row is shown by a test case.\n"
    );
    for (class, rows) in table {
        // Writing to a text can't fail.
        let _ = write!(page, "\n## {class}\n\n");
        let full: Vec<String> = rows
            .iter()
            .filter(|(_, row)| row.status() == Status::Full)
            .map(|(name, _)| format!("`{name}`"))
            .collect();
        if !full.is_empty() {
            let _ = writeln!(page, "Full: {}", full.join(", "));
        }
        let others: Vec<_> = rows.iter().filter(|(_, row)| row.status() != Status::Full).collect();
        if !others.is_empty() {
            let gap = if full.is_empty() { "" } else { "\n" };
            let _ = writeln!(page, "{gap}| member | status | why |\n| --- | --- | --- |");
            for (name, row) in others {
                let _ = writeln!(
                    page,
                    "| `{name}` | {} | {} |",
                    row.status().name(),
                    row.reason().replace('|', "\\|")
                );
            }
        }
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Table {
        toml::from_str(
            "[Page]\ngoto = \"full\"\n\"goto(timeout)\" = \"full\"\nvideo = { status = \"none\", reason = \"nothing is recorded\" }\n\
             pause = { status = \"partial\", reason = \"\" }\n",
        )
        .expect("valid")
    }

    #[test]
    fn compat_rows_without_case_or_reason_and_cases_without_row_are_found() {
        let shown = BTreeMap::from([
            ("Page.goto".to_owned(), "a.js".to_owned()),
            ("Page.pause".to_owned(), "a.js".to_owned()),
            ("Page.gone".to_owned(), "b.js".to_owned()),
        ]);
        let found: Vec<String> = judge(&example(), &shown).into_iter().map(|(_, what)| what).collect();
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found.iter().any(|f| f.starts_with("Page.goto(timeout): no case")));
        assert!(found.iter().any(|f| f.starts_with("Page.pause: says no reason")));
        assert!(found.iter().any(|f| f.starts_with("Page.gone has no row")));
    }

    #[test]
    fn compat_page_counts_and_explains() {
        let page = render(&example());
        assert!(page.contains("2 full, 1 partial, 1 none"), "{page}");
        assert!(page.contains("Full: `goto`, `goto(timeout)`"), "{page}");
        assert!(page.contains("| `video` | none | nothing is recorded |"), "{page}");
    }
}
