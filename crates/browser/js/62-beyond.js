// What changes without any record of the observer: style sheets, media that play or stop, popovers that open.
((lib) => {
  'use strict';
  if (lib.ready) return;

  /** So many sheets are looked at, and so many rules of those that were made by script are read. */
  const SHEETS = 80;
  const RULES = 60;

  /** @type {WeakMap<object, number>} */
  const numbers = new WeakMap();
  let last = 0;
  const numberOf = (/** @type {object} */ sheet) => {
    if (!numbers.has(sheet)) numbers.set(sheet, ++last);
    return numbers.get(sheet);
  };

  /** What the sheets of the page are like: which there are, which are on, and how many rules they have. The walk for roots is dear, so they are handed in. */
  const sheets = (/** @type {any[]} */ roots) => {
    const out = [];
    let rules = RULES;
    const add = (/** @type {CSSStyleSheet} */ sheet, /** @type {boolean} */ made) => {
      if (out.length >= SHEETS) return;
      let text = '';
      try {
        const list = sheet.cssRules;
        text = String(list.length);
        if (made && list.length <= rules) {
          rules -= list.length;
          for (const rule of list) text += rule.cssText;
        }
      } catch {
        // Another site's sheet tells nothing of its rules.
      }
      out.push(`${numberOf(sheet)}:${sheet.disabled}:${sheet.media.mediaText}:${text}`);
    };
    for (const sheet of document.styleSheets) add(sheet, false);
    for (const root of roots) for (const sheet of root.adoptedStyleSheets ?? []) add(sheet, true);
    return out.join('\n');
  };

  const stateOf = (/** @type {HTMLMediaElement} */ el) => `${el.paused}:${el.muted}:${el.volume}:${el.playbackRate}:${el.paused ? el.currentTime : ''}`;
  const isOpen = (/** @type {Element} */ el) => lib.matches(el, ':popover-open');

  /** Sheets as they were when the last window closed, and how often they have changed since while nobody acted. */
  let rested = '';
  let restless = 0;

  /** What is compared when a window ends. */
  lib.beyondNow = () => {
    const roots = lib.roots();
    const now = sheets(roots);
    // Once may be what an action brought late; twice is a page that does so by itself.
    restless = rested === '' || rested === now ? 0 : restless + 1;
    const media = new Map();
    for (const el of document.querySelectorAll('video,audio')) media.set(el, stateOf(/** @type {HTMLMediaElement} */ (el)));
    return { roots, sheets: now, media, popovers: new Map() };
  };

  /** How many of these changed. @param {ReturnType<typeof lib.beyondNow>} was */
  lib.beyondChanged = (was) => {
    let n = 0;
    if (restless < 2 && sheets(was.roots) !== was.sheets) n++;
    for (const [el, state] of was.media) if (lib.isConnected(el) && !el.ended && stateOf(el) !== state) n++;
    for (const [el, open] of was.popovers) if (lib.isConnected(el) && isOpen(el) !== open) n++;
    return n;
  };

  /** Sheets as they are now, at the end of a window. */
  lib.beyondRests = (/** @type {ReturnType<typeof lib.beyondNow> | null} */ was) => {
    rested = was ? sheets(was.roots) : '';
  };

  const onToggle = (/** @type {ToggleEvent} */ event) => {
    const w = lib.observation();
    const el = /** @type {Element} */ (event.target);
    if (w.mode !== 'open' || !lib.hasAttr(el, 'popover')) return;
    // A tip comes with the pointer.
    if (!w.hovering && (lib.attr(el, 'popover') === 'hint' || lib.attr(el, 'role') === 'tooltip')) return;
    if (!w.beyond.popovers.has(el)) w.beyond.popovers.set(el, event.oldState === 'open');
    lib.noteChange();
  };
  const onMedia = () => {
    if (lib.observation().mode === 'open') lib.noteChange();
  };

  /** Called on every arm; adding a listener again does nothing. */
  lib.listenBeyond = () => {
    addEventListener('toggle', onToggle, { capture: true, passive: true });
    for (const type of ['play', 'pause', 'volumechange', 'ratechange', 'seeked']) addEventListener(type, onMedia, { capture: true, passive: true });
  };
})(globalThis.__truehand ??= {});
