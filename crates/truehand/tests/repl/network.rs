//! What scripts hear of traffic, what they may ask servers, and what they read of a page's state.

use crate::scope::Scope;
use serde_json::json;

#[test]
fn row_065_console_is_captured_with_its_level() {
    let mut scope = Scope::new();
    let heard = scope.run(
        "await openTab(origin + '/repl/empty.html');
         const heard = [];
         page.on('console', (message) => heard.push([message.type(), message.text()]));
         await page.evaluate(() => { console.warn('sentinel', 7); console.log('plain'); });
         heard",
    );
    assert_eq!(heard, json!([["warning", "sentinel 7"], ["log", "plain"]]));
}

#[test]
fn row_066_network_is_captured_with_its_status() {
    let mut scope = Scope::new();
    let heard = scope.run(
        "await openTab(origin + '/repl/traffic.html');
         const sent = [], got = [];
         page.on('request', (request) => sent.push(`${request.method()} ${new URL(request.url()).pathname} ${request.resourceType()}`));
         page.on('response', (response) => got.push(`${response.status()} ${new URL(response.url()).pathname}`));
         await page.reload();
         await page.evaluate(() => fetch('/status/404'));
         ({ sent: sent.sort(), got: got.sort() })",
    );
    for (list, wanted) in [
        ("sent", ["GET /repl/traffic.html document", "GET /status/404 fetch"]),
        ("got", ["200 /repl/traffic.html", "404 /status/404"]),
    ] {
        for line in wanted {
            assert!(heard[list].as_array().unwrap().contains(&json!(line)), "{line} is not in {heard}");
        }
    }
}

#[test]
fn row_067_cookies_and_storage_are_read_and_stay_out_of_the_traces() {
    let mut scope = Scope::among(&["mcp", "--allow", "js"], &[("TRUEHAND_TRACE", "1")]);
    let secret = "c00kie-value-that-is-nobodys-business";
    let read = scope.run(&format!(
        "await openTab(origin + '/cookie/set?session={secret}');
         await page.evaluate(() => localStorage.setItem('theme', 'dark'));
         const state = await context.storageState();
         ({{ cookies: (await context.cookies()).map((c) => [c.name, c.value]), keys: state.origins[0].localStorage.map((i) => i.name),
            names: await page.evaluate(() => Object.keys(localStorage)) }})"
    ));
    assert_eq!(read, json!({ "cookies": [["session", secret]], "keys": ["theme"], "names": ["theme"] }));
    // What was read is the script's; the log of the calls has none of it. The address of the page is another matter.
    let home = scope.client.home().path().to_owned();
    let traces = files_below(&home).into_iter().filter(|path| path.to_string_lossy().contains("trace"));
    let lines: Vec<String> = traces
        .filter_map(|path| std::fs::read_to_string(path).ok())
        .flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    assert!(!lines.is_empty(), "there are traces below {}", home.display());
    let telling: Vec<&String> =
        lines.iter().filter(|line| line.contains(secret) && !line.contains("/cookie/set")).collect();
    assert!(telling.is_empty(), "{telling:#?}");
}

fn files_below(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .flat_map(|entry| if entry.path().is_dir() { files_below(&entry.path()) } else { vec![entry.path()] })
        .collect()
}

#[test]
fn row_068_performance_entries_are_json() {
    let mut scope = Scope::new();
    let read = scope.run(
        "await openTab(origin + '/repl/other.html');
         await page.screenshot();
         const read = await page.evaluate(() => ({
           navigation: performance.getEntriesByType('navigation').map((entry) => entry.toJSON()),
           paint: performance.getEntriesByType('paint').map((entry) => entry.toJSON()),
         }));
         ({ name: read.navigation[0].name, took: read.navigation[0].duration > 0, paint: read.paint.map((entry) => entry.name) })",
    );
    assert_eq!((&read["name"], &read["took"]), (&json!(scope.site.url("/repl/other.html")), &json!(true)));
    assert!(read["paint"].as_array().unwrap().contains(&json!("first-paint")), "{read}");
}

#[test]
fn row_072_fetch_sends_the_browsers_cookies() {
    let mut scope = Scope::new();
    let seen = scope.run(
        "await openTab(origin + '/cookie/set?mine=1');
         const told = await (await fetch(origin + '/api/request')).json();
         const bare = await (await fetch(origin + '/api/request', { credentials: 'omit' })).json();
         [told.headers.cookie, bare.headers.cookie ?? null, told.headers['user-agent'] === await page.evaluate(() => navigator.userAgent)]",
    );
    assert_eq!(seen, json!(["mine=1", null, true]));
}

#[test]
fn row_073_fetch_elsewhere_and_with_other_methods_needs_a_yes() {
    let post = "await fetch(other + '/api/request', { method: 'POST', body: 'x' })";
    let mut scope = Scope::new();
    let (_, code, message) = scope.fails(post);
    assert_eq!(code, "PRIVATE_ADDRESS", "{message}");
    scope.run("await openTab(other + '/repl/empty.html'); await openTab(origin + '/repl/empty.html')");
    assert_eq!(scope.run("(await fetch(origin + '/api/ping')).status"), 200);
    assert_eq!(scope.run("(await fetch(origin + '/api/ping', { method: 'HEAD' })).status"), 200);
    let (_, code, message) = scope.fails(post);
    assert!(matches!(code.as_str(), "APPROVAL_REQUIRED" | "POLICY_DENIED"), "{code} {message}");
    assert_eq!(scope.site.count("POST", "/api/request"), 0);
    // What a script in the page may send, a script beside it may send too; without a yes for the one the other asks.
    let own = "(await fetch(origin + '/api/request', { method: 'POST', body: 'x' })).status";
    assert_eq!(scope.run(own), 200);
    let mut careful = Scope::with(&["mcp"]);
    careful.run("await openTab(origin + '/repl/empty.html')");
    let (_, code, _) = careful.fails(own);
    assert!(matches!(code.as_str(), "APPROVAL_REQUIRED" | "POLICY_DENIED"), "{code}");
    assert_eq!(careful.site.count("POST", "/api/request"), 0);

    let mut allowed = Scope::with(&["mcp", "--allow", "js", "--allow", "fetch"]);
    allowed.run("await openTab(origin + '/repl/empty.html')");
    assert_eq!(
        allowed
            .run("(await (await fetch(origin + '/api/request', { method: 'POST', body: 'x' })).json()).body"),
        "x"
    );
    assert_eq!(allowed.site.count("POST", "/api/request"), 1);
}
