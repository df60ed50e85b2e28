//! Tabs of a session: opened, attached, listed, closed.

use crate::scope::Scope;
use serde_json::{Value, json};

#[test]
fn row_039_page_is_null_until_a_tab_is_opened() {
    let mut scope = Scope::new();
    assert_eq!(scope.run("[page === null, typeof page, tabs.length]"), json!([true, "object", 0]));
    let (_, _, message) = scope.fails("await page.title()");
    assert!(message.contains("openTab") || message.contains("null"), "{message}");
    assert_eq!(scope.run("await openTab(origin + '/repl/other.html'); page !== null"), true);
}

#[test]
fn row_040_opened_tab_is_usable_and_the_current_page() {
    let mut scope = Scope::new();
    let seen = scope.run(
        "const opened = await openTab(origin + '/repl/slow-script.html');
         [await page.locator('#marker').textContent(), tabs.length, page === opened, tabs[0] === opened]",
    );
    assert_eq!(seen, json!(["marker", 1, true, true]));
    // Addresses as people write them.
    let port = scope.site.port();
    let url = scope.run(&format!("(await openTab('localhost:{port}/repl/other.html')).url()"));
    assert_eq!(url, scope.site.other_host_url("/repl/other.html"));
    let (_, _, message) = scope.fails("await openTab('127.0.0.1:1/')");
    assert!(message.contains("net::ERR_"), "{message}");
    assert_eq!(scope.run("tabs.length"), 2, "a tab that did not load is closed again");
}

#[test]
fn row_041_closed_tab_is_gone_and_page_is_the_one_before() {
    let mut scope = Scope::new();
    scope.run("const a = await openTab(origin + '/repl/other.html'); const b = await openTab(origin + '/repl/empty.html')");
    assert_eq!(scope.addresses().len(), 2);
    assert_eq!(
        scope.run("await closeTab(b); [page === a, tabs.length, b.isClosed()]"),
        json!([true, 1, true])
    );
    assert_eq!(scope.addresses(), [scope.site.url("/repl/other.html")]);
    assert_eq!(scope.run("await closeTab(page); [page, tabs.length]"), json!([null, 0]));
    assert!(scope.addresses().is_empty());
}

#[test]
fn row_042_borrowed_tab_is_given_back_and_never_closed() {
    let mut scope = Scope::new();
    let url = scope.site.url("/repl/other.html");
    scope.tool("browser_new_tab", json!({ "url": url }));
    scope.run(
        "const [lent] = await listBrowserTabs(); await attachBrowserTab(lent.targetId); await closeTab(page)",
    );
    assert_eq!(scope.run("[page, tabs.length]"), json!([null, 0]));
    assert_eq!(scope.addresses(), std::slice::from_ref(&url));
    // Neither does the end of a scope take it along.
    scope.run("await attachBrowserTab(lent.targetId)");
    let fresh = scope.client.call("repl", json!({ "title": "anew", "code": "page", "fresh": true }));
    assert!(!fresh.is_error, "{}", fresh.text);
    assert_eq!(scope.addresses(), [url]);
}

#[test]
fn row_043_open_tabs_are_listed_without_attaching() {
    let mut scope = Scope::new();
    let urls = ["/repl/other.html", "/repl/empty.html"].map(|path| scope.site.url(path));
    for url in &urls {
        scope.tool("browser_new_tab", json!({ "url": url }));
    }
    // The browser tells titles a moment after the documents.
    scope.run("for (let i = 0; i < 50 && (await listBrowserTabs()).some(({ title }) => title.includes('/')); i++) await sleep(100)");
    let listed = scope.run("(await listBrowserTabs()).map(({ url, title, targetId, active }) => ({ url, title, target: targetId.length > 8, active }))");
    assert_eq!(
        listed,
        json!([
            { "url": urls[0], "title": "Other", "target": true, "active": false },
            { "url": urls[1], "title": "Empty", "target": true, "active": true },
        ])
    );
    assert_eq!(scope.run("[page, tabs.length]"), json!([null, 0]));
}

#[test]
fn row_044_tab_is_attached_by_its_target() {
    let mut scope = Scope::new();
    for path in ["/repl/other.html", "/repl/empty.html"] {
        let url = scope.site.url(path);
        scope.tool("browser_new_tab", json!({ "url": url }));
    }
    let attached = scope.run(
        "const other = (await listBrowserTabs()).find((tab) => tab.title === 'Other');
         const lent = await attachBrowserTab(other.targetId);
         [page === lent, page.url(), await page.title(), getTabByTargetId(other.targetId) === lent]",
    );
    assert_eq!(attached, json!([true, scope.site.url("/repl/other.html"), "Other", true]));
    let (_, code, message) = scope.fails("await attachBrowserTab('nowhere')");
    assert_eq!(
        (code.as_str(), message.contains("No open browser tab found for targetId")),
        ("UNKNOWN_TAB", true)
    );
}

#[test]
fn row_045_active_tab_is_attached_and_none_is_a_named_error() {
    let mut scope = Scope::new();
    let (_, code, message) = scope.fails("await attachActiveBrowserTab()");
    assert_eq!(code, "NO_ACTIVE_TAB", "{message}");
    for path in ["/repl/other.html", "/repl/empty.html"] {
        let url = scope.site.url(path);
        scope.tool("browser_new_tab", json!({ "url": url }));
    }
    assert_eq!(scope.run("(await attachActiveBrowserTab()).url()"), scope.site.url("/repl/empty.html"));
}

#[test]
fn row_046_tab_has_one_target_in_lists_and_as_page() {
    let mut scope = Scope::new();
    let same = scope.run(
        "await openTab(origin + '/repl/other.html');
         const [listed] = await listBrowserTabs();
         const { targetInfo } = { targetInfo: listed };
         await page.goto(other + '/repl/empty.html');
         const [after] = await listBrowserTabs();
         [page.targetId === listed.targetId, page.targetId === after.targetId, page.targetId.length > 8]",
    );
    assert_eq!(same, json!([true, true, true]));
}

#[test]
fn row_047_tabs_are_those_of_the_session() {
    let mut scope = Scope::new();
    let url = scope.site.url("/repl/other.html");
    scope.tool("browser_new_tab", json!({ "url": url }));
    assert_eq!(
        scope.run("await openTab(origin + '/repl/empty.html'); [tabs.map((tab) => tab.url()), (await listBrowserTabs()).length]"),
        json!([[scope.site.url("/repl/empty.html")], 2])
    );
}

#[test]
fn row_081_tabs_opened_at_once_are_four_and_not_mixed_up() {
    let mut scope = Scope::new();
    let seen = scope.run(
        "const paths = ['/repl/empty.html', '/repl/other.html', '/repl/inner.html', '/repl/nav.html'];
         const opened = await Promise.all(paths.map((path) => openTab(origin + path)));
         ({ targets: new Set(opened.map((tab) => tab.targetId)).size, urls: opened.map((tab) => tab.url()),
            titles: await Promise.all(opened.map((tab) => tab.title())), tabs: tabs.length, current: opened.includes(page) })",
    );
    let urls: Vec<Value> = ["/repl/empty.html", "/repl/other.html", "/repl/inner.html", "/repl/nav.html"]
        .map(|path| scope.site.url(path).into())
        .into();
    assert_eq!(
        seen,
        json!({ "targets": 4, "urls": urls, "titles": ["Empty", "Other", "Inner", "Nav"], "tabs": 4, "current": true })
    );
}
