//! Clicking and hovering: check, aim, press, and see who received it.

use super::Tab;
use super::act::Sent;
use super::targets::InFrame;
use crate::errors::from_cdp;
use crate::options::{Acted, ClickOptions, Covers, Described, InputMode, MouseButton, Observe};
use crate::target::Target;
use serde_json::{Value, json};
use std::time::Duration;
use truehand_base::{CallCtx, ErrorBody, ErrorCode, PageEffect, Verdict};
use truehand_cdp as cdp;

/// How often, and how far apart, a click is sent again that a frame of another process was not yet drawn for.
const UNDRAWN_TRIES: usize = 5;
const UNDRAWN_PAUSE: Duration = Duration::from_millis(60);

/// How many times a cover is dismissed before the click is given up.
const DISMISS_LIMIT: usize = 3;

impl Tab {
    /// Clicks an element once it can be clicked, or says at once why it can't.
    ///
    /// # Errors
    /// `OCCLUDED`, `DISABLED`, `NOT_VISIBLE`, `OUTSIDE_VIEWPORT`, `REF_STALE`, `NO_MATCH`, `AMBIGUOUS` and the codes
    /// of a tab that can't answer.
    pub async fn click(
        &self,
        ctx: &CallCtx,
        target: &Target,
        options: &ClickOptions,
        observe: &Observe,
    ) -> Result<Acted, ErrorBody> {
        let mut notes = Vec::new();
        let mut undrawn = 0;
        loop {
            match self.click_once(ctx, target, options, observe, &mut notes).await {
                Ok(acted) if undrawn < UNDRAWN_TRIES && fell_on_the_frame(&acted) => {
                    undrawn += 1;
                    tokio::time::sleep(UNDRAWN_PAUSE).await;
                    ctx.check("the frame to be drawn")?;
                }
                Err(error)
                    if error.code == ErrorCode::Occluded
                        && options.covers == Covers::Dismiss
                        && notes.len() < DISMISS_LIMIT =>
                {
                    notes.push(self.dismiss_cover(ctx, target, observe, error).await?);
                }
                Err(error) if !notes.is_empty() => {
                    return Err(error.with("notes", notes));
                }
                other => return other,
            }
        }
    }

    async fn click_once(
        &self,
        ctx: &CallCtx,
        target: &Target,
        options: &ClickOptions,
        observe: &Observe,
        notes: &mut Vec<String>,
    ) -> Result<Acted, ErrorBody> {
        let args = json!({ "action": "click", "arm": observe.enabled });
        let found = self.on_target(ctx, target, "prepare", args).await?;
        let mode = self.input_mode(options.mode);
        let aim = self.page_point(ctx, &found.frame, found.number("x"), found.number("y")).await;
        let armed = observe.enabled.then_some((&found.frame, &found.answer));
        let window = self.window(ctx, observe, armed).await?;
        let (x, y) = match aim {
            Ok(point) => point,
            Err(error) => {
                self.abandon(window);
                return Err(error);
            }
        };
        let sent = if mode == InputMode::Synthetic {
            let by_number = Target::Ref { frame: 0, number: number_of(&found) };
            let args = json!({ "target": by_number, "frame": found.frame.number });
            drop(self.start_asking(&found.frame, "clickSynthetic", args).map_err(|e| e.into_body(self))?);
            Vec::new()
        } else {
            self.press_mouse(x, y, options)
        };
        let effect = self.watch(ctx, window, observe, sent).await?;
        self.learn_click(mode, effect.as_ref());
        let mut acted = acted(&found, effect);
        acted.notes.append(notes);
        acted.error = acted.effect.as_ref().and_then(hit_other);
        Ok(acted)
    }

    /// Clicks a point of the viewport, in CSS pixels from its top left corner.
    ///
    /// # Errors
    /// `INVALID_ARGUMENTS` for a point outside the viewport, and the codes of a tab that can't answer.
    pub async fn click_at(
        &self,
        ctx: &CallCtx,
        x: f64,
        y: f64,
        options: &ClickOptions,
        observe: &Observe,
    ) -> Result<Acted, ErrorBody> {
        self.check_ready()?;
        let target = self.element_at(ctx, x, y).await?;
        let window = self.window(ctx, observe, None).await?;
        let sent = self.press_mouse(x, y, options);
        let effect = self.watch(ctx, window, observe, sent).await?;
        Ok(Acted { target, effect, ..Acted::default() })
    }

    /// The element at a point of the page's viewport, through frames.
    async fn element_at(&self, ctx: &CallCtx, x: f64, y: f64) -> Result<Option<Described>, ErrorBody> {
        let frames = self.frames(ctx).await?;
        let mut frame = self.main_frame(ctx).await?;
        let (mut x, mut y) = (x, y);
        loop {
            let args = json!({ "x": x, "y": y });
            let answer =
                self.ask_with_refs(ctx, &frame, "hitAt", args).await.map_err(|e| e.into_body(self))?;
            if answer["status"] == "outside" {
                return Err(ErrorBody::new(
                    ErrorCode::InvalidArguments,
                    format!("the point {x},{y} is outside the viewport"),
                )
                .next("use a point inside the viewport, 1280x720 unless it was resized; scroll first"));
            }
            let child =
                answer["frame"].as_u64().and_then(|n| frames.iter().find(|f| u64::from(f.number) == n));
            let Some(child) = child else {
                let found = InFrame { frame, answer };
                return Ok(Some(found.described()).filter(|d| !d.description.is_empty()));
            };
            let args = json!({ "number": child.number });
            let place =
                self.ask_with_refs(ctx, &frame, "frameBox", args).await.map_err(|e| e.into_body(self))?;
            let scale = place["scale"].as_f64().filter(|s| *s > 0.0).unwrap_or(1.0);
            x = (x - place["x"].as_f64().unwrap_or_default()) / scale;
            y = (y - place["y"].as_f64().unwrap_or_default()) / scale;
            frame = child.clone();
        }
    }

    /// Moves the mouse over an element.
    ///
    /// # Errors
    /// As [`Tab::click`].
    pub async fn hover(&self, ctx: &CallCtx, target: &Target, observe: &Observe) -> Result<Acted, ErrorBody> {
        let args = json!({ "action": "hover", "arm": observe.enabled });
        let found = self.on_target(ctx, target, "prepare", args).await?;
        let aim = self.page_point(ctx, &found.frame, found.number("x"), found.number("y")).await;
        let window =
            self.window(ctx, observe, observe.enabled.then_some((&found.frame, &found.answer))).await?;
        let (x, y) = match aim {
            Ok(point) => point,
            Err(error) => {
                self.abandon(window);
                return Err(error);
            }
        };
        let sent = vec![self.move_mouse(x, y, 0)];
        let effect = self.watch(ctx, window, observe, sent).await?;
        Ok(acted(&found, effect))
    }

    /// Queues a mouse move and remembers where the mouse is.
    pub(crate) fn move_mouse(&self, x: f64, y: f64, buttons: i64) -> cdp::Pending<cdp::Empty> {
        *super::lock(&self.inner.mouse) = Some((x, y));
        self.inner.session.start(cdp::input::DispatchMouseEvent {
            kind: "mouseMoved".to_owned(),
            x,
            y,
            button: Some(if buttons == 0 { "none" } else { "left" }.to_owned()),
            buttons: Some(buttons),
            ..Default::default()
        })
    }

    /// Queues move, press and release, as one gesture.
    fn press_mouse(&self, x: f64, y: f64, options: &ClickOptions) -> Sent {
        let modifiers = super::keyboard::modifier_bits(&options.modifiers);
        let (button, buttons) = match options.button {
            MouseButton::Left => ("left", 1),
            MouseButton::Right => ("right", 2),
            MouseButton::Middle => ("middle", 4),
        };
        let mut sent = Vec::new();
        let there = *super::lock(&self.inner.mouse) == Some((x, y));
        if !there {
            sent.push(self.move_mouse(x, y, 0));
        }
        for click in 1..=i64::from(options.count.max(1)) {
            for (kind, buttons) in [("mousePressed", buttons), ("mouseReleased", 0)] {
                sent.push(self.inner.session.start(cdp::input::DispatchMouseEvent {
                    kind: kind.to_owned(),
                    x,
                    y,
                    modifiers: Some(modifiers),
                    button: Some(button.to_owned()),
                    buttons: Some(buttons),
                    click_count: Some(click),
                    ..Default::default()
                }));
            }
        }
        sent
    }

    /// Closes what covers a target: Escape, a reject or close control, the backdrop, in the page parts' order.
    /// Returns what was done; gives the original refusal back when nothing helped.
    async fn dismiss_cover(
        &self,
        ctx: &CallCtx,
        target: &Target,
        observe: &Observe,
        refusal: ErrorBody,
    ) -> Result<String, ErrorBody> {
        let mut found = self.on_target(ctx, target, "dismissPlan", json!({})).await?;
        if let Some(number) = found.answer["frame"].as_u64() {
            // The cover is a frame of its own, as consent walls often are: its way out is inside.
            let frames = self.frames(ctx).await?;
            if let Some(frame) = frames.iter().find(|f| u64::from(f.number) == number) {
                let args = json!({ "whole": true, "target": null });
                let answer = self.ask_with_refs(ctx, frame, "dismissPlan", args).await;
                let answer = answer.map_err(|e| e.into_body(self))?;
                if answer["steps"].as_array().is_some_and(|s| !s.is_empty()) {
                    found = InFrame { frame: frame.clone(), answer };
                }
            }
        }
        let steps = found.answer["steps"].as_array().cloned().unwrap_or_default();
        let kind = found.answer["kind"].as_str().unwrap_or("cover").to_owned();
        let quick = Observe { enabled: true, ..*observe };
        let mut tried = Vec::new();
        for step in &steps {
            let what = step["do"].as_str().unwrap_or_default();
            let name = match what {
                "escape" => "Escape".to_owned(),
                "backdrop" => "a click on the backdrop".to_owned(),
                _ => format!("a click on {}", step["description"].as_str().unwrap_or("its close control")),
            };
            let effect = if what == "escape" {
                let window = self.window(ctx, &quick, None).await?;
                let sent = self.press_key_events("Escape", 0)?;
                self.watch(ctx, window, &quick, sent).await?
            } else {
                let at = |axis: &str| step[axis].as_f64().unwrap_or_default();
                let (x, y) = self.page_point(ctx, &found.frame, at("x"), at("y")).await?;
                let window = self.window(ctx, &quick, None).await?;
                let sent = self.press_mouse(x, y, &ClickOptions { count: 1, ..ClickOptions::default() });
                self.watch(ctx, window, &quick, sent).await?
            };
            tried.push(name.clone());
            if effect.is_some_and(|e| e.verdict == Verdict::Changed) && self.uncovered(ctx, target).await? {
                return Ok(format!("dismissed the {kind} by {name}"));
            }
        }
        let tried: Vec<Value> = tried.into_iter().map(Value::String).collect();
        let next = if kind == "consent" && tried.is_empty() {
            "the cover asks for consent and offers no way to reject: a person must decide; click its button yourself if you may accept"
        } else {
            "close the named cover yourself, then call again"
        };
        Err(refusal.with("dismiss_tried", tried).next(next))
    }

    async fn uncovered(&self, ctx: &CallCtx, target: &Target) -> Result<bool, ErrorBody> {
        match self.on_target(ctx, target, "prepare", json!({ "action": "click", "arm": false })).await {
            Ok(_) => Ok(true),
            Err(error) if error.code == ErrorCode::Occluded => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Waits for acknowledgements one after the other; for gestures whose parts depend on each other.
    pub(crate) async fn acknowledge(&self, ctx: &CallCtx, sent: Sent) -> Result<(), ErrorBody> {
        for pending in sent {
            ctx.wait("the input", pending).await?.map_err(from_cdp)?;
        }
        Ok(())
    }
}

/// The result for a target that was found.
pub(crate) fn acted(found: &InFrame, effect: Option<PageEffect>) -> Acted {
    let described = found.described();
    let healed = found.answer["healed"] == true;
    let notes = if healed {
        vec![format!("{} was re-rendered and found again by its role, name and place", described.reference)]
    } else {
        Vec::new()
    };
    Acted { target: Some(described), effect, notes, ..Acted::default() }
}

/// The number in the reference of an answer.
pub(crate) fn number_of(found: &InFrame) -> u32 {
    let reference = found.answer["ref"].as_str().unwrap_or_default();
    reference.parse::<truehand_base::ElementRef>().map(|r| r.number).unwrap_or_default()
}

/// Whether a click into a frame of another process ended on the frame's own element and did nothing. The browser routes
/// input by what was drawn last, so a frame that has just come is passed over until its first picture is there.
fn fell_on_the_frame(acted: &Acted) -> bool {
    let Some(effect) = &acted.effect else { return false };
    let on_frame = effect.hit.as_ref().is_some_and(|h| !h.intended && h.receiver.starts_with("iframe"));
    let in_frame = acted.target.as_ref().is_some_and(|t| t.reference.starts_with('f'));
    let nothing = effect.dom.total() == 0
        && effect.network.requests_started == 0
        && !effect.url.changed
        && effect.dialogs.is_empty()
        && effect.tabs.opened.is_empty();
    on_frame && in_frame && nothing
}

/// The error of a click that another element received.
fn hit_other(effect: &PageEffect) -> Option<ErrorBody> {
    let hit = effect.hit.as_ref().filter(|h| !h.intended)?;
    Some(
        ErrorBody::new(ErrorCode::HitOther, format!("the click went to {}", hit.receiver))
            .with("receiver", hit.receiver.clone()),
    )
}
