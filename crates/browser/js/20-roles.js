// Roles, accessible names, states and values, after the HTML mapping and the accessible name computation.
(function (lib) {
  'use strict';
  if (lib.ready) return;

  const words = (text) => new Set(text.split(' '));

  const ROLES = words('alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox complementary contentinfo definition dialog directory document feed figure form generic grid gridcell group heading img image link list listbox listitem log main marquee math menu menubar menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar radio radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem');
  const WIDGETS = words('button checkbox combobox link listbox menuitem menuitemcheckbox menuitemradio option radio scrollbar searchbox slider spinbutton switch tab textbox treeitem');
  const FROM_CONTENT = words('button cell checkbox columnheader gridcell heading link menuitem menuitemcheckbox menuitemradio option radio row rowheader switch tab tooltip treeitem');
  const CHECKABLE = words('checkbox radio switch menuitemcheckbox menuitemradio');
  const TEXTBOXES = words('textbox searchbox combobox spinbutton');
  const BUTTON_TYPES = words('button submit reset image');

  const BY_TAG = {
    article: 'article', aside: 'complementary', nav: 'navigation', main: 'main', search: 'search', address: 'group',
    button: 'button', summary: 'button', details: 'group', fieldset: 'group', optgroup: 'group', hgroup: 'group',
    dialog: 'dialog', h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading', h5: 'heading', h6: 'heading',
    ul: 'list', ol: 'list', menu: 'list', li: 'listitem', dt: 'term', dd: 'definition', dfn: 'term', p: 'paragraph',
    table: 'table', thead: 'rowgroup', tbody: 'rowgroup', tfoot: 'rowgroup', tr: 'row', td: 'cell', caption: 'caption',
    textarea: 'textbox', option: 'option', datalist: 'listbox', progress: 'progressbar', meter: 'meter', output: 'status',
    hr: 'separator', figure: 'figure', blockquote: 'blockquote', math: 'math', canvas: 'canvas', iframe: 'iframe',
    frame: 'iframe', video: 'video', audio: 'audio', embed: 'embed', object: 'object',
  };
  const PLAIN_TAGS = words('div span b i em strong small label code u s sub sup abbr time br body html center font path g rect circle legend figcaption picture source slot mark kbd samp var cite q ins del bdi bdo data ruby rt rp wbr');
  const INPUTS = {
    button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox', radio: 'radio',
    range: 'slider', number: 'spinbutton', search: 'searchbox', file: 'file input', hidden: null,
  };
  const SECTIONING = 'article, aside, main, nav, section, [role=article], [role=complementary], [role=main], [role=navigation], [role=region]';

  const hasLabel = (el) => lib.hasAttr(el, 'aria-label') || lib.hasAttr(el, 'aria-labelledby') || lib.hasAttr(el, 'title');
  const typeOf = (el) => (lib.attr(el, 'type') || 'text').toLowerCase();

  /** The role that the tag gives, null for none. */
  function nativeRole(el, tag) {
    switch (tag) {
      case 'a': case 'area':
        return lib.hasAttr(el, 'href') ? 'link' : lib.hasAttr(el, 'xlink:href') ? 'link' : null;
      case 'input': {
        const type = el.type;
        const role = Object.hasOwn(INPUTS, type) ? INPUTS[type] : 'textbox';
        return role === 'textbox' && lib.hasAttr(el, 'list') ? 'combobox' : role;
      }
      case 'select': return el.multiple || el.size > 1 ? 'listbox' : 'combobox';
      case 'img': return lib.attr(el, 'alt') === '' && !hasLabel(el) ? null : 'img';
      case 'svg': return lib.attr(el, 'aria-label') || lib.attr(el, 'aria-labelledby') || svgTitle(el) ? 'img' : null;
      case 'header': return lib.closest(lib.parentOf(el) || el, SECTIONING) ? null : 'banner';
      case 'footer': return lib.closest(lib.parentOf(el) || el, SECTIONING) ? null : 'contentinfo';
      case 'section': return hasLabel(el) ? 'region' : null;
      case 'form': return hasLabel(el) ? 'form' : null;
      case 'th': return headerRole(el);
      case 'td': case 'tr': case 'thead': case 'tbody': case 'tfoot': case 'caption': {
        const table = lib.closest(el, 'table');
        const role = table && lib.attr(table, 'role');
        if (role === 'presentation' || role === 'none') return null;
        return tag === 'td' && (role === 'grid' || role === 'treegrid') ? 'gridcell' : BY_TAG[tag];
      }
      case 'li': return lib.matches(el, ':is(ul,ol,menu)[role]:not([role=list]) > li') ? null : 'listitem';
      default: return Object.hasOwn(BY_TAG, tag) ? BY_TAG[tag] : null;
    }
  }

  function headerRole(el) {
    const scope = (lib.attr(el, 'scope') || '').toLowerCase();
    if (scope === 'row' || scope === 'rowgroup') return 'rowheader';
    if (scope) return 'columnheader';
    const row = lib.parentOf(el);
    return row && lib.closest(row, 'thead') === null && lib.matches(el, 'th:first-child:has(~ td)') ? 'rowheader' : 'columnheader';
  }

  const svgTitle = (el) => {
    for (let c = lib.firstChild(el); c; c = lib.nextSibling(c)) {
      if (lib.typeOf(c) === 1 && lib.tagOf(c) === 'title') return lib.clean(lib.textContent(c));
    }
    return '';
  };

  /** ARIA role, or one of our own (`file input`, `iframe`, `canvas`, `video`, `audio`); null for plain wrappers. */
  lib.roleOf = (el) => {
    const tag = lib.tagOf(el);
    // The commonest elements have no role and often no attribute: not worth remembering.
    if (PLAIN_TAGS.has(tag) && !lib.hasAttr(el, 'role')) return null;
    const { roles } = lib.cache();
    const known = roles.get(el);
    if (known !== undefined) return known;
    let role;
    const given = lib.attr(el, 'role');
    if (given) {
      for (const token of given.toLowerCase().split(/\s+/)) if (ROLES.has(token)) { role = token; break; }
      if (role === 'image') role = 'img';
      // A presentational role on something that takes the focus is ignored, as browsers do.
      if ((role === 'none' || role === 'presentation') && lib.hasAttr(el, 'tabindex')) role = undefined;
      else if (role === 'none' || role === 'presentation') role = WIDGETS.has(nativeRole(el, tag)) ? undefined : null;
      else if (role === 'generic') role = null;
      else if ((role === 'region' || role === 'form') && !hasLabel(el)) role = null;
    }
    if (role === undefined) role = nativeRole(el, tag);
    roles.set(el, role);
    return role;
  };

  /** Whether scripts or the user agent let people act on the element. */
  const ACTIVE_ROLES = words('button link checkbox radio switch textbox searchbox combobox listbox spinbutton slider option tab menuitem menuitemcheckbox menuitemradio treeitem iframe canvas video audio embed object');
  ACTIVE_ROLES.add('file input');
  lib.isWidgetRole = (role) => role !== null && ACTIVE_ROLES.has(role);
  lib.isWidget = (el) => lib.isWidgetRole(lib.roleOf(el));

  /** An element without a role that looks or says that it can be clicked. */
  lib.isClickable = (el) => {
    if (lib.hasAttr(el, 'onclick') || lib.hasAttr(el, 'onmousedown') || lib.hasAttr(el, 'onpointerdown')) return true;
    const index = lib.attr(el, 'tabindex');
    if (index !== null && Number(index) >= 0) return true;
    if (lib.styleOf(el).cursor !== 'pointer') return false;
    const parent = lib.parentOf(el);
    return !parent || lib.styleOf(parent).cursor !== 'pointer';
  };

  lib.isEditable = (el) => {
    const own = lib.attr(el, 'contenteditable');
    return own !== null && own.toLowerCase() !== 'false';
  };

  lib.isActionable = (el) => lib.isWidget(el) || lib.isEditable(el) || lib.attr(el, 'draggable') === 'true' || (lib.tagOf(el) !== 'body' && lib.tagOf(el) !== 'html' && lib.isClickable(el));

  // ---- names ----------------------------------------------------------------------------------------------------

  /** Control to its labels, for one root: reading `el.labels` of each control would walk the page each time. */
  function labelsIn(root) {
    const { labels } = lib.cache();
    let map = labels.get(root);
    if (!map) {
      labels.set(root, map = new Map());
      for (const label of lib.queryAll(root, 'label')) {
        const control = label.control;
        if (!control) continue;
        const list = map.get(control);
        if (list) list.push(label); else map.set(control, [label]);
      }
    }
    return map;
  }
  lib.labelsOf = (el) => labelsIn(rootNode(el)).get(el) || [];

  const rootNode = (el) => {
    const root = lib.rootOf(el);
    return lib.typeOf(root) === 9 || lib.typeOf(root) === 11 ? root : document;
  };

  const LIMIT = 600;
  const SKIP = words('script style template noscript head link meta title');

  /** Text of a subtree as a name: blocks apart, images by their alternative, embedded controls by their value. */
  function gather(node, state) {
    for (const child of lib.childrenOf(node)) {
      if (state.out.length > LIMIT) return;
      const type = lib.typeOf(child);
      if (type === 3) { state.out += child.data; continue; }
      if (type !== 1 || child === state.skip) continue;
      const tag = lib.tagOf(child);
      if (SKIP.has(tag) || (state.flat && lib.attr(child, 'role') === 'group')) continue;
      if (tag === 'br') { state.out += ' '; continue; }
      if (!state.hidden) {
        if (lib.attr(child, 'aria-hidden') === 'true' || !lib.isDisplayed(child)) continue;
        // A hidden box may hold a shown one, so only its own text is left out.
        if (!lib.isRendered(child)) {
          for (const c of lib.childrenOf(child)) if (lib.typeOf(c) === 1 && lib.isRendered(c)) gatherOne(c, lib.tagOf(c), state);
          continue;
        }
      }
      gatherOne(child, tag, state);
    }
  }

  function gatherOne(el, tag, state) {
    const inline = lib.styleOf(el).display.startsWith('inline') && lib.styleOf(el).display === 'inline';
    const label = lib.clean(lib.attr(el, 'aria-label'));
    const alternative = label || embedded(el, tag, state);
    if (!inline) state.out += ' ';
    if (alternative !== null) state.out += inline && !label && tag !== 'img' ? alternative : ` ${alternative} `;
    else gather(el, state);
    if (!inline) state.out += ' ';
  }

  /** What an element inside a name stands for when it isn't its text; null for "read on inside". */
  function embedded(el, tag, state) {
    switch (tag) {
      case 'img': return lib.clean(lib.attr(el, 'alt') ?? lib.attr(el, 'title'));
      case 'svg': return svgTitle(el);
      case 'select': return [...el.selectedOptions].map((o) => o.text).join(' ');
      case 'textarea': return el.value;
      case 'input':
        switch (el.type) {
          case 'hidden': case 'checkbox': case 'radio': case 'password': case 'file': return '';
          case 'image': return lib.clean(lib.attr(el, 'alt'));
          default: return el.value;
        }
      case 'iframe': case 'video': case 'audio': case 'canvas': case 'object': case 'embed': return '';
      default: {
        const role = lib.attr(el, 'role');
        if (role === 'listbox' || role === 'slider' || role === 'menu') return '';
        return role === 'textbox' && state.skip ? '' : null;
      }
    }
  }

  /** Flattened text of an element; `hidden` reads parts that aren't shown as well, `flat` leaves nested groups (of a tree) out. */
  lib.flatText = (el, hidden, flat) => {
    const state = { out: '', skip: null, hidden: Boolean(hidden), flat: Boolean(flat) };
    gather(el, state);
    return lib.clean(state.out);
  };

  const labelText = (label, control) => {
    const state = { out: '', skip: control, hidden: !lib.isRendered(label) };
    gather(label, state);
    return lib.clean(state.out);
  };

  function fromIds(el, ids) {
    const root = rootNode(el);
    const byId = root === document ? Document.prototype.getElementById : DocumentFragment.prototype.getElementById;
    const parts = [];
    for (const id of ids.split(/\s+/)) {
      const target = id && byId.call(root, id);
      if (!target) continue;
      const tag = lib.tagOf(target);
      const own = lib.clean(lib.attr(target, 'aria-label')) || (target === el ? '' : embedded(target, tag, { skip: null }) ?? '');
      const text = own || lib.flatText(target, !lib.isRendered(target));
      if (text) parts.push(text);
    }
    return parts.join(' ');
  }

  function childText(el, tag) {
    for (let c = lib.firstChild(el); c; c = lib.nextSibling(c)) {
      if (lib.typeOf(c) === 1 && lib.tagOf(c) === tag) return lib.flatText(c, !lib.isRendered(c));
    }
    return '';
  }

  /** The name that HTML itself gives: labels, alternatives, captions, button values. */
  function nativeName(el, tag) {
    switch (tag) {
      case 'input': {
        const type = el.type;
        if (BUTTON_TYPES.has(type)) {
          const own = type === 'image' ? lib.attr(el, 'alt') : el.value;
          return labelled(el) || lib.clean(own) || lib.clean(lib.attr(el, 'title')) || (type === 'submit' || type === 'image' ? 'Submit' : type === 'reset' ? 'Reset' : '');
        }
        return labelled(el);
      }
      case 'textarea': case 'select': case 'meter': case 'progress': case 'output': case 'button': return labelled(el);
      case 'img': case 'area': return lib.clean(lib.attr(el, 'alt'));
      case 'svg': return svgTitle(el);
      case 'fieldset': return childText(el, 'legend');
      case 'table': return childText(el, 'caption');
      case 'figure': return childText(el, 'figcaption');
      case 'details': return '';
      case 'optgroup': case 'option': return lib.clean(lib.attr(el, 'label'));
      case 'canvas': return lib.clean(lib.textContent(el), 200);
      default: {
        // Form-associated custom elements have labels too.
        return tag.includes('-') ? labelled(el) : '';
      }
    }
  }

  const labelled = (el) => lib.labelsOf(el).map((l) => lib.clean(lib.attr(l, 'aria-label')) || labelText(l, el)).filter(Boolean).join(' ');

  /** Name that doesn't come from the content; '' when only the content can name the element. */
  lib.givenName = (el) => {
    const ids = lib.attr(el, 'aria-labelledby');
    return (ids && lib.clean(fromIds(el, ids), 300)) || lib.clean(lib.attr(el, 'aria-label'), 300) || lib.clean(nativeName(el, lib.tagOf(el)), 300);
  };

  lib.namedFromContent = (role) => role === null || FROM_CONTENT.has(role);

  /** Accessible name; for elements without a role, their text when they can be clicked. */
  lib.nameOf = (el) => {
    const { names } = lib.cache();
    const known = names.get(el);
    if (known !== undefined) return known;
    const role = lib.roleOf(el);
    let name = lib.givenName(el);
    if (!name && lib.namedFromContent(role)) name = lib.clean(lib.flatText(el, false, role === 'treeitem'), 300);
    if (!name) name = lib.clean(lib.attr(el, 'title'), 300);
    if (!name && (role === null || TEXTBOXES.has(role) || role === 'file input')) name = lib.clean(lib.attr(el, 'placeholder') ?? lib.attr(el, 'aria-placeholder'), 300);
    // A link or button that shows nothing but an unnamed picture still leads somewhere.
    if (!name && role === 'link') name = lib.clean((lib.attr(el, 'href') || '').replace(/^[a-z]+:\/\/|[?#].*$/gi, '').split('/').filter(Boolean).pop(), 60);
    names.set(el, name);
    return name;
  };

  // ---- states and values -----------------------------------------------------------------------------------------

  const isTrue = (el, name) => lib.attr(el, name) === 'true';

  lib.isDisabled = (el) => lib.matches(el, ':disabled') || isTrue(el, 'aria-disabled');

  lib.levelOf = (el) => Number(lib.attr(el, 'aria-level')) || Number((/^h([1-6])$/.exec(lib.tagOf(el)) || [])[1]) || 2;

  lib.statesOf = (el) => {
    const out = [];
    const role = lib.roleOf(el);
    const tag = lib.tagOf(el);
    const input = tag === 'input';
    if (CHECKABLE.has(role)) {
      const native = input && (el.type === 'checkbox' || el.type === 'radio');
      const aria = lib.attr(el, 'aria-checked');
      if (native ? el.indeterminate : aria === 'mixed') out.push('checked=mixed');
      else if (native ? el.checked : aria === 'true') out.push('checked');
    }
    if (lib.isDisabled(el)) out.push('disabled');
    if (isTrue(el, 'aria-expanded') || (tag === 'summary' && lib.parentOf(el)?.open === true)) out.push('expanded');
    if (role === 'heading') out.push(`level=${lib.levelOf(el)}`);
    const pressed = lib.attr(el, 'aria-pressed');
    if (pressed === 'true') out.push('pressed');
    else if (pressed === 'mixed') out.push('pressed=mixed');
    if (tag === 'option' ? el.selected : isTrue(el, 'aria-selected')) out.push('selected');
    const current = lib.attr(el, 'aria-current');
    if (current && current !== 'false') out.push('current');
    if (input || tag === 'textarea' || tag === 'select') {
      if (el.required || isTrue(el, 'aria-required')) out.push('required');
      if ((tag !== 'select' && el.readOnly && lib.matches(el, ':read-only')) || isTrue(el, 'aria-readonly')) out.push('readonly');
      if (isTrue(el, 'aria-invalid') || lib.matches(el, ':user-invalid')) out.push('invalid');
    } else {
      if (isTrue(el, 'aria-required')) out.push('required');
      if (isTrue(el, 'aria-readonly')) out.push('readonly');
      if (isTrue(el, 'aria-invalid')) out.push('invalid');
    }
    if (input && /^(date|time|month|week|datetime-local|color|email|tel|url)$/.test(el.type)) out.push(`type=${el.type}`);
    return out;
  };

  lib.isSecret = (el) => lib.tagOf(el) === 'input' && (el.type === 'password' || /(^|\s)(current-password|new-password|one-time-code|cc-csc)(\s|$)/.test(lib.attr(el, 'autocomplete') || ''));

  /** What a field holds, for reading: secrets as dots with no length, '' for nothing. */
  lib.valueOf = (el) => {
    const tag = lib.tagOf(el);
    if (tag === 'input') {
      if (BUTTON_TYPES.has(el.type) || el.type === 'checkbox' || el.type === 'radio' || el.type === 'hidden') return '';
      if (el.type === 'file') return [...(el.files || [])].map((f) => f.name).join(', ');
      return el.value === '' ? '' : lib.isSecret(el) ? '••••' : el.value;
    }
    if (tag === 'textarea') return el.value;
    if (tag === 'select') return [...el.selectedOptions].map((o) => o.label || o.text).join(', ');
    const role = lib.roleOf(el);
    if (tag === 'progress' || tag === 'meter') return lib.hasAttr(el, 'value') ? String(el.value) + (el.max !== 1 && el.max !== 100 ? `/${el.max}` : '') : '';
    if (role === 'slider' || role === 'spinbutton' || role === 'progressbar' || role === 'meter' || role === 'scrollbar') return lib.attr(el, 'aria-valuetext') || lib.attr(el, 'aria-valuenow') || '';
    if (lib.isEditable(el)) return lib.flatText(el, false);
    if (role === 'combobox' || role === 'textbox' || role === 'searchbox') return lib.flatText(el, false);
    return '';
  };

  /** `button "Save"`, `div#cookies "We use cookies"`: under 80 characters. */
  lib.describe = (el) => {
    const role = lib.roleOf(el);
    const name = lib.nameOf(el);
    if (role && (name || lib.isWidget(el))) return lib.clean(name ? `${role} "${lib.clean(name, 80 - role.length - 5)}"` : `${role} (no name)`, 79);
    const id = lib.attr(el, 'id');
    const kind = lib.attr(el, 'class');
    const tag = lib.tagOf(el) + (id ? `#${lib.clean(id, 24)}` : kind ? `.${lib.clean(kind.trim().split(/\s+/)[0], 24)}` : '');
    const text = name || lib.clean(lib.flatText(el, false), 300);
    return lib.clean(text ? `${tag} "${lib.clean(text, 40)}"` : tag, 79);
  };
})(globalThis.__truehand ??= {});
