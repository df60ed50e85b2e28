//! `browser_click`: one trusted click on one element, with its measured effect.

use crate::act::{self, Report};
use crate::common::Common;
use crate::field::Element;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use std::time::Duration;
use truehand_base::{EffectClass, ErrorBody, ErrorCode, Verb};
use truehand_browser::{ClickOptions, Covers, InputMode, MouseButton, Observe};

/// Click an element. A covered, disabled or stale one is refused with the reason.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Click {
    #[serde(rename = "ref")]
    element: Element,
    button: Option<MouseButtonArg>,
    double: Option<bool>,
    /// Keys held, e.g. Shift.
    modifiers: Option<Vec<String>>,
    /// Close what covers it first.
    auto_dismiss: Option<bool>,
    /// Tap with a finger.
    touch: Option<bool>,
    /// Long press.
    hold_ms: Option<u64>,
    #[schemars(skip)]
    dismiss_overlay: Option<bool>,
    /// How often it is pressed in a row.
    #[schemars(skip)]
    clicks: Option<u32>,
    /// The point of the element, from its top left corner.
    #[schemars(skip)]
    position: Option<Position>,
    /// Whether it is clicked whatever covers it, and disabled or not.
    #[schemars(skip)]
    force: Option<bool>,
    /// How long the button is down, in milliseconds.
    #[schemars(skip)]
    delay: Option<f64>,
    /// Whether the effect is only glanced at.
    #[schemars(skip)]
    no_wait: Option<bool>,
}

/// The most clicks in a row.
const MOST_CLICKS: u32 = 10;

/// A point of an element, in CSS pixels from its top left corner.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Position {
    x: f64,
    y: f64,
}

impl From<Position> for (f64, f64) {
    fn from(position: Position) -> (f64, f64) {
        (position.x, position.y)
    }
}

/// A mouse button as callers name it.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MouseButtonArg {
    /// The main button.
    Left,
    /// The wheel.
    Middle,
    /// The context menu's button.
    Right,
}

impl From<MouseButtonArg> for MouseButton {
    fn from(button: MouseButtonArg) -> MouseButton {
        match button {
            MouseButtonArg::Left => MouseButton::Left,
            MouseButtonArg::Middle => MouseButton::Middle,
            MouseButtonArg::Right => MouseButton::Right,
        }
    }
}

/// One click of the main button that closes covers first when told so.
pub fn plain(mode: InputMode, dismiss: Option<bool>) -> ClickOptions {
    let covers = if dismiss == Some(true) { Covers::Dismiss } else { Covers::Refuse };
    ClickOptions { count: 1, mode, covers, ..ClickOptions::default() }
}

/// The longest that a button may be held down, in milliseconds.
const LONGEST_HOLD: u64 = 10_000;

/// How long the button stays down.
pub fn hold(ms: Option<u64>) -> Result<Option<Duration>, ErrorBody> {
    match ms {
        None | Some(0) => Ok(None),
        Some(ms) if ms <= LONGEST_HOLD => Ok(Some(Duration::from_millis(ms))),
        Some(ms) => Err(ErrorBody::new(
            ErrorCode::InvalidArguments,
            format!("hold_ms is {ms}; the longest is {LONGEST_HOLD}"),
        )),
    }
}

impl Tool for Click {
    const INFO: Info = Info {
        input_mode: true,
        verbs: &["click"],
        positional: &["ref"],
        aliases: &["click", "chrome_click_element"],
        renames: &[
            ("tap", "touch"),
            ("hold", "hold_ms"),
            ("double_click", "double"),
            ("dbl_click", "double"),
            ("doubleClick", "double"),
        ],
        extra: "A covered, disabled, hidden or stale target is refused at once with the reason; a cover is named. \
                auto_dismiss (also dismiss_overlay) closes it with Escape, its close or reject button, or its \
                backdrop, and then clicks once; it never agrees to anything, and page_effect.dismissed says which way \
                worked. hold_ms keeps the button, or the finger with touch, down so long: at most 10 seconds.",
        examples: &[("Click a button by role and name", r#"{"ref":"role=button[name=\"Save\"]"}"#)],
        ..Info::new("browser_click", "Click", EffectClass::Input, Verb::Click)
    };

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let usual = if self.double == Some(true) { 2 } else { 1 };
        let count = self.clicks.unwrap_or(usual);
        if count > MOST_CLICKS {
            let what = format!("clicks is {count}; the most is {MOST_CLICKS}");
            return Err(ErrorBody::new(ErrorCode::InvalidArguments, what));
        }
        let delay = self.delay.filter(|ms| *ms > 0.0).map(|ms| ms.ceil() as u64);
        let options = ClickOptions {
            button: self.button.map(MouseButton::from).unwrap_or_default(),
            count,
            position: self.position.map(Into::into),
            force: self.force == Some(true),
            modifiers: self.modifiers.unwrap_or_default(),
            touch: self.touch == Some(true),
            hold: hold(self.hold_ms.or(delay))?,
            ..plain(common.mode, self.auto_dismiss.or(self.dismiss_overlay))
        };
        let tab = act::tab(&cx, &common).await?;
        let observe = Observe { quick: self.no_wait == Some(true), ..common.observe(cx.observe) };
        let acted = match count {
            // No click at all still brings the mouse there.
            0 => tab.hover(cx.call, &self.element.target, &options, &observe).await,
            _ => tab.click(cx.call, &self.element.target, &options, &observe).await,
        };
        let report = Report { field: "clicked", value: true.into(), asked: &self.element.text };
        Ok(act::reply(&tab, &common, report, acted, |name| format!("clicked {name}")))
    }
}
