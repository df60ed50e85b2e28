// Text and bytes: TextEncoder, TextDecoder, base64.
(function (kernel) {
  'use strict';

  const bytesOf = (input, what) => {
    if (input === undefined) {
      return new Uint8Array(0);
    }
    if (ArrayBuffer.isView(input)) {
      return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
    }
    if (input instanceof ArrayBuffer || input instanceof SharedArrayBuffer) {
      return new Uint8Array(input);
    }
    throw new TypeError(`${what} needs an ArrayBuffer or a typed array, not ${kernel.inspect(input)}`);
  };
  kernel.viewOf = bytesOf;

  class TextEncoder {
    get encoding() {
      return 'utf-8';
    }

    encode(text = '') {
      return kernel.utf8.encode(text);
    }

    encodeInto(text, target) {
      let read = 0;
      let written = 0;
      for (const character of String(text)) {
        const bytes = kernel.utf8.encode(character);
        if (written + bytes.length > target.length) {
          break;
        }
        target.set(bytes, written);
        written += bytes.length;
        read += character.length;
      }
      return { read, written };
    }
  }

  const LABELS = {
    'utf-8': 'utf-8', utf8: 'utf-8', 'unicode-1-1-utf-8': 'utf-8',
    'utf-16le': 'utf-16le', 'utf-16': 'utf-16le', ucs2: 'utf-16le',
    'utf-16be': 'utf-16be',
    'iso-8859-1': 'windows-1252', latin1: 'windows-1252', ascii: 'windows-1252', 'us-ascii': 'windows-1252', 'windows-1252': 'windows-1252',
  };
  // What windows-1252 has where Latin-1 has control characters.
  const CP1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

  const chunked = (bytes, each) => {
    let out = '';
    for (let at = 0; at < bytes.length; at += 8192) {
      out += each(bytes.subarray(at, at + 8192));
    }
    return out;
  };
  kernel.latin1 = (bytes) => chunked(bytes, (part) => String.fromCharCode.apply(null, part));

  const utf16 = (bytes, big) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let out = '';
    let units = [];
    for (let i = 0; i + 1 < bytes.length; i += 2) {
      units.push(view.getUint16(i, !big));
      if (units.length === 8192) {
        out += String.fromCharCode.apply(null, units);
        units = [];
      }
    }
    out += String.fromCharCode.apply(null, units);
    return bytes.length % 2 ? `${out}\ufffd` : out;
  };
  kernel.utf16 = utf16;

  // How many bytes at the end are the beginning of a character.
  const unfinished = (bytes) => {
    for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
      const byte = bytes[bytes.length - back];
      if (byte >= 0xc0) {
        const needs = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
        return needs > back ? back : 0;
      }
      if (byte < 0x80) {
        return 0;
      }
    }
    return 0;
  };

  class TextDecoder {
    #encoding;
    #fatal;
    #ignoreBOM;
    #rest = new Uint8Array(0);
    #begun = false;

    constructor(label = 'utf-8', options = {}) {
      const name = String(label).trim().toLowerCase();
      if (!Object.hasOwn(LABELS, name)) {
        throw new RangeError(`TextDecoder: the encoding '${label}' is not available; there are utf-8, utf-16le, utf-16be and latin1`);
      }
      this.#encoding = LABELS[name];
      this.#fatal = Boolean(options.fatal);
      this.#ignoreBOM = Boolean(options.ignoreBOM);
    }

    get encoding() {
      return this.#encoding;
    }

    get fatal() {
      return this.#fatal;
    }

    get ignoreBOM() {
      return this.#ignoreBOM;
    }

    decode(input, options = {}) {
      let bytes = bytesOf(input, 'TextDecoder.decode');
      if (this.#rest.length > 0) {
        const joined = new Uint8Array(this.#rest.length + bytes.length);
        joined.set(this.#rest);
        joined.set(bytes, this.#rest.length);
        bytes = joined;
        this.#rest = new Uint8Array(0);
      }
      const stream = Boolean(options.stream);
      if (stream) {
        const keep = this.#encoding === 'utf-8' ? unfinished(bytes) : this.#encoding.startsWith('utf-16') ? bytes.length % 2 : 0;
        this.#rest = bytes.slice(bytes.length - keep);
        bytes = bytes.subarray(0, bytes.length - keep);
      }
      let text;
      if (this.#encoding === 'utf-8') {
        text = kernel.utf8.decode(bytes, this.#fatal);
      } else if (this.#encoding === 'windows-1252') {
        text = kernel.latin1(bytes).replace(/[\x80-\x9f]/g, (c) => CP1252[c.charCodeAt(0) - 0x80]);
      } else {
        text = utf16(bytes, this.#encoding === 'utf-16be');
      }
      if (!this.#begun && !this.#ignoreBOM && text.startsWith('\ufeff')) {
        text = text.slice(1);
      }
      this.#begun = stream && (this.#begun || text !== '');
      return text;
    }
  }

  kernel.expose('TextEncoder', TextEncoder);
  kernel.expose('TextDecoder', TextDecoder);
});
