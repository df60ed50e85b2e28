//! `page_subscribe`: what is heard of the client's tabs from now on, for scripts.

use crate::common::{Common, named_tab};
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, Verb};
use truehand_browser::Listen;

/// Hear of more kinds of events of your tabs. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageSubscribe {
    /// One tab; without it all, also those to come.
    tab_id: Option<String>,
    /// Kinds such as console or request.
    #[serde(default)]
    kinds: Vec<String>,
    /// add (the default), only, or nothing.
    how: Option<How>,
}

/// What is done about the kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum How {
    /// They come to those that are on.
    Add,
    /// All others go.
    Only,
    /// All go, with the scripts, functions and held requests of the client.
    Nothing,
}

impl Tool for PageSubscribe {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        unlimited: true,
        extra: "On wish: console, request, response, requestfinished, requestfailed, websocket, worker, filechooser (they \
                are told of and not shown), dialog_manual (alerts too are left open). Without being asked for come page, \
                close, crash, framenavigated, frameattached, framedetached, domcontentloaded, load, dialog, download and \
                pageerror.",
        ..Info::new("page_subscribe", "Hear of events", EffectClass::Read, Verb::Read)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let how = match self.how {
            None | Some(How::Add) => Listen::Also,
            Some(How::Only) => Listen::Only,
            Some(How::Nothing) => Listen::Nothing,
        };
        let tab = named_tab(self.tab_id.as_deref())?;
        cx.scope.subscribe(cx.call, tab, &self.kinds, how).await?;
        let mut reply = Reply { done: "listens".to_owned(), ..Reply::default() };
        reply.put("kinds", self.kinds);
        Ok(reply)
    }
}
