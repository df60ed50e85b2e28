//! Size: no reply is larger than a chat can take, and what it leaves out can be had.

use crate::{agent, at, click, timed};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;
use truehand_testkit::Agent;

/// What a text costs a model, counted with the real tokenizer.
fn tokens(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
}

/// playwright-mcp#1233: readings of 50 to 540 KB end in HTTP 413 after two pages.
#[test]
fn a_table_of_500_rows_is_read_within_the_budget_and_can_be_paged() {
    let mut agent = at("orders");
    let mut from = json!(0);
    let mut seen = BTreeSet::new();
    for page in 0.. {
        assert!(page < 40, "the reading does not end");
        let part = agent.ok("browser_read", json!({ "from": from }));
        assert!(tokens(&part.text) <= 6_000, "{} tokens", tokens(&part.text));
        let orders = part.text.split("link \"Order ").skip(1).filter_map(|rest| rest.split_once('"'));
        for (number, _) in orders {
            assert!(seen.insert(number.parse::<u32>().unwrap()), "order {number} came twice");
        }
        from = part.structured["next_from"].clone();
        if from.is_null() {
            break;
        }
        assert!(part.text.contains("left out"), "what is left out must be said");
    }
    assert!(seen.iter().copied().eq(0..500), "{} of 500 orders", seen.len());
}

/// playwright-mcp#1329: one page fills the whole context.
#[test]
fn one_row_of_a_large_page_is_found_for_less_than_200_tokens() {
    let mut agent = at("orders");
    let found = agent.ok("browser_find", json!({ "query": "Order 321" }));
    assert!(tokens(&found.text) < 200, "{} tokens:\n{}", tokens(&found.text), found.text);
    assert_eq!(found.structured["total"], 1, "{}", found.text);
    let link = &found.structured["matches"][0]["ref"];
    agent.ok("browser_click", json!({ "ref": link }));
    assert_eq!(agent.js("location.hash"), "#order-321");
}

/// playwright-mcp#1131: a wait of 3 s returned 20,700 tokens.
#[test]
fn a_wait_is_answered_in_less_than_100_tokens() {
    let mut agent = at("orders");
    let waited = agent.ok("browser_wait_for", json!({ "text": "Order 499" }));
    assert!(tokens(&waited.text) < 100, "{}", waited.text);
    let waited = agent.ok("browser_wait_for", json!({ "time": 0.1 }));
    assert!(tokens(&waited.text) < 100, "{}", waited.text);
    let clicked = agent.ok("browser_click", json!({ "ref": "text=Home" }));
    assert!(tokens(&clicked.text) < 100, "{}", clicked.text);
}

/// playwright-mcp#1548: the reading became a file on disk, useless to clients without files.
#[test]
fn what_a_reading_leaves_out_is_had_from_the_same_tool() {
    let mut agent = at("orders");
    let part = agent.ok("browser_read", json!({ "budget": 300 }));
    let next = part.structured["next_from"].as_u64().expect("something was left out");
    assert!(part.text.contains(&format!("from: {next}")), "{}", part.text);
    assert!(!part.text.contains(".yml") && !part.text.contains("file://"), "{}", part.text);
    let rest = agent.ok("browser_read", json!({ "from": next, "budget": 300 }));
    assert!(rest.text.contains("Order "), "{}", rest.text);
    // A picture is in the reply as well as on disk.
    let shot = agent.ok("browser_screenshot", json!({}));
    assert_eq!(shot.images.len(), 1);
}

/// playwright-mcp#1474: the serialiser overflows the engine's string limit on a Blazor app.
#[test]
fn a_page_of_200_000_nodes_is_read_in_bounded_time_and_size() {
    let mut agent = at("nodes");
    agent.ok("browser_wait_for", json!({ "text": "built", "timeout_ms": 30_000 }));
    let count = agent.js("document.getElementsByTagName('*').length");
    assert!(count.as_u64().unwrap() > 200_000, "{count}");
    let (read, took) = timed(|| agent.ok("browser_read", json!({})));
    assert!(tokens(&read.text) <= 6_000, "{} tokens", tokens(&read.text));
    assert!(!read.structured["next_from"].is_null(), "{}", read.structured);
    assert!(took < Duration::from_secs(20), "{took:?}");
}

/// playwright-mcp#1290: the definitions cost 14,400 tokens before anything is done.
#[test]
fn the_core_tool_list_costs_less_than_3000_tokens() {
    let mut agent = agent();
    let tools = agent.client.list_tools();
    let view = |tool: &Value| json!({ "name": tool["name"], "description": tool["description"], "inputSchema": tool["inputSchema"] });
    let seen: Value = tools.iter().map(view).collect();
    let cost = tokens(&seen.to_string());
    assert!(tools.len() > 15 && cost <= 3_000, "{} tools cost {cost} tokens", tools.len());
}

/// The sides of a reply's picture as the browser decodes it.
fn sides(agent: &mut Agent, arguments: Value) -> [u64; 2] {
    let shot = agent.ok("browser_screenshot", arguments);
    let [image] = shot.images.as_slice() else { panic!("{} pictures", shot.images.len()) };
    assert!(tokens(&shot.text) < 100, "the text holds no picture");
    let script = format!("sides('data:{};base64,{}')", image.mime_type, image.base64);
    let sides = agent.js(&script);
    [sides[0].as_u64().unwrap(), sides[1].as_u64().unwrap()]
}

/// chrome-devtools-mcp#950, mcp-chrome#163: one picture is 1.1 million characters of text.
#[test]
fn a_picture_of_a_large_page_is_an_image_block_of_at_most_1568_pixels() {
    let mut agent = agent();
    agent.open("/complaints/picture.html?w=4000&h=6000");
    for full in [false, true] {
        let [width, height] = sides(&mut agent, json!({ "full_page": full }));
        assert!(width.max(height) <= 1568 && width.min(height) > 300, "{width}x{height}");
    }
}

/// chrome-devtools-mcp#879, claude-code#50530: a picture over 8,000 pixels is refused and the chat is stuck.
#[test]
fn a_full_page_of_20000_pixels_becomes_a_picture_that_chats_take() {
    let mut agent = agent();
    agent.open("/complaints/picture.html?w=800&h=20000");
    let [width, height] = sides(&mut agent, json!({ "full_page": true }));
    assert!(height <= 1568 && width > 20, "{width}x{height}");
    let [width, height] = sides(&mut agent, json!({ "full_page": true, "intent": "user_requested" }));
    assert!(height <= 8000 && width > 200, "{width}x{height}");
}

/// compound-engineering#77: half a surrogate pair makes the model's API answer 400 and ruins the chat.
#[test]
fn half_an_emoji_never_reaches_a_reply() {
    // The client of these tests refuses a line that holds one, as a model's API does.
    let mut agent = at("halves");
    let text = agent.read();
    assert!(text.contains("half") && text.contains('\u{1f600}'), "{text}");
    agent.ok("browser_find", json!({ "query": "half" }));
    agent.ok("browser_quick_read", json!({ "query": "Press" }));
    let pressed = click(&mut agent, "#b");
    assert!(pressed.text.contains("half"), "{}", pressed.text);
    agent.ok("browser_type", json!({ "ref": "#field", "text": "whole \u{1f600}" }));
    agent.call("browser_type", json!({ "ref": "#e", "text": "whole \u{1f600}" }));
    assert_eq!(agent.js("document.getElementById('field').value"), "whole \u{1f600}");
    for script in ["'\\ud83d'", "({ ['\\udc00']: '\\ud83d x' })", "(() => { throw new Error('\\udc00') })()"]
    {
        agent.call("browser_execute_js", json!({ "script": script }));
    }
    agent.ok("browser_list_tabs", json!({}));
}
