// cua: input by coordinates on the current page, for models that see pictures.
(function (kernel) {
  'use strict';

  const NAMES = {
    ctrl: 'Control', control: 'Control', cmd: 'Meta', command: 'Meta', meta: 'Meta', win: 'Meta', alt: 'Alt', option: 'Alt', shift: 'Shift',
    enter: 'Enter', return: 'Enter', esc: 'Escape', escape: 'Escape', tab: 'Tab', space: 'Space', backspace: 'Backspace', delete: 'Delete',
    del: 'Delete', up: 'ArrowUp', down: 'ArrowDown', left: 'ArrowLeft', right: 'ArrowRight', arrowup: 'ArrowUp', arrowdown: 'ArrowDown',
    arrowleft: 'ArrowLeft', arrowright: 'ArrowRight', home: 'Home', end: 'End', pageup: 'PageUp', pagedown: 'PageDown', insert: 'Insert',
  };

  const keyOf = (key) => {
    const text = String(key);
    const known = NAMES[text.toLowerCase()];
    if (known) return known;
    return /^f\d{1,2}$/i.test(text) ? text.toUpperCase() : text;
  };

  const list = (keys) => (keys === undefined || keys === null ? [] : Array.isArray(keys) ? keys : String(keys).split('+')).map(keyOf);

  function point({ x, y }, what) {
    if (!Number.isFinite(x) || !Number.isFinite(y)) throw new TypeError(`cua.${what}: x and y are pixels of the viewport, got ${x}, ${y}`);
    return { x, y };
  }

  // Sends steps to the current page, with keys held down around them.
  async function send(what, steps, keys) {
    const page = kernel.needPage(undefined, `cua.${what}`);
    const held = list(keys);
    const all = [...held.map((key) => ({ do: 'keydown', key })), ...steps, ...held.reverse().map((key) => ({ do: 'keyup', key }))];
    await kernel.call('page_input', { tab_id: page._tab, steps: all });
  }

  const BUTTONS = { 1: 'left', 2: 'middle', 3: 'right', wheel: 'middle', left: 'left', middle: 'middle', right: 'right' };

  function clicks(given, count) {
    const at = point(given, count > 1 ? 'doubleClick' : 'click');
    const button = BUTTONS[given.button ?? 'left'] || 'left';
    const steps = [{ do: 'move', ...at }];
    for (let n = 1; n <= count; n += 1) steps.push({ do: 'down', button, clicks: n }, { do: 'up', button, clicks: n });
    return steps;
  }

  const cua = {
    async click(given) {
      await send('click', clicks(given, 1), given.keypress ?? given.keys);
    },
    async doubleClick(given) {
      await send('doubleClick', clicks(given, 2), given.keypress ?? given.keys);
    },
    async drag({ path, keys }) {
      if (!Array.isArray(path) || path.length < 2) throw new TypeError('cua.drag: path is a list of at least two points');
      const points = path.map((at) => point(Array.isArray(at) ? { x: at[0], y: at[1] } : at, 'drag'));
      const [first, ...rest] = points;
      const moves = rest.map((at) => ({ do: 'move', ...at, steps: 4 }));
      await send('drag', [{ do: 'move', ...first }, { do: 'down', button: 'left' }, ...moves, { do: 'up', button: 'left' }], keys);
    },
    async move(given) {
      await send('move', [{ do: 'move', ...point(given, 'move') }], given.keys);
    },
    async scroll(given) {
      const { scrollX = 0, scrollY = 0 } = given;
      const steps = given.x === undefined ? [] : [{ do: 'move', ...point(given, 'scroll') }];
      await send('scroll', [...steps, { do: 'wheel', dx: scrollX, dy: scrollY }], given.keypress ?? given.keys);
    },
    async keypress({ keys }) {
      const chord = list(keys).join('+');
      if (!chord) throw new TypeError('cua.keypress: keys is a list such as ["ctrl", "a"]');
      await send('keypress', [{ do: 'press', key: chord }]);
    },
    async type({ text }) {
      if (typeof text !== 'string') throw new TypeError('cua.type: text is missing');
      if (text) await send('type', [{ do: 'type', text }]);
    },
    // Base64 of what is shown, one pixel for each pixel of the viewport, so that its coordinates are those of the input.
    async getVisibleScreenshot() {
      const bytes = await kernel.needPage(undefined, 'cua.getVisibleScreenshot').screenshot({ scale: 'css' });
      return bytes.toString('base64');
    },
  };

  kernel.expose('cua', cua);
})
