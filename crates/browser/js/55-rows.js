// The reading, second half: items to rows within a budget, the difference to the last reading, finding by name and text.
(function (lib) {
  'use strict';
  if (lib.ready) return;

  const COVER_CHECKS = 300;
  const SNAPSHOT = 2000;
  const TEXT = 4000;
  const HOLDS_VALUE = new Set(['textbox', 'searchbox', 'spinbutton', 'slider', 'combobox', 'listbox', 'progressbar', 'meter', 'scrollbar', 'file input']);

  // ---- rows ------------------------------------------------------------------------------------------------------

  /** Text that an element starts with stands in its own row. */
  const inlineText = (item) => {
    const first = item.kids[0];
    return first && item.el && !item.cells && !first.el && (item.kids.length === 1 || !first.dark) ? first : null;
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
          if (item.el && !interactive && optionsRow(item)) rows.push({ item, level: level + 1, cut: 0, options: true });
        }
        if (item.kids.length) walk(listed ? below(item) : item.kids, listed && !interactive ? level + 1 : level, own);
      }
    };
    walk(items, 0, null);
    return rows;
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

  const SORTS = { ascending: ' ↑', descending: ' ↓' };

  function cellsText(cells) {
    return cells.map((cell) => {
      const sort = cell.head && SORTS[lib.attr(cell.head, 'aria-sort')] || '';
      return lib.clean(cell.kids.map(plainText).join(' '), 400) + sort;
    }).join(' | ').replace(/ {2,}/g, ' ').trim();
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
    for (const n of [el, ...lib.queryAll(el, 'i, svg, span, img, use')].slice(0, 4)) {
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
    if (!item.el) return `- text: ${lib.clean(item.text, TEXT)}${item.dark ? ' [hidden-text]' : ''}`;
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
      const cells = cellsText(item.cells);
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

  /** Estimated tokens of a line, its break included. */
  function cost(text) {
    let wide = 0;
    for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) wide++;
    return 1 + (text.length - wide) / 3 + wide * 1.25;
  }

  const indent = (level) => '  '.repeat(level);

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

  const keyOf = (args) => JSON.stringify([args.interactive ?? false, args.depth ?? null, args.hidden ?? false, args.scope ?? null]);

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

  lib.outline = (args) => {
    const page = startPage(args);
    const scope = scopeOf(args, page.alloc);
    if (scope.problem) return { ...scope.problem, next: page.alloc.next };
    const tree = lib.readTree(scope.el, Boolean(args.hidden));
    const rows = flatten(tree.items, Boolean(args.interactive), args.depth);
    const base = { status: 'ok', url: location.href, title: lib.clean(lib.title(), 200), rows: rows.length, closed: tree.closed };
    const budget = args.budget || 0;
    if (args.diff && last && last.key === keyOf(args)) {
      const now = snapshot(rows, args);
      if (now) {
        const { lines, left } = difference(last, now, rows, page, budget);
        last = snapshot(rows, args);
        return { ...base, lines, shown: lines.length, next_from: null, controls_left_out: 0, diff: true, changes_left_out: left, next: page.alloc.next };
      }
    }
    const from = Math.max(0, args.from || 0);
    const lines = [];
    let used = 0;
    let i = from;
    for (; i < rows.length; i++) {
      const row = rows[i];
      // The estimate of a row is only known once it is made, and making it may issue a reference: one row too many is dropped.
      const start = page.alloc.next;
      const text = indent(row.level) + render(row, page);
      used += cost(text);
      if (budget && used > budget && i > from) { if (page.alloc.next === start || i > from) break; }
      lines.push(text);
      if (row.item.role === 'iframe' && !row.options) {
        const n = lib.frameNumber(row.item.el);
        if (n !== null) lines.push({ frame: n, depth: row.level + 1 });
      }
    }
    last = snapshot(rows, args);
    let controls = 0;
    for (let k = i; k < rows.length; k++) if (rows[k].item.ref && !rows[k].options) controls++;
    return { ...base, lines, shown: i - from, next_from: i < rows.length ? i : null, controls_left_out: controls, diff: false, next: page.alloc.next };
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
    eachItem(lib.readTree(null, false).items, (item) => {
      if (!item.el || (role && item.role !== role && !(role === 'textbox' && item.role === 'searchbox'))) return;
      const el = item.as || item.el;
      const name = lib.nameOf(el);
      if (!name.toLowerCase().includes(want) || (!role && !item.ref && item.role !== 'heading')) return;
      total++;
      if (matches.length >= limit) return;
      matches.push({ ...lib.entryOf(item.el, alloc), role: item.role, name: lib.clean(name, 80) });
      kept.add(lib.refOf(item.el, alloc));
    });
    lib.retireRefs(kept);
    return { status: 'ok', matches, total, next: alloc.next };
  };

  lib.findText = (args) => {
    const page = startPage(args);
    const want = lib.clean(args.query).toLowerCase();
    const limit = args.limit ?? 20;
    const rows = flatten(lib.readTree(null, false).items, false, null);
    const matches = [];
    let total = 0;
    for (let i = 0; i < rows.length; i++) {
      const text = line(rows[i], '', '', page).slice(2);
      if (!text.toLowerCase().includes(want)) continue;
      total++;
      if (matches.length >= limit) continue;
      const near = nearest(rows, i);
      matches.push({ ...(near ? { ref: lib.refText(lib.refOf(near.el, page.alloc), args) } : {}), text: around(text, want), row: i });
    }
    return { status: 'ok', matches, total, next: page.alloc.next };
  };

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
    for (const row of flatten(lib.readTree(null, false).items, false, null)) {
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
