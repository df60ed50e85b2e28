// Cases of Page and Frame: addresses, navigation, content, evaluation, waiting, frames.

//# url and title of an opened page
//@ Page.url Page.title
await open('/repl/empty.html');
equal(page.url(), site.url('/repl/empty.html'));
equal(await page.title(), 'Empty');

//# goto gives the response
//@ Page.goto Response.status Response.ok Response.url Response.statusText
await open('/repl/empty.html');
const response = await page.goto(site.url('/repl/other.html'));
equal(response.status(), 200);
equal(response.ok(), true);
equal(response.url(), site.url('/repl/other.html'));
equal(response.statusText(), 'OK');

//# goto of a missing page gives its response and does not throw
//@ Page.goto
await open('/repl/empty.html');
const missing = await page.goto(site.url('/status/404'));
equal(missing.status(), 404);
equal(missing.ok(), false);
equal(await page.title(), '404 Not Found');

//# goto follows redirects and gives the last response
//@ Page.goto Request.redirectedFrom Request.redirectedTo
await open('/repl/empty.html');
const end = await page.goto(site.url('/redirect?to=/repl/other.html'));
equal(end.url(), site.url('/repl/other.html'));
equal(page.url(), site.url('/repl/other.html'));
const first = end.request().redirectedFrom();
equal(first.url(), site.url('/redirect?to=/repl/other.html'));
ok(first.redirectedTo() === end.request(), 'the chain in both directions');

//# goto of about:blank and of a fragment gives null
//@ Page.goto
await open('/repl/nav.html');
equal(await page.goto(site.url('/repl/nav.html#part')), null);
equal(page.url(), site.url('/repl/nav.html#part'));
equal(await page.goto('about:blank'), null);
equal(page.url(), 'about:blank');

//# goto where nobody listens throws the net error
//@ Page.goto
await open('/repl/empty.html');
await fails(() => page.goto('http://127.0.0.1:1/'), /page\.goto: net::ERR_(CONNECTION_REFUSED|UNSAFE_PORT) at http:\/\/127\.0\.0\.1:1\//);

//# goto times out by its name
//@ Page.goto.timeout errors.TimeoutError
await open('/repl/empty.html');
const late = await fails(() => page.goto(site.url('/never'), { timeout: 300 }), /page\.goto: Timeout 300ms exceeded/);
ok(late instanceof errors.TimeoutError, 'the class');
equal(late.name, 'TimeoutError');

//# goto waits for load and on wish less
//@ Page.goto.waitUntil
await open('/repl/empty.html');
await page.goto(site.url('/repl/slow.html'), { waitUntil: 'load' });
equal(await page.evaluate(() => window.loaded), true);
await page.goto(site.url('/repl/slow.html?2'), { waitUntil: 'commit' });
equal(await page.evaluate(() => window.loaded === true), false);
await page.waitForLoadState();
equal(await page.evaluate(() => window.loaded), true);
await fails(() => page.goto(site.url('/repl/empty.html'), { waitUntil: 'sometime' }), /waitUntil|state: expected one of/);

//# goto with networkidle waits for what the page loads later
//@ Page.goto.waitUntil Page.waitForLoadState
await open('/repl/empty.html');
await page.goto(site.url('/repl/idle.html'), { waitUntil: 'networkidle' });
equal(await page.evaluate(() => window.fetched), 2);

//# goto sends a referer
//@ Page.goto.referer
await open('/repl/empty.html');
const referred = await page.goto(site.url('/api/request'), { referer: 'http://example.test/from' });
equal((await referred.json()).headers.referer, 'http://example.test/from');

//# goto of a data address shows its document
//@ Page.goto
await open('/repl/empty.html');
await page.goto('data:text/html,<title>Data</title><p id=p>one %26 two</p>');
equal(await page.title(), 'Data');
equal(await page.locator('#p').textContent(), 'one & two');

//# goBack and goForward give responses, and null at the ends
//@ Page.goBack Page.goForward
const lone = await context.newPage();
equal(await lone.goBack(), null);
await lone.goto(site.url('/repl/empty.html'));
await lone.goto(site.url('/repl/other.html'));
const back = await lone.goBack();
equal(lone.url(), site.url('/repl/empty.html'));
ok(back === null || back.url() === site.url('/repl/empty.html'), 'the response');
await lone.goForward();
equal(lone.url(), site.url('/repl/other.html'));
equal(await lone.goForward(), null);
await lone.close();

//# reload gives the response and a new document
//@ Page.reload
await open('/repl/empty.html');
await page.evaluate(() => { window.mark = 1; });
const again = await page.reload();
equal(again.url(), site.url('/repl/empty.html'));
equal(await page.evaluate(() => window.mark), undefined);

//# url follows pushState, fragments and location
//@ Page.url
await open('/repl/nav.html');
await page.locator('#push').click();
equal(page.url(), site.url('/repl/pushed?x=1'));
equal(page.url(), await page.evaluate(() => location.href));
await page.evaluate(() => { location.hash = 'here'; });
equal(page.url(), site.url('/repl/pushed?x=1#here'));
await page.evaluate(() => history.replaceState(null, '', '/repl/replaced'));
equal(page.url(), site.url('/repl/replaced'));

//# waitForURL takes a text, a glob, a pattern and a function
//@ Page.waitForURL
await open('/repl/nav.html');
await page.waitForURL('**/nav.html');
await page.locator('#later').click();
await page.waitForURL('**/other.html');
equal(page.url(), site.url('/repl/other.html'));
await page.waitForURL(/other\.html$/);
await page.waitForURL((url) => url.pathname === '/repl/other.html');
await page.waitForURL(site.url('/repl/other.html'));
await fails(() => page.waitForURL('**/nowhere', { timeout: 200 }), /page\.waitForURL: Timeout 200ms exceeded/);

//# waitForNavigation gives the response of what came
//@ Page.waitForNavigation
await open('/repl/nav.html');
const [came] = await Promise.all([page.waitForNavigation(), page.locator('#away').click()]);
equal(came.url(), site.url('/repl/other.html'));

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
//@ Page.waitForEvent Page.waitForEvent.predicate Page.waitForEvent.timeout
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

//# content and setContent
//@ Page.content Page.setContent
await open('/repl/empty.html');
await page.setContent('<!DOCTYPE html><html><head><title>New</title></head><body><p>x</p></body></html>');
equal(await page.content(), '<!DOCTYPE html><html><head><title>New</title></head><body><p>x</p></body></html>');
await page.setContent(`<img src="${site.url('/api/slow?ms=300')}"><script>onload = () => { window.loaded = 1; }</script>`);
equal(await page.evaluate(() => window.loaded), 1);
await fails(() => page.setContent(`<img src="${site.url('/never')}">`, { timeout: 300 }), /page\.setContent: Timeout 300ms exceeded/);

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

//# frames by name and address, with parents and children
//@ Page.frames Page.mainFrame Page.frame Frame.name Frame.url Frame.parentFrame Frame.childFrames Frame.page Frame.isDetached Frame.title
await open('/repl/frames.html');
const main = page.mainFrame();
const inner = page.frame('inner');
equal(page.frames().length, 2);
equal(inner.name(), 'inner');
equal(inner.url(), site.url('/repl/inner.html'));
ok(inner.parentFrame() === main && main.parentFrame() === null, 'parents');
same(main.childFrames().map((f) => f.name()), ['inner']);
ok(page.frame({ url: '**/inner.html' }) === inner && page.frame({ url: /inner/ }) === inner, 'by address');
equal(page.frame('none'), null);
ok(inner.page() === page, 'its page');
equal(await inner.title(), 'Inner');
await page.evaluate(() => document.getElementById('inner').remove());
await until(() => inner.isDetached());
equal(page.frames().length, 1);

//# a frame evaluates, acts and waits in its own document
//@ Frame.evaluate Frame.locator Frame.click Frame.waitForSelector Frame.frameElement Frame.content Frame.goto Frame.$ Frame.getByText Frame.waitForLoadState Frame.setContent
await open('/repl/frames.html');
const child = page.frame('inner');
equal(await child.evaluate(() => document.title), 'Inner');
await child.click('#b');
equal(await child.locator('#b').textContent(), 'pressed');
equal(await child.getByText('pressed').count(), 1);
await child.waitForSelector('.x');
match(await child.content(), 'one');
const owner = await child.frameElement();
equal(await owner.getAttribute('id'), 'inner');
await child.goto(site.url('/repl/other.html'));
equal(child.url(), site.url('/repl/other.html'));
equal(page.url(), site.url('/repl/frames.html'));
equal(await child.title(), 'Other');

//# evaluateInFrame and page.cdp
//@ Page.cdp Page.evaluateInFrame
await open('/repl/frames.html');
equal(await page.evaluateInFrame('inner', () => document.title), 'Inner');
const version = await page.cdp('Runtime.evaluate', { expression: '1 + 1', returnByValue: true });
equal(version.result.value, 2);
await fails(() => page.cdp('Browser.close'), /CDP_METHOD_REFUSED|refused|can't|not/i);

//# events of frames and of the load
//@ Page.on Page.once Page.off Page.removeListener Page.addListener Page.removeAllListeners Page.listenerCount event:load event:domcontentloaded event:framenavigated event:frameattached event:framedetached
await open('/repl/empty.html');
const heard = [];
for (const name of ['load', 'domcontentloaded', 'framenavigated', 'frameattached', 'framedetached']) page.on(name, () => heard.push(name));
let once = 0;
page.once('load', () => { once += 1; });
const taken = () => heard.push('taken');
page.addListener('load', taken);
page.removeListener('load', taken);
page.on('load', taken);
page.off('load', taken);
await page.goto(site.url('/repl/frames.html'));
await page.goto(site.url('/repl/other.html'));
for (const name of ['load', 'domcontentloaded', 'framenavigated', 'frameattached', 'framedetached']) ok(heard.includes(name), name);
equal(heard.includes('taken'), false);
equal(once, 1);
ok(page.listenerCount('load') === 1, 'listeners');
page.removeAllListeners();
equal(page.listenerCount('load'), 0);

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

//# default timeouts
//@ Page.setDefaultTimeout Page.setDefaultNavigationTimeout
await open('/repl/empty.html');
page.setDefaultTimeout(150);
await fails(() => page.waitForSelector('#none'), /Timeout 150ms exceeded/);
page.setDefaultNavigationTimeout(200);
await fails(() => page.goto(site.url('/never')), /Timeout 200ms exceeded/);
page.setDefaultTimeout(30000);
page.setDefaultNavigationTimeout(30000);

//# popups have their opener
//@ event:popup Page.opener
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
//@ Page.close Page.isClosed event:close
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
