// Request, Response and the matching of addresses; what the browser's network events are kept as.
(function (kernel) {
  'use strict';

  // ---- matching addresses ----

  const SPECIAL = new Set(['$', '^', '+', '.', '*', '(', ')', '|', '\\', '?', '{', '}', '[', ']', '/']);

  // A glob over whole addresses: `*` stays within a path segment, `**` does not, `{a,b}` is a choice.
  function globToRegExp(glob) {
    let source = '^';
    let inGroup = false;
    for (let at = 0; at < glob.length; at += 1) {
      const sign = glob[at];
      if (sign === '\\' && at + 1 < glob.length) {
        at += 1;
        source += SPECIAL.has(glob[at]) ? `\\${glob[at]}` : glob[at];
      } else if (sign === '*') {
        let stars = 1;
        const before = glob[at - 1];
        while (glob[at + 1] === '*') {
          stars += 1;
          at += 1;
        }
        if (stars === 1) {
          source += '([^/]*)';
        } else if (glob[at + 1] === '/' && before === '/') {
          source += '((.+/)|)';
          at += 1;
        } else {
          source += '(.*)';
        }
      } else if (sign === '{') {
        inGroup = true;
        source += '(';
      } else if (sign === '}' && inGroup) {
        inGroup = false;
        source += ')';
      } else if (sign === ',' && inGroup) {
        source += '|';
      } else {
        source += SPECIAL.has(sign) ? `\\${sign}` : sign;
      }
    }
    return new RegExp(`${source}$`);
  }

  // A glob that may be relative to a base, brought to the form in which the browser writes addresses.
  function absolute(glob, base) {
    if (glob.startsWith('*') || /^[^/:]*[*{]/.test(glob)) return glob;
    try {
      // Signs of a glob would be escaped by the parser; stand-ins keep them as they are.
      const kept = [];
      const safe = glob.replace(/\*+|\{[^}]*\}|\\./g, (part) => {
        kept.push(part);
        return `glob0${kept.length - 1}0part`;
      });
      const full = base ? new URL(safe, base).href : new URL(safe).href;
      return full.replace(/glob0(\d+?)0part/g, (_, index) => kept[Number(index)]);
    } catch {
      return glob;
    }
  }

  // A function that tells whether an address fits what Playwright calls `url: string|RegExp|function`.
  kernel.urlMatcher = (match, base) => {
    if (match === undefined || match === null || match === '') return () => true;
    if (typeof match === 'function') {
      return (address) => match(new URL(address));
    }
    if (match instanceof RegExp) {
      return (address) => {
        match.lastIndex = 0;
        return match.test(address);
      };
    }
    if (typeof match === 'object' && typeof match.test === 'function') return (address) => match.test(address);
    if (typeof match !== 'string') throw new Error('url parameter should be string, RegExp, URLPattern or function');
    const pattern = globToRegExp(absolute(match, base));
    return (address) => pattern.test(address) || pattern.test(address.replace(/#.*$/, ''));
  };

  // ---- headers ----

  // Pairs of name and value, from a list of pairs, a list of `{name, value}`, or an object.
  kernel.headerPairs = (headers) => {
    if (!headers) return [];
    if (Array.isArray(headers)) {
      return headers.map((entry) => (Array.isArray(entry) ? [String(entry[0]), String(entry[1])] : [entry.name, String(entry.value)]));
    }
    return Object.entries(headers).filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, String(value)]);
  };

  class Headers {
    constructor(pairs) {
      this.pairs = pairs;
    }

    object() {
      const result = {};
      for (const [name, value] of this.pairs) {
        const key = name.toLowerCase();
        const glue = key === 'set-cookie' ? '\n' : ', ';
        result[key] = Object.hasOwn(result, key) ? `${result[key]}${glue}${value}` : value;
      }
      return result;
    }

    get(name) {
      const value = this.object()[String(name).toLowerCase()];
      return value === undefined ? null : value;
    }

    all(name) {
      const key = String(name).toLowerCase();
      return this.pairs.filter(([n]) => n.toLowerCase() === key).map(([, value]) => value);
    }

    array() {
      return this.pairs.map(([name, value]) => ({ name, value }));
    }
  }

  kernel.HeaderList = Headers;

  const NO_TIMING = {
    startTime: 0, domainLookupStart: -1, domainLookupEnd: -1, connectStart: -1, secureConnectionStart: -1, connectEnd: -1,
    requestStart: -1, responseStart: -1, responseEnd: -1,
  };

  // ---- Request ----

  class Request {
    constructor(page, event) {
      let finish;
      const finished = new Promise((resolve) => {
        finish = resolve;
      });
      let answer;
      const answered = new Promise((resolve) => {
        answer = resolve;
      });
      kernel.hide(this, {
        _page: page, _tab: event.tab_id, _id: event.request, _url: event.url, _method: event.method || 'GET',
        _headers: new Headers(kernel.headerPairs(event.headers)), _type: String(event.resource_type || 'other').toLowerCase(),
        _frameId: event.frame, _navigation: Boolean(event.navigation), _post: null, _postKnown: true,
        _from: null, _to: null, _response: null, _failure: null, _timing: { ...NO_TIMING }, _sizes: null,
        _begun: null, _finished: finished, _finish: finish, _answered: answered, _answer: answer, _over: false,
      });
      if (typeof event.post_data === 'string') this._post = Buffer.from(event.post_data, 'utf8');
      if (typeof event.post_data_base64 === 'string') this._post = Buffer.from(event.post_data_base64, 'base64');
      if (event.has_post_data && this._post === null) this._postKnown = false;
      if (event.wall_time) this._timing.startTime = event.wall_time;
    }

    url() {
      return this._url;
    }

    method() {
      return this._method;
    }

    resourceType() {
      return this._type;
    }

    headers() {
      return this._headers.object();
    }

    async allHeaders() {
      return this._headers.object();
    }

    async headersArray() {
      return this._headers.array();
    }

    async headerValue(name) {
      return this._headers.get(name);
    }

    postData() {
      return this._post === null ? null : this._post.toString('utf8');
    }

    postDataBuffer() {
      return this._post;
    }

    postDataJSON() {
      const body = this.postData();
      if (body === null) return null;
      if (String(this._headers.get('content-type') || '').includes('application/x-www-form-urlencoded')) {
        return Object.fromEntries(new URLSearchParams(body));
      }
      try {
        return JSON.parse(body);
      } catch {
        throw new Error(`POST data is not a valid JSON object: ${body}`);
      }
    }

    frame() {
      const frame = this._page && this._page._frame(this._frameId);
      if (!frame) throw new Error('Frame for this navigation request is not available, because the request was issued before the frame is created. You can check whether the request is a navigation request by calling isNavigationRequest() method.');
      return frame;
    }

    isNavigationRequest() {
      return this._navigation;
    }

    redirectedFrom() {
      return this._from;
    }

    redirectedTo() {
      return this._to;
    }

    failure() {
      return this._failure === null ? null : { errorText: this._failure };
    }

    async response() {
      return this._answered;
    }

    // The response as far as it has come, without waiting.
    existingResponse() {
      return this._response;
    }

    serviceWorker() {
      return null;
    }

    async sizes() {
      await this._finished;
      if (this._failure !== null && !this._response) throw new Error('Unable to fetch sizes for failed request');
      const body = this._post ? this._post.length : 0;
      const line = (pairs) => pairs.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 2);
      const sizes = this._sizes || {};
      return {
        requestBodySize: body,
        requestHeadersSize: sizes.request_headers ?? line(this._headers.pairs) + this._method.length + this._url.length,
        responseBodySize: sizes.body ?? 0,
        responseHeadersSize: sizes.headers ?? line(this._response ? this._response._headers.pairs : []),
      };
    }

    timing() {
      return { ...this._timing };
    }

    toString() {
      return `Request ${this._method} ${this._url}`;
    }
  }

  // ---- Response ----

  class Response {
    constructor(request, event) {
      kernel.hide(this, {
        _request: request, _url: event.url || request._url, _status: event.status, _text: event.status_text || '',
        _headers: new Headers(kernel.headerPairs(event.headers)), _address: event.remote || null,
        _security: event.security || null, _worker: Boolean(event.from_service_worker), _body: null, _version: event.protocol || '',
      });
    }

    url() {
      return this._url;
    }

    status() {
      return this._status;
    }

    statusText() {
      return this._text;
    }

    ok() {
      return this._status === 0 || (this._status >= 200 && this._status <= 299);
    }

    headers() {
      return this._headers.object();
    }

    async allHeaders() {
      return this._headers.object();
    }

    async headersArray() {
      return this._headers.array();
    }

    async headerValue(name) {
      return this._headers.get(name);
    }

    async headerValues(name) {
      return this._headers.all(name);
    }

    request() {
      return this._request;
    }

    frame() {
      return this._request.frame();
    }

    fromServiceWorker() {
      return this._worker;
    }

    async finished() {
      await this._request._finished;
      const failure = this._request._failure;
      return failure === null ? null : new Error(failure);
    }

    async serverAddr() {
      return this._address ? { ipAddress: this._address.ip, port: this._address.port } : null;
    }

    async securityDetails() {
      return this._security;
    }

    async httpVersion() {
      return this._version;
    }

    body() {
      this._body ??= this._load();
      return this._body;
    }

    async _load() {
      const request = this._request;
      if (this._status >= 300 && this._status <= 399) throw new Error('Response body is unavailable for redirect responses');
      await request._finished;
      if (request._failure !== null) throw new Error(`the body did not come: ${request._failure}`);
      const outcome = await kernel.call('page_body', { tab_id: request._tab, request: request._id });
      return Buffer.from(outcome.output.base64 || '', 'base64');
    }

    async text() {
      return (await this.body()).toString('utf8');
    }

    async json() {
      return JSON.parse(await this.text());
    }

    toString() {
      return `Response ${this._status} ${this._url}`;
    }
  }

  kernel.Request = Request;
  kernel.Response = Response;
  for (const kind of [Request, Response]) kernel.enumerable(kind);

  // ---- what the events tell ----

  // Requests that are under way or whose body may still be asked for, by tab and id.
  const requests = new Map();
  const KEPT = 2000;
  const keyOf = (event) => `${event.tab_id} ${event.request}`;

  function keep(key, request) {
    requests.delete(key);
    requests.set(key, request);
    if (requests.size > KEPT) requests.delete(requests.keys().next().value);
  }

  kernel.knownRequest = (tab, id) => requests.get(`${tab} ${id}`) || null;

  function tell(page, name, value) {
    page.emit(name, value);
    page.context().emit(name, value);
  }

  // Requests that were held before the browser told that they are under way.
  const early = new Map();

  // The request that is held; handlers of routes and of events get the same object.
  kernel.pausedRequest = (page, event) => {
    const id = event.network_request;
    const known = id ? kernel.knownRequest(event.tab_id, id) : null;
    if (known && !known._over && !known._response && known._url === event.url) {
      if (event.headers) known._headers = new Headers(kernel.headerPairs(event.headers));
      return known;
    }
    const request = new Request(page, event);
    if (id && !known && !event.redirected) {
      early.set(`${event.tab_id} ${id}`, request);
      if (early.size > KEPT) early.delete(early.keys().next().value);
    }
    return request;
  };

  kernel.onEvent('request', (event) => {
    const page = kernel.pageOf(event.tab_id);
    if (!page) return;
    const key = keyOf(event);
    const earlier = requests.get(key);
    const held = earlier ? null : early.get(key);
    early.delete(key);
    const request = held || new Request(page, event);
    if (held && event.wall_time) held._timing.startTime = event.wall_time;
    if (earlier) {
      // The same id again is the next hop of a redirect; its events follow under the id.
      request._from = earlier;
      earlier._to = request;
      if (event.redirect && !earlier._response) respond(page, earlier, event.redirect);
      close(page, earlier, 'requestfinished');
    }
    keep(key, request);
    page._remember('requests', request);
    tell(page, 'request', request);
  });

  function respond(page, request, event) {
    const response = new Response(request, event);
    request._response = response;
    if (event.timing) {
      const { begun, ...times } = event.timing;
      Object.assign(request._timing, times);
      request._begun = begun;
    }
    if (event.request_headers) request._headers = new Headers(kernel.headerPairs(event.request_headers));
    request._answer(response);
    tell(page, 'response', response);
    return response;
  }

  function close(page, request, name) {
    if (request._over) return;
    request._over = true;
    request._answer(request._response);
    request._finish();
    tell(page, name, request);
  }

  kernel.onEvent('response', (event) => {
    const page = kernel.pageOf(event.tab_id);
    const request = page && requests.get(keyOf(event));
    if (request && !request._response) respond(page, request, event);
  });

  kernel.onEvent('requestfinished', (event) => {
    const page = kernel.pageOf(event.tab_id);
    const request = page && requests.get(keyOf(event));
    if (!request) return;
    if (request._begun && event.timestamp) request._timing.responseEnd = (event.timestamp - request._begun) * 1000;
    if (event.sizes) request._sizes = event.sizes;
    else if (event.encoded_bytes !== undefined) request._sizes = { body: event.encoded_bytes };
    close(page, request, 'requestfinished');
  });

  kernel.onEvent('requestfailed', (event) => {
    const page = kernel.pageOf(event.tab_id);
    const request = page && requests.get(keyOf(event));
    if (!request) return;
    request._failure = event.error_text || event.error || 'net::ERR_FAILED';
    close(page, request, 'requestfailed');
  });
})
