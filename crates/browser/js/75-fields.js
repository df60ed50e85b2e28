// Fields: what they hold, and writing, clearing, selecting and checking by script.
((lib) => {
  'use strict';
  if (lib.ready) return;

  const getActive = /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(Document.prototype, 'activeElement')).get;
  const NOT_TEXT = /^(button|submit|reset|image|checkbox|radio|file|range|color|hidden)$/;

  /** The element that has the focus, through shadow roots. */
  lib.focused = () => {
    let el = getActive.call(document);
    for (let root = el && lib.shadowOf(el); root?.activeElement; root = lib.shadowOf(el)) el = root.activeElement;
    return el;
  };

  /** Whether typing into the element writes text. @param {Element} el */
  lib.takesText = (el) => {
    const tag = lib.tagOf(el);
    if (tag === 'input') return !NOT_TEXT.test(/** @type {HTMLInputElement} */ (el).type);
    return tag === 'textarea' || (el instanceof HTMLElement && el.isContentEditable);
  };

  // ---------------------------------------------------------------- for the observation

  // These keep their value in the attribute, whose changes are seen as such.
  const BY_ATTRIBUTE = /^(hidden|button|submit|reset|image)$/;

  /** What a form control holds, in the words of a report. @param {Element} el */
  lib.fieldState = (el) => {
    if (el instanceof HTMLSelectElement) return { kind: 'select', value: [...el.selectedOptions].map((option) => option.label || option.text).join(', ') };
    if (el instanceof HTMLTextAreaElement) return { kind: 'value', value: el.value };
    const input = /** @type {HTMLInputElement} */ (el);
    if (input.type === 'checkbox' || input.type === 'radio') return { kind: 'check', value: input.checked ? 'checked' : 'unchecked' };
    if (input.type === 'file') return { kind: 'value', value: [...(input.files ?? [])].map((file) => file.name).join(', ') };
    return { kind: 'value', value: input.value };
  };

  /** The state of at most 500 form controls, the acted one among them. @param {Element | null} acted */
  lib.fieldsNow = (acted) => {
    const fields = new Map();
    const add = (/** @type {Element} */ el) => {
      if (lib.tagOf(el) === 'input' && BY_ATTRIBUTE.test(/** @type {HTMLInputElement} */ (el).type)) return;
      fields.set(el, lib.fieldState(el));
    };
    if (acted && lib.matches(acted, 'input,textarea,select')) add(acted);
    for (const el of lib.deepQuery('input,textarea,select')) {
      if (fields.size >= 500) break;
      add(el);
    }
    return fields;
  };
})(globalThis.__truehand ??= {});
