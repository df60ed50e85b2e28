// Cases of APIRequestContext, APIResponse and fetch.

//# get with parameters and headers
//@ APIRequestContext.get APIResponse.status APIResponse.ok APIResponse.json APIResponse.url APIResponse.statusText APIResponse.headers APIResponse.headersArray APIResponse.text APIResponse.body
await open('/repl/empty.html');
const response = await request.get(site.url('/api/request'), { params: { a: 1, b: 'x y' }, headers: { 'x-mine': 'yes' } });
equal(response.status(), 200);
equal(response.ok(), true);
equal(response.statusText(), 'OK');
equal(response.url(), site.url('/api/request?a=1&b=x+y'));
equal(response.headers()['content-type'], 'application/json');
ok(response.headersArray().some((h) => h.name.toLowerCase() === 'content-type'), 'the list');
const told = await response.json();
same([told.method, told.query, told.headers['x-mine']], ['GET', 'a=1&b=x+y', 'yes']);
equal(JSON.parse(await response.text()).method, 'GET');
equal(JSON.parse((await response.body()).toString()).method, 'GET');

//# the other methods
//@ APIRequestContext.post APIRequestContext.put APIRequestContext.patch APIRequestContext.delete APIRequestContext.head APIRequestContext.fetch
await open('/repl/empty.html');
for (const method of ['post', 'put', 'patch', 'delete']) equal((await (await request[method](site.url('/api/request'))).json()).method, method.toUpperCase());
equal((await request.head(site.url('/api/request'))).status(), 200);
equal((await (await request.fetch(site.url('/api/request'), { method: 'PUT' })).json()).method, 'PUT');

//# bodies: data, form, multipart
//@ APIRequestContext.post(data) APIRequestContext.post(form) APIRequestContext.post(multipart)
await open('/repl/empty.html');
const post = async (options) => (await request.post(site.url('/api/request'), options)).json();
let got = await post({ data: { a: 1 } });
same([got.body, got.headers['content-type']], ['{"a":1}', 'application/json']);
got = await post({ data: 'plain', headers: { 'content-type': 'text/plain' } });
same([got.body, got.headers['content-type']], ['plain', 'text/plain']);
got = await post({ data: Buffer.from('bytes') });
same([got.body, got.headers['content-type']], ['bytes', 'application/octet-stream']);
got = await post({ form: { a: '1', b: 'x y' } });
same([got.body, got.headers['content-type']], ['a=1&b=x+y', 'application/x-www-form-urlencoded']);
got = await post({ multipart: { field: 'v', file: { name: 'f.txt', mimeType: 'text/plain', buffer: Buffer.from('content') } } });
match(got.headers['content-type'], /^multipart\/form-data; boundary=/);
match(got.body, 'name="field"');
match(got.body, 'filename="f.txt"');
match(got.body, 'content');
await fails(() => request.post(site.url('/api/request'), { data: 'a', form: { b: 1 } }), /Only one of/);

//# failures by status, by time, by redirects
//@ APIRequestContext.get(failOnStatusCode) APIRequestContext.get(timeout) APIRequestContext.get(maxRedirects)
await open('/repl/empty.html');
equal((await request.get(site.url('/status/404'))).ok(), false);
await fails(() => request.get(site.url('/status/404'), { failOnStatusCode: true }), /404 Not Found/);
await fails(() => request.get(site.url('/never'), { timeout: 200 }), /200ms|Timeout/);
equal((await request.get(site.url('/redirect?to=/api/ping'))).url(), site.url('/api/ping'));
equal((await request.get(site.url('/redirect?to=/api/ping'), { maxRedirects: 0 })).status(), 303);
await fails(() => request.get(site.url('/redirect/circle'), { maxRedirects: 3 }), /./);

//# cookies are the browser's, in both directions
//@ APIRequestContext.get APIRequestContext.storageState BrowserContext.request
await open('/repl/empty.html');
await context.clearCookies();
await context.addCookies([{ name: 'seen', value: '1', url: site.url('/') }]);
match((await (await page.request.get(site.url('/api/request'))).json()).headers.cookie, 'seen=1');
await request.get(site.url('/cookie/set?fromrequest=2'));
ok((await context.cookies()).some((c) => c.name === 'fromrequest'), 'stored back');
ok((await request.storageState()).cookies.length >= 2, 'storage state');
await context.clearCookies();

//# responses and contexts are disposed
//@ APIResponse.dispose APIRequestContext.dispose
await open('/repl/empty.html');
const own = await request.newContext({ extraHTTPHeaders: { 'x-own': '1' } });
const gone = await own.get(site.url('/api/request'));
equal((await gone.json()).headers['x-own'], '1');
await gone.dispose();
await fails(() => gone.body(), /disposed/);
await own.dispose();
await fails(() => own.get(site.url('/api/request')), /closed|disposed/);

//# fetch gives text, json, bytes and headers
//@ Session.fetch
await open('/repl/empty.html');
const answer = await fetch(site.url('/api/request?x=1'), { headers: { 'x-mine': 'f' } });
same([answer.status, answer.ok, answer.redirected, answer.url], [200, true, false, site.url('/api/request?x=1')]);
equal(answer.headers.get('Content-Type'), 'application/json');
const again = answer.clone();
equal((await answer.json()).headers['x-mine'], 'f');
equal(JSON.parse(await again.text()).query, 'x=1');
await fails(() => again.text(), /already been read/);
equal(Buffer.from(await (await fetch(site.url('/api/ping'))).arrayBuffer()).toString(), 'ok');
equal((await (await fetch(site.url('/api/ping'))).blob()).size, 2);
equal((await fetch(site.url('/redirect?to=/api/ping'))).redirected, true);
equal((await fetch('/api/ping')).status, 200, 'an address of the page');

//# fetch posts what it is given
//@ Session.fetch
await open('/repl/empty.html');
const posted = await (await fetch(site.url('/api/request'), { method: 'POST', body: JSON.stringify({ a: 1 }), headers: { 'content-type': 'application/json' } })).json();
same([posted.method, posted.body, posted.headers['content-type']], ['POST', '{"a":1}', 'application/json']);
const formed = await (await fetch(site.url('/api/request'), { method: 'POST', body: new URLSearchParams({ q: 'a b' }) })).json();
same([formed.body, formed.headers['content-type']], ['q=a+b', 'application/x-www-form-urlencoded;charset=UTF-8']);
const stop = new AbortController();
const pending = fetch(site.url('/never'), { signal: stop.signal });
stop.abort();
await fails(pending, /abort/i);

//# what can't be told of an answer is null
//@ APIResponse.securityDetails APIResponse.serverAddr APIRequest.newContext
await open('/repl/empty.html');
const bare = await (await request.newContext()).get(site.url('/api/ping'));
same([await bare.securityDetails(), await bare.serverAddr()], [null, null]);

//# assertions on answers, pages and locators, and their opposites
//@ APIResponseAssertions.toBeOK APIResponseAssertions.not LocatorAssertions.not PageAssertions.not
await open('/repl/other.html');
await expect(await request.get(site.url('/api/ping'))).toBeOK();
await expect(await request.get(site.url('/status/404'))).not.toBeOK();
await fails(async () => expect(await request.get(site.url('/status/500'))).toBeOK(), /./);
await expect(page).not.toHaveTitle('Nothing');
await expect(page.locator('h1')).not.toHaveText('Nothing');
