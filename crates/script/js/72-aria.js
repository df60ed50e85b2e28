// Templates of accessibility trees: YAML as `ariaSnapshot()` writes it, with patterns, to what the page's matcher takes.
(function (kernel) {
  'use strict';

  const wrong = (message, line) => new Error(`Aria snapshot template: ${message}${line === undefined ? '' : ` (line ${line})`}`);

  /** The template without the indentation that all its lines share. */
  kernel.dedent = (text) => {
    const lines = text.replace(/\t/g, '  ').split('\n');
    while (lines.length && !lines[0].trim()) lines.shift();
    while (lines.length && !lines[lines.length - 1].trim()) lines.pop();
    const depth = Math.min(...lines.filter((line) => line.trim()).map((line) => /^ */.exec(line)[0].length));
    return lines.map((line) => line.slice(Number.isFinite(depth) ? depth : 0)).join('\n');
  };

  const PATTERN = /^\/((?:[^/\\]|\\.|\/(?!\s*(?:\[|$|:)))+)\/([a-z]*)/s;

  /** A text, or a pattern between slashes. */
  function wanted(text) {
    const found = /^\/((?:[^\\]|\\.)+)\/([a-z]*)$/s.exec(text);
    return found ? { re: [found[1], found[2]] } : { s: text };
  }

  /** A YAML scalar as the text that it stands for. */
  function scalar(text, line) {
    const trimmed = text.trim();
    if (trimmed[0] === '"') {
      try {
        return JSON.parse(trimmed);
      } catch {
        throw wrong(`the quoted text ${trimmed} is not closed as it should be`, line);
      }
    }
    if (trimmed[0] === "'") {
      if (trimmed.length < 2 || trimmed[trimmed.length - 1] !== "'") throw wrong(`the quoted text ${trimmed} is not closed`, line);
      return trimmed.slice(1, -1).replace(/''/g, "'");
    }
    return trimmed.replace(/\s+#.*$/, '');
  }

  /** Where the key of an item ends: at a colon that is followed by a blank or nothing, outside of quotes and patterns. */
  function splitItem(item, line) {
    if (item[0] === "'" || item[0] === '"') {
      const quoted = item[0] === "'" ? /^'(?:[^']|'')*'/.exec(item) : /^"(?:[^"\\]|\\.)*"/.exec(item);
      if (!quoted) throw wrong(`the quoted text ${item} is not closed`, line);
      const rest = item.slice(quoted[0].length).trim();
      if (rest === '') return { key: scalar(quoted[0], line), value: null, whole: true };
      if (rest[0] !== ':') throw wrong(`unexpected ${rest} behind a quoted text`, line);
      return { key: scalar(quoted[0], line), value: rest.slice(1).trim() || null, open: rest.slice(1).trim() === '' };
    }
    let i = 0;
    while (i < item.length) {
      const rest = item.slice(i);
      const skip = rest[0] === '"' ? /^"(?:[^"\\]|\\.)*"/.exec(rest) : rest[0] === '/' && /\s/.test(item[i - 1] ?? '') ? PATTERN.exec(rest) : null;
      if (skip) {
        i += skip[0].length;
        continue;
      }
      if (item[i] === ':' && (i + 1 === item.length || /\s/.test(item[i + 1]))) {
        const value = item.slice(i + 1).trim();
        return { key: item.slice(0, i).trim(), value: value || null, open: value === '' };
      }
      i += 1;
    }
    return { key: item.trim(), value: null, whole: true };
  }

  const STATES = new Set(['checked', 'disabled', 'expanded', 'pressed', 'selected', 'active', 'invalid']);

  /** `heading "Title" [level=1]`. */
  function parseKey(key, line) {
    const role = /^[a-z][\w-]*/i.exec(key);
    if (!role) throw wrong(`expected a role, got "${key}"`, line);
    const node = { role: role[0] };
    let rest = key.slice(role[0].length).trim();
    if (rest[0] === '"') {
      const name = /^"(?:[^"\\]|\\.)*"/.exec(rest);
      if (!name) throw wrong(`the name in ${key} is not closed`, line);
      node.name = { s: JSON.parse(name[0]) };
      rest = rest.slice(name[0].length).trim();
    } else if (rest[0] === '/') {
      const name = /^\/((?:[^/\\]|\\.)+)\/([a-z]*)/.exec(rest) ?? PATTERN.exec(rest);
      if (!name) throw wrong(`the pattern in ${key} is not closed`, line);
      node.name = { re: [name[1], name[2]] };
      rest = rest.slice(name[0].length).trim();
    }
    while (rest) {
      const attr = /^\[\s*([\w-]+)\s*(?:=\s*([^\]]*?)\s*)?\]\s*/.exec(rest);
      if (!attr) throw wrong(`unexpected "${rest}" in ${key}`, line);
      rest = rest.slice(attr[0].length);
      const [, name, value] = attr;
      if (name === 'level') {
        node.level = Number(value);
        if (!Number.isInteger(node.level)) throw wrong('Value of "level" attribute must be a number', line);
      } else if (STATES.has(name)) {
        if (name === 'active' || name === 'invalid') continue;
        if (value !== undefined && !['true', 'false', 'mixed'].includes(value)) throw wrong(`Value of "${name}" attribute must be a boolean or "mixed"`, line);
        node[name] = value === 'mixed' ? 'mixed' : value !== 'false';
      } else if (name !== 'ref' && name !== 'cursor') {
        throw wrong(`Unsupported attribute [${name}]`, line);
      }
    }
    return node;
  }

  /** One item of a list: a node, a text, or a property of the node that the list belongs to. */
  function parseItem(item, line, parent) {
    const { key, value, open } = splitItem(item, line);
    if (key.startsWith('/')) {
      const name = key.slice(1);
      const given = scalar(value ?? '', line);
      if (name === 'children') {
        if (!['contain', 'equal', 'deep-equal'].includes(given)) throw wrong('Strict value should be "contain", "equal" or "deep-equal"', line);
        parent.mode = given;
      } else {
        parent.props ??= {};
        parent.props[name] = wanted(given);
      }
      return null;
    }
    if (key === 'text' && value !== null) return { text: wanted(scalar(value, line)) };
    if (key === 'text' && !open) return { text: null, role: 'text' };
    const node = { ...parseKey(key, line), children: [] };
    if (value !== null) node.children.push({ text: wanted(scalar(value, line)) });
    return node;
  }

  /** A template as the page's matcher takes it: a fragment with what must be found in it. */
  kernel.parseAria = (template) => {
    const root = { role: 'fragment', children: [] };
    const stack = [{ depth: -1, node: root }];
    const lines = kernel.dedent(template).split('\n');
    for (let i = 0; i < lines.length; i += 1) {
      const text = lines[i];
      if (!text.trim() || /^\s*#/.test(text)) continue;
      const depth = /^ */.exec(text)[0].length;
      const item = /^- +(.*)$/.exec(text.trim());
      if (!item) throw wrong(`a line must start with "- ", got "${text.trim()}"`, i + 1);
      while (stack[stack.length - 1].depth >= depth) stack.pop();
      const parent = stack[stack.length - 1].node;
      if (!parent.children) throw wrong('a text has no children', i + 1);
      const node = parseItem(item[1], i + 1, parent);
      if (!node) continue;
      parent.children.push(node);
      stack.push({ depth, node });
    }
    if (!root.children.length && !root.mode) throw wrong('it is empty');
    return root;
  };
})
