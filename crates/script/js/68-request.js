// Requests without a page: APIRequestContext with APIResponse, and fetch with Response. Both go by `page_fetch`, with the
// cookies of the browser, under the rules of the session.
(function (kernel) {
  'use strict';

  const REASONS = {
    200: 'OK', 201: 'Created', 202: 'Accepted', 204: 'No Content', 301: 'Moved Permanently', 302: 'Found', 303: 'See Other', 304: 'Not Modified',
    307: 'Temporary Redirect', 308: 'Permanent Redirect', 400: 'Bad Request', 401: 'Unauthorized', 403: 'Forbidden', 404: 'Not Found',
    405: 'Method Not Allowed', 409: 'Conflict', 410: 'Gone', 422: 'Unprocessable Entity', 429: 'Too Many Requests',
    500: 'Internal Server Error', 502: 'Bad Gateway', 503: 'Service Unavailable', 504: 'Gateway Timeout',
  };
  const MOST_BYTES = 16 * 1024 * 1024;

  // ---- bodies ----

  class FormData {
    constructor() {
      kernel.hide(this, { _entries: [] });
    }

    append(name, value, filename) {
      this._entries.push([String(name), value, filename]);
      return this;
    }

    set(name, value, filename) {
      this.delete(name);
      return this.append(name, value, filename);
    }

    delete(name) {
      this._entries = this._entries.filter(([known]) => known !== String(name));
    }

    get(name) {
      const entry = this._entries.find(([known]) => known === String(name));
      return entry ? entry[1] : null;
    }

    getAll(name) {
      return this._entries.filter(([known]) => known === String(name)).map((entry) => entry[1]);
    }

    has(name) {
      return this._entries.some(([known]) => known === String(name));
    }

    *entries() {
      for (const [name, value] of this._entries) yield [name, value];
    }

    *keys() {
      for (const [name] of this._entries) yield name;
    }

    *values() {
      for (const [, value] of this._entries) yield value;
    }

    forEach(callback, self) {
      for (const [name, value] of this.entries()) callback.call(self, value, name, this);
    }

    [Symbol.iterator]() {
      return this.entries();
    }
  }

  class Blob {
    constructor(parts = [], options = {}) {
      const bytes = Buffer.concat(parts.map((part) => (part instanceof Blob ? part._bytes : kernel.bytesOf(typeof part === 'object' && !isBinary(part) ? String(part) : part))));
      kernel.hide(this, { _bytes: bytes });
      this.size = bytes.length;
      this.type = String(options.type || '').toLowerCase();
    }

    async text() {
      return this._bytes.toString('utf8');
    }

    async arrayBuffer() {
      return copied(this._bytes);
    }

    async bytes() {
      return new Uint8Array(await this.arrayBuffer());
    }

    slice(start, end, type) {
      return new Blob([this._bytes.subarray(start, end)], { type });
    }
  }

  class File extends Blob {
    constructor(parts, name, options = {}) {
      super(parts, options);
      this.name = String(name);
      this.lastModified = options.lastModified ?? kernel.wall();
    }
  }

  const isBinary = (value) => value instanceof ArrayBuffer || ArrayBuffer.isView(value);
  const copied = (bytes) => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);

  // A body of `multipart/form-data`, from pairs of a name and a text, a file `{ name, mimeType, buffer }` or a Blob.
  function multipart(pairs) {
    const boundary = `----TruehandForm${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}`;
    const quoted = (text) => String(text).replace(/\r\n|\r|\n/g, '%0D%0A').replace(/"/g, '%22');
    const parts = [];
    for (const [name, value, filename] of pairs) {
      let head = `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"`;
      let bytes;
      if (value instanceof Blob) {
        head += `; filename="${quoted(filename ?? value.name ?? 'blob')}"\r\ncontent-type: ${value.type || 'application/octet-stream'}`;
        bytes = value._bytes;
      } else if (value && typeof value === 'object' && value.buffer !== undefined && value.name !== undefined) {
        head += `; filename="${quoted(value.name)}"\r\ncontent-type: ${value.mimeType || kernel.contentType(value.name)}`;
        bytes = kernel.bytesOf(value.buffer);
      } else {
        bytes = Buffer.from(String(value), 'utf8');
      }
      parts.push(Buffer.from(`${head}\r\n\r\n`, 'utf8'), bytes, Buffer.from('\r\n', 'utf8'));
    }
    parts.push(Buffer.from(`--${boundary}--\r\n`, 'utf8'));
    return { bytes: Buffer.concat(parts), type: `multipart/form-data; boundary=${boundary}` };
  }

  // ---- APIResponse ----

  class APIResponse {
    constructor(context, answer) {
      kernel.hide(this, {
        _context: context, _url: answer.url, _status: answer.status, _text: answer.status_text || REASONS[answer.status] || '',
        _headers: new kernel.HeaderList(kernel.headerPairs(answer.headers)), _base64: answer.body_base64 || '', _gone: false,
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
      return this._status >= 200 && this._status <= 299;
    }

    headers() {
      return this._headers.object();
    }

    headersArray() {
      return this._headers.array();
    }

    async body() {
      if (this._gone) throw new Error('Response has been disposed');
      return Buffer.from(this._base64, 'base64');
    }

    async text() {
      return (await this.body()).toString('utf8');
    }

    async json() {
      return JSON.parse(await this.text());
    }

    async securityDetails() {
      return null;
    }

    async serverAddr() {
      return null;
    }

    async dispose() {
      this._gone = true;
      this._base64 = '';
    }

    async [Symbol.asyncDispose]() {
      await this.dispose();
    }

    toString() {
      return `APIResponse: ${this._status} ${this._text}`;
    }
  }

  // ---- APIRequestContext ----

  class APIRequestContext {
    constructor(context, defaults = {}) {
      kernel.hide(this, { _context: context, _defaults: defaults, _gone: false });
    }

    async fetch(urlOrRequest, options = {}) {
      if (this._gone) throw new Error('Target page, context or browser has been closed');
      const known = typeof urlOrRequest === 'object' && urlOrRequest instanceof kernel.Request ? urlOrRequest : null;
      const title = 'apiRequestContext.fetch';
      const url = withParams(addressOf(known ? known.url() : urlOrRequest), { ...this._defaults.params }, options.params);
      const method = String(options.method || (known && known.method()) || 'GET').toUpperCase();
      const headers = new Map();
      const put = ([name, value]) => headers.set(name.toLowerCase(), [name, value]);
      for (const source of [this._context?._headers, this._defaults.extraHTTPHeaders, known && known.headers(), options.headers]) {
        kernel.headerPairs(source || {}).forEach(put);
      }
      const body = bodyOf(options, known);
      if (body && body.type && !headers.has('content-type')) put(['content-type', body.type]);
      if (options.maxRedirects !== undefined && options.maxRedirects < 0) throw new Error(`'maxRedirects' must be greater than or equal to '0'`);
      const limit = options.timeout ?? this._defaults.timeout ?? this._context?._limit() ?? 30_000;
      const args = {
        url, method, headers: [...headers.values()], cookies: 'browser', max_redirects: options.maxRedirects ?? 20, as: 'request',
        timeout_ms: limit === 0 ? 600_000 : limit, max_bytes: MOST_BYTES,
      };
      if (body) args.body_base64 = body.bytes.toString('base64');
      if (options.ignoreHTTPSErrors ?? this._defaults.ignoreHTTPSErrors) args.ignore_certificates = true;
      const page = kernel.currentPage();
      if (page) args.tab_id = page._tab;
      const answer = await kernel.within(limit, title, async () => (await kernel.call('page_fetch', args)).output).catch((error) => {
        if (/^more than \d+ redirects/.test(error.message || '')) error.message = `${title}: Max redirect count exceeded: ${error.message}`;
        if (error.code === 'TIMEOUT' || error.code === 'DEADLINE') throw kernel.timeoutError(`${title}: Request timed out after ${limit}ms`);
        throw error;
      });
      const response = new APIResponse(this, answer);
      if ((options.failOnStatusCode ?? this._defaults.failOnStatusCode) && !response.ok()) {
        throw new Error(`${title}: ${response.status()} ${response.statusText()}\nResponse text:\n${(await response.text()).slice(0, 1000)}`);
      }
      return response;
    }

    async storageState(options) {
      return this._context.storageState(options);
    }

    async dispose() {
      this._gone = true;
    }

    async [Symbol.asyncDispose]() {
      await this.dispose();
    }
  }

  for (const method of ['get', 'post', 'put', 'patch', 'delete', 'head']) {
    APIRequestContext.prototype[method] = async function (url, options) {
      return this.fetch(url, { ...options, method: method.toUpperCase() });
    };
  }

  function addressOf(url) {
    const page = kernel.currentPage();
    const base = page && /^https?:/.test(page.url()) ? page.url() : undefined;
    try {
      return new URL(String(url), base).href;
    } catch {
      throw new TypeError(`Invalid URL: ${String(url)}`);
    }
  }

  function withParams(url, ...given) {
    const address = new URL(url);
    for (const params of given) {
      if (!params) continue;
      const pairs = typeof params === 'string' || params instanceof URLSearchParams ? new URLSearchParams(params) : Object.entries(params);
      for (const [name, value] of pairs) {
        if (value !== undefined) address.searchParams.set(name, String(value));
      }
    }
    return address.href;
  }

  function bodyOf({ data, form, multipart: parts }, known) {
    if ([data, form, parts].filter((value) => value !== undefined).length > 1) {
      throw new Error(`Only one of 'data', 'form' or 'multipart' can be specified`);
    }
    if (data !== undefined) {
      if (typeof data === 'string') return { bytes: Buffer.from(data, 'utf8'), type: isJson(data) ? 'application/json' : 'application/octet-stream' };
      if (isBinary(data)) return { bytes: kernel.bytesOf(data), type: 'application/octet-stream' };
      return { bytes: Buffer.from(JSON.stringify(data), 'utf8'), type: 'application/json' };
    }
    if (form !== undefined) {
      const pairs = form instanceof FormData ? [...form.entries()] : Object.entries(form);
      const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
      return { bytes: Buffer.from(text, 'utf8'), type: 'application/x-www-form-urlencoded' };
    }
    if (parts !== undefined) {
      const pairs = parts instanceof FormData ? parts._entries : Object.entries(parts);
      return multipart(pairs.filter(([, value]) => value !== undefined));
    }
    const posted = known && known.postDataBuffer();
    return posted ? { bytes: posted, type: null } : null;
  }

  function isJson(text) {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  }

  // ---- fetch ----

  class Headers {
    constructor(init) {
      kernel.hide(this, { _list: new Map() });
      if (!init) return;
      const pairs = init instanceof Headers || typeof init[Symbol.iterator] === 'function' ? [...init] : Object.entries(init);
      for (const [name, value] of pairs) this.append(name, value);
    }

    append(name, value) {
      const key = String(name).toLowerCase();
      this._list.set(key, [...(this._list.get(key) || []), String(value).trim()]);
    }

    set(name, value) {
      this._list.set(String(name).toLowerCase(), [String(value).trim()]);
    }

    get(name) {
      const values = this._list.get(String(name).toLowerCase());
      return values ? values.join(', ') : null;
    }

    getSetCookie() {
      return [...(this._list.get('set-cookie') || [])];
    }

    has(name) {
      return this._list.has(String(name).toLowerCase());
    }

    delete(name) {
      this._list.delete(String(name).toLowerCase());
    }

    *entries() {
      for (const name of [...this._list.keys()].sort()) yield [name, this.get(name)];
    }

    *keys() {
      for (const [name] of this.entries()) yield name;
    }

    *values() {
      for (const [, value] of this.entries()) yield value;
    }

    forEach(callback, self) {
      for (const [name, value] of this.entries()) callback.call(self, value, name, this);
    }

    [Symbol.iterator]() {
      return this.entries();
    }
  }

  class Response {
    constructor(body = null, init = {}) {
      const bytes = body instanceof Blob ? body._bytes : kernel.bytesOf(body) || Buffer.from([]);
      kernel.hide(this, { _bytes: bytes });
      this.status = init.status ?? 200;
      this.statusText = init.statusText ?? '';
      this.ok = this.status >= 200 && this.status <= 299;
      this.headers = new Headers(init.headers);
      this.url = init.url || '';
      this.redirected = Boolean(init.redirected);
      this.type = 'basic';
      this.bodyUsed = false;
    }

    static json(value, init = {}) {
      const response = new Response(JSON.stringify(value), init);
      if (!response.headers.has('content-type')) response.headers.set('content-type', 'application/json');
      return response;
    }

    static error() {
      return Object.assign(new Response(null, { status: 0 }), { type: 'error' });
    }

    _use() {
      if (this.bodyUsed) throw new TypeError('Body is unusable: Body has already been read');
      this.bodyUsed = true;
      return this._bytes;
    }

    async text() {
      return this._use().toString('utf8').replace(/^\uFEFF/, '');
    }

    async json() {
      return JSON.parse(await this.text());
    }

    async arrayBuffer() {
      return copied(this._use());
    }

    async bytes() {
      return new Uint8Array(copied(this._use()));
    }

    async blob() {
      return new Blob([this._use()], { type: this.headers.get('content-type') || '' });
    }

    clone() {
      if (this.bodyUsed) throw new TypeError('Response.clone: Body has already been consumed.');
      return new Response(this._bytes, this);
    }
  }

  async function fetchBody(body, headers) {
    if (body === undefined || body === null) return null;
    const type = (value) => {
      if (!headers.has('content-type')) headers.set('content-type', value);
    };
    if (body instanceof URLSearchParams) {
      type('application/x-www-form-urlencoded;charset=UTF-8');
      return Buffer.from(body.toString(), 'utf8');
    }
    if (body instanceof FormData) {
      const made = multipart(body._entries);
      type(made.type);
      return made.bytes;
    }
    if (body instanceof Blob) {
      if (body.type) type(body.type);
      return body._bytes;
    }
    if (isBinary(body)) return kernel.bytesOf(body);
    type('text/plain;charset=UTF-8');
    return Buffer.from(String(body), 'utf8');
  }

  async function fetch(input, init = {}) {
    const url = addressOf(input && input.href ? input.href : input && input.url ? input.url : input);
    const signal = init.signal;
    const aborted = () => signal.reason ?? Object.assign(new Error('This operation was aborted'), { name: 'AbortError' });
    if (signal && signal.aborted) throw aborted();
    const headers = new Headers(init.headers);
    const method = String(init.method || 'GET').toUpperCase();
    const body = await fetchBody(init.body, headers);
    if (body && (method === 'GET' || method === 'HEAD')) throw new TypeError('Request with GET/HEAD method cannot have body.');
    const args = {
      url, method, headers: [...headers], cookies: init.credentials === 'omit' ? 'none' : 'browser', as: 'fetch',
      max_redirects: init.redirect === 'manual' || init.redirect === 'error' ? 0 : 20, timeout_ms: 110_000, max_bytes: MOST_BYTES,
    };
    if (body) args.body_base64 = body.toString('base64');
    const page = kernel.currentPage();
    if (page) args.tab_id = page._tab;
    if (signal && signal.aborted) throw aborted();
    const called = kernel.call('page_fetch', args);
    const stopped = signal && new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(aborted()));
    });
    const outcome = await (signal ? Promise.race([called, stopped]) : called);
    const { status, status_text: statusText, headers: got, body_base64: content, redirected, url: end } = outcome.output;
    if (init.redirect === 'error' && status >= 300 && status <= 399) throw new TypeError('fetch failed: unexpected redirect');
    return new Response(Buffer.from(content || '', 'base64'), {
      status, statusText: statusText || REASONS[status] || '', headers: kernel.headerPairs(got), url: end || url, redirected,
    });
  }

  kernel.APIRequestContext = APIRequestContext;
  kernel.APIResponse = APIResponse;
  for (const kind of [APIRequestContext, APIResponse, Headers, Response, FormData, Blob]) kernel.enumerable(kind);
  kernel.expose('fetch', fetch);
  for (const [name, value] of Object.entries({ Headers, Response, FormData, Blob, File })) {
    if (!(name in globalThis)) kernel.expose(name, value);
  }
})
