//! Scrolling the page or a container, and saying how far it really went; scrolling on until something is found.

use super::Tab;
use super::region::Rect;
use super::targets::{InFrame, spelled};
use crate::options::{Acted, Observe, ScrollBy, Way};
use crate::target::Target;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use truehand_base::{CallCtx, ErrorBody, ErrorCode, ScrollEffect, Verdict};

/// The most steps of a search, and the longest that it may take; whoever wants more calls again.
const SEARCH_STEPS: u64 = 400;
const SEARCH_TIME: Duration = Duration::from_secs(20);
/// How long one question to the page may search; between two of them a call can be cancelled.
const SEARCH_PART: Duration = Duration::from_millis(1_800);
/// How long the end of a feed is believed not to be its end while a request is open.
const FEED_TIME: Duration = Duration::from_secs(5);

impl Tab {
    /// Scrolls.
    ///
    /// # Errors
    /// Those of finding the target, and the codes of a tab that can't answer.
    pub async fn scroll(
        &self,
        ctx: &CallCtx,
        target: Option<&Target>,
        by: ScrollBy,
        observe: &Observe,
    ) -> Result<Acted, ErrorBody> {
        self.check_ready()?;
        let (dx, dy, to) = match by {
            ScrollBy::Pixels { dx, dy } => (dx, dy, None),
            ScrollBy::IntoView => (0.0, 0.0, Some("into_view")),
            ScrollBy::Top => (0.0, 0.0, Some("top")),
            ScrollBy::Bottom => (0.0, 0.0, Some("bottom")),
        };
        let args = json!({ "dx": dx, "dy": dy, "to": to });
        let window = self.window(ctx, observe, None).await?;
        let scrolled = match self.scroller(ctx, target, "scrollTo", args).await {
            Ok(scrolled) => scrolled,
            Err(error) => {
                self.abandon(window);
                return Err(error);
            }
        };
        let answer = &scrolled.answer;
        let mut moved = moved(answer);
        let mut sent = Vec::new();
        let mut turned = false;
        let mut drawing = None;
        // The page was told just now, and puts it back after that if it does.
        let mut window = window.map(super::effect::Window::starting_now);
        // What does not scroll by script may still take the wheel: a map, a list that draws itself, a page that snaps.
        if moved == (0.0, 0.0) && matches!(by, ScrollBy::Pixels { .. }) && answer["end"] != true {
            let at = |axis: &str| answer["wheel"][axis].as_f64();
            if let (Some(inner_x), Some(inner_y)) = (at("x"), at("y"))
                && let Ok((x, y)) = self.page_point(ctx, &scrolled.frame, inner_x, inner_y).await
            {
                if let (Some(rect), true) = (Rect::of(answer, (x - inner_x, y - inner_y)), observe.enabled) {
                    self.abandon(window);
                    self.acknowledge(ctx, self.bring_mouse(x, y)).await?;
                    drawing = self.region(ctx, rect).await;
                    window = self.window(ctx, observe, None).await?;
                }
                sent = self.turn_wheel(x, y, dx, dy);
                turned = true;
            }
        }
        let mut effect = self.watch(ctx, window, observe, sent).await?;
        self.compare(ctx, drawing.as_ref(), effect.as_mut()).await;
        let mut at_end = answer["end"] == true;
        let mut acted = Acted { effect, ..Acted::default() };
        if let Some(effect) = &mut acted.effect {
            // The observer looked when all was over: a page may put a scroller back, and a feed may have grown.
            moved = effect.scroll.as_ref().map_or((0.0, 0.0), |s| (s.dx, s.dy));
            at_end = effect.scroll.as_ref().and_then(|s| s.at_end).unwrap_or(at_end);
            if let Some(scroll) = &mut effect.scroll {
                scroll.at_end.get_or_insert(at_end);
            }
        }
        acted.target = Some(scrolled.described()).filter(|d| target.is_some() && !d.reference.is_empty());
        let max = &answer["max"];
        acted.returned =
            Some(json!({ "moved": { "x": moved.0, "y": moved.1 }, "at_end": at_end, "max": max }));
        if turned && acted.effect.is_none() {
            acted.notes.push("the wheel was turned, and nobody looked whether something moved".to_owned());
        } else if moved == (0.0, 0.0) {
            let changed = acted.effect.as_ref().is_some_and(|e| e.verdict == Verdict::Changed);
            acted.notes.push(
                match (answer["held"] == true, answer["end"] == true, turned && changed) {
                    (_, _, true) => "nothing scrolled, but the page answered the wheel",
                    (true, ..) => "nothing moved: neither this element nor what holds it scrolls that way",
                    (_, true, _) => "nothing moved: it was at its end already",
                    _ => "nothing moved: the page holds it where it is",
                }
                .to_owned(),
            );
        }
        Ok(acted)
    }

    /// Scrolls on until something shows, step by step, within bounds; it stays where it ended.
    ///
    /// # Errors
    /// Those of finding the scroller, and the codes of a tab that can't answer. What was not found is an error in the
    /// result, which says how far the search went.
    pub async fn scroll_until(
        &self,
        ctx: &CallCtx,
        scroller: Option<&Target>,
        until: &Target,
        way: Way,
        observe: &Observe,
    ) -> Result<Acted, ErrorBody> {
        self.check_ready()?;
        let (dx, dy) = way.signs();
        let deadline = Instant::now() + SEARCH_TIME.min(ctx.remaining().mul_f64(0.8));
        let window = self.window(ctx, observe, None).await?;
        let from = self.with(|s| s.clock);
        let mut place: Option<InFrame> = None;
        let mut start: Option<Value> = None;
        let mut steps = 0;
        let mut ended_at: Option<Instant> = None;
        let searched = loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let args = json!({
                "until": until, "dx": dx, "dy": dy, "steps": SEARCH_STEPS.saturating_sub(steps),
                "budget_ms": u64::try_from(left.min(SEARCH_PART).as_millis()).unwrap_or_default(),
            });
            let asked = match &place {
                // The child frame that was led to keeps its scroller.
                Some(at) if scroller.is_none() || at.answer["inner"] == true => {
                    let answer = self.ask_with_refs(ctx, &at.frame, "scrollUntil", args).await;
                    let frame = at.frame.clone();
                    answer.map_err(|e| e.into_body(self)).map(|answer| InFrame { frame, answer })
                }
                _ => self.scroller(ctx, scroller, "scrollUntil", args).await,
            };
            let mut asked = match asked {
                Ok(asked) => asked,
                Err(error) => break Err(error),
            };
            if place.as_ref().is_some_and(|p| p.answer["inner"] == true) {
                asked.answer["inner"] = json!(true);
            }
            if let Some(problem) = asked.answer["status"].as_str().filter(|s| *s != "ok") {
                let message = format!("{} can't be looked for: {problem}", spelled(until));
                break Err(ErrorBody::new(ErrorCode::InvalidArguments, message));
            }
            start.get_or_insert_with(|| asked.answer["before"].clone());
            steps += asked.answer["steps"].as_u64().unwrap_or_default();
            let answer = &asked.answer;
            let over = answer["found"] == true
                || answer["held"] == true
                || steps >= SEARCH_STEPS
                || Instant::now() >= deadline;
            let mut done = over;
            if !over && answer["end"] == true {
                // A feed that is still loading has not come to its end.
                let since = *ended_at.get_or_insert_with(Instant::now);
                let loading = self.with(|s| s.caused_since(from).any(super::state::Request::open));
                done = !loading || since.elapsed() >= FEED_TIME;
            } else {
                ended_at = None;
            }
            place = Some(asked);
            if done || ctx.check("the search").is_err() {
                break Ok(());
            }
        };
        let place = match (searched, place) {
            (Ok(()), Some(place)) => place,
            (Err(error), _) => {
                self.abandon(window);
                return Err(error);
            }
            (Ok(()), None) => {
                self.abandon(window);
                return Err(ErrorBody::new(ErrorCode::Internal, "the search gave no answer"));
            }
        };
        let quick = Observe { window: Duration::from_millis(50), ..*observe };
        let mut acted =
            Acted { effect: self.watch(ctx, window, &quick, Vec::new()).await?, ..Acted::default() };
        let answer = &place.answer;
        let found = answer["found"] == true;
        let end = answer["end"] == true;
        let start = start.unwrap_or_default();
        let number = |value: &Value, axis: &str| value[axis].as_f64().unwrap_or_default();
        let gone = |axis: &str| number(&answer["after"], axis) - number(&start, axis);
        let target = answer["target"].as_str().unwrap_or("page").to_owned();
        if let Some(effect) = &mut acted.effect {
            let moved = (gone("x"), gone("y"));
            if moved != (0.0, 0.0) {
                effect.scroll = Some(ScrollEffect {
                    target: target.clone(),
                    dx: moved.0,
                    dy: moved.1,
                    at_end: Some(end),
                });
                effect.verdict = Verdict::Changed;
            }
        }
        acted.returned = Some(json!({
            "found": found, "steps": steps, "at_end": end,
            "moved": { "x": gone("x"), "y": gone("y") }, "position": answer["after"], "max": answer["max"],
        }));
        if found {
            acted.target = Some(place.described());
            if let Some(more) = answer["fits"].as_u64().filter(|n| *n > 1) {
                acted.notes.push(format!("{more} elements fit {}; this is the first", spelled(until)));
            }
        } else {
            acted.error = Some(not_found(until, &target, steps, answer, &start));
        }
        Ok(acted)
    }

    /// Calls a page function on what is to be scrolled, in the frame that it stands in.
    async fn scroller(
        &self,
        ctx: &CallCtx,
        target: Option<&Target>,
        name: &str,
        args: Value,
    ) -> Result<InFrame, ErrorBody> {
        let mut found = match target {
            Some(target) => self.on_target(ctx, target, name, args.clone()).await?,
            None => {
                let frame = self.main_frame(ctx).await?;
                let answer = self.ask_with_refs(ctx, &frame, name, args.clone()).await;
                InFrame { frame, answer: answer.map_err(|e| e.into_body(self))? }
            }
        };
        // What was meant may be a child frame's page, however deep.
        while let Some(number) = found.answer["frame"].as_u64() {
            let frames = self.frames(ctx).await?;
            let Some(frame) = frames.into_iter().find(|f| u64::from(f.number) == number) else { break };
            let mut args = args.clone();
            args["target"] = Value::Null;
            let answer = self.ask_with_refs(ctx, &frame, name, args).await;
            let mut answer = answer.map_err(|e| e.into_body(self))?;
            answer["inner"] = json!(true);
            found = InFrame { frame, answer };
        }
        Ok(found)
    }
}

/// How far an answer says that its scroller went.
fn moved(answer: &Value) -> (f64, f64) {
    let number = |part: &str, axis: &str| answer[part][axis].as_f64().unwrap_or_default();
    (number("after", "x") - number("before", "x"), number("after", "y") - number("before", "y"))
}

/// The error of a search that came to nothing, with how far it went.
fn not_found(until: &Target, target: &str, steps: u64, answer: &Value, start: &Value) -> ErrorBody {
    let what = spelled(until);
    let end = answer["end"] == true;
    let (how, next) = if answer["held"] == true && steps == 0 {
        (format!("{target} does not scroll"), "pass the ref of the list that scrolls".to_owned())
    } else if answer["held"] == true {
        ("the page does not let it scroll further".to_owned(), "read the page".to_owned())
    } else if end {
        let began = start["y"].as_f64().unwrap_or_default() > 1.0;
        let above = if began {
            "; what lies before the start of the search was not looked at: scroll to the top first"
        } else {
            ""
        };
        (format!("the end of {target} was reached"), format!("look for something else{above}"))
    } else {
        (format!("the end of {target} was not reached"), "call again to go on from here".to_owned())
    };
    let error =
        ErrorBody::new(ErrorCode::NoMatch, format!("{what} was not found after {steps} steps; {how}"));
    let error = error.with("at_end", end).with("steps", steps).next(next);
    match answer["others"].as_array() {
        Some(others) if !others.is_empty() => error.with("scrollers", others.clone()),
        _ => error,
    }
}
