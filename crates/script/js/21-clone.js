// structuredClone: a deep copy of what is data.
(function (kernel) {
  'use strict';

  const ERRORS = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

  const refuse = (value) => {
    const shown = kernel.inspect(value, { depth: 0 });
    throw new DOMException(`${shown} could not be cloned: only data can be, no functions, symbols, promises or weak collections`, 'DataCloneError');
  };

  const bufferOf = (buffer, copies) => {
    if (!copies.has(buffer)) {
      copies.set(buffer, buffer.slice(0));
    }
    return copies.get(buffer);
  };

  const clone = (value, copies) => {
    if (value === null || (typeof value !== 'object' && typeof value !== 'function')) {
      return typeof value === 'symbol' ? refuse(value) : value;
    }
    if (typeof value === 'function') {
      return refuse(value);
    }
    if (copies.has(value)) {
      return copies.get(value);
    }
    const keep = (copy) => {
      copies.set(value, copy);
      return copy;
    };
    if (Array.isArray(value)) {
      const copy = keep(new Array(value.length));
      for (const name of Object.keys(value)) {
        copy[name] = clone(value[name], copies);
      }
      return copy;
    }
    if (value instanceof Date) {
      return keep(new Date(value.getTime()));
    }
    if (value instanceof RegExp) {
      return keep(new RegExp(value.source, value.flags));
    }
    if (value instanceof Map) {
      const copy = keep(new Map());
      for (const [k, v] of [...value]) {
        copy.set(clone(k, copies), clone(v, copies));
      }
      return copy;
    }
    if (value instanceof Set) {
      const copy = keep(new Set());
      for (const v of [...value]) {
        copy.add(clone(v, copies));
      }
      return copy;
    }
    if (value instanceof ArrayBuffer) {
      return bufferOf(value, copies);
    }
    if (value instanceof DataView) {
      return keep(new DataView(bufferOf(value.buffer, copies), value.byteOffset, value.byteLength));
    }
    if (ArrayBuffer.isView(value)) {
      // A Buffer becomes the plain array that it is for others.
      const Kind = kernel.Buffer && value instanceof kernel.Buffer ? Uint8Array : value.constructor;
      return keep(new Kind(bufferOf(value.buffer, copies), value.byteOffset, value.length));
    }
    if (value instanceof Error) {
      const Kind = Object.hasOwn(ERRORS, value.name) ? ERRORS[value.name] : Error;
      const copy = keep(new Kind(value.message));
      for (const name of ['stack', 'cause']) {
        if (Object.hasOwn(value, name)) {
          Object.defineProperty(copy, name, { value: clone(value[name], copies), writable: true, configurable: true, enumerable: false });
        }
      }
      return copy;
    }
    for (const Kind of [Number, String, Boolean, BigInt]) {
      if (value instanceof Kind) {
        return keep(Object(value.valueOf()));
      }
    }
    for (const Kind of [Promise, WeakMap, WeakSet, WeakRef]) {
      if (value instanceof Kind) {
        return refuse(value);
      }
    }
    const copy = keep({});
    for (const name of Object.keys(value)) {
      const cloned = clone(value[name], copies);
      Object.defineProperty(copy, name, { value: cloned, writable: true, enumerable: true, configurable: true });
    }
    return copy;
  };

  kernel.expose('structuredClone', function structuredClone(value, options) {
    const copy = clone(value, new Map());
    for (const buffer of (options && options.transfer) || []) {
      if (!(buffer instanceof ArrayBuffer)) {
        refuse(buffer);
      }
      buffer.transfer();
    }
    return copy;
  });
});
