// help(): short texts about what there is, each with its signature and an example.
(function (kernel) {
  'use strict';

  // Objects with a text of their own; later files add theirs.
  kernel.helpFor ||= new Map();

  const START = `Globals
  page, tabs, context, browser    the current tab (null until one is opened), the session's tabs, what holds for all of them
  openTab(url)  closeTab(page)    await openTab('example.com'); then page is that tab
  listBrowserTabs()  attachBrowserTab(targetId)  attachActiveBrowserTab()  getTabByTargetId(id)
  snapshot(page, { interactive }) -> { tree, diff, refs }; act by reference: page.locator('e12').click()
  annotatedScreenshot(page) -> { base64Image }; display(image) shows a picture to you
  expect(locator)  fetch(url)  request  fs  path  Buffer  pwd  sleep(ms)  cua  tools  effect  truehand
  console.log is the output; the last expression is shown as well

Playwright's API works as documented: page.getByRole('button', { name: 'Save' }).click(), page.waitForResponse(...), expect(...).toBeVisible().
help('page')  help('locator')  help('context')  help('request')  help('clock')  help('tools')  help('cua')  help('expect')
help('locator.click') tells of one method.`;

  // name: [signature, what it does, example]
  const TEXTS = {
    openTab: ['openTab(url)', 'Opens a tab, waits until it is usable (at most 5 s) and makes it page. Adds https://, or http:// for localhost.', `await openTab('localhost:3000/login')`],
    closeTab: ['closeTab(page)', 'Closes a tab of the session; a borrowed one is only given back.', 'await closeTab(page)'],
    listBrowserTabs: ['listBrowserTabs()', 'Lists the open tabs { targetId, url, title, active } without attaching to them.', 'console.log(await listBrowserTabs())'],
    attachBrowserTab: ['attachBrowserTab(targetId)', 'Borrows an open tab and makes it page.', 'await attachBrowserTab((await listBrowserTabs())[0].targetId)'],
    attachActiveBrowserTab: ['attachActiveBrowserTab()', 'Borrows the active tab; NO_ACTIVE_TAB when there is none.', 'await attachActiveBrowserTab()'],
    getTabByTargetId: ['getTabByTargetId(targetId)', 'The page of a tab of the session, or undefined.', 'getTabByTargetId(page.targetId) === page'],
    snapshot: ['snapshot(page, { interactive, showHidden, ref, selector, maxDepth, maxChars })', 'Reads the page as a tree with references. diff is what changed since the last one of the same kind, or null.', `const { tree } = await snapshot(page, { interactive: true }); console.log(tree)`],
    annotatedScreenshot: ['annotatedScreenshot(page)', 'A picture with the references of the snapshot drawn on it.', 'display(await annotatedScreenshot(page))'],
    display: ['display(image)', 'Shows a picture to you: bytes, base64, a data URL, or { base64Image }.', 'display(await page.screenshot())'],
    sleep: ['sleep(ms)', 'Waits. Acts wait by themselves; it is seldom needed.', 'await sleep(500)'],
    fetch: ['fetch(url, init)', 'HTTP with the browser\'s cookies, outside of the page. Other origins and methods may need a person\'s yes.', `const data = await (await fetch('/api/items')).json()`],
    installPageScript: ['installPageScript(page, key, script)', 'Evaluates a script once for each document and key.', `await installPageScript(page, 'helper', () => { window.helper = 1 })`],
    effect: ['effect', 'What was measured of the last act: verdict, DOM changes, requests, dialogs.', 'await page.click("#save"); console.log(effect.verdict)'],
    'page.goto': ['page.goto(url, { waitUntil, timeout, referer })', 'Opens an address; gives the Response. waitUntil: load (default), domcontentloaded, networkidle, commit.', `const response = await page.goto('https://example.com'); console.log(response.status())`],
    'page.url': ['page.url()', 'The address now, also after pushState and fragments.', 'page.url()'],
    'page.title': ['page.title()', 'The title of the document.', 'await page.title()'],
    'page.locator': ['page.locator(selector, { has, hasText })', 'Finds elements each time it is used: CSS, text=, xpath=, or a reference such as e12.', `await page.locator('#save').click()`],
    'page.getByRole': ['page.getByRole(role, { name, exact, checked, level })', 'Finds by what the element is for, and its name.', `await page.getByRole('button', { name: 'Save' }).click()`],
    'page.getByText': ['page.getByText(text, { exact })', 'Finds by text.', `await page.getByText('Welcome').isVisible()`],
    'page.getByLabel': ['page.getByLabel(text, { exact })', 'Finds a field by its label.', `await page.getByLabel('Email').fill('a@b.c')`],
    'page.frameLocator': ['page.frameLocator(selector)', 'Looks inside a frame.', `await page.frameLocator('#pay').getByLabel('Card').fill('42')`],
    'page.evaluate': ['page.evaluate(fn, arg)', 'Runs a function in the page and gives its value. One argument; wrap several in an object. What changes the page needs JavaScript to be allowed.', 'await page.evaluate(() => document.title)'],
    'page.waitForSelector': ['page.waitForSelector(selector, { state, timeout })', 'Waits for an element: visible (default), attached, hidden, detached.', `await page.waitForSelector('.row')`],
    'page.waitForURL': ['page.waitForURL(url, { timeout, waitUntil })', 'Waits until the address fits a glob, a RegExp or a function.', `await page.waitForURL('**/done')`],
    'page.waitForLoadState': ['page.waitForLoadState(state)', 'load, domcontentloaded or networkidle.', `await page.waitForLoadState('networkidle')`],
    'page.waitForEvent': ['page.waitForEvent(event, predicate or { predicate, timeout })', 'Waits for popup, download, dialog, console, request, response, close, …', `const coming = page.waitForEvent('download'); await page.click('#get'); const download = await coming`],
    'page.waitForResponse': ['page.waitForResponse(url or predicate, { timeout })', 'Waits for an answer.', `const coming = page.waitForResponse('**/api/items'); await page.click('#load'); console.log((await coming).status())`],
    'page.waitForFunction': ['page.waitForFunction(fn, arg, { timeout, polling })', 'Waits until a function of the page gives something true.', 'await page.waitForFunction(() => window.ready)'],
    'page.waitForTimeout': ['page.waitForTimeout(ms)', 'Waits; the same as sleep(ms).', 'await page.waitForTimeout(200)'],
    'page.screenshot': ['page.screenshot({ path, fullPage, clip, type, quality, omitBackground, animations, caret, scale, mask, style, timeout })', 'Takes a picture and gives its bytes.', `display(await page.screenshot({ fullPage: true }))`],
    'page.pdf': ['page.pdf({ path, format, landscape, margin, printBackground, pageRanges })', 'Prints to PDF and gives its bytes.', `await page.pdf({ path: 'artifacts/page.pdf', format: 'A4' })`],
    'page.route': ['page.route(url, handler, { times })', 'Answers requests itself while the call runs.', `await page.route('**/api/*', route => route.fulfill({ json: [] }))`],
    'page.on': ['page.on(event, handler)', 'Hears of events: console, dialog, download, request, response, popup, pageerror, websocket, … Handlers run while a call runs.', `page.on('console', message => console.log(message.text()))`],
    'page.keyboard': ['page.keyboard.press(key), .type(text), .insertText(text), .down(key), .up(key)', 'Keys at what has the focus.', `await page.keyboard.press('Control+A')`],
    'page.mouse': ['page.mouse.click(x, y), .move(x, y, { steps }), .down(), .up(), .wheel(dx, dy)', 'The mouse at points of the viewport.', 'await page.mouse.wheel(0, 400)'],
    'page.cdp': ['page.cdp(method, params)', 'A command of the DevTools protocol at this tab, under the rules of the session.', `await page.cdp('Performance.getMetrics')`],
    'page.exposeFunction': ['page.exposeFunction(name, fn)', 'Lets the page call a function of the scope.', `await page.exposeFunction('add', (a, b) => a + b)`],
    'page.addInitScript': ['page.addInitScript(script, arg)', 'Runs before each new document\'s own scripts.', 'await page.addInitScript(() => { window.testing = true })'],
    'page.setContent': ['page.setContent(html)', 'Replaces the document.', `await page.setContent('<h1>Hi</h1>')`],
    'locator.click': ['locator.click({ button, clickCount, delay, force, modifiers, noWaitAfter, position, timeout, trial })', 'Waits until the one element is visible, still, enabled and hit, then clicks as a person would.', `await page.getByRole('link', { name: 'Docs' }).click()`],
    'locator.fill': ['locator.fill(value, { force, timeout })', 'Replaces what a field holds.', `await page.getByLabel('Name').fill('Ada')`],
    'locator.pressSequentially': ['locator.pressSequentially(text, { delay })', 'Types key by key.', `await page.locator('#code').pressSequentially('1234')`],
    'locator.press': ['locator.press(key)', 'Focuses, then presses a key or chord.', `await page.locator('#q').press('Enter')`],
    'locator.check': ['locator.check() / uncheck() / setChecked(on)', 'Sets a checkbox or radio.', `await page.getByLabel('I agree').check()`],
    'locator.selectOption': ['locator.selectOption(value | { label } | [..])', 'Chooses in a select.', `await page.locator('select').selectOption({ label: 'Blue' })`],
    'locator.setInputFiles': ['locator.setInputFiles(path | [paths] | { name, mimeType, buffer })', 'Gives files to an input.', `await page.locator('input[type=file]').setInputFiles('artifacts/a.txt')`],
    'locator.filter': ['locator.filter({ hasText, hasNotText, has, hasNot, visible })', 'Narrows what was found.', `page.getByRole('listitem').filter({ hasText: 'Milk' })`],
    'locator.all': ['locator.all() / count() / first() / last() / nth(i)', 'Several at once.', 'for (const row of await page.locator("tr").all()) console.log(await row.innerText())'],
    'locator.evaluateAll': ['locator.evaluateAll(fn, arg)', 'One function over all matches: the way to extract lists.', `await page.locator('.card h2').evaluateAll(list => list.map(el => el.textContent))`],
    'locator.waitFor': ['locator.waitFor({ state, timeout })', 'visible (default), attached, hidden, detached.', `await page.locator('.spinner').waitFor({ state: 'hidden' })`],
    'locator.ariaSnapshot': ['locator.ariaSnapshot()', 'The accessibility tree below the element, as YAML.', `console.log(await page.locator('main').ariaSnapshot())`],
    'context.cookies': ['context.cookies(urls)', 'The cookies, also those for addresses.', 'await context.cookies(page.url())'],
    'context.newPage': ['context.newPage()', 'Opens an empty tab, which becomes page.', 'const second = await context.newPage()'],
    'context.storageState': ['context.storageState({ path })', 'Cookies and localStorage of the open tabs.', 'await context.storageState()'],
    'request.get': ['request.get(url, { params, headers, timeout, failOnStatusCode })', 'HTTP with the browser\'s cookies; get, post, put, patch, delete, head, fetch.', `const response = await request.post('/api/items', { data: { name: 'x' } }); console.log(await response.json())`],
    'clock.install': ['page.clock.install({ time })', 'Replaces the page\'s timers and Date; then fastForward, runFor, pauseAt, resume, setFixedTime, setSystemTime.', `await page.clock.install({ time: new Date('2030-01-01') }); await page.clock.fastForward('01:00')`],
    expect: ['expect(locator | page | response | value)', 'Assertions that wait: toBeVisible, toHaveText, toHaveURL, toHaveCount, …; .not turns them round.', `await expect(page.getByRole('heading')).toHaveText('Cart')`],
    cua: ['cua.click({ x, y }), doubleClick, drag({ path }), move, scroll({ x, y, scrollY }), keypress({ keys }), type({ text }), getVisibleScreenshot()', 'Input by coordinates on the current page.', 'await cua.click({ x: 100, y: 60 })'],
    tools: ['tools.browser_click({ ref }) or tools.click({ ref })', 'Every tool of the product by its name, with its arguments.', `console.log((await tools.read()).text)`],
    fs: ['fs.readFile, writeFile, mkdir, readdir, stat, rm, rename, copyFile, access, resolvePath', 'Files below pwd and the working folder; promises.', `await fs.writeFile('artifacts/a.txt', 'hello')`],
  };

  function render(name) {
    const [signature, what, example] = TEXTS[name];
    return `${signature}\n  ${what}\n  ${example}`;
  }

  // The members of a kind of object, in lines of a readable width.
  function members(title, names) {
    const lines = [];
    let line = ' ';
    for (const name of names) {
      if (line.length + name.length > 110) {
        lines.push(line);
        line = ' ';
      }
      line += ` ${name}`;
    }
    lines.push(line);
    return `${title} has\n${lines.join('\n')}`;
  }

  function methodsOf(Kind) {
    const names = new Set();
    for (let at = Kind.prototype; at && at !== Object.prototype && at !== kernel.EventEmitter.prototype; at = Object.getPrototypeOf(at)) {
      for (const name of Object.getOwnPropertyNames(at)) {
        if (name !== 'constructor' && !name.startsWith('_')) names.add(name);
      }
    }
    return [...names];
  }

  const KINDS = () => ({
    page: kernel.Page, frame: kernel.Frame, locator: kernel.Locator, frameLocator: kernel.FrameLocator, elementHandle: kernel.ElementHandle,
    jsHandle: kernel.JSHandle, context: kernel.BrowserContext, browser: kernel.Browser, request: kernel.APIRequestContext,
    apiResponse: kernel.APIResponse, keyboard: kernel.Keyboard, mouse: kernel.Mouse, touchscreen: kernel.Touchscreen, clock: kernel.Clock,
    route: kernel.Route, response: kernel.Response, dialog: kernel.Dialog, download: kernel.Download, fileChooser: kernel.FileChooser,
    consoleMessage: kernel.ConsoleMessage, webSocket: kernel.PageSocket, worker: kernel.Worker,
  });

  function ofKind(name) {
    const Kind = KINDS()[name];
    if (!Kind) return null;
    const told = Object.keys(TEXTS).filter((key) => key.startsWith(`${name}.`));
    return [members(name, methodsOf(Kind)), ...told.map(render), name === 'page' ? '' : 'As in Playwright; help() lists the rest.'].filter(Boolean).join('\n');
  }

  function byName(name) {
    if (Object.hasOwn(TEXTS, name)) return render(name);
    const kind = ofKind(name);
    if (kind) return kind;
    if (name === 'tools') return members('tools', kernel.toolNames);
    const [owner, member] = name.split('.');
    const Kind = KINDS()[owner];
    if (Kind && member && methodsOf(Kind).includes(member)) {
      // Pages do by selector what locators do.
      if (Object.hasOwn(TEXTS, `locator.${member}`)) return render(`locator.${member}`);
      return `${owner}.${member}: as in Playwright's documentation`;
    }
    const near = Object.keys(TEXTS).filter((key) => key.toLowerCase().includes(String(member || owner).toLowerCase())).slice(0, 6);
    return `nothing is called ${name}${near.length ? `; near: ${near.join(', ')}` : ''}; help() lists what there is`;
  }

  function textOf(subject) {
    if (subject === undefined || subject === null) {
      const sites = kernel.sites ? kernel.sites.names() : [];
      return sites.length ? `${START}\nSites: ${sites.map((name) => `${name} (help(${name}))`).join(', ')}` : START;
    }
    if (typeof subject === 'string') return byName(subject);
    if (kernel.helpFor.has(subject)) return kernel.helpFor.get(subject)();
    for (const [name, Kind] of Object.entries(KINDS())) {
      if (Kind && subject instanceof Kind) return ofKind(name);
    }
    if (typeof subject === 'function' && subject.name) {
      if (Object.hasOwn(TEXTS, subject.name)) return render(subject.name);
      for (const [name, Kind] of Object.entries(KINDS())) {
        if (Kind && Kind.prototype[subject.name] === subject) return byName(`${name}.${subject.name}`);
      }
    }
    for (const name of ['tools', 'cua', 'fs']) {
      if (globalThis[name] === subject) return `${render(name)}\n${members(name, Object.keys(subject))}`;
    }
    if (typeof subject === 'object') return members('it', Object.keys(subject));
    return START;
  }

  // Prints, since output is what a reader sees; gives nothing, so that the text is not shown twice.
  function help(subject) {
    kernel.print('log', textOf(subject));
  }

  kernel.helpText = textOf;
  kernel.expose('help', help);
})
