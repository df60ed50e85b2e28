// expect(): the generic matchers, and what makes them of all kinds: not, resolves, rejects, soft, poll, toPass, extend.
(function (kernel) {
  'use strict';

  const { equals, close, placeholders, Asymmetric } = kernel.equality;
  const INTERVALS = [100, 250, 500, 1000];
  const DEFAULT_TIMEOUT = 5000;

  const shown = (value) => (value instanceof Asymmetric ? value.toAsymmetricMatcher() : typeof value === 'string' ? JSON.stringify(value) : kernel.inspect(value));
  kernel.showValue = shown;

  const hint = (name, { isNot, promise } = {}, expected = 'expected', received = 'received') => `expect(${received})${promise ? `.${promise}` : ''}${isNot ? '.not' : ''}.${name}(${expected})`;

  // ---- generic matchers ------------------------------------------------------------------------------------------

  /** The usual message: what was expected and what there is. */
  const told = (name, ctx, lines, expected = 'expected', note = '') => () => `${hint(name, ctx, expected)}${note ? ` // ${note}` : ''}\n\n${lines.filter(Boolean).join('\n')}`;
  const pair = (ctx, expected, received, label = 'Expected') => [`${label}: ${ctx.isNot ? 'not ' : ''}${expected}`, ctx.isNot && expected === received ? '' : `Received: ${received}`];

  /** The same of values with parts: what differs, line by line. */
  const parts = (ctx, expected, received) => {
    const diff = ctx.isNot ? null : kernel.diff(expected, received);
    return diff ? [diff] : pair(ctx, shown(expected), shown(received));
  };

  const simple = (name, test) => (ctx, actual) => ({ pass: test(actual), message: told(name, ctx, [`Received: ${shown(actual)}`], '') });

  function compared(name, sign, test) {
    return (ctx, actual, expected) => {
      for (const [what, value] of [['received', actual], ['expected', expected]]) {
        if (typeof value !== 'number' && typeof value !== 'bigint') throw new TypeError(`${hint(name, ctx)}\n\nMatcher error: ${what} value must be a number or bigint\n\n${what === 'received' ? 'Received' : 'Expected'} has value: ${shown(value)}`);
      }
      return { pass: test(actual, expected), message: told(name, ctx, [`Expected: ${ctx.isNot ? 'not ' : ''}${sign} ${shown(expected)}`, `Received: ${ctx.isNot ? '    ' : ''}${' '.repeat(sign.length + 1)}${shown(actual)}`]) };
    };
  }

  function propertyAt(object, path) {
    const keys = Array.isArray(path) ? path : String(path).split(/[.[\]]+/).filter((key) => key !== '');
    let at = object;
    for (const key of keys) {
      if (at === null || at === undefined || !(key in Object(at))) return { found: false };
      at = at[key];
    }
    return { found: true, value: at };
  }

  /** Whether an error is the one that is asked for: by a part of its message, a pattern, a class, or an error like it. */
  function isThat(error, expected) {
    const message = error instanceof Error || (error && typeof error === 'object' && 'message' in error) ? String(error.message) : String(error);
    if (expected === undefined) return true;
    if (typeof expected === 'string') return message.includes(expected);
    if (kernel.isRegExp(expected)) return new RegExp(expected.source, expected.flags.replace(/[gy]/g, '')).test(message);
    if (typeof expected === 'function') return error instanceof expected;
    if (typeof expected.asymmetricMatch === 'function') return expected.asymmetricMatch(error);
    return message === expected.message;
  }

  const toThrow = (name) => (ctx, actual, expected) => {
    let thrown;
    if (ctx.promise === 'rejects') thrown = { error: actual };
    else {
      if (typeof actual !== 'function') throw new TypeError(`${hint(name, ctx)}\n\nMatcher error: received value must be a function\n\nReceived has value: ${shown(actual)}`);
      try {
        actual();
      } catch (error) {
        thrown = { error };
      }
    }
    const pass = Boolean(thrown) && isThat(thrown.error, expected);
    const got = thrown ? `Received message: ${shown(thrown.error && thrown.error.message !== undefined ? thrown.error.message : thrown.error)}` : 'Received function did not throw';
    return { pass, message: told(name, ctx, [expected === undefined ? '' : `Expected: ${ctx.isNot ? 'not ' : ''}${typeof expected === 'function' ? expected.name : shown(expected)}`, got], expected === undefined ? '' : 'expected') };
  };

  const MATCHERS = {
    toBe: (ctx, actual, expected) => ({
      pass: Object.is(actual, expected),
      message: told('toBe', ctx, [...pair(ctx, shown(expected), shown(actual)), !ctx.isNot && equals(actual, expected) ? '\nIf it should pass with deep equality, replace "toBe" with "toStrictEqual"' : ''], 'expected', 'Object.is equality'),
    }),
    toEqual: (ctx, actual, expected) => ({ pass: equals(actual, expected), message: told('toEqual', ctx, parts(ctx, expected, actual), 'expected', 'deep equality') }),
    toStrictEqual: (ctx, actual, expected) => ({ pass: equals(actual, expected, { strict: true }), message: told('toStrictEqual', ctx, parts(ctx, expected, actual), 'expected', 'deep equality') }),
    toMatchObject: (ctx, actual, expected) => {
      if (actual === null || typeof actual !== 'object') throw new TypeError(`${hint('toMatchObject', ctx)}\n\nMatcher error: received value must be a non-null object\n\nReceived has value: ${shown(actual)}`);
      return { pass: equals(actual, expected, { subset: true }), message: told('toMatchObject', ctx, pair(ctx, shown(expected), shown(actual))) };
    },
    toBeCloseTo: (ctx, actual, expected, digits = 2) => ({
      pass: close(actual, expected, digits),
      message: told('toBeCloseTo', ctx, [...pair(ctx, shown(expected), shown(actual)), '', `Expected precision:    ${digits}`, `Expected difference: < ${10 ** -digits / 2}`, `Received difference:   ${Math.abs(expected - actual)}`]),
    }),
    toBeDefined: simple('toBeDefined', (value) => value !== undefined),
    toBeUndefined: simple('toBeUndefined', (value) => value === undefined),
    toBeNull: simple('toBeNull', (value) => value === null),
    toBeNaN: simple('toBeNaN', (value) => Number.isNaN(value)),
    toBeTruthy: simple('toBeTruthy', Boolean),
    toBeFalsy: simple('toBeFalsy', (value) => !value),
    toBeGreaterThan: compared('toBeGreaterThan', '>', (a, b) => a > b),
    toBeGreaterThanOrEqual: compared('toBeGreaterThanOrEqual', '>=', (a, b) => a >= b),
    toBeLessThan: compared('toBeLessThan', '<', (a, b) => a < b),
    toBeLessThanOrEqual: compared('toBeLessThanOrEqual', '<=', (a, b) => a <= b),
    toBeInstanceOf: (ctx, actual, Kind) => {
      if (typeof Kind !== 'function') throw new TypeError(`${hint('toBeInstanceOf', ctx)}\n\nMatcher error: expected value must be a function`);
      return { pass: actual instanceof Kind, message: told('toBeInstanceOf', ctx, [`Expected constructor: ${ctx.isNot ? 'not ' : ''}${Kind.name}`, `Received value: ${shown(actual)}`]) };
    },
    toContain: (ctx, actual, expected) => {
      if (actual === null || actual === undefined) throw new TypeError(`${hint('toContain', ctx)}\n\nMatcher error: received value must not be null nor undefined`);
      const pass = typeof actual === 'string' ? actual.includes(String(expected)) : [...actual].includes(expected);
      return { pass, message: told('toContain', ctx, [`Expected ${typeof actual === 'string' ? 'substring' : 'value'}: ${ctx.isNot ? 'not ' : ''}${shown(expected)}`, `Received ${typeof actual === 'string' ? 'string' : 'array'}: ${shown(actual)}`], 'expected', typeof actual === 'string' ? 'indexOf' : '') };
    },
    toContainEqual: (ctx, actual, expected) => ({ pass: [...actual].some((item) => equals(item, expected)), message: told('toContainEqual', ctx, [`Expected value: ${ctx.isNot ? 'not ' : ''}${shown(expected)}`, `Received array: ${shown(actual)}`], 'expected', 'deep equality') }),
    toHaveLength: (ctx, actual, length) => {
      if (actual === null || actual === undefined || typeof actual.length !== 'number') throw new TypeError(`${hint('toHaveLength', ctx)}\n\nMatcher error: received value must have a length property whose value must be a number\n\nReceived has value: ${shown(actual)}`);
      return { pass: actual.length === length, message: told('toHaveLength', ctx, [`Expected length: ${ctx.isNot ? 'not ' : ''}${length}`, `Received length: ${actual.length}`, `Received ${Array.isArray(actual) ? 'array' : typeof actual}: ${shown(actual)}`]) };
    },
    toHaveProperty: (ctx, actual, path, ...rest) => {
      const { found, value } = propertyAt(actual, path);
      const pass = found && (rest.length === 0 || equals(value, rest[0]));
      return { pass, message: told('toHaveProperty', ctx, [`Expected path: ${ctx.isNot ? 'not ' : ''}${shown(path)}`, rest.length ? `Expected value: ${ctx.isNot ? 'not ' : ''}${shown(rest[0])}` : '', `Received ${found ? 'value' : 'object'}: ${shown(found ? value : actual)}`], 'path') };
    },
    toMatch: (ctx, actual, expected) => {
      if (typeof actual !== 'string') throw new TypeError(`${hint('toMatch', ctx)}\n\nMatcher error: received value must be a string\n\nReceived has value: ${shown(actual)}`);
      const pass = typeof expected === 'string' ? actual.includes(expected) : new RegExp(expected.source, expected.flags.replace(/[gy]/g, '')).test(actual);
      return { pass, message: told('toMatch', ctx, [`Expected ${typeof expected === 'string' ? 'substring' : 'pattern'}: ${ctx.isNot ? 'not ' : ''}${shown(expected)}`, `Received string:${typeof expected === 'string' ? '    ' : '  '}${shown(actual)}`]) };
    },
    toThrow: toThrow('toThrow'),
    toThrowError: toThrow('toThrowError'),
  };

  kernel.matchers = MATCHERS;
  kernel.matcherHint = hint;

  // ---- polling ---------------------------------------------------------------------------------------------------

  /** Tries until it passes or the time is over; the last failure is told. Intervals repeat their last one. */
  async function poll(attempt, { timeout, intervals = INTERVALS }, title) {
    const begun = kernel.now();
    for (let i = 0; ; i += 1) {
      const error = await attempt();
      if (error === null) return;
      const left = timeout > 0 ? timeout - (kernel.now() - begun) : Infinity;
      const rest = intervals.length ? intervals[Math.min(i, intervals.length - 1)] : 0;
      if (left <= rest || left <= 0) {
        const message = `${error instanceof Error ? error.message : shown(error)}\n\nCall Log:\n- Timeout ${timeout}ms exceeded while waiting on the predicate`;
        throw kernel.putFields(new Error(title ? `${title}\n\n${message}` : message), { matcherResult: error && error.matcherResult, cause: error });
      }
      await kernel.pause(Math.max(1, rest));
    }
  }

  async function toPass(ctx, actual, options = {}) {
    if (typeof actual !== 'function') throw new TypeError('toPass can only be used with a function');
    const timeout = options.timeout ?? ctx.passTimeout ?? 0;
    const attempt = async () => {
      try {
        await actual();
        return ctx.isNot ? new Error('The function passed, and it was expected not to') : null;
      } catch (error) {
        return ctx.isNot ? null : error;
      }
    };
    await poll(attempt, { timeout, intervals: options.intervals ?? ctx.passIntervals ?? INTERVALS }, ctx.message);
  }

  // ---- expect ----------------------------------------------------------------------------------------------------

  const softErrors = [];

  const utils = { stringify: shown, printReceived: shown, printExpected: shown, matcherHint: (name, received = 'received', expected = 'expected', options = {}) => hint(name, options, expected, received), RECEIVED_COLOR: String, EXPECTED_COLOR: String };

  /** What an outcome of a matcher comes to: nothing, or the error. */
  function judge(ctx, name, outcome, args, actual) {
    if (!outcome || typeof outcome !== 'object' || typeof outcome.pass !== 'boolean') {
      throw new Error(`Unexpected return from a matcher function.\nMatcher functions should return an object in the following format:\n  {message?: string | function, pass: boolean}\n'${shown(outcome)}' was returned`);
    }
    if (outcome.pass !== ctx.isNot) return null;
    let message = typeof outcome.message === 'function' ? outcome.message() : outcome.message || `${hint(name, ctx)} failed`;
    if (ctx.message) message = `${ctx.message}\n\n${message}`;
    const { pass, ...rest } = outcome;
    const result = { name, pass, actual: outcome.actual ?? actual, expected: outcome.expected ?? args[0], message, timeout: rest.timeout, log: rest.log, ariaSnapshot: undefined };
    return kernel.putFields(new Error(message), { matcherResult: result, code: 'EXPECTATION_FAILED' });
  }

  function fail(ctx, error) {
    if (!ctx.soft) throw error;
    softErrors.push(error);
    kernel.print('error', `expect.soft: ${error.message}`);
  }

  const contextOf = (settings, state) => ({
    isNot: state.isNot, promise: state.promise, message: settings.message, soft: settings.soft, timeout: settings.timeout ?? DEFAULT_TIMEOUT,
    passTimeout: settings.toPass && settings.toPass.timeout, passIntervals: settings.toPass && settings.toPass.intervals, utils, equals: (a, b) => equals(a, b),
  });

  function call(settings, state, actual, name, args) {
    const ctx = contextOf(settings, state);
    if (name === 'toPass') return toPass(ctx, actual, ...args).catch((error) => fail(ctx, error));
    const matcher = settings.extended[name] ?? MATCHERS[name];
    const once = (value, own) => {
      const outcome = settings.extended[name] ? matcher.call(own, value, ...args) : matcher(own, value, ...args);
      if (outcome && typeof outcome.then === 'function') return outcome.then((o) => judge(own, name, o, args, value));
      return judge(own, name, outcome, args, value);
    };
    if (settings.poll) {
      if (name.startsWith('to') && kernel.webMatchers && Object.hasOwn(kernel.webMatchers, name)) throw new Error(`\`expect.poll()\` does not support "${name}" matcher.`);
      const attempt = async () => {
        try {
          const value = await actual();
          return await once(value, { ...ctx, message: undefined });
        } catch (error) {
          if (error && error.code !== undefined && error.code !== 'EXPECTATION_FAILED') throw error;
          return error;
        }
      };
      return poll(attempt, { timeout: settings.poll.timeout ?? ctx.timeout, intervals: settings.poll.intervals }, ctx.message).catch((error) => fail(ctx, error));
    }
    if (state.promise) return settled(ctx, state, actual, name).then((value) => once(value, ctx)).then((error) => error && fail(ctx, error));
    const error = once(actual, ctx);
    if (error && typeof error.then === 'function') return error.then((e) => e && fail(ctx, e), (e) => fail(ctx, ctx.message && e instanceof Error ? kernel.putFields(e, { message: `${ctx.message}\n\n${e.message}` }) : e));
    if (error) fail(ctx, error);
    return undefined;
  }

  async function settled(ctx, state, actual, name) {
    const promise = typeof actual === 'function' && state.promise === 'rejects' ? actual() : actual;
    if (!promise || typeof promise.then !== 'function') throw new TypeError(`${hint(name, { isNot: ctx.isNot, promise: state.promise })}\n\nMatcher error: received value must be a promise${state.promise === 'rejects' ? ' or a function returning a promise' : ''}\n\nReceived has value: ${shown(promise)}`);
    let value;
    try {
      value = await promise;
    } catch (error) {
      if (state.promise === 'rejects') return error;
      throw new Error(`${hint(name, { isNot: ctx.isNot, promise: state.promise }, '')}\n\nReceived promise rejected instead of resolved\nRejected to value: ${shown(error)}`);
    }
    if (state.promise === 'rejects') throw new Error(`${hint(name, { isNot: ctx.isNot, promise: state.promise }, '')}\n\nReceived promise resolved instead of rejected\nResolved to value: ${shown(value)}`);
    return value;
  }

  /** The object that `expect(x)` gives. */
  function assertion(settings, actual, state) {
    const out = {};
    const names = new Set([...Object.keys(MATCHERS), 'toPass', ...Object.keys(settings.extended)]);
    for (const name of names) out[name] = (...args) => call(settings, state, actual, name, args);
    const getter = (key, next) => Object.defineProperty(out, key, { get: () => assertion(settings, actual, next), enumerable: true, configurable: true });
    getter('not', { ...state, isNot: !state.isNot });
    if (!state.promise && !settings.poll) {
      getter('resolves', { ...state, promise: 'resolves' });
      getter('rejects', { ...state, promise: 'rejects' });
    }
    return out;
  }

  const messageOf = (given) => (typeof given === 'string' ? { message: given } : given && typeof given === 'object' ? given : {});
  const START = { isNot: false, promise: null };

  const settingsOf = new WeakMap();

  function make(settings) {
    const expect = (actual, options) => assertion({ ...settings, ...messageOf(options) }, actual, START);
    Object.assign(expect, placeholders, {
      soft: (actual, options) => assertion({ ...settings, ...messageOf(options), soft: true }, actual, START),
      poll: (actual, options) => {
        if (typeof actual !== 'function') throw new Error('`expect.poll()` accepts only function as a first argument');
        const given = messageOf(options);
        return assertion({ ...settings, message: given.message ?? settings.message, poll: { timeout: given.timeout, intervals: given.intervals } }, actual, START);
      },
      configure: (options = {}) => make({ ...settings, ...options }),
      extend: (matchers) => {
        for (const [name, matcher] of Object.entries(matchers)) {
          if (typeof matcher !== 'function') throw new TypeError(`expect.extend: \`${name}\` is not a valid matcher. Must be a function, is "${typeof matcher}"`);
          settings.extended[name] = matcher;
          const placeholder = (inverse) => (...args) => new Asymmetric(name, args[0], inverse, (other) => matcher.call({ ...contextOf(settings, START) }, other, ...args).pass);
          if (!(name in expect)) expect[name] = placeholder(false);
          if (!(name in expect.not)) expect.not[name] = placeholder(true);
        }
        return expect;
      },
    });
    expect.not = { ...placeholders.not };
    settingsOf.set(expect, settings);
    return expect;
  }

  /** Failures of expect.soft in this call, oldest first. */
  kernel.softErrors = softErrors;
  kernel.onCallStart(() => {
    softErrors.length = 0;
  });
  kernel.expect = make({ extended: {}, soft: false, timeout: undefined, message: undefined, poll: null });
  kernel.expose('expect', kernel.expect);
  kernel.expose('mergeExpects', (...list) => make({ soft: false, poll: null, extended: Object.assign({}, ...list.map((one) => settingsOf.get(one)?.extended)) }));
})
