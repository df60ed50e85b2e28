// The page's half of the value codec: an expression that gives a function `() => { encode, decode, run }`.
//
// It is evaluated in the page's own world, so it leans on as few built-ins as it can: syntax, and what it takes
// once at the start by name. The other half is `crates/script/js/32-serialize.js`; both write the same form.
//
// Encoded value: `{ v: E, t?: [node, …] }`. It is flat, so that depth costs no recursion on either side.
//   E     null, true, false, a string, a finite number, or
//         { x: 'undefined' | 'NaN' | 'Infinity' | '-Infinity' | '-0' }, { n: '123' } (BigInt),
//         { h: 0 } (the n-th handle given along), { p: 0 } (the n-th node of `t`: cycles and sharing are kept)
//   node  { a: [E, …] } array, { o: [key, E, key, E, …] } object, { m: [E, E, …] } Map, { s: [E, …] } Set,
//         { d: ms | null } Date, { r: [source, flags] } RegExp, { e: [name, message, stack] } Error, { u: href } URL,
//         { b: base64, k: 'ArrayBuffer' | 'DataView' | 'Uint8Array' | … }
(function () {
  'use strict';

  const MAX_PARTS = 400000;
  const MAX_TEXT = 24 * 1024 * 1024;

  const { apply, defineProperty, getPrototypeOf, getOwnPropertyDescriptor } = Reflect;
  const { isArray } = Array;
  const tagOf = Object.prototype.toString;
  const keysOf = Object.keys;
  const stringOf = String;

  /** A method or getter of a class of the page, or null when there is none. */
  const method = (name, member) => {
    try {
      const found = getOwnPropertyDescriptor(globalThis[name].prototype, member);
      return found.get || found.value;
    } catch {
      return null;
    }
  };
  const time = method('Date', 'getTime');
  const source = method('RegExp', 'source');
  const flags = method('RegExp', 'flags');
  const href = method('URL', 'href');
  const mapSize = method('Map', 'size');
  const mapEach = method('Map', 'forEach');
  const mapGet = method('Map', 'get');
  const mapSet = method('Map', 'set');
  const setSize = method('Set', 'size');
  const setEach = method('Set', 'forEach');
  const setAdd = method('Set', 'add');
  const bufferSize = method('ArrayBuffer', 'byteLength');
  const viewSize = method('DataView', 'byteLength');
  const viewBuffer = method('DataView', 'buffer');
  const viewOffset = method('DataView', 'byteOffset');
  const typed = (member) => {
    try {
      return getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), member).get;
    } catch {
      return null;
    }
  };
  const typedKind = typed(Symbol.toStringTag);
  const typedBuffer = typed('buffer');
  const typedOffset = typed('byteOffset');
  const typedSize = typed('byteLength');

  /** The getter's answer, or undefined when the value is not of its kind. */
  const ask = (get, value) => {
    if (!get) return undefined;
    try {
      return apply(get, value, []);
    } catch {
      return undefined;
    }
  };

  /** Puts a value behind the last of a list. The page may have put a setter for that place on the prototype of arrays. */
  const append = (list, value) => put(list, list.length, value);

  /**
   * Makes an own property. Assigning is what a reading may do (a browser that watches for side effects takes every
   * defineProperty for one), and right as long as nothing of that name is inherited: `__proto__`, setters.
   */
  const put = (to, key, value) => {
    if (key in to) defineProperty(to, key, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
    else to[key] = value;
  };

  // ---- base64 without the page's btoa ----------------------------------------------------------------------------

  const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const toBase64 = (bytes, size) => {
    let out = '';
    for (let i = 0; i < size; i += 3) {
      const a = bytes[i];
      const b = i + 1 < size ? bytes[i + 1] : 0;
      const c = i + 2 < size ? bytes[i + 2] : 0;
      out += DIGITS[a >> 2] + DIGITS[((a & 3) << 4) | (b >> 4)] + (i + 1 < size ? DIGITS[((b & 15) << 2) | (c >> 6)] : '=') + (i + 2 < size ? DIGITS[c & 63] : '=');
    }
    return out;
  };
  const fromBase64 = (text) => {
    const value = { __proto__: null };
    for (let i = 0; i < 64; i++) value[DIGITS[i]] = i;
    let size = (text.length / 4) * 3;
    if (text[text.length - 1] === '=') size--;
    if (text[text.length - 2] === '=') size--;
    const bytes = new Uint8Array(size);
    let at = 0;
    for (let i = 0; i < text.length; i += 4) {
      const n = (value[text[i]] << 18) | (value[text[i + 1]] << 12) | ((value[text[i + 2]] ?? 0) << 6) | (value[text[i + 3]] ?? 0);
      if (at < size) bytes[at++] = (n >> 16) & 255;
      if (at < size) bytes[at++] = (n >> 8) & 255;
      if (at < size) bytes[at++] = n & 255;
    }
    return bytes;
  };

  // ---- encode ----------------------------------------------------------------------------------------------------

  const isKind = (name, value) => {
    try {
      return typeof globalThis[name] === 'function' && value instanceof globalThis[name];
    } catch {
      return false;
    }
  };

  const BOX = ['x', 'y', 'width', 'height', 'top', 'right', 'bottom', 'left'];

  const tooBig = (what) => new Error(`Cannot serialize result: ${what}. Return less: pick the fields that you need, or keep a handle.`);

  function encode(root) {
    const nodes = [];
    const queue = [];
    const seen = mapGet && mapSet ? new Map() : null;
    const fallback = [];
    let parts = 0;
    let text = 0;

    const known = (value) => {
      if (seen) return apply(mapGet, seen, [value]);
      for (let i = 0; i < fallback.length; i++) if (fallback[i][0] === value) return fallback[i][1];
      return undefined;
    };
    const remember = (value, ref) => {
      if (seen) apply(mapSet, seen, [value, ref]);
      else append(fallback, [value, ref]);
      return ref;
    };
    const count = (chars) => {
      if (++parts > MAX_PARTS) throw tooBig(`the value has more than ${MAX_PARTS} parts`);
      text += chars;
      if (text > MAX_TEXT) throw tooBig(`the value has more than ${MAX_TEXT >> 20} MiB of text`);
    };
    const add = (value, node) => {
      const ref = { p: nodes.length };
      append(nodes, node);
      remember(value, ref);
      return ref;
    };

    /** The E of a value; containers are only queued. */
    function ref(value, depth) {
      count(0);
      switch (typeof value) {
        case 'undefined': case 'symbol': case 'function': return { x: 'undefined' };
        case 'boolean': return value;
        case 'string': count(value.length); return value;
        case 'bigint': { const n = `${value}`; count(n.length); return { n }; }
        case 'number':
          if (value !== value) return { x: 'NaN' };
          if (value === Infinity) return { x: 'Infinity' };
          if (value === -Infinity) return { x: '-Infinity' };
          return value === 0 && 1 / value < 0 ? { x: '-0' } : value;
        default:
      }
      if (value === null) return null;
      const before = known(value);
      if (before !== undefined) return before;
      if (isKind('Window', value)) return 'ref: <Window>';
      if (isKind('Document', value)) return 'ref: <Document>';
      if (isKind('Node', value)) return 'ref: <Node>';
      if (isArray(value)) {
        if (value.length > MAX_PARTS) throw tooBig(`an array has ${value.length} elements`);
        const made = add(value, { a: [] });
        append(queue, value);
        return made;
      }
      return special(value) ?? object(value, depth);
    }

    /** Values with a form of their own; undefined for all others. */
    function special(value) {
      let tag = '';
      try {
        tag = apply(tagOf, value, []);
      } catch {
        // A proxy that was revoked, or a tag that throws.
      }
      if (tag === '[object Error]' || isKind('Error', value)) {
        const e = [];
        const names = ['name', 'message', 'stack'];
        for (let i = 0; i < 3; i++) {
          let part = '';
          try {
            part = stringOf(value[names[i]] ?? '');
          } catch {
            // Getters of the page may throw; the rest is still told.
          }
          count(part.length);
          append(e, part);
        }
        return add(value, { e });
      }
      const ms = tag === '[object Date]' ? ask(time, value) : undefined;
      if (ms !== undefined) return add(value, { d: ms === ms ? ms : null });
      const pattern = tag === '[object RegExp]' ? ask(source, value) : undefined;
      if (pattern !== undefined) return add(value, { r: [pattern, ask(flags, value) ?? ''] });
      const address = tag === '[object URL]' ? ask(href, value) : undefined;
      if (address !== undefined) return add(value, { u: address });
      if (tag === '[object Map]' && ask(mapSize, value) !== undefined) {
        const made = add(value, { m: [] });
        append(queue, value);
        return made;
      }
      if (tag === '[object Set]' && ask(setSize, value) !== undefined) {
        const made = add(value, { s: [] });
        append(queue, value);
        return made;
      }
      // Plain objects end here: to ask them for the getters of buffers counts as a side effect in a browser that watches.
      if (tag === '[object Object]' || tag === '[object Array]') return undefined;
      const kind = ask(typedKind, value);
      if (kind !== undefined) return bytes(value, kind, ask(typedBuffer, value), ask(typedOffset, value), ask(typedSize, value));
      const size = ask(bufferSize, value);
      if (size !== undefined) return bytes(value, 'ArrayBuffer', value, 0, size);
      const view = ask(viewSize, value);
      if (view !== undefined) return bytes(value, 'DataView', ask(viewBuffer, value), ask(viewOffset, value), view);
      return undefined;
    }

    function bytes(value, k, buffer, offset, size) {
      if (size * 4 > MAX_TEXT * 3) throw tooBig(`${k} has ${size} bytes`);
      const b = toBase64(new Uint8Array(buffer, offset, size), size);
      count(b.length);
      return add(value, { b, k });
    }

    function object(value, depth) {
      if (isKind('DOMRectReadOnly', value)) {
        const box = { __proto__: null };
        for (let i = 0; i < BOX.length; i++) box[BOX[i]] = value[BOX[i]];
        return remember(value, ref(box, depth));
      }
      // Host objects keep their data in getters of the prototype; their toJSON tells it.
      let bare = false;
      try {
        bare = depth < 8 && keysOf(value).length === 0 && typeof value.toJSON === 'function';
      } catch {
        bare = false;
      }
      if (bare) {
        let told;
        try {
          told = [value.toJSON()];
        } catch {
          told = null;
        }
        if (told) return remember(value, ref(told[0], depth + 1));
      }
      const made = add(value, { o: [] });
      append(queue, value);
      return made;
    }

    function fill(value, node) {
      if (node.a) {
        const { length } = value;
        for (let i = 0; i < length; i++) append(node.a, ref(value[i], 0));
      } else if (node.m) {
        apply(mapEach, value, [(v, k) => { append(node.m, ref(k, 0)); append(node.m, ref(v, 0)); }]);
      } else if (node.s) {
        apply(setEach, value, [(v) => append(node.s, ref(v, 0))]);
      } else {
        let keys = [];
        try {
          keys = keysOf(value);
        } catch {
          // A proxy that refuses to be listed has nothing to tell.
        }
        for (let i = 0; i < keys.length; i++) {
          let item;
          try {
            item = value[keys[i]];
          } catch {
            continue;
          }
          count(keys[i].length);
          append(node.o, keys[i]);
          append(node.o, keys[i] === 'toJSON' && typeof item === 'function' ? ref({ __proto__: null }, 0) : ref(item, 0));
        }
      }
    }

    const v = ref(root, 0);
    for (let i = 0; i < queue.length; i++) fill(queue[i], nodes[known(queue[i]).p]);
    return nodes.length ? { v, t: nodes } : { v };
  }

  // ---- decode ----------------------------------------------------------------------------------------------------

  function decode(encoded, handles) {
    const nodes = encoded.t ?? [];
    const made = [];
    const value = (e) => {
      if (e === null || typeof e !== 'object') return e;
      if (e.p !== undefined) return made[e.p];
      if (e.h !== undefined) return handles[e.h];
      if (e.n !== undefined) return BigInt(e.n);
      switch (e.x) {
        case 'NaN': return NaN;
        case 'Infinity': return Infinity;
        case '-Infinity': return -Infinity;
        case '-0': return -0;
        default: return undefined;
      }
    };
    const shell = (n) => {
      if (n.a) return [];
      if (n.o) return {};
      if (n.m) return new Map();
      if (n.s) return new Set();
      if (n.d !== undefined) return new Date(n.d ?? NaN);
      if (n.r) return new RegExp(n.r[0], n.r[1]);
      if (n.u !== undefined) return new URL(n.u);
      if (n.e) {
        const error = new Error(n.e[1]);
        for (let j = 0; j < 2; j++) defineProperty(error, j ? 'stack' : 'name', { __proto__: null, value: n.e[j * 2], writable: true, enumerable: false, configurable: true });
        return error;
      }
      const content = fromBase64(n.b);
      if (n.k === 'ArrayBuffer') return content.buffer;
      // The kind comes from our own encoder; anything else is read as bytes.
      const Kind = KINDS[n.k] && globalThis[n.k];
      return typeof Kind === 'function' ? new Kind(content.buffer) : content;
    };
    for (let i = 0; i < nodes.length; i++) append(made, shell(nodes[i]));
    for (let i = 0; i < nodes.length; i++) {
      const n = nodes[i];
      const to = made[i];
      if (n.a) for (let j = 0; j < n.a.length; j++) append(to, value(n.a[j]));
      else if (n.o) {
        for (let j = 0; j < n.o.length; j += 2) put(to, n.o[j], value(n.o[j + 1]));
      } else if (n.m) for (let j = 0; j < n.m.length; j += 2) apply(mapSet, to, [value(n.m[j]), value(n.m[j + 1])]);
      else if (n.s) for (let j = 0; j < n.s.length; j++) apply(setAdd, to, [value(n.s[j])]);
    }
    return value(encoded.v);
  }
  const KINDS = {
    __proto__: null, DataView: true, Int8Array: true, Uint8Array: true, Uint8ClampedArray: true, Int16Array: true, Uint16Array: true,
    Int32Array: true, Uint32Array: true, Float32Array: true, Float64Array: true, BigInt64Array: true, BigUint64Array: true,
  };

  // ---- run -------------------------------------------------------------------------------------------------------

  /**
   * Calls `target` with the decoded list of arguments when it is a function, else takes it as the result. Promises are
   * awaited by syntax, so that a page which replaced Promise changes nothing. `byValue` gives the encoded result.
   * `first`: values (not encoded) that go before the arguments, such as the object that a handle stands for.
   */
  function run(target, encodedArgs, handles, byValue, first) {
    const given = encodedArgs ? decode(encodedArgs, handles ?? []) : [];
    const args = [];
    for (let i = 0; first && i < first.length; i++) append(args, first[i]);
    for (let i = 0; i < given.length; i++) append(args, given[i]);
    const finish = (value) => (byValue ? encode(value) : value);
    const settle = async (value) => finish(await value);
    const result = typeof target === 'function' ? apply(target, undefined, args) : target;
    const waits = result !== null && (typeof result === 'object' || typeof result === 'function') && typeof result.then === 'function';
    return waits ? settle(result) : finish(result);
  }

  return { __proto__: null, encode, decode, run };
})
