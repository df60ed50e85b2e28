// Cases of Locator and FrameLocator: what finds which elements, reading, and the texts of refusals.

//# css reaches into open shadow roots and knows the extra pseudo classes
//@ Page.locator Locator.count Locator.textContent
await show('<div id=host></div><p>alpha</p><p hidden>beta</p><article><h2>One</h2><b>x</b></article><article><h2>Two</h2></article>');
await page.evaluate(() => { document.querySelector('#host').attachShadow({ mode: 'open' }).innerHTML = '<section><p class=in>inside</p></section>'; });
equal(await page.locator('#host .in').textContent(), 'inside');
equal(await page.locator('section > p').count(), 1);
equal(await page.locator('p:visible').count(), 2);
equal(await page.locator('p:has-text("ALPHA")').count(), 1);
equal(await page.locator('article:has(b)').count(), 1);
equal(await page.locator('article:has(:text-is("Two"))').textContent(), 'Two');
equal(await page.locator(':nth-match(article, 2)').textContent(), 'Two');
equal(await page.locator('p:text("inside"), h2:text-matches("^T")').count(), 2);
equal(await page.locator('article:not(:has(b))').count(), 1);
equal(await page.locator('article').locator('> b').count(), 1);

//# text finds the smallest element, quoted text the equal one
//@ Page.getByText Page.getByText(exact)
await show('<div id=a>Hello  <span id=b>big</span> world</div><div id=c>hello</div><input type=submit value="Send it"><script>hello</script>');
equal(await page.getByText('hello').count(), 2);
equal(await page.getByText('big').getAttribute('id'), 'b');
equal(await page.getByText('Hello big world').getAttribute('id'), 'a');
equal(await page.getByText('hello', { exact: true }).getAttribute('id'), 'c');
equal(await page.getByText(/^hel+o$/).getAttribute('id'), 'c');
equal(await page.locator('text="hello"').getAttribute('id'), 'c');
equal(await page.locator('text=HELLO BIG').getAttribute('id'), 'a');
equal(await page.locator('"hello"').count(), 1);
equal(await page.locator('text=/hel+o/').count(), 1);
equal(await page.getByText('Send it').getAttribute('type'), 'submit');

//# roles with names and states
//@ Page.getByRole Page.getByRole(name) Page.getByRole(exact) Page.getByRole(checked) Page.getByRole(disabled) Page.getByRole(expanded) Page.getByRole(pressed) Page.getByRole(selected) Page.getByRole(level) Page.getByRole(includeHidden) Page.getByRole(description)
await show(`<h1>Top</h1><h2>Sub</h2><button>Save all</button><button disabled>Save</button><button aria-pressed=true>Bold</button>
  <button aria-expanded=true>Menu</button><input type=checkbox checked aria-label=Yes><input type=checkbox aria-label=No><button hidden>Ghost</button>
  <select aria-label=S size=2><option>a<option selected>b</select><a href=#>Link</a><a>no link</a><button aria-describedby=d>Described</button><p id=d>What it does</p><ul><li>x</ul>`);
equal(await page.getByRole('button', { name: 'save' }).count(), 2);
equal(await page.getByRole('button', { name: 'Save', exact: true }).count(), 1);
equal(await page.getByRole('button', { name: /^save$/i }).count(), 1);
equal(await page.getByRole('button', { disabled: true }).textContent(), 'Save');
equal(await page.getByRole('button', { pressed: true }).textContent(), 'Bold');
equal(await page.getByRole('button', { expanded: true }).textContent(), 'Menu');
equal(await page.getByRole('checkbox', { checked: true }).getAttribute('aria-label'), 'Yes');
equal(await page.getByRole('checkbox', { checked: false }).getAttribute('aria-label'), 'No');
equal(await page.getByRole('heading', { level: 2 }).textContent(), 'Sub');
equal(await page.getByRole('option', { selected: true }).textContent(), 'b');
equal(await page.getByRole('button', { name: 'Ghost' }).count(), 0);
equal(await page.getByRole('button', { name: 'Ghost', includeHidden: true }).count(), 1);
equal(await page.getByRole('button', { description: 'what it' }).count(), 1);
equal(await page.getByRole('link').count(), 1);
equal(await page.getByRole('listitem').count(), 1);
equal(await page.locator('role=button[name="Save"]').count(), 1);
equal(await page.locator('role=heading[level=1]').textContent(), 'Top');
equal(await page.locator('role=button[name=/save/i][disabled=false]').count(), 1);

//# labels, placeholders, alternatives, titles and test ids
//@ Page.getByLabel Page.getByLabel(exact) Page.getByPlaceholder Page.getByAltText Page.getByTitle Page.getByTestId
await show(`<label for=n>Full name</label><input id=n><label>Mail <input id=m></label><input id=a aria-label="Second Name"><span id=t>Third</span><input id=b aria-labelledby=t>
  <input id=p placeholder="Type here"><img id=i alt="A cat" src=data:,><span id=s title="Tip text">x</span><b id=q data-testid=foo>y</b><b data-testid=foobar>z</b>`);
equal(await page.getByLabel('full').getAttribute('id'), 'n');
equal(await page.getByLabel('Mail').getAttribute('id'), 'm');
equal(await page.getByLabel('second name').getAttribute('id'), 'a');
equal(await page.getByLabel('Third').getAttribute('id'), 'b');
equal(await page.getByLabel('name', { exact: true }).count(), 0);
equal(await page.getByPlaceholder('type').getAttribute('id'), 'p');
equal(await page.getByAltText(/cat/).getAttribute('id'), 'i');
equal(await page.getByTitle('tip').getAttribute('id'), 's');
equal(await page.getByTestId('foo').getAttribute('id'), 'q');
equal(await page.getByTestId(/^foo/).count(), 2);
equal(await page.locator('id=q').textContent(), 'y');
equal(await page.locator('data-testid=foo').count(), 1);

//# xpath and chains
//@ Locator.locator
await show('<ul id=l><li>one</li><li>two <b>x</b></li></ul><ul><li>three</li></ul>');
equal(await page.locator('//li[b]').textContent(), 'two x');
equal(await page.locator('xpath=//ul[2]/li').textContent(), 'three');
equal(await page.locator('#l').locator('//li').count(), 2);
equal(await page.locator('ul >> nth=1 >> li').textContent(), 'three');
equal(await page.locator('#l >> text=one').textContent(), 'one');
equal(await page.locator('*css=li >> b').textContent(), 'two x');
equal(await page.locator('#l').locator(page.getByText('one')).count(), 1);
equal(await page.locator('#l >> li').nth(1).locator('..').getAttribute('id'), 'l');

//# filters, and, or
//@ Locator.filter Locator.filter(hasText) Locator.filter(hasNotText) Locator.filter(has) Locator.filter(hasNot) Locator.filter(visible) Locator.and Locator.or Page.locator(hasText) Page.locator(has)
await show('<li class=a>Apple <b>1</b></li><li class="a k">Pear</li><li class=k style="display:none">Plum <b>2</b></li>');
equal(await page.locator('li').filter({ hasText: 'apple' }).count(), 1);
equal(await page.locator('li').filter({ hasText: /P/ }).count(), 2);
equal(await page.locator('li').filter({ hasNotText: 'apple' }).count(), 2);
equal(await page.locator('li').filter({ has: page.locator('b') }).count(), 2);
equal(await page.locator('li').filter({ hasNot: page.locator('b') }).textContent(), 'Pear');
equal(await page.locator('li').filter({ has: page.getByText('2') }).textContent(), 'Plum 2');
equal(await page.locator('li').filter({ visible: true }).count(), 2);
equal(await page.locator('li', { hasText: 'Pear' }).count(), 1);
equal(await page.locator('li', { has: page.locator('b', { hasText: '1' }) }).count(), 1);
equal(await page.locator('.a').and(page.locator('.k')).textContent(), 'Pear');
same(await page.locator('.k').or(page.locator('.a')).allTextContents(), ['Apple 1', 'Pear', 'Plum 2']);
equal(await page.locator('li').filter({ hasText: 'P' }).filter({ visible: true }).first().textContent(), 'Apple 1');

//# first, last, nth, all, count
//@ Locator.first Locator.last Locator.nth Locator.all Locator.count Locator.allTextContents Locator.allInnerTexts
await show('<p>a</p><p>b</p><p>c <i hidden>d</i></p>');
const ps = page.locator('p');
equal(await ps.first().textContent(), 'a');
equal(await ps.last().innerText(), 'c');
equal(await ps.nth(1).textContent(), 'b');
equal(await ps.nth(-2).textContent(), 'b');
equal(await ps.nth(7).count(), 0);
equal((await ps.all()).length, 3);
equal(await (await ps.all())[2].textContent(), 'c d');
same(await ps.allTextContents(), ['a', 'b', 'c d']);
same(await ps.allInnerTexts(), ['a', 'b', 'c']);

//# locators print as they are written
//@ Locator.toString Locator.describe Locator.description
equal(String(page.locator('#a').getByRole('button', { name: "it's" })), "locator('#a').getByRole('button', { name: 'it\\'s' })");
equal(String(page.getByText(/x/i).first()), 'getByText(/x/i).first()');
equal(String(page.getByLabel('n', { exact: true }).nth(2).last()), "getByLabel('n', { exact: true }).nth(2).last()");
equal(String(page.locator('a').filter({ has: page.locator('b'), hasText: 'c' })), "locator('a').filter({ hasText: 'c', has: locator('b') })");
equal(page.locator('a').describe('the link').description(), 'the link');
equal(page.locator('a').description(), null);

//# strictness names the elements and how to tell them apart
//@ Locator.click
await show('<button id=x>One</button><button>Two</button><div data-testid=t>T</div><div>U</div>');
const strict = await fails(page.getByRole('button').click(), /strict mode violation: getByRole\('button'\) resolved to 2 elements/);
match(strict.message, "1) <button id=\"x\">One</button> aka getByRole('button', { name: 'One' })");
match(strict.message, "2) <button>Two</button> aka getByRole('button', { name: 'Two' })");
match(strict.message, 'locator.click: Error: strict mode violation');
match(strict.message, "  - waiting for getByRole('button')");
equal(strict.code, 'AMBIGUOUS');
await fails(page.locator('div').textContent(), /aka getByTestId\('t'\)/);
await page.getByRole('button').first().click();

//# what is not there times out with the log
//@ Locator.click(timeout) Page.setDefaultTimeout
await show('<p>x</p>');
const gone = await fails(page.locator('#none').click({ timeout: 200 }), /^TimeoutError: locator.click: Timeout 200ms exceeded\.\nCall log:\n  - waiting for locator\('#none'\)/);
ok(gone instanceof errors.TimeoutError);
equal(gone.code, 'TIMEOUT');
page.setDefaultTimeout(150);
await fails(page.getByText('nothing').textContent(), /locator.textContent: Timeout 150ms exceeded/);
page.setDefaultTimeout(30000);

//# wrong selectors say what is wrong
//@ Page.locator
await fails(page.locator('div[').click(), /while parsing css selector "div\["/);
await fails(page.locator('foo=bar').count(), /Unknown engine "foo" while parsing selector foo=bar/);
await fails(page.locator('//*[@').count(), /not a valid xpath/);
await fails(page.locator('role=button[bad]').click(), /Unknown attribute "bad"/);
await fails(() => page.locator('div', { has: 'x' }), /Locator/);

//# reading elements
//@ Locator.innerHTML Locator.innerText Locator.textContent Locator.getAttribute Locator.inputValue Locator.boundingBox
await show('<div id=d data-x=1 style="position:absolute;left:10px;top:20px;width:30px;height:40px">a<b hidden>b</b></div><input value=v><textarea>t</textarea><select><option value=o>O</select><label>L<input id=in value=w></label>');
equal(await page.locator('#d').innerHTML(), 'a<b hidden="">b</b>');
equal(await page.locator('#d').innerText(), 'a');
equal(await page.locator('#d').textContent(), 'ab');
equal(await page.locator('#d').getAttribute('data-x'), '1');
equal(await page.locator('#d').getAttribute('none'), null);
same(await page.locator('#d').boundingBox(), { x: 10, y: 20, width: 30, height: 40 });
equal(await page.locator('b').boundingBox(), null);
equal(await page.locator('input').first().inputValue(), 'v');
equal(await page.locator('textarea').inputValue(), 't');
equal(await page.locator('select').inputValue(), 'o');
equal(await page.locator('label').inputValue(), 'w');
await fails(page.locator('#d').inputValue(), /Node is not an <input>, <textarea> or <select> element/);

//# states of elements
//@ Locator.isVisible Locator.isHidden Locator.isEnabled Locator.isDisabled Locator.isEditable Locator.isChecked
await show('<button disabled>a</button><input readonly id=r><input id=e><input type=checkbox checked><p style="visibility:hidden">h</p><i style="opacity:0">o</i><fieldset disabled><input id=f></fieldset>');
equal(await page.locator('button').isVisible(), true);
equal(await page.locator('#none').isVisible(), false);
equal(await page.locator('#none').isHidden(), true);
equal(await page.locator('p').isHidden(), true);
equal(await page.locator('i').isVisible(), true);
equal(await page.locator('button').isEnabled(), false);
equal(await page.locator('button').isDisabled(), true);
equal(await page.locator('#f').isDisabled(), true);
equal(await page.locator('#r').isEditable(), false);
equal(await page.locator('#e').isEditable(), true);
equal(await page.locator('[type=checkbox]').isChecked(), true);
await fails(page.locator('p').isChecked(), /Not a checkbox or radio button/);
await fails(page.locator('input').isVisible(), /strict mode violation/);

//# waiting for states
//@ Locator.waitFor Locator.waitFor(state) Locator.waitFor(timeout)
await show('<p id=p style="display:none">x</p>');
await page.evaluate(() => { setTimeout(() => { p.style.display = 'block'; }, 200); setTimeout(() => p.remove(), 500); });
await page.locator('#p').waitFor({ state: 'attached' });
await page.locator('#p').waitFor();
await page.locator('#p').waitFor({ state: 'hidden' });
await page.locator('#p').waitFor({ state: 'detached' });
await fails(page.locator('#p').waitFor({ timeout: 100 }), /locator.waitFor: Timeout 100ms exceeded.\nCall log:\n  - waiting for locator\('#p'\) to be visible/);
await fails(page.locator('#p').waitFor({ state: 'gone' }), /expected one of/);

//# code on what a locator finds
//@ Locator.evaluate Locator.evaluateAll Locator.evaluateHandle Locator.elementHandle Locator.elementHandles
await show('<li id=a>1</li><li>2</li>');
equal(await page.locator('#a').evaluate((el, add) => el.textContent + add, '!'), '1!');
same(await page.locator('li').evaluateAll((els, by) => els.map((e) => Number(e.textContent) * by), 10), [10, 20]);
equal(await page.locator('nothing').evaluateAll((els) => els.length), 0);
const text1 = await page.locator('#a').evaluateHandle((el) => el.firstChild);
equal(await text1.evaluate((n) => n.nodeType), 3);
const el1 = await page.locator('#a').elementHandle();
equal(await el1.textContent(), '1');
equal((await page.locator('li').elementHandles()).length, 2);
await fails(page.locator('li').evaluate((e) => e), /strict mode violation/);
await fails(page.locator('#a').evaluate(() => { throw new TypeError('boo'); }), /locator.evaluate: TypeError: boo/);

//# frames by locator
//@ Page.frameLocator FrameLocator.locator FrameLocator.getByRole FrameLocator.getByText FrameLocator.getByLabel FrameLocator.getByPlaceholder FrameLocator.getByTestId FrameLocator.getByAltText FrameLocator.getByTitle FrameLocator.owner FrameLocator.first FrameLocator.last FrameLocator.nth FrameLocator.frameLocator Locator.contentFrame Locator.frameLocator
await show(`<iframe id=f srcdoc="<button onclick=&quot;this.textContent='clicked'&quot;>In</button><input placeholder=ph aria-label=lab title=tt data-testid=tid><img alt=pic><iframe id=g srcdoc='<b>deep</b>'></iframe>"></iframe><iframe srcdoc="<i>second</i>"></iframe>`);
const f = page.frameLocator('#f');
await f.getByRole('button').click();
equal(await f.locator('button').textContent(), 'clicked');
equal(await f.getByText('clicked').count(), 1);
await f.getByPlaceholder('ph').fill('v');
equal(await f.getByLabel('lab').inputValue(), 'v');
equal(await f.getByTestId('tid').count() + await f.getByAltText('pic').count() + await f.getByTitle('tt').count(), 3);
equal(await f.frameLocator('#g').locator('b').textContent(), 'deep');
equal(await page.locator('iframe').nth(1).contentFrame().locator('i').textContent(), 'second');
equal(await page.frameLocator('iframe').last().locator('i').textContent(), 'second');
equal(await page.frameLocator('iframe').first().getByRole('button').count(), 1);
equal(await page.frameLocator('iframe').nth(1).locator('i').count(), 1);
equal(await f.owner().getAttribute('id'), 'f');
equal(String(f.locator('b')), "locator('#f').contentFrame().locator('b')");
equal(await page.locator('body').frameLocator('#f').locator('img').count(), 1);
equal(await f.locator('button').or(f.locator('img')).count(), 2);
ok((await f.locator('button').boundingBox()).x > 5);
await fails(page.frameLocator('iframe').locator('b').click({ timeout: 500 }), /strict mode violation/);
await fails(page.frameLocator('#none').locator('b').click({ timeout: 200 }), /Timeout 200ms exceeded/);

//# the page of a locator, and highlighting leaves no mark
//@ Locator.page Locator.highlight
await show('<p>x</p>');
equal(page.locator('p').page(), page);
const before = await page.content();
await page.locator('p').highlight();
equal(await page.content(), before);

//# the attribute of test ids can be another
//@ Selectors.setTestIdAttribute
await show('<b data-qa=x>q</b>');
selectors.setTestIdAttribute('data-qa');
equal(await page.getByTestId('x').textContent(), 'q');
selectors.setTestIdAttribute('data-testid');
equal(await page.getByTestId('x').count(), 0);

//# methods of the page by selector take the first and are named in their failures
//@ Page.click Page.textContent Page.waitForSelector
await show('<button onclick="window.n = 1">a</button><button>b</button>');
await page.click('button');
equal(await page.evaluate(() => window.n), 1);
equal(await page.textContent('button'), 'a');
await fails(page.click('button', { strict: true }), /page\.click: Error: strict mode violation: locator\('button'\) resolved to 2 elements/);
await fails(page.fill('#none', 'x', { timeout: 100 }), /page\.fill: Timeout 100ms exceeded\.\nCall log:\n  - waiting for locator\('#none'\)\n/);
await fails(page.waitForSelector('#none', { timeout: 100 }), /page\.waitForSelector: Timeout 100ms exceeded/);

//# what is looked for within an element takes no ancestor from outside of it
//@ Locator.filter(has)
await show('<section><div id=a><span>x</span></div></section>');
equal(await page.locator('div').filter({ has: page.locator('section span') }).count(), 0);
equal(await page.locator('div').filter({ has: page.locator('div > span') }).count(), 1);
equal(await page.locator('section').filter({ has: page.locator('div span') }).count(), 1);
