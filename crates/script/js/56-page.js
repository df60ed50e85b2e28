// Page: one tab of the session, kept in step with the browser by events.
(function (kernel) {
  'use strict';

  const NETWORK = ['request', 'response', 'requestfinished', 'requestfailed'];
  const REMEMBERED = 200;
  const MEDIA = {
    media: ['screen', 'print'], colorScheme: ['light', 'dark', 'no-preference'], reducedMotion: ['reduce', 'no-preference'],
    forcedColors: ['active', 'none'], contrast: ['no-preference', 'more'],
  };

  // What must be subscribed to so that an event comes.
  const NEEDS = {
    console: ['console'], request: NETWORK, response: NETWORK, requestfinished: NETWORK, requestfailed: NETWORK,
    websocket: ['websocket'], worker: ['worker'], filechooser: ['filechooser'], dialog: ['dialog_manual'],
  };
  kernel.eventNeeds = NEEDS;

  const pages = new Map();

  kernel.pageOf = (tab) => pages.get(tab) || null;
  kernel.allPages = () => [...pages.values()];

  class Page extends kernel.EventEmitter {
    constructor(context, tab, info) {
      super();
      kernel.hide(this, {
        _context: context, _tab: tab, _target: info.target_id || '', _frames: new Map(), _main: null, _closed: false, _crashed: false,
        _viewport: info.viewport || null, _limits: {}, _routes: null, _workers: new Map(), _sockets: new Map(), _opener: null,
        _owned: true, _kept: { console: [], errors: [], requests: [] }, _bindings: new Map(), _busy: new Map(), _lastTraffic: 0,
        _media: {}, _headers: null, _scripts: new Map(), _blockers: [], _windowId: info.window_id ?? null, _baseURL: undefined, _announced: false, _coverage: null,
      });
      this._routes = new kernel.RouteList(this);
      for (const name of ['keyboard', 'mouse', 'touchscreen']) {
        const Kind = kernel[name[0].toUpperCase() + name.slice(1)];
        Object.defineProperty(this, name, { value: new Kind(this), enumerable: true, configurable: true });
      }
      this._sync(info);
    }

    // ---- the mirror of the tab ----

    _sync(info) {
      const seen = new Set();
      for (const entry of info.frames || []) {
        seen.add(entry.frame);
        this._place(entry);
      }
      for (const [id, frame] of this._frames) {
        if (!seen.has(id)) this._drop(frame);
      }
      if (info.main) this._main = this._frames.get(info.main) || this._main;
      this._main ??= [...this._frames.values()].find((frame) => !frame._parentId) || null;
      if (this._main && info.url) this._main._url = info.url;
      if (info.target_id) this._target = info.target_id;
      if (info.viewport) this._viewport = { width: info.viewport.width, height: info.viewport.height };
    }

    _place(entry) {
      let frame = this._frames.get(entry.frame);
      if (!frame) {
        frame = new kernel.Frame(this, entry);
        this._frames.set(entry.frame, frame);
        if (!entry.parent) this._main ??= frame;
        this.emit('frameattached', frame);
      }
      if (entry.url !== undefined) frame._url = entry.url;
      if (entry.name !== undefined) frame._name = entry.name;
      if (entry.owner !== undefined) frame._owner = entry.owner;
      return frame;
    }

    _drop(frame) {
      if (!frame || frame._gone || frame === this._main) return;
      frame._gone = true;
      for (const child of frame.childFrames()) this._drop(child);
      this._frames.delete(frame._id);
      this.emit('framedetached', frame);
    }

    async _refresh(owners = false) {
      const outcome = await kernel.call('page_frames', { tab_id: this._tab, owners });
      this._sync(outcome.output);
    }

    _frame(id) {
      if (id === undefined || id === null) return this._main;
      return this._frames.get(id) || null;
    }

    _remember(kind, value) {
      const list = this._kept[kind];
      list.push(value);
      if (list.length > REMEMBERED) list.shift();
    }

    // Gives what finds the response of the document that the frame loads from now on.
    _marks(frame) {
      const before = this._documents(frame).pop();
      return async () => {
        const last = this._documents(frame).pop();
        return last && last !== before ? last.response() : null;
      };
    }

    _documents(frame) {
      return this._kept.requests.filter((r) => r._navigation && (this._frame(r._frameId) || this._main) === frame);
    }

    _limit() {
      return this._limits.any ?? this._context._limits.any ?? 30_000;
    }

    _navigationLimit() {
      return this._limits.navigation ?? this._context._limits.navigation ?? this._limits.any ?? this._context._limits.any ?? 30_000;
    }

    // Called by the emitter: some events come only when they are asked for.
    _listening(event) {
      if (event in NEEDS && this.listenerCount(event)) {
        kernel.wantEvents();
        kernel.subscribe(...NEEDS[event]);
      } else if (typeof event === 'string' && event[0] !== '_') {
        kernel.wantEvents();
      }
    }

    // ---- who it is ----

    context() {
      return this._context;
    }

    get targetId() {
      return this._target;
    }

    get tabId() {
      return this._tab;
    }

    get windowId() {
      return this._windowId;
    }

    url() {
      return this._main ? this._main._url : '';
    }

    isClosed() {
      return this._closed;
    }

    async opener() {
      return this._opener && !this._opener._closed ? this._opener : null;
    }

    mainFrame() {
      return this._main;
    }

    frames() {
      return [...this._frames.values()];
    }

    frame(wanted) {
      const { name, url } = typeof wanted === 'string' ? { name: wanted } : wanted || {};
      if (name === undefined && url === undefined) throw new Error('Either name or url matcher should be specified');
      const fits = url === undefined ? null : kernel.urlMatcher(url, this._baseURL);
      return this.frames().find((frame) => (name !== undefined ? frame.name() === name : fits(frame.url()))) || null;
    }

    viewportSize() {
      return this._viewport ? { ...this._viewport } : null;
    }

    workers() {
      return [...this._workers.values()];
    }

    video() {
      return null;
    }

    get request() {
      return this._context.request;
    }

    get clock() {
      return this._context.clock;
    }

    // ---- navigation ----

    async goto(url, options) {
      return this._main.goto(url, options);
    }

    async reload(options) {
      return kernel.travel(this, 'reload', 'browser_reload', options);
    }

    async goBack(options) {
      return kernel.travel(this, 'goBack', 'browser_back', options);
    }

    async goForward(options) {
      return kernel.travel(this, 'goForward', 'browser_forward', options);
    }

    setDefaultTimeout(ms) {
      this._limits.any = ms;
    }

    setDefaultNavigationTimeout(ms) {
      this._limits.navigation = ms;
    }

    // ---- waiting ----

    waitForEvent(event, given) {
      const { predicate, timeout } = kernel.waitOptions(given);
      return this._wait(event, predicate, timeout ?? this._limit(), 'page.waitForEvent', `event "${event}"`);
    }

    _wait(event, predicate, timeout, title, what) {
      const until = event === 'close' ? [] : [
        { source: this, name: 'close', error: () => kernel.closedError() },
        { source: this, name: 'crash', error: () => new Error('Page crashed') },
      ];
      return kernel.waitForEvent({ emitter: this, event, predicate, timeout, title, what, until: until.filter((stop) => stop.name !== event) });
    }

    waitForRequest(match, options = {}) {
      const predicate = this._trafficMatcher(match);
      const what = `event "request"`;
      return this._wait('request', predicate, options.timeout ?? this._limit(), 'page.waitForRequest', what);
    }

    waitForResponse(match, options = {}) {
      const predicate = this._trafficMatcher(match);
      return this._wait('response', predicate, options.timeout ?? this._limit(), 'page.waitForResponse', `event "response"`);
    }

    _trafficMatcher(match) {
      if (typeof match === 'function') return match;
      const fits = kernel.urlMatcher(match, this._baseURL);
      return (item) => fits(item.url());
    }

    // Until nothing was on its way for half a second.
    async _networkQuiet(live) {
      await kernel.subscribe(...NETWORK);
      this._lastTraffic = Math.max(this._lastTraffic, kernel.now());
      while (live()) {
        await kernel.flushEvents();
        const quiet = this._busy.size === 0 ? kernel.now() - this._lastTraffic : 0;
        if (quiet >= 500) return;
        await kernel.pause(this._busy.size ? 50 : Math.max(20, 500 - quiet));
      }
    }

    // ---- settings of the tab ----

    async setViewportSize(size) {
      const { width, height } = size || {};
      if (!Number.isFinite(width) || !Number.isFinite(height)) throw new TypeError('setViewportSize: { width, height } expected');
      await kernel.call('browser_resize', { tab_id: this._tab, width: Math.round(width), height: Math.round(height) });
      this._viewport = { width, height };
    }

    async bringToFront() {
      await kernel.call('page_cdp', { tab_id: this._tab, method: 'Page.bringToFront', params: {} });
      kernel.setCurrent(this);
    }

    async emulateMedia(options = {}) {
      for (const [name, known] of Object.entries(MEDIA)) {
        const value = options[name];
        if (value !== undefined && value !== null && !known.includes(value)) {
          throw new Error(`page.emulateMedia: ${name}: expected one of (${known.join('|')}|null), got ${String(value)}`);
        }
      }
      Object.assign(this._media, Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)));
      const features = [
        ['prefers-color-scheme', this._media.colorScheme], ['prefers-reduced-motion', this._media.reducedMotion],
        ['forced-colors', this._media.forcedColors], ['prefers-contrast', this._media.contrast],
      ].map(([name, value]) => ({ name, value: value === null || value === undefined ? '' : value }));
      await this.cdp('Emulation.setEmulatedMedia', { media: this._media.media || '', features });
    }

    async setExtraHTTPHeaders(headers) {
      this._headers = kernel.checkedHeaders(headers);
      await this._applyHeaders();
    }

    async _applyHeaders() {
      await this.cdp('Network.setExtraHTTPHeaders', { headers: { ...this._context._headers, ...this._headers } });
    }

    async cdp(method, params = {}) {
      const outcome = await kernel.call('page_cdp', { tab_id: this._tab, method, params });
      return outcome.output.result;
    }

    async requestGC() {
      await this.cdp('HeapProfiler.collectGarbage');
    }

    async pause() {
      throw kernel.notHere('page.pause', 'there is no inspector; look with snapshot(page) or page.screenshot()');
    }

    // ---- scripts of ours in the page ----

    async addInitScript(script, arg) {
      const source = await kernel.scriptSource(script, arg);
      await kernel.call('page_init_script', { tab_id: this._tab, source });
    }

    async exposeFunction(name, callback) {
      await this._bind(name, (_, ...args) => callback(...args), {});
    }

    async exposeBinding(name, callback, options = {}) {
      await this._bind(name, callback, options);
    }

    async _bind(name, callback, options) {
      if (typeof callback !== 'function') throw new TypeError(`the function '${name}' that is exposed must be a function`);
      if (this._bindings.has(name)) throw new Error(`Function "${name}" has been already registered`);
      if (this._context._bindings.has(name)) throw new Error(`Function "${name}" has been already registered in the browser context`);
      this._bindings.set(name, { callback, options });
      kernel.wantEvents();
      await kernel.call('page_binding', { tab_id: this._tab, name });
    }

    async evaluateInFrame(frame, pageFunction, arg) {
      const found = frame instanceof kernel.Frame ? frame : this.frame(frame);
      if (!found) throw new Error(`page.evaluateInFrame: no frame fits ${kernel.inspect(frame)}`);
      return found.evaluate(pageFunction, arg);
    }

    // ---- routes ----

    async route(url, handler, options) {
      await this._routes.add(url, handler, options);
    }

    async unroute(url, handler) {
      await this._routes.remove(url, handler);
    }

    async unrouteAll(options) {
      await this._routes.clear(options);
    }

    async routeFromHAR() {
      throw kernel.notHere('page.routeFromHAR', 'HAR files are not replayed; use page.route(url, route => route.fulfill({ path }))');
    }

    async routeWebSocket() {
      throw kernel.notHere('page.routeWebSocket', 'WebSockets can be watched (page.on("websocket")) and not answered');
    }

    // ---- what was heard ----

    // Since when messages and requests are kept: from the first call that wants them.
    async consoleMessages() {
      await kernel.subscribe('console');
      await kernel.flushEvents();
      return [...this._kept.console];
    }

    async pageErrors() {
      await kernel.flushEvents();
      return [...this._kept.errors];
    }

    async requests() {
      await kernel.subscribe(...NETWORK);
      await kernel.flushEvents();
      return this._kept.requests.slice(-100);
    }

    async clearConsoleMessages() {
      await kernel.flushEvents();
      this._kept.console = [];
    }

    async clearPageErrors() {
      await kernel.flushEvents();
      this._kept.errors = [];
    }

    // ---- what gets into the way ----

    async addLocatorHandler(locator, handler, options = {}) {
      if (!(locator instanceof kernel.Locator) || locator._frame._page !== this) throw new Error('Locator must belong to the main frame of this page');
      const { times, noWaitAfter = false } = options;
      if (times === 0) return;
      this._blockers.push({ locator, handler, left: times ?? Infinity, noWaitAfter, running: false });
    }

    async removeLocatorHandler(locator) {
      this._blockers = this._blockers.filter((entry) => entry.locator !== locator && entry.locator.toString() !== locator.toString());
    }

    // ---- the end ----

    async close(options = {}) {
      if (this._closed) return;
      if (options.runBeforeUnload) {
        await this.cdp('Page.close').catch((error) => {
          if (!this._closed) throw error;
        });
        return;
      }
      await kernel.closePage(this);
    }

    async [Symbol.asyncDispose]() {
      await this.close();
    }

    _end() {
      if (this._closed) return;
      this._closed = true;
      for (const frame of this._frames.values()) frame._gone = true;
      pages.delete(this._tab);
      kernel.pageClosed(this);
      this.emit('close', this);
    }

    toString() {
      return `Page ${this._tab} ${this.url()}`;
    }
  }

  // What a page does by its main frame, with the same arguments.
  const BY_FRAME = [
    '$', '$$', '$eval', '$$eval', 'addScriptTag', 'addStyleTag', 'check', 'click', 'content', 'dblclick', 'dispatchEvent',
    'dragAndDrop', 'evaluate', 'evaluateHandle', 'fill', 'focus', 'frameLocator', 'getAttribute', 'hover', 'innerHTML', 'innerText',
    'inputValue', 'isChecked', 'isDisabled', 'isEditable', 'isEnabled', 'isHidden', 'isVisible', 'locator', 'press', 'selectOption',
    'setChecked', 'setContent', 'setInputFiles', 'tap', 'textContent', 'title', 'type', 'uncheck', 'waitForFunction',
    'waitForLoadState', 'waitForNavigation', 'waitForSelector', 'waitForTimeout', 'waitForURL', ...kernel.GETTERS,
  ];
  for (const name of BY_FRAME) {
    Page.prototype[name] = function (...args) {
      return this._main[name](...args);
    };
  }

  // Lets the handlers of what is shown in the way run, before an act or a wait looks at its element. What a handler does
  // itself is not held up by handlers.
  kernel.clearWay = async (page, progress) => {
    if (!page._blockers.length || page._blockers.some((entry) => entry.running)) return;
    for (const entry of [...page._blockers]) {
      if (entry.left <= 0 || !(await entry.locator.isVisible())) continue;
      entry.left -= 1;
      entry.running = true;
      try {
        progress?.log(`found ${entry.locator}, intercepting action to run the handler`);
        await entry.handler(entry.locator);
        if (!entry.noWaitAfter) {
          progress?.log(`locator handler has finished, waiting for ${entry.locator} to be hidden`);
          await entry.locator.waitFor({ state: 'hidden' });
        }
      } finally {
        entry.running = false;
        if (entry.left <= 0) page._blockers = page._blockers.filter((other) => other !== entry);
      }
    }
  };

  // The page of a tab; made when it is not known yet.
  kernel.openPage = async (tab, owned = true) => {
    if (pages.has(tab)) return pages.get(tab);
    const outcome = await kernel.call('page_frames', { tab_id: tab });
    if (pages.has(tab)) return pages.get(tab);
    const page = new Page(kernel.context, tab, outcome.output);
    page._owned = owned;
    pages.set(tab, page);
    await kernel.context._adopt(page);
    return page;
  };

  kernel.Page = Page;
  kernel.enumerable(Page);

  // ---- events of tabs and frames ----

  const onPage = (kind, act) => kernel.onEvent(kind, (event) => {
    const page = pages.get(event.tab_id);
    if (page) act(page, event);
  });

  onPage('frameattached', (page, event) => {
    page._place({ frame: event.frame, parent: event.parent, url: event.url ?? '', name: event.name ?? '' });
  });

  onPage('framedetached', (page, event) => page._drop(page._frames.get(event.frame)));

  onPage('framenavigated', (page, event) => {
    const main = !event.parent && (!event.frame || event.frame === page._main?._id || !page._frames.has(event.frame));
    const frame = main ? page._main : page._frames.get(event.frame);
    if (!frame) return;
    frame._url = event.url ?? frame._url;
    if (event.name !== undefined) frame._name = event.name;
    if (!event.same_document) {
      frame._arrivals += 1;
      for (const child of frame.childFrames()) page._drop(child);
      // What the document before was still waiting for is nobody's any more, and may never be told to have ended.
      for (const [request, document] of page._busy) {
        if (main && document !== event.document) page._busy.delete(request);
      }
    }
    page.emit('framenavigated', frame);
    page.emit('_navigated', { frame, url: frame._url, same_document: Boolean(event.same_document) });
  });

  const ofMain = (page, event) => !event.frame || event.frame === page._main?._id;

  onPage('domcontentloaded', (page, event) => {
    if (ofMain(page, event)) page.emit('domcontentloaded', page);
  });

  onPage('load', (page, event) => {
    if (ofMain(page, event)) page.emit('load', page);
  });

  onPage('crash', (page) => {
    page._crashed = true;
    page.emit('crash', page);
  });

  onPage('close', (page) => page._end());

  // Streams stay open for good; of an answer whose body the page never reads the browser tells no end.
  const STREAMS = new Set(['eventsource', 'websocket', 'ping']);
  const UNREAD = new Set(['fetch', 'xhr']);
  for (const kind of NETWORK) {
    onPage(kind, (page, event) => {
      if (STREAMS.has(event.resource_type)) return;
      page._lastTraffic = kernel.now();
      if (kind === 'request') page._busy.set(event.request, event.document);
      else if (kind !== 'response' || UNREAD.has(event.resource_type)) page._busy.delete(event.request);
    });
  }

  // A tab that a page opened belongs to the session.
  kernel.onEvent('page', async (event) => {
    if (pages.has(event.tab_id) || kernel.opening > 0) return;
    const opener = event.opener ? pages.get(event.opener) : null;
    const page = await kernel.openPage(event.tab_id).catch(() => null);
    if (!page) return;
    page._opener = opener;
    page._announced = true;
    kernel.trackPage(page);
    kernel.context.emit('page', page);
    if (opener) opener.emit('popup', page);
  });

  // What an act is known to have done to an address holds before its events come.
  kernel.onOutcome(({ args, outcome, error }) => {
    const page = pages.get(outcome?.tab_id ?? args.tab_id);
    const change = (outcome ? outcome.page_effect : error?.data?.page_effect)?.url;
    if (page && page._main && change?.changed && change.after) page._main._url = change.after;
  });
})
