// Selectors of scripts: a list of parts, each narrowing what the one before found. Text, roles, labels, filters.
(function (lib) {
  'use strict';
  if (lib.ready) return;

  // ---- text ------------------------------------------------------------------------------------------------------

  /** White space as one blank each, none at the ends, soft hyphens and zero-width blanks left out. */
  lib.foldSpace = (text) => String(text).replace(/[\u200b\u00ad]/g, '').trim().replace(/\s+/g, ' ');
  const fold = lib.foldSpace;

  const NO_TEXT = new Set(['script', 'noscript', 'style']);
  const getData = Object.getOwnPropertyDescriptor(CharacterData.prototype, 'data').get;
  const inHead = (el) => {
    const { head } = document;
    return head !== null && head.contains(el);
  };

  const EMPTY = { full: '', normalized: '', immediate: [] };
  /** What an element reads as: its whole text as written, the same with folded blanks, and its own runs of text. */
  lib.elementText = (node) => {
    const texts = (lib.cache().texts ??= new Map());
    const known = texts.get(node);
    if (known) return known;
    let out = { full: '', normalized: '', immediate: [] };
    const type = lib.typeOf(node);
    const tag = type === 1 ? lib.tagOf(node) : '';
    if (type === 1 && (NO_TEXT.has(tag) || inHead(node))) {
      out = EMPTY;
    } else if (tag === 'input' && /^(submit|button|reset)$/.test(node.type)) {
      out = { full: node.value, normalized: fold(node.value), immediate: [node.value] };
    } else {
      const pieces = [];
      let run = '';
      for (let c = lib.firstChild(node); c; c = lib.nextSibling(c)) {
        const kind = lib.typeOf(c);
        if (kind === 3 || kind === 4) { const data = getData.call(c); pieces.push(data); run += data; continue; }
        if (kind === 8) continue;
        if (run) out.immediate.push(run);
        run = '';
        if (kind === 1) pieces.push(lib.elementText(c).full);
      }
      if (run) out.immediate.push(run);
      const root = type === 1 ? lib.shadowOf(node) : null;
      if (root) pieces.push(lib.elementText(root).full);
      out.full = pieces.join('');
      out.normalized = out.full ? fold(out.full) : '';
    }
    texts.set(node, out);
    return out;
  };

  lib.hasFolded = (text, wanted) => text.normalized.toLowerCase().includes(fold(wanted).toLowerCase());
  const regex = (re) => new RegExp(re[0], re[1].replace(/[gy]/g, ''));

  /** `{ s, exact?, nodes? }` or `{ re: [source, flags] }` as a test of an element's text. `nodes`: one run of text must be equal. */
  lib.textMatcher = (match) => {
    if (match.re) {
      const re = regex(match.re);
      return (text) => re.test(text.full);
    }
    const want = fold(match.s);
    if (!match.exact) return (text) => text.normalized.toLowerCase().includes(want.toLowerCase());
    if (!match.nodes) return (text) => text.normalized === want;
    return (text) => (want === '' && text.immediate.length === 0) || text.immediate.some((run) => fold(run) === want);
  };

  /** The same for a plain string: names, attributes. Attributes are not folded. */
  const stringMatcher = (match, folded) => {
    if (match.re) {
      const re = regex(match.re);
      return (text) => text !== null && re.test(text);
    }
    const want = folded ? fold(match.s) : match.s;
    const of = (text) => (folded ? fold(text) : text);
    switch (match.op) {
      case '^=': return (text) => text !== null && cased(of(text), match).startsWith(cased(want, match));
      case '$=': return (text) => text !== null && cased(of(text), match).endsWith(cased(want, match));
      case '*=': return (text) => text !== null && cased(of(text), match).includes(cased(want, match));
      case '=': return (text) => text !== null && cased(of(text), match) === cased(want, match);
      default:
    }
    if (match.exact) return (text) => text !== null && of(text) === want;
    return (text) => text !== null && of(text).toLowerCase().includes(want.toLowerCase());
  };
  const cased = (text, match) => (match.fold ? text.toLowerCase() : text);

  /** `self`: the text is this element's and of none of its children; `both`: a child has it too. */
  lib.textHit = (el, matches) => {
    if (NO_TEXT.has(lib.tagOf(el)) || inHead(el)) return 'none';
    if (!matches(lib.elementText(el))) return 'none';
    for (let c = lib.firstChild(el); c; c = lib.nextSibling(c)) if (lib.typeOf(c) === 1 && matches(lib.elementText(c))) return 'both';
    const root = lib.shadowOf(el);
    return root && matches(lib.elementText(root)) ? 'both' : 'self';
  };

  // ---- roles -----------------------------------------------------------------------------------------------------

  const NO_ROLE = new Set(['iframe', 'canvas', 'video', 'audio', 'embed', 'object']);
  const TEXT_ROLES = { strong: 'strong', b: null, em: 'emphasis', code: 'code', del: 'deletion', s: 'deletion', ins: 'insertion', sub: 'subscript', sup: 'superscript', time: 'time', mark: 'mark', html: 'document', svg: 'img', figcaption: null, legend: null, label: null };
  const UNNAMED = new Set('caption code definition deletion emphasis generic insertion mark paragraph presentation strong subscript superscript term time'.split(' '));

  /** ARIA role as testing tools know it: without our own words for frames and pictures, with those of inline text. */
  lib.scriptRole = (el) => {
    const tag = lib.tagOf(el);
    const role = lib.roleOf(el);
    if (role === 'file input') return 'button';
    if (lib.hasAttr(el, 'role')) {
      const [first] = lib.attr(el, 'role').trim().toLowerCase().split(/\s+/);
      if (role !== null && !(NO_ROLE.has(role) && NO_ROLE.has(tag))) return role;
      if (first === 'generic') return 'generic';
      if (first === 'region' || first === 'form') return first;
      if (first === 'none' || first === 'presentation') return null;
    }
    if (tag === 'summary') return null;
    if (role !== null) return NO_ROLE.has(role) ? null : role;
    if (lib.hasAttr(el, 'role')) return null;
    if (tag === 'img') return lib.attr(el, 'alt') === '' ? 'presentation' : 'img';
    return Object.hasOwn(TEXT_ROLES, tag) ? TEXT_ROLES[tag] : null;
  };

  lib.scriptName = (el) => {
    const role = lib.scriptRole(el);
    if (role === null || UNNAMED.has(role)) return '';
    // A link without words gets its address as a name in our readings; here it has none.
    if (role === 'link' && !lib.givenName(el) && !lib.hasAttr(el, 'title') && !lib.flatText(el, false)) return '';
    if (lib.tagOf(el) === 'input' && el.type === 'file') return lib.givenName(el) || lib.clean(lib.attr(el, 'title')) || 'Choose File';
    const name = lib.nameOf(el);
    // Readings clip long names; tests compare all of it.
    if (name.length >= 299 && !lib.givenName(el)) return lib.clean(lib.flatText(el, false));
    return name;
  };

  const byIds = (el, ids) => {
    const root = lib.rootOf(el);
    const out = [];
    for (const id of (ids ?? '').split(/\s+/)) {
      const found = id && lib.query(root, `#${CSS.escape(id)}`);
      if (found) out.push(found);
    }
    return out;
  };
  lib.elementsByIds = byIds;

  lib.scriptDescription = (el) => {
    if (lib.hasAttr(el, 'aria-describedby')) return lib.clean(byIds(el, lib.attr(el, 'aria-describedby')).map((d) => lib.flatText(d, !lib.isRendered(d))).join(' '));
    const own = lib.attr(el, 'aria-description');
    if (own !== null) return lib.clean(own);
    const title = lib.clean(lib.attr(el, 'title'));
    return title && title !== lib.nameOf(el) ? title : '';
  };

  lib.scriptErrorMessage = (el) => {
    const invalid = (lib.attr(el, 'aria-invalid') ?? '').trim().toLowerCase();
    if ((!invalid || invalid === 'false') && !(el.validity && el.validity.valid === false)) return '';
    return lib.clean(byIds(el, lib.attr(el, 'aria-errormessage')).map((d) => lib.flatText(d, !lib.isRendered(d))).join(' '));
  };

  /** Whether assistive technology is not told of an element. */
  lib.hiddenForAria = (el) => {
    const hidden = (lib.cache().unheard ??= new Map());
    const known = hidden.get(el);
    if (known !== undefined) return known;
    let out = NO_TEXT.has(lib.tagOf(el)) || lib.tagOf(el) === 'template' || lib.attr(el, 'aria-hidden') === 'true';
    if (!out) {
      const option = lib.tagOf(el) === 'option' || lib.tagOf(el) === 'optgroup' ? lib.closest(el, 'select') : null;
      if (option) out = lib.hiddenForAria(option);
      else if (lib.styleOf(el).display === 'contents') out = lib.styleOf(el).visibility !== 'visible' && lib.tagOf(el) !== 'slot';
      else out = !lib.isRendered(el);
    }
    const parent = lib.parentOf(el);
    if (!out && parent) out = quietlyHidden(parent);
    hidden.set(el, out);
    return out;
  };
  /** Hidden with all that is in it; `visibility` can be undone by a child. */
  const quietlyHidden = (el) => {
    for (let n = el; n; n = lib.parentOf(n)) if (lib.attr(n, 'aria-hidden') === 'true') return true;
    return false;
  };

  const CHECKABLE = new Set('checkbox menuitemcheckbox option radio switch menuitemradio treeitem'.split(' '));
  const DISABLEABLE = new Set('application button composite gridcell group input link menuitem scrollbar separator tab checkbox columnheader combobox grid listbox menu menubar menuitemcheckbox menuitemradio option radio radiogroup row rowheader searchbox select slider spinbutton switch tablist textbox toolbar tree treegrid treeitem'.split(' '));
  const EXPANDABLE = new Set('application button checkbox combobox gridcell link listbox menuitem row rowheader tab treeitem columnheader menuitemcheckbox menuitemradio switch'.split(' '));
  const SELECTABLE = new Set('gridcell option row tab rowheader columnheader treeitem'.split(' '));

  lib.scriptChecked = (el) => {
    const tag = lib.tagOf(el);
    if (tag === 'input' && (el.type === 'checkbox' || el.type === 'radio')) return el.type === 'checkbox' && el.indeterminate ? 'mixed' : el.checked;
    if (!CHECKABLE.has(lib.scriptRole(el))) return undefined;
    const value = lib.attr(el, 'aria-checked');
    return value === 'true' ? true : value === 'mixed' ? 'mixed' : false;
  };
  lib.scriptDisabled = (el) => {
    if (/^(button|input|select|textarea|option|optgroup)$/.test(lib.tagOf(el)) && lib.matches(el, ':disabled')) return true;
    for (let n = el; n; n = lib.parentOf(n)) {
      const value = (lib.attr(n, 'aria-disabled') ?? '').toLowerCase();
      if ((n !== el || DISABLEABLE.has(lib.scriptRole(n) ?? '')) && value === 'true') return true;
      if (value === 'false') return false;
      if (n === el && !DISABLEABLE.has(lib.scriptRole(n) ?? '')) return false;
    }
    return false;
  };
  lib.scriptExpanded = (el) => {
    if (lib.tagOf(el) === 'details') return el.open;
    if (!EXPANDABLE.has(lib.scriptRole(el) ?? '')) return undefined;
    const value = lib.attr(el, 'aria-expanded');
    return value === null ? undefined : value === 'true';
  };
  lib.scriptPressed = (el) => {
    if (lib.scriptRole(el) !== 'button') return undefined;
    const value = lib.attr(el, 'aria-pressed');
    return value === 'true' ? true : value === 'mixed' ? 'mixed' : false;
  };
  lib.scriptSelected = (el) => {
    if (lib.tagOf(el) === 'option') return el.selected;
    return SELECTABLE.has(lib.scriptRole(el) ?? '') ? lib.attr(el, 'aria-selected') === 'true' : undefined;
  };
  lib.scriptLevel = (el) => {
    const role = lib.scriptRole(el);
    if (role !== 'heading' && role !== 'listitem' && role !== 'row' && role !== 'treeitem') return undefined;
    const given = Number(lib.attr(el, 'aria-level'));
    if (given >= 1) return given;
    const tag = /^h([1-6])$/.exec(lib.tagOf(el));
    return tag ? Number(tag[1]) : role === 'heading' ? undefined : undefined;
  };

  function byRole(scope, part) {
    const name = part.name ? stringMatcher(part.name, true) : null;
    const description = part.description ? stringMatcher(part.description, true) : null;
    const out = [];
    const wanted = part.role === 'image' ? 'img' : part.role;
    for (const place of lib.scopesIn(scope)) {
      for (const el of lib.queryAll(place, '*')) {
        if (lib.scriptRole(el) !== wanted) continue;
        if (part.selected !== undefined && (lib.scriptSelected(el) ?? false) !== part.selected) continue;
        if (part.checked !== undefined && (lib.scriptChecked(el) ?? false) !== part.checked) continue;
        if (part.pressed !== undefined && (lib.scriptPressed(el) ?? false) !== part.pressed) continue;
        if (part.expanded !== undefined && lib.scriptExpanded(el) !== part.expanded) continue;
        if (part.level !== undefined && lib.scriptLevel(el) !== part.level) continue;
        if (part.disabled !== undefined && lib.scriptDisabled(el) !== part.disabled) continue;
        if (!part.hidden && lib.hiddenForAria(el)) continue;
        if (name && !name(lib.scriptName(el))) continue;
        if (description && !description(lib.scriptDescription(el))) continue;
        out.push(el);
      }
    }
    return out;
  }

  // ---- the other engines -----------------------------------------------------------------------------------------

  const everything = (scope) => lib.scopesIn(scope).flatMap((place) => [...lib.queryAll(place, '*')]);
  const ordered = (scope, list) => (lib.scopesIn(scope).length > 1 ? lib.inOrder(list) : list);

  function byText(scope, match) {
    const matches = lib.textMatcher(match);
    const out = [];
    const add = (el) => {
      const hit = lib.textHit(el, matches);
      if (hit === 'self' || (hit === 'both' && match.nodes)) out.push(el);
    };
    if (lib.typeOf(scope) === 1) add(scope);
    // Where the whole has no such text none of its parts has: one look saves the walk.
    if (!match.nodes && !match.re && lib.typeOf(scope) === 9 && !lib.textMatcher({ s: match.s })(lib.elementText(lib.body() ?? scope)) && lib.roots().length === 1) return out;
    for (const el of everything(scope)) add(el);
    return ordered(scope, out);
  }

  const LABELABLE = /^(button|input|meter|output|progress|select|textarea)$/;
  const asText = (text) => ({ full: text, normalized: fold(text), immediate: [text] });
  lib.labelTexts = (el) => {
    const by = lib.attr(el, 'aria-labelledby');
    if (by !== null) {
      const found = byIds(el, by);
      if (found.length) return found.map(lib.elementText);
    }
    const own = lib.attr(el, 'aria-label');
    if (own !== null && own.trim()) return [asText(own)];
    const tag = lib.tagOf(el);
    if (tag.includes('-') || (LABELABLE.test(tag) && !(tag === 'input' && el.type === 'hidden'))) return lib.labelsOf(el).map(lib.elementText);
    return [];
  };

  function byLabel(scope, match) {
    const matches = lib.textMatcher(match);
    return ordered(scope, everything(scope).filter((el) => lib.labelTexts(el).some(matches)));
  }

  function byAttribute(scope, [name, match]) {
    const matches = stringMatcher(match, false);
    const css = `[${CSS.escape(name)}]`;
    return ordered(scope, lib.scopesIn(scope).flatMap((place) => [...lib.queryAll(place, css)]).filter((el) => matches(lib.attr(el, name))));
  }

  function byXpath(scope, path) {
    const own = path.startsWith('/') && lib.typeOf(scope) !== 9 ? `.${path}` : path;
    const out = [];
    let found;
    try {
      found = document.evaluate(own, scope, null, XPathResult.ORDERED_NODE_ITERATOR_TYPE);
    } catch (error) {
      throw new lib.BadSelector(`"${lib.clean(path, 200)}" is not a valid xpath: ${lib.clean(error.message, 200)}`);
    }
    for (let n = found.iterateNext(); n; n = found.iterateNext()) if (lib.typeOf(n) === 1) out.push(n);
    return out;
  }

  class RefProblem extends Error {
    constructor(problem) {
      super(problem.status);
      this.problem = problem;
    }
  }
  lib.RefProblem = RefProblem;

  function byRef(number, ctx) {
    const { el, problem } = lib.resolveRef(number, ctx.alloc);
    if (problem) throw new RefProblem(problem);
    return [el];
  }

  const ENGINES = {
    css: (scope, part) => (part.light ? [...lib.queryAll(scope, part.css)] : lib.scriptCss(scope, part.css)),
    text: (scope, part) => byText(scope, part.text),
    xpath: (scope, part) => byXpath(scope, part.xpath),
    role: (scope, part) => byRole(scope, part),
    label: (scope, part) => byLabel(scope, part.label),
    attr: (scope, part) => byAttribute(scope, part.attr),
    ref: (_scope, part, ctx) => byRef(part.ref, ctx),
    chain: (scope, part, ctx) => query(scope, part.chain, ctx),
  };

  const FILTERS = {
    hasText: (el, part) => lib.textMatcher(part.hasText)(lib.elementText(el)),
    hasNotText: (el, part) => !lib.textMatcher(part.hasNotText)(lib.elementText(el)),
    has: (el, part, ctx) => query(el, part.has, ctx).length > 0,
    hasNot: (el, part, ctx) => query(el, part.hasNot, ctx).length === 0,
    visible: (el, part) => lib.scriptVisible(el) === part.visible,
  };

  const kindOf = (part, table) => Object.keys(part).find((key) => Object.hasOwn(table, key));

  /** All elements that a list of parts finds below a node. */
  function query(scope, parts, ctx) {
    let found = [scope];
    for (const part of parts) {
      // The scope found it wrong already.
      if (part.bad) throw new lib.BadSelector(part.bad);
      if (part.nth !== undefined) {
        const one = found[part.nth < 0 ? found.length + part.nth : part.nth];
        found = one ? [one] : [];
        continue;
      }
      if (part.and) {
        const both = new Set(query(scope, part.and, ctx));
        found = found.filter((el) => both.has(el));
        continue;
      }
      if (part.or) {
        found = lib.inOrder([...new Set([...found, ...query(scope, part.or, ctx)])]);
        continue;
      }
      const filter = kindOf(part, FILTERS);
      if (filter) {
        found = found.filter((el) => lib.typeOf(el) === 1 && FILTERS[filter](el, part, ctx));
        continue;
      }
      const engine = kindOf(part, ENGINES);
      if (!engine) throw new lib.BadSelector(`Unknown engine in selector: ${lib.clean(JSON.stringify(part), 100)}`);
      const next = new Set();
      for (const place of found) for (const el of ENGINES[engine](place, part, ctx)) next.add(el);
      found = [...next];
    }
    return found;
  }

  /** Where a call looks: with `root` the first of the given elements, else the document. @param {any} args */
  lib.scriptScope = (args) => (args.root ? args.elements[0] : document);

  /** All elements that a call's selector finds; without parts the given element itself. @param {any} args @param {any} alloc */
  lib.scriptFind = (args, alloc) => {
    const scope = lib.scriptScope(args);
    if (!args.parts || args.parts.length === 0) return lib.typeOf(scope) === 1 ? [scope] : [lib.documentElement()];
    return query(scope, args.parts, { alloc });
  };
  /** The same for one list of parts below a node, for suggestions. */
  lib.scriptQuery = (scope, parts) => query(scope, parts, { alloc: { frame: 0, next: 0 } });
})(globalThis.__truehand ??= {});
