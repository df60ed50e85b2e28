// Scrolling: what a wheel would move, how far it really went, and scrolling on until something is found.
((lib) => {
  'use strict';
  if (lib.ready) return;

  const allocOf = (/** @type {any} */ args) => ({ frame: args.frame ?? 0, next: args.next ?? 0 });
  const round = (/** @type {number} */ n) => Math.round(n * 100) / 100;
  const positionOf = (/** @type {Element} */ el) => ({ x: round(el.scrollLeft), y: round(el.scrollTop) });

  // ---------------------------------------------------------------- what scrolls

  const maxOf = (/** @type {Element} */ el) => ({ x: Math.max(0, el.scrollWidth - el.clientWidth), y: Math.max(0, el.scrollHeight - el.clientHeight) });

  /** How the view overflows: as the root says, or the body when the root says nothing. @param {'overflowX' | 'overflowY'} axis */
  const viewOverflow = (axis) => {
    const own = lib.styleOf(lib.documentElement())[axis];
    return own === 'visible' && lib.body() ? lib.styleOf(lib.body())[axis] : own;
  };

  /** Along which axes a person can scroll it. @param {Element} el @returns {{x: boolean, y: boolean}} */
  const axesOf = (el) => {
    const max = maxOf(el);
    if (!max.x && !max.y) return { x: false, y: false };
    if (el === lib.scroller()) return { x: max.x > 0 && !/hidden|clip/.test(viewOverflow('overflowX')), y: max.y > 0 && !/hidden|clip/.test(viewOverflow('overflowY')) };
    const style = lib.styleOf(el);
    return { x: max.x > 0 && /auto|scroll/.test(style.overflowX), y: max.y > 0 && /auto|scroll/.test(style.overflowY) };
  };

  /** Whether it scrolls along the axis that is asked for; along any when none is. @param {Element} el @param {any} args */
  const serves = (el, args) => {
    const axes = axesOf(el);
    if (args.dx && !args.dy) return axes.x;
    if (args.dy && !args.dx) return axes.y;
    return axes.x || axes.y;
  };

  /** @param {Element} el */
  const isPage = (el) => el === lib.scroller() || el === lib.body() || el === lib.documentElement();

  /** The part of an element that is in view; its share of the view. @param {Element} el */
  const seenPart = (el) => {
    if (isPage(el)) return { x: 0, y: 0, right: innerWidth, bottom: innerHeight, share: 1 };
    const box = el.getBoundingClientRect();
    const x = Math.max(0, box.left);
    const y = Math.max(0, box.top);
    const right = Math.min(innerWidth, box.right);
    const bottom = Math.min(innerHeight, box.bottom);
    return { x, y, right, bottom, share: right > x && bottom > y ? ((right - x) * (bottom - y)) / (innerWidth * innerHeight) : 0 };
  };

  /** Scrollers in view other than the page, the largest first. @param {any} args */
  const innerScrollers = (args) =>
    lib.deepQuery('*')
      .filter((/** @type {Element} */ el) => !isPage(el) && (el.scrollHeight > el.clientHeight || el.scrollWidth > el.clientWidth) && serves(el, args) && lib.isRendered(el))
      .map((/** @type {Element} */ el) => ({ el, share: seenPart(el).share }))
      .filter((/** @type {{share: number}} */ one) => one.share > 0.02)
      .sort((/** @type {{share: number}} */ a, /** @type {{share: number}} */ b) => b.share - a.share)
      .map((/** @type {{el: Element}} */ one) => one.el);

  /**
   * What a call means to scroll: an element, or the child frame that fills its place.
   * @param {any} args @param {any} alloc
   * @returns {{el?: Element, near?: Element, frame?: number, problem?: any}} `near` is where a wheel would be turned
   */
  const scrollerFor = (args, alloc) => {
    const page = lib.scroller();
    if (args.target) {
      const found = lib.resolve(args.target, alloc);
      if (found.problem) return found;
      const inner = lib.frameNumber(found.el);
      if (inner !== null && args.to !== 'into_view') return { frame: inner };
      // What is meant is the scroller that the element is, or stands in.
      let el = found.el;
      while (!isPage(el) && !serves(el, args)) el = lib.parentOf(el) ?? page;
      return { el: isPage(el) ? page : el, near: found.el };
    }
    if (serves(page, args)) return { el: page, near: page };
    // An application whose page itself doesn't scroll: what a person would turn the wheel over.
    const middle = lib.elementAt(innerWidth / 2, innerHeight / 2) ?? page;
    const inner = lib.frameNumber(middle);
    if (inner !== null) return { frame: inner };
    for (let n = middle; n; n = lib.parentOf(n)) if (!isPage(n) && serves(n, args)) return { el: n, near: n };
    const [largest] = innerScrollers(args);
    return largest ? { el: largest, near: largest } : { el: page, near: middle };
  };

  /** A point of the element in view, for a wheel. @param {Element} el */
  const wheelPoint = (el) => {
    const part = seenPart(el);
    return part.share > 0 ? { x: round((part.x + part.right) / 2), y: round((part.y + part.bottom) / 2) } : null;
  };

  /** Whether there is nothing further along the direction that was asked for. @param {Element} el @param {{dx?: number, dy?: number, to?: string}} way */
  const atEnd = (el, { dx = 0, dy = 0, to }) => {
    const max = maxOf(el);
    if (to === 'top' || dy < 0) return el.scrollTop <= 1;
    if (to === 'bottom' || dy > 0) return el.scrollTop >= max.y - 1;
    if (dx < 0) return el.scrollLeft <= Math.min(0, -max.x * Number(lib.styleOf(el).direction === 'rtl')) + 1;
    return Math.abs(el.scrollLeft) >= max.x - 1;
  };

  /** The scroller of the last call, for the report of what became of it, and when the page was told. @type {{el: Element, way: any, at?: number} | null} */
  let asked = null;

  /** Lets the observation follow this scroller, also when it is put back later. @param {Element} el @param {any} way */
  const follow = (el, way) => {
    asked = { el, way };
    const w = lib.observation();
    if (w.mode === 'open' && !w.scrolls.has(el)) w.scrolls.set(el, { x: el.scrollLeft, y: el.scrollTop });
  };

  lib.forgetScroll = () => {
    asked = null;
  };
  /** Whether the end was reached, for a scroller that a call meant; undefined for others. @param {Element} el */
  lib.scrollEnd = (el) => (asked?.el === el ? atEnd(el, asked.way) : undefined);

  /** Whether a scroller is elsewhere by now. @param {Element} el @param {{x: number, y: number}} was */
  const hasLeft = (el, was) => {
    const is = positionOf(el);
    return is.x !== was.x || is.y !== was.y;
  };

  /** How long the event of a scroller that has moved is waited for: it comes with the next frame; milliseconds. */
  const TOLD = 1_000;
  /** How long after that a page may take to put it back; milliseconds. */
  const PUT_BACK = 100;

  /** Waits until the page was told that a scroller has moved: only then can it put it back. @param {Element} el */
  const told = (el) =>
    new Promise((resolve) => {
      const target = isPage(el) ? document : el;
      const done = () => {
        clearTimeout(timer);
        target.removeEventListener('scroll', done, true);
        resolve(undefined);
      };
      const timer = setTimeout(done, TOLD);
      target.addEventListener('scroll', done, { capture: true, passive: true });
    });

  /** Until when the scroller of the last call may be put back. */
  lib.mayBePutBackUntil = () => (asked?.at === undefined ? 0 : asked.at + PUT_BACK);

  // ---------------------------------------------------------------- page functions

  /** @param {any} args */
  lib.scrollTo = async (args) => {
    const alloc = allocOf(args);
    const { el, near, frame, problem } = scrollerFor(args, alloc);
    if (problem) return { ...problem, next: alloc.next };
    if (frame !== undefined) return { status: 'ok', frame, next: alloc.next };
    const about = args.target ? lib.entryOf(near, alloc) : {};
    if (args.to === 'into_view') {
      const page = lib.scroller();
      const before = positionOf(page);
      const scrollers = new Map([[page, before]]);
      for (let n = lib.parentOf(near); n; n = lib.parentOf(n)) if (serves(n, {})) scrollers.set(n, positionOf(n));
      for (const n of scrollers.keys()) follow(n, {});
      near.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
      asked = null;
      await Promise.all([...scrollers].filter(([n, was]) => hasLeft(n, was)).map(([n]) => told(n)));
      return { status: 'ok', ...about, target: lib.describe(near), before, after: positionOf(page), max: maxOf(page), next: alloc.next };
    }
    const target = isPage(el) ? 'page' : lib.describe(el);
    const before = positionOf(el);
    const way = { dx: args.dx ?? 0, dy: args.dy ?? 0, to: args.to };
    const held = !serves(el, args);
    follow(el, way);
    // A scroller that is held still can be moved by script and by nobody else.
    if (!held) {
      const behavior = 'instant';
      if (args.to === 'top') el.scrollTo({ top: 0, behavior });
      else if (args.to === 'bottom') el.scrollTo({ top: el.scrollHeight, behavior });
      else el.scrollBy({ left: way.dx, top: way.dy, behavior });
      if (hasLeft(el, before)) {
        await told(el);
        if (asked?.el === el) asked.at = performance.now();
      }
    }
    const out = { status: 'ok', ...about, target, before, after: positionOf(el), max: held ? before : maxOf(el), held, end: !held && atEnd(el, way), next: alloc.next };
    const point = wheelPoint(held ? near : el);
    if (!point) return out;
    const picture = lib.pictureAt(point.x, point.y);
    return { ...out, wheel: point, ...(picture ? { picture } : {}) };
  };

  // ---------------------------------------------------------------- until found

  /** How much of a scroller one step passes; the rest overlaps, so that nothing is stepped over. */
  const STEP = 0.8;
  /** How long what a step brings is waited for when it looks empty, and at the end, for a feed that loads more; milliseconds. */
  const EMPTY = 400;
  const FEED = 1_500;

  /** Whether a text stands in another as words of its own: "Row 9" is not in "Row 90". @param {string} text @param {string} wanted */
  const hasWords = (text, wanted) => {
    const all = lib.clean(text).toLowerCase();
    const want = lib.clean(wanted).toLowerCase();
    const part = /[\p{L}\p{N}]/u;
    for (let at = all.indexOf(want); at >= 0; at = all.indexOf(want, at + 1)) {
      const cut = (/** @type {string} */ inside, /** @type {string} */ outside) => !part.test(inside) || !part.test(outside) || /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/.test(inside);
      if (cut(want[0], all[at - 1] ?? '') && cut(want[want.length - 1], all[at + want.length] ?? '')) return true;
    }
    return false;
  };

  /** What is looked for, when it is there and can be seen after scrolling. @param {any} until @param {any} alloc @returns {{el?: Element, fits?: number, problem?: any}} */
  const seek = (until, alloc) => {
    if (until.kind === 'ref') {
      const found = lib.resolve(until, alloc);
      return found.el ? { el: found.el, fits: 1 } : { problem: found.problem };
    }
    let list;
    try {
      list = lib.findAll(until);
    } catch (error) {
      if (until.kind !== 'css') throw error;
      return { problem: { status: 'bad_selector', message: lib.clean(error.message, 200) } };
    }
    let seen = list.filter((/** @type {Element} */ el) => lib.isRendered(el));
    const words = until.exact ? null : until.kind === 'text' ? until.text : until.kind === 'role' ? until.name : null;
    if (words) seen = seen.filter((/** @type {Element} */ el) => hasWords(`${lib.nameOf(el)} \n ${lib.flatText(el, false)}`, words));
    return seen.length ? { el: seen[0], fits: seen.length } : {};
  };

  const PENDING = /skeleton|placeholder|shimmer|loading|ghost/i;

  /** Whether nothing is drawn at a point of a scroller yet: only its own sheet, or a stand-in. @param {Element} el @param {number} x @param {number} y */
  const isBlank = (el, x, y) => {
    const hit = lib.elementAt(x, y);
    if (!hit || !lib.contains(el, hit) || lib.matches(hit, 'img,canvas,video,svg,input,iframe')) return !hit;
    if (hit === el || lib.boxOf(hit).height > 2 * el.clientHeight || lib.textContent(hit).trim() === '') return true;
    for (let n = hit; n && n !== el; n = lib.parentOf(n)) if (lib.attr(n, 'aria-busy') === 'true' || PENDING.test(lib.attr(n, 'class') ?? '')) return true;
    return /^(loading|…|\.\.\.)/i.test(lib.textContent(hit).trim());
  };

  /** Waits for two frames, and longer while nothing is drawn where the rows belong. @param {Element} el @param {string} was its text before the step */
  const drawn = async (el, was) => {
    const until = performance.now() + EMPTY;
    await lib.nextFrame();
    await lib.nextFrame();
    let text = was;
    for (let still = 0; still < 4; still++) {
      lib.fresh();
      const { x, y, right, bottom } = seenPart(el);
      const blank = [0.12, 0.5, 0.88].every((px) => [0.25, 0.5, 0.75].every((py) => isBlank(el, x + (right - x) * px, y + (bottom - y) * py)));
      if (!blank || performance.now() >= until) return;
      // Rows may stand where nobody looked: what was drawn and stays for a while will do.
      const is = lib.textContent(el);
      if (is === was || is !== text) still = 0;
      text = is;
      await lib.nextFrame();
    }
  };

  /** Waits at the end of a feed until it has grown. @param {Element} el @param {{y: number, x: number}} max @param {any} until @param {any} alloc @param {number} limit */
  const grown = async (el, max, until, alloc, limit) => {
    const end = performance.now() + limit;
    while (performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 60));
      lib.fresh();
      const is = maxOf(el);
      if (is.y > max.y + 1 || is.x > max.x + 1 || seek(until, alloc).el) return true;
    }
    return false;
  };

  /**
   * Scrolls on until something shows, for so many steps and milliseconds at most.
   * @param {any} args `{target?, until, dx, dy, steps, budget_ms}`; `dx`, `dy` say the direction
   */
  lib.scrollUntil = async (args) => {
    const alloc = allocOf(args);
    const { until, steps: most, budget_ms } = args;
    const deadline = performance.now() + budget_ms;
    const place = scrollerFor(args, alloc);
    if (place.problem) return { ...place.problem, next: alloc.next };
    if (place.frame !== undefined) return { status: 'ok', frame: place.frame, next: alloc.next };
    const el = place.el;
    const way = { dx: Math.sign(args.dx ?? 0), dy: Math.sign(args.dy ?? 0) };
    const target = isPage(el) ? 'page' : lib.describe(el);
    const before = positionOf(el);
    follow(el, way);
    const held = !serves(el, args);
    let steps = 0;
    const tell = (/** @type {any} */ what) => ({ status: 'ok', target, before, after: positionOf(el), max: maxOf(el), steps, held, ...what, next: alloc.next });
    for (;;) {
      lib.fresh();
      const { el: hit, fits, problem } = seek(until, alloc);
      if (problem) return { ...problem, next: alloc.next };
      if (hit) {
        if (!lib.boxOf(hit) || seenPart(hit).share === 0 || lib.isClipped(hit)) {
          hit.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
          await lib.nextFrame();
          lib.fresh();
          // A virtual list may have drawn its rows anew meanwhile.
          if (!lib.isConnected(hit)) continue;
        }
        return tell({ found: true, fits, ...lib.entryOf(hit, alloc) });
      }
      if (held) break;
      if (atEnd(el, way)) {
        const max = maxOf(el);
        if (await grown(el, max, until, alloc, Math.min(FEED, deadline - performance.now()))) continue;
        return tell({ found: false, end: performance.now() < deadline || steps === 0 });
      }
      if (steps >= most || performance.now() >= deadline) return tell({ found: false, end: false });
      const at = positionOf(el);
      const was = isPage(el) ? '' : lib.textContent(el);
      el.scrollBy({ left: way.dx * STEP * el.clientWidth, top: way.dy * STEP * el.clientHeight, behavior: 'instant' });
      steps++;
      await drawn(el, was);
      const is = positionOf(el);
      // A page that puts it back holds it as well.
      if (is.x === at.x && is.y === at.y && !atEnd(el, way)) return tell({ found: false, end: false, held: true });
    }
    const others = innerScrollers(args).filter((/** @type {Element} */ other) => other !== el).slice(0, 5);
    return tell({ found: false, end: true, others: others.map((/** @type {Element} */ other) => lib.entryOf(other, alloc)) });
  };
})(globalThis.__truehand ??= {});
