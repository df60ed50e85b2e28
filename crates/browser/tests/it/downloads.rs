//! Downloads that never end, grow too big, or are given up: stopped with a reason, and nothing is left of them.

use crate::support::{World, ctx};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;
use truehand_base::CallCtx;
use truehand_browser::{Acted, DownloadLimits, Observe, Tab};

/// A world whose downloads may take so much, and a tab in it.
async fn world(idle: Duration, size: u64) -> (World, Tab) {
    let world = World::with(|c| c.download_limits = DownloadLimits { idle, size }).await;
    let tab = world.open("/quiet.html").await;
    (world, tab)
}

/// How the one download of an action ended.
fn state(acted: &Acted) -> String {
    let downloads = &acted.effect.as_ref().expect("an effect").downloads;
    assert_eq!(downloads.len(), 1, "{downloads:#?}");
    downloads[0].state.clone()
}

/// What lies in the folder of downloads, once nothing is under way there.
async fn left(world: &World) -> Vec<String> {
    let end = Instant::now() + Duration::from_secs(5);
    loop {
        let files: Vec<String> = std::fs::read_dir(world.downloads())
            .map(|all| all.flatten().map(|file| file.file_name().to_string_lossy().into_owned()).collect())
            .unwrap_or_default();
        if files.is_empty() || Instant::now() > end {
            return files;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn download_that_stands_still_is_stopped_with_the_reason_and_leaves_no_file() {
    let (world, tab) = world(Duration::from_millis(700), u64::MAX).await;
    let url = world.site.url("/dl/drip?ms=45000&bytes=5000");
    let patient = Observe { cap: Duration::from_secs(10), ..Observe::default() };
    let acted = tab.navigate(&ctx(), &url, &patient).await.expect("a download");
    assert_eq!(state(&acted), "canceled: nothing came for 0.7 s");
    assert_eq!(left(&world).await, Vec::<String>::new());
    // One that goes on is not touched, however long it takes.
    let url = world.site.url("/dl/drip?ms=300&bytes=50");
    let acted = tab.navigate(&ctx(), &url, &Observe::default()).await.expect("a download");
    assert_eq!(state(&acted), "in_progress");
    world.pool.shutdown().await;
    assert_eq!(left(&world).await, Vec::<String>::new(), "a browser that ends leaves no part of a file");
}

#[tokio::test(flavor = "multi_thread")]
async fn download_over_the_limit_is_stopped_with_the_reason_and_leaves_no_file() {
    let (world, tab) = world(Duration::from_secs(60), 2 << 20).await;
    let url = world.site.url("/dl/drip?ms=20&bytes=500000");
    let patient = Observe { cap: Duration::from_secs(20), ..Observe::default() };
    let acted = tab.navigate(&ctx(), &url, &patient).await.expect("a download");
    assert_eq!(state(&acted), "canceled: it is over the limit of 2 MiB");
    assert_eq!(left(&world).await, Vec::<String>::new());
    let acted = tab.navigate(&ctx(), &world.site.url("/dl"), &Observe::default()).await.expect("a download");
    assert_eq!(state(&acted), "completed", "the next one works");
    world.pool.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn download_whose_call_is_cancelled_or_whose_tab_is_closed_is_stopped() {
    let (world, tab) = world(Duration::from_secs(60), u64::MAX).await;
    let url = world.site.url("/dl/drip?ms=100&bytes=5000");
    let cancel = CancellationToken::new();
    let cancelled = CallCtx::with_timeout(Duration::from_secs(30)).cancelled_by(cancel.clone());
    let patient = Observe { cap: Duration::from_secs(20), ..Observe::default() };
    let start = Instant::now();
    let (_, ()) = tokio::join!(tab.navigate(&cancelled, &url, &patient), async {
        world.site.wait_for("GET", "/dl/drip", 1).await;
        tokio::time::sleep(Duration::from_millis(500)).await;
        cancel.cancel();
    });
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    assert_eq!(left(&world).await, Vec::<String>::new());

    let scope = world.scope();
    let (tab, acted) = scope.open_tab(&ctx(), Some(&url), &Observe::default()).await.expect("opened");
    assert_eq!(state(&acted), "in_progress");
    scope.close_tab(&ctx(), Some(tab.id())).await.expect("closed");
    assert_eq!(left(&world).await, Vec::<String>::new());
    world.pool.shutdown().await;
}
