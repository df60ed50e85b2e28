// Event, EventTarget, AbortController and AbortSignal.
(function (kernel) {
  'use strict';

  if (typeof DOMException !== 'function') {
    class DOMException extends Error {
      constructor(message = '', name = 'Error') {
        super(message);
        Object.defineProperty(this, 'name', { value: String(name), configurable: true });
      }
    }
    kernel.expose('DOMException', DOMException);
  }

  class Event {
    #type;
    #options;
    #prevented = false;
    _stopped = false;
    _target = null;

    constructor(type, options = {}) {
      this.#type = String(type);
      this.#options = options || {};
      Object.defineProperty(this, '_stopped', { enumerable: false });
      Object.defineProperty(this, '_target', { enumerable: false });
      this.timeStamp = kernel.now();
    }

    get type() {
      return this.#type;
    }

    get target() {
      return this._target;
    }

    get currentTarget() {
      return this._target;
    }

    get bubbles() {
      return Boolean(this.#options.bubbles);
    }

    get cancelable() {
      return Boolean(this.#options.cancelable);
    }

    get defaultPrevented() {
      return this.#prevented;
    }

    preventDefault() {
      this.#prevented = this.#prevented || this.cancelable;
    }

    stopPropagation() {}

    stopImmediatePropagation() {
      this._stopped = true;
    }
  }

  class CustomEvent extends Event {
    #detail;

    constructor(type, options = {}) {
      super(type, options);
      this.#detail = (options || {}).detail ?? null;
    }

    get detail() {
      return this.#detail;
    }
  }

  class EventTarget {
    #listeners = new Map();

    addEventListener(type, listener, options = {}) {
      if (listener === null || listener === undefined) {
        return;
      }
      const { once = false, signal } = typeof options === 'object' && options !== null ? options : {};
      if (signal && signal.aborted) {
        return;
      }
      const name = String(type);
      const list = this.#listeners.get(name) || [];
      if (list.some((entry) => entry.listener === listener)) {
        return;
      }
      this.#listeners.set(name, [...list, { listener, once }]);
      if (signal) {
        signal.addEventListener('abort', () => this.removeEventListener(name, listener));
      }
    }

    removeEventListener(type, listener) {
      const list = this.#listeners.get(String(type)) || [];
      this.#listeners.set(String(type), list.filter((entry) => entry.listener !== listener));
    }

    dispatchEvent(event) {
      if (!(event instanceof Event)) {
        throw new TypeError('dispatchEvent takes an Event');
      }
      event._target = this;
      event._stopped = false;
      const handler = this[`on${event.type}`];
      const list = [...(typeof handler === 'function' ? [{ listener: handler, once: false }] : []), ...(this.#listeners.get(event.type) || [])];
      for (const { listener, once } of list) {
        if (once) {
          this.removeEventListener(event.type, listener);
        }
        try {
          if (typeof listener === 'function') {
            listener.call(this, event);
          } else {
            listener.handleEvent(event);
          }
        } catch (error) {
          kernel.print('error', `Uncaught ${kernel.inspect(error)}`);
        }
        if (event._stopped) {
          break;
        }
      }
      return !event.defaultPrevented;
    }
  }

  const abortError = () => new DOMException('This operation was aborted', 'AbortError');
  const key = {};

  class AbortSignal extends EventTarget {
    #aborted = false;
    #reason = undefined;

    constructor(secret) {
      super();
      if (secret !== key) {
        throw new TypeError('Illegal constructor: use new AbortController().signal');
      }
    }

    static abort(reason = abortError()) {
      const signal = new AbortSignal(key);
      AbortSignal._abort(signal, reason);
      return signal;
    }

    static timeout(ms) {
      const signal = new AbortSignal(key);
      kernel.after(ms, () => abort(signal, new DOMException('The operation was aborted due to timeout', 'TimeoutError')));
      return signal;
    }

    static any(signals) {
      const all = [...signals];
      const made = new AbortSignal(key);
      const first = all.find((signal) => signal.aborted);
      if (first) {
        abort(made, first.reason);
        return made;
      }
      for (const signal of all) {
        signal.addEventListener('abort', () => abort(made, signal.reason), { once: true });
      }
      return made;
    }

    static _abort(signal, reason) {
      if (!signal.#aborted) {
        signal.#aborted = true;
        signal.#reason = reason;
        signal.dispatchEvent(new Event('abort'));
      }
    }

    get aborted() {
      return this.#aborted;
    }

    get reason() {
      return this.#reason;
    }

    throwIfAborted() {
      if (this.#aborted) {
        throw this.#reason;
      }
    }
  }
  const { _abort: abort } = AbortSignal;
  AbortSignal.abort = (reason = abortError()) => {
    const signal = new AbortSignal(key);
    abort(signal, reason);
    return signal;
  };
  delete AbortSignal._abort;

  class AbortController {
    #signal = new AbortSignal(key);

    get signal() {
      return this.#signal;
    }

    abort(reason = abortError()) {
      abort(this.#signal, reason);
    }
  }

  kernel.showAs(AbortSignal, (signal) => `AbortSignal { aborted: ${signal.aborted} }`);
  kernel.showAs(AbortController, (controller) => `AbortController { signal: AbortSignal { aborted: ${controller.signal.aborted} } }`);
  for (const [name, made] of Object.entries({ Event, CustomEvent, EventTarget, AbortController, AbortSignal })) {
    kernel.expose(name, made);
  }
});
