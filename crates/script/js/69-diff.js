// How two values differ, line by line, for messages of failed expectations.
(function (kernel) {
  'use strict';

  const MOST_LINES = 600;
  const MOST_DEPTH = 20;

  const isPlain = (value) => value !== null && typeof value === 'object';
  const quoted = (text) => `"${text.replace(/["\\]/g, '\\$&')}"`;

  function leaf(value) {
    if (typeof value === 'string') return quoted(value);
    if (value instanceof RegExp) return String(value);
    if (value && typeof value.toAsymmetricMatcher === 'function') return value.toAsymmetricMatcher();
    return kernel.inspect(value);
  }

  /** A value on lines of its own, each part on one, the keys in order. */
  function lines(value, depth = 0, seen = []) {
    const tag = Object.prototype.toString.call(value);
    const list = Array.isArray(value);
    const map = tag === '[object Map]';
    const set = tag === '[object Set]';
    const open = isPlain(value) && (list || map || set || (tag === '[object Object]' && typeof value.toAsymmetricMatcher !== 'function'));
    if (!open) return leaf(value).split('\n');
    if (seen.includes(value)) return ['[Circular]'];
    if (depth > MOST_DEPTH) return [list ? '[Array]' : '[Object]'];
    const name = list ? 'Array' : map ? 'Map' : set ? 'Set' : (value.constructor && value.constructor.name) || 'Object';
    const [start, end] = list ? [`${name} [`, ']'] : [`${name} {`, '}'];
    const inner = [...seen, value];
    const out = [];
    const add = (head, item) => {
      const own = lines(item, depth + 1, inner);
      own[0] = head + own[0];
      own[own.length - 1] += ',';
      out.push(...own.map((line) => `  ${line}`));
    };
    if (list) for (let i = 0; i < value.length; i += 1) add('', value[i]);
    else if (map) for (const [key, item] of value) add(`${leaf(key)} => `, item);
    else if (set) for (const item of value) add('', item);
    else for (const key of Object.keys(value).sort()) add(`${quoted(key)}: `, value[key]);
    return out.length ? [start, ...out, end] : [`${start}${end}`];
  }

  /** The longest run of lines that both have, as pairs of places. */
  function common(a, b) {
    const width = b.length + 1;
    const table = new Uint32Array((a.length + 1) * width);
    for (let i = a.length - 1; i >= 0; i -= 1) {
      for (let j = b.length - 1; j >= 0; j -= 1) {
        const at = i * width + j;
        table[at] = a[i] === b[j] ? table[at + width + 1] + 1 : Math.max(table[at + width], table[at + 1]);
      }
    }
    const out = [];
    for (let i = 0, j = 0; i < a.length && j < b.length;) {
      if (a[i] === b[j]) out.push([i++, j++]);
      else if (table[(i + 1) * width + j] >= table[i * width + j + 1]) i += 1;
      else j += 1;
    }
    return out;
  }

  /** What of the expected is missing (`-`) and what is there instead (`+`); null where two lines tell it better. */
  kernel.diff = (expected, received) => {
    const text = typeof expected === 'string' && typeof received === 'string' && (expected.includes('\n') || received.includes('\n'));
    if (!text && !(isPlain(expected) && isPlain(received))) return null;
    const a = text ? expected.split('\n') : lines(expected);
    const b = text ? received.split('\n') : lines(received);
    if (a.length > MOST_LINES || b.length > MOST_LINES || a.join('\n') === b.join('\n') || (a.length === 1 && b.length === 1)) return null;
    const out = [];
    let [i, j, lost, more] = [0, 0, 0, 0];
    for (const [x, y] of [...common(a, b), [a.length, b.length]]) {
      for (; i < x; i += 1, lost += 1) out.push(`- ${a[i]}`);
      for (; j < y; j += 1, more += 1) out.push(`+ ${b[j]}`);
      if (i < a.length) out.push(`  ${a[i]}`);
      i += 1;
      j += 1;
    }
    return [`- Expected  - ${lost}`, `+ Received  + ${more}`, '', ...out].join('\n');
  };
})
