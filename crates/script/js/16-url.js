// URL and URLSearchParams, over the parser that the rest of the product uses.
(function (kernel) {
  'use strict';

  const decodeForm = (text) => {
    const spaced = text.replaceAll('+', ' ');
    if (!spaced.includes('%')) {
      return spaced;
    }
    const bytes = [];
    const raw = kernel.utf8.encode(spaced);
    for (let i = 0; i < raw.length; i += 1) {
      const hex = raw[i] === 37 && i + 2 < raw.length ? Number.parseInt(String.fromCharCode(raw[i + 1], raw[i + 2]), 16) : Number.NaN;
      if (!Number.isNaN(hex) && /^[0-9a-f]{2}$/i.test(String.fromCharCode(raw[i + 1], raw[i + 2]))) {
        bytes.push(hex);
        i += 2;
      } else {
        bytes.push(raw[i]);
      }
    }
    return kernel.utf8.decode(Uint8Array.from(bytes));
  };

  const encodeForm = (text) =>
    encodeURIComponent(text.toWellFormed())
      .replaceAll('%20', '+')
      .replace(/[!'()~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

  class URLSearchParams {
    #list = [];
    #changed = null;

    constructor(init = '') {
      if (init !== null && typeof init === 'object') {
        if (typeof init[Symbol.iterator] === 'function') {
          for (const pair of init) {
            const [name, value, ...rest] = pair;
            if (value === undefined || rest.length) {
              throw new TypeError('URLSearchParams: each pair has a name and a value');
            }
            this.#list.push([String(name), String(value)]);
          }
        } else {
          for (const name of Object.keys(init)) {
            this.#list.push([name, String(init[name])]);
          }
        }
      } else {
        this.#parse(String(init));
      }
    }

    #parse(text) {
      const query = text.startsWith('?') ? text.slice(1) : text;
      this.#list = query
        .split('&')
        .filter((part) => part !== '')
        .map((part) => {
          const at = part.indexOf('=');
          return at < 0 ? [decodeForm(part), ''] : [decodeForm(part.slice(0, at)), decodeForm(part.slice(at + 1))];
        });
    }

    // Ties the parameters to the address that they belong to.
    static _of(query, changed) {
      const params = new URLSearchParams(query);
      params.#changed = changed;
      return params;
    }

    static _renew(params, query) {
      params.#parse(query);
    }

    #update() {
      if (this.#changed) {
        this.#changed(this.toString());
      }
    }

    get size() {
      return this.#list.length;
    }

    append(name, value) {
      this.#list.push([String(name), String(value)]);
      this.#update();
    }

    delete(name, value) {
      this.#list = this.#list.filter(([n, v]) => n !== String(name) || (value !== undefined && v !== String(value)));
      this.#update();
    }

    get(name) {
      const found = this.#list.find(([n]) => n === String(name));
      return found ? found[1] : null;
    }

    getAll(name) {
      return this.#list.filter(([n]) => n === String(name)).map(([, v]) => v);
    }

    has(name, value) {
      return this.#list.some(([n, v]) => n === String(name) && (value === undefined || v === String(value)));
    }

    set(name, value) {
      const at = this.#list.findIndex(([n]) => n === String(name));
      if (at < 0) {
        this.#list.push([String(name), String(value)]);
      } else {
        this.#list = this.#list.filter(([n], i) => n !== String(name) || i === at);
        this.#list[at] = [String(name), String(value)];
      }
      this.#update();
    }

    sort() {
      this.#list.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
      this.#update();
    }

    forEach(run, self) {
      for (const [name, value] of this.#list) {
        run.call(self, value, name, this);
      }
    }

    *entries() {
      for (const [name, value] of this.#list) {
        yield [name, value];
      }
    }

    *keys() {
      for (const [name] of this.#list) {
        yield name;
      }
    }

    *values() {
      for (const [, value] of this.#list) {
        yield value;
      }
    }

    [Symbol.iterator]() {
      return this.entries();
    }

    toString() {
      return this.#list.map(([name, value]) => `${encodeForm(name)}=${encodeForm(value)}`).join('&');
    }

    get [Symbol.toStringTag]() {
      return 'URLSearchParams';
    }
  }
  const { _of: paramsOf, _renew: renew } = URLSearchParams;
  delete URLSearchParams._of;
  delete URLSearchParams._renew;

  class URL {
    #parts;
    #params = null;

    constructor(input, base) {
      const text = String(input).toWellFormed();
      const parts = kernel.url.parse(text, base === undefined ? undefined : String(base).toWellFormed());
      if (parts === null) {
        const error = new TypeError(`Invalid URL: ${kernel.quoted(text)}${base === undefined && /^[/.?#]/.test(text) ? '; a relative address needs a base: new URL(path, base)' : ''}`);
        throw Object.assign(error, { code: 'ERR_INVALID_URL', input: text });
      }
      this.#parts = parts;
    }

    static canParse(input, base) {
      return kernel.url.parse(String(input), base === undefined ? undefined : String(base)) !== null;
    }

    static parse(input, base) {
      return URL.canParse(input, base) ? new URL(input, base) : null;
    }

    static _get(url, part) {
      return url.#parts[part];
    }

    static _set(url, part, value) {
      const parts = kernel.url.set(url.#parts.href, part, String(value).toWellFormed());
      if (parts === null) {
        if (part === 'href') {
          throw Object.assign(new TypeError(`Invalid URL: ${kernel.quoted(String(value))}`), { code: 'ERR_INVALID_URL' });
        }
        return;
      }
      url.#parts = parts;
      if (url.#params) {
        renew(url.#params, parts.search);
      }
    }

    get searchParams() {
      if (!this.#params) {
        this.#params = paramsOf(this.#parts.search, (query) => {
          this.#parts = kernel.url.set(this.#parts.href, 'search', query);
        });
      }
      return this.#params;
    }

    toString() {
      return this.#parts.href;
    }

    toJSON() {
      return this.#parts.href;
    }

    get [Symbol.toStringTag]() {
      return 'URL';
    }
  }
  const { _get: get, _set: set } = URL;
  delete URL._get;
  delete URL._set;
  for (const part of ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash']) {
    Object.defineProperty(URL.prototype, part, {
      get() {
        return get(this, part);
      },
      set:
        part === 'origin'
          ? undefined
          : function (value) {
              set(this, part, value);
            },
      enumerable: true,
      configurable: true,
    });
  }

  kernel.showAs(URL, (url) => `URL { ${kernel.quoted(get(url, 'href'))} }`);
  kernel.showAs(URLSearchParams, (params) => `URLSearchParams { ${[...params].map(([n, v]) => `${kernel.quoted(n)} => ${kernel.quoted(v)}`).join(', ')} }`);
  kernel.expose('URL', URL);
  kernel.expose('URLSearchParams', URLSearchParams);
});
