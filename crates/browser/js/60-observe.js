// The observation of a frame: what changed in a window around an action, without what was changing anyway.
//
// One MutationObserver watches the document and every reachable shadow root from document start on. What it hands over is
// netted within a window: a value that was written again, or an element that was put back where it was, is no change.
((lib) => {
  'use strict';
  if (lib.ready) return;

  /** Records in one window after which they are only counted, not looked into. */
  const FLOOD = 5_000;
  /** Elements of one window that are walked; past it the browser's own counters are used. */
  const WALK_CAP = 20_000;
  const OBSERVED = {
    subtree: true, childList: true, attributes: true, attributeOldValue: true, characterData: true, characterDataOldValue: true,
  };

  /** Shadow roots under observation. */
  const observed = new WeakSet();
  /** When a style or class of an element last changed; tells `prepare` whether something may be moving. */
  const restyled = new WeakMap();
  /** The last known scroll positions. @type {WeakMap<Element, {x: number, y: number}>} */
  const positions = new WeakMap();

  /** False until the first load has come to rest: loading is no habit. */
  let loaded = false;
  /** Since when changes are recorded. */
  let watchedFrom = Infinity;
  /** Ends the waiting of a `settle`. @type {((superseded: boolean) => void) | null} */
  let endPending = null;
  /** Called on a change that counts, while a `settle` waits. @type {(() => void) | null} */
  let wake = null;

  /** @param {'idle' | 'open' | 'late'} mode */
  const newWindow = (mode) => ({
    mode,
    startedAt: performance.now(),
    records: 0,
    walked: 0,
    truncated: false,
    added: 0,
    removed: 0,
    attr: 0,
    text: 0,
    ambient: 0,
    /** Counts the changes that matter, so that frames can be compared. */
    serial: 0,
    /** First values in this window. @type {Map<Element, Map<string, string | null>>} */
    attrs: new Map(),
    /** @type {Map<CharacterData, string>} */
    data: new Map(),
    /** An element's own text before; null when it can't be told. @type {Map<Node, string | null>} */
    texts: new Map(),
    /** Whether a field took input. */
    wrote: false,
    /** Whether text was entered; choices and switches are written too, but tell of themselves by a plain event. */
    typed: false,
    /** Elements that are new in this window: what changes in them is part of their coming. */
    fresh: new WeakSet(),
    /** How often a node changed in a way. @type {WeakMap<Node, Map<string, {n: number, at: number}>>} */
    repeats: new WeakMap(),
    /** @type {Map<Element, {x: number, y: number}>} */
    scrolls: new Map(),
    /** @type {Map<Element, {kind: string, value: string}>} */
    fields: new Map(),
    /** @type {Set<Element> | null} */
    shown: null,
    /** @type {{shown: number, hidden: number} | null} */
    flips: null,
    /** @type {Element | null} */
    acted: null,
    hovering: false,
    elsewhere: false,
    /** @type {Element | null} */
    focusBefore: null,
    focusSelector: '',
    /** @type {{receiver: string, intended: boolean, trusted: boolean} | null} */
    hit: null,
    /** What pointing or focusing did by itself: attributes that may only be looks, by their first values. @type {Map<Element, Map<string, string | null>>} */
    looks: new Map(),
    /** What came up and went away with such looks. @type {{shown: number, hidden: number} | null} */
    opened: null,
    /** Whether some of it came with the focus, which may open things as well. */
    ringed: false,
    /** What a person could see when the focus came. @type {Set<Element> | null} */
    baseline: null,
    /** Elements and texts that pointing brought or took, and elements that came and went again within the window. */
    passing: 0,
    /** Elements that came and went again, so far. */
    undone: 0,
    /** What pointing brought. */
    brought: new WeakSet(),
    /** Whether something changed in the task of an input, which no ticker does. */
    direct: false,
    /**
     * What changed at another time, by kind, with when it had changed before and its first times in this window: it may be a
     * ticker that is not known yet. @type {Map<Node, Map<string, {before: number[], after: number[]}>>}
     */
    loose: new Map(),
    /** Elements added and removed, by the node that holds them. @type {Map<Node, {added: number, removed: number}>} */
    children: new Map(),
    /** What went from a node and what came in its place: it may be drawn anew, the same as before. @type {Map<Node, {was: Node[], came: Set<Node>}>} */
    redraws: new Map(),
    /** Whether nothing but textless elements came, within what was acted on: they may be a ripple. */
    hollow: true,
    /** Fields that the browser refused to send, with its words. @type {Map<Element, string>} */
    refused: new Map(),
    submitted: false,
    /** What changes without a record. @type {any} */
    beyond: null,
  });

  let current = newWindow('idle');

  const now = () => performance.now();
  const isElement = (/** @type {Node} */ node) => node.nodeType === 1;
  const isText = (/** @type {Node} */ node) => node.nodeType === 3 || node.nodeType === 4;
  // Read from the prototypes: an input called "parentNode" takes the property's place on its form.
  const getter = (/** @type {object} */ proto, /** @type {string} */ name) => Object.getOwnPropertyDescriptor(proto, name).get;
  const getParent = getter(Node.prototype, 'parentNode');
  const getOwner = getter(Node.prototype, 'ownerDocument');
  const getLastChild = getter(Element.prototype, 'lastElementChild');
  const getPrevious = getter(Element.prototype, 'previousElementSibling');
  const parentOf = (/** @type {Node} */ node) => getParent.call(node);
  const isHere = (/** @type {Node} */ node) => lib.isConnected(node) && getOwner.call(node) === document;
  const UNSEEN_TEXT = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE']);

  /** @param {MutationRecord} record */
  const kindOf = (record) => (record.type === 'attributes' ? `a:${record.attributeName}` : record.type);

  // ---------------------------------------------------------------- shadow roots

  /** @param {ShadowRoot} root */
  const watchRoot = (root) => {
    observed.add(root);
    observer.observe(root, OBSERVED);
    root.addEventListener('scroll', onScroll, { capture: true, passive: true });
  };

  /** Observes the shadow roots that are not observed yet; returns them. */
  const discover = () => {
    const found = lib.roots().filter((/** @type {Node} */ root) => root !== document && !observed.has(root));
    for (const root of found) watchRoot(root);
    return found;
  };

  // ---------------------------------------------------------------- records

  const changed = () => {
    current.serial++;
    wake?.();
  };

  /** @param {MutationRecord[]} records */
  const take = (records) => {
    const w = current;
    const at = now();
    const idle = w.mode !== 'open' && !lib.inInput();
    if (w.mode !== 'idle') w.records += records.length;
    if (w.records > FLOOD) w.truncated = true;
    const children = [];
    const others = [];
    const serial = w.serial;
    let news = w.truncated;
    for (const record of records) {
      const node = record.target;
      if (lib.isGlass(record)) continue;
      if (record.type === 'attributes') {
        if (record.oldValue === valueOf(/** @type {Element} */ (node), record) && !w.attrs.has(/** @type {Element} */ (node))) {
          // Written again with what it held, or on the way back to it: only the first value of a window tells.
          if (w.mode !== 'idle' && !w.truncated && !lib.isAmbient(node, kindOf(record), at)) others.push(record);
          continue;
        }
        if (record.attributeName === 'style' || record.attributeName === 'class') restyled.set(node, at);
      } else if (record.type === 'characterData' && !isText(node)) {
        continue;
      }
      const kind = kindOf(record);
      const ambient = lib.isAmbient(node, kind, at);
      if (!lib.inInput() && (loaded || w.mode === 'open')) lib.learn(node, kind, at, idle);
      if (ambient) {
        if (record.type === 'childList') lib.markBorn(record.addedNodes);
        w.ambient++;
        continue;
      }
      if (w.mode === 'idle') {
        if (record.type === 'childList') watchCustom(record.addedNodes);
        continue;
      }
      if (lib.isIncidental(w, record)) {
        noteIncidental(w, record);
        continue;
      }
      if (lib.inInput()) w.direct = true;
      else noteLoose(w, node, kind, at);
      if (!news && !isRepeat(w, node, kind, at)) news = true;
      if (w.truncated) countCheaply(w, record);
      else if (record.type === 'childList') children.push(record);
      else others.push(record);
    }
    if (w.truncated) wake?.();
    // Children first: what changes in an element that is new is part of its coming.
    if (children.length) (lib.noteRedraws(w, children), noteChildren(w, children));
    for (const record of others) record.type === 'attributes' ? noteAttribute(w, record) : noteData(w, record);
    // What has proved itself a ticker since was one from its first change on.
    if (w.mode === 'late') for (const [node, kinds] of w.loose) for (const kind of [...kinds.keys()]) if (lib.habitOf(node, kind)?.proved) lib.demote(w, node, kind);
    // An animation that the action started counts, but its hundredth step is nothing to wait for.
    if (!news) w.serial = serial;
  };

  /** @param {ReturnType<typeof newWindow>} w @param {Node} node @param {string} kind @param {number} at */
  const noteLoose = (w, node, kind, at) => {
    let kinds = w.loose.get(node);
    if (!kinds) w.loose.set(node, (kinds = new Map()));
    const times = kinds.get(kind);
    if (!times) {
      const before = lib.habitOf(node, kind)?.recent.map((entry) => entry.at).filter((time) => time < w.startedAt) ?? [];
      kinds.set(kind, { before, after: [at] });
    } else if (times.after.length < 4 && at - times.after[times.after.length - 1] >= 12) times.after.push(at);
  };

  /** @param {ReturnType<typeof newWindow>} w @param {MutationRecord} record */
  const noteIncidental = (w, record) => {
    if (record.type === 'childList') {
      w.passing += Math.max(1, countElementsIn(record.addedNodes) + countElementsIn(record.removedNodes));
      // What changes in it later on belongs to it.
      for (const node of record.addedNodes) if (isElement(node)) for (const el of lib.treeOf(node)) (w.fresh.add(el), w.brought.add(el));
      return;
    }
    if (record.type !== 'attributes') return void w.passing++;
    if (lib.isFocusing()) w.ringed = true;
    const el = /** @type {Element} */ (record.target);
    let names = w.looks.get(el);
    if (!names) w.looks.set(el, (names = new Map()));
    const key = lib.keyOf(record);
    if (!names.has(key)) names.set(key, record.oldValue);
  };

  /** Takes back what a node's changes of a kind have been counted as. @param {ReturnType<typeof newWindow>} w @param {Node} node @param {string} kind */
  lib.demote = (w, node, kind) => {
    const kinds = w.loose.get(node);
    kinds?.delete(kind);
    if (kinds?.size === 0) w.loose.delete(node);
    w.ambient++;
    if (kind === 'characterData') w.data.delete(/** @type {CharacterData} */ (node));
    else if (kind === 'childList') {
      w.texts.delete(node);
      const count = w.children.get(node);
      w.children.delete(node);
      w.redraws.delete(node);
      w.added -= count?.added ?? 0;
      w.removed -= count?.removed ?? 0;
    } else {
      const names = w.attrs.get(/** @type {Element} */ (node));
      for (const key of names?.keys() ?? []) if (key === kind.slice(2) || key.endsWith(` ${kind.slice(2)}`)) names.delete(key);
    }
    const habit = lib.habitOf(node, kind);
    if (habit) habit.proved = true;
  };

  /** Whether this node has changed in this way in eight earlier batches of the window. @param {ReturnType<typeof newWindow>} w @param {Node} node @param {string} kind @param {number} at */
  const isRepeat = (w, node, kind, at) => {
    let kinds = w.repeats.get(node);
    if (!kinds) w.repeats.set(node, (kinds = new Map()));
    const known = kinds.get(kind);
    if (!known) kinds.set(kind, { n: 1, at });
    else if (known.at !== at) {
      known.n++;
      known.at = at;
    }
    return known !== undefined && known.n > 8;
  };

  /** A component that comes while nobody acts is watched at once, so that its habits are known. @param {NodeList} nodes */
  const watchCustom = (nodes) => {
    for (const node of nodes) {
      const root = isElement(node) && lib.tagOf(node).includes('-') ? lib.shadowOf(node) : null;
      if (root && !observed.has(root)) watchRoot(root);
    }
  };

  /** @param {Element} el @param {MutationRecord} record */
  const valueOf = (el, record) => (record.attributeNamespace ? el.getAttributeNS(record.attributeNamespace, record.attributeName) : el.getAttribute(record.attributeName));

  /** @param {ReturnType<typeof newWindow>} w @param {MutationRecord} record */
  const countCheaply = (w, record) => {
    if (record.type === 'attributes') w.attr++;
    else if (record.type === 'characterData') w.text++;
    else {
      const added = countElementsIn(record.addedNodes);
      const removed = countElementsIn(record.removedNodes);
      w.added += added;
      w.removed += removed;
      if (added + removed === 0) w.text++;
    }
    w.serial++;
  };

  /** By index: iterators over node lists cost several times as much. @param {NodeList} nodes */
  const countElementsIn = (nodes) => {
    let n = 0;
    for (let i = 0; i < nodes.length; i++) if (isElement(nodes[i])) n++;
    return n;
  };

  /** @param {ReturnType<typeof newWindow>} w @param {MutationRecord} record */
  const noteAttribute = (w, record) => {
    const el = /** @type {Element} */ (record.target);
    const differs = record.oldValue !== valueOf(el, record);
    if (differs) changed();
    if (w.fresh.has(el)) return;
    let names = w.attrs.get(el);
    if (!names) w.attrs.set(el, (names = new Map()));
    const key = lib.keyOf(record);
    if (!names.has(key)) names.set(key, record.oldValue);
  };

  /** @param {ReturnType<typeof newWindow>} w @param {MutationRecord} record */
  const noteData = (w, record) => {
    const node = /** @type {CharacterData} */ (record.target);
    const parent = node.parentElement;
    if (parent && UNSEEN_TEXT.has(parent.tagName)) return;
    if (record.oldValue !== node.data) changed();
    if (parent && w.fresh.has(parent)) return;
    if (!w.data.has(node)) w.data.set(node, record.oldValue ?? '');
  };

  /** @param {ReturnType<typeof newWindow>} w @param {MutationRecord[]} records one batch, in order */
  const noteChildren = (w, records) => {
    /** What the batch did to an element first, which tells whether it was there before. @type {Map<Node, 'added' | 'removed'>} */
    const first = new Map();
    /** @type {Map<Node, Node>} */
    const from = new Map();
    /** @type {Map<Node, MutationRecord[]>} */
    const textOnly = new Map();
    const wasThere = (/** @type {Node} */ target) => {
      for (let node = target; node; node = parentOf(node)) if (first.get(node) === 'added') return false;
      return true;
    };
    for (const record of records) {
      let elements = false;
      for (const node of record.removedNodes) {
        if (!isElement(node)) continue;
        elements = true;
        if (first.has(node)) continue;
        first.set(node, wasThere(record.target) ? 'removed' : 'added');
        from.set(node, record.target);
      }
      for (const node of record.addedNodes) {
        if (!isElement(node)) continue;
        elements = true;
        if (!first.has(node)) first.set(node, 'added');
      }
      if (elements) continue;
      const list = textOnly.get(record.target);
      if (list) list.push(record);
      else textOnly.set(record.target, [record]);
    }
    const counted = new Set();
    const moved = new Map();
    let before = w.added + w.removed;
    for (const [node, how] of first) {
      const here = isHere(node);
      if (how === 'added' && here) {
        if (w.hollow && !lib.isHollow(w, /** @type {Element} */ (node))) w.hollow = false;
        book(w, parentOf(node), 'added', countTree(w, node, first, 'removed', counted, true));
      } else if (how === 'removed' && !here) {
        const came = w.undone;
        book(w, from.get(node), 'removed', countTree(w, node, first, 'added', counted, false));
        // What came in this window and is gone again was passing.
        book(w, from.get(node), 'added', came - w.undone);
      } else if (how === 'removed') {
        const parent = from.get(node);
        w.hollow = false;
        if (parentOf(node) !== parent) (w.added++, w.removed++);
        else if (moved.has(parent)) moved.get(parent).push(node);
        else moved.set(parent, [node]);
      }
    }
    for (const [parent, nodes] of moved) {
      const n = lib.countReordered(parent, nodes, records);
      w.added += n;
      w.removed += n;
    }
    if (w.added + w.removed !== before) changed();
    for (const [target, list] of textOnly) noteOwnText(w, target, list);
  };

  /** Counts elements under the node that holds them. @param {ReturnType<typeof newWindow>} w @param {Node} parent @param {'added' | 'removed'} what @param {number} n */
  const book = (w, parent, what, n) => {
    w[what] += n;
    let count = w.children.get(parent);
    if (!count) w.children.set(parent, (count = { added: 0, removed: 0 }));
    count[what] += n;
  };

  /**
   * Elements of a subtree, shadow content included, without parts that came from or went elsewhere.
   * @param {ReturnType<typeof newWindow>} w @param {Node} top @param {Map<Node, string>} first @param {string} skip
   * @param {Set<Node>} counted @param {boolean} coming
   */
  const countTree = (w, top, first, skip, counted, coming) => {
    let n = 0;
    const stack = [top];
    while (stack.length) {
      const el = /** @type {Element} */ (stack.pop());
      if (counted.has(el) || first.get(el) === skip) continue;
      if (w.walked++ > WALK_CAP) {
        w.truncated = true;
        n += 1 + el.getElementsByTagName('*').length;
        continue;
      }
      counted.add(el);
      if (coming) w.fresh.add(el);
      if (coming || !w.fresh.has(el)) n++;
      else if (!w.brought.has(el)) w.undone++;
      const root = lib.shadowOf(el);
      if (root) {
        if (coming && !observed.has(root)) watchRoot(root);
        for (let child = root.lastElementChild; child; child = getPrevious.call(child)) stack.push(child);
      }
      for (let child = getLastChild.call(el); child; child = getPrevious.call(child)) stack.push(child);
    }
    return n;
  };

  lib.ownText = (/** @type {Node} */ target) => {
    let out = '';
    for (const node of target.childNodes) if (isText(node)) out += /** @type {CharacterData} */ (node).data;
    return out;
  };

  /** @param {ReturnType<typeof newWindow>} w @param {Node} target @param {MutationRecord[]} records without elements */
  const noteOwnText = (w, target, records) => {
    if (isElement(target) && UNSEEN_TEXT.has(/** @type {Element} */ (target).tagName)) return;
    const came = new Set();
    let gone = '';
    for (const record of records) {
      for (const node of record.removedNodes) {
        if (!isText(node)) continue;
        if (came.has(node)) came.delete(node);
        else gone += w.data.get(/** @type {CharacterData} */ (node)) ?? /** @type {CharacterData} */ (node).data;
      }
      for (const node of record.addedNodes) if (isText(node)) came.add(node);
    }
    let here = '';
    let others = false;
    for (const node of target.childNodes) {
      if (isText(node) && came.has(node)) here += /** @type {CharacterData} */ (node).data;
      else if (isText(node) || isElement(node)) others = true;
    }
    if (gone === here && !w.texts.has(target)) return;
    changed();
    if (w.fresh.has(target) || w.texts.has(target)) return;
    w.texts.set(target, others ? null : gone);
  };

  lib.noteChange = changed;
  const countElements = () => document.getElementsByTagName('*').length;
  const flush = () => {
    const pending = observer.takeRecords();
    if (pending.length) take(pending);
  };

  // ---------------------------------------------------------------- listeners

  const onInput = (/** @type {Event} */ event) => {
    if (!event.isTrusted && !lib.acting) return;
    lib.noteInput();
    if (current.mode === 'open' && (event.type === 'input' || event.type === 'change')) {
      current.wrote ||= event.type === 'input';
      current.typed ||= event instanceof InputEvent;
      changed();
    }
  };

  const onFocus = () => {
    const w = current;
    if (w.mode !== 'open') return;
    changed();
    // Before the page's own listeners run.
    if (w.acted && !w.hovering) w.baseline ??= lib.shownNear(w.acted);
  };

  const onInvalid = (/** @type {Event} */ event) => {
    const el = /** @type {HTMLInputElement} */ (event.target);
    if (current.mode === 'open' && el.validity && !el.validity.valid) current.refused.set(el, el.validationMessage);
  };

  const onSubmit = () => {
    if (current.mode === 'open') current.submitted = true;
  };

  const onScroll = (/** @type {Event} */ event) => {
    const el = event.target === document ? document.scrollingElement : /** @type {Element} */ (event.target);
    if (!(el instanceof Element) || lib.takesText(el)) return;
    const at = now();
    const was = positions.get(el) ?? { x: 0, y: 0 };
    positions.set(el, { x: el.scrollLeft, y: el.scrollTop });
    const ambient = lib.isAmbient(el, 'scroll', at);
    if (current.mode !== 'open') {
      if (loaded && !lib.inInput()) lib.learn(el, 'scroll', at, true);
      return;
    }
    if (ambient) return;
    if (!current.scrolls.has(el)) current.scrolls.set(el, was);
    const start = current.scrolls.get(el);
    if (start.x !== el.scrollLeft || start.y !== el.scrollTop) changed();
  };

  /** Idempotent, and called on every arm: `document.open` takes all listeners away. */
  const listen = () => {
    const how = { capture: true, passive: true };
    for (const type of lib.INPUT_EVENTS) addEventListener(type, onInput, how);
    addEventListener('focus', onFocus, how);
    addEventListener('invalid', onInvalid, how);
    addEventListener('submit', onSubmit, how);
    addEventListener('scroll', onScroll, how);
    lib.listenForHits?.();
  };

  /** The next frame, or 60 ms where frames are not drawn. @param {() => void} then */
  const frame = (then) => {
    let done = false;
    const once = () => {
      if (done) return;
      done = true;
      cancelAnimationFrame(asked);
      clearTimeout(timer);
      then();
    };
    const asked = requestAnimationFrame(once);
    const timer = setTimeout(once, 60);
  };

  const observer = new MutationObserver(take);
  listen();

  /** Watches the document and all roots in it; asking twice does no harm. Returns the roots that are new. */
  const observe = () => {
    observer.observe(document, OBSERVED);
    return discover();
  };

  /** How long a page is watched before it is first acted on, in milliseconds: what moves faster than that is known then. */
  const ACQUAINTANCE = 100;
  /** Ends a wait for the rest. @type {(() => void)[]} */
  const resting = [];
  /**
   * Waits for two frames without a change, for six in which only the same few nodes changed (a page with a ticker in every
   * frame is never quiet), or for one second.
   * @param {() => void} then
   */
  const awaitCalm = (then) => {
    const since = now();
    let quiet = 0;
    let calm = true;
    let steady = 0;
    let strange = false;
    /** @type {Set<Node>} */
    const known = new Set();
    const probe = new MutationObserver((records) => {
      calm = false;
      for (const record of records) {
        if (known.has(record.target)) continue;
        known.add(record.target);
        strange = true;
      }
    });
    probe.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    const step = () => {
      quiet = calm ? quiet + 1 : 0;
      steady = strange || known.size > 20 ? 0 : steady + 1;
      calm = true;
      strange = false;
      if (quiet < 2 && steady < 6 && now() - since < 1_000) return frame(step);
      probe.disconnect();
      then();
    };
    frame(step);
  };

  // Loading is not recorded: nobody asks for it, and it would cost the most.
  const awaitRest = () =>
    awaitCalm(() => {
      loaded = true;
      watchedFrom = Math.min(watchedFrom, now());
      observe();
      for (const go of resting.splice(0)) go();
    });
  if (document.readyState === 'loading') addEventListener('DOMContentLoaded', awaitRest, { once: true });
  else awaitRest();

  /** Whether the page has come to rest after its load event. */
  let complete = false;
  /** Ends the waits for that. @type {(() => void)[]} */
  const completing = [];
  const awaitComplete = () =>
    awaitCalm(() => {
      complete = true;
      for (const go of completing.splice(0)) go();
    });
  if (document.readyState === 'complete') awaitComplete();
  else addEventListener('load', awaitComplete, { once: true });

  // ---------------------------------------------------------------- page functions

  /** Resolves when loading has come to rest and what moves by itself has had a moment to show it; soon in any case. */
  lib.atRest = () =>
    now() - watchedFrom > ACQUAINTANCE
      ? null
      : new Promise((resolve) => {
          if (loaded) return void setTimeout(resolve, ACQUAINTANCE);
          const timer = setTimeout(resolve, 250);
          resting.push(() => (clearTimeout(timer), setTimeout(resolve, ACQUAINTANCE)));
        });
  /**
   * Resolves with the page's `stats` once it has loaded and come to rest, or when its time is over: an image that never comes
   * keeps nobody from using the page.
   */
  lib.arrived = ({ load_ms = 1_000, rest_ms = 400 } = {}) =>
    new Promise((resolve) => {
      let timer = 0;
      const end = () => {
        clearTimeout(timer);
        resolve(lib.stats());
      };
      if (complete) return end();
      timer = setTimeout(() => {
        if (document.readyState !== 'complete') return end();
        timer = setTimeout(end, rest_ms);
      }, load_ms);
      completing.push(end);
    });
  lib.nextFrame = () => new Promise((resolve) => frame(() => resolve(undefined)));
  /** Since when changes are recorded. */
  lib.watchedFrom = () => watchedFrom;
  /** Milliseconds since a style or class of the element changed. */
  lib.restyledFor = (/** @type {Element} */ el) => now() - (restyled.get(el) ?? -Infinity);
  /** The observation window, for the watch on who receives an event. */
  lib.observation = () => current;

  /**
   * Starts a new window.
   * @param {Element | null} acted the element that is about to be acted on
   * @param {{visibility?: boolean, elsewhere?: boolean, frame?: number}} options `elsewhere`: the action is meant for another frame
   */
  lib.openWindow = (acted, { visibility = false, elsewhere = false, frame = 0 } = {}) => {
    endPending?.(true);
    flush();
    listen();
    lib.listenBeyond();
    lib.forgetScroll();
    const late = { added: 0, removed: 0, attr_changes: 0, text_changes: 0, ambient: 0, incidental: 0 };
    if (current.mode === 'late') {
      const sum = lib.tally(current);
      for (const key of Object.keys(late)) late[key] = sum[key];
      late.values = lib.valuesOf(sum.fields, { frame, next: 0 }, false);
    }
    observe();
    watchedFrom = Math.min(watchedFrom, now());
    const w = (current = newWindow('open'));
    lib.nextStretch();
    w.acted = acted;
    w.elsewhere = elsewhere;
    w.focusBefore = lib.focused();
    const idle = !w.focusBefore || w.focusBefore === document.body || w.focusBefore === document.documentElement;
    w.focusSelector = idle ? '' : lib.selectorOf(w.focusBefore);
    w.fields = lib.fieldsNow(acted);
    if (document.scrollingElement) w.scrolls.set(document.scrollingElement, { x: document.scrollingElement.scrollLeft, y: document.scrollingElement.scrollTop });
    for (let el = acted && lib.parentOf(acted); el; el = lib.parentOf(el)) w.scrolls.set(el, { x: el.scrollLeft, y: el.scrollTop });
    w.hovering = visibility;
    w.beyond = lib.beyondNow();
    if (visibility) w.shown = lib.shownNow(acted);
    return { elements: countElements(), late };
  };

  lib.arm = (/** @type {any} */ args = {}) => {
    let acted = null;
    if (args.watch !== undefined && args.watch !== null) {
      const target = typeof args.watch === 'object' ? args.watch : { kind: 'ref', number: Number(String(args.watch).replace(/^.*e/, '')) };
      acted = lib.resolve(target, { frame: args.frame ?? 0, next: args.next ?? 0 }).el ?? null;
    }
    return lib.openWindow(acted, { visibility: args.visibility === true, elsewhere: args.elsewhere === true, frame: args.frame });
  };

  lib.settle = (/** @type {any} */ args = {}) => {
    endPending?.(true);
    // A document that came with the action was never armed: all that it does from here on is its window.
    if (current.mode !== 'open') lib.openWindow(null);
    const w = current;
    const { min_ms = 300, max_ms = 2_000, seen = false } = args;
    const began = now();
    return new Promise((resolve) => {
      let quiet = 0;
      let serial = w.serial;
      let effective = false;
      /** @type {ReturnType<typeof setTimeout> | undefined} */
      let timer;
      const finish = (/** @type {boolean} */ isQuiet, superseded = false) => {
        endPending = null;
        wake = null;
        clearTimeout(timer);
        flush();
        const out = { ...lib.report(w, args), quiet: isQuiet };
        if (superseded) out.superseded = true;
        resolve(out);
      };
      endPending = () => finish(false, true);
      let ended = false;
      const step = () => {
        if (ended || endPending !== mine) return;
        flush();
        const elapsed = now() - began;
        if (w.serial !== serial) {
          serial = w.serial;
          quiet = 0;
          effective = false;
        } else if (effective) {
          quiet++;
        }
        // A field that took input is read back by who wrote it: nothing is gained by waiting longer when it holds the same as before.
        effective = effective || seen || w.wrote || lib.amounts(w, lib.tally(w));
        const sure = seen || w.wrote;
        if (!effective && w.shown) {
          w.flips = lib.flips(w);
          effective = w.flips !== null;
        }
        if (!effective && elapsed >= min_ms) {
          if (w.ringed && w.baseline && lib.looksChanged(w)) w.opened = lib.opened(w);
          lookForHiddenRoots(w);
          ended = true;
          return finish(true);
        }
        let doubt = 0;
        // What a field holds is read back besides, so that one frame for the page's answer to it is enough.
        if (effective && quiet >= (w.typed && !seen ? 1 : 2)) {
          doubt = sure ? 0 : Math.min(lib.doubtfulUntil(w, began + min_ms), began + max_ms) - now();
          effective = sure || lib.amounts(w, lib.tally(w));
          if (effective && doubt <= 0) {
            ended = true;
            return finish(true);
          }
        }
        if (elapsed >= max_ms) {
          ended = true;
          return finish(false);
        }
        if (effective && doubt <= 0) return frame(step);
        // Nothing yet: sleep until something changes. Hovering shows things without any record, so it is looked for.
        const rest = Math.max(1, effective ? doubt : Math.min(min_ms, max_ms) - elapsed);
        const go = () => {
          wake = null;
          clearTimeout(timer);
          frame(step);
        };
        wake = go;
        timer = setTimeout(() => {
          wake = null;
          step();
        }, w.shown ? Math.min(50, rest) : rest);
      };
      const mine = endPending;
      step();
    });
  };

  /** Shadow roots that were attached to elements which were there before. @param {ReturnType<typeof newWindow>} w */
  const lookForHiddenRoots = (w) => {
    for (const root of discover()) if (!w.fresh.has(root.host)) w.added += root.querySelectorAll('*').length;
  };

  lib.finish = (/** @type {any} */ args = {}) => {
    endPending?.(true);
    flush();
    if (current.mode !== 'open') lib.openWindow(null);
    if (current.shown) current.flips = lib.flips(current);
    return lib.report(current, args);
  };

  lib.close = () => {
    endPending?.(true);
    flush();
    lib.beyondRests(current.beyond);
    lib.keepDrop(current);
    current = newWindow('late');
    // A field that a page puts back later changes without any record.
    current.fields = lib.fieldsNow(null);
    lib.nextStretch();
    return {};
  };

  lib.stats = () => ({ elements: countElements(), url: location.href, title: lib.clean(document.title, 200), ready: document.readyState });
})(globalThis.__truehand ??= {});
