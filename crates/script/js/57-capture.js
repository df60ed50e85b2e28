// Pictures, PDF and coverage of a page, by the protocol; what a picture needs of the page is put back afterwards.
(function (kernel) {
  'use strict';

  const KINDS = { png: 'png', jpg: 'jpeg', jpeg: 'jpeg', webp: 'webp' };
  const LARGEST = 16_384;

  // An artifact that is not whole must never be handed out as one.
  function invalid(what) {
    const error = new Error(what);
    return Object.assign(error, { name: 'Error', code: 'ARTIFACT_INVALID', next_step: 'take it again' });
  }

  function number(bytes, at) {
    return bytes[at] * 0x1000000 + (bytes[at + 1] << 16) + (bytes[at + 2] << 8) + bytes[at + 3];
  }

  const starts = (bytes, signs) => signs.every((sign, at) => bytes[at] === sign);
  const ends = (bytes, signs) => signs.every((sign, at) => bytes[bytes.length - signs.length + at] === sign);

  // What kind of image the bytes are, and that they are whole.
  kernel.imageKind = (bytes) => {
    if (starts(bytes, [0x89, 0x50, 0x4e, 0x47])) {
      if (!ends(bytes, [0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82])) throw invalid('the picture is cut off: its end is missing');
      return { mime: 'image/png', width: number(bytes, 16), height: number(bytes, 20) };
    }
    if (starts(bytes, [0xff, 0xd8])) {
      if (!ends(bytes, [0xff, 0xd9])) throw invalid('the picture is cut off: its end is missing');
      return { mime: 'image/jpeg' };
    }
    if (starts(bytes, [0x52, 0x49, 0x46, 0x46]) && bytes[8] === 0x57) {
      const size = bytes[4] + (bytes[5] << 8) + (bytes[6] << 16) + bytes[7] * 0x1000000;
      if (bytes.length < size + 8) throw invalid('the picture is cut off: its end is missing');
      return { mime: 'image/webp' };
    }
    if (starts(bytes, [0x47, 0x49, 0x46, 0x38])) return { mime: 'image/gif' };
    throw invalid('the bytes are no picture: neither PNG, JPEG, WebP nor GIF');
  };

  function kindOf(options) {
    const { type, path, quality } = options;
    if (type !== undefined && !['png', 'jpeg', 'webp'].includes(type)) {
      throw new Error(`page.screenshot: type: expected one of (png|jpeg), got ${type}`);
    }
    let kind = type;
    if (!kind && path !== undefined) {
      const ending = String(path).split('.').pop().toLowerCase();
      kind = KINDS[ending];
      if (!kind) throw new Error(`path: unsupported mime type "${kernel.contentType(path)}"`);
    }
    kind ??= 'png';
    if (quality !== undefined) {
      if (kind === 'png') throw new Error(`options.quality is unsupported for the ${kind} screenshots`);
      if (!Number.isInteger(quality)) throw new Error(`Expected options.quality to be an integer`);
      if (quality < 0 || quality > 100) throw new Error(`Expected options.quality to be between 0 and 100 (inclusive), got ${quality}`);
    }
    return kind;
  }

  // The smallest box of whole pixels that holds one of fractions.
  function whole({ x, y, width, height }) {
    const left = Math.floor(x + 1e-3);
    const top = Math.floor(y + 1e-3);
    return { x: left, y: top, width: Math.ceil(x + width - 1e-3) - left, height: Math.ceil(y + height - 1e-3) - top };
  }

  function cut(clip, area) {
    const x = Math.max(clip.x, area.x);
    const y = Math.max(clip.y, area.y);
    const right = Math.min(clip.x + clip.width, area.x + area.width);
    const bottom = Math.min(clip.y + clip.height, area.y + area.height);
    if (right <= x || bottom <= y) throw new Error('Clipped area is either empty or outside the resulting image');
    return { x, y, width: right - x, height: bottom - y };
  }

  async function areaOf(page, options, box) {
    const metrics = await page.cdp('Page.getLayoutMetrics');
    const view = metrics.cssVisualViewport || metrics.visualViewport;
    const content = metrics.cssContentSize || metrics.contentSize;
    const shown = { x: view.pageX, y: view.pageY, width: view.clientWidth, height: view.clientHeight };
    // A locator gives its box in viewport pixels, like every box.
    if (box) return whole({ ...box, x: box.x + view.pageX, y: box.y + view.pageY });
    const { clip, fullPage } = options;
    if (fullPage) {
      const size = { x: 0, y: 0, width: Math.ceil(content.width), height: Math.ceil(content.height) };
      return clip ? cut(clip, size) : size;
    }
    if (!clip) return shown;
    const inView = cut(clip, { x: 0, y: 0, width: shown.width, height: shown.height });
    return { ...inView, x: inView.x + view.pageX, y: inView.y + view.pageY };
  }

  // Takes a picture. `box` is an element's, in viewport pixels, or a function that gives it.
  kernel.shoot = async (page, options = {}, box, title = 'page.screenshot') => {
    const kind = kindOf(options);
    const { clip } = options;
    if (clip) {
      if (options.fullPage && box) throw new Error('options.clip and options.fullPage are exclusive');
      for (const name of ['x', 'y', 'width', 'height']) {
        if (typeof clip[name] !== 'number') throw new Error(`Expected options.clip.${name} to be a number`);
      }
      if (clip.width === 0) throw new Error('Expected options.clip.width not to be 0.');
      if (clip.height === 0) throw new Error('Expected options.clip.height not to be 0.');
    }
    const limit = options.timeout ?? page._limit();
    const bytes = await kernel.within(limit, title, () => take(page, options, kind, box));
    if (options.path !== undefined) await kernel.saveFile(options.path, bytes);
    return bytes;
  };

  async function take(page, options, kind, box) {
    const restore = [];
    try {
      if (!page._owned) await hideBars(page, restore);
      await dress(page, options, restore);
      const area = await areaOf(page, options, typeof box === 'function' ? await box() : box);
      if (area.width < 1 || area.height < 1) throw new Error('Unable to capture screenshot: the area has no size');
      if (area.width > LARGEST || area.height > LARGEST) {
        throw new Error(`Cannot take screenshot larger than ${LARGEST} pixels on any dimension: ${area.width}x${area.height}`);
      }
      if (options.omitBackground && kind !== 'jpeg') {
        restore.push(() => page.cdp('Emulation.setDefaultBackgroundColorOverride', {}));
        await page.cdp('Emulation.setDefaultBackgroundColorOverride', { color: { r: 0, g: 0, b: 0, a: 0 } });
      }
      let scale = 1;
      if (options.scale === 'css') scale = 1 / (await page._main._read(readRatio));
      const params = { format: kind, clip: { ...area, scale }, captureBeyondViewport: Boolean(options.fullPage || box) };
      if (kind !== 'png') params.quality = options.quality ?? 80;
      const { data } = await page.cdp('Page.captureScreenshot', params);
      const bytes = Buffer.from(data, 'base64');
      const image = kernel.imageKind(bytes);
      if (image.width !== undefined && (image.width < 1 || image.height < 1)) throw invalid('the picture has no size');
      return bytes;
    } finally {
      for (const step of restore.reverse()) await step().catch((error) => kernel.reportError('the end of a picture', error));
    }
  }

  // Scrollbars take room from the page. Tabs of the session never have them; a borrowed one has none for the picture.
  async function hideBars(page, restore) {
    const set = (hidden) => page.cdp('Emulation.setScrollbarsHidden', { hidden }).catch(() => undefined);
    await set(true);
    restore.push(() => set(false));
  }

  // Hides the caret, ends animations, draws masks and puts style sheets on, as the options say.
  async function dress(page, options, restore) {
    const spec = {
      caret: options.caret !== 'initial', animations: options.animations === 'disabled',
      style: options.style || '', color: options.maskColor || '#FF00FF', labels: Boolean(options.labels),
    };
    const masks = new Map();
    for (const locator of options.mask || []) {
      const handles = await locator.elementHandles();
      const frame = locator._frame || page._main;
      if (!masks.has(frame)) masks.set(frame, []);
      masks.get(frame).push(...handles);
    }
    for (const frame of page.frames()) {
      const elements = masks.get(frame) || [];
      // Without a caret to hide and without wishes a frame stays as it is.
      if (!spec.caret && !spec.animations && !spec.style && !spec.labels && !elements.length) continue;
      const call = (fn, args) => kernel.call('page_call', {
        ...frame._where(), fn, args, handles: elements.map((handle) => kernel.handleIdOf(handle)),
      });
      const dressed = call('scriptDress', spec).then(() => {
        restore.push(() => call('scriptUndress', {}).catch(() => undefined));
      });
      // A frame that is going, or whose script is not there, is shown as it is, unless something was asked for.
      if (elements.length || spec.style) await dressed;
      else await dressed.catch(() => undefined);
    }
  }

  function readRatio() {
    return window.devicePixelRatio;
  }

  // ---- PDF ----

  const FORMATS = {
    letter: [8.5, 11], legal: [8.5, 14], tabloid: [11, 17], ledger: [17, 11], a0: [33.1, 46.8], a1: [23.4, 33.1],
    a2: [16.54, 23.4], a3: [11.7, 16.54], a4: [8.27, 11.7], a5: [5.83, 8.27], a6: [4.13, 5.83],
  };
  const UNITS = { px: 1, in: 96, cm: 37.8, mm: 3.78 };

  // A length in inches, from pixels or a text with a unit.
  function inches(value, what) {
    if (value === undefined) return undefined;
    if (typeof value === 'number') return value / 96;
    const parts = /^\s*([\d.]+)\s*(px|in|cm|mm)?\s*$/.exec(String(value).toLowerCase());
    if (!parts || Number.isNaN(Number(parts[1]))) throw new Error(`Failed to parse parameter value: ${value} (${what})`);
    return (Number(parts[1]) * UNITS[parts[2] || 'px']) / 96;
  }

  async function pdf(options = {}) {
    const page = this;
    const scale = options.scale ?? 1;
    let [width, height] = FORMATS.letter;
    if (options.format) {
      const size = FORMATS[String(options.format).toLowerCase()];
      if (!size) throw new Error(`Unknown paper format: ${options.format}`);
      [width, height] = size;
    } else {
      width = inches(options.width, 'width') ?? width;
      height = inches(options.height, 'height') ?? height;
    }
    const margin = options.margin || {};
    const result = await page.cdp('Page.printToPDF', {
      landscape: Boolean(options.landscape), displayHeaderFooter: Boolean(options.displayHeaderFooter),
      headerTemplate: options.headerTemplate || '', footerTemplate: options.footerTemplate || '',
      printBackground: Boolean(options.printBackground), scale, paperWidth: width, paperHeight: height,
      marginTop: inches(margin.top, 'margin.top') || 0, marginBottom: inches(margin.bottom, 'margin.bottom') || 0,
      marginLeft: inches(margin.left, 'margin.left') || 0, marginRight: inches(margin.right, 'margin.right') || 0,
      pageRanges: options.pageRanges || '', preferCSSPageSize: Boolean(options.preferCSSPageSize),
      generateTaggedPDF: Boolean(options.tagged), generateDocumentOutline: Boolean(options.outline),
    });
    const bytes = Buffer.from(result.data, 'base64');
    const text = bytes.subarray(Math.max(0, bytes.length - 32)).toString('latin1');
    if (bytes.subarray(0, 5).toString('latin1') !== '%PDF-' || !text.includes('%%EOF')) throw invalid('the PDF is not whole');
    if (options.path !== undefined) await kernel.saveFile(options.path, bytes);
    return bytes;
  }

  // ---- coverage ----

  // The text of a script, where the page still has it: from what it loaded, or, for one in the document, not at all.
  async function sourceOf(page, entry) {
    if (!/^https?:/.test(entry.url)) return {};
    const loaded = page._kept.requests.findLast((request) => request.url() === entry.url && request.resourceType() === 'script');
    if (!loaded || !loaded.existingResponse()) return {};
    try {
      return { source: await loaded.existingResponse().text() };
    } catch (error) {
      if (error.code === 'PAGE_CRASHED' || error.code === 'TAB_CLOSED') throw error;
      return {};
    }
  }

  class Coverage {
    constructor(page) {
      kernel.hide(this, { _page: page, _js: null, _css: null });
    }

    async startJSCoverage(options = {}) {
      if (this._js) throw new Error('JSCoverage is already enabled');
      this._js = options;
      await kernel.subscribe('request', 'response', 'requestfinished', 'requestfailed');
      await this._page.cdp('Profiler.enable');
      await this._page.cdp('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    }

    async stopJSCoverage() {
      if (!this._js) throw new Error('JSCoverage is not enabled');
      const { reportAnonymousScripts = false } = this._js;
      this._js = null;
      const { result } = await this._page.cdp('Profiler.takePreciseCoverage');
      await this._page.cdp('Profiler.stopPreciseCoverage');
      await this._page.cdp('Profiler.disable');
      const entries = result.filter((entry) => reportAnonymousScripts || entry.url);
      return Promise.all(entries.map(async (entry) => ({ ...entry, ...(await sourceOf(this._page, entry)) })));
    }

    async startCSSCoverage() {
      if (this._css) throw new Error('CSSCoverage is already enabled');
      await this._page.cdp('DOM.enable');
      await this._page.cdp('CSS.enable');
      await this._page.cdp('CSS.startRuleUsageTracking');
      this._css = true;
    }

    async stopCSSCoverage() {
      if (!this._css) throw new Error('CSSCoverage is not enabled');
      this._css = null;
      const { ruleUsage } = await this._page.cdp('CSS.stopRuleUsageTracking');
      const sheets = new Map();
      for (const rule of ruleUsage) {
        if (!sheets.has(rule.styleSheetId)) sheets.set(rule.styleSheetId, []);
        if (rule.used) sheets.get(rule.styleSheetId).push({ start: rule.startOffset, end: rule.endOffset });
      }
      const entries = [];
      for (const [id, ranges] of sheets) {
        const { text } = await this._page.cdp('CSS.getStyleSheetText', { styleSheetId: id }).catch(() => ({ text: '' }));
        entries.push({ url: this._page.url(), text, ranges: ranges.sort((a, b) => a.start - b.start) });
      }
      await this._page.cdp('CSS.disable');
      await this._page.cdp('DOM.disable');
      return entries;
    }
  }

  Object.assign(kernel.Page.prototype, {
    async screenshot(options) {
      return kernel.shoot(this, options);
    },
    pdf,
  });
  Object.defineProperty(kernel.Page.prototype, 'coverage', {
    get() {
      if (!this._coverage) kernel.hide(this, { _coverage: new Coverage(this) });
      return this._coverage;
    },
    enumerable: true,
    configurable: true,
  });

  kernel.Coverage = Coverage;
  kernel.enumerable(Coverage);
})
