// What every session has at hand: the current page, its tabs, opening and attaching, looking, and showing pictures.
(function (kernel) {
  'use strict';

  const context = new kernel.BrowserContext();
  kernel.context = context;

  // Tabs of the session, the current one last.
  let order = [];
  // Tabs of ours that are being opened: they are not announced as a page's own.
  kernel.opening = 0;

  function coded(code, message, next) {
    return Object.assign(new Error(message), { code, next_step: next });
  }
  kernel.coded = coded;

  kernel.currentPage = () => order[order.length - 1] || null;

  kernel.setCurrent = (page) => {
    order = [...order.filter((other) => other !== page), page];
  };

  // A tab that a page opened is the session's, and not the current one.
  kernel.trackPage = (page) => {
    if (!order.includes(page)) order.splice(Math.max(0, order.length - 1), 0, page);
  };

  kernel.pageClosed = (page) => {
    order = order.filter((other) => other !== page);
  };

  function needPage(page, name) {
    const chosen = page === undefined || page === null ? kernel.currentPage() : page;
    if (!chosen) throw coded('NO_PAGE', `No active page: ${name} needs one; open a tab with openTab(url)`, 'openTab(url)');
    if (!(chosen instanceof kernel.Page)) throw new TypeError(`${name}: expected a page, got ${kernel.inspect(chosen)}`);
    if (chosen.isClosed()) throw kernel.closedError();
    return chosen;
  }
  kernel.needPage = needPage;

  // A new tab of the session. It becomes the current page.
  kernel.newTab = async () => {
    kernel.opening += 1;
    let page;
    try {
      const outcome = await kernel.call('browser_new_tab', { observe_effects: false });
      page = await kernel.openPage(outcome.tab_id);
    } finally {
      kernel.opening -= 1;
    }
    kernel.setCurrent(page);
    if (!page._announced) {
      page._announced = true;
      context.emit('page', page);
    }
    return page;
  };

  const LOOPBACK = /^(localhost|[^/:]+\.localhost|127(\.\d+){3}|\[::1\])(:\d+)?([/?#]|$)/i;

  // An address as people write it: with a scheme of its own, or https, or http for this machine.
  kernel.fullAddress = (url) => {
    const text = String(url).trim();
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || /^(about|data|blob|javascript|mailto|view-source|file|chrome):/i.test(text)) return text;
    return `${LOOPBACK.test(text) ? 'http' : 'https'}://${text.replace(/^\/\//, '')}`;
  };

  const INTERACTIVE_MS = 5000;

  async function openTab(url, options = {}) {
    const page = await kernel.newTab();
    if (url === undefined || url === null || url === 'about:blank') return page;
    const begun = kernel.now();
    try {
      await page.goto(kernel.fullAddress(url), { waitUntil: 'commit', ...options });
    } catch (error) {
      await page.close().catch((problem) => kernel.reportError('closing a tab that did not load', problem));
      throw error;
    }
    kernel.setCurrent(page);
    // A page that goes on loading is given as it is after a while.
    const left = Math.max(1, INTERACTIVE_MS - (kernel.now() - begun));
    await page._main._reach('load', left, 'openTab').catch((error) => {
      if (error.name !== 'TimeoutError') throw error;
    });
    return page;
  }

  // Closes a tab of ours; gives back one that was only borrowed.
  kernel.closePage = async (page) => {
    if (page._owned) {
      await kernel.call('browser_close_tab', { tab_id: page._tab, observe_effects: false }).catch((error) => {
        if (!page._closed && error.code !== 'TAB_CLOSED' && error.code !== 'UNKNOWN_TAB') throw error;
      });
      page._end();
      return;
    }
    await kernel.call('browser_select_tab', { tab_id: page._tab, hold: false }).catch(() => undefined);
    page._end();
  };

  async function closeTab(page) {
    const chosen = page === undefined ? needPage(page, 'closeTab') : page;
    if (!(chosen instanceof kernel.Page)) throw new TypeError(`closeTab: expected a page, got ${kernel.inspect(chosen)}`);
    if (chosen.isClosed() && !order.includes(chosen)) {
      throw coded('UNKNOWN_TAB', `the tab ${chosen.targetId} is not tracked in this session`, 'see tabs for those that are');
    }
    await kernel.closePage(chosen);
  }

  async function listed() {
    const outcome = await kernel.call('browser_list_tabs', {});
    return outcome.output.tabs || [];
  }

  async function listBrowserTabs() {
    const tabs = await listed();
    // The list may lag behind a document that has just come; a page of the session is asked itself.
    const titles = await Promise.all(tabs.map((tab) => kernel.pageOf(tab.tab_id)?.title().catch(() => tab.title) ?? tab.title));
    return tabs.map((tab, at) => ({
      id: `tab:${tab.tab_id}`, targetId: tab.target_id, url: tab.url, title: titles[at], faviconUrl: tab.favicon_url ?? null,
      active: Boolean(tab.current), windowId: tab.window_id ?? null, holder: tab.holder ?? null,
    }));
  }

  async function attach(tab) {
    const known = kernel.pageOf(tab.tab_id);
    const page = known || (await kernel.openPage(tab.tab_id, false));
    kernel.setCurrent(page);
    return page;
  }

  async function attachBrowserTab(targetId) {
    if (typeof targetId !== 'string') throw new TypeError(`attachBrowserTab: expected a targetId, got ${kernel.inspect(targetId)}`);
    const tab = (await listed()).find((entry) => entry.target_id === targetId);
    if (!tab) {
      throw coded('UNKNOWN_TAB', `No open browser tab found for targetId ${targetId}`, 'take a targetId from await listBrowserTabs()');
    }
    return attach(tab);
  }

  async function attachActiveBrowserTab() {
    const tab = (await listed()).find((entry) => entry.current);
    if (!tab) {
      throw coded('NO_ACTIVE_TAB', 'no tab is active: no browser window has the focus', 'attach one by its targetId: attachBrowserTab(targetId)');
    }
    return attach(tab);
  }

  const getTabByTargetId = (targetId) => kernel.allPages().find((page) => page.targetId === targetId);

  // ---- looking ----

  const BUDGET = 12_000;
  const readings = new WeakMap();

  // What a row says of its reference: `- button "Save" [ref=e12] [checked]`.
  function refsOf(tree) {
    const refs = {};
    for (const line of tree.split('\n')) {
      const found = /^\s*- ([a-z][\w -]*?)(?: "((?:[^"\\]|\\.)*)")?(?= |:|$)[^\n]*?\[ref=((?:f\d+)?e\d+)\]/.exec(line);
      if (!found) continue;
      const [, role, name, ref] = found;
      const entry = { role, name: (name || '').replace(/\\(.)/g, '$1').slice(0, 100) };
      const type = /\[type=(\w+)\]/.exec(line);
      if (type) entry.inputType = type[1];
      refs[ref] = entry;
    }
    return refs;
  }

  // The rows that came and went, in their order; null when nothing was read before, or the whole is as short.
  function difference(before, after) {
    if (before === undefined) return null;
    const old = before.split('\n');
    const now = after.split('\n');
    let head = 0;
    while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
    let tail = 0;
    while (tail < old.length - head && tail < now.length - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
    const from = old.slice(head, old.length - tail);
    const to = now.slice(head, now.length - tail);
    const lines = from.length * to.length > 4_000_000 ? [...from.map((l) => `- ${l}`), ...to.map((l) => `+ ${l}`)] : compare(from, to);
    const text = lines.join('\n');
    return text.length < after.length ? text : null;
  }

  function compare(from, to) {
    const width = to.length + 1;
    const common = new Uint32Array((from.length + 1) * width);
    for (let i = from.length - 1; i >= 0; i -= 1) {
      for (let j = to.length - 1; j >= 0; j -= 1) {
        common[i * width + j] = from[i] === to[j] ? common[(i + 1) * width + j + 1] + 1 : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
      }
    }
    const lines = [];
    let i = 0;
    let j = 0;
    while (i < from.length || j < to.length) {
      if (i < from.length && j < to.length && from[i] === to[j]) {
        i += 1;
        j += 1;
      } else if (j >= to.length || (i < from.length && common[(i + 1) * width + j] >= common[i * width + j + 1])) {
        lines.push(`- ${from[i]}`);
        i += 1;
      } else {
        lines.push(`+ ${to[j]}`);
        j += 1;
      }
    }
    return lines;
  }

  async function snapshot(page, options) {
    const first = page === undefined || page === null || page instanceof kernel.Page;
    const chosen = needPage(first ? page : undefined, 'snapshot');
    const { interactive, showHidden, ref, selector, maxDepth, maxChars } = (first ? options : page) || {};
    if (ref !== undefined && selector !== undefined) throw new Error('snapshot: give ref or selector, not both');
    const args = { tab_id: chosen._tab, budget: maxChars ? Math.max(50, Math.ceil(maxChars / 3)) : BUDGET };
    if (interactive) args.interactive = true;
    if (showHidden) args.hidden = true;
    if (ref ?? selector) args.ref = String(ref ?? selector).replace(/^\[?ref=|\]$/g, '');
    if (maxDepth !== undefined) args.depth = maxDepth;
    let outcome;
    try {
      outcome = await kernel.call('browser_read', args);
    } catch (error) {
      if (selector !== undefined && error.code === 'NO_MATCH') error.message = `${selector} matched no elements on page: ${error.message}`;
      throw error;
    }
    let tree = outcome.text || '';
    if (maxChars && tree.length > maxChars) tree = `${tree.slice(0, Math.max(0, tree.lastIndexOf('\n', maxChars)))}\n… cut at ${maxChars} characters`;
    const key = JSON.stringify([Boolean(interactive), Boolean(showHidden), ref ?? null, selector ?? null, maxDepth ?? null]);
    if (!readings.has(chosen)) readings.set(chosen, new Map());
    const diff = difference(readings.get(chosen).get(key), tree);
    readings.get(chosen).set(key, tree);
    return { tree, diff, refs: refsOf(tree) };
  }

  async function annotatedScreenshot(page, options = {}) {
    const chosen = needPage(page, 'annotatedScreenshot');
    const { refs } = await snapshot(chosen, { interactive: true });
    const bytes = await kernel.shoot(chosen, { ...options, labels: true });
    return { base64Image: bytes.toString('base64'), refs };
  }

  // ---- pictures for the reader ----

  function imageBytes(image) {
    if (image && typeof image === 'object') {
      const inner = image.base64Image ?? image.base64 ?? image.data;
      if (inner !== undefined && !ArrayBuffer.isView(image)) return imageBytes(inner);
      return kernel.bytesOf(image);
    }
    if (typeof image !== 'string') throw new TypeError(`display: expected base64, a data URL or bytes, got ${typeof image}`);
    const text = image.startsWith('data:') ? image.slice(image.indexOf(',') + 1) : image;
    return Buffer.from(text.trim(), 'base64');
  }

  async function display(given) {
    const bytes = imageBytes(await given);
    const { mime } = kernel.imageKind(bytes);
    kernel.image({ mime, base64: bytes.toString('base64') });
  }

  const once = new WeakMap();

  // Evaluates a script once for each document and key; a document that is being replaced is tried again.
  async function installPageScript(page, key, script, arg) {
    const chosen = needPage(page, 'installPageScript');
    for (let attempt = 0; ; attempt += 1) {
      const document = `${chosen._main._arrivals} ${chosen.url()}`;
      if (!once.has(chosen)) once.set(chosen, new Map());
      if (once.get(chosen).get(key) === document) return undefined;
      try {
        const value = await chosen.evaluate(script, arg);
        once.get(chosen).set(key, document);
        return value;
      } catch (error) {
        if (attempt >= 5 || !kernel.isPassing(error)) throw error;
        await kernel.pause(100);
      }
    }
  }

  // ---- globals ----

  kernel.exposeGetter('page', () => kernel.currentPage());
  kernel.exposeGetter('tabs', () => order.filter((page) => !page.isClosed()));
  kernel.expose('context', context);
  kernel.exposeGetter('browser', () => context.browser());
  kernel.exposeGetter('request', () => {
    const own = context.request;
    own.newContext ??= async (options) => new kernel.APIRequestContext(context, options);
    return own;
  });
  const globals = {
    openTab, closeTab, listBrowserTabs, attachBrowserTab, attachActiveBrowserTab, getTabByTargetId, snapshot, annotatedScreenshot, display,
    installPageScript, sleep: (ms) => kernel.pause(Number(ms)),
  };
  for (const [name, value] of Object.entries(globals)) kernel.expose(name, value);

  // A printed object is one line that says which it is.
  const lines = {
    Page: (page) => `Page ${page._tab} ${page.isClosed() ? 'closed' : page.url()}`, Frame: (frame) => `Frame ${frame.name() || frame.url()}`,
    Request: String, Response: String, Route: String, Dialog: String, Download: String, APIResponse: String,
    BrowserContext: () => `BrowserContext with ${order.length} tabs`, Browser: (own) => `Browser Chromium ${own.version()}`,
    ConsoleMessage: (message) => `ConsoleMessage ${message.type()} ${JSON.stringify(message.text())}`, Keyboard: () => 'Keyboard', Mouse: () => 'Mouse',
    Touchscreen: () => 'Touchscreen', PageSocket: (socket) => `WebSocket ${socket.url()}`, Worker: (worker) => `Worker ${worker.url()}`,
  };
  for (const [name, line] of Object.entries(lines)) kernel.showAs(kernel[name], line);

  kernel.Page.prototype.snapshot = function (options) {
    return snapshot(this, options);
  };
})
