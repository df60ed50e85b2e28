// Cases of Keyboard, Mouse and Touchscreen.

//# keys arrive as a person's
//@ Keyboard.press Keyboard.type Keyboard.insertText
await show('<input id=i><script>var log = []; for (const n of ["keydown", "keyup", "input"]) i.addEventListener(n, (e) => log.push(n + ":" + (e.key || e.inputType) + ":" + e.isTrusted));</script>');
await page.focus('#i');
await page.keyboard.type('ab');
equal(await page.inputValue('#i'), 'ab');
await page.keyboard.press('Backspace');
equal(await page.inputValue('#i'), 'a');
await page.keyboard.insertText('嗨');
equal(await page.inputValue('#i'), 'a嗨');
const log = await page.evaluate(() => window.log);
ok(log.includes('keydown:a:true') && log.includes('keyup:a:true') && log.includes('keydown:Backspace:true'), text(log));
ok(!log.includes('keydown:嗨:true'), 'inserting presses no key');

//# chords and held modifiers
//@ Keyboard.down Keyboard.up Keyboard.press
await show('<input id=i value=hello><script>var log = []; i.addEventListener("keydown", (e) => log.push([e.key, e.shiftKey, e.ctrlKey]));</script>');
await page.focus('#i');
await page.keyboard.press('Control+A');
await page.keyboard.press('Delete');
equal(await page.inputValue('#i'), '');
await page.keyboard.down('Shift');
await page.keyboard.press('KeyA');
await page.keyboard.up('Shift');
await page.keyboard.press('b');
equal(await page.inputValue('#i'), 'Ab');
await page.keyboard.press('ControlOrMeta+a');
await page.keyboard.press('Shift+A');
equal(await page.inputValue('#i'), 'A');

//# typing with a delay
//@ Keyboard.type(delay) Keyboard.press(delay)
await show('<input id=i>');
await page.focus('#i');
const begun = Date.now();
await page.keyboard.type('abc', { delay: 40 });
ok(Date.now() - begun >= 80, 'it took its time');
equal(await page.inputValue('#i'), 'abc');
await page.keyboard.press('d', { delay: 20 });
equal(await page.inputValue('#i'), 'abcd');

//# unknown keys are named
//@ Keyboard.press
await show('<input id=i>');
await fails(() => page.keyboard.press('NoSuchKey'), /NoSuchKey|key/i);

//# the mouse clicks where it is sent
//@ Mouse.click Mouse.move Mouse.down Mouse.up Mouse.dblclick
await show(`<div id=d style="position:absolute;left:50px;top:60px;width:100px;height:100px;background:#eee"></div>
  <script>var log = []; for (const n of ['mousemove', 'mousedown', 'mouseup', 'click', 'dblclick', 'contextmenu']) d.addEventListener(n, (e) => log.push([n, e.clientX, e.clientY, e.button, e.detail].join(' ')));</script>`);
await page.mouse.click(70, 80);
let log = await page.evaluate(() => window.log.splice(0));
ok(log.includes('mousedown 70 80 0 1') && log.includes('mouseup 70 80 0 1') && log.includes('click 70 80 0 1'), text(log));
await page.mouse.move(75, 85);
await page.mouse.down();
await page.mouse.move(95, 85, { steps: 4 });
await page.mouse.up();
log = await page.evaluate(() => window.log.splice(0));
ok(log.filter((l) => l.startsWith('mousemove')).length >= 5, text(log));
await page.mouse.dblclick(70, 80);
log = await page.evaluate(() => window.log.splice(0));
ok(log.some((l) => l.startsWith('dblclick')), text(log));
await page.mouse.click(70, 80, { button: 'right' });
log = await page.evaluate(() => window.log.splice(0));
ok(log.includes('contextmenu 70 80 2 0') || log.some((l) => l.startsWith('contextmenu')), text(log));
await page.mouse.click(70, 80, { delay: 30, clickCount: 1 });
ok((await page.evaluate(() => window.log)).some((l) => l.startsWith('click')), 'with a delay');

//# the wheel scrolls
//@ Mouse.wheel
await show('<div style="height:5000px">tall</div>');
await page.mouse.move(50, 50);
await page.mouse.wheel(0, 300);
await page.waitForFunction(() => scrollY === 300);

//# modifiers that are held count for clicks
//@ Keyboard.down Mouse.click
await show('<button id=b style="width:200px;height:100px">b</button><script>var shift = null; b.onclick = (e) => { shift = e.shiftKey; };</script>');
await page.keyboard.down('Shift');
await page.mouse.click(50, 50);
await page.keyboard.up('Shift');
equal(await page.evaluate(() => window.shift), true);

//# a tap touches
//@ Touchscreen.tap
await show('<div id=d style="width:200px;height:200px;background:#eee"></div><script>var log = []; for (const n of ["touchstart", "touchend", "click"]) d.addEventListener(n, () => log.push(n));</script>');
await page.touchscreen.tap(60, 60);
await until(async () => (await page.evaluate(() => window.log)).includes('touchend'));

//# wrong values are refused at once
//@ Mouse.click Keyboard.type
await show('');
await fails(() => page.mouse.click('a', 1), /expected a number/);
await fails(() => page.keyboard.type(5), /expected string/);

//# moves in steps come one by one, and a locator's hover drags what the mouse holds
//@ Mouse.move Locator.hover
await show('<style>body{margin:0}</style><div id=s draggable=true style="width:40px;height:40px;background:red"></div><div id=t style="width:80px;height:80px;background:blue" ondragover="event.preventDefault()" ondrop="window.dropped=true"></div>');
await page.evaluate(() => { window.at = []; document.addEventListener('mousemove', (e) => at.push([e.clientX, e.clientY])); });
await page.mouse.move(300, 300);
await page.evaluate('at.length = 0');
await page.mouse.move(400, 400, { steps: 4 });
same(await page.evaluate('at'), [[325, 325], [350, 350], [375, 375], [400, 400]]);
await page.locator('#s').hover();
await page.mouse.down();
await page.locator('#t').hover();
await page.mouse.up();
equal(await page.evaluate('window.dropped'), true);

//# keys of the number pad and of players, and a name that is none
//@ Keyboard.press
await show('<textarea></textarea>');
await page.evaluate(() => { window.keys = []; document.addEventListener('keydown', (e) => keys.push([e.key, e.code, e.keyCode, e.location])); });
await page.locator('textarea').press('NumpadEnter');
await page.keyboard.press('MediaPlayPause');
same(await page.evaluate('keys'), [['Enter', 'NumpadEnter', 13, 3], ['MediaPlayPause', 'MediaPlayPause', 179, 0]]);
equal(await page.locator('textarea').inputValue(), '\n');
await fails(page.keyboard.press('NoSuchKey'), 'keyboard.press: Unknown key: "NoSuchKey"');
