//! The compatibility cases: each file below `cases/` is one scope over MCP, each case in it one call of `repl`.
//!
//! A case is what follows a line `//# name`, up to the next such line. A line `//@ Page.goto Page.goto(timeout)` in it names the
//! rows of `docs/playwright-compat.toml` that it shows. What stands before the first case is its preamble and runs first.
//! `prelude.js` gives every scope `site`, `open`, and the checks. A case fails when its code throws.

use serde_json::json;
use std::path::{Path, PathBuf};
use truehand_testkit::{McpClient, Site};

/// How long one case may take.
const CASE_MS: u64 = 25_000;

/// A piece of a file of cases.
#[derive(Debug, PartialEq, Eq)]
struct Case {
    name: String,
    code: String,
}

/// The preamble, and the cases in their order.
fn cases_of(text: &str) -> (String, Vec<Case>) {
    let mut preamble = String::new();
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("//# ") {
            cases.push(Case { name: name.trim().to_owned(), code: String::new() });
            continue;
        }
        let code = cases.last_mut().map_or(&mut preamble, |case| &mut case.code);
        code.push_str(line);
        code.push('\n');
    }
    (preamble, cases)
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/repl")
}

/// A scope with the prelude, for the site.
fn scope(site: &Site) -> McpClient {
    let mut client = McpClient::spawn(crate::BINARY, &["mcp", "--allow", "js", "--allow", "fetch"], &[]);
    client.initialize("2025-11-25");
    let prelude = std::fs::read_to_string(folder().join("prelude.js")).unwrap();
    let places = json!({
        "origin": site.url(""), "other": site.other_host_url(""), "secure": site.https_url(""), "port": site.port(),
    });
    // The places are given as a value; the prelude makes functions of them.
    let begun =
        client.call("repl", json!({ "title": "prelude", "code": format!("{prelude}\nbegin({places});") }));
    assert!(!begun.is_error, "the prelude fails: {}", begun.text);
    client
}

/// Runs one file of cases; `CASE=part` runs only those whose names have that part.
fn play(file: &str) {
    let text = std::fs::read_to_string(folder().join("cases").join(format!("{file}.js"))).unwrap();
    let (preamble, cases) = cases_of(&text);
    assert!(!cases.is_empty(), "{file} has no case");
    let wanted = std::env::var("CASE").unwrap_or_default();
    let site = Site::start_blocking();
    let mut client = scope(&site);
    let begun = client.call("repl", json!({ "title": "preamble", "code": preamble }));
    assert!(!begun.is_error, "the preamble of {file} fails: {}", begun.text);
    let mut failed = Vec::new();
    let mut ran = 0;
    for case in cases.iter().filter(|case| case.name.contains(&wanted)) {
        let arguments = json!({ "title": case.name, "code": case.code, "timeout_ms": CASE_MS });
        let begun = std::time::Instant::now();
        let result = client.call("repl", arguments);
        println!(
            "{} ms {} {}",
            begun.elapsed().as_millis(),
            if result.is_error { "FAILS" } else { "ok" },
            case.name
        );
        ran += 1;
        if result.is_error || result.error.is_some() {
            let told: String = result.text.chars().take(1500).collect();
            failed.push(format!("{}: {told}{}", case.name, result.error.unwrap_or_default()));
        }
    }
    assert!(failed.is_empty(), "{file}: {} of {ran} cases fail\n{}", failed.len(), failed.join("\n----\n"));
}

/// One test a file.
macro_rules! files {
    ($($file:ident)*) => {
        $(#[test]
        fn $file() {
            play(stringify!($file));
        })*

        /// The files that have a test.
        const FILES: &[&str] = &[$(stringify!($file)),*];
    };
}

files! {
    action capture clock context dialogs expectation frame handle input locator navigation network page request session
}

#[test]
fn every_file_of_cases_has_its_test() {
    let mut there: Vec<String> = std::fs::read_dir(folder().join("cases"))
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_suffix(".js").map(str::to_owned))
        .collect();
    there.sort();
    let mut known: Vec<String> = FILES.iter().map(|&file| file.to_owned()).collect();
    known.sort();
    assert_eq!(there, known);
}

#[test]
fn a_file_of_cases_is_cut_at_its_marks() {
    let (preamble, cases) =
        cases_of("// What.\nlet a;\n//# one\na = 1;\n//# two words\n//@ Page.url\nb();\n");
    assert_eq!(preamble, "// What.\nlet a;\n");
    let case = |name: &str, code: &str| Case { name: name.to_owned(), code: code.to_owned() };
    assert_eq!(cases, [case("one", "a = 1;\n"), case("two words", "//@ Page.url\nb();\n")]);
}
