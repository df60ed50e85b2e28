// Keyboard, Mouse and Touchscreen: raw input at a page, by `page_input`.
(function (kernel) {
  'use strict';

  const BUTTONS = new Set(['left', 'middle', 'right']);

  function number(value, what) {
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      throw new TypeError(`${what}: expected a number, got ${value === null ? 'null' : typeof value}`);
    }
    return value;
  }

  function text(value, what) {
    if (typeof value !== 'string') throw new TypeError(`${what}: expected string, got ${typeof value}`);
    return value;
  }

  function button(options, what) {
    const name = (options && options.button) || 'left';
    if (!BUTTONS.has(name)) throw new Error(`${what}: button: expected one of (left|right|middle), got ${name}`);
    return name;
  }

  /** Sends input; a refusal names the method that was called. */
  const send = async (page, name, steps) => {
    try {
      await kernel.call('page_input', { tab_id: page._tab, steps });
    } catch (error) {
      throw kernel.prefixed(name, error instanceof Error ? error : kernel.fail(error));
    }
  };

  const delayOf = (options) => Math.max(0, Number((options && options.delay) || 0));

  class Keyboard {
    constructor(page) {
      kernel.hide(this, { _page: page });
    }

    async down(key) {
      await send(this._page, 'keyboard.down', [{ do: 'keydown', key: text(key, 'keyboard.down') }]);
    }

    async up(key) {
      await send(this._page, 'keyboard.up', [{ do: 'keyup', key: text(key, 'keyboard.up') }]);
    }

    async press(key, options = {}) {
      const step = { do: 'press', key: text(key, 'keyboard.press') };
      if (delayOf(options)) step.delay = delayOf(options);
      await send(this._page, 'keyboard.press', [step]);
    }

    async type(value, options = {}) {
      const step = { do: 'type', text: text(value, 'keyboard.type') };
      if (delayOf(options)) step.delay = delayOf(options);
      if (value) await send(this._page, 'keyboard.type', [step]);
    }

    async insertText(value) {
      await send(this._page, 'keyboard.insertText', [{ do: 'insert', text: text(value, 'keyboard.insertText') }]);
    }
  }

  class Mouse {
    constructor(page) {
      kernel.hide(this, { _page: page });
    }

    async move(x, y, options = {}) {
      const step = { do: 'move', x: number(x, 'mouse.move'), y: number(y, 'mouse.move') };
      if (options.steps > 1) step.steps = Math.floor(options.steps);
      await send(this._page, 'mouse.move', [step]);
    }

    async down(options = {}) {
      await send(this._page, 'mouse.down', [{ do: 'down', button: button(options, 'mouse.down'), clicks: options.clickCount ?? 1 }]);
    }

    async up(options = {}) {
      await send(this._page, 'mouse.up', [{ do: 'up', button: button(options, 'mouse.up'), clicks: options.clickCount ?? 1 }]);
    }

    async click(x, y, options = {}) {
      const name = button(options, 'mouse.click');
      const count = options.clickCount ?? 1;
      const delay = delayOf(options);
      const move = { do: 'move', x: number(x, 'mouse.click'), y: number(y, 'mouse.click') };
      const steps = [move];
      for (let clicks = 1; clicks <= count; clicks += 1) {
        steps.push({ do: 'down', button: name, clicks });
        if (delay) {
          await send(this._page, 'mouse.click', steps.splice(0));
          await kernel.pause(delay);
        }
        steps.push({ do: 'up', button: name, clicks });
        if (delay && clicks < count) {
          await send(this._page, 'mouse.click', steps.splice(0));
          await kernel.pause(delay);
        }
      }
      await send(this._page, 'mouse.click', steps);
    }

    async dblclick(x, y, options = {}) {
      await this.click(x, y, { ...options, clickCount: 2 });
    }

    async wheel(deltaX, deltaY) {
      await send(this._page, 'mouse.wheel', [{ do: 'wheel', dx: number(deltaX, 'mouse.wheel'), dy: number(deltaY, 'mouse.wheel') }]);
    }
  }

  class Touchscreen {
    constructor(page) {
      kernel.hide(this, { _page: page });
    }

    async tap(x, y) {
      await send(this._page, 'touchscreen.tap', [{ do: 'tap', x: number(x, 'touchscreen.tap'), y: number(y, 'touchscreen.tap') }]);
    }
  }

  kernel.pause = (ms) => new Promise((resolve) => kernel.after(ms, resolve));
  kernel.Keyboard = Keyboard;
  kernel.Mouse = Mouse;
  kernel.Touchscreen = Touchscreen;
  for (const kind of [Keyboard, Mouse, Touchscreen]) kernel.enumerable(kind);
})
