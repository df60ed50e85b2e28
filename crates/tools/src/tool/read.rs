//! `browser_read`: a page as text with element references.

use crate::act;
use crate::common::Common;
use crate::field::Element;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use truehand_base::text::{clip, one_line};
use truehand_base::{EffectClass, ErrorBody, Verb};
use truehand_browser::{ReadOptions, Reading};

/// Read the page as text, with the refs (e12) that other tools take. Start here.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Read {
    /// Read only inside this ref or selector.
    #[serde(rename = "ref")]
    scope: Option<Element>,
    /// Only controls and headings.
    interactive: Option<bool>,
    depth: Option<u32>,
    /// Most tokens; default 4000.
    budget: Option<usize>,
    /// First row, for paging.
    from: Option<usize>,
    /// Only what changed since your last read.
    diff: Option<bool>,
    /// Also hidden content.
    #[schemars(skip)]
    hidden: Option<bool>,
}

impl Tool for Read {
    const INFO: Info = Info {
        verbs: &["read", "snapshot"],
        aliases: &["browser_snapshot", "take_snapshot", "snapshot", "read_page", "browser_get_state"],
        renames: &[
            ("scope", "ref"),
            ("show_hidden", "hidden"),
            ("include_hidden", "hidden"),
            ("max_tokens", "budget"),
            ("max_depth", "depth"),
            ("interactive_only", "interactive"),
            ("i", "interactive"),
            ("offset", "from"),
        ],
        extra: "hidden: true also shows what is hidden from people or from assistive technology. The default \
                budget is 4,000 tokens; what it left out is counted, and from continues. Marks: [offscreen], \
                [covered-by=e9], [hidden-text], [rows 12/1000], [scrolls].",
        examples: &[
            ("Read the page", "{}"),
            ("Only what can be acted on", r#"{"interactive":true}"#),
            ("One part of the page", r#"{"ref":"main","budget":1000}"#),
        ],
        ..Info::new("browser_read", "Read page", EffectClass::Read, Verb::Read)
    };

    async fn run(self, cx: ToolCtx<'_>, common: Common) -> Result<Reply, ErrorBody> {
        let tab = act::tab(&cx, &common).await?;
        let defaults = ReadOptions::default();
        let options = ReadOptions {
            interactive: self.interactive.unwrap_or(defaults.interactive),
            depth: self.depth.or(defaults.depth),
            budget: self.budget.unwrap_or(defaults.budget),
            from: self.from.unwrap_or(defaults.from),
            diff: self.diff.unwrap_or(defaults.diff),
            hidden: self.hidden.unwrap_or(defaults.hidden),
        };
        let reading = tab.read(cx.call, self.scope.as_ref().map(|e| &e.target), &options).await?;
        Ok(Reply { tab: Some(tab.id()), ..reply(&reading) })
    }
}

fn reply(reading: &Reading) -> Reply {
    let about = if reading.about { "about " } else { "" };
    let done = match (reading.diff, reading.shown == reading.rows) {
        (true, _) if reading.shown == 0 => "read: nothing differs from the last reading".to_owned(),
        (true, _) => format!("read {} rows that differ from the last reading", reading.shown),
        (false, true) if reading.shown == 1 => "read 1 row".to_owned(),
        (false, true) => format!("read {} rows", reading.shown),
        (false, false) => format!("read {} of {about}{} rows", reading.shown, reading.rows),
    };
    let mut reply = Reply { done, ..Reply::default() };
    let mut text = format!("page: {}", clip(&reading.url, 200));
    let title = clip(&one_line(&reading.title), 120);
    if !title.is_empty() {
        text.push_str(&format!(" \"{title}\""));
    }
    if !reading.text.is_empty() {
        text.push('\n');
        text.push_str(reading.text.trim_end());
    }
    if let Some(next) = reading.next_from {
        text.push_str(&format!(
            "\n… left out: rows from {next} of {about}{}, with {} controls; call again with from: {next}, or name a part with ref",
            reading.rows, reading.controls_left_out
        ));
        reply.put("next_from", next);
    }
    if reading.frames_left_out > 0 {
        text.push_str(&format!(
            "\n… left out: the content of {} frames; name one with ref to read it",
            reading.frames_left_out
        ));
        reply.put("frames_left_out", reading.frames_left_out);
    }
    reply.text = Some(text);
    reply.put("url", reading.url.clone());
    reply.put("title", reading.title.clone());
    reply.put("rows", reading.rows);
    if reading.about {
        reply.put("rows_estimated", true);
    }
    reply.put("shown", reading.shown);
    reply.put("controls_left_out", reading.controls_left_out);
    reply.put("diff", reading.diff);
    reply
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading() -> Reading {
        Reading {
            url: "http://h/".to_owned(),
            title: "Shop".to_owned(),
            text: "- button \"Save\" [ref=e1]\n".to_owned(),
            rows: 1,
            shown: 1,
            ..Reading::default()
        }
    }

    #[test]
    fn read_reply_of_a_whole_page_has_page_and_rows() {
        let reply = reply(&reading());
        assert_eq!(reply.done, "read 1 row");
        assert_eq!(reply.text.as_deref(), Some("page: http://h/ \"Shop\"\n- button \"Save\" [ref=e1]"));
        assert!(!reply.output.contains_key("next_from"));
    }

    #[test]
    fn read_reply_over_the_budget_counts_what_was_left_out() {
        let part = Reading { rows: 900, shown: 84, next_from: Some(84), controls_left_out: 30, ..reading() };
        let reply = reply(&part);
        assert_eq!(reply.done, "read 84 of 900 rows");
        assert_eq!(reply.output["next_from"], 84);
        let text = reply.text.expect("a body");
        assert!(text.ends_with("left out: rows from 84 of 900, with 30 controls; call again with from: 84, or name a part with ref"), "{text}");
    }

    #[test]
    fn read_reply_of_an_empty_difference_says_so() {
        let same = Reading { diff: true, shown: 0, text: String::new(), ..reading() };
        assert_eq!(reply(&same).done, "read: nothing differs from the last reading");
    }
}
