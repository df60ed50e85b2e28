//! The host with real worker processes and a caller that only says what it was asked.

#![expect(clippy::unwrap_used, reason = "a test ends at the first thing that goes wrong")]

use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};
use truehand_base::{
    Approval, Author, BoxFuture, Call, CallCtx, Caller, Catalog, ClientId, ClientKind, EffectClass,
    ErrorBody, ErrorCode, Evaluated, Evaluation, Outcome, PageEffect, ScriptStatus, Scripts, ToolInfo,
};
use truehand_script::host::{HostConfig, ScriptHost};

/// A caller that remembers its calls.
#[derive(Default)]
struct Hands {
    calls: Mutex<Vec<Call>>,
    limited: AtomicUsize,
    cancelled: AtomicUsize,
}

fn tool(name: &str, effect: EffectClass) -> ToolInfo {
    ToolInfo {
        name: name.to_owned(),
        title: name.to_owned(),
        description: String::new(),
        input_schema: Value::Null,
        output_schema: Value::Null,
        effect,
        positional: Vec::new(),
        aliases: Vec::new(),
        verbs: Vec::new(),
        listed: true,
        examples: Vec::new(),
    }
}

impl Caller for Hands {
    fn call<'a>(&'a self, ctx: &'a CallCtx, call: Call) -> BoxFuture<'a, Outcome> {
        if call.tool == "session_open" {
            let mut outcome = Outcome::new(call.tool);
            outcome.output.insert("folder".to_owned(), "/x/sessions/a".into());
            outcome.output.insert("id".to_owned(), "a".into());
            return Box::pin(async { outcome });
        }
        self.calls.lock().unwrap().push(call.clone());
        Box::pin(async move {
            let mut outcome = Outcome::new(call.tool.clone());
            match call.tool.as_str() {
                "browser_click" => {
                    outcome.done = format!("clicked {}", call.arguments["at"]);
                    outcome.page_effect = Some(PageEffect::default());
                }
                "browser_find" if self.limited.fetch_add(1, Ordering::SeqCst) < 2 => {
                    let mut error = ErrorBody::new(ErrorCode::RateLimited, "too many");
                    error.retry_after_ms = Some(30);
                    outcome.error = Some(error);
                }
                "browser_type" => {
                    let error = ErrorBody::new(ErrorCode::ApprovalRequired, "ask").with("rule", "mode");
                    outcome.error = Some(error);
                }
                "browser_hover" => {
                    let ended = ctx.wait("for ever", tokio::time::sleep(Duration::from_millis(400))).await;
                    if ended.is_err() {
                        self.cancelled.fetch_add(1, Ordering::SeqCst);
                    }
                    outcome.done = "slow".to_owned();
                    outcome.page_effect = Some(PageEffect::default());
                }
                _ => {}
            }
            outcome
        })
    }

    fn catalog(&self) -> Arc<Catalog> {
        let tools = vec![
            tool("browser_click", EffectClass::Input),
            tool("browser_hover", EffectClass::Input),
            tool("browser_read", EffectClass::Read),
            tool("browser_type", EffectClass::Input),
        ];
        Arc::new(Catalog { tools })
    }
}

struct World {
    host: Arc<ScriptHost>,
    hands: Arc<Hands>,
    folder: tempfile::TempDir,
}

fn config(folder: &tempfile::TempDir) -> HostConfig {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_truehand-script-worker"));
    HostConfig::new(folder.path().join("state"), program, Vec::new(), "1.2.3")
}

fn world_with(change: impl FnOnce(&mut HostConfig)) -> World {
    let folder = tempfile::tempdir().unwrap();
    let mut config = config(&folder);
    std::fs::create_dir_all(&config.home).unwrap();
    change(&mut config);
    let host = ScriptHost::new(config);
    let hands = Arc::new(Hands::default());
    let caller: Weak<Hands> = Arc::downgrade(&hands);
    host.serve(caller);
    World { host, hands, folder }
}

fn world() -> World {
    world_with(|_| {})
}

impl World {
    fn author(&self, name: &str) -> Author {
        Author {
            client: ClientId { kind: ClientKind::Mcp, name: name.to_owned() },
            approval: Some(Approval::new("test")),
            working_dir: self.folder.path().join("none"),
            js_allowed: false,
        }
    }

    async fn run_as(&self, name: &str, code: &str, limit: Duration) -> Result<Evaluated, ErrorBody> {
        let ctx = CallCtx::with_timeout(Duration::from_secs(60));
        let evaluation =
            Evaluation { title: "why".to_owned(), code: code.to_owned(), timeout: Some(limit), fresh: false };
        self.host.evaluate(&ctx, &self.author(name), evaluation).await
    }

    async fn run(&self, code: &str) -> Evaluated {
        self.run_as("a", code, Duration::from_secs(20)).await.unwrap()
    }

    /// Runs code in which a call of a tool is `call(name, arguments)`.
    async fn act(&self, code: &str) -> Evaluated {
        self.run(&format!("{CALL}\n{code}")).await
    }
}

/// Calls a tool.
const CALL: &str = "var call = (name, args) => tools[name](args);";

fn said(evaluated: &Evaluated) -> Vec<&str> {
    evaluated.logs.iter().map(|log| log.text.as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_script_runs_before_there_is_a_caller_since_its_session_can_t_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    let host = ScriptHost::new(config(&folder));
    let ctx = CallCtx::with_timeout(Duration::from_secs(30));
    let author = Author {
        client: ClientId { kind: ClientKind::Cli, name: "x".to_owned() },
        approval: None,
        working_dir: PathBuf::new(),
        js_allowed: false,
    };
    let evaluation =
        Evaluation { title: "x".to_owned(), code: "1 + 1".to_owned(), timeout: None, fresh: false };
    let refused = host.evaluate(&ctx, &author, evaluation).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::DaemonUnavailable, "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn call_carries_client_purpose_and_approval_and_its_act_is_remembered() {
    let world = world();
    let ran = world
        .act("const out = await call('browser_click', { at: 'e1' }); await call('browser_read', {}); 1")
        .await;
    assert_eq!(ran.status, ScriptStatus::Ok, "{ran:?}");
    let verdicts: Vec<&str> = ran.acts.iter().map(|act| act.verdict.as_str()).collect();
    assert_eq!(verdicts.len(), 1, "{ran:?}");
    assert!(verdicts[0].starts_with("clicked \"e1\""), "{verdicts:?}");
    let calls = world.hands.calls.lock().unwrap();
    let call = calls.iter().find(|call| call.tool == "browser_click").unwrap();
    assert_eq!(call.client, world.author("a").client);
    assert_eq!((call.purpose.as_deref(), &call.approval), (Some("why"), &Some(Approval::new("test"))));
    assert_eq!(call.arguments["at"], "e1");
}

#[tokio::test(flavor = "multi_thread")]
async fn call_that_is_limited_waits_and_is_made_again() {
    let world = world();
    let began = Instant::now();
    let ran = world.act("await call('browser_find', {}); console.log('through')").await;
    assert_eq!(said(&ran), ["through"], "{ran:?}");
    assert!(began.elapsed() >= Duration::from_millis(60), "{:?}", began.elapsed());
    assert_eq!(world.hands.limited.load(Ordering::SeqCst), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn refusal_is_thrown_with_code_advice_and_data_and_is_no_act() {
    let world = world();
    let ran = world.act("try { await call('browser_type', {}) } catch (e) { console.log(e.code, e.next_step.length > 0, e.data.rule) }").await;
    assert_eq!(said(&ran), ["APPROVAL_REQUIRED true mode"], "{ran:?}");
    assert!(ran.acts.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn call_that_nobody_waits_for_goes_on_and_is_told_of_by_the_next_script() {
    let world = world();
    let ran =
        world.act("globalThis.going = call('browser_hover', {}).then(() => 'done'); 'not waited for'").await;
    assert_eq!((ran.status, ran.acts.len()), (ScriptStatus::Ok, 0), "{ran:?}");
    tokio::time::sleep(Duration::from_millis(600)).await;
    let ran = world.run("await going").await;
    assert_eq!((ran.value, ran.acts.len()), (Some(json!("done")), 1));
    assert_eq!(world.hands.cancelled.load(Ordering::SeqCst), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn call_that_is_under_way_when_the_time_is_over_is_cancelled_and_what_it_did_is_told() {
    let world = world();
    let code =
        format!("{CALL} await Promise.all([call('browser_hover', {{}}), call('browser_hover', {{}})])");
    let ran = world.run_as("a", &code, Duration::from_millis(150)).await.unwrap();
    assert_eq!(ran.status, ScriptStatus::Timeout, "{ran:?}");
    assert_eq!(world.hands.cancelled.load(Ordering::SeqCst), 2);
    assert_eq!(ran.acts.len(), 2);
    assert_eq!(world.run("1").await.value, Some(json!(1)));
}

#[tokio::test(flavor = "multi_thread")]
async fn caller_that_goes_away_stops_its_script() {
    let world = world();
    world.run("let n = 0").await;
    let gone = world.run_as("a", "for (;;) { n++; await sleep(1) }", Duration::from_secs(30));
    assert!(tokio::time::timeout(Duration::from_millis(300), gone).await.is_err());
    let began = Instant::now();
    let first = world.run("await sleep(50); n").await.value;
    let second = world.run("await sleep(50); n").await.value;
    assert_eq!(first, second);
    assert!(began.elapsed() < Duration::from_secs(15), "it ran on for {:?}", began.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn scope_that_nobody_uses_ends() {
    let world = world_with(|config| config.idle = Duration::from_millis(300));
    world.run("const a = 1").await;
    assert_eq!(world.host.open_scopes(), 1);
    let end = Instant::now() + Duration::from_secs(20);
    while world.host.open_scopes() > 0 {
        assert!(Instant::now() < end, "it stays");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(world.run("typeof a").await.value, Some(json!("undefined")));
}

#[tokio::test(flavor = "multi_thread")]
async fn scopes_that_all_work_make_a_new_client_wait() {
    let world = world_with(|config| config.most = 2);
    let (a, b) = tokio::join!(world.run_as("a", "await sleep(1500)", Duration::from_secs(20)), async {
        let b = world.run_as("b", "await sleep(1500)", Duration::from_secs(20));
        let c = async {
            tokio::time::sleep(Duration::from_millis(700)).await;
            world.run_as("c", "1", Duration::from_secs(20)).await
        };
        tokio::join!(b, c)
    });
    assert!(a.is_ok() && b.0.is_ok());
    assert_eq!(b.1.unwrap_err().code, ErrorCode::RateLimited);
    assert!(world.run_as("c", "1", Duration::from_secs(20)).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn worker_that_holds_too_much_memory_is_ended() {
    let world = world_with(|config| config.resident = 60 * 1024 * 1024);
    world.run("const kept = 1").await;
    let ran = world.run("const all = []; for (let i = 0; i < 90; i++) { all.push(new Uint8Array(1e6).fill(1)); await sleep(5) } await sleep(3000)").await;
    assert_eq!(ran.status, ScriptStatus::Lost, "{ran:?}");
    let lost = ran.scope_lost.unwrap();
    assert!(lost.reason.contains("60 MiB") && lost.names.contains(&"kept".to_owned()), "{lost:?}");
    assert_eq!(world.run("1").await.value, Some(json!(1)));
}

#[tokio::test(flavor = "multi_thread")]
async fn program_that_is_no_worker_is_an_error_and_no_hang() {
    for (script, words) in [
        ("echo nonsense", "no line of ours"),
        ("exit 3", "ended as soon as it was started"),
        ("printf '{\"done\":{}}\\n'; sleep 5", "wrong line"),
    ] {
        let world = world_with(|config| {
            config.program = "/bin/sh".into();
            config.arguments = ["-c", script].map(OsString::from).into();
        });
        let error = world.run_as("a", "1", Duration::from_secs(20)).await.unwrap_err();
        assert_eq!(error.code, ErrorCode::ScopeLost);
        assert!(error.message.contains(words), "{script}: {error}");
    }
    let world = world_with(|config| config.program = "/nowhere/worker".into());
    let error = world.run_as("a", "1", Duration::from_secs(20)).await.unwrap_err();
    assert!(error.message.contains("can't be started"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn close_ends_all_and_nothing_begins_after_it() {
    let world = world();
    let (ran, ()) = tokio::join!(world.run_as("a", "await sleep(20000)", Duration::from_secs(30)), async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        world.host.close().await;
    });
    assert_eq!(ran.unwrap_err().code, ErrorCode::ScopeLost);
    assert_eq!(
        world.run_as("b", "1", Duration::from_secs(5)).await.unwrap_err().code,
        ErrorCode::DaemonUnavailable
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn completion_lists_names_and_calls_no_getter() {
    let world = world();
    world
        .run("const thing = { alpha: 1, get beta() { globalThis.sprung = true; return { x: 1 } }, go() {} }")
        .await;
    let ctx = CallCtx::with_timeout(Duration::from_secs(10));
    let author = world.author("a");
    let names = |path: &'static str| {
        let (host, ctx, author) = (Arc::clone(&world.host), ctx.clone(), author.clone());
        async move {
            let names = host.complete(&ctx, &author, path).await.unwrap();
            names.into_iter().map(|name| format!("{} {}", name.name, name.kind)).collect::<Vec<_>>()
        }
    };
    assert_eq!(names("thing.").await, ["alpha value", "beta value", "go function"]);
    assert_eq!(names("thing.beta.").await, Vec::<String>::new());
    assert!(names("thi").await.contains(&"thing value".to_owned()));
    assert!(names("console.lo").await.contains(&"log function".to_owned()));
    assert_eq!(world.run("typeof sprung").await.value, Some(json!("undefined")));
}
