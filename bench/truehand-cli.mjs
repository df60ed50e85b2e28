// Truehand's command line as a contestant of the side-by-side bench; see truehand-mcp.mjs.
import path from 'node:path';

const bin = process.env.TRUEHAND_BIN || path.join(import.meta.dirname, '..', 'target', 'release', 'truehand');
export default {
  name: 'truehand-cli', kind: 'cli', runtime: 'native', install: [bin], guide: ['guide'],
  command: (ctx) => ({ cmd: bin, env: { TRUEHAND_HOME: path.join(ctx.home, 'truehand'), TRUEHAND_CHROMIUM: ctx.chrome } }),
  boot: () => [['daemon', 'start']],
  shutdown: () => [['daemon', 'stop']],
  ref: /\[ref=(\w+)\]/,
  ops: {
    navigate: (p) => ['open', p.url], snapshot: () => ['snapshot'], observe: () => ['read', '--diff'],
    click: (p) => ['click', p.ref], type: (p) => ['type', '--json-args', JSON.stringify({ ref: p.ref, text: p.text, slowly: true })], fill: (p) => ['fill', p.ref, p.text],
    press: (p) => ['press', p.key], screenshot: () => ['screenshot'], evaluate: (p) => ['--yes', 'eval', '--json-args', JSON.stringify({ script: p.js, observe_effects: false })],
  },
  parallel: null,
};
