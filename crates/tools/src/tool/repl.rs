//! `repl`: JavaScript in the client's own scope. Whatever it does to a page is a call of its own, judged as one.

use crate::common::Common;
use crate::spec::{Info, Reply, Tool, ToolCtx};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;
use truehand_base::{EffectClass, ErrorBody, ErrorCode, Evaluated, Evaluation, Verb, words};

/// How long a script may run unless the call says otherwise.
const USUAL: Duration = Duration::from_mins(2);

/// The longest that a script may run.
const LONGEST: Duration = Duration::from_mins(10);

/// How long after its time a script's end may take: its process is ended when it does not stop by itself.
const ENDING: Duration = Duration::from_secs(4);

/// The longest title.
const LONGEST_TITLE: usize = 200;

/// Run JavaScript in your persistent scope (variables stay), Playwright API. Globals: page, tabs, openTab(url),
/// snapshot(page); help() lists all. console.log gives output.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Repl {
    /// What it is for.
    title: String,
    code: String,
    timeout_ms: Option<u64>,
    /// A dotted path to complete, in place of running the code.
    #[schemars(skip)]
    complete: Option<String>,
    /// Throw the scope away first.
    #[schemars(skip)]
    #[serde(alias = "reset")]
    fresh: Option<bool>,
}

impl Tool for Repl {
    const INFO: Info = Info {
        tab: false,
        verbs: &["repl"],
        positional: &["code"],
        aliases: &["browser_repl", "run_code"],
        renames: &[
            ("purpose", "title"),
            ("script", "code"),
            ("js", "code"),
            ("timeout", "timeout_ms"),
            ("reset", "fresh"),
        ],
        extra: "The scope is JavaScript (ES2023 and newer) with top-level await, without import, require and process. \
                Variables stay from call to call; to declare a name again replaces it, and the reply says so. Output is \
                what console.log writes, and the value of the last expression is shown behind =>. page is null until \
                openTab(url) or attachBrowserTab(targetId) gave it a tab. Each act goes through the same rules as a \
                tool call, is traced under the title, and has a line with its measured effect. Between calls \
                nothing runs: timers and handlers wait for the next one. A call may take 120 s (timeout_ms, at most \
                600000), write 64 KiB and show 4 images; what takes longer than about 40 s is answered with a task. \
                fresh: true begins with an empty scope; tabs stay open. Files: fs reads and writes under pwd and \
                the client's working folder only.",
        examples: &[(
            "Open a page and read its title",
            r#"{"title":"Look at the page","code":"await openTab('https://example.com'); console.log(await page.title())"}"#,
        )],
        ..Info::new("repl", "Run a script", EffectClass::Script, Verb::Repl)
    };

    fn patience(&self) -> Duration {
        self.limit() + ENDING
    }

    fn purpose(&self) -> Option<&str> {
        Some(&self.title)
    }

    async fn run(self, cx: ToolCtx<'_>, _common: Common) -> Result<Reply, ErrorBody> {
        let title = self.title.trim();
        if title.is_empty() || title.chars().count() > LONGEST_TITLE {
            let message = format!("repl: title has 1 to {LONGEST_TITLE} characters");
            return Err(ErrorBody::new(ErrorCode::InvalidArguments, message));
        }
        if let Some(path) = &self.complete {
            let names = cx.scripts.complete(cx.call, cx.author, path).await?;
            let mut reply = Reply { done: format!("{} names", names.len()), ..Reply::default() };
            reply.put("names", serde_json::to_value(names).unwrap_or_default());
            return Ok(reply);
        }
        cx.call.progress(format!("running: {title}"));
        let evaluation = Evaluation {
            title: title.to_owned(),
            timeout: Some(self.limit()),
            fresh: self.fresh.unwrap_or(false),
            code: self.code,
        };
        let evaluated = cx.scripts.evaluate(cx.call, cx.author, evaluation).await?;
        Ok(reply(evaluated))
    }
}

impl Repl {
    fn limit(&self) -> Duration {
        self.timeout_ms.map_or(USUAL, Duration::from_millis).clamp(Duration::from_millis(1), LONGEST)
    }
}

fn reply(evaluated: Evaluated) -> Reply {
    let mut reply = Reply { done: words::script::done(&evaluated), ..Reply::default() };
    reply.text = Some(words::script::body(&evaluated));
    reply.error = words::script::failure(&evaluated);
    let data = |value: Result<Value, serde_json::Error>| value.unwrap_or_default();
    reply.put("status", evaluated.status.name());
    if let Some(value) = evaluated.value {
        reply.put("value", value);
    }
    if let Some(shown) = evaluated.shown {
        reply.put("shown", shown);
    }
    if let Some(error) = &evaluated.error {
        // The outcome's own error stands beside it under that name.
        reply.put("thrown", data(serde_json::to_value(error)));
    }
    reply.put("logs", data(serde_json::to_value(&evaluated.logs)));
    reply.put("effects", data(serde_json::to_value(&evaluated.acts)));
    if !evaluated.redeclared.is_empty() {
        reply.put("redeclared", evaluated.redeclared);
    }
    if !evaluated.notes.is_empty() {
        reply.put("notes", evaluated.notes);
    }
    reply.put("elapsed_ms", u64::try_from(evaluated.elapsed.as_millis()).unwrap_or(u64::MAX));
    if let Some(lost) = &evaluated.scope_lost {
        reply.put("scope_lost", data(serde_json::to_value(lost)));
    }
    reply.images = evaluated.images;
    reply
}
