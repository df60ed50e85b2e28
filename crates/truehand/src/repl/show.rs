//! What a script came to, on a terminal or in a pipe: its output on standard output, all the rest on standard error.

use crate::output::{Output, Tone, plain};
use serde::Deserialize;
use serde_json::Value;
use std::io::IsTerminal;
use truehand_base::{Outcome, ScopeLost, ScriptAct, ScriptError, ScriptLog, words};

/// What the tool gives back, as far as it is shown.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Ran {
    status: String,
    shown: Option<String>,
    thrown: Option<ScriptError>,
    logs: Vec<ScriptLog>,
    effects: Vec<ScriptAct>,
    redeclared: Vec<String>,
    notes: Vec<String>,
    elapsed_ms: u64,
    scope_lost: Option<ScopeLost>,
}

/// Shows an outcome.
pub(super) fn outcome(outcome: &Outcome, output: Output) {
    let ran = Ran::deserialize(Value::Object(outcome.output.clone())).unwrap_or_default();
    for log in &ran.logs {
        match log.level.as_str() {
            "warn" => output.aside(&plain(&log.text), Some(Tone::Doubt)),
            "error" => output.aside(&plain(&log.text), Some(Tone::Bad)),
            // A terminal must not be steered by what a page wrote; a file gets what was written.
            _ if std::io::stdout().is_terminal() => output.line(&plain(&log.text)),
            _ => output.line(&log.text),
        }
    }
    if let Some(shown) = &ran.shown {
        output.aside(&format!("{} {}", words::script::VALUE, plain(shown)), Some(Tone::Value));
    }
    if let Some(error) = &ran.thrown {
        output.aside(&plain(&words::script::thrown(error)), Some(Tone::Bad));
    }
    for image in &outcome.images {
        let (kind, width, height) = (&image.mime_type, image.width, image.height);
        output.aside(
            &format!("[{kind}, {width} × {height} pixels; a file of it: page.screenshot({{ path }})]"),
            None,
        );
    }
    for line in rest(&ran) {
        output.aside(&plain(&line), Some(Tone::Quiet));
    }
    for warning in &outcome.warnings {
        output.aside(&plain(&format!("warning {}: {}", warning.code, warning.message)), Some(Tone::Doubt));
    }
    let good = if ran.status == "ok" { Tone::Good } else { Tone::Bad };
    let line = words::script::status(&evaluated(ran));
    output.aside(&line, Some(good));
}

/// The lines of acts and notes.
fn rest(ran: &Ran) -> Vec<String> {
    let whole = evaluated(Ran {
        effects: ran.effects.clone(),
        redeclared: ran.redeclared.clone(),
        notes: ran.notes.clone(),
        scope_lost: ran.scope_lost.clone(),
        ..Ran::default()
    });
    let mut lines = words::script::acts(&whole);
    lines.extend(words::script::notes(&whole));
    lines
}

/// The same as the words are made of.
fn evaluated(ran: Ran) -> truehand_base::Evaluated {
    let status = serde_json::from_value(Value::String(ran.status)).unwrap_or(truehand_base::ScriptStatus::Ok);
    let mut evaluated = truehand_base::Evaluated::new(status);
    evaluated.error = ran.thrown;
    evaluated.acts = ran.effects;
    evaluated.redeclared = ran.redeclared;
    evaluated.notes = ran.notes;
    evaluated.scope_lost = ran.scope_lost;
    evaluated.elapsed = std::time::Duration::from_millis(ran.elapsed_ms);
    evaluated
}
