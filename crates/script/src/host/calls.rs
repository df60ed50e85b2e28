//! Calls of a script: each is a call of its client through the one door, and what acted is remembered.

use super::{Shared, lock};
use crate::wire::{Op, OpError};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use truehand_base::{
    Author, Call, CallCtx, Caller, EffectClass, ErrorBody, ErrorCode, Outcome, ScriptAct, ToolInfo, words,
};

/// The most acts that are listed with their effect.
const ACTS: usize = 100;

/// The most downloads of a scope that stay readable.
const DOWNLOADS: usize = 1_000;

/// How long to wait for a limiter that does not say how long.
const PAUSE: Duration = Duration::from_millis(100);

/// Tools that a script can't call: they run scripts, or wait for calls that a script can't begin.
const NOT_FROM_SCRIPTS: &[&str] = &["repl", "task_wait"];

/// Calls whose answers may be megabytes long, one at a time.
const LARGE: &[&str] = &[
    "file_read",
    "page_fetch",
    "page_body",
    "page_post_data",
    "page_answer",
    "page_cdp",
    "browser_screenshot",
];

/// What the calls of a scope have left behind.
#[derive(Debug, Default)]
pub(super) struct Acts {
    listed: Mutex<(Vec<ScriptAct>, usize)>,
    downloads: Mutex<HashSet<PathBuf>>,
}

impl Acts {
    /// The acts since the last time, and how many more there were.
    pub(super) fn take(&self) -> (Vec<ScriptAct>, usize) {
        std::mem::take(&mut *lock(&self.listed))
    }

    /// The downloads of this client, as far as they are known.
    pub(super) fn all_downloads(&self) -> Vec<PathBuf> {
        lock(&self.downloads).iter().cloned().collect()
    }

    fn note(&self, tool: Option<&ToolInfo>, outcome: &Outcome) {
        self.note_downloads(outcome);
        let acts = tool.is_some_and(|tool| {
            matches!(tool.effect, EffectClass::Navigate | EffectClass::Input) && tool.listed
        });
        // A refusal before anything was done has no effect; scripts try again until it is none.
        if outcome.page_effect.is_none() && (!acts || outcome.error.is_some()) {
            return;
        }
        let mut listed = lock(&self.listed);
        if listed.0.len() >= ACTS {
            listed.1 += 1;
            return;
        }
        let effect = outcome.page_effect.as_ref().and_then(|effect| serde_json::to_value(effect).ok());
        listed.0.push(ScriptAct {
            tool: outcome.tool.clone(),
            verdict: words::verdict_line(outcome),
            page_effect: effect.unwrap_or_default(),
        });
    }

    fn note_downloads(&self, outcome: &Outcome) {
        let acted = outcome.page_effect.iter().flat_map(|effect| &effect.downloads);
        let acted = acted.filter_map(|download| download.path.as_deref());
        // Only this tool's events are the browser's own words.
        let events = outcome.output.get("events").filter(|_| outcome.tool == "page_events");
        let events = events.and_then(Value::as_array).into_iter().flatten();
        let told =
            events.filter(|event| event["kind"] == "download").filter_map(|event| event["path"].as_str());
        let mut downloads = lock(&self.downloads);
        for path in acted.chain(told).filter(|path| !path.is_empty()) {
            if downloads.len() < DOWNLOADS {
                downloads.insert(PathBuf::from(path));
            }
        }
    }
}

/// What a script asks: a tool and its arguments.
#[derive(Debug, Deserialize)]
struct Asked {
    tool: String,
    #[serde(default)]
    args: Value,
}

/// Who calls, for what, and until when.
#[derive(Debug, Clone)]
pub(super) struct Errand {
    pub(super) author: Author,
    pub(super) title: String,
    /// Where files that its calls name must lie.
    pub(super) within: Arc<Vec<PathBuf>>,
    pub(super) until: Instant,
    pub(super) cancel: CancellationToken,
}

/// Whether the answer to an op may be so large that few of them may be at work.
pub(super) fn may_be_large(op: &Op) -> bool {
    #[derive(Deserialize)]
    struct Named<'a> {
        #[serde(default, borrow)]
        tool: std::borrow::Cow<'a, str>,
    }
    let named =
        |op: &Op| serde_json::from_str::<Named<'_>>(op.args.get()).map(|named| LARGE.contains(&&*named.tool));
    named(op).unwrap_or(true)
}

/// Makes a call of a script and gives its outcome.
pub(super) async fn call(
    shared: &Shared,
    errand: &Errand,
    acts: &Arc<Acts>,
    args: &RawValue,
) -> Result<Value, OpError> {
    let asked: Asked = serde_json::from_str(args.get())
        .map_err(|error| refused(&ErrorBody::new(ErrorCode::InvalidArguments, error.to_string())))?;
    let Some(caller) = shared.caller.get().and_then(std::sync::Weak::upgrade) else {
        return Err(refused(&ErrorBody::new(ErrorCode::DaemonUnavailable, "the product is shutting down")));
    };
    let catalog = caller.catalog();
    let named = |tool: &&ToolInfo| tool.name == asked.tool || tool.aliases.contains(&asked.tool);
    let info = catalog.tools.iter().find(named);
    if info.is_some_and(|tool| NOT_FROM_SCRIPTS.contains(&tool.name.as_str())) {
        let message = format!("a script can't call {}", asked.tool);
        let error = ErrorBody::new(ErrorCode::InvalidArguments, message);
        return Err(refused(&error.next("await the code itself instead")));
    }
    let outcome = made(&*caller, errand, &asked).await;
    acts.note(info, &outcome);
    match &outcome.error {
        None => serde_json::to_value(&outcome)
            .map_err(|error| refused(&ErrorBody::new(ErrorCode::Internal, error.to_string()))),
        Some(error) => {
            let mut refusal = refused(error);
            if let Some(effect) = &outcome.page_effect {
                let data = refusal.data.get_or_insert_with(|| Value::Object(serde_json::Map::new()));
                if let Some(map) = data.as_object_mut() {
                    map.insert("page_effect".to_owned(), serde_json::to_value(effect).unwrap_or_default());
                }
            }
            Err(refusal)
        }
    }
}

/// Makes a call of the host's own in the name of the client.
pub(super) async fn host_call(
    shared: &Shared,
    errand: &Errand,
    tool: &str,
    args: Value,
) -> Result<serde_json::Map<String, Value>, ErrorBody> {
    let Some(caller) = shared.caller.get().and_then(std::sync::Weak::upgrade) else {
        return Err(ErrorBody::new(ErrorCode::DaemonUnavailable, "the product is shutting down"));
    };
    let outcome = made(&*caller, errand, &Asked { tool: tool.to_owned(), args }).await;
    match outcome.error {
        Some(error) => Err(error),
        None => Ok(outcome.output),
    }
}

/// Calls, and calls again when too many were made, as long as there is time.
async fn made(caller: &dyn Caller, errand: &Errand, asked: &Asked) -> Outcome {
    loop {
        let left = errand.until.saturating_duration_since(Instant::now());
        let ctx = CallCtx::with_timeout(left).cancelled_by(errand.cancel.clone());
        let mut call = Call::new(errand.author.client.clone(), asked.tool.clone(), asked.args.clone());
        call.approval.clone_from(&errand.author.approval);
        call.purpose = Some(errand.title.clone());
        call.within = Some(Arc::clone(&errand.within));
        let outcome = caller.call(&ctx, call).await;
        let Some(error) = outcome.error.as_ref().filter(|error| error.code == ErrorCode::RateLimited) else {
            return outcome;
        };
        let pause = error.retry_after_ms.map_or(PAUSE, Duration::from_millis);
        if pause >= errand.until.saturating_duration_since(Instant::now()) {
            return outcome;
        }
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = errand.cancel.cancelled() => return outcome,
        }
    }
}

/// An error of ours as the scope gets it.
pub(super) fn refused(error: &ErrorBody) -> OpError {
    let mut data = error.data.clone();
    if let Some(ms) = error.retry_after_ms {
        if data.is_null() {
            data = Value::Object(serde_json::Map::new());
        }
        if let Some(map) = data.as_object_mut() {
            map.insert("retry_after_ms".to_owned(), ms.into());
        }
    }
    OpError {
        code: error.code.name().to_owned(),
        message: error.message.clone(),
        next_step: Some(error.next_step.clone()),
        data: (!data.is_null()).then_some(data),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::HostConfig;
    use truehand_base::{BoxFuture, Catalog, ClientId, ClientKind};

    /// A caller that must not be called.
    struct Nobody;

    impl Caller for Nobody {
        fn call<'a>(&'a self, _ctx: &'a CallCtx, call: Call) -> BoxFuture<'a, Outcome> {
            panic!("{} was called", call.tool)
        }

        fn catalog(&self) -> Arc<Catalog> {
            let tool = |name: &str, alias: &str| ToolInfo {
                name: name.to_owned(),
                title: String::new(),
                description: String::new(),
                input_schema: Value::Null,
                output_schema: Value::Null,
                effect: EffectClass::Script,
                positional: Vec::new(),
                aliases: vec![alias.to_owned()],
                verbs: Vec::new(),
                listed: true,
                examples: Vec::new(),
            };
            Arc::new(Catalog { tools: vec![tool("repl", "run_code"), tool("task_wait", "wait")] })
        }
    }

    #[tokio::test]
    async fn script_can_not_run_scripts_or_wait_for_tasks_by_any_name() {
        let host = crate::host::ScriptHost::new(HostConfig::new("/x".into(), "/x".into(), Vec::new(), "1"));
        let nobody = Arc::new(Nobody);
        let caller: std::sync::Weak<Nobody> = Arc::downgrade(&nobody);
        host.serve(caller);
        let errand = Errand {
            author: Author {
                client: ClientId { kind: ClientKind::Cli, name: "a".to_owned() },
                approval: None,
                working_dir: PathBuf::new(),
                js_allowed: false,
            },
            title: "x".to_owned(),
            within: Arc::default(),
            until: Instant::now() + Duration::from_secs(5),
            cancel: CancellationToken::new(),
        };
        for tool in ["repl", "run_code", "task_wait", "wait"] {
            let args = RawValue::from_string(format!("{{\"tool\":\"{tool}\",\"args\":{{}}}}")).expect("JSON");
            let error = call(&host.shared, &errand, &Arc::default(), &args).await.expect_err(tool);
            assert_eq!(error.code, "INVALID_ARGUMENTS", "{tool}");
        }
    }
}
