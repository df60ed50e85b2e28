//! Files that scripts get: downloads, fetched bytes, pictures for the reader.

use crate::scope::Scope;
use serde_json::json;
use truehand_testkit::fixtures;

#[test]
fn row_077_download_by_event_is_readable_and_whole() {
    let mut scope = Scope::new();
    let got = scope.run(
        "await openTab(origin + '/repl/download.html');
         const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#get').click()]);
         const bytes = await fs.readFile(await download.path());
         await download.saveAs('artifacts/kept/report.csv');
         [download.suggestedFilename(), bytes.length, bytes.toString(), (await fs.stat('artifacts/kept/report.csv')).size]",
    );
    let content = "a,b\n1,2\n";
    assert_eq!(got, json!(["report 2026.csv", content.len(), content, content.len()]));
}

#[test]
fn row_078_bytes_that_are_fetched_are_the_servers() {
    let mut scope = Scope::new();
    let served = std::fs::read(fixtures().join("pages/dot.svg")).unwrap();
    let path = scope.run(
        "await openTab(origin + '/repl/empty.html');
         await fs.writeFile('artifacts/dot.svg', Buffer.from(await (await fetch(origin + '/dot.svg')).arrayBuffer()));
         await fs.resolvePath('artifacts/dot.svg')",
    );
    assert_eq!(std::fs::read(path.as_str().unwrap()).unwrap(), served);
}

#[test]
fn row_079_displayed_picture_is_an_image_of_the_reply() {
    let mut scope = Scope::new();
    let shown = scope.call(
        "await openTab(origin + '/repl/shot.html');
         await display(await page.screenshot());
         await display({ base64Image: (await page.screenshot({ type: 'jpeg' })).toString('base64') });",
    );
    assert!(!shown.is_error, "{}", shown.text);
    let kinds: Vec<&str> = shown.images.iter().map(|image| image.mime_type.as_str()).collect();
    assert_eq!(kinds, ["image/png", "image/jpeg"]);
    assert!(shown.images[0].base64.starts_with("iVBORw0KGgo"), "a PNG");
    let (_, code, message) = scope.fails("await display(Buffer.from('no picture at all'))");
    assert_eq!(code, "ARTIFACT_INVALID", "{message}");
}
