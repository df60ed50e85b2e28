//! The pipeline up to the browser: what is refused before one is started, in which order, and what is
//! recorded. The browser that these engines are told to use does not exist, so whatever gets past the
//! gate ends with `BROWSER_NOT_FOUND`, and whatever is refused ends with something else.

#![expect(clippy::expect_used, reason = "a test's helper may fail the test")]

use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};
use tempfile::TempDir;
use truehand_base::{Approval, Call, CallCtx, Caller, ClientId, ClientKind, ErrorCode, Outcome, Verb};
use truehand_engine::{ClientOptions, Clock, Engine, EngineConfig};
use truehand_store::{Home, TraceRecord, read_trace};

/// A clock that stands until it is moved. The time of day can be set apart from it.
struct Standing(Mutex<Duration>, Instant, Mutex<SystemTime>);

impl Standing {
    fn forward(&self, by: Duration) {
        *self.0.lock().expect("not poisoned") += by;
    }

    fn set_day(&self, days: u64) {
        *self.2.lock().expect("not poisoned") = day(days);
    }
}

/// A time of some day; the clock stands at the second one.
fn day(count: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_796_072_709 - 86_400 + count * 86_400)
}

impl Clock for Standing {
    fn now(&self) -> Instant {
        self.1 + *self.0.lock().expect("not poisoned")
    }

    fn wall(&self) -> SystemTime {
        *self.2.lock().expect("not poisoned") + *self.0.lock().expect("not poisoned")
    }
}

struct Bench {
    dir: TempDir,
    engine: Arc<Engine>,
    clock: Arc<Standing>,
}

impl Bench {
    fn new(config: &str) -> Bench {
        Bench::with_policy(config, None)
    }

    fn with_policy(config: &str, policy: Option<&str>) -> Bench {
        let dir = tempfile::tempdir().expect("tempdir");
        let config = format!("{config}\n[browser]\npath = '/nowhere/chromium'\n");
        std::fs::write(dir.path().join("config.toml"), config).expect("writes");
        if let Some(policy) = policy {
            std::fs::write(dir.path().join("policy.yaml"), policy).expect("writes");
        }
        let clock = Arc::new(Standing(Mutex::default(), Instant::now(), Mutex::new(day(1))));
        let engine = start(dir.path(), &clock).expect("starts");
        Bench { dir, engine, clock }
    }

    async fn send(&self, call: Call) -> Outcome {
        self.engine.call(&CallCtx::with_timeout(Duration::from_secs(20)), call).await
    }

    async fn call(&self, tool: &str, arguments: Value) -> Outcome {
        self.send(Call::new(client(), tool, arguments)).await
    }

    async fn code(&self, tool: &str, arguments: Value) -> Option<ErrorCode> {
        self.call(tool, arguments).await.error.map(|error| error.code)
    }

    fn lines(&self) -> Vec<TraceRecord> {
        let entries = std::fs::read_dir(self.dir.path().join("traces")).expect("lists");
        entries.flat_map(|entry| read_trace(&entry.expect("entry").path()).expect("reads")).collect()
    }
}

fn start(home: &Path, clock: &Arc<Standing>) -> Result<Arc<Engine>, truehand_base::ErrorBody> {
    let clock: Arc<dyn Clock> = Arc::<Standing>::clone(clock);
    Engine::new(EngineConfig { clock, ..EngineConfig::load(Home::open(home)?)? })
}

fn client() -> ClientId {
    ClientId { kind: ClientKind::Mcp, name: "tests".to_owned() }
}

#[tokio::test]
async fn unknown_tool_names_the_nearest_and_an_alias_is_as_good_as_a_name() {
    let bench = Bench::new("");
    let error = bench.call("browser_clik", json!({})).await.error.expect("unknown");
    assert_eq!((error.code, &error.data["nearest"][0]), (ErrorCode::UnknownTool, &json!("browser_click")));
    assert!(error.next_step.contains("browser_click"), "{}", error.next_step);
    let found = bench.call("browser_snapshot", json!({})).await;
    assert_eq!(found.tool, "browser_read");
    assert_eq!(found.error.map(|e| e.code), Some(ErrorCode::BrowserNotFound));
}

#[tokio::test]
async fn row_183_navigation_to_a_blocked_scheme_starts_no_browser() {
    let bench = Bench::new("");
    for url in [
        "file:///etc/passwd",
        "JaVaScRiPt:alert(1)",
        " chrome://settings",
        "view-source:http://h/",
        "data:,x",
    ] {
        for tool in ["browser_navigate", "browser_new_tab"] {
            assert_eq!(
                bench.code(tool, json!({ "url": url })).await,
                Some(ErrorCode::SchemeBlocked),
                "{tool} {url}"
            );
        }
    }
    assert!(bench.engine.idle());
    assert_eq!(
        bench.code("browser_navigate", json!({ "url": "example.com" })).await,
        Some(ErrorCode::BrowserNotFound)
    );
}

#[tokio::test]
async fn row_201_destructive_chords_are_refused_before_the_page() {
    let bench = Bench::new("");
    let seven =
        ["Primary+W", "Primary+Q", "Primary+Shift+W", "Alt+F4", "Primary+T", "Primary+N", "Primary+Shift+N"];
    for chord in seven {
        let keys: Vec<&str> = chord.split('+').collect();
        let yes = Some(Approval::new("flag:--yes"));
        for arguments in [json!({ "key": chord }), json!({ "keys": keys })] {
            let call =
                Call { approval: yes.clone(), ..Call::new(client(), "browser_press", arguments.clone()) };
            let code = bench.send(call).await.error.map(|e| e.code);
            assert_eq!(code, Some(ErrorCode::ChordRefused), "{arguments}");
        }
    }
}

#[tokio::test]
async fn row_211_javascript_needs_a_persons_yes() {
    let bench = Bench::new("");
    let arguments = json!({ "script": "1" });
    let refused = bench.call("browser_execute_js", arguments.clone()).await.error.expect("refused");
    assert_eq!(refused.code, ErrorCode::ApprovalRequired);
    assert!(refused.next_step.contains("policy.yaml"), "{}", refused.next_step);
    let yes = Approval::new("elicitation");
    let call = Call { approval: Some(yes), ..Call::new(client(), "browser_execute_js", arguments.clone()) };
    assert_eq!(bench.send(call).await.error.map(|e| e.code), Some(ErrorCode::BrowserNotFound));
    let options = ClientOptions { allow: vec![Verb::Js], ..ClientOptions::default() };
    bench.engine.client_connected(&client(), options).expect("connects");
    assert_eq!(bench.code("browser_execute_js", arguments.clone()).await, Some(ErrorCode::BrowserNotFound));
    bench.engine.client_gone(&client());
    assert_eq!(bench.code("browser_execute_js", arguments).await, Some(ErrorCode::ApprovalRequired));
}

#[tokio::test]
async fn row_117_disabled_tool_is_refused_with_how_to_enable_it() {
    let bench = Bench::new("[tools]\ndisabled = ['browser_drag']");
    let arguments = json!({ "from": "#a", "to": "#b" });
    let error = bench.call("browser_drag", arguments.clone()).await.error.expect("refused");
    assert_eq!(error.code, ErrorCode::ToolDisabled);
    assert!(
        error.next_step.contains("browser_drag") && error.next_step.contains("config.toml"),
        "{}",
        error.next_step
    );
    assert!(bench.engine.catalog().find("browser_drag").is_none());
}

#[tokio::test]
async fn row_101_enabling_a_tool_changes_the_catalog_tells_and_persists() {
    let bench = Bench::new("# mine\n[tools]\ndisabled = ['browser_drag']");
    let mut changes = bench.engine.catalog_changed();
    let before = bench.engine.catalog().tools.len();
    bench.engine.set_tool_enabled("browser_drag", true).await.expect("enables");
    assert!(changes.has_changed().expect("the engine lives"));
    changes.mark_unchanged();
    assert_eq!(bench.engine.catalog().tools.len(), before + 1);
    assert!(!changes.has_changed().expect("the engine lives"));
    bench.engine.set_tool_enabled("browser_type", false).await.expect("disables");
    assert_eq!(
        bench.code("browser_type", json!({ "ref": "#a", "text": "x" })).await,
        Some(ErrorCode::ToolDisabled)
    );
    let text = std::fs::read_to_string(bench.dir.path().join("config.toml")).expect("reads");
    assert!(
        text.contains("# mine") && text.contains("browser_type") && !text.contains("browser_drag"),
        "{text}"
    );
    let again = start(bench.dir.path(), &bench.clock).expect("starts again");
    assert!(again.catalog().find("browser_type").is_none());
    let error = bench.engine.set_tool_enabled("browser_fly", true).await.expect_err("no such tool");
    assert_eq!(error.code, ErrorCode::UnknownTool);
}

const TWO_CALLS: &str =
    "[limits]\nclient = { burst = 2, per_second = 0.5 }\nreads = { burst = 3, per_second = 1 }";

#[tokio::test]
async fn row_246_invalid_and_disabled_calls_cost_nothing_and_refused_ones_do_not_run() {
    let bench = Bench::new(&format!("[tools]\ndisabled = ['browser_drag']\n{TWO_CALLS}"));
    for _ in 0..5 {
        assert_eq!(bench.code("browser_click", json!({})).await, Some(ErrorCode::InvalidArguments));
        assert_eq!(bench.code("browser_fly", json!({})).await, Some(ErrorCode::UnknownTool));
        assert_eq!(
            bench.code("browser_drag", json!({ "from": "a", "to": "b" })).await,
            Some(ErrorCode::ToolDisabled)
        );
    }
    let blocked = || bench.code("browser_navigate", json!({ "url": "file:///x" }));
    assert_eq!(blocked().await, Some(ErrorCode::SchemeBlocked));
    assert_eq!(blocked().await, Some(ErrorCode::SchemeBlocked));
    assert_eq!(blocked().await, Some(ErrorCode::RateLimited));
    assert_eq!(bench.code("browser_list_tabs", json!({})).await, None);
    assert!(bench.engine.idle());
}

#[tokio::test]
async fn row_247_burst_over_the_limit_says_when_to_retry_and_time_helps() {
    let bench = Bench::new(TWO_CALLS);
    let blocked = || bench.call("browser_navigate", json!({ "url": "file:///x" }));
    assert_eq!(blocked().await.error.map(|e| e.code), Some(ErrorCode::SchemeBlocked));
    assert_eq!(blocked().await.error.map(|e| e.code), Some(ErrorCode::SchemeBlocked));
    let limited = blocked().await.error.expect("limited");
    assert_eq!(
        (limited.code, limited.retriable, limited.retry_after_ms),
        (ErrorCode::RateLimited, true, Some(2_000))
    );
    bench.clock.forward(Duration::from_millis(2_000));
    assert_eq!(blocked().await.error.map(|e| e.code), Some(ErrorCode::SchemeBlocked));
    for _ in 0..3 {
        assert_eq!(bench.code("browser_list_tabs", json!({})).await, None);
    }
    assert_eq!(bench.code("browser_list_tabs", json!({})).await, Some(ErrorCode::RateLimited));
}

#[tokio::test]
async fn clock_that_is_set_by_a_day_moves_no_limit_and_only_dates_the_records() {
    let bench = Bench::new(&format!("[trace]\nenabled = true\n{TWO_CALLS}"));
    let blocked = || bench.code("browser_navigate", json!({ "url": "file:///x" }));
    blocked().await;
    blocked().await;
    for days in [2, 0] {
        bench.clock.set_day(days);
        assert_eq!(blocked().await, Some(ErrorCode::RateLimited), "a day on the wall is no time");
        bench.clock.forward(Duration::from_secs(2));
        assert_eq!(blocked().await, Some(ErrorCode::SchemeBlocked), "and time is not held up by it");
    }
    let times: Vec<String> = bench.lines().iter().map(|line| line.time[..10].to_owned()).collect();
    assert_eq!(times, ["2026-11-30", "2026-11-30", "2026-12-01", "2026-12-01", "2026-11-29", "2026-11-29"]);
    assert!(bench.lines().iter().all(|line| line.duration_ms == 0), "durations are not of the wall");
}

#[tokio::test]
async fn row_120_every_refusal_has_code_message_retry_mark_and_next_step() {
    let bench = Bench::new(TWO_CALLS);
    let huge = "x".repeat(9 << 20);
    let calls = [
        ("browser_fly", json!({})),
        ("browser_click", json!({ "colour": 1 })),
        ("browser_click", json!({ "ref": "e1", "tab_id": "left" })),
        ("browser_click", json!([1, 2])),
        ("browser_type", json!({ "ref": "e1", "text": huge })),
        ("browser_navigate", json!({ "url": "file:///x" })),
        ("browser_press", json!({ "key": "Control+w" })),
        ("browser_navigate", json!({ "url": "https://example.com" })),
    ];
    let expected = [
        "UNKNOWN_TOOL",
        "INVALID_ARGUMENTS",
        "UNKNOWN_TAB",
        "INVALID_ARGUMENTS",
        "ARGUMENT_TOO_LARGE",
        "SCHEME_BLOCKED",
        "CHORD_REFUSED",
        "RATE_LIMITED",
    ];
    for ((tool, arguments), expected) in calls.into_iter().zip(expected) {
        let outcome = bench.call(tool, arguments).await.structured();
        let error = &outcome["error"];
        assert_eq!(
            (outcome["ok"].as_bool(), error["code"].as_str()),
            (Some(false), Some(expected)),
            "{error}"
        );
        assert!(error["message"].as_str().is_some_and(|m| m.len() > 5), "{error}");
        assert!(error["next_step"].as_str().is_some_and(|n| n.len() > 10), "{error}");
        assert!(error["retriable"].is_boolean(), "{error}");
    }
}

#[tokio::test]
async fn argument_that_does_not_exist_names_the_one_that_was_meant() {
    let bench = Bench::new("");
    let error =
        bench.call("browser_click", json!({ "ref": "e1", "buton": "left" })).await.error.expect("refused");
    assert_eq!((error.code, &error.data["did_you_mean"]), (ErrorCode::InvalidArguments, &json!("button")));
    let spelled = json!({ "element": "Save", "target": "e1", "tabId": null, "doubleClick": "true" });
    assert_eq!(bench.code("browser_click", spelled).await, Some(ErrorCode::BrowserNotFound));
}

#[tokio::test]
async fn broken_rules_stop_the_start_and_later_keep_the_last_good_ones() {
    let deny = "version: 1\nrules: [{id: stay, effect: deny, verb: navigate, host: example.com}]";
    let bench = Bench::with_policy("", Some(deny));
    let go = || bench.call("browser_navigate", json!({ "url": "https://example.com" }));
    let refused = go().await;
    assert!(refused.warnings.is_empty());
    let error = refused.error.expect("denied");
    assert_eq!((error.code, &error.data["rule"]), (ErrorCode::PolicyDenied, &json!("stay")));
    assert!(error.next_step.contains("policy.yaml"), "{}", error.next_step);
    let policy = bench.dir.path().join("policy.yaml");
    std::fs::write(&policy, "version: 1\nrulez: []").expect("writes");
    let refused = go().await;
    assert_eq!(refused.error.map(|e| e.code), Some(ErrorCode::PolicyDenied));
    assert_eq!(refused.warnings[0].code, "POLICY_BROKEN");
    assert!(refused.warnings[0].message.contains("line 2"), "{:?}", refused.warnings);
    let error = start(bench.dir.path(), &bench.clock).err().expect("does not start");
    assert_eq!((error.code, &error.data["line"]), (ErrorCode::PolicyBroken, &json!(2)));
    std::fs::write(&policy, "version: 1\n").expect("writes");
    let free = go().await;
    assert_eq!(free.error.map(|e| e.code), Some(ErrorCode::BrowserNotFound));
    assert!(free.warnings.is_empty());
}

#[tokio::test]
async fn broken_configuration_stops_the_start_with_its_line() {
    let bench = Bench::new("");
    for (text, words) in
        [("[brouser]\n", "line 1"), ("[tools]\ndisabled = ['browser_clik']\n", "browser_clik")]
    {
        std::fs::write(bench.dir.path().join("config.toml"), text).expect("writes");
        let error = start(bench.dir.path(), &bench.clock).err().expect("does not start");
        assert_eq!(error.code, ErrorCode::ConfigBroken);
        assert!(error.message.contains(words), "{error}");
    }
    let listed = bench.call("browser_list_tabs", json!({})).await;
    assert!(listed.ok());
    assert_eq!(listed.warnings[0].code, "CONFIG_BROKEN");
}

#[tokio::test]
async fn row_250_trace_has_one_line_a_call_when_it_is_switched_on() {
    let silent = Bench::new("");
    silent.call("browser_list_tabs", json!({})).await;
    assert!(silent.lines().is_empty());
    let bench = Bench::new("[trace]\nenabled = true");
    bench.call("browser_list_tabs", json!({})).await;
    let call = Call {
        purpose: Some("see the tabs".to_owned()),
        ..Call::new(client(), "browser_list_tabs", json!({}))
    };
    bench.send(call).await;
    bench.call("browser_fly", json!({ "a": 1 })).await;
    bench.call("browser_navigate", json!({ "url": "file:///x" })).await;
    let lines = bench.lines();
    assert_eq!(lines.iter().map(|line| line.seq).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert_eq!((lines[1].tool.as_str(), lines[1].client.as_str()), ("browser_list_tabs", "mcp:tests"));
    assert_eq!(lines[1].purpose.as_deref(), Some("see the tabs"));
    assert_eq!(lines[1].time, "2026-11-30T21:05:09.000Z");
    assert_eq!(lines[1].decision, json!({ "answer": "allow", "rule": "mode" }));
    assert_eq!(lines[3].decision, json!({ "answer": "deny", "rule": "floor" }));
    assert_eq!(lines[3].outcome["error"]["code"], "SCHEME_BLOCKED");
    assert!(lines[3].verdict.starts_with("SCHEME_BLOCKED: "), "{}", lines[3].verdict);
}

#[tokio::test]
async fn row_251_trace_has_no_typed_text_whose_field_nobody_saw() {
    let bench = Bench::new("[trace]\nenabled = true");
    bench.call("browser_type", json!({ "ref": "#pw", "text": "correct horse" })).await;
    let login = json!({ "url": "https://u:s3cr3t@h.example/?token=abc123" });
    bench.call("browser_navigate", login).await;
    let text = serde_json::to_string(&bench.lines()).expect("serializes");
    for secret in ["correct horse", "s3cr3t", "abc123"] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
    assert!(text.contains("#pw"), "{text}");
}

#[tokio::test]
async fn request_key_of_a_refused_call_can_be_used_again() {
    let bench = Bench::new("");
    let call = |url: &str, yes: bool| Call {
        request_key: Some("k".to_owned()),
        approval: yes.then(|| Approval::new("flag:--yes")),
        ..Call::new(client(), "browser_execute_js", json!({ "script": url }))
    };
    assert_eq!(bench.send(call("1", false)).await.error.map(|e| e.code), Some(ErrorCode::ApprovalRequired));
    assert_eq!(bench.send(call("1", true)).await.error.map(|e| e.code), Some(ErrorCode::BrowserNotFound));
    assert_eq!(bench.send(call("2", true)).await.error.map(|e| e.code), Some(ErrorCode::BrowserNotFound));
}

#[tokio::test]
async fn row_073_fetch_across_origins_is_refused_unless_a_rule_names_verb_and_host() {
    let site = truehand_testkit::Site::start().await;
    let post = |url: String| json!({ "url": url, "method": "POST", "body_base64": "eA==" });
    let bench = Bench::new("");
    assert_eq!(bench.code("page_fetch", post(site.url("/api/ping"))).await, Some(ErrorCode::PrivateAddress));
    assert_eq!(
        bench.code("page_fetch", post("https://shop.example/".to_owned())).await,
        Some(ErrorCode::ApprovalRequired)
    );
    let all = "version: 1\nmode: full\nrules: [{effect: allow, verb: '*', host: '*'}]";
    let full = Bench::with_policy("", Some(all));
    assert_eq!(full.code("page_fetch", post(site.url("/api/ping"))).await, Some(ErrorCode::PrivateAddress));
    assert_eq!(site.requests().len(), 0);
    let rule = format!(
        "version: 1\nrules: [{{effect: allow, verb: fetch, host: 127.0.0.1, port: {}}}]",
        site.port()
    );
    let ruled = Bench::with_policy("", Some(&rule));
    let allowed = ruled.call("page_fetch", post(site.url("/api/ping"))).await;
    assert_eq!((allowed.error, allowed.output["body_base64"].as_str()), (None, Some("b2s=")));
    assert_eq!(site.requests().pop().map(|seen| seen.body), Some("x".to_owned()));
    let around = site.url(&format!("/redirect?to={}", site.other_host_url("/api/ping")));
    let refused = ruled.call("page_fetch", json!({ "url": around })).await.error.expect("another host");
    assert_eq!(refused.code, ErrorCode::PrivateAddress);
    assert!(refused.next_step.contains("policy.yaml"), "{}", refused.next_step);
    assert_eq!(site.count("POST", "/api/ping") + site.count("GET", "/api/ping"), 1);
}

#[tokio::test]
async fn waiting_for_events_takes_from_no_limit_and_is_traced_only_when_it_fails() {
    let limits = "[limits]\nreads = { burst = 1, per_second = 0.001 }\n[trace]\nenabled = true";
    let bench = Bench::new(limits);
    for _ in 0..5 {
        assert_eq!(bench.code("page_events", json!({ "after": 0 })).await, None);
    }
    assert_eq!(bench.code("page_subscribe", json!({ "kinds": ["console"] })).await, None);
    assert_eq!(bench.code("page_events", json!({ "after": "x" })).await, Some(ErrorCode::InvalidArguments));
    let tools: Vec<String> = bench.lines().into_iter().map(|line| line.tool).collect();
    assert_eq!(tools, ["page_subscribe", "page_events"]);
    assert_eq!(bench.code("browser_list_tabs", json!({})).await, None);
    assert_eq!(bench.code("browser_list_tabs", json!({})).await, Some(ErrorCode::RateLimited));
}

#[tokio::test]
async fn script_begins_in_mode_read_only_and_what_it_does_is_judged_call_by_call() {
    let bench = Bench::with_policy("", Some("version: 1\nmode: read_only"));
    assert_eq!(bench.code("page_events", json!({})).await, None);
    for (tool, arguments) in [
        ("page_route", json!({ "patterns": [{}] })),
        ("page_binding", json!({ "name": "f" })),
        ("page_init_script", json!({ "source": "1" })),
        ("page_fetch", json!({ "url": "https://h.example/" })),
    ] {
        assert_eq!(bench.code(tool, arguments).await, Some(ErrorCode::PolicyDenied), "{tool}");
    }
    let begun = bench.code("repl", json!({ "title": "x", "code": "1" })).await;
    assert_ne!(begun, Some(ErrorCode::PolicyDenied));
}

#[tokio::test]
async fn call_after_the_shutdown_is_refused() {
    let bench = Bench::new("");
    bench.engine.shutdown().await;
    assert_eq!(bench.code("browser_list_tabs", json!({})).await, Some(ErrorCode::DaemonUnavailable));
}
