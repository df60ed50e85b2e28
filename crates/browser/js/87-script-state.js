// What scripts ask of elements: how they look in a message, their states, reading them, and small acts by script.
(function (lib) {
  'use strict';
  if (lib.ready) return;

  const allocOf = (args) => ({ frame: args.frame ?? 0, next: args.next ?? 0 });
  const MOST_LISTED = 10;

  // ---- how an element is shown in a message ----------------------------------------------------------------------

  const EMPTY_TAGS = new Set('area base br col embed hr img input link menuitem meta param source track wbr'.split(' '));
  const FLAGS = new Set('checked selected disabled readonly multiple open hidden required autofocus'.split(' '));
  const oneLine = (text) => text.replace(/\n/g, '↵').replace(/\t/g, '⇆');
  const clip = (text, max) => (text.length <= max ? text : `${text.slice(0, max - 1)}…`);

  /** `<button id="go" disabled>Save</button>` on one line. */
  lib.preview = (node) => {
    const type = lib.typeOf(node);
    if (type === 3) return oneLine(`#text=${node.data}`);
    if (type !== 1) return oneLine(`<${String(node.nodeName).toLowerCase()} />`);
    const tag = lib.tagOf(node);
    const attrs = [];
    for (const { name, value } of node.attributes) {
      if (name === 'style') continue;
      // A secret is shown to nobody, a message least of all.
      const told = name === 'value' && lib.isSecret(node) ? '••••' : value;
      attrs.push(!value && FLAGS.has(name) ? ` ${name}` : ` ${name}="${told}"`);
    }
    attrs.sort((a, b) => a.length - b.length);
    const head = clip(attrs.join(''), 500);
    if (EMPTY_TAGS.has(tag)) return oneLine(`<${tag}${head}/>`);
    let text = '…';
    let count = 0;
    let plain = true;
    for (let c = lib.firstChild(node); c && count <= 5; c = lib.nextSibling(c), count++) plain &&= lib.typeOf(c) === 3;
    if (count === 0) text = '';
    else if (plain && count <= 5) text = clip(lib.textContent(node), 50);
    return oneLine(`<${tag}${head}>${text}</${tag}>`);
  };

  const quote = (text) => `'${text.replace(/\\/g, '\\\\').replace(/'/g, "\\'").replace(/\n/g, '\\n')}'`;

  /** A locator that finds just this element, as a person would write it. */
  lib.suggest = (el, testIdName = 'data-testid') => {
    const options = [];
    const testId = lib.attr(el, testIdName);
    if (testId) options.push([`getByTestId(${quote(testId)})`, [{ attr: [testIdName, { s: testId, exact: true }] }]]);
    const role = lib.scriptRole(el);
    const name = role && role !== 'presentation' && role !== 'generic' ? lib.scriptName(el) : '';
    if (name && name.length <= 80) {
      options.push([`getByRole(${quote(role)}, { name: ${quote(name)} })`, [{ role, name: { s: name } }]]);
      options.push([`getByRole(${quote(role)}, { name: ${quote(name)}, exact: true })`, [{ role, name: { s: name, exact: true } }]]);
    }
    const byAttribute = (attr, method) => {
      const value = lib.attr(el, attr);
      if (value) options.push([`${method}(${quote(value)})`, [{ attr: [attr, { s: value }] }]]);
    };
    byAttribute('placeholder', 'getByPlaceholder');
    const [label] = lib.labelTexts(el);
    if (label?.normalized) options.push([`getByLabel(${quote(label.normalized)})`, [{ label: { s: label.normalized } }]]);
    byAttribute('alt', 'getByAltText');
    const text = lib.elementText(el).normalized;
    if (text && text.length <= 80) {
      options.push([`getByText(${quote(text)})`, [{ text: { s: text } }]]);
      options.push([`getByText(${quote(text)}, { exact: true })`, [{ text: { s: text, exact: true } }]]);
    }
    byAttribute('title', 'getByTitle');
    const id = lib.attr(el, 'id');
    if (id) options.push([`locator(${quote(`#${CSS.escape(id)}`)})`, [{ css: `#${CSS.escape(id)}` }]]);
    if (role && role !== 'presentation' && !name) options.push([`getByRole(${quote(role)})`, [{ role }]]);
    let among = null;
    for (const [told, parts] of options) {
      const found = lib.scriptQuery(document, parts);
      if (found.length === 1 && found[0] === el) return told;
      const at = found.indexOf(el);
      if (at >= 0 && !among) among = `${told}${at === 0 ? '.first()' : `.nth(${at})`}`;
    }
    if (among) return among;
    const css = lib.selectorOf(el);
    const found = lib.scriptCss(document, css);
    const at = found.indexOf(el);
    return `locator(${quote(css)})${found.length > 1 && at >= 0 ? (at === 0 ? '.first()' : `.nth(${at})`) : ''}`;
  };

  /** The refusal of a selector that fits several, with what each of them is. */
  lib.tooMany = (list, args) => ({
    status: 'strict',
    count: list.length,
    list: list.slice(0, MOST_LISTED).map((el) => ({ preview: lib.preview(el), aka: lib.suggest(el, args.test_id) })),
  });

  // ---- states ----------------------------------------------------------------------------------------------------

  /** A box with an area, not hidden by style: what counts as visible for scripts. Transparent things do. */
  lib.scriptVisible = (el) => {
    if (lib.typeOf(el) !== 1) return false;
    const style = lib.styleOf(el);
    if (style.display === 'contents') {
      for (const child of lib.childrenOf(el)) {
        const type = lib.typeOf(child);
        if (type === 1 && lib.scriptVisible(child)) return true;
        if (type === 3) {
          const range = document.createRange();
          range.selectNode(child);
          const box = range.getBoundingClientRect();
          if (box.width > 0 && box.height > 0) return true;
        }
      }
      return false;
    }
    if (!lib.check(el, undefined) || style.visibility !== 'visible') return false;
    const box = lib.boxOf(el);
    return box.width > 0 && box.height > 0;
  };

  const isEditor = (el) => el instanceof HTMLElement && el.isContentEditable;

  /** The control that a state is asked of: around what was found, or what its label labels. */
  lib.retarget = (el, follow) => {
    let out = el;
    if (!lib.matches(out, 'input, textarea, select') && !isEditor(out)) out = lib.closest(out, 'button, [role=button], [role=checkbox], [role=radio]') ?? out;
    if (follow && !lib.matches(out, 'a, input, textarea, button, select, [role=link], [role=button], [role=checkbox], [role=radio]') && !isEditor(out)) {
      const label = lib.closest(out, 'label');
      if (label?.control) out = label.control;
    }
    return out;
  };

  const READONLY_ROLES = new Set('checkbox combobox grid gridcell listbox radiogroup slider spinbutton textbox columnheader rowheader searchbox switch treegrid'.split(' '));

  class Unfit extends Error {}
  lib.Unfit = Unfit;

  const readonly = (el) => {
    const tag = lib.tagOf(el);
    if (/^(input|textarea|select)$/.test(tag)) return lib.hasAttr(el, 'readonly');
    if (READONLY_ROLES.has(lib.scriptRole(el) ?? '')) return lib.attr(el, 'aria-readonly') === 'true';
    if (isEditor(el)) return false;
    throw new Unfit('Element is not an <input>, <textarea>, <select> or [contenteditable] and does not have a role allowing [aria-readonly]');
  };

  /** A state by its name: true or false. Throws `Unfit` where the question makes no sense. */
  lib.scriptState = (el, state) => {
    if (state === 'visible') return lib.scriptVisible(el);
    if (state === 'hidden') return !lib.scriptVisible(el);
    const target = lib.retarget(el, true);
    switch (state) {
      case 'enabled': return !lib.scriptDisabled(target);
      case 'disabled': return lib.scriptDisabled(target);
      case 'editable': return !readonly(target) && !lib.scriptDisabled(target);
      case 'checked': case 'unchecked': case 'indeterminate': {
        const checked = lib.scriptChecked(target);
        if (checked === undefined || lib.tagOf(target) === 'option') throw new Unfit('Not a checkbox or radio button');
        if (state === 'indeterminate') return checked === 'mixed';
        return state === 'checked' ? checked === true : checked === false;
      }
      default: throw new Unfit(`Unexpected element state "${lib.clean(state, 40)}"`);
    }
  };

  const sameBox = (a, b) => a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;

  /** Whether an element keeps its place for two frames. A page that draws no frames is not waited for. */
  const isStable = async (el) => {
    const frame = () => Promise.race([new Promise((done) => requestAnimationFrame(done)), new Promise((done) => setTimeout(done, 200))]);
    await frame();
    const before = el.getBoundingClientRect();
    await frame();
    return lib.isConnected(el) && sameBox(before, el.getBoundingClientRect());
  };

  /** Whether something may move an element just now: an animation on it or around it, or a script that restyled it. */
  const seemsToMove = (el) => {
    for (let n = el; n; n = lib.parentOf(n)) if (lib.restyledFor(n) < 120) return true;
    return document.getAnimations().some(({ playState, effect }) => playState === 'running' && effect?.target && lib.contains(effect.target, el));
  };

  // ---- waiting ---------------------------------------------------------------------------------------------------

  const STEPS = [20, 50, 100, 100, 100, 250];
  const rest = (ms) => new Promise((done) => setTimeout(done, ms));

  const troubled = (error) => {
    if (error instanceof lib.BadSelector) return { status: 'bad_selector', message: error.message };
    if (error instanceof lib.RefProblem) return { ...error.problem };
    if (error instanceof Unfit) return { status: 'unfit', message: error.message };
    throw error;
  };

  /**
   * Calls `look` until its answer has no `again`, or `wait_ms` of the arguments is over; the last answer counts.
   * @param {any} args @param {any} alloc @param {() => any} look
   */
  lib.scriptPoll = async (args, alloc, look) => {
    const deadline = performance.now() + (args.wait_ms ?? 0);
    for (let i = 0; ; i++) {
      lib.fresh();
      let answer;
      try {
        answer = await look();
      } catch (error) {
        answer = troubled(error);
      }
      const left = deadline - performance.now();
      if (!answer.again || left <= 0) {
        delete answer.again;
        return { ...answer, looks: i + 1, next: alloc.next };
      }
      await rest(Math.min(left, STEPS[Math.min(i, STEPS.length - 1)]));
    }
  };

  const one = (list, args) => {
    if (list.length > 1 && args.strict !== false) return { answer: lib.tooMany(list, args) };
    if (list.length === 0) return { answer: { status: 'none', again: true } };
    return { el: list[0] };
  };

  // ---- page functions --------------------------------------------------------------------------------------------

  /** One element that fits, with what an action needs of it: `needs` of visible, enabled, editable, stable, hit. */
  lib.scriptLocate = (args) => {
    const alloc = allocOf(args);
    return lib.scriptPoll(args, alloc, async () => {
      const list = lib.scriptFind(args, alloc);
      const { el, answer } = one(list, args);
      if (answer) return answer;
      const about = () => ({ preview: lib.preview(el), count: list.length });
      if (!lib.isConnected(el)) return { status: 'detached', ...about() };
      for (const need of args.needs ?? []) {
        if (need === 'stable') {
          if (!(await isStable(el))) return { status: lib.isConnected(el) ? 'not_stable' : 'none', again: true, ...about() };
        } else if (need === 'calm') {
          if (seemsToMove(el) && !(await isStable(el))) return { status: lib.isConnected(el) ? 'not_stable' : 'none', again: true, ...about() };
        } else if (need === 'hit') {
          const got = hitTest(el, args.position);
          if (got) return { again: true, ...got, ...about() };
        } else if (!lib.scriptState(el, need)) return { status: `not_${need}`, again: true, ...about() };
      }
      const target = lib.retarget(el, true);
      return {
        status: 'ok', ref: lib.refText(lib.refOf(el, alloc), alloc), ...about(), tag: lib.tagOf(el), role: lib.scriptRole(el), description: lib.describe(el),
        type: lib.tagOf(target) === 'input' ? target.type : lib.tagOf(target) === 'select' && target.multiple ? 'multiple' : lib.tagOf(target), checked: lib.scriptChecked(target),
        label: lib.tagOf(el) === 'label', own: target === el,
        // What a label, or a word in one, stands for is what is filled.
        ...(target === el ? {} : { control: lib.refText(lib.refOf(target, alloc), alloc) }), seen: lib.scriptVisible(target), many: target.multiple === true,
        frame_number: lib.frameNumber(el),
      };
    });
  };

  /** What keeps a press from an element, after scrolling to it; null when nothing does. */
  function hitTest(el, position) {
    let got = inView(el) ? lib.aim(el, position) : null;
    // A bar that sticks to a side of the view covers what is scrolled behind it: other places in the view may be free.
    for (const block of ['center', 'end', 'start']) {
      if (got && (got.point || !(got.none || sticks(got.cover)))) break;
      el.scrollIntoView({ block, inline: 'center', behavior: 'instant' });
      lib.fresh();
      if (position) lib.bringPoint(el, position);
      got = lib.aim(el, position);
    }
    if (got.point) return null;
    if (got.none) return { status: 'outside' };
    const cover = lib.coverOf(el, got.cover ?? null);
    let top = cover;
    for (let n = cover; n && !lib.contains(n, el); n = lib.parentOf(n)) top = n;
    return { status: 'covered', cover: top === cover ? lib.preview(cover) : `${lib.preview(cover)} from ${lib.preview(top)} subtree` };
  }

  /** Whether a cover keeps its place in the view while the page scrolls, and leaves some of the view free. */
  const sticks = (cover) => {
    for (let n = cover; n; n = lib.parentOf(n)) {
      const { position } = lib.styleOf(n);
      if (position !== 'fixed' && position !== 'sticky') continue;
      const box = n.getBoundingClientRect();
      return box.width < innerWidth - 1 || box.height < innerHeight - 1;
    }
    return false;
  };

  const inView = (el) => {
    const box = el.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight;
  };

  /** All elements that fit, to be made handles of. */
  lib.scriptQueryAll = (args) => {
    try {
      const list = lib.scriptFind(args, allocOf(args));
      return args.first ? list.slice(0, 1) : list;
    } catch (error) {
      return troubled(error);
    }
  };

  /** As `scriptQueryAll`, but the answer is the element itself, or null. */
  lib.scriptQueryOne = (args) => {
    const found = lib.scriptQueryAll(args);
    return Array.isArray(found) ? found[0] ?? null : found;
  };

  lib.scriptCount = (args) => {
    const alloc = allocOf(args);
    return lib.scriptPoll(args, alloc, () => ({ status: 'ok', count: lib.scriptFind(args, alloc).length }));
  };

  const FIELD = 'Node is not an <input>, <textarea> or <select> element';

  const READS = {
    textContent: (el) => lib.textContent(el),
    innerText: (el) => {
      if (!(el instanceof HTMLElement) && lib.typeOf(el) === 1 && el.namespaceURI !== 'http://www.w3.org/1999/xhtml') throw new Unfit('Node is not an HTMLElement');
      return el.innerText;
    },
    innerHTML: (el) => el.innerHTML,
    outerHTML: (el) => el.outerHTML,
    attribute: (el, args) => lib.attr(el, args.name),
    inputValue: (el) => {
      const target = lib.retarget(el, true);
      if (!lib.matches(target, 'input, textarea, select')) throw new Unfit(FIELD);
      return target.value;
    },
    box: (el) => {
      if (!lib.check(el, undefined) && lib.styleOf(el).display !== 'contents') return null;
      const box = el.getBoundingClientRect();
      return { x: box.x, y: box.y, width: box.width, height: box.height };
    },
    preview: (el) => lib.preview(el),
    suggestion: (el, args) => lib.suggest(el, args.test_id),
    role: (el) => lib.scriptRole(el),
    name: (el) => lib.scriptName(el),
    tag: (el) => lib.tagOf(el),
  };

  /** One property of one element; `all` gives a list of those of all that fit and waits for none. */
  lib.scriptRead = (args) => {
    const alloc = allocOf(args);
    const read = (el) => (Object.hasOwn(READS, args.what) ? READS[args.what](el, args) : lib.scriptState(el, args.what));
    return lib.scriptPoll(args, alloc, () => {
      const list = lib.scriptFind(args, alloc);
      if (args.all) return { status: 'ok', value: list.map(read) };
      const { el, answer } = one(list, args);
      return answer ?? { status: 'ok', value: read(el), preview: lib.preview(el) };
    });
  };

  /** Waits for a state of what a selector finds: attached, detached, visible, hidden, enabled, disabled, editable, stable. */
  lib.scriptWait = (args) => {
    const alloc = allocOf(args);
    return lib.scriptPoll(args, alloc, async () => {
      const list = lib.scriptFind(args, alloc);
      const shown = () => (list.length ? { count: list.length, preview: lib.preview(list[0]), visible: lib.scriptVisible(list[0]) } : { count: 0 });
      if (args.state === 'detached' || args.state === 'hidden') {
        if (list.length > 1 && args.strict !== false) return lib.tooMany(list, args);
        const el = list[0];
        const met = !el || !lib.isConnected(el) || (args.state === 'hidden' && !lib.scriptVisible(el));
        return met ? { status: 'ok', ...shown() } : { status: 'unmet', again: true, ...shown() };
      }
      const { el, answer } = one(list, args);
      if (answer) return answer;
      if (!lib.isConnected(el)) return { status: 'detached', ...shown() };
      const met = args.state === 'attached' ? true : args.state === 'stable' ? await isStable(el) : lib.scriptState(el, args.state);
      if (!met) return { status: 'unmet', again: true, ...shown() };
      return { status: 'ok', ...shown(), ...(args.ref ? { ref: lib.refText(lib.refOf(el, alloc), alloc) } : {}) };
    });
  };

  /** Runs an act by script on one element, once it is there and, with `visible`, can be seen. */
  const act = (args, doIt) => {
    const alloc = allocOf(args);
    return lib.scriptPoll(args, alloc, async () => {
      const { el, answer } = one(lib.scriptFind(args, alloc), args);
      if (answer) return answer;
      if (args.needs?.includes('visible') && !lib.scriptVisible(el)) return { status: 'not_visible', again: true, preview: lib.preview(el), count: 1 };
      // What has no box can't be scrolled to; what only can't be seen can.
      if (args.needs?.includes('drawn') && lib.isConnected(el) && !el.getClientRects().length && lib.styleOf(el).display !== 'contents') return { status: 'not_visible', again: true, preview: lib.preview(el), count: 1 };
      if (args.needs?.includes('attached') && !lib.isConnected(el)) return { status: 'detached', preview: lib.preview(el), count: 1 };
      if (args.needs?.includes('stable') && !(await isStable(el))) return { status: 'not_stable', again: true, preview: lib.preview(el), count: 1 };
      const value = lib.asInput(() => doIt(el));
      return { status: 'ok', preview: lib.preview(el), ...(value === undefined ? {} : { value }) };
    });
  };

  lib.scriptScrollIntoView = (args) =>
    act(args, (el) => {
      if (!inView(el)) el.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    });

  /** Sets a field that nobody can see, as a script that insists wants it. */
  lib.scriptForceFill = (args) =>
    act(args, (el) => {
      const target = lib.retarget(el, true);
      if (isEditor(target)) target.textContent = args.text;
      else if (lib.matches(target, 'input, textarea')) lib.setNative(target, args.text);
      else throw new Unfit('Element is not an <input>, <textarea> or [contenteditable] element');
      target.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true, inputType: 'insertText', data: args.text }));
      target.dispatchEvent(new Event('change', { bubbles: true }));
    });

  lib.scriptFocus = (args) => act(args, (el) => { (isEditor(el) || el.focus) && el.focus(); });
  lib.scriptBlur = (args) => act(args, (el) => { if (el.blur) el.blur(); });

  lib.scriptSelectText = (args) =>
    act(args, (el) => {
      const target = lib.retarget(el, true);
      if (lib.matches(target, 'input, textarea')) {
        target.select();
        target.focus();
        return;
      }
      const range = document.createRange();
      range.selectNodeContents(target);
      const selection = getSelection();
      selection?.removeAllRanges();
      selection?.addRange(range);
    });

  const EVENTS = {
    MouseEvent: 'auxclick click dblclick mousedown mouseeenter mouseenter mouseleave mousemove mouseout mouseover mouseup mousewheel contextmenu',
    KeyboardEvent: 'keydown keyup keypress textInput',
    TouchEvent: 'touchstart touchmove touchend touchcancel',
    PointerEvent: 'pointerover pointerout pointerenter pointerleave pointerdown pointerup pointermove pointercancel gotpointercapture lostpointercapture',
    FocusEvent: 'focus blur focusin focusout',
    DragEvent: 'drag dragstart dragend dragover dragenter dragleave dragexit drop',
    WheelEvent: 'wheel',
    DeviceMotionEvent: 'devicemotion',
    DeviceOrientationEvent: 'deviceorientation deviceorientationabsolute',
  };
  const KIND = new Map(Object.entries(EVENTS).flatMap(([kind, types]) => types.split(' ').map((type) => [type, kind])));

  /** An event of the class that its type has, with the given properties, sent to one element. */
  lib.scriptDispatch = (args) =>
    act(args, (el) => {
      const init = { bubbles: true, cancelable: true, composed: true, ...args.init };
      const kind = KIND.get(args.type);
      if (kind === 'TouchEvent') {
        const touch = (t) => (t instanceof Touch ? t : new Touch({ identifier: 0, target: el, ...t }));
        for (const name of ['touches', 'targetTouches', 'changedTouches']) if (init[name]) init[name] = init[name].map(touch);
      }
      const Kind = (kind && globalThis[kind]) || Event;
      el.dispatchEvent(new Kind(args.type, init));
    });

  /** Draws a frame around what a selector finds for a moment, by style alone. */
  lib.scriptHighlight = (args) => {
    const list = lib.scriptFind(args, allocOf(args));
    for (const el of list) el.animate([{ outline: '2px solid #c2185b', outlineOffset: '-2px' }, { outline: '2px solid #c2185b', outlineOffset: '-2px' }], { duration: 1500 });
    return { status: 'ok', count: list.length };
  };

  /** Options of a select that was found, and those that are wanted: by value, label or index. */
  lib.scriptOptions = (args) => {
    const alloc = allocOf(args);
    return lib.scriptPoll(args, alloc, () => {
      const { el, answer } = one(lib.scriptFind(args, alloc), args);
      if (answer) return answer;
      const about = { preview: lib.preview(el), count: 1 };
      const target = lib.retarget(el, true);
      for (const need of args.needs ?? []) if (!lib.scriptState(el, need)) return { status: `not_${need}`, again: true, ...about };
      if (lib.tagOf(target) !== 'select') throw new Unfit('Element is not a <select> element');
      const label = (option) => lib.foldSpace(option.label || option.text);
      const all = [...target.options];
      const given = (args.elements ?? []).slice(args.root ? 1 : 0);
      const left = [...(args.wanted ?? []).map((w, i) => ({ ...w, at: i })), ...given.map((option) => ({ option }))];
      const chosen = [];
      for (const option of all) {
        const hits = left.filter((w) => (w.option ? w.option === option
          : (w.value_or_label === undefined || option.value === w.value_or_label || label(option) === lib.foldSpace(w.value_or_label))
            && (w.value === undefined || option.value === w.value) && (w.label === undefined || label(option) === lib.foldSpace(w.label))
            && (w.index === undefined || option.index === w.index)));
        if (!hits.length) continue;
        chosen.push(option);
        if (!target.multiple) { left.length = 0; break; }
        for (const hit of hits) left.splice(left.indexOf(hit), 1);
      }
      if (left.length) return { status: 'no_option', again: true, ...about };
      const off = chosen.find((option) => lib.matches(option, ':disabled'));
      if (off) return { status: 'option_not_enabled', again: true, ...about };
      return {
        status: 'ok', ref: lib.refText(lib.refOf(target, alloc), alloc), ...about, multiple: target.multiple,
        chosen: chosen.map((option) => option.value), indexes: chosen.map((option) => option.index),
        // Whether the tool that chooses would mean the same options by their values alone.
        plain: chosen.length > 0 && chosen.every((option) => all.filter((o) => o.value === option.value || o.label === option.value).length === 1),
      };
    });
  };

  /** Chooses options by their places, where values don't tell them apart; none at all is a choice as well. */
  lib.scriptChoose = (args) =>
    act(args, (el) => {
      const target = lib.retarget(el, true);
      if (lib.tagOf(target) !== 'select') throw new Unfit('Element is not a <select> element');
      target.focus();
      for (const option of target.options) option.selected = args.indexes.includes(option.index);
      target.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
      target.dispatchEvent(new Event('change', { bubbles: true, composed: true }));
      return [...target.options].filter((option) => option.selected).map((option) => option.value);
    });

  /** Takes the chosen files out of a file input again. */
  lib.scriptClearFiles = (args) =>
    act(args, (el) => {
      const target = lib.retarget(el, true);
      if (!lib.matches(target, 'input[type=file]')) throw new Unfit('Node is not an HTMLInputElement');
      target.value = '';
      target.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
      target.dispatchEvent(new Event('change', { bubbles: true }));
    });

  /** Where the content of an iframe element starts in this viewport. */
  lib.scriptFrameOrigin = (args) => {
    const el = args.elements[0];
    const box = el.getBoundingClientRect();
    const style = getComputedStyle(el);
    return { x: box.left + el.clientLeft + Number.parseFloat(style.paddingLeft), y: box.top + el.clientTop + Number.parseFloat(style.paddingTop) };
  };

})(globalThis.__truehand ??= {});
