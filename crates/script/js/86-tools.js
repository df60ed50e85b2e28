// tools: every tool of the product by its name, and the seam for procedures of known sites.
(function (kernel) {
  'use strict';

  // A test keeps this list and the tool table equal.
  const TOOLS = [
    'browser_navigate', 'navigate_page', 'browser_read', 'browser_quick_read', 'browser_find', 'browser_click', 'browser_click_by_text',
    'browser_click_at', 'browser_type', 'browser_fill', 'browser_press', 'browser_select', 'browser_check', 'browser_uncheck',
    'browser_hover', 'browser_drag', 'browser_scroll', 'browser_upload', 'browser_dialog', 'browser_wait_for', 'browser_wait_for_idle',
    'browser_screenshot', 'browser_execute_js', 'browser_back', 'browser_forward', 'browser_reload', 'browser_current_tab',
    'browser_list_tabs', 'browser_new_tab', 'browser_select_tab', 'browser_close_tab', 'browser_tabs', 'browser_resize',
  ];

  // The outcome as a reader wants it: the tool's own fields, its text, and what was measured.
  function plain(outcome) {
    const value = { ...outcome.output };
    for (const name of ['done', 'tab_id', 'text', 'page_effect']) {
      if (outcome[name] !== undefined) value[name] = outcome[name];
    }
    if (outcome.warnings && outcome.warnings.length) value.warnings = outcome.warnings;
    if (outcome.images && outcome.images.length) value.images = outcome.images;
    return value;
  }

  // A tool acts on the current page unless it is told otherwise.
  function withTab(tool, args) {
    if (tool === 'browser_new_tab' || tool === 'browser_list_tabs' || tool === 'browser_tabs') return args;
    const page = kernel.currentPage();
    return page && args.tab_id === undefined ? { tab_id: page._tab, ...args } : args;
  }

  const tools = {};
  for (const tool of TOOLS) {
    const run = async (args = {}) => plain(await kernel.call(tool, withTab(tool, args)));
    const short = tool.replace(/^browser_/, '');
    for (const name of new Set([tool, short])) {
      Object.defineProperty(run, 'name', { value: name, configurable: true });
      tools[name] = run;
    }
  }
  kernel.expose('tools', tools);
  kernel.toolNames = TOOLS;

  // ---- sites ----

  // Sites come with what the host tells of a scope, as data: `{ name, summary, origin, procedures: { search: { summary, inputs } } }`,
  // with inputs by name `{ required, type, summary }`. A procedure runs on the other side of the door, like every tool.
  const RUNNER = 'procedure_run';
  const known = new Map();

  function check(title, inputs, given) {
    if (given === null || typeof given !== 'object') throw new TypeError(`${title} takes one object of inputs`);
    for (const [name, about] of Object.entries(inputs)) {
      const value = given[name];
      if (about.required && (value === undefined || value === null)) {
        throw Object.assign(kernel.coded('MISSING_INPUT', `${title}: the input '${name}' is missing`, `see help(${title})`), { input: name });
      }
      if (value !== undefined && about.type && typeof value !== about.type) {
        throw new TypeError(`${title}: '${name}' must be a ${about.type}, not ${typeof value}`);
      }
    }
    for (const name of Object.keys(given)) {
      if (!Object.hasOwn(inputs, name)) throw new TypeError(`${title} has no input '${name}'; it has: ${Object.keys(inputs).join(', ') || 'none'}`);
    }
  }

  function procedure(site, name, { inputs = {}, summary = '' }) {
    const title = `${site}.${name}`;
    const run = async (given = {}) => {
      check(title, inputs, given);
      try {
        return plain(await kernel.call(RUNNER, { site, procedure: name, inputs: given }));
      } catch (error) {
        // Nobody is signed in: the cookie that says so is named.
        if (error.code === 'SIGNED_OUT' && error.data?.cookie) error.cookie = error.data.cookie;
        throw error;
      }
    };
    Object.defineProperty(run, 'name', { value: title, configurable: true });
    kernel.helpFor.set(run, () => {
      const rows = Object.entries(inputs).map(([input, about]) => `  ${input}${about.required ? '' : '?'}: ${about.type || 'any'}${about.summary ? `  ${about.summary}` : ''}`);
      return [`await ${title}({ ${Object.keys(inputs).join(', ')} })`, summary, ...rows].filter(Boolean).join('\n');
    });
    return run;
  }

  kernel.sites = {
    define({ name, summary = '', origin = '', procedures = {} }) {
      if (!/^[A-Za-z_$][\w$]*$/.test(name) || name in globalThis) throw new Error(`a site can't be called '${name}'`);
      const site = {};
      for (const [key, about] of Object.entries(procedures)) site[key] = procedure(name, key, about);
      kernel.helpFor.set(site, () => [
        `${name}: ${summary || origin || 'a site'}`,
        ...Object.entries(procedures).map(([key, about]) => `  ${name}.${key}({ ${Object.keys(about.inputs || {}).join(', ')} })  ${about.summary || ''}`),
      ].join('\n'));
      known.set(name, summary || origin);
      kernel.expose(name, site);
    },
    names: () => [...known.keys()],
  };

  kernel.onCallStart(() => {
    for (const site of kernel.info.sites || []) {
      if (!known.has(site.name)) kernel.sites.define(site);
    }
  });
})
