// One poll of a web-first matcher: what is there, and whether it is what was expected.
(function (lib) {
  'use strict';
  if (lib.ready) return;

  const allocOf = (args) => ({ frame: args.frame ?? 0, next: args.next ?? 0 });

  /** Whether a text is what `{ s | re, contains?, ignoreCase?, folded? }` asks for. */
  function fits(received, want) {
    if (received === null || received === undefined) return false;
    if (want.re) {
      const flags = want.re[1].replace(/[gy]/g, '');
      const own = want.ignoreCase === undefined ? flags : want.ignoreCase ? `${flags.replace('i', '')}i` : flags.replace('i', '');
      return new RegExp(want.re[0], own).test(received);
    }
    let text = want.folded ? lib.foldSpace(received) : received;
    let asked = want.folded ? lib.foldSpace(want.s) : want.s;
    if (want.ignoreCase) {
      text = text.toLowerCase();
      asked = asked.toLowerCase();
    }
    return want.contains ? text.includes(asked) : text === asked;
  }

  /** Every wanted text, in order; with `contains` others may stand between them. */
  function listFits(received, wants, contains) {
    if (!contains && received.length !== wants.length) return false;
    let at = 0;
    for (const text of received) if (at < wants.length && fits(text, wants[at])) at++;
    return at === wants.length;
  }

  const textOf = (el, args) => (args.useInnerText ? el.innerText : lib.elementText(el).full);
  const classesOf = (el) => lib.attr(el, 'class') ?? '';
  const hasClasses = (el, wanted) => wanted.trim().split(/\s+/).filter(Boolean).every((name) => el.classList.contains(name));

  const ratioOf = (el) =>
    new Promise((done) => {
      const observer = new IntersectionObserver((entries) => {
        observer.disconnect();
        done(entries[0].intersectionRatio || (entries[0].isIntersecting ? Number.MIN_VALUE : 0));
      });
      observer.observe(el);
      // A page that draws no frames reports nothing: the boxes tell.
      setTimeout(() => {
        observer.disconnect();
        const box = el.getBoundingClientRect();
        const w = Math.max(0, Math.min(box.right, innerWidth) - Math.max(box.left, 0));
        const h = Math.max(0, Math.min(box.bottom, innerHeight) - Math.max(box.top, 0));
        done(box.width * box.height > 0 ? (w * h) / (box.width * box.height) : 0);
      }, 500);
    });

  const state = (name, yes, no) => (el) => {
    const met = lib.scriptState(el, name);
    return { pass: met, received: met ? yes : no };
  };
  const compared = (read) => (el, args) => {
    const received = read(el, args);
    return { pass: fits(received, args.expected), received };
  };

  const MATCHERS = {
    visible: state('visible', 'visible', 'hidden'),
    hidden: state('hidden', 'hidden', 'visible'),
    attached: () => ({ pass: true, received: 'attached' }),
    detached: () => ({ pass: false, received: 'attached' }),
    enabled: state('enabled', 'enabled', 'disabled'),
    disabled: state('disabled', 'disabled', 'enabled'),
    editable: state('editable', 'editable', 'readOnly'),
    readonly: (el) => {
      const met = lib.scriptState(el, 'editable');
      return { pass: !met, received: met ? 'editable' : 'readOnly' };
    },
    checked: (el, args) => {
      if (args.indeterminate) {
        const met = lib.scriptState(el, 'indeterminate');
        return { pass: met, received: met ? 'indeterminate' : lib.scriptState(el, 'checked') ? 'checked' : 'unchecked' };
      }
      const met = lib.scriptState(el, 'checked');
      const mixed = lib.scriptState(el, 'indeterminate');
      return { pass: met === (args.checked ?? true), received: mixed ? 'indeterminate' : met ? 'checked' : 'unchecked' };
    },
    empty: (el) => {
      const empty = lib.matches(el, 'input, textarea') ? el.value === '' : !lib.textContent(el).trim();
      return { pass: empty, received: empty ? 'empty' : 'notEmpty' };
    },
    focused: (el) => {
      const met = lib.focused() === el;
      return { pass: met, received: met ? 'focused' : 'inactive' };
    },
    viewport: async (el, args) => {
      const ratio = await ratioOf(el);
      const met = ratio > 0 && ratio > (args.ratio ?? 0) - 1e-9;
      return { pass: met, received: ratio > 0 ? `viewport ratio ${Number(ratio.toFixed(3))}` : 'outside viewport' };
    },
    text: compared(textOf),
    id: compared((el) => lib.attr(el, 'id') ?? ''),
    role: compared((el) => lib.scriptRole(el) ?? ''),
    name: compared((el) => lib.scriptName(el)),
    description: compared((el) => lib.scriptDescription(el)),
    error_message: compared((el) => lib.scriptErrorMessage(el)),
    attribute: (el, args) => {
      const received = lib.attr(el, args.name);
      if (!args.expected) return { pass: received !== null, received: received === null ? 'not have attribute' : 'have attribute' };
      return { pass: fits(received, args.expected), received };
    },
    css: compared((el, args) => (args.pseudo ? getComputedStyle(el, `::${args.pseudo}`) : getComputedStyle(el)).getPropertyValue(args.name)),
    class: compared((el) => classesOf(el)),
    has_classes: (el, args) => ({ pass: hasClasses(el, args.expected.s), received: classesOf(el) }),
    value: (el, args) => {
      const target = lib.retarget(el, true);
      if (!lib.matches(target, 'input, textarea, select')) throw new lib.Unfit('Not an input element');
      return { pass: fits(target.value, args.expected), received: target.value };
    },
    values: (el, args) => {
      const target = lib.retarget(el, true);
      if (lib.tagOf(target) !== 'select' || !target.multiple) throw new lib.Unfit('Not a select element with a multiple attribute');
      const received = [...target.selectedOptions].map((option) => option.value);
      return { pass: listFits(received, args.list, false), received };
    },
    aria: (el, args) => lib.matchAria(el, args.template),
  };

  /** Answers where nothing was found at all; any other matcher then fails both ways. */
  const WITHOUT = {
    visible: false, hidden: true, attached: false, detached: true, viewport: false,
  };

  const LISTS = {
    count: (list, args) => ({ pass: list.length === args.count, received: list.length }),
    text_list: (list, args) => {
      const received = list.map((el) => textOf(el, args));
      return { pass: listFits(received, args.list, args.contains), received };
    },
    class_list: (list, args) => {
      const received = list.map(classesOf);
      return { pass: listFits(received, args.list, false), received };
    },
    classes_list: (list, args) => {
      const pass = list.length === args.list.length && list.every((el, i) => hasClasses(el, args.list[i].s));
      return { pass, received: list.map(classesOf) };
    },
  };

  async function look(args, alloc) {
    if (args.matcher === 'title') return { status: 'ok', pass: fits(document.title, args.expected), received: document.title };
    if (args.matcher === 'url') return { status: 'ok', pass: fits(location.href, args.expected), received: location.href };
    const list = lib.scriptFind(args, alloc);
    if (Object.hasOwn(LISTS, args.matcher)) return { status: 'ok', count: list.length, ...LISTS[args.matcher](list, args) };
    if (list.length > 1) return lib.tooMany(list, args);
    const [el] = list;
    if (!el || !lib.isConnected(el)) {
      const pass = Object.hasOwn(WITHOUT, args.matcher) ? WITHOUT[args.matcher] : null;
      return { status: 'none', count: 0, pass: pass ?? Boolean(args.is_not), missing: true };
    }
    return { status: 'ok', count: 1, preview: lib.preview(el), ...(await MATCHERS[args.matcher](el, args)) };
  }

  /** Looks again until the matcher is met (or, with `is_not`, is not) or `wait_ms` is over. @param {any} args */
  lib.scriptExpect = (args) => {
    const alloc = allocOf(args);
    return lib.scriptPoll(args, alloc, async () => {
      try {
        const answer = await look(args, alloc);
        if (answer.pass !== undefined && answer.pass === Boolean(args.is_not)) answer.again = true;
        return answer;
      } catch (error) {
        // A thing of the wrong kind may be replaced by one of the right kind.
        if (error instanceof lib.Unfit) return { status: 'unfit', message: error.message, again: true };
        throw error;
      }
    });
  };
})(globalThis.__truehand ??= {});
