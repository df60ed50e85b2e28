// Element references: numbers that stay with an element for life, and fingerprints that find a redrawn one again.
(function (lib) {
  'use strict';
  if (lib.ready) return;

  /** @typedef {{ref: WeakRef<Element>, tag: string, role: string|null, name: string, ids: string, row: string}} Record */
  /** @type {Map<number, Record>} */
  const records = new Map();
  /** @type {WeakMap<Element, number>} */
  const numbers = new WeakMap();
  /** Numbers that a quick read took back. @type {Map<number, Record>} */
  const retired = new Map();
  const KEEP = 50000;

  const ROW = 'tr, li, [role=row], [role=listitem], [role=option], [role=treeitem], article, [role=article]';

  /** Two neighbours of the same make are taken for items of a collection. */
  function isItem(el) {
    const kind = lib.attr(el, 'class');
    const tag = lib.tagOf(el);
    const same = (other) => other !== null && lib.tagOf(other) === tag && lib.attr(other, 'class') === kind;
    return (tag === 'div' || tag === 'section' || tag.includes('-')) && (same(el.nextElementSibling) || same(el.previousElementSibling));
  }

  /** The row, list item or card that an element stands in, or null. */
  lib.rowOf = (el) => {
    const parent = lib.parentOf(el);
    if (!parent) return null;
    const row = lib.closest(parent, ROW);
    if (row) return row;
    let n = parent;
    for (let i = 0; n && i < 4; i++, n = lib.parentOf(n)) if (isItem(n)) return n;
    return null;
  };

  /** Text of the row, list item or card around an element; '' when it stands in none. */
  lib.rowText = (el) => {
    const row = lib.rowOf(el);
    if (!row) return '';
    const { rows } = lib.cache();
    let text = rows.get(row);
    if (text === undefined) rows.set(row, text = lib.clean(lib.flatText(row, false), 120));
    return text;
  };

  const idsOf = (el) => ['id', 'name', 'type'].map((a) => lib.attr(el, a) || '').join('|');

  function print(el) {
    return { ref: new WeakRef(el), tag: lib.tagOf(el), role: lib.roleOf(el), name: lib.nameOf(el), ids: idsOf(el), row: lib.rowText(el) };
  }

  const keyOf = (p) => JSON.stringify([p.role, p.name, p.ids, p.row]);
  const isGone = (record) => {
    const el = record.ref.deref();
    return !el || !lib.isConnected(el);
  };

  // What the page has now and what has left it, by fingerprint. Both hold for one turn and are only made when asked for.
  let turn = null;
  function index() {
    const cache = lib.cache();
    if (!turn || turn.cache !== cache) turn = { cache, gone: null, alive: new Map() };
    return turn;
  }

  /** Numbers of elements that left the document, by tag and fingerprint. */
  function goneNumbers() {
    const now = index();
    if (!now.gone) {
      now.gone = new Map();
      for (const [number, record] of records) {
        if (!isGone(record)) continue;
        const key = record.tag + keyOf(record);
        const list = now.gone.get(key);
        if (list) list.push(number); else now.gone.set(key, [number]);
      }
    }
    return now.gone;
  }

  // Naming every plain box of a page by its text would be slow, and only those that can be acted on get numbers.
  const countsAs = (el) => lib.roleOf(el) !== null || lib.isActionable(el);

  /** Shown elements of one tag by fingerprint. */
  function alive(tag) {
    const now = index();
    let map = now.alive.get(tag);
    if (!map) {
      now.alive.set(tag, map = new Map());
      for (const el of lib.deepQuery(tag)) {
        if (!countsAs(el) || !lib.isRendered(el)) continue;
        const key = keyOf(print(el));
        const list = map.get(key);
        if (list) list.push(el); else map.set(key, [el]);
      }
    }
    return map;
  }

  /** The number of a redrawn element's predecessor, when it is beyond doubt which one that was; else null. */
  function inherited(el) {
    const gone = goneNumbers();
    if (gone.size === 0) return null;
    const own = print(el);
    const before = gone.get(own.tag + keyOf(own));
    if (!before || before.length !== 1) return null;
    const now = alive(own.tag).get(keyOf(own));
    if (now && now.length > 1) return null;
    gone.delete(own.tag + keyOf(own));
    return before[0];
  }

  /** Numbers of elements that are gone are forgotten once there are very many: they can't be found again anyway. */
  function prune() {
    for (const [number, record] of records) {
      if (records.size <= KEEP / 2) break;
      const el = record.ref.deref();
      if (!el || !lib.isConnected(el)) records.delete(number);
    }
  }

  /** The element's number, issued from `alloc.next` when it has none. The fingerprint is renewed: this is what the caller now gets to see. */
  lib.refOf = (el, alloc) => {
    let number = lib.knownRef(el);
    if (number === null) {
      number = alloc.next++;
      numbers.set(el, number);
      if (records.size > KEEP) prune();
    }
    records.set(number, print(el));
    return number;
  };

  /** The number that an element has, or takes over from the one it replaces; null when one would have to be issued. */
  lib.knownRef = (el) => {
    const number = numbers.get(el);
    if (number !== undefined) return number;
    const old = lib.isConnected(el) ? inherited(el) : null;
    if (old === null) return null;
    numbers.set(el, old);
    records.set(old, print(el));
    return old;
  };

  /** Written form of a number in the frame of this call. */
  lib.refText = (number, args) => (args.frame ? `f${args.frame}e${number}` : `e${number}`);

  /** `{ref, role, name, description}` of an element, as candidates and matches are written. */
  lib.entryOf = (el, alloc) => ({
    ref: lib.refText(lib.refOf(el, alloc), alloc),
    role: lib.roleOf(el) || (lib.tagOf(el) === 'label' ? 'label' : lib.isActionable(el) ? 'clickable' : 'generic'),
    name: lib.clean(lib.nameOf(el), 80),
    description: described(el),
  });

  function described(el) {
    const row = lib.rowText(el);
    const name = lib.nameOf(el);
    const own = lib.describe(el);
    return row && row !== name ? `${own} in "${lib.clean(row, 60)}"` : own;
  }

  const sameKind = (el, record) => lib.roleOf(el) === record.role && lib.nameOf(el) === record.name;

  /** Other shown elements of the record's tag that have its role and name. */
  const twins = (record, except) => lib.deepQuery(record.tag).filter((el) => el !== except && countsAs(el) && sameKind(el, record) && lib.isRendered(el));

  const candidates = (els, alloc) => els.slice(0, 12).map((el) => lib.entryOf(el, alloc));

  /** A quick read replaces what was shown before: numbers that are not among `keep` no longer stand for anything. */
  lib.retireRefs = (keep) => {
    for (const [number, record] of records) {
      if (keep.has(number)) continue;
      records.delete(number);
      retired.set(number, record);
      const el = record.ref.deref();
      if (el && numbers.get(el) === number) numbers.delete(el);
    }
    for (const number of retired.keys()) {
      if (retired.size <= KEEP) break;
      retired.delete(number);
    }
    lib.fresh();
  };

  /** The refusal of a number that a quick read took back, with the element under its new one. */
  function takenBack(record, alloc) {
    const el = record.ref.deref();
    const meant = el && lib.isConnected(el) && sameKind(el, record) ? [el] : twins(record, null);
    return { problem: { status: 'stale', why: 'a quick read replaced the earlier references', candidates: candidates(meant, alloc) } };
  }

  /** The element itself, for handing it to the browser: a file input that is given files. */
  lib.element = (number) => records.get(number)?.ref.deref() ?? null;

  /** A number back to its element: alive and still itself, found again, or refused. */
  lib.resolveRef = (number, alloc) => {
    const record = records.get(number);
    if (!record) {
      const old = retired.get(number);
      return old ? takenBack(old, alloc) : { problem: { status: 'unknown_ref' } };
    }
    const el = record.ref.deref();
    if (el && lib.isConnected(el)) {
      const renamed = !sameKind(el, record);
      const moved = !renamed && record.row !== '' && lib.rowText(el) !== record.row;
      if (!renamed && !moved) return { el };
      // A list redrawn in place keeps its nodes and swaps what they mean: then another element is the one that was meant.
      const others = twins(record, el).filter((other) => renamed || lib.rowText(other) === record.row);
      if (others.length === 0) return { el };
      const meant = others.filter((other) => lib.rowText(other) === record.row);
      return { problem: { status: 'stale', candidates: candidates(meant.length ? meant : others, alloc) } };
    }
    const fits = twins(record, null);
    const exact = fits.filter((other) => lib.rowText(other) === record.row && idsOf(other) === record.ids);
    if (exact.length === 1) {
      const found = exact[0];
      record.ref = new WeakRef(found);
      if (!numbers.has(found)) numbers.set(found, number);
      return { el: found, healed: true };
    }
    return { problem: { status: 'stale', candidates: exact.length || fits.length ? candidates(exact.length ? exact : fits, alloc) : lib.closestNames(record.name, record.role, alloc) } };
  };
})(globalThis.__truehand ??= {});
