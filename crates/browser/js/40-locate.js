// Targets to elements: strict, what a person can see first, with candidates when it is not clear.
(function (lib) {
  'use strict';
  if (lib.ready) return;

  const MAX = 12;
  const fold = (text) => lib.clean(text).toLowerCase();
  const squeeze = (text) => text.replace(/\s+/g, '').toLowerCase();

  const WIDGET_TAGS = 'a, area, button, input, select, textarea, summary, label, option, iframe, canvas, video, audio, [role], [tabindex], [onclick], [contenteditable], [draggable=true]';
  const TAGS_OF = {
    button: 'button, input, summary', link: 'a, area', textbox: 'input, textarea', searchbox: 'input', combobox: 'select, input',
    listbox: 'select, datalist', checkbox: 'input', radio: 'input', slider: 'input', spinbutton: 'input', 'file input': 'input',
    heading: 'h1, h2, h3, h4, h5, h6', img: 'img, svg', option: 'option', list: 'ul, ol, menu', listitem: 'li', dialog: 'dialog',
    table: 'table', row: 'tr', cell: 'td', gridcell: 'td', columnheader: 'th', rowheader: 'th', rowgroup: 'thead, tbody, tfoot',
    navigation: 'nav', main: 'main', banner: 'header', contentinfo: 'footer', complementary: 'aside', region: 'section', form: 'form',
    article: 'article', group: 'fieldset, details, optgroup, address', paragraph: 'p', separator: 'hr', progressbar: 'progress',
    meter: 'meter', status: 'output', figure: 'figure', iframe: 'iframe', canvas: 'canvas', video: 'video', audio: 'audio',
    blockquote: 'blockquote', term: 'dt, dfn', definition: 'dd', caption: 'caption', search: 'search',
  };
  const ALSO = { textbox: ['searchbox'], combobox: ['listbox'], cell: ['gridcell'], gridcell: ['cell'], image: ['img'], checkbox: ['switch'] };

  /** Equal names win over those that only contain the text. */
  function byText(list, textOf, wanted, exact) {
    if (wanted == null || wanted === '') return list;
    const want = fold(wanted);
    const equal = [];
    const within = [];
    for (const el of list) {
      const text = textOf(el);
      if (exact ? lib.clean(text) === lib.clean(wanted) : fold(text) === want) equal.push(el);
      else if (!exact && fold(text).includes(want)) within.push(el);
    }
    return equal.length ? equal : within;
  }

  /** Those that a person can see, else all. */
  function seenFirst(list) {
    if (list.length < 2) return list;
    const seen = list.filter(lib.isSeen);
    return seen.length ? seen : list;
  }

  const byRole = (role) => {
    const wanted = role === 'image' ? 'img' : role;
    const roles = new Set([wanted, ...(ALSO[wanted] || [])]);
    if (wanted === 'clickable') return lib.deepQuery('*').filter((el) => lib.roleOf(el) === null && lib.isActionable(el) && lib.isRendered(el));
    const tags = [...roles].map((r) => TAGS_OF[r]).filter(Boolean).join(', ');
    const found = lib.deepQuery(tags ? `[role], ${tags}` : '[role]').filter((el) => roles.has(lib.roleOf(el)));
    const strict = found.filter((el) => lib.roleOf(el) === wanted);
    return { found, strict };
  };

  function findRole(target) {
    const got = byRole(target.role);
    if (Array.isArray(got)) return narrow(got, target);
    const strict = narrow(got.strict, target);
    return strict.length ? strict : narrow(got.found, target);
  }

  /** Name and sight together: a visible partial match beats an invisible equal one. */
  function narrow(list, target) {
    const matching = target.name == null || target.name === '' ? list : list.filter((el) => (target.exact ? lib.clean(lib.nameOf(el)) === lib.clean(target.name) : fold(lib.nameOf(el)).includes(fold(target.name))));
    return byText(seenFirst(matching), lib.nameOf, target.name, target.exact);
  }

  const CONTROLS = 'input, textarea, select, [contenteditable], [role=textbox], [role=searchbox], [role=combobox], [role=listbox], [role=checkbox], [role=radio], [role=switch], [role=slider], [role=spinbutton], meter, progress';

  function findLabel(target) {
    const controls = lib.deepQuery(CONTROLS).filter((el) => lib.roleOf(el) !== null || lib.isEditable(el));
    const names = (el) => {
      const given = lib.givenName(el);
      return given || lib.nameOf(el);
    };
    const matching = controls.filter((el) => fold(names(el)).includes(fold(target.text)));
    return byText(seenFirst(matching), names, target.text, target.exact);
  }

  const TEST_IDS = ['data-testid', 'data-test-id', 'data-test', 'data-qa', 'data-cy'];

  function findTestId(target) {
    for (const name of TEST_IDS) {
      const list = lib.deepQuery(`[${name}="${CSS.escape(target.id)}"]`);
      if (list.length) return seenFirst(list);
    }
    return [];
  }

  // ---- by text ---------------------------------------------------------------------------------------------------

  const NO_TEXT = new Set(['script', 'style', 'template', 'noscript', 'head', 'title', 'meta', 'link', 'option', 'select', 'textarea']);

  /** Hosts of shadow roots and all that holds them: their `textContent` doesn't tell what is inside. */
  function shadowHolders() {
    const out = new Set();
    for (const root of lib.roots()) for (let n = root.host; n && !out.has(n); n = lib.parentOf(n)) out.add(n);
    return out;
  }

  /** Innermost elements whose text contains the wanted one. */
  function innermost(wanted) {
    const want = fold(wanted);
    const tight = squeeze(want);
    const holders = shadowHolders();
    const out = [];
    const look = (el) => {
      const tag = lib.tagOf(el);
      if (NO_TEXT.has(tag)) return false;
      const open = holders.has(el) || tag === 'slot';
      if (!open && !squeeze(lib.textContent(el)).includes(tight)) return false;
      if (!lib.isDisplayed(el)) return false;
      let inside = false;
      for (const child of lib.childrenOf(el)) if (lib.typeOf(child) === 1 && look(child)) inside = true;
      if (inside) return true;
      if (!lib.isRendered(el)) return false;
      if (!fold(lib.flatText(el, false)).includes(want) && !fold(lib.textContent(el)).includes(want)) return false;
      out.push(el);
      return true;
    };
    const body = lib.body() || lib.documentElement();
    if (body) look(body);
    return out;
  }

  /** The control or label that a click on a piece of text is meant for. */
  function clickTarget(el) {
    for (let n = el, i = 0; n && i < 8; n = lib.parentOf(n), i++) {
      const tag = lib.tagOf(n);
      if (tag === 'body' || tag === 'html') return null;
      if (tag === 'label' || lib.isWidget(n)) return n;
      if (lib.isClickable(n)) return n === el || lib.queryAll(n, 'a, button, input, select, textarea').length === 0 ? n : null;
    }
    return null;
  }

  function findText(target) {
    const text = target.text;
    const seen = new Map();
    const add = (el, own) => {
      const known = seen.get(el);
      const equal = target.exact ? own === lib.clean(text) : fold(own) === fold(text);
      if (!known) seen.set(el, { el, equal, act: lib.isActionable(el) || lib.tagOf(el) === 'label' });
      else known.equal ||= equal;
    };
    for (const el of innermost(text)) {
      const own = lib.flatText(el, false);
      const act = clickTarget(el);
      add(act || el, own);
    }
    for (const el of lib.deepQuery('input[type=button], input[type=submit], input[type=reset], input[type=image], [aria-label], img[alt]')) {
      const label = lib.clean(lib.attr(el, 'aria-label'));
      const name = label || lib.nameOf(el);
      if (name && fold(name).includes(fold(text)) && lib.isRendered(el)) {
        if (lib.isActionable(el)) add(el, name);
        else { const act = clickTarget(el); if (act) add(act, name); }
      }
    }
    let list = [...seen.values()];
    if (target.exact) list = list.filter((m) => m.equal);
    const visible = list.filter((m) => lib.isSeen(m.el));
    if (visible.length) list = visible;
    for (const keep of [(m) => m.equal, (m) => m.act]) {
      const kept = list.filter(keep);
      if (kept.length) list = kept;
    }
    // Of a label and the control inside it, or of two nested ones, the inner is the more precise.
    return list.map((m) => m.el).filter((el, _, all) => !all.some((other) => other !== el && lib.contains(el, other)));
  }

  // ---- candidates ------------------------------------------------------------------------------------------------

  const tokens = (text) => new Set(fold(text).split(/[^\p{L}\p{N}]+/u).filter(Boolean));

  /** Elements whose names come nearest to a text: shared words, then shared beginnings. */
  lib.closestNames = (text, role, alloc) => {
    const want = tokens(text || '');
    const scored = [];
    for (const el of lib.deepQuery(role === 'heading' ? `${WIDGET_TAGS}, h1, h2, h3, h4, h5, h6` : WIDGET_TAGS)) {
      if (scored.length > 4000) break;
      const own = lib.roleOf(el);
      if (!own || !lib.isRendered(el)) continue;
      if (!lib.isWidget(el) && own !== role) continue;
      const have = tokens(lib.nameOf(el));
      let score = own === role ? 1 : 0;
      for (const w of want) {
        if (have.has(w)) score += 3;
        else if (w.length > 2) for (const h of have) if (h.startsWith(w) || (h.length > 2 && w.startsWith(h))) { score += 2; break; }
      }
      if (score > 1 || (score > 0 && want.size === 0)) scored.push({ el, score });
    }
    scored.sort((a, b) => b.score - a.score);
    const best = scored.filter((s) => lib.isSeen(s.el)).slice(0, MAX);
    return best.map((s) => lib.entryOf(s.el, alloc));
  };

  const EXTRA = /^(.*?):(has-text|text|text-is)\((["']?)(.+)\3\)$/s;

  /** CSS; also the `:has-text("…")`, `:text("…")` and `:visible` endings that people know from elsewhere. */
  function findCss(css) {
    const own = css.trim();
    const visible = /^(.*[^\s>+~,]):visible$/s.exec(own);
    if (visible) return findCss(visible[1]).filter(lib.isSeen);
    const extra = EXTRA.exec(own);
    if (!extra) return seenFirst(lib.deepQuery(own));
    const want = fold(extra[4]);
    const fits = lib.deepQuery(extra[1].trim() || '*').filter((el) => {
      const text = fold(lib.flatText(el, false) || lib.nameOf(el));
      return extra[2] === 'text-is' ? text === want : text.includes(want);
    });
    return seenFirst(extra[1].trim() ? fits : fits.filter((el) => !fits.some((other) => other !== el && lib.contains(el, other))));
  }

  const FIND = {
    css: (t) => findCss(t.css),
    text: findText,
    role: findRole,
    label: findLabel,
    placeholder: (t) => byText(seenFirst(lib.deepQuery('[placeholder]').filter((el) => fold(lib.attr(el, 'placeholder')).includes(fold(t.text)))), (el) => lib.attr(el, 'placeholder'), t.text, t.exact),
    test_id: findTestId,
  };

  /** All elements that a target fits, after sight and equality had their say; throws on a bad selector. */
  lib.findAll = (target) => FIND[target.kind](target);

  const wordsOf = (t) => t.name ?? t.text ?? t.id ?? '';

  /** `{ el, healed? }`, or `{ problem }`. */
  lib.resolve = (target, alloc) => {
    if (target.kind === 'ref') return lib.resolveRef(target.number, alloc);
    if (!Object.hasOwn(FIND, target.kind)) return { problem: { status: 'bad_selector', message: `no such kind of target: ${lib.clean(target.kind, 40)}` } };
    let list;
    try {
      list = lib.findAll(target);
    } catch (error) {
      if (target.kind !== 'css') throw error;
      return { problem: { status: 'bad_selector', message: lib.clean(error.message, 200) } };
    }
    if (list.length === 1) return { el: list[0] };
    if (list.length === 0) return { problem: { status: 'none', candidates: lib.closestNames(wordsOf(target), target.role ?? null, alloc) } };
    return { problem: { status: 'ambiguous', total: list.length, candidates: list.slice(0, MAX).map((el) => lib.entryOf(el, alloc)) } };
  };

  /** Page function: one target to a reference, or with `all` to every match. */
  lib.locate = (args) => {
    const alloc = { frame: args.frame, next: args.next };
    if (args.all && args.target.kind !== 'ref') {
      let list;
      try {
        list = lib.findAll(args.target);
      } catch (error) {
        if (args.target.kind !== 'css') throw error;
        return { status: 'bad_selector', message: lib.clean(error.message, 200), next: alloc.next };
      }
      const matches = list.slice(0, 200).map((el) => lib.entryOf(el, alloc));
      return { status: 'ok', matches, total: list.length, next: alloc.next };
    }
    const got = lib.resolve(args.target, alloc);
    if (got.problem) return { ...got.problem, next: alloc.next };
    const entry = lib.entryOf(got.el, alloc);
    return { status: 'ok', ...entry, ...(got.healed ? { healed: true } : {}), next: alloc.next };
  };
})(globalThis.__truehand ??= {});
