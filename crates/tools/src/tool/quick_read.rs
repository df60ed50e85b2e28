//! `browser_quick_read`: references of the elements whose name contains a text.

use super::find::ROWS_BUDGET;
use crate::act;
use crate::common::Common;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::text::{clip, token_estimate};
use truehand_base::{EffectClass, ErrorBody, Verb};
use truehand_browser::{Described, Search};

/// Most matches that are shown unless the caller asks for more.
const LIMIT: usize = 20;

/// Find elements by part of their name; gives refs. Older refs go stale.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuickRead {
    query: String,
    role: Option<String>,
    #[schemars(skip)]
    limit: Option<usize>,
}

impl Tool for QuickRead {
    const INFO: Info = Info {
        verbs: &["quick-read"],
        positional: &["query", "role"],
        aliases: &["quick_read"],
        renames: &[("text", "query"), ("name", "query")],
        extra: "Looks for the query in accessible names, ignoring case. It replaces the tab's set of references, \
                so those of earlier readings go stale. limit: how many matches are shown, 20 by default.",
        examples: &[("Find the submit button", r#"{"query":"save","role":"button"}"#)],
        ..Info::new("browser_quick_read", "Quick read", EffectClass::Read, Verb::Read)
    };

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let tab = act::tab(&cx, &common).await?;
        let limit = self.limit.unwrap_or(LIMIT);
        let search = tab.quick_read(cx.call, &self.query, self.role.as_deref(), limit).await?;
        Ok(Reply { tab: Some(tab.id()), ..self.reply(&search) })
    }
}

impl QuickRead {
    fn reply(&self, search: &Search<Described>) -> Reply {
        let Search { matches, total, unsearched } = search;
        let total = *total;
        let mut left = self.limit.map_or(ROWS_BUDGET, |_| usize::MAX);
        let fit = |m: &&Described| {
            let cost = token_estimate(&m.description) + token_estimate(&m.name) / 2;
            let fits = cost <= left;
            left = left.saturating_sub(cost);
            fits
        };
        let matches: Vec<&Described> = matches.iter().take_while(fit).collect();
        let mut reply =
            Reply { done: format!("found {total} for \"{}\"", clip(&self.query, 80)), ..Reply::default() };
        let mut rows: Vec<String> =
            matches.iter().map(|m| format!("- {} [ref={}]", m.description, m.reference)).collect();
        if total > matches.len() {
            rows.push(format!("… {} more; a longer query or a role narrows it", total - matches.len()));
        }
        if *unsearched {
            rows.push(super::find::UNSEARCHED.to_owned());
            reply.put("unsearched", true);
        }
        if matches.is_empty() {
            let role = self.role.as_ref().map(|r| format!(" of role {r}")).unwrap_or_default();
            let suggestion = format!(
                "no element{role} has \"{}\" in its name; browser_read shows the whole page, browser_find looks in all text",
                clip(&self.query, 80)
            );
            reply.put("suggestion", suggestion.clone());
            rows.push(suggestion);
        }
        reply.text = Some(rows.join("\n"));
        reply.put("matches", serde_json::to_value(&matches).unwrap_or_default());
        reply.put("total", total);
        reply
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query() -> QuickRead {
        QuickRead { query: "sub".to_owned(), role: Some("button".to_owned()), limit: None }
    }

    #[test]
    fn quick_read_reply_lists_references_and_counts_the_rest() {
        let one = Described {
            reference: "e4".to_owned(),
            description: "button \"Submit\"".to_owned(),
            ..Described::default()
        };
        let reply = query().reply(&Search { matches: vec![one], total: 3, unsearched: false });
        assert_eq!(reply.done, "found 3 for \"sub\"");
        assert_eq!(
            reply.text.as_deref(),
            Some("- button \"Submit\" [ref=e4]\n… 2 more; a longer query or a role narrows it")
        );
        assert_eq!(reply.output["matches"][0]["ref"], "e4");
    }

    #[test]
    fn row_187_quick_read_without_a_match_suggests_the_full_read() {
        let reply = query().reply(&Search::default());
        assert!(reply.text.expect("a body").contains("browser_read"));
        assert!(reply.output["suggestion"].as_str().expect("a sentence").contains("of role button"));
    }
}
