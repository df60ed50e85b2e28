// Selectors as people write them, to the list of parts that the page's engine takes, and back to a readable text.
(function (kernel) {
  'use strict';

  kernel.testIdAttribute = 'data-testid';

  const quote = (text) => `'${text.replace(/\\/g, '\\\\').replace(/'/g, "\\'").replace(/\n/g, '\\n').replace(/\r/g, '\\r').replace(/\t/g, '\\t')}'`;
  kernel.quoteText = quote;
  const shown = (value) => (value instanceof RegExp ? String(value) : quote(String(value)));

  const isRegExp = (value) => value instanceof RegExp || Object.prototype.toString.call(value) === '[object RegExp]';
  kernel.isRegExp = isRegExp;

  class BadSelector extends Error {}
  const wrong = (message) => Object.assign(new BadSelector(message), { code: 'INVALID_ARGUMENTS' });

  /** A wanted text: a string, or a regular expression as its source and flags. */
  const match = (value, more = {}) => (isRegExp(value) ? { re: [value.source, value.flags], ...more, exact: undefined } : { s: String(value), ...more });
  kernel.textMatch = match;

  // ---- strings ---------------------------------------------------------------------------------------------------

  /** Splits at `>>` outside of quotes. */
  function pieces(selector) {
    const out = [];
    let from = 0;
    let quoted = '';
    let i = 0;
    const isText = () => /^\s*(text|internal:\w+)\s*=/.test(selector.slice(from, i));
    for (; i < selector.length; i++) {
      const c = selector[i];
      if (c === '\\' && i + 1 < selector.length) i++;
      else if (quoted) quoted = c === quoted ? '' : quoted;
      // An apostrophe within a text is no quote.
      else if ((c === '"' || c === "'" || c === '`') && !(isText() && !/=\s*$/.test(selector.slice(from, i)))) quoted = c;
      else if (c === '>' && selector[i + 1] === '>') {
        out.push(selector.slice(from, i));
        i++;
        from = i + 1;
      }
    }
    out.push(selector.slice(from));
    return out.map((piece) => piece.trim());
  }

  const REGEX = /^\/((?:[^/\\\n]|\\.)+)\/([a-z]*)$/s;
  const REF = /^(?:f(\d+))?e(\d+)$/;

  function regexOf(text, whole) {
    const found = REGEX.exec(text);
    if (!found) return null;
    try {
      return new RegExp(found[1], found[2]);
    } catch (error) {
      throw wrong(`Error while parsing selector \`${whole}\`: ${error.message}`);
    }
  }

  const unquoted = (text) => {
    const found = /^"((?:[^"\\]|\\.)*)"$/s.exec(text) ?? /^'((?:[^'\\]|\\.)*)'$/s.exec(text);
    return found ? found[1].replace(/\\(.)/gs, '$1') : null;
  };

  function textPart(body) {
    const re = regexOf(body, `text=${body}`);
    if (re) return { text: match(re) };
    const exact = unquoted(body);
    return exact !== null ? { text: { s: exact, exact: true, nodes: true } } : { text: { s: body } };
  }

  const STATES = new Set(['checked', 'disabled', 'expanded', 'pressed', 'selected']);

  /** `button[name="Save" i][checked]`. */
  function rolePart(body) {
    const whole = `role=${body}`;
    const bad = (what) => wrong(`Error while parsing selector \`${whole}\` - ${what}`);
    const head = /^\s*([\w-]+)\s*/.exec(body);
    if (!head) throw bad('role must not be empty');
    const part = { role: head[1].toLowerCase() };
    let rest = body.slice(head[0].length);
    while (rest) {
      const attr = /^\[\s*([\w-]+)\s*(?:([*^$|~]?=)\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\/(?:[^/\\]|\\.)+\/[a-z]*|[^\]\s]+)\s*([is])?\s*)?\]\s*/s.exec(rest);
      if (!attr) throw bad(`unexpected symbol "${rest[0]}" at position ${body.length - rest.length}`);
      rest = rest.slice(attr[0].length);
      const [, name, op, raw, letter] = attr;
      if (name === 'name' || name === 'description') {
        if (!op) throw bad(`"${name}" attribute must have a value`);
        const re = regexOf(raw, whole);
        part[name] = re ? match(re) : { s: unquoted(raw) ?? raw, op, fold: letter === 'i' };
      } else if (name === 'level') {
        part.level = Number(unquoted(raw ?? '') ?? raw);
        if (!op || Number.isNaN(part.level)) throw bad('"level" attribute must be compared to a number');
      } else if (name === 'include-hidden') {
        part.hidden = raw !== 'false';
      } else if (STATES.has(name)) {
        const value = raw === undefined ? true : raw === 'true' ? true : raw === 'false' ? false : unquoted(raw) ?? raw;
        const mixed = value === 'mixed' && (name === 'checked' || name === 'pressed');
        if (typeof value !== 'boolean' && !mixed) throw bad(`"${name}" must be one of true, false${name === 'checked' || name === 'pressed' ? ', "mixed"' : ''}`);
        part[name] = value;
      } else {
        throw bad(`Unknown attribute "${name}", must be one of "checked", "description", "disabled", "expanded", "include-hidden", "level", "name", "pressed", "selected".`);
      }
    }
    return part;
  }

  const cssText = (text) => `"${text.replace(/[\\"]/g, '\\$&')}"`;

  const ENGINES = {
    css: (body) => ({ css: body }),
    text: textPart,
    xpath: (body) => ({ xpath: body }),
    role: rolePart,
    id: (body) => ({ css: `[id=${cssText(body)}]` }),
    nth: (body) => {
      const n = body === 'first' ? 0 : body === 'last' ? -1 : Number(body);
      if (!Number.isInteger(n)) throw wrong(`nth: expected a number, got "${body}"`);
      return { nth: n };
    },
    visible: (body) => ({ visible: body !== 'false' }),
    'aria-ref': refPart,
  };
  for (const name of ['data-testid', 'data-test-id', 'data-test']) ENGINES[name] = (body) => ({ attr: [name, { s: body, exact: true }] });
  ENGINES['css:light'] = (body) => ({ css: body, light: true });
  for (const name of ['text', 'id', 'data-testid', 'data-test-id', 'data-test']) ENGINES[`${name}:light`] = ENGINES[name];

  function refPart(body) {
    const found = REF.exec(body);
    if (!found) throw wrong(`"${body}" is not a reference such as e12 or f1e3`);
    return { ref: Number(found[2]), frame_ref: found[1] ? Number(found[1]) : 0 };
  }

  function part(piece, whole) {
    const named = /^([a-zA-Z_0-9:-]+|\*[a-zA-Z_0-9:-]+)\s*=(?!=)(.*)$/s.exec(piece);
    const capture = piece.startsWith('*') && named !== null;
    if (named) {
      const name = named[1].replace(/^\*/, '');
      const body = named[2].trim();
      if (Object.hasOwn(ENGINES, name)) return { made: ENGINES[name](body, whole), capture };
      throw wrong(`Unknown engine "${name}" while parsing selector ${whole}`);
    }
    if (piece === '') throw wrong(`Unexpected empty part while parsing selector "${whole}"`);
    if (/^\(*\/\//.test(piece) || piece.startsWith('..')) return { made: { xpath: piece }, capture };
    if (piece.length > 1 && unquoted(piece) !== null) return { made: textPart(piece), capture };
    if (piece.startsWith('/') && REGEX.test(piece)) throw wrong(`Unexpected token "/" while parsing css selector "${piece}". Did you mean to CSS.escape it?`);
    return { made: { css: piece }, capture };
  }

  /** The parts of a selector text. A text that is nothing but a reference of a snapshot stands for that element. */
  function parse(selector) {
    if (typeof selector !== 'string') throw new TypeError(`selector: expected string, got ${selector === null ? 'null' : typeof selector}`);
    if (REF.test(selector.trim())) return [refPart(selector.trim())];
    const list = pieces(selector).map((piece) => part(piece, selector));
    const at = list.findIndex((one) => one.capture);
    if (at < 0 || at === list.length - 1) return list.map((one) => one.made);
    // `*css=a >> b` finds the a that has b.
    return [...list.slice(0, at + 1).map((one) => one.made), { has: list.slice(at + 1).map((one) => one.made) }];
  }
  kernel.parseSelector = parse;

  // ---- getBy… ----------------------------------------------------------------------------------------------------

  const exactly = (options) => (options && options.exact ? { exact: true } : {});
  const tail = (options) => (options && options.exact ? ', { exact: true }' : '');
  const checked = (name, value) => {
    if (typeof value !== 'string' && !isRegExp(value)) throw new TypeError(`${name}: text: expected string or RegExp, got ${value === null ? 'null' : typeof value}`);
    return value;
  };
  const byAttr = (name, attr) => (text, options) => {
    checked(name, text);
    return { parts: [{ attr: [attr, match(text, exactly(options))] }], text: `${name}(${shown(text)}${tail(options)})` };
  };

  function roleOptions(options = {}) {
    const out = [];
    for (const [key, value] of Object.entries(options)) {
      if (value === undefined) continue;
      if (key === 'exact') {
        if (value) out.push('exact: true');
      } else out.push(`${key}: ${typeof value === 'string' || isRegExp(value) ? shown(value) : String(value)}`);
    }
    return out.length ? `, { ${out.join(', ')} }` : '';
  }

  const BY = {
    getByRole: (role, options = {}) => {
      if (typeof role !== 'string') throw new TypeError(`getByRole: role: expected string, got ${typeof role}`);
      const made = { role: role.toLowerCase() };
      for (const key of ['checked', 'disabled', 'expanded', 'level', 'pressed', 'selected']) if (options[key] !== undefined) made[key] = options[key];
      if (options.includeHidden !== undefined) made.hidden = Boolean(options.includeHidden);
      if (options.name !== undefined) made.name = match(options.name, exactly(options));
      if (options.description !== undefined) made.description = match(options.description, exactly(options));
      return { parts: [made], text: `getByRole(${quote(role)}${roleOptions(options)})` };
    },
    getByText: (text, options) => {
      checked('getByText', text);
      return { parts: [{ text: match(text, exactly(options)) }], text: `getByText(${shown(text)}${tail(options)})` };
    },
    getByLabel: (text, options) => {
      checked('getByLabel', text);
      return { parts: [{ label: match(text, exactly(options)) }], text: `getByLabel(${shown(text)}${tail(options)})` };
    },
    getByPlaceholder: byAttr('getByPlaceholder', 'placeholder'),
    getByAltText: byAttr('getByAltText', 'alt'),
    getByTitle: byAttr('getByTitle', 'title'),
    getByTestId: (id) => {
      checked('getByTestId', id);
      return { parts: [{ attr: [kernel.testIdAttribute, match(id, { exact: true })] }], text: `getByTestId(${shown(id)})` };
    },
  };

  /** What `page.getByRole(…)` and its kin look for: `{ parts, text }`, which every place that takes a selector takes too. */
  kernel.selectorBy = (name, args) => BY[name](...args);
  kernel.selectorMethods = Object.keys(BY);

  // A locator can be made of a wrong selector; using it fails.
  const later = (selector) => {
    try {
      return parse(selector);
    } catch (error) {
      if (!(error instanceof BadSelector)) throw error;
      return [{ bad: error.message }];
    }
  };

  /** A selector text, or what `selectorBy` made, as `{ parts, text }`. */
  kernel.selectorOf = (selector) => {
    if (selector !== null && typeof selector === 'object' && Array.isArray(selector.parts)) return selector;
    return { parts: later(selector), text: `locator(${quote(selector)})` };
  };

  /** The filters of `locator(…, options)` and `filter(options)`. */
  kernel.filterParts = (options, frame, name) => {
    const parts = [];
    const told = [];
    const text = (key) => {
      if (options[key] === undefined || options[key] === null) return;
      parts.push({ [key]: match(checked(name, options[key])) });
      told.push(`${key}: ${shown(options[key])}`);
    };
    const inner = (key) => {
      if (options[key] === undefined || options[key] === null) return;
      const other = options[key];
      if (!(other instanceof kernel.Locator)) throw new TypeError(`${name}: ${key}: expected Locator`);
      if (other._frame !== frame) throw new Error(`Inner "${key}" locator must belong to the same frame.`);
      parts.push({ [key]: other._parts });
      told.push(`${key}: ${other}`);
    };
    text('hasText');
    text('hasNotText');
    inner('has');
    inner('hasNot');
    if (options.visible !== undefined) {
      parts.push({ visible: Boolean(options.visible) });
      told.push(`visible: ${Boolean(options.visible)}`);
    }
    return { parts, text: told.length ? `{ ${told.join(', ')} }` : '' };
  };

  const selectors = {
    setTestIdAttribute(name) {
      if (typeof name !== 'string' || !/^[\w-]+$/.test(name)) throw new TypeError('setTestIdAttribute: expected the name of an attribute');
      kernel.testIdAttribute = name;
    },
    async register() {
      throw new Error('selectors.register is not available here: selectors run outside of the page\'s own scripts');
    },
  };
  kernel.selectors = selectors;
  kernel.expose('selectors', selectors);
})
