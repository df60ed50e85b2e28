//! Clicking and hovering: check, aim, press, and see who received it.

use super::Tab;
use super::act::Sent;
use super::effect::Window;
use super::region::Rect;
use super::targets::InFrame;
use crate::options::{Acted, ClickOptions, Covers, Described, InputMode, Observe};
use crate::target::Target;
use serde_json::{Value, json};
use std::time::Duration;
use truehand_base::{CallCtx, Dismissed, ErrorBody, ErrorCode, PageEffect};

/// How often, and how far apart, a click is sent again that a frame of another process was not yet drawn for.
const UNDRAWN_TRIES: usize = 5;
const UNDRAWN_PAUSE: Duration = Duration::from_millis(60);

/// How many times a cover is dismissed before the click is given up.
const DISMISS_LIMIT: usize = 5;

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
        let mut dismissed = Vec::new();
        let mut undrawn = 0;
        loop {
            match self.click_once(ctx, target, options, observe, &mut dismissed).await {
                Ok(acted) if undrawn < UNDRAWN_TRIES && fell_on_the_frame(&acted) => {
                    undrawn += 1;
                    tokio::time::sleep(UNDRAWN_PAUSE).await;
                    ctx.check("the frame to be drawn")?;
                }
                Err(error)
                    if error.code == ErrorCode::Occluded
                        && options.covers == Covers::Dismiss
                        && dismissed.len() < DISMISS_LIMIT =>
                {
                    match self.dismiss_cover(ctx, target, observe, error).await {
                        Ok(one) => dismissed.push(one),
                        Err(error) => return Err(with_dismissed(error, &dismissed)),
                    }
                }
                Err(error) => return Err(with_dismissed(error, &dismissed)),
                Ok(acted) => return Ok(acted),
            }
        }
    }

    async fn click_once(
        &self,
        ctx: &CallCtx,
        target: &Target,
        options: &ClickOptions,
        observe: &Observe,
        dismissed: &mut Vec<Dismissed>,
    ) -> Result<Acted, ErrorBody> {
        let args = aimed("click", options, observe);
        let mut found = self.on_target(ctx, target, "prepare", args).await?;
        let mode = self.input_mode(options.mode);
        let inner = (found.number("x"), found.number("y"));
        let aim = self.page_point(ctx, &found.frame, inner.0, inner.1).await;
        let mut drawing = None;
        if let (Ok((x, y)), true) = (&aim, observe.enabled)
            && let Some(rect) = Rect::of(&found.answer, (x - inner.0, y - inner.1))
        {
            if mode == InputMode::Trusted && !options.touch {
                // What follows the mouse is there before the press.
                self.acknowledge(ctx, self.bring_mouse(*x, *y)).await?;
            }
            drawing = self.region(ctx, rect).await;
            self.arm_again(ctx, &mut found, options.force).await?;
        }
        let armed = observe.enabled.then_some((&found.frame, &found.answer));
        let window = self.window(ctx, observe, armed).await?;
        let (x, y) = match aim {
            Ok(point) => point,
            Err(error) => {
                self.abandon(window);
                return Err(error);
            }
        };
        let (window, sent) = if mode == InputMode::Synthetic {
            let by_number = Target::Ref { frame: 0, number: number_of(&found) };
            let args = json!({ "target": by_number, "frame": found.frame.number });
            drop(self.start_asking(&found.frame, "clickSynthetic", args).map_err(|e| e.into_body(self))?);
            (window, Vec::new())
        } else {
            self.gesture(ctx, window, (x, y), options).await?
        };
        let mut effect = self.watch(ctx, window, observe, sent).await?;
        self.compare(ctx, drawing.as_ref(), effect.as_mut()).await;
        self.learn_click(mode, effect.as_ref());
        let mut acted = acted(&found, effect);
        acted.notes.extend(dismissed.iter().map(super::dismiss::words));
        if let Some(effect) = &mut acted.effect {
            effect.dismissed.append(dismissed);
        }
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
        let (target, rect) = self.element_at(ctx, x, y).await?;
        let mut drawing = None;
        if let (Some(rect), true) = (rect, observe.enabled) {
            if !options.touch {
                self.acknowledge(ctx, self.bring_mouse(x, y)).await?;
            }
            drawing = self.region(ctx, rect).await;
        }
        let window = self.window(ctx, observe, None).await?;
        let (window, sent) = self.gesture(ctx, window, (x, y), options).await?;
        let mut effect = self.watch(ctx, window, observe, sent).await?;
        self.compare(ctx, drawing.as_ref(), effect.as_mut()).await;
        Ok(Acted { target, effect, ..Acted::default() })
    }

    /// Presses at a point. The window of what was held for a while begins when it is let go.
    async fn gesture(
        &self,
        ctx: &CallCtx,
        window: Option<Window>,
        at: (f64, f64),
        options: &ClickOptions,
    ) -> Result<(Option<Window>, Sent), ErrorBody> {
        match self.press_or_hold(ctx, at, options).await {
            Ok(sent) if options.hold.is_some() => Ok((window.map(Window::starting_now), sent)),
            Ok(sent) => Ok((window, sent)),
            Err(error) => {
                self.abandon(window);
                Err(error)
            }
        }
    }

    /// Starts the window of a prepared element anew, after its drawing was watched.
    pub(crate) async fn arm_again(
        &self,
        ctx: &CallCtx,
        found: &mut InFrame,
        whoever: bool,
    ) -> Result<(), ErrorBody> {
        let mut args = json!({ "frame": found.frame.number });
        if !whoever {
            args["watch"] = json!(number_of(found));
        }
        let answer: Value = self.ask(ctx, &found.frame, "arm", args).await.map_err(|e| e.into_body(self))?;
        found.answer["elements"] = answer["elements"].clone();
        Ok(())
    }

    /// The element at a point of the page's viewport, through frames.
    async fn element_at(
        &self,
        ctx: &CallCtx,
        x: f64,
        y: f64,
    ) -> Result<(Option<Described>, Option<Rect>), ErrorBody> {
        let frames = self.frames(ctx).await?;
        let mut frame = self.main_frame(ctx).await?;
        let whole = (x, y);
        let (mut x, mut y) = whole;
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
                let rect = Rect::of(&answer, (whole.0 - x, whole.1 - y));
                let found = InFrame { frame, answer };
                return Ok((Some(found.described()).filter(|d| !d.description.is_empty()), rect));
            };
            let args = json!({ "number": child.number, "still": true });
            let place =
                self.ask_with_refs(ctx, &frame, "frameBox", args).await.map_err(|e| e.into_body(self))?;
            let scale = place["scale"].as_f64().filter(|s| *s > 0.0).unwrap_or(1.0);
            x = (x - place["x"].as_f64().unwrap_or_default()) / scale;
            y = (y - place["y"].as_f64().unwrap_or_default()) / scale;
            frame = child.clone();
        }
    }

    /// Moves the mouse over an element, or over the point of it that the options name, with their modifiers held.
    ///
    /// # Errors
    /// As [`Tab::click`].
    pub async fn hover(
        &self,
        ctx: &CallCtx,
        target: &Target,
        options: &ClickOptions,
        observe: &Observe,
    ) -> Result<Acted, ErrorBody> {
        let args = aimed("hover", options, observe);
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
        // With a button held the mouse drags.
        let sent = if self.held_bits().1 == 0 {
            vec![self.move_mouse_with(x, y, &options.modifiers)]
        } else {
            self.drag_mouse(ctx, (x, y)).await?
        };
        let effect = self.watch(ctx, window, observe, sent).await?;
        Ok(acted(&found, effect))
    }
}

/// What the page is asked before the pointer comes.
fn aimed(action: &str, options: &ClickOptions, observe: &Observe) -> Value {
    let mut args = json!({ "action": action, "arm": observe.enabled });
    if let Some((x, y)) = options.position {
        args["position"] = json!({ "x": x, "y": y });
    }
    if options.force {
        args["force"] = json!(true);
    }
    args
}

/// An error that also says which covers were closed before it.
fn with_dismissed(error: ErrorBody, dismissed: &[Dismissed]) -> ErrorBody {
    if dismissed.is_empty() {
        return error;
    }
    let notes: Vec<Value> = dismissed.iter().map(|d| Value::String(super::dismiss::words(d))).collect();
    error.with("dismissed", notes)
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
