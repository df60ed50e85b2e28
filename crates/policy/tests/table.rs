//! The gate's truth table, row by row.

use serde::Deserialize;
use std::collections::HashMap;
use truehand_base::{Facts, RequestFacts, Verb};
use truehand_policy::{Decision, Rules, decide};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    sets: HashMap<String, String>,
    rows: Vec<serde_saphyr::Spanned<Row>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    verb: Verb,
    url: Option<String>,
    page: Option<String>,
    #[serde(default)]
    chord: Vec<String>,
    request: Option<RequestFacts>,
    tool: Option<String>,
    client: Option<String>,
    #[serde(default)]
    approved: bool,
    rules: Option<String>,
    expect: String,
    code: Option<String>,
    by: String,
}

fn table() -> Table {
    serde_saphyr::from_str(include_str!("table.yaml")).expect("the table is well formed")
}

fn check(only: impl Fn(&Row) -> bool) -> usize {
    let table = table();
    let sets: HashMap<&str, Rules> =
        table.sets.iter().map(|(name, text)| (name.as_str(), Rules::parse(text).expect(name))).collect();
    let mut wrong = Vec::new();
    let mut checked = 0;
    for row in table.rows.iter().filter(|row| only(&row.value)) {
        let (line, row) = (row.referenced.line(), &row.value);
        let facts = Facts {
            url: row.url.clone(),
            page_url: row.page.clone(),
            chord: row.chord.clone(),
            request: row.request.clone(),
            ..Facts::new(row.tool.clone().unwrap_or_else(|| format!("browser_{}", row.verb.name())), row.verb)
        };
        let rules = &sets[row.rules.as_deref().unwrap_or("default")];
        let got = decide(rules, &facts, row.client.as_deref().unwrap_or("cli:default"), row.approved);
        let seen = match &got {
            Decision::Allow { rule } => ("allow", None, rule),
            Decision::Ask { rule, .. } => ("ask", None, rule),
            Decision::Deny { rule, code, .. } => ("deny", Some(code.name()), rule),
        };
        if seen != (row.expect.as_str(), row.code.as_deref(), &row.by) {
            wrong.push(format!("table.yaml:{line} expects {} by {}, got {got:?}", row.expect, row.by));
        }
        checked += 1;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    checked
}

#[test]
fn decide_agrees_with_every_row_of_the_table() {
    assert!(check(|_| true) >= 80);
}

#[test]
fn row_183_decide_denies_every_blocked_scheme_with_one_code() {
    assert!(check(|row| row.code.as_deref() == Some("SCHEME_BLOCKED")) >= 20);
}

#[test]
fn row_201_decide_refuses_the_seven_chords_in_every_spelling() {
    assert!(check(|row| row.code.as_deref() == Some("CHORD_REFUSED")) >= 7);
}

#[test]
fn row_211_decide_asks_before_javascript_unless_a_person_said_yes() {
    assert!(check(|row| row.verb == Verb::Js) >= 8);
}

#[test]
fn row_073_decide_lets_fetch_read_the_origin_of_an_open_tab_and_asks_about_the_rest() {
    assert!(check(|row| row.verb == Verb::Fetch) >= 20);
}

#[test]
fn decide_lets_a_script_begin_in_every_mode_unless_a_rule_forbids_it() {
    assert!(check(|row| row.verb == Verb::Repl) >= 5);
}

#[test]
fn decide_gives_the_reason_that_the_rule_states() {
    let table = table();
    let rules = Rules::parse(&table.sets["mixed"]).expect("reads");
    let mut facts = Facts::new("browser_read", Verb::Read);
    facts.page_url = Some("https://app.test/admin/".to_owned());
    let Decision::Deny { reason, .. } = decide(&rules, &facts, "cli:x", false) else { panic!("not denied") };
    assert_eq!(reason, "people only");
}
