// Input that was on its way before this document came was meant for the one before it: it is taken here and reaches
// nobody.
(function (lib) {
  'use strict';
  if (lib.ready) return;

  const born = performance.now();
  const kinds = ['pointerdown', 'pointerup', 'mousedown', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu',
    'touchstart', 'touchend', 'keydown', 'keypress', 'keyup'];
  const take = (event) => {
    if (!event.isTrusted || event.timeStamp >= born) return;
    event.stopImmediatePropagation();
    event.preventDefault();
  };
  for (const kind of kinds) globalThis.addEventListener(kind, take, { capture: true, passive: false });
})(globalThis.__truehand ??= {});
