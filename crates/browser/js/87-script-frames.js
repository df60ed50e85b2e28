// What scripts ask of a frame besides selectors: its own name and those of the frames in it, and references to handles.
((lib) => {
  'use strict';
  if (lib.ready) return;

  // A form or a picture called "title" takes the property's place on its document.
  const getTitle = Object.getOwnPropertyDescriptor(Document.prototype, 'title').get;

  /** How the document sees its frame: `{status, name, title, width, height, children}`, the names of child frames by their numbers. */
  lib.scriptFrame = () => {
    const children = {};
    for (const el of lib.deepQuery('iframe,frame,object,embed')) {
      const number = lib.frameNumber(el);
      if (number !== null) children[number] = lib.attr(el, 'name') || lib.attr(el, 'id') || '';
    }
    return { status: 'ok', name: String(window.name), title: getTitle.call(document), width: innerWidth, height: innerHeight, children };
  };

  /** Whether the focus is in this very document, and not in a frame of it. */
  lib.scriptFocused = () => {
    const el = lib.focused();
    return { status: 'ok', focused: el !== null && el !== lib.body() && !lib.matches(el, 'iframe,frame,object,embed') };
  };

  /** A reference to the one element that came by handle: `{status, ref, role, name, description, next}`. */
  lib.scriptRef = (/** @type {any} */ args) => {
    const [el] = args.elements ?? [];
    if (!(el instanceof Element)) return { status: 'wrong_element', next: args.next };
    if (!lib.isConnected(el)) return { status: 'detached', next: args.next };
    const entry = lib.entryOf(el, args);
    return { status: 'ok', ...entry, next: args.next };
  };
})(globalThis.__truehand ??= {});
