// Navigation: what goto, reload, goBack and goForward have in common. The daemon navigates and measures; here the wished
// state is waited for and the response found.
(function (kernel) {
  'use strict';

  // The document came although the tool reports a failure; Playwright gives its response.
  const ARRIVED = new Set(['REQUEST_FAILED', 'AUTH_REQUIRED']);

  const EARLY = new Set(['commit', 'domcontentloaded', 'interactive']);

  const NETWORK = ['request', 'response', 'requestfinished', 'requestfailed'];

  function explain(title, error, url, state) {
    const net = (error.data && error.data.net_error) || (/net::ERR_[A-Z0-9_]+/.exec(error.message || '') || [])[0];
    const log = `\nCall log:\n  - navigating to "${url}", waiting until "${state}"`;
    if (net) error.message = `${title}: ${net} at ${url}${log}`;
    else if (error.code !== 'APPROVAL_REQUIRED' && error.code !== 'POLICY_DENIED') error.message = `${title}: ${error.message}`;
    return error;
  }

  // Runs a tool that loads a document, and waits until it is as far as asked. `response` finds what answered.
  async function load(frame, { title, tool, args, url, options }) {
    const page = frame._page;
    const state = kernel.waitState(options, title.split('.').pop());
    const limit = options.timeout ?? page._navigationLimit();
    const begun = kernel.now();
    kernel.subscribe(...NETWORK);
    const response = page._marks(frame);
    const shown = url || frame._url;
    const committed = watchCommit(page, frame);
    let same = false;
    try {
      await kernel.within(limit, title, async (live) => {
        // The tool ends just after the limit, so that what nobody waits for holds nothing up.
        const limited = limit && tool.startsWith('browser_') ? { ...args, timeout_ms: Math.ceil(limit) + 100 } : args;
        const called = kernel.call(tool, limited).then((outcome) => {
          same = Boolean(outcome.page_effect?.url?.same_document);
        }, (error) => {
          // A dialog holds the load up; whoever answers it lets it go on, or not.
          if (error.code === 'DIALOG_OPEN') return committed.promise;
          if (!ARRIVED.has(error.code)) throw error;
          return undefined;
        });
        // The tool waits for the whole load, which these states come before.
        if (EARLY.has(state)) {
          called.catch(() => undefined);
          same = Boolean(await Promise.race([called, committed.promise])) || same;
        } else {
          await called;
        }
        if (live() && !page.isClosed()) await frame._reach(state, kernel.remaining(limit, begun), title);
      });
    } catch (error) {
      if (error.name === 'TimeoutError') {
        throw kernel.timeoutError(`${title}: Timeout ${limit}ms exceeded.\nCall log:\n  - navigating to "${shown}", waiting until "${state}"`);
      }
      if (page.isClosed()) throw kernel.closedError();
      throw explain(title, error, shown, state);
    } finally {
      committed.stop();
    }
    return same ? null : response();
  }

  function watchCommit(page, frame) {
    let listener;
    const promise = new Promise((resolve) => {
      listener = (event) => {
        // The page that the browser shows in place of one that did not load is no arrival.
        if (event.frame === frame && !event.url.startsWith('chrome-error:')) resolve(event.same_document);
      };
      page.on('_navigated', listener);
    });
    return { promise, stop: () => page.off('_navigated', listener) };
  }

  function addressOf(page, url) {
    if (typeof url !== 'string') throw new TypeError(`goto: url: expected string, got ${typeof url}`);
    const relative = page._baseURL && !/^[a-z][a-z0-9+.-]*:/i.test(url);
    return relative ? new URL(url, page._baseURL).href : url;
  }

  // A `data:` address can't be opened by rule; its document is written into an empty page in its place.
  function dataDocument(url) {
    const parts = /^data:([^,]*?)(;base64)?,([\s\S]*)$/i.exec(url);
    if (!parts) return null;
    const kind = parts[1].split(';')[0].trim().toLowerCase() || 'text/plain';
    const bytes = parts[2] ? Buffer.from(decodeURIComponent(parts[3]), 'base64').toString('utf8') : decodeURIComponent(parts[3].replace(/#.*$/, ''));
    if (kind === 'text/html') return bytes;
    if (kind === 'text/plain') return `<pre>${bytes.replace(/&/g, '&amp;').replace(/</g, '&lt;')}</pre>`;
    return null;
  }

  kernel.navigate = async (frame, given, options = {}) => {
    const page = frame._page;
    const url = addressOf(page, given);
    const title = `${frame._title()}.goto`;
    const document = /^data:/i.test(url) ? dataDocument(url) : null;
    if (document !== null && frame === page.mainFrame()) {
      await load(frame, { title, tool: 'browser_navigate', args: { tab_id: page._tab, url: 'about:blank' }, url: 'about:blank', options });
      await frame.setContent(document, options);
      return null;
    }
    if (frame !== page.mainFrame() || options.referer !== undefined) {
      const params = { url };
      if (options.referer !== undefined) Object.assign(params, { referrer: options.referer, referrerPolicy: 'unsafeUrl' });
      if (frame !== page.mainFrame()) params.frameId = frame._id;
      return load(frame, { title, tool: 'page_cdp', args: { tab_id: page._tab, method: 'Page.navigate', params }, url, options });
    }
    return load(frame, { title, tool: 'browser_navigate', args: { tab_id: page._tab, url }, url, options });
  };

  // Reload, back and forward of a page.
  kernel.travel = async (page, name, tool, options = {}) => {
    try {
      return await load(page.mainFrame(), { title: `page.${name}`, tool, args: { tab_id: page._tab }, url: '', options });
    } catch (error) {
      // With no entry to go to, nothing happens.
      if (name !== 'reload' && error.code === 'NAV_FAILED' && /no page to go/.test(error.message)) return null;
      throw error;
    }
  };
})
