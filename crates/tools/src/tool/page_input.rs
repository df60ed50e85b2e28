//! `page_input`: raw input for scripts: the mouse where it is, keys that stay down, fingers.

use crate::act;
use crate::common::Common;
use crate::keys;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use crate::tool::click::MouseButtonArg;
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;
use truehand_base::{EffectClass, ErrorBody, ErrorCode, Facts, Verb};
use truehand_browser::{InputStep, MouseButton, Observe, Tab};

/// How long all of the pauses of a call may take together.
const LONGEST: Duration = Duration::from_mins(10);
/// The most steps of a call.
const MOST_STEPS: usize = 1_000;
/// The most moves of one step.
const MOST_MOVES: u32 = 1_000;
/// The longest text that is typed in a call, in characters.
const LONGEST_TEXT: usize = 100_000;
/// The most fingers.
const MOST_FINGERS: usize = 16;
/// How pages' secrets are written.
const MASK: &str = "••••";

/// Send raw input to a tab. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageInput {
    /// What to do, in order.
    steps: Vec<Step>,
    /// The modifiers that are held down already; seen, never taken from the caller.
    #[serde(skip)]
    #[schemars(skip)]
    held: Vec<&'static str>,
}

/// One piece of input.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub enum Step {
    /// Moves the mouse.
    Move {
        /// From the left of the viewport, in CSS pixels.
        x: f64,
        /// From its top.
        y: f64,
        /// How many moves it takes.
        steps: Option<u32>,
    },
    /// Presses a mouse button.
    Down {
        /// Which.
        button: Option<MouseButtonArg>,
        /// Which click in a row it is.
        clicks: Option<u32>,
    },
    /// Lets a mouse button go.
    Up {
        /// Which.
        button: Option<MouseButtonArg>,
        /// Which click in a row it is.
        clicks: Option<u32>,
    },
    /// Turns the wheel.
    Wheel {
        /// To the right.
        dx: f64,
        /// Down.
        dy: f64,
    },
    /// Presses a key and keeps it down.
    KeyDown {
        /// The key.
        key: String,
    },
    /// Lets a key go.
    KeyUp {
        /// The key.
        key: String,
    },
    /// Presses and lets go a key, with modifiers before it.
    Press {
        /// For example Shift+A.
        key: String,
        /// How long it is down, in milliseconds.
        delay: Option<f64>,
    },
    /// Enters a text at once.
    Insert {
        /// The text.
        text: String,
    },
    /// Presses the key of each character.
    Type {
        /// The text.
        text: String,
        /// The pause after each, in milliseconds.
        delay: Option<f64>,
    },
    /// Taps with a finger.
    Tap {
        /// From the left of the viewport.
        x: f64,
        /// From its top.
        y: f64,
    },
    /// Puts fingers down, moves them, or takes them away.
    Touch {
        /// Which of these.
        #[serde(rename = "type")]
        kind: TouchKind,
        /// Where they are.
        #[serde(default)]
        points: Vec<TouchPoint>,
    },
}

/// What fingers do.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TouchKind {
    /// They come down.
    Start,
    /// They move.
    Move,
    /// They go.
    End,
    /// The gesture is broken off.
    Cancel,
}

/// A finger.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TouchPoint {
    /// From the left of the viewport.
    x: f64,
    /// From its top.
    y: f64,
    /// Its number.
    id: Option<u32>,
}

fn milliseconds(delay: Option<f64>) -> Duration {
    Duration::try_from_secs_f64(delay.unwrap_or_default() / 1_000.0).unwrap_or_default().min(LONGEST)
}

/// The keys of one press: modifiers and the key. A modifier without a key is pressed like one.
fn parts(key: &str) -> Vec<String> {
    // A name with no plus in it is a key by itself, whatever it is: the browser says which it does not know.
    if key.chars().count() > 1 && key.contains('+') { keys::split(key) } else { vec![single(key)] }
}

/// One key by its name.
fn single(key: &str) -> String {
    match keys::split(key).as_slice() {
        // Which side of the keyboard a modifier is on is kept.
        [one] if !key.ends_with("Left") && !key.ends_with("Right") => one.clone(),
        _ => key.to_owned(),
    }
}

/// The modifier that a name stands for, as chords are judged by it.
fn modifier(key: &str) -> Option<String> {
    let names = keys::split(key);
    names
        .into_iter()
        .next()
        .filter(|name| ["Primary", "Control", "Meta", "Alt", "Shift"].contains(&name.as_str()))
}

impl Step {
    fn verb(&self) -> Verb {
        match self {
            Step::Move { .. } => Verb::Hover,
            Step::Down { .. } | Step::Up { .. } | Step::Tap { .. } | Step::Touch { .. } => Verb::Click,
            Step::Wheel { .. } => Verb::Scroll,
            Step::KeyDown { .. } | Step::KeyUp { .. } | Step::Press { .. } => Verb::Press,
            Step::Insert { .. } | Step::Type { .. } => Verb::Type,
        }
    }

    fn to_input(&self) -> InputStep {
        let button = |button: &Option<MouseButtonArg>| button.map(MouseButton::from).unwrap_or_default();
        match self {
            Step::Move { x, y, steps } => {
                InputStep::Move { x: *x, y: *y, steps: steps.unwrap_or(1).clamp(1, MOST_MOVES) }
            }
            Step::Down { button: which, clicks } => {
                InputStep::Down { button: button(which), clicks: clicks.unwrap_or(1) }
            }
            Step::Up { button: which, clicks } => {
                InputStep::Up { button: button(which), clicks: clicks.unwrap_or(1) }
            }
            Step::Wheel { dx, dy } => InputStep::Wheel { dx: *dx, dy: *dy },
            Step::KeyDown { key } => InputStep::KeyDown(single(key)),
            Step::KeyUp { key } => InputStep::KeyUp(single(key)),
            Step::Press { key, delay } => InputStep::Press { keys: parts(key), delay: milliseconds(*delay) },
            Step::Insert { text } => InputStep::Insert(text.clone()),
            Step::Type { text, delay } => InputStep::Type { text: text.clone(), delay: milliseconds(*delay) },
            Step::Tap { x, y } => InputStep::Tap { x: *x, y: *y },
            Step::Touch { kind, points } => InputStep::Touch {
                kind: match kind {
                    TouchKind::Start => "touchStart",
                    TouchKind::Move => "touchMove",
                    TouchKind::End => "touchEnd",
                    TouchKind::Cancel => "touchCancel",
                },
                points: points
                    .iter()
                    .enumerate()
                    .map(|(at, p)| (p.x, p.y, p.id.unwrap_or(at as u32)))
                    .collect(),
            },
        }
    }
}

impl PageInput {
    /// What the gate must know of each step: its verb, and the chord that comes of what is held by then.
    fn all_facts(&self) -> Vec<Facts> {
        let mut held: Vec<String> = self.held.iter().map(|name| (*name).to_owned()).collect();
        let mut all: Vec<Facts> = Vec::new();
        let mut add = |facts: Facts| {
            if !all.contains(&facts) {
                all.push(facts);
            }
        };
        for step in &self.steps {
            let plain = Facts::new(Self::INFO.name, step.verb());
            let chord = |held: &[String], keys: Vec<String>| Facts {
                chord: held.iter().cloned().chain(keys).collect(),
                ..plain.clone()
            };
            match step {
                Step::KeyDown { key } => {
                    add(chord(&held, vec![single(key)]));
                    held.extend(modifier(key));
                }
                Step::KeyUp { key } => {
                    if let Some(gone) = modifier(key) {
                        held.retain(|name| *name != gone);
                    }
                    add(plain);
                }
                Step::Press { key, .. } => add(chord(&held, parts(key))),
                // With a modifier held each character is a chord of its own.
                Step::Type { text, .. } if !held.is_empty() => {
                    for character in text.chars() {
                        add(chord(&held, vec![character.to_string()]));
                    }
                    add(plain);
                }
                _ => add(plain),
            }
        }
        all
    }

    fn check(&self) -> Result<(), String> {
        if self.steps.is_empty() || self.steps.len() > MOST_STEPS {
            return Err(format!("{} steps: a call takes 1 to {MOST_STEPS}", self.steps.len()));
        }
        let mut pauses = 0.0;
        for step in &self.steps {
            match step {
                Step::Insert { text } | Step::Type { text, .. } if text.chars().count() > LONGEST_TEXT => {
                    return Err(format!("a text has more than {LONGEST_TEXT} characters"));
                }
                Step::Touch { points, .. } if points.len() > MOST_FINGERS => {
                    return Err(format!("{} fingers are more than {MOST_FINGERS}", points.len()));
                }
                Step::Move { x, y, .. } | Step::Tap { x, y } if !x.is_finite() || !y.is_finite() => {
                    return Err("a point is no number".to_owned());
                }
                Step::Type { text, delay } => {
                    pauses += milliseconds(*delay).as_secs_f64() * text.chars().count() as f64;
                }
                Step::Press { delay, .. } => pauses += milliseconds(*delay).as_secs_f64(),
                _ => {}
            }
        }
        if pauses > LONGEST.as_secs_f64() {
            return Err(format!("the pauses take {pauses:.0} s, at most {} s", LONGEST.as_secs()));
        }
        Ok(())
    }
}

impl Tool for PageInput {
    const INFO: Info =
        Info { listed: false, ..Info::new("page_input", "Raw input", EffectClass::Input, Verb::Press) };

    fn see(&mut self, tab: &Tab) {
        self.held = tab.held_modifiers();
    }

    fn facts(&self) -> Facts {
        self.all_facts().into_iter().next().unwrap_or_else(|| Facts::new(Self::INFO.name, Self::INFO.verb))
    }

    fn more_facts(&self) -> Vec<Facts> {
        self.all_facts().into_iter().skip(1).collect()
    }

    fn patience(&self) -> Duration {
        LONGEST
    }

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        self.check().map_err(|why| ErrorBody::new(ErrorCode::InvalidArguments, why))?;
        let tab = act::tab(&cx, &common).await?;
        let steps: Vec<InputStep> = self.steps.iter().map(Step::to_input).collect();
        // A mouse on its way changes little, and moves by the hundred.
        let only_moves = self.steps.iter().all(|step| matches!(step, Step::Move { .. }));
        let usual = common.observe(cx.observe);
        let window = if only_moves { Duration::ZERO } else { usual.window };
        let observe = Observe { quick: true, window, ..usual };
        let acted = tab.raw_input(cx.call, &steps, &observe).await?;
        let count = steps.len();
        let mut reply =
            Reply::of(tab.id(), format!("sent {count} {}", if count == 1 { "input" } else { "inputs" }));
        reply.put("pressed", true);
        if acted.secret {
            // What was typed is not recorded, now and later.
            reply.put("masked", true);
            reply.put("value", MASK);
        }
        for note in acted.notes {
            reply.warn("NOTE", note);
        }
        reply.effect = acted.effect;
        Ok(reply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn input(steps: Value) -> PageInput {
        serde_json::from_value(json!({ "steps": steps })).expect("valid")
    }

    fn chords(input: &PageInput) -> Vec<String> {
        input
            .all_facts()
            .iter()
            .map(|facts| facts.chord.join("+"))
            .filter(|chord| !chord.is_empty())
            .collect()
    }

    #[test]
    fn page_input_tells_the_gate_every_chord_that_its_steps_make() {
        let held = input(json!([
            { "do": "keydown", "key": "ControlLeft" }, { "do": "press", "key": "w" }, { "do": "type", "text": "tt" },
            { "do": "keyup", "key": "Control" }, { "do": "press", "key": "w" }, { "do": "press", "key": "Shift+ArrowLeft" },
        ]));
        let expected = ["ControlLeft", "Control+w", "Control+t", "w", "Shift+ArrowLeft"];
        assert_eq!(chords(&held), expected);
    }

    #[test]
    fn page_input_counts_what_is_held_from_before() {
        let mut press = input(json!([{ "do": "press", "key": "w" }, { "do": "press", "key": "+" }]));
        press.held = vec!["Control"];
        assert_eq!(chords(&press), ["Control+w", "Control++"]);
        let said = json!({ "steps": [{ "do": "press", "key": "w" }], "held": [] });
        assert!(
            serde_json::from_value::<PageInput>(said).is_err(),
            "what was seen is not taken from the caller"
        );
    }

    #[test]
    fn page_input_judges_each_step_by_what_it_does() {
        let all = input(json!([
            { "do": "move", "x": 1, "y": 2 }, { "do": "down" }, { "do": "up" }, { "do": "wheel", "dx": 0, "dy": 5 },
            { "do": "insert", "text": "x" }, { "do": "tap", "x": 1, "y": 1 },
        ]));
        let verbs: Vec<Verb> = all.all_facts().iter().map(|facts| facts.verb).collect();
        assert_eq!(verbs, [Verb::Hover, Verb::Click, Verb::Scroll, Verb::Type]);
    }

    #[test]
    fn page_input_is_bounded() {
        let many = Value::Array(vec![json!({ "do": "down" }); MOST_STEPS + 1]);
        assert!(input(many).check().is_err());
        assert!(input(json!([])).check().is_err());
        assert!(input(json!([{ "do": "type", "text": "abc", "delay": 300_000 }])).check().is_err());
        assert!(input(json!([{ "do": "type", "text": "abc", "delay": 10 }])).check().is_ok());
    }
}
