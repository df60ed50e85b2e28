// The page's half of functions that scripts give to pages: an expression that gives a function of the codec's maker.
//
// It runs in the page's own world, before the page's scripts and again whenever a function is added. The browser gives each
// function under a raw name, which takes one text and answers nothing. Here it becomes one that takes values and gives a
// promise, under the name that the script chose; `settle` is how the answers come.
(function (makeCodec) {
  'use strict';

  const PREFIX = '__truehand_bound__';
  const HOME = '__truehand_bound';

  const known = Object.getOwnPropertyDescriptor(globalThis, HOME);
  if (known) {
    known.value.adopt();
    return;
  }

  const { encode, decode } = makeCodec();
  const { defineProperty } = Object;
  const write = JSON.stringify;
  const waiting = new Map();
  let last = 0;

  // The function that a page sees. A call that can't be told fails at once.
  const given = (tell) => (...args) => new Promise((resolve, reject) => {
    last += 1;
    const n = last;
    waiting.set(n, { resolve, reject });
    try {
      tell(write({ n, a: encode(args) }));
    } catch (error) {
      waiting.delete(n);
      reject(error);
    }
  });

  const adopt = () => {
    for (const raw of Object.getOwnPropertyNames(globalThis)) {
      if (!raw.startsWith(PREFIX)) continue;
      const tell = globalThis[raw];
      delete globalThis[raw];
      const place = { __proto__: null, value: given(tell), writable: true, configurable: true, enumerable: true };
      defineProperty(globalThis, raw.slice(PREFIX.length), place);
    }
  };

  const settle = (n, ok, value) => {
    const call = waiting.get(n);
    if (!call) return;
    waiting.delete(n);
    const result = value === null || value === undefined ? undefined : decode(value, []);
    if (ok) call.resolve(result);
    else call.reject(result);
  };

  defineProperty(globalThis, HOME, { __proto__: null, value: { __proto__: null, adopt, settle } });
  adopt();
})
