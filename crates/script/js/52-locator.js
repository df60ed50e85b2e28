// Locator and FrameLocator: descriptions of elements that are looked for anew each time something is done to them.
(function (kernel) {
  'use strict';

  const WAIT_STATES = ['attached', 'detached', 'visible', 'hidden'];

  class Locator {
    /** `selector`: a text, what `selectorBy` gave, or `{ parts, text }` of another locator. */
    constructor(frame, selector, options) {
      const { parts, text } = kernel.selectorOf(selector);
      const filter = options ? kernel.filterParts(options, frame, 'locator') : { parts: [], text: '' };
      kernel.hide(this, {
        _frame: frame, _parts: [...parts, ...filter.parts], _text: filter.text ? `${text}.filter(${filter.text})` : text, _description: null,
      });
    }

    // `page.click(selector)` and its kin are loose: they take the first, and are named by what was called.
    _spot(strict = !this._loose) {
      return { frame: this._frame, parts: this._parts, strict, text: this._description ?? this._text, title: this._title ?? 'locator' };
    }

    _with(parts, text) {
      return new Locator(this._frame, { parts: [...this._parts, ...parts], text: `${this._text}.${text}` });
    }

    /** The parts of another locator as looked for where this one is: frame steps that both share are left out. */
    _beside(other, what) {
      if (!(other instanceof Locator)) throw new TypeError(`locator.${what}: expected Locator, got ${typeof other}`);
      if (other._frame !== this._frame) throw new Error('Locators must belong to the same frame.');
      const at = this._parts.findLastIndex((part) => part.frame);
      const shared = this._parts.slice(0, at + 1);
      if (at >= 0 && JSON.stringify(other._parts.slice(0, at + 1)) === JSON.stringify(shared)) return other._parts.slice(at + 1);
      return other._parts;
    }

    // ---- narrowing -----------------------------------------------------------------------------------------------

    locator(selectorOrLocator, options) {
      if (selectorOrLocator instanceof Locator) {
        if (selectorOrLocator._frame !== this._frame) throw new Error('Locators must belong to the same frame.');
        const made = this._with([{ chain: selectorOrLocator._parts }], `locator(${selectorOrLocator._text})`);
        return options ? made.filter(options) : made;
      }
      const { parts, text } = kernel.selectorOf(selectorOrLocator);
      const made = this._with(parts, text);
      return options ? made.filter(options) : made;
    }

    filter(options = {}) {
      const { parts, text } = kernel.filterParts(options, this._frame, 'filter');
      return parts.length ? this._with(parts, `filter(${text})`) : this._with([], 'filter({})');
    }

    and(other) {
      return this._with([{ and: this._beside(other, 'and') }], `and(${other._text})`);
    }

    or(other) {
      return this._with([{ or: this._beside(other, 'or') }], `or(${other._text})`);
    }

    first() {
      return this._with([{ nth: 0 }], 'first()');
    }

    last() {
      return this._with([{ nth: -1 }], 'last()');
    }

    nth(index) {
      if (!Number.isInteger(index)) throw new TypeError(`locator.nth: index: expected number, got ${typeof index}`);
      return this._with([{ nth: index }], index === 0 ? 'first()' : index === -1 ? 'last()' : `nth(${index})`);
    }

    describe(description) {
      const made = new Locator(this._frame, { parts: this._parts, text: this._text });
      made._description = String(description);
      return made;
    }

    description() {
      return this._description;
    }

    frameLocator(selector) {
      const { parts, text } = kernel.selectorOf(selector);
      return new FrameLocator(this._frame, { parts: [...this._parts, ...parts], text: `${this._text}.${text}` });
    }

    contentFrame() {
      return new FrameLocator(this._frame, { parts: this._parts, text: this._text });
    }

    page() {
      return this._frame._page;
    }

    async all() {
      const count = await this.count();
      return Array.from({ length: count }, (_, i) => this.nth(i));
    }

    async count() {
      const list = await kernel.placed(this._spot(false), 'count', (spot) => kernel.askOnce(spot, 'scriptCount'));
      return list ? list.count : 0;
    }

    // ---- reading -------------------------------------------------------------------------------------------------

    async _read(what, name, options, more) {
      return (await kernel.read(this._spot(), name, options, 'scriptRead', { what, ...more })).value;
    }

    async _all(what, name) {
      const answer = await kernel.placed(this._spot(false), name, (spot) => kernel.askOnce(spot, 'scriptRead', { what, all: true }));
      return answer ? answer.value : [];
    }

    async allInnerTexts() {
      return this._all('innerText', 'allInnerTexts');
    }

    async allTextContents() {
      return this._all('textContent', 'allTextContents');
    }

    async getAttribute(name, options) {
      if (typeof name !== 'string') throw new TypeError(`locator.getAttribute: name: expected string, got ${typeof name}`);
      return this._read('attribute', 'getAttribute', options, { name });
    }

    async boundingBox(options) {
      return kernel.actions.boundingBox(this._spot(), options);
    }

    async _now(what, name) {
      const answer = await kernel.placed(this._spot(), name, (spot) => kernel.askOnce(spot, 'scriptRead', { what }));
      return answer && answer.status === 'ok' ? answer.value : null;
    }

    async isVisible() {
      return (await this._now('visible', 'isVisible')) ?? false;
    }

    async isHidden() {
      return (await this._now('hidden', 'isHidden')) ?? true;
    }

    async ariaSnapshot(options = {}) {
      return (await kernel.read(this._spot(), 'ariaSnapshot', options, 'scriptAria')).value;
    }

    // ---- waiting -------------------------------------------------------------------------------------------------

    async waitFor(options = {}) {
      const state = options.state ?? 'visible';
      if (!WAIT_STATES.includes(state)) throw new Error(`locator.waitFor: state: expected one of (attached|detached|visible|hidden), got ${String(state)}`);
      await kernel.waitForState(this._spot(), 'waitFor', state, options);
    }

    // ---- code and handles ----------------------------------------------------------------------------------------

    async _handle(name, options, use) {
      const handle = await kernel.handleOfSpot(this._spot(), name, options);
      try {
        return await use(handle);
      } catch (error) {
        if (error instanceof Error) error.message = error.message.replace(/^elementHandle\.(\w+): /, `locator.$1: `);
        throw error;
      } finally {
        kernel.dropHandle(this._frame._page, handle._handle);
      }
    }

    async evaluate(pageFunction, arg, options = {}, ...more) {
      kernel.oneArgument('evaluate', more);
      return this._handle('evaluate', options, (handle) => handle.evaluate(pageFunction, arg));
    }

    async evaluateHandle(pageFunction, arg, options = {}, ...more) {
      kernel.oneArgument('evaluateHandle', more);
      return this._handle('evaluateHandle', options, (handle) => handle.evaluateHandle(pageFunction, arg));
    }

    async evaluateAll(pageFunction, arg, ...more) {
      kernel.oneArgument('evaluateAll', more);
      return kernel.evaluateAll(this._spot(false), pageFunction, arg, 'locator.evaluateAll');
    }

    async elementHandle(options) {
      return kernel.handleOfSpot(this._spot(), 'elementHandle', options);
    }

    async elementHandles() {
      return kernel.queryIn(this._spot(false), 'elementHandles', false);
    }

    // ---- acting --------------------------------------------------------------------------------------------------

    async dragTo(target, options) {
      if (!(target instanceof Locator)) throw new TypeError('locator.dragTo: target: expected Locator');
      await kernel.actions.dragTo(this._spot(), target._spot(), options);
    }

    async check(options) {
      await kernel.actions.setChecked(this._spot(), true, options);
    }

    async uncheck(options) {
      await kernel.actions.setChecked(this._spot(), false, options);
    }

    async setChecked(checked, options) {
      await kernel.actions.setChecked(this._spot(), Boolean(checked), options, 'setChecked');
    }

    async pressSequentially(text, options = {}) {
      await kernel.actions.type(this._spot(), text, options, 'pressSequentially');
    }

    async dispatchEvent(type, eventInit, options) {
      await kernel.actions.dispatchEvent(this._spot(), type, eventInit, options);
    }

    async highlight() {
      await kernel.placed(this._spot(false), 'highlight', (spot) => kernel.askOnce(spot, 'scriptHighlight'));
    }

    toString() {
      return this._description ?? this._text;
    }
  }

  /** Looks once, without waiting: the answer, or null where a frame on the way isn't there. */
  kernel.placed = async (spot, name, ask) => {
    const progress = kernel.progress(`${spot.title}.${name}`, kernel.limitOf(spot, {}));
    progress.log(`waiting for ${spot.text}`);
    for (let i = 0; ; i += 1) {
      try {
        const at = spot.parts.some((part) => part.frame) ? await frameNow(spot, progress) : await kernel.place(spot, progress);
        if (!at) return null;
        const answer = await ask(at);
        const end = kernel.finalAnswer(at, progress, answer);
        if (end) throw end;
        return answer;
      } catch (error) {
        if (!kernel.isPassing(error) || progress.left() <= 0) throw error instanceof kernel.TimeoutError ? error : kernel.explained(progress, error);
        if (spot.frame._page.isClosed()) throw kernel.closedError();
        if (spot.frame._gone) throw progress.fail('Frame was detached');
        await kernel.pause(Math.min(50, 5 + i * 10));
      }
    }
  };

  /** As `kernel.place`, but a frame that isn't there now is not waited for. */
  async function frameNow(spot, progress) {
    const short = kernel.progress(progress.title, 250);
    try {
      return await kernel.place(spot, short);
    } catch (error) {
      if (error instanceof kernel.TimeoutError) return null;
      throw error;
    }
  }

  const add = (Kind, name, method) => Object.defineProperty(Kind.prototype, name, { value: method, writable: true, configurable: true, enumerable: true });

  for (const name of ['click', 'dblclick', 'tap', 'hover', 'clear', 'focus', 'blur', 'selectText', 'scrollIntoViewIfNeeded', 'screenshot']) {
    add(Locator, name, async function (options) { return kernel.actions[name](this._spot(), options); });
  }
  for (const name of ['fill', 'press', 'type', 'selectOption', 'setInputFiles']) {
    add(Locator, name, async function (value, options) { return kernel.actions[name](this._spot(), value, options); });
  }
  for (const what of ['textContent', 'innerText', 'innerHTML', 'inputValue']) {
    add(Locator, what, async function (options) { return this._read(what, what, options); });
  }
  for (const [name, what] of [['isEnabled', 'enabled'], ['isDisabled', 'disabled'], ['isEditable', 'editable'], ['isChecked', 'checked']]) {
    add(Locator, name, async function (options) { return this._read(what, name, options); });
  }
  for (const name of kernel.selectorMethods) {
    add(Locator, name, function (...args) {
      const { parts, text } = kernel.selectorBy(name, args);
      return this._with(parts, text);
    });
  }

  // ---- frames ----------------------------------------------------------------------------------------------------

  class FrameLocator {
    constructor(frame, selector) {
      const { parts, text } = kernel.selectorOf(selector);
      kernel.hide(this, { _frame: frame, _parts: parts, _text: text });
    }

    _inside(parts, text) {
      return new Locator(this._frame, { parts: [...this._parts, { frame: true }, ...parts], text: `${this._text}.contentFrame().${text}` });
    }

    locator(selectorOrLocator, options) {
      const made = selectorOrLocator instanceof Locator
        ? this._inside(selectorOrLocator._parts, `locator(${selectorOrLocator._text})`)
        : this._inside(kernel.selectorOf(selectorOrLocator).parts, kernel.selectorOf(selectorOrLocator).text);
      return options ? made.filter(options) : made;
    }

    owner() {
      return new Locator(this._frame, { parts: this._parts, text: this._text });
    }

    frameLocator(selector) {
      const { parts, text } = kernel.selectorOf(selector);
      return new FrameLocator(this._frame, { parts: [...this._parts, { frame: true }, ...parts], text: `${this._text}.contentFrame().${text}` });
    }

    _nth(n, text) {
      return new FrameLocator(this._frame, { parts: [...this._parts, { nth: n }], text: `${this._text}.${text}` });
    }

    first() {
      return this._nth(0, 'first()');
    }

    last() {
      return this._nth(-1, 'last()');
    }

    nth(index) {
      return this._nth(index, index === 0 ? 'first()' : index === -1 ? 'last()' : `nth(${index})`);
    }

    toString() {
      return `${this._text}.contentFrame()`;
    }
  }

  for (const name of kernel.selectorMethods) {
    add(FrameLocator, name, function (...args) {
      const { parts, text } = kernel.selectorBy(name, args);
      return this._inside(parts, text);
    });
  }

  kernel.Locator = Locator;
  kernel.FrameLocator = FrameLocator;
  kernel.enumerable(Locator);
  kernel.enumerable(FrameLocator);
})
