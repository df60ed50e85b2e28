//! Dragging from one element to another: HTML5 drag and drop where the page starts one, pointer moves otherwise.

use super::Tab;
use super::click::{acted, number_of};
use crate::errors::from_cdp;
use crate::options::{Acted, Observe};
use crate::target::Target;
use serde_json::json;
use std::time::Duration;
use truehand_base::{CallCtx, ErrorBody};
use truehand_cdp as cdp;

/// How many moves lead from start to end; pages that follow the pointer need more than one.
const STEPS: u32 = 8;

impl Tab {
    /// Drags an element onto another.
    ///
    /// # Errors
    /// As [`Tab::click`], for either element.
    pub async fn drag(
        &self,
        ctx: &CallCtx,
        from: &Target,
        to: &Target,
        observe: &Observe,
    ) -> Result<Acted, ErrorBody> {
        let source = self.on_target(ctx, from, "prepare", json!({ "action": "drag", "arm": false })).await?;
        let goal = self.on_target(ctx, to, "prepare", json!({ "action": "drop", "arm": false })).await?;
        // Bringing the goal into view may have moved the source.
        let own = Target::Ref { frame: source.frame.number, number: number_of(&source) };
        let source = self.on_target(ctx, &own, "prepare", json!({ "action": "drag", "arm": false })).await?;
        let own = Target::Ref { frame: goal.frame.number, number: number_of(&goal) };
        let goal = self.on_target(ctx, &own, "prepare", json!({ "action": "drop", "arm": false })).await?;
        let start = self.page_point(ctx, &source.frame, source.number("x"), source.number("y")).await?;
        let end = self.page_point(ctx, &goal.frame, goal.number("x"), goal.number("y")).await?;
        let window = self.window(ctx, observe, None).await?;
        let carried = self.carry(ctx, start, end).await;
        let off = self.inner.session.start(cdp::input::SetInterceptDrags { enabled: false });
        if let Err(error) = carried {
            self.abandon(window);
            return Err(error);
        }
        let effect = self.watch(ctx, window, observe, vec![off]).await?;
        Ok(acted(&source, effect))
    }

    async fn carry(&self, ctx: &CallCtx, start: (f64, f64), end: (f64, f64)) -> Result<(), ErrorBody> {
        let session = &self.inner.session;
        self.with(|s| s.drag = None);
        let intercept = cdp::input::SetInterceptDrags { enabled: true };
        session.send(ctx, intercept).await.map_err(from_cdp)?;
        let button = |kind: &str, (x, y): (f64, f64), buttons| cdp::input::DispatchMouseEvent {
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
        let mut data = None;
        for step in 1..=STEPS {
            let part = f64::from(step) / f64::from(STEPS);
            let at = (start.0 + (end.0 - start.0) * part, start.1 + (end.1 - start.1) * part);
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
        if let Some(data) = data {
            for kind in ["dragEnter", "dragOver", "drop"] {
                let event = cdp::input::DispatchDragEvent {
                    kind: kind.to_owned(),
                    x: end.0,
                    y: end.1,
                    data: data.clone(),
                    ..Default::default()
                };
                session.send(ctx, event).await.map_err(from_cdp)?;
            }
        }
        session.send(ctx, button("mouseReleased", end, 0)).await.map_err(from_cdp)?;
        Ok(())
    }
}
