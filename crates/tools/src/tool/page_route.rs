//! `page_route`: holds requests of the client's tabs, for scripts.

use crate::common::{Common, named_tab};
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, Verb};

/// Hold requests until page_answer says what becomes of them, or hold none any more. For scripts.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageRoute {
    /// One tab; without it all, also those to come.
    tab_id: Option<String>,
    /// Which requests; without it none are held.
    #[schemars(skip)]
    patterns: Option<Vec<Pattern>>,
}

/// Which requests are held, and when.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pattern {
    /// Every address.
    #[serde(default, rename = "url_glob_all")]
    _all: bool,
    /// Addresses with `*` and `?`; every one without it.
    url: Option<String>,
    #[serde(default)]
    stage: Stage,
}

/// When a request is held.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Stage {
    /// Before it is sent.
    #[default]
    #[serde(alias = "Request")]
    Request,
    /// When its answer comes.
    #[serde(alias = "Response")]
    Response,
}

impl Tool for PageRoute {
    const INFO: Info = Info {
        tab: false,
        listed: false,
        unlimited: true,
        extra: "patterns is a list of {url, stage}. Each request that is held comes as an event paused of page_events, and is \
                let go after 30 s without an answer. Requests of service workers are not held.",
        ..Info::new("page_route", "Hold requests", EffectClass::Script, Verb::Settings)
    };

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let tab = named_tab(self.tab_id.as_deref())?;
        let patterns = self.patterns.map(|patterns| {
            let pattern = |p: Pattern| (p.url.unwrap_or_else(|| "*".to_owned()), p.stage == Stage::Response);
            patterns.into_iter().map(pattern).collect::<Vec<_>>()
        });
        let held = patterns.as_ref().is_some_and(|patterns| !patterns.is_empty());
        cx.scope.route(cx.call, tab, patterns).await?;
        let done = if held { "holds requests" } else { "holds no requests" };
        Ok(Reply { done: done.to_owned(), ..Reply::default() })
    }
}
