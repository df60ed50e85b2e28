//! A client that goes away in the middle of an action: the action is done once, and whoever asks again hears what it
//! came to.

use crate::{client, home, ok, open, pid_of, until};
use serde_json::json;
use truehand_testkit::Site;

#[test]
fn client_killed_during_a_submit_leaves_one_submit_and_the_next_client_hears_of_it() {
    let (site, home) = (Site::start_blocking(), home(""));
    let mut first = client(&home);
    open(&mut first, &site, "/network.html");
    let daemon = pid_of(&home);
    // Somebody else keeps the daemon, as is usual where several agents work.
    let mut second = client(&home);
    open(&mut second, &site, "/network.html");
    let asked = || site.count("GET", "/api/slow");
    let submit = json!({ "ref": "#late", "request_key": "order 7" });
    first.begin_call("browser_click", submit.clone());
    until("the request", || asked() == 1);
    first.kill();
    let again = second.call("browser_click", submit.clone());
    assert!(
        again.structured["replayed"] == true || again.code() == "UNKNOWN_OUTCOME",
        "the first one's outcome: {}",
        again.text
    );
    assert_eq!((asked(), pid_of(&home)), (1, daemon));
    let other = second.call("browser_click", json!({ "ref": "#ping", "request_key": "order 7" }));
    assert_eq!(other.code(), "IDEMPOTENCY_CONFLICT", "{}", other.text);
    ok(&mut second, "browser_click", json!({ "ref": "#ping", "request_key": "order 8" }));
}
