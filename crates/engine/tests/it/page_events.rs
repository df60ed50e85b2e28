//! What a script hears of its tabs: everything that it asked for, in order, and nothing that it did not.

use crate::hands::Hands;
use crate::heard::Ears;
use serde_json::json;
use std::time::{Duration, Instant};
use truehand_base::{Call, ErrorCode};

#[test]
fn row_065_console_of_a_page_is_heard_with_level_text_place_and_handles() {
    let h = Hands::at("/popups.html");
    let mut ears = Ears::of(&h, &["console"]);
    h.js("void console.warn('sentinel', 7, { a: [1] }, document.body)");
    let event = ears.any("console");
    assert_eq!((event["type"].as_str(), event["tab_id"].as_str()), (Some("warning"), Some("t1")));
    assert!(event["text"].as_str().unwrap().starts_with("sentinel 7 "), "{event}");
    let args = event["args"].as_array().unwrap();
    assert_eq!(args[0]["value"], json!({ "v": "sentinel" }));
    assert_eq!((args[1]["value"]["v"].clone(), args[3]["type"].as_str()), (json!(7), Some("node")));
    let text = h.ok("page_handle", json!({ "op": "properties", "handles": [args[2]["id"]] }));
    assert!(serde_json::to_string(&text.output).unwrap().contains("\"a\""), "{:?}", text.output);
    assert!(event["frame"].is_string() && event["location"]["line"].is_number(), "{event}");
}

#[test]
fn row_066_requests_of_a_page_are_heard_with_what_they_send_and_get() {
    let h = Hands::at("/popups.html");
    let mut ears = Ears::of(&h, &["request", "response", "requestfinished", "requestfailed"]);
    h.ok("browser_reload", json!({}));
    let page = ears.first("request", |e| e["resource_type"] == "document");
    assert_eq!((page["navigation"].as_bool(), page["method"].as_str()), (Some(true), Some("GET")));
    let answer = ears.first("response", |e| e["request"] == page["request"]);
    assert_eq!((answer["status"].as_u64(), answer["mime"].as_str()), (Some(200), Some("text/html")));
    assert_eq!(answer["remote"]["port"].as_u64(), Some(u64::from(h.site.port())));
    assert!(answer["timing"]["responseStart"].as_f64().unwrap() > 0.0, "{answer}");
    assert!(answer["request_headers"]["Host"].is_string(), "as it was sent: {answer}");
    ears.first("requestfinished", |e| e["request"] == page["request"]);

    h.js("fetch('/api/echo?n=5', { method: 'POST', body: 'a=1', headers: { 'X-Own': 'yes' } }).then((r) => r.text())");
    let post = ears.first("request", |e| e["method"] == "POST");
    assert_eq!(
        (post["resource_type"].as_str(), post["headers"]["X-Own"].as_str()),
        (Some("fetch"), Some("yes"))
    );
    assert_eq!(post["post_data_base64"], "YT0x");
    ears.first("requestfinished", |e| e["request"] == post["request"]);
    let body = h.ok("page_body", json!({ "request": post["request"] }));
    assert_eq!(body.output["base64"], "NQ==");
    let sent = h.ok("page_post_data", json!({ "request": post["request"] }));
    assert_eq!(sent.output["base64"], "YT0x");

    h.js("fetch('/redirect?to=/cookie/set?a=1').then((r) => r.text())");
    let asked = ears.first("request", |e| e["url"].as_str().unwrap().contains("/redirect?"));
    let next = ears.first("request", |e| e["url"].as_str().unwrap().ends_with("/cookie/set?a=1"));
    assert_eq!((&next["request"], next["redirect"]["status"].as_u64()), (&asked["request"], Some(303)));
    let answer = ears.first("response", |e| e["request"] == asked["request"]);
    let headers = answer["headers"].as_array().unwrap();
    assert!(
        headers.contains(&json!(["set-cookie", "a=1; Path=/"])),
        "what scripts of pages can't see: {answer}"
    );

    h.js("fetch('http://127.0.0.1:1/').catch(() => {})");
    let failed = ears.any("requestfailed");
    assert!(failed["error"].as_str().unwrap().starts_with("net::ERR_"), "{failed}");
    h.fails("page_body", json!({ "request": "none" }), ErrorCode::RequestGone);
}

#[test]
fn frames_loads_and_errors_of_pages_are_heard_without_being_asked_for() {
    let h = Hands::at("/popups.html");
    let mut ears = Ears::of(&h, &[]);
    h.open("/frames.html");
    let came = ears.first("framenavigated", |e| e["url"].as_str().unwrap().ends_with("/frames.html"));
    assert_eq!((came["main"].as_bool(), came["same_document"].as_bool()), (Some(true), Some(false)));
    for _ in 0..2 {
        let frame = ears.any("frameattached");
        assert_eq!(frame["parent"], came["frame"]);
    }
    let inside = ears.first("framenavigated", |e| e["url"].as_str().unwrap().contains("localhost"));
    assert_eq!(inside["main"].as_bool(), Some(false), "an out-of-process frame too: {inside}");
    ears.any("domcontentloaded");
    ears.any("load");
    h.js("void history.pushState(null, '', '#here')");
    let moved = ears.first("framenavigated", |e| e["same_document"] == true);
    assert!(moved["url"].as_str().unwrap().ends_with("#here"), "{moved}");
    h.js("void setTimeout(() => { class Mine extends TypeError {} throw Object.assign(new Mine('bad: day'), { name: 'Mine' }); })");
    let error = ears.any("pageerror");
    assert_eq!(
        (error["name"].as_str(), error["message"].as_str()),
        (Some("Mine"), Some("bad: day")),
        "{error}"
    );
    assert!(error["stack"].as_str().unwrap().contains("\n    at "), "{error}");
    h.js("void setTimeout(() => { throw 'plain'; })");
    assert_eq!(ears.any("pageerror")["message"], "plain");
    h.js("document.getElementById('same').remove()");
    ears.any("framedetached");
    assert!(ears.none("console") && ears.none("request"), "nobody asked for those");
}

#[test]
fn popups_and_the_ends_of_tabs_are_heard() {
    let h = Hands::at("/popups.html");
    let mut ears = Ears::of(&h, &["console"]);
    h.ok("browser_click", json!({ "ref": "#open" }));
    let page = ears.any("page");
    assert_eq!((page["opener"].as_str(), page["tab_id"].as_str()), (Some("t1"), Some("t2")));
    h.approved(
        "browser_execute_js",
        json!({ "tab_id": "t2", "script": "void console.log('from the popup')" }),
    );
    assert_eq!(ears.any("console")["tab_id"], "t2", "a tab that came later is listened to as well");
    h.ok("browser_close_tab", json!({ "tab_id": "t2" }));
    assert_eq!(ears.any("close")["tab_id"], "t2");
}

#[test]
fn row_077_download_is_heard_from_its_beginning_to_its_file() {
    let h = Hands::at("/download.html");
    let mut ears = Ears::of(&h, &[]);
    h.ok("browser_click", json!({ "ref": "text=Get report" }));
    let begun = ears.any("download");
    assert_eq!(begun["suggested_filename"], "report 2026.csv");
    let ended = ears.first("download", |e| e["download"] == begun["download"] && e["state"] == "completed");
    let file = std::fs::read_to_string(ended["path"].as_str().unwrap()).unwrap();
    assert_eq!((file.as_str(), ended["bytes"].as_u64()), ("a,b\n1,2\n", Some(8)));
}

#[test]
fn dialog_is_left_open_for_a_script_that_wants_to_answer_itself() {
    let h = Hands::at("/dialogs.html");
    let mut ears = Ears::of(&h, &[]);
    h.ok("browser_click", json!({ "ref": "#alert" }));
    let told = ears.any("dialog");
    assert_eq!((told["type"].as_str(), told["handled"].as_bool()), (Some("alert"), Some(true)));
    h.ok("page_subscribe", json!({ "kinds": ["dialog_manual"] }));
    let clicked = h.call("browser_click", json!({ "ref": "#alert" }));
    assert!(clicked.error.is_none_or(|e| e.code == ErrorCode::DialogOpen), "the click does not hang");
    let open = ears.any("dialog");
    assert_eq!((open["message"].as_str(), open["handled"].as_bool()), (Some("Saved"), Some(false)));
    h.ok("browser_dialog", json!({ "action": "accept" }));
    h.call("browser_click", json!({ "ref": "#prompt" }));
    let prompt = ears.any("dialog");
    assert_eq!((prompt["type"].as_str(), prompt["default_value"].as_str()), (Some("prompt"), Some("nobody")));
    h.ok("browser_dialog", json!({ "action": "accept", "text": "Ada" }));
    assert_eq!(h.log(), "alerted alerted prompt:Ada");
    h.ok("page_subscribe", json!({ "how": "only" }));
    h.ok("browser_click", json!({ "ref": "#alert" }));
    assert_eq!(ears.any("dialog")["handled"].as_bool(), Some(true), "alerts are acknowledged again");
}

#[test]
fn chooser_is_told_and_its_field_takes_files_by_reference() {
    let h = Hands::at("/popups.html");
    let mut ears = Ears::of(&h, &["filechooser"]);
    h.js("{ const field = document.createElement('input'); field.type = 'file'; field.multiple = true; field.id = 'own'; \
          field.onchange = () => { window.__taken = field.files[0].name; }; document.body.append(field); \
          field.style.cssText = 'position:fixed;top:0;left:0;z-index:99999'; }");
    h.ok("browser_click", json!({ "ref": "#own" }));
    let chooser = ears.any("filechooser");
    assert_eq!(
        (chooser["multiple"].as_bool(), chooser["element"]["type"].as_str()),
        (Some(true), Some("node"))
    );
    let named = h.ok("page_handle", json!({ "op": "ref", "handles": [chooser["element"]["id"]] }));
    let reference = &named.output["results"][0]["ref"];
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.txt");
    std::fs::write(&file, "mine").unwrap();
    h.ok("browser_upload", json!({ "ref": reference, "path": file }));
    assert_eq!(h.js("window.__taken"), "mine.txt");
}

#[test]
fn workers_and_sockets_are_heard_of_on_wish() {
    let h = Hands::at("/popups.html");
    let mut ears = Ears::of(&h, &["worker", "websocket"]);
    h.js("{ const code = new Blob(['postMessage(1)'], { type: 'text/javascript' }); \
          window.__w = new Worker(URL.createObjectURL(code)); new Promise((r) => { window.__w.onmessage = () => r(1); }) }");
    let worker = ears.any("worker");
    assert!(worker["op"] == "created" && worker["url"].as_str().unwrap().starts_with("blob:"), "{worker}");
    h.js("window.__w.terminate()");
    let ended = ears.any("worker");
    assert_eq!((&ended["worker"], ended["op"].as_str()), (&worker["worker"], Some("closed")));
    let address = h.site.url("/no-socket").replace("http", "ws");
    h.js(&format!("new Promise((r) => {{ const s = new WebSocket('{address}'); s.onerror = () => r(1); }})"));
    let socket = ears.any("websocket");
    assert_eq!((socket["op"].as_str(), socket["url"].as_str()), (Some("created"), Some(address.as_str())));
    ears.first("websocket", |e| e["op"] == "closed");
}

#[test]
fn wait_for_events_ends_with_the_first_one_and_costs_no_limit() {
    let h = Hands::at("/popups.html");
    let mut ears = Ears::of(&h, &["console"]);
    h.js("void setTimeout(() => console.log('late'), 300)");
    let asked = Instant::now();
    let event = ears.any("console");
    assert_eq!(event["text"], "late");
    assert!(asked.elapsed() < Duration::from_secs(10), "it does not wait for the end of its time");
    for _ in 0..2_500 {
        let call = Call::new(h.client.clone(), "page_events", json!({ "after": event["seq"] }));
        assert!(h.send(call).ok(), "more than the limit of reads");
    }
}

#[test]
fn flood_of_messages_is_bounded_and_its_loss_is_told() {
    let h = Hands::at("/popups.html");
    let mut ears = Ears::of(&h, &["console"]);
    h.js("{ for (let n = 0; n < 6000; n++) console.log(n) }");
    let end = Instant::now() + Duration::from_secs(20);
    let (mut seen, mut lost) = (0, 0);
    while seen + lost < 6_000 {
        assert!(Instant::now() < end, "{seen} seen and {lost} lost of 6000");
        let heard = ears.more(Duration::from_secs(2));
        lost += heard.output.get("lost").and_then(serde_json::Value::as_u64).unwrap_or(0);
        seen += std::mem::take(&mut ears.events).len() as u64;
    }
    assert_eq!(seen + lost, 6_000);
    h.ok("page_subscribe", json!({ "how": "nothing" }));
    h.js("void console.log('unheard')");
    assert!(ears.none("console"));
}

#[test]
fn subscription_to_what_there_is_not_names_what_there_is() {
    let h = Hands::at("/popups.html");
    let refused = h.fails("page_subscribe", json!({ "kinds": ["noise"] }), ErrorCode::InvalidArguments);
    assert!(refused.error.unwrap().next_step.contains("console"));
    h.fails("page_subscribe", json!({ "tab_id": "t9", "kinds": ["console"] }), ErrorCode::UnknownTab);
}
