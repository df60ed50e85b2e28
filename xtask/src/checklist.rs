//! Claims and their proofs: every claimed behaviour has a test that carries its number and, when a
//! test report is given, that ran and passed.

use crate::lex::Source;
use crate::repo::{Repo, TextFile};
use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Where the claims are.
const CLAIMS: &str = "docs/checklist-claims.toml";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Claims {
    claim: Vec<Claim>,
}

/// A claimed behaviour.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Claim {
    /// Its number, which tests carry as `row_189`.
    row: u16,
    /// What is claimed.
    what: String,
}

/// How a test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Passed,
    Failed,
}

/// Prints every claim with its tests; false when one is not proven.
///
/// # Errors
/// When the claims or the report can't be read.
pub fn print(repo: &Repo, report: Option<&Path>) -> Result<bool> {
    let claims = repo.text(CLAIMS).with_context(|| format!("{CLAIMS} is missing"))?;
    let claims: Claims = toml::from_str(claims).with_context(|| format!("{CLAIMS} can't be read"))?;
    let ran = match report {
        None => None,
        Some(path) => {
            let text =
                std::fs::read_to_string(path).with_context(|| format!("can't read {}", path.display()))?;
            Some(read_report(&text)?)
        }
    };
    let tests = tests_by_row(repo.with_extension("rs"));
    let mut missing = 0;
    for claim in &claims.claim {
        let proof = judge(tests.get(&claim.row), ran.as_ref());
        let mark = if proof.is_ok() { "ok     " } else { "MISSING" };
        let (Ok(words) | Err(words)) = &proof;
        println!("{mark} {:>3}  {} ({words})", claim.row, claim.what);
        missing += usize::from(proof.is_err());
    }
    let how = if ran.is_some() { "tests that ran and passed" } else { "tests" };
    println!("{} of {} claims have {how}", claims.claim.len() - missing, claims.claim.len());
    let claimed: BTreeSet<u16> = claims.claim.iter().map(|c| c.row).collect();
    let extra: Vec<String> = tests.keys().filter(|row| !claimed.contains(row)).map(u16::to_string).collect();
    if !extra.is_empty() {
        println!("tests also carry numbers that are not claimed: {}", extra.join(", "));
    }
    Ok(missing == 0)
}

/// The proof of one claim, or why it is none.
fn judge(tests: Option<&BTreeSet<String>>, ran: Option<&BTreeMap<String, End>>) -> Result<String, String> {
    let Some(tests) = tests else { return Err("no test carries its number".to_owned()) };
    let names: Vec<&str> = tests.iter().map(String::as_str).collect();
    if let Some(ran) = ran {
        for name in &names {
            match ran.get(*name) {
                Some(End::Passed) => {}
                Some(End::Failed) => return Err(format!("{name} failed")),
                None => return Err(format!("{name} did not run")),
            }
        }
    }
    Ok(names.join(", "))
}

/// Test functions by the numbers in their names.
fn tests_by_row<'a>(files: impl Iterator<Item = &'a TextFile>) -> BTreeMap<u16, BTreeSet<String>> {
    let mut tests: BTreeMap<u16, BTreeSet<String>> = BTreeMap::new();
    for file in files {
        for name in test_names(&Source::parse(&file.text).code) {
            for row in rows_in(&name) {
                tests.entry(row).or_default().insert(name.clone());
            }
        }
    }
    tests
}

/// Functions marked with an attribute that ends in `test`, such as `#[test]` and `#[tokio::test(…)]`.
fn test_names(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut marked = false;
    for line in code.lines().map(str::trim) {
        if let Some(attribute) = line.strip_prefix("#[") {
            let path = attribute.split(['(', ']']).next().unwrap_or_default();
            marked |= path == "test" || path.ends_with("::test");
        }
        let mut words = line.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        if words.any(|word| word == "fn") {
            if marked && let Some(name) = words.next() {
                names.push(name.to_owned());
            }
            marked = false;
        }
    }
    names
}

/// The numbers in a test's name: `row_184_185_read_…` has two. A number has three digits.
fn rows_in(name: &str) -> Vec<u16> {
    let Some((_, rest)) = name.split_once("row_") else { return Vec::new() };
    let is_row = |part: &&str| part.len() == 3 && part.bytes().all(|b| b.is_ascii_digit());
    rest.split('_').take_while(is_row).filter_map(|part| part.parse().ok()).collect()
}

/// Reads how tests ended, by the last part of their paths, from JUnit XML or the output of `cargo test`.
fn read_report(text: &str) -> Result<BTreeMap<String, End>> {
    let ends: Vec<(String, End)> = if text.trim_start().starts_with('<') {
        junit(text)
    } else {
        text.lines().filter_map(libtest).collect()
    };
    if ends.is_empty() {
        bail!("the report names no test");
    }
    let mut map = BTreeMap::new();
    for (path, end) in ends {
        let name = path.rsplit("::").next().unwrap_or(&path).to_owned();
        // The same name in two binaries: one failure is enough.
        let known = map.entry(name).or_insert(end);
        if end == End::Failed {
            *known = End::Failed;
        }
    }
    Ok(map)
}

fn junit(text: &str) -> Vec<(String, End)> {
    let cases = text.split("<testcase ").skip(1);
    cases
        .filter_map(|case| {
            let name = case.split("name=\"").nth(1)?.split('"').next()?.to_owned();
            let body = case.split("</testcase>").next().unwrap_or(case);
            let closed_at_once = body.find("/>").is_some_and(|end| !body[..end].contains('>'));
            let ended_badly = !closed_at_once && (body.contains("<failure") || body.contains("<error"));
            let skipped = !closed_at_once && body.contains("<skipped");
            (!skipped).then_some((name, if ended_badly { End::Failed } else { End::Passed }))
        })
        .collect()
}

fn libtest(line: &str) -> Option<(String, End)> {
    let (name, end) = line.trim().strip_prefix("test ")?.rsplit_once(" ... ")?;
    match end {
        "ok" => Some((name.to_owned(), End::Passed)),
        "FAILED" => Some((name.to_owned(), End::Failed)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_from_names() {
        assert_eq!(rows_in("row_189_click_on_covered"), [189]);
        assert_eq!(rows_in("row_184_185_read"), [184, 185]);
        assert_eq!(rows_in("click_row_001_x"), [1]);
        assert_eq!(rows_in("row_2_x"), [] as [u16; 0]);
        assert_eq!(rows_in("arrow_keys"), [] as [u16; 0]);
    }

    #[test]
    fn tests_are_found_and_helpers_are_not() {
        let code = "#[tokio::test(flavor = x)]\n#[expect(a)]\nasync fn row_189_a() {}\nfn row_190_helper() {}\n#[test] fn row_191_b() {}";
        assert_eq!(test_names(code), ["row_189_a", "row_191_b"]);
    }

    #[test]
    fn claim_without_test_or_with_one_that_failed_is_not_proven() {
        let tests = BTreeSet::from(["row_189_a".to_owned()]);
        let ran = |end| BTreeMap::from([("row_189_a".to_owned(), end)]);
        assert!(judge(None, None).is_err());
        assert!(judge(Some(&tests), None).is_ok());
        assert!(judge(Some(&tests), Some(&ran(End::Passed))).is_ok());
        assert!(judge(Some(&tests), Some(&ran(End::Failed))).is_err());
        assert!(judge(Some(&tests), Some(&BTreeMap::new())).is_err());
    }

    #[test]
    fn reports_of_both_kinds_are_read() {
        let xml = "<?xml version=\"1.0\"?><testsuites name=\"n\"><testsuite name=\"s\"><testcase name=\"it::row_001_a\" classname=\"c\" time=\"1\">\n</testcase>\
                   <testcase name=\"row_002_b\" time=\"1\"><failure type=\"x\"/></testcase><testcase name=\"row_003_c\" time=\"0\"/></testsuite></testsuites>";
        let report = read_report(xml).expect("is read");
        assert_eq!(report["row_001_a"], End::Passed);
        assert_eq!(report["row_002_b"], End::Failed);
        assert_eq!(report["row_003_c"], End::Passed);
        let text = "running 2 tests\ntest it::row_001_a ... ok\ntest row_002_b ... FAILED\ntest row_003_c ... ignored\n";
        let report = read_report(text).expect("is read");
        assert_eq!(report.len(), 2);
        assert_eq!(report["row_002_b"], End::Failed);
        assert!(read_report("nothing").is_err());
    }
}
