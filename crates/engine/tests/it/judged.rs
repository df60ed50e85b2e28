//! The gate judges the page that a call really acts on, also when the tab was opened by a page or the
//! page changed while the call waited for its turn.

use crate::hands::{Hands, engine, home};
use serde_json::{Value, json};
use truehand_base::ErrorCode;

/// No client of these names may click on the other host. Written once: the file is shared by all tests,
/// and a rule about one client touches no other.
fn deny_clicks_on_the_other_host(clients: &str) {
    let policy = format!(
        "version: 1\nrules:\n  - {{id: not-there, effect: deny, verb: [click, read], host: localhost, client: \"{clients}\"}}\n"
    );
    assert!(
        !engine().catalog_changed().has_changed().unwrap(),
        "the engine, and with it its folder, is there"
    );
    truehand_store::write_whole(&home().join("policy.yaml"), policy.as_bytes()).unwrap();
}

fn judged(path: &str) -> Hands {
    let hands = Hands::named("judged");
    deny_clicks_on_the_other_host("mcp:judged*");
    hands.open(path);
    hands
}

#[test]
fn click_in_a_tab_that_a_page_opened_is_judged_by_its_own_address() {
    let h = judged("/popups.html");
    let open = format!("void window.open('{}')", h.site.other_host_url("/count.html"));
    let opened = h.approved("browser_execute_js", json!({ "script": open }));
    assert!(opened.ok(), "{opened:?}");
    let tab = opened.page_effect.unwrap().tabs.opened[0].tab_id.to_string();
    for (tool, arguments) in [
        ("browser_click", json!({ "ref": "#add", "tab_id": tab })),
        ("browser_read", json!({ "tab_id": tab })),
    ] {
        let refused = h.fails(tool, arguments, ErrorCode::PolicyDenied);
        assert_eq!(refused.error.unwrap().data["rule"], "not-there");
    }
    h.ok("browser_read", json!({}));
    h.ok("browser_close_tab", json!({ "tab_id": tab }));
}

#[test]
fn click_that_waited_for_its_turn_is_judged_by_the_page_of_that_moment() {
    let h = judged("/count.html");
    let there = h.site.other_host_url("/api/slow?ms=1500");
    std::thread::scope(|threads| {
        let leaving = threads.spawn(|| h.call("browser_navigate", json!({ "url": there })));
        // Clicks before the navigation has the tab are fine; the first one that comes after it is not.
        let refused = loop {
            let early = !leaving.is_finished();
            let outcome = h.call("browser_click", json!({ "ref": "#add" }));
            match outcome.error {
                Some(error) => break error,
                None => assert!(early, "a click went through after the page was left"),
            }
        };
        assert_eq!(
            (refused.code, &refused.data["rule"]),
            (ErrorCode::PolicyDenied, &Value::from("not-there"))
        );
        let left = leaving.join().unwrap();
        assert!(left.ok(), "{left:?}");
    });
}
