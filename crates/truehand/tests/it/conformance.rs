//! The protocol's own programs against the product, over both transports.

use crate::BINARY;
use serde_json::Value;
use std::collections::BTreeSet;
use truehand_testkit::{Home, HttpProcess, Site, Suite};

/// An origin that the suite's requests come from, as the bridge writes it.
const ORIGIN: &str = "http://suite.example";

#[test]
fn conformance_suite_over_http_fails_only_where_a_reason_is_written() {
    let server = HttpProcess::spawn(BINARY, &["--allow-origin", ORIGIN]);
    let suite = Suite::installed();
    let token = server.token_file.to_string_lossy();
    let bridge = suite.bridge("http-bridge.mjs", &[&server.url, &token, ORIGIN], &[]);
    let summary = suite.conformance(&bridge.url, "expected-product.yml");
    for scenario in ["server-initialize", "tools-list", "resources-list", "dns-rebinding-protection"] {
        assert!(summary.contains(&format!("✓ {scenario}")), "{summary}");
    }
}

#[test]
fn conformance_suite_over_stdio_fails_only_where_a_reason_is_written() {
    let home = Home::new();
    let suite = Suite::installed();
    let envs = [("TRUEHAND_HOME", home.path().to_str().unwrap())];
    let bridge = suite.bridge("stdio-bridge.mjs", &[BINARY, "mcp"], &envs);
    let summary = suite.conformance(&bridge.url, "expected-product-stdio.yml");
    for scenario in ["server-initialize", "tools-list", "resources-list", "ping"] {
        assert!(summary.contains(&format!("✓ {scenario}")), "{summary}");
    }
}

/// What the inspector sees and does, given how it reaches the server.
fn inspect(reach: &[&str], envs: &[(&str, &str)]) {
    let suite = Suite::installed();
    let run = |more: &[&str]| suite.inspector(&[reach, more].concat(), envs);
    let listed = run(&["--method", "tools/list"]);
    let names: BTreeSet<&str> =
        listed["tools"].as_array().unwrap().iter().filter_map(|tool| tool["name"].as_str()).collect();
    let table: BTreeSet<&str> =
        truehand_tools::TABLE.iter().filter(|row| row.info.listed).map(|row| row.info.name).collect();
    assert_eq!(names, table);

    let site = Site::start_blocking();
    let address = format!("url={}", site.url("/count.html"));
    let call = ["--method", "tools/call", "--tool-name", "browser_navigate", "--tool-arg", &address];
    let reply = run(&call);
    assert_ne!(reply["isError"], true, "{reply}");
    assert!(
        reply["structuredContent"]["verdict"].as_str().is_some_and(|v| v.contains("count.html")),
        "{reply}"
    );

    let read = run(&["--method", "resources/read", "--uri", "truehand://guide"]);
    assert!(read["contents"][0]["text"].as_str().is_some_and(|text| text.len() > 1000), "{read}");
    let templates: Value = run(&["--method", "resources/templates/list"]);
    assert!(templates["resourceTemplates"].as_array().is_some_and(|list| !list.is_empty()), "{templates}");
}

#[test]
fn inspector_lists_calls_and_reads_over_stdio() {
    let home = Home::new();
    let set = format!("TRUEHAND_HOME={}", home.path().display());
    inspect(&[BINARY, "mcp", "-e", &set], &[]);
}

#[test]
fn inspector_lists_calls_and_reads_over_http() {
    let server = HttpProcess::spawn(BINARY, &[]);
    let token = format!("Authorization: Bearer {}", server.token);
    inspect(&["--transport", "http", "--server-url", &server.url, "--header", &token], &[]);
}
