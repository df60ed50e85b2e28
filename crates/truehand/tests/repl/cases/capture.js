// Cases of pictures, PDF and coverage.

async function pixels(bytes, points) {
  const seer = await context.newPage();
  try {
    await seer.goto(site.url('/repl/pixels.html'));
    return await seer.evaluate(({ base64, points }) => pixels(base64, points), { base64: Buffer.from(bytes).toString('base64'), points });
  } finally {
    await seer.close();
  }
}
const RED = [255, 0, 0, 255];
const BLUE = [0, 0, 255, 255];
const GREEN = [0, 255, 0, 255];
const WHITE = [255, 255, 255, 255];

//# a picture of the view is a PNG
//@ Page.screenshot
await open('/repl/shot.html');
await page.setViewportSize({ width: 500, height: 400 });
const bytes = await page.screenshot();
ok(Buffer.isBuffer(bytes) && bytes[0] === 0x89 && bytes[1] === 0x50, 'PNG');
same(await pixels(bytes, [[25, 35], [205, 35], [5, 5]]), { width: 500, height: 400, at: [RED, BLUE, WHITE] });

//# the full page, also with a clip
//@ Page.screenshot(fullPage)
await open('/repl/shot.html');
same(await pixels(await page.screenshot({ fullPage: true }), [[5, 2950], [25, 35]]), { width: 500, height: 3000, at: [GREEN, RED] });
same(await pixels(await page.screenshot({ fullPage: true, clip: { x: 0, y: 2890, width: 50, height: 60 } }), [[5, 5], [5, 50]]), { width: 50, height: 60, at: [WHITE, GREEN] });

//# a clip is of the view, also when it is scrolled
//@ Page.screenshot(clip)
await open('/repl/shot.html');
same(await pixels(await page.screenshot({ clip: { x: 10, y: 20, width: 40, height: 30 } }), [[5, 5], [15, 15]]), { width: 40, height: 30, at: [WHITE, RED] });
await page.evaluate(() => scrollTo(0, 2700));
same(await pixels(await page.screenshot({ clip: { x: 0, y: 290, width: 50, height: 50 } }), [[5, 5], [5, 20]]), { width: 50, height: 50, at: [WHITE, GREEN] });
await fails(() => page.screenshot({ clip: { x: 0, y: 0, width: 0, height: 10 } }), /clip\.width not to be 0/);
await fails(() => page.screenshot({ clip: { x: 9000, y: 0, width: 10, height: 10 } }), /outside the resulting image/);

//# kinds, quality and paths
//@ Page.screenshot(type) Page.screenshot(quality) Page.screenshot(path)
await open('/repl/shot.html');
const jpeg = await page.screenshot({ type: 'jpeg', quality: 50 });
ok(jpeg[0] === 0xff && jpeg[1] === 0xd8, 'JPEG');
await page.screenshot({ path: 'artifacts/shots/a.png' });
equal((await fs.readFile('artifacts/shots/a.png'))[0], 0x89);
await page.screenshot({ path: 'artifacts/shots/b.jpg' });
equal((await fs.readFile('artifacts/shots/b.jpg'))[0], 0xff);
await fails(() => page.screenshot({ path: 'artifacts/a.txt' }), /unsupported mime type/);
await fails(() => page.screenshot({ quality: 10 }), /quality is unsupported for the png/);
await fails(() => page.screenshot({ type: 'jpeg', quality: 200 }), /between 0 and 100/);
await fails(() => page.screenshot({ type: 'gif' }), /type: expected one of/);

//# see-through, masks, styles
//@ Page.screenshot(omitBackground) Page.screenshot(mask) Page.screenshot(maskColor) Page.screenshot(style)
await open('/repl/shot.html');
await page.addStyleTag({ content: 'html, body { background: transparent !important }' });
equal((await pixels(await page.screenshot({ omitBackground: true }), [[5, 5]])).at[0][3], 0);
equal((await pixels(await page.screenshot(), [[5, 5]])).at[0][3], 255);
same((await pixels(await page.screenshot({ mask: [page.locator('#red')] }), [[25, 35], [205, 35]])).at, [[255, 0, 255, 255], BLUE]);
same((await pixels(await page.screenshot({ mask: [page.locator('#red')], maskColor: '#00ff00' }), [[25, 35]])).at, [GREEN]);
same((await pixels(await page.screenshot({ style: '#red { background: #0000ff !important }' }), [[25, 35]])).at, [BLUE]);
same((await pixels(await page.screenshot(), [[25, 35]])).at, [RED]);
equal(await page.evaluate(() => document.documentElement.children.length), 2);

//# animations and the caret
//@ Page.screenshot(animations) Page.screenshot(caret)
await show(`<style>body { margin: 0 } @keyframes go { from { background: #ff0000 } to { background: #0000ff } } #a { width: 50px; height: 50px; animation: go 60s linear forwards } </style><div id=a></div><input autofocus>`);
same((await pixels(await page.screenshot({ animations: 'disabled' }), [[10, 10]])).at, [BLUE]);
await page.screenshot({ caret: 'initial' });

//# scale and timeout
//@ Page.screenshot(scale) Page.screenshot(timeout)
await open('/repl/shot.html');
await page.cdp('Emulation.setDeviceMetricsOverride', { width: 500, height: 400, deviceScaleFactor: 2, mobile: false });
// What is set by the protocol stands until it is set anew.
const sized = async (options) => { const { width, height } = await pixels(await page.screenshot(options), []); return [width, height]; };
same(await sized({ scale: 'device' }), [1000, 800]);
same(await sized({ scale: 'css' }), [500, 400]);
same(await sized({}), [1000, 800]);
await page.setViewportSize({ width: 500, height: 400 });

//# a picture of an element
//@ Locator.screenshot
await open('/repl/shot.html');
same(await pixels(await page.locator('#red').screenshot(), [[0, 0], [99, 59]]), { width: 100, height: 60, at: [RED, RED] });
same(await pixels(await page.locator('#deep').screenshot(), [[0, 0], [99, 99]]), { width: 100, height: 100, at: [GREEN, GREEN] });

//# PDF
//@ Page.pdf Page.pdf(format) Page.pdf(path) Page.pdf(margin) Page.pdf(landscape) Page.pdf(width)
await open('/repl/shot.html');
const pdf = await page.pdf({ path: 'artifacts/page.pdf', format: 'A4', margin: { top: '1cm', left: '10px' }, printBackground: true });
equal(pdf.subarray(0, 5).toString(), '%PDF-');
equal((await fs.readFile('artifacts/page.pdf')).length, pdf.length);
// Papers are whole points, rounded up or down.
const near = (got, want) => ok(got.every((n, at) => Math.abs(n - want[at]) <= 1.5), `${got} is near ${want}`);
const box = (bytes) => /\/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)/.exec(bytes.toString('latin1')).slice(1).map(Number);
near(box(pdf), [595, 842]);
near(box(await page.pdf({ format: 'Letter', landscape: true })), [792, 612]);
near(box(await page.pdf({ width: '4in', height: '200px' })), [288, 150]);
await fails(() => page.pdf({ format: 'A99' }), /Unknown paper format: A99/);

//# coverage of scripts and styles
//@ Page.coverage Coverage.startJSCoverage Coverage.stopJSCoverage Coverage.startCSSCoverage Coverage.stopCSSCoverage
await open('/repl/empty.html');
await page.coverage.startJSCoverage();
await page.goto(site.url('/repl/idle.html'));
const scripts = await page.coverage.stopJSCoverage();
ok(scripts.some((s) => s.url === site.url('/repl/idle.html') && s.functions.length), 'scripts');
await page.coverage.startCSSCoverage();
await page.goto(site.url('/repl/traffic.html'));
const sheets = await page.coverage.stopCSSCoverage();
ok(sheets.some((s) => s.text.includes('color: black')), text(sheets));
await fails(() => page.coverage.stopJSCoverage(), /not enabled/);
