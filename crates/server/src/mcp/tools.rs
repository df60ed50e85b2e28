//! Tools and outcomes in MCP's shapes.

use rmcp::model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations};
use serde_json::Value;
use std::sync::Arc;
use truehand_base::{EffectClass, Outcome, ToolInfo, words};

/// Whether results carry `structuredContent` besides their text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Structured {
    /// Yes, except for clients that would then drop the text and the images before their model sees them.
    #[default]
    Auto,
    /// Yes.
    Always,
    /// No; tools then have no output schema either.
    Never,
}

/// Clients, by the start of the name that they give, that hand their model `structuredContent` alone
/// when there is one. The text is shorter, starts with the verdict and comes with the images.
const TEXT_CLIENTS: &[&str] = &["claude-code", "codex"];

impl Structured {
    /// The decision for a client of this name.
    pub(crate) fn wanted_by(self, client: Option<&str>) -> bool {
        match self {
            Structured::Always => true,
            Structured::Never => false,
            Structured::Auto => {
                let name = client.unwrap_or_default().to_ascii_lowercase();
                !TEXT_CLIENTS.iter().any(|known| name.starts_with(known))
            }
        }
    }
}

/// A tool as MCP lists it.
pub(crate) fn tool(info: &ToolInfo, structured: bool) -> Tool {
    let tool = Tool::new(info.name.clone(), info.description.clone(), object(&info.input_schema))
        .with_title(info.title.clone())
        .with_annotations(annotations(info.effect));
    if structured { tool.with_raw_output_schema(object(&info.output_schema)) } else { tool }
}

fn object(schema: &Value) -> Arc<JsonObject> {
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}

/// The hints. One that says the protocol's default, or that means nothing beside another, is left out:
/// every client pays for the list.
fn annotations(effect: EffectClass) -> ToolAnnotations {
    let hints = ToolAnnotations::new().read_only(effect == EffectClass::Read);
    match effect {
        EffectClass::Read => hints,
        EffectClass::Navigate => hints.destructive(false),
        EffectClass::Input | EffectClass::Script => hints.destructive(true),
        EffectClass::Store => hints.destructive(false).open_world(false),
    }
}

/// A result as MCP carries it. The text is the whole reply. The structured form is the whole outcome and
/// starts from the same verdict: some clients show their model only the one, some only the other, so
/// neither may leave something out.
pub(crate) fn result(outcome: &Outcome, structured: bool) -> CallToolResult {
    let mut content = vec![ContentBlock::text(words::reply(outcome))];
    content.extend(outcome.images.iter().map(|image| ContentBlock::image(&image.base64, &image.mime_type)));
    // A call that still runs has not failed; its verdict says that it is not done either.
    let mut result = match outcome.error {
        None => CallToolResult::success(content),
        Some(_) => CallToolResult::error(content),
    };
    if structured {
        let mut value = outcome.structured();
        if let Some(map) = value.as_object_mut() {
            map.insert("verdict".to_owned(), Value::String(words::verdict_line(outcome)));
        }
        result.structured_content = Some(value);
    }
    result
}

/// The reference page of a tool.
pub(crate) fn page(info: &ToolInfo) -> String {
    let texts = |list: &Value| -> Vec<String> {
        list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let mut parts = vec![format!("# {}", info.name), info.title.clone(), info.description.clone()];
    let required = texts(&info.input_schema["required"]);
    let properties = info.input_schema["properties"].as_object();
    let rows = properties.into_iter().flatten().map(|(name, schema)| {
        let must = if required.contains(name) { ", required" } else { "" };
        let kind = schema["type"].as_str().unwrap_or("any");
        let words = schema["description"].as_str().unwrap_or_default();
        let choices = texts(&schema["enum"]).join(", ");
        let choices = if choices.is_empty() { choices } else { format!(" One of: {choices}.") };
        format!("- `{name}` ({kind}{must}): {words}{choices}")
    });
    let rows: Vec<String> = rows.collect();
    let rows = if rows.is_empty() { "None.".to_owned() } else { rows.join("\n") };
    parts.push("## Arguments".to_owned());
    parts.push(rows);
    for (head, names) in [("Other names", &info.aliases), ("On the command line", &info.verbs)] {
        if !names.is_empty() {
            parts.push(format!("{head}: {}", names.join(", ")));
        }
    }
    for example in &info.examples {
        parts.push(format!("{}:\n\n```json\n{}\n```", example.what, example.arguments));
    }
    parts.join("\n\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use truehand_base::{ErrorBody, ErrorCode, Image};

    #[test]
    fn result_of_a_failure_carries_code_retry_and_next_step_in_both_forms() {
        let error = ErrorBody::new(ErrorCode::RefStale, "e3 is gone");
        let result = result(&Outcome::failed("browser_click", error), true);
        assert_eq!(result.is_error, Some(true));
        let text = &result.content[0].as_text().expect("text").text;
        assert!(text.starts_with("REF_STALE: e3 is gone\n") && text.contains("\nnext: "), "{text}");
        let error = &result.structured_content.expect("structured")["error"];
        assert_eq!(error["code"], "REF_STALE");
        assert_eq!(error["retriable"], false);
        assert!(error["next_step"].as_str().is_some_and(|s| !s.is_empty()));
    }

    #[test]
    fn clients_that_drop_text_get_no_structured_form_and_keep_the_image() {
        assert!(!Structured::Auto.wanted_by(Some("claude-code")));
        assert!(!Structured::Auto.wanted_by(Some("codex-mcp-client")));
        assert!(Structured::Auto.wanted_by(Some("inspector")));
        assert!(Structured::Always.wanted_by(Some("claude-code")));
        let mut outcome = Outcome::new("browser_screenshot");
        let image =
            Image { mime_type: "image/png".to_owned(), base64: "AA==".to_owned(), width: 1, height: 1 };
        outcome.images.push(image);
        let result = result(&outcome, false);
        assert_eq!(result.structured_content, None);
        assert!(result.content[1].as_image().is_some());
    }
}
