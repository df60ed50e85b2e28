// Cases of how a page gets from one address to another.

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
//@ Page.goto(timeout) TimeoutError.name
await open('/repl/empty.html');
const late = await fails(() => page.goto(site.url('/never'), { timeout: 300 }), /page\.goto: Timeout 300ms exceeded/);
ok(late instanceof errors.TimeoutError, 'the class');
equal(late.name, 'TimeoutError');

//# goto waits for load and on wish less
//@ Page.goto(waitUntil)
await open('/repl/empty.html');
await page.goto(site.url('/repl/slow.html'), { waitUntil: 'load' });
equal(await page.evaluate(() => window.loaded), true);
await page.goto(site.url('/repl/slow.html?2'), { waitUntil: 'commit' });
equal(await page.evaluate(() => window.loaded === true), false);
await page.waitForLoadState();
equal(await page.evaluate(() => window.loaded), true);
await fails(() => page.goto(site.url('/repl/empty.html'), { waitUntil: 'sometime' }), /waitUntil: expected one of \(load\|domcontentloaded\|networkidle\|commit\)/);

//# goto with networkidle waits for what the page loads later
//@ Page.goto(waitUntil) Page.waitForLoadState
await open('/repl/empty.html');
await page.goto(site.url('/repl/idle.html'), { waitUntil: 'networkidle' });
equal(await page.evaluate(() => window.fetched), 2);

//# goto sends a referer
//@ Page.goto(referer)
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

//# content and setContent
//@ Page.content Page.setContent
await open('/repl/empty.html');
await page.setContent('<!DOCTYPE html><html><head><title>New</title></head><body><p>x</p></body></html>');
equal(await page.content(), '<!DOCTYPE html><html><head><title>New</title></head><body><p>x</p></body></html>');
await page.setContent(`<img src="${site.url('/api/slow?ms=300')}"><script>onload = () => { window.loaded = 1; }</script>`);
equal(await page.evaluate(() => window.loaded), 1);
await fails(() => page.setContent(`<img src="${site.url('/never')}">`, { timeout: 300 }), /page\.setContent: Timeout 300ms exceeded/);

//# default timeouts
//@ Page.setDefaultTimeout Page.setDefaultNavigationTimeout
await open('/repl/empty.html');
page.setDefaultTimeout(150);
await fails(() => page.waitForSelector('#none'), /Timeout 150ms exceeded/);
page.setDefaultNavigationTimeout(200);
await fails(() => page.goto(site.url('/never')), /Timeout 200ms exceeded/);
page.setDefaultTimeout(30000);
page.setDefaultNavigationTimeout(30000);

//# goto and reload stop at domcontentloaded while pictures still load
//@ Page.goto(waitUntil) Page.reload
await open('/repl/slow.html');
await page.goto(site.url('/repl/slow.html?dcl'), { waitUntil: 'domcontentloaded' });
equal(await page.evaluate(() => document.readyState), 'interactive');
await page.reload({ waitUntil: 'domcontentloaded' });
equal(await page.evaluate(() => document.readyState), 'interactive');
await page.waitForLoadState();
equal(await page.evaluate(() => document.readyState), 'complete');
