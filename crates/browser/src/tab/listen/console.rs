//! What pages print and throw, for those who listen.

use crate::feed::kind;
use crate::tab::TabInner;
use serde_json::{Value, json};
use truehand_base::text::clip;
use truehand_cdp::{ExecutionContextId, Session};

/// The longest text of a message, in characters.
const TEXT: usize = 20_000;

/// The most values of a message that are told.
const VALUES: usize = 50;

impl TabInner {
    pub(super) fn hear_console(&self, session: &Session, params: &Value) {
        // Of a session that was not asked for whole messages only the kind comes.
        let Some(args) = params["args"].as_array() else { return };
        let world = params["executionContextId"].as_i64().map(ExecutionContextId);
        let frame = world.and_then(|world| self.frame_of_world(session, world));
        if frame.as_ref().is_some_and(|(_, of_page)| !of_page) {
            return;
        }
        self.tell(kind::CONSOLE, "console", || {
            let shown: Vec<String> =
                args.iter().map(|value| previewed(value).unwrap_or_else(|| shown(value))).collect();
            let at = &params["stackTrace"]["callFrames"][0];
            json!({
                "type": params["type"],
                "text": clip(&shown.join(" "), TEXT),
                // Objects, which whoever reads the event gets handles of.
                "args": args.iter().take(VALUES).collect::<Vec<_>>(),
                "world": params["executionContextId"],
                "frame": frame.map(|(id, _)| id.0),
                "location": { "url": at["url"], "line": at["lineNumber"], "column": at["columnNumber"] },
                "timestamp": params["timestamp"],
            })
        });
    }

    pub(super) fn hear_exception(&self, session: &Session, params: &Value) {
        let details = &params["exceptionDetails"];
        let world = details["executionContextId"].as_i64().map(ExecutionContextId);
        let frame = world.and_then(|world| self.frame_of_world(session, world));
        // A fault of a page part is ours and not the page's.
        if frame.as_ref().is_some_and(|(_, of_page)| !of_page) {
            return;
        }
        self.tell(kind::BASIC, "pageerror", || {
            let exception = &details["exception"];
            let (name, message, stack) = thrown(exception, details["text"].as_str().unwrap_or_default());
            let at = &details["stackTrace"]["callFrames"][0];
            json!({
                "name": name,
                "message": clip(&message, TEXT),
                "stack": clip(&stack, TEXT),
                "frame": frame.map(|(id, _)| id.0),
                "location": {
                    "url": at.get("url").or(details.get("url")),
                    "line": at.get("lineNumber").or(details.get("lineNumber")),
                    "column": at.get("columnNumber").or(details.get("columnNumber")),
                },
            })
        });
    }
}

/// What a console would print of a value.
fn shown(value: &Value) -> String {
    if let Some(text) = value["unserializableValue"].as_str().or(value["value"].as_str()) {
        return text.to_owned();
    }
    match (&value["value"], value["description"].as_str()) {
        (Value::Null, Some(text)) => text.to_owned(),
        (Value::Null, None) if value["subtype"] == "null" => "null".to_owned(),
        (Value::Null, None) => value["type"].as_str().unwrap_or_default().to_owned(),
        (value, _) => value.to_string(),
    }
}

/// The fields of a plain object or a list, as far as the browser tells them: `{a: 1}`, `[1, 2]`.
fn previewed(value: &Value) -> Option<String> {
    let preview = &value["preview"];
    let fields = preview["properties"].as_array()?;
    let list = value["subtype"] == "array";
    if !list && (!value["subtype"].is_null() || value["className"] != "Object") {
        return None;
    }
    let field = |field: &Value| {
        let told = field["value"].as_str().unwrap_or_default();
        match field["name"].as_str() {
            Some(name) if !list || name.parse::<usize>().is_err() => format!("{name}: {told}"),
            _ => told.to_owned(),
        }
    };
    let mut shown: Vec<String> = fields.iter().map(field).collect();
    if preview["overflow"] == true {
        shown.push("…".to_owned());
    }
    let inner = shown.join(", ");
    Some(if list { format!("[{inner}]") } else { format!("{{{inner}}}") })
}

/// Name, message and stack of what was thrown; it need not be an error.
fn thrown(exception: &Value, text: &str) -> (String, String, String) {
    let Some(description) = exception["description"].as_str().filter(|_| exception["subtype"] == "error")
    else {
        let value = if exception.is_object() { shown(exception) } else { text.to_owned() };
        return (String::new(), value, String::new());
    };
    let head = description.split("\n    at ").next().unwrap_or_default();
    let class = exception["className"].as_str().unwrap_or("Error");
    match head.split_once(": ") {
        // An error may have been given another name than its class has.
        Some((name, message)) if !name.contains(char::is_whitespace) => {
            (name.to_owned(), message.to_owned(), description.to_owned())
        }
        _ if head == class => (class.to_owned(), String::new(), description.to_owned()),
        _ => (class.to_owned(), head.to_owned(), description.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thrown_tells_name_message_and_stack_apart() {
        let error = |description: &str, class: &str| {
            let value = json!({ "subtype": "error", "className": class, "description": description });
            let (name, message, _) = thrown(&value, "Uncaught");
            (name, message)
        };
        let pair = |name: &str, message: &str| (name.to_owned(), message.to_owned());
        assert_eq!(error("TypeError: x: y\n    at f (a:1:2)", "TypeError"), pair("TypeError", "x: y"));
        assert_eq!(error("Mine: bad\nday\n    at f", "Error"), pair("Mine", "bad\nday"));
        assert_eq!(error("Error\n    at f (a:1:2)", "Error"), pair("Error", ""));
        let (name, message, stack) = thrown(&json!({ "type": "string", "value": "plain" }), "Uncaught");
        assert_eq!((name.as_str(), message.as_str(), stack.as_str()), ("", "plain", ""));
    }
}
