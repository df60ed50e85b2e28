//! The project's rules as tests: one a rule, so that a failure names it.

use xtask::repo::Repo;
use xtask::tidy::{RULES, Subject};

/// Runs the rule of this name over the real repository.
fn holds(rule: &str) {
    let repo = Repo::here().expect("the repository can be read");
    let subject = Subject::read(&repo).expect("cargo can be asked");
    let (_, check) = RULES.iter().find(|(name, _)| *name == rule).expect("the rule exists");
    let findings: Vec<String> = check(&subject).iter().map(ToString::to_string).collect();
    assert!(findings.is_empty(), "{rule}:\n{}", findings.join("\n"));
}

macro_rules! rules {
    ($($test:ident: $rule:literal;)*) => {
        $(#[test] fn $test() { holds($rule); })*

        #[test]
        fn every_rule_has_its_test() {
            let tested = [$($rule),*];
            let names: Vec<&str> = RULES.iter().map(|(name, _)| *name).collect();
            assert_eq!(names, tested);
        }
    };
}

rules! {
    layers_follow_the_table: "layers";
    licences_are_all_allowed: "licences";
    versions_come_once: "duplicate versions";
    files_start_with_their_purpose: "file heads";
    files_stay_short: "file length";
    code_has_nothing_banned: "banned code";
    strings_hold_no_scripts: "script in strings";
    page_code_leaves_no_marks: "page code";
    text_names_no_workplace: "workplace words";
    tools_have_a_row_and_a_test: "tool files";
    tools_fit_every_face: "tool catalog";
    scope_has_what_its_table_says: "scope compatibility";
}
