// Puts the author's own line into errors that come later from another process: the stack of such an error knows nothing of
// the line that asked. Each method that users call remembers where it was called, and adds that to an error without one.
(function (kernel) {
  'use strict';

  const { apply, ownKeys } = Reflect;
  const { defineProperty, getOwnPropertyDescriptor } = Object;
  const then = Promise.prototype.then;
  const done = new WeakSet();
  const userLine = /\bcall\d+:\d+/;

  const placed = (error, place) => {
    if (error instanceof Error && typeof error.stack === 'string' && !userLine.test(error.stack)) {
      const lines = String(place.stack).split('\n').filter((line) => userLine.test(line));
      if (lines.length > 0) {
        defineProperty(error, 'stack', { value: lines.join('\n'), writable: true, configurable: true, enumerable: false });
      }
    }
    return error;
  };

  const wrap = (run, name) => {
    const wrapped = function (...args) {
      const place = new Error();
      const result = apply(run, this, args);
      if (!(result instanceof Promise)) {
        return result;
      }
      const answer = apply(then, result, [undefined, (error) => {
        // A refusal that nobody has made an Error of.
        const bare = error !== null && typeof error === 'object' && !(error instanceof Error) && typeof error.code === 'string';
        throw placed(bare && kernel.fail ? kernel.fail(error) : error, place);
      }]);
      return answer;
    };
    defineProperty(wrapped, 'name', { value: run.name || name, configurable: true });
    defineProperty(wrapped, 'length', { value: run.length, configurable: true });
    done.add(wrapped);
    return wrapped;
  };

  const kindOf = Object.prototype.toString;

  kernel.placeMethods = (owner) => {
    for (const name of ownKeys(owner)) {
      const property = getOwnPropertyDescriptor(owner, name);
      const run = property.value;
      // Only what answers later; the rest throws with the right stack anyway.
      if (typeof run === 'function' && property.configurable && !done.has(run) && apply(kindOf, run, []) === '[object AsyncFunction]') {
        defineProperty(owner, name, { ...property, value: wrap(run, String(name)) });
      }
    }
  };

  const ours = Object.values(Object.getOwnPropertyDescriptors(globalThis))
    .map((property) => property.value)
    .filter((value) => value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype);
  for (const owner of [...kernel.owners, ...ours]) {
    kernel.placeMethods(typeof owner === 'function' ? owner.prototype : owner);
  }
  kernel.placeMethods(globalThis);
});
