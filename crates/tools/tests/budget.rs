//! What the tool list costs a model, counted with the real o200k tokenizer.

use serde_json::{Value, json};
use truehand_tools::catalog;

/// The most tokens that all listed tools may cost together.
const LIMIT: usize = 3_000;

fn tokens(value: &Value) -> usize {
    let tokenizer = tiktoken_rs::o200k_base_singleton();
    tokenizer.encode_ordinary(&value.to_string()).len()
}

#[test]
fn tool_list_costs_a_model_no_more_than_the_limit() {
    let listed: Vec<_> = catalog().tools.iter().filter(|tool| tool.listed).cloned().collect();
    let view = |tool: &truehand_base::ToolInfo| json!({ "name": tool.name, "description": tool.description, "inputSchema": tool.input_schema });
    for tool in &listed {
        println!("{:>4} {}", tokens(&view(tool)), tool.name);
    }
    let model: Value = listed.iter().map(view).collect();
    let whole: Value = listed
        .iter()
        .map(|tool| {
            let mut all = view(tool);
            all["title"] = json!(tool.title);
            all["outputSchema"] = tool.output_schema.clone();
            all["annotations"] = json!({ "title": tool.title, "readOnlyHint": false, "destructiveHint": false,
                "idempotentHint": false, "openWorldHint": true });
            all
        })
        .collect();
    let cost = tokens(&model);
    println!(
        "{} tools: {cost} tokens for a model, {} with annotations and output schemas",
        listed.len(),
        tokens(&whole)
    );
    assert!(cost <= LIMIT, "the tool list costs {cost} tokens, {} too many", cost.saturating_sub(LIMIT));
}

#[test]
fn token_estimate_is_no_far_miss_on_words_codes_and_rare_scripts() {
    let mut seed = 1_u64;
    let mut pick = |from: &str, length: usize| -> String {
        let chars: Vec<char> = from.chars().collect();
        let mut next = || {
            seed = seed * 48_271 % 2_147_483_647;
            chars[usize::try_from(seed).expect("a small number") % chars.len()]
        };
        (0..length).map(|_| next()).collect()
    };
    let rows = |make: &mut dyn FnMut() -> String| (0..200).map(|_| make()).collect::<Vec<_>>().join(" ");
    let letters = "abcdefghijklmnopqrstuvwxyz";
    let yi: String = ('\u{a000}'..'\u{a400}').collect();
    let han: String = ('\u{4e00}'..'\u{9000}').collect();
    let texts = [
        ("prose", "The river market was quiet, and the carpenter mended the lantern. ".repeat(50)),
        (
            "rows",
            rows(&mut || format!("  - button \"Action {}\" [ref=e{}]\n", pick("123", 2), pick("456", 4))),
        ),
        ("base64", rows(&mut || pick(&format!("{letters}{}0123456789+/", letters.to_uppercase()), 60))),
        ("consonants", rows(&mut || pick("bcdfghjklmnpqrstvwxz", 12))),
        ("capitals", rows(&mut || pick(&letters.to_uppercase(), 12))),
        ("hex", rows(&mut || pick("0123456789abcdef", 32))),
        ("digits", rows(&mut || pick("0123456789", 18))),
        ("marks", rows(&mut || pick("!@#$%^&*(){}[]<>?~`|;:.,", 30))),
        ("emoji", rows(&mut || pick("😀🧯🛸🦑🪐🫖", 12))),
        ("yi", rows(&mut || pick(&yi, 20))),
        ("han", rows(&mut || pick(&han, 20))),
        ("accents", rows(&mut || pick("éèêàâçîïôûùœæäöü", 8))),
        ("thai", "สวัสดีครับผมชื่อ ".repeat(50)),
    ];
    let tokenizer = tiktoken_rs::o200k_base_singleton();
    for (name, text) in texts {
        let real = tokenizer.encode_ordinary(&text).len();
        let guess = truehand_base::text::token_estimate(&text);
        println!("{name}: {guess} estimated, {real} real");
        assert!(guess * 10 >= real * 8, "{name}: {guess} estimated of {real}");
        assert!(guess <= real * 3, "{name}: {guess} estimated of {real}");
    }
}
