// Events: the emitter that pages and contexts share, and the pump that takes the browser's events in order.
//
// While a call runs, one long poll of `page_events` is open in the background. Whoever listens subscribes at once, and the
// next call to the browser goes out only when the subscription stands; after each acting call the events that it
// brought are taken before its promise settles. So a listener that was added before an action hears of all that it did.
(function (kernel) {
  'use strict';

  // Sets fields that neither Object.keys nor a printed object shows.
  kernel.hide = (object, fields) => {
    for (const [name, value] of Object.entries(fields)) {
      Object.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: false });
    }
    return object;
  };

  // Says that a handler failed; nobody awaits a handler, so its error would be lost.
  kernel.reportError = (where, error) => {
    const known = error && typeof error === 'object' && error.message !== undefined;
    const shown = known ? `${error.code || error.name || 'Error'}: ${error.message}` : kernel.inspect(error);
    kernel.print('error', `error in ${where}: ${shown}`);
  };

  class EventEmitter {
    constructor() {
      kernel.hide(this, { _events: new Map() });
    }

    on(event, listener) {
      return add(this, event, listener, false, false);
    }

    addListener(event, listener) {
      return add(this, event, listener, false, false);
    }

    prependListener(event, listener) {
      return add(this, event, listener, false, true);
    }

    once(event, listener) {
      return add(this, event, listener, true, false);
    }

    off(event, listener) {
      const entries = this._events.get(event) || [];
      let at = -1;
      entries.forEach((entry, index) => {
        if (entry.listener === listener) at = index;
      });
      if (at >= 0) {
        const left = entries.filter((_, index) => index !== at);
        if (left.length) this._events.set(event, left);
        else this._events.delete(event);
        if (this._listening) this._listening(event, false);
      }
      return this;
    }

    removeListener(event, listener) {
      return this.off(event, listener);
    }

    // Playwright's `behavior` decides whether running handlers are waited for; none of ours is.
    removeAllListeners(event) {
      const gone = event === undefined ? [...this._events.keys()] : [event];
      for (const name of gone) {
        const kept = (this._events.get(name) || []).filter((entry) => entry.own);
        if (kept.length) this._events.set(name, kept);
        else this._events.delete(name);
        if (this._listening) this._listening(name, false);
      }
      return this;
    }

    listenerCount(event) {
      return (this._events.get(event) || []).length;
    }

    listeners(event) {
      return (this._events.get(event) || []).map((entry) => entry.listener);
    }

    eventNames() {
      return [...this._events.keys()];
    }

    emit(event, ...args) {
      const entries = this._events.get(event);
      if (!entries || !entries.length) return false;
      for (const entry of [...entries]) {
        if (entry.once) this.off(event, entry.listener);
        run(`a handler of '${String(event)}'`, entry.listener, this, args);
      }
      return true;
    }
  }

  function add(emitter, event, listener, once, first) {
    if (typeof listener !== 'function') {
      throw new TypeError(`the listener of '${String(event)}' must be a function, not ${typeof listener}`);
    }
    const entries = [...(emitter._events.get(event) || [])];
    if (first) entries.unshift({ listener, once });
    else entries.push({ listener, once });
    emitter._events.set(event, entries);
    if (emitter._listening) emitter._listening(event, true);
    return emitter;
  }

  function run(where, listener, self, args) {
    try {
      const result = listener.apply(self, args);
      if (result && typeof result.then === 'function') {
        Promise.resolve(result).then(undefined, (error) => kernel.reportError(where, error));
      }
    } catch (error) {
      kernel.reportError(where, error);
    }
  }

  kernel.EventEmitter = EventEmitter;
  kernel.runHandler = run;
  kernel.enumerable(EventEmitter);

  // An error of the named class that E's errors define; a plain one until they are there.
  kernel.timeoutError = (message) => {
    if (kernel.TimeoutError) return new kernel.TimeoutError(message);
    return Object.assign(new Error(message), { name: 'TimeoutError' });
  };

  // Waits for an event whose data fits. `until` are events of other emitters that end the waiting with an error.
  //
  // A limit of 0 waits for ever; a timer keeps the scope from taking such a wait for one that can never end.
  kernel.waitForEvent = ({ emitter, event, predicate, timeout, title, what, until = [] }) =>
    new Promise((resolve, reject) => {
      const stops = [];
      let over = false;
      const end = (settle, value) => {
        if (over) return;
        over = true;
        for (const stop of stops) stop();
        settle(value);
      };
      const listen = (source, name, listener) => {
        source.on(name, listener);
        stops.push(() => source.off(name, listener));
      };
      let turn = Promise.resolve();
      const check = async (value) => {
        if (over) return;
        try {
          if (!predicate || (await predicate(value))) end(resolve, value);
        } catch (error) {
          end(reject, error);
        }
      };
      listen(emitter, event, (value) => {
        if (!predicate) return end(resolve, value);
        turn = turn.then(() => check(value));
        return undefined;
      });
      for (const { source, name, error, fits } of until) {
        listen(source, name, (value) => {
          if (!fits || fits(value)) end(reject, error(value));
        });
      }
      const limit = timeout === 0 ? 24 * 3600 * 1000 : timeout;
      const timer = kernel.after(limit, () => {
        const told = `${title}: Timeout ${timeout}ms exceeded while waiting for ${what || `event "${event}"`}`;
        end(reject, kernel.timeoutError(told));
      });
      stops.push(() => kernel.cancelTimer(timer));
    });

  // What `waitForEvent(event, predicate or options)` was given.
  kernel.waitOptions = (given) => (typeof given === 'function' ? { predicate: given } : given || {});

  // ---- the pump ----

  const POLL_MS = 20_000;
  // These calls tell of nothing that an event would bring, or are the means of the pump itself.
  const QUIET = new Set([
    'page_events', 'page_subscribe', 'page_frames', 'page_handle', 'page_body', 'page_post_data', 'page_answer',
    'page_binding_answer', 'browser_read', 'browser_list_tabs', 'browser_screenshot', 'page_fetch',
  ]);
  const UNPUMPED = new Set(['page_events', 'page_subscribe']);

  const raw = kernel.call;
  const pump = { cursor: null, last: -1, run: 0, open: false, begun: null, kinds: new Set(), setup: null, wanted: false };
  const handlers = new Map();
  const watchers = [];

  // Registers what is done with events of a kind; `*` sees all of them first.
  kernel.onEvent = (kind, handler) => {
    if (!handlers.has(kind)) handlers.set(kind, []);
    handlers.get(kind).push(handler);
  };

  // Registers what looks at every outcome.
  kernel.onOutcome = (watcher) => watchers.push(watcher);

  function dispatch(event) {
    for (const kind of ['*', event.kind]) {
      for (const handler of handlers.get(kind) || []) run(`the event '${event.kind}'`, handler, undefined, [event]);
    }
  }

  function take(output) {
    if (!output || !Array.isArray(output.events)) return;
    if (output.lost) kernel.print('warn', `${output.lost} events of pages came too fast and were lost`);
    for (const event of output.events) {
      if (event.seq <= pump.last) continue;
      pump.last = event.seq;
      dispatch(event);
    }
    const next = output.next;
    if (next !== undefined && next !== null && (pump.cursor === null || next > pump.cursor)) pump.cursor = next;
  }

  async function poll(generation) {
    while (pump.open && pump.run === generation) {
      const outcome = await kernel.background(raw('page_events', { after: pump.cursor, wait_ms: POLL_MS }));
      if (pump.run === generation) take(outcome.output);
    }
  }

  // Starts the pump, once in a call; settles when nothing that comes from now on can be missed.
  function begin() {
    if (pump.open) return pump.begun;
    pump.open = true;
    const generation = ++pump.run;
    const loop = () => {
      poll(generation).catch((error) => {
        if (pump.run !== generation) return;
        pump.open = false;
        // Calls that end the scope's own browser end the poll too, and the next call begins a new one.
        if (error && error.code !== 'CANCELLED') kernel.reportError('the stream of events', error);
      });
    };
    if (pump.cursor === null) {
      pump.begun = raw('page_events', { after: null, wait_ms: 0 }).then((outcome) => {
        take(outcome.output);
        loop();
      }, (error) => {
        pump.open = false;
        throw error;
      });
    } else {
      pump.begun = Promise.resolve();
      loop();
    }
    return pump.begun;
  }

  // Takes what has come so far.
  kernel.flushEvents = async () => {
    if (!pump.open || pump.cursor === null) return;
    try {
      take((await raw('page_events', { after: pump.cursor, wait_ms: 0 })).output);
    } catch (error) {
      kernel.reportError('the stream of events', error);
    }
  };

  // Asks for more kinds of events. The next call goes out only when they are on.
  kernel.subscribe = (...kinds) => {
    const more = kinds.filter((kind) => !pump.kinds.has(kind));
    for (const kind of more) pump.kinds.add(kind);
    if (!more.length) return pump.setup || Promise.resolve();
    return kernel.before(async () => {
      await begin();
      try {
        await raw('page_subscribe', { kinds: more });
      } catch (error) {
        for (const kind of more) pump.kinds.delete(kind);
        throw error;
      }
    });
  };

  // Does something before the next call goes out, after what else has to be done before it.
  kernel.before = (step) => {
    const earlier = pump.setup || Promise.resolve();
    const own = earlier.then(step, step);
    pump.setup = own;
    const clear = () => {
      if (pump.setup === own) pump.setup = null;
    };
    own.then(clear, (error) => {
      clear();
      kernel.reportError('a subscription', error);
    });
    return own;
  };

  // Whether somebody waits for events, so that they are taken after every call.
  kernel.eventsWanted = () => pump.wanted;

  // The call without any of this, for steps that `before` does.
  kernel.rawCall = raw;

  kernel.call = async (tool, args) => {
    // What was asked to be done before goes out first; what is asked for later does not hold this call up.
    const before = pump.setup;
    if (!UNPUMPED.has(tool)) {
      await begin();
      if (before) await before.catch(() => undefined);
    }
    return kernel.callNow(tool, args);
  };

  // The same for what is sent in the place of a call that had its turn.
  kernel.callNow = async (tool, args) => {
    let outcome;
    try {
      outcome = await past(() => raw(tool, args));
    } catch (error) {
      note(tool, args, null, error);
      if (!QUIET.has(tool)) await kernel.flushEvents();
      throw kernel.fail ? kernel.fail(error) : error;
    }
    note(tool, args, outcome, null);
    if (brings(tool, args, outcome)) await kernel.flushEvents();
    return outcome;
  };

  // Lets the calls that come from now on wait for the end of something that began already.
  kernel.hold = (promise) => {
    const own = Promise.all([pump.setup, promise]);
    pump.setup = own;
    const clear = () => {
      if (pump.setup === own) pump.setup = null;
    };
    own.then(clear, clear);
  };

  // How long the answer to a dialog is waited for, and how often it is asked after, in milliseconds.
  const DIALOG_MS = 30_000;
  const DIALOG_STEP_MS = 50;

  // A call that was refused because a dialog is open has done nothing. The scope answers dialogs itself, by a listener or
  // by dismissing them, so the call waits for that as a call to a page does that stands still.
  async function past(attempt) {
    const begun = kernel.now();
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        if (!error || error.code !== 'DIALOG_OPEN' || kernel.now() - begun > DIALOG_MS) throw error;
      }
      await kernel.flushEvents();
      await new Promise((resolve) => kernel.after(DIALOG_STEP_MS, resolve));
    }
  }

  function note(tool, args, outcome, error) {
    for (const watcher of watchers) run('an outcome', watcher, undefined, [{ tool, args: args || {}, outcome, error }]);
  }

  // Whether a call may have brought events that its caller counts on.
  function brings(tool, args, outcome) {
    if (QUIET.has(tool)) return false;
    if (tool === 'page_evaluate') return !(args && args.pure);
    const effect = outcome && outcome.page_effect;
    if (!effect) return pump.wanted || tool === 'page_cdp' || tool === 'browser_new_tab' || tool === 'browser_close_tab';
    const tabs = effect.tabs || {};
    return pump.wanted || effect.url?.changed || effect.dialogs?.length || effect.downloads?.length
      || tabs.opened?.length || tabs.closed?.length;
  }

  kernel.wantEvents = () => {
    pump.wanted = true;
  };

  // Kinds that hold something up until the scope answers. Between calls nobody would.
  const HOLDING = ['dialog_manual', 'filechooser'];
  const holding = () => HOLDING.filter((kind) => pump.kinds.has(kind));

  kernel.onCallStart(() => {
    pump.open = false;
    pump.run += 1;
    if (pump.cursor === null) return;
    begin();
    // What came since the last call is dealt with before anything is done, a dialog above all.
    kernel.before(async () => {
      if (holding().length) await raw('page_subscribe', { kinds: holding() });
      await kernel.flushEvents();
    });
  });

  kernel.onCallEnd(async () => {
    if (pump.open && pump.wanted) await kernel.flushEvents();
    if (holding().length) {
      const kinds = [...pump.kinds].filter((kind) => !HOLDING.includes(kind));
      try {
        await raw('page_subscribe', { kinds, how: 'only' });
      } catch (error) {
        kernel.reportError('the end of a call', error);
      }
    }
    pump.open = false;
    pump.run += 1;
  });
})
