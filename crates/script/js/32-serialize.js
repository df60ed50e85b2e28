// The scope's half of the value codec: what goes into a page and what comes back, in the form that
// `crates/browser/js/script-codec.js` describes.
(function (kernel) {
  'use strict';

  const MAX_PARTS = 400000;
  const MAX_TEXT = 24 * 1024 * 1024;
  const apply = Reflect.apply;
  const own = (target, key, value) => Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  const hidden = (target, key, value) => Object.defineProperty(target, key, { value, writable: true, enumerable: false, configurable: true });
  const tagOf = (value) => apply(Object.prototype.toString, value, []);

  // ---- base64 ----------------------------------------------------------------------------------------------------

  const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const VALUES = new Uint8Array(128);
  for (let i = 0; i < 64; i++) VALUES[DIGITS.charCodeAt(i)] = i;

  function toBase64(bytes) {
    const out = [];
    for (let i = 0; i < bytes.length; i += 3) {
      const [a, b = 0, c = 0] = [bytes[i], bytes[i + 1], bytes[i + 2]];
      const left = bytes.length - i;
      out.push(DIGITS[a >> 2] + DIGITS[((a & 3) << 4) | (b >> 4)] + (left > 1 ? DIGITS[((b & 15) << 2) | (c >> 6)] : '=') + (left > 2 ? DIGITS[c & 63] : '='));
    }
    return out.join('');
  }

  function fromBase64(text) {
    const size = (text.length / 4) * 3 - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0);
    const bytes = new Uint8Array(size);
    for (let i = 0, at = 0; i < text.length; i += 4) {
      const n = (VALUES[text.charCodeAt(i)] << 18) | (VALUES[text.charCodeAt(i + 1)] << 12) | (VALUES[text.charCodeAt(i + 2) & 127] << 6) | VALUES[text.charCodeAt(i + 3) & 127];
      if (at < size) bytes[at++] = (n >> 16) & 255;
      if (at < size) bytes[at++] = (n >> 8) & 255;
      if (at < size) bytes[at++] = n & 255;
    }
    return bytes;
  }
  kernel.toBase64 = toBase64;
  kernel.fromBase64 = fromBase64;

  // ---- encode ----------------------------------------------------------------------------------------------------

  const isError = (value) => value instanceof Error || tagOf(value) === '[object Error]';
  const isUrl = (value) => typeof globalThis.URL === 'function' && value instanceof globalThis.URL;
  const isBinary = (value) => ArrayBuffer.isView(value) || value instanceof ArrayBuffer;

  const typedName = (value) => {
    if (value instanceof ArrayBuffer) return 'ArrayBuffer';
    if (value instanceof DataView) return 'DataView';
    // A Buffer is an Uint8Array to everybody else.
    return value[Symbol.toStringTag];
  };

  function shown(value) {
    const text = typeof value === 'function' ? Function.prototype.toString.call(value) : String(value);
    return text.length > 120 ? `${text.slice(0, 119)}…` : text;
  }

  /** What a value crosses as when it stands for something in the page: the id of a handle; null for all other values. */
  const handleId = (value) => (kernel.handleIdOf ? kernel.handleIdOf(value) : null);

  /**
   * Encodes a value. `handles` collects the ids of the handles that are in it. Functions are refused, since they could not
   * be called from a page; symbols become undefined.
   */
  function encode(root, handles, isList = false) {
    const nodes = [];
    const queue = [];
    const seen = new Map();
    let parts = 0;
    let text = 0;

    const count = (chars) => {
      if (++parts > MAX_PARTS) throw new Error(`The argument is too large: more than ${MAX_PARTS} parts`);
      text += chars;
      if (text > MAX_TEXT) throw new Error(`The argument is too large: more than ${MAX_TEXT >> 20} MiB of text`);
    };
    const add = (value, node, path) => {
      const ref = { p: nodes.length };
      nodes.push(node);
      seen.set(value, ref);
      if (node.a || node.o || node.m || node.s) queue.push([value, node, path]);
      return ref;
    };

    function ref(value, path) {
      count(0);
      switch (typeof value) {
        case 'undefined': case 'symbol': return { x: 'undefined' };
        case 'boolean': return value;
        case 'string': count(value.length); return value;
        case 'bigint': return { n: value.toString() };
        case 'number':
          if (Number.isFinite(value)) return Object.is(value, -0) ? { x: '-0' } : value;
          return { x: String(value) };
        case 'function': throw new Error(`Attempting to serialize unexpected value${path ? ` at position "${path.slice(0, 200)}"` : ''}: ${shown(value)}`);
        default:
      }
      if (value === null) return null;
      const before = seen.get(value);
      if (before) return before;
      const plain = kernel.plainOf ? kernel.plainOf(value) : null;
      if (plain) return ref(plain.value, path);
      const id = handleId(value);
      if (id !== null) {
        let at = handles.indexOf(id);
        if (at < 0) at = handles.push(id) - 1;
        return { h: at };
      }
      if (Array.isArray(value)) return add(value, { a: [] }, path);
      if (isError(value)) {
        const e = [value.name, value.message, value.stack].map((part) => (part == null ? '' : String(part)));
        // Engines differ in whether the stack starts with the message; pages expect that it does.
        const head = e[0] && e[1] ? `${e[0]}: ${e[1]}` : e[0] || e[1];
        if (!e[2].startsWith(head)) e[2] = `${head}\n${e[2]}`;
        count(e[1].length + e[2].length);
        return add(value, { e }, path);
      }
      if (value instanceof Date) {
        const ms = apply(Date.prototype.getTime, value, []);
        return add(value, { d: Number.isNaN(ms) ? null : ms }, path);
      }
      if (value instanceof RegExp) return add(value, { r: [value.source, value.flags] }, path);
      if (isUrl(value)) return add(value, { u: String(value.href) }, path);
      if (value instanceof Map) return add(value, { m: [] }, path);
      if (value instanceof Set) return add(value, { s: [] }, path);
      if (isBinary(value)) {
        const bytes = value instanceof ArrayBuffer ? new Uint8Array(value) : new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
        const node = { b: toBase64(bytes), k: typedName(value) };
        count(node.b.length);
        return add(value, node, path);
      }
      return add(value, { o: [] }, path);
    }

    // Places are told as the caller sees them: the list around the arguments is not his.
    const v = ref(root, '');
    for (let i = 0; i < queue.length; i++) {
      const [value, node, path] = queue[i];
      const at = (key) => (path ? `${path}.${key}` : String(key));
      if (node.a) for (let j = 0; j < value.length; j++) node.a.push(ref(value[j], isList && value === root ? '' : `${path}[${j}]`));
      else if (node.m) for (const [k, item] of value) node.m.push(ref(k, at('key')), ref(item, at('value')));
      else if (node.s) for (const item of value) node.s.push(ref(item, at('item')));
      else {
        for (const key of Object.keys(value)) {
          count(key.length);
          node.o.push(key, ref(value[key], at(key)));
        }
      }
    }
    return nodes.length ? { v, t: nodes } : { v };
  }

  // ---- decode ----------------------------------------------------------------------------------------------------

  const KINDS = { DataView, Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array };

  function shell(n) {
    if (n.a) return [];
    if (n.o) return {};
    if (n.m) return new Map();
    if (n.s) return new Set();
    if (n.d !== undefined) return new Date(n.d ?? NaN);
    if (n.r) {
      try {
        return new RegExp(n.r[0], n.r[1]);
      } catch {
        // A page's engine may know flags that this one doesn't.
        return new RegExp(n.r[0].replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
      }
    }
    if (n.u !== undefined) {
      try {
        return new globalThis.URL(n.u);
      } catch {
        return n.u;
      }
    }
    if (n.e) {
      const error = new Error(n.e[1]);
      hidden(error, 'name', String(n.e[0]));
      hidden(error, 'stack', String(n.e[2]));
      return error;
    }
    const bytes = fromBase64(String(n.b));
    if (n.k === 'ArrayBuffer') return bytes.buffer;
    const Kind = Object.hasOwn(KINDS, n.k) ? KINDS[n.k] : Uint8Array;
    return Kind === Uint8Array ? bytes : new Kind(bytes.buffer);
  }

  /**
   * Values of a page are data: objects are made of own data properties, whatever the keys are called (`__proto__`
   * and `then` too), so that nothing of a page is ever run here. `handles` gives what stands for `{ h }`.
   */
  function decode(encoded, handles) {
    if (encoded === null || typeof encoded !== 'object') return encoded;
    const nodes = encoded.t || [];
    const made = nodes.map(shell);
    const value = (e) => {
      if (e === null || typeof e !== 'object') return e;
      if (e.p !== undefined) return made[e.p];
      if (e.h !== undefined) return handles ? handles[e.h] : undefined;
      if (e.n !== undefined) return BigInt(e.n);
      if (e.x === '-0') return -0;
      return e.x === 'undefined' || e.x === undefined ? undefined : Number(e.x);
    };
    nodes.forEach((n, i) => {
      const to = made[i];
      if (n.a) for (const item of n.a) to.push(value(item));
      else if (n.o) for (let j = 0; j < n.o.length; j += 2) own(to, String(n.o[j]), value(n.o[j + 1]));
      else if (n.m) for (let j = 0; j < n.m.length; j += 2) to.set(value(n.m[j]), value(n.m[j + 1]));
      else if (n.s) for (const item of n.s) to.add(value(item));
    });
    return value(encoded.v);
  }

  /** `{ args, handles }` of a list of arguments, as the page tools take them. */
  kernel.encodeArgs = (list) => {
    const handles = [];
    return { args: encode(list, handles, true), handles };
  };
  kernel.encodeValue = encode;
  kernel.decodeValue = decode;
})
