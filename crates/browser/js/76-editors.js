// Editors: the text that they hold, read from what they draw.
((lib) => {
  'use strict';
  if (lib.ready) return;

  // ---------------------------------------------------------------- editors that keep their text in elements

  const BLOCK = /^(block|flex|grid|list-item|table|table-row|flow-root)$/;

  /**
   * The text of an editor as its author means it: a line for a block or a break, nothing for widgets, placeholders and
   * the zero-width characters that editors keep for the caret.
   * @param {Element} host
   */
  const documentText = (host) => {
    const lines = [''];
    // A break ends its line; one at the end of a block is only there to give an empty line its height.
    let pendingBreak = false;
    const add = (/** @type {string} */ text) => {
      if (pendingBreak) lines.push('');
      pendingBreak = false;
      lines[lines.length - 1] += text;
    };
    let started = false;
    const walk = (/** @type {Node} */ node, /** @type {boolean} */ pre) => {
      for (const child of lib.childrenOf(node)) {
        const type = lib.typeOf(child);
        if (type === 3) {
          const raw = /** @type {Text} */ (child).data.replace(/[\u200b\ufeff]/g, '');
          const text = pre ? raw : raw.replace(/[ \t\r\n]+/g, ' ');
          if (text === '' || (!pre && text === ' ' && lines[lines.length - 1] === '')) continue;
          const parts = pre ? text.split('\n') : [text];
          parts.forEach((part, i) => {
            if (i > 0) {
              if (pendingBreak) lines.push('');
              pendingBreak = true;
            }
            if (part !== '') add(part);
          });
          started = true;
        } else if (type === 1) {
          if (lib.attr(child, 'contenteditable') === 'false' || lib.hasAttr(child, 'data-slate-placeholder')) continue;
          const tag = lib.tagOf(child);
          if (tag === 'br') {
            if (pendingBreak) lines.push('');
            pendingBreak = true;
            started = true;
            continue;
          }
          const style = getComputedStyle(/** @type {Element} */ (child));
          if (style.display === 'none') continue;
          const block = BLOCK.test(style.display);
          if (block && started) {
            lines.push('');
            pendingBreak = false;
          }
          const before = lines.length;
          if (block) started = true;
          walk(child, style.whiteSpace.startsWith('pre') || style.whiteSpace === 'break-spaces');
          if (block && lib.nextSibling(child) && lib.typeOf(lib.nextSibling(child)) === 3 && /\S/.test(lib.nextSibling(child).data) && lines.length >= before) {
            lines.push('');
            pendingBreak = false;
          }
        }
      }
    };
    const own = getComputedStyle(host).whiteSpace;
    walk(host, own.startsWith('pre') || own === 'break-spaces');
    return lines.map((line) => line.replace(/\u00a0/g, ' ')).join('\n').replace(/\n$/, '');
  };

  // ---------------------------------------------------------------- editors that draw line by line

  // What the widespread code editors call a line. They draw only those in view, and one of them takes its keys in a
  // text field that nobody sees.
  const LINES = '.cm-line,.CodeMirror-line,.view-line,.ace_line';

  /** The editor around a text field that only catches keys, or null. @param {Element} el */
  lib.stageOf = (el) => {
    if (lib.tagOf(el) !== 'textarea') return null;
    let up = lib.parentOf(el);
    for (let i = 0; up && up !== lib.body() && i < 6; i++, up = lib.parentOf(up)) if (lib.queryAll(up, LINES).length) return up;
    return null;
  };

  /** @param {Element} el the field */
  const linesOf = (el) => {
    const stage = lib.stageOf(el) ?? el;
    return [...lib.queryAll(stage, LINES)].filter((line) => line.getClientRects().length > 0);
  };

  /** @param {Element} line */
  const lineText = (line) => {
    let text = '';
    const walk = (/** @type {Node} */ node) => {
      for (const child of lib.childrenOf(node)) {
        if (lib.typeOf(child) === 3) text += /** @type {Text} */ (child).data;
        else if (lib.typeOf(child) === 1 && lib.attr(child, 'contenteditable') !== 'false') walk(child);
      }
    };
    walk(line);
    return text.replace(/[\u200b\ufeff]/g, '').replace(/\u00a0/g, ' ').replace(/\n$/, '');
  };

  /** The element that scrolls the lines, or null. @param {Element} line @param {Element} el */
  const scrollerOf = (line, el) => {
    const end = lib.parentOf(lib.stageOf(el) ?? el);
    for (let up = lib.parentOf(line); up && up !== lib.body(); up = lib.parentOf(up)) {
      if (up.scrollHeight > up.clientHeight + 1 && /auto|scroll|overlay/.test(getComputedStyle(up).overflowY)) return up;
      if (up === end) break;
    }
    return null;
  };

  /** Lines by the place that they have in the whole text. @param {Element[]} lines @param {Element | null} scroller @param {Map<number, {bottom: number, text: string}>} into */
  const gather = (lines, scroller, into) => {
    const origin = scroller ? scroller.getBoundingClientRect().top - scroller.scrollTop : 0;
    for (const line of lines) {
      const box = line.getBoundingClientRect();
      into.set(Math.round(box.top - origin), { bottom: box.bottom - origin, text: lineText(line) });
    }
  };

  const SLACK = 3;

  /** The text of placed lines, and whether lines are missing between them. @param {Map<number, {bottom: number, text: string}>} places */
  const joined = (places) => {
    const tops = [...places.keys()].sort((a, b) => a - b);
    const gap = tops.some((top, i) => i > 0 && top - /** @type {any} */ (places.get(tops[i - 1])).bottom > SLACK);
    return { value: tops.map((top) => places.get(top)?.text).join('\n'), gap };
  };

  /** The text that an editor shows. @param {any} el */
  lib.editorText = (el) => {
    const lines = linesOf(el);
    if (!lines.length) return documentText(el);
    const places = new Map();
    gather(lines, scrollerOf(lines[0], el), places);
    return joined(places).value;
  };

  /** Whether an editor holds more than it draws. @param {any} el */
  lib.isPartlyDrawn = (el) => {
    if (!lib.takesText(el) || lib.matches(el, 'input')) return false;
    const lines = linesOf(el);
    if (!lines.length) return false;
    const scroller = scrollerOf(lines[0], el);
    const first = lines[0].getBoundingClientRect();
    const places = new Map();
    gather(lines, scroller, places);
    const { value, gap } = joined(places);
    if (gap || value === '') return gap;
    if (!scroller) return first.top - lib.parentOf(lines[0]).getBoundingClientRect().top > 1.5 * first.height;
    const drawn = [...places.entries()].reduce((sum, [top, place]) => sum + place.bottom - top, 0);
    // Room for two lines and the editor's padding is left without any being undrawn.
    return scroller.scrollHeight > drawn + 2 * Math.max(first.height, 12);
  };

  /** Most screens that an editor is scrolled through for its text. */
  const SCREENS = 80;

  /** All of the text, by scrolling through it; `partial` when the editor does not let itself be scrolled. @param {any} el */
  lib.wholeText = async (el) => {
    const first = linesOf(el);
    const scroller = first.length ? scrollerOf(first[0], el) : null;
    if (!scroller) return { value: lib.editorText(el), partial: true };
    const before = scroller.scrollTop;
    const places = new Map();
    const step = Math.max(20, scroller.clientHeight * 0.8);
    let ended = false;
    for (let i = 0; i < SCREENS && !ended; i++) {
      scroller.scrollTop = i * step;
      await lib.nextFrame();
      await lib.nextFrame();
      gather(linesOf(el), scroller, places);
      ended = scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 1;
    }
    scroller.scrollTop = before;
    await lib.nextFrame();
    const { value, gap } = joined(places);
    return { value, partial: gap || !ended };
  };
})(globalThis.__truehand ??= {});
