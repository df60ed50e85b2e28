// What can be done to an element, for locators and element handles alike: each waits until it can be done, does it by the
// tool that a person's agent would use, so that its effect is measured, and waits on where that was refused in passing.
(function (kernel) {
  'use strict';

  const PRESSED = ['visible', 'enabled', 'calm', 'hit'];
  const MODIFIERS = new Set(['Alt', 'Control', 'ControlOrMeta', 'Meta', 'Shift']);
  const BUTTONS = new Set(['left', 'right', 'middle']);

  const numberOf = (ref) => Number(/e(\d+)$/.exec(ref)[1]);
  /** An element that was found, as something to ask about again. */
  const same = (found) => ({ ...found.spot, parts: [{ ref: numberOf(found.ref) }], handles: undefined });

  const bad = (spot, name, message) => new Error(`${spot.title}.${name}: ${message}`);

  function point(spot, name, options, key = 'position') {
    const given = options[key];
    if (given === undefined) return undefined;
    if (!given || typeof given.x !== 'number' || typeof given.y !== 'number') throw bad(spot, name, `${key}: expected an object with the numbers x and y`);
    return { x: given.x, y: given.y };
  }

  function modifiers(spot, name, options) {
    if (!options.modifiers) return undefined;
    return options.modifiers.map((key) => {
      if (!MODIFIERS.has(key)) throw bad(spot, name, `modifiers: expected one of (${[...MODIFIERS].join('|')}), got ${String(key)}`);
      return key === 'ControlOrMeta' ? 'Primary' : key;
    });
  }

  const given = (object) => {
    for (const key of Object.keys(object)) if (object[key] === undefined) delete object[key];
    return object;
  };

  // ---- pressing --------------------------------------------------------------------------------------------------

  async function click(spot, options, name, clicks) {
    const position = point(spot, name, options);
    const keys = modifiers(spot, name, options);
    const button = options.button ?? 'left';
    if (!BUTTONS.has(button)) throw bad(spot, name, `button: expected one of (left|right|middle), got ${String(button)}`);
    await kernel.act(spot, name, options, {
      verb: name,
      needs: options.trial ? ['visible', 'enabled', 'stable', 'hit'] : PRESSED,
      args: given({ position }),
      run: async (found) => {
        if (options.trial) return;
        await kernel.tool(found.spot.frame, 'browser_click', given({
          ref: found.ref, position, modifiers: keys, button: button === 'left' ? undefined : button,
          double: clicks === 2 ? true : undefined, clicks: clicks > 2 || clicks === 0 ? clicks : undefined,
          delay: options.delay > 0 ? options.delay : undefined, force: options.force ? true : undefined, no_wait: options.noWaitAfter ? true : undefined,
        }), found);
      },
    });
  }

  const actions = {
    click: (spot, options = {}) => click(spot, options, 'click', options.clickCount ?? 1),
    dblclick: (spot, options = {}) => click(spot, options, 'dblclick', 2),

    async tap(spot, options = {}) {
      const position = point(spot, 'tap', options);
      const keys = modifiers(spot, 'tap', options);
      await kernel.act(spot, 'tap', options, {
        verb: 'tap', needs: PRESSED, args: given({ position }),
        run: async ({ ref, spot: at }) => {
          if (options.trial) return;
          await kernel.tool(at.frame, 'browser_click', given({ ref, touch: true, position, modifiers: keys, force: options.force ? true : undefined }));
        },
      });
    },

    async hover(spot, options = {}) {
      const position = point(spot, 'hover', options);
      const keys = modifiers(spot, 'hover', options);
      await kernel.act(spot, 'hover', options, {
        verb: 'hover', needs: ['visible', 'calm', 'hit'], args: given({ position }),
        run: async ({ ref, spot: at }) => {
          if (options.trial) return;
          await kernel.tool(at.frame, 'browser_hover', given({ ref, position, modifiers: keys, force: options.force ? true : undefined }));
        },
      });
    },

    async dragTo(spot, target, options = {}) {
      const from = point(spot, 'dragTo', options, 'sourcePosition');
      const to = point(spot, 'dragTo', options, 'targetPosition');
      const limit = kernel.limitOf(spot, options);
      await kernel.act(spot, 'dragTo', options, {
        verb: 'drag and drop', needs: ['visible', 'calm', 'hit'], args: given({ position: from }), limit,
        run: async (source, progress) => {
          progress.log(`waiting for ${target.text}`);
          const drop = await kernel.seek(target, progress, { fn: 'scriptLocate', needs: options.force ? [] : ['visible', 'calm'] });
          if (options.trial) return;
          await kernel.tool(source.spot.frame, 'browser_drag', given({
            from: source.ref, to: drop.ref, from_x: from && from.x, from_y: from && from.y, to_x: to && to.x, to_y: to && to.y,
          }));
        },
      });
    },

    // ---- boxes ---------------------------------------------------------------------------------------------------

    async setChecked(spot, on, options = {}, name = on ? 'check' : 'uncheck') {
      const position = point(spot, name, options);
      let pressed = 0;
      await kernel.act(spot, name, options, {
        verb: 'click', needs: options.trial ? ['visible', 'enabled', 'stable', 'hit'] : PRESSED, args: given({ position }),
        run: async (found, progress) => {
          if (found.checked === undefined) throw progress.fail('Error: Not a checkbox or radio button', { code: 'WRONG_ELEMENT' });
          if (found.checked === on) return;
          if (found.type === 'radio' && !on) throw progress.fail('Error: Cannot uncheck radio button. Radio buttons can only be unchecked by selecting another radio button in the same group.');
          if (options.trial) return;
          const { frame } = found.spot;
          pressed += 1;
          if (position || options.force || !found.own) await kernel.tool(frame, 'browser_click', given({ ref: found.ref, position, force: options.force ? true : undefined }));
          else await kernel.tool(frame, 'browser_check', { ref: found.ref, checked: on });
          const now = await kernel.askOnce(same(found), 'scriptLocate', { needs: [] }).catch(() => null);
          // One that went away, or that the page took back, has no state any more.
          if (now && now.status === 'ok' && now.checked !== undefined && now.checked !== on) throw progress.fail('Error: Clicking the checkbox did not change its state', { code: 'WRITE_NOT_REFLECTED' });
        },
      });
      return pressed;
    },

    // ---- text ----------------------------------------------------------------------------------------------------

    async fill(spot, value, options = {}, name = 'fill') {
      if (typeof value !== 'string') throw bad(spot, name, `value: expected string, got ${value === null ? 'null' : typeof value}`);
      await kernel.act(spot, name, options, {
        verb: name, needs: ['visible', 'enabled', 'editable'],
        run: async (found, progress) => {
          const problem = unfillable(found, value);
          if (problem) throw progress.fail(`Error: ${problem}`, { code: 'NOT_EDITABLE' });
          const set = SET_TYPES.has(found.type);
          const text = set ? (found.type === 'color' ? value.trim().toLowerCase() : value.trim()) : value;
          const { frame } = found.spot;
          if (options.force && !found.seen && !set) {
            await kernel.askOnce(same(found), 'scriptForceFill', { text });
            return;
          }
          try {
            const { warnings } = await kernel.tool(frame, 'browser_fill', { ref: found.control ?? found.ref, value: text });
            // The tool gives a field back what it held where the page made something else of the text; here that is its say.
            if (!set && warnings && warnings.length) {
              const now = await kernel.askOnce(same(found), 'scriptRead', { what: 'inputValue' }).catch(() => null);
              if (now && now.status === 'ok' && now.value !== text) await kernel.askOnce(same(found), 'scriptForceFill', { text });
            }
          } catch (error) {
            if (set && (error.code === 'INVALID_ARGUMENTS' || error.code === 'NO_OPTION')) throw progress.fail('Error: Malformed value');
            throw error;
          }
          if (set && text) {
            const now = await kernel.askOnce(same(found), 'scriptRead', { what: 'inputValue' }).catch(() => null);
            if (now && now.status === 'ok' && now.value !== text) throw progress.fail('Error: Malformed value');
          }
        },
      });
    },

    clear: (spot, options = {}) => actions.fill(spot, '', options, 'clear'),

    async keys(spot, name, options, step) {
      await kernel.act(spot, name, options, {
        fn: 'scriptFocus', verb: name, needs: [],
        run: async ({ spot: at }) => {
          if (step) await kernel.tool(at.frame, 'page_input', { steps: [given(step)] });
        },
      });
    },

    async press(spot, key, options = {}) {
      if (typeof key !== 'string') throw bad(spot, 'press', `key: expected string, got ${typeof key}`);
      await actions.keys(spot, 'press', options, { do: 'press', key, delay: options.delay || undefined });
    },

    async type(spot, text, options = {}, name = 'type') {
      if (typeof text !== 'string') throw bad(spot, name, `text: expected string, got ${typeof text}`);
      await actions.keys(spot, name, options, text ? { do: 'type', text, delay: options.delay || undefined } : null);
    },

    // ---- choices -------------------------------------------------------------------------------------------------

    async selectOption(spot, values, options = {}) {
      const { wanted, handles } = choices(spot, values);
      let chosen = [];
      await kernel.act(spot, 'selectOption', options, {
        fn: 'scriptOptions', verb: 'select option', needs: ['visible', 'enabled'], args: { wanted, handles },
        run: async (found) => {
          const at = found.spot;
          if (found.plain) {
            await kernel.tool(at.frame, 'browser_select', { ref: found.ref, values: found.chosen });
            chosen = found.chosen;
            return;
          }
          const answer = await kernel.askOnce(same(found), 'scriptChoose', { indexes: found.indexes });
          chosen = answer.value ?? found.chosen;
        },
      });
      return chosen;
    },

    // ---- files ---------------------------------------------------------------------------------------------------

    async setInputFiles(spot, files, options = {}) {
      const list = Array.isArray(files) ? files : [files];
      const paths = [];
      for (const file of list) paths.push(await pathOf(spot, file));
      await kernel.act(spot, 'setInputFiles', options, {
        verb: 'set input files', needs: [],
        run: async (found, progress) => {
          if (found.type !== 'file') throw progress.fail('Error: Node is not an HTMLInputElement', { code: 'WRONG_ELEMENT' });
          if (!paths.length) await kernel.askOnce({ ...found.spot }, 'scriptClearFiles');
          else {
            if (paths.length > 1 && !found.many) throw progress.fail('Error: Non-multiple file input can only accept single file', { code: 'INVALID_ARGUMENTS' });
            await kernel.tool(found.spot.frame, 'browser_upload', { ref: found.control ?? found.ref, paths });
          }
        },
      });
    },

    // ---- by script -----------------------------------------------------------------------------------------------

    async focus(spot, options = {}) {
      await actions.keys(spot, 'focus', options, null);
    },

    async blur(spot, options = {}) {
      await kernel.act(spot, 'blur', options, { fn: 'scriptBlur', verb: 'blur', needs: [], run: async () => undefined });
    },

    async selectText(spot, options = {}) {
      await kernel.act(spot, 'selectText', options, { fn: 'scriptSelectText', verb: 'select text', needs: ['visible'], run: async () => undefined });
    },

    async scrollIntoViewIfNeeded(spot, options = {}) {
      await kernel.act(spot, 'scrollIntoViewIfNeeded', options, {
        fn: 'scriptScrollIntoView', verb: 'scroll into view', needs: ['attached', 'drawn', 'stable'], run: async () => undefined,
      });
    },

    async dispatchEvent(spot, type, init = {}, options = {}) {
      if (typeof type !== 'string') throw bad(spot, 'dispatchEvent', `type: expected string, got ${typeof type}`);
      const { args, handles } = kernel.encodeArgs([init]);
      if (handles.length) {
        // Objects of the page can be given along only in the page's own world.
        const handle = await kernel.handleOfSpot(spot, 'dispatchEvent', options);
        await handle.evaluate(sendEvent, { type, init });
        kernel.dropHandle(handle._frame._page, handle._handle);
        return;
      }
      await kernel.act(spot, 'dispatchEvent', options, {
        fn: 'scriptDispatch', verb: 'dispatch event', needs: [], args: { type, init: kernel.decodeValue(args)[0] }, run: async () => undefined,
      });
    },

    async screenshot(spot, options = {}) {
      const page = spot.frame._page;
      const box = async () => {
        await kernel.act(spot, 'screenshot', options, { fn: 'scriptScrollIntoView', verb: 'take screenshot', needs: ['visible', 'stable'], run: async () => undefined });
        const found = await actions.boundingBox(spot, options);
        if (!found || !found.width || !found.height) throw bad(spot, 'screenshot', 'Element is not visible');
        return found;
      };
      return kernel.shoot(page, options, box, `${spot.title}.screenshot`);
    },

    /** The box in the pixels of the page's viewport, also of an element in a frame. */
    async boundingBox(spot, options = {}) {
      const found = await kernel.read(spot, 'boundingBox', options, 'scriptRead', { what: 'box' });
      if (!found.value) return null;
      const { value: box } = found;
      let { frame } = found.spot;
      while (frame.parentFrame()) {
        const parent = frame.parentFrame();
        const owner = await frame.frameElement();
        const { output } = await kernel.call('page_call', { ...parent._where(), fn: 'scriptFrameOrigin', args: {}, handles: [owner._handle] });
        box.x += output.value.x;
        box.y += output.value.y;
        frame = parent;
      }
      return box;
    },
  };

  function sendEvent(el, { type, init }) {
    const kinds = { drag: 'DragEvent', drop: 'DragEvent', mouse: 'MouseEvent', click: 'MouseEvent', dblclick: 'MouseEvent', key: 'KeyboardEvent', pointer: 'PointerEvent', focus: 'FocusEvent', blur: 'FocusEvent', wheel: 'WheelEvent', touch: 'TouchEvent' };
    const kind = Object.keys(kinds).find((start) => type.startsWith(start));
    const Kind = (kind && window[kinds[kind]]) || Event;
    el.dispatchEvent(new Kind(type, { bubbles: true, cancelable: true, composed: true, ...init }));
  }

  // ---- what fits -------------------------------------------------------------------------------------------------

  const SET_TYPES = new Set(['color', 'date', 'time', 'datetime-local', 'month', 'range', 'week']);
  const TYPED = new Set(['', 'email', 'number', 'password', 'search', 'tel', 'text', 'url', 'input', 'textarea']);
  const NO_FIELD = 'Element is not an <input>, <textarea> or [contenteditable] element';

  function unfillable(found, value) {
    const { type, tag } = found;
    if (type === 'select' || type === 'multiple') return NO_FIELD;
    if (tag === 'input' || TYPED.has(type) || SET_TYPES.has(type)) {
      if (!TYPED.has(type) && !SET_TYPES.has(type)) return `Input of type "${type}" cannot be filled`;
      if (type === 'number' && Number.isNaN(Number(value.trim()))) return 'Cannot type text into input[type=number]';
    }
    return null;
  }

  function choices(spot, values) {
    if (values === null) return { wanted: [], handles: [] };
    if (values === undefined) throw bad(spot, 'selectOption', 'values: expected string, object, ElementHandle, an array of them, or null');
    const wanted = [];
    const handles = [];
    for (const value of Array.isArray(values) ? values : [values]) {
      if (typeof value === 'string') wanted.push({ value_or_label: value });
      else if (value instanceof kernel.ElementHandle) handles.push(value._handle);
      else if (value && typeof value === 'object') {
        for (const [key, kind] of [['value', 'string'], ['label', 'string'], ['index', 'number']]) {
          if (value[key] !== undefined && typeof value[key] !== kind) throw bad(spot, 'selectOption', `options[${wanted.length}].${key}: expected ${kind}, got ${typeof value[key]}`);
        }
        wanted.push(given({ value: value.value, label: value.label, index: value.index }));
      } else throw bad(spot, 'selectOption', `options[${wanted.length}]: expected object, got ${value === null ? 'null' : typeof value}`);
    }
    return { wanted, handles };
  }

  let uploads = 0;

  /** A path that the browser can be given: of a file, or of what a buffer was written to. */
  async function pathOf(spot, file) {
    // Relative to where the scope's files are; what lies elsewhere is for the rules of uploads to judge.
    if (typeof file === 'string') return kernel.fs.resolvePath(file).catch(() => file);
    if (!file || typeof file !== 'object' || typeof file.name !== 'string' || file.buffer === undefined) {
      throw bad(spot, 'setInputFiles', 'files: expected a path, { name, mimeType, buffer }, or a list of them');
    }
    const name = file.name.replace(/[/\\]/g, '_').replace(/^\.+/, '_') || 'file';
    uploads += 1;
    const path = `artifacts/uploads/${uploads}-${Math.floor(kernel.wall())}/${name}`;
    await kernel.makeParents(path);
    await kernel.fs.writeFile(path, file.buffer);
    return `${kernel.info.pwd}/${path}`;
  }

  kernel.actions = actions;

  // ---- states ----------------------------------------------------------------------------------------------------

  kernel.waitForState = async (spot, name, state, options = {}) => {
    const progress = kernel.progress(`${spot.title}.${name}`, kernel.limitOf(spot, options));
    progress.log(`waiting for ${spot.text}${state === 'attached' || name === 'waitForElementState' ? '' : ` to be ${state}`}`);
    const away = state === 'hidden' || state === 'detached';
    try {
      await kernel.seek(spot, progress, { fn: 'scriptWait', args: { state }, waiting: null });
    } catch (error) {
      // What went away with its document or frame is neither seen nor there.
      if (away && ['FRAME_GONE', 'HANDLE_GONE'].includes(error.code)) return;
      throw error;
    }
  };

  /** The one element that a spot finds, as a handle; waited for. */
  kernel.handleOfSpot = async (spot, name, options) => {
    const progress = kernel.progress(`${spot.title}.${name}`, kernel.limitOf(spot, options));
    progress.log(`waiting for ${spot.text}`);
    for (;;) {
      const found = await kernel.seek(spot, progress, { fn: 'scriptLocate', needs: [] });
      try {
        const { output } = await kernel.call('page_call', { ...found.spot.frame._where(), fn: 'scriptQueryOne', args: { parts: [{ ref: numberOf(found.ref) }] }, returns: 'handle' });
        if (output.handle && output.handle.id) return kernel.handleOf(found.spot.frame, output.handle);
      } catch (error) {
        if (!kernel.isPassing(error)) throw error;
      }
      progress.check();
      await progress.pause();
    }
  };

  // ---- on handles ------------------------------------------------------------------------------------------------

  const E = kernel.ElementHandle.prototype;
  const own = (name, method) => Object.defineProperty(E, name, { value: method, writable: true, configurable: true, enumerable: true });
  for (const name of ['click', 'dblclick', 'tap', 'hover', 'focus', 'selectText', 'scrollIntoViewIfNeeded', 'screenshot']) {
    own(name, async function (options) { return actions[name](this._spot(), options); });
  }
  for (const name of ['fill', 'press', 'type', 'selectOption', 'setInputFiles']) {
    own(name, async function (value, options) { return actions[name](this._spot(), value, options); });
  }
  own('check', async function (options) { await actions.setChecked(this._spot(), true, options); });
  own('uncheck', async function (options) { await actions.setChecked(this._spot(), false, options); });
  own('setChecked', async function (on, options) { await actions.setChecked(this._spot(), Boolean(on), options, 'setChecked'); });
  own('dispatchEvent', async function (type, init, options) { await actions.dispatchEvent(this._spot(), type, init, options); });
  own('boundingBox', async function () { return actions.boundingBox(this._spot()); });
  for (const what of ['textContent', 'innerText', 'innerHTML', 'inputValue']) {
    own(what, async function () { return (await kernel.read(this._spot(), what, {}, 'scriptRead', { what })).value; });
  }
  own('getAttribute', async function (name) { return (await kernel.read(this._spot(), 'getAttribute', {}, 'scriptRead', { what: 'attribute', name })).value; });
  for (const [name, what] of [['isVisible', 'visible'], ['isHidden', 'hidden'], ['isEnabled', 'enabled'], ['isDisabled', 'disabled'], ['isEditable', 'editable'], ['isChecked', 'checked']]) {
    own(name, async function () { return (await kernel.read(this._spot(), name, {}, 'scriptRead', { what })).value; });
  }
})
