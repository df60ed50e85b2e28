//! The tools on a real Chromium, without engine and gate: every documented example works on the page
//! that it is written for, and the tools that do several things in one call say what they did.

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use truehand_base::{
    Author, BoxFuture, CallCtx, ClientId, ClientKind, ErrorBody, ErrorCode, NoScripts, Outcome,
};
use truehand_browser::{BrowserPool, FindOptions, Observe, PoolConfig, Scope, ScopeOptions};
use truehand_testkit::Site;
use truehand_tools::{Reply, TABLE, Tasks, ToolCtx, args, find};

struct World {
    pool: Arc<BrowserPool>,
    site: Site,
    folder: tempfile::TempDir,
}

impl World {
    async fn new() -> World {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let mut config = PoolConfig::under(folder.path());
        config.find = FindOptions { named: Some(truehand_testkit::chromium()), path: None };
        World { pool: BrowserPool::new(config), site: Site::start().await, folder }
    }

    /// A client of its own.
    fn client(&self, name: &str) -> Client<'_> {
        let id = ClientId { kind: ClientKind::Mcp, name: name.to_owned() };
        Client { scope: self.pool.scope(&id, ScopeOptions::default()), world: self }
    }

    /// A client whose tab is on a page of the site.
    async fn on(&self, name: &str, path: &str) -> Client<'_> {
        let client = self.client(name);
        client.ok("browser_navigate", json!({ "url": self.site.url(path) })).await;
        client
    }
}

/// Without an engine no call goes on as a task; this stands for one that has ended.
struct EndedTask;

impl truehand_tools::Gate for EndedTask {
    fn judge(&self, _facts: truehand_base::Facts) -> Result<(), ErrorBody> {
        Ok(())
    }
}

impl Tasks for EndedTask {
    fn wait<'a>(
        &'a self,
        _ctx: &'a CallCtx,
        _task_id: &'a str,
        _limit: Option<Duration>,
        _cancel: bool,
    ) -> BoxFuture<'a, Result<Outcome, ErrorBody>> {
        Box::pin(async {
            Ok(Outcome { done: "waited 50,000 ms".to_owned(), ..Outcome::new("browser_wait_for") })
        })
    }
}

struct Client<'a> {
    scope: Scope,
    world: &'a World,
}

impl Client<'_> {
    async fn call(&self, tool: &str, arguments: Value) -> Result<Reply, ErrorBody> {
        let row = find(tool).unwrap_or_else(|| panic!("no tool {tool}"));
        let arguments = args::normalise(&row.info, &row.tool_info().input_schema, arguments)?;
        let call = CallCtx::with_timeout(Duration::from_secs(40));
        let author = Author {
            client: ClientId { kind: ClientKind::Mcp, name: "live".to_owned() },
            approval: None,
            working_dir: PathBuf::new(),
            js_allowed: false,
        };
        let home = truehand_store::Home::open(self.world.folder.path().join("state"))?;
        let own = truehand_tools::Own {
            client: author.client.clone(),
            records: std::sync::Arc::new(truehand_store::Records::new(home, "live")),
            files: truehand_store::FilesConfig::default(),
            working_dir: None,
            pdf_worker: None,
            within: None,
            now: truehand_store::Timestamp(0),
        };
        let cx = ToolCtx {
            call: &call,
            scope: &self.scope,
            observe: Observe::default(),
            working_dir: Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")),
            artifacts: self.world.folder.path(),
            tasks: &EndedTask,
            gate: &EndedTask,
            author: &author,
            scripts: &NoScripts,
            own: &own,
        };
        row.prepare(arguments)?.run(cx).await
    }

    /// A call that must succeed.
    async fn ok(&self, tool: &str, arguments: Value) -> Reply {
        let shown = arguments.to_string();
        let reply =
            self.call(tool, arguments).await.unwrap_or_else(|e| panic!("{tool} {shown}: {e} {}", e.data));
        assert!(reply.error.is_none(), "{tool} {shown}: {:?}", reply.error);
        reply
    }
}

/// What the page holds, as its own script sees it.
async fn page_value(client: &Client<'_>, script: &str) -> Value {
    client.ok("browser_execute_js", json!({ "script": script, "observe_effects": false })).await.output["result"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_example_works_on_the_page_of_examples() {
    let world = World::new().await;
    let client = world.client("examples");
    // A script needs a worker; what runs one has tests of its own.
    for row in TABLE.iter().filter(|row| row.info.name != "repl") {
        for (what, arguments) in row.info.examples {
            client.ok("browser_navigate", json!({ "url": world.site.url("/examples.html") })).await;
            // There must be somewhere to go.
            if matches!(row.info.name, "browser_back" | "browser_forward") {
                client.ok("browser_navigate", json!({ "url": world.site.url("/quiet.html") })).await;
            }
            if row.info.name == "browser_forward" {
                client.ok("browser_back", json!({})).await;
            }
            let arguments: Value = serde_json::from_str(arguments).expect("an example is JSON");
            let reply = client.ok(row.info.name, arguments).await;
            // The result of a task speaks for itself.
            let done = reply.whole.as_ref().map_or(&reply.done, |outcome| &outcome.done);
            assert!(!done.is_empty(), "{}: '{what}' says nothing", row.info.name);
            println!("{:<22} {:<36} {done}", row.info.name, what);
        }
    }
    world.pool.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn row_214_fill_takes_fields_of_every_kind_and_stops_at_the_first_failure() {
    let world = World::new().await;
    let client = world.on("fill", "/examples.html").await;
    let fields = json!([
        { "ref": "label=Name", "value": "Ada" },
        "#delivery=Express",
        { "ref": "label=I agree", "value": true },
    ]);
    let reply = client.ok("browser_fill_form", json!({ "fields": fields })).await;
    assert_eq!(reply.output["filled"].as_array().map(Vec::len), Some(3), "{:?}", reply.output);
    assert!(reply.done.starts_with("filled e"), "{}", reply.done);
    let held = "[document.getElementById('name').value, document.getElementById('delivery').value, \
                document.getElementById('agree').checked]";
    assert_eq!(page_value(&client, held).await, json!(["Ada", "Express", true]));
    assert_eq!(reply.effect.expect("measured").values.len(), 3);

    let fields = json!({ "fields": ["#name=Bob", "#delivery=Pigeon", "#name=Eve"] });
    let reply = client.call("browser_fill", fields).await.expect("carried out in part");
    let error = reply.error.expect("there is no such option");
    assert_eq!(error.code, ErrorCode::NoOption);
    assert_eq!(error.data["not_tried"], json!(["#name"]));
    assert_eq!(error.data["filled"].as_array().map(Vec::len), Some(1));
    assert_eq!(page_value(&client, held).await, json!(["Bob", "Express", true]));
    world.pool.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn row_208_wait_for_clicks_and_types_in_one_call() {
    let world = World::new().await;
    let client = world.on("wait", "/examples.html").await;
    let reply = client
        .ok(
            "browser_wait_for",
            json!({ "text": "Delivery", "timeout_ms": 5000, "then_click": "#save",
                    "then_type": { "ref": "#name", "text": "Ada" } }),
        )
        .await;
    assert_eq!((&reply.output["clicked"], &reply.output["typed"]), (&json!(true), &json!(3)));
    let held = "[document.getElementById('saved').textContent, document.getElementById('name').value]";
    assert_eq!(page_value(&client, held).await, json!(["saved", "Ada"]));

    let missing = json!({ "text": "never there", "timeout_ms": 300 });
    let reply = client.call("browser_wait_for", missing).await.expect("a reply");
    assert_eq!((reply.error.expect("late").code, &reply.output["met"]), (ErrorCode::Timeout, &json!(false)));
    world.pool.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dialog_tool_answers_the_open_dialog_and_the_next_one() {
    let world = World::new().await;
    let client = world.on("dialog", "/examples.html").await;
    let ask = json!({ "script": "document.title = String(confirm('Really?'))" });
    let reply = client.ok("browser_dialog", json!({ "action": "dismiss" })).await;
    assert_eq!(
        (reply.done.as_str(), &reply.output["answered"]),
        ("will dismiss the next dialog", &json!(false))
    );
    client.ok("browser_execute_js", ask.clone()).await;
    assert_eq!(page_value(&client, "document.title").await, json!("false"));
    client.ok("browser_execute_js", ask).await;
    let reply = client.ok("browser_dialog", json!({ "accept": true })).await;
    assert!(reply.done.starts_with("accepted the "), "{}", reply.done);
    assert_eq!(reply.output["answered"], true);
    assert_eq!(page_value(&client, "document.title").await, json!("true"));
    world.pool.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn click_by_text_falls_back_to_a_label_and_lists_candidates() {
    let world = World::new().await;
    let client = world.on("text", "/examples.html").await;
    let reply =
        client.call("browser_click_by_text", json!({ "text": "no such thing" })).await.expect("a reply");
    assert_eq!(reply.error.expect("nothing shows it").code, ErrorCode::NoMatch);
    assert_eq!(reply.output["clicked"], false);
    let reply =
        client.call("browser_click", json!({ "ref": "label", "mode": "trusted" })).await.expect("a reply");
    let error = reply.error.expect("there are four labels");
    assert_eq!(error.code, ErrorCode::Ambiguous);
    assert!(error.data["candidates"].as_array().is_some_and(|c| c.len() > 1), "{}", error.data);
    world.pool.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn execute_js_takes_expressions_and_functions() {
    let world = World::new().await;
    let client = world.on("js", "/examples.html").await;
    for script in [
        "document.title",
        "() => document.title",
        "async () => document.title",
        "function () { return document.title }",
    ] {
        let reply = client.ok("browser_evaluate", json!({ "function": script })).await;
        assert_eq!(reply.output["result"], "Examples", "{script}");
        assert_eq!(reply.output["observed"], true, "{script}");
    }
    assert_eq!(page_value(&client, "({ a: [1, { b: null }] })").await, json!({ "a": [1, { "b": null }] }));
    let thrown =
        client.call("browser_execute_js", json!({ "script": "() => { throw new Error('no luck') }" })).await;
    let error = thrown.expect("a reply").error.expect("it threw");
    assert_eq!(error.code, ErrorCode::ScriptFailed);
    assert!(error.message.contains("no luck"), "{error}");
    world.pool.shutdown().await;
}
