// The kernel: what the files of the scope share, and what of it users get. User code never gets `kernel` itself.
(function (kernel) {
  'use strict';

  const { native } = kernel;
  const global = globalThis;
  const define = Object.defineProperty;
  const { apply } = Reflect;
  const then = Promise.prototype.then;
  const opOf = new WeakMap();

  // A plain global: users may replace it, as they may replace any global.
  kernel.expose = (name, value) => {
    define(global, name, { value, writable: true, enumerable: true, configurable: true });
  };

  // A global that is asked for each time. An assignment replaces it.
  kernel.exposeGetter = (name, get) => {
    define(global, name, {
      get,
      set: (value) => kernel.expose(name, value),
      enumerable: true,
      configurable: true,
    });
  };

  // Object.keys and inspecting list what a namespace can do.
  kernel.owners = new Set();
  kernel.enumerable = (owner) => {
    kernel.owners.add(owner);
    const target = typeof owner === 'function' ? owner.prototype : owner;
    for (const name of Object.getOwnPropertyNames(target)) {
      const property = Object.getOwnPropertyDescriptor(target, name);
      if (name !== 'constructor' && !property.enumerable && property.configurable) {
        define(target, name, { ...property, enumerable: true });
      }
    }
    return owner;
  };

  kernel.op = (name, args) => {
    const [id, promise] = native.op(name, args === undefined ? {} : args);
    opOf.set(promise, id);
    return promise;
  };

  kernel.call = (tool, args) => {
    const asked = kernel.op('call', { tool, args: args === undefined ? {} : args });
    const answer = apply(then, asked, [
      (outcome) => {
        if (outcome && outcome.error) {
          throw outcome.error;
        }
        return outcome;
      },
    ]);
    opOf.set(answer, opOf.get(asked));
    return answer;
  };

  // Only for what kernel.op or kernel.call has just given.
  kernel.background = (promise) => {
    const id = opOf.get(promise);
    if (id === undefined) {
      throw new TypeError('kernel.background needs a promise that kernel.op or kernel.call has just given');
    }
    native.background(id);
    return promise;
  };

  kernel.after = (ms, run) => native.after(Number(ms), run);
  kernel.cancelTimer = (id) => native.cancelTimer(Number(id));
  kernel.now = native.now;
  kernel.wall = native.wall;
  kernel.print = (level, text) => native.print(String(level), String(text).toWellFormed());
  kernel.image = ({ mime, base64 }) => native.image(String(mime), String(base64));
  define(kernel, 'info', { get: () => native.info(undefined), enumerable: true });

  kernel.utf8 = {
    encode: (text) => native.utf8Encode(String(text).toWellFormed()),
    decode: (bytes, fatal) => native.utf8Decode(bytes.toBase64(), fatal === true),
  };
  kernel.base64 = {
    encode: (bytes) => bytes.toBase64(),
    decode: (text) => Uint8Array.fromBase64(text),
  };
  kernel.hex = {
    encode: (bytes) => bytes.toHex(),
    decode: (text) => Uint8Array.fromHex(text),
  };
  kernel.url = {
    parse: (input, base) => native.url(input, base),
    set: (href, part, value) => native.urlSet(href, part, value),
  };

  const starts = [];
  const ends = [];
  kernel.onCallStart = (run) => void starts.push(run);
  kernel.onCallEnd = (run) => void ends.push(run);

  // One hook that fails must not keep the others, or the user's code, from running.
  const all = async (hooks) => {
    const running = [];
    for (let i = 0; i < hooks.length; i += 1) {
      running[i] = (async () => {
        try {
          await hooks[i]();
        } catch (error) {
          kernel.print('error', `a hook of the scope failed: ${(error && error.message) || error}`);
        }
      })();
    }
    for (let i = 0; i < running.length; i += 1) {
      await running[i];
    }
  };
  kernel.runStart = (file, shift, code) => {
    call = { file, shift, code };
    if (shift) {
      shifts.set(file, shift);
    }
    return all(starts);
  };
  kernel.runEnd = () => all(ends);
  kernel.follow = async (thenable) => await thenable;

  kernel.promiseState = native.promiseState;

  // The running call, and earlier ones whose first line begins further to the right than their author wrote.
  let call = { file: '', shift: 0, code: '' };
  const shifts = new Map();

  // Lines of the scope's own files are left out. `script` is this call, `call3` is the third of the scope.
  kernel.cleanStack = (stack) => {
    const lines = [];
    for (const line of String(stack).split('\n')) {
      const place = /^ *at (?:(.*) )?\(?(call\d+):(\d+):(\d+)\)?$/.exec(line);
      // Behind a `return` at the top level stands a function of ours, which the outermost line calls.
      if (!place || (place[1] === '<eval>' && shifts.has(place[2]))) {
        continue;
      }
      const column = place[3] === '1' ? Math.max(1, place[4] - (shifts.get(place[2]) || 0)) : place[4];
      const name = place[1] && place[1] !== '<eval>' && place[1] !== '<anonymous>' ? place[1] : '';
      const where = `${place[2] === call.file ? 'script' : place[2]}:${place[3]}:${column}`;
      lines.push(name ? `    at ${name} (${where})` : `    at ${where}`);
    }
    return lines.join('\n');
  };

  // JSON text without halves of surrogate pairs, which other readers refuse.
  const loneFree = (json) => (json.includes('\\ud') ? json.replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, '$1\\ufffd') : json);

  const textOf = (object, name) => {
    const value = object[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };

  const { stringify } = JSON;

  // What was thrown, as texts for the host; `data` as JSON. No prototype, so that nothing is added by the user's.
  kernel.describe = (thrown) => {
    const odd = () => ({ __proto__: null, name: 'Thrown', message: kernel.inspect(thrown).toWellFormed() });
    if (thrown === null || (typeof thrown !== 'object' && typeof thrown !== 'function')) {
      const told = odd();
      if (thrown === null) {
        // Without memory for an error the engine throws null.
        told.next_step = 'if the script does not throw null itself, it has used up its memory: set large variables to undefined';
      }
      return told;
    }
    const isError = Error.isError ? Error.isError(thrown) : thrown instanceof Error;
    const message = textOf(thrown, 'message');
    if (!isError && message === undefined) {
      return odd();
    }
    let data;
    try {
      data = thrown.data === undefined ? undefined : loneFree(stringify(thrown.data));
    } catch {
      data = undefined;
    }
    const name = textOf(thrown, 'name') || (isError ? 'Error' : 'Thrown');
    return {
      __proto__: null,
      name: name.toWellFormed(),
      message: (message || '').toWellFormed(),
      code: textOf(thrown, 'code')?.toWellFormed(),
      next_step: (textOf(thrown, 'next_step') || (kernel.hint ? kernel.hint(name, message || '', call.code) : undefined))?.toWellFormed(),
      stack: kernel.cleanStack(thrown.stack || '').toWellFormed() || undefined,
      data,
    };
  };

  // The value of a call.
  kernel.show = (value) => ({ __proto__: null, text: kernel.inspect(value).toWellFormed(), json: kernel.plainJson(value) });

  const MOST_JSON = 65536;

  // JSON text of what JSON can say without loss; undefined for the rest.
  kernel.plainJson = (value) => {
    let nodes = 0;
    const plain = (it, depth) => {
      nodes += 1;
      if (nodes > 10000 || depth > 50) {
        return false;
      }
      if (it === null || typeof it === 'string' || typeof it === 'boolean') {
        return true;
      }
      if (typeof it === 'number') {
        return Number.isFinite(it);
      }
      if (typeof it !== 'object') {
        return false;
      }
      if (Array.isArray(it)) {
        for (let i = 0; i < it.length; i += 1) {
          if (!plain(it[i], depth + 1)) {
            return false;
          }
        }
        return true;
      }
      const proto = Object.getPrototypeOf(it);
      if (proto !== null && proto !== Object.prototype) {
        return false;
      }
      for (const key of Reflect.ownKeys(it)) {
        const property = Object.getOwnPropertyDescriptor(it, key);
        if (typeof key === 'symbol' || !property || !('value' in property) || key === 'toJSON') {
          return false;
        }
        if (!plain(property.value, depth + 1)) {
          return false;
        }
      }
      return true;
    };
    try {
      if (!plain(value, 0)) {
        return undefined;
      }
      const text = stringify(value);
      return text.length > MOST_JSON ? undefined : loneFree(text);
    } catch {
      return undefined;
    }
  };

  // Until the console's file has a better one.
  kernel.inspect = (value) => String(value);
});
