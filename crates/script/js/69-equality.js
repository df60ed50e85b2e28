// Equality as test matchers mean it, with placeholders such as expect.any().
(function (kernel) {
  'use strict';

  const tagOf = (value) => Object.prototype.toString.call(value);

  class Asymmetric {
    constructor(name, sample, inverse, test) {
      kernel.hide(this, { name, sample, inverse, test });
    }

    asymmetricMatch(other) {
      const met = this.test(other);
      return this.inverse ? !met : met;
    }

    toString() {
      return `${this.inverse ? 'Not' : ''}${this.name}`;
    }

    toAsymmetricMatcher() {
      const shown = this.sample === undefined ? '' : typeof this.sample === 'function' ? this.sample.name : kernel.inspect(this.sample);
      return `${this.toString()}<${shown}>`;
    }
  }

  const isPlaceholder = (value) => value !== null && typeof value === 'object' && typeof value.asymmetricMatch === 'function';

  const own = (object) => [...Object.keys(object), ...Object.getOwnPropertySymbols(object).filter((s) => Object.prototype.propertyIsEnumerable.call(object, s))];

  /**
   * Whether two values are equal in what they hold. `strict`: types count, and so do keys that hold undefined and holes.
   * `subset`: the second may leave keys of objects out.
   */
  function equals(a, b, { strict = false, subset = false } = {}, seen = []) {
    if (isPlaceholder(b)) return b.asymmetricMatch(a);
    if (isPlaceholder(a)) return a.asymmetricMatch(b);
    if (Object.is(a, b)) return true;
    if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false;
    const tag = tagOf(a);
    if (tag !== tagOf(b)) return false;
    if (strict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
    if (seen.some(([x, y]) => x === a && y === b)) return true;
    const next = [...seen, [a, b]];
    const again = (x, y) => equals(x, y, { strict, subset }, next);
    if (a instanceof Date) return Object.is(a.getTime(), b.getTime());
    if (a instanceof RegExp) return a.source === b.source && a.flags === b.flags;
    if (a instanceof Error) return a.message === b.message && a.name === b.name;
    if (tag === '[object URL]') return a.href === b.href;
    if (tag === '[object Number]' || tag === '[object String]' || tag === '[object Boolean]') return Object.is(a.valueOf(), b.valueOf());
    if (a instanceof ArrayBuffer) return again(new Uint8Array(a), new Uint8Array(b));
    if (ArrayBuffer.isView(a)) return a.byteLength === b.byteLength && bytes(a).every((byte, i) => byte === bytes(b)[i]);
    if (a instanceof Map) return a.size === b.size && [...a].every(([key, value]) => (b.has(key) ? again(value, b.get(key)) : [...b].some(([k, v]) => again(key, k) && again(value, v))));
    if (a instanceof Set) return a.size === b.size && [...a].every((value) => b.has(value) || [...b].some((other) => again(value, other)));
    if (Array.isArray(a)) {
      if (a.length !== b.length) return false;
      for (let i = 0; i < a.length; i += 1) {
        if (strict && i in a !== i in b) return false;
        if (!again(a[i], b[i])) return false;
      }
      return true;
    }
    for (const key of own(b)) {
      if (b[key] === undefined && !strict && !subset && a[key] === undefined) continue;
      if (!(key in a) || !again(a[key], b[key])) return false;
    }
    if (subset) return true;
    for (const key of own(a)) {
      if (key in b && Object.hasOwn(b, key)) continue;
      if (a[key] !== undefined || strict) return false;
    }
    return true;
  }
  const bytes = (view) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);

  const ANY = [[String, 'string'], [Number, 'number'], [Boolean, 'boolean'], [Function, 'function'], [Object, 'object'], [globalThis.BigInt, 'bigint'], [Symbol, 'symbol']];
  const isAny = (Kind) => (other) => {
    const basic = ANY.find(([known]) => known === Kind);
    if (basic) return typeof other === basic[1] || (Kind !== Object && other instanceof Kind);
    if (Kind === Array) return Array.isArray(other);
    return other instanceof Kind;
  };

  const close = (got, want, digits = 2) => (got === want ? true : Number.isFinite(got) && Number.isFinite(want) ? Math.abs(want - got) < 10 ** -digits / 2 : false);

  /** The placeholders, as they are or turned round. */
  const placeholders = (inverse) => {
    const make = (name, test) => (sample, ...rest) => new Asymmetric(name, sample, inverse, (other) => test(other, sample, ...rest));
    return {
      arrayContaining: make('ArrayContaining', (other, sample) => Array.isArray(other) && sample.every((item) => other.some((one) => equals(one, item)))),
      arrayOf: make('ArrayOf', (other, sample) => Array.isArray(other) && other.every((one) => equals(one, sample))),
      closeTo: make('NumberCloseTo', (other, sample, digits) => typeof other === 'number' && close(other, sample, digits)),
      objectContaining: make('ObjectContaining', (other, sample) => other !== null && typeof other === 'object' && own(sample).every((key) => key in other && equals(other[key], sample[key]))),
      stringContaining: make('StringContaining', (other, sample) => typeof other === 'string' && other.includes(sample)),
      stringMatching: make('StringMatching', (other, sample) => typeof other === 'string' && new RegExp(sample).test(other)),
    };
  };

  kernel.equality = {
    equals, close,
    placeholders: {
      ...placeholders(false),
      any: (Kind) => {
        if (typeof Kind !== 'function') throw new TypeError('any() expects to be passed a constructor function. Please pass one or use anything() to match any object.');
        return new Asymmetric('Any', Kind, false, isAny(Kind));
      },
      anything: () => new Asymmetric('Anything', undefined, false, (other) => other !== null && other !== undefined),
      not: placeholders(true),
    },
    Asymmetric,
  };
})
