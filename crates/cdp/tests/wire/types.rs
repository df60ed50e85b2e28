//! Every type against the description that the browser itself gives of its protocol.

use crate::chromium::{Chromium, ctx};
use crate::shape::Protocol;
use std::collections::BTreeSet;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use truehand_cdp::{
    CdpEvent, Command, browser, dom, domains, emulation, fetch, input, inspector, log, network, page,
    runtime, storage, target,
};

/// Checks each type, and gives the methods that were checked.
fn check(protocol: &Protocol) -> (BTreeSet<&'static str>, BTreeSet<&'static str>) {
    let (mut commands, mut events) = (BTreeSet::new(), BTreeSet::new());
    macro_rules! commands {
        ($($type:ty),* $(,)?) => { $(protocol.command::<$type>(); commands.insert(<$type>::METHOD);)* };
    }
    macro_rules! events {
        ($($type:ty),* $(,)?) => { $(protocol.event::<$type>(); events.insert(<$type>::METHOD);)* };
    }
    commands![
        browser::GetVersion,
        browser::Close,
        browser::SetDownloadBehavior,
        browser::CancelDownload,
        browser::GetWindowForTarget,
        browser::SetWindowBounds,
        dom::Enable,
        dom::GetFrameOwner,
        dom::DescribeNode,
        dom::ResolveNode,
        dom::SetFileInputFiles,
        dom::GetContentQuads,
        dom::ScrollIntoViewIfNeeded,
        dom::GetBoxModel,
        emulation::SetFocusEmulationEnabled,
        emulation::SetDeviceMetricsOverride,
        emulation::ClearDeviceMetricsOverride,
        emulation::SetScriptExecutionDisabled,
        emulation::SetEmitTouchEventsForMouse,
        fetch::Enable,
        fetch::Disable,
        fetch::ContinueRequest,
        fetch::ContinueResponse,
        fetch::FulfillRequest,
        fetch::FailRequest,
        fetch::GetResponseBody,
        input::DispatchMouseEvent,
        input::DispatchKeyEvent,
        input::InsertText,
        input::ImeSetComposition,
        input::SetInterceptDrags,
        input::DispatchDragEvent,
        input::DispatchTouchEvent,
        inspector::Enable,
        log::Enable,
        network::Enable,
        network::Disable,
        network::GetResponseBody,
        network::GetRequestPostData,
        page::Enable,
        page::Navigate,
        page::Reload,
        page::GetFrameTree,
        page::GetNavigationHistory,
        page::NavigateToHistoryEntry,
        page::AddScriptToEvaluateOnNewDocument,
        page::RemoveScriptToEvaluateOnNewDocument,
        page::CreateIsolatedWorld,
        page::HandleJavaScriptDialog,
        page::CaptureScreenshot,
        page::GetLayoutMetrics,
        page::SetInterceptFileChooserDialog,
        page::BringToFront,
        page::StopLoading,
        page::SetLifecycleEventsEnabled,
        page::Crash,
        page::Close,
        runtime::Enable,
        runtime::Evaluate,
        runtime::CallFunctionOn,
        runtime::ReleaseObject,
        runtime::ReleaseObjectGroup,
        runtime::RunIfWaitingForDebugger,
        runtime::TerminateExecution,
        runtime::GetProperties,
        runtime::AddBinding,
        runtime::RemoveBinding,
        storage::GetCookies,
        storage::SetCookies,
        target::SetDiscoverTargets,
        target::SetAutoAttach,
        target::AttachToTarget,
        target::DetachFromTarget,
        target::CreateTarget,
        target::CloseTarget,
        target::ActivateTarget,
        target::GetTargets,
        target::GetTargetInfo,
        target::CreateBrowserContext,
        target::DisposeBrowserContext,
    ];
    events![
        browser::DownloadWillBegin,
        browser::DownloadProgress,
        fetch::RequestPaused,
        input::DragIntercepted,
        inspector::TargetCrashed,
        log::EntryAdded,
        network::RequestWillBeSent,
        network::ResponseReceived,
        network::LoadingFinished,
        network::LoadingFailed,
        network::RequestServedFromCache,
        page::FrameAttached,
        page::FrameDetached,
        page::FrameNavigated,
        page::NavigatedWithinDocument,
        page::FrameStartedNavigating,
        page::FrameRequestedNavigation,
        page::FrameStartedLoading,
        page::FrameStoppedLoading,
        page::DomContentEventFired,
        page::LoadEventFired,
        page::LifecycleEvent,
        page::JavascriptDialogOpening,
        page::JavascriptDialogClosed,
        page::FileChooserOpened,
        page::WindowOpen,
        runtime::ExecutionContextCreated,
        runtime::ExecutionContextDestroyed,
        runtime::ExecutionContextsCleared,
        runtime::ConsoleApiCalled,
        runtime::ExceptionThrown,
        runtime::BindingCalled,
        target::TargetCreated,
        target::TargetInfoChanged,
        target::TargetDestroyed,
        target::TargetCrashed,
        target::AttachedToTarget,
        target::DetachedFromTarget,
    ];
    (commands, events)
}

#[tokio::test]
async fn types_fit_the_description_that_the_browser_gives_of_its_protocol() {
    let _one = crate::ONE_BROWSER.lock().await;
    let (mut chromium, port, _) = Chromium::on_port().await;
    let fetched = async {
        let mut stream = tokio::net::TcpStream::connect(("127.0.0.1", port)).await.expect("connected");
        let request = format!("GET /json/protocol HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("written");
        let mut answer = Vec::new();
        // The server keeps the connection open, so the length says where the body ends.
        loop {
            if let Some(body) = body(&answer) {
                return serde_json::from_slice(body).expect("JSON");
            }
            assert_ne!(stream.read_buf(&mut answer).await.expect("readable"), 0, "the answer is cut");
        }
    };
    let protocol = Protocol::new(ctx().wait("the description", fetched).await.expect("in time"));
    chromium.kill().await;
    let (commands, events) = check(&protocol);
    assert_eq!(protocol.problems(), Vec::<String>::new());
    assert_eq!(commands, domains::COMMANDS.iter().copied().flatten().copied().collect());
    assert_eq!(events, domains::EVENTS.iter().copied().flatten().copied().collect());
}

/// The body of an HTTP answer, once it is complete.
fn body(answer: &[u8]) -> Option<&[u8]> {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&answer[..end]).expect("text");
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>())
    });
    answer.get(end + 4..end + 4 + length.expect("a length").expect("a number"))
}
