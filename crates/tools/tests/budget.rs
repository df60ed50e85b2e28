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
