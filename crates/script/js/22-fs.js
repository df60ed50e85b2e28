// Files: the promise part of Node's fs, below the session's folder and the client's working folder only. Each access is a
// call of its own that is judged; nothing here has to be safe.
(function (kernel) {
  'use strict';

  const bufferOf = (bytes) => {
    const Buffer = kernel.Buffer || globalThis.Buffer;
    return Buffer ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : bytes;
  };

  const put = (error, name, value) => Object.defineProperty(error, name, { value, writable: true, enumerable: false, configurable: true });

  // How much one call carries, and the largest file that is read or written at once, in bytes.
  const PART = 4 * 1024 * 1024;
  const LARGEST = 32 * 1024 * 1024;

  // Numbers and words of Node's errors; those without words have their own.
  const NODE = {
    EACCES: [-13, 'permission denied'],
    EDQUOT: [-122],
    EEXIST: [-17, 'file already exists'],
    EFBIG: [-27],
    EINVAL: [-22],
    EIO: [-5],
    EISDIR: [-21, 'illegal operation on a directory'],
    EMFILE: [-24],
    ENOENT: [-2, 'no such file or directory'],
    ENOSPC: [-28, 'no space left on device'],
    ENOTDIR: [-20, 'not a directory'],
    ENOTEMPTY: [-39, 'directory not empty'],
    EPERM: [-1],
    EXDEV: [-18, 'cross-device link not permitted'],
  };

  // Refusals of the product keep their own code; what the file system says is Node's.
  const SYSTEM = new Set(['CONTENT_TOO_LARGE', 'FILE_EXISTS', 'FILE_NOT_FOUND', 'INVALID_ARGUMENTS', 'STORE_FAILED']);

  const failed = (body, syscall, path, to) => {
    const code = body.data && body.data.errno;
    const known = SYSTEM.has(body.code) ? NODE[code] : undefined;
    let error;
    if (known) {
      const [errno, words] = known;
      error = new Error(words ? `${code}: ${words}, ${syscall} '${path}'${to === undefined ? '' : ` -> '${to}'`}` : `${code}: ${body.message}`);
      put(error, 'code', code);
      put(error, 'errno', errno);
      put(error, 'data', body.data);
    } else {
      error = kernel.fail ? kernel.fail(body) : Object.assign(new Error(body.message), body);
    }
    put(error, 'syscall', syscall);
    put(error, 'path', path);
    if (to !== undefined) {
      put(error, 'dest', to);
    }
    return error;
  };

  const refuse = (code, message, syscall, path) => failed({ code: 'INVALID_ARGUMENTS', message, data: { errno: code } }, syscall, path);

  // An error has the line of the caller, also when it comes from another process a moment later.
  const ask = (syscall, tool, args, named) => {
    const { stack } = new Error();
    return kernel.call(tool, args).then(
      (outcome) => outcome.output,
      (body) => {
        const error = failed(body, syscall, named || args.path || args.from, named ? undefined : args.to);
        put(error, 'stack', stack);
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

  let parts = 0;

  // A file that fits in no call is put together aside, so that it is whole where it belongs or not there at all.
  const write = async (path, data, options, { how = 'replace', verify } = {}) => {
    const whole = bytesOf(data, options);
    // A copy of the view alone: its buffer may be larger.
    const bytes = new Uint8Array(whole.buffer, whole.byteOffset, whole.byteLength);
    const name = pathOf(path);
    if (bytes.length > LARGEST) {
      throw refuse('EFBIG', `a file of a script has at most ${LARGEST} bytes`, 'open', name);
    }
    const put = (to, from, as, more) => ask('open', 'file_write', { path: to, base64: kernel.base64.encode(bytes.subarray(from, from + PART)), how: as, ...more });
    if (bytes.length <= PART) {
      return put(name, 0, how, { verify });
    }
    if (how === 'append') {
      for (let at = 0; at < bytes.length; at += PART) {
        await put(name, at, how);
      }
      return undefined;
    }
    parts += 1;
    const aside = `tmp/.part-${parts}-${Math.floor(kernel.wall())}`;
    try {
      for (let at = 0; at < bytes.length; at += PART) {
        await put(aside, at, at === 0 ? 'create' : 'append');
      }
      return await ask('open', 'file_copy', { from: aside, to: name, exclusive: how === 'create', verify }, name);
    } finally {
      await ask('unlink', 'file_remove', { path: aside, force: true }).catch(() => {});
    }
  };

  const read = async (path) => {
    const found = [];
    let length = 0;
    for (;;) {
      const got = await ask('open', 'file_read', { path, offset: length, length: PART });
      if (got.size > LARGEST) {
        throw refuse('EFBIG', `the file has more than ${LARGEST} bytes: '${path}'`, 'open', path);
      }
      const bytes = kernel.base64.decode(got.base64);
      found.push(bytes);
      length += bytes.length;
      // One that grows while it is read has its end where it first had one.
      if (got.eof || bytes.length === 0 || length > LARGEST) {
        break;
      }
    }
    if (found.length === 1) {
      return found[0];
    }
    const whole = new Uint8Array(length);
    let at = 0;
    for (const part of found) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  };

  class Stats {
    constructor(facts) {
      this.size = facts.size;
      this.mode = facts.mode;
      this.mtimeMs = facts.modified_ms || 0;
      this.birthtimeMs = facts.created_ms || 0;
      this.mtime = new Date(this.mtimeMs);
      this.birthtime = new Date(this.birthtimeMs);
      put(this, '_kind', facts.kind);
    }

    isFile() {
      return this._kind === 'file';
    }

    isDirectory() {
      return this._kind === 'directory';
    }

    isSymbolicLink() {
      return this._kind === 'symlink';
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
      return this._kind === 'directory';
    }

    isSymbolicLink() {
      return this._kind === 'symlink';
    }
  }

  const listed = async (path, recursive) => {
    const { entries, truncated } = await ask('scandir', 'file_list', { path, recursive });
    if (truncated) {
      throw refuse('EMFILE', `the folder has more than ${entries.length} entries, or changed while it was read: '${path}'`, 'scandir', path);
    }
    return entries;
  };

  const stat = (syscall, path, follow) => ask(syscall, 'file_stat', { path: pathOf(path), follow });

  const fs = {
    async readFile(path, options) {
      const encoding = encodingOf(options);
      const bytes = await read(pathOf(path));
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
      await write(path, data, options, { how: flag.endsWith('x') ? 'create' : flag === 'a' ? 'append' : 'replace' });
    },
    async appendFile(path, data, options) {
      await write(path, data, options, { how: 'append' });
    },
    async mkdir(path, options) {
      const recursive = Boolean(options && typeof options === 'object' && options.recursive);
      const made = await ask('mkdir', 'file_mkdir', { path: pathOf(path), recursive });
      return recursive ? made.path : undefined;
    },
    async readdir(path, options) {
      const { withFileTypes = false, recursive = false } = options && typeof options === 'object' ? options : {};
      const at = pathOf(path);
      const entries = await listed(at, Boolean(recursive));
      if (!withFileTypes) {
        return entries.map((entry) => entry.name);
      }
      return entries.map((entry) => {
        const cut = entry.name.lastIndexOf('/');
        const parent = cut < 0 ? at : `${at}/${entry.name.slice(0, cut)}`;
        return new Dirent({ name: entry.name.slice(cut + 1), kind: entry.kind }, parent);
      });
    },
    async stat(path) {
      return new Stats(await stat('stat', path, true));
    },
    async lstat(path) {
      return new Stats(await stat('lstat', path, false));
    },
    async access(path, mode = 0) {
      const { writable } = await stat('access', path, true);
      if (mode & 2 && !writable) {
        throw refuse('EACCES', '', 'access', path);
      }
    },
    async exists(path) {
      try {
        await stat('access', path, true);
        return true;
      } catch (error) {
        if (error.code === 'ENOENT' || error.code === 'ENOTDIR') {
          return false;
        }
        throw error;
      }
    },
    async unlink(path) {
      await ask('unlink', 'file_remove', { path: pathOf(path), only: 'file' });
    },
    async rmdir(path) {
      await ask('rmdir', 'file_remove', { path: pathOf(path), only: 'directory' });
    },
    async rm(path, options) {
      const { recursive = false, force = false } = options || {};
      await ask('rm', 'file_remove', { path: pathOf(path), force: Boolean(force), ...(recursive ? { recursive: true } : { only: 'file' }) });
    },
    async rename(from, to) {
      await ask('rename', 'file_rename', { from: pathOf(from), to: pathOf(to, 'new path') });
    },
    async copyFile(from, to, mode) {
      await ask('copyfile', 'file_copy', { from: pathOf(from), to: pathOf(to, 'new path'), exclusive: mode === 1 });
    },
    async resolvePath(path) {
      return (await ask('resolve', 'file_resolve', { path: pathOf(path) })).path;
    },
    async realpath(path) {
      await stat('realpath', path, true);
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
  kernel.saveFile = (path, bytes) => write(path, bytes, undefined, { verify: true });
  kernel.copyFile = (from, to) => kernel.fs.copyFile(from, to);
  kernel.removeFile = (path) => kernel.fs.unlink(path);
  kernel.makeParents = async (path) => {
    const parent = String(path).replace(/[^/]+\/*$/, '').replace(/(?!^)\/+$/, '');
    if (parent !== '') {
      await kernel.fs.mkdir(parent, { recursive: true });
    }
  };
});
