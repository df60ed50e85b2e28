// Timers: they run in the worker, and only while a call runs.
(function (kernel) {
  'use strict';

  const intervals = new Map();
  let next = 1e9;

  const callable = (run, what) => {
    if (typeof run !== 'function') {
      throw new TypeError(`${what} needs a function, not ${kernel.inspect(run)}`);
    }
  };

  kernel.expose('setTimeout', function setTimeout(run, ms, ...args) {
    callable(run, 'setTimeout');
    return kernel.after(ms || 0, () => run(...args));
  });

  kernel.expose('setInterval', function setInterval(run, ms, ...args) {
    callable(run, 'setInterval');
    const every = Math.max(1, Number(ms) || 0);
    next += 1;
    const id = next;
    const tick = () => {
      intervals.set(id, kernel.after(every, tick));
      run(...args);
    };
    intervals.set(id, kernel.after(every, tick));
    return id;
  });

  kernel.expose('setImmediate', function setImmediate(run, ...args) {
    callable(run, 'setImmediate');
    return kernel.after(0, () => run(...args));
  });

  const clear = (id) => {
    if (intervals.has(id)) {
      kernel.cancelTimer(intervals.get(id));
      intervals.delete(id);
    } else if (typeof id === 'number') {
      kernel.cancelTimer(id);
    }
  };
  for (const name of ['clearTimeout', 'clearInterval', 'clearImmediate']) {
    kernel.expose(name, (id) => clear(id));
  }

  kernel.sleep = (ms) => new Promise((resolve) => kernel.after(Number(ms) || 0, () => resolve()));
  kernel.expose('sleep', function sleep(ms) {
    return kernel.sleep(ms);
  });
});
