// The console: what a script prints.
(function (kernel) {
  'use strict';

  kernel.inspect = (value) => {
    if (typeof value === 'string') return JSON.stringify(value);
    if (typeof value === 'function') return `[Function ${value.name}]`;
    try { return JSON.stringify(value) ?? String(value); } catch { return String(value); }
  };
  const line = (args) => args.map((a) => (typeof a === 'string' ? a : kernel.inspect(a))).join(' ');
  const console = {};
  for (const level of ['log', 'info', 'warn', 'error', 'debug']) {
    console[level] = (...args) => kernel.print(level, line(args));
  }
  kernel.expose('console', console);
});
