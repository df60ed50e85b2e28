//! `browser_scroll`: scrolls the page or a scroller.

use crate::act::{self, Report};
use crate::common::Common;
use crate::field::Element;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, Verb};
use truehand_browser::{Acted, ScrollBy};

/// How far a direction without an amount goes, in CSS pixels: most of a usual viewport.
const STEP: f64 = 600.0;

/// Scroll the page or one element.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scroll {
    direction: Option<Direction>,
    /// Pixels; default 600.
    amount: Option<f64>,
    #[serde(rename = "ref")]
    element: Option<Element>,
    to: Option<To>,
    #[schemars(skip)]
    dx: Option<f64>,
    #[schemars(skip)]
    dy: Option<f64>,
}

/// A direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// To later content.
    Down,
    /// To earlier content.
    Up,
    /// To the left.
    Left,
    /// To the right.
    Right,
}

/// An end to scroll to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum To {
    /// The start of the scroller.
    #[serde(alias = "start")]
    Top,
    /// Its end.
    #[serde(alias = "end")]
    Bottom,
    /// Wherever the element is seen.
    #[serde(alias = "view")]
    IntoView,
}

impl Scroll {
    /// What is meant, and the words for it.
    fn by(&self) -> (ScrollBy, String) {
        match self.to {
            Some(To::Top) => return (ScrollBy::Top, "to the top".to_owned()),
            Some(To::Bottom) => return (ScrollBy::Bottom, "to the bottom".to_owned()),
            Some(To::IntoView) => return (ScrollBy::IntoView, "into view".to_owned()),
            None => {}
        }
        let pixels = |dx: f64, dy: f64| (ScrollBy::Pixels { dx, dy }, format!("by {dx},{dy}"));
        if self.dx.is_some() || self.dy.is_some() {
            return pixels(self.dx.unwrap_or(0.0), self.dy.unwrap_or(0.0));
        }
        if self.direction.is_none() && self.amount.is_none() && self.element.is_some() {
            return (ScrollBy::IntoView, "into view".to_owned());
        }
        let amount = self.amount.unwrap_or(STEP);
        match self.direction.unwrap_or(Direction::Down) {
            Direction::Down => pixels(0.0, amount),
            Direction::Up => pixels(0.0, -amount),
            Direction::Left => pixels(-amount, 0.0),
            Direction::Right => pixels(amount, 0.0),
        }
    }
}

/// Whether nothing moved.
fn stayed(acted: &Acted) -> bool {
    let moved = acted.returned.as_ref().map(|returned| &returned["moved"]);
    moved.is_some_and(|by| by["x"].as_f64() == Some(0.0) && by["y"].as_f64() == Some(0.0))
}

impl Tool for Scroll {
    const INFO: Info = Info {
        verbs: &["scroll"],
        positional: &["direction", "amount"],
        aliases: &["scroll"],
        renames: &[("pixels", "amount"), ("delta_x", "dx"), ("delta_y", "dy"), ("scroll_amount", "amount")],
        extra: "Without anything it scrolls down by 600 pixels; with a ref alone it brings the element into view; \
                with a ref and a direction it scrolls that element. dx and dy, in pixels, are accepted as well.",
        examples: &[
            ("Scroll down", r#"{"direction":"down"}"#),
            ("To the end of the page", r#"{"to":"bottom"}"#),
        ],
        ..Info::new("browser_scroll", "Scroll", EffectClass::Input, Verb::Scroll)
    };

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let tab = act::tab(&cx, &common).await?;
        let (by, words) = self.by();
        let target = self.element.as_ref().map(|e| &e.target);
        let acted = tab.scroll(cx.call, target, by, &common.observe(cx.observe)).await;
        let asked = self.element.as_ref().map_or("the page", |e| e.text.as_str());
        // What stands in view needs no scrolling; anything else that stayed where it was did not scroll.
        let stayed = by != ScrollBy::IntoView && acted.as_ref().is_ok_and(stayed);
        let report = Report { field: "scrolled", value: (!stayed).into(), asked };
        let verb = if stayed { "did not scroll" } else { "scrolled" };
        Ok(act::reply(&tab, &common, report, acted, |name| format!("{verb} {name} {words}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn scroll_reads_direction_distance_and_ends() {
        let by = |value: Value| serde_json::from_value::<Scroll>(value).expect("valid").by().0;
        assert_eq!(by(json!({})), ScrollBy::Pixels { dx: 0.0, dy: STEP });
        assert_eq!(by(json!({ "direction": "up", "amount": 50 })), ScrollBy::Pixels { dx: 0.0, dy: -50.0 });
        assert_eq!(by(json!({ "dx": 5 })), ScrollBy::Pixels { dx: 5.0, dy: 0.0 });
        assert_eq!(by(json!({ "ref": "e3" })), ScrollBy::IntoView);
        assert_eq!(by(json!({ "ref": "e3", "direction": "right" })), ScrollBy::Pixels { dx: STEP, dy: 0.0 });
        assert_eq!(by(json!({ "to": "bottom" })), ScrollBy::Bottom);
    }
}
