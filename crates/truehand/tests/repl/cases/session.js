// Cases of what a session has beside Playwright's API: tabs, snapshots, references, coordinates, tools, help.

//# openTab completes addresses and makes the tab the current one
//@ Session.openTab Session.page Session.tabs Session.closeTab
const first = await openTab(`127.0.0.1:${site.port}/repl/other.html`);
ok(page === first, 'the current page');
equal(page.url(), site.url('/repl/other.html'));
const second = await openTab(site.url('/repl/empty.html'));
ok(page === second && tabs.length === 2, 'two tabs');
await closeTab(second);
ok(page === first && tabs.length === 1, 'the one before');
await closeTab(first);
equal(page, null);
equal(tabs.length, 0);
await fails(() => closeTab(first), /not tracked in this session/);
await fails(() => snapshot(), /No active page/);

//# tabs by their target
//@ Session.listBrowserTabs Session.attachBrowserTab Session.attachActiveBrowserTab Session.getTabByTargetId Page.targetId
await openTab(site.url('/repl/other.html'));
const listed = await listBrowserTabs();
const row = listed.find((tab) => tab.targetId === page.targetId);
same([row.url, row.title], [site.url('/repl/other.html'), 'Other']);
match(row.id, /^tab:/);
ok(getTabByTargetId(page.targetId) === page, 'by target');
ok((await attachBrowserTab(page.targetId)) === page, 'attached already');
await fails(() => attachBrowserTab('nonsense'), /No open browser tab found for targetId nonsense/);
ok((await attachActiveBrowserTab()) === page, 'the active one');

//# a snapshot has a tree, references and a difference
//@ Session.snapshot Page.locator
await show('<h1>Title</h1><button onclick="list.append(Object.assign(document.createElement(\'li\'), { textContent: \'row \' + list.children.length }))">Add</button><p>plain</p><ul id=list></ul>');
const seen = await snapshot(page);
match(seen.tree, 'heading "Title"');
match(seen.tree, 'plain');
equal(seen.diff, null);
const [ref, about] = Object.entries(seen.refs).find(([, r]) => r.name === 'Add');
equal(about.role, 'button');
await page.locator(ref).click();
const after = await snapshot(page);
match(after.diff, '+');
match(after.diff, 'row 0');
equal(after.diff.includes('plain'), false);
const short = await snapshot(page, { interactive: true });
equal(short.tree.includes('plain'), false);
match(short.tree, 'button "Add"');
const part = await snapshot(page, { selector: '#list' });
equal(part.tree.includes('Add'), false);
const cut = await snapshot(page, { maxChars: 60 });
match(cut.tree, 'cut at 60');

//# an annotated picture
//@ Session.annotatedScreenshot Session.display
await show('<button style="position:absolute;left:40px;top:50px;width:80px;height:40px">Go</button>');
const { base64Image, refs } = await annotatedScreenshot(page);
ok(Object.values(refs).some((r) => r.name === 'Go'), 'refs');
equal(Buffer.from(base64Image, 'base64')[0], 0x89);
await display({ base64Image });
await display(`data:image/png;base64,${base64Image}`);
await fails(() => display('bm9uc2Vuc2U='), /no picture/);
await fails(() => display(Buffer.from(base64Image, 'base64').subarray(0, 200)), /cut off/);

//# coordinates
//@ Session.cua
await show(`<button id=b style="position:absolute;left:40px;top:50px;width:80px;height:40px" onclick="this.textContent = 'hit'">Go</button><input id=i style="position:absolute;left:40px;top:120px">
  <div style="height:3000px"></div>`);
await cua.click({ x: 80, y: 70, button: 'left' });
equal(await page.textContent('#b'), 'hit');
await cua.click({ x: 60, y: 130 });
await cua.type({ text: 'hello' });
equal(await page.inputValue('#i'), 'hello');
await cua.keypress({ keys: ['ctrl', 'a'] });
await cua.keypress({ keys: ['backspace'] });
equal(await page.inputValue('#i'), '');
await cua.move({ x: 10, y: 10 });
await cua.scroll({ x: 200, y: 200, scrollX: 0, scrollY: 200 });
await page.waitForFunction(() => scrollY === 200);
equal(Buffer.from(await cua.getVisibleScreenshot(), 'base64')[0], 0x89);
await fails(() => cua.click({ x: 'a' }), /pixels of the viewport/);

//# a drag along a path draws, and a double click is one
//@ Session.cua
await show(`<canvas id=c width=300 height=200 style="position:absolute;left:0;top:0"></canvas><script>
  const g = c.getContext('2d'); let on = false; window.moves = 0; window.dbl = 0;
  c.onmousedown = (e) => { on = true; g.moveTo(e.offsetX, e.offsetY); };
  c.onmousemove = (e) => { if (!on) return; window.moves += 1; g.lineTo(e.offsetX, e.offsetY); g.stroke(); };
  c.onmouseup = () => { on = false; }; c.ondblclick = () => { window.dbl += 1; };</script>`);
await cua.drag({ path: [{ x: 20, y: 20 }, { x: 120, y: 20 }, [120, 120]] });
ok((await page.evaluate(() => window.moves)) >= 2, 'moves');
ok(await page.evaluate(() => c.getContext('2d').getImageData(60, 20, 1, 1).data[3] > 0), 'drawn');
await cua.doubleClick({ x: 200, y: 150 });
equal(await page.evaluate(() => window.dbl), 1);

//# tools by name
//@ Session.tools Session.effect
await show('<button id=b onclick="this.textContent = \'done\'">Go</button>');
const read = await tools.browser_read({ interactive: true });
const target = /\[ref=(e\d+)\]/.exec(read.text)[1];
const clicked = await tools.click({ ref: target });
equal(clicked.page_effect.verdict, 'changed');
equal(effect.verdict, 'changed');
ok(Object.keys(tools).includes('browser_click') && Object.keys(tools).includes('click'), 'listed');
await fails(() => tools.click({ ref: 'e99999' }), /./);

//# help tells of everything
//@ Session.help
help();
help(page);
help('locator.click');
help('page.goto');
help(tools);
help(cua);
help('nothing.of.this.kind');

//# scripts that are installed once
//@ Session.installPageScript
await open('/repl/empty.html');
await installPageScript(page, 'count', () => { window.count = (window.count || 0) + 1; });
await installPageScript(page, 'count', () => { window.count = (window.count || 0) + 1; });
equal(await page.evaluate(() => window.count), 1);
await page.goto(site.url('/repl/other.html'));
await installPageScript(page, 'count', () => { window.count = (window.count || 0) + 1; });
equal(await page.evaluate(() => window.count), 1);

//# performance is told as JSON
//@ Page.evaluate
await open('/repl/other.html');
const timing = await page.evaluate(() => performance.getEntriesByType('navigation')[0].toJSON());
ok(timing.type === 'navigate' && timing.responseEnd > 0, text(timing));
ok(Array.isArray(await page.evaluate(() => performance.getEntriesByType('paint').map((p) => p.toJSON()))), 'paint');
