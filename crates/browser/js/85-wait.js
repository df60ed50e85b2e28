// Waiting for a condition of the page, and for the page to be quiet.
((lib) => {
  'use strict';
  if (lib.ready) return;

  const fold = (/** @type {unknown} */ text) => lib.clean(text).toLowerCase();

  /** Whether a person can read the text on the page now: written, in a field, or as its placeholder. @param {string} wanted */
  const showsText = (wanted) => {
    const want = fold(wanted);
    if (want === '') return true;
    const holds = (/** @type {Node} */ node) => fold(lib.textContent(node)).includes(want);
    for (const root of lib.roots()) {
      const top = root === document ? lib.body() ?? lib.documentElement() : root;
      if (top && holds(top) && visibleIn(top, want)) return true;
    }
    // Text that hidden parts interrupt, or that is spread over a component and what was slotted into it, shows only in
    // what is rendered. That costs more, so only where the page is small or has components.
    const small = document.getElementsByTagName('*').length < 5_000;
    if ((small || lib.roots().length > 1) && lib.body() && fold(lib.flatText(lib.body(), false)).includes(want)) return true;
    return lib.deepQuery('input,textarea,select').some((/** @type {any} */ el) => {
      if (lib.tagOf(el) === 'input' && /^(hidden|checkbox|radio|file)$/.test(el.type)) return false;
      if (!lib.isRendered(el) || lib.isSecret(el)) return false;
      const value = lib.tagOf(el) === 'select' ? lib.fieldState(el).value : el.value;
      return fold(value).includes(want) || (value === '' && fold(lib.attr(el, 'placeholder')).includes(want));
    });
  };

  const UNREAD = 'script,style,noscript,template,head';

  /** Descends only where the text is; true when its innermost place is rendered. @param {any} top @param {string} want */
  const visibleIn = (top, want) => {
    const stack = [top];
    while (stack.length) {
      const node = stack.pop();
      const inner = [];
      for (let child = lib.firstChild(node); child; child = lib.nextSibling(child)) {
        if (lib.typeOf(child) === 1 && !lib.matches(child, UNREAD) && fold(lib.textContent(child)).includes(want)) inner.push(child);
      }
      if (inner.length) {
        stack.push(...inner);
        continue;
      }
      const el = lib.typeOf(node) === 1 ? node : node.host;
      if (el && lib.isRendered(el) && fold(lib.flatText(el, false)).includes(want)) return true;
    }
    return false;
  };

  /** @param {string} css */
  const shows = (css) => lib.deepQuery(css).some((/** @type {Element} */ el) => lib.isRendered(el));

  /** An address matches when it contains the text, or fits it with `*` for any run of characters. @param {string} wanted */
  const atAddress = (wanted) => {
    if (!wanted.includes('*')) return location.href.includes(wanted);
    const pattern = wanted.split(/\*+/).map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&')).join('.*');
    return new RegExp(`^${pattern}$`).test(location.href) || new RegExp(`^${pattern}$`).test(location.pathname + location.search + location.hash);
  };

  /** @param {any} condition */
  const check = (condition) => {
    lib.fresh();
    const state = {};
    if (condition.text) state.text = showsText(condition.text);
    if (condition.text_gone) state.text_gone = !showsText(condition.text_gone);
    if (condition.selector) state.selector = shows(condition.selector);
    if (condition.selector_gone) state.selector_gone = !shows(condition.selector_gone);
    if (condition.url) state.url = atAddress(condition.url);
    return state;
  };

  /**
   * Calls `look` on every change and at least every 100 ms until it gives something or the time is over.
   * @template T @param {number} limit milliseconds @param {() => T | null} look @param {() => T} giveUp @returns {Promise<T>}
   */
  const until = (limit, look, giveUp) =>
    new Promise((resolve, reject) => {
      const deadline = performance.now() + limit;
      let due = false;
      const observer = new MutationObserver(() => {
        // Once a frame is enough, however much changes.
        if (due) return;
        due = true;
        lib.nextFrame().then(attempt);
      });
      const end = () => {
        observer.disconnect();
        clearInterval(poll);
      };
      const attempt = () => {
        due = false;
        try {
          const got = look() ?? (performance.now() >= deadline ? giveUp() : null);
          if (got === null) return;
          end();
          resolve(got);
        } catch (error) {
          end();
          reject(error);
        }
      };
      const poll = setInterval(attempt, 100);
      for (const root of lib.roots()) observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
      attempt();
    });

  /** @param {any} args */
  lib.waitFor = (args) => {
    const { condition = {}, timeout_ms = 5_000 } = args;
    try {
      for (const css of [condition.selector, condition.selector_gone]) if (css) document.createDocumentFragment().querySelector(css);
    } catch (error) {
      return { status: 'bad_selector', message: lib.clean(error.message, 200) };
    }
    const met = () => (Object.values(check(condition)).every(Boolean) ? { met: true } : null);
    return until(timeout_ms, met, () => {
      const state = check(condition);
      if (Object.values(state).every(Boolean)) return { met: true };
      const { url, title, text } = lib.textAt({});
      return { met: false, seen: { ...state, url, title, ready: document.readyState, text: lib.clean(text, 400) } };
    });
  };

  /** No change at all, tickers included, for a while. @param {any} args */
  lib.quiet = (args) => {
    const { idle_ms = 500, timeout_ms = 5_000 } = args;
    let last = performance.now();
    const observer = new MutationObserver(() => {
      last = performance.now();
    });
    for (const root of lib.roots()) observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
    const deadline = last + timeout_ms;
    return new Promise((resolve) => {
      const look = () => {
        const at = performance.now();
        const rest = last + idle_ms - at;
        if (rest <= 0 || at >= deadline) {
          observer.disconnect();
          resolve({ quiet: rest <= 0 });
        } else {
          setTimeout(look, Math.max(5, Math.min(rest, deadline - at)));
        }
      };
      look();
    });
  };
})(globalThis.__truehand ??= {});
