// Waiting for elements: asking the page again until it fits, with the log of what was tried, up to a time limit.
(function (kernel) {
  'use strict';

  /** How long one question may wait in the page, so that the scope stays the one that decides. */
  const CHUNK = 300;
  const PAUSES = [0, 20, 50, 100, 100, 500];

  /** What a tool's refusal means for a script that waits: the line of the log. Other refusals are final. */
  const REFUSALS = {
    DISABLED: () => 'element is not enabled',
    NOT_VISIBLE: () => 'element is not visible',
    OUTSIDE_VIEWPORT: () => 'element is outside of the viewport',
    NOT_EDITABLE: () => 'element is not editable',
    OCCLUDED: (error) => `${(error.data && error.data.occluder && error.data.occluder.description) || 'another element'} intercepts pointer events`,
    REF_STALE: () => 'element was detached from the DOM, retrying',
    REF_UNKNOWN: () => 'element was detached from the DOM, retrying',
    NO_MATCH: () => 'element was detached from the DOM, retrying',
    TAB_BUSY: () => 'another session holds the tab',
  };

  const STATES = {
    not_visible: 'element is not visible', not_enabled: 'element is not enabled', not_editable: 'element is not editable',
    not_stable: 'element is not stable', outside: 'element is outside of the viewport', no_option: 'did not find some options',
    option_not_enabled: 'option being selected is not enabled',
  };
  const stateLine = (answer) => (answer.status === 'covered' ? `${answer.cover} intercepts pointer events` : STATES[answer.status]);

  const WORDS = { visible: 'visible', drawn: 'visible', enabled: 'enabled', editable: 'editable', stable: 'stable', calm: 'stable' };
  function needsLine(needs) {
    const words = needs.map((need) => WORDS[need]).filter(Boolean);
    if (!words.length) return null;
    const last = words.pop();
    return `waiting for element to be ${words.length ? `${words.join(', ')} and ${last}` : last}`;
  }

  /** Failures that no further try makes better. */
  const finals = new WeakSet();

  /** One thing that is tried until a time is over: what was logged, and what is left. */
  class Progress {
    constructor(title, limit) {
      this.title = title;
      this.limit = limit;
      this.begun = kernel.now();
      this.lines = [];
      this.blocks = [];
      this.tries = 0;
      this.shown = null;
      this.verb = null;
    }

    left() {
      return this.limit === 0 ? Infinity : this.limit - (kernel.now() - this.begun);
    }

    log(line) {
      this.lines.push(`  - ${line}`);
    }

    resolved(answer, many) {
      if (!answer.preview || this.shown === answer.preview) return;
      this.shown = answer.preview;
      const count = many && answer.count > 1 ? ` ${answer.count} elements. Proceeding with the first one:` : '';
      const seen = answer.visible === undefined ? '' : answer.visible ? ' visible' : ' hidden';
      this.lines.push(`    - locator resolved to${count}${seen} ${answer.preview}`);
    }

    attempt(verb) {
      if (this.verb) return;
      this.verb = verb;
      this.lines.push(`  - attempting ${verb} action`);
    }

    /** Why a try came to nothing. */
    blocked(lines, times = 1) {
      const block = lines.filter(Boolean);
      const last = this.blocks[this.blocks.length - 1];
      if (last && last.lines.join('\n') === block.join('\n')) last.times += times;
      else this.blocks.push({ lines: block, times });
    }

    callLog() {
      const out = [...this.lines];
      this.blocks.forEach(({ lines, times }, i) => {
        const [first, ...rest] = lines;
        if (first) out.push(times > 1 ? `    ${times} × ${first}` : `    - ${first}`);
        for (const line of rest) out.push(times > 1 ? `      - ${line}` : `    - ${line}`);
        if (this.verb && (times > 1 || i < this.blocks.length - 1)) out.push(`  - retrying ${this.verb} action`);
      });
      return out;
    }

    fail(message, fields = {}) {
      const text = message.startsWith(`${this.title}: `) ? message : `${this.title}: ${message}`;
      const error = kernel.putFields(new Error(`${text}\nCall log:\n${this.callLog().join('\n')}\n`), fields);
      finals.add(error);
      return error;
    }

    timeout() {
      const message = `${this.title}: Timeout ${Math.round(this.limit)}ms exceeded.\nCall log:\n${this.callLog().join('\n')}\n`;
      return kernel.putFields(new kernel.TimeoutError(message), { code: 'TIMEOUT' });
    }

    /** Ends the trying when its time is over. */
    check() {
      if (this.left() <= 0) throw this.timeout();
    }

    async pause() {
      const ms = PAUSES[Math.min(this.tries, PAUSES.length - 1)];
      this.tries += 1;
      if (ms > 0) await kernel.pause(Math.max(1, Math.min(ms, this.left())));
    }
  }

  kernel.progress = (title, limit) => new Progress(title, limit);

  // ---- frames ----------------------------------------------------------------------------------------------------

  const frameById = async (page, id) => {
    let frame = page._frame(id);
    if (!frame) {
      await page._refresh();
      frame = page._frame(id);
    }
    return frame;
  };
  kernel.frameById = frameById;

  /** The frame that the number of a reference such as `f2e5` names. */
  async function frameByNumber(page, number) {
    const { output } = await kernel.call('page_frames', { tab_id: page._tab });
    page._sync(output);
    const found = (output.frames || []).find((entry) => entry.number === number);
    return found ? page._frame(found.frame) : null;
  }

  const refProblem = (progress, part, answer) => {
    const name = `${part.frame_ref ? `f${part.frame_ref}` : ''}e${part.ref}`;
    const known = answer && answer.status === 'stale';
    const code = known ? 'REF_STALE' : 'REF_UNKNOWN';
    const what = known ? `${code}: reference ${name} is of an earlier snapshot and its element is gone or another one now` : `${code}: no snapshot gave the reference ${name}`;
    return progress.fail(what, { code, next_step: 'take a new snapshot(page) and use a reference from it', data: answer && answer.candidates ? { candidates: answer.candidates } : undefined });
  };

  const refOf = (parts) => parts.find((part) => part.ref !== undefined);

  /** Follows the frame steps of a selector: the frame where its rest is looked for. */
  async function enter(spot, progress) {
    let { frame, parts, handles } = spot;
    for (;;) {
      if (parts[0] && parts[0].frame_ref) {
        const child = await frameByNumber(frame._page, parts[0].frame_ref);
        if (!child) throw refProblem(progress, parts[0], null);
        return { ...spot, frame: child, parts: [{ ref: parts[0].ref }, ...parts.slice(1)], handles: undefined };
      }
      const at = parts.findIndex((part) => part.frame);
      if (at < 0) return { ...spot, frame, parts, handles };
      frame = await childFrame({ ...spot, frame, parts: parts.slice(0, at), handles }, progress);
      parts = parts.slice(at + 1);
      handles = undefined;
    }
  }

  async function childFrame(spot, progress) {
    for (;;) {
      progress.check();
      const owner = await seek(spot, progress, { fn: 'scriptLocate', needs: [], many: false });
      try {
        const handle = await elementOf(owner.spot, owner.ref);
        if (handle) {
          const { output } = await kernel.call('page_handle', { tab_id: spot.frame._page._tab, op: 'content_frame', handles: [handle] });
          kernel.dropHandle(spot.frame._page, handle);
          const id = output.results[0].frame;
          const child = id ? await frameById(spot.frame._page, id) : null;
          if (child) return child;
          if (!id) throw progress.fail(`Error: ${owner.preview} is not an <iframe>; its content has no frame`);
        }
      } catch (error) {
        if (!kernel.isPassing(error)) throw error;
      }
      await kernel.pause(20);
    }
  }

  const number = (ref) => Number(/e(\d+)$/.exec(ref)[1]);

  /** The handle of the element that was just given a reference. */
  async function elementOf(spot, ref) {
    const { output } = await kernel.call('page_call', { ...spot.frame._where(), fn: 'scriptQueryOne', args: { parts: [{ ref: number(ref) }] }, returns: 'handle' });
    return output.handle && output.handle.id ? output.handle.id : null;
  }
  kernel.elementOf = elementOf;

  // ---- asking ----------------------------------------------------------------------------------------------------

  /** One question to a page function about what a selector finds. */
  kernel.askOnce = async (spot, fn, args = {}, wait = 0) => {
    const call = { ...spot.frame._where(), fn, args: { ...args, parts: spot.parts, strict: spot.strict, test_id: kernel.testIdAttribute, wait_ms: wait } };
    const handles = [...(spot.handles || []), ...(args.handles || [])];
    if (handles.length) call.handles = handles;
    if (spot.handles) call.args.root = true;
    if (wait > 0) call.timeout_ms = wait;
    delete call.args.handles;
    const { output } = await kernel.call('page_call', call);
    return output.value;
  };

  const strictMessage = (spot, answer) => {
    const lines = answer.list.map(({ preview, aka }, i) => `    ${i + 1}) ${preview} aka ${aka}`);
    if (answer.count > answer.list.length) lines.push('    ...');
    return `Error: strict mode violation: ${spot.text} resolved to ${answer.count} elements:\n${lines.join('\n')}\n`;
  };
  kernel.strictMessage = strictMessage;

  /** Ends the waiting for answers that no waiting makes better. */
  function final(spot, progress, answer) {
    switch (answer.status) {
      case 'strict': return progress.fail(strictMessage(spot, answer), { code: 'AMBIGUOUS', data: { count: answer.count, list: answer.list } });
      case 'bad_selector': return progress.fail(`Error: ${answer.message}`, { code: 'INVALID_ARGUMENTS' });
      case 'error': return progress.fail(`Error: ${answer.message}`);
      case 'unfit': return progress.fail(`Error: ${answer.message}`, { code: 'WRONG_ELEMENT' });
      case 'detached': return spot.handles ? progress.fail('Element is not attached to the DOM') : null;
      case 'stale': case 'unknown_ref': return refProblem(progress, refOf(spot.parts) || { ref: '?' }, answer);
      default: return null;
    }
  }
  kernel.finalAnswer = final;

  const gone = (progress, spot, error) => {
    const { frame } = spot;
    if (frame._page.isClosed()) return progress.fail('Target page, context or browser has been closed', { name: 'TargetClosedError', code: 'TAB_CLOSED' });
    if (frame._gone || (error && error.code === 'FRAME_GONE')) return progress.fail('Frame was detached', { code: 'FRAME_GONE' });
    if (spot.handles && error && error.code === 'HANDLE_GONE') return progress.fail('Element is not attached to the DOM', { code: 'HANDLE_GONE' });
    return null;
  };

  /**
   * Asks a page function until it answers `ok`: with the element's state as an action needs it. `met` may take other
   * answers. The answer has the `spot` where it was found, frame steps followed.
   */
  async function seek(spot, progress, { fn, needs = [], args = {}, met, waiting = needsLine(needs), many = spot.strict === false, verb }) {
    for (let i = 0; ; i += 1) {
      progress.check();
      await kernel.clearWay(spot.frame._page, progress);
      let at = null;
      try {
        at = await enter(spot, progress);
        const wait = Math.max(0, Math.min(CHUNK, progress.left()));
        const answer = await kernel.askOnce(at, fn, { ...args, needs }, Math.floor(wait));
        if (answer.status === 'ok' || (met && met(answer))) {
          progress.resolved(answer, many);
          return { ...answer, spot: at };
        }
        const end = final(at, progress, answer);
        if (end) throw end;
        if (answer.preview) {
          progress.resolved(answer, many);
          if (verb) progress.attempt(verb);
          const line = stateLine(answer);
          if (line) progress.blocked([waiting, line], answer.looks);
        }
      } catch (error) {
        if (!kernel.isPassing(error) && error.code !== 'DIALOG_OPEN') throw error;
        const end = gone(progress, spot, at && at.frame === spot.frame ? error : null);
        if (end) throw end;
        progress.check();
        await kernel.pause(Math.min(50, 5 + i * 10));
      }
    }
  }
  kernel.seek = seek;
  kernel.place = enter;

  const limitOf = (spot, options) => {
    const given = options && options.timeout;
    if (given !== undefined && (typeof given !== 'number' || Number.isNaN(given))) throw new TypeError(`timeout: expected number, got ${typeof given}`);
    return given ?? spot.frame._page._limit();
  };
  kernel.limitOf = limitOf;

  /** Asks once it can be answered; the value that is read. */
  kernel.read = async (spot, name, options, fn, args = {}) => {
    const progress = new Progress(`${spot.title}.${name}`, limitOf(spot, options));
    progress.log(`waiting for ${spot.text}`);
    return seek(spot, progress, { fn, args });
  };

  /**
   * Does something to an element: waits until it is as needed, does it, and waits on where that was refused for a reason
   * that may pass. `run` gets the located element and may be called again.
   */
  kernel.act = async (spot, name, options, { verb, needs, fn = 'scriptLocate', args = {}, run, limit }) => {
    const progress = new Progress(`${spot.title}.${name}`, limit ?? limitOf(spot, options));
    progress.log(`waiting for ${spot.text}`);
    const force = Boolean(options && options.force);
    const wanted = force ? [] : needs;
    for (;;) {
      const found = await seek(spot, progress, { fn, needs: wanted, args, verb });
      progress.attempt(verb);
      try {
        return await run(found, progress);
      } catch (error) {
        if (finals.has(error) || error instanceof kernel.TimeoutError) throw error;
        const line = error && Object.hasOwn(REFUSALS, error.code) ? REFUSALS[error.code](error) : kernel.isPassing(error) && error.code !== 'NAVIGATED_DURING_ACTION' ? 'the document was replaced' : null;
        if (line === null || force) throw kernel.explained(progress, error);
        progress.blocked([needsLine(wanted), line]);
        progress.check();
        await progress.pause();
      }
    }
  };

  /** A tool's failure with what was called in front, and its code. */
  kernel.explained = (progress, error) => {
    if (!(error instanceof Error)) error = kernel.fail(error);
    if (error.message.startsWith(`${progress.title}: `)) return error;
    return kernel.prefixed(progress.title, error, progress.callLog());
  };

  // What a page or a server made of a deed that was done is no failure of the deed: the effect tells it.
  const DONE = new Set(['WRITE_NOT_REFLECTED', 'WRITE_AMPLIFIED', 'REQUEST_FAILED', 'NAVIGATED_DURING_ACTION', 'DROP_REFUSED', 'DOWNLOAD_FAILED']);

  /** Calls a tool that acts. `found` is what it acts on: when it was redrawn on the way, its likeness received the event. */
  kernel.tool = async (frame, tool, args, found) => {
    try {
      return await kernel.call(tool, { tab_id: frame._page._tab, ...args });
    } catch (error) {
      const likeness = error && error.code === 'HIT_OTHER' && found && error.data && error.data.receiver === found.description;
      if (likeness || (error && DONE.has(error.code))) return { output: {}, warnings: [error.message] };
      throw error;
    }
  };
})
