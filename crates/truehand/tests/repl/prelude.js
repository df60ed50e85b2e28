// What every scope of the compatibility cases begins with: the fixture site, a fresh page, and checks that throw.

var site = null;

function begin(places) {
  site = { ...places, url: (path) => places.origin + path, otherUrl: (path) => places.other + path };
}

// The current page, newly at a path of the site, without listeners, routes or other tabs of earlier cases.
async function open(path) {
  for (const other of [...tabs].slice(1)) await other.close();
  if (page && page.isClosed()) throw new Error('page is closed and still the current one');
  if (!page) return await openTab(site.url(path));
  page.removeAllListeners();
  await page.unrouteAll();
  await page.goto(site.url(path));
  return page;
}

// The current page with this content.
async function show(html) {
  await open('/repl/empty.html');
  await page.setContent(html);
  return page;
}

function text(value) {
  return typeof value === 'string' ? JSON.stringify(value) : String(JSON.stringify(value) ?? value);
}

function ok(value, what = 'it') {
  if (!value) throw new Error(`${what} does not hold: ${text(value)}`);
}

function equal(got, want, what = 'value') {
  if (!Object.is(got, want)) throw new Error(`${what}: got ${text(got)}, want ${text(want)}`);
}

function same(got, want, what = 'value') {
  if (!alike(got, want)) throw new Error(`${what}: got ${text(got)}, want ${text(want)}`);
}

function alike(a, b) {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return false;
  if (a instanceof Date && b instanceof Date) return a.getTime() === b.getTime();
  if (a instanceof RegExp && b instanceof RegExp) return String(a) === String(b);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && alike(a[key], b[key]));
}

function match(value, pattern, what = 'text') {
  const fits = typeof pattern === 'string' ? String(value).includes(pattern) : pattern.test(String(value));
  if (!fits) throw new Error(`${what}: ${text(String(value))} has no ${pattern}`);
}

// The error that the function throws, which must be one, and fit.
async function fails(run, pattern, what = 'it') {
  let error = null;
  try {
    await (typeof run === 'function' ? run() : run);
  } catch (thrown) {
    error = thrown;
  }
  if (!error) throw new Error(`${what} did not throw`);
  if (pattern !== undefined) match(`${error.name}: ${error.message}`, pattern, what);
  return error;
}

// Waits until the condition gives something true.
async function until(condition, ms = 5000) {
  const end = Date.now() + ms;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Error(`it never came: ${condition}`);
    await sleep(20);
  }
}
