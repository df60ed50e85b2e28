//! The table of complaints is whole: every one has its test, or a reason and what is tested instead.

use serde_json::Value;
use std::collections::BTreeSet;
use truehand_testkit::fixtures;

/// The sources of these tests, to look names up in.
const SOURCES: &[&str] = &[
    include_str!("a_references.rs"),
    include_str!("b_size.rs"),
    include_str!("c_clicks.rs"),
    include_str!("d_frames.rs"),
    include_str!("e_dialogs.rs"),
    include_str!("f_files.rs"),
    include_str!("g_attach.rs"),
    include_str!("h_bridges.rs"),
    include_str!("i_processes.rs"),
    include_str!("j_frequent.rs"),
];

/// The numbered complaints.
const NUMBERED: u64 = 52;
/// The topics that come up often.
const TOPICS: &[&str] =
    &["windows", "cjk", "editors", "canvas", "shadow", "semantics", "slow-spa", "descriptions", "drag"];
/// The pages that were tried in other tools side by side.
const GRID: u64 = 13;

fn rows() -> Vec<Value> {
    let text = std::fs::read_to_string(fixtures().join("pages/complaints/manifest.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Whether there is a test of this name.
fn is_test(name: &str) -> bool {
    SOURCES.iter().any(|source| source.contains(&format!("#[test]\nfn {name}()")))
}

#[test]
fn every_complaint_has_a_test_or_a_reason_and_the_nearest_thing_that_is_tested() {
    let rows = rows();
    let mut ids = BTreeSet::new();
    let mut problems = Vec::new();
    for row in &rows {
        let id = row["id"].as_str().unwrap().to_owned();
        let text = |name: &str| row[name].as_str().unwrap_or_default();
        for field in ["symptom", "where"] {
            if text(field).len() < 5 {
                problems.push(format!("{id} has no {field}"));
            }
        }
        let tests = row["tests"].as_array().unwrap();
        if tests.is_empty() {
            problems.push(format!("{id} has no test"));
        }
        for test in tests.iter().filter_map(Value::as_str).filter(|test| !is_test(test)) {
            problems.push(format!("{id}: there is no test {test}"));
        }
        for page in row["pages"].as_array().unwrap().iter().filter_map(Value::as_str) {
            if !fixtures().join("pages/complaints").join(page).is_file() {
                problems.push(format!("{id}: there is no page {page}"));
            }
        }
        if !ids.insert(id.clone()) {
            problems.push(format!("{id} is there twice"));
        }
    }
    let wanted = (1..=NUMBERED).map(|n| n.to_string());
    let wanted = wanted.chain(TOPICS.iter().map(|topic| format!("J-{topic}")));
    let wanted: BTreeSet<String> = wanted.chain((1..=GRID).map(|n| format!("K-{n}"))).collect();
    problems.extend(wanted.difference(&ids).map(|id| format!("{id} is missing")));
    problems.extend(ids.difference(&wanted).map(|id| format!("{id} is unknown")));
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_test_and_every_page_of_complaints_is_in_the_table() {
    let text = rows().iter().map(Value::to_string).collect::<String>();
    let tests =
        SOURCES.iter().flat_map(|s| s.split("#[test]\nfn ").skip(1)).filter_map(|s| s.split_once("()"));
    let unnamed: Vec<&str> =
        tests.map(|(name, _)| name).filter(|name| !text.contains(&format!("\"{name}\""))).collect();
    assert!(unnamed.is_empty(), "{unnamed:?}");
    let folder = std::fs::read_dir(fixtures().join("pages/complaints")).unwrap();
    let pages = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let unused: Vec<String> =
        pages.filter(|page| page.ends_with(".html") && !text.contains(&format!("\"{page}\""))).collect();
    assert!(unused.is_empty(), "{unused:?}");
}
