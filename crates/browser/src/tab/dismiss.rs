//! The ladder out of a cover: Escape, a reject or close control, the backdrop; then waiting for what goes by itself.
//!
//! Each rung is tried once and measured: the target must be free afterwards. Nothing is agreed to, bought or thrown
//! away on the way; where only that is on offer, the refusal says so.

use super::Tab;
use super::page::PageError;
use super::targets::InFrame;
use crate::options::{ClickOptions, Observe};
use crate::target::Target;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use truehand_base::{CallCtx, Dismissed, ErrorBody, ErrorCode};

/// How deep frames within a cover are looked into.
const FRAME_DEPTH: usize = 3;
/// How long something that is no dialog may take to go by itself, and how often it is looked at.
const TOAST_TIME: Duration = Duration::from_secs(4);
const TOAST_PAUSE: Duration = Duration::from_millis(150);

/// A sentence on how a cover was closed.
pub(crate) fn words(one: &Dismissed) -> String {
    let how = match (one.by.as_str(), &one.control) {
        ("escape", _) => "Escape".to_owned(),
        ("backdrop", _) => "a click on the backdrop".to_owned(),
        ("waited", _) => return format!("waited until the {} was gone", one.cover),
        (_, Some(control)) => format!("a click on {control}"),
        (by, None) => format!("its {by} control"),
    };
    format!("dismissed the {} by {how}", one.kind)
}

impl Tab {
    /// Closes what covers a target, and says what did it.
    ///
    /// # Errors
    /// The original refusal when nothing helped, with what was tried; `NAVIGATED_DURING_ACTION` and `DIALOG_OPEN` when
    /// a rung led there.
    pub(crate) async fn dismiss_cover(
        &self,
        ctx: &CallCtx,
        target: &Target,
        observe: &Observe,
        refusal: ErrorBody,
    ) -> Result<Dismissed, ErrorBody> {
        let found = self.way_out(ctx, target).await?;
        let plan = &found.answer;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let mut one = Dismissed {
            cover: text(&plan["cover"]["description"]),
            kind: plan["kind"].as_str().unwrap_or("cover").to_owned(),
            ..Dismissed::default()
        };
        let steps = plan["steps"].as_array().cloned().unwrap_or_default();
        let mut tried = Vec::new();
        for step in &steps {
            one.by = text(&step["by"]);
            one.control = step["description"].as_str().map(str::to_owned);
            if self.climb(ctx, &found, step, observe, &one).await?
                && self.is_off(ctx, target, &plan["cover"]).await?
            {
                return Ok(one);
            }
            tried.push(Value::String(words(&one).replacen("dismissed", "tried to dismiss", 1)));
        }
        if !matches!(one.kind.as_str(), "dialog" | "consent") {
            // A toast, or a veil while something loads.
            let end = Instant::now() + TOAST_TIME.min(ctx.remaining().mul_f64(0.5));
            while Instant::now() < end {
                ctx.wait("the cover to go", tokio::time::sleep(TOAST_PAUSE)).await?;
                if self.is_off(ctx, target, &plan["cover"]).await? {
                    return Ok(Dismissed { by: "waited".to_owned(), control: None, ..one });
                }
            }
        }
        let choices = plan["choices"].as_array().cloned().unwrap_or_default();
        let next = match plan["refusal"].as_str() {
            Some("only_accept") => {
                "it asks for consent and offers no way to reject: a person must decide; click one of the choices yourself if you may"
            }
            Some("unsaved") => "it holds text that was entered: finish or close it yourself, then call again",
            _ => "close the named cover yourself, then call again",
        };
        let mut refusal = refusal.with("dismiss_tried", tried).next(next);
        if let Some(why) = plan["refusal"].as_str() {
            refusal = refusal.with("dismiss_refused", why);
        }
        Err(if choices.is_empty() { refusal } else { refusal.with("choices", choices) })
    }

    /// What to try, from the frame that holds the cover's controls.
    async fn way_out(&self, ctx: &CallCtx, target: &Target) -> Result<InFrame, ErrorBody> {
        let mut found = self.on_target(ctx, target, "dismissPlan", json!({})).await?;
        // The controls may be in a shadow root that only the browser can look into.
        let opened = self.open_closed_shadows(ctx, &found.frame).await;
        if opened.map_err(|e| e.into_body(self))? > 0 {
            found = self.on_target(ctx, target, "dismissPlan", json!({})).await?;
        }
        // The cover may be a frame of its own, as consent walls often are: its way out is inside.
        let mut number = found.answer["frame"].as_u64();
        for _ in 0..FRAME_DEPTH {
            let Some(inner) = number else { break };
            let frames = self.frames(ctx).await?;
            let Some(frame) = frames.iter().find(|f| u64::from(f.number) == inner) else { break };
            let args = json!({ "whole": true, "target": null });
            let answer = match self.ask_with_refs(ctx, frame, "dismissPlan", args).await {
                Ok(answer) => answer,
                Err(PageError::DocumentGone) => break,
                Err(other) => return Err(other.into_body(self)),
            };
            number = answer["frame"].as_u64();
            if answer["steps"].as_array().is_some_and(|s| !s.is_empty()) || answer["refusal"].is_string() {
                let cover = found.answer["cover"].clone();
                found = InFrame { frame: frame.clone(), answer };
                found.answer["cover"] = cover;
            }
        }
        Ok(found)
    }

    /// Tries one rung. Returns whether the page still shows what it did, so that the target can be looked at again.
    async fn climb(
        &self,
        ctx: &CallCtx,
        found: &InFrame,
        step: &Value,
        observe: &Observe,
        one: &Dismissed,
    ) -> Result<bool, ErrorBody> {
        let measured = Observe { enabled: true, ..*observe };
        let effect = if step["do"] == "escape" {
            let window = self.window(ctx, &measured, None).await?;
            let sent = self.press_key_events("Escape", 0)?;
            self.watch(ctx, window, &measured, sent).await?
        } else {
            let at = |axis: &str| step[axis].as_f64().unwrap_or_default();
            let Ok((x, y)) = self.page_point(ctx, &found.frame, at("x"), at("y")).await else {
                return Ok(false);
            };
            let window = self.window(ctx, &measured, None).await?;
            let sent = self.press_pointer(x, y, &ClickOptions { count: 1, ..ClickOptions::default() });
            self.watch(ctx, window, &measured, sent).await?
        };
        self.check_ready().map_err(|error| error.with("dismiss_tried", words(one)))?;
        // A cover that is a page of the application may change the address; another document is no dismissal.
        let left = effect.as_ref().is_some_and(|e| e.url.changed && e.url.same_document != Some(true));
        if left {
            let what = words(one);
            return Err(ErrorBody::new(
                ErrorCode::NavigatedDuringAction,
                format!("{what} loaded {}", self.url()),
            )
            .with("dismiss_tried", what));
        }
        Ok(true)
    }

    /// Whether a cover lies over the target no longer; another may.
    async fn is_off(&self, ctx: &CallCtx, target: &Target, cover: &Value) -> Result<bool, ErrorBody> {
        match self.on_target(ctx, target, "prepare", json!({ "action": "click", "arm": false })).await {
            Ok(_) => Ok(true),
            Err(error) if error.code == ErrorCode::Occluded => {
                Ok(cover["ref"].is_string() && error.data["occluder"]["ref"] != cover["ref"])
            }
            Err(error) => Err(error),
        }
    }
}
