//! Commands of the protocol that a script sends by itself: those of the table, to this tab or this client's own context.

use super::methods::{CdpMethod, To};
use crate::errors::document_gone;
use crate::options::{Acted, Observe};
use crate::tab::Tab;
use serde_json::{Map, Value, json};
use truehand_base::{CallCtx, ErrorBody, ErrorCode};
use truehand_cdp::{CdpError, Session};

/// The longest text in an answer, in bytes.
const LONGEST_ANSWER: usize = 64 * 1024 * 1024;

/// How many frames' addresses are asked about at once.
const MOST_ADDRESSES: usize = 50;

impl Tab {
    /// Sends a command of the table. `returned` is the browser's answer. One that acts on the page is glanced at.
    ///
    /// # Errors
    /// `CDP_METHOD_REFUSED`, `INVALID_ARGUMENTS` with the browser's words, `FRAME_GONE`, and the codes of a tab that can't
    /// answer.
    pub async fn protocol(
        &self,
        ctx: &CallCtx,
        method: &CdpMethod,
        frame: Option<&str>,
        params: Value,
        observe: Option<&Observe>,
    ) -> Result<Acted, ErrorBody> {
        self.check_ready()?;
        method.check(&params).map_err(|why| ErrorBody::new(ErrorCode::InvalidArguments, why))?;
        let (session, name, params) = self.place(method, frame, params)?;
        let window = match observe {
            Some(observe) => self.window(ctx, observe, None).await?,
            None => None,
        };
        let answer = tokio::select! {
            biased;
            answer = session.raw(ctx, name, params) => answer,
            () = self.stuck(&session) => {
                self.abandon(window);
                return Err(self.unresponsive(name));
            }
        };
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => {
                self.abandon(window);
                return Err(self.protocol_error(error));
            }
        };
        bounded(&answer)?;
        let effect = match (window, observe) {
            (Some(window), Some(observe)) => self.watch(ctx, Some(window), observe, Vec::new()).await?,
            _ => None,
        };
        Ok(Acted { returned: Some(answer), effect, ..Acted::default() })
    }

    /// Whether a command's document is the tab's own and has nothing to lose: it is empty, and of no site. An empty one
    /// that a page opened is of that page's site, and one in a frame may be of any.
    #[must_use]
    pub fn is_own_blank(&self, frame: Option<&str>) -> bool {
        self.with(|s| {
            let own = frame.is_none_or(|id| id == s.main_frame.0);
            let main = s.frames.get(&s.main_frame);
            own && s.url == "about:blank"
                && main.is_some_and(|main| matches!(main.origin.as_str(), "://" | "null"))
        })
    }

    /// Where a command goes, under which name, and with which parameters.
    fn place(
        &self,
        method: &CdpMethod,
        frame: Option<&str>,
        params: Value,
    ) -> Result<(Session, &'static str, Value), ErrorBody> {
        let mut params = match params {
            Value::Object(map) => map,
            _ => Map::new(),
        };
        let space = self.space()?;
        let context = space.context();
        if context.is_none() && !method.shared.is_empty() {
            return Err(refused(method.name, method.shared));
        }
        match (method.name, &context) {
            // Somebody may be looking at the window and typing in another one.
            ("Page.bringToFront", _) if self.inner.headed => {
                return Err(refused(
                    method.name,
                    "the window may be one that a person works in; pages need no front here",
                ));
            }
            // A shared context holds what a person is signed in to: only what the tab's own pages are sent is told.
            ("Storage.getCookies" | "Network.getAllCookies" | "Network.getCookies", None) => {
                let own = self.addresses();
                let asked = params.get("urls").and_then(Value::as_array).cloned();
                let urls = match asked {
                    None => own,
                    Some(asked) => asked
                        .into_iter()
                        .filter(|url| {
                            let site = url.as_str().map(crate::tab::state::site);
                            own.iter().any(|o| o.as_str().map(crate::tab::state::site) == site)
                        })
                        .collect(),
                };
                return Ok((self.inner.session.clone(), "Network.getCookies", json!({ "urls": urls })));
            }
            _ => {}
        }
        let session = match method.to {
            To::Page => self.inner.session.clone(),
            To::Frame => self.session_of(frame)?,
            To::Context => {
                if let Some(context) = context {
                    params.insert("browserContextId".to_owned(), json!(context));
                }
                let name = match method.name {
                    "Network.getAllCookies" => "Storage.getCookies",
                    "Network.clearBrowserCookies" => "Storage.clearCookies",
                    name => name,
                };
                return Ok((self.inner.connection.browser(), name, Value::Object(params)));
            }
        };
        if let Some(id) = params.get("frameId").and_then(Value::as_str)
            && !self.has_frame(&truehand_cdp::FrameId(id.to_owned()))
        {
            return Err(ErrorBody::new(ErrorCode::FrameGone, "the tab has no frame of this id"));
        }
        Ok((session, method.name, Value::Object(params)))
    }

    fn session_of(&self, frame: Option<&str>) -> Result<Session, ErrorBody> {
        let Some(id) = frame else { return Ok(self.inner.session.clone()) };
        let id = truehand_cdp::FrameId(id.to_owned());
        let session = self.with(|s| s.frames.get(&id).map(|frame| frame.session.clone()));
        session.ok_or_else(|| ErrorBody::new(ErrorCode::FrameGone, "the frame was detached"))
    }

    /// The addresses of the tab's documents.
    fn addresses(&self) -> Vec<Value> {
        self.with(|s| s.frames.values().map(|f| f.url.clone()).collect::<Vec<_>>())
            .into_iter()
            .filter(|url| url.starts_with("http"))
            .take(MOST_ADDRESSES)
            .map(Value::String)
            .collect()
    }

    /// The browser's own words are what the caller can mend the command by.
    fn protocol_error(&self, error: CdpError) -> ErrorBody {
        match error {
            CdpError::Protocol { ref method, ref message, .. } if !document_gone(&error) => {
                ErrorBody::new(ErrorCode::InvalidArguments, format!("{method}: {message}"))
                    .next("mend the command's parameters")
            }
            other => self.page_error(other).into_body(self),
        }
    }
}

/// The refusal of a command, with the reason.
pub(super) fn refused(method: &str, why: &str) -> ErrorBody {
    let method = truehand_base::text::clip(method, 80);
    ErrorBody::new(ErrorCode::CdpMethodRefused, format!("{method} is not passed on: {why}"))
        .with("method", method)
}

fn bounded(answer: &Value) -> Result<(), ErrorBody> {
    let longest =
        answer.as_object().into_iter().flat_map(Map::values).filter_map(Value::as_str).map(str::len).max();
    if longest.unwrap_or_default() <= LONGEST_ANSWER {
        return Ok(());
    }
    let what = format!("the answer is longer than {} MiB", LONGEST_ANSWER >> 20);
    Err(ErrorBody::new(ErrorCode::ArtifactInvalid, what).next("ask for less: a smaller picture, fewer pages"))
}
