// What the records of a window amount to, and whether that is an effect of the action: the looks of pointing, focus and press are
// none, nor is a ripple that fades, nor a ticker that nothing was known of.
((lib) => {
  'use strict';
  if (lib.ready) return;

  const now = () => performance.now();
  const isElement = (/** @type {Node} */ node) => node.nodeType === 1;
  // Read from the prototype: an input called "parentNode" takes the property's place on its form.
  const getParent = Object.getOwnPropertyDescriptor(Node.prototype, 'parentNode').get;

  // ---------------------------------------------------------------- what is none of the action

  const POINTING = new Set(['mouseover', 'mouseout', 'mouseenter', 'mouseleave', 'mousemove', 'pointerover', 'pointerout', 'pointerenter',
    'pointerleave', 'pointermove']);
  const FOCUSING = new Set(['focus', 'focusin', 'blur', 'focusout']);
  /** Attributes that may say no more than how a thing looks. */
  const LOOKS = /^(class|style|data-.*)$/;

  /** Whether a focus event's listener is running right now. */
  lib.isFocusing = () => FOCUSING.has(globalThis.event?.type ?? '');

  const isTip = (/** @type {Node} */ node) => isElement(node) && lib.attr(/** @type {Element} */ (node), 'role') === 'tooltip';

  /**
   * Whether a change is none of the action that was asked for: its pointer came over the element and its focus moved there, and
   * pages answer both with tips and rings. What hovering brings counts when hovering is the action.
   * @param {any} w @param {MutationRecord} record
   */
  lib.isIncidental = (w, record) => {
    const event = /** @type {MouseEvent | undefined} */ (globalThis.event);
    const type = event?.type;
    if (w.mode !== 'open' || w.acted === null || w.hovering) return false;
    if (!lib.inInput() && record.type === 'childList' && record.addedNodes.length > 0) return [...record.addedNodes].every(isTip);
    if (!type) return false;
    if (POINTING.has(type)) return !event.buttons;
    if (!FOCUSING.has(type) || record.type !== 'attributes' || !LOOKS.test(record.attributeName)) return false;
    const el = /** @type {Element} */ (record.target);
    return lib.contains(el, w.acted) || lib.contains(w.acted, el);
  };

  const TELLING = 'img,svg,canvas,video,iframe,input,button,a,select,textarea,[role],[aria-label],[title]';
  /** Whether an element may be a ripple: it stands in what was acted on and says nothing. @param {any} w @param {Element} el */
  lib.isHollow = (w, el) =>
    w.acted !== null && w.acted !== el && lib.contains(w.acted, el) && !el.textContent.trim() && !lib.matches(el, TELLING) && !el.querySelector(TELLING);

  /** @param {MutationRecord} record */
  lib.keyOf = (record) => (record.attributeNamespace ? `${record.attributeNamespace} ${record.attributeName}` : record.attributeName);
  lib.valueAt = (/** @type {Element} */ el, /** @type {string} */ key) => {
    const cut = key.indexOf(' ');
    return cut < 0 ? el.getAttribute(key) : el.getAttributeNS(key.slice(0, cut), key.slice(cut + 1));
  };

  /** Whether an attribute has another value than it had; an empty class or style is none. @param {Element} el @param {string} key @param {string | null} was */
  const differs = (el, key, was) => {
    const is = lib.valueAt(el, key);
    return key === 'class' || key === 'style' ? (is ?? '') !== (was ?? '') : is !== was;
  };

  // ---------------------------------------------------------------- what is moved or drawn anew

  /**
   * How many of these children stand elsewhere among those that stayed; found by undoing the batch on today's list.
   * @param {Node} parent @param {Node[]} nodes @param {MutationRecord[]} records
   */
  lib.countReordered = (parent, nodes, records) => {
    /** @type {Map<Node | null, Node | null>} */
    const next = new Map();
    /** @type {Map<Node | null, Node | null>} */
    const prev = new Map();
    const join = (/** @type {Node | null} */ a, /** @type {Node | null} */ b) => (next.set(a, b), prev.set(b, a));
    let last = null;
    for (const child of parent.childNodes) (join(last, child), (last = child));
    join(last, null);
    for (let i = records.length; i--; ) {
      const record = records[i];
      if (record.target !== parent) continue;
      for (const node of record.addedNodes) {
        if (!next.has(node)) continue;
        join(prev.get(node) ?? null, next.get(node) ?? null);
        next.delete(node);
        prev.delete(node);
      }
      let at = record.previousSibling;
      for (const node of record.removedNodes) (join(at, node), (at = node));
      join(at, record.nextSibling);
    }
    const before = new Map();
    for (let node = next.get(null), guard = 0; node && guard < 100_000; node = next.get(node), guard++) {
      if (isElement(node) && getParent.call(node) === parent) before.set(node, before.size);
    }
    const wanted = new Set(nodes);
    let index = 0;
    let reordered = 0;
    for (const child of /** @type {ParentNode} */ (/** @type {unknown} */ (parent)).children) {
      const was = before.get(child);
      if (was === undefined) continue;
      if (wanted.has(child) && was !== index) reordered++;
      index++;
    }
    return reordered;
  };

  /** Nodes of one redraw that are compared; larger ones count as what they are. */
  const REDRAW_CAP = 500;
  /** What an equal copy does not stand for: it holds more than its markup says. */
  const STATEFUL = 'input,textarea,select,canvas,video,audio,iframe,object,embed,dialog';

  /** Remembers what went and came under each node. @param {any} w @param {MutationRecord[]} records */
  lib.noteRedraws = (w, records) => {
    for (const { target, removedNodes, addedNodes } of records) {
      let redraw = w.redraws.get(target);
      if (!redraw) w.redraws.set(target, (redraw = { was: [], came: new Set() }));
      for (const node of removedNodes) if (!redraw.came.delete(node) && redraw.was.length <= REDRAW_CAP) redraw.was.push(node);
      for (const node of addedNodes) if (redraw.came.size <= REDRAW_CAP) redraw.came.add(node);
    }
  };

  /** What came under a node and is still there, in order. @param {Node} parent @param {{came: Set<Node>}} redraw */
  const stillThere = (parent, { came }) => [...parent.childNodes].filter((node) => came.has(node));

  /** @param {Node} node */
  const holdsState = (node) => {
    if (!isElement(node)) return false;
    const el = /** @type {Element} */ (node);
    return lib.matches(el, STATEFUL) || el.querySelector(STATEFUL) !== null || lib.treeOf(el).some((each) => lib.shadowOf(each) !== null);
  };

  /** Whether a node holds the same as before, drawn anew. @param {Node} parent @param {{was: Node[], came: Set<Node>}} redraw */
  const isAlike = (parent, redraw) => {
    const { was } = redraw;
    if (!was.length || was.length > REDRAW_CAP || was.length !== redraw.came.size || !parent.isConnected) return false;
    const is = stillThere(parent, redraw);
    return is.length === was.length && is.every((node, i) => node.isEqualNode(was[i])) && !was.some(holdsState);
  };

  /** Elements that were counted as new and gone, though everything looks as it did. @param {any} w */
  const redrawnAlike = (w) => {
    const sum = { added: 0, removed: 0 };
    for (const [parent, redraw] of w.redraws) {
      const count = w.children.get(parent);
      if (!count || count.added !== count.removed || !count.added || !isAlike(parent, redraw)) continue;
      sum.added += count.added;
      sum.removed += count.removed;
    }
    return sum;
  };

  /** Whether a node was drawn anew with other numbers in it and nothing else. @param {any} w @param {Node} parent */
  const countsAnew = (w, parent) => {
    const redraw = w.redraws.get(parent);
    if (!redraw?.was.length || redraw.was.length > REDRAW_CAP || isAlike(parent, redraw)) return false;
    const words = (/** @type {Node[]} */ nodes) => nodes.map((node) => node.textContent ?? '').join('|').slice(0, 20_000);
    const [was, is] = [words(redraw.was), words(stillThere(parent, redraw))];
    return /\d/.test(is) && shapeOf(is) === shapeOf(was);
  };

  // ---------------------------------------------------------------- what a window amounts to

  /** @param {any} w */
  const changedFields = (w) => {
    const out = [];
    for (const [el, was] of w.fields) {
      if (!lib.isConnected(el)) continue;
      const is = lib.fieldState(el);
      if (is.kind === was.kind && is.value !== was.value) out.push({ el, kind: is.kind, value: is.value });
    }
    return out;
  };

  /** @param {any} w */
  const scrolledBy = (w) => {
    let best = null;
    for (const [el, was] of w.scrolls) {
      const dx = Math.round(el.scrollLeft - was.x);
      const dy = Math.round(el.scrollTop - was.y);
      if (!dx && !dy) continue;
      // What the call meant to scroll, before what moved along with it.
      if (lib.scrollEnd(el) !== undefined) {
        best = { el, dx, dy };
        break;
      }
      if (!best || Math.abs(dx) + Math.abs(dy) > Math.abs(best.dx) + Math.abs(best.dy)) best = { el, dx, dy };
    }
    if (!best) return null;
    const page = best.el === document.scrollingElement;
    const end = lib.scrollEnd(best.el);
    return { target: page ? 'page' : lib.describe(best.el), dx: best.dx, dy: best.dy, ...(end === undefined ? {} : { at_end: end }) };
  };

  /** Looks that are not as they were. @param {any} w */
  lib.looksChanged = (w) => {
    let n = 0;
    for (const [el, names] of w.looks) if (lib.isConnected(el)) for (const [key, was] of names) if (differs(el, key, was)) n++;
    return n;
  };

  /** @param {any} w */
  lib.tally = (w) => {
    let attr = w.attr + (w.flips ? w.flips.shown + w.flips.hidden : 0);
    let text = w.text;
    for (const [el, names] of w.attrs) {
      if (!lib.isConnected(el)) continue;
      for (const [key, was] of names) {
        if (differs(el, key, was)) attr++;
      }
    }
    for (const [target, was] of w.texts) if (target.isConnected && (was === null || lib.ownText(target) !== was)) text++;
    for (const [node, was] of w.data) if (node.isConnected && node.data !== was && !w.texts.has(/** @type {Node} */ (node.parentNode))) text++;
    const fields = changedFields(w);
    for (const field of fields) if (field.kind === 'value') text++; else attr++;
    const looks = lib.looksChanged(w);
    // A class that the focus brought and that shows or hides something is more than a ring.
    if (w.opened) attr += looks + w.opened.shown + w.opened.hidden;
    const alike = redrawnAlike(w);
    const [added, removed] = [w.added - alike.added, w.removed - alike.removed];
    if (w.beyond && added + removed + attr + text === 0) attr += lib.beyondChanged(w.beyond);
    const incidental = w.passing + w.undone + alike.added + alike.removed + (w.opened ? 0 : looks);
    return { added, removed, attr_changes: attr, text_changes: text, ambient: w.ambient, incidental, fields };
  };

  /** @param {any} w @param {any} sum */
  lib.amounts = (w, sum) => sum.added + sum.removed + sum.attr_changes + sum.text_changes > 0 || lib.focusChange(w).effect || scrolledBy(w) !== null;

  /** Fields in the words of a report; those without a reference get one when `issue` says so. @param {any[]} fields @param {any} alloc @param {boolean} issue */
  lib.valuesOf = (fields, alloc, issue) => {
    const values = [];
    for (const { el, value } of fields.slice(0, 20)) {
      const number = lib.knownRef(el) ?? (issue && values.length < 5 ? lib.refOf(el, alloc) : null);
      values.push({ ref: number === null ? '' : lib.refText(number, alloc), got: lib.holdsSecret(el) && value !== '' ? '••••' : lib.clean(value, 200) });
    }
    return values;
  };

  /** @param {any} w @param {{frame?: number, next?: number}} args */
  lib.report = (w, args) => {
    const { fields, ...dom } = lib.tally(w);
    const alloc = { frame: args.frame ?? 0, next: args.next ?? 0 };
    const values = lib.valuesOf(fields, alloc, args.next !== undefined);
    const scrolled = scrolledBy(w);
    const out = {
      seen: lib.amounts(w, { ...dom, fields }),
      dom,
      focus: lib.focusChange(w),
      values,
      truncated: w.truncated,
      elements: document.getElementsByTagName('*').length,
      elapsed_ms: Math.round(now() - w.startedAt),
      next: args.next === undefined ? undefined : alloc.next,
    };
    if (w.refused.size && !w.submitted) {
      out.refused = [...w.refused].slice(0, 5).map(([el, message]) => {
        const number = lib.knownRef(el);
        return { ref: number === null ? '' : lib.refText(number, alloc), description: lib.describe(el), message: lib.clean(message, 120) };
      });
    }
    if (w.hit) out.hit = w.hit;
    if (scrolled) out.scrolled = scrolled;
    return out;
  };

  // ---------------------------------------------------------------- is it an effect

  /** Milliseconds within which a ticker that nothing is known of yet gives itself away: a clock ticks every second. */
  const CLOCK = 1_100;
  /** How long a ripple may spread. */
  const RIPPLE = 1_000;

  const near = (/** @type {number} */ a, /** @type {number} */ b) => Math.abs(a - b) <= 0.3 * Math.max(a, b) + 8;
  /** A text without what a clock or counter changes in it. */
  const shapeOf = (/** @type {string} */ text) => text.replace(/\d+/g, '0');

  /**
   * Whether changes that no input made come in a rhythm that has nothing to do with the action: true, false, or until when to look.
   * @param {any} w @param {Node} node @param {string} kind @param {{before: number[], after: number[]}} times
   * @param {number} min when the window is over
   */
  const rhythm = (w, node, kind, { before, after }, min) => {
    const input = Math.max(w.startedAt, Math.min(lib.lastInput(), after[0]));
    const delay = after[0] - input;
    if (before.length) {
      const gap = after[0] - before[before.length - 1];
      // What stepped three times by itself and goes on within twice its slowest pace is the same, however busy the machine.
      if (before.length > 2 && gap <= 2 * Math.max(...before.slice(1).map((at, i) => at - before[i])) + 8) return true;
      if (before.length > 1 && near(gap, before[before.length - 1] - before[before.length - 2])) return true;
      // Frames come irregularly on a busy machine: what changed until the input and goes on at once is the same.
      if (after.length > 2 && Math.max(gap, after[1] - after[0], after[2] - after[1]) < 200) return true;
      if (after.length > 1) return near(gap, after[1] - after[0]) ? true : after.length > 2 || gap > 150 ? false : after[1] + 200;
      return gap > 1.4 * CLOCK ? false : after[0] + 1.3 * gap + 30;
    }
    // No step was seen before. A ticker has made one all the same, before anybody looked; what the action has started has not.
    const wasOne = (/** @type {number} */ gap) =>
      w.startedAt - lib.watchedFrom() < 60 ? !near(delay, gap) : after[0] - gap <= lib.watchedFrom() + Math.min(40, 0.1 * gap + 8);
    if (after.length > 2) {
      const gaps = after.slice(1).map((at, i) => at - after[i]);
      return near(Math.min(...gaps), Math.max(...gaps)) && wasOne(gaps[0]);
    }
    if (after[0] - lib.watchedFrom() > CLOCK) return false;
    const is = kind === 'childList' ? lib.ownText(node) : node.nodeType !== 1 ? /** @type {CharacterData} */ (node).data : '';
    const was = (kind === 'childList' ? w.texts.get(node) : w.data.get(/** @type {CharacterData} */ (node))) ?? null;
    const counts = was === null ? countsAnew(w, node) : /\d/.test(is) && (was === '' || shapeOf(is) === shapeOf(was));
    if (after.length > 1 && counts) return wasOne(after[1] - after[0]);
    return counts ? after[0] + CLOCK + 50 : min;
  };

  /**
   * Until when to look on, because what was counted so far may be no effect: a ticker, a ripple, a pressed button that will be
   * released, a scroller that will be put back. 0 when it is one. What proves to be a ticker is taken back.
   * @param {any} w @param {number} min when the window is over
   */
  lib.doubtfulUntil = (w, min) => {
    if (w.truncated || lib.focusChange(w).effect || changedFields(w).length || w.flips) return 0;
    if (scrolledBy(w)) return lib.mayBePutBackUntil();
    let until = 0;
    let certain = w.direct;
    for (const [node, kinds] of w.loose) {
      for (const [kind, times] of [...kinds]) {
        if (certain && times.before.length === 0) continue;
        const answer = rhythm(w, node, kind, times, min);
        if (answer === true) lib.demote(w, node, kind);
        else if (answer === false) certain = true;
        else until = Math.max(until, answer);
      }
    }
    if (!certain) return until;
    // Something was changed by the input. Looks of the element itself may be those of a press.
    const texts = [...w.texts, ...w.data].length > 0;
    if (texts || w.removed > 0 || (w.added > 0 && !w.hollow) || w.acted === null) return 0;
    for (const [el, names] of w.attrs) {
      if (!lib.contains(w.acted, el) && !lib.contains(el, w.acted)) return 0;
      for (const key of names.keys()) if (!LOOKS.test(key)) return 0;
    }
    return w.added > 0 ? w.startedAt + RIPPLE : min;
  };
})(globalThis.__truehand ??= {});
