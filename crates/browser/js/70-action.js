// Getting an action to its element: can it receive events, at which point, and who received them in the end.
((lib) => {
  'use strict';
  if (lib.ready) return;

  /** How long an element or its cover may move before the answer is given anyway, in milliseconds. */
  const PATIENCE = 500;

  const allocOf = (/** @type {any} */ args) => ({ frame: args.frame ?? 0, next: args.next ?? 0 });
  const round = (/** @type {number} */ n) => Math.round(n * 100) / 100;
  const refOf = (/** @type {Element} */ el, /** @type {any} */ alloc) => lib.refText(lib.refOf(el, alloc), alloc);

  // ---------------------------------------------------------------- where the element is

  const viewport = () => ({ x: 0, y: 0, right: innerWidth, bottom: innerHeight });

  /** Boxes of the element in the viewport; those of what it holds when it has none (floats, display: contents). @param {Element} el */
  const boxesOf = (el) => {
    const own = [...el.getClientRects()].filter((r) => r.width > 0 && r.height > 0);
    if (own.length) return own;
    const inside = lib.rectOf(el);
    return inside ? [new DOMRect(inside.x, inside.y, inside.width, inside.height)] : [];
  };

  /** The part of a box in the viewport. @param {DOMRect} box */
  const inView = (box) => {
    const view = viewport();
    const x = Math.max(box.left, view.x);
    const y = Math.max(box.top, view.y);
    const right = Math.min(box.right, view.right);
    const bottom = Math.min(box.bottom, view.bottom);
    return right - x > 0 && bottom - y > 0 ? { x, y, width: right - x, height: bottom - y } : null;
  };

  /** The ancestor that cuts all of the element off, or null. @param {Element} el */
  const clipper = (el) => {
    const [box] = boxesOf(el);
    if (!box) return null;
    let { left, top, right, bottom } = box;
    for (let { clip } = lib.geoOf(el); clip; clip = clip.up) {
      const cut = clip.el.getBoundingClientRect();
      left = Math.max(left, cut.left);
      top = Math.max(top, cut.top);
      right = Math.min(right, cut.right);
      bottom = Math.min(bottom, cut.bottom);
      if (right - left < 1 || bottom - top < 1) return clip.el;
    }
    return null;
  };

  // Centre first, then the quarters, then the middles of the sides: a cover often takes only a part.
  const SPOTS = [[0.5, 0.5], [0.25, 0.25], [0.75, 0.25], [0.25, 0.75], [0.75, 0.75], [0.5, 0.15], [0.5, 0.85], [0.1, 0.5], [0.9, 0.5]];
  const INNER_CONTROLS = 'a[href],button,input,select,textarea,[role=button],[role=link],[role=checkbox],[contenteditable=""],[contenteditable=true]';

  /** Whether an event on `hit` is an event for `el`. @param {Element} el @param {Element | null} hit */
  const serves = (el, hit) => {
    if (!hit) return false;
    if (lib.contains(el, hit)) return true;
    // A press on a label is a press on its control, and the other way round.
    const label = lib.closest(hit, 'label');
    if (label && /** @type {HTMLLabelElement} */ (label).control === el) return true;
    if (lib.tagOf(el) === 'label') return /** @type {HTMLLabelElement} */ (el).control === hit;
    if (lib.tagOf(el) === 'option' || lib.tagOf(el) === 'optgroup') return lib.closest(el, 'select') === hit;
    return false;
  };

  /** A point by its place within the padding of an element, as events of the mouse tell it. @param {Element} el @param {{x: number, y: number}} position */
  const pointIn = (el, position) => {
    const box = el.getBoundingClientRect();
    const style = lib.styleOf(el);
    const border = (/** @type {string} */ width) => Number.parseFloat(width) || 0;
    return { x: box.left + border(style.borderLeftWidth) + position.x, y: box.top + border(style.borderTopWidth) + position.y };
  };

  /** Scrolls until a point of an element that is larger than the view is in it. @param {Element} el @param {{x: number, y: number}} position */
  const bringPoint = (el, position) => {
    const { x, y } = pointIn(el, position);
    const left = x < 0 || x >= innerWidth ? x - innerWidth / 2 : 0;
    const top = y < 0 || y >= innerHeight ? y - innerHeight / 2 : 0;
    if (!left && !top) return;
    lib.scroller().scrollBy({ left, top, behavior: 'instant' });
    lib.fresh();
  };
  lib.bringPoint = bringPoint;

  /**
   * A point of the element that receives events for it, or what lies over it.
   * @param {Element} el @param {{x: number, y: number} | undefined} position offset within the element
   * @returns {{point?: {x: number, y: number}, rect?: any, cover?: Element | null, none?: boolean}}
   */
  const aim = (el, position) => {
    const boxes = boxesOf(el).slice(0, 4);
    if (position) {
      const whole = el.getBoundingClientRect();
      const point = pointIn(el, position);
      if (!inView(new DOMRect(point.x - 0.5, point.y - 0.5, 1, 1))) return { none: true };
      const hit = lib.elementAt(point.x, point.y);
      return serves(el, hit) ? { point, rect: whole } : { cover: hit };
    }
    let cover;
    let fallback;
    for (const box of boxes) {
      const part = inView(box);
      if (!part) continue;
      for (const [fx, fy] of SPOTS) {
        const point = { x: part.x + part.width * fx, y: part.y + part.height * fy };
        const hit = lib.elementAt(point.x, point.y);
        if (!serves(el, hit)) {
          cover ??= hit;
          continue;
        }
        // A control inside a clickable card would take the press for itself: look for a free spot first.
        const inner = hit === el || lib.tagOf(el) === 'label' ? null : lib.closest(hit, INNER_CONTROLS);
        if (!inner || inner === el || !lib.contains(el, inner)) return { point, rect: box };
        fallback ??= { point, rect: box };
      }
    }
    return fallback ?? (cover === undefined ? { none: true } : { cover });
  };

  /** @param {Element} el */
  const centre = (el) => {
    const target = boxesOf(el).length && el.getClientRects().length ? el : el.firstElementChild ?? el;
    target.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
    lib.fresh();
  };

  /** @param {Element} el */
  const inFullView = (el) => {
    const [box] = boxesOf(el);
    if (!box) return false;
    const x = box.left + box.width / 2;
    const y = box.top + box.height / 2;
    return x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;
  };

  // ---------------------------------------------------------------- may it be acted on

  /** Why nobody can see it, or null. @param {Element} el */
  const whyHidden = (el) => {
    if (!lib.isRendered(el)) {
      for (let n = el; n; n = lib.parentOf(n)) {
        const style = lib.styleOf(n);
        const where = n === el ? '' : ` on ${lib.describe(n)}`;
        if (style.display === 'none') return `display: none${where}`;
        if (n === el && style.visibility !== 'visible') return `visibility: ${style.visibility}`;
        if (n !== el && lib.tagOf(n) === 'details' && !(/** @type {HTMLDetailsElement} */ (n).open)) return `inside closed ${lib.describe(n)}`;
        if (style.contentVisibility === 'hidden' && n !== el) return `content-visibility: hidden${where}`;
      }
      return 'not rendered';
    }
    return boxesOf(el).length ? null : 'zero size';
  };

  /** Why it would not react, or null. @param {Element} el @param {string} action */
  const whyDisabled = (el, action) => {
    if (action !== 'click' && action !== 'type' && action !== 'select' && action !== 'upload') return null;
    const native = lib.closest(el, 'button,input,select,textarea,option,optgroup');
    if (native && lib.matches(native, ':disabled')) {
      const set = lib.closest(native, 'fieldset:disabled');
      return set && !lib.hasAttr(native, 'disabled') ? `inside disabled ${lib.describe(set)}` : 'disabled attribute';
    }
    const labelled = lib.tagOf(el) === 'label' ? /** @type {HTMLLabelElement} */ (el).control : null;
    if (labelled && lib.matches(labelled, ':disabled')) return `its control ${lib.describe(labelled)} is disabled`;
    const aria = lib.closest(el, '[aria-disabled=true]');
    if (aria) return aria === el ? 'aria-disabled' : `aria-disabled on ${lib.describe(aria)}`;
    const inert = lib.closest(el, '[inert]');
    if (inert) return inert === el ? 'inert' : `inert on ${lib.describe(inert)}`;
    if (action === 'type' && lib.matches(el, 'input,textarea') && /** @type {HTMLInputElement} */ (el).readOnly) return 'read-only';
    return null;
  };

  /** The label that stands in for a checkbox, radio or file input which styling has hidden. @param {Element} el */
  const standIn = (el) => {
    if (!lib.matches(el, 'input[type=checkbox],input[type=radio],input[type=file]')) return null;
    return lib.labelsOf(el).find((/** @type {Element} */ label) => lib.isRendered(label) && boxesOf(label).length) ?? null;
  };

  // ---------------------------------------------------------------- movement

  // Properties that change how a thing looks, never where it is.
  const STILL = /^(opacity|color|background|border(?!.*width)|boxShadow|outline|filter|backdrop|textDecoration|fill|stroke|accent|caret|visibility|cursor|offset$|computedOffset|easing|composite)/i;

  /** Finite animations that run on any of these elements or around them. @param {Element[]} elements @param {boolean} movingOnly */
  const animated = (elements, movingOnly) => {
    const scopes = new Set([document]);
    for (const el of elements) for (let root = lib.rootOf(el); root; root = root.host ? lib.rootOf(root.host) : null) if (root.getAnimations) scopes.add(root);
    for (const scope of scopes) {
      for (const animation of scope.getAnimations()) {
        if (animation.playState !== 'running' || !(animation.effect instanceof KeyframeEffect)) continue;
        if (animation.effect.getComputedTiming().endTime === Infinity || !animation.effect.target) continue;
        if (!elements.some((el) => lib.contains(animation.effect.target, el))) continue;
        if (!movingOnly) return true;
        if (animation.effect.getKeyframes().some((frame) => Object.keys(frame).some((key) => !STILL.test(key)))) return true;
      }
    }
    return false;
  };

  /** Whether a script restyled the element or something around it a moment ago. @param {Element} el */
  const restyledLately = (el) => {
    for (let n = el; n; n = lib.parentOf(n)) if (lib.restyledFor(n) < 120) return true;
    return false;
  };

  const place = (/** @type {Element} */ el) => {
    const box = boxesOf(el)[0] ?? new DOMRect();
    return { x: box.x, y: box.y };
  };

  // ---------------------------------------------------------------- covers

  /** What a person would call the thing in the way: the whole dialog, bar or sheet that `hit` belongs to. @param {Element} el @param {Element | null} hit */
  const coverOf = (el, hit) => {
    // A modal dialog makes the rest of the page inert, so the point seems to hit the page itself.
    if (!hit || lib.contains(hit, el)) {
      const modal = lib.deepQuery('dialog:modal').find((/** @type {Element} */ dialog) => !lib.contains(dialog, el));
      const over = modal ?? (lib.closest(el, '[inert]') ? lib.dialogOver(el) : null);
      if (over) return over;
    }
    return hit ?? lib.documentElement();
  };

  const KINDS = new Set(['dialog', 'banner', 'consent']);

  /** @param {Element} cover @param {Element} el @param {any} alloc */
  const occluder = (cover, el, alloc) => {
    const told = lib.classifyCover?.(cover, el) ?? { el: cover, kind: 'other' };
    return { ref: refOf(told.el, alloc), description: lib.describe(told.el), kind: KINDS.has(told.kind) ? told.kind : 'other' };
  };

  // ---------------------------------------------------------------- pictures

  const PICTURES = 'canvas,video,embed,object';
  const MOVING = 'animate,animateTransform,animateMotion,set';
  const WORDED = 'button,a[href],input,select,textarea,label,summary,[role=button],[role=link],[contenteditable]';

  /**
   * Where a page answers input by drawing, which leaves nothing in the document: the picture at a point, or under a bare sheet at it.
   * @param {number} x @param {number} y @returns {{x: number, y: number, width: number, height: number} | null}
   */
  const pictureAt = (x, y) => {
    const hit = lib.elementAt(x, y);
    if (!hit) return null;
    let picture = lib.matches(hit, PICTURES) && lib.frameNumber(hit) === null ? hit : null;
    if (!picture && hit instanceof SVGElement) {
      // A drawing may start by itself where it is pressed.
      const drawing = lib.closest(hit, 'svg');
      if (drawing && lib.queryAll(drawing, MOVING).length) picture = drawing;
    }
    if (!picture && !lib.closest(hit, WORDED)) {
      const root = /** @type {Document | ShadowRoot} */ (lib.rootOf(hit));
      const under = (root.elementsFromPoint ? root : document).elementsFromPoint(x, y).find((el) => lib.matches(el, 'canvas,video'));
      if (under && lib.textContent(hit).trim() === '') picture = under;
    }
    return picture ? inView(picture.getBoundingClientRect()) : null;
  };
  lib.pictureAt = pictureAt;

  // ---------------------------------------------------------------- prepare

  /** Whether a cover stays over all of the view, so that scrolling can't help. @param {Element | null | undefined} cover */
  const veiled = (cover) => {
    for (let n = cover; n; n = lib.parentOf(n)) {
      if (lib.styleOf(n).position !== 'fixed') continue;
      const box = n.getBoundingClientRect();
      return box.left <= 1 && box.top <= 1 && box.right >= innerWidth - 1 && box.bottom >= innerHeight - 1;
    }
    return false;
  };

  /**
   * One look, without waiting: the answer, and whether it may be different once things have come to rest.
   * @param {Element} el @param {any} args @param {{scrolled: boolean}} state
   */
  const look = (el, args, state) => {
    const { action = 'click', position } = args;
    if (args.force) return forced(el, position);
    if (action === 'type' && !lib.takesText(el) && !lib.matches(el, 'input,select')) {
      return { answer: { status: 'not_editable', why: 'it is no field' } };
    }
    const why = whyDisabled(el, action);
    if (why) {
      // What is inert while a dialog is open lies, for a person, under that dialog.
      const cover = lib.closest(el, '[inert]') ? lib.dialogOver(el) : null;
      return cover ? { answer: { status: 'covered', cover }, wait: [cover] } : { answer: { status: 'disabled', why } };
    }
    // A field that only catches an editor's keys is where the editor is.
    let spot = (action === 'type' ? lib.stageOf(el) : null) ?? el;
    const hidden = whyHidden(spot);
    if (hidden) {
      if (action === 'upload') return { answer: { status: 'ok' } };
      const label = standIn(el);
      if (!label) return { answer: { status: 'hidden', why: hidden }, wait: [el] };
      spot = label;
    }
    if (action === 'upload') return { answer: { status: 'ok', spot, point: centreOf(spot), rect: boxesOf(spot)[0] } };
    let got = inFullView(spot) ? aim(spot, position) : { none: true };
    if (!got.point && !state.scrolled && !veiled(got.cover)) {
      state.scrolled = true;
      centre(spot);
      if (position) bringPoint(spot, position);
      got = aim(spot, position);
    }
    if (!got.point && spot === el) {
      const label = standIn(el);
      if (label) {
        if (!inFullView(label)) centre(label);
        const other = aim(label, undefined);
        if (other.point) {
          spot = label;
          got = other;
        }
      }
    }
    if (got.point) return { answer: { status: 'ok', spot, point: got.point, rect: got.rect } };
    const cut = clipper(spot);
    if (cut) return { answer: { status: 'hidden', why: `clipped away by ${lib.describe(cut)}` }, wait: [spot] };
    if (got.none) return { answer: { status: 'outside' }, wait: [spot] };
    if (lib.styleOf(spot).pointerEvents === 'none') return { answer: { status: 'disabled', why: 'pointer-events: none' }, wait: [spot] };
    const cover = coverOf(spot, got.cover ?? null);
    return { answer: { status: 'covered', cover }, wait: [spot, cover] };
  };

  /** The point of an element, whatever lies there and whatever state it is in; only what has no box has none. @param {Element} el @param {{x: number, y: number} | undefined} position */
  const forced = (el, position) => {
    const why = whyHidden(el);
    if (why) return { answer: { status: 'hidden', why } };
    const at = () => {
      return position ? pointIn(el, position) : centreOf(el);
    };
    const seen = () => {
      const { x, y } = at();
      return inView(new DOMRect(x - 0.5, y - 0.5, 1, 1));
    };
    if (!seen()) centre(el);
    if (!seen() && position) bringPoint(el, position);
    if (!seen()) return { answer: { status: 'outside' } };
    return { answer: { status: 'ok', spot: el, point: at(), rect: boxesOf(el)[0] } };
  };

  const centreOf = (/** @type {Element} */ el) => {
    const box = boxesOf(el)[0] ?? new DOMRect();
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };

  /** Looks again, frame by frame, while something that matters is moving. @param {Element} el @param {any} args */
  const lookUntilStill = async (el, args) => {
    const state = { scrolled: false };
    const deadline = performance.now() + PATIENCE;
    const start = place(el);
    let doubtful = restyledLately(el);
    for (;;) {
      const { answer, wait } = look(el, args, state);
      const at = place(answer.spot ?? el);
      const busy = answer.status === 'ok' ? doubtful || (answer.spot && animated([answer.spot], true)) : wait && (doubtful || animated(wait, false));
      if (!busy || performance.now() >= deadline) {
        const first = state.scrolled ? null : start;
        const dx = first ? Math.round(place(el).x - first.x) : 0;
        const dy = first ? Math.round(place(el).y - first.y) : 0;
        return dx || dy ? { ...answer, moved: { dx, dy } } : answer;
      }
      await lib.nextFrame();
      lib.fresh();
      if (!lib.isConnected(el)) return { status: 'gone' };
      const is = place(answer.spot ?? el);
      // What a script moves shows itself between two frames; a place that stayed is believed.
      doubtful = is.x !== at.x || is.y !== at.y;
    }
  };

  /** The element of the call: for typing and uploads the field that its target means. @param {any} args @param {any} alloc */
  const locate = (args, alloc) => {
    const found = lib.find(args.target, alloc);
    if (found.problem) return found;
    if (args.action === 'type') return { ...found, el: lib.fieldOf(found.el) };
    if (args.action === 'upload' && !lib.matches(found.el, 'input[type=file]')) {
      const inside = lib.queryAll(found.el, 'input[type=file]');
      const labelled = lib.tagOf(found.el) === 'label' ? /** @type {HTMLLabelElement} */ (found.el).control : null;
      if (labelled && lib.matches(labelled, 'input[type=file]')) return { ...found, el: labelled };
      if (inside.length === 1) return { ...found, el: inside[0] };
    }
    return found;
  };

  /** @param {any} args */
  lib.prepare = async (args) => {
    const alloc = allocOf(args);
    if (args.arm) await lib.atRest();
    let found = locate(args, alloc);
    if (found.problem) return { ...found.problem, next: alloc.next };
    let answer = await lookUntilStill(found.el, args);
    if (answer.status === 'gone') {
      // Redrawn while we waited: find it once more.
      found = locate(args, alloc);
      if (found.problem) return { ...found.problem, next: alloc.next };
      answer = await lookUntilStill(found.el, args);
      if (answer.status === 'gone') return { status: 'stale', candidates: [], next: alloc.next };
    }
    const { el } = found;
    const { action = 'click' } = args;
    const about = {
      ref: refOf(el, alloc),
      description: lib.describe(el),
      role: lib.roleOf(el) ?? 'generic',
      name: lib.clean(lib.nameOf(el), 80),
      tag: lib.tagOf(el),
      editable: lib.takesText(el),
    };
    if (found.healed) about.healed = true;
    const { status, spot, point, rect, cover, moved, ...rest } = answer;
    const out = { status, ...about, ...rest };
    if (moved) out.moved = moved;
    if (status === 'covered') out.occluder = occluder(cover, el, alloc);
    if (status === 'ok') {
      const box = rect ?? new DOMRect();
      Object.assign(out, { x: round(point?.x ?? 0), y: round(point?.y ?? 0), rect: { x: round(box.x), y: round(box.y), width: round(box.width), height: round(box.height) } });
      const picture = action === 'click' || action === 'drag' ? pictureAt(out.x, out.y) : null;
      if (picture) out.picture = picture;
      // Where it is forced nobody minds what else takes it.
      if (args.arm) Object.assign(out, lib.openWindow(args.force ? null : el, { visibility: args.action === 'hover', frame: args.frame }));
    }
    out.next = alloc.next;
    return out;
  };

  // ---------------------------------------------------------------- what hovering shows

  const isShown = (/** @type {Element} */ el) => {
    if (!el.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true })) return false;
    const box = el.getBoundingClientRect();
    return box.width > 0 && box.height > 0;
  };
  const SHOWABLE = 'a[href],button,input,select,textarea,summary,[tabindex],[role],[onclick],li,img,label';

  /** Elements near `el`, the first 150 or so, that a person can see: what a change of its looks may bring up. @param {Element} el */
  lib.shownNear = (el) => {
    let scope = el;
    for (let up = lib.parentOf(el); up && up !== lib.body() && up.getElementsByTagName('*').length <= 150; up = lib.parentOf(up)) scope = up;
    return new Set([...lib.queryAll(scope, '*')].filter(isShown));
  };

  /** Elements that a person can see and that hovering may bring up. @param {Element | null} near */
  lib.shownNow = (near) => {
    const visible = new Set();
    const add = (/** @type {Element} */ el) => {
      if (isShown(el)) visible.add(el);
    };
    for (const el of lib.deepQuery(SHOWABLE).slice(0, 1_500)) add(el);
    // What hovering shows by style alone stands in or beside what is hovered.
    const around = near && (lib.parentOf(lib.parentOf(near) ?? near) ?? near);
    const inside = around ? lib.queryAll(around, '*') : [];
    for (let i = 0; i < inside.length && i < 1_500; i++) add(inside[i]);
    return visible;
  };

  /** What came up and went away since a window began; null for nothing. @param {{shown: Set<Element> | null, acted: Element | null}} w */
  lib.flips = (w) => (w.shown ? compare(w.shown, lib.shownNow(w.acted)) : null);
  /** The same for what the focus brought. @param {{baseline: Set<Element>, acted: Element}} w */
  lib.opened = (w) => compare(w.baseline, lib.shownNear(w.acted));

  /** @param {Set<Element>} before @param {Set<Element>} visible */
  const compare = (before, visible) => {
    let shown = 0;
    let hidden = 0;
    for (const el of visible) if (!before.has(el)) shown++;
    for (const el of before) if (!visible.has(el) && lib.isConnected(el)) hidden++;
    return shown + hidden > 0 ? { shown, hidden } : null;
  };

  // ---------------------------------------------------------------- who received it

  const HITS = ['pointerdown', 'touchstart', 'mousedown', 'click', 'drop'];

  /** @param {Element} acted @param {Node} receiver */
  const intended = (acted, receiver) => {
    const el = receiver.nodeType === 1 ? /** @type {Element} */ (receiver) : lib.parentOf(receiver);
    if (!el) return false;
    if (serves(acted, el)) return true;
    // A closed shadow root shows only its host to listeners outside.
    for (let root = lib.rootOf(acted); root.host; root = lib.rootOf(root.host)) if (root.host === el && root.mode === 'closed') return true;
    return false;
  };

  const onHit = (/** @type {Event} */ event) => {
    const w = lib.observation();
    if (w.mode !== 'open' || w.hit) return;
    const receiver = /** @type {Node | Window} */ (event.composedPath()[0]);
    if (!(receiver instanceof Node)) return;
    const el = receiver.nodeType === 1 ? receiver : lib.parentOf(receiver) ?? lib.documentElement();
    w.hit = { receiver: lib.describe(el), intended: w.acted === null ? !w.elsewhere : intended(w.acted, receiver), trusted: event.isTrusted };
    // A click at a point: what it fell on is what it acted on.
    w.acted ??= el;
  };

  const onDrop = () => {
    const w = lib.observation();
    if (w.mode === 'open') w.dropped = true;
  };
  /** Whether a drop was given to this document in the last window. */
  lib.dropTaken = () => ({ taken: taken || lib.observation().dropped === true });
  let taken = false;
  /** Keeps what a window saw when it closes. @param {{dropped?: boolean}} w */
  lib.keepDrop = (w) => {
    taken = w.dropped === true;
  };

  /** Called on every arm; adding a listener again does nothing. */
  lib.listenForHits = () => {
    for (const type of HITS) addEventListener(type, onHit, { capture: true, passive: true });
    addEventListener('drop', onDrop, { capture: true, passive: true });
  };
  lib.listenForHits();

  // ---------------------------------------------------------------- points and frames

  /** @param {any} args */
  lib.hitAt = (args) => {
    const alloc = allocOf(args);
    const el = lib.elementAt(args.x, args.y);
    if (!el) return { status: 'outside', next: alloc.next };
    const out = { status: 'ok', ref: refOf(el, alloc), description: lib.describe(el), next: alloc.next };
    const number = lib.frameNumber(el);
    if (number !== null) out.frame = number;
    const picture = pictureAt(args.x, args.y);
    if (picture) out.picture = picture;
    return out;
  };

  const frameElement = (/** @type {number} */ number) =>
    lib.deepQuery('iframe,frame,object,embed').find((/** @type {Element} */ el) => lib.frameNumber(el) === number) ?? null;

  /** @param {HTMLElement} el */
  const frameOrigin = (el) => {
    const box = el.getBoundingClientRect();
    if (!box.width || !box.height) return null;
    const style = getComputedStyle(el);
    const scale = el.offsetWidth ? box.width / el.offsetWidth : 1;
    return {
      x: box.left + (el.clientLeft + Number.parseFloat(style.paddingLeft)) * scale,
      y: box.top + (el.clientTop + Number.parseFloat(style.paddingTop)) * scale,
      scale,
    };
  };

  /** Where the content of a frame starts in this viewport, after bringing the point `x`, `y` of it into view, and how much of it can be seen. @param {any} args */
  lib.frameBox = (args) => {
    const el = /** @type {HTMLElement | null} */ (frameElement(args.number));
    if (!el) return { status: 'none' };
    if (!lib.isRendered(el)) return { status: 'hidden', why: whyHidden(el) ?? 'not rendered' };
    // A point that was given is where it is: nothing may move under it.
    if (!args.still && !inFullView(el)) centre(el);
    let at = frameOrigin(el);
    if (at === null) return { status: 'hidden', why: 'zero size' };
    if (args.x !== undefined && args.y !== undefined) {
      // A frame may be taller than the view, or its point under a bar that sticks: bring the point to the middle.
      const x = at.x + args.x * at.scale;
      const y = at.y + args.y * at.scale;
      const inside = x >= 0 && y >= 0 && x < innerWidth && y < innerHeight;
      if (!inside || lib.elementAt(x, y) !== el) {
        lib.scroller().scrollBy({ left: inside ? 0 : x - innerWidth / 2, top: y - innerHeight / 2, behavior: 'instant' });
        lib.fresh();
        at = frameOrigin(el) ?? at;
      }
    }
    const box = el.getBoundingClientRect();
    const clip = inView(box) ?? { x: 0, y: 0, width: 0, height: 0 };
    return { status: 'ok', x: round(at.x), y: round(at.y), scale: at.scale, clip };
  };

  /** @param {any} args */
  lib.frameHit = (args) => {
    const alloc = allocOf(args);
    const el = frameElement(args.number);
    const hit = lib.elementAt(args.x, args.y);
    if (el && hit === el) return { ok: true };
    const cover = el ? coverOf(el, hit) : hit;
    return { ok: false, occluder: cover ? occluder(cover, el ?? cover, alloc) : null, next: alloc.next };
  };

  // ---------------------------------------------------------------- input by script

  /** Runs what follows as if it were a person's input, for the observation. @template T @param {() => T} act @returns {T} */
  const acting = (act) => {
    lib.acting = true;
    try {
      return act();
    } finally {
      lib.acting = false;
    }
  };
  lib.asInput = acting;
  /** A point of the element that receives events, or what lies over it. */
  lib.aim = aim;
  lib.boxesOf = boxesOf;
  lib.coverOf = coverOf;

  /** @param {Element} el @param {{x: number, y: number}} point */
  const press = (el, point) => {
    const base = { bubbles: true, cancelable: true, composed: true, view: window, clientX: point.x, clientY: point.y };
    const pointer = { ...base, pointerId: 1, pointerType: 'mouse', isPrimary: true };
    el.dispatchEvent(new PointerEvent('pointerover', pointer));
    el.dispatchEvent(new MouseEvent('mouseover', base));
    el.dispatchEvent(new PointerEvent('pointermove', pointer));
    el.dispatchEvent(new MouseEvent('mousemove', base));
    el.dispatchEvent(new PointerEvent('pointerdown', { ...pointer, buttons: 1, pressure: 0.5 }));
    const held = el.dispatchEvent(new MouseEvent('mousedown', { ...base, detail: 1, buttons: 1 }));
    // The browser would move the focus on a press that nobody cancelled.
    if (held) {
      const focusable = lib.closest(el, 'a[href],button,input,select,textarea,summary,[tabindex],[contenteditable]');
      if (focusable instanceof HTMLElement) focusable.focus({ preventScroll: true });
    }
    el.dispatchEvent(new PointerEvent('pointerup', pointer));
    el.dispatchEvent(new MouseEvent('mouseup', { ...base, detail: 1 }));
    el.dispatchEvent(new PointerEvent('click', { ...pointer, detail: 1 }));
  };

  /** A click by script; the page can tell it from a person's. @param {any} args */
  lib.clickSynthetic = (args) => {
    const alloc = allocOf(args);
    const { el, problem } = lib.resolve(args.target, alloc);
    if (problem) return { ...problem, next: alloc.next };
    acting(() => press(el, centreOf(el)));
    return { status: 'ok', next: alloc.next };
  };

  /** Drag and drop by script, for hosts without trusted input. @param {any} args */
  lib.dragSynthetic = (args) => {
    const alloc = allocOf(args);
    const from = lib.resolve(args.target, alloc);
    if (from.problem) return { ...from.problem, next: alloc.next };
    const to = lib.resolve(args.to, alloc);
    if (to.problem) return { ...to.problem, next: alloc.next };
    const dataTransfer = new DataTransfer();
    const send = (/** @type {string} */ type, /** @type {Element} */ el) => {
      const { x, y } = centreOf(el);
      return el.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, composed: true, view: window, clientX: x, clientY: y, dataTransfer }));
    };
    return acting(() => {
      if (!send('dragstart', from.el)) return { status: 'refused', next: alloc.next };
      send('dragenter', to.el);
      // A target takes the drop by cancelling the event.
      const taken = !send('dragover', to.el);
      if (taken) send('drop', to.el);
      send('dragend', from.el);
      return { status: taken ? 'ok' : 'refused', next: alloc.next };
    });
  };
})(globalThis.__truehand ??= {});
