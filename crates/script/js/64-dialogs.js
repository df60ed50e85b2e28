// Dialog, Download, FileChooser, ConsoleMessage, WebError, Worker, WebSocket, and the events that make them.
(function (kernel) {
  'use strict';

  // ---- Dialog ----

  class Dialog {
    constructor(page, event) {
      kernel.hide(this, {
        _page: page, _type: event.type || 'alert', _message: event.message || '', _default: event.default_text || event.default_value || '',
        _done: false,
      });
    }

    type() {
      return this._type;
    }

    message() {
      return this._message;
    }

    defaultValue() {
      return this._default;
    }

    page() {
      return this._page;
    }

    async accept(promptText) {
      const text = promptText === undefined ? (this._type === 'prompt' ? this._default : undefined) : String(promptText);
      await this._answer('accept', text);
    }

    async dismiss() {
      await this._answer('dismiss');
    }

    async _answer(action, text) {
      // It came between two calls and was answered then; the listener can't know, and there is nothing left to do.
      if (this._answered) {
        this._answered = false;
        this._done = true;
        return;
      }
      if (this._done) throw new Error(`Cannot ${action} dialog which is already handled!`);
      this._done = true;
      const args = { tab_id: this._page._tab, action };
      if (text !== undefined) args.text = text;
      await kernel.call('browser_dialog', args);
    }

    toString() {
      return `Dialog ${this._type} ${JSON.stringify(this._message)}`;
    }
  }

  kernel.onEvent('dialog', (event) => {
    const page = kernel.pageOf(event.tab_id);
    if (!page) return;
    const dialog = new Dialog(page, event);
    // An alert that nobody asked to see is acknowledged by the daemon at once; the event only tells of it.
    if (event.handled) dialog._answered = true;
    const heard = [page, page.context()].filter((emitter) => emitter.emit('dialog', dialog));
    if (heard.length || dialog._done || event.handled) return;
    leave(dialog);
  });

  // Without a listener a page must not stand still: its question is answered with no, and leaving a page with yes.
  function leave(dialog) {
    const leaving = dialog._type === 'beforeunload';
    const words = leaving ? 'let the page be left' : `dismissed the ${dialog._type} ${JSON.stringify(dialog._message)}`;
    kernel.print('warn', `${words}: no listener for 'dialog'`);
    const answered = leaving ? dialog.accept() : dialog.dismiss();
    answered.catch((error) => {
      if (error.code !== 'NO_DIALOG') kernel.reportError('the answer to a dialog', error);
    });
  }

  // ---- Download ----

  class Download {
    constructor(page, event) {
      let finish;
      const finished = new Promise((resolve) => {
        finish = resolve;
      });
      kernel.hide(this, {
        _page: page, _id: event.download || event.guid || event.id, _url: event.url || '', _name: event.name || event.suggested_filename || 'download',
        _path: null, _failure: null, _finished: finished, _finish: finish, _over: false, _deleted: false,
      });
    }

    page() {
      return this._page;
    }

    url() {
      return this._url;
    }

    suggestedFilename() {
      return this._name;
    }

    async path() {
      await this._finished;
      if (this._failure !== null) throw new Error(this._failure);
      if (this._deleted) throw new Error('the file of this download was deleted');
      return this._path;
    }

    async saveAs(path) {
      const from = await this.path();
      await kernel.makeParents(path);
      await kernel.copyFile(from, path);
    }

    async failure() {
      await this._finished;
      return this._failure;
    }

    async cancel() {
      if (this._over) return;
      await kernel.call('page_cdp', {
        tab_id: this._page._tab, method: 'Browser.cancelDownload', params: { guid: this._id },
      }).catch((error) => {
        if (!this._over) throw error;
      });
      this._end({ state: 'canceled' });
    }

    async delete() {
      const path = await this.path();
      this._deleted = true;
      await kernel.removeFile(path);
    }

    async createReadStream() {
      throw kernel.notHere('download.createReadStream', 'there are no streams here; read the file: await fs.readFile(await download.path())');
    }

    _end(event) {
      if (this._over) return;
      this._over = true;
      this._path = event.path || null;
      if (event.state !== 'completed') this._failure = event.reason || (event.state === 'canceled' ? 'canceled' : event.state || 'failed');
      this._finish();
    }

    toString() {
      return `Download ${this._name} from ${this._url}`;
    }
  }

  // What can't be had in a scope, with what to do in its place.
  kernel.notHere = (name, why) => Object.assign(new Error(`${name} is not available here: ${why}`), { code: 'NOT_AVAILABLE' });

  const downloads = new Map();

  kernel.onEvent('download', (event) => {
    const id = event.download || event.guid || event.id;
    let download = downloads.get(id);
    if (!download) {
      const page = kernel.pageOf(event.tab_id);
      if (!page) return;
      download = new Download(page, event);
      downloads.set(id, download);
      if (downloads.size > 200) downloads.delete(downloads.keys().next().value);
      if (event.state && event.state !== 'in_progress' && event.state !== 'started') download._end(event);
      page.emit('download', download);
      page.context().emit('download', download);
      return;
    }
    if (event.state && event.state !== 'in_progress' && event.state !== 'started') download._end(event);
  });

  // ---- FileChooser ----

  class FileChooser {
    constructor(page, event) {
      kernel.hide(this, { _page: page, _multiple: Boolean(event.multiple), _frame: event.frame, _handle: event.element || event.handle || null });
    }

    page() {
      return this._page;
    }

    isMultiple() {
      return this._multiple;
    }

    element() {
      return kernel.handleOf(this._page._frame(this._frame) || this._page.mainFrame(), this._handle);
    }

    async setFiles(files, options) {
      await this.element().setInputFiles(files, options);
    }
  }

  kernel.onEvent('filechooser', (event) => {
    const page = kernel.pageOf(event.tab_id);
    if (page) page.emit('filechooser', new FileChooser(page, event));
  });

  // ---- ConsoleMessage and errors of the page ----

  const LEVELS = { warn: 'warning', verbose: 'debug' };

  class ConsoleMessage {
    constructor(page, event) {
      kernel.hide(this, {
        _page: page, _type: LEVELS[event.type || event.level] || event.type || event.level || 'log', _text: event.text ?? null,
        _raw: event.args || [], _args: null, _frame: event.frame, _worker: null, _time: event.time || event.timestamp || kernel.wall(),
        _location: {
          url: event.location?.url ?? event.url ?? '', lineNumber: event.location?.line ?? event.line ?? 0,
          columnNumber: event.location?.column ?? event.column ?? 0,
        },
      });
    }

    type() {
      return this._type;
    }

    text() {
      return this._text ?? this._raw.map((value) => String(value.preview ?? value.value ?? '')).join(' ');
    }

    args() {
      const frame = this._page._frame(this._frame) || this._page.mainFrame();
      this._args ??= this._raw.map((value) => kernel.handleOf(frame, value));
      return this._args;
    }

    location() {
      return { ...this._location };
    }

    page() {
      return this._page;
    }

    timestamp() {
      return this._time;
    }

    worker() {
      return this._worker;
    }

    toString() {
      return this.text();
    }
  }

  kernel.onEvent('console', (event) => {
    const page = kernel.pageOf(event.tab_id);
    if (!page) return;
    const message = new ConsoleMessage(page, event);
    page._remember('console', message);
    page.emit('console', message);
    page.context().emit('console', message);
  });

  class WebError {
    constructor(page, error, at) {
      kernel.hide(this, { _page: page, _error: error, _location: { url: at?.url || '', line: at?.line || 0, column: at?.column || 0 } });
    }

    error() {
      return this._error;
    }

    page() {
      return this._page;
    }

    location() {
      return { ...this._location };
    }
  }

  kernel.onEvent('pageerror', (event) => {
    const page = kernel.pageOf(event.tab_id);
    if (!page) return;
    // Of what a timer of evaluated code throws the browser tells only a line.
    const line = event.stack ? null : /^Uncaught (?:(\w*Error): )?([^]*)$/.exec(event.message || '');
    const error = new Error(line ? line[2] : event.message || '');
    error.name = (line && line[1]) || event.name || (event.stack ? 'Error' : '');
    error.stack = event.stack || (error.name ? `${error.name}: ${error.message}` : '');
    page._remember('errors', error);
    page.emit('pageerror', error);
    page.context().emit('weberror', new WebError(page, error, event.location));
  });

  // ---- Worker ----

  class Worker extends kernel.EventEmitter {
    constructor(page, event) {
      super();
      kernel.hide(this, { _page: page, _id: event.worker || event.id, _url: event.url || '' });
    }

    url() {
      return this._url;
    }

    async evaluate() {
      throw kernel.notHere('worker.evaluate', 'code runs in pages only; let the page post a message to its worker');
    }

    async evaluateHandle() {
      throw kernel.notHere('worker.evaluateHandle', 'code runs in pages only; let the page post a message to its worker');
    }
  }

  kernel.onEvent('worker', (event) => {
    const page = kernel.pageOf(event.tab_id);
    if (!page) return;
    const id = event.worker || event.id;
    if (event.closed || event.state === 'closed' || event.op === 'closed') {
      const worker = page._workers.get(id);
      page._workers.delete(id);
      if (worker) worker.emit('close', worker);
      return;
    }
    const worker = new Worker(page, event);
    page._workers.set(id, worker);
    page.emit('worker', worker);
  });

  // ---- WebSocket ----

  class WebSocket extends kernel.EventEmitter {
    constructor(page, event) {
      super();
      kernel.hide(this, { _page: page, _id: event.socket || event.request, _url: event.url || '', _closed: false });
    }

    url() {
      return this._url;
    }

    isClosed() {
      return this._closed;
    }

    waitForEvent(event, given) {
      const { predicate, timeout } = kernel.waitOptions(given);
      return kernel.waitForEvent({
        emitter: this, event, predicate, timeout: timeout ?? this._page._limit(), title: 'webSocket.waitForEvent', until: [
          ...(event === 'close' ? [] : [{ source: this, name: 'close', error: () => new Error('Socket closed') }]),
          { source: this._page, name: 'close', error: () => kernel.closedError() },
        ],
      });
    }
  }

  kernel.onEvent('websocket', (event) => {
    const page = kernel.pageOf(event.tab_id);
    if (!page) return;
    const id = event.socket || event.request;
    const op = event.op || event.state || event.what;
    if (op === 'created' || op === 'open' || op === undefined) {
      const socket = new WebSocket(page, event);
      page._sockets.set(id, socket);
      page.emit('websocket', socket);
      return;
    }
    const socket = page._sockets.get(id);
    if (!socket) return;
    const payload = () => (event.binary || event.opcode === 2 ? Buffer.from(event.payload_base64 ?? event.payload ?? '', 'base64') : event.payload ?? '');
    if (op === 'sent') socket.emit('framesent', { payload: payload() });
    else if (op === 'received') socket.emit('framereceived', { payload: payload() });
    else if (op === 'error') socket.emit('socketerror', event.message || event.error || '');
    else if (op === 'closed') {
      socket._closed = true;
      page._sockets.delete(id);
      socket.emit('close', socket);
    }
  });

  Object.assign(kernel, { Dialog, Download, FileChooser, ConsoleMessage, WebError, Worker, PageSocket: WebSocket });
  for (const kind of [Dialog, Download, FileChooser, ConsoleMessage, WebError, Worker, WebSocket]) kernel.enumerable(kind);
})
