//! The WebSocket transport on a real Chromium.

use crate::chromium::{Chromium, ctx};
use truehand_cdp::{CdpError, Connection, browser, runtime, target};

#[tokio::test]
async fn websocket_carries_calls_events_and_big_answers_and_fails_waiters_when_the_browser_dies() {
    let _one = crate::ONE_BROWSER.lock().await;
    let (mut chromium, _, url) = Chromium::on_port().await;
    let (connection, mut events) = Connection::websocket(&ctx(), &url).await.expect("connected");
    let browser = connection.browser();
    let version = browser.send(&ctx(), browser::GetVersion {}).await.expect("answered");
    assert!(version.product.contains("Chrome/"), "{version:?}");
    let create = target::CreateTarget { url: "about:blank".to_owned(), ..target::CreateTarget::default() };
    let target_id = browser.send(&ctx(), create).await.expect("a page").target_id;
    let attach = target::AttachToTarget { target_id: target_id.clone(), flatten: true };
    let id = browser.send(&ctx(), attach).await.expect("attached").session_id;
    // The event came before the answer.
    let attached =
        std::iter::from_fn(|| events.try_next()).find_map(|event| event.parse::<target::AttachedToTarget>());
    assert_eq!(attached.expect("told").expect("it fits").target_info.target_id, target_id);
    let page = connection.session(id);
    let evaluate = |expression: &str| runtime::Evaluate {
        expression: expression.to_owned(),
        return_by_value: Some(true),
        await_promise: Some(true),
        ..runtime::Evaluate::default()
    };
    let big = page.send(&ctx(), evaluate("'x'.repeat(20_000_000)")).await.expect("answered");
    assert_eq!(big.result.value.and_then(|value| value.as_str().map(str::len)), Some(20_000_000));
    let never = page.start(evaluate("new Promise(() => {})"));
    chromium.kill().await;
    let error = never.within(&ctx()).await.err();
    assert!(matches!(error, Some(CdpError::Closed { .. } | CdpError::SessionGone { .. })), "{error:?}");
    ctx().wait("the end", connection.closed()).await.expect("the transport ends");
    let late = browser.send(&ctx(), browser::GetVersion {}).await;
    assert!(matches!(late, Err(CdpError::Closed { .. })), "{late:?}");
}
