// Clock: the time that pages see. The fake itself is one constant function that runs in the page.
(function (kernel) {
  'use strict';

  // Runs in the page, as an init script and by evaluation; finds its own state again under a symbol. Constant text.
  function pageClock(log) {
    const KEY = Symbol.for('truehand.clock');
    const clock = globalThis[KEY] || (globalThis[KEY] = create());
    for (const [name, ...args] of log) clock.note(name, args);
    clock.settle();
    return null;

    function create() {
      const real = {
        Date: globalThis.Date, setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout, setInterval: globalThis.setInterval,
        clearInterval: globalThis.clearInterval, requestAnimationFrame: globalThis.requestAnimationFrame,
        cancelAnimationFrame: globalThis.cancelAnimationFrame, requestIdleCallback: globalThis.requestIdleCallback,
        cancelIdleCallback: globalThis.cancelIdleCallback, now: performance.now.bind(performance),
      };
      const RealDate = real.Date;
      // `mode`: how the time goes on: 'system' shifts the real one, 'fixed' stands with real timers, 'manual' stands, 'runs' flows.
      const state = { mode: 'none', origin: RealDate.now(), now: RealDate.now(), ticks: 0, stamp: 0, timers: new Map(), next: 1000, seen: 0, shift: 0, driving: null, wall: 0, behind: false };

      const flowing = () => (state.mode === 'runs' ? real.now() - state.stamp : 0);
      const timeNow = () => {
        if (state.mode === 'none') return RealDate.now();
        if (state.mode === 'system') return RealDate.now() + state.shift;
        if (state.mode === 'fixed') return state.now;
        return Math.floor(state.now + flowing());
      };
      const perfNow = () => (state.mode === 'manual' || state.mode === 'runs' ? state.ticks + flowing() : real.now());

      function FakeDate(...args) {
        if (!new.target) return new RealDate(timeNow()).toString();
        const made = args.length ? new RealDate(...args) : new RealDate(timeNow());
        Object.setPrototypeOf(made, new.target.prototype);
        return made;
      }
      FakeDate.prototype = RealDate.prototype;
      Object.assign(FakeDate, { now: () => timeNow(), parse: RealDate.parse, UTC: RealDate.UTC });
      Object.defineProperty(FakeDate, 'name', { value: 'Date' });
      Object.defineProperty(FakeDate, Symbol.hasInstance, { value: (value) => value instanceof RealDate });

      const faked = () => state.mode === 'manual' || state.mode === 'runs';
      const due = () => state.ticks + flowing();

      function add(kind, callback, delay, args) {
        const id = state.next++;
        const wait = Math.max(0, Number(delay) || 0);
        state.timers.set(id, { id, kind, callback, args, every: kind === 'interval' ? Math.max(1, wait) : 0, at: due() + Math.max(kind === 'interval' ? 1 : 0, wait) });
        if (state.mode === 'runs') schedule();
        return id;
      }

      function remove(id, fallback) {
        if (!state.timers.delete(Number(id)) && fallback) fallback.call(globalThis, id);
      }

      function call(timer) {
        const { kind, callback, args } = timer;
        try {
          if (kind === 'frame') callback(perfNow());
          else if (kind === 'idle') callback({ didTimeout: false, timeRemaining: () => 50 });
          else if (typeof callback === 'function') callback.apply(globalThis, args);
          else (0, globalThis.eval)(String(callback));
        } catch (error) {
          // As a real timer: the page's own handler of errors hears of it, and the next timer runs.
          (globalThis.reportError || console.error).call(globalThis, error);
        }
      }

      const first = (limit) => {
        let found = null;
        for (const timer of state.timers.values()) {
          if (timer.at <= limit && (!found || timer.at < found.at || (timer.at === found.at && timer.id < found.id))) found = timer;
        }
        return found;
      };

      const rest = () => new Promise((resolve) => {
        const channel = new MessageChannel();
        channel.port1.onmessage = () => {
          channel.port1.close();
          resolve();
        };
        channel.port2.postMessage(0);
      });

      function moveTo(ticks) {
        state.now += ticks - state.ticks;
        state.ticks = ticks;
      }

      function fire(timer) {
        if (timer.at > state.ticks) moveTo(timer.at);
        if (timer.every) timer.at = state.ticks + timer.every;
        else state.timers.delete(timer.id);
        call(timer);
      }

      // Fires every timer on the way, each time it is due.
      async function run(ms) {
        const end = state.ticks + ms;
        for (let timer = first(end); timer; timer = first(end)) {
          fire(timer);
          await rest();
        }
        moveTo(end);
      }

      // Jumps: what became due on the way fires once.
      async function jump(ms) {
        const end = state.ticks + ms;
        for (const timer of state.timers.values()) {
          if (timer.at < end) timer.at = end;
        }
        await run(ms);
      }

      function hold() {
        const gone = flowing();
        state.mode = 'manual';
        moveTo(state.ticks + gone);
        if (state.driving !== null) real.clearTimeout.call(globalThis, state.driving);
        state.driving = null;
      }

      function flow() {
        state.mode = 'runs';
        state.stamp = real.now();
        schedule();
      }

      // In a time that flows by itself a real timer wakes for the next one that is due.
      function schedule() {
        if (state.driving !== null) real.clearTimeout.call(globalThis, state.driving);
        state.driving = null;
        const next = first(Infinity);
        if (!next) return;
        state.driving = real.setTimeout.call(globalThis, drive, Math.min(0x7fffffff, Math.max(0, next.at - due())));
      }

      function drive() {
        state.driving = null;
        if (state.mode !== 'runs') return;
        const limit = due();
        for (let timer = first(limit); timer; timer = first(limit)) {
          if (timer.every) timer.at += timer.every;
          else state.timers.delete(timer.id);
          call(timer);
        }
        schedule();
      }

      function install(time) {
        if (!faked()) {
          state.now = time;
          state.ticks = 0;
          const put = (name, value) => {
            if (real[name]) globalThis[name] = value;
          };
          put('setTimeout', (callback, delay, ...args) => (faked() ? add('timeout', callback, delay, args) : real.setTimeout.call(globalThis, callback, delay, ...args)));
          put('setInterval', (callback, delay, ...args) => (faked() ? add('interval', callback, delay, args) : real.setInterval.call(globalThis, callback, delay, ...args)));
          put('clearTimeout', (id) => remove(id, real.clearTimeout));
          put('clearInterval', (id) => remove(id, real.clearInterval));
          put('requestAnimationFrame', (callback) => (faked() ? add('frame', callback, 16 - (due() % 16), []) : real.requestAnimationFrame.call(globalThis, callback)));
          put('cancelAnimationFrame', (id) => remove(id, real.cancelAnimationFrame));
          put('requestIdleCallback', (callback, options) => (faked() ? add('idle', callback, Math.min(50, (options && options.timeout) || 0), []) : real.requestIdleCallback.call(globalThis, callback, options)));
          put('cancelIdleCallback', (id) => remove(id, real.cancelIdleCallback));
          globalThis.Date = FakeDate;
          performance.now = () => perfNow();
        } else {
          state.now = time;
        }
      }

      const acts = {
        install: (time) => {
          install(time);
          flow();
        },
        pauseAt: async (time) => {
          hold();
          const ahead = time - state.now;
          if (ahead > 0) await jump(ahead);
        },
        pauseAtNote: (time) => {
          hold();
          moveTo(state.ticks + Math.max(0, time - state.now));
        },
        resume: () => {
          if (faked()) flow();
        },
        runFor: async (ms) => {
          const flows = state.mode === 'runs';
          hold();
          await run(ms);
          if (flows) flow();
        },
        fastForward: async (ms) => {
          const flows = state.mode === 'runs';
          hold();
          await jump(ms);
          if (flows) flow();
        },
        setFixedTime: (time) => {
          if (!faked()) globalThis.Date = FakeDate;
          if (faked()) hold();
          state.mode = 'fixed';
          state.now = time;
        },
        setSystemTime: (time) => {
          if (faked()) {
            state.now = time - flowing();
            return;
          }
          globalThis.Date = FakeDate;
          state.mode = 'system';
          state.shift = time - RealDate.now();
        },
      };

      // The time that flowed between two steps, by the real clock.
      function catchUp(wall) {
        if (state.mode === 'runs') {
          moveTo(state.ticks + Math.max(0, wall - state.wall));
          state.stamp = real.now();
        }
        state.wall = wall;
      }

      return {
        // Does what a new document must catch up with: the same steps, with the time between them.
        note(name, args) {
          const [serial, wall, ...rest] = args;
          if (serial <= state.seen) return;
          state.seen = serial;
          catchUp(wall);
          state.behind = true;
          const quiet = { pauseAt: 'pauseAtNote' }[name] || name;
          if (name === 'runFor' || name === 'fastForward') {
            if (faked()) moveTo(state.ticks + rest[0]);
            return;
          }
          acts[quiet](...rest);
        },
        settle() {
          if (state.behind) catchUp(RealDate.now());
          state.behind = false;
          if (state.mode === 'runs') schedule();
        },
        async act(name, serial, args) {
          if (serial <= state.seen) return;
          state.seen = serial;
          await acts[name](...args);
        },
      };
    }
  }

  // Runs in the page: brings the clock up to date, then does the last step as it was meant, with its timers.
  async function act(given) {
    const KEY = Symbol.for('truehand.clock');
    const clock = globalThis[KEY];
    if (clock) await clock.act(given.name, given.serial, given.args);
  }

  const UNITS = [3_600_000, 60_000, 1000];

  // Milliseconds of a number or of a text `08`, `01:00`, `02:34:10`.
  function duration(ticks) {
    if (typeof ticks === 'number') {
      if (!(ticks >= 0)) throw new TypeError(`clock: a negative number of ticks is not supported: ${ticks}`);
      return Math.floor(ticks);
    }
    const parts = String(ticks).split(':');
    if (!parts.every((part) => /^\d+$/.test(part)) || parts.length > 3) {
      throw new Error(`Clock only understands numbers, 'mm:ss' and 'hh:mm:ss'`);
    }
    return parts.reduce((sum, part, at) => sum + Number(part) * UNITS[at + 3 - parts.length], 0);
  }

  function moment(time) {
    const ms = time instanceof Date ? time.getTime() : typeof time === 'number' ? time : new Date(String(time)).getTime();
    if (!Number.isFinite(ms)) throw new Error(`Invalid date: ${String(time)}`);
    return ms;
  }

  class Clock {
    constructor(context) {
      kernel.hide(this, { _context: context, _log: [], _serial: 0, _begun: false });
    }

    async install(options = {}) {
      await this._do('install', [options.time === undefined ? kernel.wall() : moment(options.time)]);
      this._begun = true;
    }

    async fastForward(ticks) {
      await this._running();
      await this._do('fastForward', [duration(ticks)]);
    }

    async runFor(ticks) {
      await this._running();
      await this._do('runFor', [duration(ticks)]);
    }

    async pauseAt(time) {
      await this._running();
      await this._do('pauseAt', [moment(time)]);
    }

    async resume() {
      await this._running();
      await this._do('resume', []);
    }

    async setFixedTime(time) {
      await this._do('setFixedTime', [moment(time)]);
    }

    async setSystemTime(time) {
      await this._do('setSystemTime', [moment(time)]);
    }

    async _running() {
      if (!this._begun) await this.install();
    }

    // New documents begin with all steps so far; those that are there do the new one.
    async _do(name, args) {
      const serial = ++this._serial;
      const before = [...this._log];
      this._log.push([name, serial, kernel.wall(), ...args]);
      const source = await kernel.scriptSource(pageClock, this._log);
      await kernel.call('page_init_script', { source });
      for (const page of kernel.allPages()) {
        for (const frame of page.frames()) {
          try {
            await kernel.evaluate(frame, pageClock, before);
            await kernel.evaluate(frame, act, { name, serial, args });
          } catch (error) {
            if (!kernel.isPassing(error)) throw error;
          }
        }
      }
    }
  }

  kernel.Clock = Clock;
  kernel.enumerable(Clock);
})
