//! Functions that scripts give to pages. A page's call is told as an event, and its promise waits for the answer.

use crate::feed::kind;
use crate::tab::page::{call_function, value};
use crate::tab::{Tab, TabInner, lock};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use truehand_base::{CallCtx, ErrorBody, ErrorCode};
use truehand_cdp::{self as cdp, Event, ExecutionContextId, Session};

/// What stands before the name of a raw function until the page's half has taken it over.
const PREFIX: &str = "__truehand_bound__";

/// The page's half.
pub(super) const ADOPT: &str = concat!(
    include_str!("../../../js/script-binding.js"),
    "(\n",
    include_str!("../../../js/script-codec.js"),
    ")",
);

/// How an answer is given to the page's half.
const SETTLE: &str = "function(n, ok, value) { globalThis.__truehand_bound.settle(n, ok, value); }";

/// How many calls of pages may wait for answers; the oldest are forgotten first.
const WAITING: usize = 1_000;

/// The name under which the browser gives a function to pages.
pub(super) fn raw_name(name: &str) -> String {
    format!("{PREFIX}{name}")
}

/// Calls of pages that wait for answers.
#[derive(Default)]
pub(super) struct Calls {
    last: u64,
    waiting: BTreeMap<u64, Waiting>,
}

struct Waiting {
    session: Session,
    world: ExecutionContextId,
    /// The page's own number.
    number: u64,
}

impl TabInner {
    pub(super) fn hear_binding(&self, session: &Session, event: &Event) {
        let Some(Ok(called)) = event.parse::<cdp::runtime::BindingCalled>() else { return };
        let Some(name) = called.name.strip_prefix(PREFIX) else { return };
        let frame = self.frame_of_world(session, called.execution_context_id);
        // In our own world it is nobody's business.
        let Some((frame, true)) = frame else { return };
        // A page may call with whatever it likes.
        let Ok(payload) = serde_json::from_str::<Value>(&called.payload) else { return };
        let Some(number) = payload["n"].as_u64() else { return };
        let id = {
            let mut calls = lock(&self.listening.calls);
            calls.last += 1;
            let id = calls.last;
            let world = called.execution_context_id;
            calls.waiting.insert(id, Waiting { session: session.clone(), world, number });
            if calls.waiting.len() > WAITING {
                calls.waiting.pop_first();
            }
            id
        };
        self.tell(kind::BASIC, "binding", || {
            json!({ "name": name, "call": format!("{}.{id}", self.id), "frame": frame.0, "args": payload["a"] })
        });
    }
}

impl Tab {
    /// Answers a page's call of a function that a script gave it. The value is in the form of the codec.
    ///
    /// # Errors
    /// `REQUEST_GONE` when the page that called is gone or has its answer.
    pub async fn answer_binding(
        &self,
        ctx: &CallCtx,
        call: u64,
        answer: Result<Value, Value>,
    ) -> Result<(), ErrorBody> {
        let gone = || ErrorBody::new(ErrorCode::RequestGone, "no page waits for the answer to this call");
        let waiting = lock(&self.inner.listening.calls).waiting.remove(&call).ok_or_else(gone)?;
        let (ok, given) = match answer {
            Ok(given) => (true, given),
            Err(given) => (false, given),
        };
        let arguments = vec![value(json!(waiting.number)), value(json!(ok)), value(given)];
        let settle = call_function(SETTLE, waiting.world, None, arguments);
        waiting.session.send(ctx, settle).await.map(drop).map_err(|_| gone())
    }
}

/// The tab and the number of a call, from its name.
pub fn parts(call: &str) -> Option<(u32, u64)> {
    let (tab, number) = call.strip_prefix('t')?.split_once('.')?;
    Some((tab.parse().ok()?, number.parse().ok()?))
}
