//! Commands of the protocol by scripts: what passes, what asks, what is refused, and whose context it is.

use crate::hands::{Hands, data, effect, engine};
use serde_json::{Value, json};
use truehand_base::{ErrorCode, Outcome, Verdict};
use truehand_engine::{BrowserChoice, ClientOptions};

fn send(h: &Hands, method: &str, params: Value) -> Outcome {
    h.call("page_cdp", json!({ "method": method, "params": params }))
}

fn code(outcome: &Outcome) -> Option<ErrorCode> {
    outcome.error.as_ref().map(|error| error.code)
}

#[track_caller]
fn result(outcome: Outcome) -> Value {
    assert!(outcome.ok(), "{:#?}", outcome.error);
    outcome.output["result"].clone()
}

#[test]
fn page_cdp_passes_readings_on_and_refuses_what_reaches_beyond_the_page() {
    let h = Hands::at("/controls.html");
    let metrics = result(send(&h, "Page.getLayoutMetrics", json!({})));
    assert_eq!(metrics["cssLayoutViewport"]["clientWidth"], 1280);
    let picture = result(send(
        &h,
        "Page.captureScreenshot",
        json!({ "format": "png", "clip": { "x": 0, "y": 0, "width": 10, "height": 10, "scale": 1 } }),
    ));
    assert!(picture["data"].as_str().unwrap().starts_with("iVBOR"));
    assert!(result(send(&h, "Page.printToPDF", json!({})))["data"].as_str().unwrap().starts_with("JVBERi0"));
    result(send(&h, "DOM.enable", json!({})));
    let root = result(send(&h, "DOM.getDocument", json!({})));
    assert_eq!(root["root"]["nodeName"], "#document");
    for method in [
        "Target.createTarget",
        "Target.getTargets",
        "Target.attachToTarget",
        "Browser.close",
        "Browser.crash",
        "Page.crash",
        "Page.disable",
        "Runtime.disable",
        "Network.disable",
        "SystemInfo.getInfo",
        "Fetch.enable",
        "IO.read",
        "Tracing.start",
        "Debugger.enable",
        "Browser.setDownloadBehavior",
        "Page.removeScriptToEvaluateOnNewDocument",
        "Security.setIgnoreCertificateErrors",
        "Storage.getSharedStorageEntries",
        "Nothing.atAll",
        "",
    ] {
        let refused = h.approved("page_cdp", json!({ "method": method, "params": {} }));
        assert_eq!(code(&refused), Some(ErrorCode::CdpMethodRefused), "{method}: {refused:#?}");
        assert!(refused.error.as_ref().unwrap().message.contains(": "), "{method} says why");
    }
    // Parameters that would reach elsewhere are not taken.
    for (method, params) in [
        ("Storage.getCookies", json!({ "browserContextId": "1" })),
        ("Runtime.evaluate", json!({ "expression": "1", "contextId": 1 })),
        ("Page.addScriptToEvaluateOnNewDocument", json!({ "source": "1", "worldName": "truehand" })),
        ("Page.reload", json!({ "scriptToEvaluateOnLoad": "1" })),
        ("DOM.getDocument", json!([])),
    ] {
        let refused = h.approved("page_cdp", json!({ "method": method, "params": params }));
        assert_eq!(code(&refused), Some(ErrorCode::InvalidArguments), "{method}");
    }
    let wrong = send(&h, "DOM.querySelector", json!({ "nodeId": 0, "selector": "x" }));
    assert_eq!(code(&wrong), Some(ErrorCode::InvalidArguments));
    assert!(wrong.error.unwrap().message.starts_with("DOM.querySelector: "), "the browser's own words");
}

#[test]
fn page_cdp_is_judged_by_what_the_command_does() {
    let h = Hands::at("/exact.html");
    let script = json!({ "expression": "document.getElementById('go').click()" });
    assert_eq!(code(&send(&h, "Runtime.evaluate", script.clone())), Some(ErrorCode::ApprovalRequired));
    let ran = h.approved("page_cdp", json!({ "method": "Runtime.evaluate", "params": script }));
    assert_eq!((effect(&ran).dom.added, effect(&ran).verdict), (3, Verdict::Changed), "{ran:#?}");
    for url in ["file:///etc/passwd", "chrome://version", "javascript:alert(1)"] {
        let refused = h.approved("page_cdp", json!({ "method": "Page.navigate", "params": { "url": url } }));
        assert_eq!(code(&refused), Some(ErrorCode::SchemeBlocked), "{url}");
    }
    let key = json!({ "type": "rawKeyDown", "modifiers": 2, "key": "w", "code": "KeyW", "windowsVirtualKeyCode": 87 });
    assert_eq!(code(&send(&h, "Input.dispatchKeyEvent", key)), Some(ErrorCode::ChordRefused));
    // Writing into a document is code, but an empty tab has nothing to lose.
    let content =
        json!({ "frameId": h.ok("page_frames", json!({})).output["main"], "html": "<h1>Mine</h1>" });
    assert_eq!(code(&send(&h, "Page.setDocumentContent", content)), Some(ErrorCode::ApprovalRequired));
    h.ok("browser_new_tab", json!({}));
    let content =
        json!({ "frameId": h.ok("page_frames", json!({})).output["main"], "html": "<h1>Mine</h1>" });
    result(send(&h, "Page.setDocumentContent", content));
    assert!(h.read().contains("Mine"));
}

#[test]
fn page_cdp_writes_into_no_frame_and_no_popup_of_a_site_as_if_it_were_empty() {
    let h = Hands::new();
    h.ok("browser_new_tab", json!({}));
    let main = h.ok("page_frames", json!({})).output["main"].clone();
    let framed = format!("<iframe src='{}'></iframe>", h.site.url("/controls.html"));
    result(send(&h, "Page.setDocumentContent", json!({ "frameId": main, "html": framed })));
    let child = || {
        let frames = h.ok("page_frames", json!({})).output["frames"].as_array().unwrap().clone();
        frames.into_iter().find(|frame| frame["parent"] == main).map(|frame| frame["frame"].clone())
    };
    truehand_testkit::until("the frame", || child().is_some());
    let child = &child().unwrap();
    let html = "<script>document.title = 'in the frame'</script>";
    let by_id = send(&h, "Page.setDocumentContent", json!({ "frameId": child, "html": html }));
    assert_eq!(code(&by_id), Some(ErrorCode::ApprovalRequired), "{by_id:#?}");
    let params = json!({ "frameId": main, "html": html });
    let by_frame =
        h.call("page_cdp", json!({ "method": "Page.setDocumentContent", "frame": child, "params": params }));
    assert_eq!(code(&by_frame), Some(ErrorCode::ApprovalRequired), "{by_frame:#?}");
    // An empty window that a page opened is of that page's site.
    h.open("/controls.html");
    let opener = h.ok("browser_current_tab", json!({})).tab_id.unwrap();
    h.js("window.open('about:blank') && 1");
    let tabs = h.ok("browser_list_tabs", json!({})).output["tabs"].as_array().unwrap().clone();
    let popup =
        tabs.iter().map(|tab| tab["tab_id"].clone()).find(|id| *id != json!(opener.to_string())).unwrap();
    h.ok("browser_select_tab", json!({ "tab_id": popup }));
    let main = h.ok("page_frames", json!({})).output["main"].clone();
    let html = "<script>opener.document.title = 'by the popup'</script>";
    let written = send(&h, "Page.setDocumentContent", json!({ "frameId": main, "html": html }));
    assert_eq!(code(&written), Some(ErrorCode::ApprovalRequired), "{written:#?}");
}

#[test]
fn key_of_the_protocol_is_judged_by_each_of_its_names() {
    let h = Hands::at("/controls.html");
    for key in [
        json!({ "type": "rawKeyDown", "modifiers": 2, "code": "KeyA", "key": "w", "windowsVirtualKeyCode": 87 }),
        json!({ "type": "rawKeyDown", "modifiers": 2, "windowsVirtualKeyCode": 87 }),
        json!({ "type": "rawKeyDown", "modifiers": 2, "nativeVirtualKeyCode": 84 }),
        json!({ "type": "keyDown", "modifiers": 2, "code": "AltLeft", "key": "q" }),
        json!({ "type": "char", "modifiers": 4, "code": "KeyA", "text": "n" }),
        json!({ "type": "char", "modifiers": 4, "code": "KeyA", "unmodifiedText": "t" }),
        json!({ "type": "keyDown", "modifiers": 1, "key": "a", "windowsVirtualKeyCode": 115 }),
        json!({ "type": "keyDown", "modifiers": 2, "key": "a", "keyIdentifier": "U+0057" }),
    ] {
        let sent = h.approved("page_cdp", json!({ "method": "Input.dispatchKeyEvent", "params": key }));
        assert_eq!(code(&sent), Some(ErrorCode::ChordRefused), "{key}: {sent:#?}");
    }
}

#[test]
fn page_cdp_cookies_and_permissions_are_of_the_clients_own_context() {
    let (first, second) = (Hands::at("/count.html"), Hands::at("/count.html"));
    let cookie = json!({ "cookies": [{ "name": "mine", "value": "1", "url": first.site.url("/") }] });
    result(send(&first, "Storage.setCookies", cookie));
    let names = |h: &Hands, method: &str| {
        let cookies = result(send(h, method, json!({})))["cookies"].as_array().unwrap().clone();
        cookies.iter().map(|c| c["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for method in ["Storage.getCookies", "Network.getAllCookies", "Network.getCookies"] {
        assert_eq!(names(&first, method), ["mine"], "{method}");
    }
    assert_eq!(names(&second, "Storage.getCookies"), [""; 0]);
    result(send(&second, "Network.clearBrowserCookies", json!({})));
    assert_eq!(names(&first, "Storage.getCookies"), ["mine"], "another client's clearing is its own");
    let grant = json!({ "permissions": ["geolocation"], "origin": first.site.url("").trim_end_matches('/') });
    result(send(&first, "Browser.grantPermissions", grant));
    let state = "navigator.permissions.query({ name: 'geolocation' }).then((p) => p.state)";
    assert_eq!(first.js(state), "granted");
    assert_ne!(second.js(state), "granted");
    result(send(
        &first,
        "Emulation.setGeolocationOverride",
        json!({ "latitude": 1.5, "longitude": 2.5, "accuracy": 1 }),
    ));
    let place = "new Promise((done, fail) => navigator.geolocation.getCurrentPosition((p) => done(p.coords.latitude), fail))";
    assert_eq!(first.js(place), 1.5);
    result(send(&first, "Emulation.setTimezoneOverride", json!({ "timezoneId": "Asia/Tokyo" })));
    assert_eq!(first.js("Intl.DateTimeFormat().resolvedOptions().timeZone"), "Asia/Tokyo");
    let refused = send(&first, "Emulation.setCPUThrottlingRate", json!({ "rate": 1_000_000 }));
    assert_eq!(code(&refused), Some(ErrorCode::InvalidArguments));
    assert_eq!(data(&first.approved("page_cdp", json!({ "method": "Target.x" })), "method"), "Target.x");
}

#[test]
fn page_cdp_in_a_browser_that_others_use_tells_only_of_the_tabs_own_pages() {
    let h = Hands::new();
    let browser = BrowserChoice { profile: Some(h.client.name.clone()), ..BrowserChoice::default() };
    engine().client_connected(&h.client, ClientOptions { browser, ..ClientOptions::default() }).unwrap();
    h.open("/count.html");
    let other = h.site.other_host_url("/");
    for url in [h.site.url("/"), other.clone()] {
        result(send(&h, "Network.setCookie", json!({ "name": "signed", "value": "in", "url": url })));
    }
    let count =
        |method: &str, params: Value| result(send(&h, method, params))["cookies"].as_array().unwrap().len();
    for method in ["Storage.getCookies", "Network.getAllCookies", "Network.getCookies"] {
        assert_eq!(count(method, json!({})), 1, "{method}");
    }
    assert_eq!(
        count("Network.getCookies", json!({ "urls": [other, h.site.url("/")] })),
        1,
        "another site's is not told"
    );
    for method in [
        "Storage.clearCookies",
        "Network.clearBrowserCookies",
        "Browser.grantPermissions",
        "Browser.resetPermissions",
    ] {
        let refused = h.approved("page_cdp", json!({ "method": method }));
        assert_eq!(code(&refused), Some(ErrorCode::CdpMethodRefused), "{method}");
    }
}
