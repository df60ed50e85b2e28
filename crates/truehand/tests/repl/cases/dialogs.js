// Cases of Dialog, Download, FileChooser, ConsoleMessage, errors of pages, Worker.

//# a dialog is told and accepted
//@ Page.on(dialog) Dialog.type Dialog.message Dialog.accept Dialog.page
await show('<p>x</p>');
const told = [];
page.on('dialog', async (dialog) => {
  told.push([dialog.type(), dialog.message(), dialog.defaultValue()]);
  ok(dialog.page() === page, 'its page');
  await dialog.accept();
});
equal(await page.evaluate(() => confirm('sure?')), true);
await page.evaluate(() => alert('hello'));
same(told, [['confirm', 'sure?', ''], ['alert', 'hello', '']]);

//# a prompt gets its text, or its own
//@ Dialog.accept Dialog.defaultValue
await show('<p>x</p>');
page.once('dialog', (dialog) => dialog.accept('answer'));
equal(await page.evaluate(() => prompt('name?', 'none')), 'answer');
page.once('dialog', (dialog) => { equal(dialog.defaultValue(), 'none'); return dialog.accept(); });
equal(await page.evaluate(() => prompt('name?', 'none')), 'none');

//# a dialog is dismissed, and only once answered
//@ Dialog.dismiss
await show('<p>x</p>');
let second = null;
page.once('dialog', async (dialog) => {
  await dialog.dismiss();
  second = await dialog.accept().catch((e) => e.message);
});
equal(await page.evaluate(() => prompt('name?')), null);
match(await until(() => second), /already handled/);

//# without a listener dialogs are dismissed
//@ Page.on(dialog)
await show('<button id=b onclick="document.title = String(confirm(\'q\'))">ask</button>');
equal(await page.evaluate(() => confirm('sure?')), false);
equal(await page.evaluate(() => prompt('name?', 'x')), null);
await page.click('#b');
await until(async () => (await page.title()) === 'false');

//# a click that opens a dialog goes on when it is answered
//@ Page.on(dialog)
await show('<button id=b onclick="document.title = String(confirm(\'q\'))">ask</button>');
page.on('dialog', (dialog) => dialog.accept());
await page.click('#b');
equal(await page.title(), 'true');

//# waitForEvent gets a dialog
//@ Page.waitForEvent
await show('<p>x</p>');
const coming = page.waitForEvent('dialog');
const answer = page.evaluate(() => confirm('now?'));
const dialog = await coming;
equal(dialog.message(), 'now?');
await dialog.accept();
equal(await answer, true);

//# leaving a page that objects
//@ Page.close
const leaving = await context.newPage();
await leaving.goto(site.url('/repl/empty.html'));
await leaving.setContent('<button onclick="window.onbeforeunload = () => \'no\'">b</button>');
await leaving.click('button');
await leaving.goto(site.url('/repl/other.html'));
equal(leaving.url(), site.url('/repl/other.html'));
await leaving.close();

//# a download has a name, a path and bytes
//@ Page.on(download) Download.suggestedFilename Download.path Download.saveAs Download.url Download.failure Download.page Download.delete
await open('/repl/download.html');
const [download] = await Promise.all([page.waitForEvent('download'), page.click('#get')]);
equal(download.suggestedFilename(), 'report 2026.csv');
equal(download.url(), site.url('/dl'));
ok(download.page() === page, 'its page');
const path_ = await download.path();
equal((await fs.readFile(path_)).toString(), 'a,b\n1,2\n');
await download.saveAs('artifacts/deep/copy.csv');
equal((await fs.readFile('artifacts/deep/copy.csv')).toString(), 'a,b\n1,2\n');
equal(await download.failure(), null);

//# a download that breaks off says so
//@ Download.failure
await open('/repl/download.html');
const [broken] = await Promise.all([page.waitForEvent('download'), page.click('#broken')]);
ok(await broken.failure(), 'a reason');
await fails(() => broken.path(), /./);

//# a download is cancelled
//@ Download.cancel
await open('/repl/download.html');
const [drip] = await Promise.all([page.waitForEvent('download'), page.click('#drip')]);
await drip.cancel();
equal(await drip.failure(), 'canceled');

//# a file chooser takes files
//@ Page.on(filechooser) FileChooser.setFiles FileChooser.isMultiple FileChooser.element FileChooser.page
await show('<input type=file id=one><input type=file multiple id=many>');
await fs.writeFile('artifacts/up.txt', 'up');
const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.click('#one')]);
equal(chooser.isMultiple(), false);
ok(chooser.page() === page, 'its page');
equal(await chooser.element().getAttribute('id'), 'one');
await chooser.setFiles('artifacts/up.txt');
same(await page.evaluate(() => [...document.getElementById('one').files].map((f) => [f.name, f.size])), [['up.txt', 2]]);
const [several] = await Promise.all([page.waitForEvent('filechooser'), page.click('#many')]);
equal(several.isMultiple(), true);
await several.setFiles([{ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('abc') }, 'artifacts/up.txt']);
same(await page.evaluate(() => [...document.getElementById('many').files].map((f) => f.name)), ['a.txt', 'up.txt']);

//# console messages have type, text, values and place
//@ Page.on(console) ConsoleMessage.type ConsoleMessage.text ConsoleMessage.args ConsoleMessage.location ConsoleMessage.page
await open('/repl/empty.html');
const messages = [];
page.on('console', (message) => messages.push(message));
await page.evaluate(() => { console.log('hello', 5, { a: 1 }); console.warn('careful'); console.error('bad'); console.info('fyi'); console.debug('low'); });
same(messages.map((m) => m.type()), ['log', 'warning', 'error', 'info', 'debug']);
equal(messages[0].text(), 'hello 5 {a: 1}');
const values = messages[0].args();
equal(values.length, 3);
same(await values[2].jsonValue(), { a: 1 });
equal(await values[1].jsonValue(), 5);
ok(messages[0].page() === page, 'its page');
ok(typeof messages[0].location().lineNumber === 'number', 'a place');

//# errors of the page
//@ Page.on(pageerror) BrowserContext.on(weberror) WebError.error WebError.page
await open('/repl/empty.html');
const errors_ = [];
const web = [];
const hear = (e) => web.push(e);
page.on('pageerror', (error) => errors_.push(error));
context.on('weberror', hear);
await page.evaluate(() => { setTimeout(() => { throw new TypeError('mine'); }, 0); });
await until(() => errors_.length);
equal(errors_[0].name, 'TypeError');
equal(errors_[0].message, 'mine');
ok(web[0].page() === page && web[0].error().message === 'mine', 'for the context');
context.off('weberror', hear);

//# workers are told of
//@ Page.on(worker) Page.workers Worker.url
await open('/repl/empty.html');
const [worker] = await Promise.all([page.waitForEvent('worker'), page.evaluate(() => { window.w = new Worker('/repl/worker.js'); })]);
equal(worker.url(), site.url('/repl/worker.js'));
equal(page.workers().length, 1);
await fails(() => worker.evaluate(() => 1), /not available here/);
await page.evaluate(() => window.w.terminate());
await until(() => page.workers().length === 0);

//# small print
//@ ConsoleMessage.timestamp ConsoleMessage.worker WebError.location Worker.on(close)
await open('/repl/empty.html');
const [message] = await Promise.all([page.waitForEvent('console'), page.evaluate(() => console.log('x'))]);
ok(message.timestamp() > 1e12, 'milliseconds');
equal(message.worker(), null);
const [bad] = await Promise.all([context.waitForEvent('weberror'), page.evaluate(() => { setTimeout(() => { throw new Error('x'); }); })]);
equal(typeof bad.location().line, 'number');
const [worker_] = await Promise.all([page.waitForEvent('worker'), page.evaluate(() => { window.w2 = new Worker('/repl/worker.js'); })]);
const ended = new Promise((resolve) => worker_.on('close', resolve));
await page.evaluate(() => window.w2.terminate());
await ended;
