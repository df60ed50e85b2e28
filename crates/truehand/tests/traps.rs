//! The trap and complaint pages through MCP, as an agent meets them: it reads, acts by reference, and believes the
//! reply. The reply must agree with what the page and the server know, and the table says of each claim whether it does.

#![expect(clippy::unwrap_used, reason = "a test ends at the first thing that goes wrong")]

use serde_json::{Value, json};
use truehand_testkit::{Agent, CallResult, McpClient, fixtures};

const BINARY: &str = env!("CARGO_BIN_EXE_truehand");

fn agent() -> Agent {
    let mut client = McpClient::spawn(BINARY, &["mcp", "--allow", "js"], &[]);
    client.initialize("2025-11-25");
    Agent::new(client)
}

/// Whether an effect shows in the channel that the manifest names.
fn shows(channel: &str, effect: &Value) -> bool {
    let number = |path: &str| effect.pointer(path).and_then(Value::as_u64).unwrap_or_default();
    match channel {
        "dom" => ["added", "removed", "text_changes", "attr_changes"]
            .iter()
            .any(|n| number(&format!("/dom/{n}")) > 0),
        "attr" => number("/dom/attr_changes") > 0,
        "url" => effect["url"]["changed"] == true,
        "network" => number("/network/requests_started") > 0,
        "popup" => effect["tabs"]["opened"].as_array().is_some_and(|tabs| !tabs.is_empty()),
        other => panic!("the manifest has an unknown channel {other}"),
    }
}

/// What is wrong with the replies on one page; none when they agree with the truth.
fn judge(agent: &mut Agent, row: &Value) -> Option<String> {
    let id = row["id"].as_str().unwrap();
    let url = agent.site.url(&format!("/traps/{}", row["file"].as_str().unwrap()));
    let opened = agent.call("browser_navigate", json!({ "url": url }));
    assert!(!opened.is_error, "{id}: {}", opened.text);
    let replies: Vec<CallResult> =
        row["ops"].as_array().unwrap().iter().filter_map(|op| agent.step(op)).collect();
    let claimed = replies.iter().all(|reply| !reply.is_error);
    let truth = agent.js("window.__truth");
    let reached = truth["done"] == true || agent.site.landings(id) > 0;
    let done = reached && truth["wrong"] == false;
    let possible = row["possible"] == true;
    let channel = row["effect"].as_str().unwrap();
    let shown = !possible || replies.iter().any(|reply| shows(channel, &reply.structured["page_effect"]));
    let right = claimed == done && done == possible && shown;
    let said: Vec<&str> = replies.iter().map(CallResult::verdict).collect();
    (!right).then(|| {
        format!("{id}: claimed {claimed}, done {done}, effect shown {shown}: {said:?}; truth {truth}")
    })
}

/// What one action of a complaint page came to: what the reply claims, and what page and server know.
struct Claim {
    what: String,
    claimed: &'static str,
    happened: bool,
}

impl Claim {
    /// Said to have done something, and nothing happened.
    fn false_changed(&self) -> bool {
        self.claimed == "changed" && !self.happened
    }

    /// Said to have done nothing, or to have been refused, and something happened.
    fn false_no_change(&self) -> bool {
        self.claimed != "changed" && self.happened
    }
}

/// What page and server know of all that happened so far. The requests of open streams and pictures are no acts.
fn known(agent: &mut Agent) -> (Value, usize) {
    let state = agent.call(
        "browser_execute_js",
        json!({ "script": "[__log.length, location.href]", "observe_effects": false }),
    );
    let acts = agent
        .site
        .requests()
        .iter()
        .filter(|r| !["/slow", "/sse", "/favicon.ico", "/page.js"].contains(&r.path.as_str()))
        .count();
    (state.structured["result"].clone(), acts)
}

/// Plays the actions of a complaint page.
fn play(agent: &mut Agent, row: &Value) -> Vec<Claim> {
    let page = row["page"].as_str().unwrap();
    agent.open(&format!("/complaints/{page}"));
    let mut claims = Vec::new();
    for op in row["ops"].as_array().unwrap() {
        let before = known(agent);
        let Some(reply) = agent.step(op) else { continue };
        let claimed = match reply.structured["page_effect"]["verdict"].as_str() {
            Some("changed") => "changed",
            Some("no_change" | "ambient_only") => "no_change",
            None if reply.is_error => "refused",
            other => panic!("{page} {op}: {other:?}: {}", reply.text),
        };
        let happened = op["happens"] == true || known(agent) != before;
        claims.push(Claim { what: format!("{page} {op}"), claimed, happened });
    }
    claims
}

fn rows(path: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(fixtures().join("pages").join(path)).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// The table of claims and truth, for people; a run with `--no-capture` shows it.
fn table(traps: &[(String, Option<String>)], claims: &[Claim]) -> String {
    let mut lines =
        vec!["| action | claimed | truth | right |".to_owned(), "| --- | --- | --- | --- |".to_owned()];
    for (page, wrong) in traps {
        let end = if wrong.is_none() { "as the page knows | as claimed | yes" } else { "- | - | NO" };
        lines.push(format!("| trap {page} | {end} |"));
    }
    for claim in claims {
        let right = if claim.false_changed() || claim.false_no_change() { "NO" } else { "yes" };
        let truth = if claim.happened { "happened" } else { "nothing happened" };
        lines.push(format!("| {} | {} | {truth} | {right} |", claim.what.replace('|', "/"), claim.claimed));
    }
    let count = |wrong: fn(&Claim) -> bool| claims.iter().filter(|claim| wrong(claim)).count();
    lines.push(format!(
        "\n{} traps, {} wrong; {} actions on complaint pages, {} false changed, {} false no_change",
        traps.len(),
        traps.iter().filter(|(_, wrong)| wrong.is_some()).count(),
        claims.len(),
        count(Claim::false_changed),
        count(Claim::false_no_change)
    ));
    lines.join("\n")
}

#[test]
fn every_claim_on_traps_and_complaint_pages_is_true() {
    let mut agent = agent();
    let traps = rows("traps/manifest.json");
    assert_eq!(traps.len(), 25);
    let judged: Vec<(String, Option<String>)> =
        traps.iter().map(|row| (row["id"].as_str().unwrap().to_owned(), judge(&mut agent, row))).collect();
    let claims: Vec<Claim> =
        rows("complaints/trials.json").iter().flat_map(|row| play(&mut agent, row)).collect();
    let table = table(&judged, &claims);
    println!("{table}");
    let wrong: Vec<&String> = judged.iter().filter_map(|(_, wrong)| wrong.as_ref()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(!claims.iter().any(|claim| claim.false_changed() || claim.false_no_change()), "{table}");
    // A table of nothing but one word would prove nothing.
    assert!(
        claims.iter().filter(|c| c.claimed == "no_change").count() > 8
            && claims.iter().filter(|c| c.happened).count() > 25
    );
}
