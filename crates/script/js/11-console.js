// The console: what a script prints.
(function (kernel) {
  'use strict';

  const { inspect } = kernel;
  let indent = '';
  const counts = new Map();
  const times = new Map();

  const print = (level, text) => kernel.print(level, indent ? indent + text.replaceAll('\n', `\n${indent}`) : text);

  const show = (value, options) => (typeof value === 'string' ? value : inspect(value, options));

  // `%s`, `%d`, `%i`, `%f`, `%j`, `%o`, `%O`, `%c` of the first argument, as everywhere.
  const formatted = (args) => {
    if (typeof args[0] !== 'string' || args.length < 2 || !args[0].includes('%')) {
      return args.map((a) => show(a)).join(' ');
    }
    let next = 1;
    const first = args[0].replace(/%([sdifjoOc%])/g, (whole, kind) => {
      if (kind === '%') {
        return '%';
      }
      if (next >= args.length) {
        return whole;
      }
      const value = args[next];
      next += 1;
      switch (kind) {
        case 's':
          return typeof value === 'string' ? value : inspect(value, { depth: 0 });
        case 'd':
          return typeof value === 'bigint' ? `${value}n` : typeof value === 'object' ? 'NaN' : `${Number(value)}`;
        case 'i':
          return typeof value === 'bigint' ? `${value}n` : typeof value === 'object' ? 'NaN' : `${Number.parseInt(value, 10)}`;
        case 'f':
          return typeof value === 'symbol' ? 'NaN' : `${Number.parseFloat(value)}`;
        case 'j':
          try {
            return JSON.stringify(value);
          } catch {
            return '[Circular]';
          }
        case 'c':
          return '';
        default:
          return inspect(value, { depth: kind === 'o' ? 4 : 2 });
      }
    });
    const rest = args.slice(next).map((a) => show(a));
    return [first, ...rest].join(' ');
  };
  kernel.format = formatted;

  const cell = (value) => (typeof value === 'string' ? kernel.quoted(value) : inspect(value, { depth: 0, width: Infinity }));

  // Rows and columns, as wide as their longest cell.
  const table = (data, only) => {
    if (data === null || typeof data !== 'object') {
      return show(data);
    }
    const rows = [];
    const columns = [];
    let values = false;
    const each = data instanceof Map || data instanceof Set ? [...data].entries() : Object.entries(data);
    for (const [index, row] of each) {
      const cells = new Map();
      let value = '';
      if (row !== null && typeof row === 'object') {
        for (const name of Object.keys(row)) {
          if (!only || only.includes(name)) {
            if (!columns.includes(name)) {
              columns.push(name);
            }
            const property = Object.getOwnPropertyDescriptor(row, name);
            cells.set(name, 'value' in property ? cell(property.value) : '[Getter]');
          }
        }
      } else {
        values = true;
        value = cell(row);
      }
      rows.push([String(index), cells, value]);
    }
    const head = ['(index)', ...columns, ...(values ? ['Values'] : [])];
    const body = rows.map(([index, cells, value]) => [index, ...columns.map((c) => cells.get(c) ?? ''), ...(values ? [value] : [])]);
    const widths = head.map((title, i) => Math.max(title.length, ...body.map((row) => row[i].length)));
    const line = (row) => `| ${row.map((text, i) => text.padEnd(widths[i])).join(' | ')} |`;
    return [line(head), `|${widths.map((w) => '-'.repeat(w + 2)).join('|')}|`, ...body.map(line)].join('\n');
  };

  const elapsed = (label) => {
    const began = times.get(label);
    if (began === undefined) {
      print('warn', `Warning: no such label '${label}' for console.time()`);
      return undefined;
    }
    const ms = kernel.now() - began;
    return ms >= 1000 ? `${label}: ${(ms / 1000).toFixed(3)}s` : `${label}: ${ms.toFixed(3)}ms`;
  };

  const console = {
    log: (...args) => print('log', formatted(args)),
    info: (...args) => print('info', formatted(args)),
    warn: (...args) => print('warn', formatted(args)),
    error: (...args) => print('error', formatted(args)),
    debug: (...args) => print('debug', formatted(args)),
    dir: (value, options) => print('log', inspect(value, { ...(options || {}), ...(options && options.depth === null ? { depth: Infinity } : {}) })),
    table: (data, columns) => print('log', table(data, columns)),
    trace: (...args) => {
      const stack = kernel.cleanStack(new Error().stack);
      print('error', `Trace${args.length ? `: ${formatted(args)}` : ''}${stack ? `\n${stack}` : ''}`);
    },
    assert: (condition, ...args) => {
      if (!condition) {
        print('error', args.length ? `Assertion failed: ${formatted(args)}` : 'Assertion failed');
      }
    },
    count: (label = 'default') => {
      const now = (counts.get(`${label}`) || 0) + 1;
      counts.set(`${label}`, now);
      print('log', `${label}: ${now}`);
    },
    countReset: (label = 'default') => void counts.delete(`${label}`),
    time: (label = 'default') => void times.set(`${label}`, kernel.now()),
    timeLog: (label = 'default', ...args) => {
      const text = elapsed(`${label}`);
      if (text !== undefined) {
        print('log', args.length ? `${text} ${formatted(args)}` : text);
      }
    },
    timeEnd: (label = 'default') => {
      const text = elapsed(`${label}`);
      times.delete(`${label}`);
      if (text !== undefined) {
        print('log', text);
      }
    },
    group: (...args) => {
      if (args.length) {
        print('log', formatted(args));
      }
      indent = indent.length < 40 ? `${indent}  ` : indent;
    },
    groupCollapsed: (...args) => console.group(...args),
    groupEnd: () => {
      indent = indent.slice(2);
    },
    clear: () => undefined,
  };
  // A group that a call left open must not indent the next one.
  kernel.onCallStart(() => {
    indent = '';
  });
  kernel.expose('console', console);
});
