// CSS as scripts write it: through shadow roots, with `:visible`, `:has-text()` and their kin. Parsing and matching.
(function (lib) {
  'use strict';
  if (lib.ready) return;

  // ---- parsing ---------------------------------------------------------------------------------------------------

  const OWN = new Set(['has-text', 'text', 'text-is', 'text-matches', 'visible', 'nth-match', 'light', 'right-of', 'left-of', 'above', 'below', 'near']);
  const LISTS = new Set(['is', 'where', 'not', 'has', 'matches', '-webkit-any']);

  class BadSelector extends Error {}
  lib.BadSelector = BadSelector;
  const bad = (css, what) => new BadSelector(`${what} while parsing css selector "${lib.clean(css, 200)}". Did you mean to CSS.escape it?`);

  /** Where the quote that opens at `i` ends. */
  function pastQuote(css, i) {
    const quote = css[i];
    for (let j = i + 1; j < css.length; j++) {
      if (css[j] === '\\') j++;
      else if (css[j] === quote) return j + 1;
    }
    throw bad(css, `Unclosed ${quote}`);
  }

  /** Where the bracket that opens at `i` ends. */
  function pastBracket(css, i) {
    const close = css[i] === '(' ? ')' : ']';
    for (let j = i + 1; j < css.length;) {
      if (css[j] === '\\') j += 2;
      else if (css[j] === '"' || css[j] === "'") j = pastQuote(css, j);
      else if (css[j] === '(' || css[j] === '[') j = pastBracket(css, j);
      else if (css[j] === close) return j + 1;
      else j++;
    }
    throw bad(css, `Unclosed "${css[i]}"`);
  }

  /** The parts of a list that commas outside of brackets and quotes make. */
  function splitList(css) {
    const out = [];
    let from = 0;
    for (let i = 0; i < css.length;) {
      if (css[i] === '\\') i += 2;
      else if (css[i] === '"' || css[i] === "'") i = pastQuote(css, i);
      else if (css[i] === '(' || css[i] === '[') i = pastBracket(css, i);
      else if (css[i] === ',') { out.push(css.slice(from, i)); from = ++i; }
      else i++;
    }
    out.push(css.slice(from));
    return out;
  }

  const plainText = (arg) => {
    const text = arg.trim();
    const quoted = /^"(.*)"$/s.exec(text) || /^'(.*)'$/s.exec(text);
    return (quoted ? quoted[1] : text).replace(/\\(["'\\])/g, '$1');
  };

  /** A pseudo class of ours as a test `{name, …}`; null for one that the browser knows. */
  function ownPseudo(css, name, arg) {
    if (LISTS.has(name) && arg !== null) {
      const list = arg.trim() === '' ? [] : splitList(arg).map((one) => parseComplex(one, css, name === 'has'));
      const native = list.every((complex) => complex.native !== null);
      return { name: name === 'matches' || name === '-webkit-any' ? 'is' : name, list, native };
    }
    if (!OWN.has(name)) return null;
    if (name === 'visible') return { name };
    if (arg === null) throw bad(css, `":${name}" needs an argument`);
    switch (name) {
      case 'has-text': case 'text': case 'text-is': {
        return { name, text: plainText(arg) };
      }
      case 'text-matches': {
        const [pattern, flags = ''] = splitList(arg).map(plainText);
        return { name, re: new RegExp(pattern, flags.trim()) };
      }
      case 'nth-match': {
        const parts = splitList(arg);
        const n = Number(parts[parts.length - 1]);
        if (parts.length < 2 || !(n >= 1)) throw bad(css, '":nth-match" needs a selector and an index that starts at 1');
        return { name, list: parts.slice(0, -1).map((one) => parseComplex(one, css, false)), n };
      }
      case 'light': return { name, list: splitList(arg).map((one) => parseComplex(one, css, false)) };
      default: {
        const parts = splitList(arg);
        const reach = parts.length > 1 && /^\s*\d+(\.\d+)?\s*$/.test(parts[parts.length - 1]) ? Number(parts.pop()) : undefined;
        return { name, list: parts.map((one) => parseComplex(one, css, false)), reach };
      }
    }
  }

  /**
   * One selector without commas: `{ steps: [{ css, tests, join }], native }`. `join` is how a step hangs on the one before;
   * `native` the text for the browser when nothing of ours is in it, else null.
   */
  function parseComplex(text, whole, relative) {
    const css = text.trim();
    if (css === '') throw bad(whole, 'Unexpected token ""');
    const steps = [];
    let own = false;
    let step = null;
    let join = null;
    const flush = () => {
      if (!step) return;
      steps.push(step);
      step = null;
    };
    for (let i = 0; i < css.length;) {
      const c = css[i];
      if (/[\s>+~]/.test(c)) {
        let sign = ' ';
        while (i < css.length && /[\s>+~]/.test(css[i])) {
          if (!/\s/.test(css[i])) {
            if (sign !== ' ') throw bad(whole, `Unexpected token "${css[i]}"`);
            sign = css[i];
          }
          i++;
        }
        if (!step && steps.length === 0) {
          // A selector that starts with a combinator is meant from where it is looked for.
          step = { css: ':scope', tests: [], join: null };
        }
        flush();
        join = sign;
        continue;
      }
      step ??= { css: '', tests: [], join: steps.length ? join : null };
      if (c === '\\') { step.css += css.slice(i, i + 2); i += 2; continue; }
      if (c === '[') { const end = pastBracket(css, i); step.css += css.slice(i, end); i = end; continue; }
      if (c === ':' && css[i + 1] !== ':') {
        const name = /^[-\w]+/.exec(css.slice(i + 1))?.[0] ?? '';
        const after = i + 1 + name.length;
        const end = css[after] === '(' ? pastBracket(css, after) : after;
        const arg = css[after] === '(' ? css.slice(after + 1, end - 1) : null;
        const test = ownPseudo(css, name, arg);
        if (!test) step.css += css.slice(i, end);
        else {
          test.source = css.slice(i, end);
          if (!LISTS.has(test.name) || !test.native) own = true;
          step.tests.push(test);
        }
        i = end;
        continue;
      }
      if (c === '(' || c === ')' || c === ']' || c === '"' || c === "'" || c === '{' || c === '}' || c === '<' || c === '=' || c === '/') throw bad(whole, `Unexpected token "${c}"`);
      step.css += c;
      i++;
    }
    if (!step) throw bad(whole, 'Unexpected token ""');
    flush();
    if (relative && steps[0].css !== ':scope') {
      steps[0].join = ' ';
      steps.unshift({ css: ':scope', tests: [], join: null });
    }
    const native = own ? null : steps.map((s) => (s.join && s.join !== ' ' ? ` ${s.join} ` : s.join ? ' ' : '') + (s.css + s.tests.map((t) => t.source).join('') || '*')).join('');
    return { steps, native };
  }

  const parsed = new Map();
  function parse(css) {
    let list = parsed.get(css);
    if (list) return list;
    list = splitList(css).map((one) => parseComplex(one, css, false));
    const probe = document.createDocumentFragment();
    const check = (complex) => {
      for (const step of complex.steps) {
        if (step.css) {
          try {
            lib.query(probe, step.css);
          } catch {
            throw bad(css, `Unexpected token "${lib.clean(step.css, 60)}"`);
          }
        }
        for (const test of step.tests) for (const inner of test.list ?? []) check(inner);
      }
    };
    list.forEach(check);
    if (parsed.size > 300) parsed.clear();
    parsed.set(css, list);
    return list;
  }

  // ---- where things are ------------------------------------------------------------------------------------------

  const getHost = (node) => (lib.typeOf(node) === 11 ? node.host ?? null : null);
  const getParent = Object.getOwnPropertyDescriptor(Node.prototype, 'parentNode').get;
  const previous = Object.getOwnPropertyDescriptor(Element.prototype, 'previousElementSibling').get;

  /** Parent element as written, or the host of the shadow root that the element stands in. */
  lib.writtenParent = (el) => {
    const parent = getParent.call(el);
    if (!parent) return null;
    return lib.typeOf(parent) === 1 ? parent : getHost(parent);
  };

  /** Whether `el` is below `scope`, through shadow roots. */
  const isWithin = (scope, el) => {
    if (scope === document) return true;
    for (let n = getParent.call(el); n; n = getParent.call(n) ?? getHost(n)) if (n === scope) return true;
    return false;
  };
  lib.isWithin = isWithin;

  /** The nodes whose light trees together make up what is below `scope`. */
  lib.scopesIn = (scope) => {
    const roots = lib.roots();
    if (scope === document) return roots;
    if (lib.typeOf(scope) === 9) return [scope];
    return [scope, ...roots.filter((root) => root !== scope && root.host && (root.host === scope || isWithin(scope, root.host)))];
  };

  const chainOf = (el) => {
    const chain = [el];
    for (let root = lib.rootOf(el); root.host; root = lib.rootOf(root.host)) chain.unshift(root.host);
    return chain;
  };
  const compare = (a, b) => (a.compareDocumentPosition(b) & 4 ? -1 : 1);

  /** In the order of the document, with what is in a shadow root behind its host. */
  lib.inOrder = (list) => {
    if (list.length < 2) return list;
    if (lib.roots().length === 1) return list.sort(compare);
    const chains = new Map(list.map((el) => [el, chainOf(el)]));
    return list.sort((x, y) => {
      const a = chains.get(x);
      const b = chains.get(y);
      for (let i = 0; ; i++) {
        if (a[i] === undefined) return -1;
        if (b[i] === undefined) return 1;
        if (a[i] !== b[i]) return compare(a[i], b[i]);
      }
    });
  };

  // ---- matching --------------------------------------------------------------------------------------------------

  const byLayout = {
    'right-of': (a, b) => (a.left - b.right >= 0 ? a.left - b.right + away(a.top, a.bottom, b.top, b.bottom) : undefined),
    'left-of': (a, b) => (b.left - a.right >= 0 ? b.left - a.right + away(a.top, a.bottom, b.top, b.bottom) : undefined),
    above: (a, b) => (b.top - a.bottom >= 0 ? b.top - a.bottom + away(a.left, a.right, b.left, b.right) : undefined),
    below: (a, b) => (a.top - b.bottom >= 0 ? a.top - b.bottom + away(a.left, a.right, b.left, b.right) : undefined),
    near: (a, b, reach = 50) => {
      const far = Math.max(b.left - a.right, a.left - b.right, 0) + Math.max(b.top - a.bottom, a.top - b.bottom, 0);
      return far > reach ? undefined : far;
    },
  };
  const away = (a0, a1, b0, b1) => Math.max(0, b0 - a0) + Math.max(0, a1 - b1);

  /** How near an element is to what a layout test asks for; undefined when it isn't there. */
  function nearness(el, test, ctx) {
    const box = lib.boxOf(el);
    let best;
    for (const other of all(test.list, ctx.scope, ctx)) {
      if (other === el) continue;
      const score = byLayout[test.name](box, lib.boxOf(other), test.reach);
      if (score !== undefined && (best === undefined || score < best)) best = score;
    }
    return best;
  }

  const TESTS = {
    visible: (el) => lib.scriptVisible(el),
    'has-text': (el, t) => lib.hasFolded(lib.elementText(el), t.text),
    text: (el, t) => lib.textHit(el, lib.textMatcher({ s: t.text })) === 'self',
    'text-is': (el, t) => lib.textHit(el, lib.textMatcher({ s: t.text, exact: true, nodes: true })) !== 'none',
    'text-matches': (el, t) => lib.textHit(el, (text) => { t.re.lastIndex = 0; return t.re.test(text.full); }) === 'self',
    is: (el, t, ctx) => t.list.some((complex) => fits(el, complex, ctx)),
    where: (el, t, ctx) => t.list.some((complex) => fits(el, complex, ctx)),
    not: (el, t, ctx) => !t.list.some((complex) => fits(el, complex, ctx)),
    light: (el, t, ctx) => t.list.some((complex) => fits(el, complex, ctx)),
    has: (el, t, ctx) => t.list.some((complex) => find(complex, el, { ...ctx, scope: el }, true).length > 0),
    'nth-match': (el, t, ctx) => all(t.list, ctx.scope, ctx)[t.n - 1] === el,
  };
  for (const name of Object.keys(byLayout)) TESTS[name] = (el, t, ctx) => nearness(el, t, ctx) !== undefined;

  /** Whether an element is what one step says, apart from where it stands. */
  function isStep(el, step, ctx) {
    if (step.css === ':scope') {
      if (lib.typeOf(ctx.scope) === 1 ? el !== ctx.scope : el !== lib.documentElement()) return false;
    } else if (step.css && !lib.matches(el, step.css)) return false;
    return step.tests.every((test) => (test.native && !ctx.deep ? lib.matches(el, test.source) : TESTS[test.name](el, test, ctx)));
  }

  /** Whether an element fits a selector; ancestors are looked for up to the scope. */
  function fits(el, complex, ctx) {
    const { steps } = complex;
    const look = (n, i) => {
      if (!isStep(n, steps[i], ctx)) return false;
      if (i === 0) return true;
      const up = (node) => (node === ctx.scope ? null : lib.writtenParent(node));
      switch (steps[i].join) {
        case '>': { const parent = up(n); return parent !== null && look(parent, i - 1); }
        case '+': { const before = previous.call(n); return before !== null && look(before, i - 1); }
        case '~':
          for (let s = previous.call(n); s; s = previous.call(s)) if (look(s, i - 1)) return true;
          return false;
        default:
          for (let p = up(n); p; p = up(p)) if (look(p, i - 1)) return true;
          return false;
      }
    };
    return look(el, steps.length - 1);
  }

  /** Matches of one selector below a node. @param {boolean} first one is enough */
  function find(complex, scope, ctx, first = false) {
    const scopes = lib.scopesIn(scope);
    if (scopes.length === 1 && complex.native !== null && !/:scope/.test(complex.native)) {
      const found = [...lib.queryAll(scope, complex.native)];
      // The browser takes ancestors outside of the element for fitting, too; what is looked for within it must be within it.
      return lib.typeOf(scope) === 1 && complex.steps.length > 1 ? found.filter((el) => fits(el, complex, ctx)) : found;
    }
    const last = complex.steps[complex.steps.length - 1];
    const css = last.css && last.css !== ':scope' ? last.css : '*';
    const own = { ...ctx, deep: ctx.deep || scopes.length > 1 };
    const out = [];
    const sibling = complex.steps[0].css === ':scope' && (complex.steps[1]?.join === '+' || complex.steps[1]?.join === '~');
    const places = sibling && getParent.call(scope) ? [getParent.call(scope)] : scopes;
    for (const place of places) {
      for (const el of lib.queryAll(place, css)) {
        if (!fits(el, complex, own)) continue;
        out.push(el);
        if (first) return out;
      }
    }
    // `:scope` alone is the node itself.
    if (last.css === ':scope' && lib.typeOf(scope) === 1 && fits(scope, complex, own)) out.unshift(scope);
    return out;
  }

  function all(list, scope, ctx) {
    if (list.length === 1 && lib.scopesIn(scope).length === 1) return find(list[0], scope, ctx);
    const out = new Set();
    for (const complex of list) for (const el of find(complex, scope, ctx)) out.add(el);
    return lib.inOrder([...out]);
  }

  /** All matches of a list of selectors below a document, root or element. Throws `lib.BadSelector`. */
  lib.scriptCss = (scope, css) => {
    const list = parse(css);
    const ctx = { scope, deep: false };
    const found = all(list, scope, ctx);
    // What is asked for by its place comes nearest first.
    const last = list.length === 1 ? list[0].steps[list[0].steps.length - 1] : null;
    const layout = last?.tests.filter((test) => Object.hasOwn(byLayout, test.name)) ?? [];
    if (!layout.length || found.length < 2) return found;
    const score = new Map(found.map((el) => [el, layout.reduce((sum, test) => sum + (nearness(el, test, ctx) ?? 0), 0)]));
    return found.sort((a, b) => score.get(a) - score.get(b));
  };
})(globalThis.__truehand ??= {});
