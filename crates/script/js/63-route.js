// Route: requests that a script answers itself. Interception is on only while a call runs and somebody wants it.
(function (kernel) {
  'use strict';

  const TYPES = {
    html: 'text/html', htm: 'text/html', js: 'text/javascript', mjs: 'text/javascript', css: 'text/css', json: 'application/json',
    txt: 'text/plain', md: 'text/markdown', xml: 'application/xml', csv: 'text/csv', svg: 'image/svg+xml', png: 'image/png',
    jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp', ico: 'image/x-icon', pdf: 'application/pdf',
    wasm: 'application/wasm', woff: 'font/woff', woff2: 'font/woff2', mp4: 'video/mp4', webm: 'video/webm', mp3: 'audio/mpeg',
    zip: 'application/zip',
  };

  const REASONS = {
    aborted: 'Aborted', accessdenied: 'AccessDenied', addressunreachable: 'AddressUnreachable', blockedbyclient: 'BlockedByClient',
    blockedbyresponse: 'BlockedByResponse', connectionaborted: 'ConnectionAborted', connectionclosed: 'ConnectionClosed',
    connectionfailed: 'ConnectionFailed', connectionrefused: 'ConnectionRefused', connectionreset: 'ConnectionReset',
    internetdisconnected: 'InternetDisconnected', namenotresolved: 'NameNotResolved', timedout: 'TimedOut', failed: 'Failed',
  };

  kernel.contentType = (path) => TYPES[String(path).split('.').pop().toLowerCase()] || 'application/octet-stream';

  // The bytes of a text, a buffer, or a value that becomes JSON.
  kernel.bytesOf = (value) => {
    if (value === undefined || value === null) return null;
    if (typeof value === 'string') return Buffer.from(value, 'utf8');
    if (value instanceof ArrayBuffer) return Buffer.from(new Uint8Array(value));
    if (ArrayBuffer.isView(value)) return Buffer.from(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
    return Buffer.from(JSON.stringify(value), 'utf8');
  };

  class Route {
    constructor(request, paused) {
      kernel.hide(this, {
        _request: request, _paused: paused, _handled: false, _next: null, _overrides: {}, _fetched: null,
      });
    }

    request() {
      return this._request;
    }

    async abort(errorCode = 'failed') {
      const reason = REASONS[errorCode];
      if (!reason) throw new Error(`route.abort: unknown error code '${errorCode}'; known: ${Object.keys(REASONS).join(', ')}`);
      this._take();
      await answer(this, { action: 'abort', reason });
    }

    async continue(options = {}) {
      this._take();
      await answer(this, { action: 'continue', ...overrides({ ...this._overrides, ...options }) });
    }

    async fallback(options = {}) {
      this._take();
      Object.assign(this._overrides, options);
      apply(this._request, this._overrides);
      this._next(true);
    }

    async fetch(options = {}) {
      this._check();
      const { timeout, maxRedirects, maxRetries, ...rest } = options;
      const own = overrides({ ...this._overrides, ...rest });
      const outcome = await kernel.call('page_answer', {
        tab_id: this._paused.tab_id, request: this._paused.request, action: 'fetch', ...own,
      });
      const answered = { ...outcome.output, url: own.url ?? this._request.url() };
      this._fetched = new kernel.APIResponse(null, await follow(this, answered, own, maxRedirects ?? 20));
      return this._fetched;
    }

    async fulfill(options = {}) {
      this._take();
      try {
        await answer(this, await fulfilment(this._request, options));
      } catch (error) {
        this._handled = false;
        throw error;
      }
    }

    _check() {
      if (this._handled) throw new Error('Route is already handled!');
    }

    _take() {
      this._check();
      this._handled = true;
    }

    toString() {
      return `Route ${this._request.method()} ${this._request.url()}`;
    }
  }

  const MOVED = new Set([301, 302, 303, 307, 308]);
  // Fields that belong to one hop, or that whoever asks sets anew.
  const OF_HOP = new Set(['host', 'cookie', 'content-length', 'connection']);

  // Where a redirect of a fetched request leads to, as a request of its own.
  async function follow(route, answered, own, most) {
    const to = new kernel.HeaderList(kernel.headerPairs(answered.headers)).get('location');
    if (!MOVED.has(answered.status) || to === null || most === 0) return answered;
    const request = route._request;
    const asked = (own.method ?? request.method()).toUpperCase();
    const plain = (answered.status === 303 && asked !== 'HEAD') || (answered.status < 303 && asked === 'POST');
    const headers = (own.headers ?? kernel.headerPairs(request.headers()))
      .filter(([name]) => !OF_HOP.has(name.toLowerCase()) && !(plain && name.toLowerCase() === 'content-type'));
    const args = {
      tab_id: route._paused.tab_id, url: new URL(to, answered.url).href, method: plain ? 'GET' : asked, headers, cookies: 'browser',
      max_redirects: most - 1, as: 'request',
    };
    const body = own.post_data_base64 ?? request.postDataBuffer()?.toString('base64');
    if (!plain && body) args.body_base64 = body;
    // What this origin alone was told must not go to another.
    if (new URL(args.url).origin !== new URL(answered.url).origin) {
      args.headers = headers.filter(([name]) => name.toLowerCase() !== 'authorization');
    }
    return (await kernel.call('page_fetch', args)).output;
  }

  // What `continue`, `fetch` and `fallback` change of a request, as the tool takes it.
  function overrides({ url, method, headers, postData, data }) {
    const out = {};
    if (url !== undefined) out.url = String(url);
    if (method !== undefined) out.method = method;
    if (headers !== undefined) out.headers = kernel.headerPairs(headers);
    const body = kernel.bytesOf(postData ?? data);
    if (body) out.post_data_base64 = body.toString('base64');
    return out;
  }

  // A later handler sees the request as the earlier one wants it.
  function apply(request, { url, method, headers, postData }) {
    if (url !== undefined) request._url = String(url);
    if (method !== undefined) request._method = method;
    if (headers !== undefined) request._headers = new kernel.HeaderList(kernel.headerPairs(headers));
    if (postData !== undefined) request._post = kernel.bytesOf(postData);
  }

  async function answer(route, args) {
    const { tab_id, request } = route._paused;
    route._paused.answered = true;
    try {
      await kernel.call('page_answer', { tab_id, request, ...args });
    } catch (error) {
      // The page may have left, or given the request up; then there is nothing to answer.
      if (error && error.code === 'REQUEST_GONE') return;
      // An answer that is refused must not leave the page waiting.
      const end = { tab_id, request, action: 'abort', reason: 'BlockedByClient' };
      await kernel.call('page_answer', end).catch(() => undefined);
      throw error;
    } finally {
      // Only now may interception end, which would let the request go as it is.
      open.delete(`${tab_id} ${request}`);
      route._next(false);
    }
  }

  async function fulfilment(request, { body, contentType, headers, json, path, response, status }) {
    let bytes = null;
    const set = new Map();
    const put = (name, value) => set.set(name.toLowerCase(), [name, String(value)]);
    if (response) {
      for (const { name, value } of response.headersArray()) put(name, value);
      if (body === undefined && json === undefined && path === undefined) bytes = await response.body();
      else for (const name of ['content-length', 'content-encoding']) set.delete(name);
    }
    for (const [name, value] of kernel.headerPairs(headers)) put(name, value);
    if (json !== undefined) {
      if (body !== undefined) throw new Error('Can specify either body or json parameters');
      bytes = Buffer.from(JSON.stringify(json), 'utf8');
      if (!set.has('content-type') || response) put('content-type', 'application/json');
    } else if (path !== undefined) {
      bytes = await kernel.readFile(path);
      if (!contentType && !(headers && set.has('content-type'))) put('content-type', kernel.contentType(path));
    } else if (body !== undefined) {
      bytes = kernel.bytesOf(body);
    }
    if (contentType) put('content-type', contentType);
    if (bytes && !set.has('content-length')) put('content-length', bytes.length);
    allowOrigin(request, set, put);
    const out = { action: 'fulfill', status: status ?? (response ? response.status() : 200), headers: [...set.values()] };
    out.body_base64 = bytes ? bytes.toString('base64') : '';
    return out;
  }

  // An answer of ours may be read by the page that asked, as if the server had allowed it.
  function allowOrigin(request, set, put) {
    const origin = request.headers().origin;
    if (!origin || set.has('access-control-allow-origin')) return;
    try {
      if (new URL(request.url()).origin === origin) return;
    } catch {
      return;
    }
    put('access-control-allow-origin', origin);
    put('access-control-allow-credentials', 'true');
    put('vary', 'Origin');
  }

  // ---- handlers ----

  // Requests that are held now and that nobody has answered yet.
  const open = new Map();

  class RouteList {
    constructor(owner) {
      this.owner = owner;
      this.entries = [];
    }

    add(url, handler, options = {}) {
      if (typeof handler !== 'function') throw new TypeError('route: the handler must be a function');
      this.entries.unshift({
        url, handler, fits: kernel.urlMatcher(url, this.owner._baseURL), left: options.times ?? Infinity, running: new Set(),
      });
      return update();
    }

    remove(url, handler) {
      const same = (entry) => alike(entry.url, url) && (!handler || entry.handler === handler);
      this.entries = this.entries.filter((entry) => !same(entry));
      return update();
    }

    async clear(options = {}) {
      const gone = this.entries;
      this.entries = [];
      if (options.behavior === 'wait') await Promise.allSettled(gone.flatMap((entry) => [...entry.running]));
      for (const entry of gone) entry.silent = options.behavior === 'ignoreErrors';
      return update();
    }
  }

  const alike = (a, b) => a === b || (a instanceof RegExp && b instanceof RegExp && String(a) === String(b));

  kernel.RouteList = RouteList;
  kernel.Route = Route;
  kernel.enumerable(Route);

  const lists = () => [...kernel.allPages().map((page) => page._routes), kernel.context._routes];
  const routed = () => lists().some((list) => list.entries.length > 0);
  // While a handler still holds a request, ending interception would let it go unanswered.
  const wanted = () => routed() || open.size > 0;

  let on = false;
  let busy = null;

  // Switches interception on or off as the handlers want it; the next call goes out when that is done.
  function update() {
    const want = wanted();
    if (want === on) return busy || Promise.resolve();
    on = want;
    kernel.wantEvents();
    busy = kernel.before(() => kernel.rawCall('page_route', { patterns: want ? [{ url_glob_all: true }] : null }));
    return busy;
  }

  kernel.onEvent('paused', (event) => {
    const page = kernel.pageOf(event.tab_id);
    const key = `${event.tab_id} ${event.request}`;
    open.set(key, event);
    const request = kernel.pausedRequest(page, event);
    if (event.redirected) {
      // A handler sees the first address only; where its answer leads to is the server's.
      return answer(passing(request, event), { action: 'continue' });
    }
    return handle(page, request, event);
  });

  // A route that no handler sees.
  function passing(request, event) {
    const route = new Route(request, event);
    route._handled = true;
    route._next = () => update();
    return route;
  }

  function preflight(event) {
    if (event.method !== 'OPTIONS') return false;
    return kernel.headerPairs(event.headers).some(([name]) => name.toLowerCase() === 'access-control-request-method');
  }

  async function handle(page, request, event) {
    const list = [...(page ? page._routes.entries : []), ...kernel.context._routes.entries];
    const matching = [];
    for (const entry of list) {
      if (entry.fits(request.url())) matching.push(entry);
    }
    const route = new Route(request, event);
    if (matching.length && preflight(event)) {
      const headers = Object.fromEntries(kernel.headerPairs(event.headers).map(([name, value]) => [name.toLowerCase(), value]));
      route._next = () => undefined;
      route._take();
      return answer(route, {
        action: 'fulfill', status: 204, body_base64: '', headers: [
          ['access-control-allow-origin', headers.origin || '*'],
          ['access-control-allow-methods', headers['access-control-request-method'] || 'GET, POST, OPTIONS, DELETE'],
          ['access-control-allow-headers', headers['access-control-request-headers'] || '*'],
          ['access-control-allow-credentials', 'true'],
        ],
      });
    }
    for (const entry of list) {
      if (!entry.fits(request.url()) || entry.left <= 0) continue;
      entry.left -= 1;
      if (entry.left <= 0) {
        for (const owner of lists()) owner.entries = owner.entries.filter((other) => other !== entry);
      }
      route._handled = false;
      const goesOn = new Promise((resolve) => {
        route._next = resolve;
      });
      const running = Promise.resolve().then(() => entry.handler(route, request));
      entry.running.add(running);
      running.then(undefined, (error) => {
        if (!entry.silent) kernel.reportError('a route handler', error);
      }).then(() => entry.running.delete(running));
      if (!(await goesOn)) {
        update();
        return undefined;
      }
    }
    update();
    route._handled = true;
    route._next = () => undefined;
    return answer(route, { action: 'continue', ...overrides(route._overrides) });
  }

  // Between calls nobody could answer: what is held goes on, and nothing is held until the next call.
  kernel.onCallEnd(async () => {
    const held = [...open.values()].filter((event) => !event.answered);
    open.clear();
    for (const { tab_id, request } of held) {
      await kernel.rawCall('page_answer', { tab_id, request, action: 'continue' }).catch(() => undefined);
    }
    if (on) {
      on = false;
      await kernel.rawCall('page_route', { patterns: null }).catch((error) => kernel.reportError('the end of interception', error));
    }
  });

  kernel.onCallStart(() => {
    if (routed()) update();
  });
})
