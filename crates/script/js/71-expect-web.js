// Matchers of pages: they look again until it is so, or say what was there instead, with a log.
(function (kernel) {
  'use strict';

  const CHUNK = 250;
  const shown = kernel.showValue;

  const nameOf = (value) => (value === null ? 'null' : typeof value !== 'object' ? typeof value : (value.constructor && value.constructor.name) || 'Object');
  function checkKind(actual, Kind, name, what) {
    if (!(actual instanceof Kind)) throw new Error(`${name} can be only used with ${what} object${actual === undefined ? '' : `\nReceived: ${nameOf(actual)}`}`);
  }

  // ---- one poll after the other ----------------------------------------------------------------------------------

  /** Frame steps of a locator; a frame that isn't there is nothing found. */
  async function placeOf(spot, progress) {
    if (!spot.parts.some((part) => part.frame)) return kernel.place(spot, progress);
    const short = kernel.progress(progress.title, Math.max(1, Math.min(CHUNK, progress.left())));
    try {
      return await kernel.place(spot, short);
    } catch (error) {
      if (error instanceof kernel.TimeoutError) return null;
      throw error;
    }
  }

  const MISSING = { hidden: true, detached: true, visible: false, attached: false, viewport: false };

  /** Looks until the matcher has its will or the time is over; the last answer, and the log. */
  async function look(ctx, spot, name, question, timeout) {
    const progress = kernel.progress(`expect.${name}`, timeout);
    const log = [`  - Expect "${ctx.isNot ? 'not ' : ''}${name}" with timeout ${timeout}ms`, ...(spot.parts ? [`  - waiting for ${spot.text}`] : [])];
    const blocks = [];
    const note = (answer) => {
      const lines = [answer.preview ? `locator resolved to ${answer.preview}` : answer.count > 0 ? `locator resolved to ${answer.count} element${answer.count === 1 ? '' : 's'}` : '', answer.message ? `unexpected error: ${answer.message}` : answer.missing || answer.received === undefined ? '' : `unexpected value ${shown(answer.received)}`].filter(Boolean);
      if (!lines.length) return;
      const last = blocks[blocks.length - 1];
      if (last && last.key === lines.join('\n')) last.times += answer.looks || 1;
      else blocks.push({ key: lines.join('\n'), lines, times: answer.looks || 1 });
    };
    let answer = { status: 'none', pass: ctx.isNot, missing: true, looks: 1 };
    for (let i = 0; ; i += 1) {
      try {
        const at = await placeOf(spot, progress);
        if (at) answer = await kernel.askOnce(at, 'scriptExpect', { ...question, is_not: ctx.isNot }, Math.max(0, Math.floor(Math.min(CHUNK, progress.left()))));
        else answer = { status: 'none', missing: true, looks: 1, count: 0, pass: MISSING[question.matcher] ?? (question.matcher === 'count' ? question.count === 0 : ctx.isNot), received: question.matcher === 'count' ? 0 : undefined };
      } catch (error) {
        if (!kernel.isPassing(error) && error.code !== 'DIALOG_OPEN') throw kernel.explained(progress, error);
        if (spot.frame._page.isClosed()) throw kernel.closedError();
        if (progress.left() > 0) {
          await kernel.pause(Math.min(50, 5 + i * 10));
          continue;
        }
        answer = { ...answer, status: 'error', message: error.message, pass: ctx.isNot };
      }
      if (answer.status === 'strict' || answer.status === 'bad_selector' || answer.status === 'stale' || answer.status === 'unknown_ref') break;
      if (answer.pass !== undefined && answer.pass !== ctx.isNot) break;
      note(answer);
      if (progress.left() <= 0) break;
    }
    for (const { lines, times } of blocks) {
      log.push(times > 1 ? `    ${times} × ${lines[0]}` : `    - ${lines[0]}`);
      for (const line of lines.slice(1)) log.push(`      - ${line}`);
    }
    return { answer, log };
  }

  /** The message of a failure, in the layout that people know. */
  function report(ctx, { name, receiver, argument, spot, expected, label = 'Expected', answer, log, timeout, want }) {
    return () => {
      const lines = [`expect(${receiver})${ctx.isNot ? '.not' : ''}.${name}(${argument}) failed`, ''];
      if (spot.parts) lines.push(`Locator:  ${spot.text}`);
      const wide = (text) => `${text}:`.padEnd(Math.max(10, label.length + 2));
      lines.push(`${wide(label)}${ctx.isNot ? 'not ' : ''}${expected}`);
      const diff = !ctx.isNot && Array.isArray(want) && Array.isArray(answer.received) ? kernel.diff(want, answer.received) : null;
      if (diff) lines.splice(lines.length - 1, 1, diff, '');
      const problem = answer.status === 'strict' ? kernel.strictMessage(spot, answer).trimEnd()
        : answer.message ? `Error: ${answer.message}`
          : answer.status === 'stale' || answer.status === 'unknown_ref' ? 'Error: the reference is of an earlier snapshot: take a new one'
            : answer.missing && answer.received === undefined ? 'Error: element(s) not found' : null;
      if (!problem && !diff) lines.push(`${wide(label.replace('Expected', 'Received').replace('substring', 'string').replace('pattern', 'string'))}${typeof answer.received === 'string' && answer.plain ? answer.received : shown(answer.received)}`);
      lines.push(`${wide('Timeout')}${timeout}ms`);
      if (problem) lines.push(problem);
      return `${lines.join('\n')}\n\nCall log:\n${log.join('\n')}\n`;
    };
  }

  const PAGE_MATCHERS = new Set(['toHaveTitle', 'toHaveURL']);

  async function judge(ctx, actual, name, { question, expected, label, argument = 'expected', options = {}, plain = false, want }) {
    const isPage = actual instanceof kernel.Page && PAGE_MATCHERS.has(name);
    if (!isPage) checkKind(actual, kernel.Locator, name, 'Locator');
    const timeout = options.timeout ?? ctx.timeout;
    const spot = isPage ? { frame: actual.mainFrame(), title: 'expect', text: 'page' } : { ...actual._spot(), title: 'expect' };
    if (isPage) spot.parts = [];
    const { answer, log } = await look(ctx, spot, name, question, timeout);
    if (isPage) delete spot.parts;
    if (plain) answer.plain = true;
    const pass = answer.pass === undefined ? ctx.isNot : answer.pass;
    const message = report(ctx, { name, receiver: isPage ? 'page' : 'locator', argument, spot, expected, label, answer, log, timeout, want });
    const failed = pass === ctx.isNot;
    return { pass: failed ? ctx.isNot : !ctx.isNot, message, actual: answer.received, timeout: failed ? timeout : undefined, log: failed ? log : undefined, expected: want === undefined ? expected : want };
  }

  // ---- expected texts --------------------------------------------------------------------------------------------

  const wantOf = (value, more = {}) => {
    if (kernel.isRegExp(value)) return { re: [value.source, value.flags], ignoreCase: more.ignoreCase };
    if (typeof value !== 'string') throw new TypeError(`expected: expected string or RegExp, got ${value === null ? 'null' : typeof value}`);
    return { s: value, ...more };
  };
  const labelOf = (value, contains) => (kernel.isRegExp(value) ? 'Expected pattern' : contains ? 'Expected substring' : 'Expected');
  const told = (value) => (kernel.isRegExp(value) ? String(value) : shown(value));

  /** A state without a value: `words` for when it is and when it isn't, `option` turns it round. */
  const state = (name, on, off, option) => (ctx, actual, options = {}) => {
    const wanted = option === undefined || options[option] !== false;
    return judge(ctx, actual, name, {
      question: { matcher: wanted ? on[0] : off[0], ...(name === 'toBeInViewport' ? { ratio: options.ratio } : {}) },
      expected: wanted ? on[1] : off[1], argument: option !== undefined && options[option] === false ? `{ ${option}: false }` : '', options, plain: true,
    });
  };

  const single = (name, matcher, more = () => ({})) => (ctx, actual, value, options = {}) => judge(ctx, actual, name, {
    question: { matcher, expected: wantOf(value, { ignoreCase: options.ignoreCase, ...more(options) }) }, expected: told(value), label: labelOf(value, false), options, want: value,
  });

  const folded = () => ({ folded: true });

  const text = (name, contains) => (ctx, actual, value, options = {}) => {
    const more = { folded: true, contains, ignoreCase: options.ignoreCase };
    if (Array.isArray(value)) {
      return judge(ctx, actual, name, {
        question: { matcher: 'text_list', list: value.map((one) => wantOf(one, more)), contains, useInnerText: options.useInnerText }, expected: shown(value), options, want: value,
      });
    }
    return judge(ctx, actual, name, {
      question: { matcher: 'text', expected: wantOf(value, more), useInnerText: options.useInnerText }, expected: told(value), label: labelOf(value, contains), options, want: value,
    });
  };

  const MATCHERS = {
    toBeVisible: state('toBeVisible', ['visible', 'visible'], ['hidden', 'hidden'], 'visible'),
    toBeHidden: state('toBeHidden', ['hidden', 'hidden'], ['visible', 'visible']),
    toBeAttached: state('toBeAttached', ['attached', 'attached'], ['detached', 'detached'], 'attached'),
    toBeEnabled: state('toBeEnabled', ['enabled', 'enabled'], ['disabled', 'disabled'], 'enabled'),
    toBeDisabled: state('toBeDisabled', ['disabled', 'disabled'], ['enabled', 'enabled']),
    toBeEditable: state('toBeEditable', ['editable', 'editable'], ['readonly', 'readOnly'], 'editable'),
    toBeEmpty: state('toBeEmpty', ['empty', 'empty'], ['empty', 'empty']),
    toBeFocused: state('toBeFocused', ['focused', 'focused'], ['focused', 'focused']),
    toBeInViewport: state('toBeInViewport', ['viewport', 'in viewport'], ['viewport', 'in viewport']),

    toBeChecked: (ctx, actual, options = {}) => {
      if (options.indeterminate && options.checked === false) throw new Error('Can\'t assert indeterminate and checked at the same time');
      const expected = options.indeterminate ? 'indeterminate' : options.checked === false ? 'unchecked' : 'checked';
      return judge(ctx, actual, 'toBeChecked', {
        question: { matcher: 'checked', checked: options.checked ?? true, indeterminate: options.indeterminate }, expected, plain: true, options,
        argument: options.checked === false ? '{ checked: false }' : options.indeterminate ? '{ indeterminate: true }' : '',
      });
    },

    toHaveText: text('toHaveText', false),
    toContainText: text('toContainText', true),
    toHaveId: single('toHaveId', 'id'),
    toHaveRole: (ctx, actual, value, options) => {
      if (typeof value !== 'string') throw new TypeError('"role" argument in toHaveRole must be a string');
      return single('toHaveRole', 'role')(ctx, actual, value, options);
    },
    toHaveValue: single('toHaveValue', 'value'),
    toHaveAccessibleName: single('toHaveAccessibleName', 'name', folded),
    toHaveAccessibleDescription: single('toHaveAccessibleDescription', 'description', folded),
    toHaveAccessibleErrorMessage: single('toHaveAccessibleErrorMessage', 'error_message', folded),

    toHaveAttribute: (ctx, actual, name, value, options) => {
      const bare = value === undefined || (value !== null && typeof value === 'object' && !kernel.isRegExp(value));
      const given = (bare ? value ?? options : options) ?? {};
      if (bare) return judge(ctx, actual, 'toHaveAttribute', { question: { matcher: 'attribute', name }, expected: 'have attribute', argument: shown(name), options: given, plain: true });
      return judge(ctx, actual, 'toHaveAttribute', {
        question: { matcher: 'attribute', name, expected: wantOf(value, { ignoreCase: given.ignoreCase }) }, expected: told(value), label: labelOf(value, false), options: given,
      });
    },

    toHaveCSS: (ctx, actual, name, value, options = {}) => judge(ctx, actual, 'toHaveCSS', {
      question: { matcher: 'css', name, pseudo: options.pseudo, expected: wantOf(value) }, expected: told(value), label: labelOf(value, false), options,
    }),

    toHaveClass: (ctx, actual, value, options = {}) => {
      if (Array.isArray(value)) return judge(ctx, actual, 'toHaveClass', { question: { matcher: 'class_list', list: value.map((one) => wantOf(one)) }, expected: shown(value), options, want: value });
      return judge(ctx, actual, 'toHaveClass', { question: { matcher: 'class', expected: wantOf(value) }, expected: told(value), label: labelOf(value, false), options });
    },

    toContainClass: (ctx, actual, value, options = {}) => {
      for (const one of [].concat(value)) if (kernel.isRegExp(one)) throw new Error('"expected" argument in toContainClass cannot be a RegExp value');
      if (Array.isArray(value)) return judge(ctx, actual, 'toContainClass', { question: { matcher: 'classes_list', list: value.map((one) => wantOf(one)) }, expected: shown(value), options });
      return judge(ctx, actual, 'toContainClass', { question: { matcher: 'has_classes', expected: wantOf(value) }, expected: told(value), options });
    },

    toHaveCount: (ctx, actual, count, options = {}) => {
      if (typeof count !== 'number') throw new TypeError(`toHaveCount: count: expected number, got ${typeof count}`);
      return judge(ctx, actual, 'toHaveCount', { question: { matcher: 'count', count }, expected: String(count), options, want: count });
    },

    toHaveValues: (ctx, actual, values, options = {}) => judge(ctx, actual, 'toHaveValues', {
      question: { matcher: 'values', list: values.map((one) => wantOf(one)) }, expected: shown(values), options, want: values,
    }),

    toHaveJSProperty: async (ctx, actual, name, value, options = {}) => {
      checkKind(actual, kernel.Locator, 'toHaveJSProperty', 'Locator');
      const timeout = options.timeout ?? ctx.timeout;
      const spot = { ...actual._spot(), title: 'expect' };
      const progress = kernel.progress('expect.toHaveJSProperty', timeout);
      const log = [`  - Expect "toHaveJSProperty" with timeout ${timeout}ms`, `  - waiting for ${spot.text}`];
      let answer = { missing: true };
      for (let i = 0; ; i += 1) {
        try {
          const received = await actual.evaluate(propertyAt, String(name).split('.'), { timeout: Math.max(1, Math.min(1000, progress.left())) });
          const met = kernel.equality.equals(received, value);
          answer = { received, pass: met };
          if (met !== ctx.isNot) return { pass: met, message: () => '' };
        } catch (error) {
          if (!(error instanceof kernel.TimeoutError) && !kernel.isPassing(error)) throw error;
        }
        if (progress.left() <= 0) break;
        await kernel.pause(Math.min([20, 50, 100][Math.min(i, 2)], progress.left() + 1));
      }
      return { pass: ctx.isNot, timeout, log, actual: answer.received, message: report(ctx, { name: 'toHaveJSProperty', receiver: 'locator', argument: 'expected', spot, expected: shown(value), answer, log, timeout }) };
    },

    toMatchAriaSnapshot: (ctx, actual, template, options = {}) => {
      if (typeof template !== 'string') throw kernel.notHere('toMatchAriaSnapshot without a template', 'snapshots are not stored here; pass the YAML');
      const target = actual instanceof kernel.Page ? actual.locator('body') : actual;
      return judge(ctx, target, 'toMatchAriaSnapshot', { question: { matcher: 'aria', template: kernel.parseAria(template) }, expected: `\n${kernel.dedent(template)}\n`, options: typeof options === 'object' ? options : {} })
        .then((outcome) => ({ ...outcome, message: () => outcome.message().replace(/^(Received: +)("(?:[^"\\]|\\.)*")$/m, (_, head, json) => `${head}\n${JSON.parse(json)}\n`) }));
    },

    // ---- pages ---------------------------------------------------------------------------------------------------

    toHaveTitle: (ctx, actual, value, options = {}) => {
      checkKind(actual, kernel.Page, 'toHaveTitle', 'Page');
      return judge(ctx, actual, 'toHaveTitle', { question: { matcher: 'title', expected: wantOf(value, { folded: true }) }, expected: told(value), label: labelOf(value, false), options });
    },

    toHaveURL: (ctx, actual, value, options = {}) => {
      checkKind(actual, kernel.Page, 'toHaveURL', 'Page');
      if (typeof value === 'string' && !/[*{]/.test(value)) {
        const full = actual._baseURL ? new URL(value, actual._baseURL).href : value;
        return judge(ctx, actual, 'toHaveURL', { question: { matcher: 'url', expected: wantOf(full, { ignoreCase: options.ignoreCase }) }, expected: told(full), options });
      }
      if (kernel.isRegExp(value)) return judge(ctx, actual, 'toHaveURL', { question: { matcher: 'url', expected: wantOf(value, { ignoreCase: options.ignoreCase }) }, expected: told(value), label: 'Expected pattern', options });
      return byPredicate(ctx, actual, value, options);
    },

    // ---- answers of servers --------------------------------------------------------------------------------------

    toBeOK: async (ctx, actual) => {
      if (!actual || typeof actual.ok !== 'function' || typeof actual.status !== 'function') throw new Error('toBeOK can be only used with APIResponse object');
      const pass = actual.ok();
      const body = pass === ctx.isNot && typeof actual.text === 'function' ? await actual.text().catch(() => '') : '';
      return {
        pass, actual: actual.status(),
        message: () => `expect(response)${ctx.isNot ? '.not' : ''}.toBeOK() failed\n\nReceived: ${actual.status()} ${typeof actual.statusText === 'function' ? actual.statusText() : ''}\nURL: ${actual.url()}\n${body ? `\nResponse text:\n${body.slice(0, 1000)}\n` : ''}`,
      };
    },

    toHaveScreenshot: () => {
      throw kernel.notHere('toHaveScreenshot', 'pictures are not stored and compared here; look at page.screenshot() or annotatedScreenshot(page)');
    },
  };

  async function byPredicate(ctx, page, value, options) {
    const timeout = options.timeout ?? ctx.timeout;
    const fits = typeof value === 'function' ? value : kernel.urlMatcher(value, page._baseURL);
    const test = (url) => (typeof value === 'function' ? value(new URL(url)) : fits(url));
    const progress = kernel.progress('expect.toHaveURL', timeout);
    const spot = { frame: page.mainFrame(), parts: [], text: 'page', title: 'expect' };
    let received = page.url();
    for (let i = 0; ; i += 1) {
      const answer = await kernel.askOnce(spot, 'scriptExpect', { matcher: 'url', expected: { re: ['', ''] } }).catch((error) => {
        if (!kernel.isPassing(error)) throw error;
        return null;
      });
      if (answer) received = answer.received;
      const pass = Boolean(test(received));
      if (answer && pass !== ctx.isNot) return { pass, message: () => '' };
      if (progress.left() <= 0) break;
      await kernel.pause([20, 50, 100][Math.min(i, 2)]);
    }
    const log = [`  - Expect "toHaveURL" with timeout ${timeout}ms`];
    const expected = typeof value === 'function' ? 'predicate to succeed' : shown(value);
    return { pass: ctx.isNot, timeout, log, actual: received, message: report(ctx, { name: 'toHaveURL', receiver: 'page', argument: 'expected', spot: {}, expected, answer: { received }, log, timeout }) };
  }

  function propertyAt(object, path) {
    return path.reduce((at, key) => (at === null || at === undefined ? undefined : at[key]), object);
  }

  kernel.webMatchers = MATCHERS;
  Object.assign(kernel.matchers, MATCHERS);
})
