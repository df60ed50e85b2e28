//! Scrolling the page or a container, and saying how far it really went.

use super::Tab;
use crate::options::{Acted, Observe, ScrollBy};
use crate::target::Target;
use serde_json::json;
use truehand_base::{CallCtx, ErrorBody, ScrollEffect, Verdict};

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
        let scrolled = match target {
            Some(target) => self
                .on_target(ctx, target, "scrollTo", args)
                .await
                .map(|found| (found.described(), found.answer)),
            None => {
                let frame = self.main_frame(ctx).await?;
                let answer =
                    self.ask_with_refs(ctx, &frame, "scrollTo", args).await.map_err(|e| e.into_body(self));
                answer.map(|answer| (crate::options::Described::default(), answer))
            }
        };
        let (described, answer) = match scrolled {
            Ok(scrolled) => scrolled,
            Err(error) => {
                self.abandon(window);
                return Err(error);
            }
        };
        let effect = self.watch(ctx, window, observe, Vec::new()).await?;
        let number = |part: &str, axis: &str| answer[part][axis].as_f64().unwrap_or_default();
        let moved =
            (number("after", "x") - number("before", "x"), number("after", "y") - number("before", "y"));
        let at_end = number("after", "y") >= number("max", "y") - 1.0;
        let mut acted = Acted { effect, ..Acted::default() };
        acted.target = Some(described).filter(|d| !d.reference.is_empty());
        acted.returned = Some(
            json!({ "moved": { "x": moved.0, "y": moved.1 }, "at_end": at_end, "position": answer["after"].clone(), "max": answer["max"].clone() }),
        );
        if let Some(effect) = &mut acted.effect {
            // The position before and after is exact; the observer may have missed where a container stood.
            effect.scroll = (moved != (0.0, 0.0)).then(|| ScrollEffect {
                target: answer["target"].as_str().map_or_else(|| "page".to_owned(), str::to_owned),
                dx: moved.0,
                dy: moved.1,
                at_end: Some(at_end),
            });
            if effect.scroll.is_some() {
                effect.verdict = Verdict::Changed;
            }
        }
        if moved == (0.0, 0.0) {
            acted
                .notes
                .push("nothing moved: it was there already, or this element does not scroll".to_owned());
        }
        Ok(acted)
    }
}
