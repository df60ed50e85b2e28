// path: as Node's, for POSIX paths.
(function (kernel) {
  'use strict';

  const check = (part, what) => {
    if (typeof part !== 'string') {
      throw new TypeError(`path: the ${what} must be a text, not ${kernel.inspect(part)}`);
    }
    return part;
  };

  const clean = (path, absolute) => {
    const out = [];
    for (const part of path.split('/')) {
      if (part === '' || part === '.') {
        continue;
      }
      if (part === '..') {
        if (out.length > 0 && out.at(-1) !== '..') {
          out.pop();
        } else if (!absolute) {
          out.push('..');
        }
      } else {
        out.push(part);
      }
    }
    return out.join('/');
  };

  const trimmed = (path) => (path.length > 1 ? path.replace(/\/+$/, '') || '/' : path);

  const path = {
    sep: '/',
    delimiter: ':',

    isAbsolute: (of) => check(of, 'path').startsWith('/'),

    normalize(of) {
      if (check(of, 'path') === '') {
        return '.';
      }
      const absolute = of.startsWith('/');
      const out = clean(of, absolute) || (absolute ? '' : '.');
      return `${absolute ? '/' : ''}${out}${of.endsWith('/') && out !== '' ? '/' : ''}`;
    },

    join(...parts) {
      const joined = parts.map((part) => check(part, 'part')).filter((part) => part !== '').join('/');
      return joined === '' ? '.' : path.normalize(joined);
    },

    // Relative paths start at the folder of this session, as those of fs do.
    resolve(...parts) {
      let out = '';
      for (let i = parts.length - 1; i >= 0 && !out.startsWith('/'); i -= 1) {
        const part = check(parts[i], 'part');
        out = part === '' ? out : out === '' ? part : `${part}/${out}`;
      }
      const whole = out.startsWith('/') ? out : `${kernel.info.pwd || '/'}/${out}`;
      return `/${clean(whole, true)}`;
    },

    relative(from, to) {
      const a = path.resolve(check(from, 'first path')).split('/').filter(Boolean);
      const b = path.resolve(check(to, 'second path')).split('/').filter(Boolean);
      let same = 0;
      while (same < a.length && same < b.length && a[same] === b[same]) {
        same += 1;
      }
      return [...a.slice(same).map(() => '..'), ...b.slice(same)].join('/');
    },

    dirname(of) {
      const at = trimmed(check(of, 'path')).lastIndexOf('/');
      return at < 0 ? '.' : at === 0 ? '/' : trimmed(of.slice(0, at));
    },

    basename(of, suffix = '') {
      const whole = trimmed(check(of, 'path'));
      const base = whole === '/' ? '' : whole.slice(whole.lastIndexOf('/') + 1);
      return suffix && base !== suffix && base.endsWith(suffix) ? base.slice(0, -suffix.length) : base;
    },

    extname(of) {
      const base = path.basename(of);
      const at = base.lastIndexOf('.');
      return at <= 0 ? '' : base.slice(at);
    },

    parse(of) {
      const base = path.basename(of);
      const ext = path.extname(of);
      const root = of.startsWith('/') ? '/' : '';
      const dir = path.dirname(of);
      return { root, dir: dir === '.' && !of.startsWith('.') ? '' : dir, base, ext, name: ext ? base.slice(0, -ext.length) : base };
    },

    format({ root = '', dir = '', base = '', name = '', ext = '' }) {
      const last = base || `${name}${ext && !ext.startsWith('.') ? '.' : ''}${ext}`;
      return dir ? (dir === root ? `${dir}${last}` : `${dir}/${last}`) : `${root}${last}`;
    },
  };
  Object.defineProperty(path, 'posix', { value: path, enumerable: true });

  kernel.path = path;
  kernel.expose('path', path);
});
