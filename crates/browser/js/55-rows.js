// The reading, second half: items to rows within a budget, the difference to the last reading, finding by name and text.
(function (lib) {
  'use strict';
  if (lib.ready) return;

  const COVER_CHECKS = 300;
  const SNAPSHOT = 2000;
  /** Characters of one row of text; longer ones go on in the next row. */
  const TEXT = 1200;
  /** Elements of a page that is always read whole: only then can the next reading be compared with it. */
  const SMALL = 3000;
  /** Deeper rows are not indented any further: a line of blanks tells nothing. */
  const DEEPEST = 24;
  /** How long a search goes through the rows that were read, and again through what no row was made of, in milliseconds. */
  const SCAN_TIME = 900;
  const HOLDS_VALUE = new Set(['textbox', 'searchbox', 'spinbutton', 'slider', 'combobox', 'listbox', 'progressbar', 'meter', 'scrollbar', 'file input']);

  // ---- rows ------------------------------------------------------------------------------------------------------

  /** Text that an element starts with stands in its own row. */
  const inlineText = (item) => {
    const first = item.kids[0];
    return first && item.el && !item.cells && !item.begun && !first.el && first.text.length <= TEXT && (item.kids.length === 1 || !first.dark) ? first : null;
  };
  /** Items that get rows of their own below an item's row. */
  const below = (item) => (inlineText(item) ? item.kids.slice(1) : item.kids);

  /** Rows in order, each with its level; `depth` cuts deeper ones off and leaves their number with the row above. */
  function flatten(items, interactive, depth) {
    const rows = [];
    const walk = (list, level, owner) => {
      for (const item of list) {
        const listed = interactive ? item.ref : true;
        let own = owner;
        if (listed) {
          if (depth != null && level >= depth) { if (owner) owner.cut += 1 + countBelow(item); continue; }
          own = { item, level, cut: 0 };
          rows.push(own);
          if (!item.el && item.text.length > TEXT) split(rows, own);
          if (item.el && !interactive && optionsRow(item)) rows.push({ item, level: level + 1, cut: 0, options: true });
        }
        if (item.kids.length) walk(listed ? below(item) : item.kids, listed && !interactive ? level + 1 : level, own);
      }
    };
    walk(items, 0, null);
    return rows;
  }

  /** A long text goes on in rows of its own, each cut at white space where there is some. */
  function split(rows, row) {
    const { text } = row.item;
    for (let at = 0; at < text.length;) {
      let end = Math.min(at + TEXT, text.length);
      if (end < text.length) {
        const blank = text.slice(at, end).search(/\s\S*$/);
        if (blank > TEXT / 2) end = at + blank + 1;
        else if (text.charCodeAt(end - 1) >= 0xd800 && text.charCodeAt(end - 1) < 0xdc00) end--;
      }
      if (at === 0) row.part = [0, end];
      else rows.push({ item: row.item, level: row.level, cut: 0, part: [at, end], goesOn: true });
      at = end;
    }
  }

  function countBelow(item) {
    let n = 0;
    for (const kid of below(item)) n += 1 + countBelow(kid);
    return n;
  }

  const optionsRow = (item) => (lib.tagOf(item.el) === 'select' && item.el.options.length > 0);

  const quote = (text) => `"${text.replace(/["\\]/g, '\\$&')}"`;

  /** Text of items that need no rows of their own. */
  function plainText(item) {
    if (!item.el) return item.text;
    if (item.cells) return item.cells.map((c) => c.kids.map(plainText).join(' ')).join(' | ');
    if (item.kids.length === 0) return lib.nameOf(item.el);
    return item.kids.map(plainText).join(' ');
  }

  const MOST_CELLS = 60;
  const SORTS = { ascending: ' ↑', descending: ' ↓' };

  function cellsText(cells, whole) {
    const cut = !whole && cells.length > MOST_CELLS ? ` | … ${cells.length - MOST_CELLS} more cells` : '';
    return (whole ? cells : cells.slice(0, MOST_CELLS)).map((cell) => {
      const sort = cell.head && SORTS[lib.attr(cell.head, 'aria-sort')] || '';
      return lib.clean(cell.kids.map(plainText).join(' '), 400) + sort;
    }).join(' | ').replace(/ {2,}/g, ' ').trim() + cut;
  }

  /** Rows that the page says exist, when it renders fewer. */
  function virtualMark(item) {
    const { el, role } = item;
    if (role === 'table' || role === 'grid' || role === 'treegrid') {
      const total = Number(lib.attr(el, 'aria-rowcount'));
      if (total > 0) {
        const have = lib.queryAll(el, 'tr, [role=row]').length;
        if (total > have) return `rows ${have}/${total}`;
      }
    } else if (role === 'list' || role === 'listbox' || role === 'tree' || role === 'feed' || role === 'group' || role === 'menu' || role === 'radiogroup') {
      const parts = lib.queryAll(el, '[aria-setsize]');
      if (parts.length) {
        const total = Number(lib.attr(parts[0], 'aria-setsize'));
        if (total > parts.length) return `rows ${parts.length}/${total}`;
      }
    }
    return '';
  }

  /** What a control without a name might be: its id or the class of its icon. */
  function hintOf(el) {
    const id = lib.attr(el, 'id');
    if (id && /[a-z]{2}/i.test(id) && id.length < 40) return `#${lib.clean(id)}`;
    const inside = lib.queryAll(el, 'i, svg, span, img, use');
    for (const n of [el, inside[0], inside[1], inside[2]]) {
      if (!n) break;
      const text = lib.clean(lib.attr(n, 'class') || lib.attr(n, 'href') || '', 200).split(' ').filter((w) => /[a-z]{3}/i.test(w)).sort((a, b) => b.length - a.length)[0];
      if (text) return `.${lib.clean(text, 30)}`;
    }
    return '';
  }

  /** Visible text of a control whose name says something else. */
  function otherText(item, name) {
    if (!lib.hasAttr(item.el, 'aria-label') && !lib.hasAttr(item.el, 'aria-labelledby')) return '';
    const text = lib.clean(lib.flatText(item.el, false), 80);
    if (!/[\p{L}\p{N}]{2}/u.test(text) || name.toLowerCase().includes(text.toLowerCase())) return '';
    return text;
  }

  function valueText(item) {
    const { el, role } = item;
    if (item.as || item.refs > 0 || (item.kids.length > 1 && lib.isEditable(el)) || !(HOLDS_VALUE.has(role) || lib.isEditable(el))) return '';
    return lib.clean(lib.valueOf(el), 400);
  }

  /**
   * One row without indent. `ref` is the written reference or ''.
   * @returns {string}
   */
  function line(row, ref, marks, page) {
    const { item } = row;
    if (row.options) return `- options: ${optionList(item, page)}`;
    if (!item.el) return `- text: ${row.part ? lib.clean(item.text.slice(...row.part)) : lib.clean(item.text, TEXT)}${item.dark ? ' [hidden-text]' : ''}`;
    const { el, role } = item;
    const wide = item.chars > 240 && item.kids.length > 0;
    let name = item.named && !item.cells ? lib.clean(lib.nameOf(el), wide ? 80 : 300) : '';
    if (item.as) name = lib.nameOf(item.as) || name;
    let out = `- ${role}`;
    const text = inlineText(item);
    const own = text ? lib.clean(text.text, TEXT) : '';
    if (name) out += ` ${quote(name)}`;
    if (ref) out += ` [ref=${ref}]`;
    for (const state of lib.statesOf(item.as || el)) out += ` [${state}]`;
    if (item.level) out += ` [level=${item.level}]`;
    if (!name && !own && item.ref && !item.kids.length && !item.cells) {
      const hint = hintOf(el);
      if (hint) out += ` [${hint}]`;
    }
    if (role === 'canvas' || role === 'video') {
      out += ` [${el.clientWidth}x${el.clientHeight}]`;
    }
    const virtual = virtualMark(item);
    if (virtual) out += ` [${virtual}]`;
    if (item.scrolls) out += ' [scrolls]';
    if (item.dark || (text && text.dark)) out += ' [hidden-text]';
    if (item.hidden) out += ' [hidden]';
    out += marks;
    if (row.cut) out += ` [+${row.cut} rows]`;
    if (item.cells) {
      const cells = cellsText(item.cells, page.whole);
      return cells ? `${out}: ${cells}` : `${out}:`;
    }
    const value = valueText(item) || (own === name ? '' : own) || (item.kids.length === 0 && item.ref ? otherText(item, name) : '');
    if (value) return `${out}: ${value}`;
    return below(item).length && !row.cut ? `${out}:` : out;
  }

  /** Options of a select; a list seen before on this page is only pointed at. */
  function optionList(item, page) {
    const all = item.el.options;
    const shown = [];
    for (let i = 0; i < all.length && shown.length < 15; i++) {
      const text = lib.clean(all[i].label || all[i].text, 60);
      if (text) shown.push(all[i].disabled ? `${text} (disabled)` : text);
    }
    const list = shown.join(' | ') + (all.length > 15 ? ` … ${all.length - 15} more` : '');
    const before = page.options.get(list);
    if (before && before !== item.el && list.length > 30) {
      const number = lib.knownRef(before);
      if (number !== null) return `same as ${lib.refText(number, page.args)}`;
    }
    page.options.set(list, item.el);
    return list;
  }

  // ---- marks that need the layout ----------------------------------------------------------------------------------

  const DIALOGS = 'dialog[open], [role=dialog], [role=alertdialog]';

  /** The outermost box around `hit` that doesn't hold the element: a dialog or banner as a whole. */
  function coverOf(hit, el) {
    let cover = hit;
    for (let n = hit; n && !lib.contains(n, el); n = lib.parentOf(n)) {
      cover = n;
      const role = lib.roleOf(n);
      if (role === 'dialog' || role === 'alertdialog') return n;
    }
    // A backdrop is known to readers as the dialog on it.
    return [...lib.queryAll(cover, DIALOGS)].find(lib.isRendered) ?? cover;
  }

  function layoutMarks(item, page) {
    if (!item.ref || item.hidden) return '';
    const rect = lib.rectOf(item.el);
    if (!rect) return '';
    if (lib.isOffscreen(item.el, rect, item.geo)) return ' [offscreen]';
    if (!lib.isActionable(item.el) || item.refs > 0) return '';
    const x = rect.x + rect.width / 2;
    const y = rect.y + rect.height / 2;
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight || page.checks >= COVER_CHECKS) return '';
    page.checks++;
    const hit = lib.elementAt(x, y);
    if (!hit || lib.contains(item.el, hit) || lib.contains(hit, item.el)) return '';
    const label = lib.closest(hit, 'label');
    if (label && label.control === item.el) return '';
    // The stand-in of an invisible native control lies over it by design.
    if (!lib.isOpaque(item.el)) return '';
    // Scrolled out of its own scroller: what shows at that point covers nothing.
    const { clip } = item.geo ?? lib.geoOf(item.el);
    const box = clip && lib.boxOf(clip.el);
    if (box && (x < box.x || y < box.y || x > box.right || y > box.bottom)) return '';
    const cover = coverOf(hit, item.el);
    page.covers.add(cover);
    return ` [covered-by=${lib.refText(lib.refOf(cover, page.alloc), page.args)}]`;
  }

  /** Of a character beyond ASCII, half of one for those that take two. @param {number} c */
  const wideCost = (c) => (c < 0x800 ? 1 : c < 0x2000 ? 0.9 : c < 0x3040 ? 1.3 : c < 0xa000 ? 1.6 : c >= 0xac00 && c < 0xd7a4 ? 1.3 : c >= 0xd800 && c < 0xe000 ? 2 : 3);
  const isVowel = new Uint8Array(128);
  for (const c of 'aeiouyAEIOUY') isVowel[c.charCodeAt(0)] = 1;

  /** Of a run of small letters (1), capitals (2), digits (3) or marks (4). */
  function runCost(kind, length, vowels) {
    if (kind === 0) return 0;
    if (kind === 3) return Math.ceil(length / 3);
    if (kind === 4) return Math.max(1, length / 1.6);
    return Math.max(1, length / (vowels * 5 < length ? 1.7 : kind === 1 ? 3.3 : 2));
  }

  /**
   * Estimated tokens of a line. Letters without a vowel, codes and rare scripts cost several times as much as words; Rust counts in the
   * same way (`token_estimate`).
   */
  function cost(text) {
    let sum = 1;
    let kind = 0;
    let length = 0;
    let vowels = 0;
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      const next = c > 96 && c < 123 ? 1 : c > 64 && c < 91 ? 2 : c > 47 && c < 58 ? 3 : c > 32 && c < 127 ? 4 : 0;
      if (next !== kind && !(next === 1 && kind === 2 && length === 1)) {
        sum += runCost(kind, length, vowels);
        length = vowels = 0;
      }
      kind = next;
      length++;
      if (c > 127) sum += wideCost(c);
      else vowels += isVowel[c];
    }
    return sum + runCost(kind, length, vowels);
  }

  const indent = (level) => '  '.repeat(Math.min(level, DEEPEST));

  function render(row, page) {
    const { item } = row;
    // A banner that covers something is referred to, so its row says its number as well.
    const ref = (item.ref || page.covers.has(item.el)) && !row.options ? lib.refText(lib.refOf(item.el, page.alloc), page.args) : '';
    return line(row, ref, row.options ? '' : layoutMarks(item, page), page);
  }

  const startPage = (args) => ({ args, alloc: { frame: args.frame, next: args.next }, checks: 0, options: new Map(), covers: new Set() });

  // ---- difference ------------------------------------------------------------------------------------------------

  /** @typedef {{el: WeakRef<Element>|null, number: number|null, text: string}} Kept */
  /** @type {{rows: Kept[], key: string}|null} */
  let last = null;
  // Where the reference of a kept row goes; no page text can hold it, `lib.clean` drops it.
  const SLOT = '\u0001';

  const keyOf = (args) => JSON.stringify([args.interactive ?? false, args.depth ?? null, args.hidden ?? false, args.scope ?? null, args.reader ?? 0]);

  /** Rows without numbers and marks, for later comparison; null when there are too many. */
  function snapshot(rows, args) {
    if (rows.length > SNAPSHOT) return null;
    const page = { args, alloc: null, checks: 0, options: new Map() };
    const kept = rows.map((row) => {
      const acts = row.item.ref && !row.options;
      return { el: acts ? new WeakRef(row.item.el) : null, number: acts ? lib.knownRef(row.item.el) : null, text: line(row, acts ? SLOT : '', '', page) };
    });
    return { key: keyOf(args), rows: kept };
  }

  /** What changed since `before`: rows that are gone, new or say something else. */
  function difference(before, now, rows, page, budget) {
    const byEl = new Map();
    const byNumber = new Map();
    const byText = new Map();
    for (const old of before.rows) {
      const el = old.el && old.el.deref();
      if (el && lib.isConnected(el)) byEl.set(el, old);
      else if (old.number !== null) byNumber.set(old.number, old);
      else byText.set(old.text, (byText.get(old.text) || 0) + 1);
    }
    const changes = [];
    for (let i = 0; i < rows.length; i++) {
      const { text, el, number } = now.rows[i];
      let old = null;
      if (el) {
        // The same element, or one that was redrawn and took its number over.
        old = byEl.get(rows[i].item.el) ?? byNumber.get(number) ?? null;
        byEl.delete(rows[i].item.el);
        byNumber.delete(number);
      }
      if (old) {
        if (old.text !== text) changes.push({ i, sign: '~' });
        continue;
      }
      const n = byText.get(text) || 0;
      if (n > 0) byText.set(text, n - 1);
      else changes.push({ i, sign: '+' });
    }
    const gone = [...byEl.values(), ...byNumber.values()].map((old) => written(old, page));
    for (const [text, n] of byText) for (let k = 0; k < n; k++) gone.push(written({ text, number: null }, page));
    const lines = [];
    let used = 0;
    const fits = (text) => {
      used += cost(text);
      return !budget || used <= budget || lines.length === 0;
    };
    for (const text of gone) if (fits(text)) lines.push(text);
    for (const change of changes) {
      if (budget && used > budget) break;
      const text = `${change.sign} ${render(rows[change.i], page).slice(2)}`;
      if (fits(text)) lines.push(text);
    }
    return { lines, left: gone.length + changes.length - lines.length };
  }

  const written = (old, page) => old.text.replace(old.number === null ? ` [ref=${SLOT}]` : SLOT, old.number === null ? '' : lib.refText(old.number, page.args));

  // ---- page functions ----------------------------------------------------------------------------------------------

  function scopeOf(args, alloc) {
    if (!args.scope) return { el: null };
    return lib.resolve(args.scope, alloc);
  }

  /**
   * Where pages of the last reading ended, so that the next page is read from there and not from the top.
   * @type {{key: string, row: number, node: WeakRef<Node>}[]}
   */
  let marks = [];
  const MARKS = 200;

  function mark(key, row, node) {
    if (!node) return;
    marks = marks.filter((m) => m.key === key && m.row !== row).slice(-MARKS);
    marks.push({ key, row, node: new WeakRef(node) });
  }

  /** The last mark at or before a row, with its node. */
  function markBefore(key, row) {
    let best = null;
    for (const m of marks) {
      if (m.key !== key || m.row > row || (best && best.row > m.row)) continue;
      const node = m.node.deref();
      if (node && lib.isConnected(node)) best = { row: m.row, node };
    }
    return best;
  }

  /** Rows of the elements around the node that a reading was begun at: they were shown with the page before. */
  function leading(rows, path) {
    let n = 0;
    while (path && n < rows.length && rows[n].item.el && path.has(rows[n].item.el)) n++;
    return n;
  }

  /**
   * Reads rows from number `from` on, enough for the budget and as far as time allows.
   * @returns `first`: the number of `rows[0]`
   */
  function readRows(args, scope, from, most) {
    const key = keyOf(args);
    const options = { hidden: Boolean(args.hidden), interactive: Boolean(args.interactive), most };
    const start = from > 0 ? markBefore(key, from) : null;
    let tree = lib.readTree(scope, start ? { ...options, from: start.node } : options);
    const first = start && !tree.lost ? start.row : 0;
    if (tree.lost) tree = lib.readTree(scope, options);
    const rows = flatten(tree.items, options.interactive, args.depth);
    return { tree, rows, first: first - (first ? leading(rows, tree.path) : 0) };
  }

  /** Lines of rows from number `from` on, as many as the budget holds. */
  function renderRows(read, args, page, from) {
    const { rows, first } = read;
    const budget = args.budget || 0;
    const lines = [];
    let used = 0;
    let i = Math.max(0, from - first);
    for (const begin = i; i < rows.length; i++) {
      const row = rows[i];
      // The estimate of a row is only known once it is made.
      const text = indent(row.level) + render(row, page);
      used += cost(text);
      if (budget && used > budget && i > begin) break;
      lines.push(text);
      if (row.item.role === 'iframe' && !row.options) {
        const n = lib.frameNumber(row.item.el);
        if (n !== null) lines.push({ frame: n, depth: Math.min(row.level, DEEPEST) + 1 });
      }
    }
    return { lines, end: i };
  }

  lib.outline = (args) => {
    const page = startPage(args);
    const scope = scopeOf(args, page.alloc);
    if (scope.problem) return { ...scope.problem, next: page.alloc.next };
    const budget = args.budget || 0;
    const from = Math.max(0, args.from || 0);
    // Of a large page no more is read than the reply holds; a difference and a depth need it all.
    const whole = !budget || args.diff || args.depth != null || lib.countIn(scope.el ?? document) <= SMALL;
    let most = whole ? Infinity : budget * 1.3 + 200;
    let read = readRows(args, scope.el, from, most + (from - (markBefore(keyOf(args), from)?.row ?? 0)) * 20);
    const base = { status: 'ok', url: lib.clean(location.href, 2_000), title: lib.clean(lib.title(), 200), closed: read.tree.closed };
    const complete = () => read.first === 0 && read.tree.stop === null;
    if (args.diff && last && last.key === keyOf(args) && complete()) {
      const { rows } = read;
      const now = snapshot(rows, args);
      if (now) {
        const { lines, left } = difference(last, now, rows, page, budget);
        last = snapshot(rows, args);
        return { ...base, rows: rows.length, about: false, lines, shown: lines.length, next_from: null, controls_left_out: 0, diff: true, changes_left_out: left, next: page.alloc.next };
      }
    }
    let made = renderRows(read, args, page, from);
    // Wrappers cost nothing in the end, so that it may have been too little: once more, with what is known by now.
    while (made.end === read.rows.length && read.tree.stop && !read.tree.late) {
      most *= 4;
      read = readRows(args, scope.el, from, most + from * 20);
      made = renderRows(read, args, page, from);
    }
    const { rows, first, tree } = read;
    last = complete() ? snapshot(rows, args) : null;
    let controls = 0;
    for (let k = made.end; k < rows.length; k++) if (rows[k].item.ref && !rows[k].options && !rows[k].goesOn) controls++;
    let total = first + rows.length;
    let about = false;
    if (tree.stop) {
      const rest = tree.rest();
      const elements = rest.exact ? rest.elements : Math.max(rest.elements, lib.countIn(scope.el ?? document) - (first ? 0 : tree.elements));
      // As many rows to an element as so far, and of what could not be counted in time as many controls as of what was.
      controls += Math.round(rest.controls * (elements / Math.max(1, rest.elements)));
      total += Math.max(1, Math.round(elements * Math.min(1, rows.length / Math.max(1, tree.elements))));
      about = true;
    }
    const more = made.end < rows.length || tree.stop !== null;
    const next = first + made.end;
    let back = made.end;
    while (back > 0 && back < rows.length && (rows[back].options || rows[back].goesOn)) back--;
    if (more) mark(keyOf(args), first + back, back < rows.length ? rows[back].item.el ?? rows[back].item.node : tree.stop);
    return {
      ...base, lines: made.lines, rows: total, about, shown: made.end - Math.min(made.end, Math.max(0, from - first)),
      next_from: more ? next : null, controls_left_out: controls, diff: false, next: page.alloc.next,
    };
  };

  const eachItem = (items, visit) => {
    for (const item of items) {
      visit(item);
      if (item.kids.length) eachItem(item.kids, visit);
    }
  };

  const ROLE_ALIASES = { image: 'img', link: 'link', input: 'textbox', select: 'combobox', dropdown: 'combobox', toggle: 'switch' };

  lib.quickRead = (args) => {
    const alloc = { frame: args.frame, next: args.next };
    const want = lib.clean(args.query).toLowerCase();
    const role = args.role ? ROLE_ALIASES[args.role] || args.role : null;
    const limit = args.limit ?? 20;
    const kept = new Set();
    const matches = [];
    let total = 0;
    const add = (el, role, name) => {
      total++;
      if (matches.length >= limit) return;
      matches.push({ ...lib.entryOf(el, alloc), role, name: lib.clean(name, 80) });
      kept.add(lib.refOf(el, alloc));
    };
    const tree = lib.readTree(null);
    const until = performance.now() + SCAN_TIME;
    let n = 0;
    let late = false;
    eachItem(tree.items, (item) => {
      late ||= ++n % 64 === 0 && performance.now() > until;
      if (late) return;
      if (!item.el || (role && item.role !== role && !(role === 'textbox' && item.role === 'searchbox'))) return;
      const name = lib.nameOf(item.as || item.el);
      if (!name.toLowerCase().includes(want) || (!role && !item.ref && item.role !== 'heading')) return;
      add(item.el, item.role, name);
    });
    // What the walk had no time for is gone through by its marks alone.
    const left = late || (tree.stop && scan(tree.stop, NodeFilter.SHOW_ELEMENT, (el) => {
      const own = lib.roleOf(el);
      if (role ? own !== role : !lib.isWidgetRole(own) && own !== 'heading') return;
      const name = lib.nameOf(el);
      if (name.toLowerCase().includes(want) && lib.isRendered(el)) add(el, own, name);
    }));
    if (args.retire !== false) lib.retireRefs(kept);
    return { status: 'ok', matches, total, ...(left ? { unsearched: true } : {}), next: alloc.next };
  };

  /** Visits what comes after a node while there is time; whether some was left. */
  function scan(node, what, visit) {
    const walker = Document.prototype.createTreeWalker.call(document, lib.documentElement(), what);
    const until = performance.now() + SCAN_TIME;
    walker.currentNode = node;
    let n = 0;
    for (let at = walker.nextNode(); at; at = walker.nextNode()) {
      visit(at);
      if (++n % 64 === 0 && performance.now() > until) return true;
    }
    return false;
  }

  lib.findText = (args) => {
    const page = { ...startPage(args), whole: true };
    const want = lib.clean(args.query).toLowerCase();
    const limit = args.limit ?? 20;
    const tree = lib.readTree(null);
    const rows = flatten(tree.items, false, null);
    const matches = [];
    let total = 0;
    let late = false;
    const [first] = want.split(' ');
    const until = performance.now() + SCAN_TIME;
    for (let i = 0; i < rows.length && !late; i++) {
      late = i % 64 === 63 && performance.now() > until;
      const row = rows[i];
      const { item, part } = row;
      // What is looked for may begin in the row before.
      const raw = row.goesOn ? item.text.slice(Math.max(0, part[0] - want.length), part[1]) : null;
      // Folding the white space of a whole book takes its time: only where the first word stands.
      if (raw !== null && !raw.toLowerCase().includes(first)) continue;
      const hay = raw !== null ? lib.clean(raw) : line(row, '', '', page).slice(2);
      if (!hay.toLowerCase().includes(want)) continue;
      total++;
      if (matches.length >= limit) continue;
      const near = nearest(rows, i);
      matches.push({ ...(near ? { ref: lib.refText(lib.refOf(near.el, page.alloc), args) } : {}), text: around(row.goesOn ? `text: ${hay}` : hay, want), row: i });
      if (!row.options && !row.goesOn) mark(keyOf({}), i, item.el ?? item.node);
    }
    const left = late || (tree.stop && scan(tree.stop, NodeFilter.SHOW_TEXT, (node) => {
      const { data } = node;
      if (!data.toLowerCase().includes(first) || !lib.clean(data).toLowerCase().includes(want)) return;
      const el = node.parentElement;
      if (!el || !lib.isRendered(el)) return;
      total++;
      if (matches.length >= limit) return;
      const control = lib.closest(el, CONTROL);
      matches.push({ ...(control ? { ref: lib.refText(lib.refOf(control, page.alloc), args) } : {}), text: around(`text: ${lib.clean(data)}`, want) });
    }));
    return { status: 'ok', matches, total, ...(left ? { unsearched: true } : {}), next: page.alloc.next };
  };
  const CONTROL = 'a[href], button, input, select, textarea, [role=button], [role=link], [role=option], [role=menuitem]';

  /** The row's own control, one inside it, else the closest before it that is no deeper. */
  function nearest(rows, i) {
    if (rows[i].item.ref) return rows[i].item;
    for (let k = i + 1; k < rows.length && rows[k].level > rows[i].level; k++) if (rows[k].item.ref) return rows[k].item;
    for (let k = i - 1; k >= 0 && k > i - 40; k--) if (rows[k].item.ref && rows[k].level <= rows[i].level) return rows[k].item;
    return null;
  }

  function around(text, want) {
    if (text.length <= 200) return text;
    const at = Math.max(0, text.toLowerCase().indexOf(want) - 80);
    return lib.clean((at ? '…' : '') + text.slice(at, at + 200)) + (at + 200 < text.length ? '…' : '');
  }

  lib.textAt = () => {
    const parts = [];
    let size = 0;
    for (const row of flatten(lib.readTree(null).items, false, null)) {
      if (size > 20000) break;
      const { item } = row;
      if (item.dark || row.options) continue;
      const text = item.el ? (item.cells ? cellsText(item.cells) : inlineText(item) ? (item.kids[0].dark ? '' : lib.clean(item.kids[0].text)) : item.named && (item.kids.length === 0 || item.chars === 0) ? lib.nameOf(item.el) : '') : lib.clean(item.text);
      if (!text) continue;
      parts.push(text);
      size += text.length + 1;
    }
    return { url: location.href, title: lib.clean(lib.title(), 200), text: lib.clean(parts.join('\n').slice(0, 20000)) };
  };
})(globalThis.__truehand ??= {});
