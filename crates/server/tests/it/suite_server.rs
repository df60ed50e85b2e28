//! The tools, prompts and resources that the protocol's conformance suite asks a server for. They stand in for
//! ours, so that each of its scenarios runs over our transports.

#![expect(deprecated, reason = "the suite asks for what older protocols have")]

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, Implementation, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, ServerConfig, ServerNotification, ServerRequest,
    SetLevelRequestParams, SubscribeRequestParams, UnsubscribeRequestParams,
};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer, ServerHandler};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::Duration;
use truehand_server::mcp::Server;

/// One red point.
const PICTURE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/// A sound without a sample.
const SOUND: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";

pub struct SuiteServer;

impl Server for SuiteServer {
    async fn announce(&self, _peer: Peer<RoleServer>) {
        std::future::pending().await
    }
}

/// A value of the SDK from the JSON that it is on the wire.
fn made<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

fn text(text: impl Into<String>) -> Value {
    json!({ "type": "text", "text": text.into() })
}

fn resource(uri: &str, kind: &str, text: &str) -> Value {
    json!({ "type": "resource", "resource": { "uri": uri, "mimeType": kind, "text": text } })
}

fn picture() -> Value {
    json!({ "type": "image", "data": PICTURE, "mimeType": "image/png" })
}

async fn pause() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

async fn tell(context: &RequestContext<RoleServer>, method: &str, params: Value) -> Result<(), ErrorData> {
    let note: ServerNotification = made(json!({ "method": method, "params": params }))?;
    let sent = context.peer.send_notification(note).await;
    sent.map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

async fn ask(context: &RequestContext<RoleServer>, method: &str, params: Value) -> Result<Value, ErrorData> {
    let request: ServerRequest = made(json!({ "method": method, "params": params }))?;
    let answer = context.peer.send_request(request).await;
    let answer = answer.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
    Ok(serde_json::to_value(answer).unwrap_or_default())
}

async fn elicit(
    context: &RequestContext<RoleServer>,
    message: &Value,
    properties: Value,
    required: &[&str],
) -> Result<Vec<Value>, ErrorData> {
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    let params = json!({ "message": message, "requestedSchema": schema });
    let answer = ask(context, "elicitation/create", params).await?;
    Ok(vec![text(format!(
        "Elicitation completed: action={}, content={}",
        answer["action"], answer["content"]
    ))])
}

async fn run(
    name: &str,
    arguments: &Value,
    context: &RequestContext<RoleServer>,
) -> Result<Vec<Value>, ErrorData> {
    Ok(match name {
        "test_simple_text" => vec![text("This is a simple text response for testing.")],
        "test_image_content" => vec![picture()],
        "test_audio_content" => vec![json!({ "type": "audio", "data": SOUND, "mimeType": "audio/wav" })],
        "test_embedded_resource" => {
            vec![resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")]
        }
        "test_multiple_content_types" => vec![
            text("Multiple content types test:"),
            picture(),
            resource("test://mixed-content-resource", "application/json", r#"{"test":"data","value":123}"#),
        ],
        "test_tool_with_logging" => {
            for words in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
                tell(context, "notifications/message", json!({ "level": "info", "data": words })).await?;
                pause().await;
            }
            vec![text("Logged.")]
        }
        "test_tool_with_progress" => {
            if let Some(token) = context.meta.get_progress_token() {
                for progress in [0, 50, 100] {
                    let params = json!({ "progressToken": token, "progress": progress, "total": 100 });
                    tell(context, "notifications/progress", params).await?;
                    pause().await;
                }
            }
            vec![text("Done.")]
        }
        "test_sampling" => {
            let message =
                json!({ "role": "user", "content": text(arguments["prompt"].as_str().unwrap_or_default()) });
            let params = json!({ "messages": [message], "maxTokens": 100 });
            let answer = ask(context, "sampling/createMessage", params).await?;
            vec![text(format!("LLM response: {}", answer["content"]["text"].as_str().unwrap_or_default()))]
        }
        "test_elicitation" => {
            let fields = json!({
                "username": { "type": "string", "description": "User's response" },
                "email": { "type": "string", "description": "User's email address" },
            });
            elicit(context, &arguments["message"], fields, &["username", "email"]).await?
        }
        "test_elicitation_sep1034_defaults" => {
            let fields = json!({
                "name": { "type": "string", "default": "John Doe" },
                "age": { "type": "integer", "default": 30 },
                "score": { "type": "number", "default": 95.5 },
                "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
                "verified": { "type": "boolean", "default": true },
            });
            elicit(context, &json!("Defaults"), fields, &[]).await?
        }
        "test_elicitation_sep1330_enums" => {
            let titled = |key: &str| {
                let rows = [("value1", "First"), ("value2", "Second"), ("value3", "Third")];
                let rows = rows.map(|(value, title)| json!({ "const": value, "title": title }));
                json!({ key: rows })
            };
            let mut single = titled("oneOf");
            single["type"] = json!("string");
            let plain = json!({ "type": "string", "enum": ["option1", "option2", "option3"] });
            let names = ["Option One", "Option Two", "Option Three"];
            let fields = json!({
                "untitledSingle": plain,
                "titledSingle": single,
                "legacyEnum": { "type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": names },
                "untitledMulti": { "type": "array", "items": plain },
                "titledMulti": { "type": "array", "items": titled("anyOf") },
            });
            elicit(context, &json!("Choices"), fields, &[]).await?
        }
        _ => return Err(ErrorData::invalid_params(format!("there is no tool {name}"), None)),
    })
}

const TOOLS: &[&str] = &[
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_tool_with_logging",
    "test_error_handling",
    "test_tool_with_progress",
    "test_sampling",
    "test_elicitation",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
];

impl ServerHandler for SuiteServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = json!({
            "tools": {}, "prompts": {}, "resources": { "subscribe": true }, "logging": {}, "completions": {},
        });
        ServerConfig::new(serde_json::from_value(capabilities).unwrap())
            .with_server_info(Implementation::new("suite", "1"))
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut tools: Vec<Value> = TOOLS
            .iter()
            .map(|name| json!({ "name": name, "description": name, "inputSchema": { "type": "object" } }))
            .collect();
        let fields = json!({ "street": { "type": "string" }, "city": { "type": "string" } });
        let schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": { "address": { "type": "object", "properties": fields } },
            "properties": { "name": { "type": "string" }, "address": { "$ref": "#/$defs/address" } },
            "additionalProperties": false,
        });
        tools.push(
            json!({ "name": "json_schema_2020_12_tool", "description": "Schema", "inputSchema": schema }),
        );
        made(json!({ "tools": tools }))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let failed = request.name == "test_error_handling";
        let content = if failed {
            vec![text("This tool intentionally returns an error for testing")]
        } else {
            run(&request.name, &Value::Object(request.arguments.unwrap_or_default()), &context).await?
        };
        let result: CallToolResult = made(json!({ "content": content, "isError": failed }))?;
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let row = |name: &str, kind: &str| json!({ "uri": format!("test://{name}"), "name": name, "description": name, "mimeType": kind });
        let rows = [
            row("static-text", "text/plain"),
            row("static-binary", "image/png"),
            row("watched-resource", "text/plain"),
        ];
        made(json!({ "resources": rows }))
    }

    async fn list_resource_templates(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let row =
            json!({ "uriTemplate": "test://template/{id}/data", "name": "template", "description": "By id" });
        made(json!({ "resourceTemplates": [row] }))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri.as_str();
        let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
        let content = match (uri, id) {
            ("test://static-binary", _) => json!({ "uri": uri, "mimeType": "image/png", "blob": PICTURE }),
            (_, Some(id)) => {
                let text = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
                json!({ "uri": uri, "mimeType": "application/json", "text": text.to_string() })
            }
            _ => {
                let text = "This is the content of the static text resource.";
                json!({ "uri": uri, "mimeType": "text/plain", "text": text })
            }
        };
        let result: ReadResourceResult = made(json!({ "contents": [content] }))?;
        Ok(result.into())
    }

    async fn list_prompts(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let row = |name: &str, arguments: &[&str]| {
            let arguments: Vec<Value> = arguments
                .iter()
                .map(|name| json!({ "name": name, "description": name, "required": true }))
                .collect();
            json!({ "name": name, "description": name, "arguments": arguments })
        };
        made(json!({ "prompts": [
            row("test_simple_prompt", &[]),
            row("test_prompt_with_arguments", &["arg1", "arg2"]),
            row("test_prompt_with_embedded_resource", &["resourceUri"]),
            row("test_prompt_with_image", &[]),
        ] }))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let given = serde_json::to_value(&request.arguments).unwrap_or_default();
        let word = |name: &str| given[name].as_str().unwrap_or_default().to_owned();
        let contents = match request.name.as_str() {
            "test_simple_prompt" => vec![text("This is a simple prompt for testing.")],
            "test_prompt_with_arguments" => {
                vec![text(format!("Prompt with arguments: arg1='{}', arg2='{}'", word("arg1"), word("arg2")))]
            }
            "test_prompt_with_embedded_resource" => vec![
                resource(&word("resourceUri"), "text/plain", "Embedded resource content for testing."),
                text("Please process the embedded resource above."),
            ],
            _ => vec![picture(), text("Please analyze the image above.")],
        };
        let messages: Vec<Value> =
            contents.into_iter().map(|content| json!({ "role": "user", "content": content })).collect();
        let result: GetPromptResult = made(json!({ "messages": messages }))?;
        Ok(result.into())
    }

    async fn set_level(
        &self,
        _request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn subscribe(
        &self,
        _request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }
}
