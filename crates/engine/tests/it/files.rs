//! Files of a client's session: what is inside works, nothing leads out, and nobody else's are reached.

use crate::hands::{Hands, RUNTIME, engine, home};
use serde_json::{Value, json};
use std::path::PathBuf;
use truehand_base::ErrorCode;
use truehand_engine::ClientOptions;

/// "hello" in base64.
const HELLO: &str = "aGVsbG8=";

fn folder(h: &Hands) -> PathBuf {
    PathBuf::from(h.ok("session_open", json!({})).output["folder"].as_str().unwrap())
}

#[test]
fn row_074_file_tools_work_in_the_session_and_refuse_what_is_outside() {
    let h = Hands::new();
    let folder = folder(&h);
    let wrote = h.ok("file_write", json!({ "path": "artifacts/a.txt", "base64": HELLO }));
    assert_eq!((&wrote.output["bytes"], &wrote.output["size"]), (&json!(5), &json!(5)));
    assert_eq!(std::fs::read_to_string(folder.join("artifacts/a.txt")).unwrap(), "hello");
    h.ok("file_write", json!({ "path": "artifacts/a.txt", "base64": HELLO, "how": "append" }));
    let there = json!({ "path": "artifacts/a.txt", "base64": HELLO, "how": "create" });
    h.fails("file_write", there, ErrorCode::FileExists);
    h.fails("file_write", json!({ "path": "b.txt", "base64": "?" }), ErrorCode::InvalidArguments);
    let read = h.ok("file_read", json!({ "path": "artifacts/a.txt", "offset": 5, "length": 3 }));
    assert_eq!((&read.output["base64"], &read.output["eof"]), (&json!("aGVs"), &json!(false)));
    h.ok("file_mkdir", json!({ "path": "tmp/deep/er", "recursive": true }));
    h.ok("file_copy", json!({ "from": "artifacts/a.txt", "to": "tmp/deep/c.txt" }));
    h.ok("file_rename", json!({ "from": "tmp/deep/c.txt", "to": "tmp/deep/er/d.txt" }));
    let listed = h.ok("file_list", json!({ "path": "tmp", "recursive": true }));
    let names: Vec<&Value> =
        listed.output["entries"].as_array().unwrap().iter().map(|e| &e["name"]).collect();
    assert_eq!(names, ["deep", "deep/er", "deep/er/d.txt"]);
    let stat = h.ok("file_stat", json!({ "path": "tmp/deep/er/d.txt" }));
    assert_eq!((&stat.output["kind"], &stat.output["size"]), (&json!("file"), &json!(10)));
    h.ok("file_remove", json!({ "path": "tmp/deep", "recursive": true }));
    h.fails("file_stat", json!({ "path": "tmp/deep" }), ErrorCode::FileNotFound);
    let resolved = h.ok("file_resolve", json!({ "path": "artifacts/../new.txt" }));
    assert_eq!(resolved.output["path"], json!(folder.join("new.txt")));

    #[cfg(unix)]
    std::os::unix::fs::symlink(home().join("config.toml"), folder.join("link")).unwrap();
    std::fs::write(home().join("config.toml"), "# mine\n").unwrap();
    let config = home().join("config.toml").display().to_string();
    let other = Hands::new();
    let others = format!("{}/x", self::folder(&other).display());
    for path in ["/etc/passwd", "../../config.toml", "link", &config, &others, "/proc/self/environ"] {
        for (tool, arguments) in [
            ("file_read", json!({ "path": path })),
            ("file_write", json!({ "path": path, "base64": HELLO, "how": "append" })),
            ("file_copy", json!({ "from": path, "to": "tmp/copy" })),
            ("file_rename", json!({ "from": "artifacts/a.txt", "to": format!("{path}/../../x") })),
            ("pdf_text", json!({ "file_path": path })),
            ("pdf_merge", json!({ "files": ["artifacts/a.txt", path], "output_path": "tmp/m.pdf" })),
        ] {
            // A link's own name can be given away, and stays in the folder.
            if !(path == "link" && tool == "file_rename") {
                h.fails(tool, arguments, ErrorCode::PathOutside);
            }
        }
    }
    assert_eq!(std::fs::read_to_string(config).unwrap(), "# mine\n");
}

#[test]
fn files_of_the_working_folder_are_reached_and_those_of_a_home_folder_are_not() {
    let h = Hands::named("works");
    folder(&h);
    let project = home().join("..").canonicalize().unwrap().join(format!("project-{}", std::process::id()));
    std::fs::create_dir_all(&project).unwrap();
    std::fs::write(project.join("note.txt"), "hello").unwrap();
    let _inside = RUNTIME.enter();
    let works_in = |folder: PathBuf| {
        let options = ClientOptions { working_dir: folder, ..ClientOptions::default() };
        engine().client_connected(&h.client, options).unwrap();
    };
    let note = project.join("note.txt").display().to_string();
    h.fails("file_read", json!({ "path": note }), ErrorCode::PathOutside);
    works_in(project.clone());
    assert_eq!(h.ok("file_read", json!({ "path": note })).output["base64"], HELLO);
    // A folder that holds the state, or a person's whole home, is more than a project.
    for wide in [home().join(".."), PathBuf::from("/"), std::env::home_dir().unwrap()] {
        works_in(wide.clone());
        h.fails("file_read", json!({ "path": note }), ErrorCode::PathOutside);
    }
    std::fs::remove_dir_all(project).unwrap();
}

#[test]
fn files_are_not_written_in_mode_read_only_and_by_no_client_that_a_rule_names() {
    let h = Hands::named("readers");
    folder(&h);
    h.ok("file_write", json!({ "path": "tmp/a", "base64": HELLO }));
    let write =
        |rules: &str| truehand_store::write_whole(&home().join("policy.yaml"), rules.as_bytes()).unwrap();
    write("version: 1\nmode: read_only\n");
    h.ok("file_read", json!({ "path": "tmp/a" }));
    for (tool, arguments) in [
        ("file_write", json!({ "path": "tmp/b", "base64": HELLO })),
        ("file_remove", json!({ "path": "tmp/a" })),
        ("pdf_merge", json!({ "files": ["tmp/a"], "output_path": "tmp/m" })),
        ("settings_set", json!({ "key": "tasks", "value": {} })),
        ("session_stop", json!({ "id": "x" })),
    ] {
        h.fails(tool, arguments, ErrorCode::PolicyDenied);
    }
    write("version: 1\nrules:\n  - {id: no-files, effect: deny, verb: file, client: \"mcp:readers*\"}\n");
    let refused = h.fails("file_mkdir", json!({ "path": "tmp/c" }), ErrorCode::PolicyDenied);
    assert_eq!(refused.error.unwrap().data["rule"], "no-files");
    Hands::new().ok("file_mkdir", json!({ "path": "tmp/c" }));
}

#[test]
fn state_of_the_product_is_neither_given_to_a_page_nor_written_over_by_a_picture() {
    let h = Hands::at("/controls.html");
    for file in ["truehand.db", "policy.yaml", "traces/x", "channels/x"] {
        let file = home().join(file);
        h.fails(
            "browser_upload",
            json!({ "ref": "input[type=file]", "paths": [file] }),
            ErrorCode::PathOutside,
        );
        h.fails("browser_screenshot", json!({ "path": file }), ErrorCode::PathOutside);
    }
    assert!(!home().join("policy.yaml").exists());
    let around = home().join("artifacts/../policy.yaml");
    h.fails("browser_screenshot", json!({ "path": around }), ErrorCode::PathOutside);
    let kept = home().join("artifacts/picture-of-a-test.png");
    h.ok("browser_screenshot", json!({ "path": kept }));
    assert!(kept.exists());
}
