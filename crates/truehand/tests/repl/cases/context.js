// Cases of BrowserContext and Browser.

//# pages, newPage and the event
//@ BrowserContext.pages BrowserContext.newPage BrowserContext.on(page) BrowserContext.waitForEvent BrowserContext.browser
await open('/repl/empty.html');
const before = context.pages().length;
const [told, made] = await Promise.all([context.waitForEvent('page'), context.newPage()]);
ok(told === made, 'the same page');
equal(context.pages().length, before + 1);
equal(made.url(), 'about:blank');
ok(page === made, 'the current one');
await made.close();
equal(context.pages().length, before);
await fails(() => context.waitForEvent('page', { timeout: 100 }), /Timeout 100ms exceeded/);

//# browser
//@ Browser.contexts Browser.isConnected Browser.newPage
ok(browser === context.browser(), 'the browser');
same(browser.contexts().length, 1);
equal(browser.isConnected(), true);
const viaBrowser = await browser.newPage();
await viaBrowser.close();
await fails(() => browser.newContext(), /not available here/);

//# cookies are added, read and cleared
//@ BrowserContext.cookies BrowserContext.addCookies BrowserContext.clearCookies
await open('/repl/empty.html');
await context.clearCookies();
await page.goto(site.url('/cookie/set?server=1'));
await context.addCookies([
  { name: 'mine', value: 'two', url: site.url('/') },
  { name: 'other', value: 'three', domain: '127.0.0.1', path: '/repl', httpOnly: true, sameSite: 'Lax', expires: Math.floor(Date.now() / 1000) + 3600 },
]);
const all = await context.cookies();
same(all.map((c) => c.name).sort(), ['mine', 'other', 'server']);
const mine = all.find((c) => c.name === 'mine');
same([mine.value, mine.domain, mine.path, mine.expires, mine.httpOnly, mine.secure], ['two', '127.0.0.1', '/', -1, false, false]);
const other = all.find((c) => c.name === 'other');
same([other.httpOnly, other.sameSite, other.expires > Date.now() / 1000], [true, 'Lax', true]);
same((await context.cookies(site.url('/'))).map((c) => c.name).sort(), ['mine', 'server']);
same((await context.cookies([site.url('/repl/x')])).map((c) => c.name).sort(), ['mine', 'other', 'server']);
same(await context.cookies('http://elsewhere.test/'), []);
equal(await page.evaluate(() => document.cookie.includes('mine=two')), true);
await context.clearCookies({ name: 'mine' });
same((await context.cookies()).map((c) => c.name).sort(), ['other', 'server']);
await context.clearCookies({ name: /^oth/ });
await context.clearCookies();
same(await context.cookies(), []);
await fails(() => context.addCookies([{ name: 'x', value: 'y' }]), /either url or domain/);

//# storage state
//@ BrowserContext.storageState
await open('/repl/empty.html');
await page.goto(site.url('/cookie/set?kept=1'));
await page.evaluate(() => localStorage.setItem('key', 'value'));
const state = await context.storageState({ path: 'artifacts/state.json' });
ok(state.cookies.some((c) => c.name === 'kept' && c.value === '1'), 'the cookie');
same(state.origins, [{ origin: site.origin, localStorage: [{ name: 'key', value: 'value' }] }]);
same(JSON.parse((await fs.readFile('artifacts/state.json')).toString()), state);
await page.evaluate(() => localStorage.clear());
await context.clearCookies();

//# permissions and geolocation
//@ BrowserContext.grantPermissions BrowserContext.clearPermissions BrowserContext.setGeolocation
await open('/repl/empty.html');
await context.grantPermissions(['geolocation']);
equal(await page.evaluate(() => navigator.permissions.query({ name: 'geolocation' }).then((p) => p.state)), 'granted');
await context.setGeolocation({ latitude: 59.95, longitude: 30.31667 });
const place = await page.evaluate(() => new Promise((resolve, reject) => navigator.geolocation.getCurrentPosition((p) => resolve([p.coords.latitude, p.coords.longitude]), reject)));
same(place, [59.95, 30.31667]);
await fails(() => context.setGeolocation({ latitude: 1, longitude: 500 }), /precondition -180/);
await fails(() => context.grantPermissions(['nonsense']), /Unknown permission: nonsense/);
await context.clearPermissions();
equal(await page.evaluate(() => navigator.permissions.query({ name: 'geolocation' }).then((p) => p.state)) === 'granted', false);

//# offline
//@ BrowserContext.setOffline
await open('/repl/empty.html');
await context.setOffline(true);
equal(await page.evaluate(() => navigator.onLine), false);
await fails(() => page.goto(site.url('/repl/other.html')), /ERR_INTERNET_DISCONNECTED/);
await context.setOffline(false);
await page.goto(site.url('/repl/other.html'));
equal(await page.evaluate(() => navigator.onLine), true);

//# settings hold for pages to come
//@ BrowserContext.setGeolocation BrowserContext.addInitScript
await open('/repl/empty.html');
await context.addInitScript((x) => { window.everywhere = x; }, 3);
const later = await context.newPage();
await later.goto(site.url('/repl/empty.html'));
equal(await later.evaluate(() => window.everywhere), 3);
await later.close();

//# protocol sessions
//@ BrowserContext.newCDPSession CDPSession.send CDPSession.detach
await open('/repl/empty.html');
const session = await context.newCDPSession(page);
equal((await session.send('Runtime.evaluate', { expression: '2 + 2', returnByValue: true })).result.value, 4);
await session.detach();
await fails(() => session.send('Runtime.evaluate', { expression: '1' }), /closed/);

//# default timeouts
//@ BrowserContext.setDefaultTimeout BrowserContext.setDefaultNavigationTimeout
await open('/repl/empty.html');
context.setDefaultTimeout(120);
const hasty = await context.newPage();
await fails(() => hasty.waitForSelector('#none'), /Timeout 120ms exceeded/);
context.setDefaultNavigationTimeout(150);
await fails(() => hasty.goto(site.url('/never')), /Timeout 150ms exceeded/);
context.setDefaultTimeout(30000);
context.setDefaultNavigationTimeout(30000);
await hasty.close();

//# what is not here says why
//@ BrowserContext.routeFromHAR BrowserContext.tracing
await open('/repl/empty.html');
await fails(() => context.routeFromHAR('x'), /not available here/);
await fails(() => context.setHTTPCredentials({}), /not available here/);
await fails(() => browser.newBrowserCDPSession(), /not available here/);

//# lists that are empty, and listeners that are removed
//@ BrowserContext.backgroundPages BrowserContext.serviceWorkers BrowserContext.removeAllListeners Browser.version Browser.browserType Browser.removeAllListeners
same([context.backgroundPages(), context.serviceWorkers()], [[], []]);
context.on('page', () => 1);
context.removeAllListeners();
equal(context.listenerCount('page'), 0);
browser.removeAllListeners();
equal(browser.browserType().name(), 'chromium');
match(browser.version(), /^\d+\./);

//# dialogs and failures are heard by the context
//@ BrowserContext.on(dialog) BrowserContext.on(requestfailed) BrowserContext.on(requestfinished)
await open('/repl/empty.html');
const told = [];
context.on('dialog', (dialog) => { told.push(dialog.message()); return dialog.accept(); });
context.on('requestfailed', () => told.push('failed'));
context.on('requestfinished', () => told.push('finished'));
equal(await page.evaluate(() => confirm('for the context')), true);
await page.evaluate(() => fetch('http://127.0.0.1:1/').catch(() => 0));
await page.goto(site.url('/repl/other.html'));
await until(() => told.includes('failed') && told.includes('finished'));
ok(told.includes('for the context'), text(told));
context.removeAllListeners();

//# closing the context closes its tabs
//@ BrowserContext.close BrowserContext.on(close) Browser.close
await open('/repl/empty.html');
let closed = 0;
context.on('close', () => { closed += 1; });
await context.close();
equal(page, null);
equal(closed, 1);
equal(context.pages().length, 0);
