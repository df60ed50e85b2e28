//! What replies cost: on text that costs a model several times what it seems to, no reply breaks the limit.

use crate::{agent, fits, open_load, tokens};
use serde_json::json;

#[test]
fn replies_of_every_reading_tool_stay_below_6_000_tokens_whatever_the_text() {
    let mut agent = agent();
    for kind in ["base64", "letters", "digits", "marks", "emoji", "yi", "cjk", "halves"] {
        open_load(&mut agent, &format!("kind=odd&n=400&text={kind}"));
        let read = agent.ok("browser_read", json!({}));
        fits(kind, &read);
        // A budget that is kept by saying next to nothing would be of no use.
        assert!(tokens(&read.text) > 1_500, "{kind}: {} tokens", tokens(&read.text));
        fits(kind, &agent.ok("browser_read", json!({ "interactive": true })));
        fits(kind, &agent.ok("browser_read", json!({ "diff": true })));
        for query in ["", "a", "1", "\u{1f600}", "\u{a001}"] {
            fits(kind, &agent.ok("browser_find", json!({ "query": query })));
            fits(kind, &agent.ok("browser_quick_read", json!({ "query": query })));
        }
        fits(kind, &agent.call("browser_click", json!({ "ref": "text=0" })));
        fits(kind, &agent.call("browser_click", json!({ "ref": "button" })));
        fits(kind, &agent.call("browser_wait_for", json!({ "text": "never there", "timeout_ms": 50 })));
    }
}
