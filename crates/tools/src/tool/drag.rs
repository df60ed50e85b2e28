//! `browser_drag`: drags one element onto another.

use super::click;
use crate::act::{self, Report};
use crate::common::Common;
use crate::field::Element;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::text::{clip, one_line};
use truehand_base::{EffectClass, ErrorBody, ErrorCode, Verb};
use truehand_browser::{DragOptions, Goal};

/// Drag one element onto another.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Drag {
    from: Element,
    to: Option<Element>,
    /// Pixels, in place of to.
    #[schemars(skip)]
    dx: Option<f64>,
    #[schemars(skip)]
    dy: Option<f64>,
    /// Points within the elements, from their top left corners.
    #[schemars(skip)]
    from_x: Option<f64>,
    #[schemars(skip)]
    from_y: Option<f64>,
    #[schemars(skip)]
    to_x: Option<f64>,
    #[schemars(skip)]
    to_y: Option<f64>,
    #[schemars(skip)]
    hold_ms: Option<u64>,
    /// Descriptions for people, which some clients send.
    #[schemars(skip)]
    #[expect(dead_code, reason = "it is accepted and not needed")]
    start_element: Option<String>,
    #[schemars(skip)]
    #[expect(dead_code, reason = "it is accepted and not needed")]
    end_element: Option<String>,
}

impl Tool for Drag {
    const INFO: Info = Info {
        verbs: &["drag"],
        positional: &["from", "to"],
        aliases: &["drag"],
        renames: &[
            ("start_ref", "from"),
            ("end_ref", "to"),
            ("startRef", "from"),
            ("endRef", "to"),
            ("start_target", "from"),
            ("end_target", "to"),
            ("startTarget", "from"),
            ("endTarget", "to"),
            ("from_ref", "from"),
            ("to_ref", "to"),
            ("from_uid", "from"),
            ("to_uid", "to"),
            ("source", "from"),
            ("ref", "from"),
            ("target", "to"),
        ],
        extra: "HTML5 drag and drop and plain pointer dragging are both served by the same trusted mouse moves. In place \
                of to, dx and dy say how far to drag, in pixels: a slider's knob, a drawing. from_x, from_y, to_x and \
                to_y are points within the elements, from their top left corners; hold_ms waits between the press and \
                the first move. A drop that the page does not take is DROP_REFUSED.",
        examples: &[("Drag a card to a list", r##"{"from":"#card","to":"#done"}"##)],
        ..Info::new("browser_drag", "Drag", EffectClass::Input, Verb::Drag)
    };

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let goal = match (&self.to, self.dx, self.dy) {
            (Some(to), None, None) => {
                Goal::Element { target: to.target.clone(), at: point(self.to_x, self.to_y) }
            }
            (None, dx, dy) if dx.is_some() || dy.is_some() => {
                Goal::By { dx: dx.unwrap_or(0.0), dy: dy.unwrap_or(0.0) }
            }
            _ => {
                return Err(ErrorBody::new(
                    ErrorCode::InvalidArguments,
                    "a drag needs either to, the element to drop on, or dx and dy in pixels",
                ));
            }
        };
        let tab = act::tab(&cx, &common).await?;
        let options =
            DragOptions { grip: point(self.from_x, self.from_y), goal, hold: click::hold(self.hold_ms)? };
        let acted = tab.drag(cx.call, &self.from.target, &options, &common.observe(cx.observe)).await;
        let to = match (&self.to, &options.goal) {
            (Some(to), _) => format!("to {}", clip(&one_line(&to.text), 80)),
            (None, Goal::By { dx, dy }) => format!("by {dx},{dy}"),
            (None, Goal::Element { .. }) => String::new(),
        };
        let report = Report { field: "dragged", value: true.into(), asked: &self.from.text };
        let refused =
            acted.as_ref().is_ok_and(|a| a.error.as_ref().is_some_and(|e| e.code == ErrorCode::DropRefused));
        let mut reply = act::reply(&tab, &common, report, acted, |name| format!("dragged {name} {to}"));
        if refused {
            reply.put("dragged", false);
        }
        Ok(reply)
    }
}

/// A point within an element; one that is half given counts from its corner.
fn point(x: Option<f64>, y: Option<f64>) -> Option<(f64, f64)> {
    (x.is_some() || y.is_some()).then(|| (x.unwrap_or(0.0), y.unwrap_or(0.0)))
}
