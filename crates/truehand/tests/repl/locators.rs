//! Elements by locator and by reference, from a scope: what finds them, what is done to them, what is said when it can't be.

use crate::{repl, scripted};
use serde_json::Value;
use truehand_testkit::{CallResult, McpClient, Site};

/// A scope with a tab at a page of the site, whose content is then the given one.
fn at(html: &str) -> (Site, McpClient) {
    let site = Site::start_blocking();
    let mut client = scripted();
    let code = format!("await openTab({:?}); await page.setContent({html:?});", site.url("/repl/empty.html"));
    done(&repl(&mut client, &code));
    (site, client)
}

#[track_caller]
fn done(ran: &CallResult) {
    assert!(!ran.is_error, "{}", ran.text);
}

/// The value of a script that must end well.
#[track_caller]
fn value(client: &mut McpClient, code: &str) -> Value {
    let ran = repl(client, code);
    done(&ran);
    ran.structured["value"].clone()
}

/// What a script that must fail says: the code of what it threw, and all of it.
#[track_caller]
fn refused(client: &mut McpClient, code: &str) -> (String, String) {
    let ran = repl(client, code);
    assert!(ran.is_error, "it went well: {}", ran.text);
    let cause = ran.text.lines().find_map(|line| line.strip_prefix("cause: "));
    (cause.unwrap_or_default().to_owned(), ran.text)
}

const LIST: &str = "<ul id=l><li><button onclick=\"window.hit='Anna'\">Call Anna</button></li>\
                    <li><button onclick=\"window.hit='Ben'\">Call Ben</button></li></ul>";

/// Where the reference of a button stands in a snapshot.
const REF: &str = "const refTo = async (name) => new RegExp(`button \"${name}\" \\\\[ref=([^\\\\]]+)\\\\]`).exec((await snapshot(page)).tree)[1];";

#[test]
fn row_054_reference_of_an_earlier_snapshot_is_refused_and_clicks_nothing() {
    let (_site, mut client) = at(LIST);
    done(&repl(&mut client, &format!("{REF} const old = await refTo('Call Anna');")));
    done(&repl(
        &mut client,
        "await page.evaluate(() => { l.innerHTML = `<li><button onclick=\"window.hit='Zoe'\">Call Zoe</button></li>`; }); await snapshot(page);",
    ));
    for code in [
        "await page.locator(old).click()",
        "await page.locator(`aria-ref=${old}`).textContent()",
        "await page.click(old)",
    ] {
        let (code_of, message) = refused(&mut client, code);
        assert_eq!(code_of, "REF_STALE", "{code}: {message}");
    }
    assert_eq!(value(&mut client, "await page.evaluate(() => window.hit ?? null)"), Value::Null);
    let (code, _) = refused(&mut client, "await page.locator('e99999').click()");
    assert_eq!(code, "REF_UNKNOWN");
}

#[test]
fn row_055_reference_of_a_snapshot_is_a_locator() {
    let (_site, mut client) = at(LIST);
    let hit = value(
        &mut client,
        &format!(
            "{REF} await page.locator(await refTo('Call Ben')).click(); await page.evaluate(() => window.hit)"
        ),
    );
    assert_eq!(hit, "Ben");
    let text = value(&mut client, "await page.locator(`aria-ref=${await refTo('Call Anna')}`).textContent()");
    assert_eq!(text, "Call Anna");
}

#[test]
fn row_056_reference_into_a_frame_needs_no_frame_locator() {
    let inner = "<button onclick=&quot;parent.hit='inner'&quot;>Deep</button><input aria-label=Name>";
    let (_site, mut client) = at(&format!("<p>top</p><iframe srcdoc=\"{inner}\"></iframe>"));
    let hit = value(
        &mut client,
        &format!(
            "{REF} await page.frameLocator('iframe').locator('button').waitFor(); const deep = await refTo('Deep'); \
             await page.locator(deep).click(); [deep, await page.evaluate(() => window.hit), await page.locator(deep).textContent()]"
        ),
    );
    assert!(hit[0].as_str().unwrap().starts_with('f'), "{hit}");
    assert_eq!((&hit[1], &hit[2]), (&Value::from("inner"), &Value::from("Deep")));
}

/// A page for one verb that keeps a log of its events, what the script does there, and what must be in the log.
const VERBS: &[(&str, &str, &str)] = &[
    ("<button id=x>go</button>", "await x.click()", "click"),
    ("<input id=x>", "await x.fill('Ada')", "input"),
    ("<input id=x>", "await x.pressSequentially('ab')", "keydown"),
    ("<input id=x>", "await x.press('Enter')", "keydown"),
    ("<input id=x type=checkbox>", "await x.check()", "change"),
    ("<select id=x><option>a</option><option>b</option></select>", "await x.selectOption('b')", "change"),
    ("<button id=x style='margin: 150px'>go</button>", "await x.hover()", "mouseover"),
    (
        "<div id=x draggable=true>drag</div><div id=y style='height:80px;background:#ccc' ondragover='event.preventDefault()'>drop</div>",
        "await x.dragTo(page.locator('#y'))",
        "drop",
    ),
    (
        "<input id=x type=file>",
        "await x.setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') })",
        "change",
    ),
];

#[test]
fn row_061_each_action_comes_to_the_page_as_its_events() {
    let (_site, mut client) = at("<p>x</p>");
    for (html, act, event) in VERBS {
        let code = format!(
            "await page.setContent({html:?}); const x = page.locator('#x'); \
             await page.evaluate(() => {{ window.log = []; for (const type of ['click', 'input', 'keydown', 'change', 'mouseover', 'drop']) \
             document.addEventListener(type, (e) => log.push([type, e.isTrusted]), true); }}); {act}; await page.evaluate(() => window.log)"
        );
        let log = value(&mut client, &code);
        let seen = log.as_array().unwrap().iter().any(|entry| entry[0] == *event);
        assert!(seen, "{act}: {log}");
    }
}

#[test]
fn row_062_role_label_and_text_find_the_one_element_and_refuse_two() {
    let (_site, mut client) = at(
        "<h1>Orders</h1><label>Name <input id=n></label><button id=s>Save</button><button id=d>Delete</button><p id=p>No orders yet</p>",
    );
    let found = value(
        &mut client,
        "const id = (l) => l.getAttribute('id'); [await id(page.getByRole('button', { name: 'save' })), await id(page.getByLabel('Name')), await id(page.getByText('no orders'))]",
    );
    assert_eq!(found, serde_json::json!(["s", "n", "p"]));
    let (code, message) = refused(&mut client, "await page.getByRole('button').click()");
    assert_eq!(code, "AMBIGUOUS");
    let parts = [
        "strict mode violation: getByRole('button') resolved to 2 elements:",
        "1) <button id=\"s\">Save</button> aka getByRole('button', { name: 'Save' })",
        "2) <button id=\"d\">Delete</button> aka getByRole('button', { name: 'Delete' })",
    ];
    for part in parts {
        assert!(message.contains(part), "{part} in {message}");
    }
}

#[test]
fn row_064_code_in_the_page_answers_and_refuses_arguments_that_it_would_lose() {
    let (_site, mut client) = at("<b class=x>one</b>");
    let code = "await page.evaluate(() => { document.title = 'T1'; }); \
                [await page.evaluate(() => document.title), await page.$eval('.x', (el, more) => el.textContent + more, '!')]";
    assert_eq!(value(&mut client, code), serde_json::json!(["T1", "one!"]));
    for code in ["await page.evaluate((a, b) => a, 1, 2)", "await page.$eval('.x', (el, a, b) => a, 1, 2)"] {
        let (_, message) = refused(&mut client, code);
        assert!(
            message.contains("Too many arguments. If you need to pass more than 1 argument"),
            "{code}: {message}"
        );
    }
}

#[test]
fn row_085_as_many_rows_are_extracted_as_the_snapshot_shows_and_a_wrong_selector_is_an_error() {
    let (_site, mut client) = at("<main></main>");
    let code = "await page.evaluate(() => { document.querySelector('main').innerHTML = Array.from({ length: 60 }, (_, i) => `<article><h2>Item ${i + 1}</h2><span class=price>${i} EUR</span></article>`).join(''); }); \
                const { tree } = await snapshot(page); \
                const rows = await page.locator('article').evaluateAll((cards) => cards.map((c) => ({ name: c.querySelector('h2').textContent, price: c.querySelector('.price').textContent }))); \
                [(tree.match(/heading \"Item \\d+\"/g) || []).length, rows.length, await page.getByRole('article').count(), rows[59].name]";
    assert_eq!(value(&mut client, code), serde_json::json!([60, 60, 60, "Item 60"]));
    for typo in ["'artcle['", "'article >'", "'article:hass(b)'"] {
        let (_, message) = refused(&mut client, &format!("await page.locator({typo}).count()"));
        assert!(message.contains("while parsing css selector"), "{typo}: {message}");
    }
}
