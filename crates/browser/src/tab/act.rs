//! What every action does around its input: open a window, send, look, say what came of it.

use super::Tab;
use super::effect::Window;
use super::state::{Frame, Life};
use crate::errors::from_cdp;
use crate::options::Observe;
use futures::FutureExt;
use serde_json::Value;
use truehand_base::{CallCtx, ErrorBody, PageEffect};
use truehand_cdp::{Empty, Pending};

/// Input that was queued and whose acknowledgement is outstanding.
pub(crate) type Sent = Vec<Pending<Empty>>;

impl Tab {
    /// Opens a window when the caller wants one.
    pub(crate) async fn window(
        &self,
        ctx: &CallCtx,
        observe: &Observe,
        armed: Option<(&Frame, &Value)>,
    ) -> Result<Option<Window>, ErrorBody> {
        let window = if observe.enabled { Some(self.open_window(ctx, armed).await?) } else { None };
        // What was found may be gone by now, and the input would go to what came instead.
        if let Some((frame, _)) = armed
            && let Err(error) = self.still_there(frame)
        {
            self.abandon(window);
            return Err(error);
        }
        Ok(window)
    }

    /// Looks at what queued input does. Without a window it only waits for the acknowledgement, which a dialog
    /// holds back.
    pub(crate) async fn watch(
        &self,
        ctx: &CallCtx,
        window: Option<Window>,
        observe: &Observe,
        sent: Sent,
    ) -> Result<Option<PageEffect>, ErrorBody> {
        let Some(window) = window else {
            for pending in sent {
                tokio::select! {
                    biased;
                    answer = ctx.wait("the input", pending) => { answer?.map_err(from_cdp)?; }
                    () = self.dialog_opened() => break,
                    () = self.stuck(&self.inner.session) => return Err(self.input_stuck()),
                }
            }
            return Ok(None);
        };
        let effect = self.observe(ctx, window, observe).await;
        for pending in sent {
            // What has no answer by now waits behind a dialog or belongs to a page that is gone.
            if let Some(Err(error)) = pending.now_or_never()
                && !matches!(error, truehand_cdp::CdpError::SessionGone { .. })
            {
                return Err(from_cdp(error));
            }
        }
        if self.with(|s| std::mem::take(&mut s.unresponsive)) {
            return Err(self.input_stuck());
        }
        let ended = match self.with(|s| s.life.clone()) {
            Life::Alive => false,
            Life::Crashed => true,
            // A tab that its own page closed shows in the effect; one that another call closed was lost on the way.
            Life::Closed(_) => !effect.tabs.closed.iter().any(|closed| closed.tab_id == self.id()),
        };
        if ended {
            self.check_alive().map_err(|error| error.with("verdict", "unknown"))?;
        }
        Ok(Some(effect))
    }

    /// The failure of input after which the page answers nothing.
    pub(crate) fn input_stuck(&self) -> ErrorBody {
        let what = "the input was sent, then the page stopped answering";
        self.unresponsive(what).with("verdict", "unknown")
    }
}
