//! `browser_find`: where a text occurs in a page.

use crate::act;
use crate::common::Common;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use truehand_base::text::{clip, token_estimate};
use truehand_base::{EffectClass, ErrorBody, Verb};

/// Most rows that are shown unless the caller asks for more.
const LIMIT: usize = 20;

/// What is said when time ran out before the end of the page.
pub(super) const UNSEARCHED: &str =
    "… the page is very large: its end was not searched; browser_read with ref or from shows a part of it";

/// Estimated tokens that the rows of a search may cost unless the caller says how many; in the structured form they stand twice.
pub(super) const ROWS_BUDGET: usize = 2_000;

/// Find text anywhere in the page, with the nearest refs.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Find {
    query: String,
    #[schemars(skip)]
    limit: Option<usize>,
}

impl Tool for Find {
    const INFO: Info = Info {
        verbs: &["find"],
        positional: &["query"],
        aliases: &["find", "find_text", "browser_search"],
        renames: &[("text", "query")],
        extra: "White space is folded and case ignored. limit: how many rows are shown, 20 by default.",
        examples: &[("Find a text", r#"{"query":"Delivery"}"#)],
        ..Info::new("browser_find", "Find text", EffectClass::Read, Verb::Read)
    };

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let tab = act::tab(&cx, &common).await?;
        let search = tab.find_text(cx.call, &self.query, self.limit.unwrap_or(LIMIT)).await?;
        let (found, total) = (search.matches, search.total);
        let rows = if total == 1 { "row" } else { "rows" };
        let mut reply =
            Reply::of(tab.id(), format!("found {total} {rows} with \"{}\"", clip(&self.query, 80)));
        let mut rows = Vec::new();
        let mut matches = Vec::new();
        let mut left = self.limit.map_or(ROWS_BUDGET, |_| usize::MAX);
        for hit in &found {
            let mut row = hit.row.trim().to_owned();
            let cost = token_estimate(&row);
            if cost > left {
                break;
            }
            left -= cost;
            let mut entry = Map::from_iter([("row".to_owned(), Value::from(row.clone()))]);
            if let Some(reference) = &hit.reference {
                if !row.contains(&format!("[ref={reference}]")) {
                    row.push_str(&format!(" (near {reference})"));
                }
                entry.insert("ref".to_owned(), Value::from(reference.clone()));
            }
            rows.push(row);
            matches.push(Value::Object(entry));
        }
        if total > matches.len() {
            rows.push(format!("… {} more; a longer query narrows it", total - matches.len()));
        }
        if search.unsearched {
            rows.push(UNSEARCHED.to_owned());
            reply.put("unsearched", true);
        }
        reply.text = Some(rows.join("\n")).filter(|text| !text.is_empty());
        reply.put("matches", matches);
        reply.put("total", total);
        Ok(reply)
    }
}
