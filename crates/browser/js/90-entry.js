// The one door for Rust: calls a page function by name and turns a throw into an answer.
(function (lib) {
  'use strict';
  if (lib.ready) return;

  const failed = (error) => ({ status: 'error', message: lib.clean(error && (error.stack || error.message) || error, 600) });

  lib.call = (name, args) => {
    if (typeof name !== 'string' || !Object.hasOwn(lib, name) || typeof lib[name] !== 'function') {
      return { status: 'error', message: `no page function is called ${lib.clean(name, 60)}` };
    }
    lib.fresh();
    try {
      const answer = lib[name](args ?? {});
      return answer instanceof Promise ? answer.catch(failed) : answer;
    } catch (error) {
      return failed(error);
    }
  };

  lib.ready = true;
})(globalThis.__truehand ??= {});
