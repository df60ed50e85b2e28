// The composed tree, visibility and boxes: what every other page part stands on.
(function (lib) {
  'use strict';
  if (lib.ready) return;

  /** @param {object} proto @param {string} name */
  const getter = (proto, name) => /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(proto, name)).get;

  // A form or the document answers with its named children in place of built-in properties (an input called
  // "parentNode" is enough), so everything that a walk reads is taken from the prototypes once.
  const N = Node.prototype;
  const E = Element.prototype;
  const D = Document.prototype;
  const getNodeType = getter(N, 'nodeType');
  const getParent = getter(N, 'parentNode');
  const getFirst = getter(N, 'firstChild');
  const getNext = getter(N, 'nextSibling');
  const getConnected = getter(N, 'isConnected');
  const getText = getter(N, 'textContent');
  const getRoot = N.getRootNode;
  const getTag = getter(E, 'localName');
  const getShadow = getter(E, 'shadowRoot');
  const getSlot = getter(E, 'assignedSlot');
  const getTextSlot = getter(Text.prototype, 'assignedSlot');
  const getAttr = E.getAttribute;
  const hasAttr = E.hasAttribute;
  const anyAttr = E.hasAttributes;
  const getRects = E.getClientRects;
  const getBox = E.getBoundingClientRect;
  const check = E.checkVisibility;
  const matches = E.matches;
  const closest = E.closest;
  const query = { doc: D.querySelector, frag: DocumentFragment.prototype.querySelector, el: E.querySelector };
  const queryAll = { doc: D.querySelectorAll, frag: DocumentFragment.prototype.querySelectorAll, el: E.querySelectorAll };

  lib.typeOf = (node) => getNodeType.call(node);
  lib.tagOf = (el) => getTag.call(el);
  lib.attr = (el, name) => getAttr.call(el, name);
  lib.hasAttr = (el, name) => hasAttr.call(el, name);
  lib.isBare = (el) => !anyAttr.call(el);
  lib.matches = (el, selector) => matches.call(el, selector);
  lib.textContent = (node) => getText.call(node) || '';
  lib.isConnected = (node) => getConnected.call(node);
  lib.rootOf = (node) => getRoot.call(node);
  lib.boxOf = (el) => getBox.call(el);
  lib.firstChild = (node) => getFirst.call(node);
  lib.nextSibling = (node) => getNext.call(node);
  const page = (name) => {
    const get = getter(D, name);
    return () => get.call(document);
  };
  lib.documentElement = page('documentElement');
  lib.body = page('body');
  lib.title = page('title');
  lib.focused = page('activeElement');
  const scrolling = page('scrollingElement');
  lib.scroller = () => scrolling() || lib.documentElement();

  /** All matches of a selector under one node, in tree order; no shadow roots are entered. */
  lib.queryAll = (node, selector) => {
    const type = getNodeType.call(node);
    return (type === 9 ? queryAll.doc : type === 11 ? queryAll.frag : queryAll.el).call(node, selector);
  };

  /** The first of them, or null. */
  lib.query = (node, selector) => {
    const type = getNodeType.call(node);
    return (type === 9 ? query.doc : type === 11 ? query.frag : query.el).call(node, selector);
  };

  const count = { doc: D.getElementsByTagName, el: E.getElementsByTagName };
  /** How many elements are in the document or below an element; the browser counts. */
  lib.countIn = (node) => (getNodeType.call(node) === 9 ? count.doc : count.el).call(node, '*').length;

  // Answers that are the same for the whole of one synchronous turn are kept until it ends. Code that changes the
  // page and goes on reading in the same turn calls `lib.fresh()`.
  let cache = null;
  lib.cache = () => {
    if (!cache) {
      cache = { style: new Map(), geo: new Map(), labels: new Map(), names: new Map(), roles: new Map(), rows: new Map(), back: new Map(), pictures: new Map(), roots: null, view: null };
      queueMicrotask(lib.fresh);
    }
    return cache;
  };
  lib.fresh = () => { cache = null; };

  lib.styleOf = (el) => {
    const { style } = lib.cache();
    let found = style.get(el);
    if (!found) style.set(el, found = getComputedStyle(el));
    return found;
  };

  const closedRoots = new WeakMap();
  const frameNumbers = new WeakMap();
  lib.registerShadow = (host, root) => { closedRoots.set(host, root); closedOnes++; slow = null; lib.fresh(); return true; };
  /** How many closed roots were handed over. */
  let closedOnes = 0;
  lib.registerFrame = (el, n) => { frameNumbers.set(el, n); return true; };
  lib.frameNumber = (el) => frameNumbers.get(el) ?? null;
  lib.isRegisteredHost = (el) => closedRoots.has(el);
  lib.shadowOf = (el) => (getNodeType.call(el) === 1 ? getShadow.call(el) || closedRoots.get(el) || null : null);

  /** Child nodes in the composed tree. A light child that no slot shows is nobody's child: it isn't rendered. */
  lib.childrenOf = (node) => {
    const out = [];
    const root = lib.shadowOf(node);
    if (!root && getNodeType.call(node) === 1 && getTag.call(node) === 'slot') {
      const assigned = node.assignedNodes();
      if (assigned.length) return assigned;
    }
    for (let c = getFirst.call(root || node); c; c = getNext.call(c)) out.push(c);
    return out;
  };

  /** The slot that shows a node, also in a closed root, where the platform doesn't tell. */
  function slotOf(node, parent) {
    const type = getNodeType.call(node);
    const slot = type === 1 ? getSlot.call(node) : type === 3 ? getTextSlot.call(node) : null;
    if (slot || !parent || !closedRoots.has(parent)) return slot;
    for (const s of lib.queryAll(closedRoots.get(parent), 'slot')) if (s.assignedNodes().includes(node)) return s;
    return null;
  }

  /** Parent element in the composed tree, or null at the top. */
  lib.parentOf = (node) => {
    const parent = getParent.call(node);
    if (!parent) return null;
    const type = getNodeType.call(parent);
    if (type === 11) return parent.host || null;
    if (type !== 1) return null;
    return slotOf(node, parent) || parent;
  };

  lib.contains = (a, b) => {
    for (let n = b; n; n = lib.parentOf(n)) if (n === a) return true;
    return false;
  };

  /** `el.closest` that goes on through shadow roots. */
  lib.closest = (el, selector) => {
    for (let n = el; n;) {
      const hit = closest.call(n, selector);
      if (hit) return hit;
      n = lib.rootOf(n).host || null;
    }
    return null;
  };

  /** The document and every shadow root in it that can be entered. */
  lib.roots = () => {
    const c = lib.cache();
    if (c.roots) return c.roots;
    // To walk a giant page takes its time: as long as it seems to be the same, what was found is taken again for a while.
    const count = lib.countIn(document);
    const since = performance.now();
    if (slow && slow.count === count && since - slow.at < SLOW_KEPT) return (c.roots = slow.roots);
    const roots = [document];
    for (let i = 0; i < roots.length; i++) {
      // A tree walker takes an eighth of the time that a list of all elements takes.
      const walker = D.createTreeWalker.call(document, roots[i], NodeFilter.SHOW_ELEMENT);
      for (let el = walker.nextNode(); el; el = walker.nextNode()) {
        const root = getShadow.call(el) || (closedOnes && closedRoots.get(el));
        if (root) roots.push(root);
      }
    }
    slow = performance.now() - since > SLOW_WALK ? { count, at: performance.now(), roots } : null;
    return (c.roots = roots);
  };
  const SLOW_WALK = 60;
  const SLOW_KEPT = 5_000;
  /** What the last walk found, when it took long. @type {{count: number, at: number, roots: Node[]} | null} */
  let slow = null;

  /** Matches of a selector in the document and its shadow roots. */
  lib.deepQuery = (selector) => {
    const out = [];
    for (const root of lib.roots()) for (const el of lib.queryAll(root, selector)) out.push(el);
    return out;
  };

  const SHOWN = { visibilityProperty: true };
  const OPAQUE = { visibilityProperty: true, opacityProperty: true };

  /** `display: contents` has no box of its own, so the platform calls it invisible; its parent decides. */
  function withoutBox(el, options) {
    for (let n = el; n; n = lib.parentOf(n)) {
      if (check.call(n, options)) return true;
      if (lib.styleOf(n).display !== 'contents') return false;
    }
    return false;
  }
  /** The platform's own `checkVisibility`. */
  lib.check = (el, options) => check.call(el, options);
  /** Has a box, or passes one through; visibility is not asked. */
  lib.isDisplayed = (el) => check.call(el) || withoutBox(el, undefined);
  lib.isRendered = (el) => check.call(el, SHOWN) || withoutBox(el, SHOWN);
  lib.isOpaque = (el) => check.call(el, OPAQUE) || withoutBox(el, OPAQUE);

  const plain = (r) => ({ x: r.x, y: r.y, width: r.width, height: r.height });

  /** First client rect with an area: of the element, else of what it holds (links around floats, display: contents). */
  lib.rectOf = (el) => {
    let left = 24;
    const look = (node) => {
      for (const r of getRects.call(node)) if (r.width > 0 && r.height > 0) return plain(r);
      for (const c of lib.childrenOf(node)) {
        if (getNodeType.call(c) !== 1) continue;
        if (left-- <= 0) return null;
        const r = look(c);
        if (r) return r;
      }
      return null;
    };
    return look(el);
  };

  /** Whether the box of an element that scrolls or cuts off its content is too small to show any. */
  function clipBox(clip) {
    if (clip.box) return clip;
    const el = clip.el;
    const box = clip.box = getBox.call(el);
    clip.zero = box.width <= 1 || box.height <= 1 || Boolean(clip.up && clipBox(clip.up).zero);
    const rtl = lib.styleOf(el).direction === 'rtl';
    const x = box.x + el.clientLeft - el.scrollLeft - (rtl ? el.scrollWidth - el.clientWidth : 0);
    const y = box.y + el.clientTop - el.scrollTop;
    // What `overflow: clip` cuts off can't be scrolled to at all.
    if (lib.styleOf(el).overflowX === 'clip') clip.reach = { x: box.x, y: box.y, right: box.right, bottom: box.bottom };
    else clip.reach = { x, y, right: x + Math.max(el.scrollWidth, el.clientWidth), bottom: y + Math.max(el.scrollHeight, el.clientHeight) };
    return clip;
  }

  /**
   * How an element is placed: `clip` is the ancestor that cuts it off, `inner` and `absInner` those that cut off its
   * children in the flow and its absolute ones, `fixed` says that it stays with the viewport.
   */
  const place = (clip, inner, absInner, fixed) => ({ clip, inner, absInner, fixed, flow: null });
  const TOP = place(null, null, null, false);
  lib.topPlace = TOP;

  /** The place of an element below one that is placed `up`. Most share the object of their parent. */
  lib.placeIn = (up, el, style, display) => {
    if (display !== 'inline' && display !== 'contents') {
      const position = style.position;
      const tag = getTag.call(el);
      const cuts = style.overflowX !== 'visible' && tag !== 'html' && tag !== 'body';
      if (cuts || position !== 'static') {
        const clip = position === 'fixed' ? null : position === 'absolute' ? up.absInner : up.inner;
        const fixed = position === 'fixed' || (up.fixed && !(clip && !clip.fixed));
        const inner = cuts ? { el, up: clip, fixed, box: null, zero: false, reach: null } : clip;
        return place(clip, inner, position === 'static' ? up.absInner : inner, fixed);
      }
    }
    if (up.clip === up.inner) return up;
    return (up.flow ??= place(up.inner, up.inner, up.absInner, up.fixed));
  };

  /** Which ancestor cuts an element off (absolute and fixed boxes escape some), and whether it stays with the viewport. */
  lib.geoOf = (el) => {
    const { geo } = lib.cache();
    const chain = [];
    let up = TOP;
    for (let n = el; n; n = lib.parentOf(n)) {
      const known = geo.get(n);
      if (known) { up = known; break; }
      chain.push(n);
    }
    for (let i = chain.length; i--;) {
      const style = lib.styleOf(chain[i]);
      up = lib.placeIn(up, chain[i], style, style.display);
      geo.set(chain[i], up);
    }
    return up;
  };

  /** Inside a box of no size that cuts off its content. */
  lib.isClipped = (el, geo = lib.geoOf(el)) => Boolean(geo.clip && clipBox(geo.clip).zero);

  /** Whether no scrolling can bring this rect of the element into view. */
  lib.isOffscreen = (el, rect, geo = lib.geoOf(el)) => {
    let { clip, fixed } = geo;
    let r = { x: rect.x, y: rect.y, right: rect.x + rect.width, bottom: rect.y + rect.height };
    for (; clip; clip = clip.up) {
      const { reach, box } = clipBox(clip);
      if (r.right <= reach.x || r.bottom <= reach.y || r.x >= reach.right || r.y >= reach.bottom) return true;
      fixed = clip.fixed;
      r = { x: box.x, y: box.y, right: box.right, bottom: box.bottom };
    }
    const view = viewport();
    if (fixed) return r.right <= 0 || r.bottom <= 0 || r.x >= view.width || r.y >= view.height;
    return r.right <= view.x || r.bottom <= view.y || r.x >= view.right || r.y >= view.bottom;
  };

  /** The viewport's size and, in its own pixels, the area that scrolling the page can bring into it. */
  function viewport() {
    const c = lib.cache();
    if (c.view) return c.view;
    const root = lib.scroller();
    const width = root.clientWidth || innerWidth;
    const height = root.clientHeight || innerHeight;
    const rtl = lib.styleOf(root).direction === 'rtl';
    const x = -root.scrollLeft - (rtl ? root.scrollWidth - width : 0);
    const y = -root.scrollTop;
    return (c.view = { width, height, x, y, right: x + root.scrollWidth, bottom: y + root.scrollHeight });
  }

  /** Whether a person can see the element, after scrolling if need be. */
  lib.isSeen = (el) => {
    if (!lib.isOpaque(el)) return false;
    const rect = lib.rectOf(el);
    return rect !== null && !lib.isClipped(el) && !lib.isOffscreen(el, rect);
  };

  const pointIn = { doc: D.elementFromPoint, root: ShadowRoot.prototype.elementFromPoint };
  /** Deepest element at a viewport point, through shadow roots. */
  lib.elementAt = (x, y) => {
    let el = pointIn.doc.call(document, x, y);
    while (el) {
      const root = lib.shadowOf(el);
      const inner = root && pointIn.root.call(root, x, y);
      // A root answers with its own host when the point is on the host itself or on slotted content.
      if (!inner || inner === el || lib.rootOf(inner) !== root) break;
      el = inner;
    }
    return el;
  };

  const ODD = /[\u0000-\u001f\u007f-\u00a0\u00ad\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ue000-\uf8ff\ufff9-\ufffb]+/g;
  const SIMPLE = /^[!-~]+(?: [!-~]+)*$/;
  /** Folded white space, no lone surrogates, no invisible or private characters, clipped to `max`. */
  lib.clean = (text, max) => {
    let t = text == null ? '' : String(text);
    // Text may be a whole book: no more is looked at than could be kept after folding.
    const cut = Boolean(max) && t.length > 16 * max + 1_000;
    if (cut) t = t.slice(0, 16 * max + 1_000);
    if (!SIMPLE.test(t)) t = t.replace(ODD, (run) => (/^[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]+$/.test(run) ? '' : ' ')).replace(/\s+/g, ' ').trim().toWellFormed();
    if (max && t.length > max) {
      let end = max - 1;
      const code = t.charCodeAt(end - 1);
      if (code >= 0xd800 && code < 0xdc00) end--;
      t = t.slice(0, end).trimEnd() + '…';
    } else if (cut) {
      t += '…';
    }
    return t;
  };

  /** A short CSS path within the element's own root, for reports. */
  lib.selectorOf = (el) => {
    const steps = [];
    for (let n = el; n && steps.length < 5; n = getParent.call(n)) {
      if (getNodeType.call(n) !== 1) break;
      const tag = getTag.call(n);
      const id = getAttr.call(n, 'id');
      if (id && id.length < 40) { steps.unshift(`${tag}#${CSS.escape(lib.clean(id))}`); break; }
      if (tag === 'html' || tag === 'body') { steps.unshift(tag); break; }
      let nth = 1, same = 0;
      const parent = getParent.call(n);
      for (let c = parent && getFirst.call(parent), before = true; c; c = getNext.call(c)) {
        if (c === n) before = false;
        if (getNodeType.call(c) === 1 && getTag.call(c) === tag) { same++; if (before) nth++; }
      }
      steps.unshift(same > 1 ? `${tag}:nth-of-type(${nth})` : tag);
    }
    return steps.join(' > ');
  };
})(globalThis.__truehand ??= {});
