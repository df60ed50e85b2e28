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

  /** How the focus moved in a window, and whether that is an effect. @param {{acted: Element | null, focusBefore: Element | null, focusSelector: string}} w */
  lib.focusChange = (w) => {
    const after = lib.focused();
    const moved = after !== w.focusBefore;
    const idle = !after || after === document.body || after === document.documentElement;
    // A press moves the focus to what was pressed, or to the nearest focusable element around it, or away: no effect.
    const ownDoing = idle || (w.acted !== null && (lib.contains(w.acted, after) || lib.contains(after, w.acted)));
    // That the focus is in a child frame says nothing: that frame tells what happened in it.
    const effect = moved && !idle && !lib.matches(after, 'iframe,frame') && (lib.takesText(after) || !ownDoing);
    return { before: w.focusSelector || null, after: idle ? null : lib.selectorOf(after), moved, effect };
  };

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

  // ---------------------------------------------------------------- which element is the field

  const CONTROL = 'input,textarea,select';

  /** The whole of an editor: its paragraphs are part of it. @param {Element} el */
  const editorOf = (el) => {
    let host = el;
    for (let up = lib.parentOf(host); up instanceof HTMLElement && up.isContentEditable; up = lib.parentOf(up)) host = up;
    return host;
  };

  /** The field that a target means: itself, what a label labels, or the only one inside a component. @param {Element} el */
  lib.fieldOf = (el) => {
    if (lib.matches(el, CONTROL)) return el;
    if (el instanceof HTMLElement && el.isContentEditable) return editorOf(el);
    if (el instanceof HTMLLabelElement && el.control) return el.control;
    const found = [];
    const stack = [el];
    for (let seen = 0; stack.length && seen < 500 && found.length < 2; seen++) {
      const node = stack.pop();
      if (node !== el && (lib.matches(node, 'textarea,select') || lib.takesText(node))) {
        found.push(node);
        continue;
      }
      for (const child of lib.childrenOf(node)) if (lib.typeOf(child) === 1) stack.push(child);
    }
    return found.length === 1 ? found[0] : el;
  };

  /** As `lib.resolve`, and knows the target `{kind: "focused"}`. @param {any} target @param {any} alloc */
  lib.find = (target, alloc) => {
    if (target?.kind !== 'focused') return lib.resolve(target, alloc);
    const el = lib.focused();
    return el && lib.takesText(el) ? { el } : { problem: { status: 'none', candidates: [] } };
  };

  /**
   * Resolves the target of a call and answers for it.
   * @param {any} args @param {(el: any, alloc: any) => any} answer
   */
  const onField = (args, answer) => {
    const alloc = { frame: args.frame ?? 0, next: args.next ?? 0 };
    const found = lib.find(args.target, alloc);
    if (found.problem) return { ...found.problem, next: alloc.next };
    const out = answer(lib.fieldOf(found.el), alloc);
    return { ...out, next: alloc.next };
  };

  /** @param {Element} el @param {any} alloc */
  const about = (el, alloc) => ({
    ref: lib.refText(lib.refOf(el, alloc), alloc),
    description: lib.describe(el),
    role: lib.roleOf(el) ?? 'generic',
    name: lib.clean(lib.nameOf(el), 80),
  });

  // ---------------------------------------------------------------- reading

  /** @param {Element} el */
  const kindOf = (el) => {
    const tag = lib.tagOf(el);
    if (tag === 'input') return /** @type {HTMLInputElement} */ (el).type;
    if (tag === 'textarea' && lib.stageOf(el)) return 'editor';
    if (tag === 'textarea' || tag === 'select') return tag;
    return lib.takesText(el) ? 'contenteditable' : 'none';
  };

  /** @param {any} el */
  const valueOf = (el) => {
    const kind = kindOf(el);
    if (kind === 'contenteditable' || kind === 'editor') return lib.editorText(el);
    if (kind === 'none') return lib.valueOf(el);
    return lib.fieldState(el).value;
  };

  /** What an editor's text can't be without losing something: formatting, pictures, chips. */
  const SHAPES = 'b,strong,i,em,u,s,a[href],img,h1,h2,h3,h4,h5,h6,ul,ol,table,pre,code,blockquote,[contenteditable=false]';

  const SECRET_FIELD = /(^|\s)(cc-[a-z-]+|one-time-code|current-password|new-password)(\s|$)/i;

  /** Whether what the field holds must not be shown: passwords, codes, payment cards. @param {any} el */
  lib.holdsSecret = (el) => lib.isSecret(el) || (lib.matches(el, CONTROL) && SECRET_FIELD.test(lib.attr(el, 'autocomplete') ?? ''));

  /** @param {any} args */
  lib.readField = (args) =>
    onField(args, (el) => ({
      status: 'ok',
      kind: kindOf(el),
      value: valueOf(el),
      shape: kindOf(el) === 'contenteditable' ? lib.queryAll(el, SHAPES).length : 0,
      bad: lib.matches(el, 'input') && el.validity.badInput,
      partial: lib.isPartlyDrawn(el),
      secret: lib.holdsSecret(el),
      accept: lib.matches(el, 'input[type=file]') ? lib.attr(el, 'accept') ?? '' : undefined,
      editable: lib.takesText(el) && !lib.matches(el, ':disabled') && !(lib.matches(el, 'input,textarea') && el.readOnly),
    }));

  /** As `readField`, of an editor that draws only what is in view. @param {any} args */
  lib.readWhole = async (args) => {
    const alloc = { frame: args.frame ?? 0, next: args.next ?? 0 };
    const found = lib.find(args.target, alloc);
    if (found.problem) return { ...found.problem, next: alloc.next };
    const el = lib.fieldOf(found.el);
    return { status: 'ok', kind: kindOf(el), ...(await lib.wholeText(el)), secret: lib.holdsSecret(el), next: alloc.next };
  };

  /** Whether the element that has the focus holds a secret. `host`: it may be inside a closed shadow root. @param {any} _args */
  lib.focusSecret = (_args) => {
    const el = lib.focused();
    return { secret: el !== null && lib.holdsSecret(el), frame: el !== null && lib.matches(el, 'iframe,frame,object,embed'), host: el !== null && lib.tagOf(el).includes('-') && !lib.takesText(el) };
  };

  /** @param {any} args */
  lib.fieldEmpty = (args) => onField(args, (el) => ({ status: 'ok', empty: valueOf(el) === '' }));

  // ---------------------------------------------------------------- focus and selection

  /** Selects all that the field holds, or puts the caret at its end. @param {any} el @param {boolean} all */
  const select = (el, all) => {
    if (lib.matches(el, 'input,textarea')) {
      if (all) el.select();
      else {
        try {
          el.setSelectionRange(el.value.length, el.value.length);
        } catch {
          // Number and e-mail inputs have no such thing; the caret of the document can be moved instead.
          getSelection()?.modify('move', 'forward', 'documentboundary');
        }
      }
      return;
    }
    const range = document.createRange();
    range.selectNodeContents(el);
    if (!all) {
      // At the end of the last line, not behind it: editors keep their text in blocks.
      let last = el;
      while (last.lastChild && last.lastChild.nodeType === 1 && lib.tagOf(last.lastChild) !== 'br' && lib.attr(last.lastChild, 'contenteditable') !== 'false') last = last.lastChild;
      range.selectNodeContents(last);
      if (last.lastChild && lib.typeOf(last.lastChild) === 1 && lib.tagOf(last.lastChild) === 'br') range.setEndBefore(last.lastChild);
      range.collapse(false);
    }
    const selection = getSelection();
    selection?.removeAllRanges();
    selection?.addRange(range);
  };

  /** @param {any} el */
  const focus = (el) => {
    if (lib.focused() !== el) lib.asInput(() => el.focus({ preventScroll: true }));
    const has = lib.focused();
    return has !== null && (has === el || lib.contains(el, has));
  };

  /** @param {any} args */
  lib.focusField = (args) =>
    onField(args, (el) => {
      if (!lib.takesText(el) && !args.any) return { status: 'not_editable', why: `it is a ${lib.describe(el)}` };
      if (!focus(el)) return { status: 'no_focus' };
      if (lib.takesText(el)) select(el, args.clear === true);
      return { status: 'ok' };
    });

  /** @param {any} args */
  lib.selectionEnd = (args) =>
    onField(args, (el) => {
      if (!focus(el)) return { status: 'no_focus' };
      select(el, false);
      return { status: 'ok' };
    });

  // ---------------------------------------------------------------- writing by script

  // The prototype's own setters: frameworks put theirs on the element to notice writes that are not the user's.
  const setterOf = (/** @type {object} */ proto, /** @type {string} */ name) => /** @type {PropertyDescriptor} */ (Object.getOwnPropertyDescriptor(proto, name)).set;
  const setInput = setterOf(HTMLInputElement.prototype, 'value');
  const setTextarea = setterOf(HTMLTextAreaElement.prototype, 'value');

  /** @param {any} el @param {string} value */
  const setNative = (el, value) => (lib.tagOf(el) === 'textarea' ? setTextarea : setInput).call(el, value);
  lib.setNative = setNative;

  /** @param {Element} el @param {string | null} data */
  const announce = (el, data) => {
    el.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true, inputType: data === null ? 'insertReplacementText' : 'insertText', data }));
    el.dispatchEvent(new Event('change', { bubbles: true, composed: true }));
  };

  /** @param {any} args */
  lib.setField = (args) =>
    onField(args, (el) => {
      if (!lib.matches(el, 'input,textarea')) return { status: 'wrong_element', kind: kindOf(el) };
      focus(el);
      lib.asInput(() => {
        setNative(el, args.value);
        announce(el, null);
      });
      return { status: 'ok', value: el.value };
    });

  /** Replaces the selection of an editor. @param {Element} el @param {string} text */
  const insert = (el, text) => {
    const lines = text.split('\n');
    lines.forEach((line, i) => {
      if (i > 0) document.execCommand('insertParagraph');
      if (line !== '') document.execCommand('insertText', false, line);
    });
  };

  /** @param {any} args */
  lib.writeSynthetic = (args) =>
    onField(args, (el) => {
      const clear = args.clear !== false;
      if (lib.matches(el, 'input,textarea')) {
        if (!lib.takesText(el)) return { status: 'wrong_element', kind: kindOf(el) };
        focus(el);
        lib.asInput(() => {
          const before = new InputEvent('beforeinput', { bubbles: true, cancelable: true, composed: true, inputType: 'insertText', data: args.text });
          if (!el.dispatchEvent(before)) return;
          setNative(el, clear ? args.text : el.value + args.text);
          announce(el, args.text);
        });
        return { status: 'ok' };
      }
      if (!lib.takesText(el)) return { status: 'not_editable', why: `it is a ${lib.describe(el)}` };
      focus(el);
      select(el, clear);
      lib.asInput(() => {
        if (clear && valueOf(el) !== '') document.execCommand('delete');
        insert(el, args.text);
      });
      return { status: 'ok' };
    });

  /** Puts back what a field held before a write that went wrong. @param {any} args */
  lib.restoreField = (args) =>
    onField(args, (el) => {
      if (lib.matches(el, 'input,textarea')) {
        lib.asInput(() => {
          setNative(el, args.value);
          announce(el, null);
        });
      } else if (lib.takesText(el)) {
        focus(el);
        select(el, true);
        lib.asInput(() => {
          document.execCommand('delete');
          insert(el, args.value);
        });
      } else {
        return { status: 'not_editable', why: `it is a ${lib.describe(el)}` };
      }
      return { status: 'ok', restored: valueOf(el) === args.value };
    });

  // ---------------------------------------------------------------- selects and boxes

  const labelOf = (/** @type {HTMLOptionElement} */ option) => lib.clean(option.label || option.text);

  /** The option meant by a value or a label: equal before equal without case. @param {HTMLOptionElement[]} options @param {string} wanted */
  const optionFor = (options, wanted) => {
    const want = lib.clean(wanted);
    const fold = want.toLowerCase();
    return options.find((option) => option.value === wanted) ?? options.find((option) => labelOf(option) === want)
      ?? options.find((option) => labelOf(option).toLowerCase() === fold || option.value.toLowerCase() === fold);
  };

  /** @param {any} args */
  lib.choose = (args) =>
    onField(args, (el, alloc) => {
      if (!(el instanceof HTMLSelectElement)) return { status: 'wrong_element', kind: lib.roleOf(el) ?? kindOf(el), ...about(el, alloc) };
      if (lib.matches(el, ':disabled')) return { status: 'disabled', why: 'disabled attribute', ...about(el, alloc) };
      const usable = [...el.options].filter((option) => !lib.matches(option, ':disabled'));
      const wanted = el.multiple ? args.values : args.values.slice(0, 1);
      const chosen = wanted.map((/** @type {string} */ value) => optionFor(usable, value));
      if (chosen.includes(undefined) || args.values.length > wanted.length || !args.values.length) {
        const options = [...el.options].slice(0, 100).map((option) => ({ value: option.value, label: lib.clean(option.label || option.text, 80), disabled: lib.matches(option, ':disabled') }));
        return { status: 'no_option', options, ...about(el, alloc) };
      }
      focus(el);
      lib.asInput(() => {
        if (el.multiple) for (const option of el.options) option.selected = chosen.includes(option);
        else chosen[0].selected = true;
        el.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
        el.dispatchEvent(new Event('change', { bubbles: true, composed: true }));
      });
      return { status: 'ok', chosen: [...el.options].filter((option) => chosen.includes(option)).map((option) => option.label || option.text), ...about(el, alloc) };
    });

  const CHECK_ROLES = new Set(['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio', 'option', 'treeitem']);

  /** @param {any} args */
  lib.checkState = (args) =>
    onField(args, (el, alloc) => {
      let box = el;
      if (!lib.matches(box, 'input[type=checkbox],input[type=radio]') && !CHECK_ROLES.has(lib.roleOf(box))) {
        const inside = lib.queryAll(box, 'input[type=checkbox],input[type=radio],[role=checkbox],[role=radio],[role=switch]');
        if (inside.length !== 1) return { status: 'wrong_element', kind: lib.roleOf(el) ?? lib.tagOf(el), ...about(el, alloc) };
        box = inside[0];
      }
      if (lib.matches(box, 'input')) return { status: 'ok', checked: box.checked, kind: box.type, ...about(box, alloc) };
      const role = lib.roleOf(box);
      const state = lib.attr(box, 'aria-checked') ?? lib.attr(box, 'aria-selected');
      if (state === null && role !== 'checkbox' && role !== 'radio' && role !== 'switch') return { status: 'wrong_element', kind: role, ...about(box, alloc) };
      return { status: 'ok', checked: state === 'true', kind: role, ...about(box, alloc) };
    });
})(globalThis.__truehand ??= {});
