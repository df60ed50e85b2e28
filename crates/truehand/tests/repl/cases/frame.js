// Cases of Frame: its own document, what it has of a page, and its coming and going.

//# frames by name and address, with parents and children
//@ Page.frames Page.mainFrame Page.frame Frame.name Frame.url Frame.parentFrame Frame.childFrames Frame.page Frame.isDetached Frame.title
await open('/repl/frames.html');
const main = page.mainFrame();
const inner = page.frame('inner');
equal(page.frames().length, 2);
equal(inner.name(), 'inner');
equal(inner.url(), site.url('/repl/inner.html'));
ok(inner.parentFrame() === main && main.parentFrame() === null, 'parents');
same(main.childFrames().map((f) => f.name()), ['inner']);
ok(page.frame({ url: '**/inner.html' }) === inner && page.frame({ url: /inner/ }) === inner, 'by address');
equal(page.frame('none'), null);
ok(inner.page() === page, 'its page');
equal(await inner.title(), 'Inner');
await page.evaluate(() => document.getElementById('inner').remove());
await until(() => inner.isDetached());
equal(page.frames().length, 1);

//# a frame evaluates, acts and waits in its own document
//@ Frame.evaluate Frame.locator Frame.click Frame.waitForSelector Frame.frameElement Frame.content Frame.goto Frame.$ Frame.getByText Frame.waitForLoadState Frame.setContent
await open('/repl/frames.html');
const child = page.frame('inner');
equal(await child.evaluate(() => document.title), 'Inner');
await child.click('#b');
equal(await child.locator('#b').textContent(), 'pressed');
equal(await child.getByText('pressed').count(), 1);
await child.waitForSelector('.x');
match(await child.content(), 'one');
const owner = await child.frameElement();
equal(await owner.getAttribute('id'), 'inner');
await child.goto(site.url('/repl/other.html'));
equal(child.url(), site.url('/repl/other.html'));
equal(page.url(), site.url('/repl/frames.html'));
equal(await child.title(), 'Other');

//# events of frames and of the load
//@ Page.on Page.once Page.off Page.removeListener Page.addListener Page.removeAllListeners Page.listenerCount Page.on(load) Page.on(domcontentloaded) Page.on(framenavigated) Page.on(frameattached) Page.on(framedetached)
await open('/repl/empty.html');
const heard = [];
for (const name of ['load', 'domcontentloaded', 'framenavigated', 'frameattached', 'framedetached']) page.on(name, () => heard.push(name));
let once = 0;
page.once('load', () => { once += 1; });
const taken = () => heard.push('taken');
page.addListener('load', taken);
page.removeListener('load', taken);
page.on('load', taken);
page.off('load', taken);
await page.goto(site.url('/repl/frames.html'));
await page.goto(site.url('/repl/other.html'));
for (const name of ['load', 'domcontentloaded', 'framenavigated', 'frameattached', 'framedetached']) ok(heard.includes(name), name);
equal(heard.includes('taken'), false);
equal(once, 1);
ok(page.listenerCount('load') === 1, 'listeners');
page.removeAllListeners();
equal(page.listenerCount('load'), 0);

//# a frame has the methods by selector
//@ Frame.fill Frame.type Frame.press Frame.check Frame.uncheck Frame.setChecked Frame.dblclick Frame.dispatchEvent Frame.hover Frame.focus Frame.tap Frame.selectOption Frame.setInputFiles Frame.dragAndDrop Frame.inputValue Frame.isChecked
await show('<iframe name=f srcdoc="<input id=i><input type=checkbox id=c><select id=s><option>a<option>b</select><input type=file id=u><p id=p ondblclick=&quot;this.title=1&quot;>p</p>"></iframe>');
const inside = await until(() => page.frame('f'));
await inside.waitForSelector('#p');
await inside.fill('#i', 'x');
await inside.focus('#i');
await inside.press('#i', 'End');
await inside.type('#i', 'y');
equal(await inside.inputValue('#i'), 'xy');
await inside.check('#c');
await inside.uncheck('#c');
await inside.setChecked('#c', true);
equal(await inside.isChecked('#c'), true);
await inside.dblclick('#p');
equal(await inside.getAttribute('#p', 'title'), '1');
await inside.hover('#p');
await inside.tap('#p');
await inside.dispatchEvent('#p', 'mine');
same(await inside.selectOption('#s', 'b'), ['b']);
await inside.setInputFiles('#u', { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('a') });
ok(inside.dragAndDrop, 'dragging');

//# a frame has the readings and the locators
//@ Frame.getAttribute Frame.innerHTML Frame.innerText Frame.textContent Frame.isVisible Frame.isHidden Frame.isEnabled Frame.isDisabled Frame.isEditable Frame.getByRole Frame.getByLabel Frame.getByPlaceholder Frame.getByAltText Frame.getByTitle Frame.getByTestId Frame.frameLocator Frame.$$ Frame.$eval Frame.$$eval Frame.evaluateHandle
await show(`<iframe name=f srcdoc="<p id=p title=t>a <b>b</b></p><label>Name <input placeholder=ph></label><img alt=pic><i data-testid=tid>i</i><button>B</button><iframe srcdoc='<u>u</u>'></iframe>"></iframe>`);
const reading = await until(() => page.frame('f'));
await reading.waitForSelector('button');
same([await reading.innerHTML('#p'), await reading.innerText('#p'), await reading.textContent('#p'), await reading.getAttribute('#p', 'title')], ['a <b>b</b>', 'a b', 'a b', 't']);
same([await reading.isVisible('#p'), await reading.isHidden('#p'), await reading.isEnabled('button'), await reading.isDisabled('button'), await reading.isEditable('input')], [true, false, true, false, true]);
for (const locator of [reading.getByRole('button'), reading.getByLabel('Name'), reading.getByPlaceholder('ph'), reading.getByAltText('pic'), reading.getByTitle('t'), reading.getByTestId('tid')]) equal(await locator.count(), 1, String(locator));
equal(await reading.frameLocator('iframe').locator('u').textContent(), 'u');
equal((await reading.$$('b')).length, 1);
equal(await reading.$eval('b', (el) => el.textContent), 'b');
equal(await reading.$$eval('b, i', (list) => list.length), 2);
equal(await (await reading.evaluateHandle(() => document.title)).jsonValue(), '');

//# a frame waits and gets scripts and styles
//@ Frame.waitForFunction Frame.waitForNavigation Frame.waitForTimeout Frame.waitForURL Frame.addScriptTag Frame.addStyleTag
await open('/repl/frames.html');
const waiting = page.frame('inner');
await waiting.waitForFunction(() => document.title === 'Inner');
await waiting.addScriptTag({ content: 'window.tagged = 1' });
equal(await waiting.evaluate(() => window.tagged), 1);
await waiting.addStyleTag({ content: 'p { color: rgb(9, 9, 9) }' });
equal(await waiting.$eval('p', (el) => getComputedStyle(el).color), 'rgb(9, 9, 9)');
const [went] = await Promise.all([waiting.waitForNavigation(), waiting.evaluate(() => { location.href = '/repl/other.html'; })]);
equal(went.status(), 200);
await waiting.waitForURL('**/other.html');
await waiting.waitForTimeout(10);
