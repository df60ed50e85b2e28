//! The trap pages through MCP, as an agent meets them: it reads, acts by reference, and believes the
//! reply. The reply must agree with what the page itself knows.

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

#[test]
fn trap_pages_through_mcp_are_claimed_done_exactly_when_they_are() {
    let manifest = std::fs::read_to_string(fixtures().join("pages/traps/manifest.json")).unwrap();
    let rows: Vec<Value> = serde_json::from_str(&manifest).unwrap();
    assert_eq!(rows.len(), 25);
    let mut agent = agent();
    let wrong: Vec<String> = rows.iter().filter_map(|row| judge(&mut agent, row)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
