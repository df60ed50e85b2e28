//! What every test here uses: a client of one shared engine with a real Chromium, and a fixture site of its own.

use serde_json::{Value, json};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use truehand_base::{Approval, Call, CallCtx, Caller, ClientId, ClientKind, ErrorCode, Outcome, PageEffect};
use truehand_engine::{Engine, EngineConfig};
use truehand_store::Home;
use truehand_testkit::Site;

/// How long a call may take; far more than any needs.
pub const CALL_LIMIT: Duration = Duration::from_secs(40);
/// How long a test waits for the page's own log.
const LOG_LIMIT: Duration = Duration::from_secs(15);

/// The runtime that the engine's tasks live on; a test's own would end with it.
pub static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
});
static CLIENTS: AtomicU32 = AtomicU32::new(1);
static ENGINE: LazyLock<Arc<Engine>> = LazyLock::new(start);

/// Starts the engine in a state folder of its own. Statics are never dropped, so each run removes the
/// folders of those that have ended.
fn start() -> Arc<Engine> {
    let all = Path::new(env!("CARGO_TARGET_TMPDIR")).join("engine-it");
    std::fs::create_dir_all(&all).unwrap();
    for old in std::fs::read_dir(&all).unwrap().flatten() {
        if !Path::new("/proc").join(old.file_name()).exists() {
            // Another run that has just started may be faster.
            drop(std::fs::remove_dir_all(old.path()));
        }
    }
    let home = Home::open(home()).unwrap();
    let mut config = EngineConfig::load(home).unwrap();
    config.browser.path = Some(truehand_testkit::chromium());
    let _inside = RUNTIME.enter();
    Engine::new(config).unwrap()
}

/// The state folder of that engine.
pub fn home() -> std::path::PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("engine-it").join(std::process::id().to_string())
}

/// The engine that all tests of this program share.
pub fn engine() -> &'static Engine {
    &ENGINE
}

/// One client and its site. Clients share the browser and nothing else.
pub struct Hands {
    pub site: Site,
    pub client: ClientId,
}

impl Hands {
    /// A client with no tab yet.
    pub fn new() -> Self {
        Hands::named("test")
    }

    /// The same with a name that starts so, for rules about it.
    pub fn named(prefix: &str) -> Self {
        let name = format!("{prefix}{}", CLIENTS.fetch_add(1, Ordering::Relaxed));
        Hands { site: Site::start_blocking(), client: ClientId { kind: ClientKind::Mcp, name } }
    }

    /// A client whose tab shows a fixture page.
    pub fn at(path: &str) -> Self {
        let hands = Hands::new();
        hands.open(path);
        hands
    }

    /// Opens a fixture page in the current tab.
    pub fn open(&self, path: &str) -> Outcome {
        self.ok("browser_navigate", json!({ "url": self.site.url(path) }))
    }

    /// Makes a call as it is.
    pub fn send(&self, call: Call) -> Outcome {
        self.send_within(CALL_LIMIT, call)
    }

    /// Makes a call that must end within a time of its own.
    pub fn send_within(&self, limit: Duration, call: Call) -> Outcome {
        RUNTIME.block_on(engine().call(&CallCtx::with_timeout(limit), call))
    }

    /// Calls a tool.
    pub fn call(&self, tool: &str, arguments: Value) -> Outcome {
        self.send(Call::new(self.client.clone(), tool, arguments))
    }

    /// Calls a tool that must succeed.
    #[track_caller]
    pub fn ok(&self, tool: &str, arguments: Value) -> Outcome {
        let outcome = self.call(tool, arguments.clone());
        assert!(outcome.ok(), "{tool} {arguments} failed: {:#?}", outcome.error);
        outcome
    }

    /// Calls a tool that must fail with this code.
    #[track_caller]
    pub fn fails(&self, tool: &str, arguments: Value, code: ErrorCode) -> Outcome {
        let outcome = self.call(tool, arguments.clone());
        let got = outcome.error.as_ref().map(|e| e.code);
        assert_eq!(got, Some(code), "{tool} {arguments}: {outcome:#?}");
        assert!(!outcome.error.as_ref().unwrap().next_step.is_empty(), "{code} needs a next step");
        outcome
    }

    /// Calls a tool with a person's yes.
    pub fn approved(&self, tool: &str, arguments: Value) -> Outcome {
        let approval = Some(Approval::new("test"));
        self.send(Call { approval, ..Call::new(self.client.clone(), tool, arguments) })
    }

    /// The value of an expression in the page: the truth that replies are compared with.
    #[track_caller]
    pub fn js(&self, expression: &str) -> Value {
        let outcome =
            self.approved("browser_execute_js", json!({ "script": expression, "observe_effects": false }));
        assert!(outcome.ok(), "{expression} failed: {:#?}", outcome.error);
        outcome.output["result"].clone()
    }

    /// What the page itself logged, in order.
    #[track_caller]
    pub fn log(&self) -> String {
        self.js("window.__log.join(' ')").as_str().unwrap().to_owned()
    }

    /// Waits until the page logged `word`; gives the whole log.
    #[track_caller]
    pub fn wait_log(&self, word: &str) -> String {
        let limit = LOG_LIMIT.as_millis();
        let script = format!(
            "new Promise((done) => {{ const end = Date.now() + {limit}; const look = () => \
             window.__log.join(' ').split(' ').includes('{word}') || Date.now() > end ? done() : setTimeout(look, 20); look(); }})"
        );
        self.js(&script);
        let log = self.log();
        assert!(
            log.split(' ').any(|w| w == word),
            "the page logged {log:?} and not {word:?} within {limit} ms"
        );
        log
    }

    /// The page as text.
    #[track_caller]
    pub fn read(&self) -> String {
        self.ok("browser_read", json!({})).text.unwrap_or_default()
    }

    /// The page as text, once `part` is in it `wanted` times: frames come when they like.
    #[track_caller]
    pub fn read_until(&self, part: &str, wanted: usize) -> String {
        let end = Instant::now() + LOG_LIMIT;
        loop {
            let text = self.read();
            if text.matches(part).count() == wanted {
                return text;
            }
            assert!(
                Instant::now() < end,
                "{part:?} is not {wanted} times in the page within {LOG_LIMIT:?}:\n{text}"
            );
        }
    }

    /// The reference in the first row of the reading that has `part`.
    #[track_caller]
    pub fn reference(&self, part: &str) -> String {
        let text = self.read();
        reference_in(&text, part)
            .unwrap_or_else(|| panic!("no row with {part:?} and a reference in:\n{text}"))
    }
}

/// The reference in the first row that has `part`.
pub fn reference_in(text: &str, part: &str) -> Option<String> {
    let row = text.lines().find(|line| line.contains(part) && line.contains("[ref="))?;
    Some(row.split_once("[ref=")?.1.split_once(']')?.0.to_owned())
}

/// What was measured.
#[track_caller]
pub fn effect(outcome: &Outcome) -> &PageEffect {
    outcome.page_effect.as_ref().unwrap_or_else(|| panic!("no page_effect in {outcome:#?}"))
}

/// The first line that people and models see.
pub fn verdict(outcome: &Outcome) -> String {
    truehand_base::words::verdict_line(outcome)
}

/// A field of the error's data.
#[track_caller]
pub fn data(outcome: &Outcome, name: &str) -> Value {
    let error = outcome.error.as_ref().unwrap_or_else(|| panic!("no error in {outcome:#?}"));
    serde_json::to_value(error).unwrap()["data"][name].clone()
}

impl Drop for Hands {
    fn drop(&mut self) {
        // As a connection that ends: the context and its tabs go, the browser stays for the others.
        engine().client_gone(&self.client);
    }
}
