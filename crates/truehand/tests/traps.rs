//! The trap pages through MCP, as an agent meets them: it reads, acts by reference, and believes the
//! reply. The reply must agree with what the page itself knows.

#![expect(clippy::unwrap_used, reason = "a test ends at the first thing that goes wrong")]

use serde_json::{Value, json};
use truehand_testkit::{CallResult, McpClient, Site, fixtures};

const BINARY: &str = env!("CARGO_BIN_EXE_truehand");

/// An agent with no wits of its own.
struct Agent {
    client: McpClient,
    site: Site,
}

impl Agent {
    fn new() -> Agent {
        let mut client = McpClient::spawn(BINARY, &["mcp", "--allow", "js"], &[]);
        client.initialize("2025-11-25");
        Agent { client, site: Site::start_blocking() }
    }

    fn call(&mut self, tool: &str, arguments: Value) -> CallResult {
        let result = self.client.call(tool, arguments);
        assert_eq!(result.error, None, "{tool}: a failure of a tool is no failure of the protocol");
        result
    }

    /// The truth, read outside of what is judged.
    fn js(&mut self, script: &str) -> Value {
        let ran = self.call("browser_execute_js", json!({ "script": script, "observe_effects": false }));
        assert!(!ran.is_error, "{script}: {}", ran.text);
        ran.structured["result"].clone()
    }

    /// The reference that the page's reading has for an element, else a selector for it.
    fn element(&mut self, what: &Value) -> String {
        let css = what["css"].as_str().unwrap_or_default().to_owned();
        let (Some(role), Some(name)) = (what["role"].as_str(), what["name"].as_str()) else { return css };
        let text = self.call("browser_read", json!({})).text;
        let row = text.lines().find(|l| l.contains(&format!("{role} \"{name}\"")) && l.contains("[ref="));
        match row.and_then(|row| row.split_once("[ref=")?.1.split_once(']')) {
            Some((reference, _)) => reference.to_owned(),
            None if css.is_empty() => panic!("no {role} {name:?} in:\n{text}"),
            None => css,
        }
    }

    /// Does a step; none when it only lets time pass.
    fn step(&mut self, op: &Value) -> Option<CallResult> {
        let result = if let Some(what) = op.get("click") {
            let reference = self.element(what);
            let plain = self.call("browser_click", json!({ "ref": reference }));
            if plain.code() != "OCCLUDED" {
                return Some(plain);
            }
            self.call("browser_click", json!({ "ref": reference, "auto_dismiss": true }))
        } else if let Some(what) = op.get("type") {
            let reference = self.element(what);
            self.call("browser_type", json!({ "ref": reference, "text": op["text"] }))
        } else if let Some(what) = op.get("select") {
            let reference = self.element(what);
            self.call("browser_select", json!({ "ref": reference, "values": [op["value"]] }))
        } else if let Some(what) = op.get("drag") {
            let (from, to) = (self.element(what), self.element(&op["to"]));
            self.call("browser_drag", json!({ "from": from, "to": to }))
        } else if let Some(what) = op.get("hover") {
            let reference = self.element(what);
            self.call("browser_hover", json!({ "ref": reference }))
        } else if op.get("scroll").is_some() {
            self.call("browser_scroll", json!({ "direction": "down", "amount": op["dy"] }))
        } else if let Some(text) = op.get("wait") {
            self.call("browser_wait_for", json!({ "text": text, "timeout_ms": op["ms"] }))
        } else if let Some(action) = op.get("dialog") {
            self.call("browser_dialog", json!({ "action": action, "text": op["text"] }))
        } else if let Some(what) = op.get("clickAt") {
            let css = what["css"].as_str().unwrap();
            let corner = self.js(&format!(
                "(() => {{ const box = document.querySelector('{css}').getBoundingClientRect(); return [box.x, box.y]; }})()"
            ));
            let at =
                |axis: usize, offset: &str| corner[axis].as_f64().unwrap() + what[offset].as_f64().unwrap();
            self.call("browser_click_at", json!({ "x": at(0, "dx"), "y": at(1, "dy") }))
        } else {
            self.call("browser_wait_for_idle", json!({ "timeout_ms": op["sleep"] }));
            return None;
        };
        Some(result)
    }
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
    let mut agent = Agent::new();
    let wrong: Vec<String> = rows.iter().filter_map(|row| judge(&mut agent, row)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
