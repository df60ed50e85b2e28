// Values as people read them, much as Node shows them: nothing of the user's runs for it, neither getters nor toString.
(function (kernel) {
  'use strict';

  const { apply, ownKeys } = Reflect;
  const { getOwnPropertyDescriptor, getPrototypeOf } = Object;
  const { isArray } = Array;
  const { toString: numberText } = Number.prototype;
  const { toISOString, getTime } = Date.prototype;
  const { toString: regexText } = RegExp.prototype;
  const { toString: functionText } = Function.prototype;
  const { toString: symbolText } = Symbol.prototype;
  const { isView } = ArrayBuffer;
  const getter = (owner, name) => getOwnPropertyDescriptor(owner, name).get;
  const mapSize = getter(Map.prototype, 'size');
  const setSize = getter(Set.prototype, 'size');
  const { forEach: mapEach } = Map.prototype;
  const { forEach: setEach } = Set.prototype;
  const bufferLength = getter(ArrayBuffer.prototype, 'byteLength');
  const typedProto = getPrototypeOf(Uint8Array.prototype);
  const typedTag = getter(typedProto, Symbol.toStringTag);
  const typedLength = getter(typedProto, 'length');
  const boxes = [
    [Number, Number.prototype.valueOf],
    [String, String.prototype.valueOf],
    [Boolean, Boolean.prototype.valueOf],
    [BigInt, BigInt.prototype.valueOf],
    [Symbol, Symbol.prototype.valueOf],
  ];
  const { Map: MapOf, Set: SetOf, WeakMap: WeakMapOf, WeakSet: WeakSetOf, WeakRef: WeakRefOf, Promise: PromiseOf } = globalThis;
  const { Error: ErrorOf, DOMException: DOMExceptionOf, Date: DateOf, RegExp: RegExpOf, ArrayBuffer: ArrayBufferOf } = globalThis;
  const hasInstance = Function.prototype[Symbol.hasInstance];
  const is = (value, constructor) => apply(hasInstance, constructor, [value]);
  // What a call of a builtin gives, or undefined when the value isn't of its kind.
  const attempt = (run, value, args = []) => {
    try {
      return apply(run, value, args);
    } catch {
      return undefined;
    }
  };

  const DEFAULTS = { depth: 2, width: 100, maxItems: 100, maxString: 10000, maxTotal: 100000, hidden: false };

  const escapes = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\b': '\\b', '\f': '\\f', '\v': '\\v', '\\': '\\\\', '\0': '\\0' };

  // The quotes that need the fewest escapes.
  const quoted = (text) => {
    const quote = !text.includes("'") ? "'" : !text.includes('"') ? '"' : !text.includes('`') && !text.includes('${') ? '`' : "'";
    let out = quote;
    for (let i = 0; i < text.length; i += 1) {
      const c = text[i];
      if (c === quote) {
        out += `\\${c}`;
      } else if (escapes[c]) {
        out += escapes[c];
      } else if (c < ' ' || c === '\x7f') {
        out += `\\x${text.charCodeAt(i).toString(16).padStart(2, '0')}`;
      } else {
        out += c;
      }
    }
    return out + quote;
  };

  const text = (value, options) => {
    if (value.length <= options.maxString) {
      return quoted(value);
    }
    return `${quoted(value.slice(0, options.maxString))}... ${value.length - options.maxString} more characters`;
  };

  const key = (name) => {
    if (typeof name === 'symbol') {
      return `[${apply(symbolText, name, [])}]`;
    }
    return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name);
  };

  // The value of a property that holds one; code of a getter doesn't run.
  const own = (object, name) => {
    const property = getOwnPropertyDescriptor(object, name);
    return property && 'value' in property ? property.value : undefined;
  };

  // The name of an object's class, as its prototypes tell it.
  const className = (object) => {
    let at = object;
    for (let i = 0; at !== null && i < 20; i += 1) {
      const made = own(at, 'constructor');
      if (typeof made === 'function' && i > 0) {
        const name = own(made, 'name');
        return typeof name === 'string' ? name : '';
      }
      at = getPrototypeOf(at);
    }
    return null;
  };

  const tagOf = (object) => {
    for (let at = object, i = 0; at !== null && i < 20; at = getPrototypeOf(at), i += 1) {
      const tag = own(at, Symbol.toStringTag);
      if (typeof tag === 'string') {
        return tag;
      }
    }
    return '';
  };

  const isClass = (value) => apply(functionText, value, []).startsWith('class');

  const functionName = (value) => {
    const name = own(value, 'name');
    const named = typeof name === 'string' && name !== '' ? name : '';
    if (isClass(value)) {
      const parent = getPrototypeOf(value);
      const above = typeof parent === 'function' ? own(parent, 'name') : '';
      return `[class ${named || '(anonymous)'}${above ? ` extends ${above}` : ''}]`;
    }
    const kind = className(value) || 'Function';
    return named ? `[${kind}: ${named}]` : `[${kind} (anonymous)]`;
  };

  // Puts entries on one line when they fit, else below each other.
  const lay = (open, entries, close, indent, options) => {
    if (entries.length === 0) {
      return `${open}${close}`.trim();
    }
    const start = open ? `${open} ` : '';
    let length = open.length + close.length + 2 * entries.length;
    let multi = false;
    for (const entry of entries) {
      length += entry.length;
      multi = multi || entry.includes('\n');
    }
    if (!multi && length + indent <= options.width) {
      return `${start}${entries.join(', ')} ${close}`;
    }
    const pad = ' '.repeat(indent + 2);
    return `${start.trimEnd()}\n${pad}${entries.join(`,\n${pad}`)}\n${' '.repeat(indent)}${close}`;
  };

  // Many short items: as many on a line as fit.
  const fill = (entries, indent, options) => {
    if (entries.length <= 6 || entries.some((e) => e.length > 12 || e.includes('\n'))) {
      return entries;
    }
    const lines = [];
    let line = '';
    for (const entry of entries) {
      if (line && line.length + entry.length + 2 + indent > Math.min(options.width, 78)) {
        lines.push(line);
        line = entry;
      } else {
        line = line ? `${line}, ${entry}` : entry;
      }
    }
    if (line) {
      lines.push(line);
    }
    return lines;
  };

  const stackGetter = getOwnPropertyDescriptor(ErrorOf.prototype, 'stack')?.get;
  const stackOf = (error) => {
    const kept = getOwnPropertyDescriptor(error, 'stack');
    if (kept) {
      return kept.value;
    }
    return stackGetter ? attempt(stackGetter, error) : undefined;
  };

  const domGetter = (name) => (DOMExceptionOf ? getOwnPropertyDescriptor(DOMExceptionOf.prototype, name)?.get : undefined);
  const dom = { name: domGetter('name'), message: domGetter('message') };

  const errorHead = (error) => {
    // Name and message are read like properties of any object: a subclass may keep them on its prototype.
    const pick = (name) => {
      for (let at = error, i = 0; at !== null && i < 20; at = getPrototypeOf(at), i += 1) {
        const property = getOwnPropertyDescriptor(at, name);
        if (property && property.get && property.get === dom[name]) {
          return attempt(property.get, error);
        }
        if (property) {
          return typeof property.value === 'string' ? property.value : undefined;
        }
      }
      return undefined;
    };
    const name = pick('name') || className(error) || 'Error';
    const message = pick('message');
    return message ? `${name}: ${message}` : name;
  };

  // Properties of an error that its head and stack do not show.
  const ERROR_OWN = new Set(['name', 'message', 'stack', 'cause', 'errors', 'toString']);
  const TOLD = ['code', 'next_step'];

  function make(options) {
    const seen = [];
    const circular = new Map();
    let total = 0;

    const property = (object, name, depth, indent) => {
      const it = getOwnPropertyDescriptor(object, name);
      if (!it) {
        return 'undefined';
      }
      if (it.get || it.set) {
        return it.get ? (it.set ? '[Getter/Setter]' : '[Getter]') : '[Setter]';
      }
      return show(it.value, depth + 1, indent);
    };

    // Entries `name: value` of what is enumerable.
    const properties = (object, depth, indent, skip) => {
      const entries = [];
      let left = 0;
      for (const name of ownKeys(object)) {
        const it = getOwnPropertyDescriptor(object, name);
        if (!it || (!it.enumerable && !options.hidden) || (skip && skip(name))) {
          continue;
        }
        if (entries.length >= options.maxItems || total > options.maxTotal) {
          left += 1;
          continue;
        }
        const shown = `${key(name)}: ${property(object, name, depth, indent)}`;
        total += shown.length;
        entries.push(shown);
      }
      if (left > 0) {
        entries.push(`... ${left} more`);
      }
      return entries;
    };

    const items = (length, at, depth, indent) => {
      const entries = [];
      let i = 0;
      for (; i < length && entries.length < options.maxItems && total <= options.maxTotal; i += 1) {
        const shown = at(i);
        if (shown === null) {
          let holes = 1;
          while (i + 1 < length && at(i + 1) === null) {
            holes += 1;
            i += 1;
          }
          entries.push(`<${holes} empty item${holes > 1 ? 's' : ''}>`);
          continue;
        }
        total += shown.length;
        entries.push(shown);
      }
      const left = length - i;
      const laid = fill(entries, indent, options);
      if (left > 0) {
        laid.push(`... ${left} more item${left > 1 ? 's' : ''}`);
      }
      return laid;
    };

    const isIndex = (name) => typeof name === 'string' && /^(0|[1-9]\d{0,14})$/.test(name);

    const array = (value, depth, indent) => {
      const length = own(value, 'length');
      const name = className(value);
      const head = name && name !== 'Array' ? `${name}(${length}) ` : '';
      const at = (i) => (getOwnPropertyDescriptor(value, i) ? property(value, i, depth, indent + 2) : null);
      // Holes of a huge sparse array are not walked.
      const entries = length > 1e6 ? [] : items(length, at, depth, indent);
      if (length > 1e6) {
        const keys = ownKeys(value).filter(isIndex).slice(0, options.maxItems);
        for (const i of keys) {
          entries.push(`${i}: ${property(value, i, depth, indent + 2)}`);
        }
        entries.push(`... ${length} items in all`);
      }
      const more = properties(value, depth, indent + 2, (n) => isIndex(n) || n === 'length');
      return lay(`${head}[`, [...entries, ...more], ']', indent, options);
    };

    const collected = (each, value, one) => {
      const entries = [];
      let left = 0;
      apply(each, value, [
        (a, b) => {
          if (entries.length >= options.maxItems || total > options.maxTotal) {
            left += 1;
            return;
          }
          const shown = one(a, b);
          total += shown.length;
          entries.push(shown);
        },
      ]);
      if (left > 0) {
        entries.push(`... ${left} more item${left > 1 ? 's' : ''}`);
      }
      return entries;
    };

    const error = (value, depth, indent) => {
      const head = errorHead(value);
      const stack = stackOf(value);
      const frames = typeof stack === 'string' ? kernel.cleanStack(stack) : '';
      let out = frames ? `${head}\n${frames}` : `[${head}]`;
      const entries = properties(value, depth, indent + 2, (name) => ERROR_OWN.has(name));
      for (const name of TOLD) {
        const told = getOwnPropertyDescriptor(value, name);
        if (told && !told.enumerable && typeof told.value === 'string') {
          entries.push(`${name}: ${quoted(told.value)}`);
        }
      }
      if (entries.length > 0) {
        out += ` ${lay('{', entries, '}', indent, options)}`;
      }
      const cause = getOwnPropertyDescriptor(value, 'cause');
      if (cause && 'value' in cause) {
        out += `\n  [cause]: ${show(cause.value, depth + 1, indent + 2)}`;
      }
      const errors = own(value, 'errors');
      if (isArray(errors)) {
        out += `\n  [errors]: ${show(errors, depth + 1, indent + 2)}`;
      }
      return indent > 0 ? out.replaceAll('\n', `\n${' '.repeat(indent)}`) : out;
    };

    const object = (value, depth, indent) => {
      const name = className(value);
      if (is(value, ErrorOf)) {
        return error(value, depth, indent);
      }
      if (isArray(value)) {
        return depth > options.depth ? '[Array]' : array(value, depth, indent);
      }
      const tooDeep = depth > options.depth;
      if (is(value, MapOf)) {
        const size = attempt(mapSize, value);
        if (size !== undefined) {
          const one = (v, k) => `${show(k, depth + 1, indent + 2)} => ${show(v, depth + 1, indent + 2)}`;
          return tooDeep ? `[${name}]` : lay(`${name}(${size}) {`, collected(mapEach, value, one), '}', indent, options);
        }
      }
      if (is(value, SetOf)) {
        const size = attempt(setSize, value);
        if (size !== undefined) {
          const one = (v) => show(v, depth + 1, indent + 2);
          return tooDeep ? `[${name}]` : lay(`${name}(${size}) {`, collected(setEach, value, one), '}', indent, options);
        }
      }
      if (is(value, DateOf)) {
        const time = attempt(getTime, value);
        if (time !== undefined) {
          return Number.isNaN(time) ? 'Invalid Date' : attempt(toISOString, value);
        }
      }
      if (is(value, RegExpOf)) {
        const shown = attempt(regexText, value);
        if (shown !== undefined) {
          return shown;
        }
      }
      if (is(value, PromiseOf)) {
        const state = kernel.promiseState(value);
        if (state !== undefined) {
          const shown = state[0] === 'pending' ? '<pending>' : `${state[0] === 'rejected' ? '<rejected> ' : ''}${show(state[1], depth + 1, indent + 2)}`;
          return `${name} { ${shown} }`;
        }
      }
      if (isView(value)) {
        const tag = attempt(typedTag, value);
        if (tag !== undefined) {
          const length = attempt(typedLength, value);
          if (name === 'Buffer') {
            const bytes = [];
            for (let i = 0; i < Math.min(length, 50); i += 1) {
              bytes.push(apply(numberText, value[i], [16]).padStart(2, '0'));
            }
            const rest = length > 50 ? ` ... ${length - 50} more bytes` : '';
            return `<Buffer${bytes.length ? ` ${bytes.join(' ')}` : ''}${rest}>`;
          }
          const at = (i) => (typeof value[i] === 'bigint' ? `${value[i]}n` : `${value[i]}`);
          return tooDeep ? `[${name}]` : lay(`${name || tag}(${length}) [`, items(length, at, depth, indent), ']', indent, options);
        }
      }
      if (is(value, ArrayBufferOf)) {
        const length = attempt(bufferLength, value);
        if (length !== undefined) {
          return `${name} { byteLength: ${length} }`;
        }
      }
      if (is(value, WeakMapOf) || is(value, WeakSetOf) || is(value, WeakRefOf)) {
        return `${name} { <items unknown> }`;
      }
      for (const [box, valueOf] of boxes) {
        if (is(value, box)) {
          const inner = attempt(valueOf, value);
          if (inner !== undefined) {
            return `[${box.name}: ${show(inner, depth, indent)}]`;
          }
        }
      }
      const head = name === null ? '[Object: null prototype] ' : name && name !== 'Object' ? `${name} ` : '';
      const tag = tagOf(value);
      const tagged = tag && tag !== name ? `${head || 'Object '}[${tag}] ` : head;
      if (tooDeep) {
        return `[${(name === null ? 'Object: null prototype' : name) || 'Object'}]`;
      }
      return lay(`${tagged}{`, properties(value, depth, indent + 2), '}', indent, options);
    };

    function show(value, depth, indent) {
      switch (typeof value) {
        case 'string':
          return text(value, options);
        case 'number':
          return Object.is(value, -0) ? '-0' : `${value}`;
        case 'bigint':
          return `${value}n`;
        case 'symbol':
          return apply(symbolText, value, []);
        case 'function': {
          const base = functionName(value);
          const entries = depth > options.depth ? [] : properties(value, depth, indent + 2);
          return entries.length ? lay(`${base} {`, entries, '}', indent, options) : base;
        }
        case 'object':
          break;
        default:
          return `${value}`;
      }
      if (value === null) {
        return 'null';
      }
      if (seen.includes(value)) {
        if (!circular.has(value)) {
          circular.set(value, circular.size + 1);
        }
        return `[Circular *${circular.get(value)}]`;
      }
      if (seen.length > 200) {
        return '[...]';
      }
      // How an object of this scope's own classes shows itself.
      const own = kernel.customInspect && kernel.customInspect(value);
      if (typeof own === 'string') {
        return own;
      }
      seen.push(value);
      try {
        const shown = object(value, depth, indent);
        return circular.has(value) ? `<ref *${circular.get(value)}> ${shown}` : shown;
      } finally {
        seen.pop();
      }
    }
    return show;
  }

  kernel.inspect = (value, options) => {
    try {
      return make({ ...DEFAULTS, ...options })(value, 0, 0);
    } catch (error) {
      // A proxy's trap threw, or there is no memory left.
      return `[${typeof value} that can't be shown: ${error && typeof error.message === 'string' ? error.message : 'it throws'}]`;
    }
  };
  kernel.quoted = quoted;

  // Classes of this scope that show themselves in one line: kernel.showAs(Page, (page) => 'Page …').
  const selves = new Map();
  kernel.showAs = (owner, tell) => void selves.set(owner.prototype, tell);
  kernel.customInspect = (value) => {
    if (selves.size === 0) {
      return undefined;
    }
    for (let at = getPrototypeOf(value), i = 0; at !== null && i < 10; at = getPrototypeOf(at), i += 1) {
      const tell = selves.get(at);
      if (tell) {
        return tell(value);
      }
    }
    return undefined;
  };
});
