//! `browser_scroll`: scrolls the page or a scroller.

use crate::act::{self, Report};
use crate::common::Common;
use crate::field::Element;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use truehand_base::{EffectClass, ErrorBody, Verb};
use truehand_browser::{Acted, ScrollBy, Target, Way};

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
    /// Scroll on until this text or selector shows.
    until: Option<Element>,
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

/// What a search looks for: a plain text is a text, not a selector.
fn sought(until: &Element) -> Target {
    match &until.target {
        Target::Css { css } if css == &until.text && !until.text.starts_with(['#', '.', '[']) => {
            Target::Text { text: until.text.clone(), exact: false }
        }
        other => other.clone(),
    }
}

impl Scroll {
    /// Which way a search goes.
    fn way(&self) -> Way {
        match (self.direction, self.to) {
            (Some(Direction::Up), _) | (None, Some(To::Top)) => Way::Up,
            (Some(Direction::Left), _) => Way::Left,
            (Some(Direction::Right), _) => Way::Right,
            _ => Way::Down,
        }
    }

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

/// Puts into the reply how far it went.
fn tell(reply: &mut Reply, returned: Option<Value>) {
    for (name, value) in returned.as_ref().and_then(Value::as_object).into_iter().flatten() {
        if name != "found" {
            reply.put(name, value.clone());
        }
    }
}

impl Tool for Scroll {
    const INFO: Info = Info {
        verbs: &["scroll"],
        positional: &["direction", "amount"],
        aliases: &["scroll"],
        renames: &[("pixels", "amount"), ("delta_x", "dx"), ("delta_y", "dy"), ("scroll_amount", "amount")],
        extra: "Without anything it scrolls down by 600 pixels; with a ref alone it brings the element into view; \
                with a ref and a direction it scrolls that element. dx and dy, in pixels, are accepted as well. until \
                scrolls the page, or the list of ref, on in the direction until a text or selector shows, through \
                virtual lists and feeds that load more; NO_MATCH says after how many steps it gave up and whether the \
                end was reached, and it stays there, so that another call goes on.",
        examples: &[
            ("Scroll down", r#"{"direction":"down"}"#),
            ("To the end of the page", r#"{"to":"bottom"}"#),
            ("To a text far down a list or feed", r#"{"until":"Terms of sale"}"#),
        ],
        ..Info::new("browser_scroll", "Scroll", EffectClass::Input, Verb::Scroll)
    };

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let tab = act::tab(&cx, &common).await?;
        let target = self.element.as_ref().map(|e| &e.target);
        if let Some(until) = &self.until {
            let observe = common.observe(cx.observe);
            let acted = tab.scroll_until(cx.call, target, &sought(until), self.way(), &observe).await;
            let found = acted.as_ref().is_ok_and(|a| a.error.is_none());
            let returned = acted.as_ref().ok().and_then(|a| a.returned.clone());
            let report = Report { field: "found", value: found.into(), asked: &until.text };
            let verb = if found { "scrolled to" } else { "looked for" };
            let mut reply = act::reply(&tab, &common, report, acted, |name| format!("{verb} {name}"));
            tell(&mut reply, returned);
            return Ok(reply);
        }
        let (by, words) = self.by();
        let acted = tab.scroll(cx.call, target, by, &common.observe(cx.observe)).await;
        let asked = self.element.as_ref().map_or("the page", |e| e.text.as_str());
        // What stands in view needs no scrolling; anything else that stayed where it was did not scroll.
        let stayed = by != ScrollBy::IntoView && acted.as_ref().is_ok_and(stayed);
        let returned = acted.as_ref().ok().and_then(|a| a.returned.clone());
        let report = Report { field: "scrolled", value: (!stayed).into(), asked };
        let verb = if stayed { "did not scroll" } else { "scrolled" };
        let mut reply = act::reply(&tab, &common, report, acted, |name| format!("{verb} {name} {words}"));
        tell(&mut reply, returned);
        Ok(reply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

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

    #[test]
    fn scroll_until_takes_a_plain_text_for_a_text() {
        let until = |text: &str| sought(&Element::parse(text).expect("valid"));
        assert_eq!(until("Row 900"), Target::Text { text: "Row 900".to_owned(), exact: false });
        assert_eq!(until("#row-900"), Target::Css { css: "#row-900".to_owned() });
        assert_eq!(until("css=li.last"), Target::Css { css: "li.last".to_owned() });
        assert!(matches!(until("button \"Record 900\""), Target::Role { .. }));
    }
}
