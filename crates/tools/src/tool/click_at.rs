//! `browser_click_at`: a click at a point of the viewport; the last resort.

use super::click::{self, MouseButtonArg};
use crate::act::{self, Report};
use crate::common::Common;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, Verb, Verdict};
use truehand_browser::{ClickOptions, MouseButton};

/// Click at viewport pixels; the last resort.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClickAt {
    x: f64,
    y: f64,
    #[schemars(skip)]
    button: Option<MouseButtonArg>,
    #[schemars(skip)]
    double: Option<bool>,
    #[schemars(skip)]
    modifiers: Option<Vec<String>>,
    #[schemars(skip)]
    touch: Option<bool>,
    #[schemars(skip)]
    hold_ms: Option<u64>,
    /// A description for people, which some clients send.
    #[schemars(skip)]
    #[expect(dead_code, reason = "it is accepted and not needed")]
    element: Option<String>,
}

impl Tool for ClickAt {
    const INFO: Info = Info {
        input_mode: true,
        verbs: &["click-at"],
        positional: &["x", "y"],
        aliases: &["click_at", "browser_mouse_click_xy"],
        renames: &[("coordinate_x", "x"), ("coordinate_y", "y"), ("double_click", "double")],
        extra: "The reply names the element that was hit. clicked: true only says that the event was sent; without \
                any effect the reply carries the warning ZERO_EFFECT. button, double, modifiers, touch and \
                hold_ms as in browser_click. On a canvas or video, pictures of it before and after tell whether it \
                changed (page_effect.region).",
        examples: &[("Click at a point", r#"{"x":20,"y":20}"#)],
        ..Info::new("browser_click_at", "Click at point", EffectClass::Input, Verb::Click)
    };

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let tab = act::tab(&cx, &common).await?;
        let options = ClickOptions {
            button: self.button.map(MouseButton::from).unwrap_or_default(),
            count: if self.double == Some(true) { 2 } else { 1 },
            modifiers: self.modifiers.unwrap_or_default(),
            touch: self.touch == Some(true),
            hold: click::hold(self.hold_ms)?,
            ..click::plain(common.mode, None)
        };
        let acted = tab.click_at(cx.call, self.x, self.y, &options, &common.observe(cx.observe)).await;
        let point = format!("{},{}", self.x, self.y);
        let report = Report { field: "clicked", value: true.into(), asked: "" };
        let mut reply = act::reply(&tab, &common, report, acted, |_| format!("clicked at {point}"));
        name_the_hit(&mut reply);
        Ok(reply)
    }
}

/// Says what received the click, and warns when nothing came of it.
fn name_the_hit(reply: &mut Reply) {
    let Some(effect) = &reply.effect else { return };
    let idle = matches!(effect.verdict, Verdict::NoChange | Verdict::AmbientOnly);
    if let Some(receiver) = effect.hit.as_ref().map(|hit| hit.receiver.clone()) {
        reply.done = format!("{} on {receiver}", reply.done);
        reply.put("hit", receiver);
    }
    if idle {
        reply.warn("ZERO_EFFECT", "the click was sent and nothing came of it; treat it as a failure");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use truehand_base::{Hit, PageEffect};

    #[test]
    fn row_194_click_at_without_effect_carries_a_warning_and_names_the_hit() {
        let hit = Hit { receiver: "body".to_owned(), intended: true, trusted: true };
        let effect = PageEffect { verdict: Verdict::NoChange, hit: Some(hit), ..PageEffect::default() };
        let mut reply = Reply { done: "clicked at 1,2".to_owned(), effect: Some(effect), ..Reply::default() };
        name_the_hit(&mut reply);
        assert_eq!(reply.done, "clicked at 1,2 on body");
        assert_eq!(reply.warnings[0].code, "ZERO_EFFECT");
        assert_eq!(reply.output["hit"], "body");
    }

    #[test]
    fn click_at_with_an_effect_has_no_warning() {
        let effect = PageEffect { verdict: Verdict::Changed, ..PageEffect::default() };
        let mut reply = Reply { effect: Some(effect), ..Reply::default() };
        name_the_hit(&mut reply);
        assert!(reply.warnings.is_empty());
    }
}
