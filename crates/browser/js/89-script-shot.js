// Makes a page ready for one picture and puts it back: the caret, animations, a style sheet, masks, labels of references.
//
// What is drawn lies in one element of our own above the page, which is there for the picture only and is no change of the
// page's. Style sheets are adopted, so that no element of the page is touched.
((lib) => {
  'use strict';
  if (lib.ready) return;

  const LABEL = 'position:absolute;font:bold 12px/14px monospace;padding:0 2px;color:#000;background:#ffeb3b;border:1px solid #000;white-space:nowrap';
  const BOX = 'position:absolute;box-sizing:border-box;border:2px solid #e53935';
  const MOST_LABELS = 400;

  /** Elements that were ever drawn on: their coming and going is no change of the page. */
  const glasses = new WeakSet();

  /** Whether a record is only about what was laid over the page for a picture. @param {MutationRecord} record */
  lib.isGlass = (record) => {
    if (record.type !== 'childList') return false;
    const { addedNodes, removedNodes } = record;
    if (addedNodes.length + removedNodes.length === 0) return false;
    for (const node of addedNodes) if (!glasses.has(node)) return false;
    for (const node of removedNodes) if (!glasses.has(node)) return false;
    return true;
  };

  /** What puts the page back. @type {(() => void)[]} */
  let undo = [];

  const twoFrames = () =>
    new Promise((resolve) => {
      const late = setTimeout(resolve, 120);
      requestAnimationFrame(() => requestAnimationFrame(() => (clearTimeout(late), resolve(undefined))));
    });

  /** @param {string} css */
  const style = (css) => {
    for (const root of lib.roots()) {
      if (!('adoptedStyleSheets' in root)) continue;
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
      root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
      undo.push(() => {
        root.adoptedStyleSheets = root.adoptedStyleSheets.filter((other) => other !== sheet);
      });
    }
  };

  /** Finite animations are brought to their end, endless ones to their beginning; these go on afterwards. */
  const freeze = () => {
    const seen = new Set();
    for (const root of lib.roots()) for (const animation of root.getAnimations?.() ?? []) seen.add(animation);
    for (const animation of seen) {
      if (!animation.effect || animation.playbackRate === 0 || animation.playState === 'finished' || animation.playState === 'idle') continue;
      if (animation.effect.getComputedTiming().endTime !== Infinity) {
        try {
          animation.finish();
          continue;
        } catch {
          // One without an end can't be finished; it is held like the endless ones.
        }
      }
      const time = animation.currentTime;
      const running = animation.playState === 'running';
      animation.cancel();
      undo.push(() => {
        if (running) animation.play();
        animation.currentTime = time;
      });
    }
  };

  const glass = () => {
    const pane = document.createElement('truehand-glass');
    glasses.add(pane);
    pane.style.cssText = 'all:initial;position:absolute;left:0;top:0;width:0;height:0;overflow:visible;margin:0;padding:0;border:0;background:none;pointer-events:none;z-index:2147483647';
    const inside = pane.attachShadow({ mode: 'closed' });
    document.documentElement.append(pane);
    undo.push(() => pane.remove());
    // The top layer, above dialogs; where there is none, the highest index has to do.
    try {
      pane.popover = 'manual';
      pane.showPopover();
    } catch {
      pane.style.display = 'block';
    }
    const zero = pane.getBoundingClientRect();
    return (/** @type {string} */ css, /** @type {{x: number, y: number, width: number, height: number}} */ box, text = '') => {
      const piece = pane.cloneNode(false);
      piece.removeAttribute('popover');
      piece.style.cssText = `${css};display:block;left:${box.x - zero.x}px;top:${box.y - zero.y}px${text ? '' : `;width:${box.width}px;height:${box.height}px`}`;
      piece.textContent = text;
      inside.append(piece);
    };
  };

  /** @param {(css: string, box: any, text?: string) => void} draw @param {any} args */
  const label = (draw, args) => {
    const refs = [];
    for (const el of lib.deepQuery('*')) {
      if (!lib.isActionable(el)) continue;
      const number = lib.knownRef(el);
      const box = number === null ? null : lib.rectOf(el);
      if (!box || box.x >= innerWidth || box.y >= innerHeight || box.x + box.width <= 0 || box.y + box.height <= 0) continue;
      if (!lib.isRendered(el) || refs.length >= MOST_LABELS) continue;
      const ref = lib.refText(number, args);
      draw(BOX, box);
      draw(LABEL, { ...box, x: Math.max(0, box.x), y: Math.max(0, box.y) }, ref);
      refs.push({ ref, ...box });
    }
    return refs;
  };

  /** `{caret, animations, style, color, labels, elements}` → `{status, refs}`: everything is as it should be drawn. */
  lib.scriptDress = async (/** @type {any} */ args) => {
    lib.scriptUndress();
    lib.fresh();
    if (args.caret) style('*:not(#truehand-none) { caret-color: transparent !important; }');
    if (args.style) style(args.style);
    if (args.animations) freeze();
    const elements = (args.elements ?? []).filter((/** @type {any} */ el) => el instanceof Element);
    let refs = [];
    if (elements.length || args.labels) {
      const draw = glass();
      for (const el of elements) {
        const box = el.getBoundingClientRect();
        draw(`position:absolute;background:${CSS.supports('color', args.color) ? args.color : '#FF00FF'}`, box);
      }
      if (args.labels) refs = label(draw, args);
    }
    await twoFrames();
    return { status: 'ok', refs };
  };

  /** Puts the page back. */
  lib.scriptUndress = () => {
    const steps = undo.reverse();
    undo = [];
    for (const step of steps) step();
    return { status: 'ok' };
  };
})(globalThis.__truehand ??= {});
