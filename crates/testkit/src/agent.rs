//! An agent with no wits of its own: it does what a manifest says, over MCP, and keeps what it was told.

use crate::{CallResult, McpClient, Site};
use serde_json::{Value, json};

/// A client with a site. Its calls may fail as tools do, never as the protocol does.
pub struct Agent {
    /// The client.
    pub client: McpClient,
    /// The pages that it visits.
    pub site: Site,
}

impl Agent {
    /// An agent of this client, which has shaken hands and may run scripts.
    #[must_use]
    pub fn new(client: McpClient) -> Agent {
        Agent { client, site: Site::start_blocking() }
    }

    /// Calls a tool.
    ///
    /// # Panics
    /// When the request itself fails.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> CallResult {
        let result = self.client.call(tool, arguments);
        assert_eq!(result.error, None, "{tool}: a failure of a tool is no failure of the protocol");
        result
    }

    /// Calls a tool that must succeed.
    ///
    /// # Panics
    /// When it does not.
    #[track_caller]
    pub fn ok(&mut self, tool: &str, arguments: Value) -> CallResult {
        let result = self.call(tool, arguments.clone());
        assert!(!result.is_error, "{tool} {arguments}: {}", result.text);
        result
    }

    /// Calls a tool that must fail with this code.
    ///
    /// # Panics
    /// When it does not.
    #[track_caller]
    pub fn fails(&mut self, tool: &str, arguments: Value, code: &str) -> CallResult {
        let result = self.call(tool, arguments.clone());
        assert_eq!(result.code(), code, "{tool} {arguments}: {}", result.text);
        result
    }

    /// Opens a fixture page in the current tab.
    ///
    /// # Panics
    /// When that fails.
    #[track_caller]
    pub fn open(&mut self, path: &str) -> CallResult {
        let url = self.site.url(path);
        self.ok("browser_navigate", json!({ "url": url }))
    }

    /// The value of an expression in the page: the truth, read outside of what is judged.
    ///
    /// # Panics
    /// When it can't be had.
    #[track_caller]
    pub fn js(&mut self, script: &str) -> Value {
        self.js_in(&Value::Null, script)
    }

    /// The same in a tab.
    ///
    /// # Panics
    /// When it can't be had.
    #[track_caller]
    pub fn js_in(&mut self, tab: &Value, script: &str) -> Value {
        let arguments = json!({ "script": script, "observe_effects": false, "tab_id": tab });
        let ran = self.call("browser_execute_js", arguments);
        assert!(!ran.is_error, "{script}: {}", ran.text);
        ran.structured["result"].clone()
    }

    /// What the page itself logged, in order.
    ///
    /// # Panics
    /// When it can't be had.
    #[track_caller]
    pub fn log(&mut self) -> String {
        self.js("__log.join(' ')").as_str().unwrap_or_default().to_owned()
    }

    /// The page as text.
    ///
    /// # Panics
    /// When it can't be read.
    #[track_caller]
    pub fn read(&mut self) -> String {
        self.ok("browser_read", json!({})).text
    }

    /// The reference in the first row of the reading that has `part`.
    ///
    /// # Panics
    /// When there is none.
    #[track_caller]
    pub fn reference(&mut self, part: &str) -> String {
        let text = self.read();
        reference_in(&text, part)
            .unwrap_or_else(|| panic!("no row with {part:?} and a reference in:\n{text}"))
    }

    /// The reference that the page's reading has for an element of a manifest, else a selector for it.
    fn element(&mut self, what: &Value) -> String {
        let css = what["css"].as_str().unwrap_or_default().to_owned();
        let (Some(role), Some(name)) = (what["role"].as_str(), what["name"].as_str()) else { return css };
        let text = self.call("browser_read", json!({})).text;
        match reference_in(&text, &format!("{role} \"{name}\"")) {
            Some(reference) => reference,
            None if css.is_empty() => panic!("no {role} {name:?} in:\n{text}"),
            None => css,
        }
    }

    /// Does a step of a manifest; none when it only lets time pass.
    ///
    /// # Panics
    /// When the manifest names what is not there.
    pub fn step(&mut self, op: &Value) -> Option<CallResult> {
        let result = if let Some(what) = op.get("click") {
            let reference = self.element(what);
            let plain = self.call("browser_click", json!({ "ref": reference }));
            if plain.code() != "OCCLUDED" || op["cover"] == "stays" {
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
        } else if let Some(keys) = op.get("press") {
            self.call("browser_press", json!({ "keys": keys }))
        } else if let Some(what) = op.get("clickAt") {
            let css = what["css"].as_str().unwrap_or_default();
            let corner = self.js(&format!(
                "(() => {{ const box = document.querySelector('{css}').getBoundingClientRect(); return [box.x, box.y]; }})()"
            ));
            let at = |axis: usize, offset: &str| {
                corner[axis].as_f64().unwrap_or_default() + what[offset].as_f64().unwrap_or_default()
            };
            self.call("browser_click_at", json!({ "x": at(0, "dx"), "y": at(1, "dy") }))
        } else {
            self.call("browser_wait_for_idle", json!({ "timeout_ms": op["sleep"] }));
            return None;
        };
        Some(result)
    }
}

/// The reference in the first row that has `part`.
#[must_use]
pub fn reference_in(text: &str, part: &str) -> Option<String> {
    let row = text.lines().find(|line| line.contains(part) && line.contains("[ref="))?;
    Some(row.split_once("[ref=")?.1.split_once(']')?.0.to_owned())
}
