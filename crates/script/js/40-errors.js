// Errors of the scope: what a refused call becomes, time limits, and messages that carry a call log.
(function (kernel) {
  'use strict';

  const put = (error, fields) => {
    for (const [key, value] of Object.entries(fields)) {
      if (value !== undefined && value !== null) Object.defineProperty(error, key, { value, writable: true, enumerable: false, configurable: true });
    }
    return error;
  };
  kernel.putFields = put;

  class TimeoutError extends Error {
    constructor(message) {
      super(message);
      put(this, { name: 'TimeoutError' });
    }
  }

  class TargetClosedError extends Error {
    constructor(message) {
      super(message);
      put(this, { name: 'TargetClosedError' });
    }
  }

  const CLOSED = new Set(['TAB_CLOSED', 'UNKNOWN_TAB', 'BROWSER_GONE']);

  /**
   * The Error of a refusal `{ code, message, next_step, data }` of the other side. What it should do next is a field of
   * its own, and part of the message where a script's author could not know it: permissions and lost things.
   */
  kernel.fail = (body) => {
    if (body instanceof Error) return body;
    const { code, message = 'the call failed', next_step, data } = body ?? {};
    const error = CLOSED.has(code) ? new TargetClosedError(`Target page, context or browser has been closed (${message})`) : code === 'TIMEOUT' || code === 'DEADLINE' ? new TimeoutError(message) : new Error(message);
    return put(error, { code, next_step, data });
  };

  /** A message with the log of what was tried, as testing tools write it. */
  kernel.withLog = (message, log) => (log.length ? `${message}\nCall log:\n${log.join('\n')}\n` : message);

  /** The same error with what was called in front of its message, kept as what it is. */
  kernel.prefixed = (title, error, log = []) => {
    if (!(error instanceof Error)) return error;
    const bare = error.message.startsWith(`${title}: `) ? error.message : `${title}: ${error.message}`;
    const at = error.message;
    const message = kernel.withLog(bare, log);
    put(error, { message });
    if (typeof error.stack === 'string' && at && error.stack.includes(at)) put(error, { stack: error.stack.replace(at, () => message) });
    return error;
  };

  kernel.TimeoutError = TimeoutError;
  kernel.TargetClosedError = TargetClosedError;
  kernel.expose('errors', { TimeoutError, TargetClosedError });
})
