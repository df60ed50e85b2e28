// The accessibility tree of an element as YAML for tests, and whether a template of that kind fits it.
(function (lib) {
  'use strict';
  if (lib.ready) return;

  const allocOf = (args) => ({ frame: args.frame ?? 0, next: args.next ?? 0 });
  const fold = lib.foldSpace;
  const TOO_DEEP = 900;

  // ---- the tree --------------------------------------------------------------------------------------------------

  /** A node, or null for what has no role: then its children are its parent's. */
  function nodeOf(el) {
    const tag = lib.tagOf(el);
    if (tag === 'iframe') return { role: 'iframe', name: '', children: [], props: {} };
    const role = lib.scriptRole(el);
    if (!role || role === 'presentation' || role === 'none' || role === 'generic' || role === 'document') return null;
    const node = { role, name: fold(lib.scriptName(el)), children: [], props: {} };
    const checked = lib.scriptChecked(el);
    if (checked !== undefined && role !== 'option' && role !== 'treeitem') node.checked = checked;
    if (lib.scriptDisabled(el)) node.disabled = true;
    const expanded = lib.scriptExpanded(el);
    if (expanded !== undefined) node.expanded = expanded;
    const level = lib.scriptLevel(el);
    if (level !== undefined) node.level = level;
    const pressed = lib.scriptPressed(el);
    if (pressed !== undefined) node.pressed = pressed;
    const selected = lib.scriptSelected(el);
    if (selected !== undefined) node.selected = selected;
    if ((tag === 'input' && !/^(checkbox|radio|file)$/.test(el.type)) || tag === 'textarea') {
      // What a password field holds is for nobody's eyes, and its length neither.
      const value = lib.isSecret(el) ? (el.value ? '••••' : '') : el.value;
      if (!/^(button|submit|reset|image)$/.test(el.type)) node.children = [value];
    }
    return node;
  }

  const drawn = (el, which) => {
    const { content } = getComputedStyle(el, which);
    const found = /^"((?:[^"\\]|\\.)*)"$/s.exec(content);
    return found ? found[1].replace(/\\(.)/gs, '$1') : '';
  };

  function grow(into, node, seen, depth) {
    const type = lib.typeOf(node);
    if (type === 3) {
      if (into.role !== 'textbox' && node.data) into.children.push(node.data);
      return;
    }
    if (type !== 1 || seen.has(node) || depth > TOO_DEEP) return;
    seen.add(node);
    if (lib.hiddenForAria(node)) {
      // What a hidden box shows again by `visibility` is still there.
      if (lib.check(node, undefined) && lib.attr(node, 'aria-hidden') !== 'true') for (const child of lib.childrenOf(node)) if (lib.typeOf(child) === 1) grow(into, child, seen, depth + 1);
      return;
    }
    const own = nodeOf(node);
    if (own) into.children.push(own);
    const to = own ?? into;
    const tag = lib.tagOf(node);
    const apart = lib.styleOf(node).display !== 'inline' || tag === 'br' ? ' ' : '';
    if (apart) to.children.push(apart);
    to.children.push(drawn(node, '::before'));
    if (tag !== 'iframe' && tag !== 'textarea') {
      const owned = lib.hasAttr(node, 'aria-owns') ? lib.elementsByIds(node, lib.attr(node, 'aria-owns')) : [];
      for (const child of lib.childrenOf(node)) if (!owned.includes(child)) grow(to, child, seen, depth + 1);
      for (const child of owned) grow(to, child, seen, depth + 1);
    }
    to.children.push(drawn(node, '::after'));
    if (apart) to.children.push(apart);
    if (own) {
      if (own.role === 'link' && lib.hasAttr(node, 'href')) own.props.url = lib.attr(node, 'href');
      const hint = own.role === 'textbox' ? lib.attr(node, 'placeholder') : null;
      if (hint && hint !== own.name) own.props.placeholder = hint;
    }
  }

  /** Runs of text become one each, with folded blanks. */
  function tidy(node) {
    const out = [];
    let run = '';
    const flush = () => {
      const text = fold(run);
      if (text) out.push(text);
      run = '';
    };
    for (const child of node.children) {
      if (typeof child === 'string') run += child;
      else {
        flush();
        tidy(child);
        out.push(child);
      }
    }
    flush();
    node.children = out.length === 1 && out[0] === node.name ? [] : out;
  }

  const treeOf = (el) => {
    const root = { role: 'fragment', name: '', children: [], props: {} };
    grow(root, el, new Set(), 0);
    tidy(root);
    return root;
  };

  // ---- YAML ------------------------------------------------------------------------------------------------------

  const WORDS = new Set(['y', 'n', 'yes', 'no', 'true', 'false', 'on', 'off', 'null']);
  const mustQuote = (text) =>
    text.length === 0 || /^\s|\s$/.test(text) || /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/.test(text) || /^-/.test(text) || /[\n:](\s|$)/.test(text)
    || /\s#/.test(text) || /[\n\r]/.test(text) || /^[&*\],?!>|@"'#%]/.test(text) || /[{}`]/.test(text) || /^\[/.test(text)
    || !Number.isNaN(Number(text)) || WORDS.has(text.toLowerCase());
  const yamlKey = (text) => (mustQuote(text) ? `'${text.replace(/'/g, "''")}'` : text);
  const yamlText = (text) => (mustQuote(text) ? JSON.stringify(text) : text);

  function keyOf(node) {
    let key = node.role;
    if (node.name && node.name.length <= 900) key += ` ${JSON.stringify(node.name)}`;
    const flag = (name) => {
      if (node[name] === 'mixed') key += ` [${name}=mixed]`;
      else if (node[name] === true) key += ` [${name}]`;
    };
    flag('checked');
    flag('disabled');
    flag('expanded');
    if (node.level) key += ` [level=${node.level}]`;
    flag('pressed');
    flag('selected');
    return key;
  }

  function write(node, indent, lines) {
    if (typeof node === 'string') {
      lines.push(`${indent}- text: ${yamlText(node)}`);
      return;
    }
    const key = `${indent}- ${yamlKey(keyOf(node))}`;
    const props = Object.entries(node.props);
    const [only] = node.children;
    if (node.children.length === 0 && props.length === 0) lines.push(key);
    else if (node.children.length === 1 && typeof only === 'string' && props.length === 0) lines.push(`${key}: ${yamlText(only)}`);
    else {
      lines.push(`${key}:`);
      for (const [name, value] of props) lines.push(`${indent}  - /${name}: ${yamlText(value)}`);
      for (const child of node.children) write(child, `${indent}  `, lines);
    }
  }

  const yamlOf = (root) => {
    const lines = [];
    for (const child of root.children) write(child, '', lines);
    return lines.join('\n');
  };

  // ---- templates -------------------------------------------------------------------------------------------------

  /** Whether a text is the wanted one: `{ s }` or `{ re }`; nothing wanted fits all. */
  function says(text, want) {
    if (!want) return true;
    if (want.re) return text !== undefined && text !== null && new RegExp(want.re[0], want.re[1].replace(/[gy]/g, '')).test(text);
    return (text ?? '') === fold(want.s) || text === want.s;
  }

  const STATES = ['checked', 'disabled', 'expanded', 'level', 'pressed', 'selected'];

  function fitsNode(node, want, deep) {
    if (want.text !== undefined) return typeof node === 'string' && says(node, want.text);
    if (typeof node === 'string') return false;
    if (want.role !== 'fragment' && want.role !== node.role) return false;
    for (const state of STATES) if (want[state] !== undefined && want[state] !== (node[state] ?? (state === 'level' ? undefined : false))) return false;
    if (want.name && !says(node.name, want.name)) return false;
    for (const [name, value] of Object.entries(want.props ?? {})) if (!says(node.props[name], value)) return false;
    const children = want.children ?? [];
    if (want.mode === 'equal') return sameList(node.children, children, false);
    if (want.mode === 'deep-equal' || (deep && want.mode !== 'contain')) return sameList(node.children, children, true);
    return holdsList(node.children, children);
  }

  const sameList = (nodes, wants, deep) => nodes.length === wants.length && wants.every((want, i) => fitsNode(nodes[i], want, deep));

  function holdsList(nodes, wants) {
    let at = 0;
    for (const want of wants) {
      while (at < nodes.length && !fitsNode(nodes[at], want, false)) at++;
      if (at++ >= nodes.length) return false;
    }
    return true;
  }

  const anywhere = (node, want) => fitsNode(node, want, false) || (typeof node !== 'string' && node.children.some((child) => anywhere(child, want)));

  /** One look of the matcher: whether a template fits somewhere below the element, and what is there. */
  lib.matchAria = (el, template) => {
    const root = treeOf(el);
    return { pass: anywhere(root, template), received: yamlOf(root) };
  };

  /** The YAML of one element that a selector finds. */
  lib.scriptAria = (args) => {
    const alloc = allocOf(args);
    return lib.scriptPoll(args, alloc, () => {
      const list = lib.scriptFind(args, alloc);
      if (list.length > 1 && args.strict !== false) return lib.tooMany(list, args);
      if (list.length === 0) return { status: 'none', again: true };
      return { status: 'ok', value: yamlOf(treeOf(list[0])) };
    });
  };
})(globalThis.__truehand ??= {});
