// Truehand's MCP server as a contestant of the side-by-side bench: BENCH_ADAPTERS=<this folder> node run.mjs --only truehand-mcp
// TRUEHAND_BIN names the binary; evaluate needs a person's standing yes, which is given at the start.
import path from 'node:path';

const bin = process.env.TRUEHAND_BIN || path.join(import.meta.dirname, '..', 'target', 'release', 'truehand');
const tab = (p) => (p.tab ? { tab_id: p.tab } : {});
export default {
  name: 'truehand-mcp', kind: 'mcp', runtime: 'native', install: [bin],
  server: (ctx) => ({ cmd: bin, args: ['mcp', '--allow', 'js'], env: { TRUEHAND_HOME: path.join(ctx.home, 'truehand'), TRUEHAND_CHROMIUM: ctx.chrome } }),
  ref: /\[ref=(\w+)\]/,
  ops: {
    navigate: (p) => ['browser_navigate', { ...tab(p), url: p.url }],
    snapshot: (p) => ['browser_read', tab(p)],
    interactive: (p) => ['browser_read', { ...tab(p), interactive: true }],
    observe: (p) => ['browser_read', { ...tab(p), diff: true }],
    click: (p) => ['browser_click', { ...tab(p), ref: p.ref }],
    type: (p) => ['browser_type', { ...tab(p), ref: p.ref, text: p.text, slowly: true }],
    fill: (p) => ['browser_type', { ...tab(p), ref: p.ref, text: p.text }],
    press: (p) => ['browser_press', { ...tab(p), keys: [p.key] }],
    screenshot: (p) => ['browser_screenshot', tab(p)],
    evaluate: (p) => ['browser_execute_js', { ...tab(p), script: p.js, observe_effects: false }],
  },
  variants: ['interactive', 'observe'],
  parallel: { mode: 'tabs', open: (i, url) => ['browser_new_tab', { url }], tab: (text) => text.match(/\bt\d+\b/)[0] },
};
