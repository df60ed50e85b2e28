// Custom lists of choices: the box that opens one, the list wherever it is drawn, and what is chosen.
((lib) => {
  'use strict';
  if (lib.ready) return;

  // Menus are left out: what is picked there is done and not held.
  const BOX = '[role=combobox],[aria-haspopup=listbox],[aria-haspopup=tree],[aria-haspopup=grid],[aria-autocomplete=list],[aria-autocomplete=both]';
  const LIST = '[role=listbox],[role=tree],[role=grid]';
  const OPTION = '[role=option],[role=treeitem]';

  /** How long a list may take to come or to change, in milliseconds, unless the call says otherwise. */
  const PATIENCE = 1_500;
  const SCREENS = 200;

  const allocOf = (/** @type {any} */ args) => ({ frame: args.frame ?? 0, next: args.next ?? 0 });
  const refOf = (/** @type {Element} */ el, /** @type {any} */ alloc) => lib.refText(lib.refOf(el, alloc), alloc);
  const seen = (/** @type {Element} */ el) => lib.isRendered(el) && lib.rectOf(el) !== null;

  /** The box that a target means: itself, the only one in it, or the one that it is part of. @param {Element} el */
  const boxOf = (el) => {
    if (lib.matches(el, 'select')) return null;
    if (lib.matches(el, BOX) || lib.matches(el, LIST)) return el;
    const control = lib.tagOf(el) === 'label' ? /** @type {HTMLLabelElement} */ (el).control : null;
    if (control && lib.matches(control, BOX)) return control;
    const inside = [...lib.queryAll(el, BOX)].filter((box) => !lib.closest(box, LIST));
    if (inside.length === 1) return inside[0];
    return lib.closest(el, '[role=combobox]');
  };

  /** The wrapper that shows what is chosen: around the box, as long as it holds no other field. @param {Element} box */
  const wrapperOf = (box) => {
    let wrapper = box;
    for (let up = lib.parentOf(box), i = 0; up && up !== lib.body() && i < 5; up = lib.parentOf(up), i++) {
      if (lib.matches(up, 'form,fieldset,main,section,dialog,[role=dialog],label,td,tr')) break;
      const others = [...lib.queryAll(up, `input:not([type=hidden]),textarea,select,${BOX}`)].filter((other) => !lib.contains(wrapper, other) && seen(other));
      if (others.length) break;
      wrapper = up;
    }
    return wrapper;
  };

  /** @param {Element} el @param {string} name */
  const byIds = (el, name) =>
    (lib.attr(el, name) ?? '').split(/\s+/).filter(Boolean).map((/** @type {string} */ id) => lib.rootOf(el).getElementById?.(id) ?? document.getElementById(id)).filter(Boolean);

  /** The list that is open for a box, or null. @param {Element} box */
  const listOf = (box) => {
    if (lib.matches(box, LIST)) return box;
    const named = [];
    for (const el of [box, lib.closest(box, '[role=combobox]')]) {
      if (el) named.push(...byIds(el, 'aria-controls'), ...byIds(el, 'aria-owns'), ...byIds(el, 'aria-activedescendant').map((option) => lib.closest(option, LIST) ?? lib.parentOf(option)));
    }
    const own = named.find(seen);
    if (own) return lib.matches(own, LIST) ? own : [...lib.queryAll(own, LIST)].find(seen) ?? own;
    // A list that names no box: one that came since the box was looked at, or that stands in its wrapper or beside it.
    const expanded = lib.attr(box, 'aria-expanded');
    const known = besides.get(box);
    if (expanded === 'false' && !known) return null;
    const lists = lib.deepQuery(LIST).filter((/** @type {Element} */ list) => seen(list) && !known?.has(list));
    const wrapper = wrapperOf(box);
    const near = lists.find((/** @type {Element} */ list) => lib.contains(wrapper, list) || lib.parentOf(list) === lib.parentOf(wrapper));
    return near ?? (known || expanded === 'true' ? lists.at(-1) ?? null : null);
  };

  /** Lists that are seen while a box is closed are none of its own. @type {WeakMap<Element, WeakSet<Element>>} */
  const besides = new WeakMap();
  /** @param {Element} box */
  const noteClosed = (box) => besides.set(box, new WeakSet(lib.deepQuery(LIST).filter(seen)));

  /** @param {Element | null} list */
  const optionsOf = (list) => {
    if (!list) return [];
    let found = [...lib.queryAll(list, OPTION)].filter(seen);
    if (!found.length && lib.matches(list, LIST)) found = [...lib.queryAll(list, 'li')].filter(seen);
    return found;
  };

  const labelOf = (/** @type {Element} */ option) => lib.clean(lib.attr(option, 'aria-label') ?? lib.flatText(option), 200);
  const isOff = (/** @type {Element} */ option) => lib.attr(option, 'aria-disabled') === 'true' || lib.hasAttr(option, 'data-disabled') || lib.matches(option, ':disabled');
  const isOn = (/** @type {Element} */ option) => lib.attr(option, 'aria-selected') === 'true' || lib.attr(option, 'aria-checked') === 'true';

  /** @param {Element[]} options @param {string} wanted */
  const find = (options, wanted) => {
    const want = lib.clean(wanted);
    const fold = want.toLowerCase();
    return options.find((option) => labelOf(option) === want) ?? options.find((option) => labelOf(option).toLowerCase() === fold)
      ?? options.find((option) => [lib.attr(option, 'data-value'), lib.attr(option, 'value')].includes(wanted));
  };

  /** What the box shows as chosen, without its list. @param {Element} box @param {Element | null} list */
  const shown = (box, list) => {
    if (lib.matches(box, LIST)) return optionsOf(box).filter(isOn).map(labelOf).join(', ');
    if (lib.matches(box, 'input,textarea') && /** @type {HTMLInputElement} */ (box).value !== '') return /** @type {HTMLInputElement} */ (box).value;
    const wrapper = lib.matches(box, 'input,textarea') ? wrapperOf(box) : box;
    const parts = [];
    const walk = (/** @type {Node} */ node) => {
      for (const child of lib.childrenOf(node)) {
        if (lib.typeOf(child) === 3) parts.push(/** @type {Text} */ (child).data);
        else if (lib.typeOf(child) === 1 && child !== list && !lib.matches(child, 'label,button,script,style,[role=listbox],[role=status],[aria-live]') && seen(child)) walk(child);
      }
    };
    walk(wrapper);
    return lib.clean(parts.join(' '), 200);
  };

  /** Whether a label is shown as chosen: as the value, as a chip beside the box, or as a marked option. @param {Element} box @param {Element | null} list @param {string} wanted */
  const holds = (box, list, wanted) => {
    const want = lib.clean(wanted).toLowerCase();
    const option = find(optionsOf(list), wanted);
    if (option && isOn(option)) return true;
    if (lib.matches(box, LIST)) return false;
    if (lib.matches(box, 'input,textarea') && lib.clean(/** @type {HTMLInputElement} */ (box).value).toLowerCase() === want) return true;
    const wrapper = wrapperOf(box);
    if (!lib.matches(box, 'input,textarea') && lib.clean(lib.flatText(box)).toLowerCase() === want) return true;
    return [...lib.queryAll(wrapper, '*')].some((el) => {
      if ((list && lib.contains(list, el)) || lib.matches(el, 'label,option,input') || lib.closest(el, LIST) || lib.closest(el, '[aria-live],label') || !seen(el)) return false;
      const own = [...lib.childrenOf(el)].filter((child) => lib.typeOf(child) === 3).map((child) => /** @type {Text} */ (child).data).join('');
      return lib.clean(own).toLowerCase() === want;
    });
  };

  /** What a person clicks to open the list: the box, or what stands around it when it is tiny or lies under its own value. @param {Element} box */
  const pressed = (box) => {
    const wrapper = wrapperOf(box);
    if (wrapper === box || !lib.matches(box, 'input,textarea')) return box;
    const [area] = lib.boxesOf(box);
    if (!area || area.width < 12 || area.height < 6) return wrapper;
    const { cover } = lib.aim(box, undefined);
    return cover && lib.contains(wrapper, cover) ? wrapper : box;
  };

  /** @param {any} args @param {any} alloc */
  const locate = (args, alloc) => {
    const found = lib.find(args.target, alloc);
    if (found.problem) return found;
    const box = boxOf(found.el);
    return box ? { el: box } : { problem: { status: 'wrong_element', kind: lib.roleOf(found.el) ?? lib.tagOf(found.el), ref: refOf(found.el, alloc), description: lib.describe(found.el) } };
  };

  /** @param {Element} box @param {any} args @param {any} alloc */
  const state = (box, args, alloc) => {
    lib.fresh();
    const list = listOf(box);
    const options = optionsOf(list);
    const wanted = args.want === undefined ? undefined : find(options, args.want);
    const out = {
      status: 'ok',
      ref: refOf(box, alloc),
      description: lib.describe(box),
      role: lib.roleOf(box) ?? 'generic',
      name: lib.clean(lib.nameOf(box), 80),
      press: refOf(pressed(box), alloc),
      standing: lib.matches(box, LIST),
      // The browser's own list of suggestions can't be seen; what is typed counts.
      suggests: lib.matches(box, 'input[list]'),
      types: lib.takesText(box),
      open: options.length > 0,
      value: shown(box, list),
      text: lib.matches(box, 'input,textarea') ? /** @type {HTMLInputElement} */ (box).value : '',
      options: options.slice(0, 100).map(labelOf),
      scrolls: list !== null && scrollerOf(list) !== null,
    };
    if (wanted) Object.assign(out, { option: refOf(wanted, alloc), off: isOff(wanted), on: isOn(wanted) });
    if (args.want !== undefined) Object.assign(out, { holds: holds(box, list, args.want) });
    out.next = alloc.next;
    return out;
  };

  /** What scrolls a list: itself, something around or in it. @param {Element} list */
  const scrollerOf = (list) => {
    const scrolls = (/** @type {Element} */ el) => el.scrollHeight > el.clientHeight + 1 && el.clientHeight > 0 && /auto|scroll|overlay/.test(getComputedStyle(el).overflowY);
    if (scrolls(list)) return list;
    const up = lib.parentOf(list);
    if (up && up !== lib.body() && scrolls(up)) return up;
    return [...lib.queryAll(list, '*')].slice(0, 200).find(scrolls) ?? null;
  };

  /** The state of a box and its list. @param {any} args `want`: an option */
  lib.choices = (args) => {
    const alloc = allocOf(args);
    const found = locate(args, alloc);
    if (found.problem) return { ...found.problem, next: alloc.next };
    const now = state(found.el, args, alloc);
    if (!now.open && !now.standing) noteClosed(found.el);
    return now;
  };

  /**
   * The same, once the wanted option is there, once it is shown as chosen (`chosen`), or when the list has not changed for a while.
   * @param {any} args
   */
  lib.awaitChoices = async (args) => {
    const alloc = allocOf(args);
    const deadline = performance.now() + (args.timeout_ms ?? PATIENCE);
    for (;;) {
      const found = locate(args, alloc);
      if (found.problem) return { ...found.problem, next: alloc.next };
      const now = state(found.el, args, alloc);
      const done = args.chosen ? now.holds : now.option !== undefined || (args.want === undefined && now.open);
      if (done || performance.now() >= deadline) return now;
      await lib.nextFrame();
      await lib.nextFrame();
    }
  };

  /** Scrolls through an open list until the wanted option is drawn. @param {any} args */
  lib.seekChoice = async (args) => {
    const alloc = allocOf(args);
    const found = locate(args, alloc);
    if (found.problem) return { ...found.problem, next: alloc.next };
    const list = listOf(found.el);
    const scroller = list && scrollerOf(list);
    /** @type {Set<string>} */
    const met = new Set();
    if (scroller) {
      const before = scroller.scrollTop;
      scroller.scrollTop = 0;
      for (let i = 0; i < SCREENS; i++) {
        await lib.nextFrame();
        await lib.nextFrame();
        lib.fresh();
        const options = optionsOf(list);
        for (const option of options) if (met.size < 100) met.add(labelOf(option));
        if (find(options, args.want)) return { ...state(found.el, args, alloc), options: [...met] };
        const at = scroller.scrollTop;
        scroller.scrollTop = at + Math.max(20, scroller.clientHeight * 0.8);
        if (scroller.scrollTop <= at) break;
      }
      scroller.scrollTop = before;
      await lib.nextFrame();
    }
    const now = state(found.el, args, alloc);
    return met.size ? { ...now, options: [...met] } : now;
  };
})(globalThis.__truehand ??= {});
