//! `page_call`: calls a page function by name, for scripts. Only names of the table can be called.

use crate::act;
use crate::common::Common;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;
use truehand_base::text::clip;
use truehand_base::{EffectClass, ErrorBody, ErrorCode, Facts, Verb};
use truehand_browser::{Observe, PageCall as BrowserCall, Returns};

/// The longest that a page function may wait for something.
const LONGEST: Duration = Duration::from_mins(10);

/// The page functions that can be called: name, what it does, whether it acts on the page so that its effect is measured.
const FUNCTIONS: &[(&str, Verb, bool)] = &[
    ("stats", Verb::Read, false),
    ("quickRead", Verb::Read, false),
    ("findText", Verb::Read, false),
    ("locate", Verb::Read, false),
    ("textAt", Verb::Read, false),
    ("readField", Verb::Read, false),
    ("checkState", Verb::Read, false),
    ("waitFor", Verb::Read, false),
    ("quiet", Verb::Read, false),
    ("hitAt", Verb::Read, false),
    ("scriptFrame", Verb::Read, false),
    ("scriptRef", Verb::Read, false),
    ("scriptLocate", Verb::Read, false),
    ("scriptQueryAll", Verb::Read, false),
    ("scriptQueryOne", Verb::Read, false),
    ("scriptCount", Verb::Read, false),
    ("scriptRead", Verb::Read, false),
    ("scriptWait", Verb::Read, false),
    ("scriptExpect", Verb::Read, false),
    ("scriptAria", Verb::Read, false),
    ("scriptOptions", Verb::Read, false),
    ("scriptFrameOrigin", Verb::Read, false),
    ("scriptHighlight", Verb::Read, false),
    ("scriptDress", Verb::Read, false),
    ("scriptUndress", Verb::Read, false),
    ("scriptScrollIntoView", Verb::Scroll, true),
    ("scriptForceFill", Verb::Type, true),
    ("scriptFocus", Verb::Press, true),
    ("scriptBlur", Verb::Press, true),
    ("scriptSelectText", Verb::Press, true),
    ("scriptDispatch", Verb::Click, true),
    ("scriptChoose", Verb::Select, true),
    ("scriptClearFiles", Verb::Upload, true),
];

/// Call a function of the page parts. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageCall {
    /// The frame, as page_frames names it; the main one without it, or that of the first handle.
    frame: Option<String>,
    /// The function.
    #[serde(rename = "fn")]
    name: String,
    /// Its arguments.
    args: Option<Value>,
    /// Elements that it gets besides.
    #[serde(default)]
    handles: Vec<String>,
    /// What comes back.
    returns: Option<ReturnsArg>,
    /// How long it may wait for something.
    timeout_ms: Option<u64>,
}

/// What a call gives back.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReturnsArg {
    /// A JSON value.
    Value,
    /// An object, by handle.
    Handle,
    /// A list of objects, each by handle.
    Handles,
}

impl From<ReturnsArg> for Returns {
    fn from(returns: ReturnsArg) -> Returns {
        match returns {
            ReturnsArg::Value => Returns::Value,
            ReturnsArg::Handle => Returns::Handle,
            ReturnsArg::Handles => Returns::Handles,
        }
    }
}

impl PageCall {
    /// The row of its function. Of one that has none nothing is called.
    fn row(&self) -> Option<&'static (&'static str, Verb, bool)> {
        FUNCTIONS.iter().find(|row| row.0 == self.name)
    }

    fn wait(&self) -> Duration {
        Duration::from_millis(self.timeout_ms.unwrap_or_default()).min(LONGEST)
    }
}

/// What it is to put a caller's own style into a page. One that loads something sends a request, and by selectors it can say
/// in it what the page holds; how a word is written with escapes is not followed.
fn verb_of_style(css: &str) -> Verb {
    let css = css.to_ascii_lowercase();
    if ["url", "src", "import", "image", "\\"].iter().any(|word| css.contains(word)) {
        Verb::Js
    } else {
        Verb::Settings
    }
}

impl Tool for PageCall {
    const INFO: Info = Info {
        listed: false,
        ..Info::new("page_call", "Call a page function", EffectClass::Input, Verb::Read)
    };

    fn facts(&self) -> Facts {
        let style = self.args.as_ref().map_or(&Value::Null, |args| &args["style"]);
        let verb = match (self.row(), style) {
            (Some(("scriptDress", ..)), Value::String(css)) if !css.is_empty() => verb_of_style(css),
            (Some(("scriptDress", ..)), Value::Array(_) | Value::Object(_)) => Verb::Js,
            (row, _) => row.map_or(Verb::Js, |row| row.1),
        };
        Facts::new(Self::INFO.name, verb)
    }

    fn patience(&self) -> Duration {
        self.wait() + Duration::from_secs(30)
    }

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let Some((name, _, acts)) = self.row() else {
            let what = format!("there is no page function {}", clip(&self.name, 60));
            return Err(ErrorBody::new(ErrorCode::InvalidArguments, what));
        };
        let tab = act::tab(&cx, &common).await?;
        let call = BrowserCall {
            name,
            frame: self.frame.as_deref(),
            args: self.args.as_ref(),
            handles: &self.handles,
            returns: self.returns.map(Returns::from).unwrap_or_default(),
            wait: self.wait(),
            acts: *acts,
        };
        let observe = Observe { quick: true, ..common.observe(cx.observe) };
        let acted = tab.call_page(cx.call, &call, &observe).await?;
        let mut reply = Reply::of(tab.id(), format!("called {name}"));
        if let Some(Value::Object(fields)) = acted.returned {
            reply.output.extend(fields);
        }
        reply.effect = acted.effect;
        Ok(reply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn page_call_of_a_function_without_a_row_is_no_reading() {
        let call = |name: &str| serde_json::from_value::<PageCall>(json!({ "fn": name })).expect("valid");
        assert_eq!(call("locate").facts().verb, Verb::Read);
        assert_eq!(call("setField").facts().verb, Verb::Js);
    }

    #[test]
    fn style_for_a_picture_is_no_reading_and_is_code_when_it_could_load_something() {
        let verb = |style: Value| {
            let call = json!({ "fn": "scriptDress", "args": { "caret": true, "style": style } });
            serde_json::from_value::<PageCall>(call).expect("valid").facts().verb
        };
        assert_eq!(verb(json!("")), Verb::Read);
        assert_eq!(verb(Value::Null), Verb::Read);
        assert_eq!(verb(json!("h1 { color: red }")), Verb::Settings);
        for css in [
            "body { background: URL(http://h.example/) }",
            "@import 'http://h.example/a.css';",
            "i { background: image-set('http://h.example/' 1x) }",
            "i { background: u\\72l(http://h.example/) }",
            "@font-face { font-family: f; src: u }",
        ] {
            assert_eq!(verb(json!(css)), Verb::Js, "{css}");
        }
        assert_eq!(verb(json!(["body { background: url(x) }"])), Verb::Js, "what becomes a text in the page");
    }

    #[test]
    fn page_call_functions_that_act_are_not_called_reading() {
        for (name, verb, acts) in FUNCTIONS {
            assert!(!acts || *verb != Verb::Read, "{name}");
        }
    }
}
