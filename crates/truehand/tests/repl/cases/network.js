// Cases of Request, Response, Route, WebSocket and what pages tell of their traffic.

//# request and response events of a page and of a fetch
//@ Page.on(request) Page.on(response) Page.on(requestfinished) Request.url Request.method Request.resourceType Request.isNavigationRequest Request.frame Response.request Response.frame
await open('/repl/empty.html');
const requests = [];
const responses = [];
const finished = [];
page.on('request', (r) => requests.push(r));
page.on('response', (r) => responses.push(r));
page.on('requestfinished', (r) => finished.push(r));
await page.goto(site.url('/repl/traffic.html'));
await page.locator('#get').click();
await page.waitForFunction(() => document.getElementById('out').textContent === 'GET');
await until(() => finished.some((r) => r.url().includes('/api/request')));
const document = requests.find((r) => r.isNavigationRequest());
equal(document.url(), site.url('/repl/traffic.html'));
equal(document.resourceType(), 'document');
ok(document.frame() === page.mainFrame(), 'its frame');
const asked = requests.find((r) => r.url().includes('/api/request'));
equal(asked.method(), 'GET');
equal(asked.resourceType(), 'fetch');
equal(asked.isNavigationRequest(), false);
equal(requests.find((r) => r.url().endsWith('.css')).resourceType(), 'stylesheet');
const answer = responses.find((r) => r.url().includes('/api/request'));
ok(answer.request() === asked, 'its request');
ok(answer.frame() === page.mainFrame(), 'the frame of the response');
equal(answer.status(), 200);

//# waitForRequest and waitForResponse
//@ Page.waitForRequest Page.waitForResponse
await open('/repl/traffic.html');
const [sent, got] = await Promise.all([page.waitForRequest('**/api/request'), page.waitForResponse((r) => r.url().includes('/api/request')), page.click('#post')]);
equal(sent.method(), 'POST');
equal(got.status(), 200);
const [pattern] = await Promise.all([page.waitForRequest(/api\/request\?a=1/), page.click('#get')]);
equal(pattern.url(), site.url('/api/request?a=1'));
await fails(() => page.waitForResponse('**/never', { timeout: 100 }), /page\.waitForResponse: Timeout 100ms exceeded/);

//# post data and headers of a request
//@ Request.postData Request.postDataJSON Request.postDataBuffer Request.headers Request.allHeaders Request.headerValue Request.headersArray
await open('/repl/traffic.html');
const [posted] = await Promise.all([page.waitForRequest('**/api/request'), page.click('#post')]);
equal(posted.postData(), '{"a":1}');
same(posted.postDataJSON(), { a: 1 });
equal(posted.postDataBuffer().toString(), '{"a":1}');
equal(posted.headers()['x-mine'], 'yes');
await posted.response();
equal((await posted.allHeaders())['content-type'], 'application/json');
equal(await posted.headerValue('X-Mine'), 'yes');
ok((await posted.headersArray()).some((h) => h.name.toLowerCase() === 'x-mine' && h.value === 'yes'), 'the list');

//# body, text, json and headers of a response
//@ Response.body Response.text Response.json Response.headers Response.allHeaders Response.headerValue Response.headersArray Response.headerValues Response.finished Request.response
await open('/repl/empty.html');
const page_ = await page.goto(site.url('/repl/other.html'));
match(await page_.text(), '<h1>Other</h1>');
match((await page_.body()).toString(), '<h1>Other</h1>');
equal(page_.headers()['content-type'], 'text/html; charset=utf-8');
equal(await page_.headerValue('Content-Type'), 'text/html; charset=utf-8');
equal((await page_.allHeaders())['cache-control'], 'no-store');
same(await page_.headerValues('cache-control'), ['no-store']);
ok((await page_.headersArray()).length > 2, 'the list');
equal(await page_.finished(), null);
const told = await page.goto(site.url('/api/request?x=1'));
equal((await told.json()).query, 'x=1');
ok((await told.request().response()) === told, 'back again');

//# cookies that are set come apart
//@ Response.headerValues
await open('/repl/empty.html');
const both = await page.goto(site.url('/cookie/set?a=1&b=2'));
equal((await both.headerValues('set-cookie')).length, 2);
await context.clearCookies();

//# address, security, timing and sizes
//@ Response.serverAddr Response.securityDetails Response.fromServiceWorker Request.timing Request.sizes
await open('/repl/empty.html');
const measured = await page.goto(site.url('/repl/other.html'));
const address = await measured.serverAddr();
equal(address.port, site.port);
equal(await measured.securityDetails(), null);
equal(measured.fromServiceWorker(), false);
await measured.finished();
ok(measured.request().timing().responseStart >= 0, 'timing');
const sizes = await measured.request().sizes();
ok(sizes.responseBodySize > 0 && sizes.requestHeadersSize > 0, text(sizes));

//# a request that fails says how
//@ Page.on(requestfailed) Request.failure
await open('/repl/empty.html');
const [failed] = await Promise.all([page.waitForEvent('requestfailed'), page.evaluate(() => fetch('http://127.0.0.1:1/x').catch(() => null))]);
match(failed.failure().errorText, /net::ERR_/);
const fine = await page.goto(site.url('/repl/other.html'));
equal(fine.request().failure(), null);

//# route fulfils with text, status, headers and type
//@ Page.route Route.fulfill Route.request Page.unroute
await open('/repl/empty.html');
await page.route('**/api/mine', (route) => route.fulfill({ status: 201, contentType: 'text/plain', headers: { 'x-made': 'up' }, body: 'made up' }));
const made = await page.evaluate(() => fetch('/api/mine').then(async (r) => [r.status, r.headers.get('x-made'), r.headers.get('content-type'), await r.text()]));
same(made, [201, 'up', 'text/plain', 'made up']);
await page.unroute('**/api/mine');
equal(await page.evaluate(() => fetch('/api/mine').then((r) => r.status)), 404);

//# route fulfils with json, a file and bytes
//@ Route.fulfill
await open('/repl/empty.html');
await fs.writeFile('artifacts/answer.json', '{"from":"file"}');
await page.route('**/json', (route) => route.fulfill({ json: { a: [1, 2] } }));
await page.route('**/file', (route) => route.fulfill({ path: 'artifacts/answer.json' }));
await page.route('**/bytes', (route) => route.fulfill({ body: Buffer.from([1, 2, 250]) }));
same(await page.evaluate(() => fetch('/json').then((r) => r.json())), { a: [1, 2] });
same(await page.evaluate(() => fetch('/file').then(async (r) => [r.headers.get('content-type'), await r.json()])), ['application/json', { from: 'file' }]);
same(await page.evaluate(() => fetch('/bytes').then(async (r) => [...new Uint8Array(await r.arrayBuffer())])), [1, 2, 250]);

//# route of a document
//@ Page.route
await open('/repl/empty.html');
await page.route('**/whole.html', (route) => route.fulfill({ contentType: 'text/html', body: '<title>Mine</title><p>mine</p>' }));
const whole = await page.goto(site.url('/whole.html'));
equal(whole.status(), 200);
equal(await page.title(), 'Mine');

//# route aborts
//@ Route.abort
await open('/repl/empty.html');
await page.route('**/gone', (route) => route.abort());
await page.route('**/refused', (route) => route.abort('connectionrefused'));
const [aborted] = await Promise.all([page.waitForEvent('requestfailed'), page.evaluate(() => fetch('/gone').catch((e) => e.message))]);
match(aborted.failure().errorText, /net::ERR_FAILED/);
const [refused] = await Promise.all([page.waitForEvent('requestfailed'), page.evaluate(() => fetch('/refused').catch(() => null))]);
match(refused.failure().errorText, /ERR_CONNECTION_REFUSED/);

//# route continues with changes
//@ Route.continue
await open('/repl/empty.html');
await page.route('**/api/request*', (route) => route.continue({ method: 'POST', headers: { ...route.request().headers(), 'x-changed': '1' }, postData: 'changed' }));
const changed = await page.evaluate(() => fetch('/api/request').then((r) => r.json()));
same([changed.method, changed.headers['x-changed'], changed.body], ['POST', '1', 'changed']);
await page.unrouteAll();
await page.route('**/elsewhere', (route) => route.continue({ url: route.request().url().replace('elsewhere', 'api/request') }));
equal((await page.evaluate(() => fetch('/elsewhere').then((r) => r.json()))).path, '/api/request');

//# route falls back to earlier handlers, the latest first
//@ Route.fallback Page.unrouteAll BrowserContext.route BrowserContext.unroute BrowserContext.unrouteAll
await open('/repl/empty.html');
const order = [];
await context.route('**/api/request', (route) => { order.push('context'); return route.continue(); });
await page.route('**/api/request', (route) => { order.push('first'); return route.fallback(); });
await page.route('**/api/request', (route) => { order.push('second'); return route.fallback({ headers: { 'x-fell': 'back' } }); });
const fell = await page.evaluate(() => fetch('/api/request').then((r) => r.json()));
same(order, ['second', 'first', 'context']);
equal(fell.headers['x-fell'], 'back');
await context.unrouteAll();

//# route fetches, and the answer can be changed
//@ Route.fetch
await open('/repl/empty.html');
await page.route('**/api/request', async (route) => {
  const response = await route.fetch();
  const json = await response.json();
  json.added = response.status();
  await route.fulfill({ response, json });
});
const patched = await page.evaluate(() => fetch('/api/request').then((r) => r.json()));
same([patched.method, patched.added], ['GET', 200]);

//# route only so many times
//@ Page.route(times)
await open('/repl/empty.html');
await page.route('**/api/ping', (route) => route.fulfill({ body: 'mine' }), { times: 1 });
equal(await page.evaluate(() => fetch('/api/ping').then((r) => r.text())), 'mine');
equal(await page.evaluate(() => fetch('/api/ping').then((r) => r.text())), 'ok');

//# route by pattern and by function
//@ Page.route
await open('/repl/empty.html');
await page.route(/\/api\/p.ng$/, (route) => route.fulfill({ body: 'pattern' }));
await page.route((url) => url.searchParams.has('mine'), (route) => route.fulfill({ body: 'function' }));
equal(await page.evaluate(() => fetch('/api/ping').then((r) => r.text())), 'pattern');
equal(await page.evaluate(() => fetch('/anything?mine=1').then((r) => r.text())), 'function');

//# a route is answered once only
//@ Route.fulfill
await open('/repl/empty.html');
let twice = null;
await page.route('**/api/ping', async (route) => {
  await route.fulfill({ body: 'x' });
  twice = await route.continue().catch((e) => e.message);
});
await page.evaluate(() => fetch('/api/ping').then((r) => r.text()));
match(await until(() => twice), /already handled/);

//# a request of a routed page to another origin may be read
//@ Route.fulfill
await open('/repl/empty.html');
await page.route('http://elsewhere.test/**', (route) => route.fulfill({ json: { far: true } }));
same(await page.evaluate(() => fetch('http://elsewhere.test/data').then((r) => r.json())), { far: true });

//# globs
//@ Page.waitForURL
await open('/repl/nav.html');
for (const glob of ['**/nav.html', '**/{nav,other}.html', site.url('/repl/*.html'), '**/repl/**', site.url('/**')]) await page.waitForURL(glob, { timeout: 500 });
for (const glob of ['**/*.htm', site.url('/*.html'), '*/nav.html']) await fails(() => page.waitForURL(glob, { timeout: 60 }), /Timeout/, glob);

//# headers for every request
//@ Page.setExtraHTTPHeaders BrowserContext.setExtraHTTPHeaders
await open('/repl/empty.html');
await page.setExtraHTTPHeaders({ 'x-page': 'one' });
equal((await (await page.goto(site.url('/api/request'))).json()).headers['x-page'], 'one');
await fails(() => page.setExtraHTTPHeaders({ n: 1 }), /to be String/);
await context.setExtraHTTPHeaders({ 'x-all': 'two' });
const with_ = await context.newPage();
equal((await (await with_.goto(site.url('/api/request'))).json()).headers['x-all'], 'two');
await with_.close();
await context.setExtraHTTPHeaders({});
await page.setExtraHTTPHeaders({});

//# events of the context
//@ BrowserContext.on BrowserContext.on(request) BrowserContext.on(response) BrowserContext.on(console)
await open('/repl/empty.html');
const seen = new Set();
const hear = (name) => () => seen.add(name);
const names = ['request', 'response', 'requestfinished', 'console'];
const listeners = names.map((name) => [name, hear(name)]);
for (const [name, listener] of listeners) context.on(name, listener);
await page.goto(site.url('/repl/other.html'));
await page.evaluate(() => console.log('x'));
for (const [name, listener] of listeners) {
  await until(() => seen.has(name));
  context.off(name, listener);
}

//# sockets tell what goes over them
//@ Page.on(websocket) WebSocket.url WebSocket.isClosed WebSocket.waitForEvent WebSocket.on(framesent) WebSocket.on(framereceived) WebSocket.on(close)
await open('/repl/empty.html');
const [socket] = await Promise.all([page.waitForEvent('websocket'), page.evaluate((url) => { window.ws = new WebSocket(url); }, site.url('/ws').replace('http', 'ws'))]);
equal(socket.url(), site.url('/ws').replace('http', 'ws'));
equal(socket.isClosed(), false);
const out = socket.waitForEvent('framesent');
const back = socket.waitForEvent('framereceived', (frame) => frame.payload === 'echo: hello');
await page.evaluate(() => new Promise((resolve) => { const go = () => { window.ws.send('hello'); resolve(); }; if (window.ws.readyState === 1) go(); else window.ws.onopen = go; }));
equal((await out).payload, 'hello');
equal((await back).payload, 'echo: hello');
const closing = socket.waitForEvent('close');
await page.evaluate(() => window.ws.close());
await closing;
equal(socket.isClosed(), true);

//# what pages said and asked is kept
//@ Page.consoleMessages Page.pageErrors Page.requests
await open('/repl/empty.html');
await page.consoleMessages();
await page.evaluate(() => { console.log('kept'); setTimeout(() => { throw new Error('kept error'); }, 0); });
await until(async () => (await page.consoleMessages()).some((m) => m.text() === 'kept'));
await until(async () => (await page.pageErrors()).some((e) => e.message === 'kept error'));
ok((await page.requests()).some((r) => r.url() === site.url('/repl/empty.html')), 'requests');

//# a socket that fails, and what no request has
//@ WebSocket.on(socketerror) Request.serviceWorker
await open('/repl/empty.html');
const [broken] = await Promise.all([page.waitForEvent('websocket'), page.evaluate((url) => { window.bad = new WebSocket(url); }, site.url('/status/404').replace('http', 'ws'))]);
const failure = await Promise.race([new Promise((resolve) => broken.on('socketerror', resolve)), until(() => broken.isClosed()).then(() => 'closed')]);
ok(failure, 'an error');
const plain = await page.goto(site.url('/repl/other.html'));
equal(plain.request().serviceWorker(), null);

//# a route sees the first address of a redirect only
//@ Page.route
await open('/repl/empty.html');
const held = [];
await page.route('**/*', (route) => {
  held.push(new URL(route.request().url()).pathname);
  return route.continue();
});
await page.goto(site.url('/redirect?to=/repl/other.html'));
equal(page.url(), site.url('/repl/other.html'));
same(held.filter((path) => path !== '/favicon.ico' && !path.endsWith('.css')), ['/redirect']);

//# a fetched request follows redirects, and none where none is wanted
//@ Route.fetch Route.fetch(maxRedirects)
await open('/repl/empty.html');
const answers = [];
await page.route('**/redirect?to=**', async (route) => {
  const response = await route.fetch(answers.length ? { maxRedirects: 0 } : {});
  answers.push([response.status(), response.url()]);
  await route.fulfill({ body: await response.text() });
});
const target = '/redirect?to=/repl/other.html';
match(await page.evaluate((url) => fetch(url).then((r) => r.text()), target), '<h1>Other</h1>');
await page.evaluate((url) => fetch(url).then((r) => r.text()), target);
same(answers[0], [200, site.url('/repl/other.html')]);
ok(answers[1][0] >= 301 && answers[1][0] <= 308, text(answers[1]));
equal(answers[1][1], site.url(target));

//# a handler that holds a request answers it after the routes are gone
//@ Page.unrouteAll Page.unroute
await open('/repl/empty.html');
let goOn;
const mayGo = new Promise((resolve) => { goOn = resolve; });
let holds = false;
await page.route('**/api/request', async (route) => {
  holds = true;
  await mayGo;
  await route.fulfill({ body: 'late' });
});
const late = page.evaluate(() => fetch('/api/request').then((r) => r.text()));
await until(() => holds);
await page.unrouteAll();
goOn();
equal(await late, 'late');

//# handlers of routes and of events get the same request, and its times are whole when it ends
//@ Route.request Request.timing Request.response
await open('/repl/empty.html');
let told = null;
let routed = null;
page.on('request', (request) => {
  if (request.url().endsWith('/api/request')) told = request;
});
await page.route('**/api/request', (route, request) => {
  routed = request;
  return route.continue();
});
const [over] = await Promise.all([page.waitForEvent('requestfinished', (r) => r.url().endsWith('/api/request')), page.evaluate(() => fetch('/api/request').then((r) => r.text()))]);
ok(told === routed, 'the same request');
ok(over === routed, 'the same request when it ends');
const spent = over.timing();
ok(spent.responseEnd >= spent.responseStart && spent.responseStart > 0, text(spent));
