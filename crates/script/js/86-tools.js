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

  // A site is an object of procedures: `{ summary, origin, procedures: { search: { summary, inputs, run } } }`.
  // `inputs`: by name `{ required, type, summary }`. `run(inputs)` gives a promise.
  const sites = new Map();

  function missing(site, name, input) {
    return kernel.coded('MISSING_INPUT', `${site}.${name}: the input '${input}' is missing`, `help(${site}.${name})`);
  }

  // The error of a procedure that finds nobody signed in.
  kernel.signedOut = (site, cookie) => {
    const error = kernel.coded('SIGNED_OUT', `${site}: nobody is signed in; the cookie '${cookie}' is missing`, 'sign in at the site in a tab, then call again');
    return Object.assign(error, { cookie });
  };

  function procedure(site, name, spec) {
    const inputs = spec.inputs || {};
    const run = async (given = {}) => {
      if (given === null || typeof given !== 'object') throw new TypeError(`${site}.${name} takes one object of inputs`);
      for (const [input, about] of Object.entries(inputs)) {
        if (about.required && (given[input] === undefined || given[input] === null)) throw missing(site, name, input);
        if (given[input] !== undefined && about.type && typeof given[input] !== about.type) {
          throw new TypeError(`${site}.${name}: '${input}' must be a ${about.type}, not ${typeof given[input]}`);
        }
      }
      for (const input of Object.keys(given)) {
        if (!Object.hasOwn(inputs, input)) throw new TypeError(`${site}.${name} has no input '${input}'; it has: ${Object.keys(inputs).join(', ') || 'none'}`);
      }
      if (spec.cookie) {
        const cookies = await kernel.context.cookies(spec.origin);
        if (!cookies.some((cookie) => cookie.name === spec.cookie && cookie.value !== '')) throw kernel.signedOut(site, spec.cookie);
      }
      return spec.run(given);
    };
    Object.defineProperty(run, 'name', { value: `${site}.${name}`, configurable: true });
    kernel.helpFor?.set(run, () => describe(`${site}.${name}`, spec));
    return run;
  }

  function describe(title, { summary, inputs = {} }) {
    const rows = Object.entries(inputs).map(([name, about]) => `  ${name}${about.required ? '' : '?'}: ${about.type || 'any'}${about.summary ? `  ${about.summary}` : ''}`);
    return [`await ${title}({ ${Object.keys(inputs).join(', ')} })`, summary || '', ...rows].filter(Boolean).join('\n');
  }

  kernel.sites = {
    define(name, spec) {
      if (!/^[A-Za-z_$][\w$]*$/.test(name)) throw new Error(`a site can't be called '${name}'`);
      const site = {};
      for (const [key, about] of Object.entries(spec.procedures)) {
        site[key] = procedure(name, key, { origin: spec.origin, cookie: spec.cookie, ...about });
      }
      kernel.helpFor?.set(site, () => [
        `${name}: ${spec.summary || spec.origin || 'a site'}`,
        ...Object.entries(spec.procedures).map(([key, about]) => `  ${name}.${key}({ ${Object.keys(about.inputs || {}).join(', ')} })  ${about.summary || ''}`),
      ].join('\n'));
      sites.set(name, spec);
      kernel.expose(name, site);
    },
    names: () => [...sites.keys()],
    summary: (name) => sites.get(name)?.summary || '',
  };
})
