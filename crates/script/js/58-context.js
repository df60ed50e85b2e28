// BrowserContext and Browser: what holds for all tabs of the session, also for those that are still to come.
(function (kernel) {
  'use strict';

  const PERMISSIONS = {
    geolocation: 'geolocation', midi: 'midi', 'midi-sysex': 'midiSysex', notifications: 'notifications', camera: 'videoCapture',
    microphone: 'audioCapture', 'background-sync': 'backgroundSync', 'ambient-light-sensor': 'sensors', accelerometer: 'sensors',
    gyroscope: 'sensors', magnetometer: 'sensors', 'clipboard-read': 'clipboardReadWrite', 'clipboard-write': 'clipboardSanitizedWrite',
    'payment-handler': 'paymentHandler', 'storage-access': 'storageAccess', 'local-fonts': 'localFonts', 'idle-detection': 'idleDetection',
    'screen-wake-lock': 'wakeLockScreen', 'accessibility-events': 'accessibilityEvents', 'local-network-access': 'localNetworkAccess',
  };

  kernel.checkedHeaders = (headers) => {
    for (const [name, value] of Object.entries(headers || {})) {
      if (typeof value !== 'string') throw new Error(`Expected value of header "${name}" to be String, but "${typeof value}" is found.`);
    }
    return { ...headers };
  };

  // The source of an init script: a function with its argument, a text, or a file.
  kernel.scriptSource = async (script, arg) => {
    if (typeof script === 'function') {
      const text = Function.prototype.toString.call(script);
      const given = arg === undefined ? 'undefined' : JSON.stringify(arg);
      return `(${text})(${given});`;
    }
    if (arg !== undefined) throw new Error('Cannot evaluate a string with arguments');
    if (typeof script === 'string') return script;
    if (script && script.content !== undefined) return script.content;
    if (script && script.path !== undefined) return (await kernel.readFile(script.path)).toString('utf8');
    throw new Error('Either path or content property must be present');
  };

  class Browser extends kernel.EventEmitter {
    constructor(context) {
      super();
      kernel.hide(this, { _context: context, _version: '' });
    }

    version() {
      return this._version;
    }

    isConnected() {
      return true;
    }

    contexts() {
      return [this._context];
    }

    browserType() {
      return { name: () => 'chromium' };
    }

    async newContext() {
      throw kernel.notHere('browser.newContext', 'a session has one context; use context.newPage(), or another session for other cookies');
    }

    async newPage() {
      return this._context.newPage();
    }

    async newBrowserCDPSession() {
      throw kernel.notHere('browser.newBrowserCDPSession', 'the protocol is open for the session\'s own tabs: context.newCDPSession(page)');
    }

    async close() {
      await this._context.close();
    }
  }

  class CDPSession extends kernel.EventEmitter {
    constructor(page) {
      super();
      kernel.hide(this, { _page: page, _open: true });
    }

    async send(method, params = {}) {
      if (!this._open) throw new Error('cdpSession.send: Target page, context or browser has been closed');
      return this._page.cdp(method, params);
    }

    async detach() {
      this._open = false;
    }
  }

  class BrowserContext extends kernel.EventEmitter {
    constructor() {
      super();
      kernel.hide(this, {
        _limits: {}, _routes: null, _headers: null, _bindings: new Map(), _scripts: [], _settings: new Map(), _browser: null, _closed: false,
        _clock: null, _request: null,
      });
      this._browser = new Browser(this);
      this._routes = new kernel.RouteList(this);
    }

    _listening(event) {
      if (typeof event !== 'string' || event[0] === '_') return;
      kernel.wantEvents();
      if (event in kernel.eventNeeds && this.listenerCount(event)) kernel.subscribe(...kernel.eventNeeds[event]);
    }

    _limit() {
      return this._limits.any ?? 30_000;
    }

    // Puts on a tab what was set for all of them.
    async _adopt(page) {
      // As in a browser without a window everywhere: what a page has for its layout is the viewport that was set.
      if (page._owned) await page.cdp('Emulation.setScrollbarsHidden', { hidden: true }).catch(() => undefined);
      if (!this._browser._version) this._browser._version = await kernel.peek(page._main, readVersion).catch(() => '');
      for (const apply of this._settings.values()) await apply(page);
      if (this._headers) await page._applyHeaders();
    }

    // Sets something on every tab, and on those to come.
    async _everywhere(key, apply) {
      this._settings.set(key, apply);
      for (const page of kernel.allPages()) await apply(page);
    }

    // A tab by which the whole context is reached.
    async _door(title) {
      const page = kernel.currentPage() || kernel.allPages()[0];
      if (!page) throw new Error(`${title}: open a tab first: openTab(url) or context.newPage()`);
      return page;
    }

    browser() {
      return this._browser;
    }

    pages() {
      return kernel.allPages();
    }

    backgroundPages() {
      return [];
    }

    serviceWorkers() {
      return [];
    }

    async newPage() {
      return kernel.newTab(undefined);
    }

    setDefaultTimeout(ms) {
      this._limits.any = ms;
    }

    setDefaultNavigationTimeout(ms) {
      this._limits.navigation = ms;
    }

    waitForEvent(event, given) {
      const { predicate, timeout } = kernel.waitOptions(given);
      const limit = timeout ?? this._limit();
      return kernel.waitForEvent({ emitter: this, event, predicate, timeout: limit, title: 'browserContext.waitForEvent' });
    }

    // ---- cookies and storage ----

    async cookies(urls) {
      const page = await this._door('context.cookies');
      const { cookies } = await page.cdp('Storage.getCookies').catch(() => page.cdp('Network.getAllCookies'));
      const wanted = urls === undefined ? null : (Array.isArray(urls) ? urls : [urls]).map((url) => new URL(url));
      return cookies.map(readCookie).filter((cookie) => !wanted || !wanted.length || wanted.some((url) => sentTo(cookie, url)));
    }

    async addCookies(cookies) {
      const page = await this._door('context.addCookies');
      await page.cdp('Network.setCookies', { cookies: cookies.map(writeCookie) });
    }

    async clearCookies(filter) {
      const page = await this._door('context.clearCookies');
      const fits = (want, value) => want === undefined || (want instanceof RegExp ? want.test(value) : want === value);
      for (const cookie of await this.cookies()) {
        if (filter && !(fits(filter.name, cookie.name) && fits(filter.domain, cookie.domain) && fits(filter.path, cookie.path))) continue;
        const gone = { name: cookie.name, domain: cookie.domain, path: cookie.path };
        if (cookie.partitionKey) gone.partitionKey = { topLevelSite: cookie.partitionKey, hasCrossSiteAncestor: false };
        await page.cdp('Network.deleteCookies', gone);
      }
    }

    async storageState(options = {}) {
      const cookies = await this.cookies();
      const origins = new Map();
      for (const page of kernel.allPages()) {
        for (const frame of page.frames()) {
          const stored = await kernel.peek(frame, readStorage).catch(() => null);
          if (stored && stored.localStorage.length) origins.set(stored.origin, stored);
        }
      }
      const state = { cookies, origins: [...origins.values()] };
      if (options.path !== undefined) await kernel.saveFile(options.path, Buffer.from(JSON.stringify(state, undefined, 2), 'utf8'));
      return state;
    }

    // ---- settings ----

    async grantPermissions(permissions, options = {}) {
      const page = await this._door('context.grantPermissions');
      const names = permissions.map((name) => {
        if (!PERMISSIONS[name]) throw new Error(`Unknown permission: ${name}`);
        return PERMISSIONS[name];
      });
      const params = { permissions: names };
      if (options.origin) params.origin = new URL(options.origin).origin;
      await page.cdp('Browser.grantPermissions', params);
    }

    async clearPermissions() {
      const page = await this._door('context.clearPermissions');
      await page.cdp('Browser.resetPermissions');
    }

    async setGeolocation(place) {
      const params = {};
      if (place) {
        const { longitude, latitude, accuracy = 0 } = place;
        if (!(longitude >= -180 && longitude <= 180)) throw new Error('geolocation.longitude: precondition -180 <= LONGITUDE <= 180 failed.');
        if (!(latitude >= -90 && latitude <= 90)) throw new Error('geolocation.latitude: precondition -90 <= LATITUDE <= 90 failed.');
        if (!(accuracy >= 0)) throw new Error('geolocation.accuracy: precondition 0 <= ACCURACY failed.');
        Object.assign(params, { longitude, latitude, accuracy });
      }
      await this._everywhere('geolocation', (page) => page.cdp(place ? 'Emulation.setGeolocationOverride' : 'Emulation.clearGeolocationOverride', params));
    }

    async setOffline(offline) {
      const params = { offline: Boolean(offline), latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
      await this._everywhere('offline', (page) => page.cdp('Network.emulateNetworkConditions', params));
    }

    async setExtraHTTPHeaders(headers) {
      this._headers = kernel.checkedHeaders(headers);
      for (const page of kernel.allPages()) await page._applyHeaders();
    }

    async setHTTPCredentials() {
      throw kernel.notHere('context.setHTTPCredentials', 'names and passwords are never filled into the browser\'s own dialog; send an authorization header');
    }

    // ---- scripts and routes ----

    async addInitScript(script, arg) {
      const source = await kernel.scriptSource(script, arg);
      await kernel.call('page_init_script', { source });
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
      if (kernel.allPages().some((page) => page._bindings.has(name))) {
        throw new Error(`Function "${name}" has been already registered in one of the pages`);
      }
      this._bindings.set(name, { callback, options });
      kernel.wantEvents();
      await kernel.call('page_binding', { name });
    }

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
      throw kernel.notHere('context.routeFromHAR', 'HAR files are not replayed; use context.route(url, route => route.fulfill({ path }))');
    }

    async routeWebSocket() {
      throw kernel.notHere('context.routeWebSocket', 'WebSockets can be watched (page.on("websocket")) and not answered');
    }

    async newCDPSession(target) {
      const page = target instanceof kernel.Frame ? target.page() : target;
      if (!(page instanceof kernel.Page)) throw new Error('page: expected Page or Frame');
      return new CDPSession(page);
    }

    get request() {
      this._request ??= new kernel.APIRequestContext(this);
      return this._request;
    }

    get clock() {
      this._clock ??= new kernel.Clock(this);
      return this._clock;
    }

    get tracing() {
      throw kernel.notHere('context.tracing', 'every call is traced already; see truehand trace');
    }

    async close() {
      for (const page of kernel.allPages()) await page.close();
      this.emit('close', this);
    }

    async [Symbol.asyncDispose]() {
      await this.close();
    }
  }

  function readVersion() {
    return /Chrome\/([\d.]+)/.exec(navigator.userAgent)?.[1] ?? '';
  }

  function readStorage() {
    const items = [];
    for (let at = 0; at < localStorage.length; at += 1) {
      const name = localStorage.key(at);
      items.push({ name, value: localStorage.getItem(name) });
    }
    return { origin: location.origin, localStorage: items };
  }

  // ---- cookies in Playwright's form ----

  function readCookie(cookie) {
    const read = {
      name: cookie.name, value: cookie.value, domain: cookie.domain, path: cookie.path,
      expires: cookie.session || cookie.expires === undefined || cookie.expires < 0 ? -1 : cookie.expires, httpOnly: cookie.httpOnly,
      secure: cookie.secure, sameSite: cookie.sameSite ?? 'Lax',
    };
    if (cookie.partitionKey) read.partitionKey = cookie.partitionKey.topLevelSite ?? cookie.partitionKey;
    return read;
  }

  function writeCookie(cookie) {
    const { name, value, url, domain, path } = cookie;
    if (!url && !(domain && path)) throw new Error('Cookie should have either url or domain');
    if (url && domain) throw new Error('Cookie should have either url or domain');
    if (url && path) throw new Error('Cookie should have either url or path');
    if (url === 'about:blank') throw new Error(`Blank page can not have cookie "${name}"`);
    if (url && url.startsWith('data:')) throw new Error(`Data URL page can not have cookie "${name}"`);
    const written = { name, value: String(value) };
    if (url) {
      const address = new URL(url);
      written.domain = address.hostname;
      written.path = address.pathname.slice(0, address.pathname.lastIndexOf('/') + 1) || '/';
      written.secure = cookie.secure ?? address.protocol === 'https:';
    } else {
      Object.assign(written, { domain, path, secure: Boolean(cookie.secure) });
    }
    if (cookie.expires !== undefined && cookie.expires !== -1) {
      if (cookie.expires < 0) throw new Error('Cookie should have a valid expires, only -1 or a positive number for the unix timestamp in seconds is allowed');
      written.expires = cookie.expires;
    }
    if (cookie.httpOnly !== undefined) written.httpOnly = cookie.httpOnly;
    if (cookie.sameSite !== undefined) written.sameSite = cookie.sameSite;
    if (cookie.partitionKey !== undefined) written.partitionKey = { topLevelSite: cookie.partitionKey, hasCrossSiteAncestor: false };
    return written;
  }

  // Whether the browser would send the cookie to an address.
  function sentTo(cookie, url) {
    const host = url.hostname;
    const domain = cookie.domain.startsWith('.') ? cookie.domain : `.${cookie.domain}`;
    if (!`.${host}`.endsWith(domain)) return false;
    if (!cookie.domain.startsWith('.') && host !== cookie.domain) return false;
    const path = cookie.path.endsWith('/') || cookie.path === url.pathname ? cookie.path : `${cookie.path}/`;
    if (!url.pathname.startsWith(path) && !`${url.pathname}/`.startsWith(path)) return false;
    return !cookie.secure || url.protocol === 'https:' || host === 'localhost' || host === '127.0.0.1';
  }

  // ---- calls from pages ----

  kernel.onEvent('binding', async (event) => {
    const page = kernel.pageOf(event.tab_id);
    const binding = page?._bindings.get(event.name) || kernel.context._bindings.get(event.name);
    let reply;
    if (!binding) {
      reply = { error: kernel.encodeValue(new Error(`Function "${event.name}" is not exposed any more`)) };
    } else {
      try {
        const frame = page?._frame(event.frame) || page?.mainFrame();
        const args = event.args === undefined ? [] : kernel.decodeValue(event.args);
        const source = { page, frame, context: kernel.context };
        const value = await binding.callback(source, ...(Array.isArray(args) ? args : [args]));
        reply = { value: kernel.encodeValue(value) };
      } catch (error) {
        reply = { error: kernel.encodeValue(error) };
      }
    }
    await kernel.call('page_binding_answer', { tab_id: event.tab_id, call: event.call, ...reply });
  });

  kernel.BrowserContext = BrowserContext;
  kernel.Browser = Browser;
  kernel.CDPSession = CDPSession;
  for (const kind of [BrowserContext, Browser, CDPSession]) kernel.enumerable(kind);
})
