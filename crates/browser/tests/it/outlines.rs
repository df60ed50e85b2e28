//! Readings of fixture pages against the texts that belong beside them. `UPDATE=1` rewrites the texts.

use crate::support::{World, ctx};
use truehand_browser::ReadOptions;

#[tokio::test(flavor = "multi_thread")]
async fn outline_of_every_fixture_page_is_as_written() {
    let world = World::new().await;
    let folder = truehand_testkit::fixtures().join("pages").join("outline");
    let mut pages: Vec<_> = std::fs::read_dir(&folder)
        .expect("fixtures")
        .filter_map(|e| e.expect("entry").file_name().into_string().ok())
        .filter(|n| n.ends_with(".html"))
        .collect();
    pages.sort();
    assert!(pages.len() >= 10, "too few outline fixtures: {pages:?}");
    let mut wrong = Vec::new();
    for page in pages {
        let tab = world.open(&format!("/outline/{page}")).await;
        let options = ReadOptions { budget: 100_000, ..ReadOptions::default() };
        let reading = tab.read(&ctx(), None, &options).await.expect("read");
        let file = folder.join(page.replace(".html", ".outline.txt"));
        let got = format!("{}\n", reading.text.trim_end());
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&file, &got).expect("written");
        }
        let expected = std::fs::read_to_string(&file).unwrap_or_default();
        if expected != got {
            wrong.push(format!("== {page}: expected\n{expected}-- got\n{got}"));
        }
    }
    world.pool.shutdown().await;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
