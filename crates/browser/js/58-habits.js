// What changes without anybody acting: the habits of nodes, and when input came. What a habit explains is no effect.
((lib) => {
  'use strict';
  if (lib.ready) return;

  /**
   * @typedef {{last: number, gap: number, count: number, run: number, stretch: number, proved: boolean, recent: {at: number, input: number}[]}} Habit
   * `gap`: the longest of the last gaps; `run`: changes in one idle stretch; `input`: when the last input had come.
   */

  /** What a node did while nobody acted, by kind of change. @type {WeakMap<Node, Map<string, Habit>>} */
  const habits = new WeakMap();
  // Read from the prototype: an input called "parentNode" takes the property's place on its form.
  const parentOf = Object.getOwnPropertyDescriptor(Node.prototype, 'parentNode').get;
  /** Elements that a recurring change made: what happens in them is as recurring. */
  const born = new WeakSet();
  /** True from a real input event until the task that carried it is over. */
  let inInput = false;
  let lastInput = -Infinity;
  /** Counts the actions; changes in the idle time between two of them share a number. */
  let stretch = 0;

  lib.INPUT_EVENTS = new Set(['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'dblclick', 'auxclick', 'contextmenu', 'keydown',
    'keypress', 'keyup', 'beforeinput', 'input', 'change', 'paste', 'cut', 'wheel', 'touchstart', 'touchend', 'dragstart', 'drag', 'dragenter',
    'dragover', 'dragleave', 'drop', 'dragend', 'mouseover', 'mouseout', 'mouseenter', 'pointerover', 'pointerenter', 'mousemove', 'pointermove',
    'submit', 'reset', 'toggle', 'compositionend']);
  const channel = new MessageChannel();
  channel.port1.onmessage = () => {
    inInput = false;
  };

  lib.noteInput = () => {
    lastInput = performance.now();
    if (inInput) return;
    inInput = true;
    channel.port2.postMessage(0);
  };
  lib.inInput = () => inInput;
  lib.lastInput = () => lastInput;
  /** An action begins or ends: what was idle before it is another stretch of idle time. */
  lib.nextStretch = () => {
    stretch++;
  };

  /** Whether an input event's listener is running right now; the flag alone may outlive the task by a moment. */
  const inListener = () => {
    const event = globalThis.event;
    return Boolean(event) && lib.INPUT_EVENTS.has(event.type);
  };

  /** @param {Node} node @param {string} kind @returns {Habit | undefined} */
  lib.habitOf = (node, kind) => habits.get(node)?.get(kind);

  /** @param {Habit | undefined} habit @param {number} at */
  const recurs = (habit, at) => {
    if (!habit) return false;
    const rest = at - habit.last;
    // A ticker that has stopped is none any more; one that has proved itself often is granted a stall of the machine.
    const grace = habit.count < 6 ? 600 : 1_500;
    if (habit.proved && rest <= Math.max(grace, Math.min(2.5 * habit.gap, habit.gap + 10_000))) return true;
    // A clock can tick once in every short pause between actions. It gives itself away by a steady pace that has
    // nothing to do with when the input came; an effect has a steady distance from its input instead.
    if (habit.recent.length < 4 || habit.recent.every((entry) => entry.input === habit.recent[0].input)) return false;
    const gaps = habit.recent.slice(1).map((entry, i) => entry.at - habit.recent[i].at);
    const longest = Math.max(...gaps);
    const delays = habit.recent.map((entry) => entry.at - entry.input);
    return Math.min(...gaps) > 0.9 * longest && Math.max(...delays) - Math.min(...delays) > 0.3 * longest && rest < 1.5 * longest;
  };

  /** @param {Node} node @param {string} kind @param {number} at @param {boolean} idle */
  lib.learn = (node, kind, at, idle) => {
    let kinds = habits.get(node);
    if (!kinds) habits.set(node, (kinds = new Map()));
    const habit = kinds.get(kind);
    const entry = { at, input: lastInput };
    if (!habit) {
      kinds.set(kind, { last: at, gap: 0, count: 1, run: idle ? 1 : 0, stretch, proved: false, recent: [entry] });
      return;
    }
    // Several records of one burst are one change.
    if (at - habit.last < 12) return;
    habit.count++;
    habit.recent.push(entry);
    if (habit.recent.length > 4) habit.recent.shift();
    if (idle) {
      habit.run = habit.stretch === stretch ? habit.run + 1 : 1;
      habit.stretch = stretch;
      if (habit.run >= 2) habit.proved = true;
    }
    habit.gap = Math.max(at - habit.last, habit.recent.length > 2 ? habit.gap * 0.8 : 0);
    habit.last = at;
  };

  /** Whether a change of this node would have come anyway. @param {Node} node @param {string} kind @param {number} at */
  lib.isAmbient = (node, kind, at) => {
    const recurring = born.has(node) || born.has(parentOf.call(node)) || recurs(lib.habitOf(node, kind), at);
    return recurring && !(inInput && inListener());
  };

  /** An element and what is in it, the first 500. @param {Node} top */
  lib.treeOf = (top) => {
    const out = [/** @type {Element} */ (top)];
    const inside = out[0].getElementsByTagName('*');
    for (let i = 0; i < inside.length && i < 500; i++) out.push(inside[i]);
    return out;
  };

  /** @param {NodeList} nodes */
  lib.markBorn = (nodes) => {
    for (const node of nodes) if (node.nodeType === 1) for (const el of lib.treeOf(node)) born.add(el);
  };
})(globalThis.__truehand ??= {});
