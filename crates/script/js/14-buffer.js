// Buffer: Node's bytes, the part that scripts use.
(function (kernel) {
  'use strict';

  const ENCODINGS = new Map([
    ['utf8', 'utf8'], ['utf-8', 'utf8'], ['hex', 'hex'], ['base64', 'base64'], ['base64url', 'base64url'],
    ['latin1', 'latin1'], ['binary', 'latin1'], ['ascii', 'ascii'],
    ['utf16le', 'utf16le'], ['utf-16le', 'utf16le'], ['ucs2', 'utf16le'], ['ucs-2', 'utf16le'],
  ]);

  const encodingOf = (name) => {
    const found = ENCODINGS.get(name === undefined || name === null ? 'utf8' : String(name).toLowerCase());
    if (!found) {
      throw Object.assign(new TypeError(`Unknown encoding: ${name}; there are ${[...new Set(ENCODINGS.values())].join(', ')}`), { code: 'ERR_UNKNOWN_ENCODING' });
    }
    return found;
  };

  // Node takes base64 with anything in between, of both alphabets, and stops at the padding.
  const looseBase64 = (text) => {
    const clean = text.replaceAll('-', '+').replaceAll('_', '/').replace(/[^A-Za-z0-9+/=]/g, '').replace(/=.*$/, '');
    return Uint8Array.fromBase64(clean.length % 4 === 1 ? clean.slice(0, -1) : clean);
  };

  const looseHex = (text) => {
    const good = /^(?:[0-9a-fA-F]{2})*/.exec(text)[0];
    return Uint8Array.fromHex(good);
  };

  const units = (text, size, mask) => {
    const bytes = new Uint8Array(text.length * size);
    for (let i = 0; i < text.length; i += 1) {
      const unit = text.charCodeAt(i) & mask;
      bytes[i * size] = unit & 0xff;
      if (size === 2) {
        bytes[i * size + 1] = unit >> 8;
      }
    }
    return bytes;
  };

  const encode = (text, encoding) => {
    switch (encodingOf(encoding)) {
      case 'hex':
        return looseHex(text);
      case 'base64':
      case 'base64url':
        return looseBase64(text);
      case 'latin1':
      case 'ascii':
        return units(text, 1, 0xff);
      case 'utf16le':
        return units(text, 2, 0xffff);
      default:
        return kernel.utf8.encode(text);
    }
  };

  const decode = (bytes, encoding) => {
    switch (encodingOf(encoding)) {
      case 'hex':
        return bytes.toHex();
      case 'base64':
        return bytes.toBase64();
      case 'base64url':
        return bytes.toBase64({ alphabet: 'base64url', omitPadding: true });
      case 'latin1':
        return kernel.latin1(bytes);
      case 'ascii':
        return kernel.latin1(bytes.map((byte) => byte & 0x7f));
      case 'utf16le':
        return kernel.utf16(bytes.subarray(0, bytes.length - (bytes.length % 2)), false);
      default:
        return kernel.utf8.decode(bytes);
    }
  };

  const view = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const as = (bytes) => new Buffer(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const plain = (bytes) => new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);

  class Buffer extends Uint8Array {
    // Methods of typed arrays that make new ones make Buffers; `new Buffer(n)` of old is not offered.
    static from(value, second, third) {
      if (typeof value === 'string') {
        return as(encode(value, second));
      }
      if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) {
        return new Buffer(value, second, third);
      }
      if (ArrayBuffer.isView(value)) {
        const copy = new Buffer(value.length ?? value.byteLength);
        copy.set(value.length === undefined ? plain(value) : value);
        return copy;
      }
      if (value && value.type === 'Buffer' && Array.isArray(value.data)) {
        return Buffer.from(value.data);
      }
      if (value && typeof value === 'object' && (typeof value.length === 'number' || typeof value[Symbol.iterator] === 'function')) {
        return as(Uint8Array.from(value, (byte) => byte & 0xff));
      }
      if (value && typeof value === 'object' && typeof value.valueOf() === 'string') {
        return Buffer.from(value.valueOf(), second);
      }
      throw new TypeError(`Buffer.from takes a text, an array, bytes or an ArrayBuffer, not ${kernel.inspect(value)}`);
    }

    static of(...bytes) {
      return Buffer.from(bytes);
    }

    static alloc(size, fill, encoding) {
      const made = new Buffer(size);
      return fill === undefined || fill === 0 ? made : made.fill(fill, 0, size, encoding);
    }

    static allocUnsafe(size) {
      return new Buffer(size);
    }

    static concat(list, total) {
      if (!Array.isArray(list)) {
        throw new TypeError('Buffer.concat takes an array of Buffers');
      }
      const length = total === undefined ? list.reduce((sum, part) => sum + part.length, 0) : total;
      const out = new Buffer(length);
      let at = 0;
      for (const part of list) {
        if (at >= length) {
          break;
        }
        out.set(part.subarray(0, length - at), at);
        at += part.length;
      }
      return out;
    }

    static isBuffer(value) {
      return value instanceof Buffer;
    }

    static isEncoding(name) {
      return typeof name === 'string' && ENCODINGS.has(name.toLowerCase());
    }

    static byteLength(value, encoding) {
      return typeof value === 'string' ? encode(value, encoding).length : value.byteLength;
    }

    static compare(a, b) {
      const length = Math.min(a.length, b.length);
      for (let i = 0; i < length; i += 1) {
        if (a[i] !== b[i]) {
          return a[i] < b[i] ? -1 : 1;
        }
      }
      return Math.sign(a.length - b.length);
    }

    toString(encoding, start = 0, end = this.length) {
      return decode(plain(this).subarray(Math.max(0, start), Math.max(0, Math.min(end, this.length))), encoding);
    }

    toLocaleString(encoding, start, end) {
      return this.toString(encoding, start, end);
    }

    toJSON() {
      return { type: 'Buffer', data: Array.from(this) };
    }

    equals(other) {
      return this.length === other.length && Buffer.compare(this, other) === 0;
    }

    compare(other, start = 0, end = other.length, from = 0, to = this.length) {
      return Buffer.compare(this.subarray(from, to), other.subarray(start, end));
    }

    // Node's slice shares the bytes, unlike that of typed arrays.
    slice(start, end) {
      return as(plain(this).subarray(start, end));
    }

    subarray(start, end) {
      return as(plain(this).subarray(start, end));
    }

    copy(target, at = 0, start = 0, end = this.length) {
      const part = plain(this).subarray(start, Math.min(end, start + Math.max(0, target.length - at)));
      target.set(part, at);
      return part.length;
    }

    write(text, offset = 0, length = undefined, encoding = undefined) {
      if (typeof offset === 'string') {
        return this.write(text, 0, this.length, offset);
      }
      if (typeof length === 'string') {
        return this.write(text, offset, this.length - offset, length);
      }
      const room = Math.min(this.length - offset, length ?? this.length);
      let bytes = encode(text, encoding);
      if (bytes.length > room) {
        bytes = bytes.subarray(0, room);
        // No half of a character.
        while (encodingOf(encoding) === 'utf8' && bytes.length > 0 && kernel.utf8.decode(bytes).endsWith('\ufffd') && !text.includes('\ufffd')) {
          bytes = bytes.subarray(0, -1);
        }
      }
      this.set(bytes, offset);
      return bytes.length;
    }

    fill(value, start = 0, end = this.length, encoding = undefined) {
      if (typeof value === 'number') {
        super.fill(value & 0xff, start, end);
        return this;
      }
      if (typeof start === 'string') {
        return this.fill(value, 0, this.length, start);
      }
      const bytes = typeof value === 'string' ? encode(value, encoding) : value;
      for (let i = start; i < end; i += 1) {
        this[i] = bytes.length ? bytes[(i - start) % bytes.length] : 0;
      }
      return this;
    }

    #find(value, from, encoding, last) {
      if (typeof from === 'string') {
        return this.#find(value, undefined, from, last);
      }
      if (typeof value === 'number') {
        const byte = value & 0xff;
        return last ? super.lastIndexOf(byte, from ?? this.length - 1) : super.indexOf(byte, from ?? 0);
      }
      const needle = typeof value === 'string' ? encode(value, encoding) : value;
      const most = this.length - needle.length;
      let at = from === undefined ? (last ? most : 0) : Math.trunc(from);
      at = at < 0 ? Math.max(last ? -1 : 0, this.length + at) : at;
      if (last) {
        at = Math.min(at, most);
      }
      for (; last ? at >= 0 : at <= most; at += last ? -1 : 1) {
        let i = 0;
        while (i < needle.length && this[at + i] === needle[i]) {
          i += 1;
        }
        if (i === needle.length) {
          return at;
        }
      }
      return -1;
    }

    indexOf(value, from, encoding) {
      return this.#find(value, from, encoding, false);
    }

    lastIndexOf(value, from, encoding) {
      return this.#find(value, from, encoding, true);
    }

    includes(value, from, encoding) {
      return this.indexOf(value, from, encoding) !== -1;
    }

    swap16() {
      for (let i = 0; i + 1 < this.length; i += 2) {
        [this[i], this[i + 1]] = [this[i + 1], this[i]];
      }
      return this;
    }

    readUIntBE(offset, length) {
      this.#room(offset, length);
      let value = 0;
      for (let i = 0; i < length; i += 1) {
        value = value * 256 + this[offset + i];
      }
      return value;
    }

    readUIntLE(offset, length) {
      this.#room(offset, length);
      let value = 0;
      for (let i = length - 1; i >= 0; i -= 1) {
        value = value * 256 + this[offset + i];
      }
      return value;
    }

    readIntBE(offset, length) {
      const value = this.readUIntBE(offset, length);
      return value >= 2 ** (8 * length - 1) ? value - 2 ** (8 * length) : value;
    }

    readIntLE(offset, length) {
      const value = this.readUIntLE(offset, length);
      return value >= 2 ** (8 * length - 1) ? value - 2 ** (8 * length) : value;
    }

    #room(offset, length) {
      if (!Number.isInteger(offset) || offset < 0 || offset + length > this.length) {
        throw Object.assign(new RangeError(`The value of "offset" is out of range: ${offset} in a Buffer of ${this.length} bytes`), { code: 'ERR_OUT_OF_RANGE' });
      }
    }
  }

  // Numbers of fixed size: [suffix, DataView's name, bytes].
  const NUMBERS = [
    ['Int8', 'Int8', 1], ['UInt8', 'Uint8', 1],
    ['Int16', 'Int16', 2], ['UInt16', 'Uint16', 2], ['Int32', 'Int32', 4], ['UInt32', 'Uint32', 4],
    ['BigInt64', 'BigInt64', 8], ['BigUInt64', 'BigUint64', 8], ['Float', 'Float32', 4], ['Double', 'Float64', 8],
  ];
  const range = (buffer, offset, size) => {
    if (!Number.isInteger(offset) || offset < 0 || offset + size > buffer.length) {
      throw Object.assign(new RangeError(`The value of "offset" is out of range: ${offset} in a Buffer of ${buffer.length} bytes`), { code: 'ERR_OUT_OF_RANGE' });
    }
  };
  const method = (name, run) => Object.defineProperty(Buffer.prototype, name, { value: run, writable: true, configurable: true, enumerable: false });
  for (const [suffix, kind, size] of NUMBERS) {
    for (const order of size === 1 ? [''] : ['LE', 'BE']) {
      const little = order === 'LE';
      const read = function (offset = 0) {
        range(this, offset, size);
        return view(this)[`get${kind}`](offset, little);
      };
      const write = function (value, offset = 0) {
        range(this, offset, size);
        view(this)[`set${kind}`](offset, value, little);
        return offset + size;
      };
      for (const name of suffix.includes('UInt') ? [suffix, suffix.replace('UInt', 'Uint')] : [suffix]) {
        method(`read${name}${order}`, read);
        method(`write${name}${order}`, write);
      }
    }
  }

  kernel.Buffer = Buffer;
  kernel.expose('Buffer', Buffer);
});
