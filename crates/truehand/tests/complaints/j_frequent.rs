//! What is complained about often, over many projects.

use crate::{BINARY, agent, at, click, effect, timed, verdict};
use serde_json::json;
use std::path::Path;
use std::time::Duration;
use truehand_testkit::{Cli, reference_in};

/// playwright-mcp#1172: file addresses from WSL crash every tool; what can't be opened is refused, and nothing else.
#[test]
fn windows_and_wsl_addresses_are_refused_and_the_next_call_works() {
    let mut agent = at("first");
    for address in ["file:///mnt/c/Users/me/a.html", "file:///C:/a%20b/c.html", "C:\\a b\\c.html"] {
        agent.fails("browser_navigate", json!({ "url": address }), "SCHEME_BLOCKED");
    }
    agent.fails("browser_navigate", json!({ "url": "\\\\server\\share\\c.html" }), "INVALID_ARGUMENTS");
    for path in ["C:\\a b\\none.txt", "\\\\server\\share\\none.txt", "file:///mnt/c/none.txt"] {
        let refused =
            agent.fails("browser_upload", json!({ "ref": "#danger", "paths": [path] }), "FILE_NOT_FOUND");
        assert!(refused.text.contains(path), "{}", refused.text);
    }
    click(&mut agent, "#danger");
}

/// playwright-mcp#805, #821: spaces in a path. agent-browser#570: the first call hangs when its output is captured.
#[test]
fn a_first_command_is_captured_whole_though_its_home_has_spaces() {
    let folder = tempfile::Builder::new().prefix("th ").tempdir().unwrap();
    let home = folder.path().join("my home");
    let cli = Cli::new(BINARY);
    let home_flag = home.to_str().unwrap();
    let (first, took) = timed(|| cli.run(&["--home", home_flag, "open", "about:blank", "--json"]));
    let first = first.expect_code(0).json();
    assert_eq!(first["ok"], true, "{first}");
    assert!(took < Duration::from_secs(30), "{took:?}");
    let _ = cli.run(&["--home", home_flag, "daemon", "stop"]).expect_code(0);
}

/// The same for a path of an upload, as an address and as it is.
#[test]
fn a_file_in_a_folder_with_spaces_is_uploaded_by_path_and_by_address() {
    let folder = tempfile::Builder::new().prefix("th ").tempdir().unwrap();
    let file = folder.path().join("my file.txt");
    std::fs::write(&file, "1234").unwrap();
    let mut agent = at("chooser");
    let address = format!("file://{}", file.to_str().unwrap().replace(' ', "%20"));
    for path in [file.to_str().unwrap(), &address] {
        agent.ok("browser_upload", json!({ "ref": "#file", "paths": [path] }));
        agent.js("byId('file').value = ''");
    }
    assert_eq!(agent.log(), "my file.txt:4 my file.txt:4");
}

/// chromiumoxide#216, connectonion PR#224: there is no key for a Chinese character, and no composition events come.
#[test]
fn chinese_japanese_and_korean_text_arrives_as_composed_by_a_person() {
    let mut agent = at("text");
    for (target, text) in [
        ("#name", "\u{c548}\u{b155}"),
        ("#notes", "\u{4f60}\u{597d}, \u{4e16}\u{754c}"),
        ("#name", "\u{65e5}\u{672c}\u{8a9e} ok"),
    ] {
        agent.js("events.length = 0");
        let typed = agent.ok("browser_type", json!({ "ref": target, "text": text }));
        assert_eq!(effect(&typed)["values"][0]["got"], text);
        let events = agent.js("events");
        let events = events.as_array().unwrap();
        // The end of a composition is no trusted event in Chromium, whoever composes.
        let own = events.iter().filter(|event| event["type"] != "compositionend");
        assert!(own.clone().all(|event| event["trusted"] == true), "{events:?}");
        let kinds: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
        for kind in ["compositionstart", "compositionupdate", "compositionend"] {
            assert!(kinds.contains(&kind), "no {kind} for {text}: {kinds:?}");
        }
    }
}

/// hermes-agent#80602, dsh-browser#84, chrome-use#41, SuperAgent PR#341: editors drop newlines, put text back, or are
/// typed into three times because nothing can be read back.
#[test]
fn an_editor_with_a_model_of_its_own_holds_exactly_the_text_with_its_newlines() {
    let mut agent = at("composer");
    for text in ["One line", "First\nsecond\n\nfourth", "\u{4f60}\u{597d}\n\u{1f600} end"] {
        let typed = agent.ok("browser_type", json!({ "ref": "#e", "text": text }));
        assert_eq!(agent.js("modelText()"), text, "{}", typed.text);
        assert_eq!(effect(&typed)["values"][0]["ok"], true, "{}", typed.text);
    }
}

/// playwright-mcp#1148, #420: a reading shows nothing for a canvas, and what a click on it does can't be told.
#[test]
fn a_canvas_is_listed_and_a_click_that_changes_only_pixels_is_told() {
    let mut agent = at("canvas");
    assert!(agent.read().contains("canvas \"Game\""));
    let corner =
        agent.js("(() => { const box = byId('c').getBoundingClientRect(); return [box.x, box.y]; })()");
    let at = |dx: f64, dy: f64| json!({ "x": corner[0].as_f64().unwrap() + dx, "y": corner[1].as_f64().unwrap() + dy });
    let missed = agent.ok("browser_click_at", at(20.0, 20.0));
    assert_eq!(verdict(&missed), "no_change", "{}", missed.text);
    let hit = agent.ok("browser_click_at", at(160.0, 120.0));
    assert_eq!(agent.log(), "missed hit");
    assert_eq!(verdict(&hit), "changed", "{}", hit.text);
}

/// browser-use#2336, PR#3816, MCPSafari#57: what is in shadow roots, closed ones above all, is not seen.
#[test]
fn what_is_in_open_and_closed_shadow_roots_is_read_clicked_and_typed_into() {
    let mut agent = at("roots");
    for mode in ["open", "closed"] {
        let text = agent.read();
        let of = |part: String| reference_in(&text, &part).unwrap_or_else(|| panic!("no {part} in:\n{text}"));
        click(&mut agent, &of(format!("button \"Press {mode}\"")));
        click(&mut agent, &of(format!("\"Tap {mode}\"")));
        agent.ok("browser_fill", json!({ "ref": of(format!("\"Field {mode}\"")), "value": "x" }));
    }
    assert_eq!(
        agent.log(),
        "pressed-open tapped-open typed-open:x pressed-closed tapped-closed typed-closed:x"
    );
}

/// chrome-devtools-mcp#522: a clickable div is static text; options of a list of its own are missing.
/// playwright#41985: a button's name is lost. playwright#39955: what lies outside looks reachable.
#[test]
fn divs_that_are_clicked_own_lists_names_and_unreachable_items_are_what_they_are() {
    let mut agent = at("semantics");
    let text = agent.read();
    let card = reference_in(&text, "clickable \"Open card\"").unwrap_or_else(|| panic!("{text}"));
    click(&mut agent, &card);
    let favourite = reference_in(&text, "button \"favourite\"").unwrap_or_else(|| panic!("{text}"));
    click(&mut agent, &favourite);
    let unreachable = text.lines().find(|line| line.contains("Unreachable")).unwrap();
    assert!(unreachable.contains("[offscreen]"), "{unreachable}");
    let fruit = reference_in(&text, "combobox \"Fruit\"").unwrap_or_else(|| panic!("{text}"));
    agent.ok("browser_click", json!({ "ref": fruit }));
    agent.ok("browser_wait_for", json!({ "text": "Pear" }));
    let pear = agent.reference("option \"Pear\"");
    click(&mut agent, &pear);
    assert_eq!(agent.log(), "card favourite Pear");
}

/// browser-use#3613: a page with an endless request is never ready.
#[test]
fn a_page_with_a_slow_picture_or_an_endless_stream_is_usable_at_once() {
    for page in ["slow-picture", "stream"] {
        let mut agent = agent();
        let url = agent.site.url(&format!("/complaints/{page}.html"));
        let (_, took) = timed(|| agent.ok("browser_navigate", json!({ "url": url })));
        assert!(took < Duration::from_secs(6), "{page}: {took:?}");
        let (clicked, took) = timed(|| agent.ok("browser_click", json!({ "ref": "#go" })));
        assert!(took < Duration::from_secs(4), "{page}: {took:?}");
        assert_eq!(verdict(&clicked), "changed");
        assert_eq!(agent.log(), "went");
    }
}

/// claude-code#41593, #87650: descriptions over 2,048 characters are cut silently, and models invent names.
#[test]
fn every_description_is_under_1900_characters_and_its_beginning_says_enough() {
    let mut agent = agent();
    for tool in agent.client.list_tools() {
        let (name, description) = (tool["name"].as_str().unwrap(), tool["description"].as_str().unwrap());
        assert!(description.chars().count() < 1_900, "{name}");
        let head: String = description.chars().take(200).collect();
        let first = head.split_inclusive(['.', '\n']).next().unwrap_or_default();
        assert!(
            first.ends_with('.') && first.len() > 5,
            "{name} says what it does in its first 200 characters: {head}"
        );
        let properties = tool["inputSchema"]["properties"].as_object();
        for (property, schema) in properties.into_iter().flatten() {
            let words = schema["description"].as_str().unwrap_or_default();
            assert!(words.chars().count() < 1_900, "{name}.{property}");
        }
    }
}

/// claude-code#41593: names that models know from elsewhere are taken.
#[test]
fn names_that_models_remember_from_elsewhere_are_taken() {
    let mut agent = at("first");
    agent.ok("browser_snapshot", json!({}));
    let danger = agent.reference("button \"Delete\"");
    for arguments in [
        json!({ "element": "Delete", "ref": danger }),
        json!({ "target": danger }),
        json!({ "uid": format!("@{danger}") }),
    ] {
        agent.ok("browser_click", arguments);
    }
    assert_eq!(agent.log(), "first-deleted first-deleted first-deleted");
}

/// playwright-mcp#360: dragging does nothing, in lists of either kind.
#[test]
fn items_of_an_html5_list_and_of_a_pointer_list_are_dragged_and_the_order_is_told() {
    let mut agent = at("lists");
    for (from, to, order) in [("One", "Three", "TwoThreeOne"), ("Red", "Blue", "GreenBlueRed")] {
        let dragged =
            agent.ok("browser_drag", json!({ "from": format!("text={from}"), "to": format!("text={to}") }));
        assert!(agent.log().ends_with(order), "{}: {}", agent.log(), dragged.text);
        assert_eq!(verdict(&dragged), "changed", "{}", dragged.text);
        assert!(effect(&dragged)["dom"]["added"].as_u64().unwrap() > 0, "{}", effect(&dragged));
    }
}

/// playwright-mcp#805: the same for a file that is written.
#[test]
fn a_picture_is_saved_where_a_path_with_spaces_says() {
    let folder = tempfile::Builder::new().prefix("th ").tempdir().unwrap();
    let path = folder.path().join("my shot.png");
    let mut agent = at("first");
    agent.ok("browser_screenshot", json!({ "path": path }));
    assert!(std::fs::read(&path).unwrap().starts_with(b"\x89PNG"));
    let refused = agent.call("browser_screenshot", json!({ "path": "C:\\a b\\shot.png" }));
    assert!(refused.is_error, "no file of that odd name is made: {}", refused.text);
    assert!(!Path::new("C:\\a b\\shot.png").exists());
}
