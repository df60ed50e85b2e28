// Completion for people who type: what can follow a dotted path. It looks at properties and calls no code of the user's;
// of getters only those that this scope's own files have made.
(function (kernel) {
  'use strict';

  const { getOwnPropertyNames, getOwnPropertyDescriptor, getPrototypeOf } = Object;
  const { apply } = Reflect;
  const { stringify } = JSON;
  const known = new WeakSet();
  const getters = new Set();
  const MOST = 300;
  const WORDS = [
    'async', 'await', 'break', 'case', 'catch', 'class', 'const', 'continue', 'default', 'delete', 'do', 'else', 'false', 'finally',
    'for', 'function', 'if', 'in', 'instanceof', 'let', 'new', 'null', 'of', 'return', 'static', 'super', 'switch', 'this', 'throw',
    'true', 'try', 'typeof', 'undefined', 'var', 'void', 'while', 'yield',
  ];

  const { enumerable, exposeGetter } = kernel;
  kernel.enumerable = (owner) => {
    known.add(typeof owner === 'function' ? owner.prototype : owner);
    return enumerable(owner);
  };
  kernel.exposeGetter = (name, get) => {
    getters.add(name);
    return exposeGetter(name, get);
  };

  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

  // Each object of the chain, the nearest first.
  const chain = (object) => {
    const out = [];
    for (let at = object; isObject(at) && out.length < 20; at = getPrototypeOf(at)) {
      out.push(at);
    }
    return out;
  };

  const boxed = (value) => {
    switch (typeof value) {
      case 'string': return String.prototype;
      case 'number': return Number.prototype;
      case 'boolean': return Boolean.prototype;
      case 'bigint': return BigInt.prototype;
      case 'symbol': return Symbol.prototype;
      default: return value;
    }
  };

  // The value of a property, or undefined when only code of somebody else's could tell.
  const look = (object, name) => {
    for (const owner of chain(object)) {
      const property = getOwnPropertyDescriptor(owner, name);
      if (!property) {
        continue;
      }
      if ('value' in property) {
        return property.value;
      }
      const ours = owner === globalThis ? getters.has(name) : known.has(owner);
      return ours && property.get ? apply(property.get, object, []) : undefined;
    }
    return undefined;
  };

  kernel.complete = (path) => {
    const parts = path.split('.');
    const start = parts.pop();
    let object = globalThis;
    for (const part of parts) {
      object = boxed(look(object, part.endsWith('?') ? part.slice(0, -1) : part));
      if (!isObject(object)) {
        return '[]';
      }
    }
    const found = new Map();
    const fits = (name) => name.startsWith(start) && (start !== '' || !name.startsWith('_')) && /^[A-Za-z_$][\w$]*$/.test(name);
    if (parts.length === 0) {
      for (const word of WORDS) {
        if (fits(word)) found.set(word, 'word');
      }
    }
    const owners = chain(object);
    for (let at = 0; at < owners.length; at += 1) {
      // What every object has is of no interest unless it is asked for.
      if (at > 0 && owners[at] === Object.prototype && start === '') {
        break;
      }
      for (const name of getOwnPropertyNames(owners[at])) {
        if (found.size >= MOST) {
          break;
        }
        if (fits(name) && !found.has(name) && !(name === 'constructor' && start === '')) {
          const property = getOwnPropertyDescriptor(owners[at], name);
          found.set(name, property && typeof property.value === 'function' ? 'function' : 'value');
        }
      }
    }
    return stringify([...found].map(([name, kind]) => ({ name, kind })));
  };
});
