//! What scripts see of a page, and how they picture it, wait for it and act on it by coordinates.

use crate::begun;
use crate::scope::Scope;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;
use std::sync::Arc;
use truehand_testkit::{Home, family, until};

/// Shows a document on the page of the scope.
fn show(scope: &mut Scope, html: &str) {
    scope.run(&format!(
        "if (!page) await openTab(origin + '/repl/empty.html'); await page.setContent({})",
        json!(html)
    ));
}

/// What a page of the fixtures says of a picture: its size, and the colours at points.
const SEE: &str = "async function see(bytes, points) {
  const seer = await context.newPage();
  await seer.goto(origin + '/repl/pixels.html');
  const seen = await seer.evaluate(({ base64, points }) => pixels(base64, points), { base64: Buffer.from(bytes).toString('base64'), points });
  await seer.close();
  return seen;
}";

#[test]
fn row_048_snapshot_has_the_page_its_text_and_references() {
    let mut scope = Scope::new();
    show(&mut scope, "<title>Shop</title><h1>Cart</h1><button>Buy</button><p>Three items</p>");
    let seen = scope.run("const { tree, refs } = await snapshot(page); [tree, Object.values(refs)]");
    let tree = seen[0].as_str().unwrap();
    for part in [
        "Shop",
        &scope.site.url("/repl/empty.html"),
        "heading \"Cart\"",
        "button \"Buy\" [ref=e",
        "Three items",
    ] {
        assert!(tree.contains(part), "{part} is not in\n{tree}");
    }
    assert!(seen[1].as_array().unwrap().contains(&json!({ "role": "button", "name": "Buy" })), "{seen}");
}

#[test]
fn row_049_snapshot_reaches_below_the_view_and_into_frames() {
    let mut scope = Scope::new();
    show(
        &mut scope,
        "<div style='height:5000px'></div><button>Far down</button><iframe srcdoc='<button>In a frame</button>'></iframe>",
    );
    scope.run("await page.frameLocator('iframe').locator('button').waitFor()");
    let tree = scope.run("(await snapshot(page)).tree");
    let tree = tree.as_str().unwrap();
    assert!(tree.contains("button \"Far down\""), "{tree}");
    let inner = tree.lines().find(|line| line.contains("In a frame")).unwrap_or_else(|| panic!("{tree}"));
    assert!(inner.contains("[ref=f1e"), "{inner}");
}

#[test]
fn row_050_interactive_snapshot_is_of_what_can_be_acted_on() {
    let mut scope = Scope::new();
    show(&mut scope, "<p>A long paragraph</p><button>Go</button><input aria-label='Name'>");
    let tree = scope.run("(await snapshot(page, { interactive: true })).tree");
    let tree = tree.as_str().unwrap();
    assert!(
        tree.contains("button \"Go\"") && tree.contains("textbox \"Name\"") && !tree.contains("paragraph"),
        "{tree}"
    );
}

#[test]
fn row_051_hidden_elements_are_shown_on_wish_only() {
    let mut scope = Scope::new();
    show(&mut scope, "<button>Seen</button><div aria-hidden='true'><button>Unheard</button></div>");
    let trees = scope.run("[(await snapshot(page)).tree, (await snapshot(page, { showHidden: true })).tree]");
    assert!(!trees[0].as_str().unwrap().contains("Unheard"), "{trees}");
    assert!(trees[1].as_str().unwrap().contains("Unheard"), "{trees}");
}

#[test]
fn row_052_snapshot_is_cut_to_a_reference_or_a_selector() {
    let mut scope = Scope::new();
    show(
        &mut scope,
        "<button>Outside</button><div role='dialog' aria-label='Sure?' id='d'><button>Yes</button></div>",
    );
    let trees = scope.run(
        "const whole = await snapshot(page);
         const ref = Object.entries(whole.refs).find(([, about]) => about.role === 'dialog')[0];
         [(await snapshot(page, { selector: '#d' })).tree, (await snapshot(page, { ref })).tree]",
    );
    for tree in trees.as_array().unwrap() {
        let tree = tree.as_str().unwrap();
        assert!(tree.contains("button \"Yes\"") && !tree.contains("Outside"), "{tree}");
    }
    let (_, _, message) = scope.fails("await snapshot(page, { selector: '#nowhere' })");
    assert!(message.contains("#nowhere"), "{message}");
}

#[test]
fn row_053_difference_of_a_snapshot_is_the_row_that_came() {
    let mut scope = Scope::new();
    let rows: String = (0..20).map(|n| format!("<li>row {n}</li>")).collect();
    show(
        &mut scope,
        &format!(
            "<button onclick=\"list.append(Object.assign(document.createElement('li'), {{ textContent: 'new row' }}))\">Add</button><ul id=list>{rows}</ul>"
        ),
    );
    let seen = scope.run(
        "const first = await snapshot(page);
         await page.locator('button').click();
         const second = await snapshot(page);
         const third = await snapshot(page);
         [first.diff, second.diff, third.diff, second.tree.includes('row 7')]",
    );
    assert_eq!((&seen[0], &seen[2], &seen[3]), (&json!(null), &json!(""), &json!(true)));
    let lines: Vec<&str> = seen[1].as_str().unwrap().lines().collect();
    assert!(lines.len() == 1 && lines[0].starts_with('+') && lines[0].contains("new row"), "{lines:?}");
}

#[test]
fn row_057_annotated_picture_has_the_references_of_the_snapshot() {
    let mut scope = Scope::new();
    show(
        &mut scope,
        "<body style='margin:0;background:#fff'><button style='position:absolute;left:100px;top:80px;width:120px;height:40px;border:0;background:#00f'>Go</button>",
    );
    let seen = scope.run(&format!(
        "{SEE}
         const {{ base64Image, refs }} = await annotatedScreenshot(page);
         const plain = await page.screenshot();
         const corner = [[101, 100]];
         ({{ names: Object.values(refs).map((r) => r.name), same: Object.keys(refs).every((ref) => ref in refs) && Object.keys((await snapshot(page, {{ interactive: true }})).refs).join() === Object.keys(refs).join(),
            marked: (await see(Buffer.from(base64Image, 'base64'), corner)).at[0], plain: (await see(plain, corner)).at[0],
            left: await page.evaluate(() => document.querySelectorAll('truehand-glass').length) }})"
    ));
    assert_eq!((&seen["names"], &seen["same"], &seen["left"]), (&json!(["Go"]), &json!(true), &json!(0)));
    assert_eq!(seen["plain"], json!([0, 0, 255, 255]), "a picture after it shows the page alone");
    assert_ne!(seen["marked"], seen["plain"], "the edge of the button is drawn on");
}

#[test]
fn row_058_pictures_have_the_size_and_content_that_was_asked() {
    let mut scope = Scope::new();
    let seen = scope.run(&format!(
        "{SEE}
         await openTab(origin + '/repl/shot.html');
         await page.setViewportSize({{ width: 500, height: 400 }});
         await page.screenshot({{ path: 'artifacts/whole.png', fullPage: true }});
         const whole = await fs.readFile('artifacts/whole.png');
         const clip = await page.screenshot({{ clip: {{ x: 10, y: 20, width: 40, height: 30 }} }});
         [[...whole.subarray(0, 4)], await see(whole, [[5, 2950]]), await see(clip, [[5, 5], [15, 15]]), await page.evaluate(() => document.documentElement.scrollHeight)]"
    ));
    assert_eq!(seen[0], json!([0x89, 0x50, 0x4e, 0x47]));
    assert_eq!(seen[1], json!({ "width": 500, "height": seen[3], "at": [[0, 255, 0, 255]] }));
    assert_eq!(seen[2], json!({ "width": 40, "height": 30, "at": [[255, 255, 255, 255], [255, 0, 0, 255]] }));
}

#[test]
fn row_059_picture_of_an_element_is_of_nothing_else_at_twice_the_pixels() {
    let mut scope = Scope::new();
    let seen = scope.run(&format!(
        "{SEE}
         await openTab(origin + '/repl/shot.html');
         await page.cdp('Emulation.setDeviceMetricsOverride', {{ width: 500, height: 400, deviceScaleFactor: 2, mobile: false }});
         await see(await page.locator('#red').screenshot(), [[0, 0], [199, 0], [0, 119], [199, 119]])"
    ));
    let red = json!([255, 0, 0, 255]);
    assert_eq!(seen, json!({ "width": 200, "height": 120, "at": [red, red, red, red] }));
}

#[test]
fn row_060_pdf_has_the_paper_that_was_asked() {
    let mut scope = Scope::new();
    let seen = scope.run(
        "await openTab(origin + '/repl/shot.html');
         await page.pdf({ path: 'artifacts/a.pdf', format: 'A4' });
         const text = (await fs.readFile('artifacts/a.pdf')).toString('latin1');
         [text.slice(0, 5), /\\/MediaBox\\s*\\[\\s*0 0 ([\\d.]+) ([\\d.]+)/.exec(text).slice(1).map(Number)]",
    );
    assert_eq!(seen[0], "%PDF-");
    // A4 is 595.3 by 841.9 points, and papers are whole pixels.
    for (side, wanted) in [(0, 595.3), (1, 841.9)] {
        let side = seen[1][side].as_f64().unwrap();
        assert!((side - wanted).abs() < 1.5, "{seen}");
    }
}

#[test]
fn row_063_waits_end_with_what_they_waited_for_or_say_their_name() {
    let mut scope = Scope::new();
    show(
        &mut scope,
        "<script>setTimeout(() => { document.body.append(Object.assign(document.createElement('b'), { id: 'late' })); history.pushState({}, '', '/late'); console.log('late'); }, 300)</script>",
    );
    let seen = scope.run(
        "const [element, message] = await Promise.all([page.waitForSelector('#late', { state: 'attached' }), page.waitForEvent('console'), page.waitForURL('**/late'), page.waitForLoadState('load')]);
         [element !== null, message.text(), page.url().endsWith('/late')]",
    );
    assert_eq!(seen, json!([true, "late", true]));
    for wait in [
        "page.waitForSelector('#never', { timeout: 200 })",
        "page.waitForURL('**/never', { timeout: 200 })",
        "page.waitForEvent('popup', { timeout: 200 })",
    ] {
        let (name, _, message) = scope.fails(&format!("await {wait}"));
        assert_eq!(name, "TimeoutError", "{wait}");
        assert!(message.contains("200ms exceeded"), "{message}");
    }
}

#[test]
fn row_069_address_of_a_page_follows_what_the_page_does() {
    let mut scope = Scope::new();
    let same = scope.run(
        "await openTab(origin + '/repl/nav.html');
         const both = async () => page.url() === await page.evaluate(() => location.href) ? page.url().replace(origin, '') : 'differs';
         const seen = [await both()];
         await page.locator('#push').click(); seen.push(page.url().replace(origin, ''), await both());
         await page.evaluate(() => { location.hash = 'part'; }); seen.push(await both());
         await page.evaluate(() => history.back()); await page.waitForURL('**/pushed?x=1'); seen.push(await both());
         seen",
    );
    assert_eq!(
        same,
        json!([
            "/repl/nav.html",
            "/repl/pushed?x=1",
            "/repl/pushed?x=1",
            "/repl/pushed?x=1#part",
            "/repl/pushed?x=1"
        ])
    );
}

#[test]
fn row_070_sleep_takes_its_time() {
    let mut scope = Scope::new();
    let took = scope.run("const begun = Date.now(); await sleep(250); Date.now() - begun").as_f64().unwrap();
    assert!((240.0..5_000.0).contains(&took), "{took}");
}

#[test]
fn row_071_wait_for_timeout_waits_as_well() {
    let mut scope = Scope::new();
    let took = scope.run("await openTab(origin + '/repl/empty.html'); const begun = Date.now(); await page.waitForTimeout(150); Date.now() - begun");
    assert!(took.as_f64().unwrap() >= 140.0, "{took}");
    let help = scope.call("help('sleep')");
    assert!(help.text.contains("sleep(ms)"), "{}", help.text);
}

#[test]
fn row_082_coordinates_click_and_draw() {
    let mut scope = Scope::new();
    show(
        &mut scope,
        "<button id=b style='position:absolute;left:40px;top:250px;width:80px;height:40px' onclick=\"document.title = 'hit ' + event.isTrusted\">Go</button>
         <canvas id=c width=300 height=200 style='position:absolute;left:0;top:0'></canvas><script>
         const g = c.getContext('2d'); let on = false;
         c.onmousedown = (e) => { on = true; g.moveTo(e.offsetX, e.offsetY); };
         c.onmousemove = (e) => { if (on) { g.lineTo(e.offsetX, e.offsetY); g.stroke(); } };
         c.onmouseup = () => { on = false; };</script>",
    );
    let seen = scope.run(
        "const box = await page.locator('#b').boundingBox();
         await cua.click({ x: box.x + box.width / 2, y: box.y + box.height / 2 });
         await cua.drag({ path: [{ x: 20, y: 20 }, { x: 120, y: 20 }, { x: 120, y: 120 }] });
         [await page.title(), await page.evaluate(() => [[60, 20], [120, 80], [60, 80]].map(([x, y]) => c.getContext('2d').getImageData(x, y, 1, 1).data[3] > 0))]",
    );
    assert_eq!(seen, json!(["hit true", [true, true, false]]));
}

/// The processes that draw the pages of this client's browser.
fn renderers(home: &Home) -> Vec<u32> {
    let daemon = std::fs::read_to_string(home.join("run/daemon.pid")).unwrap();
    let command = |pid: &u32| std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let mut found = family(daemon.trim().parse().unwrap());
    found.retain(|pid| command(pid).contains("--type=renderer"));
    found
}

//@ Page.on(crash)
#[test]
fn page_that_crashes_is_told_to_the_script() {
    let mut scope = Scope::new();
    scope.run("await openTab(origin + '/repl/other.html'); let crashes = 0; page.on('crash', () => { crashes += 1; })");
    let waiting = scope.client.begin_call(
        "repl",
        json!({ "title": "a crash", "code": "const coming = page.waitForEvent('crash'); await page.title(); await fs.writeFile('tmp/begun', ''); await coming; crashes" }),
    );
    let home = Arc::clone(scope.client.home());
    until("the script's waiting", || begun(&home));
    for pid in renderers(&home) {
        // One that has ended by itself is gone as well.
        let _gone = kill(Pid::from_raw(pid.try_into().unwrap()), Signal::SIGKILL);
    }
    let ended = scope.client.end_call(waiting);
    assert!(!ended.is_error && ended.structured["value"] == 1, "{}", ended.text);
    assert_eq!(scope.run("await page.reload(); await page.title()"), "Other");
}

/// The tools that scripts reach by name are those of the product.
#[test]
fn tools_of_a_scope_are_those_of_the_catalog() {
    let mut scope = Scope::new();
    let named = scope.run("Object.keys(tools)");
    let named: Vec<&str> = named.as_array().unwrap().iter().filter_map(|name| name.as_str()).collect();
    let catalog = truehand_tools::catalog();
    let wanted = catalog.tools.iter().map(|tool| tool.name.as_str());
    let missing: Vec<&str> = wanted
        .filter(|name| name.starts_with("browser_") || *name == "navigate_page")
        .filter(|name| !named.contains(name))
        .collect();
    assert!(missing.is_empty(), "{missing:?} are not in 86-tools.js");
    let known =
        |name: &&&str| catalog.find(name).is_some() || catalog.find(&format!("browser_{name}")).is_some();
    let strange: Vec<&&str> = named.iter().filter(|name| !known(name)).collect();
    assert!(strange.is_empty(), "{strange:?} are no tools");
}
