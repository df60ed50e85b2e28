//! A scope with a site, for tests that look at what a script does from outside of it as well.

use crate::{BINARY, repl_for};
use serde_json::{Value, json};
use truehand_testkit::{CallResult, McpClient, Site};

/// How long a script of a test may run.
const LIMIT_MS: u64 = 30_000;

/// A client whose scope knows the site as `origin`.
pub struct Scope {
    /// The client.
    pub client: McpClient,
    /// The site.
    pub site: Site,
}

impl Scope {
    /// With JavaScript in pages allowed.
    pub fn new() -> Scope {
        Scope::with(&["mcp", "--allow", "js"])
    }

    /// Started so.
    pub fn with(arguments: &[&str]) -> Scope {
        Scope::among(arguments, &[])
    }

    /// Started so, with these variables.
    pub fn among(arguments: &[&str], environment: &[(&str, &str)]) -> Scope {
        let mut client = McpClient::spawn(BINARY, arguments, environment);
        client.initialize("2025-11-25");
        let mut scope = Scope { client, site: Site::start_blocking() };
        let places = json!({ "origin": scope.site.url(""), "other": scope.site.other_host_url("") });
        let begun = scope.call(&format!("const {{ origin, other }} = {places}"));
        assert!(!begun.is_error, "{}", begun.text);
        scope
    }

    /// Runs a script, whatever comes of it.
    pub fn call(&mut self, code: &str) -> CallResult {
        repl_for(&mut self.client, code, LIMIT_MS)
    }

    /// The value of a script that must succeed.
    #[track_caller]
    pub fn run(&mut self, code: &str) -> Value {
        let ran = self.call(code);
        assert!(!ran.is_error, "{code}\n{}", ran.text);
        ran.structured["value"].clone()
    }

    /// The error of a script that must throw: its name, code and message.
    #[track_caller]
    pub fn fails(&mut self, code: &str) -> (String, String, String) {
        let ran = self.call(code);
        assert!(ran.is_error, "{code} did not throw:\n{}", ran.text);
        let text = |name: &str| ran.structured["thrown"][name].as_str().unwrap_or_default().to_owned();
        (text("name"), text("code"), text("message"))
    }

    /// Calls a tool that must succeed; its structured output.
    #[track_caller]
    pub fn tool(&mut self, name: &str, arguments: Value) -> Value {
        let result = self.client.call(name, arguments);
        assert!(!result.is_error, "{name}: {}", result.text);
        result.structured
    }

    /// The addresses of the client's tabs, as the tools list them.
    pub fn addresses(&mut self) -> Vec<String> {
        let listed = self.tool("browser_list_tabs", json!({}));
        let tabs = listed["tabs"].as_array().cloned().unwrap_or_default();
        tabs.iter().filter_map(|tab| tab["url"].as_str().map(str::to_owned)).collect()
    }
}
