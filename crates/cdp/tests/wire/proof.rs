//! Every command and every event once, on a real page.

use crate::chromium::{Chromium, ctx};
use crate::site;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;
use truehand_cdp::page::{Frame, Viewport};
use truehand_cdp::runtime::{CallArgument, RemoteObject};
use truehand_cdp::{
    BackendNodeId, BrowserContextId, CdpError, CdpEvent, Command, Connection, Event, EventStream, FrameId,
    Session, SessionId, TargetId, browser, dom, domains, emulation, fetch, input, inspector, log, network,
    page, runtime, storage, target,
};

/// What has been proven so far.
struct Proof {
    connection: Connection,
    browser_events: EventStream,
    tab_events: Option<EventStream>,
    /// Events that came and were not asked for yet.
    passed: Vec<Event>,
    commands: BTreeSet<&'static str>,
    events: BTreeSet<&'static str>,
    context: BrowserContextId,
    target: TargetId,
    tab: Session,
    site: String,
}

#[tokio::test]
async fn every_typed_command_and_event_works_on_chromium() {
    let _one = crate::ONE_BROWSER.lock().await;
    let port = site::serve().await;
    let (chromium, connection, browser_events) = Chromium::on_pipe();
    let mut proof = Proof {
        tab: connection.browser(),
        connection,
        browser_events,
        tab_events: None,
        passed: Vec::new(),
        commands: BTreeSet::new(),
        events: BTreeSet::new(),
        context: BrowserContextId::default(),
        target: TargetId::default(),
        site: format!("http://127.0.0.1:{port}"),
    };
    proof.opens_a_tab().await;
    proof.loads_a_page().await;
    proof.evaluates().await;
    proof.follows_frames(port).await;
    proof.finds_nodes().await;
    proof.acts().await;
    proof.drags().await;
    proof.answers_dialogs().await;
    proof.sees_requests_and_console().await;
    proof.holds_requests().await;
    proof.gives_pages_a_function().await;
    proof.keeps_cookies().await;
    proof.takes_pictures().await;
    proof.downloads().await;
    proof.goes_through_history().await;
    proof.opens_and_closes_windows().await;
    proof.survives_a_crash().await;
    proof.ends().await;
    chromium.ended().await;

    let missing = |all: &[&[&'static str]], proven: &BTreeSet<&'static str>| -> Vec<&'static str> {
        all.iter().copied().flatten().copied().filter(|method| !proven.contains(method)).collect()
    };
    assert_eq!(missing(domains::COMMANDS, &proof.commands), Vec::<&str>::new(), "commands without a proof");
    assert_eq!(missing(domains::EVENTS, &proof.events), Vec::<&str>::new(), "events without a proof");
}

impl Proof {
    /// Sends a command that must succeed.
    async fn on<C: Command>(&mut self, session: &Session, command: C) -> C::Response {
        let answer = session.send(&ctx(), command).await;
        self.commands.insert(C::METHOD);
        answer.unwrap_or_else(|error| panic!("{error}"))
    }

    async fn browser<C: Command>(&mut self, command: C) -> C::Response {
        let browser = self.connection.browser();
        self.on(&browser, command).await
    }

    async fn tab<C: Command>(&mut self, command: C) -> C::Response {
        let tab = self.tab.clone();
        self.on(&tab, command).await
    }

    /// Waits for an event that fits; it may have come already.
    async fn sees<E: CdpEvent>(&mut self, fits: impl Fn(&E) -> bool) -> (Option<SessionId>, E) {
        let found = async {
            let mut looked_at = 0;
            loop {
                for at in looked_at..self.passed.len() {
                    if let Some(event) = self.passed[at].parse::<E>() {
                        let event = event.unwrap_or_else(|error| panic!("{error}"));
                        if fits(&event) {
                            return (self.passed.remove(at).session, event);
                        }
                    }
                }
                looked_at = self.passed.len();
                let event = tokio::select! {
                    event = self.browser_events.next() => event,
                    event = next(&mut self.tab_events) => event,
                };
                self.passed.push(event.unwrap_or_else(|| panic!("{} did not come", E::METHOD)));
            }
        };
        let found = ctx().at_most(Duration::from_secs(30)).wait(E::METHOD, found).await;
        let found = found.unwrap_or_else(|error| {
            let others: Vec<_> = self.passed.iter().filter(|event| event.method == E::METHOD).collect();
            panic!("{error}; of this kind came: {others:#?}")
        });
        self.events.insert(E::METHOD);
        found
    }

    async fn evaluate(&mut self, expression: &str) -> RemoteObject {
        let command = runtime::Evaluate {
            expression: expression.to_owned(),
            return_by_value: Some(true),
            await_promise: Some(true),
            user_gesture: Some(true),
            ..runtime::Evaluate::default()
        };
        let answer = self.tab(command).await;
        assert_eq!(answer.exception_details, None, "{expression}");
        answer.result
    }

    async fn value(&mut self, expression: &str) -> Value {
        self.evaluate(expression).await.value.unwrap_or_default()
    }

    async fn object(&mut self, expression: &str) -> RemoteObject {
        let expression = expression.to_owned();
        let object_group = Some("proof".to_owned());
        self.tab(runtime::Evaluate { expression, object_group, ..runtime::Evaluate::default() }).await.result
    }

    async fn node(&mut self, selector: &str) -> BackendNodeId {
        let object_id = self.object(&format!("document.querySelector({selector:?})")).await.object_id;
        self.tab(dom::DescribeNode { object_id, ..dom::DescribeNode::default() }).await.node.backend_node_id
    }

    async fn assert_logged(&mut self, name: &str) {
        let log = self.value("log.splice(0)").await;
        assert!(log.as_array().expect("a list").contains(&json!(name)), "{name} in {log}");
    }

    async fn opens_a_tab(&mut self) {
        let version = self.browser(browser::GetVersion {}).await;
        assert!(version.product.contains("Chrome/"), "{version:?}");
        self.browser(target::SetDiscoverTargets { discover: true, filter: None }).await;
        self.context = self
            .browser(target::CreateBrowserContext { dispose_on_detach: Some(true) })
            .await
            .browser_context_id;
        let create = target::CreateTarget {
            url: "about:blank".to_owned(),
            browser_context_id: Some(self.context.clone()),
            new_window: Some(true),
            width: Some(900),
            height: Some(700),
            ..target::CreateTarget::default()
        };
        self.target = self.browser(create).await.target_id;
        let wanted = self.target.clone();
        let (_, created) =
            self.sees(|event: &target::TargetCreated| event.target_info.target_id == wanted).await;
        assert_eq!(created.target_info.kind, "page");
        assert_eq!(created.target_info.browser_context_id.as_ref(), Some(&self.context));

        let pages = target::FilterEntry { kind: Some("page".to_owned()), exclude: None };
        let targets = self.browser(target::GetTargets { filter: Some(vec![pages]) }).await.target_infos;
        assert!(targets.iter().any(|info| info.target_id == wanted), "{targets:?}");
        assert!(targets.iter().all(|info| info.kind == "page"), "the filter holds: {targets:?}");
        let info = self.browser(target::GetTargetInfo { target_id: Some(wanted.clone()) }).await.target_info;
        assert_eq!(info.target_id, wanted);

        let attach = target::AttachToTarget { target_id: wanted.clone(), flatten: true };
        let id = self.browser(attach).await.session_id;
        let (of, attached) = self.sees(|event: &target::AttachedToTarget| event.session_id == id).await;
        assert_eq!((of, attached.target_info.target_id), (None, wanted));
        self.tab_events = Some(self.connection.route(&id));
        self.tab = self.connection.session(id);

        self.tab(page::Enable {}).await;
        self.tab(dom::Enable {}).await;
        self.tab(log::Enable {}).await;
        self.tab(inspector::Enable {}).await;
        let sizes = network::Enable { max_total_buffer_size: Some(1_000_000), ..network::Enable::default() };
        self.tab(sizes).await;
        self.tab(runtime::Enable {}).await;
        let (_, world) =
            self.sees(|event: &runtime::ExecutionContextCreated| event.context.aux_data.is_default).await;
        assert!(world.context.aux_data.frame_id.is_some() && !world.context.unique_id.is_empty());
        self.tab(page::SetLifecycleEventsEnabled { enabled: true }).await;
        self.tab(emulation::SetFocusEmulationEnabled { enabled: true }).await;
        let auto_attach = target::SetAutoAttach {
            auto_attach: true,
            wait_for_debugger_on_start: true,
            flatten: true,
            filter: None,
        };
        self.tab(auto_attach).await;
    }

    async fn loads_a_page(&mut self) {
        let script = page::AddScriptToEvaluateOnNewDocument {
            source: "globalThis.early = document.readyState".to_owned(),
            world_name: Some("proof".to_owned()),
            run_immediately: Some(true),
        };
        assert!(!self.tab(script).await.identifier.is_empty());
        let url = format!("{}/", self.site);
        let went = self.tab(page::Navigate { url: url.clone(), ..page::Navigate::default() }).await;
        let loader = went.loader_id.expect("a new document");
        assert_eq!(went.error_text, None);
        let frame = went.frame_id;
        let (_, began) = self.sees(|event: &page::FrameStartedNavigating| event.loader_id == loader).await;
        assert_eq!((began.url.as_str(), began.navigation_type.as_str()), (url.as_str(), "differentDocument"));
        self.sees(|event: &page::FrameStartedLoading| event.frame_id == frame).await;
        self.sees(|_: &runtime::ExecutionContextsCleared| true).await;
        let (of, navigated) = self.sees(|event: &page::FrameNavigated| event.frame.loader_id == loader).await;
        assert_eq!(of.as_ref(), self.tab.id());
        assert_eq!((navigated.frame.url.as_str(), navigated.kind.as_str()), (url.as_str(), "Navigation"));
        assert_eq!(navigated.frame.mime_type, "text/html");
        self.sees(|event: &page::DomContentEventFired| event.timestamp > 0.0).await;
        self.sees(|event: &page::LoadEventFired| event.timestamp > 0.0).await;
        self.sees(|event: &page::LifecycleEvent| event.loader_id == loader && event.name == "load").await;
        self.sees(|event: &page::FrameStoppedLoading| event.frame_id == frame).await;
        self.sees(|event: &target::TargetInfoChanged| event.target_info.url == url).await;
        let tree = self.tab(page::GetFrameTree {}).await.frame_tree;
        assert_eq!(tree.frame, Frame { url, ..navigated.frame });

        let world = page::CreateIsolatedWorld {
            frame_id: frame,
            world_name: Some("proof".to_owned()),
            grant_univeral_access: None,
        };
        let context_id = Some(self.tab(world).await.execution_context_id);
        let expression = "early".to_owned();
        let early =
            self.tab(runtime::Evaluate { expression, context_id, ..runtime::Evaluate::default() }).await;
        assert_eq!(early.result.value, Some(json!("loading")), "it ran before the page, in the same world");
    }

    async fn evaluates(&mut self) {
        let everything = runtime::Evaluate {
            expression: "const again = await Promise.resolve(3); again".to_owned(),
            return_by_value: Some(true),
            repl_mode: Some(true),
            timeout: Some(5000.0),
            allow_unsafe_eval_blocked_by_csp: Some(false),
            ..runtime::Evaluate::default()
        };
        assert_eq!(self.tab(everything).await.result.value, Some(json!(3)));
        let expression = "null.x".to_owned();
        let threw = self.tab(runtime::Evaluate { expression, ..runtime::Evaluate::default() }).await;
        let thrown = threw.exception_details.and_then(|details| details.exception).expect("thrown");
        assert_eq!(thrown.class_name.as_deref(), Some("TypeError"));
        assert_eq!(self.evaluate("-0").await.unserializable_value.as_deref(), Some("-0"));

        let object = self.object("({ a: 1 })").await.object_id.expect("an object");
        let call = |value: Value| runtime::CallFunctionOn {
            function_declaration: "function (more) { return this.a + more; }".to_owned(),
            object_id: Some(object.clone()),
            arguments: Some(vec![CallArgument { value: Some(value), ..CallArgument::default() }]),
            return_by_value: Some(true),
            ..runtime::CallFunctionOn::default()
        };
        assert_eq!(self.tab(call(json!(2))).await.result.value, Some(json!(3)));
        let list = runtime::GetProperties {
            object_id: object.clone(),
            own_properties: Some(true),
            ..runtime::GetProperties::default()
        };
        let properties = self.tab(list).await.result;
        let value =
            properties.iter().find(|property| property.name == "a").and_then(|found| found.value.clone());
        assert_eq!(value.and_then(|value| value.value), Some(json!(1)));
        self.tab(runtime::ReleaseObject { object_id: object.clone() }).await;
        let released = self.tab.send(&ctx(), call(json!(2))).await;
        assert!(matches!(released, Err(CdpError::Protocol { .. })), "{released:?}");

        let grouped = self.object("({ a: 1 })").await.object_id.expect("an object");
        self.tab(runtime::ReleaseObjectGroup { object_group: "proof".to_owned() }).await;
        let list = runtime::GetProperties { object_id: grouped, ..runtime::GetProperties::default() };
        assert!(self.tab.send(&ctx(), list).await.is_err(), "released with its group");

        let expression = "console.info('begun'); for (;;);".to_owned();
        let endless = self.tab.start(runtime::Evaluate { expression, ..runtime::Evaluate::default() });
        // Sent before the script runs, it would end nothing.
        self.sees(|event: &runtime::ConsoleApiCalled| event.kind == "info").await;
        self.tab(runtime::TerminateExecution {}).await;
        let ended = endless.within(&ctx()).await;
        assert!(!matches!(ended, Err(CdpError::Deadline { .. })), "{ended:?}");
        assert_eq!(self.value("1 + 1").await, json!(2));
        for value in [true, false] {
            self.tab(emulation::SetScriptExecutionDisabled { value }).await;
        }
        assert_eq!(self.value("'x'.repeat(20_000_000)").await.as_str().map(str::len), Some(20_000_000));
        assert_eq!(self.value("'<\\ud800>'").await, json!("<\u{fffd}>"));
    }

    async fn follows_frames(&mut self, port: u16) {
        let add = |url: &str| {
            format!(
                "(() => {{ const f = document.createElement('iframe'); f.src = '{url}'; document.body.append(f); }})()"
            )
        };
        self.evaluate(&add("/child")).await;
        let (_, world) = self
            .sees(|event: &runtime::ExecutionContextCreated| {
                event.context.aux_data.is_default && event.context.aux_data.frame_id.is_some()
            })
            .await;
        let frame = self.tab(page::GetFrameTree {}).await.frame_tree.child_frames.remove(0).frame.id;
        let (_, attached) = self.sees(|event: &page::FrameAttached| event.frame_id == frame).await;
        assert!(!attached.parent_frame_id.as_str().is_empty() && world.context.id.0 > 0);
        let (_, world) = self
            .sees(|event: &runtime::ExecutionContextCreated| {
                event.context.aux_data.frame_id.as_ref() == Some(&frame) && event.context.aux_data.is_default
            })
            .await;
        self.evaluate("document.querySelector('iframe').remove()").await;
        let (_, left) = self.sees(|event: &page::FrameDetached| event.frame_id == frame).await;
        assert_eq!(left.reason, "remove");
        let id = world.context.unique_id;
        self.sees(|event: &runtime::ExecutionContextDestroyed| event.execution_context_unique_id == id).await;

        self.evaluate(&add(&format!("http://localhost:{port}/child"))).await;
        let (of, attached) =
            self.sees(|event: &target::AttachedToTarget| event.target_info.kind == "iframe").await;
        assert_eq!(of.as_ref(), self.tab.id(), "attached beneath the tab");
        assert!(attached.waiting_for_debugger);
        let child = self.connection.session(attached.session_id.clone());
        let pending = child.start(runtime::Enable {});
        self.on(&child, runtime::RunIfWaitingForDebugger {}).await;
        pending.await.expect("enabled");
        // It comes by the tab's route: the browser's stream is asked nothing here.
        let events = self.tab_events.as_mut().expect("routed");
        let inherited = async {
            loop {
                let event = events.next().await.expect("an event");
                if event.session.as_ref() == child.id()
                    && event.method == runtime::ExecutionContextCreated::METHOD
                {
                    return;
                }
            }
        };
        ctx().wait("the child's event", inherited).await.expect("by the tab's route");
        let frame_id = FrameId::from(attached.target_info.target_id.as_str());
        let owner = self.tab(dom::GetFrameOwner { frame_id: frame_id.clone() }).await.backend_node_id;
        let describe = dom::DescribeNode { backend_node_id: Some(owner), ..dom::DescribeNode::default() };
        let node = self.tab(describe).await.node;
        assert_eq!((node.node_name.as_str(), node.frame_id), ("IFRAME", Some(frame_id)));
        self.evaluate("document.querySelector('iframe').remove()").await;
        let gone = attached.session_id;
        let (of, _) = self.sees(|event: &target::DetachedFromTarget| event.session_id == gone).await;
        assert_eq!(of.as_ref(), self.tab.id());
    }

    async fn finds_nodes(&mut self) {
        let button = Some(self.node("#button").await);
        let resolve = dom::ResolveNode { backend_node_id: button, ..dom::ResolveNode::default() };
        assert_eq!(self.tab(resolve).await.object.description.as_deref(), Some("button#button"));
        let quads = dom::GetContentQuads { backend_node_id: button, ..dom::GetContentQuads::default() };
        let quads = self.tab(quads).await.quads;
        assert_eq!(quads, [[10.0, 10.0, 210.0, 10.0, 210.0, 50.0, 10.0, 50.0]]);
        let boxes = dom::GetBoxModel { backend_node_id: button, ..dom::GetBoxModel::default() };
        let boxes = self.tab(boxes).await.model;
        assert_eq!((boxes.width, boxes.height, &boxes.border), (200, 40, &quads[0]));
        let low = Some(self.node("#low").await);
        self.tab(dom::ScrollIntoViewIfNeeded {
            backend_node_id: low,
            ..dom::ScrollIntoViewIfNeeded::default()
        })
        .await;
        assert!(self.value("scrollY").await.as_f64() > Some(1000.0));
        self.evaluate("scrollTo(0, 0)").await;
        let file = std::env::current_exe().expect("this program").display().to_string();
        let files = dom::SetFileInputFiles {
            files: vec![file],
            backend_node_id: Some(self.node("#files").await),
            object_id: None,
        };
        self.tab(files).await;
        assert_eq!(self.value("files.files.length").await, json!(1));
    }

    async fn mouse(&mut self, kind: &str, y: f64) {
        let event = input::DispatchMouseEvent {
            kind: kind.to_owned(),
            x: 50.0,
            y,
            button: Some("left".to_owned()),
            buttons: Some(1),
            click_count: Some(1),
            ..input::DispatchMouseEvent::default()
        };
        self.tab(event).await;
    }

    async fn acts(&mut self) {
        // Before the scroll is drawn, a click would meet what was there before.
        self.evaluate(
            "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn())))",
        )
        .await;
        self.mouse("mousePressed", 30.0).await;
        self.mouse("mouseReleased", 30.0).await;
        self.assert_logged("click").await;
        let finger = input::TouchPoint { x: 50.0, y: 30.0, id: None };
        for (kind, touch_points) in [("touchStart", vec![finger]), ("touchEnd", vec![])] {
            let kind = kind.to_owned();
            self.tab(input::DispatchTouchEvent { kind, touch_points, modifiers: None }).await;
        }
        self.assert_logged("touchstart").await;

        self.evaluate("text.focus()").await;
        for kind in ["keyDown", "keyUp"] {
            let event = input::DispatchKeyEvent {
                kind: kind.to_owned(),
                key: Some("a".to_owned()),
                code: Some("KeyA".to_owned()),
                text: (kind == "keyDown").then(|| "a".to_owned()),
                windows_virtual_key_code: Some(65),
                ..input::DispatchKeyEvent::default()
            };
            self.tab(event).await;
        }
        self.assert_logged("keydown").await;
        self.tab(input::InsertText { text: "b\u{1f600}".to_owned() }).await;
        assert_eq!(self.value("text.value").await, json!("ab\u{1f600}"));
        let compose = input::ImeSetComposition {
            text: "c".to_owned(),
            selection_start: 1,
            selection_end: 1,
            ..input::ImeSetComposition::default()
        };
        self.tab(compose).await;
        self.assert_logged("compositionstart").await;

        self.tab(page::SetInterceptFileChooserDialog { enabled: true }).await;
        self.evaluate("files.click()").await;
        let (_, chooser) = self.sees(|event: &page::FileChooserOpened| event.mode == "selectMultiple").await;
        assert_eq!(chooser.backend_node_id, Some(self.node("#files").await));
    }

    async fn drags(&mut self) {
        self.tab(input::SetInterceptDrags { enabled: true }).await;
        self.mouse("mousePressed", 180.0).await;
        self.mouse("mouseMoved", 190.0).await;
        self.mouse("mouseMoved", 200.0).await;
        let (_, drag) = self.sees(|event: &input::DragIntercepted| !event.data.items.is_empty()).await;
        assert_eq!(drag.data.items[0].data, "carried");
        for kind in ["dragEnter", "dragOver", "drop"] {
            let event = input::DispatchDragEvent {
                kind: kind.to_owned(),
                x: 50.0,
                y: 230.0,
                data: drag.data.clone(),
                modifiers: None,
            };
            self.tab(event).await;
        }
        self.mouse("mouseReleased", 230.0).await;
        self.assert_logged("drop").await;
    }

    async fn answers_dialogs(&mut self) {
        let expression = "prompt('name?', 'nobody')".to_owned();
        let asked = self.tab.start(runtime::Evaluate { expression, ..runtime::Evaluate::default() });
        let (_, dialog) = self.sees(|event: &page::JavascriptDialogOpening| event.kind == "prompt").await;
        assert_eq!((dialog.message.as_str(), dialog.default_prompt.as_deref()), ("name?", Some("nobody")));
        self.tab(page::HandleJavaScriptDialog { accept: true, prompt_text: Some("me".to_owned()) }).await;
        let (_, closed) = self.sees(|event: &page::JavascriptDialogClosed| event.result).await;
        assert_eq!(closed.user_input, "me");
        assert_eq!(asked.await.expect("answered").result.value, Some(json!("me")));
    }

    async fn sees_requests_and_console(&mut self) {
        self.evaluate("fetch('/data', { method: 'POST', body: 'x' }).then((answer) => answer.json())").await;
        let (_, sent) =
            self.sees(|event: &network::RequestWillBeSent| event.request.url.ends_with("/data")).await;
        assert_eq!((sent.request.method.as_str(), sent.kind.as_deref()), ("POST", Some("Fetch")));
        assert_eq!((sent.request.has_post_data, sent.initiator.kind.as_str()), (true, "script"));
        let id = sent.request_id;
        let (_, head) = self.sees(|event: &network::ResponseReceived| event.request_id == id).await;
        assert_eq!((head.response.status, head.response.mime_type.as_str()), (200, "application/json"));
        let (_, end) = self.sees(|event: &network::LoadingFinished| event.request_id == id).await;
        assert!(end.encoded_data_length > 0.0);
        let body = self.tab(network::GetResponseBody { request_id: id.clone() }).await;
        assert_eq!((body.body.as_str(), body.base64_encoded), ("{}", false));
        let posted = self.tab(network::GetRequestPostData { request_id: id.clone() }).await;
        assert!(matches!(posted.post_data.as_str(), "x" | "eA=="), "{posted:?}");
        self.evaluate("fetch('/reset').catch(() => {})").await;
        let (_, failed) = self.sees(|event: &network::LoadingFailed| event.kind == "Fetch").await;
        assert_eq!((failed.error_text.as_str(), failed.canceled), ("net::ERR_EMPTY_RESPONSE", false));
        // Another document of the same process takes the picture from memory.
        let again = "new Promise((loaded) => { const frame = document.createElement('iframe'); \
                     frame.srcdoc = '<img src=/picture>'; frame.onload = () => loaded(); document.body.append(frame); })";
        self.evaluate(again).await;
        self.sees(|event: &network::RequestServedFromCache| !event.request_id.as_str().is_empty()).await;
        self.evaluate("fetch('/missing').then(() => {})").await;
        let (_, line) = self.sees(|event: &log::EntryAdded| event.entry.text.contains("404")).await;
        assert_eq!((line.entry.source.as_str(), line.entry.level.as_str()), ("network", "error"));
        self.tab(network::Disable {}).await;

        self.evaluate("console.warn('careful', '\\udc00')").await;
        let (_, said) = self.sees(|event: &runtime::ConsoleApiCalled| event.kind == "warning").await;
        let words: Vec<_> = said.args.iter().filter_map(|word| word.value.as_ref()?.as_str()).collect();
        assert_eq!(words, ["careful", "\u{fffd}"], "half a surrogate pair hides nothing");
        self.evaluate("void setTimeout(() => { throw new Error('late'); }, 0)").await;
        let (_, thrown) = self.sees(|event: &runtime::ExceptionThrown| event.timestamp > 0.0).await;
        let description = thrown.exception_details.exception.and_then(|thrown| thrown.description);
        assert!(description.is_some_and(|text| text.starts_with("Error: late")));
    }

    async fn held(&mut self, fits: impl Fn(&fetch::RequestPaused) -> bool) -> fetch::RequestPaused {
        self.sees(fits).await.1
    }

    async fn holds_requests(&mut self) {
        let pattern = fetch::RequestPattern {
            url_pattern: Some("*/data".to_owned()),
            request_stage: Some("Request".to_owned()),
        };
        self.tab(fetch::Enable { patterns: Some(vec![pattern]) }).await;
        let ask = || runtime::Evaluate {
            expression: "fetch('/data').then((answer) => answer.text(), () => 'failed')".to_owned(),
            await_promise: Some(true),
            ..runtime::Evaluate::default()
        };
        let asked = self.tab.start(ask());
        let held = self.held(|held| held.response_status_code.is_none()).await;
        assert_eq!((held.request.method.as_str(), held.resource_type.as_str()), ("GET", "XHR"));
        let on = fetch::ContinueRequest {
            request_id: held.request_id.clone(),
            intercept_response: Some(true),
            ..fetch::ContinueRequest::default()
        };
        self.tab(on).await;
        let answered = self.held(|held| held.response_status_code == Some(200)).await;
        assert_eq!(answered.request_id, held.request_id);
        let body = self.tab(fetch::GetResponseBody { request_id: held.request_id.clone() }).await;
        assert!(matches!(body.body.as_str(), "{}" | "e30="), "{body:?}");
        self.tab(fetch::ContinueResponse { request_id: held.request_id }).await;
        assert_eq!(asked.await.expect("answered").result.value, Some(json!("{}")));

        let asked = self.tab.start(ask());
        let held = self.held(|held| held.response_status_code.is_none()).await;
        let header = fetch::HeaderEntry { name: "X-Own".to_owned(), value: "1".to_owned() };
        let fulfill = fetch::FulfillRequest {
            request_id: held.request_id,
            response_code: 200,
            response_headers: Some(vec![header]),
            body: Some("b3du".to_owned()),
            response_phrase: None,
        };
        self.tab(fulfill).await;
        assert_eq!(asked.await.expect("answered").result.value, Some(json!("own")));

        let asked = self.tab.start(ask());
        let held = self.held(|held| held.response_status_code.is_none()).await;
        self.tab(fetch::FailRequest { request_id: held.request_id, error_reason: "Failed".to_owned() }).await;
        assert_eq!(asked.await.expect("answered").result.value, Some(json!("failed")));
        self.tab(fetch::Disable {}).await;
    }

    async fn gives_pages_a_function(&mut self) {
        self.tab(runtime::AddBinding { name: "told".to_owned() }).await;
        self.evaluate("told('something')").await;
        let (_, called) = self.sees(|event: &runtime::BindingCalled| event.name == "told").await;
        assert_eq!(called.payload, "something");
        self.tab(runtime::RemoveBinding { name: "told".to_owned() }).await;
        let source = "globalThis.early = 1".to_owned();
        let add = page::AddScriptToEvaluateOnNewDocument { source, world_name: None, run_immediately: None };
        let identifier = self.tab(add).await.identifier;
        self.tab(page::RemoveScriptToEvaluateOnNewDocument { identifier }).await;
    }

    async fn keeps_cookies(&mut self) {
        let cookie = storage::CookieParam {
            name: "kept".to_owned(),
            value: "1".to_owned(),
            url: Some(self.site.clone()),
            http_only: Some(true),
            ..storage::CookieParam::default()
        };
        let context = Some(self.context.clone());
        self.browser(storage::SetCookies { cookies: vec![cookie], browser_context_id: context.clone() })
            .await;
        let all = self.browser(storage::GetCookies { browser_context_id: context }).await.cookies;
        let kept = all.iter().find(|cookie| cookie.name == "kept").expect("kept");
        assert_eq!((kept.domain.as_str(), kept.http_only, kept.path.as_str()), ("127.0.0.1", true, "/"));
    }

    async fn takes_pictures(&mut self) {
        let metrics = emulation::SetDeviceMetricsOverride {
            width: 640,
            height: 480,
            device_scale_factor: 1.0,
            mobile: false,
        };
        self.tab(metrics).await;
        let layout = self.tab(page::GetLayoutMetrics {}).await;
        assert_eq!(
            (layout.css_visual_viewport.client_height, layout.css_content_size.height),
            (480.0, 4000.0)
        );
        let clip = Viewport { x: 0.0, y: 0.0, width: 20.0, height: 20.0, scale: 1.0 };
        let picture = page::CaptureScreenshot {
            format: Some("png".to_owned()),
            clip: Some(clip),
            capture_beyond_viewport: Some(true),
            ..page::CaptureScreenshot::default()
        };
        let data = self.tab(picture).await.data;
        assert!(data.starts_with("iVBORw0KGgo"), "a png");
        self.tab(emulation::ClearDeviceMetricsOverride {}).await;
        for enabled in [true, false] {
            let configuration = Some("mobile".to_owned());
            self.tab(emulation::SetEmitTouchEventsForMouse { enabled, configuration }).await;
        }
        let other = "new Promise((other) => { \
                     const look = () => innerHeight === 480 ? requestAnimationFrame(look) : other(); look(); })";
        self.evaluate(other).await;
        let window = self.browser(browser::GetWindowForTarget { target_id: Some(self.target.clone()) }).await;
        let bounds = browser::Bounds { width: Some(800), height: Some(600), ..browser::Bounds::default() };
        self.browser(browser::SetWindowBounds { window_id: window.window_id, bounds }).await;
        let window = self.browser(browser::GetWindowForTarget { target_id: Some(self.target.clone()) }).await;
        assert_eq!((window.bounds.width, window.bounds.height), (Some(800), Some(600)));
    }

    async fn downloads(&mut self) {
        let folder = tempfile::tempdir().expect("a folder");
        let behavior = browser::SetDownloadBehavior {
            behavior: "allowAndName".to_owned(),
            browser_context_id: Some(self.context.clone()),
            download_path: Some(folder.path().display().to_string()),
            events_enabled: Some(true),
        };
        self.browser(behavior).await;
        let url = format!("{}/file", self.site);
        let went = self.tab(page::Navigate { url: url.clone(), ..page::Navigate::default() }).await;
        assert_eq!(went.is_download, Some(true));
        let (_, began) = self.sees(|event: &browser::DownloadWillBegin| event.url == url).await;
        assert_eq!(began.suggested_filename, "file");
        let (_, done) = self
            .sees(|event: &browser::DownloadProgress| event.guid == began.guid && event.state == "completed")
            .await;
        assert_eq!((done.received_bytes, done.total_bytes), (8.0, 8.0));
        assert_eq!(std::fs::read_to_string(folder.path().join(&began.guid)).expect("a file"), "contents");

        let url = format!("{}/endless", self.site);
        self.tab(page::Navigate { url: url.clone(), ..page::Navigate::default() }).await;
        let (_, began) = self.sees(|event: &browser::DownloadWillBegin| event.url == url).await;
        let cancel = browser::CancelDownload {
            guid: began.guid.clone(),
            browser_context_id: Some(self.context.clone()),
        };
        self.browser(cancel).await;
        self.sees(|event: &browser::DownloadProgress| event.guid == began.guid && event.state == "canceled")
            .await;
    }

    /// Waits until the browser's process knows the new document too. The renderer tells of it first, and until
    /// then commands that the browser itself carries out are refused: "Not attached to an active page".
    async fn committed(&mut self) {
        let ctx = ctx();
        while let Err(error) = self.tab.send(&ctx, page::GetNavigationHistory {}).await {
            assert!(matches!(&error, CdpError::Protocol { code: -32000, .. }), "{error}");
        }
    }

    async fn goes_through_history(&mut self) {
        self.evaluate("location.hash = 'part'").await;
        let (_, within) =
            self.sees(|event: &page::NavigatedWithinDocument| event.url.ends_with("#part")).await;
        assert_eq!(within.navigation_type, "fragment");
        self.evaluate("void (location.href = '/two')").await;
        let (_, asked) =
            self.sees(|event: &page::FrameRequestedNavigation| event.url.ends_with("/two")).await;
        assert_eq!((asked.reason.as_str(), asked.disposition.as_str()), ("scriptInitiated", "currentTab"));
        self.sees(|event: &page::FrameNavigated| event.frame.url.ends_with("/two")).await;
        self.committed().await;
        let history = self.tab(page::GetNavigationHistory {}).await;
        let back = &history.entries[usize::try_from(history.current_index).expect("an index") - 1];
        assert!(back.url.ends_with("#part"), "{history:?}");
        self.tab(page::NavigateToHistoryEntry { entry_id: back.id }).await;
        let (_, went) = self
            .sees(|event: &page::FrameNavigated| event.frame.url_fragment.as_deref() == Some("#part"))
            .await;
        self.committed().await;
        self.tab(page::Reload { ignore_cache: Some(true) }).await;
        let old = went.frame.loader_id;
        self.sees(|event: &page::FrameNavigated| {
            event.frame.loader_id != old && event.frame.parent_id.is_none()
        })
        .await;
        self.committed().await;

        let url = format!("{}/silent", self.site);
        let going = self.tab.start(page::Navigate { url: url.clone(), ..page::Navigate::default() });
        self.sees(|event: &page::FrameStartedNavigating| event.url == url).await;
        self.tab(page::StopLoading {}).await;
        let stopped = going.within(&ctx()).await.expect("answered");
        assert_eq!(stopped.error_text.as_deref(), Some("net::ERR_ABORTED"));
    }

    async fn opens_and_closes_windows(&mut self) {
        self.evaluate("void open('/popup', 'side', 'width=300')").await;
        let (_, opened) = self.sees(|event: &page::WindowOpen| event.url.ends_with("/popup")).await;
        assert_eq!((opened.window_name.as_str(), opened.user_gesture), ("side", true));
        let opener = Some(self.target.clone());
        let (_, created) =
            self.sees(|event: &target::TargetCreated| event.target_info.opener_id == opener).await;
        let popup = created.target_info.target_id;
        self.browser(target::ActivateTarget { target_id: popup.clone() }).await;
        self.tab(page::BringToFront {}).await;
        let attach = target::AttachToTarget { target_id: popup.clone(), flatten: true };
        let session_id = self.browser(attach).await.session_id;
        self.browser(target::DetachFromTarget { session_id: Some(session_id.clone()) }).await;
        self.sees(|event: &target::DetachedFromTarget| event.session_id == session_id).await;
        let gone = self.connection.session(session_id).send(&ctx(), page::Enable {}).await;
        assert!(matches!(gone, Err(CdpError::SessionGone { .. })), "{gone:?}");
        assert!(self.browser(target::CloseTarget { target_id: popup.clone() }).await.success);
        self.sees(|event: &target::TargetDestroyed| event.target_id == popup).await;
    }

    async fn survives_a_crash(&mut self) {
        let expression = "new Promise(() => {})".to_owned();
        let await_promise = Some(true);
        let never =
            self.tab.start(runtime::Evaluate { expression, await_promise, ..runtime::Evaluate::default() });
        let crash = self.tab.start(page::Crash {});
        let wanted = self.target.clone();
        let (_, crashed) = self.sees(|event: &target::TargetCrashed| event.target_id == wanted).await;
        assert!(!crashed.status.is_empty());
        let (of, _) = self.sees(|_: &inspector::TargetCrashed| true).await;
        assert_eq!(of.as_ref(), self.tab.id());
        for unanswered in [never.within(&ctx()).await.err(), crash.within(&ctx()).await.err()] {
            assert!(matches!(unanswered, Some(CdpError::SessionGone { .. })), "{unanswered:?}");
        }
        self.commands.insert(page::Crash::METHOD);
        self.tab(page::Reload::default()).await;
        self.sees(|event: &page::LifecycleEvent| event.name == "load").await;
        self.committed().await;
    }

    async fn ends(&mut self) {
        let expression = "new Promise(() => {})".to_owned();
        let await_promise = Some(true);
        let never =
            self.tab.start(runtime::Evaluate { expression, await_promise, ..runtime::Evaluate::default() });
        // The page may be gone before it has answered.
        let closed = self.tab.send(&ctx(), page::Close {}).await;
        assert!(matches!(closed, Ok(_) | Err(CdpError::SessionGone { .. })), "{closed:?}");
        self.commands.insert(page::Close::METHOD);
        let gone = never.within(&ctx()).await.err();
        assert!(matches!(gone, Some(CdpError::SessionGone { .. })), "{gone:?}");
        let wanted = self.target.clone();
        self.sees(|event: &target::TargetDestroyed| event.target_id == wanted).await;
        let browser_context_id = self.context.clone();
        self.browser(target::DisposeBrowserContext { browser_context_id }).await;
        self.browser(browser::Close {}).await;
        ctx().wait("the end", self.connection.closed()).await.expect("the transport ends");
        assert!(self.connection.is_closed());
    }
}

/// The next event of a stream that may have ended; an ended one is left to be silent.
async fn next(events: &mut Option<EventStream>) -> Option<Event> {
    if let Some(stream) = events {
        if let Some(event) = stream.next().await {
            return Some(event);
        }
        *events = None;
    }
    std::future::pending().await
}
