//! `navigate_page`: opening, going back or forward and reloading under one name that models know from
//! elsewhere; not listed.

use crate::act::{self, Report};
use crate::common::Common;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::{EffectClass, ErrorBody, ErrorCode, Facts, Verb, normalise_url};

/// Open a URL, go back or forward, or reload.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NavigatePage {
    #[serde(rename = "type")]
    kind: Option<Kind>,
    url: Option<String>,
}

/// Where to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// To the address.
    Url,
    /// One step back.
    Back,
    /// One step forward.
    Forward,
    /// The same page again.
    Reload,
}

impl Tool for NavigatePage {
    const INFO: Info = Info {
        listed: false,
        verbs: &["navigate-page"],
        positional: &["url"],
        extra: "The same as browser_navigate, browser_back, browser_forward and browser_reload.",
        examples: &[("Open a page", r#"{"type":"url","url":"about:blank"}"#)],
        ..Info::new("navigate_page", "Navigate", EffectClass::Navigate, Verb::Navigate)
    };

    fn facts(&self) -> Facts {
        let url = self.url.clone().filter(|_| self.kind.is_none_or(|kind| kind == Kind::Url));
        Facts { url, ..Facts::new(Self::INFO.name, Self::INFO.verb) }
    }

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let tab = act::tab(&cx, &common).await?;
        let observe = common.observe(cx.observe);
        let (acted, words) = match self.kind.unwrap_or(Kind::Url) {
            Kind::Url => {
                let Some(url) = &self.url else {
                    return Err(ErrorBody::new(ErrorCode::InvalidArguments, "url is missing"));
                };
                (tab.navigate(cx.call, &normalise_url(url)?, &observe).await, "navigated to")
            }
            Kind::Back => (tab.back(cx.call, &observe).await, "went back to"),
            Kind::Forward => (tab.forward(cx.call, &observe).await, "went forward to"),
            Kind::Reload => (tab.reload(cx.call, &observe).await, "reloaded"),
        };
        let report = Report { field: "navigated", value: true.into(), asked: "" };
        Ok(act::page_reply(&tab, &common, report, acted, |url| format!("{words} {url}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn navigate_page_tells_the_gate_the_address_that_it_opens() {
        let facts = |value| serde_json::from_value::<NavigatePage>(value).expect("valid").facts();
        assert_eq!(facts(json!({ "url": "http://h/" })).url.as_deref(), Some("http://h/"));
        assert_eq!(facts(json!({ "type": "reload" })).url, None);
    }
}
