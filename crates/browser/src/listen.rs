//! What a client hears of its tabs, and what it wants of those that are there and those to come.

use crate::feed::{self, Pattern, kind};
use crate::options::TabInfo;
use crate::pool::Scope;
use crate::tab::{Answer, Answered, HeldRequest, Tab, call_parts};
use futures::future::join_all;
use serde_json::Value;
use std::time::Duration;
use truehand_base::{CallCtx, ErrorBody, ErrorCode, TabId};

/// How many scripts for new documents a client may have, and how many functions of its own in pages.
const SCRIPTS: usize = 200;

/// Events of a client's tabs.
#[derive(Debug, Default)]
pub struct Events {
    /// In order.
    pub events: Vec<Value>,
    /// What to ask with for those that come after.
    pub next: u64,
    /// How many were lost before them.
    pub lost: u64,
}

/// What to do about kinds of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Listen {
    /// Hear of these too.
    Also,
    /// Hear of these and no others.
    Only,
    /// Hear of nothing, and want nothing of the tabs any more.
    Nothing,
}

impl Scope {
    /// Brings the tabs to what is wanted now.
    fn renew(&self) {
        self.touch();
        let Some(space) = self.open_space() else { return };
        space.hub().join(self.client(), self.feed());
        space.hub().renew();
        for tab in space.attached_tabs() {
            tab.renew();
        }
    }

    /// Hears of kinds of events of one tab, or of all and those to come.
    ///
    /// # Errors
    /// `INVALID_ARGUMENTS` for a kind that there is not, `UNKNOWN_TAB`, `TAB_CLOSED`.
    pub async fn subscribe(
        &self,
        ctx: &CallCtx,
        tab: Option<TabId>,
        kinds: &[String],
        how: Listen,
    ) -> Result<(), ErrorBody> {
        let bits = feed::kinds(kinds).map_err(|unknown| {
            let known: Vec<&str> = feed::kind_names().collect();
            ErrorBody::new(
                ErrorCode::InvalidArguments,
                format!("there are no events of the kind '{unknown}'"),
            )
            .next(format!("kinds on wish are {}; all others come without being asked for", known.join(", ")))
        })?;
        if let Some(tab) = tab {
            self.tab(ctx, Some(tab)).await?;
        }
        match how {
            Listen::Also => self.feed().listen(tab, bits),
            Listen::Only => self.feed().listen_only(tab, bits),
            Listen::Nothing => self.feed().end(),
        }
        self.renew();
        Ok(())
    }

    /// What has happened after an event, waiting for the first. Without one only the number of the last is given, and from
    /// then on the usual kinds are heard of.
    ///
    /// # Errors
    /// `CANCELLED`.
    pub async fn events(
        &self,
        ctx: &CallCtx,
        after: Option<u64>,
        wait: Duration,
    ) -> Result<Events, ErrorBody> {
        let feed = self.feed();
        if after.is_none() {
            feed.listen(None, kind::BASIC);
            self.renew();
        }
        self.touch();
        if wait.is_zero() {
            // What the browser has told already is to be there.
            let tabs = self.open_space().map(|space| space.attached_tabs()).unwrap_or_default();
            join_all(tabs.iter().map(|tab| tab.catch_up(ctx))).await;
        }
        let heard = feed.wait(ctx, after, wait).await?;
        let mut events = Vec::with_capacity(heard.events.len());
        for (tab, mut event) in heard.events {
            // Of a tab that is gone nothing can be named any more.
            if let Some(tab) = self.tab_if_open(Some(tab)) {
                tab.made_readable(ctx, &mut event).await;
            }
            events.push(event);
        }
        Ok(Events { events, next: heard.next, lost: heard.lost })
    }

    /// Holds requests that fit, of one tab or of all and those to come, or with `None` no more. Each is told as an event
    /// `paused` and waits for its answer for 30 s.
    ///
    /// # Errors
    /// `UNKNOWN_TAB`, `TAB_CLOSED`.
    pub async fn route(
        &self,
        ctx: &CallCtx,
        tab: Option<TabId>,
        patterns: Option<Vec<(String, bool)>>,
    ) -> Result<(), ErrorBody> {
        if let Some(tab) = tab {
            self.tab(ctx, Some(tab)).await?;
        }
        let pattern = |(url, response)| Pattern { url, response };
        let patterns = patterns.map(|patterns| patterns.into_iter().map(pattern).collect());
        self.feed().listen(None, kind::BASIC);
        self.feed().route(tab, patterns);
        self.renew();
        Ok(())
    }

    /// A request that is held, with its tab.
    ///
    /// # Errors
    /// `REQUEST_GONE`, `UNKNOWN_TAB`, `TAB_CLOSED`.
    pub async fn held(
        &self,
        ctx: &CallCtx,
        tab: Option<TabId>,
        id: &str,
    ) -> Result<(Tab, HeldRequest), ErrorBody> {
        let tab = self.tab(ctx, tab).await?;
        let held = tab.held_request(id)?;
        Ok((tab, held))
    }

    /// Says what becomes of a request that is held.
    ///
    /// # Errors
    /// As [`Tab::answer_request`].
    pub async fn answer(
        &self,
        ctx: &CallCtx,
        tab: &Tab,
        id: &str,
        answer: Answer,
    ) -> Result<Option<Answered>, ErrorBody> {
        self.touch();
        tab.answer_request(ctx, id, answer).await
    }

    /// Gives pages a function of this name, or takes it away from those to come.
    ///
    /// # Errors
    /// `INVALID_ARGUMENTS` when there are too many, `UNKNOWN_TAB`, `TAB_CLOSED`.
    pub async fn bind(
        &self,
        ctx: &CallCtx,
        tab: Option<TabId>,
        name: &str,
        remove: bool,
    ) -> Result<bool, ErrorBody> {
        if let Some(tab) = tab {
            self.tab(ctx, Some(tab)).await?;
        }
        let feed = self.feed();
        let changed = if remove {
            feed.remove_binding(tab, name)
        } else {
            feed.listen(None, kind::BASIC);
            if feed.binding_count() >= SCRIPTS {
                return Err(too_many("functions"));
            }
            feed.add_binding(tab, name)
        };
        self.renew();
        Ok(changed)
    }

    /// Answers a page's call of such a function.
    ///
    /// # Errors
    /// `INVALID_ARGUMENTS` for what is no call, `REQUEST_GONE`.
    pub async fn answer_binding(
        &self,
        ctx: &CallCtx,
        call: &str,
        answer: Result<Value, Value>,
    ) -> Result<(), ErrorBody> {
        let Some((tab, number)) = call_parts(call) else {
            return Err(ErrorBody::new(
                ErrorCode::InvalidArguments,
                format!("'{call}' is no call of a page"),
            )
            .next("pass the call of an event binding"));
        };
        let gone = || ErrorBody::new(ErrorCode::RequestGone, "the tab of the page that called is closed");
        let tab = self.tab_if_open(Some(TabId(tab))).ok_or_else(gone)?;
        tab.answer_binding(ctx, number, answer).await
    }

    /// Runs a script in every new document before the page's own scripts; gives its number.
    ///
    /// # Errors
    /// `INVALID_ARGUMENTS` when there are too many, `UNKNOWN_TAB`, `TAB_CLOSED`.
    pub async fn add_script(
        &self,
        ctx: &CallCtx,
        tab: Option<TabId>,
        source: &str,
    ) -> Result<u64, ErrorBody> {
        if let Some(tab) = tab {
            self.tab(ctx, Some(tab)).await?;
        }
        if self.feed().script_count() >= SCRIPTS {
            return Err(too_many("scripts"));
        }
        self.feed().listen(None, kind::BASIC);
        let id = self.feed().add_script(tab, source);
        self.renew();
        Ok(id)
    }

    /// Runs it in no further documents; false when there is none of this number.
    pub fn remove_script(&self, id: u64) -> bool {
        let removed = self.feed().remove_script(id);
        self.renew();
        removed
    }

    /// The pages that the client's tabs show.
    #[must_use]
    pub fn shown(&self) -> Vec<Shown> {
        let Some(space) = self.open_space() else { return Vec::new() };
        let own = space.list(None).into_iter().filter(|tab| space.owns(tab.tab_id, self.client()));
        let page = |tab: TabInfo| Shown {
            url: tab.url,
            from_inside: space.attached(tab.tab_id).is_some_and(|tab| tab.came_from_inside()),
        };
        own.map(page).collect()
    }
}

/// A page that a tab shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Its address.
    pub url: String,
    /// Whether the browser got it from this machine or a private network.
    pub from_inside: bool,
}

fn too_many(what: &str) -> ErrorBody {
    ErrorBody::new(ErrorCode::InvalidArguments, format!("{SCRIPTS} {what} are there already"))
        .next(format!("remove {what} that are not needed any more"))
}
