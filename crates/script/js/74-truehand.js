// truehand (also called aside): what the product keeps: settings, projects, sessions, routines, channels; and PDF files.
// Each method is a tool call; nothing here decides anything.
(function (kernel) {
  'use strict';

  const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

  // A record with the names that scripts use. Values are as they are kept.
  const record = (value) => Object.fromEntries(Object.entries(value).map(([name, held]) => [camel(name), held]));
  const records = (list) => list.map(record);

  const call = async (tool, args) => (await kernel.call(tool, args)).output;

  // The one argument of most methods, which may be left out and must be an object.
  const options = (given, method) => {
    if (given === undefined || given === null) return {};
    if (typeof given !== 'object' || Array.isArray(given)) throw new TypeError(`truehand.${method} takes one object of options`);
    return given;
  };

  const id = (value, method) => {
    if (typeof value !== 'string' || value === '') throw new TypeError(`truehand.${method} takes an id`);
    return value;
  };

  const known = (given, names, method) => {
    const other = Object.keys(given).find((name) => !names.includes(name));
    if (other !== undefined) throw new TypeError(`truehand.${method} knows no option '${other}'; it takes ${names.join(', ')}`);
    return given;
  };

  const orders = { newest: 'desc', desc: 'desc', oldest: 'asc', asc: 'asc' };
  const order = (value, method) => {
    if (value === undefined) return undefined;
    if (!Object.hasOwn(orders, value)) throw new TypeError(`truehand.${method}: order is 'desc' (newest first) or 'asc'`);
    return orders[value];
  };

  const settings = {
    async get(key) {
      if (typeof key !== 'string') throw new TypeError('truehand.settings.get takes a key; getAll() gives all settings');
      return (await call('settings_get', { key })).value;
    },
    async getAll() {
      return (await call('settings_get', {})).value;
    },
    async set(key, value) {
      if (typeof key !== 'string' || value === undefined) throw new TypeError('truehand.settings.set takes a key and a value; null brings the default back');
      return (await call('settings_set', { key, value })).settings;
    },
  };

  const projects = {
    async list(given) {
      const { archived } = known(options(given, 'projects.list'), ['archived'], 'projects.list');
      return records((await call('project_list', { archived })).projects);
    },
    async get(project) {
      return record(await call('project_get', { id: id(project, 'projects.get') }));
    },
    async create(given) {
      const names = ['name', 'icon', 'color', 'folder', 'instructions'];
      return record(await call('project_create', known(options(given, 'projects.create'), names, 'projects.create')));
    },
    async archive(project) {
      return record(await call('project_archive', { id: id(project, 'projects.archive'), archived: true }));
    },
    async unarchive(project) {
      return record(await call('project_archive', { id: id(project, 'projects.unarchive'), archived: false }));
    },
  };

  const session = (tool, method, args = {}) => async (which) => record(await call(tool, { id: id(which, `sessions.${method}`), ...args }));

  const message = (tool, method) => async (which, text) => {
    if (typeof text !== 'string' || text === '') throw new TypeError(`truehand.sessions.${method} takes an id and a text`);
    return record(await call(tool, { id: id(which, `sessions.${method}`), text }));
  };

  const sessions = {
    async current() {
      return record(await call('session_current', {}));
    },
    async list(given) {
      const names = ['projectId', 'order', 'cursor', 'limit', 'archived', 'kind'];
      const wish = known(options(given, 'sessions.list'), names, 'sessions.list');
      const answer = await call('session_list', { ...wish, order: order(wish.order, 'sessions.list') });
      const listed = records(answer.sessions);
      // Where the next page begins is known to whoever asks, and is not one of the sessions.
      Object.defineProperty(listed, 'nextCursor', { value: answer.next_cursor ?? null });
      return listed;
    },
    get: session('session_get', 'get'),
    async messages(which, given) {
      const wish = known(options(given, 'sessions.messages'), ['limit', 'order'], 'sessions.messages');
      const args = { id: id(which, 'sessions.messages'), limit: wish.limit, order: order(wish.order, 'sessions.messages') };
      return records((await call('session_messages', args)).messages);
    },
    async messageRows(which) {
      return (await call('session_rows', { id: id(which, 'sessions.messageRows') })).rows;
    },
    async childSessions(which, given) {
      const { triggeredBy } = known(options(given, 'sessions.childSessions'), ['triggeredBy'], 'sessions.childSessions');
      return records((await call('session_children', { id: id(which, 'sessions.childSessions'), triggered_by: triggeredBy })).sessions);
    },
    async update(which, given) {
      const names = ['title', 'activeTabTargetId', 'model', 'permissionMode', 'runtimeConfig'];
      const { title, activeTabTargetId, model, permissionMode, runtimeConfig } = known(options(given, 'sessions.update'), names, 'sessions.update');
      const changes = { title, active_tab_target_id: activeTabTargetId, model, permission_mode: permissionMode, runtime_config: runtimeConfig };
      return record(await call('session_update', { id: id(which, 'sessions.update'), ...changes }));
    },
    archive: session('session_archive', 'archive', { archived: true }),
    unarchive: session('session_archive', 'unarchive', { archived: false }),
    markRead: session('session_mark', 'markRead', { read: true }),
    markUnread: session('session_mark', 'markUnread', { read: false }),
    steer: message('session_steer', 'steer'),
    queue: message('session_queue', 'queue'),
    stop: session('session_stop', 'stop'),
    delete: session('session_delete', 'delete'),
  };

  const routines = {
    async list(given) {
      const { projectId, limit } = known(options(given, 'routines.list'), ['projectId', 'limit'], 'routines.list');
      return records((await call('routine_list', { project_id: projectId, limit })).routines);
    },
    async get(routine) {
      return record(await call('routine_get', { id: id(routine, 'routines.get') }));
    },
  };

  const channelArgs = ({ projectId, ...rest }) => ({ project_id: projectId, ...rest });

  const channels = {
    async list() {
      return records((await call('channel_list', {})).channels);
    },
    async create(given) {
      const names = ['kind', 'name', 'projectId', 'owner', 'enabled', 'token'];
      return record(await call('channel_create', channelArgs(known(options(given, 'channels.create'), names, 'channels.create'))));
    },
    async update(given) {
      const names = ['id', 'name', 'projectId', 'owner', 'enabled', 'token'];
      return record(await call('channel_update', channelArgs(known(options(given, 'channels.update'), names, 'channels.update'))));
    },
    async restart(channel) {
      return record(await call('channel_restart', { id: id(channel, 'channels.restart') }));
    },
  };

  // Pages as `[1, 2]`, `'1-3,7'` or one number.
  const pages = (value) => (value === undefined || value === null ? undefined : Array.isArray(value) ? value.join(',') : String(value));

  const pdfCall = async (method, tool, given, names, args) => {
    const wish = known(options(given, `pdf.${method}`), names, `pdf.${method}`);
    return record(await call(tool, args(wish)));
  };

  const pdf = {
    extractText: (given) => pdfCall('extractText', 'pdf_text', given, ['filePath', 'pages'], (wish) => ({ file_path: wish.filePath, pages: pages(wish.pages) })),
    async getFormFields(given) {
      const { fields } = await pdfCall('getFormFields', 'pdf_fields', given, ['filePath'], (wish) => ({ file_path: wish.filePath }));
      return records(fields);
    },
    fillFormFields: (given) => pdfCall('fillFormFields', 'pdf_fill', given, ['filePath', 'fields', 'outputPath'], (wish) => (
      { file_path: wish.filePath, fields: wish.fields, output_path: wish.outputPath })),
    merge: (given) => pdfCall('merge', 'pdf_merge', given, ['files', 'outputPath'], (wish) => ({ files: wish.files, output_path: wish.outputPath })),
    split: (given) => pdfCall('split', 'pdf_split', given, ['filePath', 'ranges', 'outputDir'], (wish) => (
      { file_path: wish.filePath, ranges: wish.ranges?.map(pages), output_dir: wish.outputDir })),
    rotate: (given) => pdfCall('rotate', 'pdf_rotate', given, ['filePath', 'degrees', 'pages', 'outputPath'], (wish) => (
      { file_path: wish.filePath, degrees: wish.degrees, pages: pages(wish.pages), output_path: wish.outputPath })),
    renderPages: (given) => pdfCall('renderPages', 'pdf_render', given, ['filePath', 'pages', 'scale', 'outputDir'], (wish) => ({ file_path: wish.filePath })),
  };

  const truehand = { settings, projects, sessions, routines, channels, pdf };
  for (const [name, part] of Object.entries(truehand)) {
    for (const [method, run] of Object.entries(part)) Object.defineProperty(run, 'name', { value: `${name}.${method}`, configurable: true });
  }

  // ---- help ----

  const TEXTS = {
    settings: `settings: config.toml. get(key), getAll(), set(key, value)
  A key is a section ('tasks') or a value in one ('tasks.keep_s'). set replaces what the key holds, whole, and gives all settings
  as they hold then; null brings the default back. Sections that decide what may be done need a person's yes.
  await truehand.settings.set('effects', { window_ms: 200, cap_ms: 2000 })`,
    projects: `projects: list({ archived }), get(id), create({ name, icon, color, folder, instructions }), archive(id), unarchive(id)
  const project = await truehand.projects.create({ name: 'Tax 2026' })`,
    sessions: `sessions: current(), list({ projectId, order, cursor, limit, archived, kind }), get(id), messages(id, { limit, order }), messageRows(id),
  childSessions(id, { triggeredBy }), update(id, { title, activeTabTargetId, model, permissionMode, runtimeConfig }), archive(id),
  unarchive(id), markRead(id), markUnread(id), steer(id, text), queue(id, text), stop(id), delete(id)
  list gives the newest first, 20 unless limit says more (at most 200); its nextCursor is for the next page. messages are all of
  them, also those that were compacted. steer and queue leave a message: state 'queued' until whoever runs the session takes it.
  What nobody runs is NOT_RUNNING. delete removes the files too and needs a person's yes.
  const [last] = await truehand.sessions.list({ limit: 1 }); console.log(last.title, last.status)`,
    routines: `routines: list({ projectId, limit }), get(id). Only to read: a routine is a file in routines/ of the state folder.
  console.log(await truehand.routines.list())`,
    channels: `channels: list(), create({ kind, name, token, owner, projectId, enabled }), update({ id, ... }), restart(id)
  Tokens are kept apart and never given back. create and update need a person's yes. Nothing connects channels yet.
  console.log(await truehand.channels.list())`,
    pdf: `pdf: extractText({ filePath, pages }), getFormFields({ filePath }), fillFormFields({ filePath, fields, outputPath }), merge({ files, outputPath }),
  split({ filePath, ranges, outputDir }), rotate({ filePath, degrees, pages, outputPath }); renderPages is not possible here (NOT_SUPPORTED).
  Paths are those of fs: below pwd and granted folders. At most 64 MiB and 500 pages.
  await page.pdf({ path: 'artifacts/page.pdf' }); console.log((await truehand.pdf.extractText({ filePath: 'artifacts/page.pdf' })).pages[0].text)`,
  };

  kernel.helpFor ||= new Map();
  for (const [name, part] of Object.entries(truehand)) kernel.helpFor.set(part, () => TEXTS[name]);
  kernel.helpFor.set(truehand, () => `truehand (or aside): what the product keeps. help(truehand.sessions) and so on tell of one part.\n${Object.values(TEXTS).join('\n')}`);

  kernel.expose('truehand', truehand);
  kernel.expose('aside', truehand);
})
