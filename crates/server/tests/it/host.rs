//! A caller with a few tools whose behaviour a test can steer.

use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::watch;
use truehand_base::{
    BoxFuture, Call, CallCtx, Caller, Catalog, ClientId, EffectClass, ErrorBody, ErrorCode, Outcome, ToolInfo,
};
use truehand_server::daemon::{ClientOptions, Host};

/// What a test sees of it.
pub struct SmallHost {
    pub calls: Mutex<Vec<Call>>,
    pub gone: Mutex<Vec<String>>,
    pub came: Mutex<Vec<(ClientId, ClientOptions)>>,
    pub browsers: AtomicUsize,
    pub cancelled: AtomicUsize,
    /// Lets a call of `hold` go on.
    pub release: tokio::sync::Notify,
    listed: Mutex<Vec<&'static str>>,
    changes: watch::Sender<u64>,
}

/// All tools that there are.
pub fn table() -> Arc<Catalog> {
    let tool = |name: &str, effect| ToolInfo {
        name: name.to_owned(),
        title: name.to_owned(),
        description: format!("The tool {name}."),
        input_schema: json!({ "type": "object", "properties": { "text": { "type": "string" } } }),
        output_schema: json!({ "type": "object" }),
        effect,
        positional: Vec::new(),
        aliases: vec![format!("{name}_alias")],
        verbs: vec![name.to_owned()],
        listed: true,
        examples: Vec::new(),
    };
    let tools = vec![
        tool("echo", EffectClass::Read),
        tool("wait", EffectClass::Read),
        tool("steps", EffectClass::Read),
        tool("risky", EffectClass::Script),
        tool("extra", EffectClass::Store),
        tool("hold", EffectClass::Read),
    ];
    Arc::new(Catalog { tools })
}

impl SmallHost {
    pub fn new() -> Arc<Self> {
        Arc::new(SmallHost {
            calls: Mutex::default(),
            gone: Mutex::default(),
            came: Mutex::default(),
            browsers: AtomicUsize::new(0),
            cancelled: AtomicUsize::new(0),
            release: tokio::sync::Notify::new(),
            listed: Mutex::new(vec!["echo", "wait", "steps", "risky"]),
            changes: watch::channel(1).0,
        })
    }

    /// Switches the tools that are listed.
    pub fn list(&self, names: &[&'static str]) {
        *self.listed.lock().unwrap() = names.to_vec();
        self.changes.send_modify(|version| *version += 1);
    }

    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    pub fn called(&self) -> usize {
        self.calls.lock().unwrap().len()
    }

    async fn run(&self, ctx: &CallCtx, call: Call) -> Result<Outcome, ErrorBody> {
        let catalog = self.catalog();
        let Some(info) = catalog.find(&call.tool) else {
            return Err(ErrorBody::new(ErrorCode::UnknownTool, format!("there is no tool {}", call.tool)));
        };
        if !info.listed && info.name != "hold" {
            return Err(ErrorBody::new(ErrorCode::ToolDisabled, format!("{} is switched off", info.name)));
        }
        let mut outcome = Outcome::new(info.name.clone());
        outcome.done = format!("did {}", info.name);
        match info.name.as_str() {
            "wait" => {
                let ended = ctx.wait("for ever", std::future::pending::<()>()).await;
                if ended.as_ref().is_err_and(|error| error.code == ErrorCode::Cancelled) {
                    self.cancelled.fetch_add(1, Ordering::SeqCst);
                }
                ended?;
            }
            "steps" => {
                for step in ["first", "second"] {
                    ctx.progress(step);
                }
            }
            "hold" => {
                ctx.progress("holding");
                ctx.wait("its release", self.release.notified()).await?;
            }
            "risky" if call.approval.is_none() => {
                let error = ErrorBody::new(ErrorCode::ApprovalRequired, "running scripts needs a yes");
                return Err(error.with("page_url", "http://127.0.0.1/"));
            }
            _ => outcome.text = call.arguments["text"].as_str().map(str::to_owned),
        }
        let approved = call.approval.map_or(Value::Null, |approval| Value::String(approval.source));
        outcome.output.insert("approved_by".to_owned(), approved);
        outcome.output.insert("request_key".to_owned(), json!(call.request_key));
        Ok(outcome)
    }
}

impl Caller for SmallHost {
    fn call<'a>(&'a self, ctx: &'a CallCtx, call: Call) -> BoxFuture<'a, Outcome> {
        self.calls.lock().unwrap().push(call.clone());
        let tool = call.tool.clone();
        Box::pin(
            async move { self.run(ctx, call).await.unwrap_or_else(|error| Outcome::failed(tool, error)) },
        )
    }

    fn catalog(&self) -> Arc<Catalog> {
        let mut catalog = (*table()).clone();
        let listed = self.listed.lock().unwrap();
        for tool in &mut catalog.tools {
            tool.listed = listed.contains(&tool.name.as_str());
        }
        Arc::new(catalog)
    }
}

impl Host for SmallHost {
    fn client_came<'a>(
        &'a self,
        client: &'a ClientId,
        options: ClientOptions,
    ) -> BoxFuture<'a, Result<(), ErrorBody>> {
        self.came.lock().unwrap().push((client.clone(), options));
        Box::pin(async { Ok(()) })
    }

    fn client_gone<'a>(&'a self, client: &'a ClientId) -> BoxFuture<'a, ()> {
        self.gone.lock().unwrap().push(client.to_string());
        Box::pin(async {})
    }

    fn open_browsers(&self) -> usize {
        self.browsers.load(Ordering::SeqCst)
    }

    fn catalog_changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }
}
