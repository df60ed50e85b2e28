// Cases of expect: matchers of values, matchers of pages, and what makes them of all kinds.

//# generic matchers pass and fail
//@ expect.toBe expect.toEqual expect.toStrictEqual expect.toBeDefined expect.toBeUndefined expect.toBeNull expect.toBeNaN expect.toBeTruthy expect.toBeFalsy expect.toBeInstanceOf expect.not
expect(1).toBe(1);
expect(NaN).toBe(NaN);
expect({ a: 1, b: undefined }).toEqual({ a: 1 });
expect({ a: [1, { b: new Date(3) }], m: new Map([[1, new Set(['x'])]]) }).toEqual({ a: [1, { b: new Date(3) }], m: new Map([[1, new Set(['x'])]]) });
expect({ a: 1, b: undefined }).not.toStrictEqual({ a: 1 });
expect([1]).toStrictEqual([1]);
expect(0).toBeDefined();
expect(undefined).toBeUndefined();
expect(null).toBeNull();
expect(NaN).toBeNaN();
expect('x').toBeTruthy();
expect('').toBeFalsy();
expect(new TypeError('x')).toBeInstanceOf(Error);
await fails(() => expect(1).toBe(2), /^Error: expect\(received\)\.toBe\(expected\) \/\/ Object\.is equality\n\nExpected: 2\nReceived: 1/);
await fails(() => expect(1).not.toBe(1), /expect\(received\)\.not\.toBe\(expected\)[^]*Expected: not 1/);
await fails(() => expect({ a: 1 }).toBe({ a: 1 }), /toStrictEqual/);
await fails(() => expect({ a: 1 }).toEqual({ a: 2 }), /deep equality/);
const judged = await fails(() => expect(3).toBe(4));
same(judged.matcherResult.pass, false);
equal(judged.matcherResult.name, 'toBe');

//# numbers, strings, lists, objects
//@ expect.toBeCloseTo expect.toBeGreaterThan expect.toBeGreaterThanOrEqual expect.toBeLessThan expect.toBeLessThanOrEqual expect.toContain expect.toContainEqual expect.toHaveLength expect.toHaveProperty expect.toMatch expect.toMatchObject expect.toThrow expect.toThrowError
expect(0.1 + 0.2).toBeCloseTo(0.3);
expect(1.005).not.toBeCloseTo(1.1);
expect(3).toBeGreaterThan(2);
expect(3n).toBeGreaterThanOrEqual(3n);
expect(2).toBeLessThan(3);
expect(2).toBeLessThanOrEqual(2);
expect('hello').toContain('ell');
expect([1, 2]).toContain(2);
expect(new Set([1])).toContain(1);
expect([{ a: 1 }]).toContainEqual({ a: 1 });
expect([1, 2]).toHaveLength(2);
expect({ a: { b: [5] } }).toHaveProperty('a.b[0]', 5);
expect({ a: 1 }).not.toHaveProperty('b');
expect('hello').toMatch(/^h/);
expect('hello').toMatch('ell');
expect({ a: 1, b: { c: 2, d: 3 } }).toMatchObject({ b: { c: 2 } });
expect(() => { throw new TypeError('bad thing'); }).toThrow('thing');
expect(() => { throw new TypeError('bad thing'); }).toThrow(TypeError);
expect(() => { throw new Error('x1'); }).toThrowError(/x\d/);
expect(() => 1).not.toThrow();
await fails(() => expect(1).toHaveLength(1), /length property/);
await fails(() => expect('a').toBeGreaterThan(1), /must be a number or bigint/);
await fails(() => expect(() => 1).toThrow(), /did not throw/);

//# placeholders
//@ expect.any expect.anything expect.arrayContaining expect.objectContaining expect.stringContaining expect.stringMatching expect.closeTo
expect({ id: 5, name: 'x', when: new Date(), list: [1, 2, 3] }).toEqual({ id: expect.any(Number), name: expect.anything(), when: expect.any(Date), list: expect.arrayContaining([3, 1]) });
expect({ a: 1, b: 2 }).toEqual(expect.objectContaining({ a: 1 }));
expect('abc').toEqual(expect.stringContaining('b'));
expect('abc').toEqual(expect.stringMatching(/^a/));
expect({ x: 0.1 + 0.2 }).toEqual({ x: expect.closeTo(0.3, 5) });
expect('abc').toEqual(expect.not.stringContaining('z'));
expect(null).not.toEqual(expect.anything());

//# resolves and rejects
//@ expect.resolves expect.rejects
await expect(Promise.resolve(3)).resolves.toBe(3);
await expect(Promise.reject(new Error('no way'))).rejects.toThrow('no way');
await expect(async () => { throw new Error('later'); }).rejects.toThrow(/later/);
await expect(Promise.resolve(3)).resolves.not.toBe(4);
await fails(expect(Promise.resolve(3)).rejects.toThrow(), /resolved instead of rejected/);
await fails(expect(Promise.reject(new Error('x'))).resolves.toBe(1), /rejected instead of resolved/);

//# poll, toPass, extend, configure, messages
//@ expect.poll expect.toPass expect.extend expect.configure expect.soft expect.message
let n = 0;
await expect.poll(() => ++n, { intervals: [10] }).toBe(3);
await expect.poll(async () => n).not.toBe(0);
await fails(expect.poll(() => 1, { timeout: 100, intervals: [20] }).toBe(2), /Timeout 100ms exceeded while waiting on the predicate/);
n = 0;
await expect(async () => { n++; expect(n).toBe(3); }).toPass({ intervals: [5] });
await fails(expect(() => expect(1).toBe(2)).toPass({ timeout: 80, intervals: [10] }), /Timeout 80ms exceeded/);
const more = expect.extend({ toBeEven(received) { return { pass: received % 2 === 0, message: () => `${this.utils.printReceived(received)} is ${this.isNot ? '' : 'not '}even` }; } });
more(2).toBeEven();
more(3).not.toBeEven();
await fails(() => more(3).toBeEven(), /3 is not even/);
await fails(() => expect(1, 'my words').toBe(2), /^Error: my words\n\nexpect\(received\)/);
const quick = expect.configure({ timeout: 120 });
await show('<p>x</p>');
await fails(quick(page.locator('p')).toHaveText('y'), /Timeout: +120ms/);
expect.soft(1).toBe(2);
expect.soft(2).toBe(2);

//# what is visible, attached, enabled, editable, checked, focused, empty
//@ LocatorAssertions.toBeVisible LocatorAssertions.toBeHidden LocatorAssertions.toBeAttached LocatorAssertions.toBeEnabled LocatorAssertions.toBeDisabled LocatorAssertions.toBeEditable LocatorAssertions.toBeChecked LocatorAssertions.toBeChecked(indeterminate) LocatorAssertions.toBeFocused LocatorAssertions.toBeEmpty LocatorAssertions.toBeInViewport LocatorAssertions.toBeInViewport(ratio)
await show('<button id=b>x</button><button disabled>y</button><input id=i><input readonly id=r><input type=checkbox checked id=c><input type=checkbox id=u><p id=h hidden>h</p><div id=e></div><div style="height:3000px"></div><b id=far>f</b>');
await expect(page.locator('#b')).toBeVisible();
await expect(page.locator('#h')).not.toBeVisible();
await expect(page.locator('#h')).toBeHidden();
await expect(page.locator('#none')).toBeHidden();
await expect(page.locator('#none')).not.toBeVisible();
await expect(page.locator('#h')).toBeVisible({ visible: false });
await expect(page.locator('#h')).toBeAttached();
await expect(page.locator('#none')).not.toBeAttached();
await expect(page.locator('#none')).toBeAttached({ attached: false });
await expect(page.locator('#b')).toBeEnabled();
await expect(page.locator('button').nth(1)).toBeDisabled();
await expect(page.locator('button').nth(1)).toBeEnabled({ enabled: false });
await expect(page.locator('#i')).toBeEditable();
await expect(page.locator('#r')).not.toBeEditable();
await expect(page.locator('#c')).toBeChecked();
await expect(page.locator('#u')).not.toBeChecked();
await expect(page.locator('#u')).toBeChecked({ checked: false });
await page.evaluate(() => { u.indeterminate = true; });
await expect(page.locator('#u')).toBeChecked({ indeterminate: true });
await page.locator('#i').focus();
await expect(page.locator('#i')).toBeFocused();
await expect(page.locator('#b')).not.toBeFocused();
await expect(page.locator('#e')).toBeEmpty();
await expect(page.locator('#i')).toBeEmpty();
await expect(page.locator('#b')).not.toBeEmpty();
await expect(page.locator('#b')).toBeInViewport({ ratio: 1 });
await expect(page.locator('#far')).not.toBeInViewport();
await fails(expect(page.locator('#h')).toBeVisible({ timeout: 150 }), /expect\(locator\)\.toBeVisible\(\) failed\n\nLocator:  locator\('#h'\)\nExpected: visible\nReceived: hidden\nTimeout:  150ms\n\nCall log:\n  - Expect "toBeVisible" with timeout 150ms\n  - waiting for locator\('#h'\)\n +(\d+ × |- )locator resolved to <p id="h" hidden>h<\/p>\n +- unexpected value "hidden"/);
await fails(expect(page.locator('#none')).toBeVisible({ timeout: 100 }), /Expected: visible\nTimeout:  100ms\nError: element\(s\) not found/);
await fails(expect(page.locator('#none')).not.toBeChecked({ timeout: 100 }), /element\(s\) not found/);
await fails(expect(page.locator('button')).toBeVisible({ timeout: 100 }), /strict mode violation: locator\('button'\) resolved to 2 elements/);
await fails(() => expect(5).toBeVisible(), /toBeVisible can be only used with Locator object/);

//# texts
//@ LocatorAssertions.toHaveText LocatorAssertions.toHaveText(array) LocatorAssertions.toHaveText(ignoreCase) LocatorAssertions.toHaveText(useInnerText) LocatorAssertions.toContainText LocatorAssertions.toContainText(array)
await show('<h1> Big   title </h1><li>a</li><li>b</li><li>c</li><p>x<i hidden>y</i></p>');
await expect(page.locator('h1')).toHaveText('Big title');
await expect(page.locator('h1')).toHaveText(/big/i);
await expect(page.locator('h1')).toHaveText('BIG TITLE', { ignoreCase: true });
await expect(page.locator('h1')).not.toHaveText('Big');
await expect(page.locator('h1')).toContainText('title');
await expect(page.locator('li')).toHaveText(['a', /b/, 'c']);
await expect(page.locator('li')).not.toHaveText(['a', 'b']);
await expect(page.locator('li')).toContainText(['a', 'c']);
await expect(page.locator('p')).toHaveText('xy');
await expect(page.locator('p')).toHaveText('x', { useInnerText: true });
await expect(page.locator('none')).toHaveText([]);
await page.evaluate(() => setTimeout(() => { document.querySelector('h1').textContent = 'later'; }, 200));
await expect(page.locator('h1')).toHaveText('later');
await fails(expect(page.locator('h1')).toHaveText('never', { timeout: 150 }), /Expected: "never"\nReceived: "later"/);
await fails(expect(page.locator('h1')).toContainText('nev', { timeout: 100 }), /Expected substring: "nev"\nReceived string: +"later"/);
await fails(expect(page.locator('h1')).not.toHaveText('later', { timeout: 100 }), /expect\(locator\)\.not\.toHaveText\(expected\) failed[^]*Expected: not "later"/);
await fails(expect(page.locator('h1')).toHaveText(/nev/, { timeout: 100 }), /Expected pattern: \/nev\//);

//# attributes, classes, styles, values, names
//@ LocatorAssertions.toHaveAttribute LocatorAssertions.toHaveClass LocatorAssertions.toContainClass LocatorAssertions.toHaveCSS LocatorAssertions.toHaveId LocatorAssertions.toHaveValue LocatorAssertions.toHaveValues LocatorAssertions.toHaveCount LocatorAssertions.toHaveRole LocatorAssertions.toHaveAccessibleName LocatorAssertions.toHaveAccessibleDescription LocatorAssertions.toHaveAccessibleErrorMessage LocatorAssertions.toHaveJSProperty
await show('<div id=d class="a b" data-x=1 style="color:rgb(1,2,3)">x</div><i class=q></i><i class="q r"></i><input id=v value=val aria-label="The name" aria-describedby=h aria-invalid=true aria-errormessage=m><p id=h>helps</p><p id=m>wrong</p><select multiple><option value=1 selected><option value=2 selected><option value=3></select>');
await expect(page.locator('#d')).toHaveAttribute('data-x', '1');
await expect(page.locator('#d')).toHaveAttribute('data-x');
await expect(page.locator('#d')).not.toHaveAttribute('none');
await expect(page.locator('#d')).toHaveAttribute('data-x', /\d/);
await expect(page.locator('#d')).toHaveClass('a b');
await expect(page.locator('#d')).toHaveClass(/\bb\b/);
await expect(page.locator('i')).toHaveClass(['q', 'q r']);
await expect(page.locator('#d')).toContainClass('b');
await expect(page.locator('#d')).toContainClass('b a');
await expect(page.locator('i')).toContainClass(['q', 'r']);
await expect(page.locator('#d')).toHaveCSS('color', 'rgb(1, 2, 3)');
await expect(page.locator('#d')).toHaveId('d');
await expect(page.locator('#v')).toHaveValue('val');
await expect(page.locator('#v')).toHaveValue(/^v/);
await expect(page.locator('select')).toHaveValues(['1', /2/]);
await expect(page.locator('i')).toHaveCount(2);
await expect(page.locator('none')).toHaveCount(0);
await expect(page.locator('#v')).toHaveRole('textbox');
await expect(page.locator('#v')).toHaveAccessibleName('The name');
await expect(page.locator('#v')).toHaveAccessibleDescription(/help/);
await expect(page.locator('#v')).toHaveAccessibleErrorMessage('wrong');
await page.evaluate(() => { d.custom = { n: [1] }; });
await expect(page.locator('#d')).toHaveJSProperty('custom', { n: [1] });
await fails(expect(page.locator('i')).toHaveCount(3, { timeout: 100 }), /Expected: 3\nReceived: 2/);
await fails(expect(page.locator('#d')).toHaveValue('x', { timeout: 100 }), /Not an input element/);
await fails(expect(page.locator('#d')).toHaveJSProperty('custom', 1, { timeout: 100 }), /Expected: 1/);

//# pages
//@ PageAssertions.toHaveTitle PageAssertions.toHaveURL
await open('/repl/other.html');
await expect(page).toHaveTitle(/./);
await expect(page).toHaveURL(site.url('/repl/other.html'));
await expect(page).toHaveURL(/other/);
await expect(page).toHaveURL('**/other.html');
await expect(page).toHaveURL((url) => url.pathname === '/repl/other.html');
await expect(page).not.toHaveURL(/empty/);
await page.evaluate(() => setTimeout(() => { document.title = 'New title'; history.pushState({}, '', '/repl/pushed'); }, 150));
await expect(page).toHaveTitle('New title');
await expect(page).toHaveURL(/pushed/);
await fails(expect(page).toHaveTitle('x', { timeout: 100 }), /expect\(page\)\.toHaveTitle\(expected\) failed\n\nExpected: "x"\nReceived: "New title"\nTimeout:  100ms/);

//# accessibility snapshots, and templates of them
//@ Locator.ariaSnapshot LocatorAssertions.toMatchAriaSnapshot
await show(`<h1>Todos</h1><ul><li>Milk</li><li><a href="/x">Docs</a> here</li></ul><button disabled>Save</button><input placeholder=Hint><input type=checkbox checked aria-label=Done>
  <div aria-hidden=true>no</div><p>Para</p><button aria-expanded=true aria-pressed=mixed>B</button><input aria-label=Q value=five><details open><summary>S</summary>In</details>`);
const yaml = await page.locator('body').ariaSnapshot();
for (const line of ['- heading "Todos" [level=1]', '- list:', '  - listitem: Milk', '  - listitem:', '    - link "Docs":', '      - /url: /x', '    - text: here', '- button "Save" [disabled]', '- textbox "Hint"', '- checkbox "Done" [checked]', '- paragraph: Para', '- button "B" [expanded] [pressed=mixed]', '- textbox "Q": five']) ok(yaml.split('\n').includes(line), `${line} in\n${yaml}`);
ok(!yaml.includes('no'), 'hidden');
await expect(page.locator('body')).toMatchAriaSnapshot(`
  - heading "Todos" [level=1]
  - list:
    - listitem: Milk
    - listitem:
      - link /do/i:
        - /url: /x
  - button "Save" [disabled]
`);
await expect(page.locator('ul')).toMatchAriaSnapshot('- list:\n  - /children: equal\n  - listitem\n  - listitem');
await expect(page.locator('ul')).not.toMatchAriaSnapshot('- list:\n  - /children: equal\n  - listitem');
await expect(page.locator('body')).toMatchAriaSnapshot('- paragraph: /Pa.a/');
await expect(page).toMatchAriaSnapshot('- checkbox [checked]');
await fails(expect(page.locator('ul')).toMatchAriaSnapshot('- list:\n  - listitem: Bread', { timeout: 100 }), /toMatchAriaSnapshot[^]*listitem: Bread[^]*listitem: Milk/);
await fails(() => expect(page.locator('ul')).toMatchAriaSnapshot('list'), /a line must start with/);

//# what differs is told line by line, and a page is no locator
//@ LocatorAssertions.toHaveText
await show('<p>Text 1</p><p>Text 2a</p>');
const listed = await fails(expect(page.locator('p')).toHaveText(['Text 1', 'Text 3'], { timeout: 200 }));
match(listed.message, '-   "Text 3",\n+   "Text 2a",');
const parts = await fails(() => expect({ a: 1, b: [2] }).toEqual({ a: 2, b: [2] }));
match(parts.message, '-   "a": 2,\n+   "a": 1,\n    "b": Array [');
await fails(() => expect(page).toHaveText('x'), 'toHaveText can be only used with Locator object');
