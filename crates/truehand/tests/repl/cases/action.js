// Cases of what is done to elements by locators: the events that come, waiting, and what is refused.

// A page that keeps a log of the events of everything in it.
async function logged(html, types = 'click dblclick contextmenu auxclick mousedown mouseup input change keydown keyup focus blur mouseover touchstart pointerdown') {
  await show(html);
  await page.evaluate((list) => {
    window.log = [];
    for (const type of list.split(' ')) document.addEventListener(type, (e) => log.push(`${type}:${e.target.id}`), true);
  }, types);
}
const log = () => page.evaluate(() => window.log);

//# click sends the events of a press
//@ Locator.click
await logged('<button id=b>x</button>', 'mousedown mouseup click');
await page.locator('#b').click();
same(await log(), ['mousedown:b', 'mouseup:b', 'click:b']);

//# click takes button, modifiers, position, count and delay
//@ Locator.click(button) Locator.click(modifiers) Locator.click(position) Locator.click(clickCount) Locator.click(delay)
await show('<button id=b style="width:100px;height:50px">x</button>');
await page.evaluate(() => { window.got = []; for (const t of ['click', 'contextmenu', 'auxclick', 'dblclick']) b.addEventListener(t, (e) => got.push([t, e.button, e.shiftKey, e.ctrlKey, e.offsetX, e.offsetY, e.detail])); });
await page.locator('#b').click({ button: 'right' });
await page.locator('#b').click({ modifiers: ['Shift', 'Control'] });
await page.locator('#b').click({ position: { x: 7, y: 9 } });
await page.locator('#b').click({ clickCount: 2 });
const got = await page.evaluate(() => window.got);
ok(got.some(([t, button]) => t === 'contextmenu' && button === 2), 'context menu');
ok(got.some(([t, , shift, ctrl]) => t === 'click' && shift && ctrl), 'modifiers');
ok(got.some(([t, , , , x, y]) => t === 'click' && Math.abs(x - 7) <= 2 && Math.abs(y - 9) <= 2), `position ${JSON.stringify(got)}`);
ok(got.some(([t]) => t === 'dblclick'), 'count');
await page.evaluate(() => { b.onmousedown = () => { window.from = performance.now(); }; b.onmouseup = () => { window.held = performance.now() - from; }; });
await page.locator('#b').click({ delay: 120 });
ok(await page.evaluate(() => window.held) >= 100, 'delay');
await fails(page.locator('#b').click({ button: 'top' }), /button: expected one of/);
await fails(page.locator('#b').click({ modifiers: ['Hyper'] }), /modifiers: expected one of/);

//# dblclick, tap and hover
//@ Locator.dblclick Locator.tap Locator.hover
await logged('<button id=b>x</button><button id=c>y</button>', 'click dblclick mouseover touchstart');
await page.locator('#b').dblclick();
ok((await log()).includes('dblclick:b'));
await page.locator('#c').hover();
ok((await log()).includes('mouseover:c'));
await page.locator('#c').tap();
ok((await log()).includes('touchstart:c'));

//# click waits until the element is there, shown, enabled and uncovered
//@ Locator.click
await show('<div id=box></div><div id=cover style="position:fixed;inset:0;background:#ccc"></div>');
await page.evaluate(() => {
  setTimeout(() => { box.innerHTML = '<button id=b disabled style="display:none" onclick="window.done=true">x</button>'; }, 150);
  setTimeout(() => { b.style.display = ''; }, 300);
  setTimeout(() => { b.disabled = false; }, 450);
  setTimeout(() => cover.remove(), 600);
});
await page.locator('#b').click();
equal(await page.evaluate(() => window.done), true);

//# what stands in the way is told in the log
//@ Locator.click(timeout)
await show('<button id=d disabled>x</button><button id=h style="visibility:hidden">h</button><button id=c>c</button><div id=cover style="position:fixed;inset:0"></div>');
await fails(page.locator('#d').click({ timeout: 400 }), /locator resolved to <button id="d" disabled>x<\/button>[^]*waiting for element to be visible, enabled and stable[^]*element is not enabled/);
await fails(page.locator('#h').click({ timeout: 300 }), /element is not visible/);
await fails(page.locator('#c').click({ timeout: 400 }), /<div id="cover"><\/div> intercepts pointer events/);
await page.evaluate(() => cover.remove());

//# force does not wait, trial does nothing
//@ Locator.click(force) Locator.click(trial)
await show('<button id=b onclick="window.n=(window.n||0)+1">x</button><div id=cover style="position:fixed;inset:0" onclick="window.covered=true"></div>');
await page.locator('#b').click({ force: true });
equal(await page.evaluate(() => [window.n ?? 0, window.covered].join()), '0,true');
await page.evaluate(() => cover.remove());
await page.locator('#b').click({ trial: true });
equal(await page.evaluate(() => window.n), undefined);
await page.locator('#b').click();
equal(await page.evaluate(() => window.n), 1);

//# an element that moves is waited for
//@ Locator.click
await show('<style>@keyframes m { from { left: 0 } to { left: 300px } } #b { position: absolute; animation: m .6s linear forwards }</style><button id=b onclick="window.x=this.getBoundingClientRect().x">x</button>');
await page.locator('#b').click();
equal(await page.evaluate(() => Math.round(window.x)), 300);

//# fill of all kinds of fields
//@ Locator.fill Locator.clear
await logged('<input id=t value=old><textarea id=a></textarea><div id=e contenteditable>x</div><input id=n type=number><input id=d type=date><input id=c type=color><input id=r type=range><input id=m type=time><label>L<input id=l></label><input id=p type=password>', 'input change');
for (const [id, value] of [['t', 'new'], ['a', 'two\nlines'], ['n', '42'], ['d', '2020-03-02'], ['c', '#ff00aa'], ['r', '30'], ['m', '13:15'], ['p', 'secret']]) {
  await page.locator(`#${id}`).fill(value);
  equal(await page.locator(`#${id}`).inputValue(), value, id);
}
await page.locator('#e').fill('written');
equal(await page.locator('#e').textContent(), 'written');
await page.locator('label').fill('by label');
equal(await page.locator('#l').inputValue(), 'by label');
ok((await log()).includes('input:t'));
await page.locator('#t').clear();
equal(await page.locator('#t').inputValue(), '');
await page.locator('#t').fill('');
await page.getByLabel('L').fill('x');

//# fill refuses what can't be filled
//@ Locator.fill(timeout) Locator.fill(force)
await show('<input id=c type=checkbox><button id=b>x</button><input id=n type=number><input id=d type=date><input id=r readonly><select id=s><option>1</select><p id=p>x</p>');
await fails(page.locator('#c').fill('x'), /Input of type "checkbox" cannot be filled/);
await fails(page.locator('#n').fill('abc'), /Cannot type text into input\[type=number\]/);
await fails(page.locator('#d').fill('2020-13-05'), /Malformed value/);
await fails(page.locator('#p').fill('x'), /Element is not an <input>, <textarea>/);
await fails(page.locator('#s').fill('x'), /Element is not an <input>, <textarea>/);
await fails(page.locator('#r').fill('x', { timeout: 300 }), /element is not editable/);
await fails(page.locator('#n').fill(5), /value: expected string, got number/);

//# keys and text
//@ Locator.press Locator.press(delay) Locator.pressSequentially Locator.pressSequentially(delay) Locator.type Locator.focus Locator.blur
await logged('<input id=t><textarea id=a></textarea>', 'keydown keyup input focus blur');
await page.locator('#t').pressSequentially('ab');
same(await log(), ['focus:t', 'keydown:t', 'input:t', 'keyup:t', 'keydown:t', 'input:t', 'keyup:t']);
await page.locator('#t').press('Backspace');
equal(await page.locator('#t').inputValue(), 'a');
await page.locator('#t').press('Shift+B');
equal(await page.locator('#t').inputValue(), 'aB');
await page.locator('#t').press('ControlOrMeta+A');
await page.locator('#t').type('z', { delay: 10 });
equal(await page.locator('#t').inputValue(), 'z');
await page.locator('#a').focus();
equal(await page.evaluate(() => document.activeElement.id), 'a');
await page.locator('#a').press('Enter');
equal(await page.locator('#a').inputValue(), '\n');
await page.locator('#a').blur();
equal(await page.evaluate(() => document.activeElement.tagName), 'BODY');
await fails(page.locator('#t').press('NoSuchKey'), /NoSuchKey/);

//# boxes are checked and unchecked, and only when they are not so already
//@ Locator.check Locator.uncheck Locator.setChecked Locator.check(trial)
await logged('<input id=c type=checkbox><label>L<input id=l type=checkbox></label><input id=r type=radio name=x><div id=d role=checkbox aria-checked=false onclick="this.ariaChecked = this.ariaChecked !== \'true\'">D</div><p id=p>x</p><input type=checkbox id=k onclick="event.preventDefault()">', 'click input change');
await page.locator('#c').check();
await page.locator('#c').check();
equal((await log()).filter((l) => l === 'click:c').length, 1);
ok((await log()).includes('change:c'));
await page.locator('#c').uncheck();
equal(await page.locator('#c').isChecked(), false);
await page.getByLabel('L').check();
equal(await page.locator('#l').isChecked(), true);
await page.locator('label').uncheck();
equal(await page.locator('#l').isChecked(), false);
await page.locator('#r').check();
await fails(page.locator('#r').uncheck(), /Cannot uncheck radio button/);
await page.locator('#d').setChecked(true);
equal(await page.locator('#d').isChecked(), true);
await page.locator('#d').setChecked(false);
await page.locator('#c').check({ trial: true });
equal(await page.locator('#c').isChecked(), false);
await fails(page.locator('#p').check(), /Not a checkbox or radio button/);
await fails(page.locator('#k').check(), /Clicking the checkbox did not change its state/);

//# options are chosen by value, label, index, handle or several
//@ Locator.selectOption Locator.selectOption(values) Locator.selectOption(timeout)
await logged('<select id=s><option value=a>Apple<option value=b>Pear<option value=c disabled>Plum</select><select id=m multiple><option value=1>One<option value=2>Two<option value=3>Three</select>', 'input change');
same(await page.locator('#s').selectOption('b'), ['b']);
same(await log(), ['input:s', 'change:s']);
same(await page.locator('#s').selectOption('Apple'), ['a']);
same(await page.locator('#s').selectOption({ label: 'Pear' }), ['b']);
same(await page.locator('#s').selectOption({ index: 0 }), ['a']);
same(await page.locator('#s').selectOption(await page.$('#s option:nth-child(2)')), ['b']);
same(await page.locator('#m').selectOption(['1', { label: 'Three' }]), ['1', '3']);
same(await page.locator('#m').selectOption([]), []);
same(await page.locator('#m').evaluate((s) => [...s.selectedOptions].length), 0);
await fails(page.locator('#s').selectOption('none', { timeout: 300 }), /did not find some options/);
await fails(page.locator('#s').selectOption('c', { timeout: 300 }), /option being selected is not enabled/);
await fails(page.locator('body').selectOption('x'), /Element is not a <select> element/);
await page.evaluate(() => setTimeout(() => s.add(new Option('Late', 'late')), 200));
same(await page.locator('#s').selectOption('late'), ['late']);

//# files from buffers, and none
//@ Locator.setInputFiles Locator.setInputFiles(files)
await logged('<input id=f type=file multiple><label>Up<input id=g type=file></label>', 'input change');
await page.locator('#f').setInputFiles([{ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') }, { name: 'b.txt', mimeType: 'text/plain', buffer: Buffer.from('x') }]);
same(await page.locator('#f').evaluate(async (i) => [[...i.files].map((x) => x.name), await i.files[0].text()]), [['a.txt', 'b.txt'], 'hello']);
ok((await log()).includes('change:f'));
await page.locator('#f').setInputFiles([]);
equal(await page.locator('#f').evaluate((i) => i.files.length), 0);
await fs.writeFile('artifacts/up.txt', 'content');
await page.getByLabel('Up').setInputFiles(`${pwd}/artifacts/up.txt`);
equal(await page.locator('#g').evaluate((i) => i.files[0].name), 'up.txt');
await fails(page.locator('body').setInputFiles([]), /Node is not an HTMLInputElement/);

//# dragging
//@ Locator.dragTo Locator.dragTo(sourcePosition) Locator.dragTo(targetPosition)
await show('<div id=a draggable=true style="width:60px;height:40px;background:#aaf">A</div><div id=b style="width:200px;height:80px;background:#faa;margin-top:30px">B</div>');
await page.evaluate(() => { b.ondragover = (e) => e.preventDefault(); b.ondrop = (e) => { window.dropped = [Math.round(e.offsetX), Math.round(e.offsetY)]; }; });
await page.locator('#a').dragTo(page.locator('#b'));
ok(await page.evaluate(() => window.dropped), 'dropped');
await page.locator('#a').dragTo(page.locator('#b'), { sourcePosition: { x: 5, y: 5 }, targetPosition: { x: 20, y: 10 } });
const at = await page.evaluate(() => window.dropped);
ok(Math.abs(at[0] - 20) < 4 && Math.abs(at[1] - 10) < 4, `dropped at ${at}`);

//# text is selected, elements scroll into view
//@ Locator.selectText Locator.scrollIntoViewIfNeeded
await show('<p id=p>some text</p><input id=i value=val><div style="height:3000px"></div><b id=far>far</b>');
await page.locator('#p').selectText();
equal(await page.evaluate(() => String(getSelection())), 'some text');
await page.locator('#i').selectText();
equal(await page.evaluate(() => i.selectionEnd - i.selectionStart), 3);
await page.locator('#far').scrollIntoViewIfNeeded();
await expect(page.locator('#far')).toBeInViewport();

//# events by script
//@ Locator.dispatchEvent Locator.dispatchEvent(eventInit)
await show('<button id=b>x</button>');
await page.evaluate(() => { window.got = []; for (const t of ['click', 'custom', 'keydown', 'drop']) b.addEventListener(t, (e) => got.push([t, e.constructor.name, e.bubbles, e.key ?? null, e.dataTransfer ? e.dataTransfer.types.length : null])); });
await page.locator('#b').dispatchEvent('click');
await page.locator('#b').dispatchEvent('custom', { bubbles: false });
await page.locator('#b').dispatchEvent('keydown', { key: 'q' });
const transfer = await page.evaluateHandle(() => { const t = new DataTransfer(); t.setData('text/plain', 'x'); return t; });
await page.locator('#b').dispatchEvent('drop', { dataTransfer: transfer });
same(await page.evaluate(() => window.got), [['click', 'MouseEvent', true, null, null], ['custom', 'Event', false, null, null], ['keydown', 'KeyboardEvent', true, 'q', null], ['drop', 'DragEvent', true, null, 1]]);

//# a picture of an element
//@ Locator.screenshot
await show('<div id=d style="width:40px;height:30px;background:red"></div>');
const shot = await page.locator('#d').screenshot();
equal(shot.readUInt32BE(16) + 'x' + shot.readUInt32BE(20), '40x30');

//# elements that are redrawn on the way are found again
//@ Locator.click
await show('<div id=box></div>');
await page.evaluate(() => {
  window.n = 0;
  let k = 0;
  const draw = () => { box.innerHTML = `<button onclick="n++">Go</button>`; if (++k < 20) setTimeout(draw, 20); };
  draw();
});
await page.getByRole('button', { name: 'Go' }).click();
ok(await page.evaluate(() => window.n) >= 1);

//# points are within the border, and a held key goes with the click
//@ Locator.click(position) Keyboard.down
await show('<div id=b style="width:100px;height:80px;border:8px solid" onclick="window.got=[event.offsetX,event.offsetY,event.shiftKey]"></div>');
await page.locator('#b').click({ position: { x: 20, y: 10 } });
same(await page.evaluate('got'), [20, 10, false]);
await page.keyboard.down('Shift');
await page.locator('#b').click({ position: { x: 30, y: 40 } });
await page.keyboard.up('Shift');
same(await page.evaluate('got'), [30, 40, true]);

//# a bar that sticks to the top is scrolled around, and what covers is told with its whole
//@ Locator.click
await show('<style>body{margin:0}header{position:fixed;top:0;left:0;right:0;height:100px;background:#eee}</style><header>H</header><div style="height:120px"></div><button onclick="window.done=true">x</button><div style="height:3000px"></div>');
await page.evaluate(() => scrollTo(0, 80));
await page.locator('button').click();
equal(await page.evaluate('window.done'), true);
await show('<button style="position:absolute;left:0;top:0;width:100px;height:30px">t</button><div id=outer style="position:absolute;left:0;top:0;width:200px;height:200px"><p style="width:100px;height:100px;margin:0">in</p></div>');
const refusal = await fails(page.locator('button').click({ timeout: 400 }), 'TimeoutError');
match(refusal.message, '<p>in</p> from <div id="outer">…</div> subtree intercepts pointer events');
match(refusal.message, 'attempting click action');

//# fill goes through words of a label, insists on hidden fields, and lets the page reformat
//@ Locator.fill Locator.fill(force)
await show('<label><b>Name</b><input id=i></label><input id=h style="display:none"><input id=d type=range min=0 max=100>');
await page.getByText('Name').fill('v');
equal(await page.locator('#i').inputValue(), 'v');
await page.locator('#h').fill('w', { force: true });
equal(await page.locator('#h').inputValue(), 'w');
await page.evaluate(() => i.addEventListener('input', () => { i.value = i.value.replace(/\D/g, ''); }));
await page.locator('#i').fill('1a2b');
equal(await page.locator('#i').inputValue(), '12');
await fails(page.locator('#d').fill('200'), 'Malformed value');

//# files go through a label, and one field takes one
//@ Locator.setInputFiles
await show('<label for=f>Choose</label><input id=f type=file style="display:none">');
const file = (name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from('a') });
await page.getByText('Choose').setInputFiles(file('a.txt'));
equal(await page.evaluate(() => f.files[0].name), 'a.txt');
await fails(page.locator('#f').setInputFiles([file('a.txt'), file('b.txt')]), 'Non-multiple file input can only accept single file');

//# scrolling to what has no box waits, and to what is gone fails
//@ ElementHandle.scrollIntoViewIfNeeded
await show('<button id=b style="display:none">x</button>');
const gone = await page.$('#b');
await fails(gone.scrollIntoViewIfNeeded({ timeout: 300 }), 'element is not visible');
await gone.evaluate((el) => el.remove());
await fails(gone.scrollIntoViewIfNeeded(), 'Element is not attached to the DOM');
