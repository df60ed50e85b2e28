//! What callers say about an action, and what they get back.

use crate::target::Target;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;
use truehand_base::{ErrorBody, PageEffect, TabId};

/// How an action is observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Observe {
    /// False skips the observation; the reply then has no effect.
    pub enabled: bool,
    /// How long to look before `no_change` is believed; ends early once an effect has settled.
    pub window: Duration,
    /// How far the window is extended while requests of the action are in flight.
    pub cap: Duration,
    /// Looks only until the page has come to rest, which is too short a time to say that nothing changed: then the
    /// verdict is `unknown`. With a window of no length it looks once, and goes on only where it sees something.
    pub quick: bool,
}

impl Default for Observe {
    fn default() -> Self {
        Observe {
            enabled: true,
            window: Duration::from_millis(300),
            cap: Duration::from_millis(2_000),
            quick: false,
        }
    }
}

/// How input reaches the page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InputMode {
    /// Trusted, except where the site registry says otherwise.
    #[default]
    Auto,
    /// Through the browser's input pipeline, as a person's.
    Trusted,
    /// Dispatched by script in the page.
    Synthetic,
}

/// A mouse button.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MouseButton {
    /// The main button.
    #[default]
    Left,
    /// The wheel.
    Middle,
    /// The context menu's button.
    Right,
}

/// What to do about a cover.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Covers {
    /// Refuse and name it.
    #[default]
    Refuse,
    /// Close it (Escape, a reject or close button, the backdrop), then act once.
    Dismiss,
}

/// How to click, or to hover.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ClickOptions {
    /// Which button.
    pub button: MouseButton,
    /// 1, 2 for a double click, or more.
    pub count: u32,
    /// The point of the element, from its top left corner; one that receives the click when none.
    pub position: Option<(f64, f64)>,
    /// Whether it goes to that point whatever lies there, and whether the element is disabled or not.
    pub force: bool,
    /// Keys held down: `Primary`, `Control`, `Shift`, `Alt`, `Meta`.
    pub modifiers: Vec<String>,
    /// How input reaches the page.
    pub mode: InputMode,
    /// What to do about a cover.
    pub covers: Covers,
    /// A tap of a finger in place of the mouse.
    pub touch: bool,
    /// How long the button or finger stays down; `None` for a plain click.
    pub hold: Option<Duration>,
}

/// How to write into a field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TypeOptions {
    /// Whether what the field holds is kept and the text goes to its end.
    pub append: bool,
    /// Whether every character is pressed as a key.
    pub keys: bool,
    /// Whether Enter is pressed afterwards.
    pub submit: bool,
    /// How input reaches the page.
    pub mode: InputMode,
    /// Whether the value is masked in what comes back.
    pub secret: bool,
}

/// Where to scroll.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ScrollBy {
    /// By CSS pixels.
    Pixels {
        /// To the right.
        dx: f64,
        /// Down.
        dy: f64,
    },
    /// The target into view.
    IntoView,
    /// To the start of the scroller.
    Top,
    /// To its end.
    Bottom,
}

/// Where a drag ends.
#[derive(Debug, Clone, PartialEq)]
pub enum Goal {
    /// On an element, or a point of it from its top left corner.
    Element {
        /// The element.
        target: Target,
        /// The point.
        at: Option<(f64, f64)>,
    },
    /// So far from where it began, in CSS pixels.
    By {
        /// To the right.
        dx: f64,
        /// Down.
        dy: f64,
    },
}

/// How to drag.
#[derive(Debug, Clone, PartialEq)]
pub struct DragOptions {
    /// The point of the element to take it by, from its top left corner; its middle when none.
    pub grip: Option<(f64, f64)>,
    /// Where to.
    pub goal: Goal,
    /// How long the button is down before the first move.
    pub hold: Option<Duration>,
}

impl DragOptions {
    /// From the middle of one element to the middle of another.
    #[must_use]
    pub fn onto(target: Target) -> DragOptions {
        DragOptions { grip: None, goal: Goal::Element { target, at: None }, hold: None }
    }
}

/// Which way a search scrolls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Way {
    /// To later content.
    #[default]
    Down,
    /// To earlier content.
    Up,
    /// To the left.
    Left,
    /// To the right.
    Right,
}

impl Way {
    /// The signs of the steps to the right and down.
    #[must_use]
    pub fn signs(self) -> (i8, i8) {
        match self {
            Way::Down => (0, 1),
            Way::Up => (0, -1),
            Way::Left => (-1, 0),
            Way::Right => (1, 0),
        }
    }
}

/// What to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadOptions {
    /// Only elements that can be acted on, and headings.
    pub interactive: bool,
    /// How many levels deep, counted from the scope.
    pub depth: Option<u32>,
    /// The most tokens that the text may cost.
    pub budget: usize,
    /// The first row to show, for paging.
    pub from: usize,
    /// Only what differs from the tab's last reading.
    pub diff: bool,
    /// Also what is hidden from people or from assistive technology.
    pub hidden: bool,
}

impl Default for ReadOptions {
    fn default() -> Self {
        ReadOptions { interactive: false, depth: None, budget: 4_000, from: 0, diff: false, hidden: false }
    }
}

/// A page as text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Reading {
    /// The page's address.
    pub url: String,
    /// Its title.
    pub title: String,
    /// The rows.
    pub text: String,
    /// How many rows the page has under these options.
    pub rows: usize,
    /// Set when `rows` is an estimate: a large page is read as far as the reply goes, and its rest is only counted.
    pub about: bool,
    /// How many are in `text`.
    pub shown: usize,
    /// Where the next page of rows starts, when something was left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_from: Option<usize>,
    /// How many controls are among what was left out.
    pub controls_left_out: usize,
    /// How many child frames were not looked into, because the budget or the time was used up.
    pub frames_left_out: usize,
    /// Set when `text` is the difference to the last reading.
    pub diff: bool,
}

/// An element as it is named to callers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Described {
    /// Its reference.
    #[serde(rename = "ref")]
    pub reference: String,
    /// Its role.
    #[serde(default)]
    pub role: String,
    /// Its accessible name or visible text.
    #[serde(default)]
    pub name: String,
    /// The whole description: `button "Save"`.
    #[serde(default)]
    pub description: String,
}

/// What to wait for; all given parts must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Condition {
    /// A text that the page must show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// A text that must be gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_gone: Option<String>,
    /// A CSS selector that must match a visible element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// A CSS selector that must match nothing visible.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector_gone: Option<String>,
    /// A part of the address, or a glob with `*`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// How to take a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShotOptions {
    /// The most pixels on the long side; nothing is scaled up.
    pub max_side: u32,
    /// JPEG quality in percent; `None` makes a PNG.
    pub quality: Option<u8>,
    /// The whole page and not only what is in view.
    pub full_page: bool,
}

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shot {
    /// `image/png` or `image/jpeg`.
    pub mime_type: &'static str,
    /// The bytes, checked to be a whole image.
    pub bytes: Vec<u8>,
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

/// A tab as it is listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TabInfo {
    /// Its handle.
    pub tab_id: TabId,
    /// The browser's own name of it, which others that drive the browser know as well.
    pub target_id: String,
    /// Its address.
    pub url: String,
    /// Its title.
    pub title: String,
    /// Whether calls without a `tab_id` go to it.
    pub current: bool,
    /// `ready`, `loading`, `crashed` or `dialog`.
    pub state: &'static str,
    /// Who holds it, in a browser that several clients can reach; others can read it and not act on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holder: Option<String>,
}

/// What an action came to. `error` is set when the action was carried out and yet must not count as a
/// success: another element got the event, a field holds something else.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Acted {
    /// The element that was acted on.
    pub target: Option<Described>,
    /// What was measured; `None` when observation was switched off.
    pub effect: Option<PageEffect>,
    /// What the field holds now, for writing, selecting and checking; masked for secrets.
    pub value: Option<String>,
    /// Whether keys went into a field whose value must not be shown.
    pub secret: bool,
    /// A value that the action returned, for scripts.
    pub returned: Option<Value>,
    /// Sentences on the way: a reference that was found again, a cover that was dismissed.
    pub notes: Vec<String>,
    /// Why it must not count as a success.
    pub error: Option<ErrorBody>,
}
