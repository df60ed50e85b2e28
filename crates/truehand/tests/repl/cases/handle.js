// Cases of JSHandle and ElementHandle, and of values that cross between a page and the scope.

//# values of all kinds go in and come back
//@ Page.evaluate Page.evaluate(arg)
await open('/repl/empty.html');
const values = [undefined, null, true, NaN, Infinity, -Infinity, -0, 1.5, 'text', 12n, new Date(7), /a"b/gi, [1, [2]], { a: { b: 1 } }, new Map([['k', { v: 1 }]]), new Set([1, 'x'])];
for (const value of values) {
  const back = await page.evaluate((x) => x, value);
  expect(back).toEqual(value);
  ok(typeof value !== 'number' || Object.is(back, value), `sign of ${value}`);
}
equal(await page.evaluate((x) => Object.is(x, -0), -0), true);
equal(await page.evaluate((d) => d instanceof Date && d.getTime(), new Date(9)), 9);
equal(await page.evaluate((u) => u instanceof URL && u.host, new URL('http://a.test/x')), 'a.test');
same(Array.from(await page.evaluate((t) => t.map((n) => n * 2), new Uint8Array([1, 2, 200]))), [2, 4, 144]);
equal((await page.evaluate(() => new Float64Array([1.5])))[0], 1.5);
const loop = { name: 'x' };
loop.self = loop;
const looped = await page.evaluate((o) => { o.seen = o.self === o; return o; }, loop);
equal(looped.self, looped);
equal(looped.seen, true);
const error = await page.evaluate((e) => new TypeError(`${e.message}!`), new Error('given'));
ok(error instanceof Error);
equal(error.name, 'TypeError');
equal(error.message, 'given!');
same(await page.evaluate(() => ({ f: () => 1, s: Symbol('x'), u: undefined })), { f: undefined, s: undefined, u: undefined });
same(await page.evaluate('[window, document, document.body]'), ['ref: <Window>', 'ref: <Document>', 'ref: <Node>']);
same(await page.evaluate(() => ({ toJSON: () => 'no', data: 1 })), { toJSON: {}, data: 1 });
equal((await page.evaluate(() => document.body.getBoundingClientRect())).x, 8);
await fails(page.evaluate((f) => f, () => 1), /Attempting to serialize unexpected value: \(\) => 1/);
await fails(page.evaluate((o) => o, { a: { b: () => 1 } }), /at position "a\.b"|position "\[0\]\.a\.b"/);

//# a page that breaks built-ins is still read, and its values run nothing here
//@ Page.evaluate
await open('/repl/empty.html');
await page.evaluate(() => { Array.prototype.toJSON = () => 'bad'; Object.prototype.toJSON = () => 'bad'; Array.prototype.push = () => { throw new Error('push'); }; window.Promise = null; JSON.stringify = () => 'bad'; });
same(await page.evaluate(() => [1, { a: [2] }]), [1, { a: [2] }]);
const tricky = await page.evaluate(() => JSON.parse('{"__proto__":{"polluted":1},"then":5,"constructor":{"x":1}}'));
equal(Object.getPrototypeOf(tricky), Object.prototype);
equal({}.polluted, undefined);
same(Object.keys(tricky).sort(), ['__proto__', 'constructor', 'then']);
await open('/repl/empty.html');

//# functions of all forms run in the page
//@ Page.evaluate
const forms = {
  sum(a) { return a + 1; },
  async later(a) { return a + 2; },
  arrow: (a) => a + 3,
  classic: function (a) { return a + 4; },
  'two words'(a) { return a + 5; },
};
same([await page.evaluate(forms.sum, 1), await page.evaluate(forms.later, 1), await page.evaluate(forms.arrow, 1), await page.evaluate(forms.classic, 1), await page.evaluate(forms['two words'], 1)], [2, 3, 4, 5, 6]);
equal(await page.evaluate('1 + 2'), 3);
equal(await page.evaluate('(a) => a * 2', 4), 8);
equal(await page.evaluate('let z = 5; z * 2;'), 10);
equal(await page.evaluate(async () => { await new Promise((r) => setTimeout(r, 20)); return 'late'; }), 'late');
equal(await page.evaluate(() => undefined), undefined);
const thrown = await fails(page.evaluate(() => notThere.x), /page\.evaluate: ReferenceError: notThere is not defined/);
await fails(page.evaluate('1 +'), /SyntaxError/);
await fails(page.evaluate(() => Promise.reject(new Error('later'))), /Error: later/);
await fails(page.evaluate((a, b) => a, 1, 2), /Too many arguments\. If you need to pass more than 1 argument to the function wrap them in an object\./);

//# handles of objects
//@ Page.evaluateHandle JSHandle.evaluate JSHandle.evaluateHandle JSHandle.getProperty JSHandle.getProperties JSHandle.jsonValue JSHandle.asElement JSHandle.dispose
const object = await page.evaluateHandle(() => ({ a: 1, b: { c: [2] }, el: document.body }));
equal(await object.evaluate((o, add) => o.a + add, 5), 6);
same(await (await object.getProperty('b')).jsonValue(), { c: [2] });
equal((await object.getProperties()).size, 3);
ok((await object.getProperty('el')).asElement());
equal(object.asElement(), null);
equal(await page.evaluate(({ x, list }) => x.a + list[0].c[0], { x: object, list: [await object.getProperty('b')] }), 3);
equal(await (await page.evaluateHandle(() => 5)).jsonValue(), 5);
equal(await (await page.evaluateHandle(() => 5)).evaluate((n) => n + 1), 6);
equal(await (await object.evaluateHandle((o) => o.b)).evaluate((b) => b.c.length), 1);
match(String(await page.evaluateHandle(() => 'str')), 'str');
await object.dispose();
await fails(object.jsonValue(), /disposed/);
await fails(page.evaluate((o) => o, object), /disposed/);

//# elements by handle: finding
//@ Page.$ Page.$$ Page.$eval Page.$$eval ElementHandle.$ ElementHandle.$$ ElementHandle.$eval ElementHandle.$$eval ElementHandle.waitForSelector ElementHandle.ownerFrame ElementHandle.contentFrame
await show('<section id=s><p class=a>1</p><p>2</p></section><p>3</p><iframe srcdoc="<b>in</b>"></iframe>');
const section = await page.$('#s');
equal(await page.$('none'), null);
equal((await page.$$('p')).length, 3);
equal((await section.$$('p')).length, 2);
equal(await (await section.$('.a')).textContent(), '1');
equal(await section.$eval('p', (el, x) => el.textContent + x, '!'), '1!');
same(await section.$$eval('p', (els) => els.map((e) => e.textContent)), ['1', '2']);
equal(await page.$eval('#s', (e) => e.children.length), 2);
same(await page.$$eval('p', (els, n) => els.length + n, 1), 4);
await fails(page.$eval('none', (e) => e), /Failed to find element matching selector "none"/);
await section.evaluate((s) => setTimeout(() => s.append(Object.assign(document.createElement('u'), { textContent: 'new' })), 150));
equal(await (await section.waitForSelector('u')).textContent(), 'new');
equal(await section.ownerFrame(), page.mainFrame());
const frame = await (await page.$('iframe')).contentFrame();
equal(await frame.locator('b').textContent(), 'in');
equal(await section.contentFrame(), null);

//# elements by handle: acting and reading
//@ ElementHandle.click ElementHandle.dblclick ElementHandle.hover ElementHandle.fill ElementHandle.type ElementHandle.press ElementHandle.check ElementHandle.uncheck ElementHandle.setChecked ElementHandle.selectOption ElementHandle.setInputFiles ElementHandle.selectText ElementHandle.focus ElementHandle.tap ElementHandle.dispatchEvent ElementHandle.scrollIntoViewIfNeeded ElementHandle.screenshot ElementHandle.boundingBox ElementHandle.textContent ElementHandle.innerText ElementHandle.innerHTML ElementHandle.inputValue ElementHandle.getAttribute ElementHandle.isVisible ElementHandle.isHidden ElementHandle.isEnabled ElementHandle.isDisabled ElementHandle.isEditable ElementHandle.isChecked ElementHandle.waitForElementState
await show('<button id=b onclick="window.n=(window.n||0)+1">go <i>now</i></button><input id=i value=v><input id=c type=checkbox><select id=s><option value=1>1<option value=2>2</select><input id=f type=file><button id=d disabled>d</button>');
const b = await page.$('#b');
await b.click();
await b.dispatchEvent('click');
await b.hover();
equal(await page.evaluate(() => window.n), 2);
await b.dblclick();
await b.tap();
equal(await b.textContent(), 'go now');
equal(await b.innerText(), 'go now');
equal(await b.innerHTML(), 'go <i>now</i>');
equal(await b.getAttribute('id'), 'b');
ok((await b.boundingBox()).width > 10);
ok((await b.screenshot()).length > 60);
const input = await page.$('#i');
await input.fill('new');
await input.focus();
await input.press('End');
await input.type('x');
equal(await input.inputValue(), 'newx');
await input.selectText();
await input.scrollIntoViewIfNeeded();
const box = await page.$('#c');
await box.check();
equal(await box.isChecked(), true);
await box.uncheck();
await box.setChecked(true);
same(await (await page.$('#s')).selectOption('2'), ['2']);
await (await page.$('#f')).setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('x') });
same([await b.isVisible(), await b.isHidden(), await b.isEnabled(), await b.isDisabled(), await input.isEditable()], [true, false, true, false, true]);
const d = await page.$('#d');
await d.evaluate((e) => setTimeout(() => { e.disabled = false; }, 150));
await d.waitForElementState('enabled');
await fails(d.waitForElementState('hidden', { timeout: 100 }), /Timeout 100ms exceeded/);
await b.evaluate((e) => e.remove());
await fails(b.click({ timeout: 1000 }), /Element is not attached to the DOM/);

//# what a page's promise waits for can be done meanwhile
//@ Page.evaluate Locator.click
await show('<button onclick="window.go(5)">x</button>');
const waiting = page.evaluate(() => new Promise((resolve) => { window.go = resolve; }));
await page.locator('button').click();
equal(await waiting, 5);
const forever = page.evaluate(() => new Promise(() => {})).catch((error) => error);
await sleep(100);
await page.goto(site.url('/repl/empty.html'));
ok(await forever instanceof Error);

//# a handle of a plain value is that value, and what is thrown need be no error
//@ Page.evaluate Page.evaluateHandle
await show('');
const five = await page.evaluateHandle(() => 5);
equal(await page.evaluate(({ five }) => five + 1, { five }), 6);
await fails(page.evaluate(() => { throw null; }), 'page.evaluate: null');
equal(await page.evaluate('async function named() { return 7; }'), 7);

//# a wrong selector is told and not taken for one that finds nothing
//@ Page.$ Page.$$ Page.$eval
await show('');
equal(await page.$('nope'), null);
await fails(page.$('div['), 'while parsing css selector');
await fails(page.$$('role='), 'must not be empty');
await fails(page.$eval('nope', (el) => el.id), 'page.$eval: Failed to find element matching selector "nope"');
await fails(page.waitForSelector('a', { state: 'there' }), 'expected one of (attached|detached|visible|hidden)');
