// Frame: a document of a page. What a page does to its main frame is done here as well.
(function (kernel) {
  'use strict';

  const STATES = ['load', 'domcontentloaded', 'networkidle', 'commit', 'interactive', 'stable'];
  const WAITED = ['attached', 'detached', 'visible', 'hidden'];
  const RETRIED = new Set(['NAVIGATED_DURING_ACTION', 'FRAME_GONE', 'HANDLE_GONE']);

  // What a selector method does on the first match, unless strict: true asks for the only one. Its failures name it.
  function found(frame, selector, options) {
    const locator = frame.locator(selector);
    return kernel.hide(locator, { _loose: !(options && options.strict), _title: frame._title() });
  }

  kernel.closedError = () => {
    const message = 'Target page, context or browser has been closed';
    return kernel.TargetClosedError ? new kernel.TargetClosedError(message) : new Error(message);
  };

  const GETTERS = ['getByRole', 'getByText', 'getByLabel', 'getByPlaceholder', 'getByAltText', 'getByTitle', 'getByTestId'];

  class Frame {
    constructor(page, info) {
      kernel.hide(this, {
        _page: page, _id: info.frame, _parentId: info.parent || null, _url: info.url || '', _name: info.name || '',
        _owner: info.owner || null, _gone: false, _arrivals: 0,
      });
    }

    // How tools name this frame; the main one is the tab itself, whatever its document.
    _where() {
      return this._parentId ? { tab_id: this._page._tab, frame: this._id } : { tab_id: this._page._tab };
    }

    page() {
      return this._page;
    }

    name() {
      return this._name;
    }

    url() {
      return this._url;
    }

    parentFrame() {
      return this._parentId ? this._page._frame(this._parentId) : null;
    }

    childFrames() {
      return this._page.frames().filter((frame) => frame._parentId === this._id);
    }

    isDetached() {
      return this._gone;
    }

    async frameElement() {
      if (!this._parentId) throw new Error('frame.frameElement: the main frame has no element');
      await this._page._refresh(true);
      if (!this._owner) throw new Error('Frame has been detached.');
      return kernel.handleOf(this.parentFrame(), this._owner);
    }

    // ---- locators ----

    locator(selector, options) {
      return new kernel.Locator(this, selector, options);
    }

    frameLocator(selector) {
      return new kernel.FrameLocator(this, selector);
    }

    // ---- evaluation ----

    async evaluate(pageFunction, arg, ...more) {
      kernel.oneArgument('evaluate', more);
      return kernel.evaluate(this, pageFunction, arg);
    }

    async evaluateHandle(pageFunction, arg, ...more) {
      kernel.oneArgument('evaluateHandle', more);
      return kernel.evaluateHandle(this, pageFunction, arg);
    }

    async $(selector, options) {
      return kernel.query(this, selector, options || {});
    }

    async $$(selector) {
      return kernel.queryAll(this, selector);
    }

    async $eval(selector, pageFunction, arg, ...more) {
      kernel.oneArgument('$eval', more);
      const handle = await kernel.query(this, selector, {});
      if (!handle) throw new Error(`${this._title()}.$eval: Failed to find element matching selector "${selector}"`);
      try {
        return await handle.evaluate(pageFunction, arg);
      } finally {
        await handle.dispose().catch(() => undefined);
      }
    }

    async $$eval(selector, pageFunction, arg, ...more) {
      kernel.oneArgument('$$eval', more);
      return this.locator(selector).evaluateAll(pageFunction, arg);
    }

    async title() {
      return this._read(readTitle);
    }

    async content() {
      return this._read(readContent);
    }

    // Reads from whatever document is there; one that is just being replaced is asked again.
    async _read(pageFunction, arg) {
      for (let attempt = 0; ; attempt += 1) {
        try {
          return await kernel.peek(this, pageFunction, arg);
        } catch (error) {
          if (attempt >= 20 || !RETRIED.has(error && error.code)) throw error;
          await kernel.pause(50);
        }
      }
    }

    async setContent(html, options = {}) {
      if (typeof html !== 'string') throw new TypeError(`setContent: html: expected string, got ${typeof html}`);
      const state = waitState(options, 'setContent');
      const title = `${this._title()}.setContent`;
      const limit = options.timeout ?? this._page._navigationLimit();
      const event = { load: 'load', networkidle: 'load', stable: 'load', domcontentloaded: 'DOMContentLoaded', interactive: 'DOMContentLoaded' }[state];
      await kernel.within(limit, title, async (live) => {
        const { args, handles } = kernel.encodeArgs([{ html, event: event ?? null }]);
        const call = { ...this._where(), source: kernel.functionText(writeContent), function: true, args, handles };
        if (limit) call.timeout_ms = Math.ceil(limit);
        await kernel.call('page_evaluate', call).catch((error) => {
          // The limit of the wait tells of it as well, in its own words.
          if (error.code !== 'TIMEOUT' || live()) throw error.code === 'TIMEOUT' ? kernel.timeoutError(`${title}: Timeout ${limit}ms exceeded.`) : error;
        });
        if (state === 'networkidle' || state === 'stable') await this._reach(state, limit, title);
      });
    }

    async addScriptTag(options = {}) {
      return this._addTag(options, addScript, 'addScriptTag', { type: options.type || '' });
    }

    async addStyleTag(options = {}) {
      return this._addTag(options, addStyle, 'addStyleTag', {});
    }

    async _addTag({ url, path, content }, pageFunction, name, more) {
      if (url === undefined && path === undefined && content === undefined) {
        throw new Error(`${name}: Provide an object with a \`url\`, \`path\` or \`content\` property`);
      }
      let text = content;
      if (path !== undefined) {
        text = (await kernel.readFile(path)).toString('utf8');
        text += name === 'addScriptTag' ? `\n//# sourceURL=${String(path).replace(/\n/g, '')}` : `\n/*# sourceURL=${String(path).replace(/\n/g, '')}*/`;
      }
      const handle = await kernel.evaluateHandle(this, pageFunction, { url, content: text, ...more });
      return handle.asElement ? handle.asElement() || handle : handle;
    }

    // ---- navigation ----

    _title() {
      return this._parentId ? 'frame' : 'page';
    }

    async goto(url, options = {}) {
      return kernel.navigate(this, url, options);
    }

    async waitForLoadState(state = 'load', options = {}) {
      checkState(state, 'waitForLoadState');
      const limit = options.timeout ?? this._page._navigationLimit();
      await this._reach(state, limit, `${this._title()}.waitForLoadState`);
    }

    async waitForURL(url, options = {}) {
      const fits = kernel.urlMatcher(url, this._page._baseURL);
      const state = waitState(options, 'waitForURL');
      const limit = options.timeout ?? this._page._navigationLimit();
      const title = `${this._title()}.waitForURL`;
      const begun = kernel.now();
      await kernel.flushEvents();
      if (!fits(this._url)) {
        await kernel.waitForEvent({
          emitter: this._page, event: '_navigated', predicate: (event) => event.frame === this && fits(event.url), timeout: limit, title,
          what: typeof url === 'function' ? 'navigation' : `navigation to ${JSON.stringify(String(url))}`,
          until: [gone(this), failed(this._page)],
        });
      }
      await this._reach(state, remaining(limit, begun), title);
    }

    async waitForNavigation(options = {}) {
      const fits = kernel.urlMatcher(options.url, this._page._baseURL);
      const state = waitState(options, 'waitForNavigation');
      const limit = options.timeout ?? this._page._navigationLimit();
      const title = `${this._title()}.waitForNavigation`;
      const begun = kernel.now();
      kernel.subscribe('request', 'response', 'requestfinished', 'requestfailed');
      const mark = this._page._marks(this);
      const event = await kernel.waitForEvent({
        emitter: this._page, event: '_navigated', predicate: (e) => e.frame === this && fits(e.url), timeout: limit, title,
        what: 'navigation', until: [gone(this), failed(this._page)],
      });
      await this._reach(state, remaining(limit, begun), title);
      return event.same_document ? null : mark();
    }

    async waitForTimeout(ms) {
      await kernel.pause(Number(ms));
    }

    async waitForFunction(pageFunction, arg, options = {}) {
      const { polling = 'raf', timeout } = options;
      if (polling !== 'raf' && !(typeof polling === 'number' && polling > 0)) {
        throw new Error(typeof polling === 'number' ? 'Cannot poll with non-positive interval' : `Unknown polling option: ${polling}`);
      }
      const limit = timeout ?? this._page._limit();
      const title = `${this._title()}.waitForFunction`;
      const every = polling === 'raf' ? 20 : polling;
      return kernel.within(limit, title, async (live) => {
        for (let wait = every; live(); wait = polling === 'raf' ? Math.min(wait * 1.5, 100) : every) {
          let handle = null;
          try {
            handle = await kernel.evaluateHandle(this, pageFunction, arg);
            if (await handle.evaluate(isTrue)) return handle;
          } catch (error) {
            if (!RETRIED.has(error && error.code)) throw error;
          }
          if (handle) await handle.dispose().catch(() => undefined);
          await kernel.pause(wait);
        }
        return undefined;
      });
    }

    async waitForSelector(selector, options = {}) {
      const { state = 'visible', timeout } = options;
      for (const [old, name] of [['visibility', 'state'], ['waitFor', 'state']]) {
        if (options[old] !== undefined) throw new Error(`${this._title()}.waitForSelector: options.${old} is not supported, did you mean options.${name}?`);
      }
      if (!WAITED.includes(state)) throw new Error(`${this._title()}.waitForSelector: state: expected one of (${WAITED.join('|')}), got ${String(state)}`);
      const locator = found(this, selector, options);
      const limit = timeout ?? this._page._limit();
      const begun = kernel.now();
      for (;;) {
        await kernel.waitForState(locator._spot(), 'waitForSelector', state, { timeout: remaining(limit, begun) });
        if (state === 'hidden' || state === 'detached') return null;
        const handle = await kernel.query(this, selector, options);
        if (handle) return handle;
      }
    }

    // Waits until the document is as far as asked.
    async _reach(state, limit, title) {
      if (state === 'commit') return;
      await kernel.within(limit, title, async (live) => {
        if (state === 'networkidle') await this._page._networkQuiet(live);
        if (state === 'stable') {
          await kernel.call('browser_wait_for_idle', { tab_id: this._page._tab, timeout_ms: 5000 }).catch(ignore('TIMEOUT'));
        }
        for (let wait = 10; live(); wait = Math.min(wait * 2, 100)) {
          const ready = await this._ready();
          if (ready === 'complete' || (ready === 'interactive' && (state === 'domcontentloaded' || state === 'interactive'))) return;
          await kernel.pause(wait);
        }
      });
    }

    async _ready() {
      try {
        return await kernel.peek(this, readReady);
      } catch (error) {
        if (this._gone) throw new Error('Frame was detached');
        if (this._page.isClosed()) throw kernel.closedError();
        if (error && (error.code === 'PAGE_CRASHED' || error.code === 'BROWSER_GONE')) throw error;
        return 'loading';
      }
    }

    toString() {
      return `Frame ${this._url}`;
    }
  }

  for (const name of GETTERS) {
    Frame.prototype[name] = function (...args) {
      return this.locator(kernel.selectorBy(name, args));
    };
  }

  // Methods by selector that a locator has as well; the argument count says where the options are.
  const BY_SELECTOR = {
    click: 0, dblclick: 0, tap: 0, hover: 0, focus: 0, check: 0, uncheck: 0, setChecked: 1, fill: 1, type: 1, press: 1,
    selectOption: 1, setInputFiles: 1, textContent: 0, innerText: 0, innerHTML: 0, inputValue: 0, isChecked: 0, isDisabled: 0,
    isEditable: 0, isEnabled: 0,
  };
  for (const [name, count] of Object.entries(BY_SELECTOR)) {
    Frame.prototype[name] = async function (selector, ...args) {
      return found(this, selector, args[count])[name](...args);
    };
  }

  Object.assign(Frame.prototype, {
    async getAttribute(selector, name, options) {
      return found(this, selector, options).getAttribute(name, options);
    },
    async isVisible(selector, options) {
      return found(this, selector, options).isVisible();
    },
    async isHidden(selector, options) {
      return found(this, selector, options).isHidden();
    },
    async dispatchEvent(selector, type, eventInit, options) {
      return found(this, selector, options).dispatchEvent(type, eventInit, options);
    },
    async dragAndDrop(source, target, options = {}) {
      return found(this, source, options).dragTo(found(this, target, options), options);
    },
  });

  const ignore = (code) => (error) => {
    if (error.code !== code) throw error;
  };

  function checkState(state, name, option = 'state') {
    if (!STATES.includes(state)) {
      throw new Error(`${name}: ${option}: expected one of (${STATES.slice(0, 4).join('|')}), got ${String(state)}`);
    }
  }

  function waitState(options, name) {
    const state = options.waitUntil === 'networkidle0' ? 'networkidle' : options.waitUntil || 'load';
    checkState(state, name, 'waitUntil');
    return state;
  }

  const remaining = (limit, begun) => (limit === 0 ? 0 : Math.max(1, limit - (kernel.now() - begun)));

  const gone = (frame) => ({
    source: frame._page, name: 'framedetached', fits: (other) => other === frame, error: () => new Error('Navigating frame was detached!'),
  });
  const failed = (page) => ({ source: page, name: 'close', error: () => kernel.closedError() });

  // Runs an act that may not take longer than a limit; `live` tells it whether anybody still waits.
  kernel.within = (limit, title, act) => new Promise((resolve, reject) => {
    let over = false;
    const end = (settle, value) => {
      if (over) return;
      over = true;
      kernel.cancelTimer(timer);
      settle(value);
    };
    const timer = kernel.after(limit === 0 ? 24 * 3600 * 1000 : Math.max(1, limit), () => {
      end(reject, kernel.timeoutError(`${title}: Timeout ${Math.round(limit)}ms exceeded.`));
    });
    Promise.resolve().then(() => act(() => !over)).then((value) => end(resolve, value), (error) => end(reject, error));
  });

  // Reads by a function of ours, which is no act: it needs nobody's leave and has no effect to be measured.
  kernel.peek = async (frame, pageFunction, arg) => {
    const { args, handles } = kernel.encodeArgs([arg]);
    const call = { ...frame._where(), source: kernel.functionText(pageFunction), function: true, args, handles, pure: true };
    try {
      return kernel.decodeValue((await kernel.call('page_evaluate', call)).output.value);
    } catch (error) {
      if (error.code !== 'SCRIPT_HAS_EFFECTS') throw error;
      return kernel.evaluate(frame, pageFunction, arg);
    }
  };

  kernel.waitState = waitState;
  kernel.remaining = remaining;
  kernel.isPassing = (error) => RETRIED.has(error && error.code);

  // Arguments beyond the one that Playwright takes would be dropped in silence.
  kernel.oneArgument = (name, more) => {
    if (more.length) {
      throw new Error(`Too many arguments. If you need to pass more than 1 argument to the function wrap them in an object. (${name})`);
    }
  };

  // ---- what runs in the page; constant text ----

  function readTitle() {
    return document.title;
  }

  function readReady() {
    return document.readyState;
  }

  function readContent() {
    const type = document.doctype;
    let head = '';
    if (type) {
      head = `<!DOCTYPE ${type.name}`;
      if (type.publicId) head += ` PUBLIC "${type.publicId}"`;
      else if (type.systemId) head += ' SYSTEM';
      if (type.systemId) head += ` "${type.systemId}"`;
      head += '>';
    }
    return head + (document.documentElement ? document.documentElement.outerHTML : '');
  }

  // The listener comes after the document is opened, which drops all of them, and before it is closed, which may load it.
  function writeContent({ html, event }) {
    window.stop();
    document.open();
    document.write(html);
    if (!event) return document.close();
    return new Promise((resolve) => {
      const target = event === 'load' ? window : document;
      target.addEventListener(event, () => resolve(), { once: true });
      document.close();
    });
  }

  function isTrue(value) {
    return Boolean(value);
  }

  async function addScript({ url, content, type }) {
    const script = document.createElement('script');
    if (type) script.type = type;
    let arrived = null;
    if (url !== undefined) {
      arrived = new Promise((resolve, reject) => {
        script.onload = resolve;
        script.onerror = () => reject(new Error(`Failed to load script at ${script.src}`));
      });
      script.src = url;
    } else {
      script.textContent = content;
    }
    document.head.appendChild(script);
    if (arrived) await arrived;
    return script;
  }

  async function addStyle({ url, content }) {
    const element = document.createElement(url === undefined ? 'style' : 'link');
    let arrived = null;
    if (url !== undefined) {
      arrived = new Promise((resolve, reject) => {
        element.onload = resolve;
        element.onerror = () => reject(new Error(`Failed to load stylesheet at ${element.href}`));
      });
      element.rel = 'stylesheet';
      element.href = url;
    } else {
      element.appendChild(document.createTextNode(content));
    }
    document.head.appendChild(element);
    if (arrived) await arrived;
    return element;
  }

  kernel.Frame = Frame;
  kernel.GETTERS = GETTERS;
  kernel.enumerable(Frame);
})
