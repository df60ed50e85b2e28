//! The record of a call: what the pipeline learnt on the way, and the line that becomes of it.

use crate::lock;
use crate::typed::TypedSecrets;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use truehand_base::{Call, ErrorBody, ErrorCode, Outcome, Verb, Warning, words};
use truehand_store::{Home, TRACE_VERSION, Timestamp, Trace, TraceRecord};

/// What the pipeline learnt about a call before it ended.
#[derive(Debug)]
pub struct Trail {
    /// The tool's own name once it was found.
    pub tool: String,
    /// The arguments under their own names once they were understood.
    pub arguments: Value,
    /// What its steps do.
    pub verbs: Vec<Verb>,
    /// What the gate said.
    pub decision: Value,
    /// Files that could not be used as they are.
    pub warnings: Vec<Warning>,
    /// Whether the configuration wants calls recorded.
    pub trace: bool,
    /// Whether it is recorded only when it fails.
    pub untraced: bool,
    /// What the call is for, when its arguments say so.
    pub purpose: Option<String>,
}

impl Trail {
    /// The trail of a call of which nothing is known yet.
    pub fn new(call: &Call) -> Trail {
        Trail {
            tool: truehand_base::text::clip(&call.tool, 80),
            arguments: Value::Null,
            verbs: Vec::new(),
            decision: Value::Null,
            warnings: Vec::new(),
            trace: false,
            untraced: false,
            purpose: None,
        }
    }
}

/// When a call began and how long it took.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    /// Its number in this run of the program.
    pub seq: u64,
    /// When it began.
    pub began: Timestamp,
    /// How long it took.
    pub took: Duration,
}

/// Writes the trace.
pub struct Recorder {
    home: Home,
    instance: String,
    file: Mutex<Option<Arc<Trace>>>,
    typed: TypedSecrets,
}

impl Recorder {
    /// A recorder that opens its file with the first line.
    pub fn new(home: Home, instance: String) -> Recorder {
        Recorder { home, instance, file: Mutex::default(), typed: TypedSecrets::default() }
    }

    /// Makes the line of a call and, when `write` says so, writes it. Secrets are learnt either way, so
    /// that a trace that is switched on later is clean too.
    ///
    /// # Errors
    /// `STORE_FAILED` when the line can't be written.
    pub async fn record(
        self: &Arc<Self>,
        call: &Call,
        trail: &Trail,
        outcome: &Outcome,
        span: Span,
        write: bool,
    ) -> Result<(), ErrorBody> {
        let mut secrets = self.typed.of_call(&trail.verbs, &trail.arguments, outcome);
        let arguments = pressed_keys(trail, outcome);
        if let Some(keys) = arguments.as_ref().and_then(|_| typed_by_keys(&trail.arguments["keys"])) {
            secrets.push(keys.clone());
            if outcome.output.get("masked") == Some(&Value::Bool(true)) {
                self.typed.remember(keys);
            }
        }
        // A script that names a token is recorded after the call that took it.
        if let Some(token) =
            trail.arguments.get("token").and_then(Value::as_str).filter(|_| takes_token(trail))
        {
            self.typed.remember(token.to_owned());
            secrets.push(token.to_owned());
        }
        if !write {
            return Ok(());
        }
        let mut line = line(call, trail, outcome, span);
        if let Some(arguments) = arguments {
            line.arguments = arguments;
        }
        let recorder = Arc::clone(self);
        let written =
            tokio::task::spawn_blocking(move || recorder.trace(span.began)?.append(&line, &secrets));
        match written.await {
            Ok(result) => result,
            Err(error) => {
                Err(ErrorBody::new(ErrorCode::StoreFailed, format!("the trace's thread failed: {error}")))
            }
        }
    }

    fn trace(&self, now: Timestamp) -> Result<Arc<Trace>, ErrorBody> {
        let mut file = lock(&self.file);
        if let Some(trace) = file.as_ref() {
            return Ok(Arc::clone(trace));
        }
        let name = format!("{}_{}.jsonl", now.date(), self.instance);
        let trace = Arc::new(Trace::open(&self.home.traces().join(name))?);
        *file = Some(Arc::clone(&trace));
        Ok(trace)
    }
}

/// Tools that give scripts what pages and servers hold.
const PAGE_DATA: &[&str] = &["page_evaluate", "page_body", "page_post_data", "page_fetch", "page_answer"];

fn takes_token(trail: &Trail) -> bool {
    matches!(trail.tool.as_str(), "channel_create" | "channel_update")
}

/// What stands for a key that must not be shown.
const HIDDEN_KEY: &str = "•";

/// A text of fewer keys is no secret by itself: it would be struck out everywhere.
const SHORTEST: usize = 4;

/// The arguments of a key press without the keys that wrote into a secret field, or of which nobody saw into what field
/// they wrote; `None` when all may be shown.
fn pressed_keys(trail: &Trail, outcome: &Outcome) -> Option<Value> {
    if trail.tool == "page_cdp" && trail.arguments["method"] == "Input.dispatchKeyEvent" {
        // One event tells nobody whether it is a letter of a password.
        let mut arguments = trail.arguments.clone();
        if let Some(params) = arguments["params"].as_object_mut() {
            params.retain(|name, _| matches!(name.as_str(), "type" | "modifiers"));
        }
        return Some(arguments);
    }
    if !matches!(trail.tool.as_str(), "browser_press" | "page_input") {
        return None;
    }
    let is = |name: &str| outcome.output.get(name) == Some(&Value::Bool(true));
    if is("pressed") && !is("masked") {
        return None;
    }
    let mut arguments = trail.arguments.clone();
    hide_keys(&mut arguments);
    Some(arguments)
}

fn hide_keys(value: &mut Value) {
    match value {
        Value::String(key) if truehand_tools::enters_text(key) => HIDDEN_KEY.clone_into(key),
        Value::Number(_) => *value = Value::from(HIDDEN_KEY),
        Value::Array(items) => items.iter_mut().for_each(hide_keys),
        Value::Object(map) => {
            let keys = |name: &String| matches!(name.as_str(), "keys" | "key" | "ref" | "steps");
            map.iter_mut().filter(|(name, _)| keys(name)).for_each(|(_, value)| hide_keys(value));
        }
        _ => {}
    }
}

/// The text that a row of single keys wrote.
fn typed_by_keys(keys: &Value) -> Option<String> {
    let single = |key: &Value| key.as_str().filter(|k| k.chars().count() == 1).map(str::to_owned);
    let text: String = keys.as_array()?.iter().filter_map(single).collect();
    (text.chars().count() >= SHORTEST).then_some(text)
}

fn line(call: &Call, trail: &Trail, outcome: &Outcome, span: Span) -> TraceRecord {
    let mut structured = outcome.structured();
    let page_effect =
        structured.as_object_mut().and_then(|map| map.remove("page_effect")).unwrap_or_default();
    if let Some(map) = structured.as_object_mut().filter(|_| !outcome.images.is_empty()) {
        let image = |i: &truehand_base::Image| json!({ "mime_type": i.mime_type, "base64": i.base64, "width": i.width, "height": i.height });
        map.insert("images".to_owned(), outcome.images.iter().map(image).collect());
    }
    if let Some(map) = structured.as_object_mut().filter(|_| PAGE_DATA.contains(&trail.tool.as_str())) {
        // What a script reads is the script's: state of pages, bodies and storage have no names to be told apart by.
        for field in ["value", "base64", "body_base64"] {
            if let Some(value) = map.get_mut(field) {
                *value = json!(format!("[{} characters]", value.to_string().chars().count()));
            }
        }
    }
    TraceRecord {
        version: TRACE_VERSION,
        time: span.began.iso(),
        seq: span.seq,
        client: call.client.to_string(),
        tool: trail.tool.clone(),
        arguments: trail.arguments.clone(),
        purpose: call.purpose.clone().or_else(|| trail.purpose.clone()),
        request_key: call.request_key.clone(),
        decision: trail.decision.clone(),
        verdict: words::verdict_line(outcome),
        outcome: structured,
        page_effect,
        duration_ms: u64::try_from(span.took.as_millis()).unwrap_or(u64::MAX),
    }
}
