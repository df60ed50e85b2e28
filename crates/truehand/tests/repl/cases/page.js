// Cases of Page: waiting, evaluation, selectors, events, settings, what scripts give to pages.

//# waitForFunction gives a handle of what became true
//@ Page.waitForFunction
await open('/repl/empty.html');
await page.evaluate(() => { setTimeout(() => { window.result = { n: 5 }; }, 150); });
const handle = await page.waitForFunction(() => window.result);
same(await handle.jsonValue(), { n: 5 });
const sum = await page.waitForFunction((limit) => window.result.n > limit, 4, { polling: 50 });
equal(await sum.jsonValue(), true);
await fails(() => page.waitForFunction(() => false, undefined, { timeout: 200 }), /page\.waitForFunction: Timeout 200ms exceeded/);

//# waitForSelector gives an element, null for what is gone, and times out
//@ Page.waitForSelector
await show('<p id=there>x</p><script>setTimeout(() => { document.body.append(Object.assign(document.createElement("b"), { id: "late", textContent: "late" })); }, 200); setTimeout(() => document.getElementById("there").remove(), 300);</script>');
const element = await page.waitForSelector('#late');
equal(await element.textContent(), 'late');
equal(await page.waitForSelector('#there', { state: 'detached' }), null);
equal(await page.waitForSelector('#never', { state: 'hidden' }), null);
await fails(() => page.waitForSelector('#never', { timeout: 200 }), /Timeout 200ms exceeded/);

//# waitForTimeout and sleep wait
//@ Page.waitForTimeout
await open('/repl/empty.html');
const before = Date.now();
await page.waitForTimeout(120);
ok(Date.now() - before >= 110, 'the time');

//# waitForEvent takes a predicate and an object, and ends when the page is closed
//@ Page.waitForEvent Page.waitForEvent(predicate) Page.waitForEvent(timeout)
await open('/repl/empty.html');
const message = page.waitForEvent('console', (m) => m.text() === 'second');
await page.evaluate(() => { console.log('first'); console.log('second'); });
equal((await message).text(), 'second');
const asked = page.waitForEvent('console', { predicate: async (m) => m.text() === 'b', timeout: 2000 });
await page.evaluate(() => { console.log('a'); console.log('b'); });
equal((await asked).text(), 'b');
await fails(() => page.waitForEvent('console', { timeout: 100 }), /page\.waitForEvent: Timeout 100ms exceeded while waiting for event "console"/);
const other = await context.newPage();
const never = other.waitForEvent('popup');
await Promise.all([fails(never, /has been closed/), other.close()]);

//# evaluate takes expressions, functions and one argument
//@ Page.evaluate
await open('/repl/empty.html');
equal(await page.evaluate('1 + 2'), 3);
equal(await page.evaluate(() => document.title), 'Empty');
equal(await page.evaluate(({ a, b }) => a * b, { a: 6, b: 7 }), 42);
equal(await page.evaluate(async (x) => { await null; return x; }, 'later'), 'later');
await fails(() => page.evaluate((a, b) => a + b, 1, 2), /Too many arguments/);
await fails(() => page.evaluate(() => { throw new Error('mine'); }), /page\.evaluate: Error: mine/);

//# evaluateHandle keeps an object of the page
//@ Page.evaluateHandle
await open('/repl/empty.html');
const object = await page.evaluateHandle(() => ({ a: { b: 1 } }));
equal(await page.evaluate((o) => o.a.b, object), 1);
await object.dispose();

//# $, $$, $eval and $$eval
//@ Page.$ Page.$$ Page.$eval Page.$$eval
await open('/repl/inner.html');
equal(await (await page.$('#b')).textContent(), 'inside');
equal(await page.$('#none'), null);
equal((await page.$$('.x')).length, 2);
equal(await page.$eval('.x', (el, more) => el.textContent + more, '!'), 'one!');
same(await page.$$eval('.x', (list) => list.map((el) => el.textContent)), ['one', 'two']);
await fails(() => page.$eval('#none', (el) => el), /failed to find element/i);

//# addScriptTag and addStyleTag by content and by address
//@ Page.addScriptTag Page.addStyleTag
await open('/repl/empty.html');
const tag = await page.addScriptTag({ content: 'window.added = 35;' });
ok(tag.asElement(), 'an element');
equal(await page.evaluate(() => window.added), 35);
await page.addStyleTag({ content: 'body { color: rgb(1, 2, 3) }' });
equal(await page.evaluate(() => getComputedStyle(document.body).color), 'rgb(1, 2, 3)');
await page.addStyleTag({ url: '/repl/traffic.css' });
equal(await page.evaluate(() => getComputedStyle(document.body).color), 'rgb(0, 0, 0)');
await fails(() => page.addScriptTag({ url: '/status/404' }), /Failed to load script at/);
await fails(() => page.addScriptTag({}), /Provide an object with/);

//# the methods by selector act on the first match
//@ Page.click Page.dblclick Page.fill Page.type Page.press Page.check Page.uncheck Page.setChecked Page.hover Page.focus Page.selectOption Page.dispatchEvent
await show(`<input id=name><input type=checkbox id=box><select id=pick><option value=a>A<option value=b>B</select>
  <button onclick="log.push('click ' + event.detail)" ondblclick="log.push('dbl')" onmouseover="log.push('over')">one</button><button>two</button>
  <script>var log = []; document.getElementById('name').addEventListener('mine', (e) => log.push('mine'));</script>`);
await page.click('button');
await page.dblclick('button');
await page.fill('#name', 'Ada');
await page.focus('#name');
await page.press('#name', 'End');
await page.type('#name', ' L');
equal(await page.inputValue('#name'), 'Ada L');
await page.check('#box');
equal(await page.isChecked('#box'), true);
await page.uncheck('#box');
await page.setChecked('#box', true);
equal(await page.isChecked('#box'), true);
same(await page.selectOption('#pick', 'b'), ['b']);
await page.dispatchEvent('#name', 'mine');
await page.hover('button');
const log = await page.evaluate(() => window.log);
ok(log.includes('click 1') && log.includes('dbl') && log.includes('mine') && log.includes('over'), text(log));
await fails(() => page.click('button', { strict: true }), /strict mode violation/);

//# the readings by selector
//@ Page.textContent Page.innerText Page.innerHTML Page.inputValue Page.getAttribute Page.isVisible Page.isHidden Page.isEnabled Page.isDisabled Page.isEditable Page.isChecked
await show('<p id=p title=tip>a <b>b</b></p><input id=i value=v><button disabled>x</button><i hidden>h</i>');
equal(await page.textContent('#p'), 'a b');
equal(await page.innerText('#p'), 'a b');
equal(await page.innerHTML('#p'), 'a <b>b</b>');
equal(await page.inputValue('#i'), 'v');
equal(await page.getAttribute('#p', 'title'), 'tip');
equal(await page.getAttribute('#p', 'none'), null);
equal(await page.isVisible('#p'), true);
equal(await page.isVisible('#none'), false);
equal(await page.isHidden('i'), true);
equal(await page.isDisabled('button'), true);
equal(await page.isEnabled('#i'), true);
equal(await page.isEditable('#i'), true);

//# evaluateInFrame and page.cdp
//@ Page.cdp Page.evaluateInFrame
await open('/repl/frames.html');
equal(await page.evaluateInFrame('inner', () => document.title), 'Inner');
const version = await page.cdp('Runtime.evaluate', { expression: '1 + 1', returnByValue: true });
equal(version.result.value, 2);
await fails(() => page.cdp('Browser.close'), /CDP_METHOD_REFUSED|refused|can't|not/i);

//# an error in a handler is told and does not stop the others
//@ Page.on
await open('/repl/empty.html');
let reached = false;
page.on('console', () => { throw new Error('bad handler'); });
page.on('console', () => { reached = true; });
await page.evaluate(() => console.log('x'));
await until(() => reached);

//# viewport size and media
//@ Page.setViewportSize Page.viewportSize Page.emulateMedia
await open('/repl/empty.html');
await page.setViewportSize({ width: 640, height: 480 });
same(page.viewportSize(), { width: 640, height: 480 });
same(await page.evaluate(() => [innerWidth, innerHeight]), [640, 480]);
await page.emulateMedia({ media: 'print', colorScheme: 'dark', reducedMotion: 'reduce' });
same(await page.evaluate(() => ['print', '(prefers-color-scheme: dark)', '(prefers-reduced-motion: reduce)'].map((q) => matchMedia(q).matches)), [true, true, true]);
await page.emulateMedia({ media: null, colorScheme: null, reducedMotion: null });
equal(await page.evaluate(() => matchMedia('screen').matches), true);
await page.setViewportSize({ width: 1280, height: 720 });

//# popups have their opener
//@ Page.on(popup) Page.opener
await open('/repl/nav.html');
const [popup] = await Promise.all([page.waitForEvent('popup'), page.evaluate(() => { window.open('/repl/other.html'); })]);
await popup.waitForLoadState();
equal(popup.url(), site.url('/repl/other.html'));
ok((await popup.opener()) === page, 'the opener');
equal(await page.opener(), null);
ok(context.pages().includes(popup) && tabs.includes(popup), 'among the pages');
await popup.close();
equal(popup.isClosed(), true);

//# close and its event
//@ Page.close Page.isClosed Page.on(close)
const second = await context.newPage();
let closed = 0;
second.on('close', () => { closed += 1; });
equal(second.isClosed(), false);
await second.close();
await second.close();
equal(second.isClosed(), true);
equal(closed, 1);
await fails(() => second.title(), /closed|UNKNOWN_TAB|TAB_CLOSED/i);

//# context and bringToFront
//@ Page.context Page.bringToFront Page.request Page.video Page.workers
await open('/repl/empty.html');
ok(page.context() === context, 'its context');
ok(page.request === context.request, 'its request');
await page.bringToFront();
equal(page.video(), null);
same(page.workers(), []);

//# init scripts run before the page's own
//@ Page.addInitScript BrowserContext.addInitScript
const fresh = await context.newPage();
await fresh.addInitScript(() => { window.early = 1; });
await fresh.addInitScript((n) => { window.given = n; }, 7);
await fresh.addInitScript('window.texted = true');
await fresh.goto(site.url('/repl/slow.html'), { waitUntil: 'commit' });
same(await fresh.evaluate(() => [window.early, window.given, window.texted]), [1, 7, true]);
await fresh.close();

//# exposed functions and bindings
//@ Page.exposeFunction Page.exposeBinding BrowserContext.exposeFunction BrowserContext.exposeBinding
await open('/repl/empty.html');
await page.exposeFunction('add', (a, b) => a + b);
equal(await page.evaluate(() => window.add(2, 3)), 5);
await page.exposeFunction('slowly', async (x) => { await sleep(20); return { x }; });
same(await page.evaluate(() => window.slowly('y')), { x: 'y' });
await page.exposeFunction('broken', () => { throw new Error('from the scope'); });
equal(await page.evaluate(() => window.broken().catch((e) => e.message)), 'from the scope');
let source = null;
await page.exposeBinding('who', (from, x) => { source = from; return x; });
equal(await page.evaluate(() => window.who(1)), 1);
ok(source.page === page && source.frame === page.mainFrame() && source.context === context, 'the source');
await fails(() => page.exposeFunction('add', () => 1), /already registered/);
await page.reload();
equal(await page.evaluate(() => window.add(4, 5)), 9);
await context.exposeFunction('everywhere', () => 'yes');
const next = await context.newPage();
await next.goto(site.url('/repl/empty.html'));
equal(await next.evaluate(() => window.everywhere()), 'yes');
await next.close();

//# what is not here says why
//@ Page.pause
await open('/repl/empty.html');
await fails(() => page.pause(), /not available here/);
await fails(() => page.routeFromHAR('x.har'), /not available here/);

//# garbage is collected on wish
//@ Page.requestGC
await open('/repl/empty.html');
await page.requestGC();

//# drag and drop by selectors
//@ Page.dragAndDrop
await show(`<div id=from draggable=true style="width:50px;height:50px;background:red">from</div><div id=to style="width:100px;height:100px;margin-top:50px;background:#ccc">to</div>
  <script>to.ondragover = (e) => e.preventDefault(); to.ondrop = (e) => { e.preventDefault(); to.textContent = 'dropped'; };</script>`);
await page.dragAndDrop('#from', '#to');
equal(await page.textContent('#to'), 'dropped');

//# what gets into the way is handled before an act
//@ Page.addLocatorHandler Page.removeLocatorHandler Page.addLocatorHandler(times) Page.addLocatorHandler(noWaitAfter)
await show(`<button id=go onclick="document.title = 'went'">Go</button><div id=cover style="display:none;position:fixed;inset:0;background:#ccc"><button id=close onclick="cover.style.display = 'none'">Close</button></div>`);
let handled = 0;
await page.addLocatorHandler(page.locator('#cover'), async (cover) => { handled += 1; await cover.locator('#close').click(); });
await page.evaluate(() => { document.getElementById('cover').style.display = 'block'; });
await page.click('#go');
equal(await page.title(), 'went');
equal(handled, 1);
await page.removeLocatorHandler(page.locator('#cover'));
await page.evaluate(() => { document.getElementById('cover').style.display = 'block'; });
await fails(() => page.click('#go', { timeout: 400 }), /Timeout 400ms exceeded/);
equal(handled, 1);

//# keyboard, mouse and touchscreen of a page; tap and files by selector
//@ Page.keyboard Page.mouse Page.touchscreen Page.tap Page.setInputFiles
await show('<input type=file id=f><div id=d style="width:100px;height:100px;background:#eee" ontouchstart="document.title = \'touched\'"></div>');
ok(page.keyboard.press && page.mouse.click && page.touchscreen.tap, 'they are there');
await page.tap('#d');
await until(async () => (await page.title()) === 'touched');
await page.setInputFiles('#f', { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('abc') });
equal(await page.evaluate(() => document.getElementById('f').files[0].name), 'a.txt');

//# what is kept can be cleared
//@ Page.clearConsoleMessages Page.clearPageErrors
await open('/repl/empty.html');
await page.consoleMessages();
await page.evaluate(() => console.log('once'));
ok((await page.consoleMessages()).some((m) => m.text() === 'once'), 'kept');
await page.clearConsoleMessages();
await page.clearPageErrors();
equal((await page.consoleMessages()).length, 0);
equal((await page.pageErrors()).length, 0);

//# locators find inside locators
//@ Locator.getByRole Locator.getByText Locator.getByLabel Locator.getByPlaceholder Locator.getByAltText Locator.getByTitle Locator.getByTestId
await show('<div id=in><button>B</button><label>L <input placeholder=P title=T></label><img alt=A><i data-testid=I>text</i></div><button>B</button>');
const within = page.locator('#in');
for (const locator of [within.getByRole('button'), within.getByText('text'), within.getByLabel('L'), within.getByPlaceholder('P'), within.getByAltText('A'), within.getByTitle('T'), within.getByTestId('I')]) equal(await locator.count(), 1, String(locator));
