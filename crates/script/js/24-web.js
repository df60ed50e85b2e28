// Small things of the web platform: crypto, microtasks, what is not here and what to use in its place.
(function (kernel) {
  'use strict';

  const { native } = kernel;

  const INTEGERS = new Set(['Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array', 'BigInt64Array', 'BigUint64Array']);
  const tagOf = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag).get;

  const crypto = {
    getRandomValues(array) {
      const tag = ArrayBuffer.isView(array) ? tagOf.call(array) : undefined;
      if (!INTEGERS.has(tag)) {
        throw new DOMException('crypto.getRandomValues fills a typed array of integers', 'TypeMismatchError');
      }
      if (array.byteLength > 65536) {
        throw new DOMException(`crypto.getRandomValues fills 65536 bytes at most, not ${array.byteLength}`, 'QuotaExceededError');
      }
      new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(native.random(array.byteLength));
      return array;
    },

    randomUUID() {
      const bytes = native.random(16);
      bytes[6] = (bytes[6] & 0x0f) | 0x40;
      bytes[8] = (bytes[8] & 0x3f) | 0x80;
      const hex = bytes.toHex();
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
    },

    subtle: {
      async digest(algorithm, data) {
        const name = String(algorithm && algorithm.name ? algorithm.name : algorithm).toUpperCase();
        const made = native.digest(name, kernel.viewOf(data, 'crypto.subtle.digest').toBase64());
        if (made === undefined) {
          throw new DOMException(`crypto.subtle.digest has SHA-256, SHA-384 and SHA-512, not ${name}`, 'NotSupportedError');
        }
        return made.buffer;
      },
    },
  };
  kernel.expose('crypto', crypto);

  // What a microtask throws must be heard of.
  kernel.expose('queueMicrotask', function queueMicrotask(run) {
    if (typeof run !== 'function') {
      throw new TypeError(`queueMicrotask needs a function, not ${kernel.inspect(run)}`);
    }
    Promise.resolve().then(() => run());
  });

  const INSTEAD = {
    fs: 'the global fs (promises) is there', 'fs/promises': 'the global fs is there', path: 'the global path is there',
    buffer: 'the global Buffer is there', url: 'the globals URL and URLSearchParams are there', util: 'console.log shows any value; structuredClone copies',
    crypto: 'the global crypto has randomUUID, getRandomValues and subtle.digest', events: 'the globals EventTarget and Event are there',
    timers: 'the globals setTimeout and sleep are there', 'timers/promises': 'the global sleep(ms) is there',
    http: 'the global fetch is there', https: 'the global fetch is there', 'node-fetch': 'the global fetch is there', axios: 'the global fetch is there',
    playwright: 'the globals page, context and openTab are there already', '@playwright/test': 'the globals page and expect are there already',
    'playwright-core': 'the globals page, context and openTab are there already', puppeteer: 'the globals page and openTab are there already',
    child_process: 'programs can\'t be run from a script', os: 'the system is out of reach of a script', process: 'the system is out of reach of a script',
  };
  kernel.expose('require', function require(name) {
    const plain = String(name).replace(/^node:/, '');
    const instead = Object.hasOwn(INSTEAD, plain) ? INSTEAD[plain] : 'fs, path, Buffer, fetch, URL and the page functions are globals; help() lists them';
    const error = new Error(`require('${name}') is not available in a script: ${instead}`);
    throw Object.defineProperty(error, 'code', { value: 'MODULE_NOT_FOUND', configurable: true });
  });

  const PAGE = new Set(['document', 'window', 'location', 'localStorage', 'sessionStorage', 'navigator', 'history', 'getComputedStyle', 'XMLHttpRequest', 'Element', 'HTMLElement', 'Node', 'MutationObserver', 'alert', 'confirm', 'prompt', 'self']);
  const NODE = {
    process: 'a script has no process: pwd is its folder, and the environment is out of its reach',
    global: 'use globalThis', module: 'there are no modules: what is declared at the top level is there for the next call',
    exports: 'there are no modules: what is declared at the top level is there for the next call',
    __dirname: 'use pwd, the folder of this session', __filename: 'use pwd, the folder of this session',
    WebSocket: 'open sockets in the page: page.evaluate(…)', WebAssembly: 'run it in the page: page.evaluate(…)',
  };

  // What to do about an error that the author could not foresee; undefined for the others.
  kernel.hint = (name, message, code) => {
    const missing = name === 'ReferenceError' ? /^'?([\w$]+)'? is not defined/.exec(message) : null;
    if (missing && PAGE.has(missing[1])) {
      return `${missing[1]} belongs to the page: page.evaluate(() => ${missing[1] === 'document' ? 'document.title' : `${missing[1]}…`})`;
    }
    if (missing && Object.hasOwn(NODE, missing[1])) {
      return NODE[missing[1]];
    }
    const ofNull = name === 'TypeError' ? /property '([\w$]+)' of null$/.exec(message) : null;
    if (ofNull && typeof code === 'string' && new RegExp(`\\bpage\\s*\\??\\.\\s*${ofNull[1].replaceAll('$', '\\$')}\\b`).test(code) && kernel.currentPage && kernel.currentPage() === null) {
      return 'page is null: open a tab with openTab(url)';
    }
    return undefined;
  };
});
