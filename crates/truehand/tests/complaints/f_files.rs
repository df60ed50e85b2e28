//! Uploads and downloads: one call each, and the reply says what became of the file.

use crate::{agent_in, at, effect};
use serde_json::{Value, json};
use std::sync::Arc;
use truehand_testkit::{CallResult, Home, Stranger};

/// codex#40046, OpenCLI PR#2527: a hidden file input behind a button never opens a chooser.
#[test]
fn a_visible_button_takes_files_for_its_hidden_input() {
    let mut agent = at("chooser");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a letter.txt");
    std::fs::write(&file, "hello").unwrap();
    let choose = agent.reference("button \"Choose a file\"");
    let uploaded = agent.ok("browser_upload", json!({ "ref": choose, "paths": [file] }));
    assert_eq!(agent.log(), "a letter.txt:5", "{}", uploaded.text);
    assert_eq!(effect(&uploaded)["verdict"], "changed");
}

/// chrome-devtools-mcp#1983: an input with display: none has no uid.
#[test]
fn a_hidden_file_input_is_listed_and_takes_files() {
    let mut agent = at("chooser");
    let input = agent.reference("file input");
    agent.ok(
        "browser_upload",
        json!({ "ref": input, "paths": [concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")] }),
    );
    assert!(agent.log().starts_with("Cargo.toml:"));
}

/// Checks that a click's download lies where the reply says, whole.
#[track_caller]
fn lies_there(clicked: &CallResult, name: &str, content: &str, sum: &str) {
    let download = &effect(clicked)["downloads"][0];
    assert_eq!(
        (&download["name"], &download["state"]),
        (&json!(name), &json!("completed")),
        "{}",
        clicked.text
    );
    assert_eq!((&download["bytes"], &download["sha256"]), (&json!(content.len()), &json!(sum)));
    let path = download["path"].as_str().unwrap();
    assert_eq!(std::fs::read_to_string(path).unwrap(), content);
    assert!(clicked.verdict().contains(path), "{}", clicked.text);
}

const REPORT: (&str, &str, &str) =
    ("report 2026.csv", "a,b\n1,2\n", "492d5ea496056f1a6a6592241032fab764c321596317930b4fa0e1e8bc3b7470");
const NOTES: (&str, &str, &str) =
    ("notes.txt", "hello from a blob", "e214b030937638172441441ed785cbc2557dad6c12f6ae463afd331da05520d3");

/// playwright-mcp#1129, #154, #264, #642: an agent can't tell where a download went.
#[test]
fn a_download_is_told_with_its_path_size_and_checksum() {
    let mut agent = at("files");
    let clicked = agent.ok("browser_click", json!({ "ref": "#attachment" }));
    lies_there(&clicked, REPORT.0, REPORT.1, REPORT.2);
    let again = agent.ok("browser_click", json!({ "ref": "#attachment" }));
    lies_there(&again, REPORT.0, REPORT.1, REPORT.2);
    let path = |reply: &CallResult| -> Value { effect(reply)["downloads"][0]["path"].clone() };
    assert_ne!(path(&clicked), path(&again), "the first file is still there");
}

/// browser-use#1913, #2598: after an attach the file is not saved, or empty.
#[test]
fn blob_and_attachment_links_are_saved_after_an_attach() {
    let stranger = Stranger::start("about:blank");
    let mut agent = agent_in(Arc::new(Home::new()), &["--attach", &stranger.address()]);
    let url = agent.site.url("/complaints/files.html");
    agent.ok("browser_new_tab", json!({ "url": url }));
    let clicked = agent.ok("browser_click", json!({ "ref": "#attachment" }));
    lies_there(&clicked, REPORT.0, REPORT.1, REPORT.2);
    let clicked = agent.ok("browser_click", json!({ "ref": "#blob" }));
    lies_there(&clicked, NOTES.0, NOTES.1, NOTES.2);
}
