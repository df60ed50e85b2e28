//! Waiting for something to be on the page, or for the page to be quiet.

use super::Tab;
use super::page::PageError;
use super::state::Life;
use crate::options::Condition;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use truehand_base::{CallCtx, ErrorBody, ErrorCode};

impl Tab {
    /// Waits until a condition holds; returns after how many milliseconds it did.
    ///
    /// # Errors
    /// `TIMEOUT` with the last observed state, `DIALOG_OPEN`, and the codes of a tab that can't answer.
    pub async fn wait_for(
        &self,
        ctx: &CallCtx,
        condition: &Condition,
        timeout: Duration,
    ) -> Result<u64, ErrorBody> {
        self.check_ready()?;
        let started = Instant::now();
        let mut seen = Value::Null;
        loop {
            let left = timeout.saturating_sub(started.elapsed()).min(ctx.remaining());
            if left.is_zero() {
                break;
            }
            let mut met = false;
            // Where the condition holds does not matter: the main frame is asked to wait, the others are looked at.
            let main = self.main_frame(ctx).await?;
            let step = left.min(Duration::from_millis(250));
            let children = self.with(|s| s.live_frames());
            let alone = children.len() <= 1;
            // A frame that comes later must not be missed for long.
            let wait = if alone { left.min(Duration::from_millis(500)) } else { step };
            let args = json!({ "condition": condition, "timeout_ms": millis(wait) });
            match self.ask_for::<Value>(ctx, &main, "waitFor", args, wait + Duration::from_secs(5)).await {
                Ok(answer) => {
                    met = answer["met"] == true;
                    seen = answer["seen"].clone();
                }
                Err(PageError::DocumentGone) => {
                    // A new document is on its way: wait for it and ask again.
                    let soon = ctx.at_most(left.min(Duration::from_secs(1)));
                    drop(
                        self.wait_until(&soon, "the new document", |s| {
                            (s.main().is_some_and(|f| f.world.is_some() && f.world != main.world)
                                || s.life != Life::Alive)
                                .then_some(())
                        })
                        .await,
                    );
                }
                Err(other) => return Err(other.into_body(self)),
            }
            if !met && condition.url.is_none() {
                for child in children.iter().filter(|f| f.parent.is_some()) {
                    let args = json!({ "condition": condition, "timeout_ms": 0 });
                    match self.ask::<Value>(ctx, child, "waitFor", args).await {
                        Ok(answer) => met |= answer["met"] == true,
                        Err(PageError::DocumentGone) => {}
                        Err(other) => return Err(other.into_body(self)),
                    }
                }
            }
            if met {
                return Ok(millis(started.elapsed()));
            }
            self.check_ready()?;
        }
        ctx.check("the condition")?;
        Err(ErrorBody::new(
            ErrorCode::Timeout,
            format!("{} did not come within {} ms", condition_words(condition), millis(timeout)),
        )
        .with("seen", seen)
        .with("url", self.url()))
    }

    /// Waits until nothing changed and no request was in flight for `idle`; returns after how many milliseconds.
    ///
    /// # Errors
    /// `TIMEOUT` with what kept the page busy, and the codes of a tab that can't answer.
    pub async fn wait_idle(
        &self,
        ctx: &CallCtx,
        idle: Duration,
        timeout: Duration,
    ) -> Result<u64, ErrorBody> {
        self.check_ready()?;
        let started = Instant::now();
        let over = |started: Instant| timeout.saturating_sub(started.elapsed()).min(ctx.remaining());
        while !over(started).is_zero() {
            let left = over(started);
            let limited = ctx.at_most(left);
            let quiet_net = self.wait_until(&limited, "requests to end", |s| {
                let busy = s.navigating || s.requests.iter().any(|r| r.ended.is_none() && r.status.is_none());
                (!busy || s.life != Life::Alive || s.dialog.is_some()).then_some(s.clock)
            });
            let Ok(clock) = quiet_net.await else { break };
            self.check_ready()?;
            let frame = self.main_frame(ctx).await?;
            let left = over(started);
            let args = json!({ "idle_ms": millis(idle), "timeout_ms": millis(left) });
            let answer =
                self.ask_for::<Value>(ctx, &frame, "quiet", args, left + Duration::from_secs(5)).await;
            match answer {
                Ok(answer) if answer["quiet"] == true => {
                    let started_since = self.with(|s| s.requests.iter().any(|r| r.started > clock));
                    if !started_since {
                        return Ok(millis(started.elapsed()));
                    }
                }
                Ok(_) | Err(PageError::DocumentGone) => {}
                Err(other) => return Err(other.into_body(self)),
            }
        }
        ctx.check("the page to be idle")?;
        let url = self.url();
        let open: Vec<Value> = self.with(|s| {
            let open =
                s.requests.iter().filter(|r| r.ended.is_none() && r.status.is_none()).map(|r| r.fact(&url));
            open.take(5).map(|f| json!(format!("{} {}", f.method, f.path))).collect()
        });
        Err(ErrorBody::new(
            ErrorCode::Timeout,
            format!("the page did not come to rest within {} ms", millis(timeout)),
        )
        .with("in_flight", open)
        .next("wait for the text or element that you need with browser_wait_for: some pages are never idle"))
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn condition_words(condition: &Condition) -> String {
    let parts = [
        ("the text", &condition.text),
        ("the end of the text", &condition.text_gone),
        ("the element", &condition.selector),
        ("the end of the element", &condition.selector_gone),
        ("the address", &condition.url),
    ];
    let words: Vec<String> =
        parts.iter().filter_map(|(what, value)| value.as_ref().map(|v| format!("{what} {v:?}"))).collect();
    if words.is_empty() { "nothing".to_owned() } else { words.join(" and ") }
}
