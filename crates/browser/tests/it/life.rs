//! Lives: clients that vanish, browsers that die, nothing that stays behind.

use crate::support::{World, ctx};
use std::time::Duration;
use truehand_base::{ErrorCode, Verdict};
use truehand_browser::{Observe, ScopeOptions};
use truehand_testkit::Stranger;

#[tokio::test(flavor = "multi_thread")]
async fn browser_of_a_vanished_client_is_closed_after_the_grace() {
    let world = World::with(|c| c.grace = Duration::from_millis(300)).await;
    let client = world.client();
    let scope = world.pool.scope(&client, ScopeOptions::default());
    scope.open_tab(&ctx(), None, &Observe::default()).await.expect("opened");
    assert_eq!(world.pool.browsers().await, 1);
    world.pool.client_gone(&client);
    let limit = std::time::Instant::now() + Duration::from_secs(30);
    while world.pool.browsers().await > 0 {
        assert!(std::time::Instant::now() < limit, "the browser is still there");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn row_274_contexts_of_two_clients_share_no_cookies_and_no_tabs() {
    let world = World::new().await;
    let (one, two) = (world.scope(), world.scope());
    let url = world.site.url("/cookie/set?k=v");
    one.open_tab(&ctx(), Some(&url), &Observe::default()).await.expect("opened");
    let url = world.site.url("/cookie/show");
    let (own, _) = one.open_tab(&ctx(), Some(&url), &Observe::default()).await.expect("opened");
    let (other, _) = two.open_tab(&ctx(), Some(&url), &Observe::default()).await.expect("opened");
    let text = |tab: truehand_browser::Tab| async move {
        tab.read(&ctx(), None, &truehand_browser::ReadOptions::default()).await.expect("read").text
    };
    assert!(text(own).await.contains("k=v"));
    assert!(!text(other).await.contains("k=v"));
    assert_eq!(one.list_tabs(&ctx()).await.expect("tabs").len(), 2);
    assert_eq!(two.list_tabs(&ctx()).await.expect("tabs").len(), 1);
    world.pool.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn crashed_tab_is_named_and_comes_back_by_loading() {
    let world = World::new().await;
    let tab = world.open("/quiet.html").await;
    let error = tab.navigate(&ctx(), "chrome://crash", &Observe::default()).await.expect_err("crashed");
    assert_eq!(error.code, ErrorCode::PageCrashed, "{error}");
    let error = tab.read(&ctx(), None, &truehand_browser::ReadOptions::default()).await.expect_err("crashed");
    assert_eq!(error.code, ErrorCode::PageCrashed, "{error}");
    let url = world.site.url("/quiet.html");
    let acted = tab.navigate(&ctx(), &url, &Observe::default()).await.expect("loads again");
    assert_eq!(acted.effect.expect("effect").verdict, Verdict::Changed);
    world.pool.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn attached_browser_shows_its_tabs_and_outlives_us() {
    let mut stranger = Stranger::start("about:blank");
    let address = stranger.address();
    let world = World::with(|c| c.grace = Duration::from_millis(300)).await;
    let client = world.client();
    let scope = world.pool.scope(&client, ScopeOptions { attach: Some(address), ..ScopeOptions::default() });
    let tabs = scope.list_tabs(&ctx()).await.expect("tabs");
    assert_eq!(tabs.len(), 1, "{tabs:?}");
    let theirs = tabs[0].tab_id;
    let url = world.site.url("/quiet.html");
    let (ours, acted) = scope.open_tab(&ctx(), Some(&url), &Observe::default()).await.expect("opened");
    assert_eq!(acted.effect.expect("effect").verdict, Verdict::Changed);
    assert_ne!(ours.id(), theirs);
    let tab = scope.tab(&ctx(), Some(theirs)).await.expect("attached");
    assert_eq!(tab.url(), "about:blank");

    world.pool.client_gone(&client);
    let limit = std::time::Instant::now() + Duration::from_secs(30);
    while world.pool.browsers().await > 0 {
        assert!(std::time::Instant::now() < limit, "the connection is still there");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(stranger.runs(), "the browser of somebody else was ended");
}
