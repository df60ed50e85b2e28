//! Clicks and input that silently do nothing, or hit something else.

use crate::{agent, at, click, effect, timed, verdict};
use serde_json::json;
use std::time::Duration;

/// browser-use#5438: a missing element is reported as a success, and the queue goes on.
#[test]
fn an_element_that_is_gone_is_an_error_and_stops_the_batch() {
    let mut agent = at("gone");
    let text = agent.read();
    let of = |part: &str| truehand_testkit::reference_in(&text, part).unwrap();
    let (name, old, city, go) = (of("\"Name\""), of("\"Old field\""), of("\"City\""), of("\"Going\""));
    agent.js("remove()");
    agent.fails("browser_click", json!({ "ref": go }), "REF_STALE");
    let fields = json!([{ "ref": name, "value": "Ada" }, { "ref": old, "value": "x" }, { "ref": city, "value": "Rome" }]);
    let filled = agent.fails("browser_fill", json!({ "fields": fields }), "REF_STALE");
    assert_eq!(agent.js("document.getElementById('city').value"), "", "{}", filled.text);
    assert_eq!(agent.js("document.getElementById('name').value"), "Ada");
    assert!(filled.text.contains(&name), "what was filled is told: {}", filled.text);
}

/// browser-use#5361: failures of scrolling and input count as success, and the limit of failures is never reached.
#[test]
fn scrolling_what_does_not_scroll_is_told_as_no_move() {
    let mut agent = at("short");
    for arguments in [json!({ "direction": "down" }), json!({ "ref": "#box", "direction": "down" })] {
        let scrolled = agent.call("browser_scroll", arguments);
        assert_eq!(scrolled.structured["scrolled"], false, "{}", scrolled.text);
        assert_eq!(verdict(&scrolled), "no_change", "{}", scrolled.text);
    }
    let typed = agent.call("browser_type", json!({ "ref": "#box", "text": "x" }));
    assert!(typed.is_error, "{}", typed.text);
    assert_eq!(agent.log(), "");
}

/// chrome-devtools-mcp: a click on a covered button says "Successfully clicked", and the overlay got it.
#[test]
fn a_covered_button_is_refused_and_its_cover_named() {
    let mut agent = at("veiled");
    let refused = agent.fails("browser_click", json!({ "ref": "#buy" }), "OCCLUDED");
    assert!(refused.structured["occluder"].to_string().contains("veil"), "{}", refused.structured);
    assert_eq!(
        (&refused.structured["clicked"], &refused.structured["occluded"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(agent.log(), "");
}

/// playwright-mcp#852: a covered target waits 5 s and fails, with no way out.
#[test]
fn a_covered_button_is_refused_at_once_with_a_way_out_that_works() {
    let mut agent = at("covered");
    let tries = (0..3).map(|_| timed(|| agent.fails("browser_click", json!({ "ref": "#buy" }), "OCCLUDED")));
    let (refused, took) = tries.min_by_key(|(_, took)| *took).unwrap();
    assert!(took < Duration::from_millis(300), "{took:?}");
    assert!(refused.text.contains("Newsletter") && refused.text.contains("auto_dismiss"), "{}", refused.text);
    let clicked = agent.ok("browser_click", json!({ "ref": "#buy", "auto_dismiss": true }));
    assert_eq!(verdict(&clicked), "changed");
    assert_eq!(agent.log(), "bought");
}

/// agent-browser#1044: an element below the view is clicked at a point outside of it, which prints success.
#[test]
fn a_button_far_below_is_scrolled_to_and_clicked_once() {
    let mut agent = at("far");
    let far = agent.reference("Far button");
    click(&mut agent, &far);
    assert_eq!(agent.log(), "far-inside");
}

/// BrowserSkill#242: a window in the background gets no input, and success is printed.
#[test]
fn input_to_a_tab_in_the_background_arrives_or_is_refused() {
    let mut agent = at("ordinary");
    let hidden = agent.ok("browser_current_tab", json!({})).structured["tab_id"].clone();
    let url = agent.site.url("/complaints/first.html");
    agent.ok("browser_new_tab", json!({ "url": url }));
    let clicked = agent.ok("browser_click", json!({ "ref": "#trusted", "tab_id": hidden }));
    assert_eq!(verdict(&clicked), "changed", "{}", clicked.text);
    let typed = agent.ok("browser_type", json!({ "ref": "#q", "text": "ab", "tab_id": hidden }));
    assert_eq!(effect(&typed)["values"][0]["got"], "ab");
    let log = agent.js_in(&hidden, "__log.join(' ')");
    assert!(log.as_str().unwrap().starts_with("trusted input:"), "{log}");
    assert!(log.as_str().unwrap().ends_with("input:ab") && !log.to_string().contains("script"), "{log}");
    assert_eq!(agent.log(), "", "the tab in front got nothing");
}

/// BrowserMCP#115: clicks and typing time out after 30 s on ordinary sites, which do not take scripts' events.
#[test]
fn a_page_that_ignores_scripts_gets_a_persons_click_and_keys() {
    let mut agent = at("ordinary");
    click(&mut agent, "#trusted");
    agent.ok("browser_type", json!({ "ref": "#q", "text": "hello", "slowly": true }));
    let log = agent.log();
    assert!(log.starts_with("trusted ") && log.ends_with("input:hello") && !log.contains("script"), "{log}");
}

/// ai-manus#254: the server said 500, the page said submitted, the agent said done.
#[test]
fn a_server_error_behind_a_message_of_success_is_no_success() {
    let mut agent = at("lie");
    let failed = json!([{ "method": "POST", "path": "/fail", "status": 500 }]);
    let sent = agent.fails("browser_click", json!({ "ref": "#now" }), "REQUEST_FAILED");
    assert_eq!(agent.site.count("POST", "/fail"), 1);
    assert_eq!(effect(&sent)["network"]["failed"], failed);
    assert!(sent.verdict().contains("POST /fail"), "{}", sent.text);
    // A request that the page sends when the reply is long given is told by the next one.
    let clicked = agent.call("browser_click", json!({ "ref": "#later" }));
    let next = agent.ok("browser_wait_for", json!({ "text": "Sent!" }));
    assert_eq!(agent.site.count("POST", "/fail"), 2);
    assert!(
        clicked.code() == "REQUEST_FAILED" || next.text.contains("POST /fail 500"),
        "{}\n{}",
        clicked.text,
        next.text
    );
}

/// browser-use#5137: there is no evidence for each action of what it did.
#[test]
fn a_button_that_does_nothing_is_told_as_no_change() {
    let mut agent = at("nothing");
    for dead in ["#dead", "#void"] {
        let clicked = agent.ok("browser_click", json!({ "ref": dead }));
        assert_eq!(verdict(&clicked), "no_change", "{dead}: {}", clicked.text);
    }
    let (refused, took) = timed(|| agent.fails("browser_click", json!({ "ref": "#off" }), "DISABLED"));
    assert!(took < Duration::from_secs(2), "{took:?}: {}", refused.text);
    assert_eq!(agent.log(), "");
    click(&mut agent, "#live");
    assert_eq!(agent.log(), "live");
}

/// chrome-use#209, cmux#2058: the field shows the value, the framework's state does not, and submit stays disabled.
#[test]
fn a_controlled_field_holds_what_its_state_holds_and_a_mask_is_told() {
    let mut agent = at("controlled");
    let masked =
        agent.fails("browser_type", json!({ "ref": "#amount", "text": "12ab34567" }), "WRITE_NOT_REFLECTED");
    let value = &effect(&masked)["values"][0];
    assert_eq!(
        (&value["asked"], &value["got"], &value["ok"]),
        (&json!("12ab34567"), &json!("1234"), &json!(false))
    );
    let holds = masked.structured["error"]["data"]["holds"].clone();
    assert_eq!(agent.js("[byId('amount').value, state.amount]"), json!([holds, holds]), "{}", masked.text);
    agent.ok("browser_type", json!({ "ref": "#amount", "text": "1234" }));
    agent.ok("browser_fill", json!({ "ref": "#name", "value": "Ada" }));
    assert_eq!(agent.js("[state.amount, state.name]"), json!(["1234", "Ada"]));
    click(&mut agent, "#send");
    assert!(agent.log().ends_with("sent:1234:Ada"));
    let mut second = agent_with_fill();
    assert!(second.log().ends_with("sent:77:Bob"));
}

/// The same by one call for all fields.
fn agent_with_fill() -> truehand_testkit::Agent {
    let mut agent = agent();
    agent.open("/complaints/controlled.html");
    agent.ok("browser_fill", json!({ "fields": { "#amount": "77", "#name": "Bob" } }));
    click(&mut agent, "#send");
    agent
}
