// Files: the promise part of Node's fs, below the scope's own folder and the client's working folder only. The host opens
// every path; nothing here has to be safe.
(function (kernel) {
  'use strict';

  const bufferOf = (bytes) => {
    const Buffer = kernel.Buffer || globalThis.Buffer;
    return Buffer ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : bytes;
  };

  const put = (error, name, value) => Object.defineProperty(error, name, { value, writable: true, enumerable: false, configurable: true });

  // An error has the line of the caller, also when it comes from another process a moment later.
  const ask = (syscall, args) => {
    const { stack } = new Error();
    return kernel.op('fs', args).then(
      (value) => value,
      (body) => {
        const error = kernel.fail ? kernel.fail(body) : Object.assign(new Error(body.message), body);
        put(error, 'stack', stack);
        put(error, 'syscall', syscall);
        put(error, 'path', args.path);
        if (args.to !== undefined) {
          put(error, 'dest', args.to);
        }
        throw error;
      },
    );
  };

  const pathOf = (path, what = 'path') => {
    if (typeof path === 'string') {
      return path;
    }
    if (path && typeof path === 'object' && typeof path.href === 'string') {
      if (!path.href.startsWith('file:')) {
        throw new TypeError(`the ${what} is the address of no file: ${path.href}`);
      }
      return decodeURIComponent(path.pathname);
    }
    if (ArrayBuffer.isView(path)) {
      return kernel.utf8.decode(new Uint8Array(path.buffer, path.byteOffset, path.byteLength));
    }
    throw new TypeError(`the ${what} must be a text, not ${kernel.inspect(path)}`);
  };

  const ENCODINGS = new Set(['utf8', 'utf-8', 'base64', 'base64url', 'hex', 'latin1', 'binary', 'ascii', 'utf16le', 'ucs2']);

  const encodingOf = (options) => {
    const encoding = typeof options === 'string' ? options : options && options.encoding;
    if (encoding === undefined || encoding === null || encoding === 'buffer') {
      return null;
    }
    const name = String(encoding).toLowerCase();
    if (!ENCODINGS.has(name)) {
      throw new TypeError(`'${encoding}' is no encoding; there are ${[...ENCODINGS].join(', ')}`);
    }
    return name;
  };

  const bytesOf = (data, options) => {
    if (typeof data === 'string') {
      const encoding = encodingOf(options);
      if (encoding === null || encoding === 'utf8' || encoding === 'utf-8') {
        return kernel.utf8.encode(data);
      }
      return globalThis.Buffer.from(data, encoding);
    }
    if (ArrayBuffer.isView(data)) {
      return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    }
    if (data instanceof ArrayBuffer) {
      return new Uint8Array(data);
    }
    throw new TypeError(`a file takes a text, a Buffer or a typed array, not ${kernel.inspect(data)}; JSON.stringify makes a text of an object`);
  };

  const flagOf = (options, usual) => (options && typeof options === 'object' && options.flag) || usual;

  const write = async (syscall, path, data, options, more) => {
    const bytes = bytesOf(data, options);
    // A copy of the view alone: its buffer may be larger.
    const base64 = kernel.base64.encode(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    return ask(syscall, { do: 'write', path: pathOf(path), base64, ...more });
  };

  class Stats {
    constructor(facts) {
      this.size = facts.size;
      this.mtimeMs = facts.mtime_ms;
      this.birthtimeMs = facts.birth_ms;
      this.mtime = new Date(facts.mtime_ms);
      this.birthtime = new Date(facts.birth_ms);
      put(this, '_kind', facts.kind);
    }

    isFile() {
      return this._kind === 'file';
    }

    isDirectory() {
      return this._kind === 'folder';
    }

    isSymbolicLink() {
      return this._kind === 'link';
    }
  }

  class Dirent {
    constructor(entry, parent) {
      this.name = entry.name;
      this.parentPath = parent;
      put(this, '_kind', entry.kind);
    }

    isFile() {
      return this._kind === 'file';
    }

    isDirectory() {
      return this._kind === 'folder';
    }

    isSymbolicLink() {
      return this._kind === 'link';
    }
  }

  const listed = async (path, deep) => {
    const { entries } = await ask('scandir', { do: 'readdir', path });
    const out = [];
    for (const entry of entries) {
      out.push({ ...entry, parent: path, way: entry.name });
      if (deep && entry.kind === 'folder') {
        for (const inner of await listed(`${path}/${entry.name}`, true)) {
          out.push({ ...inner, way: `${entry.name}/${inner.way}` });
        }
      }
    }
    return out;
  };

  const fs = {
    async readFile(path, options) {
      const encoding = encodingOf(options);
      const { base64 } = await ask('open', { do: 'read', path: pathOf(path) });
      const bytes = kernel.base64.decode(base64);
      if (encoding === null) {
        return bufferOf(bytes);
      }
      return encoding === 'utf8' || encoding === 'utf-8' ? kernel.utf8.decode(bytes) : bufferOf(bytes).toString(encoding);
    },
    async writeFile(path, data, options) {
      const flag = flagOf(options, 'w');
      if (!['w', 'wx', 'a', 'ax'].includes(flag)) {
        throw new TypeError(`'${flag}' is no flag for writing; there are w, wx, a and ax`);
      }
      await write('open', path, data, options, { append: flag.startsWith('a'), exclusive: flag.endsWith('x') });
    },
    async appendFile(path, data, options) {
      await write('open', path, data, options, { append: true });
    },
    async mkdir(path, options) {
      const recursive = Boolean(options && typeof options === 'object' && options.recursive);
      const made = await ask('mkdir', { do: 'mkdir', path: pathOf(path), recursive });
      return recursive ? made.path : undefined;
    },
    async readdir(path, options) {
      const { withFileTypes = false, recursive = false } = options && typeof options === 'object' ? options : {};
      const entries = await listed(pathOf(path), recursive);
      return withFileTypes ? entries.map((entry) => new Dirent(entry, entry.parent)) : entries.map((entry) => entry.way);
    },
    async stat(path) {
      return new Stats(await ask('stat', { do: 'stat', path: pathOf(path) }));
    },
    async lstat(path) {
      return new Stats(await ask('lstat', { do: 'stat', path: pathOf(path), link: true }));
    },
    async access(path) {
      await ask('access', { do: 'stat', path: pathOf(path) });
    },
    async exists(path) {
      try {
        await ask('access', { do: 'stat', path: pathOf(path) });
        return true;
      } catch (error) {
        if (error.code === 'ENOENT' || error.code === 'ENOTDIR') {
          return false;
        }
        throw error;
      }
    },
    async unlink(path) {
      await ask('unlink', { do: 'rm', path: pathOf(path), only: 'file' });
    },
    async rmdir(path) {
      await ask('rmdir', { do: 'rm', path: pathOf(path), only: 'folder' });
    },
    async rm(path, options) {
      const { recursive = false, force = false } = options || {};
      await ask('rm', { do: 'rm', path: pathOf(path), recursive: Boolean(recursive), force: Boolean(force) });
    },
    async rename(from, to) {
      await ask('rename', { do: 'rename', path: pathOf(from), to: pathOf(to, 'new path') });
    },
    async copyFile(from, to, mode) {
      await ask('copyfile', { do: 'copy', path: pathOf(from), to: pathOf(to, 'new path'), exclusive: mode === 1 });
    },
    async resolvePath(path) {
      return (await ask('resolve', { do: 'resolve', path: pathOf(path) })).path;
    },
    async realpath(path) {
      await ask('realpath', { do: 'stat', path: pathOf(path) });
      return fs.resolvePath(path);
    },
  };

  const hidden = (name, get) => Object.defineProperty(fs, name, { get, enumerable: false, configurable: true });
  hidden('promises', () => fs);
  put(fs, 'constants', Object.freeze({ COPYFILE_EXCL: 1, F_OK: 0, R_OK: 4, W_OK: 2, X_OK: 1 }));
  for (const name of Object.keys(fs)) {
    put(fs, `${name}Sync`, () => {
      throw new Error(`fs.${name}Sync does not exist here: use await fs.${name}(…)`);
    });
  }
  for (const name of ['createReadStream', 'createWriteStream', 'open', 'watch']) {
    put(fs, name, () => {
      throw new Error(`fs.${name} does not exist here: use await fs.readFile(…) and await fs.writeFile(…)`);
    });
  }

  kernel.fs = { ...fs };
  kernel.expose('fs', fs);
  kernel.exposeGetter('pwd', () => kernel.info.pwd);

  // For the other files: pictures and documents are made with their folders, and must be what their names say.
  kernel.readFile = (path) => kernel.fs.readFile(path);
  kernel.saveFile = (path, bytes) => write('open', path, bytes, undefined, { artifact: true });
  kernel.copyFile = (from, to) => kernel.fs.copyFile(from, to);
  kernel.removeFile = (path) => kernel.fs.unlink(path);
  kernel.makeParents = async (path) => {
    const parent = String(path).replace(/[^/]+\/*$/, '').replace(/(?!^)\/+$/, '');
    if (parent !== '') {
      await kernel.fs.mkdir(parent, { recursive: true });
    }
  };
});
