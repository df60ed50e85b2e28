// The reading, first half: walks the composed tree once and leaves items, what a row will be made of.
(function (lib) {
  'use strict';
  if (lib.ready) return;

  const words = (text) => new Set(text.split(' '));
  const SKIP = words('script style template noscript head meta link title base source track param datalist defs clipPath mask linearGradient radialGradient filter symbol desc colgroup col map wbr');
  // Nothing below these is read: they are shown by their name, value or picture.
  const LEAVES = words('textbox searchbox spinbutton slider scrollbar img canvas iframe video audio embed object progressbar meter separator math');
  LEAVES.add('file input');
  const CONTENT_WIDGETS = words('button link checkbox radio switch tab menuitem menuitemcheckbox menuitemradio option treeitem clickable');
  const CONTENT_NAMED = new Set([...CONTENT_WIDGETS, 'heading', 'tooltip']);
  // Of no use to a reader without a name.
  const PLAIN_UNNAMED = words('group figure document application blockquote note directory feed caption time marquee tooltip');
  const ALWAYS_PLAIN = words('paragraph rowgroup caption definition_list');
  const CELLS = words('cell gridcell columnheader rowheader');
  const BREAKS = words('p li dt dd pre blockquote h1 h2 h3 h4 h5 h6 tr td th section article header footer nav aside main form fieldset ul ol dl table figure details');
  const INERT_TAGS = words('span b i em strong small code svg g path circle rect line polyline polygon use');
  const CLOSED_TAGS = words('div span section article main aside header footer p h1 h2 h3 h4 h5 h6 nav body blockquote');
  const TOO_DEEP = 1200;
  const MERGE = 200;
  /** How long one walk may take, in milliseconds; what is left then is only counted. */
  const WALK_TIME = 1_200;
  /** And how long the counting of the rest may. */
  const COUNT_TIME = 250;
  /** Tokens of a row besides its text, about. */
  const ROW = 9;
  /** Steps between two looks at the clock. */
  const CLOCK = 64;
  const LONG = 240;

  /** Host candidates were looked into once when Rust was handed them. */
  const looked = new WeakSet();
  let hosts = [];

  // ---- what a person can't read ----------------------------------------------------------------------------------

  const parsed = new Map();
  function colour(text) {
    let c = parsed.get(text);
    if (c) return c;
    const m = /^rgba?\(([\d.]+),? ([\d.]+),? ([\d.]+)(?:(?:,| \/) ([\d.]+))?\)$/.exec(text);
    c = m ? { r: +m[1], g: +m[2], b: +m[3], a: m[4] === undefined ? 1 : +m[4] } : { r: -1, g: -1, b: -1, a: 1 };
    if (parsed.size > 500) parsed.clear();
    parsed.set(text, c);
    return c;
  }

  /** Colour behind an element, or null when a see-through colour makes it unknown. */
  function backOf(el) {
    const { back } = lib.cache();
    const path = [];
    let found;
    for (let n = el; ; n = lib.parentOf(n)) {
      if (!n) { found = { r: 255, g: 255, b: 255, a: 1 }; break; }
      const known = back.get(n);
      if (known !== undefined) { found = known; break; }
      path.push(n);
      const c = colour(lib.styleOf(n).backgroundColor);
      if (c.a === 1) { found = c; break; }
      if (c.a > 0) { found = null; break; }
    }
    for (const n of path) back.set(n, found);
    return found;
  }

  /** A picture behind the text: a background of an ancestor, or one that a placed box lies on. */
  function onPicture(el) {
    for (let n = el; n; n = lib.parentOf(n)) {
      const s = lib.styleOf(n);
      if (s.backgroundImage !== 'none') return true;
      if (colour(s.backgroundColor).a === 1) break;
    }
    for (let n = el, i = 0; n && i < 12; n = lib.parentOf(n), i++) {
      const position = lib.styleOf(n).position;
      if (position === 'static') continue;
      const parent = lib.parentOf(n);
      if (!parent) return false;
      const { pictures } = lib.cache();
      let has = pictures.get(parent);
      if (has === undefined) pictures.set(parent, has = lib.query(parent, 'img, video, canvas, picture, svg, [style*="background"]') !== null);
      return has;
    }
    return false;
  }

  /** Whether text that stands directly in this element can't be seen by a person. */
  function textHidden(el, ctx) {
    if (ctx.transparent || ctx.invisible) return true;
    const s = lib.styleOf(el);
    if (parseFloat(s.fontSize) < 2) return true;
    const indent = s.textIndent;
    if (indent.charCodeAt(0) === 45 && parseFloat(indent) < -500) return true;
    const ink = colour(s.webkitTextFillColor);
    if (ink.a === 0) {
      // A gradient cut to the shape of the letters is painted by the background.
      for (let n = el, i = 0; n && i < 4; n = lib.parentOf(n), i++) if (lib.styleOf(n).backgroundClip === 'text') return false;
      return s.textShadow === 'none';
    }
    const { geo } = ctx;
    if (lib.isClipped(el, geo)) return true;
    const box = lib.boxOf(el);
    if (box.width <= 1 || box.height <= 1) {
      if (geo.inner && geo.inner.el === el) return true;
    } else if ((geo.clip || geo.fixed || box.right <= 0 || box.bottom <= 0 || box.x >= innerWidth) && lib.isOffscreen(el, box, geo)) return true;
    if (geo.inner && geo.inner.el === el && /^(inset\((50|100)%|circle\(0)/.test(s.clipPath)) return true;
    if (ink.r >= 0) {
      const back = backOf(el);
      if (back && back.r >= 0 && Math.abs(back.r - ink.r) <= 8 && Math.abs(back.g - ink.g) <= 8 && Math.abs(back.b - ink.b) <= 8) {
        return s.textShadow === 'none' && !onPicture(el);
      }
    }
    return false;
  }

  // ---- controls that stand in for others -------------------------------------------------------------------------

  const isToggle = (el) => lib.tagOf(el) === 'input' && (el.type === 'checkbox' || el.type === 'radio');

  /** A native control that is itself invisible but works for something that can be seen: styled boxes, upload zones, editors. */
  function standsIn(el, ctx) {
    const tag = lib.tagOf(el);
    if (tag !== 'input' && tag !== 'select' && tag !== 'textarea') return false;
    if (el === lib.focused() && lib.isDisplayed(el)) return true;
    if (isToggle(el) && !ctx.invisible && lib.labelsOf(el).some((label) => lib.isSeen(label))) return true;
    if (ctx.invisible || !(isToggle(el) || tag === 'select' || el.type === 'range')) return false;
    const box = lib.boxOf(el);
    return box.width >= 8 && box.height >= 8 && !lib.isClipped(el, ctx.geo);
  }

  const isFileInput = (el, tag) => tag === 'input' && el.type === 'file';

  /** Whether nothing of an element can show where it stands. */
  const outOfSight = (el, ctx) => ctx.transparent || ctx.invisible || lib.isClipped(el, ctx.geo ?? lib.geoOf(el));

  /** Whether the element's box is too small to show anything. */
  function boxless(el) {
    // A frame's border is no content.
    if (lib.tagOf(el) === 'iframe' && (el.clientWidth <= 1 || el.clientHeight <= 1)) return true;
    const box = lib.boxOf(el);
    if (box.width > 1 && box.height > 1) return false;
    return lib.rectOf(el) === null || (box.width <= 1 && box.height <= 1 && lib.styleOf(el).overflowX !== 'visible');
  }

  const REVEALED = words('button link menuitem tab switch');

  /**
   * A see-through control that people come to see by pointing at it or scrolling to it: it has a size, takes the
   * pointer, and nothing lies over it.
   */
  function showsLater(el, role, ctx) {
    if (!ctx.transparent || ctx.invisible || !REVEALED.has(role) || lib.isClipped(el, ctx.geo)) return false;
    if (lib.styleOf(el).pointerEvents === 'none') return false;
    const box = lib.boxOf(el);
    if (box.width < 8 || box.height < 8 || lib.isOffscreen(el, box, ctx.geo)) return false;
    const x = box.x + box.width / 2;
    const y = box.y + box.height / 2;
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) return true;
    const hit = lib.elementAt(x, y);
    return hit !== null && lib.contains(el, hit);
  }

  const unseen = (el, ctx) => outOfSight(el, ctx) || boxless(el);

  // ---- items -----------------------------------------------------------------------------------------------------

  const makeItem = (el, role) => ({ el, role, text: '', dark: false, kids: [], cells: null, ref: false, named: true, chars: 0, refs: 0, hidden: false, scrolls: false, as: null, geo: undefined, level: 0, begun: false });
  const makeText = (text, dark, node) => ({ el: null, node, role: 'text', text, dark, kids: [], cells: null, ref: false, named: false, chars: text.length, refs: 0, hidden: false, scrolls: false, as: null });
  const collector = () => ({ items: [], gap: false, stop: false });

  function put(coll, item) {
    coll.items.push(item);
    coll.gap = false;
    coll.stop = false;
  }

  function addText(coll, text, dark, node) {
    const last = coll.items[coll.items.length - 1];
    if (last && !last.el && last.dark === dark && !coll.stop) {
      last.text += (coll.gap ? ' ' : '') + text;
      last.chars = last.text.length;
    } else {
      put(coll, makeText(text, dark, node));
    }
    coll.gap = false;
    coll.stop = false;
  }

  /** The space between two blocks; long text isn't run together with what follows. */
  function edge(coll, hard) {
    coll.gap = true;
    const last = coll.items[coll.items.length - 1];
    if (last && !last.el && (hard || last.text.length > MERGE)) coll.stop = true;
  }

  /**
   * Whether the walk ends before this node: enough was read for the budget, and a control, row or heading is not cut in
   * two; or the time is up.
   */
  function isEnough(node, run) {
    if (run.whole === 0 && run.cost > run.most) { run.stop = node; return true; }
    if (++run.steps % CLOCK || run.resuming) return false;
    const over = performance.now() - run.until;
    if (over < (run.whole === 0 ? 0 : WALK_TIME / 4)) return false;
    run.late = true;
    run.stop = node;
    return true;
  }

  function readChildren(node, ctx, coll, run) {
    // The stack has an end: what is nested deeper is read afterwards, from a shallow one.
    if (run.level > TOO_DEEP) { run.deep.push({ node, ctx }); return; }
    run.level++;
    const root = lib.shadowOf(node);
    if (root) { run.roots.push(root); labelledIn(root, run.labelled); }
    let dark = null;
    const each = (child) => {
      if (run.resuming === child) run.resuming = null;
      const type = lib.typeOf(child);
      if (type === 1) readElement(child, ctx, coll, run);
      else if (type === 3 && !ctx.mute) {
        if (isEnough(child, run)) return;
        const data = child.data;
        if (!/\S/.test(data)) { coll.gap = true; return; }
        if (ctx.invisible && !run.hidden) return;
        if (dark === null) dark = ctx.widget ? false : textHidden(node, ctx);
        if (run.whole === 0 && !run.interactive) run.cost += data.length / 3;
        addText(coll, data, dark, child);
      }
    };
    const from = run.resuming ? run.path.get(node) : undefined;
    if (!root && lib.tagOf(node) === 'slot') {
      const all = lib.childrenOf(node);
      for (let i = Math.max(0, from ? all.indexOf(from) : 0); i < all.length && !run.stop; i++) each(all[i]);
    } else for (let c = from ?? lib.firstChild(root || node); c && !run.stop; c = lib.nextSibling(c)) each(c);
    run.level--;
  }

  /** Whether a label's text is already the name of a control that is listed. */
  function labelOfShown(label, control) {
    const style = lib.styleOf(control);
    if (!lib.isDisplayed(control) || style.visibility !== 'visible') return isFileInput(control, lib.tagOf(control));
    if (lib.hasAttr(control, 'aria-label')) return false;
    const ids = lib.attr(control, 'aria-labelledby');
    return !ids || ids.split(/\s+/).includes(lib.attr(label, 'id') || ' ');
  }

  const CAPTIONS = { legend: 'fieldset', caption: 'table', figcaption: 'figure' };

  /** A caption that its parent is already named by. */
  function namesParent(el, tag) {
    const parent = Object.hasOwn(CAPTIONS, tag) ? lib.parentOf(el) : null;
    return parent !== null && lib.tagOf(parent) === CAPTIONS[tag] && !lib.hasAttr(parent, 'aria-label') && !lib.hasAttr(parent, 'aria-labelledby') && !lib.hasAttr(parent, 'role');
  }

  /** May hide a closed shadow root: nothing inside that we can see, and still a box of some size. */
  function mayHost(el, tag, run) {
    if (run.hosts.length >= 50) return;
    if (tag.includes('-')) {
      if (looked.has(el) || lib.shadowOf(el) || !lib.matches(el, ':defined')) return;
    } else {
      if (lib.firstChild(el) || !CLOSED_TAGS.has(tag) || looked.has(el) || lib.shadowOf(el)) return;
      const box = lib.boxOf(el);
      if (box.width <= 20 || box.height <= 10) return;
      // A box that is painted for its own sake, or of a fixed size, says nothing; one that grew around something does.
      const s = lib.styleOf(el);
      if (s.backgroundImage !== 'none' || s.borderTopWidth !== '0px') return;
    }
    run.hosts.push(el);
  }

  const PLAIN_CTX = { transparent: false, invisible: false, forced: false, widget: false, mute: false, cursor: 'auto', geo: lib.topPlace };
  const OPAQUE = { visibilityProperty: true, opacityProperty: true };

  /** What holds for the content of an element: the parent's own object unless something differs. */
  function contextOf(el, bare, ctx, style, display, run) {
    let { transparent, invisible, forced } = ctx;
    if (lib.check(el, OPAQUE)) {
      // Only what was asked for with `hidden` still counts as unseen below here.
      invisible = forced;
      transparent = false;
    } else {
      if (display !== 'contents' && !lib.check(el)) {
        if (!run.hidden) return null;
        forced = true;
      }
      transparent ||= style.opacity === '0';
      invisible = forced || style.visibility !== 'visible';
    }
    if (!bare && (lib.attr(el, 'aria-hidden') === 'true' || lib.hasAttr(el, 'inert'))) {
      if (!run.hidden) return null;
      invisible = forced = true;
    }
    const cursor = style.cursor;
    const geo = lib.placeIn(ctx.geo, el, style, display);
    if (transparent === ctx.transparent && invisible === ctx.invisible && forced === ctx.forced && cursor === ctx.cursor && geo === ctx.geo) return ctx;
    return { transparent, invisible, forced, widget: ctx.widget, mute: ctx.mute, cursor, geo };
  }

  /** Elements that are named by one other element, by the id of that one. */
  function labelledIn(root, labelled) {
    for (const el of lib.queryAll(root, '[aria-labelledby]')) {
      const id = lib.attr(el, 'aria-labelledby').trim();
      if (!id || /\s/.test(id)) continue;
      const list = labelled.get(id);
      if (list) list.push(el); else labelled.set(id, [el]);
    }
  }

  /** A plain element that a control, and nothing else, is named by: its text is in the control's row. */
  function isNamer(el, run) {
    const id = lib.attr(el, 'id');
    const named = id && run.labelled.get(id);
    if (!named) return false;
    const root = lib.rootOf(el);
    return named.some((other) => lib.rootOf(other) === root && lib.isWidget(other) && !lib.contains(el, other) && lib.isRendered(other));
  }

  function readElement(el, ctx, coll, run) {
    if (isEnough(el, run)) return;
    run.elements++;
    const tag = lib.tagOf(el);
    if (SKIP.has(tag)) return;
    if (tag === 'br') { coll.gap = true; return; }
    const bare = lib.isBare(el);
    // Inside a control only other controls matter, and they say so by tag or attribute.
    if (ctx.widget && bare && INERT_TAGS.has(tag) && lib.check(el, OPAQUE)) { readChildren(el, ctx, coll, run); return; }
    const style = lib.styleOf(el);
    const display = style.display;
    const next = contextOf(el, bare, ctx, style, display, run);
    if (next === null) {
      if (isFileInput(el, tag) && lib.attr(el, 'aria-hidden') !== 'true') addHidden(el, coll, run);
      return;
    }
    mayHost(el, tag, run);

    const block = display !== 'inline' && display !== 'contents';
    const hard = BREAKS.has(tag);
    let role = lib.roleOf(el);
    if (tag === 'label') {
      const control = el.control;
      if (control && readLabel(el, control, next, coll, run)) return;
    }
    const inner = namesParent(el, tag) || (!bare && run.labelled.size && (role === null || tag === 'label') && isNamer(el, run)) ? { ...next, mute: true } : next;
    if (role !== null && ALWAYS_PLAIN.has(role)) role = null;

    const widget = lib.isWidgetRole(role);
    const scrolls = block && isScroller(el, tag, next.geo, style);
    const acts = widget || isClickable(el, tag, role, next.cursor, ctx, bare) || (!bare && (lib.isEditable(el) || lib.attr(el, 'draggable') === 'true'));
    if (role === null && !acts && !scrolls) {
      if (block) edge(coll, hard);
      readChildren(el, inner, coll, run);
      if (block) edge(coll, hard);
      return;
    }
    // What has text in it has a size, unless it cuts it off: the box is asked only where it can matter.
    const content = tag !== 'input' && CONTENT_WIDGETS.has(role ?? 'clickable') && !(next.geo.inner && next.geo.inner.el === el);
    const ghost = acts && (outOfSight(el, next) || (!content && boxless(el)));
    if (ghost) {
      if (isFileInput(el, tag)) { addHidden(el, coll, run); return; }
      if (!run.hidden && showsLater(el, role, next)) run.ghosts++;
      else if (!run.hidden && !standsIn(el, next)) {
        // A hidden element may still hold shown ones; what lies in a see-through or cut-off one is as unseen as itself.
        if (next.invisible || (!widget && !next.transparent)) readChildren(el, inner, coll, run);
        return;
      }
    }
    finish(el, role, acts, scrolls, ghost || next.forced || next.invisible || next.transparent, inner, coll, run, block, content && !ghost);
  }

  function addHidden(el, coll, run) {
    const item = makeItem(el, 'file input');
    item.ref = true;
    item.hidden = true;
    run.files.add(el);
    put(coll, item);
  }

  /** Reads a label that needs no row of its own; false when it is to be read like any other element. */
  function readLabel(el, control, next, coll, run) {
    if (isToggle(control) && (!lib.isDisplayed(control) || lib.styleOf(control).visibility !== 'visible')) {
      if (unseen(el, next)) return false;
      const item = makeItem(el, lib.roleOf(control));
      item.as = control;
      item.ref = true;
      put(coll, item);
      return true;
    }
    if (!labelOfShown(el, control)) return false;
    edge(coll, false);
    readChildren(el, { ...next, mute: true }, coll, run);
    edge(coll, false);
    return true;
  }

  function isScroller(el, tag, geo, style) {
    if (!geo.inner || geo.inner.el !== el) return false;
    const y = style.overflowY;
    const x = style.overflowX;
    if (y !== 'auto' && y !== 'scroll' && x !== 'auto' && x !== 'scroll') return false;
    if (tag === 'html' || tag === 'body' || tag === 'textarea' || tag === 'pre' || tag === 'code' || tag === 'select' || tag === 'input') return false;
    if (el.clientHeight < 30 || el.clientWidth < 30) return false;
    return ((y === 'auto' || y === 'scroll') && el.scrollHeight > el.clientHeight + 4) || ((x === 'auto' || x === 'scroll') && el.scrollWidth > el.clientWidth + 4);
  }

  function isClickable(el, tag, role, cursor, ctx, bare) {
    if (tag === 'body' || tag === 'html') return false;
    if (!ctx.widget && cursor === 'pointer' && ctx.cursor !== 'pointer' && (tag !== 'label' || !el.control)) return true;
    if (bare) return false;
    if (lib.hasAttr(el, 'onclick') || lib.hasAttr(el, 'onmousedown') || lib.hasAttr(el, 'onpointerdown')) return true;
    if (role !== null && CELLS.has(role)) return lib.hasAttr(el, 'aria-selected');
    const index = lib.attr(el, 'tabindex');
    return index !== null && Number(index) >= 0;
  }

  /** A named list can be dropped on; regions and dialogs are scoped to. */
  function wantsRef(el, role, acts) {
    if (acts) return true;
    if (role === 'dialog' || role === 'alertdialog') return true;
    if (role === 'region' || role === 'list') return lib.hasAttr(el, 'aria-label') || lib.hasAttr(el, 'aria-labelledby');
    return false;
  }

  function sum(item) {
    item.refs = 0;
    item.chars = 0;
    for (const kid of item.kids) {
      item.refs += kid.refs + (kid.ref ? 1 : 0);
      item.chars += kid.chars;
    }
  }

  function finish(el, role, acts, scrolls, ghost, next, coll, run, block, sized) {
    const shown = role ?? (acts ? 'clickable' : 'group');
    const item = makeItem(el, role === null && lib.isEditable(el) ? 'textbox' : shown);
    item.ref = wantsRef(el, role, acts) || scrolls;
    item.scrolls = scrolls;
    // Its beginning was read before: what comes now does not stand in its own row.
    item.begun = run.path !== null && run.path.has(el);
    item.geo = next.geo;
    // A plain box that only scrolls is no more named by all its content than any other.
    if (role === null && item.role === 'group') item.named = Boolean(lib.givenName(el));
    item.hidden = ghost && (run.hidden || (next.transparent && REVEALED.has(role)));
    if (block) edge(coll, false);
    const editor = lib.isEditable(el);
    if (lib.tagOf(el) === 'select' || (LEAVES.has(item.role) && !editor)) {
      if (item.role === 'separator' && !acts) { edge(coll, true); return; }
      if (item.role === 'img' && !acts && (next.widget || next.mute || !lib.nameOf(el))) return;
      run.cost += ROW;
      put(coll, item);
      return;
    }
    const inner = collector();
    const widget = CONTENT_WIDGETS.has(item.role) && !editor;
    const whole = CONTENT_NAMED.has(item.role) || CELLS.has(item.role) || item.role === 'row';
    if (whole) run.whole++;
    // A label around a named widget is muted, the widget's own text is its own name.
    readChildren(el, { ...next, widget: next.widget || widget, mute: next.mute && !widget }, inner, run);
    if (whole) run.whole--;
    item.kids = inner.items;
    sum(item);
    if (run.whole === 0) {
      if (item.ref || !run.interactive) run.cost += ROW + (whole ? Math.min(item.chars, item.role === 'row' ? 2_000 : 300) / 3 : 0);
      if (whole) run.cost += item.refs * 1.5 * ROW;
    }
    if (editor) {
      // Its text is its value; a whole page that is one editor is read like a page.
      if (item.refs === 0 && item.chars <= LONG * 2) item.kids = [];
      put(coll, item);
      return;
    }
    if (widget && sized && !run.hidden && item.chars === 0 && item.refs === 0 && boxless(el)) return;
    shape(item, acts, coll);
  }

  /** Decides, from structure alone, what a row needs of its content. */
  function shape(item, acts, coll) {
    const { role, kids, el } = item;
    if (CONTENT_NAMED.has(role)) {
      const long = item.chars > LONG;
      if (item.refs === 0 && !long) {
        item.dark = kids.length > 0 && kids.every((k) => !k.el && k.dark);
        item.kids = [];
        if (!item.ref && item.chars === 0 && !kids.length && !lib.nameOf(el)) return;
      } else if (role === 'heading' && !item.ref && kids.length === 1 && kids[0].ref && kids[0].kids.length === 0 && !lib.givenName(el)) {
        // A heading that is one link: the link's row says so.
        kids[0].level = lib.levelOf(el);
        put(coll, kids[0]);
        return;
      } else if (role === 'clickable' || role === 'heading') {
        item.named = Boolean(lib.givenName(el));
      } else if (!long) {
        item.kids = kids.filter((k) => k.refs > 0 || k.ref);
      }
      put(coll, item);
      return;
    }
    if (kids.length > 1 && !item.begun && namesIt(kids[0], el)) kids.shift();
    if (CELLS.has(role)) { shapeCell(item, coll, acts); return; }
    if (role === 'row') { shapeRow(item, coll); return; }
    if (!item.ref && !kids.length && role !== 'progressbar' && role !== 'meter') return;
    if (!item.ref && PLAIN_UNNAMED.has(role) && !lib.givenName(el)) { spill(kids, coll); return; }
    if (role === 'listitem' && !item.ref && !item.begun && kids.length === 1 && kids[0].el) { put(coll, kids[0]); return; }
    if (kids.length === 1 && kids[0].role === 'list' && !kids[0].ref && role !== 'list' && !lib.givenName(kids[0].el)) item.kids = kids[0].kids;
    put(coll, item);
  }

  /** A heading or text that the element around it is named by needs no row of its own. */
  function namesIt(kid, el) {
    if (!kid.el || kid.ref || kid.refs || kid.role !== 'heading') return false;
    const ids = lib.attr(el, 'aria-labelledby');
    const id = ids && lib.attr(kid.el, 'id');
    return Boolean(id) && !lib.hasAttr(kid.el, 'aria-label') && ids.trim() === id;
  }

  function spill(kids, coll) {
    edge(coll, true);
    for (const kid of kids) coll.items.push(kid);
    edge(coll, true);
  }

  function shapeCell(item, coll, acts) {
    if (acts && item.refs === 0) item.kids = [];
    put(coll, item);
  }

  const isPlain = (kid) => !kid.ref && kid.refs === 0 && !kid.dark;

  /** One row for plain cells; what can be acted on in them gets rows below. */
  function shapeRow(item, coll) {
    const cells = [];
    const below = [];
    for (const kid of item.kids) {
      if (!kid.el || !CELLS.has(kid.role)) {
        if (isPlain(kid)) cells.push({ head: null, kids: [kid] }); else below.push(kid);
        continue;
      }
      if (kid.ref) { cells.push({ head: null, kids: [] }); below.push(kid); continue; }
      const plain = kid.kids.filter(isPlain);
      for (const k of kid.kids) if (!isPlain(k)) below.push(k);
      cells.push({ head: kid.el, kids: plain });
    }
    while (cells.length && cells[cells.length - 1].kids.length === 0) cells.pop();
    const heads = item.kids.some((k) => k.role === 'columnheader');
    item.cells = cells;
    item.kids = below;
    // Rows of controls alone are layout, unless they head a table.
    if (!item.ref && cells.length === 0 && !heads && !item.begun) { spill(below, coll); return; }
    put(coll, item);
  }

  /** A see-through control goes when another of the same role and name can be seen: it's a copy, not the real one. */
  function dropCopies(items) {
    const seen = new Set();
    const key = (item) => `${item.role} ${lib.nameOf(item.as || item.el)}`;
    // Naming every control of a page would be slow: only those of a ghost's role can be its original.
    const roles = new Set();
    const ghosts = (list) => {
      for (const item of list) {
        if (item.ref && item.hidden) roles.add(item.role);
        ghosts(item.kids);
      }
    };
    const collect = (list) => {
      for (const item of list) {
        if (item.ref && !item.hidden && roles.has(item.role)) seen.add(key(item));
        collect(item.kids);
      }
    };
    const keep = (item) => !(item.hidden && item.ref && item.role !== 'file input' && seen.has(key(item)));
    const prune = (list) => {
      for (let i = list.length; i--;) {
        if (!keep(list[i])) list.splice(i, 1);
        else prune(list[i].kids);
      }
    };
    ghosts(items);
    collect(items);
    prune(items);
  }

  /** From the composed parents of a node to the children that lead to it. */
  function pathTo(node, top) {
    const path = new Map();
    for (let n = node; n !== top;) {
      const parent = lib.parentOf(n);
      if (!parent) return null;
      path.set(parent, n);
      n = parent;
    }
    return path;
  }

  /** What comes after a node in the page: shown elements, and controls among them. Text in closed parts isn't looked into. */
  function countRest(node, top) {
    const walker = Document.prototype.createTreeWalker.call(document, top, NodeFilter.SHOW_ELEMENT);
    const until = performance.now() + COUNT_TIME;
    let elements = 0;
    let controls = 0;
    let exact = true;
    walker.currentNode = node;
    let el = lib.typeOf(node) === 1 ? node : walker.nextNode();
    for (; el; el = walker.nextNode()) {
      const tag = lib.tagOf(el);
      if (SKIP.has(tag)) continue;
      elements++;
      const may = CONTROL_TAGS.has(tag) ? tag !== 'a' || lib.hasAttr(el, 'href') : !lib.isBare(el) && (lib.hasAttr(el, 'role') ? lib.isWidget(el) : lib.hasAttr(el, 'onclick') || lib.hasAttr(el, 'tabindex') || lib.isEditable(el));
      if (may && lib.check(el, SHOWN)) controls++;
      if (elements % 1024 === 0 && performance.now() > until) { exact = false; break; }
    }
    return { elements, controls, exact };
  }
  const CONTROL_TAGS = words('a button input select textarea summary iframe canvas video audio');
  const SHOWN = { visibilityProperty: true };

  /**
   * Reads a subtree into items.
   * @param {Element|null} scope  null for the whole document
   * @param {{hidden?: boolean, interactive?: boolean, most?: number, from?: Node|null}} options  `hidden`: list what a person can't see
   *   as well; `most`: estimated tokens after which enough was read; `from`: read only from this node on, with the elements around it
   * @returns `stop` is the first node that wasn't read, null when all was; `late` says that it was a matter of time
   */
  lib.readTree = (scope, { hidden = false, interactive = false, most = Infinity, from = null } = {}) => {
    const top = scope || lib.body() || lib.documentElement();
    const path = from && from !== top && top ? pathTo(from, top) : null;
    const run = {
      hidden, interactive, most, cost: 0, whole: 0, steps: 0, elements: 0, until: performance.now() + WALK_TIME, stop: null, late: false,
      path, resuming: path ? from : null, level: 0, ghosts: 0, files: new Set(), labelled: new Map(), hosts: [], roots: [document], deep: [],
    };
    labelledIn(document, run.labelled);
    const coll = collector();
    if (top) {
      const parent = scope && lib.parentOf(top);
      const ctx = parent ? { ...PLAIN_CTX, transparent: !lib.isOpaque(parent) && lib.isRendered(parent), cursor: lib.styleOf(parent).cursor, geo: lib.geoOf(parent) } : PLAIN_CTX;
      readElement(top, ctx, coll, run);
      for (let i = 0; i < run.deep.length && !run.stop; i++) {
        const item = makeItem(run.deep[i].node, 'group');
        const inner = collector();
        item.named = false;
        readChildren(item.el, run.deep[i].ctx, inner, run);
        item.kids = inner.items;
        sum(item);
        if (item.kids.length) put(coll, item);
      }
      // An upload works through its input even when the page hides that with all that is around it.
      for (const root of run.stop ? [] : run.roots) {
        for (const el of lib.queryAll(root, 'input[type=file]')) {
          if (run.files.has(el) || (scope && !lib.contains(scope, el)) || (path && from.compareDocumentPosition(el) & Node.DOCUMENT_POSITION_PRECEDING)) continue;
          if (!lib.isRendered(el) || unseen(el, { transparent: !lib.isOpaque(el), invisible: false, geo: null })) addHidden(el, coll, run);
        }
      }
    }
    hosts = run.hosts;
    if (run.ghosts) dropCopies(coll.items);
    return {
      items: coll.items, closed: run.hosts.length, elements: run.elements, stop: run.stop, late: run.late, path,
      // The place that was to be read from is not there any more.
      lost: Boolean(from && from !== top && (!path || run.resuming)),
      rest: () => countRest(run.stop, top),
    };
  };

  /** Page functions: hands over elements that may host a closed root, each once. */
  lib.closedHosts = ({ max }) => {
    if (!hosts.length) lib.readTree(null);
    hosts = hosts.filter((el) => lib.isConnected(el) && !looked.has(el)).slice(0, max ?? 50);
    for (const el of hosts) looked.add(el);
    handed = hosts;
    hosts = [];
    return { count: handed.length };
  };
  let handed = [];
  lib.closedHost = (i) => handed[typeof i === 'number' ? i : i.index] ?? null;
})(globalThis.__truehand ??= {});
