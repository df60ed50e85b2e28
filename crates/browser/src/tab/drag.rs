//! Dragging: HTML5 drag and drop where the page starts one, pointer moves otherwise.

use super::Tab;
use super::click::{acted, number_of};
use super::region::Rect;
use super::targets::InFrame;
use crate::errors::from_cdp;
use crate::options::{Acted, DragOptions, Goal, Observe};
use crate::target::Target;
use serde_json::{Value, json};
use std::time::Duration;
use truehand_base::{CallCtx, ErrorBody, ErrorCode};
use truehand_cdp as cdp;

/// How many moves lead from start to end; pages that follow the pointer need more than one.
const STEPS: u32 = 8;
/// How long the pointer rests at the end: lists that sort themselves decide between two frames.
const REST: Duration = Duration::from_millis(40);

/// A point of the page's viewport.
type Point = (f64, f64);

fn between(from: Point, to: Point, part: u32) -> Point {
    let part = f64::from(part) / f64::from(STEPS);
    (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part)
}

impl Tab {
    /// Drags an element onto another, or so far.
    ///
    /// # Errors
    /// As [`Tab::click`], for either element; `OUTSIDE_VIEWPORT` when the drag would end outside the view.
    /// `DROP_REFUSED` is in the result: the drag was made, and the page did not take it.
    pub async fn drag(
        &self,
        ctx: &CallCtx,
        from: &Target,
        options: &DragOptions,
        observe: &Observe,
    ) -> Result<Acted, ErrorBody> {
        let mut source = self.prepared(ctx, from, "drag", options.grip).await?;
        let mut goal = None;
        if let Goal::Element { target, at } = &options.goal {
            let found = self.prepared(ctx, target, "drop", *at).await?;
            // Bringing the goal into view may have moved the source.
            let own = Target::Ref { frame: source.frame.number, number: number_of(&source) };
            source = self.prepared(ctx, &own, "drag", options.grip).await?;
            let own = Target::Ref { frame: found.frame.number, number: number_of(&found) };
            goal = Some(self.prepared(ctx, &own, "drop", *at).await?);
        }
        let inner = (source.number("x"), source.number("y"));
        let start = self.page_point(ctx, &source.frame, inner.0, inner.1).await?;
        let end = match (&goal, &options.goal) {
            (Some(goal), _) => self.page_point(ctx, &goal.frame, goal.number("x"), goal.number("y")).await?,
            (None, Goal::By { dx, dy }) => (start.0 + dx, start.1 + dy),
            (None, Goal::Element { .. }) => start,
        };
        if end.0 < 0.0 || end.1 < 0.0 {
            let message = format!("the drag would end at {},{}, outside the view", end.0, end.1);
            return Err(
                ErrorBody::new(ErrorCode::OutsideViewport, message).next("drag less far, or scroll first")
            );
        }
        let mut drawing = None;
        if let (Some(rect), true) =
            (Rect::of(&source.answer, (start.0 - inner.0, start.1 - inner.1)), observe.enabled)
        {
            self.acknowledge(ctx, self.bring_mouse(start.0, start.1)).await?;
            drawing = self.region(ctx, rect).await;
        }
        let window = self.window(ctx, observe, None).await?;
        // The browser tells the pages of other processes nothing of a drag on its way to them.
        let away = goal.as_ref().is_some_and(|goal| goal.frame.session.id() != source.frame.session.id());
        let carried = self.carry(ctx, start, end, options.hold, away).await;
        let off = self.inner.session.start(cdp::input::SetInterceptDrags { enabled: false });
        let dropped = match carried {
            Ok(dropped) => dropped,
            Err(error) => {
                self.abandon(window);
                return Err(error);
            }
        };
        let mut effect = self.watch(ctx, window, observe, vec![off]).await?;
        self.compare(ctx, drawing.as_ref(), effect.as_mut()).await;
        let mut acted = acted(&source, effect);
        if dropped && self.drop_refused(ctx).await {
            acted.error = Some(ErrorBody::new(
                ErrorCode::DropRefused,
                "the element was dragged there and the page did not take it",
            ));
        }
        Ok(acted)
    }

    async fn prepared(
        &self,
        ctx: &CallCtx,
        target: &Target,
        action: &str,
        at: Option<Point>,
    ) -> Result<InFrame, ErrorBody> {
        let mut args = json!({ "action": action, "arm": false });
        if let Some((x, y)) = at {
            args["position"] = json!({ "x": x, "y": y });
        }
        self.on_target(ctx, target, "prepare", args).await
    }

    /// Whether no document was given the drop that was sent: the browser gives it only to who asked for it.
    async fn drop_refused(&self, ctx: &CallCtx) -> bool {
        for frame in self.with(|s| s.live_frames()) {
            match self.ask::<Value>(ctx, &frame, "dropTaken", json!({})).await {
                Ok(answer) if answer["taken"] != true => {}
                // A document that is gone went with the drop, for all that is known.
                _ => return false,
            }
        }
        true
    }

    /// Moves from start to end with the button down. Returns whether something was dropped by drag and drop.
    async fn carry(
        &self,
        ctx: &CallCtx,
        start: Point,
        end: Point,
        hold: Option<Duration>,
        away: bool,
    ) -> Result<bool, ErrorBody> {
        let session = &self.inner.session;
        self.with(|s| s.drag = None);
        let intercept = cdp::input::SetInterceptDrags { enabled: true };
        session.send(ctx, intercept).await.map_err(from_cdp)?;
        let button = |kind: &str, (x, y): Point, buttons| cdp::input::DispatchMouseEvent {
            kind: kind.to_owned(),
            x,
            y,
            button: Some("left".to_owned()),
            buttons: Some(buttons),
            click_count: Some(1),
            ..Default::default()
        };
        self.acknowledge(ctx, vec![self.move_mouse(start.0, start.1, 0)]).await?;
        session.send(ctx, button("mousePressed", start, 1)).await.map_err(from_cdp)?;
        if let Some(hold) = hold {
            ctx.wait("the hold", tokio::time::sleep(hold)).await?;
        }
        let mut data = None;
        let mut reached = 0;
        for step in 1..=STEPS {
            let at = between(start, end, step);
            reached = step;
            // While the browser starts a drag it holds the acknowledgement of the move back: go on at its event.
            let moved = self.move_mouse(at.0, at.1, 1);
            let started = self.wait_until(ctx, "the drag", |s| s.drag.clone());
            tokio::select! {
                biased;
                begun = started => { data = Some(begun?); }
                acknowledged = moved => { acknowledged.map_err(from_cdp)?; }
            }
            if data.is_some() {
                break;
            }
        }
        if data.is_none() {
            // The event of a drag may come just behind the acknowledgement of the move that started it.
            let soon = ctx.at_most(Duration::from_millis(60));
            data = self.wait_until(&soon, "the drag", |s| s.drag.clone()).await.ok();
        }
        let Some(data) = data else {
            self.acknowledge(ctx, vec![self.move_mouse(end.0, end.1, 1)]).await?;
            ctx.wait("the end of the drag", tokio::time::sleep(REST)).await?;
            session.send(ctx, button("mouseReleased", end, 0)).await.map_err(from_cdp)?;
            return Ok(false);
        };
        let event = |kind: &str, (x, y): Point| cdp::input::DispatchDragEvent {
            kind: kind.to_owned(),
            x,
            y,
            data: data.clone(),
            ..Default::default()
        };
        let first = if away { STEPS } else { reached };
        session.send(ctx, event("dragEnter", between(start, end, first))).await.map_err(from_cdp)?;
        // What lies on the way sees it pass: lists that sort themselves follow it.
        for step in first..=STEPS {
            session.send(ctx, event("dragOver", between(start, end, step))).await.map_err(from_cdp)?;
        }
        ctx.wait("the end of the drag", tokio::time::sleep(REST)).await?;
        for kind in ["dragOver", "drop"] {
            session.send(ctx, event(kind, end)).await.map_err(from_cdp)?;
        }
        session.send(ctx, button("mouseReleased", end, 0)).await.map_err(from_cdp)?;
        Ok(true)
    }
}
