// Handles of objects in a page, and running a script's own functions there.
(function (kernel) {
  'use strict';

  // ---- what is sent to a page ------------------------------------------------------------------------------------

  const NATIVE = /\{\s*\[native code\]\s*\}\s*$/;

  /** The text of a function in a form that can stand in brackets; methods of objects get the word that they lack. */
  function functionText(fn) {
    const text = Function.prototype.toString.call(fn);
    if (NATIVE.test(text)) throw new Error('Passed function cannot be serialized: it is a built-in one');
    if (/^(async\s+)?function\b|^class\b/.test(text)) return text;
    // An arrow function starts with its parameters, one name or brackets, and the arrow.
    if (/^(async\s*)?(\([^]*?\)|[\w$]+)\s*=>/.test(text) && !/^(async\s+)?[\w$]+\s*\([^)]*\)\s*\{/.test(text)) return text;
    const method = /^(async\s+)?(\*\s*)?(?:get\s+|set\s+|static\s+)?(?:\[[^\]]*\]|[\w$#]+|"[^"]*"|'[^']*')\s*(\([^]*)$/.exec(text);
    if (method) return `${method[1] ? 'async ' : ''}function${method[2] ? '*' : ''} ${method[3]}`;
    return text;
  }
  kernel.functionText = functionText;

  /** Whether a text is one function declaration and nothing else: its last bracket closes its body. */
  function isFunctionText(text) {
    if (!/^\s*(async\s+)?function\b[^]*\}\s*$/.test(text)) return false;
    let depth = 0;
    const bare = text.replace(/\/\*[^]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g, '').trim();
    for (let i = 0; i < bare.length; i += 1) {
      if (bare[i] === '{') depth += 1;
      else if (bare[i] === '}' && (depth -= 1) === 0 && !/^\s*\)/.test(bare.slice(i + 1))) return i === bare.length - 1;
    }
    return false;
  }

  const source = (pageFunction) => {
    if (typeof pageFunction === 'function') return { source: functionText(pageFunction), function: true };
    const text = String(pageFunction);
    // The text of one declared function stands for that function, as an expression does.
    return { source: isFunctionText(text) ? `(${text}\n)` : text };
  };

  const CONFINED = 'SCRIPT_HAS_EFFECTS';

  /**
   * Runs code in the page's own world: first as what only reads, which nobody has to allow and which leaves no effect to
   * measure; where it would do more nothing was done yet, and it runs again as what it is.
   */
  async function run(frame, call) {
    const args = { ...frame._where(), ...call };
    return (await inOrder(args)).output;
  }

  /** How long other calls wait for the first try of an evaluation, in milliseconds: what takes longer waits in the page. */
  const FIRST_TRY_MS = 50;

  // Calls of a page are sent in the order in which the script makes them, awaited or not. An evaluation may be sent twice,
  // and what comes after it must not come between.
  function inOrder(args) {
    const first = kernel.call('page_evaluate', { ...args, pure: true });
    const answer = first.catch((error) => {
      if (error.code !== CONFINED) throw error;
      return kernel.callNow('page_evaluate', args);
    });
    kernel.hold(new Promise((resolve) => {
      const timer = kernel.after(FIRST_TRY_MS, resolve);
      const end = () => {
        kernel.cancelTimer(timer);
        resolve();
      };
      first.then(end, end);
    }));
    return answer;
  }

  /** What a page threw, as an Error that says so. Everything else is passed on. */
  function thrown(title, error) {
    if (!error || error.code !== 'SCRIPT_FAILED') return error instanceof Error ? kernel.prefixed(title, error) : kernel.prefixed(title, kernel.fail(error));
    const data = error.data || {};
    const told = data.stack || error.message;
    return kernel.putFields(new Error(`${title}: ${told}`), { code: 'SCRIPT_FAILED', data, next_step: error.next_step });
  }

  async function evaluate(frame, pageFunction, args, { on, returns, title }) {
    const { args: encoded, handles } = kernel.encodeArgs(args);
    const call = { ...source(pageFunction), args: encoded, handles };
    if (on) call.on = on;
    if (returns) call.returns = returns;
    try {
      return await run(frame, call);
    } catch (error) {
      throw thrown(title, error);
    }
  }

  const titleOf = (frame) => (frame._title ? frame._title() : 'frame');

  /** Evaluates in a frame; the decoded value. */
  kernel.evaluate = async (frame, pageFunction, arg, options = {}) => {
    const given = arguments_(pageFunction, arg);
    const output = await evaluate(frame, pageFunction, given, { title: options.title || `${titleOf(frame)}.evaluate` });
    return kernel.decodeValue(output.value);
  };

  kernel.evaluateHandle = async (frame, pageFunction, arg, options = {}) => {
    const given = arguments_(pageFunction, arg);
    const output = await evaluate(frame, pageFunction, given, { returns: 'handle', title: options.title || `${titleOf(frame)}.evaluateHandle` });
    return kernel.handleOf(frame, output.handle);
  };

  // One argument is always given, as undefined when there is none: that is what a page function sees.
  const arguments_ = (_pageFunction, arg) => [arg];

  // ---- handles ---------------------------------------------------------------------------------------------------

  const released = new Map();

  /** Lets go of a handle when there is time: many at once. */
  kernel.dropHandle = (page, id) => {
    const list = released.get(page._tab) || [];
    list.push(id);
    released.set(page._tab, list);
  };
  kernel.onCallEnd(async () => {
    for (const [tab, handles] of released) {
      released.delete(tab);
      await kernel.call('page_handle', { tab_id: tab, op: 'dispose', handles }).catch(() => undefined);
    }
  });

  class JSHandle {
    constructor(frame, info) {
      kernel.hide(this, { _frame: frame, _handle: info.id ?? null, _preview: info.preview ?? '', _kind: info.type || 'object', _disposed: false, _value: info.value });
    }

    _check() {
      if (this._disposed) throw new Error('JSHandle is disposed!');
    }

    asElement() {
      return null;
    }

    async evaluate(pageFunction, arg, ...more) {
      kernel.oneArgument('evaluate', more);
      this._check();
      const output = await evaluate(this._frame, pageFunction, this._args(arg), { on: this._handle, title: `${this._title()}.evaluate` });
      return kernel.decodeValue(output.value);
    }

    async evaluateHandle(pageFunction, arg, ...more) {
      kernel.oneArgument('evaluateHandle', more);
      this._check();
      const output = await evaluate(this._frame, pageFunction, this._args(arg), { on: this._handle, returns: 'handle', title: `${this._title()}.evaluateHandle` });
      return kernel.handleOf(this._frame, output.handle);
    }

    // A handle of a plain value has no object in the page: the value goes first as an argument.
    _args(arg) {
      return this._handle === null ? [this._value, arg] : [arg];
    }

    _title() {
      return 'jsHandle';
    }

    async jsonValue() {
      this._check();
      if (this._handle === null) return this._value;
      const output = await evaluate(this._frame, itself, [], { on: this._handle, title: `${this._title()}.jsonValue` });
      return kernel.decodeValue(output.value);
    }

    async getProperty(name) {
      return this.evaluateHandle(propertyOf, String(name));
    }

    async getProperties() {
      this._check();
      const out = new Map();
      if (this._handle === null) return out;
      const { output } = await kernel.call('page_handle', { tab_id: this._frame._page._tab, op: 'properties', handles: [this._handle] });
      for (const [name, value] of Object.entries(output.results[0].properties)) out.set(name, kernel.handleOf(this._frame, value));
      return out;
    }

    async dispose() {
      if (this._disposed) return;
      this._disposed = true;
      if (this._handle === null) return;
      await kernel.call('page_handle', { tab_id: this._frame._page._tab, op: 'dispose', handles: [this._handle] }).catch(() => undefined);
    }

    async [Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose')]() {
      await this.dispose();
    }

    toString() {
      return this._preview || String(this._value);
    }
  }

  function itself(value) {
    return value;
  }

  function propertyOf(object, name) {
    return object[name];
  }

  class ElementHandle extends JSHandle {
    asElement() {
      return this;
    }

    _title() {
      return 'elementHandle';
    }

    /** This element as something that is looked for: it is found already. */
    _spot(parts = [], strict = true) {
      this._check();
      return { frame: this._frame, parts, handles: [this._handle], strict, text: this._preview || 'element', title: 'elementHandle' };
    }

    async ownerFrame() {
      const { output } = await kernel.call('page_handle', { tab_id: this._frame._page._tab, op: 'owner_frame', handles: [this._handle] });
      const id = output.results[0].frame;
      return id ? kernel.frameById(this._frame._page, id) : null;
    }

    async contentFrame() {
      const { output } = await kernel.call('page_handle', { tab_id: this._frame._page._tab, op: 'content_frame', handles: [this._handle] });
      const id = output.results[0].frame;
      return id ? kernel.frameById(this._frame._page, id) : null;
    }

    async $(selector) {
      return kernel.queryIn(this._spot(kernel.selectorOf(selector).parts, false), '$', true);
    }

    async $$(selector) {
      return kernel.queryIn(this._spot(kernel.selectorOf(selector).parts, false), '$$', false);
    }

    async $eval(selector, pageFunction, arg, ...more) {
      kernel.oneArgument('$eval', more);
      const handle = await this.$(selector);
      if (!handle) throw new Error(`elementHandle.$eval: Failed to find element matching selector "${selector}"`);
      try {
        return await handle.evaluate(pageFunction, arg);
      } finally {
        kernel.dropHandle(this._frame._page, handle._handle);
      }
    }

    async $$eval(selector, pageFunction, arg, ...more) {
      kernel.oneArgument('$$eval', more);
      return kernel.evaluateAll(this._spot(kernel.selectorOf(selector).parts, false), pageFunction, arg, 'elementHandle.$$eval');
    }

    async waitForSelector(selector, options = {}) {
      const { parts, text } = kernel.selectorOf(selector);
      const spot = { ...this._spot(parts, Boolean(options.strict)), text };
      const state = options.state ?? 'visible';
      await kernel.waitForState(spot, 'waitForSelector', state, options);
      if (state === 'hidden' || state === 'detached') return null;
      return kernel.queryIn(spot, 'waitForSelector', true);
    }

    async waitForElementState(state, options = {}) {
      if (!['visible', 'hidden', 'stable', 'enabled', 'disabled', 'editable'].includes(state)) {
        throw new Error(`elementHandle.waitForElementState: state: expected one of (visible|hidden|stable|enabled|disabled|editable), got ${String(state)}`);
      }
      await kernel.waitForState(this._spot(), 'waitForElementState', state, options);
    }
  }

  kernel.JSHandle = JSHandle;
  kernel.ElementHandle = ElementHandle;

  /** The id under which the page knows what a value stands for; null for all other values. */
  kernel.handleIdOf = (value) => {
    if (!(value instanceof JSHandle)) return null;
    value._check();
    return value._handle;
  };

  /** The value, as `{ value }`, of a handle that stands for a plain one; null for all other things. */
  kernel.plainOf = (value) => {
    if (!(value instanceof JSHandle) || value._handle !== null) return null;
    value._check();
    return { value: value._value };
  };

  /** A handle of what a page gave: `{ id, type, preview }`, an id, or a value that needs none. */
  kernel.handleOf = (frame, given) => {
    if (typeof given === 'string') return new ElementHandle(frame, { id: given, type: 'node' });
    if (given && typeof given === 'object' && typeof given.id === 'string') return given.type === 'node' ? new ElementHandle(frame, given) : new JSHandle(frame, given);
    const encoded = given && typeof given === 'object' && 'value' in given ? given.value : given;
    const value = kernel.decodeValue(encoded && typeof encoded === 'object' && !('v' in encoded) ? { v: encoded } : encoded);
    return new JSHandle(frame, { id: null, value, preview: typeof value === 'string' ? value : String(value) });
  };

  // ---- queries ---------------------------------------------------------------------------------------------------

  /** Handles of what a spot finds now: the first or null, or all. */
  kernel.queryIn = async (spot, name, first) => {
    const progress = kernel.progress(`${spot.title}.${name}`, spot.frame._page._limit());
    progress.log(`waiting for ${spot.text}`);
    const at = await kernel.place(spot, progress);
    const call = { ...at.frame._where(), fn: 'scriptQueryAll', args: { parts: at.parts, first, root: Boolean(at.handles) }, returns: 'handles' };
    if (at.handles) call.handles = at.handles;
    let output;
    try {
      ({ output } = await kernel.call('page_call', call));
    } catch (error) {
      throw kernel.explained(progress, error);
    }
    if (!output.handles) {
      const end = kernel.finalAnswer(at, progress, output.value || {});
      if (end) throw end;
      return first ? null : [];
    }
    const list = output.handles.map((info) => kernel.handleOf(at.frame, info));
    return first ? list[0] ?? null : list;
  };

  const spotOf = (frame, selector, strict, title) => {
    const { parts, text } = kernel.selectorOf(selector);
    return { frame, parts, strict, text, title };
  };

  kernel.query = async (frame, selector, options = {}) => {
    const spot = spotOf(frame, selector, Boolean(options.strict), titleOf(frame));
    if (!options.strict) return kernel.queryIn(spot, '$', true);
    const list = await kernel.queryIn(spot, '$', false);
    if (list.length < 2) return list[0] ?? null;
    const progress = kernel.progress(`${spot.title}.$`, 1000);
    throw kernel.finalAnswer(spot, progress, await kernel.askOnce(spot, 'scriptLocate', { needs: [] })) ?? new Error('strict mode violation');
  };

  kernel.queryAll = async (frame, selector) => kernel.queryIn(spotOf(frame, selector, false, titleOf(frame)), '$$', false);

  /** Calls a page function with the list of all elements that a spot finds. */
  kernel.evaluateAll = async (spot, pageFunction, arg, title) => {
    const handles = await kernel.queryIn(spot, 'evaluateAll', false);
    const frame = handles[0] ? handles[0]._frame : spot.frame;
    try {
      const { source: text } = source(pageFunction);
      const output = await evaluate(frame, typeof pageFunction === 'function' ? pageFunction : text, [handles, arg], { title });
      return kernel.decodeValue(output.value);
    } finally {
      for (const handle of handles) kernel.dropHandle(frame._page, handle._handle);
    }
  };

  kernel.enumerable(JSHandle);
  kernel.enumerable(ElementHandle);
})
