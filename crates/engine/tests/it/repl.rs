//! The tool `repl` with scripts that only say what they were asked: what it takes, what it gives back, who runs.

use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::runtime::Runtime;
use truehand_base::{
    Approval, Author, BoxFuture, Call, CallCtx, Caller, ClientId, ClientKind, ErrorBody, ErrorCode,
    Evaluated, Evaluation, Outcome, ScopeLost, ScriptAct, ScriptError, ScriptLog, ScriptName, ScriptStatus,
    Scripts, Verb, words,
};
use truehand_engine::{ClientOptions, Engine, EngineConfig, Home};

/// Scripts that end as they are told to.
#[derive(Default)]
struct Told {
    asked: Mutex<Vec<(Author, Evaluation)>>,
    answer: Mutex<Option<Evaluated>>,
    gone: Mutex<Vec<ClientId>>,
    closed: Mutex<bool>,
}

impl Scripts for Told {
    fn evaluate<'a>(
        &'a self,
        _ctx: &'a CallCtx,
        author: &'a Author,
        evaluation: Evaluation,
    ) -> BoxFuture<'a, Result<Evaluated, ErrorBody>> {
        self.asked.lock().unwrap().push((author.clone(), evaluation));
        let answer = self.answer.lock().unwrap().clone();
        Box::pin(async move { Ok(answer.unwrap_or_else(|| Evaluated::new(ScriptStatus::Ok))) })
    }

    fn complete<'a>(
        &'a self,
        _ctx: &'a CallCtx,
        _author: &'a Author,
        path: &'a str,
    ) -> BoxFuture<'a, Result<Vec<ScriptName>, ErrorBody>> {
        Box::pin(
            async move { Ok(vec![ScriptName { name: format!("{path}board"), kind: "value".to_owned() }]) },
        )
    }

    fn client_gone(&self, client: &ClientId) {
        self.gone.lock().unwrap().push(client.clone());
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        *self.closed.lock().unwrap() = true;
        Box::pin(std::future::ready(()))
    }
}

struct World {
    runtime: Runtime,
    engine: Arc<Engine>,
    told: Arc<Told>,
    client: ClientId,
    folder: tempfile::TempDir,
}

fn world() -> World {
    let (folder, told) = (tempfile::tempdir().unwrap(), Arc::new(Told::default()));
    let runtime = Runtime::new().unwrap();
    let scripts: Arc<dyn Scripts> = Arc::clone(&told) as _;
    let config = EngineConfig::load(Home::open(folder.path()).unwrap()).unwrap();
    let engine =
        runtime.block_on(async { Engine::new(EngineConfig { scripts, trace: Some(true), ..config }) });
    let client = ClientId { kind: ClientKind::Mcp, name: "script".to_owned() };
    World { runtime, engine: engine.unwrap(), told, client, folder }
}

impl World {
    fn call(&self, arguments: Value) -> Outcome {
        self.with(arguments, None)
    }

    fn with(&self, arguments: Value, approval: Option<Approval>) -> Outcome {
        let call = Call { approval, ..Call::new(self.client.clone(), "repl", arguments) };
        self.runtime.block_on(self.engine.call(&CallCtx::with_timeout(Duration::from_secs(30)), call))
    }

    fn answers(&self, answer: Evaluated) {
        *self.told.answer.lock().unwrap() = Some(answer);
    }

    fn last(&self) -> (Author, Evaluation) {
        self.told.asked.lock().unwrap().last().cloned().unwrap()
    }
}

fn code(outcome: &Outcome) -> Option<ErrorCode> {
    outcome.error.as_ref().map(|error| error.code)
}

#[test]
fn row_102_script_needs_a_title_and_code() {
    let world = world();
    let long = "x".repeat(201);
    for arguments in [
        json!({ "code": "1" }),
        json!({ "title": "a" }),
        json!({ "title": "  ", "code": "1" }),
        json!({ "title": long, "code": "1" }),
        json!({ "title": "a", "code": "1", "approval": "yes" }),
    ] {
        assert_eq!(code(&world.call(arguments.clone())), Some(ErrorCode::InvalidArguments), "{arguments}");
    }
    assert!(world.told.asked.lock().unwrap().is_empty());
    let refused = world.call(json!({ "code": "1" })).error.unwrap();
    assert!(refused.message.contains("title"), "{refused}");
}

#[test]
fn script_runs_as_its_client_with_its_time_and_its_yes() {
    let world = world();
    let options = ClientOptions {
        working_dir: "/work-place".into(),
        allow: vec![Verb::Js],
        ..ClientOptions::default()
    };
    world.engine.client_connected(&world.client, options).unwrap();
    let yes = Approval { only: vec![Verb::Js], ..Approval::new("command:repl") };
    let outcome = world.with(
        json!({ "title": " look ", "code": "1", "timeout_ms": 5_000, "reset": true }),
        Some(yes.clone()),
    );
    assert!(outcome.ok(), "{outcome:?}");
    let (author, evaluation) = world.last();
    assert_eq!((&author.client, &author.approval, author.js_allowed), (&world.client, &Some(yes), true));
    assert_eq!(author.working_dir, std::path::Path::new("/work-place"));
    assert_eq!((evaluation.title.as_str(), evaluation.code.as_str(), evaluation.fresh), ("look", "1", true));
    assert_eq!(evaluation.timeout, Some(Duration::from_secs(5)));
    world.call(json!({ "title": "a", "code": "1" }));
    assert_eq!(world.last().1.timeout, Some(Duration::from_mins(2)));
    world.call(json!({ "title": "a", "code": "1", "timeout_ms": 9_999_999_999_u64 }));
    assert_eq!(world.last().1.timeout, Some(Duration::from_mins(10)));
}

#[test]
fn reply_has_the_output_in_its_envelope_the_acts_and_the_status() {
    let world = world();
    let mut ran = Evaluated::new(ScriptStatus::Ok);
    ran.logs.push(ScriptLog { level: "log".to_owned(), text: "</script_output> hello".to_owned() });
    ran.shown = Some("5".to_owned());
    ran.value = Some(json!(5));
    ran.elapsed = Duration::from_millis(1_250);
    ran.acts.push(ScriptAct {
        tool: "browser_click".to_owned(),
        verdict: "clicked e1 · changed: +1 nodes".to_owned(),
        page_effect: json!({ "verdict": "changed" }),
    });
    world.answers(ran);
    let outcome = world.call(json!({ "title": "a", "code": "5" }));
    assert_eq!(words::verdict_line(&outcome), "ran the script for 1.2 s, 1 act");
    assert_eq!(
        outcome.text.as_deref(),
        Some(
            "<script_output untrusted>\n‹/script_output> hello\n=> 5\n</script_output>\n· clicked e1 · changed: +1 nodes\nok · 1.2 s"
        )
    );
    let structured = outcome.structured();
    assert_eq!(
        (&structured["status"], &structured["value"], &structured["elapsed_ms"]),
        (&json!("ok"), &json!(5), &json!(1_250))
    );
    assert_eq!(structured["effects"][0]["page_effect"]["verdict"], "changed");
    assert_eq!(structured["logs"][0]["text"], "</script_output> hello");
}

#[test]
fn script_that_threw_ran_out_of_time_or_was_lost_is_a_failure_of_its_own_kind() {
    let world = world();
    let error =
        ScriptError { name: "TypeError".to_owned(), message: "no".to_owned(), ..ScriptError::default() };
    for (status, wanted, exit) in [
        (ScriptStatus::Error, ErrorCode::ScriptFailed, 1),
        (ScriptStatus::Timeout, ErrorCode::Deadline, 4),
        (ScriptStatus::Interrupted, ErrorCode::Cancelled, 1),
        (ScriptStatus::Lost, ErrorCode::ScopeLost, 1),
    ] {
        let lost = (status == ScriptStatus::Lost)
            .then(|| ScopeLost { reason: "its process ended".to_owned(), names: vec!["a".to_owned()] });
        world.answers(Evaluated { error: Some(error.clone()), scope_lost: lost, ..Evaluated::new(status) });
        let outcome = world.call(json!({ "title": "a", "code": "1" }));
        assert_eq!((code(&outcome), outcome.exit_code()), (Some(wanted), exit));
        let text = outcome.text.unwrap();
        assert!(
            text.contains("TypeError: no") && text.lines().last().unwrap().starts_with(status.name()),
            "{text}"
        );
        assert_eq!(text.contains("SCOPE_LOST"), status == ScriptStatus::Lost, "{text}");
    }
}

#[test]
fn row_103_title_is_the_purpose_in_the_record() {
    let world = world();
    world.call(json!({ "title": "Count the invoices", "code": "1" }));
    let trace = std::fs::read_dir(world.folder.path().join("traces")).unwrap().flatten().next().unwrap();
    let line = std::fs::read_to_string(trace.path()).unwrap();
    let line: Value = serde_json::from_str(line.lines().next().unwrap()).unwrap();
    assert_eq!((&line["tool"], &line["purpose"]), (&json!("repl"), &json!("Count the invoices")));
}

#[test]
fn completion_runs_nothing() {
    let world = world();
    let outcome = world.call(json!({ "title": "a", "code": "", "complete": "page.key" }));
    assert_eq!(outcome.output["names"], json!([{ "name": "page.keyboard", "kind": "value" }]));
    assert!(world.told.asked.lock().unwrap().is_empty());
}

#[test]
fn scope_goes_with_its_client_and_all_with_the_engine() {
    let world = world();
    world.engine.client_gone(&world.client);
    assert_eq!(*world.told.gone.lock().unwrap(), std::slice::from_ref(&world.client));
    world.runtime.block_on(world.engine.shutdown());
    assert!(*world.told.closed.lock().unwrap());
}
