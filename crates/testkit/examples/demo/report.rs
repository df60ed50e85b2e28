//! The demo's report: one HTML file that needs nothing else, with every step, its effect and its picture.

use crate::steps::{Played, Step};
use std::fmt::Write as _;

const STYLE: &str = include_str!("report.css");

/// A report that grows by one step at a time.
pub struct Report {
    address: String,
    server: String,
    steps: String,
    total: usize,
    expected: usize,
}

impl Report {
    /// An empty report.
    pub fn new(address: &str, server: &str) -> Self {
        Report {
            address: address.to_owned(),
            server: server.to_owned(),
            steps: String::new(),
            total: 0,
            expected: 0,
        }
    }

    /// Adds a step.
    pub fn add(&mut self, step: &Step, played: &Played) {
        self.total += 1;
        self.expected += usize::from(played.problem.is_none());
        let (class, outcome) = match &played.problem {
            None => ("ok", format!("As expected: {}.", step.expect.words())),
            Some(problem) => ("bad", format!("Expected: {}; but {problem}.", step.expect.words())),
        };
        let effect = match played.effect.is_null() {
            true => String::new(),
            false => {
                details("page_effect", &serde_json::to_string_pretty(&played.effect).unwrap_or_default())
            }
        };
        let picture = played.picture.as_ref().map_or_else(String::new, |image| {
            let source = format!("data:{};base64,{}", escape(&image.mime_type), escape(&image.base64));
            format!("<img src=\"{source}\" alt=\"The page after step {}\">", self.total)
        });
        let call = format!("{} {}", step.tool, played.arguments);
        // Writing to a String has no way to fail.
        let _ = writeln!(
            self.steps,
            "<li class=\"{class}\"><div><h2>{}</h2><p class=\"verdict\">{}</p><p class=\"outcome\">{}</p>{}{}{effect}</div>{picture}</li>",
            escape(step.what),
            escape(&played.verdict),
            escape(&outcome),
            details("call", &call),
            details("reply", &played.text),
        );
    }

    /// Whether every step came out as it must.
    pub fn all_as_expected(&self) -> bool {
        self.total > 0 && self.total == self.expected
    }

    /// One sentence on the whole.
    pub fn summary(&self) -> String {
        format!("{} of {} steps came out as expected", self.expected, self.total)
    }

    /// The whole file.
    pub fn html(&self) -> String {
        let class = if self.all_as_expected() { "ok" } else { "bad" };
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
             <title>Truehand demo</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>An order, step by step</h1>\n\
             <p>{} drove a real Chromium through the shop at {}. Each step shows the verdict line that the client got, \
             and the measurement behind it. Two steps are failures on purpose: a button that does nothing, and one that \
             something else covers. They must be reported as what they are.</p>\n<p class=\"summary {class}\">{}</p>\n<ol>\n{}</ol>\n</body>\n</html>\n",
            escape(&self.server),
            escape(&self.address),
            escape(&self.summary()),
            self.steps
        )
    }
}

fn details(title: &str, body: &str) -> String {
    format!("<details><summary>{title}</summary><pre>{}</pre></details>", escape(body))
}

/// Makes page text harmless in HTML, in attributes too.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}
